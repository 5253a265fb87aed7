package watch

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	pages "overton/templates/watch"
	"overton/web/site"
)

// submissions lists submissions, the newest first.
func (s *Room) submissions(c echo.Context, h *site.Hosted, p pages.Page) error {
	page := pages.SubmissionsPage{Page: p, Filter: pages.SubmissionFilter{
		Pseudonym: strings.ToLower(strings.TrimSpace(c.QueryParam("find"))), Outcome: c.QueryParam("outcome"),
		Flag: c.QueryParam("flag"), Virtual: c.QueryParam("people"),
	}}
	now, err := s.snapshot(c.Request().Context(), h, 0)
	if err != nil {
		return err
	}
	if page.Counted = now != nil; page.Counted {
		var found []study.Trace
		for _, t := range slices.Backward(now.Traces) {
			if page.Filter.Fits(t) {
				found = append(found, *t)
			}
		}
		page.Submissions, page.Pager = cut(c, h.Href("/submissions"), found, 50)
	}
	return s.Show(c, http.StatusOK, pages.Submissions(page))
}

// submission shows what one participant did.
func (s *Room) submission(c echo.Context, h *site.Hosted, p pages.Page) error {
	ctx := c.Request().Context()
	page := pages.SubmissionPage{Page: p, Pseudonym: c.Param("pseudonym")}
	page.Title += page.Pseudonym
	var err error
	page.Records, err = s.Store.Record(ctx, h.Row.ID, page.Pseudonym)
	if errors.Is(err, store.ErrNotFound) {
		return &site.Refusal{Status: http.StatusNotFound, Name: "unknown_submission", Try: h.AdminPath("/submissions")}
	}
	if err != nil {
		return err
	}
	if page.Revisions, err = s.Store.Revisions(ctx, h.Row.ID, page.Pseudonym); err != nil {
		return err
	}
	if page.Statements, err = s.Store.StatementsSeen(ctx, h.Row.ID, page.Pseudonym); err != nil {
		return err
	}
	return s.Show(c, http.StatusOK, pages.Submission(page))
}
