package store

import (
	"context"
	"errors"
	"testing"

	"overton/internal/study"
)

// draft saves a next version of the bench's study.
func (b *bench) draft(hash string) Study {
	b.t.Helper()
	row, err := b.SaveStudy(context.Background(), NewStudy{Slug: "test", Title: "Next", Hash: hash, Next: true, Files: map[string][]byte{"study.yaml": []byte(hash)}}, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	return row
}

func TestANextVersionTakesOverAtItsLaunch(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(3, 1, 5))
	ctx := context.Background()
	half := b.start("ann") // is on the way when the next version comes
	next := b.draft("h2")
	if next.Version != 2 || next.Status != Draft {
		t.Fatalf("the next version is %+v", next)
	}
	if row, err := b.Study(ctx, "test"); err != nil || row.ID != b.row.ID {
		t.Errorf("before its launch people get %+v, %v", row, err)
	}
	if row, err := b.Study(ctx, "test@2"); err != nil || row.ID != next.ID {
		t.Errorf("by its name the draft is %+v, %v", row, err)
	}
	if again := b.draft("h3"); again.ID != next.ID || again.Version != 2 || again.Hash != "h3" {
		t.Errorf("the draft saved again is %+v", again)
	}
	if err := b.Launch(ctx, "test", b.st.Questions.Seeds, 0); err != nil {
		t.Fatal(err)
	}
	if row, err := b.Study(ctx, "test"); err != nil || row.ID != next.ID || row.Status != Running {
		t.Errorf("after its launch people get %+v, %v", row, err)
	}
	if row, err := b.Study(ctx, "test@1"); err != nil || row.Status != Closed || row.ClosedAt == 0 {
		t.Errorf("the version before is %+v, %v", row, err)
	}

	// Who is on the way stays with their version, by the same link.
	if token, err := b.Start(ctx, b.st, next.ID, Arrival{Participant: "ann", Submission: "visit of ann"}); err != nil || token != half {
		t.Errorf("the same link began another submission: %v", err)
	}
	if row, err := b.StudyOf(ctx, half); err != nil || row.ID != b.row.ID {
		t.Errorf("the submission on the way belongs to %+v, %v", row, err)
	}
	pos := b.position(half)
	for pos.Step.Kind != study.StepEnd {
		var err error
		if pos, _, err = b.Submit(ctx, b.st, half, pos.Step.Path, answer(pos.Step, nil), Timing{Shown: b.clock()}); err != nil {
			t.Fatal(err)
		}
	}
	if pos.Outcome != study.Completed {
		t.Errorf("on the old version one ends as %q", pos.Outcome)
	}
	// Who finished an earlier version has taken part.
	if _, err := b.Start(ctx, b.st, next.ID, Arrival{Participant: "ann", Submission: "another visit"}); !errors.Is(err, ErrAlready) {
		t.Errorf("a second submission after an earlier version: %v, want ErrAlready", err)
	}
	again := *b.st
	again.Recruitment.Resubmission = true
	token, err := b.Start(ctx, &again, next.ID, Arrival{Participant: "ann", Submission: "another visit"})
	if err != nil {
		t.Fatal(err)
	}
	if row, err := b.StudyOf(ctx, token); err != nil || row.ID != next.ID {
		t.Errorf("the new submission belongs to %+v, %v", row, err)
	}
	// Counts and statements start again.
	statements, err := b.Statements(ctx, next.ID)
	if counts := b.summary(next.ID); err != nil || counts.Arrived != 1 || len(statements) != 2*len(b.st.Questions.Questions) {
		t.Errorf("the new version counts %+v and has %d statements, %v", counts, len(statements), err)
	}
	if err := b.Withdraw(ctx, &again, token); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Resume(ctx, "test", Arrival{Participant: "ann", Submission: "another visit"}); !errors.Is(err, ErrWithdrawn) {
		t.Errorf("after withdrawing: %v, want ErrWithdrawn", err)
	}
	if _, err := b.Position(ctx, b.st, half); err != nil {
		t.Errorf("withdrawing one submission took the earlier one away: %v", err)
	}
	if versions, err := b.Versions(ctx, "test"); err != nil || len(versions) != 2 || versions[0].Version != 2 {
		t.Errorf("versions %+v, %v", versions, err)
	}
	if _, err := b.SaveStudy(ctx, NewStudy{Slug: "test", Hash: "h4"}, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("a study of the same slug that asks for no version: %v, want ErrConflict", err)
	}
}

func TestPeopleOverQuotaStayWithTheirVersion(t *testing.T) {
	t.Parallel()
	st := testStudy(1, 1, 1)
	b := newBench(t, st)
	ctx := context.Background()
	token := b.start("ann")
	pos := b.position(token)
	for pos.Step.Kind != study.StepEnd {
		pos, _, _ = b.Submit(ctx, st, token, pos.Step.Path, answer(pos.Step, nil), Timing{Shown: b.clock()})
	}
	late := b.start("ben")
	next := b.draft("h2")
	if err := b.Launch(ctx, "test", nil, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Start(ctx, st, next.ID, Arrival{Participant: "ben", Submission: "visit of ben"}); err != nil {
		t.Fatal(err)
	}
	if pos := b.position(late); pos.Outcome != study.OverQuota {
		t.Errorf("ended as %q", pos.Outcome)
	}
}

func TestADraftIsNotOverwrittenUnseen(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 1))
	ctx := context.Background()
	save := func(slug, hash string) Study {
		t.Helper()
		row, err := b.SaveStudy(ctx, NewStudy{Slug: slug, Title: "t", Hash: hash, Files: map[string][]byte{"a": []byte(hash)}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return row
	}
	row := save("mine", "h1")
	if err := b.Note(ctx, 0, row.ID, DraftSaved, "h1"); err != nil {
		t.Fatal(err)
	}
	row2, err := b.ChangeDraft(ctx, row.ID, "h1", NewStudy{Slug: "ours", Title: "u", Hash: "h2", Files: map[string][]byte{"b": []byte("2")}}, 0)
	if err != nil || row2.ID != row.ID || row2.Slug != "ours" || row2.Title != "u" {
		t.Fatalf("%+v, %v", row2, err)
	}
	if files, err := b.StudyFiles(ctx, row.ID); err != nil || len(files) != 1 || string(files["b"]) != "2" {
		t.Errorf("files %q, %v", files, err)
	}
	if _, err := b.ChangeDraft(ctx, row.ID, "h1", NewStudy{Slug: "ours", Hash: "h3"}, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("a change of what somebody else changed: %v, want ErrConflict", err)
	}
	save("other", "o")
	for _, slug := range []string{"test", "other"} {
		if _, err := b.ChangeDraft(ctx, row.ID, "h2", NewStudy{Slug: slug, Hash: "h3"}, 0); !errors.Is(err, ErrTaken) {
			t.Errorf("the slug %s: %v, want ErrTaken", slug, err)
		}
	}
	next := b.draft("h9")
	if _, err := b.ChangeDraft(ctx, next.ID, "h9", NewStudy{Slug: "elsewhere", Hash: "h3"}, 0); !errors.Is(err, ErrTaken) {
		t.Errorf("a version of another slug: %v, want ErrTaken", err)
	}
	if _, err := b.ChangeDraft(ctx, b.row.ID, "h", NewStudy{Slug: "test", Hash: "h3"}, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("a change of a launched study: %v, want ErrConflict", err)
	}
	if err := b.LaunchDraft(ctx, "ours", "h1", nil, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("launching what nobody looked at: %v, want ErrConflict", err)
	}
	if err := b.DiscardDraft(ctx, row.ID, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Study(ctx, "ours"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a discarded draft: %v, want ErrNotFound", err)
	}
	if err := b.DiscardDraft(ctx, b.row.ID, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("discarding a launched study: %v, want ErrConflict", err)
	}
	for _, name := range []string{"test@", "test@x", "test@7", "test@1@1", "@1"} {
		if _, err := b.Study(ctx, name); !errors.Is(err, ErrNotFound) {
			t.Errorf("a study %q: %v, want ErrNotFound", name, err)
		}
	}
}
