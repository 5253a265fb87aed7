package watch

import (
	"overton/templates"
)

// ModerationPage lists statements for somebody to accept or reject.
type ModerationPage struct {
	templates.Admin
	Mode       string // before, after or off
	Modes      []ModeLine
	ModePost   string // where the mode is set; empty: the reader may not
	Draft      bool   // the mode is in the study's files
	Views      []templates.Tab
	View       string
	Action     string // of the filters
	Post, Undo string
	Query      string // of this list, to come back to it
	Text       string
	Question   string      // id; empty: all
	Questions  []Choosable // empty where there are too many to choose from
	Hints      []Choosable
	Filtered   bool
	Statements []StatementView
	Pages      Pages
	Reasons    []ReasonLine
	Done       string // what was just decided; empty: nothing
	Batch      string // of it, to be undone; empty: it cannot
}

// ModeLine is one mode of moderation.
type ModeLine struct {
	Value, Name, Means string
	Chosen             bool
}

// ReasonLine is one reason to reject, and the key that chooses it.
type ReasonLine struct{ Value, Name, Key string }

// StatementView is one statement to look at.
type StatementView struct {
	ID, Question, QuestionID string
	Parts                    []TextPart
	Hints                    []string
	Virtual                  bool
	Author, AuthorTo         string // pseudonym, and the path of what they did; the path is empty where the reader may not
	Written                  templates.Moment
	Votes                    string
	Accept, Reject           bool // which verdicts can be given
	Verdict                  string
	VerdictAt                templates.Moment
	Note                     string
}
