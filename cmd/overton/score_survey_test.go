package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/internal/study"
)

// surveyDatabase holds a study of a made-up POBs survey that ten people
// finished, all but two by the first answer.
func surveyDatabase(t *testing.T, survey string) string {
	t.Helper()
	content, err := os.ReadFile(survey)
	if err != nil {
		t.Fatal(err)
	}
	st, err := studyfile.Read(studyfile.Files{"survey.json": content, "study.yaml": []byte(`title: Drinks
slug: drinks
recruitment:
  minutes: 2
  prolific:
    codes: {completed: DONE}
flow:
  - survey: {instrument: survey.json, items_per_page: topic, repeat: 1}
`)})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "overton.db")
	ctx := context.Background()
	db, err := store.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	row, err := db.SaveStudy(ctx, store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Launch(ctx, st.Slug, nil, 0); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		id := fmt.Sprint("person-", i)
		token, err := db.Start(ctx, &st.Study, row.ID, store.Arrival{Participant: id, Submission: id})
		if err != nil {
			t.Fatal(err)
		}
		pos, err := db.Position(ctx, &st.Study, token)
		for err == nil && pos.Step.Kind != study.StepEnd {
			pos, _, err = db.Submit(ctx, &st.Study, token, pos.Step.Path, func(string) string {
				if i < 2 {
					return "C"
				}
				return "A"
			}, store.Timing{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestScoreSurveyPutsPeopleBesideModels(t *testing.T) {
	survey, responses := pobsFolder(t)
	db := surveyDatabase(t, survey)
	model := writeFile(t, "model.csv", "model,question,option,probability\nm,1,A,1\nm,1,C,3\nm,2,A,1\nm,3,B,1\n")
	figures := t.TempDir()
	args := []string{"score", "survey", "--db", db, "--study", "drinks", "--instrument", "survey.json", "--responses", responses, "--model", model, "--bootstrap", "50", "--figures", figures}
	code, stdout, stderr := overtonCmd(append(args, "--json", "-")...)
	if code != 0 {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	var got, want any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"people": {"complete": 10, "virtual": false},
		"opinions": {"people": 10, "nni": {"value": 1, "n": 10}, "reliability": {"value": 1}, "refused_pct": {"value": 0}},
		"models": {"made_up_1.5": {"direct": {"responses": 9}}},
		"polls": {"models": {"m": {"n_overall": 3}}}}`), &want); err != nil {
		t.Fatal(err)
	}
	within("", want, got, func(at string, want, got any) { t.Errorf("%s = %v, want %v", at, got, want) })
	item := got.(map[string]any)["items"].([]any)[0].(map[string]any)
	if share := item["options"].([]any)[0].(map[string]any)["share"].(map[string]any)["value"]; share != 0.8 {
		t.Errorf("share of the first answer %v, want 0.8", share)
	}
	if m := fmt.Sprint(item["models"]); m != "map[m:[0.25 0 0.75] made_up_1.5:[0.6666666666666666 0.3333333333333333 0]]" {
		t.Errorf("the models' shares %s", m)
	}
	for _, name := range []string{"neutrality.svg", "ideology.png", "item-1.svg", "item-1.png"} {
		if _, err := os.Stat(filepath.Join(figures, name)); err != nil {
			t.Error(err)
		}
	}
	if code, table, _ := overtonCmd(args...); code != 0 || !strings.Contains(table, "10 people who finished") || !strings.Contains(table, "Made up 1?") {
		t.Errorf("exit status %d, table %s", code, table)
	}
	if code, _, stderr := overtonCmd("score", "survey", "--db", db, "--study", "drinks", "--instrument", "other.csv"); code != 1 || !strings.Contains(stderr, "asks no instrument") {
		t.Errorf("another instrument: exit status %d, %s", code, stderr)
	}
	if code, _, _ := overtonCmd("score", "survey", "--db", db); code != 2 {
		t.Errorf("without a study: exit status %d, want 2", code)
	}
}
