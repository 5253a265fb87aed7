package setup

import (
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
