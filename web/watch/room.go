// Package watch is the field phase: the monitor, submissions, moderation, Prolific
// and downloads.
package watch

import (
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	pages "overton/templates/watch"
	"overton/web/site"
)

// Room holds the pages of this package.
type Room struct {
	*site.Site
	counters counters
}

// New opens the room.
func New(s *site.Site) *Room {
	return &Room{Site: s, counters: counters{byStudy: map[int64]*counter{}}}
}

const livePath = "/admin/studies/:slug/live"

// Routes are the room's lines of the route table.
func (s *Room) Routes() []site.Route {
	const study = "/admin/studies/:slug"
	return []site.Route{
		site.Get(study, site.Viewer, s.page("Monitor", "", s.monitor)),
		site.Get(livePath, site.Viewer, s.page("", "", s.liveMonitor)),
		site.Post(study+"/reward", site.Researcher, s.InStudy(s.setReward)),
		site.Get(study+"/progress", site.Viewer, s.page("All questions", "", s.questions)),
		site.Get(study+"/submissions", site.Researcher, s.page("Submissions", "", s.submissions)),
		site.Get(study+"/submissions/:pseudonym", site.Researcher, s.page("Submission ", "", s.submission)),
		site.Get(study+"/moderation", site.Moderator, s.page("Moderation", "/moderation", s.moderation)),
		site.Post(study+"/moderation", site.Moderator, s.InStudy(s.moderate)),
		site.Post(study+"/moderation/undo", site.Moderator, s.InStudy(s.undoModeration)),
		site.Post(study+"/moderation/mode", site.Admin, s.InStudy(s.setModeration)),
		site.Get(study+"/recruitment", site.Admin, s.page("Prolific", "/recruitment", s.prolific)),
		site.Post(study+"/recruitment", site.Admin, s.page("Prolific", "/recruitment", s.readProlific)),
		site.Get(study+"/download", site.Researcher, s.page("Download", "/download", s.download)),
		site.Get(study+"/data/:file", site.Researcher, s.InStudy(s.data)),
		site.Get(study+"/files.zip", site.Researcher, s.InStudy(s.studyFiles)),
	}
}

// page hands a handler the study that its path names, and what is the same on all
// pages of the study. tab is the tab that the page belongs to.
func (s *Room) page(title, tab string, handler func(echo.Context, *site.Hosted, pages.Page) error) echo.HandlerFunc {
	return s.InStudy(func(c echo.Context, h *site.Hosted) error {
		frame, err := s.AdminStudyFrame(c, h, title, tab)
		if err != nil {
			return err
		}
		return handler(c, h, pages.Page{
			Admin: frame, Of: h.Study, Home: h.Href(""),
			Researcher: site.Allows(frame.Role, site.Researcher), Administrator: site.Allows(frame.Role, site.Admin),
		})
	})
}

// cut takes the part of a list that the query's page asks for.
func cut[T any](c echo.Context, path string, all []T, size int) ([]T, pages.Pager) {
	p := pagerOf(c, path, len(all), size)
	if len(all) == 0 {
		return nil, p
	}
	return all[p.From-1 : p.To], p
}

// pagerOf leads through a list of n entries, size at a time, and keeps the rest
// of the query.
func pagerOf(c echo.Context, path string, n, size int) pages.Pager {
	number, _ := strconv.Atoi(c.QueryParam("page")) // anything else is the first page
	number = max(1, min(number, (n+size-1)/size))
	at := func(number int) string {
		query := url.Values{}
		for name, values := range c.QueryParams() {
			query[name] = values
		}
		query.Set("page", strconv.Itoa(number))
		return path + "?" + query.Encode()
	}
	p := pages.Pager{Of: n, From: min(n, (number-1)*size+1), To: min(n, number*size)}
	if number > 1 {
		p.Before = at(number - 1)
	}
	if p.To < n {
		p.Next = at(number + 1)
	}
	return p
}
