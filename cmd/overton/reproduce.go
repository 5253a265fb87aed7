package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"overton/internal/dataset/export"
	"overton/internal/window"
)

func newReproduce() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reproduce BUNDLE.zip",
		Short: "Recompute every result in a bundle and compare",
		Long: `Recompute every result in a bundle from its data and say for each whether it is the
same and, if not, what differs. Numbers may differ from the ninth digit on, because
processors round the last digits differently. If files in the bundle were changed
after it was made, that is said first; the results are still computed, from the data
as they are now. The exit status is 1 if anything differs.`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	json := cmd.Flags().String("json", "", "write the comparison as JSON to this `FILE`, or - for standard output")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f, err := os.Open(args[0])
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		b, err := export.ReadBundle(args[0], f, info.Size())
		if err != nil {
			return err
		}
		bar := progress(cmd.ErrOrStderr(), "computing", len(b.Runs))
		r, err := window.Reproduce(cmd.Context(), b, func() { bar.Add(1) })
		bar.Finish()
		if err != nil {
			return err
		}
		if *json != "" {
			if err := writeJSON(cmd.OutOrStdout(), *json, r); err != nil {
				return err
			}
		}
		if *json != "-" {
			printReproduction(cmd.OutOrStdout(), r)
		}
		different := 0
		for _, c := range r.Runs {
			if !c.Same {
				different++
			}
		}
		switch {
		case different > 0:
			return fmt.Errorf("%d of %d results are different", different, len(r.Runs))
		case !r.Same:
			return errors.New("the results are the same, but the bundle was changed after it was made")
		}
		return nil
	}
	return cmd
}

// shownDifferences is how many differences of a run are printed; the JSON has all of them.
const shownDifferences = 5

// printReproduction writes a comparison for people to read.
func printReproduction(w io.Writer, r *window.Reproduction) {
	fmt.Fprintf(w, "%s, made by %s, recomputed by %s\n", r.Study, r.MadeBy, r.Computed)
	for _, change := range r.Changed {
		fmt.Fprintln(w, "changed:", change)
	}
	for _, run := range r.LeftOut {
		fmt.Fprintf(w, "not in the bundle: run %d (%s) %s\n", run.ID, run.Kind, run.Reason)
	}
	if len(r.Runs) == 0 {
		fmt.Fprintln(w, "The bundle contains no results.")
	}
	for _, c := range r.Runs {
		name := fmt.Sprintf("run %d (%s)", c.Run, c.Kind)
		if c.Name != "" {
			name += " " + c.Name
		}
		switch {
		case c.Failure != "":
			fmt.Fprintf(w, "%s: could not be computed: %s\n", name, c.Failure)
			continue
		case c.Same && c.SameInput:
			fmt.Fprintf(w, "%s: same\n", name)
			continue
		case c.Same:
			fmt.Fprintf(w, "%s: same, although the data differ\n", name)
			continue
		}
		data := "from the same data"
		if !c.SameInput {
			data = "from other data"
		}
		fmt.Fprintf(w, "%s: different %s, %d values", name, data, c.Different)
		if len(c.Questions) > 0 {
			fmt.Fprintf(w, "; questions %s", strings.Join(c.Questions, ", "))
		}
		fmt.Fprintln(w)
		for i, d := range c.Differences {
			if i == shownDifferences {
				fmt.Fprintf(w, "  and %d more\n", c.Different-i)
				break
			}
			fmt.Fprintf(w, "  %s: %s, now %s\n", d.Where, d.Recorded, d.Computed)
		}
	}
}
