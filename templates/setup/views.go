package setup

import (
	"overton/templates"
)

// SetupFrame is what all pages of the editor have.
type SetupFrame struct {
	templates.Admin
	Draft      bool   // else what is shown is launched, and frozen
	Editable   bool   // the reader may change it
	Hash       string // of the draft as it is shown; a change names it
	Back       string // to the overview
	Text       string // to the page of study.yaml as text
	OwnRemarks bool   // study.yaml has comments that a form would lose
}

// SetupPage is the overview of a study's parts.
type SetupPage struct {
	SetupFrame
	Version        int
	Saved, Problem string
	Faults         []templates.Fault
	More           int
	Blocks         []SetupBlock
	Parts          []SetupLine
	Gaps           []string
	Doubts         int
	Plan           PlanView
	Facts          []templates.Fact

	Flow, Instrument, Preview, Launch, Files             string // where things are posted; empty: not for the reader
	HasConsent, HasOverton, HasFeedback, HasDemographics bool
}

// SetupLine leads to one part of a study.
type SetupLine struct{ Name, Detail, Path string }

// SetupBlock is one block of the flow.
type SetupBlock struct {
	SetupLine
	Number      int
	First, Last bool
	Plain       bool // has nothing to set
}

// SetupGroup is fields that belong together.
type SetupGroup struct {
	Title, Hint string
	Hidden      map[string]string
	Fields      []templates.Field
	Buttons     []SetupButton
}

// SetupButton does something with a group.
type SetupButton struct {
	Do, Label, About string // About says to what, for those who do not see where it stands
	Danger           bool
}

// SetupPartPage is one page of the editor.
type SetupPartPage struct {
	SetupFrame
	Lead, Action string
	Groups       []SetupGroup
	Changed      bool // somebody else changed the draft meanwhile
	Faults       []templates.Fault
	More         int

	Live    string // answers what is shown beside the fields
	Plan    *PlanView
	Terms   []templates.Field
	Preview *string // HTML of the text
}

// PlanView is what a study's numbers lead to.
type PlanView struct {
	People, Minutes int
	Lines           []PlanLine
	Notes           []string
	Work            []WorkLine
}

// PlanLine is one consequence.
type PlanLine struct{ Name, Value, Detail string }

// WorkLine is the time that pages of one kind take.
type WorkLine struct {
	Name                     string
	Count                    int
	Seconds, Minutes, Source string
}

// QuestionsPage shows the question set and takes its files.
type QuestionsPage struct {
	SetupFrame
	Action    string
	Changed   bool
	Problem   string
	Names     [3]string // of the files of questions, responses and seeds
	Counts    [3]int
	Tables    []FaultTable
	Faults    []templates.Fault
	More      int
	Questions []SetupQuestion
	Further   int // questions that are not listed
}

// SetupQuestion is one question of the set.
type SetupQuestion struct {
	ID, Text, Option1, Option2 string
	Responses, Seeds           int
}

// FaultTable is the rows of a file that have faults.
type FaultTable struct {
	File    string
	Columns []string
	Rows    []FaultyRow
	Count   int // faults
	More    int // further rows
}

// FaultyRow is one of them.
type FaultyRow struct {
	Line     int
	Cells    []string
	Wrong    []bool // by column
	Messages []string
}

// SetupTextPage is study.yaml as text.
type SetupTextPage struct {
	SetupFrame
	Action, Content string
	Changed         bool
	Faults          []templates.Fault
	More            int
}

// LaunchPage is what is looked at before a launch.
type LaunchPage struct {
	templates.Admin
	Draft                                     bool
	Problem, Hash, Link                       string
	Action, Preview, Setup, Versions, Monitor string
	Version                                   int
	Gaps                                      []Tick
	Doubts                                    []string
	Seen                                      bool
	Plan                                      PlanView
}

// Tick is something to tick before a launch.
type Tick struct {
	Name, Text string
	Ticked     bool
}

// VersionsPage lists a study's versions.
type VersionsPage struct {
	templates.Admin
	Slug, Action string
	May, CanAdd  bool
	Codes        bool // the reader may see files, which hold the codes
	Versions     []VersionLine
}

// VersionLine is one version, with what changed from the one before.
type VersionLine struct {
	Number                              int
	ID, Name, Title, Status, Hash, Path string
	Created, Launched, Closed           templates.Moment
	First, Here, Discard                bool
	Changes                             []FileChange
}

// FileChange is how one file changed.
type FileChange struct {
	File, What string
	Lines      []LineChange
	More       int
}

// LineChange is one line of a change: Op is + or - or a blank.
type LineChange struct{ Op, Text string }

// StudiesPage lists all studies.
type StudiesPage struct {
	templates.Admin
	Query, Status string // what the list is narrowed to
	Any           bool   // there are studies, whatever it is narrowed to
	Studies       []StudyLine
	New           bool // show the way to a new one
}

// StudyLine is one study of the list.
type StudyLine struct {
	Title, Slug, Status           string
	Version, Earlier              int    // number of the version, and how many came before
	Next                          string // name of a draft of the next version; empty: none
	Complete, InProgress, Virtual int
	Created, Launched, Closed     templates.Moment // zero: not
}

// NewStudyPage offers the ways to a new study, and comes back with what is
// wrong.
type NewStudyPage struct {
	templates.Admin
	From             string // which way was taken: example, copy or files
	Name, Slug, Copy string // as typed
	Others           []templates.Option
	Problem          string
	Files            []string // that were sent, when something is wrong with them
	Tables           []FaultTable
	Faults           []templates.Fault
	More             int // further faults
	Count            int // of all faults
}
