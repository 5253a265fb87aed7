package analyse

import (
	"fmt"
	"strconv"
	"strings"

	"overton/internal/cluster"
	"overton/templates"
)

// AnalysisPage shows where the analyses of a study stand, and the latest one.
type AnalysisPage struct {
	templates.Admin
	New, Post string // where a run is asked for, and started; empty: the reader may not
	Runs      string // the list of all runs
	Surveys   string // the analysis of surveys; empty: the study asks none
	Many      int    // how many there are
	Jobs
	Run    RunView // of the result that is shown
	Result *ResultView
}

// RunView is one run.
type RunView struct {
	ID                          int64
	Title, Name, Note           string
	State                       string
	Who                         string // asked for it; empty: the command line
	Path                        string // of its page; empty: it has none
	Asked, Ended                templates.Moment
	Took                        string
	Method, People, Groups      string // in short
	Failure                     string
	Changed                     string         // what happened to the data since
	Same                        *templates.Tab // the run before it that has the same result
	Progress                    *RunProgress
	Done                        bool   // there is a result
	Cancel, Again, Edit, Delete string // where these are posted; empty: not now, or not by the reader
}

// Jobs are the runs of one kind that have no result.
type Jobs struct {
	Unfinished []RunView
	Broken     *RunView // the newest, where nothing came of it
}

// RunProgress is how far a run is. Its JSON is what the page's script reads.
type RunProgress struct {
	Ended bool   `json:"ended"`
	Done  int    `json:"done"`
	Of    int    `json:"of"`
	Stage string `json:"stage"`
	Left  string `json:"left"` // time, in words
	Path  string `json:"-"`    // where it can be asked again
}

// RunsPage lists the runs of a study.
type RunsPage struct {
	templates.Admin
	New, Compare string
	Runs         []RunView
	Comparable   int // how many have a result
}

// RunPage shows one run and its result.
type RunPage struct {
	templates.Admin
	Run      RunView
	Back     string
	Most     int // characters of a note
	Result   *ResultView
	Compare  string    // where two runs are compared
	Others   []RunView // that this one can be compared with
	JSON     string
	Report   string
	Facts    []templates.Fact // parameters, where there is no result that tells them
	Download bool
}

// NewRunPage asks for a run.
type NewRunPage struct {
	templates.Admin
	Post, Back string
	Problem    string
	Name, Note string
	Like       string // the run whose parameters these are
	Expect     string // how long it takes
	Fields     []RunField
	Questions  []RunChoice
	All        bool // all questions, whatever is chosen among them
}

// RunField is one parameter of a run: a number, or one of some choices.
type RunField struct {
	Name, Label, Hint, Value string
	Min, Max, Step           string
	Choices                  []RunChoice // none: a number
}

// RunChoice is one value that can be chosen.
type RunChoice struct {
	Value, Label string
	Chosen       bool
}

// ResultView is what came out of an analysis.
type ResultView struct {
	People  string // whose data it took
	Virtual bool
	LeftOut []string
	Facts   []templates.Fact

	Score     bool // models could be scored
	Board     []BoardLine
	Both      bool // the intervals of other people are there
	Reference []ReferenceLine
	Figures   []Drawing
	Models    []string
	Windows   []WindowLine
}

// BoardLine is one model's scores, as text.
type BoardLine struct {
	Model                                   string
	Questions                               int
	Raw, RawQuestions, RawBoth              string
	Weighted, WeightedQuestions, Difference string
	Adjusted, AdjustedWeighted              string
}

// ReferenceLine is a point to compare scores with.
type ReferenceLine struct{ Name, Raw, Weighted, Explanation string }

// Drawing is one figure in the widths of a telephone and of a desk, as SVG,
// and where it can be had as a file.
type Drawing struct {
	Title, Caption string
	Narrow, Wide   string
	Files          []templates.Tab
}

// WindowLine is the window of one question in short.
type WindowLine struct {
	ID, Text, Path        string
	People, Votes, Groups int
	Sizes                 string
	Silhouette, Stability string
	Warnings, LeftOut     int
	Coverage              []string // for each model
}

// WindowPage shows the window of one question.
type WindowPage struct {
	templates.Admin
	ID, Question     string
	Option1, Option2 string
	Run              *RunView // that it is part of; nil: there is none
	Virtual          bool
	Analysed         bool
	Facts            []templates.Fact
	Warnings         []string
	LeftOut          []templates.OutcomeLine
	LeftOutWho       []LeftOutLine // by pseudonym, for those who may see answers
	Figures          []Drawing
	Models           []string
	Groups           []GroupView
	Statements       []VotedLine
	Consensus        []RepresentativeLine
	Back             string
	Before, After    *templates.Tab // the questions beside it
}

// LeftOutLine is somebody who was not grouped.
type LeftOutLine struct{ Pseudonym, Reason string }

// GroupView is one viewpoint group.
type GroupView struct {
	Number         int
	Size           int
	Share          string
	Ratings        []GroupRating // for each model
	CoveredBy      []string
	Representative []RepresentativeLine
	Responses      []FreeResponse
}

// GroupRating is what a group gave a model.
type GroupRating struct {
	Mean    string
	N       int
	Covered bool
}

// RepresentativeLine is a statement that tells a group apart, or unites all.
type RepresentativeLine struct {
	ID, Text, Direction string
	Rejected            bool
	Count, Votes        int
	Probability, Ratio  string
}

// VotedLine is a statement with the votes of each group.
type VotedLine struct {
	ID, Text  string
	Rejected  bool
	Excluded  bool // its votes do not count for the groups
	Seed      bool
	Votes     int
	Consensus string
	Apart     string // how far the groups' shares of agreement are apart
	Groups    []GroupVotes
}

// GroupVotes are one group's votes on a statement, in percent.
type GroupVotes struct{ Agree, Neutral, Disagree, N int }

// FreeResponse is what one person of a group wrote.
type FreeResponse struct {
	ID       string
	Text     string
	Rejected bool
}

// ComparePage sets two runs side by side.
type ComparePage struct {
	templates.Admin
	Post, Back string
	Runs       []RunView // to choose among
	A, B       *RunView
	Problem    string
	Differing  []DifferingLine
	SameInput  bool
	Questions  []ComparedQuestion
	Models     []ComparedModel
	Only       []string // models that one of the runs has
	Figures    []ComparedFigure
}

// DifferingLine is a parameter in which two runs differ.
type DifferingLine struct{ Name, A, B string }

// ComparedQuestion is one question's groups in two runs.
type ComparedQuestion struct {
	ID, Text     string
	PathA, PathB string
	A, B         string // number of groups, and their sizes
	Common       int
	Agreement    string
}

// ComparedModel is one model's scores in two runs.
type ComparedModel struct {
	Model                string
	A, B, AI, BI         string
	Change, Interval     string
	Weighted, WeightedCI string
	Questions            int
}

// ComparedFigure is one figure of two runs.
type ComparedFigure struct {
	Title string
	A, B  string // SVG
}

// runOption tells a run in one line.
func runOption(r RunView) string {
	text := strconv.FormatInt(r.ID, 10) + " · "
	if r.Name != "" {
		text += r.Name + " · "
	}
	return text + fmt.Sprintf("%s · %s people · %s", r.Method, r.People, r.Asked.Text)
}

// joined names several things in a sentence.
func joined(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// byModel heads a table that has a column for each model behind some others.
func byModel(models []string, first ...templates.Column) []templates.Column {
	for _, m := range models {
		first = append(first, templates.TheirNumber(m))
	}
	return first
}

func voteColumns(groups []GroupView) []templates.Column {
	columns := []templates.Column{templates.Words("Statement")}
	for _, g := range groups {
		columns = append(columns, templates.Number("Group "+cluster.GroupName(g.Number)))
	}
	return append(columns, templates.Number("Votes"), templates.Number("Apart"), templates.Number("Consensus"))
}
