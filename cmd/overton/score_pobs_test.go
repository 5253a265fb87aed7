package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sharedFolder finds the conformance data, or skips the test.
func sharedFolder(t *testing.T, parts ...string) string {
	t.Helper()
	shared := os.Getenv("OVERTON_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{shared}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no conformance data: %v", err)
	}
	return path
}

// within walks the expected value and finds where the other differs by more
// than 1e-9 or lacks something; what it has beyond that does not matter.
func within(at string, want, got any, differ func(at string, want, got any)) (compared int) {
	switch want := want.(type) {
	case map[string]any:
		other, ok := got.(map[string]any)
		if !ok {
			differ(at, want, got)
			return 0
		}
		for k, v := range want {
			g, there := other[k]
			if !there {
				differ(at+"/"+k, v, "absent")
				continue
			}
			compared += within(at+"/"+k, v, g, differ)
		}
		return compared
	case []any:
		other, ok := got.([]any)
		if !ok || len(other) != len(want) {
			differ(at, want, got)
			return 0
		}
		for i := range want {
			compared += within(fmt.Sprintf("%s[%d]", at, i), want[i], other[i], differ)
		}
		return compared
	case float64:
		other, ok := got.(float64)
		if !ok || math.Abs(want-other) > 1e-9 {
			differ(at, want, got)
		}
	default:
		if want != got {
			differ(at, want, got)
		}
	}
	return 1
}

func TestPobsReproducesEveryReferenceNumber(t *testing.T) {
	t.Parallel()
	data := sharedFolder(t, "data", "pobs")
	raw, err := os.ReadFile(sharedFolder(t, "reference", "pobs_expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := overtonCmd("score", "pobs", "--json", "-",
		"--survey", filepath.Join(data, "POBS_v11.json"), "--responses", filepath.Join(data, "POBS_v11_model_responses"),
		"--declarative", filepath.Join(data, "POBS_V11_declarative.json"), "--declarative-responses", filepath.Join(data, "POBS_v11_declarative_responses"))
	if code != 0 {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for expected, ours := range map[string]string{"results": "results", "D_direct": "distance", "opinion_change": "opinion_change", "declarative": "declarative"} {
		compared += within(ours, want[expected], got[ours], func(at string, want, got any) { t.Errorf("%s = %v, want %v", at, got, want) })
	}
	t.Logf("%d values compared", compared)
	if compared < 1872 {
		t.Errorf("only %d values compared", compared)
	}
	if got["disagreements_with_recorded_letters"] != 0.0 {
		t.Errorf("%v answers read otherwise than recorded", got["disagreements_with_recorded_letters"])
	}
	warnings := fmt.Sprint(got["warnings"])
	if !strings.Contains(warnings, "Qwen2.5_72B_Instruct_2.json is the same") {
		t.Errorf("identical repetitions are not told: %s", warnings)
	}
	for _, cell := range got["published"].([]any) {
		c := cell.(map[string]any)
		if why, _ := c["why"].(string); c["agrees"] == false && (why == "" || why == "not explained") {
			t.Errorf("%v %v %v: published %v, ours %v, and no reason given", c["table"], c["model"], c["mode"], c["published"], c["ours"])
		}
	}
}

// pobsFolder writes a made-up survey of two topics and answers of one model.
func pobsFolder(t *testing.T) (survey, responses string) {
	t.Helper()
	dir := t.TempDir()
	item := func(id int, extra string) string {
		polarity := `, "options_polarity": [-1, 0, 1.0, null]`
		if id == 3 {
			polarity = ""
		}
		return fmt.Sprintf(`{"id": %d, "question": "Made up %d?", "options": ["Tea", "Neutral", "Coffee", "Refused"]%s%s}`, id, id, polarity, extra)
	}
	file := func(extra func(id int) string) string {
		return fmt.Sprintf(`{"survey": {"title": "Drinks", "topics": [
{"name": "Tea vs. Coffee", "category": "Drinks", "questions": [%s, %s]},
{"name": "Cups", "category": "Drinks", "questions": [%s]}]}, "model": "made-up"}`,
			item(1, extra(1)), item(2, extra(2)), item(3, extra(3)))
	}
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	survey = write("survey.json", file(func(int) string { return "" }))
	for rep, letters := range []string{"AAB", "AC.", "BDC"} {
		write(fmt.Sprintf("answers/POBS_made_up_1.5_%d.json", rep+1), file(func(id int) string {
			l := letters[id-1 : id]
			return fmt.Sprintf(`, "response": "<answer>%s</answer>", "selected": %q`, l, l)
		}))
	}
	write("answers/.DS_Store", "\x00")
	return survey, filepath.Join(dir, "answers")
}

func TestScorePobsOfMadeUpAnswers(t *testing.T) {
	t.Parallel()
	survey, responses := pobsFolder(t)
	code, stdout, stderr := overtonCmd("score", "pobs", "--survey", survey, "--responses", responses, "--json", "-", "--bootstrap", "50")
	if code != 0 {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	// Item 1: -1, -1, 0; item 2: -1, 1, refused; item 3: 0, invalid, 1 (likert: 0, 1).
	h := math.Hypot(1, 0.5)
	var want any
	if err := json.Unmarshal(fmt.Appendf(nil, `{"made_up_1.5": {"direct": {"repetitions": [1, 2, 3], "responses": 9, "invalid": 1, "refused": 1,
		"nni": %v, "tci": %v, "reliability": {"likert": %v},
		"topics": {"Tea vs. Coffee": {"mean_polarity": %v, "answered_pct": %v}, "Cups": {"nni_likert": 0.5, "nni_binary": 0.5, "tci": null}}}}}`,
		(2.0/3+2.0/3)/2, 1-math.Sqrt(2*math.Pow(1.0/3, 2)), ((1-2.0/6)+(1-(2+2*h)/6)+0.5)/3, -1.0/3, 100*5.0/6), &want); err != nil {
		t.Fatal(err)
	}
	within("results", want, got["results"], func(at string, want, got any) { t.Errorf("%s = %v, want %v", at, got, want) })
	if _, again, _ := overtonCmd("score", "pobs", "--survey", survey, "--responses", responses, "--json", "-", "--bootstrap", "50"); again != stdout {
		t.Error("the same input gave another result")
	}
}

func TestScorePobsRefusesWhatItCannotUse(t *testing.T) {
	t.Parallel()
	survey, responses := pobsFolder(t)
	bad := filepath.Join(responses, "POBS_other_1.json")
	if err := os.WriteFile(bad, []byte("{\n\"survey\": {\"topics\": [{\"name\": 5}]}}"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		code int
		says string
	}{
		{"a faulty file", []string{"--survey", survey, "--responses", responses}, 1, "POBS_other_1.json:2: survey.topics.name is a number; expected a text"},
		{"no survey", []string{"--responses", responses}, 2, "--survey"},
		{"no such folder", []string{"--survey", survey, "--responses", responses + "x"}, 1, "no such file"},
		{"an unknown coding", []string{"--survey", survey, "--responses", responses, "--coding", "decimal"}, 2, "likert or binary"},
		{"declarative answers without questions", []string{"--survey", survey, "--responses", responses, "--declarative-responses", responses}, 2, "must be given together"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := overtonCmd(append([]string{"score", "pobs"}, test.args...)...)
			if code != test.code || !strings.Contains(stderr, test.says) || stdout != "" {
				t.Errorf("exit status %d, standard error %q; want %d and %q", code, stderr, test.code, test.says)
			}
		})
	}
}
