package watch

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"overton/internal/dataset"
	"overton/internal/instrument"
	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// Gallery is every page of this package in its states, with made-up values. text
// is shown wherever a study or a person can put text.
func Gallery(frame templates.Frame, text string) []templates.Example {
	g := newGallery(frame, text)
	list := g.monitors()
	list = append(list, g.lists()...)
	list = append(list, g.moderations()...)
	list = append(list, g.prolifics()...)
	return append(list,
		templates.Example{Name: "admin download", Content: Download(DownloadPage{g.at("Download"), true, 48, 12})},
		templates.Example{Name: "admin download at first", Content: Download(DownloadPage{g.at("Download"), false, 0, 0})},
	)
}

// gallery is a made-up study with its submissions.
type gallery struct {
	page, viewer Page
	text         string
	now          time.Time
	records      []study.Record
}

func newGallery(frame templates.Frame, text string) *gallery {
	g := &gallery{text: text, now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}
	home := frame.Base + "/admin/studies/town"
	tabs := []templates.Tab{
		{Name: "Monitor", Path: "/admin/studies/town", Here: true}, {Name: "Moderation", Path: "/admin/studies/town/moderation", Count: 3},
		{Name: "Analysis", Path: "/admin/studies/town/analysis"}, {Name: "Download", Path: "/admin/studies/town/download"},
		{Name: "Set up", Path: "/admin/studies/town/setup"}, {Name: "Prolific", Path: "/admin/studies/town/recruitment", Rare: true},
	}
	admin := templates.Admin{Frame: frame, Email: "ada@example.org", Role: "admin", Here: "studies", Accounts: true,
		Study: &templates.AdminStudy{Title: text, Status: "running", Tabs: tabs}}
	g.page = Page{Admin: admin, Of: madeUpStudy(text), Home: home, Researcher: true, Administrator: true}
	g.viewer = Page{Admin: admin, Of: g.page.Of, Home: home}
	g.viewer.Role, g.viewer.Title = "viewer", "Monitor"
	for n := range 14 {
		g.records = append(g.records, g.record(n))
	}
	return g
}

// madeUpStudy asks for consent, sex, and views on two questions.
func madeUpStudy(text string) *dataset.Study {
	st := &dataset.Study{Instruments: map[string]instrument.Instrument{"about": {Title: text, Items: []instrument.Item{
		{ID: "sex", Text: text, Options: []instrument.Option{{Code: "female", Label: "Female"}, {Code: "male", Label: "Male"}}},
	}}}}
	st.Definition = study.Definition{
		Title: text, Slug: "town", Language: "en", Contact: text,
		Recruitment: study.Recruitment{
			Parameters: study.ParameterNames{Participant: "PROLIFIC_PID", Study: "STUDY_ID", Submission: "SESSION_ID"},
			Codes:      map[study.Outcome]string{study.Completed: "C1DONE", study.NoConsent: "C2NONE"}, Minutes: 12, ReservationMinutes: 30,
		},
		Flow: []study.Block{
			{Consent: &study.Consent{Markdown: text}},
			{Survey: &study.Survey{Instrument: "about", Items: []study.Item{{ID: "sex", Options: []string{"female", "male"}}}}},
			{Overton: &study.Overton{QuestionsPerParticipant: 2, ParticipantsPerQuestion: 30, VotesPerQuestion: 2,
				Moderation: study.ModerationAfter, Stance: true, Importance: true, MinWords: 1}},
			{Feedback: &study.Feedback{}},
		},
		Checks: []study.Check{{After: 1, Text: "Please choose 2 here.", Answer: "2"}},
		Quotas: []study.Quota{{Variable: "sex", Targets: map[string]int{"female": 15, "male": 15}}},
	}
	set := &st.Questions
	for _, id := range []string{"cars", "trees", "rents"} {
		set.Questions = append(set.Questions, study.Question{ID: id, Text: text, Option1: "More than now", Option2: text})
		for _, model := range []string{"model-alpha", text} {
			set.Responses = append(set.Responses, study.ModelResponse{Question: id, Model: model, Text: text})
		}
	}
	return st
}

// record is the n-th submission: some are complete, some have left, some are on
// the way; the last two are of virtual participants.
func (g *gallery) record(n int) study.Record {
	began := g.now.Add(-time.Duration(20-n) * time.Hour)
	r := study.Record{Pseudonym: fmt.Sprintf("p%07x", 0x2c5f1e3+n*0x1a7b3), Virtual: n >= 12, Seed: uint64(n) + 1,
		Round: 1 + n%7/6, Started: began}
	if n == 0 {
		r.Pseudonym = g.text
	}
	for slot, id := range []string{"cars", "trees"} {
		r.Slots = append(r.Slots, study.RecordSlot{Question: id, Models: []string{"model-alpha", g.text}, State: "reserved"})
		for i := range 2 {
			r.Ballots = append(r.Ballots, study.RecordBallot{Statement: strconv.Itoa(slot*2 + i + 1), Question: id,
				Position: i + 1, Round: 1, Drawn: began})
		}
	}
	pages := []int{99, 99, 5, 99, 1, 99, 9, 3, 99, 12, 99, 6, 99, 4}[n]
	at := began
	for range pages {
		_, step := g.page.Of.Walked(&r)
		if step.Kind == study.StepEnd || len(step.Fields) == 0 {
			break
		}
		for _, f := range step.Fields {
			value := g.text
			if f.Options != nil {
				value = f.Options[(n/2)%len(f.Options)]
			}
			if f.Key.Kind == study.KindConsent {
				value = study.Yes
				r.Consented = at
			}
			if f.Key.Kind == study.KindView && n == 3 {
				value = "Write to me at someone@example.org"
			}
			r.Answers = append(r.Answers, study.Answer{
				Key: f.Key, Value: value, Round: 1, Shown: at, Answered: at.Add(20 * time.Second), Active: 18 * time.Second, Revision: 1,
			})
		}
		at = at.Add(25 * time.Second)
	}
	r.Last = at
	switch {
	case pages == 99:
		r.Outcome, r.Ended = study.Completed, at
	case n == 4:
		r.Outcome, r.Ended = study.NoConsent, at
	default:
		r.Live = n > 8
	}
	return r
}

// snapshot counts the submissions, of people with some flags.
func (g *gallery) snapshot(with func(*study.Trace) bool) *Snapshot {
	now := &Snapshot{At: g.now}
	var people, virtual []*study.Trace
	for i := range g.records {
		trace := g.page.Of.Trace(&g.records[i])
		if !with(&trace) {
			continue
		}
		if now.Traces = append(now.Traces, &trace); trace.Virtual {
			virtual = append(virtual, &trace)
		} else {
			people = append(people, &trace)
		}
	}
	watched := store.Watched{Reward: store.Reward{Amount: .5, Currency: "GBP"}, Withdrawn: 1, Tallies: []study.StatementTally{
		{Question: "cars", State: study.StatementServed, Votes: 2, N: 7}, {Question: "cars", State: study.StatementPending, N: 3},
		{Question: "trees", State: study.StatementServed, Votes: 1, N: 6}, {Question: "trees", State: study.StatementRejected, N: 1},
	}}
	of := g.page.Of
	now.People = SampleOf(of.Summarise(people, g.now), watched, of.Cover(watched.Tallies), false)
	if len(virtual) > 0 {
		now.Virtual = SampleOf(of.Summarise(virtual, g.now), store.Watched{}, of.Cover(nil), true)
	}
	return now
}

// at is the frame of one of the study's pages.
func (g *gallery) at(title string) Page {
	p := g.page
	study := *p.Study
	study.Tabs = nil
	for _, t := range p.Study.Tabs {
		t.Here = t.Name == title
		study.Tabs = append(study.Tabs, t)
	}
	p.Title, p.Study = title, &study
	return p
}

func (g *gallery) monitors() []templates.Example {
	everybody := func(*study.Trace) bool { return true }
	monitor := MonitorPage{
		Page: g.at("Monitor"), Now: g.snapshot(everybody), Link: "https://example.org/s/town?PROLIFIC_PID={{%PROLIFIC_PID%}}",
		Facts: []templates.Fact{{Name: "Hash of the files", Value: "9b74c9897bac770f", Code: true}, {Name: "Contact", Value: g.text}},
		Changes: []templates.Change{
			{To: "paused", Verb: "Pause", Explanation: "While the study is paused no one can start."},
			{To: "closed", Verb: "Close", Explanation: "No one can start again. All data stay.", Sure: true, Danger: true},
		},
	}
	viewer := monitor
	viewer.Page, viewer.Changes = g.viewer, nil
	alarmed := monitor
	alarmed.Space = 300 << 20
	for _, kind := range []study.AlarmKind{
		study.AlarmFilled, study.AlarmNoPlaces, study.AlarmNoCode, study.AlarmQueue, study.AlarmPay, study.AlarmCellsFull,
		study.AlarmTimedOut, study.AlarmNoConsent, study.AlarmChecks, study.AlarmSlow, study.AlarmQuiet,
	} {
		alarmed.Alarms = append(alarmed.Alarms, study.Alarm{Kind: kind, N: 7, Of: 12, Outcome: study.FailedChecks, Time: 31 * time.Minute,
			Pay: 4.8, Least: 6, Currency: "GBP"})
	}
	paused := monitor
	closing := monitor.Changes[1]
	paused.Study = &templates.AdminStudy{Title: g.text, Status: "paused", Tabs: g.page.Study.Tabs}
	paused.Changes = []templates.Change{{To: "running", Verb: "Resume", Explanation: "People can start again."}, closing}
	empty := monitor
	empty.Now = g.snapshot(func(*study.Trace) bool { return false })
	empty.Now.People.Reward = store.Reward{}
	virtual := monitor
	virtual.Now = g.snapshot(func(t *study.Trace) bool { return t.Virtual })
	first := MonitorPage{Page: g.viewer, Link: monitor.Link}
	return []templates.Example{
		{Name: "admin monitor", Content: Monitor(monitor)},
		{Name: "admin monitor at first", Content: Monitor(first)},
		{Name: "admin monitor with every alarm", Content: Monitor(alarmed)},
		{Name: "admin monitor paused", Content: Monitor(paused)},
		{Name: "admin monitor for a viewer", Content: Monitor(viewer)},
		{Name: "admin monitor with nobody", Content: Monitor(empty)},
		{Name: "admin monitor of a rehearsal", Content: Monitor(virtual)},
	}
}

func (g *gallery) lists() []templates.Example {
	now := g.snapshot(func(*study.Trace) bool { return true })
	questions := QuestionsPage{g.at("All questions"), true, now.People.ByQuestion(g.page.Of), Pager{300, 101, 200, "/a",
		"/b"}, "votes", g.text}
	submissions := SubmissionsPage{Page: g.at("Submissions"), Counted: true, Pager: Pager{Of: 14, From: 1, To: 14},
		Filter: SubmissionFilter{Pseudonym: g.text, Outcome: "left", Flag: string(study.FlagFast)}}
	for _, t := range now.Traces {
		submissions.Submissions = append(submissions.Submissions, *t)
	}
	statements := map[string]study.Statement{"1": {ID: "1", Question: "cars", Text: g.text, State: study.StatementServed},
		"2": {ID: "2", Question: "cars", Text: g.text, State: study.StatementRejected}, "3": {ID: "3", State: study.StatementWithdrawn},
		"4": {ID: "4", Author: g.text, Question: "cars", Text: g.text, State: study.StatementPending}}
	whole := SubmissionPage{g.at("Submission " + g.text), g.text, []study.Record{g.records[6], g.records[0]}, []store.Revision{
		{Key: study.Key{Kind: study.KindView, Scope: "cars"}, Number: 1, Value: "idk"},
		{Key: study.Key{Kind: study.KindView, Scope: "cars"}, Number: 2, Value: g.text},
	}, statements}
	nothing := study.Record{Pseudonym: "p0000001", Virtual: true, Live: true, Started: g.now, Last: g.now}
	return []templates.Example{
		{Name: "admin all questions", Content: Questions(questions)},
		{Name: "admin all questions at first", Content: Questions(QuestionsPage{Page: g.at("All questions")})},
		{Name: "admin all questions, none fits", Content: Questions(QuestionsPage{Page: g.at("All questions"), Counted: true, Text: g.text})},
		{Name: "admin submissions", Content: Submissions(submissions)},
		{Name: "admin submissions at first", Content: Submissions(SubmissionsPage{Page: g.at("Submissions")})},
		{Name: "admin submissions, none fits", Content: Submissions(SubmissionsPage{Page: g.at("Submissions"), Counted: true})},
		{Name: "admin submission", Content: Submission(whole)},
		{Name: "admin submission with a hint", Content: Submission(SubmissionPage{Page: g.page, Pseudonym: "p1", Records: g.records[3:4]})},
		{Name: "admin submission just begun", Content: Submission(SubmissionPage{Page: g.page, Pseudonym: "p0000001",
			Records: []study.Record{nothing}})},
	}
}

func (g *gallery) moderations() []templates.Example {
	page := ModerationPage{Page: g.at("Moderation"), Mode: study.ModerationAfter, Waiting: store.Waiting{Unseen: 30, Accepted: 4, Rejected: 1},
		Shown: store.ModerationQuery{List: store.ListUnseen, Question: "cars", Text: g.text}, Pager: Pager{30, 1, 25, "",
			"/n"}, Query: "view=served"}
	for i, text := range []string{g.text, "Write to me at someone@example.org or +44 20 7946 0958.", "asdf", strings.Repeat(g.text+" ", 12)} {
		s := store.Moderated{Statement: study.Statement{ID: strconv.Itoa(i + 1), Question: "cars",
			Author: g.records[i].Pseudonym, Virtual: i == 3, Text: text,
			State: study.StatementServed, Created: g.now, Agree: 3, Disagree: i}}
		page.Statements = append(page.Statements, s)
	}
	seed := store.Moderated{Statement: study.Statement{ID: "9", Question: "trees", Seed: true, Text: g.text,
		State: study.StatementRejected, Created: g.now},
		Seen: true, Verdict: &store.Verdict{Reason: study.RejectOffTopic, Note: g.text, At: g.now.UnixMilli(), By: g.text}}
	page.Statements = append(page.Statements, seed)
	done := page
	done.Done, done.Batch = Decided(3, "reject"), "7"
	done.Researcher, done.Administrator = false, false
	empty := page
	empty.Statements = nil
	waiting := empty
	waiting.Mode, waiting.Shown = study.ModerationBefore, store.ModerationQuery{List: store.ListPending}
	draft := waiting
	draft.Study = &templates.AdminStudy{Title: g.text, Status: string(store.Draft)}
	return []templates.Example{
		{Name: "admin moderation", Content: Moderation(page)},
		{Name: "admin moderation after rejecting", Content: Moderation(done)},
		{Name: "admin no statement fits", Content: Moderation(empty)},
		{Name: "admin no statement waits", Content: Moderation(waiting)},
		{Name: "admin no statement in a draft", Content: Moderation(draft)},
	}
}

func (g *gallery) prolifics() []templates.Example {
	page := ProlificPage{Page: g.at("Prolific"), Read: "2 of 5 submissions in the file started here.", Standings: []store.Standing{
		{Pseudonym: "p1", Submission: "5f1c0000000000000000a001", Outcome: study.Completed,
			Recruited: &study.Recruited{Status: study.ProlificTimedOut}},
		{Pseudonym: "p2", Submission: "5f1c0000000000000000a002",
			Recruited: &study.Recruited{Status: study.ProlificAwaitingReview, Code: "C1DONE"}},
		{Pseudonym: "p3", Submission: "5f1c0000000000000000a003", Outcome: study.Completed},
	}, Strangers: []store.Stranger{{RecruitedRow: study.RecruitedRow{Submission: g.text,
		Recruited: study.Recruited{Status: "APPROVED"}}, What: store.NeverBegan}}}
	faulty := ProlificPage{Page: g.at("Prolific"), Faults: dataset.Faults{{File: "e.csv", Line: 2, Column: "Status",
		Value: g.text, Message: "expected a status of Prolific"}}}
	faulty.Wrong = true
	wrong := ProlificPage{Page: g.at("Prolific"), Problem: "You sent 2 files. Send only the one that Prolific exports for this study."}
	wrong.Wrong = true
	return []templates.Example{
		{Name: "admin prolific", Content: Prolific(page)},
		{Name: "admin prolific at first", Content: Prolific(ProlificPage{Page: g.at("Prolific")})},
		{Name: "admin prolific with faults", Content: Prolific(faulty)},
		{Name: "admin prolific with two files", Content: Prolific(wrong)},
	}
}
