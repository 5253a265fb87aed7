package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"overton/migrations"
)

func TestARunIsKeptFromItsBeginningToItsEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 3))
	ctx := context.Background()
	queue := func() int64 {
		t.Helper()
		id, err := b.QueueRun(ctx, b.row.ID, NewRun{Kind: "window", Name: "first look", Note: "why", Parameters: []byte(`{"k":3}`)}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	is := func(id int64, want RunState) Run {
		t.Helper()
		r, err := b.Run(ctx, b.row.ID, id)
		if err != nil || r.State != want {
			t.Errorf("run %d is %s, %v; want %s", id, r.State, err, want)
		}
		return r
	}
	result := []byte(`{"input":{"sha256":"abc"},"parameters":{"k":3},"people":{"virtual":true,"complete":5}}`)
	id := queue()
	if err := b.FinishRun(ctx, id, result); !errors.Is(err, ErrConflict) {
		t.Errorf("a run that has not begun was finished: %v", err)
	}
	if err := b.StartRun(ctx, id); err != nil {
		t.Fatal(err)
	}
	is(id, RunRunning)
	if err := b.FinishRun(ctx, id, result); err != nil {
		t.Fatal(err)
	}
	if r := is(id, RunDone); r.Name != "first look" || r.Note != "why" || r.Input != "abc" || !r.Virtual || r.Complete != 5 || string(r.Result) != string(result) || r.EndedAt == 0 {
		t.Errorf("%+v", r)
	}
	if err := b.EndRun(ctx, id, RunCancelled, ""); !errors.Is(err, ErrConflict) {
		t.Errorf("a run that is done was cancelled: %v", err)
	}

	cancelled := queue()
	if err := b.CancelRun(ctx, b.row.ID+1, cancelled, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("a run was cancelled from another study: %v", err)
	}
	if err := b.CancelRun(ctx, b.row.ID, cancelled, 0); err != nil {
		t.Fatal(err)
	}
	if err := b.StartRun(ctx, cancelled); !errors.Is(err, ErrConflict) {
		t.Errorf("a cancelled run was started: %v", err)
	}
	cut := queue()
	if err := b.DeleteRun(ctx, b.row.ID, cut, 0); !errors.Is(err, ErrNotFound) {
		t.Errorf("a run that waits was deleted: %v", err)
	}
	if n, err := b.InterruptRuns(ctx); n != 0 || err != nil || is(cut, RunQueued).ID != cut {
		t.Errorf("a run that waits was interrupted: %d, %v", n, err)
	}
	if err := b.StartRun(ctx, cut); err != nil {
		t.Fatal(err)
	}
	if n, err := b.InterruptRuns(ctx); n != 1 || err != nil {
		t.Errorf("%d runs interrupted, %v", n, err)
	}
	is(cut, RunInterrupted)
	is(id, RunDone)

	if latest, err := b.LatestRun(ctx, b.row.ID, "window"); err != nil || latest.ID != id {
		t.Errorf("the latest is %d, %v", latest.ID, err)
	}
	if err := b.RenameRun(ctx, b.row.ID, cut, "another", "", 0); err != nil || is(cut, RunInterrupted).Name != "another" {
		t.Errorf("renaming: %v", err)
	}
	if err := b.DeleteRun(ctx, b.row.ID, cut, 0); err != nil {
		t.Fatal(err)
	}
	if next := queue(); next <= cut {
		t.Errorf("run %d has the number of a deleted one, %d", next, cut)
	}
	runs, err := b.Runs(ctx, b.row.ID, "window")
	if err != nil || len(runs) != 3 || runs[2].ID != id || runs[0].Result != nil {
		t.Errorf("runs %+v, %v", runs, err)
	}
	if _, err := b.Run(ctx, b.row.ID+1, id); !errors.Is(err, ErrNotFound) {
		t.Errorf("another study shows the run: %v", err)
	}
}

func TestWhatWasSentIsKeptUntilTheRunHasEnded(t *testing.T) {
	b := newBench(t, testStudy(1, 1, 3))
	ctx := context.Background()
	for name, end := range map[string]func(id int64) error{
		"cancelled": func(id int64) error { return b.CancelRun(ctx, b.row.ID, id, 0) },
		"failed":    func(id int64) error { return b.EndRun(ctx, id, RunFailed, "why") },
		"done": func(id int64) error {
			return errors.Join(b.StartRun(ctx, id), b.FinishRun(ctx, id, []byte(`{"parameters":{}}`)))
		},
		"interrupted": func(id int64) error {
			if err := b.StartRun(ctx, id); err != nil {
				return err
			}
			_, err := b.InterruptRuns(ctx)
			return err
		},
	} {
		id, err := b.QueueRun(ctx, b.row.ID, NewRun{Kind: "judge", Parameters: []byte("{}"), Sent: []byte("predictions")}, 0)
		if err != nil {
			t.Fatal(err)
		}
		waiting, err := b.QueuedRuns(ctx)
		if err != nil || len(waiting) != 1 || waiting[0].ID != id || waiting[0].StudyID != b.row.ID {
			t.Errorf("%s: waiting %+v, %v", name, waiting, err)
		}
		if sent, err := b.Sent(ctx, id); string(sent) != "predictions" || err != nil {
			t.Errorf("%s: sent %q, %v", name, sent, err)
		}
		if err := end(id); err != nil {
			t.Fatal(err)
		}
		if sent, err := b.Sent(ctx, id); sent != nil || err != nil {
			t.Errorf("%s: %q is kept, %v", name, sent, err)
		}
	}
	if _, err := b.QueueRun(ctx, b.row.ID, NewRun{Kind: "other", Parameters: []byte("{}")}, 0); err == nil {
		t.Error("a run of an unknown kind was queued")
	}
}

func TestRunsOfTheSameDataAreKnown(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 3))
	ctx := context.Background()
	save := func(input, seed, answer string) int64 {
		t.Helper()
		id, err := b.SaveRun(ctx, b.row.ID, "window", fmt.Appendf(nil, `{"input":{"sha256":%q},"parameters":{"seed":%s},"answer":%s}`, input, seed, answer))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first := save("a", "1", "42")
	for _, c := range []struct {
		id, want int64
	}{{first, 0}, {save("b", "1", "42"), 0}, {save("a", "2", "42"), 0}, {save("a", "1", "43"), 0}, {save("a", "1", "42"), first}} {
		if got, err := b.SameResult(ctx, b.row.ID, c.id); got != c.want || err != nil {
			t.Errorf("run %d is the same as %d, %v; want %d", c.id, got, err, c.want)
		}
	}
	part, err := b.SaveRun(ctx, b.row.ID, "window", []byte(`{"input":{"sha256":"a"},"parameters":{"questions":["q1"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if latest, err := b.LatestRun(ctx, b.row.ID, "window"); err != nil || latest.ID == part {
		t.Errorf("a run of some questions stands for the study: %d, %v", latest.ID, err)
	}
}

func TestRunsOfAnEarlierSchemaAreKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "old.db")
	old, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for _, name := range []string{"0001_init.sql", "0002_survey.sql"} {
		part, err := migrations.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text += string(part)
	}
	if _, err := old.Exec(text + `
		INSERT INTO study (id, slug, version, title, status, hash, created_at) VALUES (1, 's', 1, 'S', 'draft', 'h', 0);
		INSERT INTO run (id, study_id, kind, created_at, result) VALUES (7, 1, 'window', 12, '{"input":{"sha256":"abc"},"parameters":{"k":3},"people":{"virtual":true,"complete":5}}');
		INSERT INTO run (id, study_id, kind, created_at, result) VALUES (8, 1, 'survey', 13, '{}');
		PRAGMA user_version = 2`); err != nil {
		t.Fatal(err)
	}
	old.Close()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Run(t.Context(), 1, 7)
	if err != nil || r.State != RunDone || r.CreatedAt != 12 || r.Input != "abc" || string(r.Parameters) != `{"k":3}` || !r.Virtual || r.Complete != 5 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := s.LatestRun(t.Context(), 1, "survey"); err != nil || r.ID != 8 || string(r.Result) != "{}" {
		t.Errorf("%+v, %v", r, err)
	}
}
