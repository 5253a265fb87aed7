package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"overton/internal/dataset"
	"overton/internal/store"
	"overton/internal/study"
	"overton/internal/window"
)

func newExport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write a study's data into files",
		Long: `Write a study's data into files: ratings, votes, statements, participants and
answers, with a data dictionary and a manifest that counts the rows. They know
participants by a random pseudonym only. Ratings carry the viewpoint groups of
the latest analysis, where there is one.`,
		Args: usageArgs(cobra.NoArgs),
	}
	path := databaseFlag(cmd)
	slug := cmd.Flags().String("study", "", "the study, as in its link (`SLUG`)")
	out := cmd.Flags().String("out", "", "folder to make; it may be there if it is empty (`DIR`)")
	formats := cmd.Flags().StringSlice("format", []string{"csv", "jsonl", "parquet"}, "formats to write: csv, jsonl, parquet, and polis, a folder that Polis tools read for each question")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *slug == "" || *out == "" {
			return usagef("--study and --out are needed\nusage: %s", cmd.UseLine())
		}
		return withStore(cmd.Context(), *path, func(db *store.Store) error {
			row, st, err := window.LoadStudy(cmd.Context(), db, *slug)
			if err != nil {
				return err
			}
			e, err := window.Export(cmd.Context(), db, row, st)
			if err != nil {
				return err
			}
			for _, f := range *formats {
				e.Formats = append(e.Formats, dataset.Format(f))
			}
			e.At = time.Now()
			m, err := e.WriteFolder(*out)
			if err != nil {
				return err
			}
			return printManifest(cmd.OutOrStdout(), *out, m)
		})
	}
	return cmd
}

// printManifest tells what was written.
func printManifest(w io.Writer, dir string, m dataset.Manifest) error {
	fmt.Fprintf(w, "Wrote %d files to %s.\n\n", len(m.Files)+1, dir)
	table := newTable(w)
	fmt.Fprintln(table, "\tsubmissions\tcomplete\tfree responses\tratings\tvotes\tskipped\t")
	for _, p := range []struct {
		who string
		n   dataset.ManifestPeople
	}{{"people", m.Counts.People}, {"virtual", m.Counts.Virtual}} {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", p.who, p.n.Submissions, p.n.Status[string(study.Completed)], p.n.Views, p.n.Ratings, p.n.Votes, p.n.Skipped)
	}
	return table.Flush()
}
