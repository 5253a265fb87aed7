// Package templates holds what all pages share: their frames, tables, fields,
// notices and words. The pages themselves are in the packages below, by who uses
// them.
package templates

import (
	"net/url"

	"overton/templates/catalogue"
)

// PreviewBar stands above the pages of a preview.
type PreviewBar struct {
	Leave, Again, Jump string
	Steps              []Option
	Here               string
}

//go:generate go tool templ generate -include-version=false

// Frame surrounds the content of every page.
type Frame struct {
	Words catalogue.Words
	Base  string // path that the site is mounted at; "" at the root
	Title string // of the page; the study's title is added to it
	Wrong bool   // the page comes back because something in it was wrong

	StudyTitle string // "" on pages outside a study
	StudyLang  string // of what the study itself says; the words around may be in another
	Contact    string // whom a participant may write to; may be empty
	Withdraw   string // link for "Stop taking part"; "" where there is nothing to stop
	Ended      bool   // what can still be done is to have the answers removed
	Progress   *Progress
	Preview    *PreviewBar // nil where somebody really takes part
}

// Progress says how far a participant has come.
type Progress struct {
	Percent int
	Where   string // such as "Question 1 of 3 · Response 3 of 8"; may be empty
}

// Option is one answer of a choice. Lang is as in Choice.
type Option struct{ Value, Label, Lang string }

// NoticePage says why something cannot be done. Name chooses its words:
// notice.{Name}.title and notice.{Name}.text.
type NoticePage struct {
	Frame
	Name string
	ID   string // of the request, for pages that somebody may write to us about
	Try  string // link to try again; may be empty
	Kept []Kept // what the person had typed
	Code string // completion code to go back with; may be empty
}

// Kept is something typed that could not be saved.
type Kept struct{ ID, Label, Value string }

// prolificReturn is where a participant goes with a code.
func prolificReturn(code string) string {
	return "https://app.prolific.com/submissions/complete?cc=" + url.QueryEscape(code)
}

const ProlificHome = "https://app.prolific.com/submissions"
