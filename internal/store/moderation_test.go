package store

import (
	"context"
	"testing"

	"overton/internal/study"
)

func TestUndoingARejectionLeavesOnlyTheRewrittenTextServed(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 5))
	ctx := context.Background()
	ann := b.start("ann")
	b.walk(ann, study.StepVote, nil)
	var id string
	if err := b.read.QueryRow(`SELECT id FROM statement WHERE submission_id IS NOT NULL`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	batch, _, err := b.Moderate(ctx, b.row.ID, []string{id}, Decision{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.update(ctx, func(tx *tx) error {
		u, _, err := load(tx, ann)
		if err != nil {
			return err
		}
		return publish(tx, b.st, &u, "q1", "written again")
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.UndoModeration(ctx, b.row.ID, batch, 0); err != nil {
		t.Fatal(err)
	}
	var served, state string
	if err := b.read.QueryRow(`SELECT group_concat(text) FROM statement WHERE submission_id IS NOT NULL AND state = 'served'`).Scan(&served); err != nil {
		t.Fatal(err)
	}
	if err := b.read.QueryRow(`SELECT state FROM statement WHERE id = ?`, id).Scan(&state); err != nil {
		t.Fatal(err)
	}
	if served != "written again" || state != "replaced" {
		t.Errorf("served: %q; the first text is %s", served, state)
	}
}
