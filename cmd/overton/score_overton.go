package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"overton/internal/dataset"
	"overton/internal/score"
)

// overtonOptions are the flags of "score overton".
type overtonOptions struct {
	score.Parameters
	missing string
	group   string
	json    string
}

// overtonFile is the JSON of "score overton".
type overtonFile struct {
	Program program `json:"program"`
	Input   input   `json:"input"`
	*score.Overton
}

func newScoreOverton() *cobra.Command {
	o := overtonOptions{Parameters: score.DefaultParameters()}
	cmd := &cobra.Command{
		Use:   "overton RATINGS",
		Short: "OvertonScore of every model, with intervals and tests",
		Long: `OvertonScore of every model, with intervals and tests, from a file of ratings
(CSV, JSONL or Parquet) with the columns user, question_id, model,
representation_rating and the viewpoint group (--group).`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Missing = score.Missing(o.missing)
			return runScoreOverton(cmd.OutOrStdout(), args[0], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.group, "group", dataset.DefaultGroupColumn, "column with the participant's viewpoint group on the question")
	f.Float64Var(&o.Tau, "tau", o.Tau, "mean rating from which on a group is covered")
	f.StringVar(&o.missing, "missing", string(o.Missing), "a group without ratings of a model is uncovered, or drop it")
	f.IntVar(&o.Bootstrap, "bootstrap", o.Bootstrap, "resamples behind every interval, 0 for none")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "seed of the resampling")
	f.StringSliceVar(&o.SubsetBy, "by", nil, "columns (source, topic) by whose values to score the questions apart")
	f.StringVar(&o.json, "json", "", "write the whole result as JSON to this file, - for standard output")
	return cmd
}

func runScoreOverton(stdout io.Writer, path string, o overtonOptions) error {
	content, in, err := readInput(path)
	if err != nil {
		return err
	}
	ratings, err := dataset.ReadRatings(path, content, o.group)
	if err != nil {
		return err
	}
	result, err := score.OvertonScore(ratings, o.Parameters)
	if err != nil {
		return err
	}
	if o.json != "" {
		if err := writeJSON(stdout, o.json, overtonFile{thisProgram(), in, result}); err != nil {
			return err
		}
	}
	if o.json == "-" {
		return nil
	}
	return printOverton(stdout, result)
}

// printOverton writes the result as tables for a person.
func printOverton(w io.Writer, o *score.Overton) error {
	fmt.Fprintf(w, "%d ratings of %d participants on %d questions; threshold %g, groups without ratings: %s\n\n",
		o.Ratings, o.Participants, len(o.Questions), o.Parameters.Tau, o.Parameters.Missing)
	if err := printModels(w, o.Models); err != nil {
		return err
	}
	printReference(w, o.Reference)
	for _, s := range o.Subsets {
		fmt.Fprintf(w, "\n%s = %s, %d questions\n", s.Attribute, s.Value, s.Questions)
		if err := printModels(w, s.Models); err != nil {
			return err
		}
		printReference(w, s.Reference)
	}
	printLeftOut(w, o.LeftOut)
	return nil
}

// newTable aligns cells that end in tabs, to the right.
func newTable(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// printModels writes the leaderboard, best adjusted score first.
func printModels(w io.Writer, models []score.ModelScore) error {
	models = slices.Clone(models)
	slices.SortStableFunc(models, func(a, b score.ModelScore) int { return compareDown(a.Adjusted, b.Adjusted) })
	name := 0
	for _, m := range models {
		name = max(name, len([]rune(m.Model)))
	}
	t := newTable(w)
	fmt.Fprintf(t, "%-*s\tn\traw\tadjusted\tquestions 95 %%\tweighted\tadj. weighted\tdifference\tSE\tp normal\tp t\t\n", name, "model")
	for _, m := range models {
		d := m.Difference
		fmt.Fprintf(t, "%-*s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", name, m.Model, m.Questions,
			decimals(m.Raw), decimals(m.Adjusted), interval(m.CI), decimals(m.Weighted), decimals(m.AdjustedWeighted),
			signed(d.Estimate), decimals(d.SE), pValue(d.PNormal), pValue(d.PT))
	}
	return t.Flush()
}

func printReference(w io.Writer, r score.Reference) {
	fmt.Fprintf(w, "all models together %s (weighted %s), best single model of each question %s (%s), a single view %s (%s)\n",
		decimals(r.BestAcross), decimals(r.BestAcrossWeighted), decimals(r.BestAcrossMax), decimals(r.BestAcrossMaxWeighted),
		decimals(r.SingleView), decimals(r.SingleViewWeighted))
}

func printLeftOut(w io.Writer, l score.LeftOut) {
	var said []string
	if l.RatingsWithoutValue > 0 {
		said = append(said, fmt.Sprintf("%d ratings without a value", l.RatingsWithoutValue))
	}
	if l.RatingsWithoutGroup > 0 {
		said = append(said, fmt.Sprintf("%d ratings without a group (participant on a question: %d)", l.RatingsWithoutGroup, l.ParticipantsWithoutGroup))
	}
	if n := len(l.QuestionsWithoutGroups); n > 0 {
		said = append(said, fmt.Sprintf("%d questions without groups (%s)", n, strings.Join(l.QuestionsWithoutGroups, ", ")))
	}
	if l.GroupsWithoutRatings > 0 {
		said = append(said, fmt.Sprintf("%d times a group gave a model of its question no rating", l.GroupsWithoutRatings))
	}
	if len(said) == 0 {
		said = []string{"nothing"}
	}
	fmt.Fprintf(w, "\nleft out: %s\n", strings.Join(said, "; "))
}

// compareDown orders from high to low, undefined last.
func compareDown(a, b score.Number) int {
	switch {
	case !a.Defined() || !b.Defined():
		if a.Defined() {
			return -1
		}
		if b.Defined() {
			return 1
		}
		return 0
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

// decimals, signed, interval and pValue write numbers for tables; what is
// undefined is a dash.
func decimals(n score.Number) string {
	if !n.Defined() {
		return "–"
	}
	return fmt.Sprintf("%.3f", float64(n))
}

func signed(n score.Number) string {
	if !n.Defined() {
		return "–"
	}
	return fmt.Sprintf("%+.3f", float64(n))
}

func interval(i score.Interval) string {
	if !i.Defined() {
		return "–"
	}
	return fmt.Sprintf("%.3f to %.3f", float64(i.Low), float64(i.High))
}

func pValue(n score.Number) string {
	switch {
	case !n.Defined():
		return "–"
	case n < 0.0001:
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", float64(n))
}
