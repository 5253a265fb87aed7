package templates

// ModerationPage lists statements for somebody to accept or reject.
type ModerationPage struct {
	Admin
	Mode       string // before, after or off
	Views      []Tab
	View       string
	Post       string
	Statements []Moderated
	More       bool // there are more than are shown
}

// Moderated is one statement to look at.
type Moderated struct {
	ID, Question, Text string
	Virtual            bool
	Written            Moment
	Votes              string
	Accept, Reject     bool // which verdicts can be given
}
