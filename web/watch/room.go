// Package watch is the field phase: the monitor, submissions, moderation, recruitment
// and downloads.
package watch

import (
	"net/http"

	"overton/web/site"
)

// Room holds the pages of this package.
type Room struct {
	*site.Site
	watches watches
}

// New opens the room.
func New(s *site.Site) *Room { return &Room{Site: s, watches: watches{byStudy: map[int64]*watch{}}} }

// Routes are the room's lines of the route table.
func (s *Room) Routes() []site.Route {
	const get, post = http.MethodGet, http.MethodPost
	return []site.Route{
		{get, "/admin/studies/:slug", site.Viewer, s.InStudy(s.monitor)},
		{get, livePath, site.Viewer, s.InStudy(s.liveMonitor)},
		{post, "/admin/studies/:slug/reward", site.Researcher, s.InStudy(s.setReward)},
		{get, "/admin/studies/:slug/progress", site.Viewer, s.InStudy(s.allQuestions)},
		{get, "/admin/studies/:slug/submissions", site.Researcher, s.InStudy(s.submissions)},
		{get, "/admin/studies/:slug/submissions/:pseudonym", site.Researcher, s.InStudy(s.submission)},
		{get, "/admin/studies/:slug/moderation", site.Moderator, s.InStudy(s.moderation)},
		{post, "/admin/studies/:slug/moderation", site.Moderator, s.InStudy(s.moderate)},
		{post, "/admin/studies/:slug/moderation/undo", site.Moderator, s.InStudy(s.undoModeration)},
		{post, "/admin/studies/:slug/moderation/mode", site.Admin, s.InStudy(s.setModeration)},
		{get, "/admin/studies/:slug/recruitment", site.Admin, s.InStudy(s.recruitment)},
		{post, "/admin/studies/:slug/recruitment", site.Admin, s.InStudy(s.readRecruitment)},
		{get, "/admin/studies/:slug/download", site.Researcher, s.InStudy(s.downloadPage)},
		{get, "/admin/studies/:slug/data/:file", site.Researcher, s.InStudy(s.data)},
		{get, "/admin/studies/:slug/files.zip", site.Researcher, s.InStudy(s.downloadFiles)},
	}
}
