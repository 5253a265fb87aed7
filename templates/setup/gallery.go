package setup

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
	options := []templates.Option{{Value: text, Label: text}}
	wrong := []templates.Fault{{File: text, Line: 3, Column: text, Value: text, Message: text}}
	broken := []FaultTable{{text, []string{"a", text}, []FaultyRow{{7, []string{text, ""}, []bool{false, true}, []string{text}}}, 2, 3}}
	plan := PlanView{7, 8, []PlanLine{{"People", "7", text}}, []string{text}, []WorkLine{{"Votes", 3, "1.0", "2.0", text}}}
	setup := SetupFrame{Admin: about, Draft: true, Editable: true, Hash: "h", Back: "/b", Text: "/t", OwnRemarks: true}
	facts := []templates.Fact{{Name: "Hash", Value: text, Code: true}, {Name: "Contact", Value: text, Code: false}}
	run := analyse.RunView{ID: 1, Title: text, Name: text, Note: text, State: "done", Who: text, Path: "/r", Asked: now, Took: text, Method: text, People: text, Groups: text,
		Changed: text, Same: &tabs[0], Done: true, Again: "/a", Edit: "/e", Delete: "/d"}
	failed, running := run, run
	failed.State, failed.Done, failed.Failure = "failed", false, text
	running.State, running.Done, running.Progress, running.Cancel = "running", false, &analyse.RunProgress{Done: 1, Of: 2, Stage: text, Left: text, Path: "/p"}, "/c"
	return []templates.Example{
		{Name: "admin studies", Content: Studies(StudiesPage{Admin: in, Query: text, Any: true, New: true, Studies: []StudyLine{{Title: text, Slug: "x", Status: "running", Launched: now, Next: "x@2"}}})},
		{Name: "admin no study", Content: Studies(StudiesPage{Admin: in, New: true})},
		{Name: "admin new study", Content: NewStudy(NewStudyPage{Admin: in, From: "files", Slug: text, Others: options, Files: []string{text}, Tables: broken, Faults: wrong, More: 7, Count: 9})},
		{Name: "admin setup", Content: Setup(SetupPage{SetupFrame: setup, Version: 2, Saved: text, Faults: wrong, Blocks: []SetupBlock{{SetupLine: SetupLine{text, text, "/b"}, Number: 1}}, Parts: []SetupLine{{text, text, "/p"}},
			Gaps: []string{text}, Doubts: 2, Plan: plan, Flow: "/f", Instrument: "/i", Preview: "/p", Launch: "/l", Files: "/z"})},
		{Name: "admin setup of a viewer", Content: Setup(SetupPage{SetupFrame: SetupFrame{Admin: about}, Facts: facts, Plan: plan})},
		{Name: "admin setup numbers", Content: SetupPart(SetupPartPage{SetupFrame: setup, Lead: text, Action: "/a", Faults: wrong, Live: "/live", Plan: &plan,
			Terms: []templates.Field{{ID: "t1", Name: "pay", Label: "Pay", Kind: "text"}}, Groups: []SetupGroup{{Title: text, Hint: text, Hidden: map[string]string{text: text}, Fields: []templates.Field{
				{ID: "s1", Name: text, Label: text, Hint: text, Kind: "text", Value: text, Problem: text, Options: nil, More: nil}, {ID: "s2", Name: "b", Label: text, Hint: text, Kind: "flag", Value: "yes", Problem: text, Options: nil, More: nil}, {ID: "s3", Name: "c", Label: text, Hint: text, Kind: "choice", Value: text, Problem: text, Options: options, More: nil},
				{ID: "s4", Name: "d", Label: text, Hint: text, Kind: "number", Value: text, Problem: text, Options: nil, More: nil}}, Buttons: []SetupButton{{"add", text, text, true}}}}})},
		{Name: "admin setup consent", Content: SetupPart(SetupPartPage{SetupFrame: setup, Action: "/a", Changed: true, Live: "/live", Preview: new(string), Groups: []SetupGroup{{Fields: []templates.Field{{ID: "s1", Name: "t", Label: text, Hint: "", Kind: "markdown", Value: text, Problem: "", Options: nil, More: nil}}}}})},
		{Name: "admin setup questions", Content: Questions(QuestionsPage{SetupFrame: setup, Action: "/a", Problem: "", Names: [3]string{text, text, text}, Tables: broken, Faults: wrong, More: 2,
			Questions: []SetupQuestion{{text, text, text, text, 2, 3}}, Further: 4})},
		{Name: "admin study text", Content: SetupText(SetupTextPage{SetupFrame: setup, Action: "/a", Content: text, Faults: wrong})},
		{Name: "admin launch", Content: Launch(LaunchPage{Admin: about, Draft: true, Hash: "h", Link: text, Action: "/a", Preview: "/p", Setup: "/s", Versions: "/v", Version: 2, Gaps: []Tick{{"consent-0", text, false}}, Doubts: []string{text}, Plan: plan})},
		{Name: "admin launched", Content: Launch(LaunchPage{Admin: about, Versions: "/v", Monitor: "/m"})},
		{Name: "admin versions", Content: Versions(VersionsPage{Admin: about, Slug: "x", Action: "/a", May: true, CanAdd: true, Codes: true, Versions: []VersionLine{
			{Number: 2, ID: "2", Name: "x@2", Title: text, Status: "draft", Hash: text, Path: "/x@2", Created: now, Discard: true, Changes: []FileChange{{text, "what", []LineChange{{"+", text}, {"-", text}, {" ", text}}, 3}}},
			{Number: 1, ID: "1", Name: "x@1", Title: text, Status: "running", Hash: text, Path: "/x@1", Created: now, Launched: now, Closed: now, First: true}}})},
	}
}
