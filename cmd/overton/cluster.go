package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"overton/internal/cluster"
	"overton/internal/dataset/votes"
	"overton/internal/window"
)

// clusterOptions are the flags of "cluster".
type clusterOptions struct {
	cluster.Options
	format     string
	statements string
	agree      string
	method     string
	k          string
	json       string
}

// clusterInput says which votes a grouping was computed from.
type clusterInput struct {
	SHA256 string       `json:"sha256"`
	Files  []votes.File `json:"files"`
	Agree  int          `json:"agree"` // the number that means agree in them
	Notes  []string     `json:"notes,omitempty"`
}

// clusterFile is the JSON of "cluster".
type clusterFile struct {
	Program    window.Program  `json:"program"`
	Input      clusterInput    `json:"input"`
	Parameters cluster.Options `json:"parameters"`
	*cluster.Result
}

func newCluster() *cobra.Command {
	o := clusterOptions{Options: cluster.DefaultOptions()}
	cmd := &cobra.Command{
		Use:   "cluster VOTES",
		Short: "Find the viewpoint groups of a set of votes",
		Long: `Find the viewpoint groups of a set of votes, with what speaks for each group and
how sure it all is.

VOTES is, by --format:
  polis      a Polis export folder: participants-votes.csv or votes.csv, comments.csv
  polis-api  votes.json as the Polis API gives it, or its folder; comments.json beside it
  long       a CSV file with the columns participant, statement, vote`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.parse(); err != nil {
				return err
			}
			return runCluster(cmd.Context(), cmd.OutOrStdout(), args[0], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "polis, polis-api or long")
	f.StringVar(&o.method, "method", string(o.Method), "overton, paper, polis or block")
	f.StringVar(&o.k, "k", "auto", "number of groups, or auto")
	f.IntVar(&o.KMax, "kmax", o.KMax, "largest number of groups that auto tries")
	f.IntVar(&o.MinVotes, "min-votes", o.MinVotes, "leave out participants with fewer votes, unless there are fewer statements")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "seed of everything random")
	f.IntVar(&o.Starts, "starts", o.Starts, "starts of each search")
	f.IntVar(&o.Resamples, "resamples", o.Resamples, "resamples behind each measure of doubt, 0 for none")
	f.StringVar(&o.agree, "agree", "auto", "the number that means agree in Polis files: +1, -1, or auto to find out")
	f.StringVar(&o.statements, "statements", "", "long only: a CSV file beside VOTES with statement, author, moderated, meta, text")
	f.StringVar(&o.json, "json", "", "write the whole result as JSON to this file, - for standard output")
	return cmd
}

// parse fills in the options that have a spelling of their own.
func (o *clusterOptions) parse() error {
	o.Method = cluster.Method(o.method)
	if !slices.Contains(cluster.Methods(), o.Method) {
		return usagef("--method %q: expected overton, paper, polis or block", o.method)
	}
	if !slices.Contains([]string{"polis", "polis-api", "long"}, o.format) {
		return usagef("--format %q: expected polis, polis-api or long", o.format)
	}
	if !slices.Contains([]string{"auto", "1", "+1", "-1"}, o.agree) {
		return usagef("--agree %q: expected +1, -1 or auto", o.agree)
	}
	if o.statements != "" && o.format != "long" {
		return usagef("--statements goes with --format long; a Polis export has comments of its own")
	}
	o.K = 0
	if o.k != "auto" {
		k, err := strconv.Atoi(o.k)
		if err != nil || k < 1 {
			return usagef("--k %q: expected auto or a number from 1", o.k)
		}
		o.K = k
	}
	if err := o.Check(); err != nil {
		return usagef("%w", err)
	}
	return nil
}

// readVotes reads the votes at path in the format chosen.
func (o clusterOptions) readVotes(path string) (*votes.Set, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading votes: %w", err)
	}
	agree, _ := strconv.Atoi(o.agree) // 0 for auto
	dir, name := os.DirFS(filepath.Dir(path)), filepath.Base(path)
	switch o.format {
	case "polis":
		if !info.IsDir() {
			return nil, fmt.Errorf("reading votes: %s is a file, expected the folder of a Polis export", path)
		}
		return votes.ReadPolis(os.DirFS(path), agree)
	case "polis-api":
		if info.IsDir() {
			dir, name = os.DirFS(path), "votes.json"
		}
		return votes.ReadPolisAPI(dir, name, agree)
	default:
		if o.statements != "" && filepath.Dir(o.statements) != filepath.Dir(path) {
			return nil, fmt.Errorf("reading statements: %s, expected a file in the folder of %s", o.statements, path)
		}
		statements := ""
		if o.statements != "" {
			statements = filepath.Base(o.statements)
		}
		return votes.ReadLong(dir, name, statements)
	}
}

func runCluster(ctx context.Context, stdout io.Writer, path string, o clusterOptions) error {
	cast, err := o.readVotes(path)
	if err != nil {
		return err
	}
	result, err := cluster.Run(ctx, cast.Matrix, o.Options)
	if err != nil {
		return err
	}
	if o.json != "" {
		in := clusterInput{cast.Hash(), cast.Files, cast.Agree, cast.Notes}
		if err := writeJSON(stdout, o.json, clusterFile{window.ThisProgram(), in, o.Options, result}); err != nil {
			return err
		}
	}
	if o.json == "-" {
		return nil
	}
	return printCluster(stdout, cast, result)
}

// printCluster writes a grouping as tables for a person.
func printCluster(w io.Writer, cast *votes.Set, r *cluster.Result) error {
	participants, statements := cast.Matrix.Dims()
	fmt.Fprintf(w, "%d participants, %d statements, %d votes; method %s\n", participants, statements, cast.Matrix.Votes(), r.Method)
	fmt.Fprintf(w, "%d viewpoint groups\n\n", r.K)
	t := newTable(w)
	fmt.Fprintln(t, "group\tsize\tshare\tx\ty\t")
	for _, g := range r.Groups {
		fmt.Fprintf(t, "%d\t%d\t%.0f %%\t%.2f\t%.2f\t\n", g.Group, g.Size, 100*g.Share, g.Center[0], g.Center[1])
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, g := range r.Groups {
		fmt.Fprintf(w, "\nwhat tells group %d apart\n", g.Group)
		if err := printRepresentative(w, cast, g.Representative); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		what string
		list []cluster.Representative
	}{{"agree", r.Consensus.Agree}, {"disagree", r.Consensus.Disagree}} {
		if len(c.list) > 0 && r.K > 1 {
			fmt.Fprintf(w, "\nwhat most participants %s on\n", c.what)
			if err := printRepresentative(w, cast, c.list); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(w)
	printDoubt(w, r)
	for _, text := range slices.Concat(cast.Notes, r.Warnings) {
		fmt.Fprintf(w, "note: %s\n", text)
	}
	return nil
}

// printRepresentative lists statements with their counts and, where the files
// hold them, their words.
func printRepresentative(w io.Writer, cast *votes.Set, list []cluster.Representative) error {
	t := newTable(w)
	for _, s := range list {
		text := []rune(strings.Join(strings.Fields(cast.Texts[s.Statement]), " "))
		if len(text) > 90 {
			text = append(text[:89], '…')
		}
		fmt.Fprintf(t, "%s\t%s\t%d of %d\t  %s\n", s.Statement, s.Direction, s.Count, s.Votes, string(text))
	}
	return t.Flush()
}

// printDoubt says how sure the grouping is and who is not in it.
func printDoubt(w io.Writer, r *cluster.Result) {
	var said []string
	for _, k := range slices.Sorted(maps.Keys(r.Silhouette)) {
		said = append(said, fmt.Sprintf("%d: %.3f", k, float64(r.Silhouette[k])))
	}
	if len(said) > 0 {
		fmt.Fprintf(w, "mean silhouette by number of groups: %s\n", strings.Join(said, ", "))
	}
	if s := r.Separation; s != nil {
		fmt.Fprintf(w, "variance on the first axis %.1f, of shuffled votes %.1f, p %.2g\n", float64(s.Variance), float64(s.Chance), float64(s.P))
	}
	if s := r.Stability; s != nil && r.K > 1 {
		fmt.Fprintf(w, "groups that come back (adjusted Rand index) from four fifths of the statements %.2f, of the participants %.2f, from other seeds %.2f\n",
			float64(s.Statements), float64(s.Participants), float64(s.Seeds))
	}
	reasons := map[string]int{}
	for _, l := range r.LeftOut {
		reasons[l.Reason]++
	}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(w, "left out: %d participants, %s\n", reasons[reason], reason)
	}
}
