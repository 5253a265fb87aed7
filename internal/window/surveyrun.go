package window

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"overton/internal/dataset/studyfile"
	"overton/internal/dataset/survey"
	"overton/internal/instrument"
	"overton/internal/score"
	"overton/internal/store"
)

// SurveyRunKind is the kind under which results of surveys are recorded in the
// store.
const SurveyRunKind = "survey"

// Surveys is one analysis of what people answered to all instruments of a
// study, in the order of the flow.
type Surveys struct {
	Program     Program             `json:"program"`
	Input       Input               `json:"input"`
	Study       About               `json:"study"`
	Parameters  SurveyOptions       `json:"parameters"`
	People      Counted             `json:"people"`
	Instruments []*InstrumentResult `json:"instruments"`

	// Files are those whose answers of models stand beside the people's, with
	// the answers: a result holds all that it takes to compute it anew.
	Files []ModelFile `json:"files,omitempty"`
}

// Models are models' answers to an instrument.
type Models struct {
	Answers []survey.ModelAnswers `json:"answers,omitempty"` // distributions
	Runs    []*score.OpinionRun   `json:"runs,omitempty"`    // repetitions
}

// ModelFile is a file with models' answers to an instrument.
type ModelFile struct {
	Instrument string `json:"instrument"`
	File       string `json:"file"`
	SHA256     string `json:"sha256"`
	Models
}

// ReadModelFile reads a file of models' answers: a POBs response file by its
// name, else a table or a HELM run. The polarities that stand in a POBs file
// are left out, since people have none to set beside them.
func ReadModelFile(name string, content []byte, in instrument.Instrument) (ModelFile, error) {
	f := ModelFile{Instrument: in.Name, File: name, SHA256: digest(content)}
	if _, _, err := survey.POBsName(name); err != nil {
		f.Answers, err = survey.ReadModelAnswers(name, content, in)
		return f, err
	}
	responses, err := survey.ReadPOBsResponses(name, content, in, false)
	if err != nil {
		return f, err
	}
	for _, m := range responses.Modes {
		f.Runs = append(f.Runs, &score.OpinionRun{Respondent: responses.Model, Mode: m.Mode,
			Repetitions: []int{responses.Repetition}, Answers: [][]int{m.Answers}, WithoutReasoning: m.WithoutReasoning})
	}
	return f, nil
}

// FilesOf are those of the files that answer an instrument.
func FilesOf(files []ModelFile, instrument string) []ModelFile {
	return slices.DeleteFunc(slices.Clone(files), func(f ModelFile) bool { return f.Instrument != instrument })
}

// JoinModels puts the files of one instrument together, the repetitions of a
// model in a mode as one run.
func JoinModels(files []ModelFile) (Models, error) {
	var m Models
	from := map[string]string{} // file by what stands in it
	first := func(file, format string, args ...any) error {
		what := fmt.Sprintf(format, args...)
		if earlier, twice := from[what]; twice {
			return fmt.Errorf("%s is in %s and in %s; expected it once", what, earlier, file)
		}
		from[what] = file
		return nil
	}
	runs := map[[2]string]*score.OpinionRun{}
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b ModelFile) int { return cmp.Compare(a.File, b.File) })
	for _, f := range files {
		for _, a := range f.Answers {
			if err := first(f.File, "model %s, context %s, target %q", a.Model, a.Context, a.Target); err != nil {
				return m, err
			}
			m.Answers = append(m.Answers, a)
		}
		for _, r := range f.Runs {
			key := [2]string{r.Respondent, r.Mode}
			run := runs[key]
			if run == nil {
				run = &score.OpinionRun{Respondent: r.Respondent, Mode: r.Mode}
				runs[key] = run
				m.Runs = append(m.Runs, run)
			}
			for _, n := range r.Repetitions {
				if err := first(f.File, "repetition %d of %s in %s mode", n, r.Respondent, r.Mode); err != nil {
					return m, err
				}
			}
			run.Repetitions, run.Answers = append(run.Repetitions, r.Repetitions...), append(run.Answers, r.Answers...)
			run.WithoutReasoning += r.WithoutReasoning
		}
	}
	return m, nil
}

// answersOf are the distributions of answers that repetitions come to. A model
// that was asked in several modes counts once for each.
func answersOf(in instrument.Instrument, runs []*score.OpinionRun) []survey.ModelAnswers {
	modes := map[string]int{}
	for _, r := range runs {
		modes[r.Respondent]++
	}
	var all []survey.ModelAnswers
	for _, r := range runs {
		a := survey.ModelAnswers{Model: r.Respondent, Context: score.DefaultContext, Mass: map[string][]float64{}}
		if modes[r.Respondent] > 1 {
			a.Model += ", " + r.Mode
		}
		for _, repetition := range r.Answers {
			for i, option := range repetition {
				if option < 0 {
					continue
				}
				id := in.Items[i].ID
				if a.Mass[id] == nil {
					a.Mass[id] = make([]float64, len(in.Items[i].Options))
				}
				a.Mass[id][option]++
			}
		}
		all = append(all, a)
	}
	return all
}

// Instruments names a study's instruments in the order of the flow.
func Instruments(st *studyfile.Study) []string {
	var names []string
	for _, b := range st.Flow {
		if b.Survey != nil && !slices.Contains(names, b.Survey.Instrument) {
			names = append(names, b.Survey.Instrument)
		}
	}
	return names
}

// AnalyseSurveys reads and scores what people answered to all instruments of a
// study, or to the one that the options name. step, which may be nil, is called
// after each instrument.
func AnalyseSurveys(ctx context.Context, db Source, row store.Study, st *studyfile.Study, o SurveyOptions, files []ModelFile, step func()) (*Surveys, error) {
	names := Instruments(st)
	if o.Instrument != "" {
		names = []string{o.Instrument}
	}
	collected, err := collectSurveys(ctx, db, row, st, o.People, names...)
	if err != nil {
		return nil, err
	}
	if len(collected) == 0 {
		return nil, fmt.Errorf("study %s asks no instrument", st.Slug)
	}
	r := &Surveys{Program: ThisProgram(), Study: aboutStudy(st), Parameters: o, People: collected[0].people, Files: files}
	var inputs strings.Builder
	for _, d := range collected {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		models, err := JoinModels(FilesOf(files, d.in.Name))
		if err != nil {
			return nil, err
		}
		found, err := d.analyse(o, models)
		if err != nil {
			return nil, err
		}
		r.Instruments = append(r.Instruments, found)
		fmt.Fprintf(&inputs, "%q %s\n", d.in.Name, d.input().SHA256)
		if step != nil {
			step()
		}
	}
	for _, f := range files {
		fmt.Fprintf(&inputs, "%q %q %s\n", f.Instrument, f.File, f.SHA256)
	}
	r.Input = Input{digest([]byte(inputs.String()))}
	return r, nil
}

// RecordSurveys keeps a result in the store.
func RecordSurveys(ctx context.Context, db *store.Store, row store.Study, r *Surveys) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("recording the result: %w", err)
	}
	_, err = db.SaveRun(ctx, row.ID, SurveyRunKind, text)
	return err
}

// LatestSurveys returns the newest result of surveys kept for a study;
// store.ErrNotFound where there is none.
func LatestSurveys(ctx context.Context, db *store.Store, row store.Study) (*Surveys, store.Run, error) {
	run, err := db.LatestRun(ctx, row.ID, SurveyRunKind)
	if err != nil {
		return nil, run, err
	}
	var r Surveys
	if err := json.Unmarshal(run.Result, &r); err != nil {
		return nil, run, fmt.Errorf("reading run %d: %w", run.ID, err)
	}
	return &r, run, nil
}
