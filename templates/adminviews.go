package templates

// Admin is the frame of the pages behind the sign-in. Their words are English,
// so they stand in the templates.
type Admin struct {
	Frame
	Email, Role string // of who is signed in; empty before
	Here        string // the main part that the page belongs to: studies, accounts, log or account
	Accounts    bool   // show the ways to the accounts and the log
	Study       *AdminStudy
}

// AdminStudy names the study that an admin page is about, and the ways to its
// other pages that the reader's role allows.
type AdminStudy struct {
	Title  string
	Status string
	Tabs   []Tab
}

// Tab is a way to one page of a study.
type Tab struct {
	Name, Path string
	Count      int // of what waits there; 0 shows nothing
	Here       bool
}

// Moment is a time for people and for programs.
type Moment struct{ Text, RFC3339 string }

// AdminNoticePage says one thing, such as what went wrong.
type AdminNoticePage struct {
	Admin
	Text     string
	Link, To string // a way on: its words and its path
	ID       string // number to give when asking for help
}

// SignInPage asks for an address and a password.
type SignInPage struct {
	Admin
	Email   string
	To      string // path to go to afterwards
	Problem string
}

// LinkPage asks to press a button before a link is used up.
type LinkPage struct {
	Admin
	Action, To string
}

// PasswordPage sets the password of who is signed in.
type PasswordPage struct {
	Admin
	Current  bool // ask for the current one
	Shortest int
	Problem  string
	To       string // path to go to afterwards
}

// StudiesPage lists all studies.
type StudiesPage struct {
	Admin
	Studies []StudyLine
	New     bool // show the way to a new one
}

// StudyLine is one study of the list.
type StudyLine struct {
	Title, Slug, Status           string
	Complete, InProgress, Virtual int
	Created, Launched, Closed     Moment // zero: not
}

// NewStudyPage takes a study's files, and comes back with what is wrong in them.
type NewStudyPage struct {
	Admin
	Problem string
	Files   []string // that were sent, when something is wrong with them
	Faults  []Fault
	More    int // further faults
}

// Fault is one thing wrong in a study's files.
type Fault struct {
	File                   string
	Line                   int // 0: the file as a whole
	Column, Value, Message string
}

// Fact is one line about a study.
type Fact struct {
	Name, Value string
	Code        bool // shown in the face of code
}

// Change is a step in a study's life that can be made now.
type Change struct {
	To, Verb, Explanation string
	Sure                  bool // ask first
	Danger                bool
}

// DownloadPage offers a study's data and its files.
type DownloadPage struct {
	Admin
	Post, Files string
	Analysed    bool
	Complete    int
	Problem     string
}

// AccountsPage lists who can sign in.
type AccountsPage struct {
	Admin
	Accounts []AccountLine
	Email    string // typed, when something was wrong with it
	Chosen   string
	Problem  string
	Roles    []RoleLine
	Link     string // just made; shown this once
	LinkFor  string
	Days     int // that a link waits
}

// AccountLine is one account.
type AccountLine struct {
	ID             int64
	Email, Role    string
	Disabled, Self bool
	Password       bool // has one
}

// RoleLine explains a role.
type RoleLine struct{ Name, May string }

// AnalysisPage shows the latest analysis of a study.
type AnalysisPage struct {
	Admin
	Post    string // where an analysis is started; empty: the reader may not
	Running *RunningAnalysis
	Failed  string // what became of the last analysis, if it failed
	Made    Moment // of the one shown; zero: there is none
	People  string // whose data it took
	Virtual bool
	LeftOut []string
	Facts   []Fact

	Score     bool // models could be scored
	Board     []BoardLine
	Both      bool // the intervals of other people are there
	Reference []ReferenceLine
	Figures   []Drawing
	Models    []string
	Windows   []WindowLine
}

// RunningAnalysis is an analysis that is being computed.
type RunningAnalysis struct {
	Since      Moment
	Done, Of   int
	WaitsForIt bool // for another study's to end
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

// Drawing is one figure in the widths of a telephone and of a desk, as SVG.
type Drawing struct{ Narrow, Wide string }

// WindowLine is the window of one question in short.
type WindowLine struct {
	ID, Text, Path        string
	People, Votes         int
	Sizes                 string
	Silhouette, Stability string
	Warnings, LeftOut     int
	Coverage              []string // for each model
}

// WindowPage shows the window of one question.
type WindowPage struct {
	Admin
	ID, Question     string
	Option1, Option2 string
	Virtual          bool
	Analysed         bool
	Facts            []Fact
	Warnings         []string
	LeftOut          []OutcomeLine
	Map              Drawing
	Models           []string
	Groups           []GroupView
	Back             string
}

// GroupView is one viewpoint group.
type GroupView struct {
	Number         int
	Size           int
	Share          string
	Ratings        []GroupRating // for each model
	Representative []RepresentativeLine
	Responses      []FreeResponse
}

// GroupRating is what a group gave a model.
type GroupRating struct {
	Mean    string
	Covered bool
}

// RepresentativeLine is a statement that tells a group apart.
type RepresentativeLine struct {
	Text, Direction    string
	Count, Votes       int
	Probability, Ratio string
}

// FreeResponse is what one person of a group wrote.
type FreeResponse struct {
	Text     string
	Rejected bool
}
