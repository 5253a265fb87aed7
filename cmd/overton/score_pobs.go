package main

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"overton/internal/dataset"
	"overton/internal/dataset/survey"
	"overton/internal/instrument"
	"overton/internal/score"
	"overton/internal/window"
)

// pobsOptions are the flags of "score pobs".
type pobsOptions struct {
	survey, declarative           string
	responses, declarativeAnswers []string
	coding, parse                 string
	bootstrap                     int
	seed                          uint64
	json                          string
	figures                       string
}

// pobsResult is the JSON of "score pobs".
type pobsResult struct {
	Program    window.Program       `json:"program"`
	Inputs     []input              `json:"inputs"`
	Parameters pobsParameters       `json:"parameters"`
	Topics     []score.OpinionTopic `json:"topics"`
	*score.Pobs
	Published []publishedCell `json:"published"`

	// Disagreements counts answers whose letter as read from the text is not
	// the recorded one.
	Disagreements int      `json:"disagreements_with_recorded_letters"`
	Warnings      []string `json:"warnings"`
}

type pobsParameters struct {
	Coding    score.Coding `json:"coding"` // of the reliability in the tables
	Parse     string       `json:"parse"`
	Bootstrap int          `json:"bootstrap"`
	Seed      uint64       `json:"seed"`
}

// publishedCell is a number of the paper beside ours.
type publishedCell struct {
	Table     string       `json:"table"`
	Model     string       `json:"model"`
	Mode      string       `json:"mode"`
	Published float64      `json:"published"`
	Ours      score.Number `json:"ours"`
	Agrees    bool         `json:"agrees"` // to the two decimals printed
	Why       string       `json:"why,omitempty"`
}

func newScorePobs() *cobra.Command {
	o := pobsOptions{}
	cmd := &cobra.Command{
		Use:   "pobs --survey FILE --responses DIR…",
		Short: "Opinions of models on the POBs survey: reliability, neutrality, consistency",
		Long: `Opinions of models on the POBs survey, from its released files: reliability,
non-neutrality (NNI), consistency within topics (TCI), refusals, ideological
axes, distances, and how opinions change between modes. Folders are searched for
POBS_model_repetition.json, further folders may follow as arguments. The paper's
Tables 1, 2 and 5 stand beside the numbers for models that are in them.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.responses = append(o.responses, args...)
			switch {
			case o.survey == "" || len(o.responses) == 0:
				return usagef("both --survey and --responses are needed\nusage: %s", cmd.UseLine())
			case (o.declarative == "") != (len(o.declarativeAnswers) == 0):
				return usagef("--declarative and --declarative-responses belong together")
			case o.coding != string(score.Likert) && o.coding != string(score.Binary):
				return usagef("--coding is %q; expected likert or binary", o.coding)
			case o.parse != "strict" && o.parse != "lenient":
				return usagef("--parse is %q; expected strict or lenient", o.parse)
			}
			result, err := scorePobs(cmd.ErrOrStderr(), o)
			if err != nil {
				return err
			}
			if o.json != "" {
				if err := writeJSON(cmd.OutOrStdout(), o.json, result); err != nil {
					return err
				}
			}
			if err := writeFigures(o.figures, pobsFigures(result)); err != nil {
				return err
			}
			if o.json == "-" {
				return nil
			}
			return printPobs(cmd.OutOrStdout(), result)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.survey, "survey", "", "the survey, POBS_v11.json")
	f.StringArrayVar(&o.responses, "responses", nil, "folder of the models' answers")
	f.StringVar(&o.declarative, "declarative", "", "the questions that ask for a stance outright")
	f.StringArrayVar(&o.declarativeAnswers, "declarative-responses", nil, "folder of the models' answers to those")
	f.StringVar(&o.coding, "coding", string(score.Likert), "numbers for answers in topics without sides: likert or binary")
	f.StringVar(&o.parse, "parse", "strict", "how to read answers: strict as published, or lenient")
	f.IntVar(&o.bootstrap, "bootstrap", 1000, "resamples behind every interval, 0 for none")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the resampling")
	f.StringVar(&o.json, "json", "", "write the whole result as JSON to this file, - for standard output")
	f.StringVar(&o.figures, "figures", "", "folder to write figures to: SVG, PNG, and their numbers as CSV")
	return cmd
}

func scorePobs(stderr io.Writer, o pobsOptions) (*pobsResult, error) {
	result := &pobsResult{Program: window.ThisProgram(), Warnings: []string{},
		Parameters: pobsParameters{score.Coding(o.coding), o.parse, o.bootstrap, o.seed}}
	in, runs, err := result.read(stderr, o.survey, o.responses, o.parse == "lenient")
	if err != nil {
		return nil, err
	}
	questionnaire := survey.OpinionSurvey(in)
	result.Topics = questionnaire.Topics
	var declarative *score.OpinionSurvey
	var declared []*score.OpinionRun
	if o.declarative != "" {
		var asked instrument.Instrument
		if asked, declared, err = result.read(stderr, o.declarative, o.declarativeAnswers, o.parse == "lenient"); err != nil {
			return nil, err
		}
		declarative = survey.OpinionSurvey(asked)
		for _, t := range declarative.Topics {
			if !slices.ContainsFunc(questionnaire.Topics, func(s score.OpinionTopic) bool { return s.Name == t.Name }) {
				return nil, fmt.Errorf("%s: topic %q is not one of %s", o.declarative, t.Name, o.survey)
			}
		}
	}
	result.Pobs = score.ScorePobsRuns(questionnaire, runs, declarative, declared, o.bootstrap, o.seed)
	result.compare()
	return result, nil
}

// read reads a survey and all answers to it in some folders.
func (r *pobsResult) read(stderr io.Writer, surveyFile string, folders []string, lenient bool) (instrument.Instrument, []*score.OpinionRun, error) {
	content, in, err := readInput(surveyFile)
	if err != nil {
		return instrument.Instrument{}, nil, err
	}
	r.Inputs = append(r.Inputs, in)
	questionnaire, err := survey.ReadPOBs(surveyFile, content)
	if err != nil {
		return questionnaire, nil, err
	}
	runs, err := r.readRuns(stderr, questionnaire, folders, lenient)
	return questionnaire, runs, err
}

// readRuns reads all answers to a survey in some folders.
func (r *pobsResult) readRuns(stderr io.Writer, questionnaire instrument.Instrument, folders []string, lenient bool) ([]*score.OpinionRun, error) {
	paths, err := pobsFiles(folders)
	if err != nil {
		return nil, err
	}
	bar := progress(stderr, "reading answers", len(paths))
	files := make([]pobsFile, len(paths))
	var workers sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				files[i] = readPobsFile(paths[i], questionnaire, lenient)
				_ = bar.Add(1)
			}
		})
	}
	for i := range paths {
		next <- i
	}
	close(next)
	workers.Wait()
	return r.join(files)
}

// pobsFile is a response file that was read.
type pobsFile struct {
	path      string
	in        input
	responses *survey.POBsResponses
	err       error
}

func readPobsFile(path string, questionnaire instrument.Instrument, lenient bool) pobsFile {
	f := pobsFile{path: path}
	var content []byte
	if content, f.in, f.err = readInput(path); f.err == nil {
		f.responses, f.err = survey.ReadPOBsResponses(path, content, questionnaire, lenient)
	}
	return f
}

// pobsFiles finds the response files in folders, however deep. Files with
// other endings are passed over.
func pobsFiles(folders []string) ([]string, error) {
	var paths []string
	for _, folder := range folders {
		before := len(paths)
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && filepath.Ext(path) == ".json" {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("looking for responses: %w", err)
		}
		if len(paths) == before {
			return nil, fmt.Errorf("%s: holds no response files; expected files such as POBS_model_1.json", folder)
		}
	}
	return paths, nil
}

// join makes one run of each model and mode from its repetitions. All faults
// of all files are told.
func (r *pobsResult) join(files []pobsFile) ([]*score.OpinionRun, error) {
	var faults dataset.Faults
	for _, f := range files {
		switch err := f.err.(type) {
		case nil:
		case dataset.Faults:
			faults = append(faults, err...)
		case dataset.Fault:
			faults = append(faults, err)
		default:
			return nil, err
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	slices.SortStableFunc(files, func(a, b pobsFile) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.responses.Model), strings.ToLower(b.responses.Model)), cmp.Compare(a.responses.Repetition, b.responses.Repetition))
	})
	type key struct{ model, mode string }
	by := map[key]*score.OpinionRun{}
	from := map[string]string{} // file by model, mode and repetition
	same := map[string]string{} // file by hash
	var runs []*score.OpinionRun
	for _, f := range files {
		r.Inputs = append(r.Inputs, f.in)
		r.Disagreements += f.responses.Disagreements
		if first, twice := same[f.in.SHA256]; twice {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s is the same, byte for byte, as %s; both are counted", f.path, first))
		}
		same[f.in.SHA256] = f.path
		for _, m := range f.responses.Modes {
			k := key{f.responses.Model, m.Mode}
			name := fmt.Sprintf("%s %s %d", k.model, k.mode, f.responses.Repetition)
			if first, twice := from[name]; twice {
				return nil, fmt.Errorf("%s: repetition %d of %s in %s mode is also in %s", f.path, f.responses.Repetition, k.model, k.mode, first)
			}
			from[name] = f.path
			run := by[k]
			if run == nil {
				run = &score.OpinionRun{Respondent: k.model, Mode: k.mode}
				by[k] = run
				runs = append(runs, run)
			}
			run.Repetitions = append(run.Repetitions, f.responses.Repetition)
			run.Answers = append(run.Answers, m.Answers)
			run.Stored = append(run.Stored, m.Stored)
			run.WithoutReasoning += m.WithoutReasoning
		}
	}
	return runs, nil
}

// compare sets the paper's numbers beside ours.
func (r *pobsResult) compare() {
	for _, cell := range score.PobsTables() {
		s := r.Results[cell.Model][cell.Mode]
		if s == nil {
			continue
		}
		ours := map[string]score.Number{"reliability": s.Reliability[r.Parameters.Coding], "nni": s.NNI, "tci": s.TCI, "invalid": s.InvalidPct}[cell.Table]
		agrees := math.Abs(float64(ours)-cell.Published) <= 0.005+1e-9
		c := publishedCell{cell.Table, cell.Model, cell.Mode, cell.Published, ours, agrees, ""}
		if !agrees {
			c.Why = cmp.Or(cell.Why, "not explained")
		}
		r.Published = append(r.Published, c)
	}
}

func printPobs(w io.Writer, r *pobsResult) error {
	modes := []string{score.ModeDirect, score.ModeReasoning, score.ModeReflection}
	t := newTable(w)
	fmt.Fprint(t, "model\tmode\trep.\tinvalid %\trefused %\tneutral %\treliability\t95 %\tNNI\t95 %\tTCI\t95 %\tindiv.–coll.\tprogr.–cons.\t\n")
	each := func(row func(model, mode string, s *score.PobsScore)) {
		for _, model := range foldedKeys(r.Results) {
			for _, mode := range modes {
				if s := r.Results[model][mode]; s != nil {
					row(model, mode, s)
				}
			}
		}
	}
	coding := r.Parameters.Coding
	each(func(model, mode string, s *score.PobsScore) {
		fmt.Fprintf(t, "%s\t%s\t%d\t%.2f\t%.2f\t%.2f\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", model, mode, len(s.Repetitions),
			float64(s.InvalidPct), float64(s.RefusedPct), float64(s.NeutralPct[coding]), decimals(s.Reliability[coding]), interval(s.CI.Reliability[coding]),
			decimals(s.NNI), interval(s.CI.NNI), decimals(s.TCI), interval(s.CI.TCI), signed(s.Axes.Individualism), signed(s.Axes.Progressivism))
	})
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "answers read %sly; topics without sides coded %s; intervals from drawing the items of each topic anew\n", r.Parameters.Parse, coding)
	each(func(model, mode string, s *score.PobsScore) {
		if s.NoReasoningPct != nil && *s.NoReasoningPct >= 1 {
			fmt.Fprintf(w, "%s, %s: %.1f %% of the answers came without any reasoning, so what differs is the prompt\n", model, mode, float64(*s.NoReasoningPct))
		}
	})
	if err := printPobsChange(w, r); err != nil {
		return err
	}
	if err := printPublished(w, r.Published); err != nil {
		return err
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "note: %s\n", warning)
	}
	if r.Disagreements > 0 {
		fmt.Fprintf(w, "note: %d answers read otherwise than recorded in the files\n", r.Disagreements)
	}
	return nil
}

func printPobsChange(w io.Writer, r *pobsResult) error {
	if d := r.Distance; d != nil && len(d.Order) > 1 {
		fmt.Fprint(w, "\ndistance between direct answers, 0 to 1\n")
		t := newTable(w)
		fmt.Fprintf(t, "\t%s\t\n", strings.Join(d.Order, "\t"))
		matrix := d.Likert
		if r.Parameters.Coding == score.Binary {
			matrix = d.Binary
		}
		for i, model := range d.Order {
			fmt.Fprintf(t, "%s\t", model)
			for _, v := range matrix[i] {
				fmt.Fprintf(t, "%s\t", decimals(v))
			}
			fmt.Fprintln(t)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		what string
		by   map[string]*score.OpinionChange
	}{{"reasoning to reflection", r.Change}, {"direct to reasoning", r.ChangeByReasoning}} {
		for _, model := range foldedKeys(c.by) {
			o := c.by[model]
			fmt.Fprintf(w, "\nopinions moved by 1 or more from %s: %s %d of %d (%.2f %%)", c.what, model, o.Changed, o.Pairs, float64(o.Percent))
		}
	}
	if len(r.Change)+len(r.ChangeByReasoning) > 0 {
		fmt.Fprintln(w)
	}
	if len(r.Declarative) == 0 {
		return nil
	}
	fmt.Fprint(w, "\nstance when asked outright\n")
	t := newTable(w)
	fmt.Fprint(t, "model\tmode\tinvalid\tdeclined\tindiv.–coll.\tprogr.–cons.\trevealed: indiv.–coll.\tprogr.–cons.\t\n")
	for _, model := range foldedKeys(r.Declarative) {
		for _, mode := range foldedKeys(r.Declarative[model]) {
			d := r.Declarative[model][mode]
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%s\t", model, mode, d.Invalid, d.Refused, signed(d.Axes.Individualism), signed(d.Axes.Progressivism))
			if s := r.Results[model][mode]; s != nil {
				fmt.Fprintf(t, "%s\t%s\t\n", signed(s.Axes.Individualism), signed(s.Axes.Progressivism))
			} else {
				fmt.Fprint(t, "–\t–\t\n")
			}
		}
	}
	return t.Flush()
}

// printPublished writes the paper's tables with ours beside them.
func printPublished(w io.Writer, cells []publishedCell) error {
	titles := []struct{ table, title string }{
		{"reliability", "Table 1, reliability"}, {"nni", "Table 2, non-neutrality index"},
		{"tci", "Table 2, topic consistency index"}, {"invalid", "Table 5, invalid answers in %"},
	}
	for _, title := range titles {
		of := slices.DeleteFunc(slices.Clone(cells), func(c publishedCell) bool { return c.Table != title.table })
		if len(of) == 0 {
			continue
		}
		agree := 0
		fmt.Fprintf(w, "\n%s (Kour et al. 2025)\n", title.title)
		t := newTable(w)
		fmt.Fprint(t, "model\tmode\tpublished\tours\t\t\n")
		var why []string
		for _, c := range of {
			mark := ""
			if c.Agrees {
				agree++
			} else {
				mark = "differs"
				why = append(why, fmt.Sprintf("%s, %s: %s", c.Model, c.Mode, c.Why))
			}
			fmt.Fprintf(t, "%s\t%s\t%.2f\t%.4f\t%s\t\n", c.Model, c.Mode, c.Published, float64(c.Ours), mark)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(w, "%d of %d agree to the decimals printed\n", agree, len(of))
		for _, line := range why {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	return nil
}

// foldedKeys sorts names as people do, without regard to case.
func foldedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	})
	return keys
}
