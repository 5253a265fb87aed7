package web

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/store"
	"overton/templates"
)

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
	page := templates.StudiesPage{Admin: s.adminFrame(c, "Studies")}
	page.New = adminRoles[page.Role] >= admin
	memberships, err := s.Store.Memberships(ctx, accountOf(c).ID)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row store.Study) bool {
		return adminRoles[page.Role] < viewer && memberships[row.Slug] == ""
	})
	for _, row := range rows {
		t := totals[row.ID]
		page.Studies = append(page.Studies, templates.StudyLine{
			Title: row.Title, Slug: row.Slug, Status: string(row.Status), Complete: t.Complete, InProgress: t.InProgress, Virtual: t.Virtual,
			Created: moment(row.CreatedAt), Launched: moment(row.LaunchedAt), Closed: moment(row.ClosedAt),
		})
	}
	return s.show(c, http.StatusOK, templates.Studies(page))
}

// mostFaults is how many faults are listed; the rest is counted.
const mostFaults = 100

func (s *site) newStudy(c echo.Context) error {
	return s.show(c, http.StatusOK, templates.NewStudy(templates.NewStudyPage{Admin: s.adminFrame(c, "New study")}))
}

// saveStudy checks the files of a study and saves them as a draft.
func (s *site) saveStudy(c echo.Context) error {
	page := templates.NewStudyPage{Admin: s.adminFrame(c, "New study")}
	again := func() error {
		page.Wrong = true
		return s.show(c, http.StatusUnprocessableEntity, templates.NewStudy(page))
	}
	files, err := uploaded(c.Request())
	var unusable *uploadError
	switch {
	case errors.As(err, &unusable):
		page.Problem = unusable.Error()
		return again()
	case err != nil:
		return err
	}
	page.Files = slices.Sorted(maps.Keys(files))
	st, err := dataset.ReadStudy(files)
	var faults dataset.Faults
	switch {
	case errors.As(err, &faults):
		page.Faults, page.More = faultLines(faults)
		return again()
	case err != nil:
		return err
	}
	ctx := c.Request().Context()
	row, err := s.Store.SaveStudy(ctx, store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files})
	switch {
	case errors.Is(err, store.ErrConflict):
		page.Problem = fmt.Sprintf("There is a launched study with the slug %q, and a launched study cannot change. Give this one a slug of its own.", st.Slug)
		return again()
	case err != nil:
		return err
	}
	if err := s.Store.Note(ctx, actorOf(c), row.ID, "draft saved", row.Hash); err != nil {
		return err
	}
	return s.to(c, "/admin/studies/"+row.Slug)
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

// changes are the steps that an admin can take from each status.
var changes = map[store.Status][]templates.Change{
	store.Draft: {{To: string(store.Running), Verb: "Launch", Sure: true,
		Explanation: "From its launch on people can enter, and neither the flow nor the question set can change."}},
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

// changeStatus launches, pauses, resumes or closes a study.
func (s *site) changeStatus(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	to := store.Status(c.FormValue("to"))
	switch {
	case to == store.Running && h.row.Status == store.Draft:
		err = s.Store.Launch(ctx, h.row.Slug, h.Questions.Seeds, actorOf(c))
	case to == store.Running, to == store.Paused, to == store.Closed:
		err = s.Store.SetStatus(ctx, h.row.Slug, to, actorOf(c))
	default:
		return &refusal{status: http.StatusBadRequest, name: "bad_request"}
	}
	if errors.Is(err, store.ErrConflict) {
		return &refusal{status: http.StatusConflict, name: "changed", try: h.adminPath("")}
	}
	if err != nil {
		return err
	}
	return s.to(c, h.adminPath(""))
}
