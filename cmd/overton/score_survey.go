package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"overton/internal/dataset/survey"
	"overton/internal/dataset/votes"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/window"
)

// surveyOptions are the flags of "score survey".
type surveyOptions struct {
	window.SurveyOptions
	db, slug, people, margins string
	models, responses         []string
	json                      string
	figures                   string
}

// surveyResult is the JSON of "score survey".
type surveyResult struct {
	*window.SurveyResult
	Inputs []input `json:"inputs,omitempty"` // files beside the database
}

func newScoreSurvey() *cobra.Command {
	o := surveyOptions{}
	cmd := &cobra.Command{
		Use:   "survey --db FILE --study SLUG --instrument NAME",
		Short: "What a study's people answered to an instrument, and models beside them",
		Long: `What a study's people answered to an instrument: shares of the options,
refusals, and where topics have sides the numbers of POBs, each with an interval
from drawing people anew. Models' answers stand beside theirs: distributions
(--model, a table with model, question, option, probability) or repetitions of a
POBs survey (--responses, a folder). --margins (variable, value, share) weighs
people so that they match a population.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.People = window.People(o.people)
			switch {
			case o.slug == "" || o.Instrument == "":
				return usagef("--study and --instrument are needed\nusage: %s", cmd.UseLine())
			case !slices.Contains([]window.People{window.Auto, window.Real, window.Virtual}, o.People):
				return usagef("--people is %q; expected real, virtual or auto", o.people)
			}
			return withStore(cmd.Context(), o.db, func(db *store.Store) error {
				result, err := scoreSurvey(cmd, db, o)
				if err != nil {
					return err
				}
				if o.json != "" {
					if err := writeJSON(cmd.OutOrStdout(), o.json, result); err != nil {
						return err
					}
				}
				if err := writeFigures(o.figures, surveyFigures(result)); err != nil {
					return err
				}
				if o.json == "-" {
					return nil
				}
				return printSurvey(cmd.OutOrStdout(), result)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.db, "db", "overton.db", "the database")
	f.StringVar(&o.slug, "study", "", "the study's slug")
	f.StringVar(&o.Instrument, "instrument", "", "the instrument, as the study's flow names it")
	f.StringVar(&o.people, "people", string(window.Auto), "whose data: real, virtual, or auto (real where anybody finished)")
	f.StringVar(&o.margins, "margins", "", "file of population margins (variable, value, share) to weigh people by")
	f.StringArrayVar(&o.models, "model", nil, "file of models' answers")
	f.StringArrayVar(&o.responses, "responses", nil, "folder of models' answers to a POBs survey")
	f.IntVar(&o.Bootstrap, "bootstrap", 1000, "resamples behind every interval, 0 for none")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the resampling")
	f.StringVar(&o.json, "json", "", "write the whole result as JSON to this file, - for standard output")
	f.StringVar(&o.figures, "figures", "", "folder to write figures to: SVG, PNG, and their numbers as CSV")
	return cmd
}

func scoreSurvey(cmd *cobra.Command, db *store.Store, o surveyOptions) (*surveyResult, error) {
	row, st, err := window.LoadStudy(cmd.Context(), db, o.slug)
	if err != nil {
		return nil, err
	}
	data, err := window.CollectSurvey(cmd.Context(), db, row, st, o.SurveyOptions)
	if err != nil {
		return nil, err
	}
	in := st.Instruments[o.Instrument]
	result := &surveyResult{}
	if o.margins != "" {
		if o.Margins, err = readNoted(&result.Inputs, o.margins, votes.ReadMargins); err != nil {
			return nil, err
		}
	}
	var models []survey.ModelAnswers
	for _, path := range o.models {
		answers, err := readNoted(&result.Inputs, path, func(file string, content []byte) ([]survey.ModelAnswers, error) {
			return survey.ReadModelAnswers(file, content, in)
		})
		if err != nil {
			return nil, err
		}
		models = append(models, answers...)
	}
	var runs []*score.OpinionRun
	if len(o.responses) > 0 {
		read := pobsResult{}
		if runs, err = read.readRuns(cmd.ErrOrStderr(), in, o.responses, false); err != nil {
			return nil, err
		}
		result.Inputs = append(result.Inputs, read.Inputs...)
	}
	result.SurveyResult, err = window.AnalyseSurvey(data, o.SurveyOptions, window.Models{Answers: models, Runs: runs})
	return result, err
}

func printSurvey(w io.Writer, r *surveyResult) error {
	kind := "people"
	if r.People.Virtual {
		kind = "virtual participants"
	}
	fmt.Fprintf(w, "%s of %s: %d %s who finished\n", r.Parameters.Instrument, r.Study.Slug, r.People.Complete, kind)
	if k := r.Raking; k != nil {
		fmt.Fprintf(w, "weighted to the margins: effective n %.0f, weights from %.2f to %.2f\n", float64(k.EffectiveN), float64(k.Smallest), float64(k.Largest))
		for _, warning := range k.Warnings {
			fmt.Fprintf(w, "  %s\n", warning)
		}
	}
	if err := printPeopleBesideModels(w, r); err != nil {
		return err
	}
	for _, item := range r.Items {
		if item.Asked == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s  %s\n", item.Item, item.Text)
		t := newTable(w)
		models := foldedKeys(item.Models)
		fmt.Fprintf(t, "\tpeople\t95 %%\t%s\n", strings.Join(append(models, ""), "\t"))
		for k, o := range item.Options {
			fmt.Fprintf(t, "%s\t%s\t%s\t", o.Label, decimals(o.Share.Value), interval(o.Share.CI))
			for _, m := range models {
				fmt.Fprintf(t, "%s\t", decimals(item.Models[m][k]))
			}
			fmt.Fprintln(t)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(w, "n %d; refused %s (%s)", item.Asked, decimals(item.Refusal.Value), interval(item.Refusal.CI))
		if item.Order != nil {
			fmt.Fprintf(w, "; options in reverse %s (%s)", signed(item.Order.Value), interval(item.Order.CI))
		}
		fmt.Fprintln(w)
	}
	if r.Polls == nil {
		return nil
	}
	fmt.Fprintln(w)
	return printOpinionQA(w, &pollResult{OpinionQA: r.Polls})
}

// printPeopleBesideModels writes the numbers of POBs for both.
func printPeopleBesideModels(w io.Writer, r *surveyResult) error {
	p := r.Opinions
	if p == nil {
		return nil
	}
	fmt.Fprintln(w)
	t := newTable(w)
	fmt.Fprint(t, "\tmode\treliability\t95 %\tNNI\t95 %\tTCI\t95 %\tindiv.–coll.\t95 %\tprogr.–cons.\t95 %\trefused %\t\n")
	fmt.Fprintf(t, "people\t\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.2f\t\n", decimals(p.Reliability.Value), interval(p.Reliability.CI), decimals(p.NNI.Value), interval(p.NNI.CI),
		decimals(p.TCI.Value), interval(p.TCI.CI), signed(p.Individualism.Value), interval(p.Individualism.CI), signed(p.Progressivism.Value), interval(p.Progressivism.CI), float64(p.RefusedPct.Value))
	for _, model := range foldedKeys(r.Models) {
		for _, mode := range foldedKeys(r.Models[model]) {
			s := r.Models[model][mode]
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\t%s\t\t%.2f\t\n", model, mode, decimals(s.Reliability[score.Likert]), interval(s.CI.Reliability[score.Likert]),
				decimals(s.NNI), interval(s.CI.NNI), decimals(s.TCI), interval(s.CI.TCI), signed(s.Axes.Individualism), signed(s.Axes.Progressivism), float64(s.RefusedPct))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "people's reliability from %d who were asked items twice; consistency of all together %s\n", p.Reliability.N, decimals(p.TCITogether.Value))
	return nil
}
