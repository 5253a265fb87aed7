package setup

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/store"
	pages "overton/templates/setup"
	"overton/web/site"
)

// versions lists a study's versions, and what changed from each to the next.
func (s *Room) versions(c echo.Context, h *site.Hosted) error {
	ctx := c.Request().Context()
	page, err := s.studyPage(c, h, "Versions", "/versions", pages.Refused{})
	if err != nil {
		return err
	}
	rows, err := s.Store.Versions(ctx, h.Row.Slug)
	if err != nil {
		return err
	}
	list := make([]pages.Version, len(rows))
	var newer map[string][]byte
	for i, row := range rows { // the newest first
		files, err := s.Store.StudyFiles(ctx, row.ID)
		if err != nil {
			return err
		}
		list[i].Study = row
		if i > 0 {
			list[i-1].Changes = dataset.Changes(files, newer)
		}
		newer = files
	}
	return s.Show(c, http.StatusOK, pages.Versions(pages.VersionsPage{StudyPage: page, Versions: list}))
}

// changeVersions makes a draft of a study's next version, or discards one.
func (s *Room) changeVersions(c echo.Context, h *site.Hosted) error {
	ctx := c.Request().Context()
	var to string
	var err error
	switch c.FormValue("do") {
	case "new":
		var row store.Study
		row, err = s.Store.NextVersion(ctx, h.Row.Slug, site.ActorOf(c))
		to = "/admin/studies/" + row.Name() + "/setup"
	case "discard":
		if h.Row.Status != store.Draft {
			return changed(h, "/versions")
		}
		err = s.Store.DiscardDraft(ctx, h.Row.ID, site.ActorOf(c))
		to = "/admin/studies/" + h.Row.Slug + "/versions"
		if h.Row.Version == 1 {
			to = "/admin"
		}
	default:
		return unreadable(h, "/versions")
	}
	if errors.Is(err, store.ErrConflict) {
		return changed(h, "/versions")
	}
	if err != nil {
		return err
	}
	return s.To(c, to)
}
