package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var (
	pollFolder    = filepath.Join("..", "..", "internal", "dataset", "survey", "testdata", "opinionqa")
	countryFolder = filepath.Join("..", "..", "internal", "dataset", "survey", "testdata", "globalopinionqa")
)

func TestScoreOpinionQAOfMadeUpFiles(t *testing.T) {
	in := func(name string) string { return filepath.Join(pollFolder, name) }
	args := []string{"score", "opinionqa", "--info", in("info.csv"), "--metadata", in("metadata.csv"), "--human", in("responses.csv"),
		"--topics", in("topic_mapping.npy"), "--model", in("models.csv"), "--json", "-", "--bootstrap", "100"}
	code, stdout, stderr := overtonCmd(args...)
	if code != 0 {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	// Bikes, ordinals 1, 2, 1.5: people 1/6, 3/6, 2/6 on them, the model 6/9, 2/9, 1/9.
	// Tea: people 1.5 of 5 and 3.5 by weight hot 1.5, cold 3.5; the model 3/4.
	// Piped, second wording: people good 0.5, bad 2; the model good.
	bikes := 1 - (math.Abs(6.0/9-1.0/6)*0.5 + math.Abs(7.0/9-3.0/6)*0.5)
	tea := 1 - math.Abs(0.75-1.5/5)
	piped := 1 - 2/2.5
	var want any
	expected := map[string]any{
		"questions": 5, "questions_with_scale": 4,
		"models": map[string]any{"made-up-1": map[string]any{
			"representativeness": (bikes + tea + piped) / 3, "n_overall": 3,
			"group":        map[string]any{"SEX: Male": (1 - (6.0/9*0.5 + 7.0/9*0.5) + 1 - 0.75) / 2},
			"steerability": map[string]any{"SEX: Male": map[string]any{"per_question": 1, "questions": 1, "per_context": 1, "best_contexts": []any{"qa"}}},
			"refusal_rate": map[string]any{"all": 10.0 / 3, "n_all": 3},
		}},
		"left_out": map[string]any{"questions_without_people": []any{}, "questions_without_topic": 3, "questions_without_scale": 1},
	}
	raw, err := json.Marshal(expected)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	within("", want, got, func(at string, want, got any) { t.Errorf("%s = %v, want %v", at, got, want) })
	if _, again, _ := overtonCmd(args...); again != stdout {
		t.Error("the same input gave another result")
	}
	if code, table, _ := overtonCmd(append(args[:len(args)-4], "--bootstrap", "0")...); code != 0 || !strings.Contains(table, "made-up-1") || !strings.Contains(table, "steered to SEX: Male") {
		t.Errorf("the table: %s", table)
	}
}

func TestScoreGlobalOpinionQAOfMadeUpFiles(t *testing.T) {
	args := []string{"score", "globalopinionqa", "--questions", filepath.Join(countryFolder, "global_opinions.csv"), "--model", filepath.Join(countryFolder, "models.csv")}
	code, stdout, stderr := overtonCmd(append(args, "--json", "-")...)
	if code != 0 {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	var got struct {
		Questions int
		Models    []struct {
			Context     string
			MostSimilar string `json:"most_similar"`
			Countries   []struct {
				Country string
				Natural float64
				Base2   float64
				N       int
			}
		}
		Prompting []struct {
			Country                   string
			Default, Prompted, Change float64
		}
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Questions != 2 || len(got.Models) != 2 || got.Models[0].Context != "default" {
		t.Fatalf("%+v", got)
	}
	// Freedonia agrees with the model on the first question; on the second the
	// model has half on 1 and half on 4.0, Freedonia a quarter on each of four.
	divergence := (2*0.5*math.Log(0.5/0.375) + 2*0.25*math.Log(0.25/0.375) + 2*0.25*math.Log(2)) / 2
	freedonia := got.Models[0].Countries[0]
	if freedonia.Country != "Freedonia" {
		freedonia = got.Models[0].Countries[1]
	}
	if want := (1 + 1 - math.Sqrt(divergence)) / 2; freedonia.Country != "Freedonia" || freedonia.N != 2 || math.Abs(freedonia.Natural-want) > 1e-12 {
		t.Errorf("%+v, want %v", freedonia, want)
	}
	if p := got.Prompting; len(p) != 1 || p[0].Country != "Sylvania (Non-national sample)" || p[0].Change <= 0 {
		t.Errorf("prompting %+v", p)
	}
	figures := t.TempDir()
	if code, table, _ := overtonCmd(append(args, "--base", "2", "--figures", figures)...); code != 0 || !strings.Contains(table, "Freedonia") || !strings.Contains(table, "left out: 1 rows") {
		t.Errorf("the table: %s", table)
	}
	if _, err := os.Stat(filepath.Join(figures, "countries-made-up-1-cross-national-Sylvania.svg")); err != nil {
		t.Error(err)
	}
	for _, wrong := range [][]string{append(args, "--base", "10"), args[:4]} {
		if code, _, _ := overtonCmd(wrong...); code != 2 {
			t.Errorf("%v: exit status %d, want 2", wrong, code)
		}
	}
}
