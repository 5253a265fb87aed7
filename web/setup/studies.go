package setup

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	pages "overton/templates/setup"
	"overton/web/site"
)

// studies lists the studies: of each the version that people enter, or the
// draft; a draft of its next version is mentioned.
func (s *Room) studies(c echo.Context) error {
	ctx := c.Request().Context()
	rows, err := s.Store.Studies(ctx)
	if err != nil {
		return err
	}
	totals, err := s.Store.Totals(ctx)
	if err != nil {
		return err
	}
	memberships, err := s.Store.Memberships(ctx, site.AccountOf(c).ID)
	if err != nil {
		return err
	}
	page := pages.StudiesPage{Admin: s.AdminFrame(c, "Studies"), Query: strings.TrimSpace(c.QueryParam("q")),
		Status: c.QueryParam("status"), Any: len(rows) > 0}
	page.MayChange = site.Allows(page.Role, site.Admin)
	listed, next := map[string]bool{}, map[string]string{} // by slug; drafts of next versions
	for _, row := range rows {                             // the newest version of a slug first
		if !site.Allows(page.Role, site.Viewer) && memberships[row.Slug] == "" {
			continue
		}
		if row.Status == store.Draft && row.Version > 1 {
			next[row.Slug] = row.Name()
			continue
		}
		if listed[row.Slug] || !page.Matches(row) {
			continue
		}
		listed[row.Slug] = true
		page.Studies = append(page.Studies, pages.StudyLine{Study: row, Total: totals[row.ID], Next: next[row.Slug]})
	}
	return s.Show(c, http.StatusOK, pages.Studies(page))
}
