package site

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// Refusal is an error that has a page of its own. name chooses the page's
// words in the catalogue.
type Refusal struct {
	Status int
	Name   string
	Study  *Hosted          // whose language and contact the page has; may be nil
	Try    string           // path to try again at; may be empty
	code   string           // completion code to go back with; may be empty
	Kept   []templates.Kept // what the person typed and we did not save
}

func (r *Refusal) Error() string { return r.Name }

// Refuse gives the store's refusals of people their pages. Other errors pass.
func (s *Site) Refuse(h *Hosted, err error) error {
	switch {
	case errors.Is(err, store.ErrMismatch):
		return &Refusal{Status: http.StatusForbidden, Name: "other_person", Study: h}
	case errors.Is(err, store.ErrAlready):
		return &Refusal{Status: http.StatusForbidden, Name: "already", Study: h}
	case errors.Is(err, study.ErrBusy):
		return &Refusal{Status: http.StatusServiceUnavailable, Name: "busy", Study: h, Try: h.Path("/start")}
	case errors.Is(err, store.ErrNotOpen):
		switch h.Row.Status {
		case store.Draft:
			return &Refusal{Status: http.StatusForbidden, Name: "not_open", Study: h}
		case store.Closed:
			return &Refusal{Status: http.StatusGone, Name: "closed", Study: h, code: h.Recruitment.Code(study.OverQuota)}
		}
		return &Refusal{Status: http.StatusServiceUnavailable, Name: "paused", Study: h, Try: h.Path("/start")}
	}
	return err
}

// Fail is the one place where an error becomes a page.
func (s *Site) Fail(c echo.Context, err error) {
	if c.Response().Committed {
		c.Set(brokenKey, true)
		s.Log.Error("an error after the page was sent", "id", c.Get(RequestKey), "route", c.Path(), "error", err)
		return
	}
	var known *Refusal
	var from *echo.HTTPError
	switch {
	case errors.As(err, &known):
	case errors.As(err, &from):
		known = &Refusal{Status: from.Code, Name: "bad_request"}
		switch from.Code {
		case http.StatusNotFound:
			known.Name = "not_found"
		case http.StatusForbidden:
			known.Name = "forbidden"
		case http.StatusMethodNotAllowed:
			known.Name = "method"
		}
	default:
		known = &Refusal{Status: http.StatusInternalServerError, Name: "internal"}
		s.Log.Error("request failed", "id", c.Get(RequestKey), "route", c.Path(), "error", err)
	}

	if c.Request().Header.Get(echo.HeaderAuthorization) != "" { // a script reads no pages
		words, ok := adminNotices[known.Name]
		if !ok {
			words = adminNotices["bad_request"]
		}
		if err := c.String(known.Status, words[0]+". "+words[1]+"\n"); err != nil {
			s.Log.Error("sending an error", "id", c.Get(RequestKey), "error", err)
		}
		return
	}
	if IsAdmin(c.Request()) {
		if err := s.Show(c, known.Status, templates.AdminNotice(s.adminNotice(c, known))); err != nil {
			s.Log.Error("sending an error page", "id", c.Get(RequestKey), "error", err)
		}
		return
	}
	page := templates.NoticePage{Frame: s.frame(""), Name: known.Name, Kept: known.Kept, Code: known.code}
	if known.Study != nil {
		page.Frame = s.StudyFrame(known.Study, "")
	}
	page.Title = page.Words.Say("notice." + known.Name + ".title")
	if known.Try != "" {
		page.Try = s.Base + known.Try
	}
	if known.Status >= http.StatusInternalServerError && known.Name == "internal" {
		page.ID, _ = c.Get(RequestKey).(string)
	}
	if err := s.Show(c, known.Status, templates.Notice(page)); err != nil {
		s.Log.Error("sending an error page", "id", c.Get(RequestKey), "error", err)
	}
}
