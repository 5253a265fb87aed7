package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"overton/internal/dataset"
	"overton/internal/dataset/studyfile"
	"overton/internal/store"
)

func newStudy() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "study",
		Short: "Make, check and launch studies",
		Args:  subcommandOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newStudyNew(), newStudyCheck(), newStudyLaunch(), newStudyList(),
		newStudyStatus("pause", "Let nobody start; who has started can go on", store.Paused),
		newStudyStatus("resume", "Let people start again", store.Running),
		newStudyStatus("close", "Let nobody start, for good; who has started can go on", store.Closed))
	return cmd
}

func newStudyNew() *cobra.Command {
	return &cobra.Command{
		Use:   "new DIR",
		Short: "Write a small study with comments, to start from",
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := studyfile.WriteExample(args[0]); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Wrote a small study to %s; study.yaml in it explains every key.\nLook it over with: overton study check %s\n", args[0], args[0])
			return nil
		},
	}
}

func newStudyCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check DIR",
		Short: "Read a study's folder and say what is in it and what is wrong",
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := readStudy(args[0])
			if err != nil {
				return err
			}
			return printStudy(cmd.OutOrStdout(), s)
		},
	}
}

// readStudy reads the study in a folder.
func readStudy(dir string) (*studyfile.Study, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the study: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("reading the study: %s is a file; expected the folder that holds study.yaml", dir)
	}
	s, err := studyfile.Read(os.DirFS(dir))
	var faults dataset.Faults
	if errors.As(err, &faults) {
		return nil, fmt.Errorf("%s cannot be launched; faults found: %d\n%w", dir, len(faults), err)
	}
	return s, err
}

// printStudy tells a person what a study holds.
func printStudy(w io.Writer, s *studyfile.Study) error {
	fmt.Fprintf(w, "%s (%s)\n\n", s.Title, s.Slug)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	line("hash", "%s", s.Hash)
	if o := s.Overton(); o != nil {
		set := s.Questions
		models, endpoints := map[string]bool{}, 0
		for _, r := range set.Responses {
			models[r.Model] = true
		}
		for _, q := range set.Questions {
			if q.HasEndpoints() {
				endpoints++
			}
		}
		line("question set", "%s", set.Hash())
		line("questions", "%d, %d with two endpoints", len(set.Questions), endpoints)
		line("models", "%d", len(models))
		line("responses", "%d", len(set.Responses))
		line("seeds", "%d", len(set.Seeds))
		line("places", "%d people: %d questions × %d people ÷ %d questions a person",
			s.Places(), len(set.Questions), o.ParticipantsPerQuestion, o.QuestionsPerParticipant)
	}
	line("pages", "at most %d a person, in about %d minutes", s.Pages(), s.Recruitment.Minutes)
	if err := table.Flush(); err != nil {
		return err
	}
	doubts := s.Doubts()
	gaps := s.Gaps()
	if len(gaps) > 0 {
		fmt.Fprintln(w, "\nMissing before people come:")
		for _, gap := range gaps {
			fmt.Fprintf(w, "- %s\n", gap.Text)
		}
	}
	if len(doubts) == 0 {
		if len(gaps) == 0 {
			fmt.Fprintln(w, "\nNothing looks wrong.")
		}
		return nil
	}
	fmt.Fprintln(w, "\nIt can be launched, but look at this first:")
	for _, d := range doubts {
		fmt.Fprintf(w, "- %s\n", d)
	}
	return nil
}

// databaseFlag adds the flag that names the database.
func databaseFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("db", "overton.db", "the database `FILE`")
}

// withStore runs do with the database of a study that should be there already.
func withStore(ctx context.Context, path string, do func(*store.Store) error) (err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no database %s; name one with --db", path)
	}
	db, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return do(db)
}

func newStudyLaunch() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "launch DIR",
		Short: "Freeze a study and open it to participants",
		Long: `Freeze a study and open it to participants. From then on neither its flow nor
its question set can change: a change makes a new version, which takes over
those who arrive, while those on the way finish on theirs. The database is made
where there is none.`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	path := databaseFlag(cmd)
	next := cmd.Flags().Bool("new-version", false, "launch it as the next version of the launched study of its slug, which closes")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		s, err := readStudy(args[0])
		if err != nil {
			return err
		}
		ctx := cmd.Context()
		db, err := store.Open(ctx, *path)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		if *next {
			before, err := db.Study(ctx, s.Slug)
			if errors.Is(err, store.ErrNotFound) || err == nil && before.Status == store.Draft {
				return fmt.Errorf("no study was launched as %q, so this cannot be its next version; put the slug right, or leave out --new-version", s.Slug)
			}
			if err != nil {
				return err
			}
		}
		if _, err := db.SaveStudy(ctx, store.NewStudy{Slug: s.Slug, Title: s.Title, Hash: s.Hash, Files: s.Files, Next: *next}); err != nil {
			return err
		}
		if err := db.Launch(ctx, s.Slug, s.Questions.Seeds, 0); err != nil {
			return err
		}
		row, err := db.Study(ctx, s.Slug)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "Launched %s (%s, version %d).\nhash  %s\nlink  /s/%s?%s={{%%PROLIFIC_PID%%}}&%s={{%%STUDY_ID%%}}&%s={{%%SESSION_ID%%}}\n", s.Title, s.Slug, row.Version, s.Hash,
			s.Slug, s.Recruitment.Parameters.Participant, s.Recruitment.Parameters.Study, s.Recruitment.Parameters.Submission)
		return nil
	}
	return cmd
}

func newStudyList() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the studies of a database",
		Args:  usageArgs(cobra.NoArgs),
	}
	path := databaseFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return withStore(cmd.Context(), *path, func(db *store.Store) error {
			studies, err := db.Studies(cmd.Context())
			if err != nil {
				return err
			}
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "slug\tversion\tstatus\tlaunched\thash\ttitle")
			for _, st := range studies {
				launched := "-"
				if st.LaunchedAt != 0 {
					launched = time.UnixMilli(st.LaunchedAt).UTC().Format(time.RFC3339)
				}
				fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%.12s\t%s\n", st.Slug, st.Version, st.Status, launched, st.Hash, st.Title)
			}
			return table.Flush()
		})
	}
	return cmd
}

func newStudyStatus(verb, short string, to store.Status) *cobra.Command {
	cmd := &cobra.Command{
		Use:   verb + " SLUG",
		Short: short,
		Args:  usageArgs(cobra.ExactArgs(1)),
	}
	path := databaseFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return withStore(cmd.Context(), *path, func(db *store.Store) error {
			if err := db.SetStatus(cmd.Context(), args[0], to, 0); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is %s.\n", args[0], to)
			return nil
		})
	}
	return cmd
}
