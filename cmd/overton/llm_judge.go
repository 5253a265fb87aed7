package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"overton/internal/dataset/export"
	"overton/internal/dataset/studyfile"
	"overton/internal/dataset/votes"
	"overton/internal/instrument"
	"overton/internal/llm"
	"overton/internal/score"
	"overton/internal/study"
	"overton/internal/window"
)

// llmJudgeOptions are the flags of "llm judge".
type llmJudgeOptions struct {
	asking
	llm.Judging
	calibration
	parameters score.Parameters

	ratings, questions, responses, group string
	strategy, parse, by                  string
	temperature                          float64
	consented                            bool
	json                                 string
}

// llmJudgeResult is the JSON of "llm judge".
type llmJudgeResult struct {
	Program  window.Program    `json:"program"`
	Input    input             `json:"input"`
	Judge    llm.ModelSettings `json:"judge"`
	Strategy llm.Strategy      `json:"strategy"`
	Prompts  map[string]string `json:"prompts"`

	Predictions int `json:"predictions"`
	NotAsked    int `json:"not_asked"`   // because the strategy has nothing to tell of the participant
	Unreadable  int `json:"unreadable"`  // answers that are no rating
	ByLogProbs  int `json:"by_logprobs"` // predictions that are means by log-probabilities

	// People is the judge against those who rated; null where no rating was predicted.
	People *comparedJudge `json:"people"`

	// New is the OvertonScore with the new models' ratings left to the judge and
	// all others' to people; null without new models or groups.
	New *score.Overton `json:"new"`
}

func newLLMJudge() *cobra.Command {
	o := llmJudgeOptions{parameters: score.DefaultParameters()}
	cmd := &cobra.Command{
		Use:   "judge --ratings FILE --models FILE --out DIR",
		Short: "Have a model predict participants' ratings",
		Long: `Have a model predict how each participant rates each response, and set that
against how they did. Each rating is predicted as if it were not there. What the
judge is told of a participant is the strategy's matter:

  fr        their own view of the question
  demog     who they are
  demog+fr  both
  fs        their ratings of the other responses to the question
  fs+fr     those, and their own view

Models of --responses that nobody rated are new: their ratings by every
participant of a question are predicted too, and scored among the others.

--ratings is the folder of an export, or a file in the layout of OvertonBench. An
export says what its study allows to be sent to models (models.send in its
study.yaml). For other files --consented says that the participants' consent
covers it. Names and ids are never sent, and what looks like one is taken out of
what people wrote. The folder gets predictions.csv, which "overton score judge"
and "overton score overton" read, and new.csv for the new models.` + asksHelp,
		Args: usageArgs(cobra.NoArgs),
	}
	o.asking.addFlags(cmd)
	o.calibration.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.ratings, "ratings", "", "folder of an export, or file of ratings (`PATH`)")
	f.StringVar(&o.questions, "questions", "", "the questions' texts, where the ratings lack them (`FILE`)")
	f.StringVar(&o.responses, "responses", "", "further responses: of new models, and of those rated where the ratings lack the texts (`FILE`)")
	f.StringVar(&o.group, "group", votes.DefaultGroupColumn, "column with the participant's viewpoint group on the question; empty: none")
	f.StringVar(&o.strategy, "strategy", string(llm.FewShotFreeResponse), "what the judge is told: fr, demog, demog+fr, fs or fs+fr")
	f.StringSliceVar(&o.Demographics, "demographics", nil, "columns that say who a participant is; those known where none is named")
	f.IntVar(&o.Samples, "samples", 1, "answers to each prediction, which are averaged")
	f.Float64Var(&o.Share, "share", 1, "share of the ratings, drawn at random, that are predicted")
	f.Float64Var(&o.temperature, "temperature", 0, "temperature, unless the models file says another")
	f.IntVar(&o.MaxTokens, "max-tokens", 16, "longest answer, unless the models file says another")
	f.IntVar(&o.Seed, "seed", 1, "seed of the share, of resampling, and of the first sample at endpoints that heed one")
	f.StringVar(&o.parse, "parse", "strict", "strict: the answer is one rating alone; lenient: its first digit from 1 to 5 counts")
	f.StringVar(&o.by, "method", llm.BySamples, "samples: the rating answered; logprobs: the mean by the digits' log-probabilities, where the endpoint reports some")
	f.BoolVar(&o.consented, "consented", false, "the participants' consent covers that a language model is sent what the strategy needs")
	f.Float64Var(&o.parameters.Tau, "tau", o.parameters.Tau, "mean rating from which on a group is covered")
	f.IntVar(&o.parameters.Bootstrap, "bootstrap", o.parameters.Bootstrap, "resamples behind every interval, 0 for none")
	f.StringVar(&o.json, "json", "", "write the whole result as JSON to this file, - for standard output")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case o.ratings == "" || o.modelsFile == "" || o.out == "":
			return usagef("--ratings, --models and --out are needed\nusage: %s", cmd.UseLine())
		case !slices.Contains(llm.Strategies, llm.Strategy(o.strategy)):
			return usagef("--strategy is %q; expected one of %v", o.strategy, llm.Strategies)
		case o.parse != "strict" && o.parse != "lenient":
			return usagef("--parse is %q; expected strict or lenient", o.parse)
		case o.by != llm.BySamples && o.by != llm.ByLogProbs:
			return usagef("--method is %q; expected samples or logprobs", o.by)
		case o.Samples < 1 || !(o.Share > 0 && o.Share <= 1):
			return usagef("--samples is %d and --share %g; expected 1 or more, and a share above 0 and up to 1", o.Samples, o.Share)
		}
		o.Strategy, o.Lenient = llm.Strategy(o.strategy), o.parse == "lenient"
		o.Expected = o.by == llm.ByLogProbs
		o.Temperature, o.parameters.Seed = &o.temperature, uint64(o.Seed)
		return judge(cmd, &o)
	}
	return cmd
}

func judge(cmd *cobra.Command, o *llmJudgeOptions) error {
	if err := o.read(); err != nil {
		return err
	}
	if len(o.models) != 1 {
		return usagef("the models file has %d models; name the one that judges with --model", len(o.models))
	}
	o.Judge = o.models[0].Name
	result := &llmJudgeResult{Program: window.ThisProgram(), Judge: o.models.Settings()[0], Strategy: o.Strategy, Prompts: llm.JudgePrompts(o.prompts)}
	if err := o.readRatings(result); err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return err
	}
	settings := o.settings("judge", result.Prompts, map[string]any{
		"strategy": o.Strategy, "demographics": o.Demographics, "samples": o.Samples, "share": o.Share, "temperature": o.temperature,
		"max_tokens": o.MaxTokens, "seed": o.Seed, "method": o.by,
	})
	requests, failed := o.Requests(o.prompts)
	stdout := cmd.OutOrStdout()
	told := stdout
	if o.json == "-" {
		told = io.Discard
	}
	err := o.run(cmd.Context(), told, cmd.ErrOrStderr(), settings, requests, func(run *llm.Run) error {
		predictions, err := o.Predictions(run)
		if err != nil {
			return err
		}
		if err := o.score(result, predictions); err != nil {
			return err
		}
		if o.json != "" {
			if err := writeJSON(stdout, o.json, result); err != nil {
				return err
			}
		}
		return printLLMJudge(told, result)
	})
	return cmp.Or(failed(), err)
}

// readRatings reads the ratings with all texts, and sees that they may be sent.
func (o *llmJudgeOptions) readRatings(result *llmJudgeResult) error {
	path, err := ratingsFile(o.ratings)
	if err != nil {
		return err
	}
	content, err := o.input("ratings", path)
	if err != nil {
		return err
	}
	result.Input = input{File: filepath.Base(path), SHA256: o.inputs["ratings"]}
	if err := o.mayBeSent(path); err != nil {
		return err
	}
	if o.Ratings, err = votes.ReadRatings(path, content, o.group); err != nil {
		return err
	}
	if o.FreeResponses = freeResponseColumn; len(o.Demographics) == 0 {
		o.Demographics = o.knownDemographics()
	}
	o.textsOfRatings()
	if o.questions != "" {
		content, err := o.input("questions", o.questions)
		if err != nil {
			return err
		}
		questions, err := studyfile.ReadQuestions(o.questions, content)
		if err != nil {
			return err
		}
		for _, q := range questions {
			o.Questions[q.ID] = q.Text
		}
	}
	return o.readResponses()
}

// ratingsFile finds the ratings of an export's folder.
func ratingsFile(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path, nil
	}
	for _, name := range []string{"ratings.csv", "ratings.jsonl", "ratings.parquet"} {
		if _, err := os.Stat(filepath.Join(path, name)); err == nil {
			return filepath.Join(path, name), nil
		}
	}
	return "", fmt.Errorf("%s holds no ratings.csv, ratings.jsonl or ratings.parquet; expected the folder of an export", path)
}

// mayBeSent refuses what the participants' consent does not cover.
func (o *llmJudgeOptions) mayBeSent(path string) error {
	manifest := filepath.Join(filepath.Dir(path), "manifest.json")
	content, err := os.ReadFile(manifest)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the manifest: %w", err)
	}
	if err == nil {
		m, err := export.ReadManifest(manifest, content)
		if err != nil {
			return err
		}
		if m.Holds(o.inputs["ratings"]) {
			return allowed(o.Strategy, m.Study)
		}
	}
	if !o.consented {
		return fmt.Errorf("%s is no file of an export, so nothing says whether its participants agreed that a language model is sent their %s; if they did, say so with --consented", path, kinds(o.Strategy.Sends()))
	}
	return nil
}

func allowed(s llm.Strategy, st export.ManifestStudy) error {
	missing := slices.DeleteFunc(s.Sends(), func(kind study.Sent) bool { return slices.Contains(st.Sent, kind) })
	if len(missing) > 0 {
		return fmt.Errorf("the study %q does not allow that language models are sent its participants' %s; its study.yaml would have to list them under models.send, and its consent to say so", st.Slug, kinds(missing))
	}
	return nil
}

func kinds(list []study.Sent) string {
	names := make([]string, len(list))
	for i, kind := range list {
		names[i] = strings.ReplaceAll(string(kind), "_", " ")
	}
	return strings.Join(names, ", ")
}

// prolificDemographics are the columns of OvertonBench, as Prolific names them.
var prolificDemographics = []string{"Age", "Sex", "Ethnicity simplified", "U.s. political affiliation"}

// knownDemographics are the columns that are known to say who a participant is.
func (o *llmJudgeOptions) knownDemographics() (names []string) {
	for _, name := range o.Ratings.Attributes {
		_, item := instrument.USDemographics().Item(name)
		if item || slices.Contains(prolificDemographics, name) {
			names = append(names, name)
		}
	}
	return names
}

// Columns of texts in the layout of OvertonBench.
const questionTextColumn = "question"

// textsOfRatings takes the texts of questions and responses from the columns of
// the ratings, as far as they are there.
func (o *llmJudgeOptions) textsOfRatings() {
	o.Questions, o.Responses = map[string]string{}, map[[2]string]string{}
	question, response := slices.Index(o.Ratings.Attributes, questionTextColumn), slices.Index(o.Ratings.Attributes, responseColumn)
	for _, r := range o.Ratings.Rows {
		if question >= 0 {
			o.Questions[r.Question] = r.Attributes[question]
		}
		if response >= 0 {
			o.Responses[[2]string{r.Question, r.Model}] = r.Attributes[response]
		}
	}
}

// readResponses reads further responses. Models that nobody rated are new.
func (o *llmJudgeOptions) readResponses() error {
	if o.responses == "" {
		return nil
	}
	content, err := o.input("responses", o.responses)
	if err != nil {
		return err
	}
	responses, err := studyfile.ReadResponses(o.responses, content, nil)
	if err != nil {
		return err
	}
	rated, questions := map[string]bool{}, map[string]bool{}
	for _, r := range o.Ratings.Rows {
		rated[r.Model], questions[r.Question] = true, true
	}
	for _, r := range responses {
		if !questions[r.Question] {
			continue
		}
		if !rated[r.Model] && !slices.Contains(o.New, r.Model) {
			o.New = append(o.New, r.Model)
		}
		o.Responses[[2]string{r.Question, r.Model}] = r.Text
	}
	return nil
}

// score sets the predictions against people, scores the new models, and writes
// the predictions.
func (o *llmJudgeOptions) score(result *llmJudgeResult, predictions []llm.Prediction) error {
	inPlace := slices.Repeat([]float64{math.NaN()}, len(o.Ratings.Rows))
	validated, predictedNew := false, false
	for _, p := range predictions {
		result.Unreadable += p.Unreadable
		if p.Method == llm.ByLogProbs {
			result.ByLogProbs++
		}
		switch {
		case p.Samples == 0:
			result.NotAsked++
		case math.IsNaN(p.Value):
		case p.Row >= 0:
			inPlace[p.Row], validated = p.Value, true
			result.Predictions++
		default:
			predictedNew = true
			result.Predictions++
		}
	}
	if validated {
		people, err := o.compare(o.Ratings, inPlace, nil, o.parameters, nil)
		if err != nil {
			return err
		}
		result.People = &people
	}
	var old, fresh []votes.Prediction
	scored := score.Ratings{Attributes: o.Ratings.Attributes, Rows: slices.Clone(o.Ratings.Rows)}
	for _, p := range predictions {
		out := votes.Prediction{Participant: p.Participant, Question: p.Question, Model: p.Model, Group: p.Group, Value: p.Value, Calibrated: math.NaN(), Samples: p.Samples, Unreadable: p.Unreadable, Method: p.Method}
		if c := result.People; c != nil && c.Calibrated != nil {
			if p.Row >= 0 {
				out.Calibrated = c.Calibrated.Predictions[p.Row]
			} else {
				out.Calibrated = c.Calibrated.Apply(p.Question, p.Value)
			}
		}
		if p.Row >= 0 {
			old = append(old, out)
			continue
		}
		fresh = append(fresh, out)
		row := p.Rating
		if o.method != "" {
			row.Value = out.Calibrated
		}
		scored.Rows = append(scored.Rows, row)
	}
	if err := o.write("predictions.csv", votes.WritePredictions(old)); err != nil {
		return err
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := o.write("new.csv", votes.WritePredictions(fresh)); err != nil {
		return err
	}
	if !predictedNew || !slices.ContainsFunc(scored.Rows, func(r score.Rating) bool { return r.Group != "" }) {
		return nil
	}
	var err error
	result.New, err = score.OvertonScore(scored, o.parameters)
	return err
}

func printLLMJudge(w io.Writer, r *llmJudgeResult) error {
	if r.Unreadable > 0 {
		fmt.Fprintf(w, "%d answers are no rating and count for nothing\n", r.Unreadable)
	}
	if r.ByLogProbs > 0 {
		fmt.Fprintf(w, "%d predictions are means by log-probabilities\n", r.ByLogProbs)
	}
	if r.NotAsked > 0 {
		fmt.Fprintf(w, "%d ratings are not predicted: there is no answer, or nothing of what %s tells is known of the participant\n", r.NotAsked, r.Strategy)
	}
	fmt.Fprintln(w)
	if r.People != nil {
		if err := printJudge(w, *r.People); err != nil {
			return err
		}
	}
	if r.New == nil {
		return nil
	}
	fmt.Fprintln(w, "\nwith the new models' ratings left to the judge:")
	return printModels(w, r.New.Models)
}
