package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"overton/internal/dataset"
	"overton/internal/store"
)

// fieldTime is how long the study has been open.
const fieldTime = 4 * 24 * time.Hour

func newScale() *cobra.Command {
	var path string
	var p plan
	cmd := &cobra.Command{
		Use:   "scale --db FILE",
		Short: "Make a database with a study of full size",
		Long: `Make a database with a launched study of full size, to measure pages and exports
with: questions and model responses of made-up words, and participants who take
the study's own flow, with times, drop-outs, careless answers and statements in
every state. The same seed makes the same people.

Times are those of a pilot of 2025 with 100 people: seconds on a page are
log-normal about its medians, and fall from question to question.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return scale(cmd.Context(), path, p) },
	}
	f := cmd.Flags()
	f.StringVar(&path, "db", "", "database to write; the study is added to what is there")
	f.StringVar(&p.slug, "slug", "scale", "the study's slug")
	f.IntVar(&p.participants, "participants", 5000, "submissions")
	f.IntVar(&p.questions, "questions", 2000, "questions in the set")
	f.IntVar(&p.answers, "answers", 40, "answers of a submission that is complete, at least 27")
	f.IntVar(&p.bytes, "bytes", 220, "mean length of a free response")
	f.Uint64Var(&p.seed, "seed", 1, "of everything")
	return cmd
}

func scale(ctx context.Context, path string, p plan) error {
	if path == "" {
		return fmt.Errorf("--db is missing; expected the file to write")
	}
	if p.participants < 1 || p.questions < perParticipant || p.answers < fixedAnswers+2*perParticipant {
		return fmt.Errorf("%d participants, %d questions, %d answers: expected at least 1, %d and %d", p.participants, p.questions, p.answers, perParticipant, fixedAnswers+2*perParticipant)
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	opened := now.Add(-fieldTime)
	st, err := dataset.ReadStudy(p.files())
	if err != nil {
		return fmt.Errorf("making the study: %w", err)
	}
	db, err := store.Open(ctx, path, store.WithClock(func() time.Time { return opened }))
	if err != nil {
		return err
	}
	defer db.Close()
	row, err := db.SaveStudy(ctx, store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files}, 0)
	if err != nil {
		return err
	}
	if err := db.Launch(ctx, st.Slug, st.Questions.Seeds, 0); err != nil {
		return err
	}
	seeds, err := db.Statements(ctx, row.ID)
	if err != nil {
		return err
	}
	f := newField(&st.Study, p, seeds, opened, now)
	for n := range p.participants {
		f.walk(n)
	}
	if err := db.Fill(ctx, &st.Study, row.ID, f.records, f.statements()); err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	fmt.Printf("%s: study %q with %d questions, %d submissions, %d answers, %d statements, %d votes\n",
		path, st.Slug, p.questions, len(f.records), f.answers, len(f.written), f.votes)
	return nil
}
