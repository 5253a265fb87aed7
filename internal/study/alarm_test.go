package study

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestAlarmsAreRaisedForWhatNeedsAPerson(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		change func(*Study, *Watch)
		want   string
	}{
		{"all is well", func(*Study, *Watch) {}, ""},
		{"every place filled", func(_ *Study, w *Watch) { fillQuestions(w, 10, 0) }, "filled"},
		{"places only reserved", func(_ *Study, w *Watch) { fillQuestions(w, 6, 4) }, "no_places"},
		{"one question has places, two are asked", func(_ *Study, w *Watch) { fillQuestions(w, 10, 0); w.Questions[0].Done = 9 }, ""},
		{"two questions have places", func(_ *Study, w *Watch) { fillQuestions(w, 10, 0); w.Questions[0].Done, w.Questions[1].Done = 9, 9 }, ""},
		{"an outcome without a code", func(_ *Study, w *Watch) { w.Outcomes[OverQuota] = 1 }, "no_code"},
		{"a queue while people are there", func(_ *Study, w *Watch) { w.Pending, w.OldestPending = 3, now.Add(-20*time.Minute) }, "queue"},
		{"a young queue", func(_ *Study, w *Watch) { w.Pending, w.OldestPending = 3, now.Add(-10*time.Minute) }, ""},
		{"a queue with nobody there", func(_ *Study, w *Watch) { w.Pending, w.OldestPending, w.InProgress = 3, now.Add(-20*time.Minute), 0 }, ""},
		{"a queue that holds nobody up", func(_ *Study, w *Watch) { w.Pending, w.OldestPending, w.Before = 3, now.Add(-20*time.Minute), false }, ""},
		{"many over quota", func(_ *Study, w *Watch) { w.Lately.Outcomes[OverQuota] = 10 }, "cells_full"},
		{"few over quota", func(_ *Study, w *Watch) { w.Lately.Outcomes[OverQuota] = 4; w.Lately.Outcomes[Completed] = 4 }, ""},
		{"many lost", func(_ *Study, w *Watch) { w.Lately.Left, w.Lately.Outcomes[TimedOut] = 4, 3 }, "timed_out"},
		{"many decline", func(_ *Study, w *Watch) { w.Lately.Outcomes[NoConsent] = 9 }, "no_consent"},
		{"many fail the checks", func(_ *Study, w *Watch) { w.Lately.Outcomes[FailedChecks] = 6 }, "checks"},
		{"slower than told", func(_ *Study, w *Watch) { w.Total.Median = 14 * time.Minute }, "slow"},
		{"paid too little", func(_ *Study, w *Watch) { w.Reward, w.Currency = 0.99, "GBP" }, "pay"},
		{"paid just enough", func(_ *Study, w *Watch) { w.Reward, w.Currency = 1, "GBP" }, ""},
		{"a currency without a minimum", func(_ *Study, w *Watch) { w.Reward, w.Currency = 0.1, "EUR" }, ""},
		{"too few to judge the time", func(_ *Study, w *Watch) { w.Total.Median, w.Total.N, w.Reward, w.Currency = time.Hour, 9, 1, "GBP" }, ""},
		{"nobody comes", func(_ *Study, w *Watch) { w.InProgress, w.Lately.Newest = 0, now.Add(-7*time.Hour) }, "quiet"},
		{"just launched", func(_ *Study, w *Watch) {
			w.InProgress, w.Lately.Newest, w.Launched = 0, time.Time{}, now.Add(-time.Hour)
		}, ""},
		{"nobody ever came", func(_ *Study, w *Watch) {
			w.InProgress, w.Lately.Newest, w.Launched = 0, time.Time{}, now.Add(-8*time.Hour)
		}, "quiet"},
	} {
		st := sample(4)
		w := Watch{Summary: st.Summarise(nil, now), Places: 20, Before: true, Now: now, Launched: now.Add(-100 * time.Hour)}
		w.InProgress, w.Lately.Newest = 3, now.Add(-time.Minute)
		w.Lately.Outcomes[Completed] = 20
		w.Outcomes[Completed] = 4
		w.Total = Spread{N: 20, Median: 10 * time.Minute}
		c.change(st, &w)
		var got []string
		for _, a := range st.Alarms(w) {
			got = append(got, string(a.Kind))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: alarms %q, want %q", c.name, s, c.want)
		}
	}
}

func fillQuestions(w *Watch, done, live int) {
	for i := range w.Questions {
		w.Questions[i].Done, w.Questions[i].Live = done, live
	}
}

func TestASummaryCountsEverybodyOnce(t *testing.T) {
	t.Parallel()
	st := sample(4)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	view, end := Stage{StepView, 2, 1}, Stage{StepEnd, 4, -1}
	at := func(stage Stage, o Outcome, live bool, minutes int) *Trace {
		t := &Trace{Pseudonym: fmt.Sprint(minutes), Outcome: o, Live: live, Stage: stage, Started: now.Add(-time.Hour), Consented: true,
			Questions: []string{"0", "1"}, Pages: []PageTime{{StepConsent, float32(minutes)}, {StepView, 10 * float32(minutes)}}}
		if o != InProgress {
			t.Ended = t.Started.Add(time.Duration(minutes) * time.Minute)
		}
		return t
	}
	old := at(view, InProgress, false, 9)
	old.Started = now.Add(-48 * time.Hour)
	flagged := at(end, Completed, false, 30)
	flagged.Flags = []Flag{{FlagFast, 6, 6}}
	sum := st.Summarise([]*Trace{at(end, Completed, false, 10), at(end, Completed, false, 20), flagged, at(view, InProgress, true, 3), old, at(Stage{StepConsent, 0, -1}, NoConsent, false, 1)}, now)
	if sum.Arrived != 6 || sum.InProgress != 1 || sum.Left != 1 || sum.Outcomes[Completed] != 3 || sum.Outcomes[NoConsent] != 1 || sum.Lately.Left != 0 || sum.Lately.Arrived != 5 {
		t.Errorf("counts %+v", sum)
	}
	here, left, ended, last := 0, 0, 0, sum.Arrived
	for _, stage := range sum.Stages {
		if stage.Reached > last {
			t.Errorf("more people reach %+v than the stage before", stage)
		}
		last = stage.Reached
		here, left, ended = here+stage.Here, left+stage.Left, ended+stage.Ended
		if stage.Stage == view && (stage.Reached != 5 || stage.Here != 1 || stage.Left != 1) {
			t.Errorf("at the second view: %+v", stage)
		}
	}
	if here != 1 || left != 1 || ended != 1 || last != 3 {
		t.Errorf("%d here, %d left, %d ended, %d at the end", here, left, ended, last)
	}
	if q := sum.Questions[0]; q.Done != 3 || q.Live != 1 {
		t.Errorf("question %+v", q)
	}
	if sum.Total.N != 3 || sum.Total.Median != 20*time.Minute || sum.Total.P10 != 12*time.Minute || sum.Total.P90 != 28*time.Minute {
		t.Errorf("times in all %+v", sum.Total)
	}
	if len(sum.Times) != 2 || sum.Times[0].Kind != StepConsent || sum.Times[1].Kind != StepView || sum.Times[1].N != 6 {
		t.Errorf("times %+v", sum.Times)
	}
	if len(sum.Flagged) != 1 || sum.Flags[FlagFast] != 1 {
		t.Errorf("flags %v %v", sum.Flags, sum.Flagged)
	}
}

func TestCoverageIsThatOfStatementsPeopleCanSee(t *testing.T) {
	t.Parallel()
	st := sample(2) // 10 people a question cast 3 votes each
	all := st.Cover([]StatementTally{
		{"0", StatementServed, 5, 1, 0}, {"0", StatementServed, 0, 2, 2}, {"0", StatementServed, 2, 1, 0},
		{"0", StatementPending, 0, 4, 0}, {"0", StatementRejected, 3, 1, 0}, {"nowhere", StatementServed, 1, 1, 0},
	})
	want := Coverage{Question: "0", Statements: 4, Pending: 4, Rejected: 1, Votes: 7, Fewest: 0, Median: 1, Below: 2} // 3 × 10 / (10 + 2) is 2
	if all[0] != want {
		t.Errorf("%+v, want %+v", all[0], want)
	}
	if all[1] != (Coverage{Question: "1"}) {
		t.Errorf("a question without statements: %+v", all[1])
	}
}
