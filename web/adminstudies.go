package web

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/templates"
)

// studies lists the studies: of each the version that people enter, or the
// draft; a draft of its next version is mentioned.
func (s *site) studies(c echo.Context) error {
	ctx := c.Request().Context()
	rows, err := s.Store.Studies(ctx)
	if err != nil {
		return err
	}
	totals, err := s.Store.Totals(ctx)
	if err != nil {
		return err
	}
	page := templates.StudiesPage{Admin: s.adminFrame(c, "Studies"), Query: strings.TrimSpace(c.QueryParam("q")), Status: c.QueryParam("status"), Any: len(rows) > 0}
	page.New = adminRoles[page.Role] >= admin
	memberships, err := s.Store.Memberships(ctx, accountOf(c).ID)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row store.Study) bool {
		return adminRoles[page.Role] < viewer && memberships[row.Slug] == ""
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
		line := templates.StudyLine{
			Title: row.Title, Slug: row.Slug, Version: row.Version, Status: string(row.Status), Complete: t.Complete, InProgress: t.InProgress, Virtual: t.Virtual,
			Created: moment(row.CreatedAt), Launched: moment(row.LaunchedAt), Closed: moment(row.ClosedAt),
		}
		if next, ok := drafts[row.Slug]; ok {
			line.Next = next.Name()
		}
		page.Studies = append(page.Studies, line)
	}
	return s.show(c, http.StatusOK, templates.Studies(page))
}

// mostFaults is how many faults are listed; the rest is counted.
const mostFaults = 100

// newStudy offers the ways to a new study.
func (s *site) newStudy(c echo.Context) error {
	return s.showNewStudy(c, http.StatusOK, templates.NewStudyPage{Copy: c.QueryParam("copy")})
}

func (s *site) showNewStudy(c echo.Context, status int, page templates.NewStudyPage) error {
	rows, err := s.Store.Studies(c.Request().Context())
	if err != nil {
		return err
	}
	page.Admin = s.adminFrame(c, "New study")
	page.Wrong = status != http.StatusOK
	for _, row := range rows {
		page.Others = append(page.Others, templates.Option{Value: row.Name(), Label: fmt.Sprintf("%s (%s, %s)", row.Title, row.Name(), row.Status)})
	}
	return s.show(c, status, templates.NewStudy(page))
}

// saveStudy makes a draft from the example, from another study, or from files.
func (s *site) saveStudy(c echo.Context) error {
	page := templates.NewStudyPage{From: c.FormValue("from"), Name: c.FormValue("title"), Slug: strings.TrimSpace(c.FormValue("slug")), Copy: c.FormValue("copy")}
	again := func() error { return s.showNewStudy(c, http.StatusUnprocessableEntity, page) }
	var files studyfile.Files
	var err error
	replace, next := false, false
	switch page.From {
	case "example":
		files, err = exampleFiles(page.Name, page.Slug)
	case "copy":
		files, err = s.copied(c, page.Copy, page.Slug)
	default:
		var sent *box
		if sent, err = received(c.Request()); err == nil {
			page.From, page.Slug = "files", strings.TrimSpace(sent.values.Get("slug"))
			next, replace = sent.values.Get("next") != "", true
			if files, err = sent.folder(); err == nil {
				page.Files = slices.Sorted(maps.Keys(files))
				files, err = reslugged(files, page.Slug)
			}
		}
	}
	var unusable *uploadError
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
	st, err := studyfile.Read(files)
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
	row, err := s.Store.SaveStudy(ctx, store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files, Next: next})
	switch {
	case errors.Is(err, store.ErrConflict):
		page.Problem = fmt.Sprintf("There is a launched study with the slug %q, and a launched study cannot change. Give this one a slug of its own, or tick that it is the next version.", st.Slug)
		return again()
	case err != nil:
		return err
	}
	if err := s.Store.Note(ctx, actorOf(c), row.ID, "draft saved", row.Hash); err != nil {
		return err
	}
	name := row.Slug
	if row.Version > 1 {
		name = row.Name()
	}
	return s.to(c, "/admin/studies/"+name)
}

// exampleFiles are the example's under another name, with its study.yaml as
// the editor writes it. Faults are those of the title and the slug.
func exampleFiles(title, slug string) (studyfile.Files, error) {
	st, err := studyfile.Read(studyfile.Example())
	if err != nil {
		return nil, err
	}
	setup := st.Setup()
	setup.Title, setup.Slug = strings.TrimSpace(title), slug
	files := maps.Clone(st.Files)
	files[studyfile.FileName] = setup.YAML()
	return files, nil
}

// copied are the files of another study under a new slug.
func (s *site) copied(c echo.Context, name, slug string) (studyfile.Files, error) {
	h, err := s.hosted(c.Request().Context(), name)
	if known := (*refusal)(nil); errors.As(err, &known) {
		return nil, unusable("Choose the study to copy.")
	}
	if err != nil {
		return nil, err
	}
	if slug == "" || slug == h.row.Slug {
		return nil, unusable("Give the copy a slug of its own.")
	}
	return h.WithSlug(slug), nil
}

// reslugged gives files another slug, if one is asked for.
func reslugged(files studyfile.Files, slug string) (studyfile.Files, error) {
	if slug == "" {
		return files, nil
	}
	st, err := studyfile.Read(files)
	if err != nil {
		return files, err
	}
	return st.WithSlug(slug), nil
}

func faultLines(faults dataset.Faults) (lines []templates.Fault, more int) {
	if len(faults) > mostFaults {
		faults, more = faults[:mostFaults], len(faults)-mostFaults
	}
	for _, f := range faults {
		lines = append(lines, templates.Fault{File: f.File, Line: f.Line, Column: f.Column, Value: shorten(f.Value, 200), Message: f.Message})
	}
	return lines, more
}

// shorten cuts a text to n characters.
func shorten(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// changes are the steps that an admin can take from each status. A launch has
// a page of its own.
var changes = map[store.Status][]templates.Change{
	store.Running: {
		{To: string(store.Paused), Verb: "Pause", Explanation: "While it is paused nobody can start; whoever has started can go on."},
		closing,
	},
	store.Paused: {
		{To: string(store.Running), Verb: "Resume", Explanation: "People can start again."},
		closing,
	},
}

var closing = templates.Change{To: string(store.Closed), Verb: "Close", Sure: true, Danger: true,
	Explanation: "Nobody can start any more, for good; whoever has started can go on. All data stay."}

// changeStatus pauses, resumes or closes a launched study.
func (s *site) changeStatus(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	to := store.Status(c.FormValue("to"))
	if to != store.Running && to != store.Paused && to != store.Closed {
		return &refusal{status: http.StatusBadRequest, name: "bad_request"}
	}
	err = s.Store.SetStatus(c.Request().Context(), h.row.Name(), to, actorOf(c))
	if errors.Is(err, store.ErrConflict) {
		return &refusal{status: http.StatusConflict, name: "changed", try: h.adminPath("")}
	}
	if err != nil {
		return err
	}
	return s.to(c, h.adminPath(""))
}
