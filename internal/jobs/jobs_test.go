package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"overton/internal/store"
)

// bench is a store with a study, and the log of a queue on it.
type bench struct {
	t    *testing.T
	path string
	db   *store.Store
	row  store.Study
	mu   sync.Mutex
	log  bytes.Buffer
	now  time.Time
}

func (b *bench) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Write(p)
}

func (b *bench) said() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.String()
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, path: filepath.Join(t.TempDir(), "jobs.db"), now: time.Unix(1e9, 0)}
	b.open()
	t.Cleanup(func() { b.db.Close() })
	var err error
	if b.row, err = b.db.SaveStudy(t.Context(), store.NewStudy{Slug: "s", Title: "S", Hash: "h"}, 0); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) open() {
	b.t.Helper()
	var err error
	if b.db, err = store.Open(context.Background(), b.path, store.WithClock(b.clock)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) queue(life context.Context, works map[string]Work) *Queue {
	b.t.Helper()
	q, err := New(life, b.db, slog.New(slog.NewTextHandler(b, nil)), b.clock, works)
	if err != nil {
		b.t.Fatal(err)
	}
	return q
}

func (b *bench) ask(q *Queue, kind, sent string) int64 {
	b.t.Helper()
	id, err := q.Ask(context.Background(), b.row.ID, store.NewRun{Kind: kind, Parameters: []byte("{}"), Sent: []byte(sent)}, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// becomes waits for a run to be in a state.
func (b *bench) becomes(id int64, want store.RunState) store.Run {
	b.t.Helper()
	var run store.Run
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		var err error
		if run, err = b.db.Run(context.Background(), b.row.ID, id); err != nil {
			b.t.Fatal(err)
		}
		if run.State == want {
			return run
		}
	}
	b.t.Fatalf("run %d is %s (%s), want %s", id, run.State, run.Failure, want)
	return run
}

const nothing = `{"parameters":{}}`

func echo(_ context.Context, t Task) ([]byte, error) {
	return fmt.Appendf(nil, `{"parameters":{},"sent":%q}`, t.Sent), nil
}

// held is work that says when it began and goes on when it is let.
func held() (work Work, began, on chan struct{}) {
	began, on = make(chan struct{}), make(chan struct{})
	return func(ctx context.Context, t Task) ([]byte, error) {
		began <- struct{}{}
		select {
		case <-on:
			return []byte(nothing), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, began, on
}

func TestJobsAreComputedOneAfterTheOtherInTheOrderAsked(t *testing.T) {
	b := newBench(t)
	work, began, on := held()
	q := b.queue(t.Context(), map[string]Work{"window": work, "survey": work, "judge": echo})
	first, second, third := b.ask(q, "window", ""), b.ask(q, "survey", ""), b.ask(q, "judge", "predictions")
	<-began
	for ahead, id := range []int64{first, second, third} {
		if p, known := q.At(id); !known || p.Ahead != ahead {
			t.Errorf("run %d: %+v, %v; want %d ahead", id, p, known, ahead)
		}
	}
	b.becomes(first, store.RunRunning)
	b.becomes(second, store.RunQueued)
	on <- struct{}{}
	<-began
	b.becomes(first, store.RunDone)
	on <- struct{}{}
	if run := b.becomes(third, store.RunDone); !strings.Contains(string(run.Result), `"sent":"predictions"`) {
		t.Errorf("the job had not what was sent: %s", run.Result)
	}
}

func TestAPanicEndsItsJobAndNothingElse(t *testing.T) {
	b := newBench(t)
	q := b.queue(t.Context(), map[string]Work{
		"window": func(context.Context, Task) ([]byte, error) {
			panic("mat: dimension mismatch\ngoroutine 7: elsewhere.go")
		},
		"survey": func(context.Context, Task) ([]byte, error) { return nil, errors.New("the disk is full") },
		"judge":  func(context.Context, Task) ([]byte, error) { return nil, Failure("Nobody has finished the study yet.") },
	})
	broken, failed, refused := b.ask(q, "window", ""), b.ask(q, "survey", ""), b.ask(q, "judge", "")
	for id, want := range map[int64]string{
		broken:  "The computation broke off: mat: dimension mismatch. The server's log has the cause, under the number of the run.",
		failed:  "The server's log has the cause, under the number of the run.",
		refused: "Nobody has finished the study yet.",
	} {
		if run := b.becomes(id, store.RunFailed); run.Failure != want {
			t.Errorf("run %d failed with %q, want %q", id, run.Failure, want)
		}
	}
	said := b.said()
	for _, want := range []string{"panic: mat: dimension mismatch", "elsewhere.go", "jobs_test.go", "the disk is full"} {
		if !strings.Contains(said, want) {
			t.Errorf("the log lacks %q: %s", want, said)
		}
	}
	if strings.Contains(said, "Nobody has finished") {
		t.Error("a reason that people were told is in the log as an error")
	}
}

func TestCancellingEndsAJobThatRunsAndOneThatWaits(t *testing.T) {
	b := newBench(t)
	work, began, on := held()
	q := b.queue(t.Context(), map[string]Work{"window": work})
	first, second, third := b.ask(q, "window", ""), b.ask(q, "window", ""), b.ask(q, "window", "")
	<-began
	if err := q.Cancel(t.Context(), b.row.ID, second, 0); err != nil {
		t.Fatal(err)
	}
	if _, known := q.At(second); known {
		t.Error("a cancelled job still waits")
	}
	if p, _ := q.At(third); p.Ahead != 1 {
		t.Errorf("after that %d are before the third", p.Ahead)
	}
	if err := q.Cancel(t.Context(), b.row.ID, first, 0); err != nil {
		t.Fatal(err)
	}
	<-began // the third, since the first has stopped
	b.becomes(first, store.RunCancelled)
	b.becomes(second, store.RunCancelled)
	on <- struct{}{}
	b.becomes(third, store.RunDone)
	if err := q.Cancel(t.Context(), b.row.ID, third, 0); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a run that is done was cancelled: %v", err)
	}
	if said := b.said(); strings.Contains(said, "level=ERROR") {
		t.Errorf("cancelling is an error: %s", said)
	}
}

func TestARestartCarriesOutWhatWaitedAndMarksWhatWasCutOff(t *testing.T) {
	b := newBench(t)
	work, began, _ := held()
	life, end := context.WithCancel(context.Background())
	q := b.queue(life, map[string]Work{"window": work})
	cut, waited := b.ask(q, "window", ""), b.ask(q, "judge", "predictions")
	<-began
	end()
	b.becomes(cut, store.RunInterrupted) // by the program that ends
	b.becomes(waited, store.RunQueued)
	if err := b.db.Close(); err != nil {
		t.Fatal(err)
	}

	b.open()
	q = b.queue(t.Context(), map[string]Work{"judge": echo})
	if run := b.becomes(waited, store.RunDone); !strings.Contains(string(run.Result), "predictions") {
		t.Errorf("the resumed job lost what was sent: %s", run.Result)
	}
	b.becomes(cut, store.RunInterrupted)
	if next := b.ask(q, "judge", ""); next <= waited {
		t.Errorf("run %d follows %d", next, waited)
	}
}

func TestARunThatTookTheProgramWithItIsNotBegunAgain(t *testing.T) {
	b := newBench(t)
	id, err := b.db.QueueRun(t.Context(), b.row.ID, store.NewRun{Kind: "window", Parameters: []byte("{}")}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.db.StartRun(t.Context(), id); err != nil { // by a program that was killed
		t.Fatal(err)
	}
	b.queue(t.Context(), map[string]Work{"window": func(context.Context, Task) ([]byte, error) {
		t.Error("it was begun again")
		return []byte(nothing), nil
	}})
	b.becomes(id, store.RunInterrupted)
}

func TestProgressTellsStepsAndTimeLeft(t *testing.T) {
	now := time.Unix(2e9, 0)
	j := &job{}
	if p := j.at(now); p.Words != "reading the answers" || p.Left != 0 {
		t.Errorf("before the plan: %+v", p)
	}
	j.stages = []Stage{{"finding groups, question %d of %d", 10, 1}, {"resampling people, %d of %d", 100, 0.7}, {"scoring", 0, 1}}
	for _, c := range []struct {
		done  int
		since time.Duration
		words string
		left  time.Duration
	}{
		{0, 10 * time.Second, "finding groups, question 1 of 10", 0},
		{5, 10 * time.Second, "finding groups, question 6 of 10", 150 * time.Second}, // 2 s a question: 10 s, and 100 times 0.7 of 2 s
		{10, 0, "resampling people, 1 of 100", 0},
		{60, 5 * time.Second, "resampling people, 51 of 100", 5 * time.Second},
		{110, 0, "writing the result", 0},
	} {
		j.done, j.since = c.done, now.Add(-c.since)
		if p := j.at(now); p.Words != c.words || p.Left.Round(time.Millisecond) != c.left || p.Done != c.done || p.Of != 110 {
			t.Errorf("after %d steps: %+v, want %s and %s left", c.done, p, c.words, c.left)
		}
	}
}
