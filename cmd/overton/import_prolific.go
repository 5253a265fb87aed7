package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"overton/internal/dataset/survey"
	"overton/internal/store"
	"overton/internal/study"
	"overton/internal/window"
)

func newImportProlific() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prolific FILE",
		Short: "Hold Prolific's export of a study against what happened here",
		Long: `Read the file that Prolific exports of a study (prolific_export_….csv), keep what
it says of each submission beside the answers (status, code, time taken and the
demographic columns, which exports carry), and list whatever does not fit: who
finished here and was returned there, who came back with the completion code
without having finished, whom Prolific knows and nobody here has seen.

Reading a later file replaces what an earlier one said. Nothing is sent to
Prolific, and nobody is approved or rejected.`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	path := databaseFlag(cmd)
	slug := cmd.Flags().String("study", "", "the study's `SLUG`")
	cobra.CheckErr(cmd.MarkFlagRequired("study"))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		content, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		rows, err := survey.ReadProlific(filepath.Base(args[0]), content)
		if err != nil {
			return err
		}
		return withStore(cmd.Context(), *path, func(db *store.Store) error {
			_, st, err := window.LoadStudy(cmd.Context(), db, *slug)
			if err != nil {
				return err
			}
			kept, strangers, err := db.SaveRecruited(cmd.Context(), *slug, rows, 0)
			if err != nil {
				return err
			}
			standings, err := db.Standings(cmd.Context(), *slug)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d of %d submissions in the file began here.\n", kept, len(rows))
			return printStandings(cmd.OutOrStdout(), st.Recruitment, standings, strangers)
		})
	}
	return cmd
}

// printStandings counts how submissions stand here and there, and lists what
// does not fit.
func printStandings(w io.Writer, r study.Recruitment, standings []store.Standing, strangers []store.Stranger) error {
	counts := map[[2]string]int{}
	var odd []string
	for _, s := range standings {
		here, there := string(s.Outcome), "not in a file"
		if s.Outcome == study.InProgress {
			here = "not finished"
		}
		if s.Recruited != nil {
			there = s.Recruited.Status
			if d := r.Disagreement(s.Outcome, *s.Recruited); d != "" {
				odd = append(odd, fmt.Sprintf("%s\t%s\t%s", s.Submission, s.Recruited.Status, d))
			}
		}
		counts[[2]string{here, there}]++
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nhere\ton Prolific\tsubmissions")
	pairs := make([][2]string, 0, len(counts))
	for pair := range counts {
		pairs = append(pairs, pair)
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1]) })
	for _, pair := range pairs {
		fmt.Fprintf(table, "%s\t%s\t%d\n", pair[0], pair[1], counts[pair])
	}
	for _, row := range strangers {
		odd = append(odd, fmt.Sprintf("%s\t%s\t%s", row.Submission, row.Status, row.What))
	}
	if len(odd) > 0 {
		fmt.Fprintln(table, "\nsubmission\ton Prolific\twhat does not fit")
		for _, line := range odd {
			fmt.Fprintln(table, line)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(odd) == 0 {
		fmt.Fprintln(w, "\nEverything fits.")
	}
	return nil
}
