package setup

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/store"
	"overton/templates"
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
	page := pages.StudiesPage{Admin: s.AdminFrame(c, "Studies"), Query: strings.TrimSpace(c.QueryParam("q")), Status: c.QueryParam("status"), Any: len(rows) > 0}
	page.New = site.Allows(page.Role, site.Admin)
	memberships, err := s.Store.Memberships(ctx, site.AccountOf(c).ID)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row store.Study) bool {
		return !site.Allows(page.Role, site.Viewer) && memberships[row.Slug] == ""
	})
	at := map[string]int{} // of a slug's line
	drafts := map[string]store.Study{}
	for _, row := range rows { // the newest version of a slug first
		if row.Status == store.Draft && row.Version > 1 {
			drafts[row.Slug] = row
			continue
		}
		t := totals[row.ID]
		if i, listed := at[row.Slug]; listed {
			page.Studies[i].Earlier++
			continue
		}
		words := strings.ToLower(row.Title + " " + row.Slug)
		if !strings.Contains(words, strings.ToLower(page.Query)) || page.Status != "" && page.Status != string(row.Status) {
			continue
		}
		at[row.Slug] = len(page.Studies)
		line := pages.StudyLine{
			Title: row.Title, Slug: row.Slug, Version: row.Version, Status: string(row.Status), Complete: t.Complete, InProgress: t.InProgress, Virtual: t.Virtual,
			Created: site.Moment(row.CreatedAt), Launched: site.Moment(row.LaunchedAt), Closed: site.Moment(row.ClosedAt),
		}
		if next, ok := drafts[row.Slug]; ok {
			line.Next = next.Name()
		}
		page.Studies = append(page.Studies, line)
	}
	return s.Show(c, http.StatusOK, pages.Studies(page))
}

// newStudy offers the ways to a new study.
func (s *Room) newStudy(c echo.Context) error {
	return s.showNewStudy(c, http.StatusOK, pages.NewStudyPage{Copy: c.QueryParam("copy")})
}

func (s *Room) showNewStudy(c echo.Context, status int, page pages.NewStudyPage) error {
	rows, err := s.Store.Studies(c.Request().Context())
	if err != nil {
		return err
	}
	page.Admin = s.AdminFrame(c, "New study")
	page.Wrong = status != http.StatusOK
	for _, row := range rows {
		page.Others = append(page.Others, templates.Option{Value: row.Name(), Label: fmt.Sprintf("%s (%s, %s)", row.Title, row.Name(), row.Status)})
	}
	return s.Show(c, status, pages.NewStudy(page))
}

// saveStudy makes a draft from the example, from another study, or from files.
func (s *Room) saveStudy(c echo.Context) error {
	page := pages.NewStudyPage{From: c.FormValue("from"), Name: c.FormValue("title"), Slug: strings.TrimSpace(c.FormValue("slug")), Copy: c.FormValue("copy")}
	again := func() error { return s.showNewStudy(c, http.StatusUnprocessableEntity, page) }
	var files dataset.Files
	var err error
	replace, next := false, false
	switch page.From {
	case "example":
		files, err = exampleFiles(page.Name, page.Slug)
	case "copy":
		files, err = s.copied(c, page.Copy, page.Slug)
	default:
		var sent *site.Upload
		if sent, err = site.ReadUpload(c.Request()); err == nil {
			page.From, page.Slug = "files", strings.TrimSpace(sent.Values.Get("slug"))
			next, replace = sent.Values.Get("next") != "", true
			if files, err = sent.Folder(); err == nil {
				page.Files = slices.Sorted(maps.Keys(files))
				files, err = reslugged(files, page.Slug)
			}
		}
	}
	var unusable *site.UploadError
	var faults dataset.Faults
	switch {
	case errors.As(err, &unusable):
		page.Problem = unusable.Error()
		return again()
	case errors.As(err, &faults):
		page.Tables, page.Faults, page.More = faultTables(files, faults)
		page.Count = len(faults)
		return again()
	case err != nil:
		return err
	}
	st, err := dataset.ReadStudy(files)
	if errors.As(err, &faults) {
		page.Tables, page.Faults, page.More = faultTables(files, faults)
		page.Count = len(faults)
		return again()
	}
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if _, err := s.Store.Study(ctx, st.Slug); err == nil && !replace {
		page.Problem = fmt.Sprintf("There is a study with the slug %q already. Give this one a slug of its own.", st.Slug)
		return again()
	} else if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	row, err := s.Store.SaveStudy(ctx, store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files, Next: next}, site.ActorOf(c))
	switch {
	case errors.Is(err, store.ErrConflict):
		page.Problem = fmt.Sprintf("There is a launched study with the slug %q, and a launched study cannot change. Give this one a slug of its own, or tick that it is the next version.", st.Slug)
		return again()
	case err != nil:
		return err
	}
	name := row.Slug
	if row.Version > 1 {
		name = row.Name()
	}
	return s.To(c, "/admin/studies/"+name)
}

// exampleFiles are the example's under another name, with its study.yaml as
// the editor writes it. Faults are those of the title and the slug.
func exampleFiles(title, slug string) (dataset.Files, error) {
	st, err := dataset.ReadStudy(dataset.Example())
	if err != nil {
		return nil, err
	}
	setup := st.Setup()
	setup.Title, setup.Slug = strings.TrimSpace(title), slug
	files := maps.Clone(st.Files)
	files[dataset.StudyFile] = setup.YAML()
	return files, nil
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

// reslugged gives files another slug, if one is asked for.
func reslugged(files dataset.Files, slug string) (dataset.Files, error) {
	if slug == "" {
		return files, nil
	}
	st, err := dataset.ReadStudy(files)
	if err != nil {
		return files, err
	}
	return st.WithSlug(slug), nil
}

// changeStatus pauses, resumes or closes a launched study.
func (s *Room) changeStatus(c echo.Context, h *site.Hosted) error {
	to := store.Status(c.FormValue("to"))
	if to != store.Running && to != store.Paused && to != store.Closed {
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	}
	err := s.Store.SetStatus(c.Request().Context(), h.Row.Name(), to, site.ActorOf(c))
	if errors.Is(err, store.ErrConflict) {
		return &site.Refusal{Status: http.StatusConflict, Name: "changed", Try: h.AdminPath("")}
	}
	if err != nil {
		return err
	}
	return s.To(c, h.AdminPath(""))
}

const newStudyPath = "/admin/studies/new"
