package templates

// Admin is the frame of the pages behind the sign-in. Their words are English,
// so they stand in the templates.
type Admin struct {
	Frame
	Email, Role string // of who is signed in; empty before
	Here        string // the main part that the page belongs to: studies, accounts, log or account
	Accounts    bool   // show the ways to the accounts and the log
	Models      bool   // show the way to the runs of language models
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
	Rare       bool // stands under More
}

// InRow are the tabs that are always seen: the usual ones, and the reader's own.
func (s *AdminStudy) InRow() (tabs []Tab) {
	for _, t := range s.Tabs {
		if !t.Rare || t.Here {
			tabs = append(tabs, t)
		}
	}
	return tabs
}

// UnderMore are the other tabs.
func (s *AdminStudy) UnderMore() (tabs []Tab) {
	for _, t := range s.Tabs {
		if t.Rare && !t.Here {
			tabs = append(tabs, t)
		}
	}
	return tabs
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
	Created, Launched, Closed     Moment // zero: not
}

// NewStudyPage offers the ways to a new study, and comes back with what is
// wrong.
type NewStudyPage struct {
	Admin
	From             string // which way was taken: example, copy or files
	Name, Slug, Copy string // as typed
	Others           []Option
	Problem          string
	Files            []string // that were sent, when something is wrong with them
	Tables           []FaultTable
	Faults           []Fault
	More             int // further faults
	Count            int // of all faults
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
	Data              []DataFile
	Bundle, Files     string // paths
	Analysed          bool
	Complete, Virtual int // submissions
}

// DataFile is one form of a study's data.
type DataFile struct{ Name, Holds, Path string }

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
