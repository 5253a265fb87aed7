package main

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overton/internal/llm/llmtest"
)

// modelsFile writes a models file for models at a test endpoint.
func modelsFile(t *testing.T, s *llmtest.Server, names ...string) string {
	t.Helper()
	text := "models:\n"
	for _, name := range names {
		text += fmt.Sprintf(`  - name: %s
    base_url: %s
    prices: {input: 1.5, output: 6}
    limits: {concurrency: 4}
    retries: {attempts: 2, first_wait: 1ms, max_wait: 5ms}
`, name, s.BaseURL())
	}
	return writeFile(t, "models.yaml", text)
}

// readRows reads a CSV file as rows of cells by column.
func readRows(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(content), "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

const fewQuestions = `question_id,source,topic,question,option_1,option_2
1,s,Parks,Should the town spend more money on parks and playgrounds for the children who live there?,Yes,No
2,s,Buses,"Should buses be free for everybody, or should those who ride them pay for what they cost?",Free,Paid
`

func TestGenerateWritesResponsesForAStudy(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("People who live near a park tend to value it, while others would rather see lower taxes. ", 2) + "Both views are common in the town."
	s := llmtest.New(func(r llmtest.Request, _ int) llmtest.Reply {
		if !strings.Contains(r.Text(), "at most 60 words") || r.Messages[0].Role != "system" || r.Messages[0].Content != "Be plain." {
			return llmtest.Reply{Status: http.StatusBadRequest, Message: "not what was to be asked"}
		}
		if r.Model == "odd-model" && *r.Seed == 1 {
			return llmtest.Reply{Text: "=I'm sorry, but I can't", FinishReason: "length"}
		}
		return llmtest.Reply{Text: good}
	})
	defer s.Close()
	questions, models, system := writeFile(t, "questions.csv", fewQuestions), modelsFile(t, s, "plain", "odd-model"), writeFile(t, "system.txt", "Be plain.\n")
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"llm", "generate", "--questions", questions, "--models", models, "--out", dir, "--samples", "2", "--system", system, "--max-words", "60"}

	code, out, errs := overtonCmd(append(args, "--dry-run")...)
	if code != 0 || s.Requests() != 0 || !strings.Contains(out, "Still to send: 8") {
		t.Fatalf("a dry run ends with %d after %d requests: %s%s", code, s.Requests(), out, errs)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a dry run made the folder")
	}
	code, out, errs = overtonCmd(args...)
	if code != 0 {
		t.Fatal(errs, out)
	}
	for _, want := range []string{"8 answered now in 8 attempts", "2 samples have a flag, and 0 of them are among the responses"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	responses := readRows(t, filepath.Join(dir, "responses.csv"))
	if len(responses) != 4 {
		t.Fatalf("%d responses; want 4", len(responses))
	}
	for _, r := range responses {
		if r["llm_response"] != strings.TrimSpace(good) {
			t.Errorf("question %s, model %s: %q", r["question_id"], r["model"], r["llm_response"])
		}
	}
	review := readRows(t, filepath.Join(dir, "review.csv"))
	if len(review) != 2 || review[0]["flags"] != "cut_off refusal too_short" || review[0]["sample"] != "1" || !strings.HasPrefix(review[0]["llm_response"], "'=") {
		t.Errorf("to review: %v", review)
	}

	// The files make a study.
	study := t.TempDir()
	for name, content := range map[string]string{"questions.csv": fewQuestions, "consent.md": "Yes?\n", "study.yaml": "title: T\nslug: t\nrecruitment: {minutes: 20, prolific: {codes: {completed: C1}}}\nflow:\n- consent: {file: consent.md}\n- overton: {questions: questions.csv, responses: responses.csv, questions_per_participant: 1}\n"} {
		if err := os.WriteFile(filepath.Join(study, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(filepath.Join(dir, "responses.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(study, "responses.csv"), content, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := overtonCmd("study", "check", study); code != 0 {
		t.Errorf("the study is refused: %s%s", out, errs)
	}

	before := s.Requests()
	if code, _, errs := overtonCmd(args...); code != 0 || s.Requests() != before {
		t.Errorf("the second time it ends with %d after %d more requests: %s", code, s.Requests()-before, errs)
	}
	if code, _, errs := overtonCmd(append(args, "--max-words", "70")...); code != 1 || !strings.Contains(errs, "parameters was max_words 60 and is now max_words 70") {
		t.Errorf("another length in the same folder ends with %d: %s", code, errs)
	}
}

func TestGenerateTellsWhatFailed(t *testing.T) {
	t.Parallel()
	s := llmtest.New(func(r llmtest.Request, _ int) llmtest.Reply {
		if strings.Contains(r.Text(), "buses") {
			return llmtest.Reply{Status: http.StatusInternalServerError, Message: "down"}
		}
		return llmtest.Reply{Text: "A park is good for children, and for those who walk there with their dogs in the evening. Others find it dear."}
	})
	defer s.Close()
	dir := filepath.Join(t.TempDir(), "run")
	code, out, errs := overtonCmd("llm", "generate", "--questions", writeFile(t, "questions.csv", fewQuestions), "--models", modelsFile(t, s, "plain"), "--out", dir)
	if code != 1 || !strings.Contains(errs, "1 of 2 requests have no answer") || !strings.Contains(errs, "2/plain/1: 500 Internal Server Error: down") {
		t.Errorf("it ends with %d: %s%s", code, out, errs)
	}
	if !strings.Contains(out, "responses.csv is not ready for a study: 1 of 2 samples are missing.") {
		t.Errorf("what is missing is not told: %s", out)
	}
	if rows := readRows(t, filepath.Join(dir, "responses.csv")); len(rows) != 1 {
		t.Errorf("%d responses are written; want the one that came", len(rows))
	}
}
