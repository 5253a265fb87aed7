// Package templates shows pages. Each page has a struct that holds what it
// shows, already worded and decided; a template only lays it out. Words of the
// participants' pages come from the catalogue.
package templates

import (
	"net/url"

	"overton/templates/catalogue"
)

//go:generate go tool templ generate -include-version=false

// Frame is what stands around the content of every page.
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

// Form is what every step's form carries besides its fields.
type Form struct {
	Action string
	Draft  string // where the script saves drafts
	Back   string // link to the step before; "" on the first
	Token  string
	Active string // active milliseconds so far, when the page comes back
	Trail  string // changes so far, when the page comes back

	Resend   bool // the token was missing or unreadable: ask to send again
	Problems []Problem
	PlaceEnd *PlaceEnd
}

// Problem is one line of the summary above a form.
type Problem struct{ ID, Text string }

// PlaceEnd warns a person who stays on one page until the place is nearly lost.
type PlaceEnd struct{ AfterSeconds, MinutesLeft int }

// Choice is a set of options of which one is chosen. Nothing is chosen unless
// the person did it before.
type Choice struct {
	ID, Name, Legend string
	Options          []Option
	Chosen           string
	Problem          string
	Lang             string // of legend and options; "" is that of the page
}

// Option is one answer of a choice. Lang is as in Choice.
type Option struct{ Value, Label, Lang string }

// Scale is a choice of 1 to 5 with words for both ends.
type Scale struct {
	ID, Name, Legend string
	Low, High        string
	Chosen           string
	Problem          string
}

// Text is a box for free text.
type Text struct {
	ID, Name, Label, Hint string
	Value                 string
	Problem               string
}

// StartPage greets somebody who has arrived and whose submission has not begun.
type StartPage struct {
	Frame
	Action, Token string
	Minutes       int
}

// ConsentPage asks for consent. HTML is the study's text, rendered and safe.
type ConsentPage struct {
	Frame
	Form
	ID, HTML string
	Chosen   string
}

// SurveyPage asks some items of an instrument.
type SurveyPage struct {
	Frame
	Form
	Items []Choice
	Again bool // the items were asked before
}

// InstructionsPage says what comes.
type InstructionsPage struct {
	Frame
	Form
	ID                          string
	Questions, Responses, Votes int
}

// ViewPage asks for the participant's own view on a question.
type ViewPage struct {
	Frame
	Form
	Question   string
	Stance     *Choice
	View       Text
	Importance *Scale
}

// RatingPage asks how far a model response represents the participant's view.
type RatingPage struct {
	Frame
	Form
	Question string
	Response string
	OwnView  string
	Rating   Scale
}

// VotePage asks for a vote on a statement. Chosen is an earlier vote or "".
type VotePage struct {
	Frame
	Form
	ID        string
	Question  string
	Statement string
	Chosen    string
}

// CheckPage asks to follow an instruction.
type CheckPage struct {
	Frame
	Form
	Instruction string
	Rating      Scale
}

// FeedbackPage asks for a last comment.
type FeedbackPage struct {
	Frame
	Form
	Comment Text
}

// EndPage ends a submission.
type EndPage struct {
	Frame
	Outcome          string // the study's word for it; chooses the text
	Prolific         bool   // people came from Prolific and go back there
	Code             string // completion code; may be empty
	Reconsider       string // where to post a change of mind; "" where there is none
	SecondRound      string // where to post the wish to vote on more; "" if there is nothing yet
	SecondRoundLater bool
	ReconsiderToken  string
	SecondRoundToken string
}

// NextPage leads on where the page that was prepared has gone.
type NextPage struct {
	Frame
	Action, Token string
}

// WithdrawPage asks whether somebody really wants to stop.
type WithdrawPage struct {
	Frame
	Action, Cancel string
	Token          string
	Prolific       bool
}

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

const prolificHome = "https://app.prolific.com/submissions"
