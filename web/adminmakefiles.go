package web

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/cluster"
	"overton/internal/dataset"
	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// shownQuestions is how many questions their page lists.
const shownQuestions = 200

// setupQuestions shows the question set, and takes its files.
func (s *site) setupQuestions(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	return s.showQuestions(c, http.StatusOK, h, nil, nil, false, "")
}

func (s *site) showQuestions(c echo.Context, status int, h *hosted, sent studyfile.Files, faults dataset.Faults, changed bool, problem string) error {
	frame, err := s.setupFrame(c, h, "Question set")
	if err != nil {
		return err
	}
	frame.Wrong = status != http.StatusOK
	page := templates.QuestionsPage{SetupFrame: frame, Action: s.base + h.adminPath("/setup/questions"), Changed: changed, Problem: problem}
	page.Names = [3]string{h.Setup().Questions, h.Setup().Responses, h.Setup().Seeds}
	page.Counts = [3]int{len(h.Questions.Questions), len(h.Questions.Responses), len(h.Questions.Seeds)}
	page.Tables, page.Faults, page.More = faultTables(sent, faults)
	seeds := map[string]int{}
	for _, seed := range h.Questions.Seeds {
		seeds[seed.Question]++
	}
	for i, q := range h.Questions.Questions {
		if i == shownQuestions {
			page.Further = len(h.Questions.Questions) - shownQuestions
			break
		}
		page.Questions = append(page.Questions, templates.SetupQuestion{
			ID: q.ID, Text: q.Text, Option1: q.Option1, Option2: q.Option2, Responses: len(h.Questions.Models(q.ID)), Seeds: seeds[q.ID]})
	}
	return s.show(c, status, templates.Questions(page))
}

// mostFaultyRows is how many rows with faults are shown of each file.
const mostFaultyRows = 50

// faultTables shows faults beside the rows that they are about. Those that
// belong to no row of a table are listed.
func faultTables(files studyfile.Files, faults dataset.Faults) (tables []templates.FaultTable, rest []templates.Fault, more int) {
	var others dataset.Faults
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var own dataset.Faults
		for _, f := range faults {
			if f.File == name {
				own = append(own, f)
			}
		}
		if len(own) == 0 {
			continue
		}
		columns, rows, apart := dataset.FaultyRows(name, files[name], own)
		others = append(others, apart...)
		t := templates.FaultTable{File: name, Columns: columns, Count: len(own)}
		for i, r := range rows {
			if i == mostFaultyRows {
				t.More = len(rows) - mostFaultyRows
				break
			}
			row := templates.FaultyRow{Line: r.Line, Wrong: make([]bool, len(columns))}
			for _, cell := range r.Cells {
				row.Cells = append(row.Cells, shorten(cell, 120))
			}
			for _, f := range r.Faults {
				if i := slices.Index(columns, f.Column); i >= 0 {
					row.Wrong[i] = true
				}
				row.Messages = append(row.Messages, strings.TrimSpace(f.Column+" "+f.Message))
			}
			t.Rows = append(t.Rows, row)
		}
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	for _, f := range faults {
		if _, sent := files[f.File]; !sent {
			others = append(others, f)
		}
	}
	rest, more = faultLines(others)
	return tables, rest, more
}

// saveQuestions puts other files in the place of a question set's.
func (s *site) saveQuestions(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	sent, err := received(c.Request())
	if problem := (*uploadError)(nil); errors.As(err, &problem) {
		return s.showQuestions(c, http.StatusUnprocessableEntity, h, nil, nil, false, problem.Error())
	} else if err != nil {
		return err
	}
	d := h.draft()
	if d.Overton() == nil {
		return &refusal{status: http.StatusConflict, name: "changed", try: h.adminPath("/setup")}
	}
	uploaded := studyfile.Files{}
	for _, slot := range []struct {
		field string
		name  *string
		usual string
	}{{"questions", &d.Questions, "questions.csv"}, {"responses", &d.Responses, "responses.csv"}, {"seeds", &d.Seeds, "seeds.csv"}} {
		content, there := sent.slots[slot.field]
		if !there {
			continue
		}
		if *slot.name == "" || *slot.name == "none" {
			*slot.name = slot.usual
		}
		d.files[*slot.name], uploaded[*slot.name] = content, content
	}
	if sent.values.Get("no_responses") != "" {
		d.Responses = "none"
		d.Overton().ResponsesPerQuestion = 0
	}
	if sent.values.Get("no_seeds") != "" {
		d.Seeds = ""
	}
	if len(uploaded) == 0 && sent.values.Get("no_responses")+sent.values.Get("no_seeds") == "" {
		return s.showQuestions(c, http.StatusUnprocessableEntity, h, nil, nil, false, "No file was chosen.")
	}
	_, err = s.keep(c, h, d.written(), sent.values.Get("hash"))
	var faults dataset.Faults
	switch {
	case errors.As(err, &faults):
		return s.showQuestions(c, http.StatusUnprocessableEntity, h, uploaded, faults, false, "")
	case errors.Is(err, store.ErrConflict):
		return s.showQuestions(c, http.StatusConflict, h, nil, nil, true, "")
	case err != nil:
		return err
	}
	return s.to(c, h.adminPath("/setup/questions"))
}

// saveInstrument takes the file of an instrument and adds a survey of it, or
// puts it in the place of one of the same name.
func (s *site) saveInstrument(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	sent, err := received(c.Request())
	if problem := (*uploadError)(nil); errors.As(err, &problem) {
		return s.showSetup(c, http.StatusUnprocessableEntity, h, nil, problem.Error())
	} else if err != nil {
		return err
	}
	content, there := sent.slots["instrument"]
	if !there {
		return s.showSetup(c, http.StatusUnprocessableEntity, h, nil, "No file was chosen.")
	}
	name := path.Base(strings.ReplaceAll(sent.names["instrument"], `\`, "/"))
	d := h.draft()
	before, taken := d.files[name]
	asked := d.Survey(name) != nil
	if taken && !asked && !bytes.Equal(before, content) {
		return s.showSetup(c, http.StatusUnprocessableEntity, h, nil, fmt.Sprintf("The study has another file called %s. Rename yours.", name))
	}
	d.files[name] = content
	if !asked {
		if err := d.add(name); err != nil {
			return err
		}
	}
	return s.keepFlow(c, h, d.written(), sent.values.Get("hash"))
}

// setupText shows study.yaml as text.
func (s *site) setupText(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	return s.showText(c, http.StatusOK, h, string(h.Files[studyfile.FileName]), nil, false)
}

func (s *site) showText(c echo.Context, status int, h *hosted, text string, faults dataset.Faults, changed bool) error {
	frame, err := s.setupFrame(c, h, "Study file as text")
	if err != nil {
		return err
	}
	frame.Wrong = status != http.StatusOK
	page := templates.SetupTextPage{SetupFrame: frame, Action: s.base + h.adminPath("/setup/text"), Content: text, Changed: changed}
	page.Faults, page.More = faultLines(faults)
	lines := strings.Split(text, "\n")
	for i, f := range page.Faults {
		if f.File == studyfile.FileName && 0 < f.Line && f.Line <= len(lines) {
			page.Faults[i].Value = strings.TrimSpace(lines[f.Line-1])
		}
	}
	return s.show(c, status, templates.SetupText(page))
}

// saveText takes study.yaml as text, comments and all.
func (s *site) saveText(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	form := c.Request().PostForm
	text := strings.ReplaceAll(form.Get("text"), "\r\n", "\n")
	files := maps.Clone(h.Files)
	files[studyfile.FileName] = []byte(text)
	row, err := s.keep(c, h, files, form.Get("hash"))
	var faults dataset.Faults
	switch {
	case errors.As(err, &faults):
		return s.showText(c, http.StatusUnprocessableEntity, h, text, faults, false)
	case errors.Is(err, store.ErrTaken):
		return s.showText(c, http.StatusUnprocessableEntity, h, text, dataset.Faults{{File: studyfile.FileName, Column: "slug", Message: "is another study's, or the version's study has it already"}}, false)
	case errors.Is(err, store.ErrConflict):
		return s.showText(c, http.StatusConflict, h, text, nil, true)
	case err != nil:
		return err
	}
	return s.to(c, renamedPath(h, row)+"/setup?saved=Study+file")
}

// live answers what a page of the editor shows beside its fields, for what is
// typed and not saved.
func (s *site) live(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	d := h.draft()
	p, ok := d.part(c.Param("part"), nil)
	if !ok {
		return echo.ErrNotFound
	}
	p.apply(c.Request().PostForm)
	if p.live == "text" {
		text, err := markdown(string(d.files[d.Consent]))
		if err != nil {
			return fmt.Errorf("rendering the consent text: %w", err)
		}
		return s.show(c, http.StatusOK, templates.Prose(text))
	}
	plan, err := s.plan(c, h, d)
	if err != nil {
		return err
	}
	return s.show(c, http.StatusOK, templates.Plan(plan))
}

// terms reads what recruiting costs from a form; shares come as percent.
func terms(c echo.Context) study.Terms {
	t := study.DefaultTerms(cluster.DefaultOptions().MinVotes)
	for _, f := range termNames {
		at := f.of(&t)
		typed := c.FormValue(f.name)
		if typed == shortDecimal(*at*f.unit) {
			continue // as it was shown, which may be rounded
		}
		if v, err := parseDecimal(typed); err == nil && v >= 0 && v <= f.most {
			*at = v / f.unit
		}
	}
	return t
}

var termNames = []struct {
	name, label, hint string
	unit, most        float64
	of                func(*study.Terms) *float64
}{
	{"pay", "Pay of an hour", "Prolific recommends at least $12 or £9.", 1, 1e6, func(t *study.Terms) *float64 { return &t.HourlyPay }},
	{"fee", "Fee, percent of the pay", "Prolific's differs between universities and companies: look yours up.", 100, 1e4, func(t *study.Terms) *float64 { return &t.Fee }},
	{"returned", "Percent who return their place", "13.4 in the pilot.", 100, 99, func(t *study.Terms) *float64 { return &t.Returned }},
	{"unfinished", "Percent of the others who do not finish", "2.9 in the pilot.", 100, 99, func(t *study.Terms) *float64 { return &t.Unfinished }},
}

// termFields are the fields of the terms.
func termFields(c echo.Context) []templates.SetupField {
	t := terms(c)
	var fields []templates.SetupField
	for _, f := range termNames {
		fields = append(fields, templates.SetupField{ID: "t-" + f.name, Name: f.name, Label: f.label, Hint: f.hint, Kind: "text", Value: shortDecimal(*f.of(&t) * f.unit)})
	}
	return fields
}

// plan computes what a draft's numbers lead to.
func (s *site) plan(c echo.Context, h *hosted, d *draft) (templates.PlanView, error) {
	paces, err := s.Store.Paces(c.Request().Context(), h.row.Slug)
	if err != nil {
		return templates.PlanView{}, err
	}
	st := study.Study{Definition: d.Definition, Questions: h.Questions}
	return planView(st.Design().Plan(paces, terms(c)), d.Recruitment.Minutes), nil
}
