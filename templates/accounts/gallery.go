package accounts

import (
	"strings"
	"time"

	"overton/internal/store"
	"overton/templates"
)

// Gallery is every page of this package in its states, with made-up values. text
// is shown wherever a study or a person can put text.
func Gallery(frame templates.Frame, text string) []templates.Example {
	at := func(day int) int64 { return time.Date(2026, 11, day, 9, 0, 0, 0, time.UTC).UnixMilli() }
	page := func(title, here string) templates.Admin {
		frame := frame
		frame.Title = title
		return templates.Admin{Frame: frame, Email: "ada@example.org", Role: "admin", Here: here, Accounts: true, Models: true}
	}
	ofStudy := func(title string) templates.Admin {
		a := page(title, "studies")
		a.Study = &templates.AdminStudy{Title: text, Status: "paused", Tabs: []templates.Tab{
			{Name: "Monitor", Path: "/admin/studies/x"}, {Name: "Moderation", Path: "/admin/studies/x/moderation", Count: 3},
			{Name: "Analysis", Path: "/admin/studies/x/analysis"},
			{Name: "People", Path: "/admin/studies/x/people", Here: title == "People", Rare: true},
			{Name: "Log", Path: "/admin/studies/x/log", Here: title == "Log", Rare: true}}}
		return a
	}
	out := templates.Admin{Frame: frame}
	out.Title = "Sign in"
	wrong := out
	wrong.Wrong = true
	link := &Link{For: text, Address: "https://example.org/admin/link/K7Q2M4XBTV"}

	ada := store.Account{ID: 1, Email: "ada@example.org", Role: "admin", Password: "set"}
	accounts := []store.Account{
		ada,
		{ID: 2, Email: text, Role: "viewer", Password: "set"},
		{ID: 3, Email: "new.colleague@example.org", Role: "researcher"},
		{ID: 4, Email: strings.Repeat("a.very.long.name.", 6) + "@example.org", Role: "moderator", Password: "set", Disabled: true},
	}
	members := []store.Member{
		{Account: ada, StudyRole: "admin", Since: at(2)},
		{Account: accounts[1], StudyRole: "researcher", Since: at(3)},
		{Account: accounts[2], StudyRole: "viewer", Since: at(4), Waits: true},
		{Account: accounts[3], StudyRole: "moderator", Since: at(5)},
	}
	account := AccountPage{Admin: page("Your account", "account"), Account: ada, Now: time.UnixMilli(at(30)), Origin: "https://example.org",
		SignIns: []store.SignedInSince{{Created: at(29), Expires: at(30), Here: true}}, NewToken: NewToken{Lives: []int{30, 90, 365}}}
	busy := account
	busy.Studies, busy.Roles = []store.Study{{Slug: "x", Title: text}, {Slug: "y", Title: "Cars in the centre"}}, map[string]string{"x": "admin", "y": "viewer"}
	busy.SignIns = append(busy.SignIns, store.SignedInSince{Created: at(28), Expires: at(30)})
	busy.Tokens = []store.AccessToken{{ID: 1, Name: text, Created: at(1), Expires: at(30) + 1, UsedAt: at(20)},
		{ID: 2, Name: "nightly backup", Created: at(1), Expires: at(2)}}
	busy.NewToken.Token, busy.NewToken.Name = "overton_"+strings.Repeat("A7", 16), text
	unnamed := account
	unnamed.Account.Password, unnamed.NewToken.Problem, unnamed.NewToken.Name = "", "Give the token a name. "+text, text
	first := account
	first.Studies, first.Roles = busy.Studies[:1], busy.Roles

	log := LogPage{Admin: page("Log", "log"), Path: "/admin/log", People: []string{"ada@example.org", text, store.CommandLine},
		Deeds: []string{"account created", "study running"}, Older: 41, Events: []store.Event{
			{ID: 43, At: at(30), Email: "ada@example.org", What: "study running", Detail: text, Slug: "x"},
			{ID: 42, At: at(29), Email: text, What: "data downloaded", Detail: "csv.zip", Slug: "x"},
			{ID: 41, At: at(28), Email: store.CommandLine, What: "account created", Detail: "ada@example.org, admin"}}}
	logOfStudy := log
	logOfStudy.Admin, logOfStudy.Path = ofStudy("Log"), "/admin/studies/x/log"
	logOfStudy.Filter, logOfStudy.Older = store.EventFilter{Slug: "x", What: "study running", Before: 50}, 0
	none, noMatch := logOfStudy, logOfStudy
	none.Events, none.Filter, noMatch.Events = nil, store.EventFilter{Slug: "x"}, nil

	return []templates.Example{
		{Name: "admin sign-in", Content: SignIn(SignInPage{Admin: out, Email: text, To: text})},
		{Name: "admin sign-in failed", Content: SignIn(SignInPage{wrong, text, "/admin", "The email address or the password is not right. " + text})},
		{Name: "admin link", Content: SignInLink(out, "/admin/link/x", text)},
		{Name: "admin password first", Content: Password(PasswordPage{Admin: page("Set a password", "account"), To: text})},
		{Name: "admin password", Content: Password(PasswordPage{page("Change your password", "account"), true, "The two new passwords are not the same. " + text, "/admin"})},
		{Name: "admin accounts", Content: Accounts(AccountsPage{Admin: page("Accounts", "accounts"), Accounts: accounts, Self: 1})},
		{Name: "admin accounts link", Content: Accounts(AccountsPage{Admin: page("Accounts", "accounts"), Accounts: accounts, Self: 1, Link: link})},
		{Name: "admin accounts wrong", Content: Accounts(AccountsPage{Admin: page("Accounts", "accounts"), Accounts: accounts[:1], Self: 1,
			Typed: Typed{Email: text, Role: "viewer", Problem: "An account with this email address already exists."}})},
		{Name: "admin people nobody", Content: People(PeoplePage{Admin: ofStudy("People"), Action: "/p", Everywhere: accounts[:1], Self: 1})},
		{Name: "admin people", Content: People(PeoplePage{Admin: ofStudy("People"), Action: "/p", Members: members, Everywhere: accounts[:1], Self: 1, Link: link})},
		{Name: "admin people wrong", Content: People(PeoplePage{Admin: ofStudy("People"), Action: "/p", Members: members[:1], Self: 1,
			Typed: Typed{Email: text, Problem: "Choose a role."}})},
		{Name: "admin account", Content: Account(first)},
		{Name: "admin account token", Content: Account(busy)},
		{Name: "admin account wrong", Content: Account(unnamed)},
		{Name: "admin log", Content: Log(log)},
		{Name: "admin log of a study", Content: Log(logOfStudy)},
		{Name: "admin log no match", Content: Log(noMatch)},
		{Name: "admin log empty", Content: Log(none)},
	}
}
