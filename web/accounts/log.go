package accounts

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/store"
	pages "overton/templates/accounts"
	"overton/web/site"
)

// logLength is how many events a page of the log shows.
const logLength = 100

// deeds are the words for what events are called in the store, all of them.
var deeds = map[string]string{
	"account created": "made an account", "account link": "made a link for an account", "account role": "changed the role of an account",
	"account disabled": "shut an account out", "account enabled": "let an account in again",
	"password set": "set a password", "signed in": "signed in", "sign-in failed": "failed to sign in", "signed out": "signed out",
	"sign-ins ended": "signed out everywhere else",
	"member":         "gave a role on the study", "member link": "made a new invitation", "member removed": "took a role on the study away",
	"token created": "made an access token", "token revoked": "revoked an access token",
	"draft saved": "saved a draft", "draft changed": "changed a draft", "draft discarded": "discarded a draft", "version begun": "began a new version",
	"study running": "launched or resumed the study", "study paused": "paused the study", "study closed": "closed the study",
	"statement accepted": "accepted a statement", "statement rejected": "rejected a statement",
	"moderation undone": "undid a decision on a statement", "moderation mode": "changed when statements are moderated",
	"reward": "set the reward", "data downloaded": "downloaded",
	"recruiter's file read": "read a file of the recruiter's", "study imported": "imported the study",
	"analysis started": "started an analysis", "survey analysis started": "started an analysis of surveys",
	"judge compared": "started comparing a judge with people", "analysis cancelled": "cancelled a run",
	"analysis renamed": "renamed a run", "analysis deleted": "deleted a run",
	"model response accepted": "accepted responses of a model", "model response rejected": "rejected responses of a model",
	"accepted responses downloaded": "downloaded accepted responses of models",
}

func deed(what string) string {
	if words, ok := deeds[what]; ok {
		return words
	}
	return what
}

// logFilter reads from a request which events to show; on a study's log those
// of the study.
func logFilter(c echo.Context) store.EventFilter {
	before, _ := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	return store.EventFilter{Slug: site.SlugOf(c), Email: c.QueryParam("who"), What: c.QueryParam("what"), Before: before}
}

// log shows who did what, on one study or on all of the server.
func (s *Room) log(c echo.Context) error {
	ctx := c.Request().Context()
	f := logFilter(c)
	page := pages.LogPage{Path: "/admin/log", Who: f.Email, What: f.What, Everywhere: f.Slug == ""}
	if f.Slug == "" {
		page.Admin = s.AdminFrame(c, "Log")
		page.Here = "log"
	} else {
		h, err := s.Named(c)
		if err != nil {
			return err
		}
		if page.Admin, err = s.AdminStudyFrame(c, h, "Log", "/log"); err != nil {
			return err
		}
		page.Path = h.AdminPath("/log")
	}
	emails, whats, err := s.Store.EventChoices(ctx, f.Slug)
	if err != nil {
		return err
	}
	page.People = emails
	for _, what := range whats {
		page.Deeds = append(page.Deeds, pages.DeedOption{Value: what, Words: deed(what)})
	}
	events, err := s.Store.Events(ctx, f, logLength+1)
	if err != nil {
		return err
	}
	query := url.Values{}
	for name, value := range map[string]string{"who": f.Email, "what": f.What} {
		if value != "" {
			query.Set(name, value)
		}
	}
	page.CSV = "?" + query.Encode()
	if len(events) > logLength {
		events = events[:logLength]
		query.Set("before", strconv.FormatInt(events[logLength-1].ID, 10))
		page.Older = "?" + query.Encode()
	}
	page.Later = f.Before > 0
	for _, e := range events {
		page.Events = append(page.Events, pages.EventLine{At: site.Moment(e.At), Who: e.Email, Did: deed(e.What), Detail: e.Detail, Slug: e.Slug})
	}
	return s.Show(c, http.StatusOK, pages.Log(page))
}

// logCSV sends the log as a table, oldest last, that is safe to open in a
// spreadsheet program.
func (s *Room) logCSV(c echo.Context) error {
	ctx := c.Request().Context()
	f := logFilter(c)
	name := "log.csv"
	var studyID int64
	if f.Slug != "" {
		study, err := s.Named(c)
		if err != nil {
			return err
		}
		studyID, name = study.Row.ID, f.Slug+"-log.csv"
	}
	if err := s.Downloaded(c, studyID, name); err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	h.Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", name))
	w := csv.NewWriter(c.Response())
	rows := [][]string{{"time", "who", "did", "detail", "study"}}
	for {
		if err := w.WriteAll(rows); err != nil {
			return fmt.Errorf("sending the log: %w", err)
		}
		events, err := s.Store.Events(ctx, f, 10*logLength)
		if err != nil || len(events) == 0 {
			return err
		}
		rows = rows[:0]
		for _, e := range events {
			rows = append(rows, []string{time.UnixMilli(e.At).UTC().Format(time.RFC3339), dataset.Harmless(e.Email), deed(e.What), dataset.Harmless(e.Detail), e.Slug})
		}
		f.Before = events[len(events)-1].ID
	}
}
