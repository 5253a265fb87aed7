package store

import (
	"context"
	"reflect"
	"testing"
	"time"

	"overton/internal/study"
)

func TestWhatTheRecruiterSaysIsKeptBesideItsSubmission(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(2, 1, 5))
	ctx := context.Background()
	b.start("ann")
	gone := b.start("bob")
	if err := b.Withdraw(ctx, b.st, gone); err != nil {
		t.Fatal(err)
	}
	b.start("cem")
	b.start("virtual-1")
	row := func(person, submission, status string) study.RecruitedRow {
		return study.RecruitedRow{Submission: submission, Participant: person, Recruited: study.Recruited{Status: status, Code: "X", Taken: 90 * time.Second, Attributes: map[string]string{"Age": "40"}}}
	}
	file := []study.RecruitedRow{row("ann", "visit of ann", "ACTIVE"), row("bob", "visit of bob", "AWAITING REVIEW"), row("eve", "visit of cem", "ACTIVE"), row("dan", "visit of dan", "APPROVED"), row("fay", "visit of fay", "RETURNED")}
	kept, strangers, err := b.SaveRecruited(ctx, b.st.Slug, file, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := ([]Stranger{{file[1], Withdrew}, {file[2], OfAnother}, {file[3], NeverBegan}}); kept != 1 || !reflect.DeepEqual(strangers, want) {
		t.Errorf("kept %d, strangers %+v, want 1 and %+v", kept, strangers, want)
	}
	// A later file replaces what an earlier one said.
	later := row("ann", "visit of ann", "APPROVED")
	if _, _, err := b.SaveRecruited(ctx, b.st.Slug, []study.RecruitedRow{later}, 0); err != nil {
		t.Fatal(err)
	}
	standings, err := b.Standings(ctx, b.st.Slug)
	if err != nil {
		t.Fatal(err)
	}
	if len(standings) != 2 { // virtual ones are nobody that a recruiter knows
		t.Fatalf("standings %+v, want those of ann and cem", standings)
	}
	if got := standings[0]; got.Submission != "visit of ann" || !reflect.DeepEqual(got.Recruited, &later.Recruited) {
		t.Errorf("ann stands %+v with %+v", got, got.Recruited)
	}
	if standings[1].Recruited != nil {
		t.Errorf("cem, of whom nothing was heard, stands %+v", standings[1].Recruited)
	}
	for _, r := range b.records() {
		if got, heard := r.Recruited, r.Pseudonym == standings[0].Pseudonym; (got != nil) != heard {
			t.Errorf("record of %s: %+v", r.Pseudonym, got)
		}
	}
	if _, _, err := b.SaveRecruited(ctx, "nowhere", file, 0); err == nil {
		t.Error("a study that is not there took a file")
	}
}
