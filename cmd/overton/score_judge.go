package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"overton/internal/dataset/votes"
	"overton/internal/figure"
	"overton/internal/score"
	"overton/internal/window"
)

// judgeOptions are the flags of "score judge".
type judgeOptions struct {
	score.Parameters
	ratings, predictions, column, group string
	by                                  []string
	json, figure                        string
	calibration
}

// calibration says how a judge is to be set right.
type calibration struct {
	method string
	folds  int
}

func (c *calibration) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.method, "calibrate", "", "also set the judge right by what people gave, apart for each question: isotonic or ordinal (`METHOD`)")
	cmd.Flags().IntVar(&c.folds, "folds", 5, "parts into which a question's participants are dealt; each is calibrated by the others")
}

// judgeResult is the JSON of "score judge".
type judgeResult struct {
	Program window.Program `json:"program"`
	// Input is the ratings file, Predictions the judge's.
	Input       input `json:"input"`
	Predictions input `json:"predictions"`
	comparedJudge
}

// comparedJudge is a judge against people, before calibration and after.
type comparedJudge struct {
	*score.Judge
	Calibrated *calibratedJudge `json:"calibrated,omitempty"`
}

// calibratedJudge is the judge after calibration.
type calibratedJudge struct {
	*score.Calibration
	Result *score.Judge `json:"result"`
}

// compare sets a judge's predictions against the ratings, and its calibrated
// ones too where that is wanted.
func (c calibration) compare(r score.Ratings, predictions []float64, texts *score.Similarities, p score.Parameters, by []string) (j comparedJudge, err error) {
	if j.Judge, err = score.JudgeAgreement(r, predictions, texts, p, by); err != nil || c.method == "" {
		return j, err
	}
	j.Calibrated = &calibratedJudge{}
	if j.Calibrated.Calibration, err = score.Calibrate(r, predictions, score.CalibrationMethod(c.method), c.folds, p.Seed); err != nil {
		return j, err
	}
	j.Calibrated.Result, err = score.JudgeAgreement(r, j.Calibrated.Predictions, nil, p, by)
	return j, err
}

// Columns of texts in the layout of OvertonBench, from which the similarity
// baseline is computed.
const (
	responseColumn     = "llm_response"
	freeResponseColumn = "freeresponse"
)

func newScoreJudge() *cobra.Command {
	o := judgeOptions{Parameters: score.DefaultParameters()}
	cmd := &cobra.Command{
		Use:   "judge --ratings FILE --predictions FILE",
		Short: "How well a judge's ratings agree with people's",
		Long: `How well a judge's ratings agree with people's: errors and correlations, two
baselines, the models' scores with one model's ratings left to the judge, and
where the judge errs more. Both files are in the layout of OvertonBench; the
similarity baseline needs the columns llm_response and freeresponse.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.ratings == "" || o.predictions == "" {
				return usagef("both --ratings and --predictions are needed\nusage: %s", cmd.UseLine())
			}
			if o.figure != "" {
				if err := checkFigure(o.figure); err != nil {
					return err
				}
			}
			result, err := scoreJudge(o)
			if err != nil {
				return err
			}
			if o.json != "" {
				if err := writeJSON(cmd.OutOrStdout(), o.json, result); err != nil {
					return err
				}
			}
			if o.figure != "" {
				if err := writeFigure(o.figure, figure.Judge(result.Judge, figure.Wide)); err != nil {
					return err
				}
			}
			if o.json == "-" {
				return nil
			}
			return printJudge(cmd.OutOrStdout(), result.comparedJudge)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.ratings, "ratings", "", "file of people's ratings")
	f.StringVar(&o.predictions, "predictions", "", "file of the judge's ratings")
	f.StringVar(&o.column, "column", votes.DefaultRatingColumn, "column of the predictions")
	f.StringVar(&o.group, "group", votes.DefaultGroupColumn, "column with the participant's viewpoint group on the question")
	f.StringSliceVar(&o.by, "by", nil, "columns (Sex) by whose values to compare the judge's errors")
	f.Float64Var(&o.Tau, "tau", o.Tau, "mean rating from which on a group is covered")
	f.IntVar(&o.Bootstrap, "bootstrap", o.Bootstrap, "resamples behind every interval, 0 for none")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "seed of the resampling")
	o.calibration.addFlags(cmd)
	f.StringVar(&o.figure, "figure", "", "draw the judge against people into this file, .svg or .png")
	f.StringVar(&o.json, "json", "", "write the whole result as JSON to this file, - for standard output")
	return cmd
}

func scoreJudge(o judgeOptions) (*judgeResult, error) {
	result := &judgeResult{Program: window.ThisProgram()}
	content, in, err := readInput(o.ratings)
	if err != nil {
		return nil, err
	}
	result.Input = in
	ratings, err := votes.ReadRatings(o.ratings, content, o.group)
	if err != nil {
		return nil, err
	}
	if content, result.Predictions, err = readInput(o.predictions); err != nil {
		return nil, err
	}
	predictions, err := votes.ReadPredictions(o.predictions, content, o.column, ratings)
	if err != nil {
		return nil, err
	}
	var texts *score.Similarities
	if slices.Contains(ratings.Attributes, responseColumn) && slices.Contains(ratings.Attributes, freeResponseColumn) {
		if texts, err = score.CompareTexts(ratings, responseColumn, freeResponseColumn); err != nil {
			return nil, err
		}
	}
	result.comparedJudge, err = o.compare(ratings, predictions, texts, o.Parameters, o.by)
	return result, err
}

func printJudge(w io.Writer, j comparedJudge) error {
	fmt.Fprintf(w, "%d ratings with a prediction, %d without\n\n", j.Judge.Judge.N, j.Judge.Judge.Dropped)
	t := newTable(w)
	fmt.Fprint(t, "predicted by\tMAE\t95 %\tRMSE\tbias\tSpearman\t95 %\twithin person\t95 %\tshare ≥ 4\t\n")
	row := func(name string, p score.Predictor) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", name, decimals(p.MAE), interval(p.CI.MAE), decimals(p.RMSE), signed(p.Bias),
			decimals(p.Spearman), interval(p.CI.Spearman), decimals(p.WithinPerson), interval(p.CI.WithinPerson), decimals(p.JudgeHigh))
	}
	row("judge", j.Judge.Judge)
	if j.Calibrated != nil {
		row("judge, "+string(j.Calibrated.Method), j.Calibrated.Result.Judge)
	}
	row("mean of the others", j.MeanOfOthers)
	for _, name := range []string{"nearest", "weighted", "linear"} {
		if p, ok := j.Similarity[name]; ok {
			row("similarity, "+name, p)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "people's share ≥ 4: %s\n", decimals(j.Judge.Judge.HumanHigh))
	if j.Shy() {
		fmt.Fprintf(w, "\nWARNING: the judge gives 4 or 5 in %.0f %% of its ratings, people in %.0f %%. Coverage from its ratings is too low.\n",
			100*float64(j.Judge.Judge.JudgeHigh), 100*float64(j.Judge.Judge.HumanHigh))
	}
	if err := printLeftToJudge(w, j.LeaveOneModelOut, ""); err != nil {
		return err
	}
	if j.Calibrated != nil {
		if err := printLeftToJudge(w, j.Calibrated.Result.LeaveOneModelOut, ", calibrated"); err != nil {
			return err
		}
	}
	fmt.Fprint(w, "\nabsolute error between the values of\n")
	t = newTable(w)
	fmt.Fprint(t, "\teta²\tless chance\t95 %\tF\tp\t\n")
	for _, s := range j.Subgroups {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t\n", s.Attribute, decimals(s.Eta2), decimals(s.Eta2Corrected), interval(s.Eta2CI), decimals(s.F), pValue(s.P))
	}
	return t.Flush()
}

// printLeftToJudge shows the models' scores with one model's ratings left to the
// judge; nothing where there are no groups.
func printLeftToJudge(w io.Writer, l *score.LeaveOneModelOut, kind string) error {
	if l == nil {
		return nil
	}
	fmt.Fprintf(w, "\none model's ratings left to the judge%s: Spearman of the models' raw scores %s (%s), adjusted %s (%s)\n",
		kind, decimals(l.SpearmanRaw), interval(l.SpearmanRawCI), decimals(l.SpearmanAdjusted), interval(l.SpearmanAdjustedCI))
	t := newTable(w)
	fmt.Fprint(t, "model\tpeople\tjudge\tshift\t95 %\t\n")
	for _, m := range l.Models {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t\n", m.Model, decimals(m.HumanAdjusted), decimals(m.JudgeAdjusted), signed(m.DeltaAdjusted), interval(m.DeltaAdjustedCI))
	}
	return t.Flush()
}
