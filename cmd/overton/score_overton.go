package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"overton/internal/cluster"
	"overton/internal/dataset/votes"
	"overton/internal/score"
	"overton/internal/window"
	"overton/templates/report"
)

// overtonOptions are the flags of "score overton".
type overtonOptions struct {
	score.Parameters
	missing   string
	group     string
	votes     string
	subgroups []string
	minCell   int
	margins   string
	outside   string
	json      string
}

// overtonResult is all that "score overton" says, and its JSON.
type overtonResult = report.Scores

func newScoreOverton() *cobra.Command {
	o := overtonOptions{Parameters: score.DefaultParameters()}
	cmd := &cobra.Command{
		Use:   "overton RATINGS",
		Short: "OvertonScore of every model, with intervals and tests",
		Long: `OvertonScore of every model, with intervals and tests, from a file of ratings
(CSV, JSONL or Parquet) with the columns user, question_id, model,
representation_rating and the viewpoint group (--group).

Two intervals are shown: one from drawing the questions anew, as published, and
one from drawing the participants of each question anew. With --votes (columns
question_id, user, statement_id, vote) the groups are found anew each time too;
without, everybody keeps the group of the file.`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			result, err := scoreOverton(cmd.Context(), cmd.ErrOrStderr(), args[0], o)
			if err != nil {
				return err
			}
			if o.json != "" {
				if err := writeJSON(cmd.OutOrStdout(), o.json, result); err != nil {
					return err
				}
			}
			if o.json == "-" {
				return nil
			}
			return printOverton(cmd.OutOrStdout(), result)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVar(&o.json, "json", "", "write the whole result as JSON to this file, - for standard output")
	return cmd
}

// addFlags adds the flags of every command that scores a ratings file.
func (o *overtonOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.group, "group", votes.DefaultGroupColumn, "column with the participant's viewpoint group on the question")
	f.Float64Var(&o.Tau, "tau", o.Tau, "mean rating from which on a group is covered")
	f.StringVar(&o.missing, "missing", string(o.Missing), "a group without ratings of a model is uncovered, or drop it")
	f.IntVar(&o.Bootstrap, "bootstrap", o.Bootstrap, "resamples behind every interval, 0 for none")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "seed of the resampling")
	f.StringVar(&o.votes, "votes", "", "file of the votes, to find groups anew in each resample of the participants")
	f.StringSliceVar(&o.SubsetBy, "by", nil, "columns (source, topic) by whose values to score the questions apart")
	f.StringSliceVar(&o.subgroups, "subgroup", nil, "columns of the participants (Sex) by whose values to show ratings and coverage")
	f.IntVar(&o.minCell, "min-cell", 20, "fewest participants of a subgroup that is shown")
	f.StringVar(&o.margins, "margins", "", "file of population margins (variable, value, share) to weigh participants by")
	f.StringVar(&o.outside, "outside", "", "file of an outside score (model, score) to set against the OvertonScore")
}

// check reads the flags that need it, and finds what is wrong before any work.
func (o *overtonOptions) check() error {
	if o.Missing = score.Missing(o.missing); o.minCell < 1 {
		return usagef("--min-cell is %d; expected 1 or more", o.minCell)
	}
	return nil
}

// scoreOverton reads the files and computes everything that was asked for.
func scoreOverton(ctx context.Context, stderr io.Writer, path string, o overtonOptions) (*overtonResult, error) {
	content, in, err := readInput(path)
	if err != nil {
		return nil, err
	}
	ratings, err := votes.ReadRatings(path, content, o.group)
	if err != nil {
		return nil, err
	}
	if len(ratings.Rows) > 0 && !slices.ContainsFunc(ratings.Rows, func(r score.Rating) bool { return r.Group != "" }) {
		return nil, fmt.Errorf("%s: column %q is empty in all %d rows, so nobody is in a viewpoint group; analyse the study before you export it, or name another column with --group", path, o.group, len(ratings.Rows))
	}
	result := &overtonResult{Program: window.ThisProgram(), Input: in, Inputs: map[string]report.Input{}, Group: o.group}
	if result.Overton, err = score.OvertonScore(ratings, o.Parameters); err != nil {
		return nil, err
	}
	regroup, err := o.regroup(ctx, result)
	if err != nil {
		return nil, err
	}
	bar := progress(stderr, "drawing participants", result.Resamplings())
	if err := result.BootstrapParticipants(ctx, ratings, regroup, func() { _ = bar.Add(1) }); err != nil {
		return nil, err
	}
	result.Rated = ratings
	return result, o.addMore(result, func(raked *score.Overton) error {
		bar := progress(stderr, "drawing weighted participants", raked.Resamplings())
		return raked.BootstrapParticipants(ctx, ratings, regroup, func() { _ = bar.Add(1) })
	})
}

// addMore computes what was asked for besides the score. resample fills in the
// intervals from drawing participants.
func (o overtonOptions) addMore(result *overtonResult, resample func(*score.Overton) error) (err error) {
	if len(o.subgroups) > 0 {
		result.MinimumCell = o.minCell
		if result.Subgroups, err = score.Subgroups(result.Rated, o.Parameters, o.subgroups, o.minCell); err != nil {
			return err
		}
	}
	if o.margins != "" {
		margins, err := readFile(result, "margins", o.margins, votes.ReadMargins)
		if err != nil {
			return err
		}
		if result.Raked, err = score.RakedScore(result.Rated, o.Parameters, margins); err != nil {
			return err
		}
		if err := resample(result.Raked.Overton); err != nil {
			return err
		}
	}
	if o.outside != "" {
		outside, err := readFile(result, "outside", o.outside, votes.ReadOutsideScores)
		if err != nil {
			return err
		}
		result.Outside = score.CompareOutside(result.Models, outside)
	}
	return nil
}

// regroup finds the groups of every question in the votes, if there are any,
// and returns what finds them anew.
func (o overtonOptions) regroup(ctx context.Context, result *overtonResult) (score.Regroup, error) {
	if o.votes == "" {
		return nil, nil
	}
	cast, err := readFile(result, "votes", o.votes, votes.ReadQuestionVotes)
	if err != nil {
		return nil, err
	}
	options := cluster.DefaultOptions()
	options.Seed = o.Seed
	found := map[string]*cluster.Result{}
	for question, m := range cast {
		if found[question], err = cluster.Run(ctx, m, options); err != nil {
			return nil, fmt.Errorf("question %s: %w", question, err)
		}
	}
	return window.Regroup(cast, found, options), nil
}

// readFile reads a further input by its own reader and notes which it was.
func readFile[T any](result *overtonResult, flag, path string, read func(file string, content []byte) (T, error)) (T, error) {
	content, in, err := readInput(path)
	if err != nil {
		var none T
		return none, err
	}
	result.Inputs[flag] = in
	return read(path, content)
}

// printOverton writes the result as tables for a person.
func printOverton(w io.Writer, o *overtonResult) error {
	fmt.Fprintf(w, "%s of %s on %s; threshold %g, groups without ratings: %s\n\n", report.Counted(o.Ratings, "rating"),
		report.Counted(o.Participants, "participant"), report.Counted(len(o.Questions), "question"), o.Parameters.Tau, o.Parameters.Missing)
	if err := printModels(w, o.Models); err != nil {
		return err
	}
	printReference(w, o.Reference)
	for _, s := range o.Subsets {
		fmt.Fprintf(w, "\n%s = %s, %s\n", s.Attribute, s.Value, report.Counted(s.Questions, "question"))
		if err := printModels(w, s.Models); err != nil {
			return err
		}
		printReference(w, s.Reference)
	}
	if err := printSubgroups(w, o.Subgroups, o.MinimumCell); err != nil {
		return err
	}
	if o.Raked != nil {
		r := o.Raked.Raking
		fmt.Fprintf(w, "\nweighted to the margins: effective n %.0f, weights from %.2f to %.2f\n", float64(r.EffectiveN), float64(r.Smallest), float64(r.Largest))
		for _, warning := range r.Warnings {
			fmt.Fprintf(w, "  %s\n", warning)
		}
		if err := printModels(w, o.Raked.Models); err != nil {
			return err
		}
	}
	printOutside(w, o.Outside)
	printLeftOut(w, o.LeftOut)
	return nil
}

func printSubgroups(w io.Writer, groups []score.Subgroup, minimum int) error {
	for _, g := range groups {
		fmt.Fprintf(w, "\n%s = %s, %s\n", g.Attribute, g.Value, report.Counted(g.Participants, "participant"))
		if g.Models == nil {
			fmt.Fprintf(w, "not shown: fewer than %d\n", minimum)
			continue
		}
		t := newTable(w)
		fmt.Fprint(t, "model\tmean rating\t95 %\tcovered\t95 %\t\n")
		for _, m := range g.Models {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t\n", m.Model, decimals(m.Mean), interval(m.MeanCI), decimals(m.Coverage), interval(m.CoverageCI))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func printOutside(w io.Writer, o *score.Outside) {
	if o == nil {
		return
	}
	c := o.ByScore["adjusted"]
	fmt.Fprintf(w, "\noutside score against adjusted, %d models: Pearson %s (%s), Spearman %s (%s)\n",
		c.N, decimals(c.Pearson), interval(c.PearsonCI), decimals(c.Spearman), interval(c.SpearmanCI))
	if len(o.WithoutOutside) > 0 {
		fmt.Fprintf(w, "without an outside score: %s\n", strings.Join(o.WithoutOutside, ", "))
	}
}

// newTable aligns cells that end in tabs, to the right.
func newTable(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// printModels writes the leaderboard, best adjusted score first.
func printModels(w io.Writer, models []score.ModelScore) error {
	models = slices.Clone(models)
	slices.SortStableFunc(models, func(a, b score.ModelScore) int { return score.Descending(a.Adjusted, b.Adjusted) })
	name := 0
	for _, m := range models {
		name = max(name, len([]rune(m.Model)))
	}
	t := newTable(w)
	fmt.Fprintf(t, "%-*s\tn\traw\tadjusted\tparticipants 95 %%\tquestions 95 %%\tweighted\tadj. weighted\tdifference\tSE\tp normal\tp t\t\n", name, "model")
	for _, m := range models {
		d := m.Difference
		fmt.Fprintf(t, "%-*s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", name, m.Model, m.Questions,
			decimals(m.Raw), decimals(m.Adjusted), participants(m), interval(m.CI), decimals(m.Weighted), decimals(m.AdjustedWeighted),
			signed(d.Estimate), decimals(d.SE), pValue(d.PNormal), pValue(d.PT))
	}
	return t.Flush()
}

// participants is the interval from drawing participants, where there is one.
func participants(m score.ModelScore) string {
	if m.Intervals.Participants == nil {
		return "–"
	}
	return interval(m.Intervals.Participants.Adjusted)
}

func printReference(w io.Writer, r score.Reference) {
	fmt.Fprintf(w, "all models together %s (weighted %s), best single model of each question %s (%s), a single view %s (%s)\n",
		decimals(r.BestAcross), decimals(r.BestAcrossWeighted), decimals(r.BestAcrossMax), decimals(r.BestAcrossMaxWeighted),
		decimals(r.SingleView), decimals(r.SingleViewWeighted))
}

func printLeftOut(w io.Writer, l score.LeftOut) {
	said := report.LeftOut(l)
	if len(said) == 0 {
		said = []string{"nothing"}
	}
	fmt.Fprintf(w, "\nleft out: %s\n", strings.Join(said, "; "))
}

// decimals, signed, interval and pValue write numbers for tables; what is
// undefined is a dash.
func decimals(n score.Number) string   { return n.Text(3) }
func signed(n score.Number) string     { return n.SignedText(3) }
func interval(i score.Interval) string { return i.Text(3) }
func pValue(n score.Number) string     { return n.PText() }
