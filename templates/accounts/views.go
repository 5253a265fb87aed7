package accounts

import (
	"overton/templates"
)

// PeoplePage says who sees a study, and invites others.
type PeoplePage struct {
	templates.Admin
	Post       string
	Members    []MemberLine
	Everywhere []AccountLine // who sees it by a role on the whole server
	Email      string        // typed, when something was wrong with it
	Chosen     string
	Problem    string
	Roles      []RoleLine
	Link       string // just made; shown this once
	LinkFor    string
	Days       int // that a link waits
}

// MemberLine is somebody with a role on one study.
type MemberLine struct {
	ID             int64
	Email, Role    string
	Since          templates.Moment
	Everywhere     string // their role on the whole server
	Disabled, Self bool
	Password       bool // has one
	Waits          bool // another link can be made
}

// AccountPage is somebody's own account.
type AccountPage struct {
	templates.Admin
	Password  bool // there is one
	Studies   []MembershipLine
	SignIns   []SignInLine
	Tokens    []TokenLine
	Token     string // just made; shown this once
	TokenName string
	Name      string // typed, when something was wrong with it
	Problem   string
	Lives     []int // in days
	Origin    string
}

// MembershipLine is a study that somebody is a member of.
type MembershipLine struct{ Title, Slug, Role string }

// SignInLine is one of somebody's sign-ins.
type SignInLine struct {
	Since, Until templates.Moment
	Here         bool
}

// TokenLine is an access token.
type TokenLine struct {
	ID                     int64
	Name                   string
	Created, Expires, Used templates.Moment
	Over                   bool
}

// LogPage is the record of who did what.
type LogPage struct {
	templates.Admin
	Path       string
	Everywhere bool // of all studies
	People     []string
	Deeds      []DeedOption
	Who, What  string // chosen
	Events     []EventLine
	CSV        string // query of the same as a table
	Older      string // query of the next page; empty: none
	Later      bool   // there are newer ones
}

// DeedOption is something that the log can be filtered by.
type DeedOption struct{ Value, Words string }

// EventLine is one thing that somebody did.
type EventLine struct {
	At                     templates.Moment
	Who, Did, Detail, Slug string
}

// SignInPage asks for an address and a password.
type SignInPage struct {
	templates.Admin
	Email   string
	To      string // path to go to afterwards
	Problem string
}

// LinkPage asks to press a button before a link is used up.
type LinkPage struct {
	templates.Admin
	Action, To string
}

// PasswordPage sets the password of who is signed in.
type PasswordPage struct {
	templates.Admin
	Current  bool // ask for the current one
	Shortest int
	Problem  string
	To       string // path to go to afterwards
}

// AccountsPage lists who can sign in.
type AccountsPage struct {
	templates.Admin
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

// logColumns head the log of a study, or of all studies.
func logColumns(everywhere bool) []templates.Column {
	columns := []templates.Column{templates.Words("When"), templates.Words("Who"), templates.Words("Did"), templates.Words("Of what")}
	if everywhere {
		columns = append(columns, templates.Words("Study"))
	}
	return columns
}
