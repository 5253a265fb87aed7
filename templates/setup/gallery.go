package setup

import (
	"net/http"
	"time"

	"overton/internal/dataset"
	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// Gallery is every page of this package in its states, with made-up values. text
// is shown wherever a study or a person can put text.
func Gallery(frame templates.Frame, text string) []templates.Example {
	g := gallery{frame: frame, text: text, study: madeUpStudy(text)}
	faults := Refused{Status: http.StatusUnprocessableEntity}
	faults.Sent, faults.Faults = dataset.Files{"questions.csv": []byte("question_id,question,option_1,option_2\n" +
		"parks,\"" + text + "\",More,\nnoise,,,\n")}, dataset.Faults{
		{File: "questions.csv", Line: 2, Column: "option_2", Message: "is empty, but option_1 is not"},
		{File: "questions.csv", Line: 3, Column: "question", Message: "is empty; expected the question"},
		{File: "study.yaml", Line: 9, Column: "recruitment.minutes", Value: text, Message: "expected a whole number"},
	}
	many := faults
	for range mostFaults {
		many.Faults = append(many.Faults, dataset.Fault{File: "study.yaml", Line: 1, Column: "title", Message: "is missing"})
	}
	problem := Refused{Status: http.StatusUnprocessableEntity}
	problem.Problem = "The files are larger than 64 MB together. " + text
	changed := Refused{Status: http.StatusConflict}
	changed.Changed = true

	plan := g.study.Design().Plan(study.DefaultPaces(), study.DefaultTerms(10))
	draft, viewed := g.page("Set up", store.Draft, "admin"), g.page("Set up", store.Draft, "viewer")
	live, next := g.page("Set up", store.Running, "admin"), g.page("Set up", store.Draft, "admin")
	next.Row.Version, next.LosesComments = 2, true
	titled := func(p StudyPage, title string) StudyPage {
		p.Title = title
		return p
	}
	setup := func(p StudyPage, r Refused, saved string) templates.Example {
		p.Refused = r
		return templates.Example{Content: Setup(SetupPage{StudyPage: p, Study: g.study, Plan: plan, Saved: saved,
			Facts: []templates.Fact{{Name: "Hash of the files", Value: p.Row.Hash, Code: true}, {Name: "Contact", Value: text}}})}
	}
	named := func(name string, e templates.Example) templates.Example {
		e.Name = name
		return e
	}
	empty := SetupPage{StudyPage: draft, Study: &dataset.Study{}, Saved: text}
	return append(g.lists(faults, problem),
		named("admin setup", setup(draft, Refused{}, "The study")),
		named("admin setup of the next version", setup(next, Refused{}, "")),
		named("admin setup launched", setup(live, Refused{}, "")),
		named("admin setup refused", setup(draft, many, "")),
		named("admin setup without blocks", templates.Example{Content: Setup(empty)}),
		named("admin setup of a viewer", setup(viewed, Refused{}, "")),
		g.form("admin setup numbers", titled(next, "Numbers"), plan),
		g.form("admin setup numbers refused", with(titled(next, "Numbers"), faults), plan),
		g.form("admin setup numbers changed by somebody else", with(titled(next, "Numbers"), changed), plan),
		g.form("admin setup numbers launched", titled(live, "Numbers"), plan),
		g.consent("admin setup consent", titled(draft, "Consent")),
		templates.Example{Name: "admin setup questions", Content: Questions(QuestionsPage{titled(draft, "Question set"), g.study})},
		templates.Example{Name: "admin setup questions refused", Content: Questions(
			QuestionsPage{with(titled(draft, "Question set"), faults), g.study})},
		templates.Example{Name: "admin setup questions launched", Content: Questions(QuestionsPage{titled(live, "Question set"), g.study})},
		templates.Example{Name: "admin study text", Content: Text(TextPage{
			with(titled(draft, "Study file as text"), faults), "title: " + text + "\nslug: parks\n"})},
		templates.Example{Name: "admin launch", Content: Launch(LaunchPage{
			StudyPage: titled(draft, "Check and launch"), Study: g.study, Plan: plan,
			Link: "https://example.org/s/parks?PROLIFIC_PID={{%PROLIFIC_PID%}}", Ticked: []string{"doubts"}})},
		templates.Example{Name: "admin launch refused", Content: Launch(LaunchPage{
			StudyPage: with(titled(next, "Check and launch"), problem), Study: g.study, Plan: plan,
			Link: "https://example.org/s/parks"})},
		templates.Example{Name: "admin launched", Content: Launch(LaunchPage{StudyPage: titled(live, "Check and launch"), Study: g.study})},
		templates.Example{Name: "admin versions", Content: Versions(VersionsPage{titled(draft, "Versions"), g.versions()})},
		templates.Example{Name: "admin versions of a viewer", Content: Versions(VersionsPage{titled(viewed, "Versions"), g.versions()})},
		templates.Example{Name: "admin one version", Content: Versions(VersionsPage{titled(live, "Versions"), g.versions()[2:]})},
	)
}

// gallery is what its pages are made of.
type gallery struct {
	frame templates.Frame
	text  string
	study *dataset.Study
}

func with(p StudyPage, r Refused) StudyPage {
	p.Refused, p.Wrong = r, true
	return p
}

var day = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC).UnixMilli()

func (g gallery) row() store.Study {
	return store.Study{ID: 1, Slug: "parks", Version: 1, Title: g.text, Status: store.Draft, CreatedAt: day,
		Hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}
}

func (g gallery) admin(title, role string) templates.Admin {
	a := templates.Admin{Frame: g.frame, Email: g.text, Role: role, Here: "studies", Accounts: role == "admin"}
	a.Title = title
	return a
}

func (g gallery) page(title string, status store.Status, role string) StudyPage {
	p := StudyPage{Admin: g.admin(title, role), Row: g.row(), Path: g.frame.Base + "/admin/studies/parks",
		MaySee: role == "admin", MayChange: role == "admin"}
	p.Row.Status = status
	p.Study = &templates.AdminStudy{Title: g.text, Status: string(status), Tabs: []templates.Tab{
		{Name: "Set up", Path: "/admin/studies/parks/setup", Here: true}, {Name: "Versions", Path: "/admin/studies/parks/versions"}}}
	return p
}

// lists are the list of studies and the ways to a new one.
func (g gallery) lists(faults, problem Refused) []templates.Example {
	admin, viewer, row := g.admin("Studies", "admin"), g.admin("Studies", "viewer"), g.row()
	row.Status, row.LaunchedAt = store.Running, day
	closed, draft := row, g.row()
	closed.Slug, closed.Title, closed.Status, closed.ClosedAt = "a-very-long-name-of-a-study-about-noise-at-night-in-large-cities",
		"What should the city do about noise at night, and who should pay for it? A study in twelve districts", store.Closed, day
	draft.Slug = "noise"
	fresh := g.admin("New study", "admin")
	newStudy := func(name string, p NewStudyPage) templates.Example {
		p.Admin, p.Others = fresh, []store.Study{row}
		return templates.Example{Name: name, Content: NewStudy(p)}
	}
	return []templates.Example{
		{Name: "admin studies", Content: Studies(StudiesPage{Admin: admin, Any: true, MayChange: true, Studies: []StudyLine{
			{Study: row, Total: store.Total{Complete: 112, InProgress: 3, Virtual: 20}, Next: "parks@2"}, {Study: closed}, {Study: draft}}})},
		{Name: "admin no study found", Content: Studies(StudiesPage{Admin: admin, Query: g.text, Status: "paused", Any: true, MayChange: true})},
		{Name: "admin no study", Content: Studies(StudiesPage{Admin: admin, MayChange: true})},
		{Name: "admin studies of a viewer", Content: Studies(StudiesPage{Admin: viewer, Any: true, Studies: []StudyLine{{Study: row}}})},
		newStudy("admin new study", NewStudyPage{Copy: "parks@1"}),
		newStudy("admin new study refused", NewStudyPage{From: "example", Title: g.text, Slug: "parks", Refused: problem}),
		newStudy("admin new study with faults", NewStudyPage{From: "files", Slug: g.text, Refused: faults}),
	}
}

// form has a field of every kind.
func (g gallery) form(name string, p StudyPage, plan study.Plan) templates.Example {
	problem := ""
	if p.Status == http.StatusUnprocessableEntity {
		problem = "Enter a whole number"
	}
	field := func(id, kind, label, value string) templates.Field {
		return templates.Field{ID: id, Name: id, Label: label, Hint: g.text, Kind: kind, Value: value, Problem: problem,
			Options: []templates.Option{{Value: "2", Label: g.text}, {Value: "4", Label: "4"}}}
	}
	return templates.Example{Name: name, Content: EditForm(FormPage{StudyPage: p, Part: "numbers", Plan: plan, Told: 40,
		Form: Form{Title: p.Title, Lead: "What to expect is shown next to the numbers and follows what you type.", Beside: "plan",
			Groups: []Group{{Title: "Check 1", Hint: g.text, Variable: g.text, Fields: []templates.Field{
				field("s1", "number", "People on each question", "60"), field("s2", "text", "Instruction", g.text),
				field("s3", "flag", "Ask how important the question is", "yes"), field("s4", "choice", "Right answer", "4")},
				Button: Button{"remove:0", "Remove", "check 1", true}}, {Button: Button{Do: "add", Label: "Add a check"}}}},
		Terms: []templates.Field{{ID: "t-pay", Name: "pay", Label: "Pay per hour", Kind: "text", Value: "12"}}})}
}

func (g gallery) consent(name string, p StudyPage) templates.Example {
	return templates.Example{Name: name, Content: EditForm(FormPage{
		StudyPage: p, Part: "block-0", Text: "<h2>About this study</h2><p>We keep your data.</p>",
		Form: Form{Title: "Consent", Beside: "text-preview", Groups: []Group{{Fields: []templates.Field{
			{ID: "s1", Name: "flow[0].consent.file", Label: "Text", Kind: "markdown", Value: "# About this study\n\n" + g.text}}}}}})}
}

func (g gallery) versions() []Version {
	third, second, one := g.row(), g.row(), g.row()
	third.ID, third.Version = 3, 3
	second.ID, second.Version, second.Status, second.LaunchedAt = 2, 2, store.Running, day
	one.Status, one.LaunchedAt, one.ClosedAt = store.Closed, day, day
	changes := []dataset.FileChange{{File: "seeds.csv", Added: true}, {File: "old.csv", Removed: true}, {File: "consent.md", Plus: 1, Minus: 1,
		Lines: []dataset.LineChange{{Op: ' ', Text: "# Consent"}, {Op: '-', Text: "We keep your data."}, {Op: '+', Text: g.text}}}}
	return []Version{{third, nil}, {second, changes}, {one, nil}}
}

// madeUpStudy is the example, with a text in it and a check and a quota added.
func madeUpStudy(text string) *dataset.Study {
	st, err := dataset.ReadStudy(dataset.Example())
	if err != nil {
		panic("the example cannot be read: " + err.Error())
	}
	st.Title, st.Questions.Questions[0].Text = text, text
	st.Checks = append(st.Checks, study.Check{After: 1, Text: text, Answer: "2"})
	st.Quotas = append(st.Quotas, study.Quota{Variable: "SEX", Targets: map[string]int{text: 10}})
	return st
}
