package templates

import "github.com/a-h/templ"

// adminPages holds every page behind the sign-in, with hostile text wherever
// somebody can put text.
func adminPages(frame Frame) map[string]templ.Component {
	now := Moment{"2026-11-30 09:00 UTC", "2026-11-30T09:00:00Z"}
	tabs := []Tab{{hostile, "/admin/studies/x", 3, true, false}, {"Analysis", "/admin/studies/x/analysis", 0, false, false}, {hostile, "/admin/studies/x/log", 0, false, true}}
	out := Admin{Frame: frame}
	in := Admin{Frame: frame, Email: hostile, Role: "admin", Here: "studies", Accounts: true}
	about := in
	about.Study = &AdminStudy{hostile, "paused", tabs}
	line := SubmissionLine{hostile, "/s", true, now, "Left", hostile, "3 min", []string{hostile}}
	counts := Counts{
		Places: &Places{3, 2, 5, 10}, Figures: []Figure{{"Complete", 3, 30}}, Outcomes: []OutcomeLine{{"Complete", 3}},
		Stages: []StageLine{{hostile, false, 9, 1, 2, 1, "100 %"}, {hostile, true, 5, 1, 0, 0, "50 %"}},
		Times:  []TimeLine{{hostile, 3, "1 s", "2 s", "3 s"}}, Total: TimeLine{Name: "All", N: 1}, Pay: "5.00 GBP", PayLow: true, Wanted: "6.00",
		Questions: []QuestionLine{{ID: hostile, Text: hostile, Done: 1, Target: 60}}, More: 3, All: "/all", Cells: []CellLine{{hostile, hostile, 1, 2, 3}},
		Flags: []FlagLine{{hostile, hostile, 2, "/f"}, {hostile, hostile, 0, ""}}, Flagged: []SubmissionLine{line}, Flaggeds: 2, List: "/l",
	}
	virtual := counts
	virtual.Virtual, virtual.Places = true, nil
	choices := []Choosable{{hostile, hostile, true}}
	parts := []TextPart{{hostile, ""}, {hostile, "mail address?"}}
	statement := StatementView{"7", hostile, hostile, parts, []string{hostile}, true, hostile, "/s", now, "1 agree", true, true, "Rejected (" + hostile + ")", now, hostile}
	options := []Option{{Value: hostile, Label: hostile}}
	wrong := []Fault{{hostile, 3, hostile, hostile, hostile}}
	broken := []FaultTable{{hostile, []string{"a", hostile}, []FaultyRow{{7, []string{hostile, ""}, []bool{false, true}, []string{hostile}}}, 2, 3}}
	plan := PlanView{7, 8, []PlanLine{{"People", "7", hostile}}, []string{hostile}, []WorkLine{{"Votes", 3, "1.0", "2.0", hostile}}}
	setup := SetupFrame{Admin: about, Draft: true, Editable: true, Hash: "h", Back: "/b", Text: "/t", OwnRemarks: true}
	svg := Drawing{Title: hostile, Caption: hostile, Narrow: "<svg></svg>", Wide: "<svg></svg>", Files: tabs}
	facts := []Fact{{"Hash", hostile, true}, {"Contact", hostile, false}}
	telling := []RepresentativeLine{{"1", hostile, "agree", false, 3, 4, "0.80", "2.00"}, {"2", hostile, "disagree", true, 3, 4, "0.80", "2.00"}}
	group := GroupView{0, 12, "40 %", []GroupRating{{"4.20", 3, true}, {"2.00", 2, false}}, []string{hostile, hostile}, telling, []FreeResponse{{"1", hostile, true}, {"2", hostile, false}}}
	run := RunView{ID: 1, Title: hostile, Name: hostile, Note: hostile, State: "done", Who: hostile, Path: "/r", Asked: now, Took: hostile, Method: hostile, People: hostile, Groups: hostile,
		Changed: hostile, Same: &tabs[0], Done: true, Again: "/a", Edit: "/e", Delete: "/d"}
	failed, running := run, run
	failed.State, failed.Done, failed.Failure = "failed", false, hostile
	running.State, running.Done, running.Progress, running.Cancel = "running", false, &RunProgress{Done: 1, Of: 2, Stage: hostile, Left: hostile, Path: "/p"}, "/c"
	out1 := ResultView{People: hostile, Virtual: true, LeftOut: []string{hostile}, Facts: facts, Score: true, Board: []BoardLine{{Model: hostile}}, Both: true,
		Reference: []ReferenceLine{{hostile, "0.50", "0.60", hostile}}, Figures: []Drawing{svg, svg}, Models: []string{hostile},
		Windows: []WindowLine{{ID: hostile, Text: hostile, Path: "/w", Coverage: []string{"1/2"}}}}
	return map[string]templ.Component{
		"admin notice":    AdminNotice(AdminNoticePage{out, hostile, "To the sign-in", "/admin/sign-in", hostile}),
		"admin sign-in":   SignIn(SignInPage{out, hostile, hostile, hostile}),
		"admin link":      SignInLink(LinkPage{out, "/admin/link/x", hostile}),
		"admin password":  Password(PasswordPage{in, true, 12, hostile, hostile}),
		"admin studies":   Studies(StudiesPage{Admin: in, Query: hostile, Any: true, New: true, Studies: []StudyLine{{Title: hostile, Slug: "x", Status: "running", Launched: now, Next: "x@2"}}}),
		"admin no study":  Studies(StudiesPage{Admin: in, New: true}),
		"admin new study": NewStudy(NewStudyPage{Admin: in, From: "files", Slug: hostile, Others: options, Files: []string{hostile}, Tables: broken, Faults: wrong, More: 7, Count: 9}),
		"admin setup": Setup(SetupPage{SetupFrame: setup, Version: 2, Saved: hostile, Faults: wrong, Blocks: []SetupBlock{{SetupLine: SetupLine{hostile, hostile, "/b"}, Number: 1}}, Parts: []SetupLine{{hostile, hostile, "/p"}},
			Gaps: []string{hostile}, Doubts: 2, Plan: plan, Flow: "/f", Instrument: "/i", Preview: "/p", Launch: "/l", Files: "/z"}),
		"admin setup of a viewer": Setup(SetupPage{SetupFrame: SetupFrame{Admin: about}, Facts: facts, Plan: plan}),
		"admin setup numbers": SetupPart(SetupPartPage{SetupFrame: setup, Lead: hostile, Action: "/a", Faults: wrong, Live: "/live", Plan: &plan,
			Terms: []SetupField{{ID: "t1", Name: "pay", Label: "Pay", Kind: "text"}}, Groups: []SetupGroup{{Title: hostile, Hint: hostile, Hidden: map[string]string{hostile: hostile}, Fields: []SetupField{
				{"s1", hostile, hostile, hostile, "text", hostile, hostile, nil}, {"s2", "b", hostile, hostile, "flag", "yes", hostile, nil}, {"s3", "c", hostile, hostile, "choice", hostile, hostile, options},
				{"s4", "d", hostile, hostile, "number", hostile, hostile, nil}}, Buttons: []SetupButton{{"add", hostile, hostile, true}}}}}),
		"admin setup consent": SetupPart(SetupPartPage{SetupFrame: setup, Action: "/a", Changed: true, Live: "/live", Preview: new(string), Groups: []SetupGroup{{Fields: []SetupField{{"s1", "t", hostile, "", "markdown", hostile, "", nil}}}}}),
		"admin setup questions": Questions(QuestionsPage{SetupFrame: setup, Action: "/a", Problem: "", Names: [3]string{hostile, hostile, hostile}, Tables: broken, Faults: wrong, More: 2,
			Questions: []SetupQuestion{{hostile, hostile, hostile, hostile, 2, 3}}, Further: 4}),
		"admin study text": SetupText(SetupTextPage{SetupFrame: setup, Action: "/a", Content: hostile, Faults: wrong}),
		"admin launch":     Launch(LaunchPage{Admin: about, Draft: true, Hash: "h", Link: hostile, Action: "/a", Preview: "/p", Setup: "/s", Versions: "/v", Version: 2, Gaps: []Tick{{"consent-0", hostile, false}}, Doubts: []string{hostile}, Plan: plan}),
		"admin launched":   Launch(LaunchPage{Admin: about, Versions: "/v", Monitor: "/m"}),
		"admin versions": Versions(VersionsPage{Admin: about, Slug: "x", Action: "/a", May: true, CanAdd: true, Codes: true, Versions: []VersionLine{
			{Number: 2, ID: "2", Name: "x@2", Title: hostile, Status: "draft", Hash: hostile, Path: "/x@2", Created: now, Discard: true, Changes: []FileChange{{hostile, "what", []LineChange{{"+", hostile}, {"-", hostile}, {" ", hostile}}, 3}}},
			{Number: 1, ID: "1", Name: "x@1", Title: hostile, Status: "running", Hash: hostile, Path: "/x@1", Created: now, Launched: now, Closed: now, First: true}}}),
		"admin monitor": Monitor(MonitorPage{about, "running", "/live", now, []AlarmLine{{hostile, hostile, "Look", "/x", true}}, counts, &virtual,
			RewardForm{"/r", hostile, "GBP", []string{"GBP"}}, hostile, []CodeLine{{"Complete", hostile}, {"Over quota", ""}}, facts,
			[]Change{{"paused", "Pause", "why", false, false}, {"closed", "Close", "why", true, true}}, "/admin/studies/x/status"}),
		"admin monitor at first": Monitor(MonitorPage{Admin: about, Status: "running", Live: "/live", Link: hostile}),
		"admin all questions":    AllQuestions(AllQuestionsPage{about, true, counts.Questions, Pages{300, 101, 200, "/a", "/b"}, "votes", hostile, "/m"}),
		"admin submissions":      Submissions(SubmissionsPage{about, true, []SubmissionLine{line}, Pages{1, 1, 1, "", ""}, choices, choices, choices, hostile, "/s"}),
		"admin submission": Submission(SubmissionPage{about, hostile, true, []VisitView{{1, 2, "Complete", facts, counts.Flags,
			[]PageView{{hostile, hostile, true, now, "3 s", []AnswerView{{hostile, hostile, false, hostile, []string{hostile, hostile}, nil}, {hostile, hostile, true, "", nil, parts}}}}, hostile}, {Number: 2, Of: 2}}, "/l"}),
		"admin moderation": Moderation(ModerationPage{about, "after", []ModeLine{{"after", "After", "at once", true}}, "/mode", false, tabs, "served", "/m", "/m", "/undo", hostile, hostile, hostile,
			choices, choices, true, []StatementView{statement}, Pages{30, 1, 25, "", "/n"}, []ReasonLine{{"personal", hostile, "1"}}, hostile, "7"}),
		"admin moderation done": Moderation(ModerationPage{Admin: about, View: "pending", Draft: true, Question: hostile}),
		"admin download":        Download(DownloadPage{about, []DataFile{{hostile, hostile, "/d"}}, "/b", "/f", true, 3, 4}),
		"admin accounts": Accounts(AccountsPage{in, []AccountLine{{1, hostile, "viewer", false, false, true}, {2, hostile, "viewer", true, false, false}, {3, hostile, "admin", false, true, true}},
			hostile, "viewer", hostile, []RoleLine{{"viewer", "sees"}, {"admin", "all"}}, hostile, hostile, 7}),
		"admin people": People(PeoplePage{about, "/p", []MemberLine{{1, hostile, "viewer", now, "member", false, true, false, true}}, []AccountLine{{Email: hostile, Role: "admin"}},
			hostile, "viewer", hostile, []RoleLine{{"viewer", "sees"}}, hostile, hostile, 7}),
		"admin account": Account(AccountPage{in, true, []MembershipLine{{hostile, "x", "admin"}}, []SignInLine{{now, now, true}, {now, now, false}},
			[]TokenLine{{1, hostile, now, now, Moment{}, true}}, hostile, hostile, hostile, hostile, []int{30}, hostile}),
		"admin log":             Log(LogPage{in, "/admin/log", true, []string{hostile}, []DeedOption{{"what", hostile}}, hostile, "what", []EventLine{{now, hostile, hostile, hostile, "x"}}, "?", "?before=1", true}),
		"admin analysis":        Analysis(AnalysisPage{Admin: about, New: "/n", Post: "/a", Runs: "/r", Many: 3, Jobs: Jobs{Unfinished: []RunView{running}, Broken: &failed}, Run: run, Result: &out1}),
		"admin runs":            Runs(RunsPage{about, "/n", "/c", []RunView{run, failed, running}, 2}),
		"admin run":             Run(RunPage{Admin: about, Run: run, Back: "/b", Result: &out1, Compare: "/c", Others: []RunView{run}, JSON: "/j", Report: "/h", Download: true}),
		"admin run that failed": Run(RunPage{Admin: about, Run: failed, Back: "/b", Facts: facts}),
		"admin run on its way":  Run(RunPage{Admin: about, Run: running, Back: "/b", Facts: facts}),
		"admin new run": NewRun(NewRunPage{Admin: about, Post: "/p", Back: "/b", Problem: hostile, Name: hostile, Note: hostile, Like: hostile, Expect: hostile,
			Fields:    []RunField{{Name: "k", Label: hostile, Hint: hostile, Value: hostile}, {Name: "m", Label: hostile, Hint: hostile, Choices: []RunChoice{{hostile, hostile, true}}}, {Name: "s", Label: "s", Hint: "s", Value: "1", Step: "1"}},
			Questions: []RunChoice{{hostile, hostile, true}, {"2", hostile, false}}}),
		"admin compare": Compare(ComparePage{Admin: about, Post: "/p", Back: "/b", Runs: []RunView{run, run}, A: &run, B: &run, Differing: []DifferingLine{{hostile, hostile, hostile}},
			Questions: []ComparedQuestion{{hostile, hostile, "/a", "", hostile, hostile, 3, hostile}}, Models: []ComparedModel{{Model: hostile}}, Only: []string{hostile}, Figures: []ComparedFigure{{hostile, "<svg></svg>", "<svg></svg>"}}}),
		"admin window": Window(WindowPage{Admin: about, ID: hostile, Question: hostile, Option1: hostile, Option2: hostile, Run: &run, Virtual: true, Analysed: true, Facts: facts, Warnings: []string{hostile},
			LeftOut: []OutcomeLine{{hostile, 2}}, LeftOutWho: []LeftOutLine{{hostile, hostile}}, Figures: []Drawing{svg, svg}, Models: []string{hostile, "m"}, Groups: []GroupView{group},
			Statements: []VotedLine{{ID: "1", Text: hostile, Rejected: true, Seed: true, Votes: 3, Groups: []GroupVotes{{50, 25, 25, 4}}}, {ID: "2", Text: hostile, Excluded: true, Votes: 3, Groups: []GroupVotes{{}}}}, Consensus: telling, Back: "/b", Before: &tabs[0], After: &tabs[1]}),
	}
}
