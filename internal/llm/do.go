package llm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Plan is what a run would ask.
type Plan struct {
	Requests int // in total
	Answered int // of these, already in the folder
	Refused  int // permanently, by the endpoint; not asked again
	Ask      int // still to ask

	// Usage and Cost are what asking them is expected to take. A prompt counts a token for four bytes, an
	// answer MaxTokens or the usual length.
	Usage Usage
	Cost  float64
	Spent float64 // so far, on all answers in the folder
}

// usualAnswer is the expected length of an answer without a limit, in tokens.
const usualAnswer = 250

// expected is the usage that a request is likely to take.
func (w *wire) expected() Usage {
	u := Usage{Prompt: w.promptTokens(), Completion: usualAnswer, Estimated: true}
	if w.MaxTokens > 0 {
		u.Completion = w.MaxTokens
	}
	return u
}

// Plan reads the requests and says what Do would ask. It sends nothing. Requests that share an ID are an
// error, and so is an ID under which the folder has another request.
func (r *Run) Plan(models Models, requests iter.Seq[Request]) (Plan, error) {
	plan := Plan{Spent: r.Spent(), Usage: Usage{Estimated: true}}
	seen := map[string]bool{}
	for request := range requests {
		w, err := wireFor(models, request)
		if err != nil {
			return plan, err
		}
		if seen[request.ID] {
			return plan, fmt.Errorf("two requests have the ID %q; expected one for each", request.ID)
		}
		seen[request.ID] = true
		state, err := r.state(w)
		if err != nil {
			return plan, err
		}
		plan.Requests++
		switch {
		case state.answered:
			plan.Answered++
		case state.refusal != nil:
			plan.Refused++
		default:
			plan.Ask++
			u := w.expected()
			plan.Usage.Prompt += u.Prompt
			plan.Usage.Completion += u.Completion
			plan.Cost += w.model.Prices.of(u)
		}
	}
	return plan, nil
}

func wireFor(models Models, request Request) (*wire, error) {
	m, ok := models.Named(request.Model)
	if !ok {
		return nil, fmt.Errorf("request %s is for %q, which is not in the models file", request.ID, request.Model)
	}
	return m.wire(request)
}

// state is what the folder has for a request.
func (r *Run) state(w *wire) (entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.known[w.ID]
	if e == nil {
		return entry{sum: w.sum}, nil
	}
	if e.sum != w.sum {
		return entry{}, fmt.Errorf("the run folder %s has another request with the ID %q; expected a new folder "+
			"for other prompts, models or parameters", r.dir, w.ID)
	}
	return *e, nil
}

// Progress says how far Do has come.
type Progress struct {
	Plan
	Done   int // answered or failed, in this call
	Failed int

	// CostNow is the cost of all answers in the folder; CostAtEnd the expected cost when everything is asked,
	// based on the answers of this call.
	CostNow, CostAtEnd float64
}

// Report says how Do ended.
type Report struct {
	Plan           // as it was at the beginning
	Asked      int // answered in this call
	Usage      Usage
	Cost       float64        // of this call
	Attempts   int            // of this call, those without an answer included
	Finish     map[string]int // finish reasons of this call's answers
	Failed     []Failure      // those that have no answer now, the first of them
	FailedSum  int
	NotAsked   int // because the run was stopped, or the model stopped answering
	Unanswered int // Failed, NotAsked and refused earlier
}

// mostFailures limits the failures that a report lists.
const mostFailures = 20

// Do asks what has no answer in the folder yet, each model with as many concurrent requests as its limits
// allow, and returns when everything is answered or given up. requests must yield the same sequence each
// time. Requests are sent roughly in the order of the sequence; use Answer for the answers.
//
// An answer is on disk before it counts. A request that failed temporarily is sent again, in this call and
// the next; one that the endpoint refuses permanently is not. The error is for what stops the run: the end of
// the context, a full disk, requests that contradict the folder. Requests without an answer are in the
// Report.
func (r *Run) Do(ctx context.Context, c *Client, requests iter.Seq[Request], progress func(Progress)) (*Report, error) {
	plan, err := r.Plan(c.models, requests)
	if err == nil {
		err = r.notePlan(plan)
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d := &doing{run: r, client: c, cancel: cancel, progress: progress, report: Report{Plan: plan, Finish: map[string]int{}}}
	queues := map[string]chan *wire{}
	var workers sync.WaitGroup
	for i := range c.models {
		m := &c.models[i]
		queue := make(chan *wire, queueLength)
		queues[m.Name] = queue
		e := c.endpoints[m.Name]
		gate := &gate{}
		for range m.Limits.Concurrency {
			workers.Go(func() {
				for w := range queue {
					d.ask(ctx, e, gate, w)
				}
			})
		}
	}
	for request := range requests {
		if ctx.Err() != nil {
			break
		}
		w, err := wireFor(c.models, request)
		if err != nil {
			cancel(err)
			break
		}
		if state, err := r.state(w); err != nil {
			cancel(err)
			break
		} else if state.answered || state.refusal != nil {
			continue
		}
		select {
		case queues[request.Model] <- w:
		case <-ctx.Done():
		}
	}
	for _, queue := range queues {
		close(queue)
	}
	workers.Wait()
	report := &d.report
	report.NotAsked = plan.Ask - report.Asked - report.FailedSum
	report.Unanswered = plan.Requests - plan.Answered - report.Asked
	if ctx.Err() != nil {
		return report, fmt.Errorf("asking stopped: %w", context.Cause(ctx))
	}
	return report, nil
}

// queueLength is how many requests may wait for one model while others are
// still behind in the sequence.
const queueLength = 512

// gate is shut once nothing more is to be asked of a model.
type gate struct {
	shut   atomic.Bool
	failed atomic.Int64 // requests in a row
}

// failuresInARow is how many consecutive requests to a model may fail before nothing more is asked of it: a
// wrong parameter, or an endpoint that is down, would make all others fail too.
const failuresInARow = 20

// fail records a request that was given up.
func (g *gate) fail(v verdict) {
	if g.failed.Add(1) >= failuresInARow || v == closed {
		g.shut.Store(true)
	}
}

// doing is one call of Do.
type doing struct {
	run    *Run
	client *Client
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	report   Report
	progress func(Progress)
}

// ask gets one answer, or gives up.
func (d *doing) ask(ctx context.Context, e *endpoint, gate *gate, w *wire) {
	if ctx.Err() != nil || gate.shut.Load() {
		return
	}
	if state, _ := d.run.state(w); !state.logged {
		d.run.log(w)
	}
	expected := w.expected()
	for attempt := 1; ; attempt++ {
		if e.requests.wait(ctx, 1) != nil || e.tokens.wait(ctx, expected.Prompt+expected.Completion) != nil {
			return
		}
		a, f := e.attempt(ctx, w)
		if a != nil {
			e.tokens.correct(a.Usage.Prompt + a.Usage.Completion - expected.Prompt - expected.Completion)
			a.Attempts = attempt
			if err := d.run.journal.answered(a); err != nil {
				d.cancel(fmt.Errorf("writing the answer to %s: %w", w.ID, err))
				return
			}
			gate.failed.Store(0)
			d.answered(a)
			return
		}
		if ctx.Err() != nil {
			return
		}
		e.tokens.correct(-expected.Prompt - expected.Completion)
		wait := e.model.Retries.wait(w, attempt, f.wait)
		last := f.verdict != again || attempt >= e.model.Retries.Attempts || f.wait > e.model.Retries.MaxWait
		failure := Failure{ID: w.ID, SHA256: w.SHA256(), Attempt: attempt, At: time.Now().UTC(), Status: f.status,
			Message: f.message, Final: f.verdict == never, Raw: f.raw}
		d.run.journal.failed(failure)
		d.failed(failure, last)
		if last {
			gate.fail(f.verdict)
			return
		}
		if sleep(ctx, wait) != nil {
			return
		}
	}
}

// log records that a request is about to be sent.
func (r *Run) log(w *wire) {
	r.mu.Lock()
	r.known[w.ID] = &entry{sum: w.sum, logged: true}
	r.mu.Unlock()
	r.journal.sent(w)
}

// wait is how long to wait after an attempt: the first wait, doubled with each attempt and randomly reduced
// by up to half, so that requests that failed together do not come back together. asked is what the endpoint
// asked for.
func (r Retries) wait(w *wire, attempt int, asked time.Duration) time.Duration {
	longest := r.FirstWait << min(attempt-1, 20)
	if longest > r.MaxWait || longest < 0 {
		longest = r.MaxWait
	}
	rng := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(w.sum[:]), uint64(attempt)))
	return max(asked, longest/2+time.Duration(rng.Int64N(int64(longest/2)+1)))
}

func (d *doing) answered(a *Answer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.report.Asked++
	d.report.Attempts++
	d.report.Cost += a.Cost
	d.report.Usage.Prompt += a.Usage.Prompt
	d.report.Usage.Completion += a.Usage.Completion
	d.report.Usage.Estimated = d.report.Usage.Estimated || a.Usage.Estimated
	d.report.Finish[a.FinishReason]++
	d.tell()
}

func (d *doing) failed(f Failure, last bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.report.Attempts++
	if !last {
		return
	}
	d.report.FailedSum++
	if len(d.report.Failed) < mostFailures {
		d.report.Failed = append(d.report.Failed, f)
	}
	d.tell()
}

// tell reports progress. The caller holds the lock.
func (d *doing) tell() {
	if d.progress == nil {
		return
	}
	r := &d.report
	p := Progress{Plan: r.Plan, Done: r.Asked + r.FailedSum, Failed: r.FailedSum, CostNow: r.Spent + r.Cost, CostAtEnd: r.Spent + r.Plan.Cost}
	if r.Asked > 0 {
		p.CostAtEnd = r.Spent + r.Cost/float64(r.Asked)*float64(r.Ask)
	}
	d.progress(p)
}

// Err is nil if every request has an answer now, and otherwise says what is
// missing and why.
func (r *Report) Err() error {
	if r.Unanswered == 0 {
		return nil
	}
	text := fmt.Sprintf("%d of %d requests have no answer", r.Unanswered, r.Requests)
	if r.Refused > 0 {
		text += fmt.Sprintf("; %d were refused by the endpoint in an earlier run and are not sent again", r.Refused)
	}
	if r.NotAsked > 0 {
		text += fmt.Sprintf("; %d were not sent, because the ones before them failed", r.NotAsked)
	}
	for _, f := range r.Failed {
		text += fmt.Sprintf("\n%s: %s", f.ID, f.Message)
		if !f.Final {
			text += fmt.Sprintf(" (attempt %d)", f.Attempt)
		}
	}
	if more := r.FailedSum - len(r.Failed); more > 0 {
		text += fmt.Sprintf("\nand %d more", more)
	}
	return errors.New(text)
}
