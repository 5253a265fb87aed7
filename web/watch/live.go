package watch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	"overton/web/site"
)

const (
	// liveEvery is how often the numbers of a study that is being watched are
	// computed anew, if anything was written meanwhile.
	liveEvery = 2 * time.Second

	// liveStale is after how long they are computed anew in any case: places
	// expire, and other programs write.
	liveStale = 10 * time.Second

	liveBeat = 15 * time.Second // sign of life on a stream that has nothing to tell
	liveLife = 5 * time.Minute  // of a stream; then the browser asks again, and its role is looked up again

	// forgetAfter is how long the traces of a study that nobody watches are kept.
	forgetAfter = 30 * time.Minute
)

// watches keep the traces of the studies that somebody watches, so that only
// submissions that went on are read again. All who watch a study share one
// computation.
type watches struct {
	mu      sync.Mutex
	byStudy map[int64]*watch
}

// watch is one study's.
type watch struct {
	mu      sync.Mutex
	asked   time.Time     // last
	running chan struct{} // closed when the computation that runs is done; nil: none runs
	latest  *standing     // nil until the first is done
	failed  error         // of the last computation

	traces map[int64]*followed // touched by the computation alone
}

// followed is a submission and the mark that its trace was made at.
type followed struct {
	mark  store.Mark
	trace *study.Trace
}

// standing is where a study stood at one moment. It never changes.
type standing struct {
	at      time.Time // when it was read, by the clock of the process
	commits int64     // of the store before it was read

	now             time.Time // when it was read, by the site's clock
	traces          []*study.Trace
	people, virtual sample
	waiting         store.Waiting
}

// sample is the real or the virtual participants of a standing.
type sample struct {
	study.Summary
	store.Watched
	coverage []study.Coverage
}

// standing returns where a study stands, no older than age unless nothing was
// written since. It waits for a computation at most as long as Patience; ok is
// false if there is nothing to show yet.
func (s *Room) standing(ctx context.Context, h *site.Hosted, age time.Duration) (st *standing, ok bool, err error) {
	w := s.watchOf(h.Row.ID)
	w.mu.Lock()
	w.asked = time.Now()
	st = w.latest
	if st != nil {
		old := time.Since(st.at)
		if changed := st.commits != s.Store.Commits(); old < age || !changed && old < liveStale {
			w.mu.Unlock()
			return st, true, nil
		}
	}
	if w.running == nil {
		w.running = make(chan struct{})
		go s.count(w, h, w.running)
	}
	running := w.running
	w.mu.Unlock()

	timer := time.NewTimer(cmp.Or(s.Patience, 200*time.Millisecond))
	defer timer.Stop()
	select {
	case <-running:
	case <-timer.C:
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != nil {
		return nil, false, w.failed
	}
	return w.latest, w.latest != nil, nil
}

// watchOf finds or makes a study's watch, and forgets those that nobody has
// asked for in a while.
func (s *Room) watchOf(studyID int64) *watch {
	s.watches.mu.Lock()
	defer s.watches.mu.Unlock()
	for id, w := range s.watches.byStudy {
		w.mu.Lock()
		if w.running == nil && time.Since(w.asked) > forgetAfter && id != studyID {
			delete(s.watches.byStudy, id)
		}
		w.mu.Unlock()
	}
	w := s.watches.byStudy[studyID]
	if w == nil {
		w = &watch{traces: map[int64]*followed{}, asked: time.Now()}
		s.watches.byStudy[studyID] = w
	}
	return w
}

// count reads where a study stands. It goes on when the request that began
// it has ended: others wait for it, too.
func (s *Room) count(w *watch, h *site.Hosted, done chan struct{}) {
	var st *standing
	err := func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		st, err = s.look(w, h)
		return err
	}()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed = err; err == nil {
		w.latest = st
	}
	w.running = nil
	close(done)
}

func (s *Room) look(w *watch, h *site.Hosted) (*standing, error) {
	ctx := s.Life
	st := &standing{at: time.Now(), commits: s.Store.Commits(), now: s.Now()}
	known := func(m store.Mark) bool {
		f := w.traces[m.ID]
		return f != nil && f.mark == m
	}
	marks, err := s.Store.Follow(ctx, h.Row.ID, known, func(m store.Mark, r study.Record) error {
		trace := h.Trace(&r)
		w.traces[m.ID] = &followed{m, &trace}
		return nil
	})
	if err != nil {
		return nil, err
	}
	there := make(map[int64]bool, len(marks))
	var people, virtual []*study.Trace
	for _, m := range marks {
		there[m.ID] = true
		f := w.traces[m.ID]
		if f == nil {
			continue // withdrew while it was read
		}
		trace := f.trace
		if live := m.Live(st.now); live != trace.Live {
			changed := *trace // others may be looking at the old one
			changed.Live = live
			trace = &changed
			f.trace = trace
		}
		st.traces = append(st.traces, trace)
		if trace.Virtual {
			virtual = append(virtual, trace)
		} else {
			people = append(people, trace)
		}
	}
	for id := range w.traces {
		if !there[id] {
			delete(w.traces, id)
		}
	}
	for _, part := range []struct {
		to      *sample
		traces  []*study.Trace
		virtual bool
	}{{&st.people, people, false}, {&st.virtual, virtual, true}} {
		if part.virtual && len(part.traces) == 0 {
			continue
		}
		part.to.Summary = h.Summarise(part.traces, st.now)
		if part.to.Watched, err = s.Store.Watch(ctx, h.Row.ID, part.virtual); err != nil {
			return nil, err
		}
		part.to.coverage = h.Cover(part.to.Tallies)
	}
	st.waiting, err = s.Store.Waiting(ctx, h.Row.ID)
	return st, err
}

// stream sends the parts of a page that change, as server-sent events, until
// the browser leaves, the server stops or its time is over. parts renders them
// by the ids of their elements; only those that differ from what was sent
// before are sent.
func (s *Room) stream(c echo.Context, parts func() (map[string]templ.Component, error)) error {
	r, header := c.Request(), c.Response().Header()
	header.Set("Content-Type", "text/event-stream; charset=utf-8")
	header.Set("X-Accel-Buffering", "no") // nginx would keep the events back otherwise
	c.Response().WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	out := http.NewResponseController(c.Response())
	// The server's limit is on reading requests; this one has been read.
	if err := out.SetReadDeadline(time.Time{}); err != nil {
		return fmt.Errorf("lifting the limit of a stream: %w", err)
	}
	send := func(format string, args ...any) error {
		if err := out.SetWriteDeadline(time.Now().Add(liveBeat)); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(c.Response(), format, args...); err != nil {
			return err
		}
		return out.Flush()
	}
	if send("retry: 3000\n\n") != nil {
		return nil // the browser has left
	}
	sent := map[string]string{}
	spoke := time.Now()
	tick := time.NewTicker(liveEvery)
	defer tick.Stop()
	end := time.NewTimer(liveLife)
	defer end.Stop()
	for {
		components, err := parts()
		if err != nil {
			if r.Context().Err() != nil || s.Life.Err() != nil {
				return nil
			}
			s.Log.Error("a live page failed", "route", c.Path(), "error", err)
		}
		fresh := map[string]string{}
		for id, component := range components {
			var b bytes.Buffer
			if err := component.Render(r.Context(), &b); err != nil {
				return nil
			}
			if html := b.String(); html != sent[id] {
				fresh[id], sent[id] = html, html
			}
		}
		switch {
		case len(fresh) > 0:
			data, err := json.Marshal(fresh)
			if err != nil {
				return fmt.Errorf("writing an event: %w", err)
			}
			if send("event: parts\ndata: %s\n\n", data) != nil {
				return nil
			}
			spoke = time.Now()
		case time.Since(spoke) >= liveBeat:
			if send("event: beat\ndata:\n\n") != nil {
				return nil
			}
			spoke = time.Now()
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-s.Life.Done():
			return nil
		case <-end.C:
			return nil
		case <-tick.C:
		}
	}
}
