package watch

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"overton/internal/store"
	"overton/internal/study"
	pages "overton/templates/watch"
	"overton/web/site"
)

// maxAge is after how long a study is counted again even if nothing was written:
// places expire, and other programs write.
const maxAge = 10 * time.Second

// forgetAfter is how long the traces of a study that nobody watches are kept.
const forgetAfter = 30 * time.Minute

// counters are those of the studies that somebody watches.
type counters struct {
	mu      sync.Mutex
	byStudy map[int64]*counter
}

// counter counts one study for everybody who watches it. It keeps the traces, so
// that only submissions that went on are read again.
type counter struct {
	mu      sync.Mutex
	asked   time.Time     // when somebody last wanted to know
	running chan struct{} // closed when the count that runs is done; nil: none runs
	latest  *snapshot     // nil until the first count is done
	failed  error         // of the last count

	traces map[int64]*markedTrace // by submission; touched by the count alone
}

// markedTrace is a trace and the mark of the submission when it was made.
type markedTrace struct {
	mark  store.Mark
	trace *study.Trace
}

// snapshot is where a study stood, and when that was read.
type snapshot struct {
	pages.Snapshot
	read    time.Time // by the clock of the process
	commits int64     // of the store before it was read
}

// snapshot returns where a study stands, no older than age unless nothing was
// written since. It waits for a count at most as long as Patience; nil if there
// is nothing to show yet.
func (s *Room) snapshot(ctx context.Context, h *site.Hosted, age time.Duration) (*snapshot, error) {
	w := s.counterOf(h.Row.ID)
	w.mu.Lock()
	w.asked = time.Now()
	if now := w.latest; now != nil {
		old, changed := time.Since(now.read), now.commits != s.Store.Commits()
		if old < age || !changed && old < maxAge {
			w.mu.Unlock()
			return now, nil
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
		return nil, w.failed
	}
	return w.latest, nil
}

// counterOf finds or makes a study's counter, and forgets those that nobody has
// asked for some time.
func (s *Room) counterOf(studyID int64) *counter {
	s.counters.mu.Lock()
	defer s.counters.mu.Unlock()
	for id, w := range s.counters.byStudy {
		w.mu.Lock()
		if w.running == nil && time.Since(w.asked) > forgetAfter && id != studyID {
			delete(s.counters.byStudy, id)
		}
		w.mu.Unlock()
	}
	w := s.counters.byStudy[studyID]
	if w == nil {
		w = &counter{traces: map[int64]*markedTrace{}, asked: time.Now()}
		s.counters.byStudy[studyID] = w
	}
	return w
}

// count reads where a study stands. It goes on when the request that began it has
// ended, because others wait for it too. A panic fails this count alone.
func (s *Room) count(w *counter, h *site.Hosted, done chan struct{}) {
	var now *snapshot
	err := func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		now, err = s.look(s.Life, w, h)
		return err
	}()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed = err; err == nil {
		w.latest = now
	}
	w.running = nil
	close(done)
}

func (s *Room) look(ctx context.Context, w *counter, h *site.Hosted) (*snapshot, error) {
	now := &snapshot{read: time.Now(), commits: s.Store.Commits()}
	now.At = s.Now()
	known := func(m store.Mark) bool { return w.traces[m.ID] != nil && w.traces[m.ID].mark == m }
	marks, err := s.Store.Follow(ctx, h.Row.ID, known, func(m store.Mark, r study.Record) error {
		trace := h.Trace(&r)
		w.traces[m.ID] = &markedTrace{m, &trace}
		return nil
	})
	if err != nil {
		return nil, err
	}
	still := make(map[int64]*markedTrace, len(marks))
	var people, virtual []*study.Trace
	for _, m := range marks {
		t := w.traces[m.ID]
		if t == nil {
			continue // withdrew while it was read
		}
		still[m.ID] = t
		if live := m.Live(now.At); live != t.trace.Live {
			changed := *t.trace // others may be looking at the old one
			changed.Live = live
			t.trace = &changed
		}
		now.Traces = append(now.Traces, t.trace)
		if t.trace.Virtual {
			virtual = append(virtual, t.trace)
		} else {
			people = append(people, t.trace)
		}
	}
	w.traces = still
	if now.People, err = s.sample(ctx, h, people, now.At, false); err == nil && len(virtual) > 0 {
		now.Virtual, err = s.sample(ctx, h, virtual, now.At, true)
	}
	return now, err
}

// sample sums up the people of a study, or its virtual participants.
func (s *Room) sample(
	ctx context.Context, h *site.Hosted, traces []*study.Trace, at time.Time, virtual bool,
) (pages.Sample, error) {
	watched, err := s.Store.Watch(ctx, h.Row.ID, virtual)
	return pages.SampleOf(h.Summarise(traces, at), watched, h.Cover(watched.Tallies), virtual), err
}
