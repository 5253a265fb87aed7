package templates

import (
	"strings"

	"github.com/a-h/templ"
)

// describedBy ties a group of inputs to the problem shown with it.
func describedBy(id, problem string) templ.Attributes {
	if problem == "" {
		return nil
	}
	return templ.Attributes{"aria-describedby": id + "-problem"}
}

// textAttributes ties a text box to its hint and, if there is one, its problem.
func textAttributes(t Text) templ.Attributes {
	if t.Problem == "" {
		return templ.Attributes{"aria-describedby": t.ID + "-hint"}
	}
	return templ.Attributes{"aria-describedby": t.ID + "-hint " + t.ID + "-problem", "aria-invalid": "true"}
}

// inLanguage marks text that is not in the language of the page.
func inLanguage(lang string) templ.Attributes {
	if lang == "" {
		return nil
	}
	return templ.Attributes{"lang": lang}
}

// documentTitle names the page first, since windows and tabs cut the rest off.
func documentTitle(f Frame) string {
	title := f.Title
	if f.Wrong {
		title = f.Words.Say("problem") + ": " + title
	}
	if f.StudyTitle != "" && f.StudyTitle != f.Title {
		title += " · " + f.StudyTitle
	}
	return title
}

// current marks the link of the page that is shown.
func current(here bool) templ.Attributes {
	if !here {
		return nil
	}
	return templ.Attributes{"aria-current": "page"}
}

// kind tells apart the tables that there are for people and for virtual
// participants.
func kind(c Counts, name string) string {
	if c.Virtual {
		return name + ", virtual participants"
	}
	return name
}

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
