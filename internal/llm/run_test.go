package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overton/internal/llm"
	"overton/internal/llm/llmtest"
)

// echo answers with the last line it was told.
func echo(r llmtest.Request, _ int) llmtest.Reply {
	lines := strings.Split(strings.TrimSpace(r.Text()), "\n")
	return llmtest.Reply{Text: "heard " + lines[len(lines)-1]}
}

// modelOf is a model at a test endpoint, in a hurry.
func modelOf(s *llmtest.Server) llm.Model {
	return llm.Model{
		Name: "m", Model: "test-model", BaseURL: s.BaseURL(), Endpoint: llm.Chat,
		Prices:  llm.Prices{Input: 1, Output: 2},
		Limits:  llm.Limits{Concurrency: 8},
		Timeout: 5 * time.Second, IdleTimeout: 300 * time.Millisecond,
		Retries: llm.Retries{Attempts: 8, FirstWait: time.Millisecond, MaxWait: 20 * time.Millisecond},
	}
}

func clientOf(t testing.TB, models ...llm.Model) *llm.Client {
	t.Helper()
	c, err := llm.NewClient(models, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func open(t testing.TB, dir string, s llm.Settings) *llm.Run {
	t.Helper()
	r, err := llm.Open(dir, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// numbered are n requests to the model m, each with a text of its own.
func numbered(n int) iter.Seq[llm.Request] {
	return func(yield func(llm.Request) bool) {
		for i := range n {
			if !yield(llm.Request{ID: fmt.Sprintf("r%d", i), Model: "m", Messages: []llm.Message{{Role: llm.User, Content: fmt.Sprintf("number %d", i)}}, Sampling: llm.Sampling{Temperature: new(0.0), MaxTokens: 10}}) {
				return
			}
		}
	}
}

func do(t testing.TB, r *llm.Run, c *llm.Client, requests iter.Seq[llm.Request]) *llm.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	report, err := r.Do(ctx, c, requests, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// expectAll checks that the folder answers each of the first n numbered
// requests with its own text, each on one line.
func expectAll(t testing.TB, dir string, n int) {
	t.Helper()
	run, err := llm.Look(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	for r := range numbered(n) {
		a, ok, err := run.Answer(r.ID)
		if err != nil || !ok {
			t.Fatalf("%s has no answer: %v", r.ID, err)
		}
		if want := "heard " + r.Messages[0].Content; a.Text != want {
			t.Fatalf("%s is answered %q; want %q", r.ID, a.Text, want)
		}
	}
	for _, file := range []string{"answers.jsonl", "requests.jsonl"} {
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(content), "\n"); lines != n {
			t.Errorf("%s has %d lines for %d requests", file, lines, n)
		}
	}
}

func TestEveryRequestIsAnsweredOnceInSpiteOfFaults(t *testing.T) {
	for _, endpoint := range []string{llm.Chat, llm.Completion} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s stream=%t", endpoint, stream), func(t *testing.T) {
				t.Parallel()
				s := llmtest.New(llmtest.Flaky(echo))
				defer s.Close()
				m := modelOf(s)
				m.Endpoint, m.Stream = endpoint, stream
				dir := t.TempDir()
				run := open(t, dir, llm.Settings{})
				report := do(t, run, clientOf(t, m), numbered(300))
				if err := report.Err(); err != nil {
					t.Error(err)
				}
				if report.Asked != 300 || report.Attempts != s.Requests() || report.Attempts < 330 {
					t.Errorf("asked %d in %d attempts, and the endpoint counts %d; want 300 in 330 or more", report.Asked, report.Attempts, s.Requests())
				}
				run.Close()
				expectAll(t, dir, 300)

				before := s.Requests()
				run = open(t, dir, llm.Settings{})
				defer run.Close()
				if report := do(t, run, clientOf(t, m), numbered(300)); report.Asked != 0 || report.Answered != 300 || s.Requests() != before {
					t.Errorf("the second run asked %d, found %d answered, and sent %d requests; want 0, 300, 0", report.Asked, report.Answered, s.Requests()-before)
				}
			})
		}
	}
}

func TestTornLastLineIsMendedAndAskedAgain(t *testing.T) {
	t.Parallel()
	s := llmtest.New(echo)
	defer s.Close()
	dir := t.TempDir()
	run := open(t, dir, llm.Settings{})
	do(t, run, clientOf(t, modelOf(s)), numbered(20))
	run.Close()
	path := filepath.Join(dir, "answers.jsonl")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content[:len(content)-10], 0o644); err != nil {
		t.Fatal(err)
	}
	run = open(t, dir, llm.Settings{})
	if report := do(t, run, clientOf(t, modelOf(s)), numbered(20)); report.Asked != 1 {
		t.Errorf("asked %d after one answer was torn; want 1", report.Asked)
	}
	run.Close()
	expectAll(t, dir, 20)
}

func TestDamageInTheMiddleIsRefused(t *testing.T) {
	t.Parallel()
	s := llmtest.New(echo)
	defer s.Close()
	dir := t.TempDir()
	run := open(t, dir, llm.Settings{})
	do(t, run, clientOf(t, modelOf(s)), numbered(3))
	run.Close()
	path := filepath.Join(dir, "answers.jsonl")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[3] = 0
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := llm.Open(dir, llm.Settings{}); err == nil || !strings.Contains(err.Error(), "answers.jsonl:1") {
		t.Errorf("a damaged line gives %v; want an error that names answers.jsonl:1", err)
	}
}

func TestOtherSettingsAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	settings := llm.Settings{Command: "generate", Prompts: map[string]string{"generate": "abc"}, Parameters: map[string]any{"samples": 3}}
	open(t, dir, settings).Close()
	open(t, dir, settings).Close()
	settings.Program = "a newer one"
	open(t, dir, settings).Close()

	settings.Prompts = map[string]string{"generate": "abd"}
	_, err := llm.Open(dir, settings)
	if !errors.Is(err, llm.ErrOtherSettings) || !strings.Contains(err.Error(), `prompts was generate "abc" and is now generate "abd"`) {
		t.Errorf("another prompt gives %v", err)
	}
	if _, err := llm.Look(dir, &settings); !errors.Is(err, llm.ErrOtherSettings) {
		t.Errorf("looking with another prompt gives %v", err)
	}
}

func TestAFolderOfOtherThingsIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := llm.Open(dir, llm.Settings{}); err == nil || !strings.Contains(err.Error(), "has no run") {
		t.Errorf("got %v; want it to say that the folder has no run", err)
	}
}

func TestOneProcessAtATimeHasAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := open(t, dir, llm.Settings{})
	defer run.Close()
	if _, err := llm.Open(dir, llm.Settings{}); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("opening twice gives %v", err)
	}
	look, err := llm.Look(dir, &llm.Settings{})
	if err != nil {
		t.Fatalf("looking at an open folder: %v", err)
	}
	look.Close()
}

func TestSameIDWithOtherWordsIsRefused(t *testing.T) {
	t.Parallel()
	s := llmtest.New(echo)
	defer s.Close()
	run := open(t, t.TempDir(), llm.Settings{})
	defer run.Close()
	c := clientOf(t, modelOf(s))
	do(t, run, c, numbered(3))
	before := s.Requests()
	changed := func(yield func(llm.Request) bool) {
		for r := range numbered(5) {
			r.Temperature = new(1.0)
			if !yield(r) {
				return
			}
		}
	}
	if _, err := run.Do(context.Background(), c, changed, nil); err == nil || !strings.Contains(err.Error(), `another request with the ID "r0"`) {
		t.Errorf("other parameters give %v", err)
	}
	twice := func(yield func(llm.Request) bool) {
		for range 2 {
			for r := range numbered(5) {
				if !yield(r) {
					return
				}
			}
		}
	}
	if _, err := run.Do(context.Background(), c, twice, nil); err == nil || !strings.Contains(err.Error(), `two requests have the ID "r0"`) {
		t.Errorf("an ID twice gives %v", err)
	}
	if s.Requests() != before {
		t.Errorf("%d requests were sent in spite of the error", s.Requests()-before)
	}
}

func TestRefusalsAreRecordedAndNotRetried(t *testing.T) {
	t.Parallel()
	s := llmtest.New(func(r llmtest.Request, n int) llmtest.Reply {
		if strings.HasSuffix(r.Text(), "number 1") {
			return llmtest.Reply{Status: http.StatusBadRequest, Code: "content_filter", Message: "not with us"}
		}
		return echo(r, n)
	})
	defer s.Close()
	dir := t.TempDir()
	run := open(t, dir, llm.Settings{})
	report := do(t, run, clientOf(t, modelOf(s)), numbered(3))
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), "1 of 3 requests have no answer") || !strings.Contains(err.Error(), "r1: 400 Bad Request: not with us") {
		t.Errorf("the report says %v", err)
	}
	if s.Requests() != 3 {
		t.Errorf("%d requests were sent; want 3", s.Requests())
	}
	run.Close()
	run = open(t, dir, llm.Settings{})
	defer run.Close()
	report = do(t, run, clientOf(t, modelOf(s)), numbered(3))
	if s.Requests() != 3 || report.Unanswered != 1 || report.Refused != 1 || report.Err() == nil {
		t.Errorf("the second run sent %d requests and reports %d unanswered, %d refused", s.Requests()-3, report.Unanswered, report.Refused)
	}
	if got := run.Refused("r1"); !strings.Contains(got, "not with us") {
		t.Errorf("the folder says of the refusal %q", got)
	}
}

func TestAWrongKeyStopsItsModelAndNoOther(t *testing.T) {
	t.Setenv("TEST_KEY_GOOD", "good-key")
	t.Setenv("TEST_KEY_BAD", "bad-key")
	s := llmtest.New(func(r llmtest.Request, n int) llmtest.Reply {
		if r.Header.Get("Authorization") != "Bearer good-key" {
			return llmtest.Reply{Status: http.StatusUnauthorized, Message: "Incorrect API key provided: bad-key."}
		}
		return echo(r, n)
	})
	defer s.Close()
	good, bad := modelOf(s), modelOf(s)
	good.Key, bad.Key, bad.Name, bad.Limits.Concurrency = "TEST_KEY_GOOD", "TEST_KEY_BAD", "bad", 1
	both := func(yield func(llm.Request) bool) {
		for r := range numbered(20) {
			other := r
			other.Model, other.ID = "bad", "bad-"+r.ID
			if !yield(r) || !yield(other) {
				return
			}
		}
	}
	dir := t.TempDir()
	run := open(t, dir, llm.Settings{})
	report := do(t, run, clientOf(t, good, bad), both)
	run.Close()
	if report.Asked != 20 || report.FailedSum != 1 || report.NotAsked != 19 || s.Requests() != 21 {
		t.Errorf("asked %d, failed %d, not asked %d, sent %d; want 20, 1, 19, 21", report.Asked, report.FailedSum, report.NotAsked, s.Requests())
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), "bad-key") || strings.Contains(string(content), "good-key") {
			t.Errorf("%s holds a key", file)
		}
	}
	if strings.Contains(report.Err().Error(), "bad-key") {
		t.Errorf("the report holds the key: %v", report.Err())
	}

	// With the right key the rest is asked.
	bad.Key = "TEST_KEY_GOOD"
	run = open(t, dir, llm.Settings{})
	defer run.Close()
	if report := do(t, run, clientOf(t, good, bad), both); report.Err() != nil || report.Asked != 20 {
		t.Errorf("with the right key %d were asked: %v", report.Asked, report.Err())
	}
}

func TestGivingUpIsToldAndTriedInTheNextRun(t *testing.T) {
	t.Parallel()
	broken := true
	s := llmtest.New(func(r llmtest.Request, n int) llmtest.Reply {
		if broken {
			return llmtest.Reply{Status: http.StatusBadGateway}
		}
		return echo(r, n)
	})
	defer s.Close()
	m := modelOf(s)
	m.Retries.Attempts = 3
	run := open(t, t.TempDir(), llm.Settings{})
	defer run.Close()
	report := do(t, run, clientOf(t, m), numbered(2))
	if report.FailedSum != 2 || s.Requests() != 6 || report.Err() == nil {
		t.Errorf("failed %d after %d requests; want 2 after 6", report.FailedSum, s.Requests())
	}
	broken = false
	if report := do(t, run, clientOf(t, m), numbered(2)); report.Err() != nil {
		t.Error(report.Err())
	}
}

func TestAModelThatAnswersNothingIsLeftAlone(t *testing.T) {
	t.Parallel()
	down := true
	s := llmtest.New(func(r llmtest.Request, n int) llmtest.Reply {
		if down || n%3 > 0 { // in the end, two of three fail, but never twenty in a row
			return llmtest.Reply{Status: http.StatusForbidden, Message: "not here"}
		}
		return echo(r, n)
	})
	defer s.Close()
	m := modelOf(s)
	m.Limits.Concurrency = 1
	run := open(t, t.TempDir(), llm.Settings{})
	defer run.Close()
	report := do(t, run, clientOf(t, m), numbered(200))
	if s.Requests() != 20 || report.FailedSum != 20 || report.NotAsked != 180 || !strings.Contains(report.Err().Error(), "180 were not sent") {
		t.Errorf("%d requests were sent, %d failed, %d were not asked: %v", s.Requests(), report.FailedSum, report.NotAsked, report.Err())
	}
	down = false
	if report = do(t, run, clientOf(t, m), numbered(200)); report.NotAsked != 0 || report.Refused != 0 || report.Asked < 60 {
		t.Errorf("then %d were answered, %d not asked, %d taken for refused", report.Asked, report.NotAsked, report.Refused)
	}
}

func TestOnlyItsOwnerReadsARunFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	if err := open(t, dir, llm.Settings{}).Close(); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at, err := d.Info()
		if err == nil && at.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %o", path, at.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
