package templates

import "github.com/a-h/templ"

// adminPages holds every page behind the sign-in, with hostile text wherever
// somebody can put text.
func adminPages(frame Frame) map[string]templ.Component {
	now := Moment{"2026-11-30 09:00 UTC", "2026-11-30T09:00:00Z"}
	tabs := []Tab{{hostile, "/admin/studies/x", 3, true}, {"Analysis", "/admin/studies/x/analysis", 0, false}}
	out := Admin{Frame: frame}
	in := Admin{Frame: frame, Email: hostile, Role: "admin", Here: "studies", Accounts: true}
	about := in
	about.Study = &AdminStudy{hostile, "paused", tabs}
	counts := Counts{
		Figures:  []Figure{{"Complete", 3, 30}},
		Outcomes: []OutcomeLine{{"Complete", 3}}, Steps: []StepLine{{"Rating", 1, 2}},
		Questions: []QuestionLine{{ID: hostile, Text: hostile, Done: 1, Target: 60}}, Targets: true,
	}
	virtual := counts
	virtual.Virtual, virtual.Targets = true, false
	svg := Drawing{"<svg></svg>", "<svg></svg>"}
	facts := []Fact{{"Hash", hostile, true}, {"Contact", hostile, false}}
	group := GroupView{0, 12, "40 %", []GroupRating{{"4.20", true}, {"2.00", false}},
		[]RepresentativeLine{{hostile, "agree", 3, 4, "0.80", "2.00"}, {hostile, "disagree", 3, 4, "0.80", "2.00"}}, []FreeResponse{{hostile, true}, {hostile, false}}}
	return map[string]templ.Component{
		"admin notice":    AdminNotice(AdminNoticePage{out, hostile, "To the sign-in", "/admin/sign-in", hostile}),
		"admin sign-in":   SignIn(SignInPage{out, hostile, hostile, hostile}),
		"admin link":      SignInLink(LinkPage{out, "/admin/link/x", hostile}),
		"admin password":  Password(PasswordPage{in, true, 12, hostile, hostile}),
		"admin studies":   Studies(StudiesPage{in, []StudyLine{{Title: hostile, Slug: "x", Status: "running", Launched: now}}, true}),
		"admin no study":  Studies(StudiesPage{in, nil, true}),
		"admin new study": NewStudy(NewStudyPage{in, "", []string{hostile}, []Fault{{hostile, 3, hostile, hostile, hostile}}, 7}),
		"admin monitor": Monitor(MonitorPage{about, "running", now, []string{hostile}, counts, &virtual, hostile, []CodeLine{{"Complete", hostile}, {"Over quota", ""}}, facts,
			[]Change{{"paused", "Pause", "why", false, false}, {"closed", "Close", "why", true, true}}, "/admin/studies/x/status"}),
		"admin moderation": Moderation(ModerationPage{about, "after", tabs, "served", "/admin/studies/x/moderation",
			[]Moderated{{"7", hostile, hostile, true, now, "1 agree", true, true}}, true}),
		"admin download": Download(DownloadPage{about, "/d", "/f", true, 3, hostile}),
		"admin accounts": Accounts(AccountsPage{in, []AccountLine{{1, hostile, "viewer", false, false, true}, {2, hostile, "viewer", true, false, false}, {3, hostile, "admin", false, true, true}},
			hostile, "viewer", hostile, []RoleLine{{"viewer", "sees"}, {"admin", "all"}}, hostile, hostile, 7}),
		"admin people": People(PeoplePage{about, "/p", []MemberLine{{1, hostile, "viewer", now, "member", false, true, false, true}}, []AccountLine{{Email: hostile, Role: "admin"}},
			hostile, "viewer", hostile, []RoleLine{{"viewer", "sees"}}, hostile, hostile, 7}),
		"admin account": Account(AccountPage{in, true, []MembershipLine{{hostile, "x", "admin"}}, []SignInLine{{now, now, true}, {now, now, false}},
			[]TokenLine{{1, hostile, now, now, Moment{}, true}}, hostile, hostile, hostile, hostile, []int{30}, hostile}),
		"admin log": Log(LogPage{in, "/admin/log", true, []string{hostile}, []DeedOption{{"what", hostile}}, hostile, "what", []EventLine{{now, hostile, hostile, hostile, "x"}}, "?", "?before=1", true}),
		"admin analysis": Analysis(AnalysisPage{Admin: about, Post: "/a", Running: &RunningAnalysis{now, 3, 9, false}, Failed: hostile, Made: now, People: "3 people", LeftOut: []string{hostile},
			Facts: facts, Score: true, Board: []BoardLine{{Model: hostile}}, Both: true, Reference: []ReferenceLine{{"A single view", "0.50", "0.60", "what"}},
			Figures: []Drawing{svg}, Models: []string{hostile}, Windows: []WindowLine{{ID: hostile, Text: hostile, Path: "/w", Coverage: []string{"1/2"}}}}),
		"admin window": Window(WindowPage{about, hostile, hostile, hostile, hostile, true, true, facts, []string{hostile}, []OutcomeLine{{hostile, 2}}, svg, []string{hostile, "m"}, []GroupView{group}, "/b"}),
	}
}
