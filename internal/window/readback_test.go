package window

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"overton/internal/dataset/studyfile"
	"overton/internal/dataset/votes"
	"overton/internal/score"
	"overton/internal/store"
)

// readBack reads what was written into a fresh value of its type, and writes it
// again. The two texts must be the same to the byte.
func readBack(t *testing.T, what string, v any) {
	t.Helper()
	for name, write := range map[string]func(any) ([]byte, error){"plain": json.Marshal, "encoded": encode} {
		text, err := write(v)
		if err != nil {
			t.Fatalf("%s, %s: writing: %v", what, name, err)
		}
		back := reflect.New(reflect.TypeOf(v).Elem()).Interface()
		if err := json.Unmarshal(text, back); err != nil {
			t.Errorf("%s, %s: what was written cannot be read: %v", what, name, err)
			continue
		}
		again, err := write(back)
		if err != nil {
			t.Fatalf("%s, %s: writing again: %v", what, name, err)
		}
		if !bytes.Equal(text, again) {
			at := 0
			for at < min(len(text), len(again)) && text[at] == again[at] {
				at++
			}
			from := max(0, at-80)
			t.Errorf("%s, %s: differs from byte %d on:\n…%.200s\n…%.200s", what, name, at, text[from:], again[from:])
		}
	}
}

// TestEveryKindOfResultIsReadBackAsItWasWritten covers the kinds of run. Models
// that gave one answer or none to an item are among them: such items are named
// in the result, by numbers where their ids are whole numbers.
func TestEveryKindOfResultIsReadBackAsItWasWritten(t *testing.T) {
	db, row, st, _ := filled(t, 24, false)
	o := quick()
	result := analyse(t, db, row, st, o)
	readBack(t, "window", result)
	if err := Record(t.Context(), db, row, result); err != nil {
		t.Fatal(err)
	}
	readBack(t, "judge", judged(t, db, row, st))

	db, row, st = plantedSurvey(t, 12)
	files := releasedAnswers(t, st)
	surveys := DefaultSurveyOptions()
	surveys.Bootstrap = 10
	surveys.Margins = []score.Margin{{Variable: "SEX", Categories: []string{"Male", "Female"}, Shares: []float64{1, 1}}}
	found, err := AnalyseSurveys(t.Context(), db, row, st, surveys, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	readBack(t, "surveys", found)
	for _, f := range files {
		readBack(t, f.File, &f)
	}
	if err := RecordSurveys(t.Context(), db, row, found); err != nil {
		t.Fatal(err)
	}
	if _, _, err := LatestSurveys(t.Context(), db, row); err != nil {
		t.Errorf("a recorded survey cannot be read: %v", err)
	}
}

// judged compares predictions of all ratings, each one too low, with people.
func judged(t *testing.T, db *store.Store, row store.Study, st *studyfile.Study) *Judged {
	t.Helper()
	data, err := Collect(t.Context(), db, row, st, Auto, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []votes.Prediction
	for _, r := range data.Ratings.Rows {
		list = append(list, votes.Prediction{Participant: r.Participant, Question: r.Question, Model: r.Model,
			Value: max(1, r.Value-1), Calibrated: 3, Samples: 1})
	}
	p := score.DefaultParameters()
	p.Bootstrap = 20
	file := JudgeFile{File: "p.csv", Column: votes.DefaultRatingColumn}
	j, err := ReadJudge(t.Context(), db, row, st, file, votes.WritePredictions(list))
	if err != nil {
		t.Fatal(err)
	}
	r, err := j.Compare(p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// releasedAnswers are the first of the published repetitions of models'
// answers to POBs, in all modes.
func releasedAnswers(t *testing.T, st *studyfile.Study) []ModelFile {
	t.Helper()
	shared := os.Getenv("OVERTON_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	paths, err := filepath.Glob(filepath.Join(shared, "data", "pobs", "POBS_v11_model_responses", "*", "*_1.json"))
	if err != nil || len(paths) == 0 {
		t.Skip("no conformance data: set OVERTON_SHARED")
	}
	var files []ModelFile
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ReadModelFile(filepath.Base(path), content, st.Instruments["pobs.json"])
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}
