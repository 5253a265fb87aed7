package analyse

import (
	"overton/templates"
)

// ModelRunsPage lists the runs of language models on the server.
type ModelRunsPage struct {
	templates.Admin
	Folder string // where runs are looked for
	Runs   []ModelRunLine
	Broken []string // folders that could not be read, and why
}

// ModelRunLine is one run in short.
type ModelRunLine struct {
	Name, Path, Kind, Models string
	Progress                 ModelRunProgress
	Cost, Expected           string
	Last                     templates.Moment
}

// ModelRunProgress is how much of a run is answered. Of is 0 where nobody knows.
type ModelRunProgress struct{ Done, Of int }

// ModelRunPage is one run.
type ModelRunPage struct {
	templates.Admin
	Back     string
	Name     string
	Kind     string // generate, answer or judge
	Progress ModelRunProgress
	Last     templates.Moment
	Facts    []templates.Fact
	Failed   string // the last failure
	Settings []templates.Fact

	Review *ReviewView // of responses; nil where the run has none yet
}

// ReviewView are a run's model responses, to accept or to reject.
type ReviewView struct {
	Post      string // empty: the reader may not
	Views     []templates.Tab
	View      string
	Responses []ReviewedResponse
	More      int    // beyond those shown
	Download  string // of the accepted ones; empty: none is, or the reader may not
	Accepted  int
	Double    int // accepted samples beyond the first of a model on a question
	Unflagged int // that wait and have no flag
}

// ReviewedResponse is one sample of a model.
type ReviewedResponse struct {
	ID, Key               string // of the element, and in the form
	Question, Model, Text string
	Note                  string // words, sample, finish reason
	Flags                 []string
	Verdict               string // accepted, rejected or nothing
	By                    string
	At                    templates.Moment
}

// JudgePage compares a judge with the people of a study.
type JudgePage struct {
	templates.Admin
	Jobs
	Post    string // empty: the reader may not
	Runs    []string
	Made    templates.Moment
	People  string
	Virtual bool
	LeftOut []string
	Facts   []templates.Fact

	Problem string
	Faults  []templates.Fault
	More    int

	Predictors []PredictorLine
	HumanHigh  string
	Warning    string
	Figure     *Drawing
	Agreement  string // of the models' scores
	Models     []JudgedModelLine
	Questions  []JudgedQuestionLine
}

// PredictorLine is how well one source of predictions agrees with people.
type PredictorLine struct {
	Name                        string
	N                           int
	MAE, Spearman, WithinPerson Estimated
	Bias, JudgeHigh             string
}

// JudgedModelLine is a model's score by people and with its ratings left to
// the judge.
type JudgedModelLine struct {
	Model         string
	People, Judge string
	Shift         Estimated
}

// JudgedQuestionLine is how well the judge agrees with people on a question.
type JudgedQuestionLine struct {
	ID, Text, Path         string
	N, Without             int
	MAE, WithinPerson      Estimated
	Bias                   string
	PeopleHigh, JudgesHigh string
}
