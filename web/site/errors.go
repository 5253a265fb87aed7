package site

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// Refusal is an error that has a page of its own. Name chooses the page's words:
// in the catalogue for participants, among adminNotices behind the sign-in.
type Refusal struct {
	Status int
	Name   string
	Study  *Hosted          // whose language and contact the page has; may be nil
	Try    string           // path to try again at; may be empty
	code   string           // completion code to go back with; may be empty
	Kept   []templates.Kept // what the person typed and we did not save
}

func (r *Refusal) Error() string { return r.Name }

// Refuse gives a page to the reasons for which the store turns people away.
// Other errors pass.
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

// fail is the one place where an error becomes a page.
func (s *Site) fail(c echo.Context, err error) {
	if c.Response().Committed {
		c.Set(brokenKey, true)
		s.Log.Error("an error after the page was sent", "id", c.Get(RequestKey), "route", c.Path(), "error", err)
		return
	}
	r := refusalOf(err)
	if r.Name == "internal" {
		s.Log.Error("request failed", "id", c.Get(RequestKey), "route", c.Path(), "error", err)
	}
	switch {
	case c.Request().Header.Get(echo.HeaderAuthorization) != "": // a script reads no pages
		words := noticeOf(r)
		err = c.String(r.Status, words.title+". "+words.text+"\n")
	case IsAdmin(c.Request()):
		err = s.Show(c, r.Status, templates.AdminNotice(s.adminNotice(c, r)))
	default:
		err = s.Show(c, r.Status, templates.Notice(s.participantNotice(c, r)))
	}
	if err != nil {
		s.Log.Error("sending an error page", "id", c.Get(RequestKey), "error", err)
	}
}

// refusalOf is the page that an error is shown as.
func refusalOf(err error) *Refusal {
	var known *Refusal
	var from *echo.HTTPError
	switch {
	case errors.As(err, &known):
		return known
	case !errors.As(err, &from):
		return &Refusal{Status: http.StatusInternalServerError, Name: "internal"}
	}
	switch from.Code {
	case http.StatusNotFound:
		return &Refusal{Status: from.Code, Name: "not_found"}
	case http.StatusForbidden:
		return &Refusal{Status: from.Code, Name: "forbidden"}
	case http.StatusMethodNotAllowed:
		return &Refusal{Status: from.Code, Name: "method"}
	}
	return &Refusal{Status: from.Code, Name: "bad_request"}
}

// participantNotice is an error as participants see it.
func (s *Site) participantNotice(c echo.Context, r *Refusal) templates.NoticePage {
	p := templates.NoticePage{Frame: s.frame(""), Name: r.Name, Kept: r.Kept, Code: r.code}
	if r.Study != nil {
		p.Frame = s.StudyFrame(r.Study, "")
	}
	p.Title = p.Words.Say("notice." + r.Name + ".title")
	if r.Try != "" {
		p.Try = s.Base + r.Try
	}
	if r.Name == "internal" {
		p.ID, _ = c.Get(RequestKey).(string)
	}
	return p
}

// adminNotice is an error as people behind the sign-in see it.
func (s *Site) adminNotice(c echo.Context, r *Refusal) templates.AdminNoticePage {
	words := noticeOf(r)
	p := templates.AdminNoticePage{Admin: s.AdminFrame(c, words.title), Text: words.text,
		Link: "Go to studies", To: "/admin"}
	switch {
	case p.Email == "":
		p.Link, p.To = "Go to sign-in", "/admin/sign-in"
	case r.Try != "":
		p.Link, p.To = "Go back to the study", r.Try
	}
	if r.Name == "internal" {
		p.ID, _ = c.Get(RequestKey).(string)
	}
	return p
}

type notice struct{ title, text string }

func noticeOf(r *Refusal) notice {
	if words, ok := adminNotices[r.Name]; ok {
		return words
	}
	return adminNotices["bad_request"]
}

// adminNotices are the words of the error pages behind the sign-in, by the name
// of the refusal.
var adminNotices = map[string]notice{
	// of every page
	"bad_request": {"We could not read what you sent", "Go back and try again."},
	"forbidden":   {"This is not allowed", "The request came from another site."},
	"internal":    {"Something went wrong", "Nothing was changed. Try again in a moment."},
	"method":      {"This page cannot be used like that", "Go back and use the buttons on the page."},
	"not_found":   {"Page not found", "There is no page at this address."},
	"role":        {"Your role does not allow this", "Ask an admin if you need this page."},
	"too_large":   {"You sent too much", "What you sent is larger than the server accepts."},

	// of accounts
	"link": {"This link does not work",
		"It has been used, it has expired, or part of it is missing. Ask an admin for a new one."},
	"slow_down": {"Too many attempts", "Try again in 15 minutes."},
	"token": {"This token does not work",
		"It was revoked, it has expired, or part of it is missing. Make a new one on your account page."},
	"token_use": {"You cannot use a token here",
		"A token can only download files, by GET. Sign in for everything else."},

	// of studies
	"changed": {"The study has changed",
		"Someone changed the study while you were working, so this is no longer possible. Go back to see it as it is now."},
	"no_preview": {"This preview has ended",
		"A preview lasts for one hour or until the server restarts. Start another one on the study's page."},
	"unknown_study": {"Study not found", "It may have been a draft that was replaced under another name."},

	// of the field phase
	"moderated": {"Already decided",
		"The author took the statement back, or someone else has decided on it. Go back to the list to see it as it is now."},
	"reward": {"Enter an amount",
		"Enter the reward as a number, such as 4.50, and choose a currency."},
	"unknown_submission": {"No participant has this pseudonym",
		"They may have withdrawn. Nothing is kept of people who withdraw."},

	// of analyses
	"no_result": {"Result not found", "The run does not have this result. Its page lists what it has."},
	"no_run":    {"Run not found", "It may have been deleted. The list of runs shows all that are kept."},
	"run_ended": {"The run has already ended", "You cannot cancel it now. Its page shows the result."},
	"run_name": {"The name or note is too long",
		"A name can have 100 characters and a note 2,000. Nothing was changed."},
	"run_runs": {"The run has not ended", "Cancel it before you delete it."},
}
