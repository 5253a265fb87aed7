package analyse

import "overton/templates"

// Gallery is every page of this package in its states, with made-up values. text
// is shown wherever a study or a person can put text.
func Gallery(frame templates.Frame, text string) []templates.Example {
	now := templates.Moment{Text: "2026-11-30 09:00 UTC", RFC3339: "2026-11-30T09:00:00Z"}
	tabs := []templates.Tab{{Name: text, Path: "/admin/studies/x", Count: 3, Here: true, Rare: false}, {Name: "Analysis", Path: "/admin/studies/x/analysis", Count: 0, Here: false, Rare: false}, {Name: text, Path: "/admin/studies/x/log", Count: 0, Here: false, Rare: true}}
	in := templates.Admin{Frame: frame, Email: text, Role: "admin", Here: "studies", Accounts: true}
	about := in
	about.Study = &templates.AdminStudy{Title: text, Status: "paused", Tabs: tabs}
	svg := Drawing{Title: text, Caption: text, Narrow: "<svg></svg>", Wide: "<svg></svg>", Files: tabs}
	facts := []templates.Fact{{Name: "Hash", Value: text, Code: true}, {Name: "Contact", Value: text, Code: false}}
	telling := []RepresentativeLine{{"1", text, "agree", false, 3, 4, "0.80", "2.00"}, {"2", text, "disagree", true, 3, 4, "0.80", "2.00"}}
	group := GroupView{0, 12, "40 %", []GroupRating{{"4.20", 3, true}, {"2.00", 2, false}}, []string{text, text}, telling, []FreeResponse{{"1", text, true}, {"2", text, false}}}
	run := RunView{ID: 1, Title: text, Name: text, Note: text, State: "done", Who: text, Path: "/r", Asked: now, Took: text, Method: text, People: text, Groups: text,
		Changed: text, Same: &tabs[0], Done: true, Again: "/a", Edit: "/e", Delete: "/d"}
	failed, running := run, run
	failed.State, failed.Done, failed.Failure = "failed", false, text
	running.State, running.Done, running.Progress, running.Cancel = "running", false, &RunProgress{Done: 1, Of: 2, Stage: text, Left: text, Path: "/p"}, "/c"
	out1 := ResultView{People: text, Virtual: true, LeftOut: []string{text}, Facts: facts, Score: true, Board: []BoardLine{{Model: text}}, Both: true,
		Reference: []ReferenceLine{{text, "0.50", "0.60", text}}, Figures: []Drawing{svg, svg}, Models: []string{text},
		Windows: []WindowLine{{ID: text, Text: text, Path: "/w", Coverage: []string{"1/2"}}}}
	return []templates.Example{
		{Name: "admin analysis", Content: Analysis(AnalysisPage{Admin: about, New: "/n", Post: "/a", Runs: "/r", Many: 3, Jobs: Jobs{Unfinished: []RunView{running}, Broken: &failed}, Run: run, Result: &out1})},
		{Name: "admin runs", Content: Runs(RunsPage{about, "/n", "/c", []RunView{run, failed, running}, 2})},
		{Name: "admin run", Content: Run(RunPage{Admin: about, Run: run, Back: "/b", Result: &out1, Compare: "/c", Others: []RunView{run}, JSON: "/j", Report: "/h", Download: true})},
		{Name: "admin run that failed", Content: Run(RunPage{Admin: about, Run: failed, Back: "/b", Facts: facts})},
		{Name: "admin run on its way", Content: Run(RunPage{Admin: about, Run: running, Back: "/b", Facts: facts})},
		{Name: "admin new run", Content: NewRun(NewRunPage{Admin: about, Post: "/p", Back: "/b", Problem: text, Name: text, Note: text, Like: text, Expect: text,
			Fields:    []RunField{{Name: "k", Label: text, Hint: text, Value: text}, {Name: "m", Label: text, Hint: text, Choices: []RunChoice{{text, text, true}}}, {Name: "s", Label: "s", Hint: "s", Value: "1", Step: "1"}},
			Questions: []RunChoice{{text, text, true}, {"2", text, false}}})},
		{Name: "admin compare", Content: Compare(ComparePage{Admin: about, Post: "/p", Back: "/b", Runs: []RunView{run, run}, A: &run, B: &run, Differing: []DifferingLine{{text, text, text}},
			Questions: []ComparedQuestion{{text, text, "/a", "", text, text, 3, text}}, Models: []ComparedModel{{Model: text}}, Only: []string{text}, Figures: []ComparedFigure{{text, "<svg></svg>", "<svg></svg>"}}})},
		{Name: "admin window", Content: Window(WindowPage{Admin: about, ID: text, Question: text, Option1: text, Option2: text, Run: &run, Virtual: true, Analysed: true, Facts: facts, Warnings: []string{text},
			LeftOut: []templates.OutcomeLine{{Name: text, N: 2}}, LeftOutWho: []LeftOutLine{{text, text}}, Figures: []Drawing{svg, svg}, Models: []string{text, "m"}, Groups: []GroupView{group},
			Statements: []VotedLine{{ID: "1", Text: text, Rejected: true, Seed: true, Votes: 3, Groups: []GroupVotes{{50, 25, 25, 4}}}, {ID: "2", Text: text, Excluded: true, Votes: 3, Groups: []GroupVotes{{}}}}, Consensus: telling, Back: "/b", Before: &tabs[0], After: &tabs[1]})},
	}
}
