// Package jobs carries out in the background what takes longer than a request:
// the runs of studies, whatever their kind. Each takes all cores, so they are
// computed one at a time, in the order in which they were asked for.
//
// A job is a row of the store's runs. All that it takes to compute it stands
// there, so a restart loses nothing silently: what had not begun is carried out
// by the next program, and what was cut off is marked as interrupted, since a
// run that ended its program must not end the next one, too. In memory is only
// the order, and how far the job is that is being computed.
//
// A job that fails or panics ends with its reason on its run and the details in
// the log. The others, and the program, go on.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"overton/internal/store"
)

// Task is what a job works on, and where it says how far it is.
type Task struct {
	store.Run
	Sent []byte // with the run that was asked for; nil for nothing

	Plan func(...Stage) // says once what the work consists of
	Step func()         // says that a step is done; may be called from several goroutines
}

// Work computes a run of one kind and returns its result as JSON. It stops
// early when the context ends. An error that people can understand is a
// Failure.
type Work func(context.Context, Task) (result []byte, err error)

// Failure is a reason why a run came to nothing, as a sentence for people.
type Failure string

func (f Failure) Error() string { return string(f) }

// Stage is a part of a job, done in steps that take about the same time.
type Stage struct {
	Words string // of a step, with verbs for its number and that of all: "question %d of %d"
	Steps int
	Cost  float64 // of a step, against the steps of the other stages
}

// Progress is how far a job is.
type Progress struct {
	Ahead    int // jobs that come before it; at 0 it is being computed
	Done, Of int // steps
	Words    string
	Left     time.Duration // about; 0: not known
}

// Queue is the jobs of one server.
type Queue struct {
	life  context.Context
	db    *store.Store
	log   *slog.Logger
	now   func() time.Time
	works map[string]Work

	mu   sync.Mutex
	jobs []*job // the first is being computed
}

// job is one run. Its fields belong to Queue.mu.
type job struct {
	study, run int64
	ctx        context.Context
	cancel     context.CancelFunc
	stages     []Stage
	done       int
	since      time.Time // when the stage it is in began
}

// New makes a queue that computes until life ends. works are by the kind of
// run. It marks what the program before it left unfinished, and goes on with
// what waits.
func New(life context.Context, db *store.Store, log *slog.Logger, now func() time.Time, works map[string]Work) (*Queue, error) {
	q := &Queue{life: life, db: db, log: log, now: now, works: works}
	cut, err := db.InterruptRuns(life)
	if err != nil {
		return nil, err
	}
	waiting, err := db.QueuedRuns(life)
	if err != nil {
		return nil, err
	}
	if cut > 0 || len(waiting) > 0 {
		log.Warn("the program had ended before its runs", "interrupted", cut, "resumed", len(waiting))
	}
	for _, run := range waiting {
		q.add(run.StudyID, run.ID)
	}
	return q, nil
}

// Ask queues a run and returns its id.
func (q *Queue) Ask(ctx context.Context, studyID int64, n store.NewRun, by store.Actor) (id int64, err error) {
	if id, err = q.db.QueueRun(ctx, studyID, n, by); err == nil {
		q.add(studyID, id)
	}
	return id, err
}

func (q *Queue) add(study, run int64) {
	j := &job{study: study, run: run}
	j.ctx, j.cancel = context.WithCancel(q.life)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.jobs = append(q.jobs, j); len(q.jobs) == 1 {
		go q.computeAll()
	}
}

// Cancel ends a run of a study; store.ErrConflict where it has ended. It is
// cancelled at once; what is computed for it stops soon after.
func (q *Queue) Cancel(ctx context.Context, studyID, id int64, by store.Actor) error {
	if err := q.db.CancelRun(ctx, studyID, id, by); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := q.find(id); i >= 0 {
		q.jobs[i].cancel()
		if i > 0 {
			q.jobs = slices.Delete(q.jobs, i, i+1)
		}
	}
	return nil
}

// At tells how far a run is; known is false for one that is not queued here.
func (q *Queue) At(id int64) (p Progress, known bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := q.find(id)
	if i < 0 {
		return p, false
	}
	p = q.jobs[i].at(q.now())
	p.Ahead = i
	return p, true
}

func (q *Queue) find(id int64) int {
	return slices.IndexFunc(q.jobs, func(j *job) bool { return j.run == id })
}

// at tells how far the job is at a time. The time left is that of the stage, by
// its pace so far, and of those after it, by their costs.
func (j *job) at(now time.Time) Progress {
	p := Progress{Done: j.done, Words: "reading the answers"}
	before, left := 0, 0.0 // steps of the stages before; seconds
	for _, s := range j.stages {
		p.Of += s.Steps
	}
	for i, s := range j.stages {
		if p.Words = "writing the result"; j.done >= before+s.Steps {
			before += s.Steps
			continue
		}
		p.Words = s.Words
		if strings.Contains(s.Words, "%") {
			p.Words = fmt.Sprintf(s.Words, j.done-before+1, s.Steps)
		}
		steps := float64(before + s.Steps - j.done)
		for _, later := range j.stages[i+1:] {
			steps += float64(later.Steps) * later.Cost / s.Cost
		}
		left = now.Sub(j.since).Seconds() / float64(j.done-before) * steps
		break
	}
	if left > 0 && !math.IsInf(left, 0) {
		p.Left = time.Duration(left * float64(time.Second))
	}
	return p
}

func (q *Queue) plan(j *job, stages []Stage) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j.stages, j.since = stages, q.now()
}

func (q *Queue) step(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j.done++
	ends := 0
	for _, s := range j.stages {
		if ends += s.Steps; ends == j.done {
			j.since = q.now()
		}
	}
}

// computeAll works until nothing waits any more, or the program ends.
func (q *Queue) computeAll() {
	for {
		q.mu.Lock()
		if len(q.jobs) == 0 || q.life.Err() != nil {
			q.mu.Unlock()
			return
		}
		j := q.jobs[0]
		q.mu.Unlock()
		q.compute(j)
		j.cancel()
		q.mu.Lock()
		q.jobs = q.jobs[1:]
		q.mu.Unlock()
	}
}

// compute carries out a job and ends its run. One that was cancelled has ended
// in the store before its context did.
func (q *Queue) compute(j *job) {
	err := q.attempt(j)
	if err == nil {
		return
	}
	state, reason := store.RunFailed, "The server's log has the cause, under the number of the run."
	var failure Failure
	var broken *panicked
	switch {
	case q.life.Err() != nil:
		state, reason = store.RunInterrupted, ""
	case errors.As(err, &failure):
		reason = string(failure)
	case errors.As(err, &broken):
		reason = fmt.Sprintf("The computation broke off: %s. %s", broken.reason, reason)
	}
	switch ended := q.db.EndRun(context.WithoutCancel(q.life), j.run, state, reason); {
	case errors.Is(ended, store.ErrConflict): // it was cancelled
	case ended != nil:
		q.log.Error("a run could not be ended", "run", j.run, "error", errors.Join(err, ended))
	case state == store.RunFailed && failure == "":
		q.log.Error("a run failed", "run", j.run, "error", err)
	}
}

// panicked is a panic in a job.
type panicked struct{ reason, stack string }

func (p *panicked) Error() string { return "panic: " + p.reason + "\n" + p.stack }

func (q *Queue) attempt(j *job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			// What other goroutines pass on brings their stack with it.
			reason, stack, _ := strings.Cut(fmt.Sprint(p), "\n")
			err = &panicked{reason, stack + string(debug.Stack())}
		}
	}()
	if err := q.db.StartRun(j.ctx, j.run); err != nil {
		return err
	}
	t := Task{Plan: func(stages ...Stage) { q.plan(j, stages) }, Step: func() { q.step(j) }}
	if t.Run, err = q.db.Run(j.ctx, j.study, j.run); err != nil {
		return err
	}
	if t.Sent, err = q.db.Sent(j.ctx, j.run); err != nil {
		return err
	}
	work, ok := q.works[t.Kind]
	if !ok {
		return fmt.Errorf("nothing computes runs of kind %q", t.Kind)
	}
	result, err := work(j.ctx, t)
	if err == nil {
		err = j.ctx.Err()
	}
	if err != nil {
		return err
	}
	return q.db.FinishRun(context.WithoutCancel(j.ctx), j.run, result)
}
