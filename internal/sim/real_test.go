package sim_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"overton/internal/dataset/studyfile"
	"overton/internal/sim"
	"overton/internal/sim/demo"
	"overton/internal/store"
	"overton/internal/study"
	"overton/web"
)

// site is the demo study on the real site.
type site struct {
	path    string
	store   *store.Store
	handler http.Handler
	study   *studyfile.Study
}

func openSite(t testing.TB, path string) *site {
	t.Helper()
	ctx := context.Background()
	s := &site{path: path}
	var err error
	if s.store, err = store.Open(ctx, path); err != nil {
		t.Fatal(err)
	}
	if s.study, err = studyfile.Read(demo.Files()); err != nil {
		t.Fatal(err)
	}
	s.handler, err = web.New(ctx, web.Config{Store: s.store, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newSite(t testing.TB) *site {
	t.Helper()
	s := openSite(t, filepath.Join(t.TempDir(), "real.db"))
	ctx := context.Background()
	if _, err := s.store.SaveStudy(ctx, store.NewStudy{Slug: s.study.Slug, Title: s.study.Title, Hash: s.study.Hash, Files: s.study.Files}); err != nil {
		t.Fatal(err)
	}
	if err := s.store.Launch(ctx, s.study.Slug, s.study.Questions.Seeds, 0); err != nil {
		t.Fatal(err)
	}
	return s
}

func options(t testing.TB, url string) sim.Options {
	t.Helper()
	beliefs, err := sim.ReadBeliefs(demo.Files())
	if err != nil {
		t.Fatal(err)
	}
	return sim.Options{URL: url, Study: "demo", Participants: 30, Seed: 1, Groups: 3, Concurrency: 10, Noise: 0.1, Beliefs: beliefs,
		Parameters: study.ParameterNames{Participant: "PROLIFIC_PID", Study: "STUDY_ID", Submission: "SESSION_ID"},
		ServerWait: 20 * time.Second, PlaceWait: 20 * time.Second}
}

// compare holds the truth against the records of the store.
func (s *site) compare(t *testing.T, truth *sim.Truth) (completed int) {
	t.Helper()
	ctx := context.Background()
	row, err := s.store.Study(ctx, "demo")
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.store.Statements(ctx, row.ID)
	if err != nil {
		t.Fatal(err)
	}
	statements := map[string]study.Statement{}
	for _, st := range list {
		statements[st.ID] = st
	}
	var stored []sim.Stored
	if err := s.store.Records(ctx, row.ID, func(r study.Record) error {
		stored = append(stored, sim.FromRecord(r, &s.study.Questions, statements))
		if r.Outcome == study.Completed {
			completed++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	c := sim.Compare(truth, stored)
	for i, d := range c.Differences {
		if i < 5 {
			t.Errorf("%+v", d)
		}
	}
	if len(c.Differences) > 0 {
		t.Errorf("%d differences", len(c.Differences))
	}
	if c.Equal[study.KindRating] < 12*completed || c.Equal[study.KindView] < 3*completed || c.Equal[study.KindVote] < 15*completed {
		t.Errorf("compared only %v", c.Equal)
	}
	return completed
}

func TestTheRealSiteStoresWhatWasSent(t *testing.T) {
	s := newSite(t)
	defer s.store.Close()
	server := httptest.NewServer(s.handler)
	defer server.Close()
	o := options(t, server.URL)
	o.DropOut, o.Decline = 0.15, 0.05
	truth, err := sim.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if sum := truth.Summary; sum.Finished != 30 || sum.Failed != 0 {
		t.Errorf("%+v", sum)
	}
	if completed := s.compare(t, truth); completed != 30 {
		t.Errorf("%d are complete in the store", completed)
	}
	for _, p := range truth.People {
		if p.Ending == sim.Finished && p.Code != "DEMODONE" {
			t.Errorf("%s finished with code %q", p.Participant, p.Code)
		}
	}
}

// The site goes away twice in the middle, connections and all, and another
// one comes up on the same database.
func TestARunOutlivesARestartOfTheRealSite(t *testing.T) {
	s := newSite(t)
	var mu sync.RWMutex
	requests, down := 0, false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests++
		if requests == 400 || requests == 900 {
			down = true
			go func() {
				time.Sleep(200 * time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				if err := s.store.Close(); err != nil {
					t.Error(err)
				}
				s, down = openSite(t, s.path), false
			}()
		}
		handler, gone := s.handler, down
		mu.Unlock()
		if !gone {
			handler.ServeHTTP(w, r)
		}
		mu.RLock()
		defer mu.RUnlock()
		if down {
			panic(http.ErrAbortHandler) // the answer is lost, too
		}
	}))
	defer server.Close()
	truth, err := sim.Run(context.Background(), options(t, server.URL))
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	defer s.store.Close()
	if truth.Summary.Finished != 30 || truth.Summary.Retried == 0 {
		t.Errorf("%+v", truth.Summary)
	}
	if completed := s.compare(t, truth); completed != 30 {
		t.Errorf("%d are complete in the store", completed)
	}
}

// BenchmarkDemo fills the demo study as the server does when it shows it.
func BenchmarkDemo(b *testing.B) {
	for b.Loop() {
		s := newSite(b)
		o := options(b, "http://demo.invalid")
		o.Participants, o.Transport = 56, sim.InProcess(s.handler)
		truth, err := sim.Run(context.Background(), o)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(truth.Summary.PerSecond, "requests/s")
		if err := s.store.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
