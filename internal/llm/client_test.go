package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overton/internal/llm"
	"overton/internal/llm/llmtest"
)

// one asks a single request and returns its answer.
func one(t *testing.T, m llm.Model, r llm.Request) (llm.Answer, *llm.Report) {
	t.Helper()
	r.ID, r.Model = "x", m.Name
	if r.Messages == nil {
		r.Messages = []llm.Message{{Role: llm.System, Content: "Be kind."}, {Role: llm.User, Content: "Well?"}}
	}
	run := open(t, t.TempDir(), llm.Settings{})
	defer run.Close()
	report := do(t, run, clientOf(t, m), slices.Values([]llm.Request{r}))
	a, _, err := run.Answer("x")
	if err != nil {
		t.Fatal(err)
	}
	return a, report
}

func TestWhatIsSentIsWhatWasAsked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		endpoint   string
		parameters map[string]any
		sampling   llm.Sampling
		want       string
	}{
		{"a temperature of 0 is said", llm.Chat, nil, llm.Sampling{Temperature: new(0.0), MaxTokens: 5, Seed: new(7), Stop: []string{"\n"}, LogProbs: 9},
			`{"logprobs":true,"max_tokens":5,"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Well?"}],"model":"test-model","seed":7,"stop":["\n"],"stream":false,"temperature":0,"top_logprobs":5}`},
		{"nothing that was not asked for", llm.Chat, nil, llm.Sampling{},
			`{"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Well?"}],"model":"test-model","stream":false}`},
		{"the file goes first", llm.Chat, map[string]any{"temperature": 1, "seed": nil, "max_completion_tokens": 900, "reasoning_effort": "low", "provider": map[string]any{"order": []any{"a"}}},
			llm.Sampling{Temperature: new(0.0), MaxTokens: 5, Seed: new(7)},
			`{"max_completion_tokens":900,"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Well?"}],"model":"test-model","provider":{"order":["a"]},"reasoning_effort":"low","stream":false,"temperature":1}`},
		{"completion", llm.Completion, nil, llm.Sampling{LogProbs: 2}, `{"logprobs":2,"model":"test-model","prompt":"Be kind.\n\nWell?","stream":false}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body := ""
			s := llmtest.New(func(r llmtest.Request, n int) llmtest.Reply {
				body = r.Body
				return echo(r, n)
			})
			defer s.Close()
			m := modelOf(s)
			m.Endpoint, m.Parameters, m.LogProbs = test.endpoint, test.parameters, 5
			if _, report := one(t, m, llm.Request{Sampling: test.sampling}); report.Err() != nil {
				t.Fatal(report.Err())
			}
			if body != test.want {
				t.Errorf("sent\n%s\nwant\n%s", body, test.want)
			}
		})
	}
}

func TestAnswersAreReadFromEveryKindOfResponse(t *testing.T) {
	t.Parallel()
	tokens := []llm.Token{
		{Text: "A", LogProb: -0.25, Top: []llm.TopToken{{Text: "A", LogProb: -0.25}, {Text: "B", LogProb: -1.5}}},
		{Text: ".", LogProb: -0.5, Top: []llm.TopToken{{Text: ".", LogProb: -0.5}}},
	}
	for _, endpoint := range []string{llm.Chat, llm.Completion} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s stream=%t", endpoint, stream), func(t *testing.T) {
				reply := llmtest.Reply{Text: "A.", LogProbs: tokens}
				s := llmtest.New(func(llmtest.Request, int) llmtest.Reply { return reply })
				defer s.Close()
				m := modelOf(s)
				m.Endpoint, m.Stream, m.LogProbs = endpoint, stream, 2
				a, _ := one(t, m, llm.Request{Sampling: llm.Sampling{LogProbs: 2}})
				if a.Text != "A." || a.FinishReason != "stop" || a.Usage.Estimated || a.Usage.Completion != 1 || a.Cost != (float64(a.Usage.Prompt)+2)/1e6 {
					t.Errorf("got %+v", a)
				}
				if got, want := fmt.Sprint(a.LogProbs), fmt.Sprint(tokens); got != want {
					t.Errorf("log-probabilities %s; want %s", got, want)
				}

				reply = llmtest.Reply{Text: "A, as it is", FinishReason: "eos_token", NoUsage: true} // and no log-probabilities
				a, _ = one(t, m, llm.Request{Sampling: llm.Sampling{LogProbs: 2}})
				if a.Text != "A, as it is" || a.FinishReason != "eos_token" || a.LogProbs != nil || !a.Usage.Estimated || a.Usage.Completion != 3 {
					t.Errorf("got %+v", a)
				}
				reply = llmtest.Reply{Text: "Held", FinishReason: "-"}
				if a, _ = one(t, m, llm.Request{}); a.Text != "Held" || a.FinishReason != "" {
					t.Errorf("without a finish reason: %+v", a)
				}
			})
		}
	}
}

func TestRawRequestsAndAnswersAreKept(t *testing.T) {
	t.Parallel()
	s := llmtest.New(func(r llmtest.Request, n int) llmtest.Reply {
		if n == 1 {
			return llmtest.Reply{Status: http.StatusInternalServerError, Message: "first"}
		}
		return llmtest.Reply{Raw: "{\"choices\": [{\"message\": {\"content\": \"<b>é\\u0000\"}, \"finish_reason\": \"stop\"}],\n \"extra\": 1}"}
	})
	defer s.Close()
	dir := t.TempDir()
	run := open(t, dir, llm.Settings{})
	do(t, run, clientOf(t, modelOf(s)), numbered(1))
	run.Close()
	read := func(file string, into any) {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, into); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	var request struct {
		SHA256 string
		Body   struct{ Messages []llm.Message }
	}
	var answer llm.Answer
	var failure llm.Failure
	read("requests.jsonl", &request)
	read("answers.jsonl", &answer)
	read("failures.jsonl", &failure)
	if request.Body.Messages[0].Content != "number 0" || request.SHA256 != answer.SHA256 || request.SHA256 != failure.SHA256 || len(request.SHA256) != 64 {
		t.Errorf("request %+v, answer %s, failure %s", request, answer.SHA256, failure.SHA256)
	}
	if answer.Text != "<b>é\x00" || !strings.HasSuffix(answer.Raw, "\n \"extra\": 1}") || answer.Attempts != 2 {
		t.Errorf("answer %+v", answer)
	}
	if failure.Status != 500 || failure.Attempt != 1 || failure.Final || !strings.Contains(failure.Raw, "first") {
		t.Errorf("failure %+v", failure)
	}
}

func TestRetryAfterIsWaited(t *testing.T) {
	for _, header := range []string{"1", "date"} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var times []time.Time
			s := llmtest.New(func(r llmtest.Request, n int) llmtest.Reply {
				mu.Lock()
				times = append(times, time.Now())
				mu.Unlock()
				after := header
				if header == "date" { // whole seconds: 1 to 2 from now
					after = time.Now().Add(2 * time.Second).UTC().Format(http.TimeFormat)
				}
				if n == 1 {
					return llmtest.Reply{Status: http.StatusTooManyRequests, RetryAfter: after}
				}
				return echo(r, n)
			})
			defer s.Close()
			m := modelOf(s)
			m.Retries.MaxWait = 5 * time.Second
			if _, report := one(t, m, llm.Request{}); report.Err() != nil {
				t.Fatal(report.Err())
			}
			if waited := times[1].Sub(times[0]); waited < 950*time.Millisecond || waited > 4*time.Second {
				t.Errorf("waited %s", waited)
			}
		})
	}
	t.Run("too long", func(t *testing.T) {
		s := llmtest.New(func(llmtest.Request, int) llmtest.Reply {
			return llmtest.Reply{Status: http.StatusTooManyRequests, RetryAfter: "3600", Message: "come back later"}
		})
		defer s.Close()
		if _, report := one(t, modelOf(s), llm.Request{}); s.Requests() != 1 || report.FailedSum != 1 || !strings.Contains(report.Err().Error(), "come back later") {
			t.Errorf("%d requests, %v", s.Requests(), report.Err())
		}
	})
}

func TestHangsEnd(t *testing.T) {
	for name, set := range map[string]func(*llm.Model, *llmtest.Reply){
		"in the middle": func(m *llm.Model, r *llmtest.Reply) { r.Hang, m.IdleTimeout = true, 50*time.Millisecond },
		"before a stream": func(m *llm.Model, r *llmtest.Reply) {
			r.Delay, m.Stream, m.IdleTimeout = time.Minute, true, 50*time.Millisecond
		},
		"before anything": func(m *llm.Model, r *llmtest.Reply) { r.Delay, m.Timeout = time.Minute, 50*time.Millisecond },
		"a slow whole is fine": func(m *llm.Model, r *llmtest.Reply) {
			r.Delay, m.IdleTimeout = 200*time.Millisecond, 50*time.Millisecond
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply := llmtest.Reply{Text: "late"}
			m := llm.Model{}
			set(&m, &reply)
			s := llmtest.New(func(r llmtest.Request, n int) llmtest.Reply {
				if n == 1 {
					return reply
				}
				return llmtest.Reply{Text: "on time"}
			})
			defer s.Close()
			whole := modelOf(s)
			whole.Stream = m.Stream
			if m.IdleTimeout > 0 {
				whole.IdleTimeout = m.IdleTimeout
			}
			if m.Timeout > 0 {
				whole.Timeout = m.Timeout
			}
			want := "on time"
			if strings.HasSuffix(name, "fine") {
				want = "late"
			}
			if a, report := one(t, whole, llm.Request{}); a.Text != want {
				t.Errorf("got %q, %v", a.Text, report.Err())
			}
		})
	}
}

func TestLimitsAreKept(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now, most := 0, 0
	var times []time.Time
	s := llmtest.New(func(r llmtest.Request, n int) llmtest.Reply {
		mu.Lock()
		times = append(times, time.Now())
		now++
		most = max(most, now)
		mu.Unlock()
		time.Sleep(20 * time.Millisecond)
		mu.Lock()
		now--
		mu.Unlock()
		return echo(r, n)
	})
	defer s.Close()
	ask := func(limits llm.Limits, n int) time.Duration {
		times, most = nil, 0
		m := modelOf(s)
		m.Limits = limits
		run := open(t, t.TempDir(), llm.Settings{})
		defer run.Close()
		if err := do(t, run, clientOf(t, m), numbered(n)).Err(); err != nil {
			t.Fatal(err)
		}
		return slices.MaxFunc(times, time.Time.Compare).Sub(slices.MinFunc(times, time.Time.Compare))
	}
	if ask(llm.Limits{Concurrency: 3}, 30); most > 3 || most < 2 {
		t.Errorf("%d requests were on their way at once; want 3", most)
	}
	// 20 a second: the 11th comes half a second after the first.
	if took := ask(llm.Limits{Concurrency: 8, RequestsPerMinute: 1200}, 11); took < 480*time.Millisecond || took > 3*time.Second {
		t.Errorf("11 requests at 20 a second took %s", took)
	}
	// 12 tokens are expected of each request, but 6 are used: 2 of the prompt and
	// 4 of the answer. 9 intervals of 6 tokens at 120 a second are 0.45 s.
	if took := ask(llm.Limits{Concurrency: 1, TokensPerMinute: 7200}, 10); took < 400*time.Millisecond || took > 3*time.Second {
		t.Errorf("10 requests of 6 tokens at 120 a second took %s", took)
	}
}

func TestStoppingKeepsWhatCame(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := llmtest.New(func(r llmtest.Request, n int) llmtest.Reply {
		if n == 30 {
			cancel()
		}
		return echo(r, n)
	})
	defer s.Close()
	dir := t.TempDir()
	run := open(t, dir, llm.Settings{})
	report, err := run.Do(ctx, clientOf(t, modelOf(s)), numbered(200), nil)
	run.Close()
	if !errors.Is(err, context.Canceled) || report.Asked == 0 || report.Asked == 200 || report.Asked+report.NotAsked != 200 {
		t.Fatalf("asked %d, not asked %d: %v", report.Asked, report.NotAsked, err)
	}
	run = open(t, dir, llm.Settings{})
	again := do(t, run, clientOf(t, modelOf(s)), numbered(200))
	run.Close()
	if again.Asked != 200-report.Asked || again.Answered != report.Asked {
		t.Errorf("then asked %d and found %d; want %d and %d", again.Asked, again.Answered, 200-report.Asked, report.Asked)
	}
	expectAll(t, dir, 200)
}

func TestProgressTellsCost(t *testing.T) {
	t.Parallel()
	s := llmtest.New(echo)
	defer s.Close()
	run := open(t, t.TempDir(), llm.Settings{})
	defer run.Close()
	var last llm.Progress
	report, err := run.Do(t.Context(), clientOf(t, modelOf(s)), numbered(10), func(p llm.Progress) {
		if p.Done <= last.Done {
			t.Errorf("%d done after %d", p.Done, last.Done)
		}
		last = p
	})
	if err != nil {
		t.Fatal(err)
	}
	// 2 tokens of each prompt and 4 of each answer, at 1 and 2 for a million.
	if want := 10 * (2 + 2*4) / 1e6; report.Cost-want > 1e-12 || want-report.Cost > 1e-12 || last.Done != 10 || last.CostNow != report.Cost || last.CostAtEnd-want > 1e-12 {
		t.Errorf("cost %g, at last %+v; want %g", report.Cost, last, want)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := llmtest.New(echo)
	defer elsewhere.Close()
	s := llmtest.New(nil)
	s.Config.Handler = http.RedirectHandler(elsewhere.BaseURL()+"/chat/completions", http.StatusTemporaryRedirect)
	defer s.Close()
	if _, report := one(t, modelOf(s), llm.Request{}); elsewhere.Requests() != 0 || report.Err() == nil || !strings.Contains(report.Err().Error(), "the endpoint redirects") {
		t.Errorf("%d requests went elsewhere: %v", elsewhere.Requests(), report.Err())
	}
}

func TestModelsFiles(t *testing.T) {
	t.Parallel()
	const whole = `models:
  - name: gpt
    model: gpt-4.1-2025-04-14
    base_url: https://api.example.com/v1
    key: EXAMPLE_KEY
    endpoint: completion
    stream: true
    log_probs: 5
    parameters: {temperature: null, top_p: 0.9, reasoning: {effort: low}}
    prices: {input: 2, output: 8}
    limits: {concurrency: 16, requests_per_minute: 500, tokens_per_minute: 30000}
    timeout: 90s
    idle_timeout: 10s
    retries: {attempts: 4, first_wait: 500ms, max_wait: 20s}
  - {name: local, base_url: "http://127.0.0.1:8000/v1"}
`
	models, err := llm.ReadModels("models.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Models{
		{Name: "gpt", Model: "gpt-4.1-2025-04-14", BaseURL: "https://api.example.com/v1", Key: "EXAMPLE_KEY", Endpoint: llm.Completion, Stream: true, LogProbs: 5,
			Parameters: map[string]any{"temperature": nil, "top_p": 0.9, "reasoning": map[string]any{"effort": "low"}}, Prices: llm.Prices{Input: 2, Output: 8},
			Limits:  llm.Limits{Concurrency: 16, RequestsPerMinute: 500, TokensPerMinute: 30000},
			Timeout: 90 * time.Second, IdleTimeout: 10 * time.Second, Retries: llm.Retries{Attempts: 4, FirstWait: 500 * time.Millisecond, MaxWait: 20 * time.Second}},
		{Name: "local", Model: "local", BaseURL: "http://127.0.0.1:8000/v1", Endpoint: llm.Chat, Limits: llm.Limits{Concurrency: 8},
			Timeout: 5 * time.Minute, IdleTimeout: time.Minute, Retries: llm.Retries{Attempts: 6, FirstWait: time.Second, MaxWait: time.Minute}},
	}
	if got, want := fmt.Sprintf("%+v", models), fmt.Sprintf("%+v", want); got != want {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
	if _, err := llm.NewClient(models, func(string) (string, bool) { return "", false }); err == nil || !strings.Contains(err.Error(), "EXAMPLE_KEY") {
		t.Errorf("without the key: %v", err)
	}
	if only, err := models.Only("local"); err != nil || len(only) != 1 {
		t.Errorf("only local: %v, %v", only, err)
	}
	if _, err := models.Only("locale"); err == nil || !strings.Contains(err.Error(), "gpt, local") {
		t.Errorf("another name: %v", err)
	}

	for _, test := range []struct{ name, old, new, want string }{
		{"an unknown key", "    stream: true", "    streams: true", `[7:5] unknown field "streams"`},
		{"a wrong kind", "log_probs: 5", "log_probs: many", "[8:16]"},
		{"no models", whole, "models: []\n", "has no models"},
		{"no address", "    base_url: https://api.example.com/v1\n", "", `models[0] (gpt): base_url is ""`},
		{"an address with a password", "https://api", "https://me:secret@api", "expected the key in an environment variable"},
		{"a key in place of its variable", "EXAMPLE_KEY", "sk-12345", "the key itself must not be in this file"},
		{"a name twice", "name: local", "name: gpt", `"gpt" is already the name of another model`},
		{"another endpoint", "endpoint: completion", "endpoint: responses", "expected chat or completion"},
		{"a parameter of the request itself", "top_p: 0.9", "n: 3", "parameters.n belongs to the request itself"},
		{"one seed for all", "top_p: 0.9", "seed: 3", "parameters.seed would give every sample the same seed"},
		{"a price below nothing", "input: 2", "input: -2", "prices are -2 and 8; expected 0 or more"},
		{"a price that is not a number", "input: 2", "input: .nan", "prices are NaN and 8; expected 0 or more"},
		{"a price without end", "output: 8", "output: .inf", "prices are 2 and +Inf; expected 0 or more"},
		{"waits the wrong way round", "max_wait: 20s", "max_wait: 20ms", "max_wait no shorter than first_wait"},
		{"too much of it", whole, "# " + strings.Repeat("x", 70000), "expected a models file of at most"},
		{"lists in lists", whole, "models:\n" + strings.Repeat("- ", 30000), "models.yaml:2: has 30000 dashes"},
	} {
		if _, err := llm.ReadModels("models.yaml", []byte(strings.Replace(whole, test.old, test.new, 1))); err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "models.yaml") {
			t.Errorf("%s: %v; want %q", test.name, err, test.want)
		}
	}
}
