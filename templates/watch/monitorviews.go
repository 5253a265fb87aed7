package watch

import (
	"overton/templates"
)

// MonitorPage shows where a study stands.
type MonitorPage struct {
	templates.Admin
	Status  string
	Live    string           // where newer numbers come from; empty for a draft
	Now     templates.Moment // of the numbers; zero: they are being counted for the first time
	Alarms  []AlarmLine
	People  Counts
	Virtual *Counts // nil where there are none
	Reward  RewardForm
	Link    string // by which people arrive
	Codes   []CodeLine
	Facts   []templates.Fact
	Changes []templates.Change
	Change  string // where the changes are posted
}

// AlarmLine is something that needs a person now.
type AlarmLine struct {
	What, Do string
	Link, To string // a way on: its words and its path; may be empty
	Grave    bool
}

// RewardForm notes what a person is paid.
type RewardForm struct {
	Post       string // empty: the reader may not
	Amount     string
	Currency   string
	Currencies []string
}

// Counts is where people are, real or virtual.
type Counts struct {
	Virtual   bool
	Arrived   int
	Places    *Places // nil: the study has no places to fill
	Figures   []Figure
	Outcomes  []templates.OutcomeLine
	Stages    []StageLine
	Times     []TimeLine
	Total     TimeLine
	Pay       string // an hour; empty: not known
	PayLow    bool
	Wanted    string // pay that the recruiter asks for at least
	Questions []QuestionLine
	More      int    // questions that are not shown
	All       string // path of the list of all
	Cells     []CellLine
	Flags     []FlagLine
	Flagged   []SubmissionLine
	Flaggeds  int    // submissions with a flag
	List      string // path of the list of submissions; empty: the reader may not
}

// Places is how many of the people that a study needs are there.
type Places struct{ Filled, Reserved, Open, Of int }

// Figure is one large number.
type Figure struct {
	Name  string
	Value int
	Of    int // 0: of nothing
}

// StageLine counts the people at one stage of the flow.
type StageLine struct {
	Name                       string
	Within                     bool // part of a question
	Reached, Here, Left, Ended int
	Share                      string // of those who arrived
}

// TimeLine is how long something takes.
type TimeLine struct {
	Name             string
	N                int
	P10, Median, P90 string
}

// QuestionLine is how far one question is filled.
type QuestionLine struct {
	ID, Text                             string
	Done, Target, Live                   int
	Statements, Pending, Rejected, Votes int
	FewestVotes, Below                   int
	MedianVotes                          string
}

// CellLine is how far a quota cell is filled.
type CellLine struct {
	Variable, Value    string
	Done, Live, Target int
}

// FlagLine counts the submissions that have a flag, and says what it means.
type FlagLine struct {
	Name, Why string
	N         int
	To        string // path of their list; empty: the reader may not
}

// SubmissionLine is one submission of a list.
type SubmissionLine struct {
	Pseudonym, To string
	Virtual       bool
	Started       templates.Moment
	Outcome       string
	Where         string // if it is not complete
	Took          string
	Flags         []string
}

// CodeLine is a completion code.
type CodeLine struct{ Outcome, Code string }

// AllQuestionsPage lists all questions of a study.
type AllQuestionsPage struct {
	templates.Admin
	Ready     bool // the numbers are there
	Questions []QuestionLine
	Pages     Pages
	Sort      string
	Text      string
	Back      string
}

// Pages leads through a list that is cut into pages.
type Pages struct {
	Of, From, To int // so many in all; the first and last that are shown
	Before, Next string
}

// SubmissionsPage lists submissions.
type SubmissionsPage struct {
	templates.Admin
	Ready       bool
	Submissions []SubmissionLine
	Pages       Pages
	Outcomes    []Choosable
	Flags       []Choosable
	People      []Choosable
	Find        string
	Action      string
}

// Choosable is one choice of a list.
type Choosable struct {
	Value, Name string
	Chosen      bool
}

// SubmissionPage shows all of one participant's submissions, without telling
// who they are.
type SubmissionPage struct {
	templates.Admin
	Pseudonym string
	Virtual   bool
	Visits    []VisitView
	Back      string
}

// VisitView is one submission.
type VisitView struct {
	Number  int
	Of      int
	Outcome string
	Facts   []templates.Fact
	Flags   []FlagLine
	Pages   []PageView
	Stands  string // the page where the person is, or was last; empty if they came to the end
}

// PageView is one page that was answered.
type PageView struct {
	Name     string
	Group    string // what the page belongs to: a block, or a question with its text
	New      bool   // the first of its group
	Answered templates.Moment
	Took     string
	Answers  []AnswerView
}

// AnswerView is one answer.
type AnswerView struct {
	Name, Value string
	Long        bool     // free text
	State       string   // of a statement, where it is not simply shown
	Earlier     []string // values that it had before
	Parts       []TextPart
}

// TextPart is a piece of a text, pointed out or not.
type TextPart struct {
	Text, Hint string // Hint: why it is pointed out; empty: it is not
}

// DownloadPage offers a study's data and its files.
type DownloadPage struct {
	templates.Admin
	Data              []DataFile
	Bundle, Files     string // paths
	Analysed          bool
	Complete, Virtual int // submissions
}

// DataFile is one form of a study's data.
type DataFile struct{ Name, Holds, Path string }
