package study

import (
	"reflect"
	"testing"
)

// asRecord is what the store would tell of a submission.
func asRecord(p Progress) Record {
	r := Record{Outcome: p.Outcome, Round: p.Round, Surveys: p.Surveys}
	for key, value := range p.Answers {
		r.Answers = append(r.Answers, Answer{Key: key, Value: value})
	}
	for _, slot := range p.Slots {
		r.Slots = append(r.Slots, RecordSlot{Question: slot.Question, Models: slot.Models})
		for n, b := range slot.Ballots {
			r.Ballots = append(r.Ballots, RecordBallot{Statement: b.Statement, Question: slot.Question, Position: n + 1})
		}
	}
	return r
}

func TestARecordTellsWhereThePersonStands(t *testing.T) {
	t.Parallel()
	st := sample(4)
	p := started(st)
	for pages := 0; ; pages++ {
		step := st.Next(p)
		if step.Kind == NeedBallot {
			drawFor(st, p, step.Slot, []int{2, 5}[step.Slot]) // too few statements on the first question
			continue
		}
		r := asRecord(p)
		if got := st.Next(r.Progress()); !reflect.DeepEqual(got, step) {
			t.Fatalf("the record stands at %s (%s), the person at %s", got.Path, got.Kind, step.Path)
		}
		if step.Kind == StepEnd {
			break
		}
		if step.Kind == StepVote && step.Slot == 1 && step.Number == 2 { // moderation takes it back
			p.Slots[1].Ballots[1].Held = true
			continue
		}
		fill(p, step)
		if pages > 60 {
			t.Fatal("there is no end")
		}
	}
	p.Outcome = Completed
	r := asRecord(p)
	var listed []string
	for _, step := range st.steps(r.Progress()) {
		listed = append(listed, step.Path)
	}
	var walked []string
	for _, step := range st.steps(p) {
		walked = append(walked, step.Path)
	}
	if !reflect.DeepEqual(listed, walked) {
		t.Errorf("the record lists %v, the person walked %v", listed, walked)
	}
}
