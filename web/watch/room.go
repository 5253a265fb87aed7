// Package watch is the field phase: the monitor, submissions, moderation, recruitment
// and downloads.
package watch

import (
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
	return []site.Route{
		site.Get("/admin/studies/:slug", site.Viewer, s.InStudy(s.monitor)),
		site.Get(livePath, site.Viewer, s.InStudy(s.liveMonitor)),
		site.Post("/admin/studies/:slug/reward", site.Researcher, s.InStudy(s.setReward)),
		site.Get("/admin/studies/:slug/progress", site.Viewer, s.InStudy(s.allQuestions)),
		site.Get("/admin/studies/:slug/submissions", site.Researcher, s.InStudy(s.submissions)),
		site.Get("/admin/studies/:slug/submissions/:pseudonym", site.Researcher, s.InStudy(s.submission)),
		site.Get("/admin/studies/:slug/moderation", site.Moderator, s.InStudy(s.moderation)),
		site.Post("/admin/studies/:slug/moderation", site.Moderator, s.InStudy(s.moderate)),
		site.Post("/admin/studies/:slug/moderation/undo", site.Moderator, s.InStudy(s.undoModeration)),
		site.Post("/admin/studies/:slug/moderation/mode", site.Admin, s.InStudy(s.setModeration)),
		site.Get("/admin/studies/:slug/recruitment", site.Admin, s.InStudy(s.recruitment)),
		site.Post("/admin/studies/:slug/recruitment", site.Admin, s.InStudy(s.readRecruitment)),
		site.Get("/admin/studies/:slug/download", site.Researcher, s.InStudy(s.downloadPage)),
		site.Get("/admin/studies/:slug/data/:file", site.Researcher, s.InStudy(s.data)),
		site.Get("/admin/studies/:slug/files.zip", site.Researcher, s.InStudy(s.downloadFiles)),
	}
}
