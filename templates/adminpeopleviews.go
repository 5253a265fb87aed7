package templates

// PeoplePage says who sees a study, and invites others.
type PeoplePage struct {
	Admin
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
	Since          Moment
	Everywhere     string // their role on the whole server
	Disabled, Self bool
	Password       bool // has one
	Waits          bool // another link can be made
}

// AccountPage is somebody's own account.
type AccountPage struct {
	Admin
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
	Since, Until Moment
	Here         bool
}

// TokenLine is an access token.
type TokenLine struct {
	ID                     int64
	Name                   string
	Created, Expires, Used Moment
	Over                   bool
}

// LogPage is the record of who did what.
type LogPage struct {
	Admin
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
	At                     Moment
	Who, Did, Detail, Slug string
}
