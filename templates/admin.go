package templates

// OutcomeLine counts the submissions that ended in one way.
type OutcomeLine struct {
	Name string
	N    int
}

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
