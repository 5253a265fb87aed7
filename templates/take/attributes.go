package take

import (
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
