package setup

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/store"
	pages "overton/templates/setup"
	"overton/web/site"
)

const newStudyPath = "/admin/studies/new"

// newStudy offers the ways to a new study.
func (s *Room) newStudy(c echo.Context) error {
	return s.showNewStudy(c, pages.NewStudyPage{Copy: c.QueryParam("copy")})
}

func (s *Room) showNewStudy(c echo.Context, page pages.NewStudyPage) error {
	rows, err := s.Store.Studies(c.Request().Context())
	if err != nil {
		return err
	}
	page.Admin, page.Others = s.AdminFrame(c, "New study"), rows
	page.Wrong = page.Status != 0
	return s.show(c, page.Refused, pages.NewStudy(page))
}

// saveStudy makes a draft from the example, from another study, or from files.
func (s *Room) saveStudy(c echo.Context) error {
	page := pages.NewStudyPage{From: c.FormValue("from"), Title: c.FormValue("title"),
		Slug: strings.TrimSpace(c.FormValue("slug")), Copy: c.FormValue("copy")}
	var files dataset.Files
	var err error
	next := false
	switch page.From {
	case "example":
		files, err = exampleFiles(page.Title, page.Slug)
	case "copy":
		files, err = s.copied(c, page.Copy, page.Slug)
	default:
		page.From = "files"
		files, page.Slug, next, err = uploaded(c.Request())
	}
	var row store.Study
	if err == nil {
		row, err = s.keepNew(c, files, next, page.From == "files")
	}
	if err != nil {
		return again(c, nil, err, func(c echo.Context, _ *site.Hosted, r pages.Refused) error {
			page.Refused, page.Sent = r, files
			return s.showNewStudy(c, page)
		})
	}
	name := row.Slug
	if row.Version > 1 {
		name = row.Name()
	}
	return s.To(c, "/admin/studies/"+name)
}

// keepNew saves files as a draft, which replaces another draft of its slug only
// if replace says so.
func (s *Room) keepNew(c echo.Context, files dataset.Files, next, replace bool) (row store.Study, err error) {
	st, err := dataset.ReadStudy(files)
	if err != nil {
		return row, err
	}
	ctx := c.Request().Context()
	switch _, err = s.Store.Study(ctx, st.Slug); {
	case err == nil && !replace:
		return row, site.Unusable("There is a study with the slug %q already. Give this one a slug of its own.", st.Slug)
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return row, err
	}
	saved := store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files, Next: next}
	row, err = s.Store.SaveStudy(ctx, saved, site.ActorOf(c))
	if errors.Is(err, store.ErrConflict) {
		return row, site.Unusable("There is a launched study with the slug %q, and a launched study cannot change. "+
			"Give this one a slug of its own, or tick that it is the next version.", st.Slug)
	}
	return row, err
}

// exampleFiles are the example's files under another title and slug, with
// study.yaml as the editor writes it.
func exampleFiles(title, slug string) (dataset.Files, error) {
	st, err := dataset.ReadStudy(dataset.Example())
	if err != nil {
		return nil, err
	}
	d := draft{Setup: st.Setup(), files: st.Files}
	d.Title, d.Slug = strings.TrimSpace(title), slug
	return d.written(), nil
}

// copied are the files of another study under a new slug.
func (s *Room) copied(c echo.Context, name, slug string) (dataset.Files, error) {
	h, err := s.Hosted(c.Request().Context(), name)
	if known := (*site.Refusal)(nil); errors.As(err, &known) {
		return nil, site.Unusable("Choose the study to copy.")
	}
	if err != nil {
		return nil, err
	}
	if slug == "" || slug == h.Row.Slug {
		return nil, site.Unusable("Give the copy a slug of its own.")
	}
	return h.WithSlug(slug), nil
}

// uploaded are the files that were sent, under another slug if one was typed.
// next says that they may become a study's next version.
func uploaded(r *http.Request) (files dataset.Files, slug string, next bool, err error) {
	sent, err := site.ReadUpload(r)
	if err != nil {
		return nil, "", false, err
	}
	slug, next = strings.TrimSpace(sent.Values.Get("slug")), sent.Values.Get("next") != ""
	if files, err = sent.Folder(); err != nil || slug == "" {
		return files, slug, next, err
	}
	st, err := dataset.ReadStudy(files)
	if err != nil {
		return files, slug, next, err
	}
	return st.WithSlug(slug), slug, next, nil
}
