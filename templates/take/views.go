// Package take shows the pages that participants see.
package take

import (
	"github.com/a-h/templ"

	"overton/templates"
)

// Step is a page of the flow: its form, and what the form asks.
type Step struct {
	templates.Frame
	Button
	Draft    string // where the script saves drafts
	Back     string // link to the step before; "" on the first
	Active   string // active milliseconds so far, when the page comes back
	Trail    string // changes so far, when the page comes back
	Resend   bool   // the token was missing or unreadable: ask to send again
	PlaceEnd *PlaceEnd
	Fields   []Field
}

// Button is where a form is sent, and the token it carries.
type Button struct{ Action, Token string }

// PlaceEnd warns a person who stays on one page until the place is nearly lost.
type PlaceEnd struct{ AfterSeconds, MinutesLeft int }

// Field asks one thing: with options a choice, with words for both ends a scale
// of 1 to 5, else a free text. Value is what the person answered before; nothing
// is chosen for them.
type Field struct {
	ID, Name, Label, Hint string
	Value, Problem        string
	Options               []templates.Option
	Lang                  string // of label and options; "" is that of the page
	Low, High             string
}

// EndPage ends a submission.
type EndPage struct {
	templates.Frame
	Outcome          string  // the study's word for it; chooses the text
	Prolific         bool    // people came from Prolific and go back there
	Code             string  // completion code; may be empty
	Reconsider       *Button // takes a change of mind; nil where there is none
	SecondRound      *Button // brings more votes; nil if there are none yet
	SecondRoundLater bool
}

// problems are the fields that something is wrong with.
func (s Step) problems() (wrong []Field) {
	for _, f := range s.Fields {
		if f.Problem != "" {
			wrong = append(wrong, f)
		}
	}
	return wrong
}

// describedBy ties a group of inputs to the problem shown with it.
func describedBy(f Field) templ.Attributes {
	if f.Problem == "" {
		return nil
	}
	return templ.Attributes{"aria-describedby": f.ID + "-problem"}
}

// textAttributes ties a text box to its hint and, if there is one, its problem.
func textAttributes(f Field) templ.Attributes {
	if f.Problem == "" {
		return templ.Attributes{"aria-describedby": f.ID + "-hint"}
	}
	return templ.Attributes{"aria-describedby": f.ID + "-hint " + f.ID + "-problem", "aria-invalid": "true"}
}
