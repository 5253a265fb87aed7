package web

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overton/internal/dataset/studyfile"
	"overton/internal/dataset/votes"
	"overton/internal/llm"
	"overton/internal/llm/llmtest"
	"overton/internal/study"
)

// modelsSite is a site with a folder of runs: responses to two questions by two
// models, one of which refuses the second, and a run that has no result yet.
func modelsSite(t *testing.T, folder studyfile.Files) (ts *testSite, runs string) {
	t.Helper()
	runs = t.TempDir()
	ts = newSite(t, folder)
	ts.http.Close()
	if err := ts.store.Close(); err != nil {
		t.Fatal(err)
	}
	ts.open(Config{Runs: runs})

	server := llmtest.New(func(r llmtest.Request, _ int) llmtest.Reply {
		if strings.Contains(r.Text(), "refused") {
			return llmtest.Reply{Status: http.StatusBadRequest, Message: "the filter says no"}
		}
		return llmtest.Reply{Text: "a view"}
	})
	defer server.Close()
	models, err := llm.ReadModels("models.yaml", []byte("models:\n- {name: model one, base_url: "+server.BaseURL()+", prices: {input: 1000, output: 50000}}\n- {name: model-two, base_url: "+server.BaseURL()+"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := llm.NewClient(models, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	ask := func(name, command string, texts ...string) {
		run, err := llm.Open(filepath.Join(runs, name), llm.Settings{Program: "overton test", Command: command, Models: models.Settings(), Prompts: map[string]string{command: "0123abcd"}, Parameters: map[string]any{"samples": 1}})
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		var requests []llm.Request
		for i, text := range texts {
			for _, m := range models {
				requests = append(requests, llm.Request{ID: fmt.Sprint(i, m.Name), Model: m.Name, Messages: []llm.Message{{Role: llm.User, Content: text}}})
			}
		}
		if _, err := run.Do(context.Background(), client, slices.Values(requests), nil); err != nil {
			t.Fatal(err)
		}
	}
	ask("first run", "generate", "What about matter 1?", "What about matter 2?", "something refused")
	ask("empty", "answer")
	samples := []studyfile.Sample{
		{ModelResponse: study.ModelResponse{Question: "qid-1", Model: "model one", Text: "One may see it in many ways, and <b>most</b> of them are fair."}, QuestionText: "What about matter 1?", Number: 1, FinishReason: "stop", Chosen: true},
		{ModelResponse: study.ModelResponse{Question: "qid-1", Model: "model one", Text: "Another way to say it."}, QuestionText: "What about matter 1?", Number: 2, FinishReason: "stop"},
		{ModelResponse: study.ModelResponse{Question: "qid-1", Model: "model-two", Text: "There is a case for it,\n\nand a case against it."}, QuestionText: "What about matter 1?", Number: 1, FinishReason: "stop", Chosen: true},
		{ModelResponse: study.ModelResponse{Question: "qid-2", Model: "model-two", Text: "As a language model I cannot"}, QuestionText: "What about matter 2?", Number: 1, FinishReason: "length", Flags: []string{"refusal", "cut-off"}},
	}
	if err := os.WriteFile(filepath.Join(runs, "first run", samplesFile), studyfile.WriteSamples(samples), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(runs, "notes.txt"), []byte("no run"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(runs, "no run"), 0o755); err != nil {
		t.Fatal(err)
	}
	return ts, runs
}

func TestRunsOfModelsAreListedWithProgressAndCost(t *testing.T) {
	ts, runs := modelsSite(t, studyFolder(nil))
	b := ts.signedIn("viewer")
	p := b.get("/admin/models")
	if rows := p.rows(); !strings.Contains(rows, "first run 4 of 6 0.2100 0.3150 ") || !strings.Contains(rows, "empty 0 0.00 0.00 – answer model one, model-two") || strings.Contains(rows, "no run") {
		t.Errorf("runs: %s", rows)
	}
	p = b.get("/admin/models/first%20run")
	for _, want := range []string{"4 of 6 answered", "Sent6 requests", "Without an answer so far2", "Refused for good2", "Ended bystop 4", "the filter says no", "prompt generate0123abcd", "model one at http://127.0.0.1"} {
		if !strings.Contains(p.says(), want) {
			t.Errorf("%q is missing in %s", want, p.says())
		}
	}
	// What comes later is seen on the next look, and nothing is read twice.
	answers := filepath.Join(runs, "first run", "answers.jsonl")
	content, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	line := content[:bytes.IndexByte(content, '\n')+1]
	if err := os.WriteFile(answers, append(content, line...), 0o644); err != nil {
		t.Fatal(err)
	}
	if p = b.get("/admin/models/first%20run"); !strings.Contains(p.says(), "5 of 6 answered") {
		t.Errorf("after an answer more: %s", p.says())
	}
	if err := os.WriteFile(answers, line, 0o644); err != nil { // another run stands there
		t.Fatal(err)
	}
	if p = b.get("/admin/models/first%20run"); !strings.Contains(p.says(), "1 of 6 answered") {
		t.Errorf("after the folder was replaced: %s", p.says())
	}
	for _, path := range []string{"/admin/models/nothing", "/admin/models/no%20run", "/admin/models/..", "/admin/models/%2e%2e", "/admin/models/..%2f..%2fetc"} {
		if p := b.get(path); p.status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, p.status)
		}
	}
}

func TestResponsesAreReviewedBeforeTheyEnterAQuestionSet(t *testing.T) {
	ts, runs := modelsSite(t, studyFolder(nil))
	const path = "/admin/models/first%20run"
	b := ts.signedIn("researcher")
	p := b.get(path)
	if says := p.says(); strings.Index(says, "As a language model I cannot") > strings.Index(says, "One may see it") || !strings.Contains(says, "refusal") || !strings.Contains(says, "<b>most</b>") || !strings.Contains(says, "Accept all 3 without a flag") {
		t.Errorf("to review: %s", says)
	}
	view := ts.signedIn("viewer")
	if p := view.get(path); strings.Contains(p.body, ">Accept<") || strings.Contains(p.body, "responses.csv") {
		t.Error("a viewer is offered to decide")
	}
	keys := map[string]string{}
	for _, part := range strings.Split(p.body, `name="response" value="`)[1:] {
		key, _, _ := strings.Cut(part, `"`)
		keys[strings.Join(strings.Split(key, "/")[:3], " ")] = key
	}
	decide := func(b *browser, verdict, key string) page {
		return b.post(path, url.Values{"verdict": {verdict}, "response": {key}, "view": {"waiting"}})
	}
	refused := keys["qid-2 model-two 1"]
	if p := decide(view, "accept", refused); p.status != http.StatusForbidden {
		t.Errorf("a viewer decides: status %d", p.status)
	}
	if p := decide(b, "reject", refused); p.status != 200 || strings.Contains(p.says(), "As a language model") {
		t.Errorf("after rejecting: status %d, %s", p.status, p.says())
	}
	if p := b.post(path, url.Values{"verdict": {"accept-unflagged"}}); p.status != 200 || !strings.Contains(p.says(), "Every response has a verdict") || !strings.Contains(p.says(), "several samples on one question are accepted") {
		t.Errorf("after accepting the rest: status %d, %s", p.status, p.says())
	}
	if p := b.get(path + "?view=rejected"); !strings.Contains(p.says(), "rejected by researcher@example.org, 2026-03-01 12:00 UTC") {
		t.Errorf("rejected: %s", p.says())
	}
	for verdict, status := range map[string]int{"adopt": http.StatusBadRequest, "accept": http.StatusConflict} {
		if p := decide(b, verdict, "qid-9/x/1/00"); p.status != status {
			t.Errorf("%s of what is not there: status %d, want %d", verdict, p.status, status)
		}
	}
	read := func() [][]string {
		p := b.get(path + "/responses.csv")
		rows, err := csv.NewReader(strings.NewReader(p.body)).ReadAll()
		if err != nil || p.header.Get("Content-Disposition") != `attachment; filename="responses.csv"` {
			t.Fatalf("%v, %v", err, p.header)
		}
		return rows
	}
	if rows := read(); len(rows) != 3 || rows[1][2] != "One may see it in many ways, and <b>most</b> of them are fair." || rows[2][1] != "model-two" || rows[2][2] != "There is a case for it,\n\nand a case against it." {
		t.Errorf("responses.csv: %q", rows)
	}
	// A change of mind counts, and an edited text has no verdict.
	if decide(b, "reject", keys["qid-1 model+one 1"]); read()[1][2] != "Another way to say it." {
		t.Errorf("after a change of mind: %q", read())
	}
	file := filepath.Join(runs, "first run", samplesFile)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(content, []byte("Another way"), []byte("A third way"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if rows := read(); len(rows) != 2 {
		t.Errorf("an edited response keeps its verdict: %q", rows)
	}
}

func TestModelPagesAreNotThereWithoutAFolderOfRuns(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	if p := b.get("/admin"); strings.Contains(p.body, "/admin/models") {
		t.Error("a way leads to models")
	}
	for _, path := range []string{"/admin/models", "/admin/models/x"} {
		if p := b.get(path); p.status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, p.status)
		}
	}
}

// predicted writes predictions of all ratings of a study: as given on the first
// question, one less on the others.
func (ts *testSite) predicted() []byte {
	ts.t.Helper()
	var list []votes.Prediction
	for _, r := range ts.records() {
		for _, slot := range r.Slots {
			for _, model := range slot.Models {
				value := 0.0
				fmt.Sscan(r.Answered()[study.Key{Kind: study.KindRating, Scope: slot.Question, Subject: model}], &value)
				if slot.Question != "qid-1" {
					value = max(1, value-1)
				}
				list = append(list, votes.Prediction{Participant: r.Pseudonym, Question: slot.Question, Model: model, Value: value, Calibrated: math.NaN(), Samples: 1})
			}
		}
	}
	return votes.WritePredictions(list)
}

// compare posts the form of the judge's page.
func (b *browser) compare(run, file string, content []byte) page {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("run", run)
	if file != "" {
		w, err := form.CreateFormFile("file", file)
		if err != nil {
			b.t.Fatal(err)
		}
		w.Write(content)
	}
	form.Close()
	r, err := http.NewRequest(http.MethodPost, b.http.URL+"/admin/studies/small/judge", &body)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	return b.do(r)
}

// judgeRun puts predictions into a run folder of a judge.
func judgeRun(t *testing.T, runs, name string, predictions []byte) {
	t.Helper()
	run, err := llm.Open(filepath.Join(runs, name), llm.Settings{Command: "judge"})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(runs, name, predictionsFile), predictions, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAJudgeIsHeldAgainstPeople(t *testing.T) {
	ts, runs := modelsSite(t, campFolder(t))
	b := ts.signedIn("researcher")
	if p := b.compare("", "predictions.csv", []byte("user,question_id,model,representation_rating\nx,qid-1,model-alpha,3\n")); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says(), "Nobody has finished the study yet") {
		t.Errorf("without people: status %d, %s", p.status, p.says())
	}
	ts.camps(1, 12, false)
	predictions := ts.predicted()
	judgeRun(t, runs, "judge 1", predictions)
	for name, test := range map[string]struct {
		run, file string
		content   []byte
		want      string
	}{
		"nothing":      {"", "", nil, "Choose a file of predictions"},
		"no such run":  {"judge 9", "", nil, "no such run of a judge"},
		"not a table":  {"", "p.csv", []byte("a,b\n1,2\n"), "p.csv"},
		"other people": {"", "p.csv", []byte("user,question_id,model,representation_rating\nx,qid-1,model-alpha,3\n"), "has no human rating by user x on question qid-1"},
	} {
		if p := b.compare(test.run, test.file, test.content); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says(), test.want) {
			t.Errorf("%s: status %d, %s", name, p.status, p.says())
		}
	}
	for _, source := range []struct {
		run, file string
		content   []byte
	}{{"judge 1", "", nil}, {"", "p.csv", predictions}} {
		p := b.compare(source.run, source.file, source.content)
		rows := p.rows()
		if p.status != 200 || !strings.Contains(p.says(), "12 people who finished") {
			t.Fatalf("status %d, %s", p.status, p.says())
		}
		// On question 1 the judge is right, on the others it is one too low.
		for _, want := range []string{"qid-1 What about matter 1? 16 0 0.00", "qid-2 What about matter 2? 16 0 1.00"} {
			if !strings.Contains(rows, want) {
				t.Errorf("%q is missing in %s", want, rows)
			}
		}
		if !strings.Contains(p.body, "The judge against people</title>") {
			t.Error("there is no figure")
		}
	}
	p := ts.signedIn("viewer").get("/admin/studies/small/judge")
	if !strings.Contains(p.says(), "p.csv, column representation_rating") || strings.Contains(p.body, "<form class=\"stack\"") {
		t.Errorf("what a viewer sees: %s", p.says())
	}
}
