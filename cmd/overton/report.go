package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"overton/internal/dataset/studyfile"
	"overton/internal/dataset/votes"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/window"
	"overton/templates/report"
)

// reportOptions are the flags of "report".
type reportOptions struct {
	overtonOptions
	db, study   string
	people      string
	regroupings int
	outsideName string
	models      []string
	out         string
}

func newReport() *cobra.Command {
	o := reportOptions{overtonOptions: overtonOptions{Parameters: score.DefaultParameters()}}
	cmd := &cobra.Command{
		Use:   "report (RATINGS | --db FILE --study SLUG) --out DIR",
		Short: "Write all scores and figures as one page",
		Long: `Write all scores and figures as one page that needs no server, from a file of
ratings or from a study in the database. The folder DIR receives report.html,
result.json with every number, and the figures as SVG and PNG with their numbers as CSV.`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			if o.out == "" || (len(args) == 1) == (o.study != "") {
				return usagef("--out and either a file of ratings or --study are required\nusage: %s", cmd.UseLine())
			}
			var r *report.Report
			var err error
			if o.study != "" {
				err = withStore(cmd.Context(), o.db, func(db *store.Store) error {
					r, err = reportStudy(cmd.Context(), cmd.ErrOrStderr(), db, o)
					return err
				})
			} else {
				r, err = reportFile(cmd.Context(), cmd.ErrOrStderr(), args[0], o)
			}
			if err != nil {
				return err
			}
			if err := writeReport(r, o.out); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), filepath.Join(o.out, "report.html"))
			return nil
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.db, "db", "overton.db", "the database `FILE`")
	f.StringVar(&o.study, "study", "", "the study's slug")
	f.StringVar(&o.people, "people", string(window.Auto), "for a study, whose data to use: real, virtual, or auto (real if anyone finished)")
	f.IntVar(&o.regroupings, "regroupings", window.DefaultOptions().Regroupings, "for a study, resamples of "+
		"participants with groups recomputed in each")
	f.StringVar(&o.outsideName, "outside-name", "outside score", "what the outside score is called")
	f.StringArrayVar(&o.models, "survey-model", nil, "for a study, file of models' answers to one of its surveys "+
		"(`INSTRUMENT=FILE`); by default, those of the latest analysis on the admin pages")
	f.StringVar(&o.out, "out", "", "folder for the report")
	return cmd
}

func reportFile(ctx context.Context, stderr io.Writer, path string, o reportOptions) (*report.Report, error) {
	result, err := scoreOverton(ctx, stderr, path, o.overtonOptions)
	if err != nil {
		return nil, err
	}
	return &report.Report{Title: "OvertonScore of " + filepath.Base(path), Scores: result, OutsideName: o.outsideName,
		Regroupings: o.Bootstrap}, nil
}

func reportStudy(ctx context.Context, stderr io.Writer, db *store.Store, o reportOptions) (*report.Report, error) {
	row, st, err := window.LoadStudy(ctx, db, o.study)
	if err != nil {
		return nil, err
	}
	surveys, err := o.surveys(ctx, stderr, db, row, st)
	if err != nil {
		return nil, err
	}
	if st.Overton() == nil {
		if surveys == nil {
			return nil, fmt.Errorf("study %s: it has no questions or surveys to report", o.study)
		}
		return report.OfSurveys(surveys), nil
	}
	data, err := window.Collect(ctx, db, row, st, window.People(o.people), nil)
	if err != nil {
		return nil, err
	}
	options := window.DefaultOptions()
	options.Score, options.People, options.Regroupings = o.Parameters, window.People(o.people), o.regroupings
	options.Cluster.Seed = o.Seed
	bar := progress(stderr, "analysing", options.Steps(len(st.Questions.Questions)))
	found, err := window.Analyse(ctx, st, data, options, func() { _ = bar.Add(1) })
	if err != nil {
		return nil, err
	}
	switch {
	case found.Score == nil && surveys != nil:
		return report.OfSurveys(surveys), nil
	case found.Score == nil:
		return nil, fmt.Errorf("study %s: no participant could be placed in a group, so there is nothing to report", o.study)
	}
	statements, err := db.Statements(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	r := report.OfStudy(found, statements)
	r.Rated, r.OutsideName, r.Surveys = data.Grouped(found), o.outsideName, surveys
	return r, o.addMore(r.Scores, func(raked *score.Overton) error {
		return window.Resample(ctx, raked, r.Rated, o.regroupings, data.Regroup(found), func() {})
	})
}

// surveys analyses a study's surveys with the given models' answers or, if none are given, those of the
// latest analysis on the admin pages. The result is nil if the study has no surveys.
func (o *reportOptions) surveys(ctx context.Context, stderr io.Writer, db *store.Store, row store.Study,
	st *studyfile.Study) (*window.Surveys, error) {
	instruments := window.Instruments(st)
	if len(instruments) == 0 {
		return nil, nil
	}
	options := window.SurveyOptions{People: window.People(o.people), Bootstrap: o.Bootstrap, Seed: o.Seed}
	if o.margins != "" {
		content, _, err := readInput(o.margins)
		if err != nil {
			return nil, err
		}
		if options.Margins, err = votes.ReadMargins(o.margins, content); err != nil {
			return nil, err
		}
	}
	var files []window.ModelFile
	for _, given := range o.models {
		name, path, ok := strings.Cut(given, "=")
		in, known := st.Instruments[name]
		if !ok || !known {
			return nil, usagef("--survey-model is %q; expected INSTRUMENT=FILE, where INSTRUMENT is one of %s", given,
				strings.Join(instruments, ", "))
		}
		content, _, err := readInput(path)
		if err != nil {
			return nil, err
		}
		f, err := window.ReadModelFile(filepath.Base(path), content, in)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		switch latest, _, err := window.LatestSurveys(ctx, db, row); {
		case err == nil:
			files = latest.Files
		case !errors.Is(err, store.ErrNotFound):
			return nil, err
		}
	}
	bar := progress(stderr, "surveys", len(instruments))
	return window.AnalyseSurveys(ctx, db, row, st, options, files, func() { _ = bar.Add(1) })
}

// writeReport writes the page, the numbers and the figures to a folder.
func writeReport(r *report.Report, dir string) error {
	page, err := r.HTML()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "report.html"), page, 0o600); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := writeFigures(filepath.Join(dir, "figures"), r.Figures()); err != nil {
		return err
	}
	return writeJSON(io.Discard, filepath.Join(dir, "result.json"), r)
}
