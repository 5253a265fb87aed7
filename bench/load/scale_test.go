package main

import (
	"context"
	"path/filepath"
	"testing"

	"overton/internal/store"
	"overton/internal/store/storetest"
	"overton/internal/study"
)

// A small study of this making must look like a real one: launched, with people
// at every stage, and tallies that agree with the votes.
func TestTheStudyIsWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "scale.db")
	p := plan{slug: "scale", participants: 300, questions: 30, answers: 40, bytes: 100, seed: 1}
	if err := scale(t.Context(), path, p); err != nil {
		t.Fatal(err)
	}
	db := storetest.Reopen(t, path)
	row, err := db.Study(t.Context(), "scale")
	if err != nil || row.Status != store.Running {
		t.Fatalf("the study is %s, %v", row.Status, err)
	}
	outcomes, answers, votes := map[study.Outcome]int{}, 0, 0
	err = db.Records(context.Background(), row.ID, func(r study.Record) error {
		outcomes[r.Outcome]++
		if r.Outcome == study.Completed {
			answers += len(r.Answers)
		}
		for _, a := range r.Answers {
			if a.Key.Kind == study.KindVote {
				votes++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	complete := outcomes[study.Completed]
	if mean := float64(answers) / float64(complete); mean < 38 || mean > 43 {
		t.Errorf("%.1f answers in a complete submission, want about 40", mean)
	}
	if complete < 200 || outcomes[study.InProgress] < 5 || outcomes[study.NoConsent] == 0 || outcomes[study.FailedChecks] == 0 {
		t.Errorf("outcomes %v", outcomes)
	}
	statements, err := db.Statements(t.Context(), row.ID)
	if err != nil {
		t.Fatal(err)
	}
	states := map[study.StatementState]int{}
	for _, s := range statements {
		states[s.State]++
		votes -= s.Agree + s.Disagree + s.Neutral + s.Skip
	}
	if votes != 0 || states[study.StatementPending] == 0 || states[study.StatementRejected] == 0 {
		t.Errorf("states %v; %d votes more than the statements' tallies say", states, votes)
	}
}
