package webtest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overton/internal/dataset"
	"overton/internal/llm"
	"overton/internal/llm/llmtest"
	"overton/internal/study"
	"overton/web"
)

// ModelsSite is a site with a folder of runs: responses to two questions by two
// models, one of which refuses the second, and a run that has no result yet.
func ModelsSite(t *testing.T, folder dataset.Files) (ts *Site, runs string) {
	t.Helper()
	runs = t.TempDir()
	ts = New(t, folder)
	ts.HTTP.Close()
	if err := ts.Store.Close(); err != nil {
		t.Fatal(err)
	}
	ts.Open(web.Config{Runs: runs})

	server := llmtest.New(func(r llmtest.Request, _ int) llmtest.Reply {
		if strings.Contains(r.Text(), "refused") {
			return llmtest.Reply{Status: http.StatusBadRequest, Message: "the filter says no"}
		}
		return llmtest.Reply{Text: "a view"}
	})
	defer server.Close()
	models, err := llm.ReadModels("models.yaml", []byte("models:\n- {name: model one, base_url: "+server.BaseURL()+
		", prices: {input: 1000, output: 50000}}\n- {name: model-two, base_url: "+server.BaseURL()+"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := llm.NewClient(models, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	ask := func(name, command string, texts ...string) {
		run, err := llm.Open(filepath.Join(runs, name), llm.Settings{
			Program: "overton test", Command: command, Models: models.Settings(),
			Prompts: map[string]string{command: "0123abcd"}, Parameters: map[string]any{"samples": 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		var requests []llm.Request
		for i, text := range texts {
			for _, m := range models {
				requests = append(requests, llm.Request{
					ID: fmt.Sprint(i, m.Name), Model: m.Name, Messages: []llm.Message{{Role: llm.User, Content: text}},
				})
			}
		}
		if _, err := run.Do(context.Background(), client, slices.Values(requests), nil); err != nil {
			t.Fatal(err)
		}
	}
	ask("first run", "generate", "What about matter 1?", "What about matter 2?", "something refused")
	ask("empty", "answer")
	samples := []dataset.Sample{
		{
			ModelResponse: study.ModelResponse{Question: "qid-1", Model: "model one", Text: "One may see it in many ways, and <b>most</b> of them are fair."},
			QuestionText:  "What about matter 1?", Number: 1, FinishReason: "stop", Chosen: true,
		},
		{
			ModelResponse: study.ModelResponse{Question: "qid-1", Model: "model one", Text: "Another way to say it."},
			QuestionText:  "What about matter 1?", Number: 2, FinishReason: "stop",
		},
		{
			ModelResponse: study.ModelResponse{Question: "qid-1", Model: "model-two", Text: "There is a case for it,\n\nand a case against it."},
			QuestionText:  "What about matter 1?", Number: 1, FinishReason: "stop", Chosen: true,
		},
		{
			ModelResponse: study.ModelResponse{Question: "qid-2", Model: "model-two", Text: "As a language model I cannot"},
			QuestionText:  "What about matter 2?", Number: 1, FinishReason: "length", Flags: []string{"refusal", "cut-off"},
		},
	}
	if err := os.WriteFile(filepath.Join(runs, "first run", "samples.csv"), dataset.WriteSamples(samples), 0o644); err != nil {
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
