package analyse_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overton/internal/dataset/votes"
	"overton/internal/llm"
	"overton/internal/study"
	"overton/web/webtest"
)

func TestRunsOfModelsAreListedWithProgressAndCost(t *testing.T) {
	t.Parallel()
	ts, runs := webtest.ModelsSite(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("viewer")
	p := b.Get("/admin/models")
	if rows := p.Rows(); !strings.Contains(rows, "first run 4 of 6 0.2100 0.3150 ") || !strings.Contains(rows, "empty 0 0.00 0.00 – answer model one, model-two") || strings.Contains(rows, "no run") {
		t.Errorf("runs: %s", rows)
	}
	p = b.Get("/admin/models/first%20run")
	for _, want := range []string{"4 of 6 answered", "Sent6 requests", "Without an answer so far2", "Refused permanently2", "Ended bystop 4", "the filter says no", "prompt generate0123abcd", "model one at http://127.0.0.1"} {
		if !strings.Contains(p.Says(), want) {
			t.Errorf("%q is missing in %s", want, p.Says())
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
	if p = b.Get("/admin/models/first%20run"); !strings.Contains(p.Says(), "5 of 6 answered") {
		t.Errorf("after an answer more: %s", p.Says())
	}
	if err := os.WriteFile(answers, line, 0o644); err != nil { // another run stands there
		t.Fatal(err)
	}
	if p = b.Get("/admin/models/first%20run"); !strings.Contains(p.Says(), "1 of 6 answered") {
		t.Errorf("after the folder was replaced: %s", p.Says())
	}
	for _, path := range []string{"/admin/models/nothing", "/admin/models/no%20run", "/admin/models/..", "/admin/models/%2e%2e", "/admin/models/..%2f..%2fetc"} {
		if p := b.Get(path); p.Status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, p.Status)
		}
	}
}

func TestResponsesAreReviewedBeforeTheyEnterAQuestionSet(t *testing.T) {
	t.Parallel()
	ts, runs := webtest.ModelsSite(t, webtest.StudyFolder(nil))
	const path = "/admin/models/first%20run"
	b := ts.SignedIn("researcher")
	p := b.Get(path)
	if says := p.Says(); strings.Index(says, "As a language model I cannot") > strings.Index(says, "One may see it") || !strings.Contains(says, "refusal") || !strings.Contains(says, "<b>most</b>") || !strings.Contains(says, "Accept all 3 without a flag") {
		t.Errorf("to review: %s", says)
	}
	view := ts.SignedIn("viewer")
	if p := view.Get(path); strings.Contains(p.Body, ">Accept<") || strings.Contains(p.Body, "responses.csv") {
		t.Error("a viewer is offered to decide")
	}
	keys := map[string]string{}
	for _, part := range strings.Split(p.Body, `name="response" value="`)[1:] {
		key, _, _ := strings.Cut(part, `"`)
		keys[strings.Join(strings.Split(key, "/")[:3], " ")] = key
	}
	decide := func(b *webtest.Browser, verdict, key string) webtest.Page {
		return b.Post(path, url.Values{"verdict": {verdict}, "response": {key}, "view": {"waiting"}})
	}
	refused := keys["qid-2 model-two 1"]
	if p := decide(view, "accept", refused); p.Status != http.StatusForbidden {
		t.Errorf("a viewer decides: status %d", p.Status)
	}
	if p := decide(b, "reject", refused); p.Status != 200 || strings.Contains(p.Says(), "As a language model") {
		t.Errorf("after rejecting: status %d, %s", p.Status, p.Says())
	}
	if p := b.Post(path, url.Values{"verdict": {"accept-unflagged"}}); p.Status != 200 || !strings.Contains(p.Says(), "Every response has a verdict") || !strings.Contains(p.Says(), "several samples on one question are accepted") {
		t.Errorf("after accepting the rest: status %d, %s", p.Status, p.Says())
	}
	if p := b.Get(path + "?view=rejected"); !strings.Contains(p.Says(), "rejected by researcher@example.org, 2026-03-01 12:00 UTC") {
		t.Errorf("rejected: %s", p.Says())
	}
	for verdict, status := range map[string]int{"adopt": http.StatusBadRequest, "accept": http.StatusConflict} {
		if p := decide(b, verdict, "qid-9/x/1/00"); p.Status != status {
			t.Errorf("%s of what is not there: status %d, want %d", verdict, p.Status, status)
		}
	}
	read := func() [][]string {
		p := b.Get(path + "/responses.csv")
		rows, err := csv.NewReader(strings.NewReader(p.Body)).ReadAll()
		if err != nil || p.Header.Get("Content-Disposition") != `attachment; filename="responses.csv"` {
			t.Fatalf("%v, %v", err, p.Header)
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
	file := filepath.Join(runs, "first run", "samples.csv")
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
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	if p := b.Get("/admin"); strings.Contains(p.Body, "/admin/models") {
		t.Error("a way leads to models")
	}
	for _, path := range []string{"/admin/models", "/admin/models/x"} {
		if p := b.Get(path); p.Status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, p.Status)
		}
	}
}

// predicted writes predictions of all ratings of a study: as given on the first
// question, one less on the others.
func predicted(ts *webtest.Site) []byte {
	ts.T.Helper()
	var list []votes.Prediction
	for _, r := range ts.Records() {
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

// compare posts the form of the judge's page, and waits for what comes out.
func compare(b *webtest.Browser, run, file string, content []byte) webtest.Page {
	b.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("run", run)
	if file != "" {
		w, err := form.CreateFormFile("file", file)
		if err != nil {
			b.T.Fatal(err)
		}
		w.Write(content)
	}
	form.Close()
	const path = "/admin/studies/small/judge"
	r, err := http.NewRequest(http.MethodPost, b.HTTP.URL+path, &body)
	if err != nil {
		b.T.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	if p := b.Do(r); p.Status != http.StatusOK {
		return p
	}
	return b.Analysed(path)
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
	if err := os.WriteFile(filepath.Join(runs, name, "predictions.csv"), predictions, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAJudgeIsHeldAgainstPeople(t *testing.T) {
	t.Parallel()
	ts, runs := webtest.ModelsSite(t, webtest.CampFolder(t))
	b := ts.SignedIn("researcher")
	if p := compare(b, "", "predictions.csv", []byte("user,question_id,model,representation_rating\nx,qid-1,model-alpha,3\n")); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says(), "Nobody has finished the study yet") {
		t.Errorf("without people: status %d, %s", p.Status, p.Says())
	}
	ts.Camps(1, 12, false)
	predictions := predicted(ts)
	judgeRun(t, runs, "judge 1", predictions)
	for name, test := range map[string]struct {
		run, file string
		content   []byte
		want      string
	}{
		"nothing":      {"", "", nil, "Choose a file of predictions"},
		"no such run":  {"judge 9", "", nil, "run of a judge no longer exists"},
		"not a table":  {"", "p.csv", []byte("a,b\n1,2\n"), "p.csv"},
		"other people": {"", "p.csv", []byte("user,question_id,model,representation_rating\nx,qid-1,model-alpha,3\n"), "has no human rating by user x on question qid-1"},
	} {
		if p := compare(b, test.run, test.file, test.content); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says(), test.want) {
			t.Errorf("%s: status %d, %s", name, p.Status, p.Says())
		}
	}
	for _, source := range []struct {
		run, file string
		content   []byte
	}{{"judge 1", "", nil}, {"", "p.csv", predictions}} {
		p := compare(b, source.run, source.file, source.content)
		rows := p.Rows()
		if p.Status != 200 || !strings.Contains(p.Says(), "12 people who finished") {
			t.Fatalf("status %d, %s", p.Status, p.Says())
		}
		// On question 1 the judge is right, on the others it is one too low.
		for _, want := range []string{"qid-1 What about matter 1? 16 0 0.00", "qid-2 What about matter 2? 16 0 1.00"} {
			if !strings.Contains(rows, want) {
				t.Errorf("%q is missing in %s", want, rows)
			}
		}
		if !strings.Contains(p.Body, "The judge compared with people</title>") {
			t.Error("there is no figure")
		}
	}
	p := ts.SignedIn("viewer").Get("/admin/studies/small/judge")
	if !strings.Contains(p.Says(), "p.csv, column representation_rating") || strings.Contains(p.Body, "<form class=\"stack\"") {
		t.Errorf("what a viewer sees: %s", p.Says())
	}
}
