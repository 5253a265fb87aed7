package llm_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"overton/internal/llm"
	"overton/internal/llm/llmtest"
)

// Environment of the process that TestKilledRunsGoOn kills.
const (
	childURL = "OVERTON_TEST_ASK_URL"
	childDir = "OVERTON_TEST_ASK_DIR"
	inChild  = 600 // requests
)

func TestMain(m *testing.M) {
	if url := os.Getenv(childURL); url != "" {
		if err := askInChild(url, os.Getenv(childDir)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func askInChild(url, dir string) error {
	m := llm.Model{
		Name: "m", Model: "m", BaseURL: url, Endpoint: llm.Chat, Limits: llm.Limits{Concurrency: 16}, Timeout: 5 * time.Second, IdleTimeout: 300 * time.Millisecond,
		Retries: llm.Retries{Attempts: 9, FirstWait: time.Millisecond, MaxWait: 20 * time.Millisecond},
	}
	c, err := llm.NewClient(llm.Models{m}, os.LookupEnv)
	if err != nil {
		return err
	}
	run, err := llm.Open(dir, llm.Settings{Command: "test"})
	if err != nil {
		return err
	}
	defer run.Close()
	report, err := run.Do(context.Background(), c, numbered(inChild), nil)
	if err != nil {
		return err
	}
	return report.Err()
}

// onDisk are the requests with a whole line in the answers file.
func onDisk(dir string) map[string]bool {
	content, _ := os.ReadFile(filepath.Join(dir, "answers.jsonl")) // may not be there yet
	found := map[string]bool{}
	for line := range bytes.Lines(content) {
		if id, _, ok := strings.Cut(strings.TrimPrefix(string(line), `{"id":"`), `"`); ok && bytes.HasSuffix(line, []byte("\n")) {
			found[id] = true
		}
	}
	return found
}

func TestKilledRunsGoOn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	done, again := map[string]bool{}, 0
	s := llmtest.New(llmtest.Flaky(func(r llmtest.Request, n int) llmtest.Reply {
		mu.Lock()
		defer mu.Unlock()
		if done["r"+strings.TrimPrefix(r.Text(), "number ")] {
			again++
		}
		reply := echo(r, n)
		reply.Delay = time.Millisecond
		return reply
	}))
	defer s.Close()
	dir := filepath.Join(t.TempDir(), "run")
	for kill := 1; kill <= 3; kill++ {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		child := exec.CommandContext(ctx, os.Args[0], "-test.run=^$")
		child.Env = append(os.Environ(), childURL+"="+s.BaseURL(), childDir+"="+dir)
		var errs bytes.Buffer
		child.Stderr = &errs
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if kill == 3 {
			if err := child.Wait(); err != nil {
				t.Fatal(err, errs.String())
			}
			break
		}
		for len(onDisk(dir)) < inChild*kill/3 && ctx.Err() == nil {
			time.Sleep(2 * time.Millisecond)
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait() // killed
		mu.Lock()
		before := len(done)
		for id := range onDisk(dir) {
			done[id] = true
		}
		if len(done) <= before || len(done) >= inChild {
			t.Errorf("killed with %d answers after %d; want it on the way", len(done), before)
		}
		mu.Unlock()
	}
	expectAll(t, dir, inChild)
	if again > 0 {
		t.Errorf("%d requests were sent although their answer was on disk", again)
	}
}
