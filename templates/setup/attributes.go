package setup

import (
	"strings"

	"github.com/a-h/templ"
)

// typedFor is what a form for a new study shows again: what was typed into it,
// when it was the one that was sent.
func typedFor(p NewStudyPage, from, typed string) string {
	if p.From != from {
		return ""
	}
	return typed
}

// fieldAttributes tie a field of the editor to its hint and its problem.
func fieldAttributes(f SetupField) templ.Attributes {
	a := templ.Attributes{}
	var about []string
	if f.Hint != "" {
		about = append(about, f.ID+"-hint")
	}
	if f.Problem != "" {
		about = append(about, f.ID+"-problem")
		a["aria-invalid"] = "true"
	}
	if len(about) > 0 {
		a["aria-describedby"] = strings.Join(about, " ")
	}
	return a
}

// liveForm has what is shown beside its fields computed while they are filled in.
func liveForm(p SetupPartPage) templ.Attributes {
	if p.Live == "" {
		return nil
	}
	into := "plan"
	if p.Preview != nil {
		into = "text-preview"
	}
	return templ.Attributes{"data-live": p.Live, "data-into": into}
}

// groupRole makes a group of those fields that have a title of their own.
func groupRole(g SetupGroup) string {
	if g.Title == "" {
		return "presentation"
	}
	return "group"
}

func changeClass(op string) string {
	switch op {
	case "+":
		return "plus"
	case "-":
		return "minus"
	}
	return "same"
}
