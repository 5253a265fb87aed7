package demo

import (
	"encoding/csv"
	"strconv"
	"strings"
	"testing"
)

// rows reads a file of the demo as one map per line.
func rows(t *testing.T, name string) []map[string]string {
	t.Helper()
	f, err := Files().Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var out []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, column := range records[0] {
			row[column] = record[i]
		}
		out = append(out, row)
	}
	return out
}

func TestEveryModelAnswersEveryQuestion(t *testing.T) {
	t.Parallel()
	answered := map[string]bool{}
	models := map[string]bool{}
	for _, r := range rows(t, "responses.csv") {
		models[r["model"]] = true
		answered[r["question_id"]+" "+r["model"]] = true
		if n := len(strings.Fields(r["llm_response"])); n < 60 || n > 100 {
			t.Errorf("question %s, %s: %d words; want 60 to 100", r["question_id"], r["model"], n)
		}
	}
	questions := rows(t, "questions.csv")
	if len(questions) != 8 || len(models) != 4 {
		t.Errorf("%d questions and %d models; want 8 and 4", len(questions), len(models))
	}
	for _, q := range questions {
		for m := range models {
			if !answered[q["question_id"]+" "+m] {
				t.Errorf("question %s: no response by %s", q["question_id"], m)
			}
		}
	}
}

// The package comment promises this shape to anyone who simulates the demo.
func TestPlantedTruthIsWhole(t *testing.T) {
	t.Parallel()
	type at struct{ question, viewpoint string }
	spoken := map[at]int{}
	viewpoints := map[string][]string{} // of a question, in order of appearance
	said := map[string]bool{}
	for _, o := range rows(t, "opinions.csv") {
		key := at{o["question_id"], o["viewpoint"]}
		if spoken[key] == 0 {
			viewpoints[key.question] = append(viewpoints[key.question], key.viewpoint)
		}
		spoken[key]++
		if said[o["free_response"]] {
			t.Errorf("said twice: %q", o["free_response"])
		}
		said[o["free_response"]] = true
	}
	stances := map[at]map[string]bool{}
	represented := map[at]int{}
	order := map[string][]string{}
	for _, s := range rows(t, "stances.csv") {
		key := at{s["question_id"], s["viewpoint"]}
		if stances[key] == nil {
			stances[key] = map[string]bool{}
			order[key.question] = append(order[key.question], key.viewpoint)
		}
		stances[key][s["stance"]] = true
		represented[key]++
		if share, err := strconv.ParseFloat(s["represents"], 64); err != nil || share < 0 || share > 1 {
			t.Errorf("question %s, %s: represents is %q; want 0 to 1", key.question, key.viewpoint, s["represents"])
		}
	}
	seeds := map[string]int{}
	for _, s := range rows(t, "seeds.csv") {
		seeds[s["question_id"]]++
	}

	for _, q := range rows(t, "questions.csv") {
		id := q["question_id"]
		if len(viewpoints[id]) != 3 || seeds[id] != 3 {
			t.Errorf("question %s: %d viewpoints and %d seeds; want 3 and 3", id, len(viewpoints[id]), seeds[id])
		}
		if got, want := strings.Join(order[id], " "), strings.Join(viewpoints[id], " "); got != want {
			t.Errorf("question %s: stances.csv has viewpoints %s; opinions.csv has %s", id, got, want)
		}
		for _, v := range viewpoints[id] {
			key := at{id, v}
			if spoken[key] < 8 {
				t.Errorf("question %s, %s: %d opinions; want 8 or more", id, v, spoken[key])
			}
			if represented[key] != 4 || len(stances[key]) != 1 {
				t.Errorf("question %s, %s: %d models and stances %v; want 4 models and one stance", id, v, represented[key], stances[key])
			}
			if stances[key][""] != (q["option_1"] == "") {
				t.Errorf("question %s, %s: stance %v does not fit endpoints %q, %q", id, v, stances[key], q["option_1"], q["option_2"])
			}
		}
	}
}
