package watch

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/store"
	pages "overton/templates/watch"
	"overton/web/site"
)

// prolific shows how submissions stand here and on Prolific. It names them by
// Prolific's ids, which people need to act on them there; so it is for admins.
func (s *Room) prolific(c echo.Context, h *site.Hosted, p pages.Page) error {
	return s.showProlific(c, h, http.StatusOK, pages.ProlificPage{Page: p})
}

func (s *Room) showProlific(c echo.Context, h *site.Hosted, status int, page pages.ProlificPage) error {
	var err error
	if page.Standings, err = s.Store.Standings(c.Request().Context(), h.Row.Slug); err != nil {
		return err
	}
	page.Wrong = status != http.StatusOK
	return s.Show(c, status, pages.Prolific(page))
}

// readProlific takes Prolific's export of a study.
func (s *Room) readProlific(c echo.Context, h *site.Hosted, p pages.Page) error {
	page := pages.ProlificPage{Page: p}
	var rows int
	kept, err := 0, error(nil)
	if kept, rows, page.Strangers, err = s.keepProlific(c, h); err == nil {
		page.Read = fmt.Sprintf("%d of %s in the file started here.", kept, site.Counted(rows, "submission", "submissions"))
		return s.showProlific(c, h, http.StatusOK, page)
	}
	var unusable *site.UploadError
	var fault dataset.Fault
	switch {
	case errors.As(err, &unusable):
		page.Problem = unusable.Error()
	case errors.As(err, &fault):
		page.Faults = dataset.Faults{fault}
	case !errors.As(err, &page.Faults):
		return err
	}
	return s.showProlific(c, h, http.StatusUnprocessableEntity, page)
}

// keepProlific keeps what the file of a form says of the study's submissions: of
// how many of its rows, and which of the others handed something in.
func (s *Room) keepProlific(c echo.Context, h *site.Hosted) (kept, rows int, strangers []store.Stranger, err error) {
	files, err := site.UploadedFolder(c.Request())
	if err == nil && len(files) != 1 {
		err = site.Unusable("You sent %d files. Send only the one that Prolific exports for this study.", len(files))
	}
	if err != nil {
		return 0, 0, nil, err
	}
	for name, content := range files {
		list, err := dataset.ReadProlific(name, content)
		if err != nil {
			return 0, 0, nil, err
		}
		rows = len(list)
		kept, strangers, err = s.Store.SaveRecruited(c.Request().Context(), h.Row.Slug, list, site.ActorOf(c))
		if err != nil {
			return 0, 0, nil, err
		}
	}
	return kept, rows, strangers, nil
}
