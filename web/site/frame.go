package site

import (
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/window"
	"overton/templates"
	"overton/templates/catalogue"
)

// frame surrounds a page outside any study.
func (s *Site) frame(title string) templates.Frame {
	return templates.Frame{Words: catalogue.For("en"), Base: s.Base, Title: title}
}

// StudyFrame surrounds a page of a study that participants see.
func (s *Site) StudyFrame(h *Hosted, title string) templates.Frame {
	f := templates.Frame{Words: h.Words, Base: s.Base, Title: title, StudyTitle: h.Title, StudyLang: h.Language,
		Contact: h.Contact}
	if s.Bar != nil {
		f.Preview = s.Bar(h)
	}
	return f
}

// AdminFrame surrounds an admin page. It links to other pages only for people
// who are signed in.
func (s *Site) AdminFrame(c echo.Context, title string) templates.Admin {
	f := templates.Admin{Frame: s.frame(title), Here: "studies"}
	f.StudyTitle = "overton"
	if account, ok := c.Get(accountKey).(store.Account); ok {
		f.Email, f.Role = account.Email, account.Role
		siteRole, _ := c.Get(siteRoleKey).(string)
		f.Accounts = Allows(siteRole, Admin)
		f.Models = s.Runs != "" && Allows(siteRole, Viewer)
	}
	return f
}

// tabs are the pages of a study, in the order in which the menu lists them.
var tabs = []struct {
	name, path  string
	role        Role // who may open it
	draft, live bool // of which studies there is such a page
	rare        bool // under More, once a study is launched
}{
	{name: "Monitor", path: "", role: Viewer, live: true},
	{name: "Moderation", path: "/moderation", role: Moderator, live: true},
	{name: "Analysis", path: "/analysis", role: Viewer, live: true},
	{name: "Download", path: "/download", role: Researcher, live: true},
	{name: "Set up", path: "/setup", role: Viewer, draft: true, live: true},
	{name: "Check and launch", path: "/launch", role: Admin, draft: true},
	{name: "Versions", path: "/versions", role: Viewer, draft: true, live: true, rare: true},
	{name: "Surveys", path: "/surveys", role: Viewer, live: true, rare: true},
	{name: "Judge", path: "/judge", role: Viewer, live: true, rare: true},
	{name: "Prolific", path: "/recruitment", role: Admin, live: true, rare: true},
	{name: "People", path: "/people", role: Admin, live: true, rare: true},
	{name: "Log", path: "/log", role: Admin, live: true, rare: true},
}

// AdminStudyFrame is the frame of one of a study's pages, with a tab for each
// page that the reader may open. here is the last part of its path.
func (s *Site) AdminStudyFrame(c echo.Context, h *Hosted, title, here string) (templates.Admin, error) {
	f := s.AdminFrame(c, title)
	f.Frame.StudyTitle = h.Title
	f.Study = &templates.AdminStudy{Title: h.Title, Status: string(h.Row.Status)}
	draft := h.Row.Status == store.Draft
	for _, t := range tabs {
		switch {
		case !Allows(f.Role, t.role), draft && !t.draft, !draft && !t.live,
			t.path == "/surveys" && len(window.Instruments(h.Study)) == 0, t.path == "/judge" && h.Overton() == nil:
			continue
		}
		tab := templates.Tab{Name: t.name, Path: h.AdminPath(t.path), Here: t.path == here, Rare: t.rare && !draft}
		if t.path == "/moderation" {
			waiting, err := s.Store.Waiting(c.Request().Context(), h.Row.ID)
			if err != nil {
				return f, err
			}
			tab.Count = waiting.Pending
		}
		f.Study.Tabs = append(f.Study.Tabs, tab)
	}
	return f, nil
}

// Changes are what an admin can do with a study of each status. A launch has a
// page of its own.
var Changes = map[store.Status][]templates.Change{
	store.Running: {
		{To: string(store.Paused), Verb: "Pause",
			Explanation: "While the study is paused, nobody can start. People who have started can continue."},
		closing,
	},
	store.Paused: {
		{To: string(store.Running), Verb: "Resume", Explanation: "People can start again."},
		closing,
	},
}

var closing = templates.Change{To: string(store.Closed), Verb: "Close", Sure: true, Danger: true,
	Explanation: "A closed study stays closed: nobody else can start. People who have started can continue. All data are kept."}

// Moment is a time of the store, in Unix milliseconds, as pages show it; 0 is none.
func Moment(ms int64) templates.Moment {
	if ms == 0 {
		return templates.Moment{}
	}
	return MomentOf(time.UnixMilli(ms))
}

// MomentOf is a time as pages show it, in UTC.
func MomentOf(t time.Time) templates.Moment { return templates.At(t) }
