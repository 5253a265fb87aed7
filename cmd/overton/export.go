package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"overton/internal/dataset/export"
	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/internal/study"
	"overton/internal/window"
)

func newExport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write a study's data to files",
		Long: `Write a study's data to files: ratings, votes, statements, participants and
answers, with a data dictionary and a manifest that counts the rows. Participants
appear under a random pseudonym only. Ratings include the viewpoint groups of
the latest analysis, if there is one.`,
		Args: usageArgs(cobra.NoArgs),
	}
	path := databaseFlag(cmd)
	slug := cmd.Flags().String("study", "", "the study's `SLUG`, as in its link")
	bundle := cmd.Flags().String("bundle", "", "write a bundle instead: one `FILE.zip` with the data, study, "+
		"analyses and results, which overton reproduce can recompute")
	out := cmd.Flags().String("out", "", "folder to write to (`DIR`); created if it does not exist, must be empty if it does")
	formats := cmd.Flags().StringSlice("format", []string{"csv", "jsonl", "parquet"}, "formats to write: csv, "+
		"jsonl, parquet; polis, for each question a folder that Polis tools can read; overtonbench, the columns of the published data")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *slug == "" || (*out == "") == (*bundle == "") {
			return usagef("--study and either --out or --bundle are required\nusage: %s", cmd.UseLine())
		}
		return withStore(cmd.Context(), *path, func(db *store.Store) error {
			row, st, err := window.LoadStudy(cmd.Context(), db, *slug)
			if err != nil {
				return err
			}
			if *bundle != "" {
				return writeBundle(cmd, db, row, st, *bundle)
			}
			return window.Export(cmd.Context(), db, row, st, func(e *export.Data) error {
				for _, f := range *formats {
					e.Formats = append(e.Formats, export.Format(f))
				}
				e.At = time.Now()
				m, err := e.WriteFolder(*out)
				if err != nil {
					return err
				}
				return printManifest(cmd.OutOrStdout(), *out, m)
			})
		})
	}
	return cmd
}

// writeBundle writes a bundle to a new file. The file appears complete or not at all.
func writeBundle(cmd *cobra.Command, db *store.Store, row store.Study, st *studyfile.Study, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s already exists; move it first", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".overton-bundle-*")
	if err != nil {
		return fmt.Errorf("writing a bundle: %w", err)
	}
	defer os.Remove(f.Name())
	m, err := window.WriteBundle(cmd.Context(), db, row, st, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing a bundle: %w", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("writing a bundle: %w", err)
	}
	if err := printManifest(cmd.OutOrStdout(), path, m); err != nil {
		return err
	}
	runs := 0
	for _, file := range m.Files {
		if strings.HasPrefix(file.Name, "runs/") {
			runs++
		}
	}
	fmt.Fprintf(cmd.OutOrStdout(), "\nAnalyses in the bundle: %d.\n", runs)
	for _, run := range m.LeftOut {
		fmt.Fprintf(cmd.OutOrStdout(), "left out: run %d (%s) %s\n", run.ID, run.Kind, run.Reason)
	}
	return nil
}

// printManifest lists what was written.
func printManifest(w io.Writer, dir string, m export.Manifest) error {
	fmt.Fprintf(w, "Wrote %d files to %s.\n\n", len(m.Files)+1, dir)
	table := newTable(w)
	fmt.Fprintln(table, "\tsubmissions\tcomplete\tfree responses\tratings\tvotes\tskipped\t")
	for _, p := range []struct {
		who string
		n   export.ManifestPeople
	}{{"people", m.Counts.People}, {"virtual", m.Counts.Virtual}} {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", p.who, p.n.Submissions,
			p.n.Status[string(study.Completed)], p.n.Views, p.n.Ratings, p.n.Votes, p.n.Skipped)
	}
	return table.Flush()
}
