package watch

import (
	"overton/templates"
	"overton/templates/analyse"
)

// Gallery is every page of this package in its states, with made-up values. text
// is shown wherever a study or a person can put text.
func Gallery(frame templates.Frame, text string) []templates.Example {
	now := templates.Moment{Text: "2026-11-30 09:00 UTC", RFC3339: "2026-11-30T09:00:00Z"}
	tabs := []templates.Tab{{Name: text, Path: "/admin/studies/x", Count: 3, Here: true, Rare: false}, {Name: "Analysis", Path: "/admin/studies/x/analysis", Count: 0, Here: false, Rare: false}, {Name: text, Path: "/admin/studies/x/log", Count: 0, Here: false, Rare: true}}
	in := templates.Admin{Frame: frame, Email: text, Role: "admin", Here: "studies", Accounts: true}
	about := in
	about.Study = &templates.AdminStudy{Title: text, Status: "paused", Tabs: tabs}
	line := SubmissionLine{text, "/s", true, now, "Left", text, "3 min", []string{text}}
	counts := Counts{
		Places: &Places{3, 2, 5, 10}, Figures: []Figure{{"Complete", 3, 30}}, Outcomes: []templates.OutcomeLine{{Name: "Complete", N: 3}},
		Stages: []StageLine{{text, false, 9, 1, 2, 1, "100 %"}, {text, true, 5, 1, 0, 0, "50 %"}},
		Times:  []TimeLine{{text, 3, "1 s", "2 s", "3 s"}}, Total: TimeLine{Name: "All", N: 1}, Pay: "5.00 GBP", PayLow: true, Wanted: "6.00",
		Questions: []QuestionLine{{ID: text, Text: text, Done: 1, Target: 60}}, More: 3, All: "/all", Cells: []CellLine{{text, text, 1, 2, 3}},
		Flags: []FlagLine{{text, text, 2, "/f"}, {text, text, 0, ""}}, Flagged: []SubmissionLine{line}, Flaggeds: 2, List: "/l",
	}
	virtual := counts
	virtual.Virtual, virtual.Places = true, nil
	choices := []Choosable{{text, text, true}}
	parts := []TextPart{{text, ""}, {text, "mail address?"}}
	statement := StatementView{"7", text, text, parts, []string{text}, true, text, "/s", now, "1 agree", true, true, "Rejected (" + text + ")", now, text}
	facts := []templates.Fact{{Name: "Hash", Value: text, Code: true}, {Name: "Contact", Value: text, Code: false}}
	run := analyse.RunView{ID: 1, Title: text, Name: text, Note: text, State: "done", Who: text, Path: "/r", Asked: now, Took: text, Method: text, People: text, Groups: text,
		Changed: text, Same: &tabs[0], Done: true, Again: "/a", Edit: "/e", Delete: "/d"}
	failed, running := run, run
	failed.State, failed.Done, failed.Failure = "failed", false, text
	running.State, running.Done, running.Progress, running.Cancel = "running", false, &analyse.RunProgress{Done: 1, Of: 2, Stage: text, Left: text, Path: "/p"}, "/c"
	return []templates.Example{
		{Name: "admin monitor", Content: Monitor(MonitorPage{about, "running", "/live", now, []AlarmLine{{text, text, "Look", "/x", true}}, counts, &virtual,
			RewardForm{"/r", text, "GBP", []string{"GBP"}}, text, []CodeLine{{"Complete", text}, {"Over quota", ""}}, facts,
			[]templates.Change{{To: "paused", Verb: "Pause", Explanation: "why", Sure: false, Danger: false}, {To: "closed", Verb: "Close", Explanation: "why", Sure: true, Danger: true}}, "/admin/studies/x/status"})},
		{Name: "admin monitor at first", Content: Monitor(MonitorPage{Admin: about, Status: "running", Live: "/live", Link: text})},
		{Name: "admin all questions", Content: AllQuestions(AllQuestionsPage{about, true, counts.Questions, Pages{300, 101, 200, "/a", "/b"}, "votes", text, "/m"})},
		{Name: "admin submissions", Content: Submissions(SubmissionsPage{about, true, []SubmissionLine{line}, Pages{1, 1, 1, "", ""}, choices, choices, choices, text, "/s"})},
		{Name: "admin submission", Content: Submission(SubmissionPage{about, text, true, []VisitView{{1, 2, "Complete", facts, counts.Flags,
			[]PageView{{text, text, true, now, "3 s", []AnswerView{{text, text, false, text, []string{text, text}, nil}, {text, text, true, "", nil, parts}}}}, text}, {Number: 2, Of: 2}}, "/l"})},
		{Name: "admin moderation", Content: Moderation(ModerationPage{about, "after", []ModeLine{{"after", "After", "at once", true}}, "/mode", false, tabs, "served", "/m", "/m", "/undo", text, text, text,
			choices, choices, true, []StatementView{statement}, Pages{30, 1, 25, "", "/n"}, []ReasonLine{{"personal", text, "1"}}, text, "7"})},
		{Name: "admin moderation done", Content: Moderation(ModerationPage{Admin: about, View: "pending", Draft: true, Question: text})},
		{Name: "admin download", Content: Download(DownloadPage{about, []DataFile{{text, text, "/d"}}, "/b", "/f", true, 3, 4})},
	}
}
