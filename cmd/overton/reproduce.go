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
		Short: "Compute every result of a bundle anew and compare",
		Long: `Compute every result of a bundle anew from its data, and say of each whether it
comes out the same, and if not, what differs. Numbers may differ from the ninth
digit on, since processors round otherwise in the last. What was changed in the
bundle since it was made is said first; the results are computed all the same,
from the data as they are now. Exit status 1 where anything differs.`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	json := cmd.Flags().String("json", "", "write the comparison as JSON to this `FILE`, - for standard output")
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
			return errors.New("the results are the same, but the bundle is not as it was made")
		}
		return nil
	}
	return cmd
}

// shownDifferences is how many differences of a run are printed; all that are
// known stand in the JSON.
const shownDifferences = 5

// printReproduction writes a comparison for a person to read.
func printReproduction(w io.Writer, r *window.Reproduction) {
	fmt.Fprintf(w, "%s, made by %s, computed by %s\n", r.Study, r.MadeBy, r.Computed)
	for _, change := range r.Changed {
		fmt.Fprintln(w, "changed:", change)
	}
	for _, run := range r.LeftOut {
		fmt.Fprintf(w, "not in the bundle: run %d (%s) %s\n", run.ID, run.Kind, run.Reason)
	}
	if len(r.Runs) == 0 {
		fmt.Fprintln(w, "The bundle holds no results.")
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
			fmt.Fprintf(w, "%s: same, though the data are other\n", name)
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
