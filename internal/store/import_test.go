package store

import (
	"context"
	"testing"

	"overton/internal/study"
)

func TestAnImportedPlaceWantsTheVotesOfItsQuestion(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(2, 1, 5))
	_, err := b.Import(context.Background(), NewStudy{Slug: "elsewhere", Title: "Elsewhere", Hash: "e"}, []study.Record{{
		Pseudonym: "p1", Outcome: study.Completed, Round: 1,
		Slots:   []study.RecordSlot{{Question: "q1", State: "done"}, {Question: "q2", State: "done"}},
		Ballots: []study.RecordBallot{{Statement: "s", Question: "q1", Position: 1, Round: 1}},
	}}, []study.Statement{{ID: "s", Question: "q1", Text: "a seed", State: study.StatementServed}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var wanted string
	if err := b.read.QueryRow(`SELECT group_concat(votes_wanted) FROM (SELECT votes_wanted FROM assignment ORDER BY position)`).Scan(&wanted); err != nil {
		t.Fatal(err)
	}
	if wanted != "1,0" {
		t.Errorf("votes wanted on q1 and q2: %s", wanted)
	}
}
