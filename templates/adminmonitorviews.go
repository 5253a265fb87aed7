package templates

// MonitorPage shows where a study stands.
type MonitorPage struct {
	Admin
	Status  string
	Now     Moment
	Doubts  []string // about a draft
	People  Counts
	Virtual *Counts // nil where there are none
	Link    string  // by which people arrive
	Codes   []CodeLine
	Facts   []Fact
	Changes []Change
	Change  string // where the changes are posted
}

// Counts is where people are, real or virtual.
type Counts struct {
	Virtual   bool
	Figures   []Figure
	Outcomes  []OutcomeLine
	Steps     []StepLine
	Questions []QuestionLine
	Targets   bool // questions are to be filled; virtual participants take no places
}

// Figure is one large number.
type Figure struct {
	Name  string
	Value int
	Of    int // 0: of nothing
}

// OutcomeLine counts the submissions that ended in one way.
type OutcomeLine struct {
	Name string
	N    int
}

// StepLine counts the people at one kind of page.
type StepLine struct {
	Name       string
	Here, Left int
}

// QuestionLine is how far one question is filled.
type QuestionLine struct {
	ID, Text                                        string
	Done, Target, Live                              int
	Statements, Pending, Votes, FewestVotes, Wanted int
}

// CodeLine is a completion code.
type CodeLine struct{ Outcome, Code string }
