package accounts

import (
	"encoding/csv"
	"fmt"
	"net/http"
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

// logFilter reads which events to show from a request. The log of a study shows
// only its own.
func logFilter(c echo.Context) store.EventFilter {
	before, _ := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	return store.EventFilter{Slug: site.SlugOf(c), Email: c.QueryParam("who"), What: c.QueryParam("what"), Before: before}
}

// log shows who did what, on one study or on all of the server.
func (s *Room) log(c echo.Context) error {
	ctx := c.Request().Context()
	page := pages.LogPage{Path: "/admin/log", Filter: logFilter(c)}
	var err error
	if page.Filter.Slug == "" {
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
	if page.People, page.Deeds, err = s.Store.EventChoices(ctx, page.Filter.Slug); err != nil {
		return err
	}
	if page.Events, err = s.Store.Events(ctx, page.Filter, logLength+1); err != nil {
		return err
	}
	if len(page.Events) > logLength {
		page.Events = page.Events[:logLength]
		page.Older = page.Events[logLength-1].ID
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
			rows = append(rows, []string{time.UnixMilli(e.At).UTC().Format(time.RFC3339), dataset.Harmless(e.Email),
				pages.Deed(e.What), dataset.Harmless(e.Detail), e.Slug})
		}
		f.Before = events[len(events)-1].ID
	}
}
