package store

import (
	"bytes"
	"context"
	"os"
	"testing"

	"overton/internal/study"
)

func TestAWithdrawnPersonsWordsAreInNoFile(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 5))
	ctx := context.Background()
	ann := b.start("prolific-ann")
	b.walk(ann, study.StepVote, nil)
	if err := b.update(ctx, func(tx *tx) error {
		u, _, err := load(tx, ann)
		if err != nil {
			return err
		}
		return publish(tx, b.st, &u, "q1", "Zebras should vote")
	}); err != nil {
		t.Fatal(err)
	}
	var id string
	if err := b.read.QueryRow(`SELECT id FROM statement WHERE submission_id IS NOT NULL AND state = 'served'`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Moderate(ctx, b.row.ID, []string{id}, Decision{Accept: true, Note: "Quokkas too"}, 0); err != nil {
		t.Fatal(err)
	}
	pseudonym := b.position(ann).Pseudonym
	if err := b.Withdraw(ctx, b.st, ann); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{b.path, b.path + "-wal"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"Zebras should vote", "Quokkas too", "prolific-ann", pseudonym, ann} {
			if bytes.Contains(content, []byte(word)) {
				t.Errorf("%s still holds %q", name, word)
			}
		}
	}
}
