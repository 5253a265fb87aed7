package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// refusal is an error that has a page of its own. name chooses the page's
// words in the catalogue.
type refusal struct {
	status int
	name   string
	study  *hosted          // whose language and contact the page has; may be nil
	try    string           // path to try again at; may be empty
	code   string           // completion code to go back with; may be empty
	kept   []templates.Kept // what the person typed and we did not save
}

func (r *refusal) Error() string { return r.name }

// refuse gives the store's refusals of people their pages. Other errors pass.
func (s *site) refuse(h *hosted, err error) error {
	switch {
	case errors.Is(err, store.ErrMismatch):
		return &refusal{status: http.StatusForbidden, name: "other_person", study: h}
	case errors.Is(err, store.ErrAlready):
		return &refusal{status: http.StatusForbidden, name: "already", study: h}
	case errors.Is(err, study.ErrBusy):
		return &refusal{status: http.StatusServiceUnavailable, name: "busy", study: h, try: h.path("/start")}
	case errors.Is(err, store.ErrNotOpen):
		switch h.row.Status {
		case store.Draft:
			return &refusal{status: http.StatusForbidden, name: "not_open", study: h}
		case store.Closed:
			return &refusal{status: http.StatusGone, name: "closed", study: h, code: h.Recruitment.Code(study.OverQuota)}
		}
		return &refusal{status: http.StatusServiceUnavailable, name: "paused", study: h, try: h.path("/start")}
	}
	return err
}

// fail is the one place where an error becomes a page.
func (s *site) fail(c echo.Context, err error) {
	if c.Response().Committed {
		c.Set(brokenKey, true)
		s.Log.Error("an error after the page was sent", "id", c.Get(requestKey), "route", c.Path(), "error", err)
		return
	}
	var known *refusal
	var from *echo.HTTPError
	switch {
	case errors.As(err, &known):
	case errors.As(err, &from):
		known = &refusal{status: from.Code, name: "bad_request"}
		switch from.Code {
		case http.StatusNotFound:
			known.name = "not_found"
		case http.StatusForbidden:
			known.name = "forbidden"
		case http.StatusMethodNotAllowed:
			known.name = "method"
		}
	default:
		known = &refusal{status: http.StatusInternalServerError, name: "internal"}
		s.Log.Error("request failed", "id", c.Get(requestKey), "route", c.Path(), "error", err)
	}

	if c.Request().Header.Get(echo.HeaderAuthorization) != "" { // a script reads no pages
		words, ok := adminNotices[known.name]
		if !ok {
			words = adminNotices["bad_request"]
		}
		if err := c.String(known.status, words[0]+". "+words[1]+"\n"); err != nil {
			s.Log.Error("sending an error", "id", c.Get(requestKey), "error", err)
		}
		return
	}
	if isAdmin(c.Request()) {
		if err := s.show(c, known.status, templates.AdminNotice(s.adminNotice(c, known))); err != nil {
			s.Log.Error("sending an error page", "id", c.Get(requestKey), "error", err)
		}
		return
	}
	page := templates.NoticePage{Frame: s.frame(""), Name: known.name, Kept: known.kept, Code: known.code}
	if known.study != nil {
		page.Frame = s.studyFrame(known.study, "")
	}
	page.Title = page.Words.Say("notice." + known.name + ".title")
	if known.try != "" {
		page.Try = s.base + known.try
	}
	if known.status >= http.StatusInternalServerError && known.name == "internal" {
		page.ID, _ = c.Get(requestKey).(string)
	}
	if err := s.show(c, known.status, templates.Notice(page)); err != nil {
		s.Log.Error("sending an error page", "id", c.Get(requestKey), "error", err)
	}
}
