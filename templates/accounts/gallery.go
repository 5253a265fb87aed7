package accounts

import "overton/templates"

// Gallery is every page of this package in its states, with made-up values. text
// is shown wherever a study or a person can put text.
func Gallery(frame templates.Frame, text string) []templates.Example {
	now := templates.Moment{Text: "2026-11-30 09:00 UTC", RFC3339: "2026-11-30T09:00:00Z"}
	tabs := []templates.Tab{{Name: text, Path: "/admin/studies/x", Count: 3, Here: true, Rare: false}, {Name: "Analysis", Path: "/admin/studies/x/analysis", Count: 0, Here: false, Rare: false}, {Name: text, Path: "/admin/studies/x/log", Count: 0, Here: false, Rare: true}}
	out := templates.Admin{Frame: frame}
	in := templates.Admin{Frame: frame, Email: text, Role: "admin", Here: "studies", Accounts: true}
	about := in
	about.Study = &templates.AdminStudy{Title: text, Status: "paused", Tabs: tabs}
	return []templates.Example{
		{Name: "admin sign-in", Content: SignIn(SignInPage{out, text, text, text})},
		{Name: "admin link", Content: SignInLink(LinkPage{out, "/admin/link/x", text})},
		{Name: "admin password", Content: Password(PasswordPage{in, true, 12, text, text})},
		{Name: "admin accounts", Content: Accounts(AccountsPage{in, []AccountLine{{1, text, "viewer", false, false, true}, {2, text, "viewer", true, false, false}, {3, text, "admin", false, true, true}},
			text, "viewer", text, []RoleLine{{"viewer", "sees"}, {"admin", "all"}}, text, text, 7})},
		{Name: "admin people", Content: People(PeoplePage{about, "/p", []MemberLine{{1, text, "viewer", now, "member", false, true, false, true}}, []AccountLine{{Email: text, Role: "admin"}},
			text, "viewer", text, []RoleLine{{"viewer", "sees"}}, text, text, 7})},
		{Name: "admin account", Content: Account(AccountPage{in, true, []MembershipLine{{text, "x", "admin"}}, []SignInLine{{now, now, true}, {now, now, false}},
			[]TokenLine{{1, text, now, now, templates.Moment{}, true}}, text, text, text, text, []int{30}, text})},
		{Name: "admin log", Content: Log(LogPage{in, "/admin/log", true, []string{text}, []DeedOption{{"what", text}}, text, "what", []EventLine{{now, text, text, text, "x"}}, "?", "?before=1", true})},
	}
}
