package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"overton/internal/cluster"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/window"
)

func newWindow() *cobra.Command {
	o := window.DefaultOptions()
	var path, slug, k, json, people, missing, method string
	var noRecord, list bool
	var run int64
	cmd := &cobra.Command{
		Use:   "window --db FILE --study SLUG",
		Short: "Find each question's viewpoint groups and score the models",
		Long: `Find the viewpoint groups of each question of a study from the votes of the
people who finished, and score how much of each window the models cover. The
result is also recorded in the database, where the analysis pages show it.

With --list the recorded runs are listed, and with --run one of them is
shown; nothing is computed.`,
		Args: usageArgs(cobra.NoArgs),
	}
	f := cmd.Flags()
	f.StringVar(&path, "db", "overton.db", "the database `FILE`")
	f.StringVar(&slug, "study", "", "the study's slug")
	f.StringSliceVar(&o.Questions, "question", nil, "only this question `ID` (can be given again)")
	f.StringVar(&method, "method", string(o.Cluster.Method), "how to find groups: overton, paper, polis or block")
	f.StringVar(&k, "k", "auto", "number of groups, or auto")
	f.IntVar(&o.Cluster.KMax, "kmax", o.Cluster.KMax, "largest number of groups to try")
	f.IntVar(&o.Cluster.MinVotes, "min-votes", o.Cluster.MinVotes, "leave out participants with fewer votes than this on a question")
	f.Float64Var(&o.Score.Tau, "tau", o.Score.Tau, "mean rating at or above which a group is covered")
	f.StringVar(&missing, "missing", string(o.Score.Missing), "count a group without ratings of a model as uncovered, or drop it")
	f.IntVar(&o.Score.Bootstrap, "bootstrap", o.Score.Bootstrap, "resamples of questions for the paper's interval, 0 for none")
	f.IntVar(&o.Regroupings, "regroupings", o.Regroupings, "resamples of participants with groups recomputed in each, 0 for none")
	f.Uint64Var(&o.Cluster.Seed, "seed", o.Cluster.Seed, "seed of every random choice")
	f.StringVar(&people, "people", string(o.People), "whose data to use: real, virtual, or auto (real if anyone finished)")
	f.BoolVar(&noRecord, "no-record", false, "do not record the result in the database")
	f.StringVar(&json, "json", "", "write the full result as JSON to this `FILE`, or - for standard output")
	f.BoolVar(&list, "list", false, "list the runs recorded in the database")
	f.Int64Var(&run, "run", 0, "show the run with this `ID`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if slug == "" {
			return usagef("window: name the study with --study")
		}
		if list || run != 0 {
			return withStore(cmd.Context(), path, func(db *store.Store) error {
				row, err := db.Study(cmd.Context(), slug)
				if err != nil {
					return err
				}
				if list {
					return printRuns(cmd.Context(), cmd.OutOrStdout(), db, row)
				}
				return showRun(cmd.Context(), cmd.OutOrStdout(), db, row, run, json)
			})
		}
		if k != "auto" {
			n, err := strconv.Atoi(k)
			if err != nil || n < 1 {
				return usagef("window: --k is %q; expected auto, or a number of at least 1", k)
			}
			o.Cluster.K = n
		}
		o.Cluster.Method, o.Score.Missing, o.People, o.Score.Seed = cluster.Method(method), score.Missing(missing),
			window.People(people), o.Cluster.Seed
		if err := o.Check(); err != nil {
			return usagef("window: %v", err)
		}
		return withStore(cmd.Context(), path, func(db *store.Store) error {
			row, st, err := window.LoadStudy(cmd.Context(), db, slug)
			if err != nil {
				return err
			}
			data, err := window.Collect(cmd.Context(), db, row, st, o.People, o.Questions)
			if err != nil {
				return err
			}
			n := len(o.Questions)
			if n == 0 {
				n = len(st.Questions.Questions)
			}
			bar := progress(cmd.ErrOrStderr(), "analysing", o.Steps(n))
			result, err := window.Analyse(cmd.Context(), st, data, o, func() { bar.Add(1) })
			bar.Finish()
			if err != nil {
				return err
			}
			if !noRecord && o.Questions == nil {
				if err := window.Record(cmd.Context(), db, row, result); err != nil {
					return err
				}
			}
			if json != "" {
				if err := writeJSON(cmd.OutOrStdout(), json, result); err != nil {
					return err
				}
			}
			if json == "-" {
				return nil
			}
			return printWindow(cmd.OutOrStdout(), result)
		})
	}
	return cmd
}

// printRuns lists the runs of a study, the newest first.
func printRuns(ctx context.Context, w io.Writer, db *store.Store, row store.Study) error {
	runs, err := db.Runs(ctx, row.ID, window.RunKind)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "run\tstate\tasked for\tmethod\tpeople\tname")
	for _, r := range runs {
		o, err := window.Parameters(r)
		if err != nil {
			return err
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%d\t%s\n", r.ID, r.State,
			time.UnixMilli(r.CreatedAt).UTC().Format("2006-01-02 15:04"), o.Cluster.Method, r.Complete, r.Name)
	}
	return t.Flush()
}

// showRun writes the result of one run, as JSON if a file is named.
func showRun(ctx context.Context, w io.Writer, db *store.Store, row store.Study, id int64, json string) error {
	run, err := db.Run(ctx, row.ID, id)
	if err != nil {
		return err
	}
	if run.Kind != window.RunKind || run.State != store.RunDone {
		return fmt.Errorf("run %d is %s and has no windows to show", id, run.State)
	}
	if json != "" {
		content, err := window.Indented(run.Result)
		if err != nil {
			return err
		}
		if json == "-" {
			_, err := w.Write(content)
			return err
		}
		if err := writeWhole(json, content); err != nil {
			return err
		}
	}
	result, err := window.ReadResult(run)
	if err != nil {
		return err
	}
	return printWindow(w, result)
}

// printWindow writes a result for people to read.
func printWindow(w io.Writer, r *window.Result) error {
	who := "people"
	if r.People.Virtual {
		who = "virtual participants"
	}
	fmt.Fprintf(w, "%s: %d %s who finished", r.Study.Title, r.People.Complete, who)
	if r.People.Incomplete > 0 {
		fmt.Fprintf(w, "; left out: %d submissions that are not complete", r.People.Incomplete)
	}
	if r.People.OtherKind > 0 {
		other := "virtual"
		if r.People.Virtual {
			other = "real"
		}
		fmt.Fprintf(w, "; left out: %d complete submissions of %s participants", r.People.OtherKind, other)
	}
	fmt.Fprint(w, "\n\n")
	t := newTable(w)
	fmt.Fprintf(t, "question\tpeople\tvotes\tgroups\tsizes\tsilhouette\tstability\tleft out\t\n")
	for _, q := range r.Questions {
		votes := 0
		for _, s := range q.Statements {
			votes += s.Agree + s.Disagree + s.Neutral
		}
		var sizes []string
		for _, g := range q.Groups {
			sizes = append(sizes, strconv.Itoa(g.Size))
		}
		stability := "-"
		if q.Stability != nil {
			stability = decimals(score.Number(q.Stability.Statements))
		}
		silhouette := "-"
		if v, ok := q.Silhouette[q.K]; ok {
			silhouette = decimals(score.Number(v))
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t%s\t%s\t%d\t\n", q.Question, len(q.Participants), votes, q.K,
			strings.Join(sizes, "+"), silhouette, stability, len(q.LeftOut))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	grouped := slices.ContainsFunc(r.Questions, func(q window.Question) bool { return q.K > 0 })
	switch {
	case r.Score == nil && grouped:
		fmt.Fprintln(w, "\nNobody rated a model response, so there is no score.")
		return nil
	case r.Score == nil:
		return errors.New("nobody could be placed in a group on any question, so there is no score: people need votes on each other's statements")
	}
	fmt.Fprintln(w)
	return printOverton(w, &overtonResult{Overton: r.Score})
}
