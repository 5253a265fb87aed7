package templates

import (
	"maps"
	"strings"

	"github.com/a-h/templ"
)

// Field is what an Input shows.
type Field struct {
	ID, Name, Label, Hint string
	Kind                  string // text, number, flag, choice, markdown, file, email, password or search
	Value, Problem        string
	Options               []Option
	More                  templ.Attributes // further ones, such as autocomplete
}

// fieldAttributes tie a field to its hint and its problem.
func fieldAttributes(f Field) templ.Attributes {
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
	maps.Copy(a, f.More)
	return a
}
