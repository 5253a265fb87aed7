package setup

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/study"
	"overton/templates"
	pages "overton/templates/setup"
	"overton/web/site"
)

// form is one page of the editor, and what becomes of the text typed into it.
// The name of a field is its key in study.yaml, so that a fault finds its field.
type form struct {
	pages.Form
	values map[string]value            // by the name of their field
	act    func(action string, at int) // what the buttons of groups do; may be nil
}

// value is a setting as a field shows it. set takes what was typed, and says
// what is wrong with it.
type value struct {
	kind, text string // kind as in templates.Field
	options    []templates.Option
	set        func(typed string) (problem string)
}

func newForm(title, lead string) *form {
	return &form{Form: pages.Form{Title: title, Lead: lead}, values: map[string]value{}}
}

// group begins a group of fields.
func (f *form) group(title, hint string) *pages.Group {
	f.Groups = append(f.Groups, pages.Group{Title: title, Hint: hint})
	return &f.Groups[len(f.Groups)-1]
}

// add puts a field into the last group.
func (f *form) add(name, label, hint string, v value) {
	if len(f.Groups) == 0 {
		f.group("", "")
	}
	g := &f.Groups[len(f.Groups)-1]
	f.values[name] = v
	g.Fields = append(g.Fields, templates.Field{ID: fmt.Sprint("s", len(f.values)), Name: name,
		Label: label, Hint: hint, Kind: v.kind, Value: v.text, Options: v.options})
}

// fields are all fields by their names.
func (f *form) fields() map[string]*templates.Field {
	all := map[string]*templates.Field{}
	for i := range f.Groups {
		for j := range f.Groups[i].Fields {
			field := &f.Groups[i].Fields[j]
			all[field.Name] = field
		}
	}
	return all
}

// apply puts what was typed into the draft and into the fields. ok is false
// where something typed makes no sense; its field says why.
func (f *form) apply(typed url.Values) (ok bool) {
	ok = true
	for name, field := range f.fields() {
		if _, sent := typed[name]; !sent && field.Kind != "flag" { // a flag that is off is not sent
			continue
		}
		field.Value = typed.Get(name)
		field.Problem = f.values[name].set(field.Value)
		ok = ok && field.Problem == ""
	}
	return ok
}

// place gives faults in study.yaml to the fields that they are about, and
// returns the rest.
func (f *form) place(faults dataset.Faults) (rest dataset.Faults) {
	fields := f.fields()
	for _, fault := range faults {
		if field := fields[fault.Column]; field != nil && fault.File == dataset.StudyFile {
			field.Problem = fault.Message
		} else {
			rest = append(rest, fault)
		}
	}
	return rest
}

func text(v *string) value {
	return value{"text", *v, nil, func(typed string) string {
		*v = strings.TrimSpace(typed)
		return ""
	}}
}

// entry is a text in a map, which has no entry for an empty one.
func entry[K ~string](m map[K]string, key K) value {
	return value{"text", m[key], nil, func(typed string) string {
		if delete(m, key); strings.TrimSpace(typed) != "" {
			m[key] = strings.TrimSpace(typed)
		}
		return ""
	}}
}

func number(v *int) value {
	return value{"number", strconv.Itoa(*v), nil, func(typed string) string {
		n, err := strconv.Atoi(strings.TrimSpace(typed))
		if err != nil {
			return "Enter a whole number"
		}
		*v = n
		return ""
	}}
}

// limit is a number in a map, which has no entry for an empty field.
func limit(m map[string]int, key string) value {
	shown := ""
	if n, ok := m[key]; ok {
		shown = strconv.Itoa(n)
	}
	return value{"number", shown, nil, func(typed string) string {
		if delete(m, key); strings.TrimSpace(typed) == "" {
			return ""
		}
		var n int
		problem := number(&n).set(typed)
		m[key] = n
		return problem
	}}
}

// numberOr is a number, or a word that is stored as 0.
func numberOr(word string, v *int) value {
	shown := word
	if *v != 0 {
		shown = strconv.Itoa(*v)
	}
	return value{"text", shown, nil, func(typed string) string {
		if typed = strings.TrimSpace(typed); typed == word || typed == "" {
			*v = 0
			return ""
		}
		if problem := number(v).set(typed); problem != "" || *v == 0 {
			return "Enter “" + word + "” or a whole number from 1"
		}
		return ""
	}}
}

func flag(v *bool) value {
	shown := ""
	if *v {
		shown = study.Yes
	}
	return value{"flag", shown, nil, func(typed string) string {
		*v = typed != ""
		return ""
	}}
}

func choice[T ~string](v *T, options ...templates.Option) value {
	return value{"choice", string(*v), options, func(typed string) string {
		*v = T(typed)
		return ""
	}}
}

// setupForm shows a page of the editor.
func (s *Room) setupForm(c echo.Context, h *site.Hosted) error {
	d := draftOf(h)
	f, ok := d.form(c.Param("part"), nil)
	if !ok {
		return echo.ErrNotFound
	}
	return s.showForm(c, h, d, f, pages.Refused{})
}

func (s *Room) showForm(c echo.Context, h *site.Hosted, d *draft, f *form, r pages.Refused) error {
	page, err := s.formPage(c, h, d, f)
	if err != nil {
		return err
	}
	if page.StudyPage, err = s.studyPage(c, h, f.Title, "/setup", r); err != nil {
		return err
	}
	return s.show(c, r, pages.EditForm(page))
}

// formPage is a page with what its draft leads to.
func (s *Room) formPage(c echo.Context, h *site.Hosted, d *draft, f *form) (page pages.FormPage, err error) {
	page.Form, page.Part, page.Told = f.Form, c.Param("part"), d.Recruitment.Minutes
	switch f.Beside {
	case "plan":
		_, page.Terms = terms(c)
		page.Plan, err = s.plan(c, h, d)
	case "text-preview":
		page.Text, err = site.Markdown(string(d.files[d.Consent]))
	}
	return page, err
}

// live answers what a page of the editor shows next to its fields, for what is
// typed and not saved.
func (s *Room) live(c echo.Context, h *site.Hosted) error {
	d := draftOf(h)
	f, ok := d.form(c.Param("part"), nil)
	if !ok {
		return echo.ErrNotFound
	}
	f.apply(c.Request().PostForm)
	page, err := s.formPage(c, h, d, f)
	if err != nil {
		return err
	}
	return s.Show(c, http.StatusOK, pages.Beside(page))
}

// saveForm takes what was typed on a page of the editor.
func (s *Room) saveForm(c echo.Context, h *site.Hosted) error {
	typed, part := c.Request().PostForm, c.Param("part")
	d := draftOf(h)
	f, ok := d.form(part, typed)
	if !ok {
		return changed(h, "/setup")
	}
	action, at := button(typed)
	if item := typed.Get("item"); action == "show" && part == "quotas" && item != "" {
		typed = maps.Clone(typed)
		typed["variable"] = append(slices.Clone(typed["variable"]), item)
		f, _ = d.form(part, typed)
	}
	ok = f.apply(typed)
	if action == "show" {
		return s.showForm(c, h, d, f, pages.Refused{})
	}
	if f.act != nil {
		f.act(action, at)
	}
	if !ok {
		return s.showForm(c, h, d, f, pages.Refused{Status: http.StatusUnprocessableEntity})
	}
	row, err := s.keep(c, h, d.written(), typed.Get("hash"))
	if err != nil {
		return again(c, h, err, func(c echo.Context, h *site.Hosted, r pages.Refused) error {
			r.Faults = f.place(r.Faults)
			return s.showForm(c, h, d, f, r)
		})
	}
	if action == "add" || action == "remove" {
		return s.To(c, renamed(h, row)+"/setup/"+part)
	}
	return s.To(c, renamed(h, row)+"/setup?saved="+url.QueryEscape(f.Title))
}
