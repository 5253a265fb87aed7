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
		{get, "/admin/studies/:slug", site.Viewer, s.monitor},
		{get, livePath, site.Viewer, s.liveMonitor},
		{post, "/admin/studies/:slug/reward", site.Researcher, s.setReward},
		{get, "/admin/studies/:slug/progress", site.Viewer, s.allQuestions},
		{get, "/admin/studies/:slug/submissions", site.Researcher, s.submissions},
		{get, "/admin/studies/:slug/submissions/:pseudonym", site.Researcher, s.submission},
		{get, "/admin/studies/:slug/moderation", site.Moderator, s.moderation},
		{post, "/admin/studies/:slug/moderation", site.Moderator, s.moderate},
		{post, "/admin/studies/:slug/moderation/undo", site.Moderator, s.undoModeration},
		{post, "/admin/studies/:slug/moderation/mode", site.Admin, s.setModeration},
		{get, "/admin/studies/:slug/recruitment", site.Admin, s.recruitment},
		{post, "/admin/studies/:slug/recruitment", site.Admin, s.readRecruitment},
		{get, "/admin/studies/:slug/download", site.Researcher, s.downloadPage},
		{get, "/admin/studies/:slug/data/:file", site.Researcher, s.data},
		{get, "/admin/studies/:slug/files.zip", site.Researcher, s.downloadFiles},
	}
}
