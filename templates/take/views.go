package take

import (
	"overton/templates"
)

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
	Options          []templates.Option
	Chosen           string
	Problem          string
	Lang             string // of legend and options; "" is that of the page
}

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
	templates.Frame
	Action, Token string
	Minutes       int
}

// ConsentPage asks for consent. HTML is the study's text, rendered and safe.
type ConsentPage struct {
	templates.Frame
	Form
	ID, HTML string
	Chosen   string
}

// SurveyPage asks some items of an instrument.
type SurveyPage struct {
	templates.Frame
	Form
	Items []Choice
	Again bool // the items were asked before
}

// InstructionsPage says what comes.
type InstructionsPage struct {
	templates.Frame
	Form
	ID                          string
	Questions, Responses, Votes int
}

// ViewPage asks for the participant's own view on a question.
type ViewPage struct {
	templates.Frame
	Form
	Question   string
	Stance     *Choice
	View       Text
	Importance *Scale
}

// RatingPage asks how far a model response represents the participant's view.
type RatingPage struct {
	templates.Frame
	Form
	Question string
	Response string
	OwnView  string
	Rating   Scale
}

// VotePage asks for a vote on a statement. Chosen is an earlier vote or "".
type VotePage struct {
	templates.Frame
	Form
	ID        string
	Question  string
	Statement string
	Chosen    string
}

// CheckPage asks to follow an instruction.
type CheckPage struct {
	templates.Frame
	Form
	Instruction string
	Rating      Scale
}

// FeedbackPage asks for a last comment.
type FeedbackPage struct {
	templates.Frame
	Form
	Comment Text
}

// EndPage ends a submission.
type EndPage struct {
	templates.Frame
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
	templates.Frame
	Action, Token string
}

// WithdrawPage asks whether somebody really wants to stop.
type WithdrawPage struct {
	templates.Frame
	Action, Cancel string
	Token          string
	Prolific       bool
}
