package llm

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAFullDiskStopsTheRun stands in for a full disk with a closed file.
func TestAFullDiskStopsTheRun(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}`))
	}))
	defer s.Close()
	m := Model{Name: "m", Model: "m", BaseURL: s.URL, Endpoint: Chat, Limits: Limits{Concurrency: 4}, Timeout: time.Second, IdleTimeout: time.Second, Retries: Retries{Attempts: 2, MaxWait: time.Millisecond}}
	c, err := NewClient(Models{m}, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run, err := Open(dir, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	run.journal.answers.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	report, err := run.Do(ctx, c, func(yield func(Request) bool) {
		for i := range 100 {
			if !yield(Request{ID: strings.Repeat("x", i+1), Model: "m", Messages: []Message{{User, "Well?"}}}) {
				return
			}
		}
	}, nil)
	if err == nil || !strings.Contains(err.Error(), "writing the answer") || report.Asked != 0 {
		t.Errorf("the run ends with %v after %d answers", err, report.Asked)
	}
	if err := run.Close(); err == nil {
		t.Error("closing says nothing of what could not be written")
	}
	if content, err := os.ReadFile(filepath.Join(dir, answersFile)); err != nil || len(content) > 0 {
		t.Errorf("the answers hold %q, %v", content, err)
	}
}

func TestMendKeepsWholeLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200_000) // more than one block
	for _, test := range []struct{ before, after string }{
		{"", ""}, {"torn", ""}, {"a\n", "a\n"}, {"a\nb", "a\n"}, {"a\n" + long, "a\n"}, {long + "\n", long + "\n"}, {"\n", "\n"},
	} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(test.before), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := mend(path); err != nil {
			t.Fatal(err)
		}
		if content, err := os.ReadFile(path); err != nil || string(content) != test.after {
			t.Errorf("%.20q becomes %.20q, %v; want %.20q", test.before, content, err, test.after)
		}
	}
}

func TestRetryAfterIsRead(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "0": 0, "-3": 0, "1.5": 1500 * time.Millisecond, "soon": 0, "1e99": 0,
		"Mon, 30 Nov 2026 12:00:09 GMT": 9 * time.Second, "Mon, 30 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q is %s; want %s", header, got, want)
		}
	}
}

func TestWaitsDoubleUpToTheLongest(t *testing.T) {
	t.Parallel()
	r := Retries{Attempts: 9, FirstWait: time.Second, MaxWait: 10 * time.Second}
	w := &wire{}
	for attempt, longest := range []time.Duration{1, 2, 4, 8, 10, 10} {
		longest *= time.Second
		if got := r.wait(w, attempt+1, 0); got < longest/2 || got > longest {
			t.Errorf("after attempt %d it waits %s; want %s to %s", attempt+1, got, longest/2, longest)
		}
	}
	if got := r.wait(w, 1, 30*time.Second); got != 30*time.Second {
		t.Errorf("asked to wait 30s it waits %s", got)
	}
	if other := (&wire{sum: [32]byte{1}}); r.wait(w, 3, 0) == r.wait(other, 3, 0) {
		t.Error("two requests come back at the same time")
	}
}
