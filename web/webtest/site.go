// Package webtest is what the tests of the site share: a whole site on a real
// database behind a real server, whose clock stands still until a test moves it;
// a browser without scripts ([Browser]) that reads the pages; and, where there is
// a Chromium, a real one ([Tab]). Every [Site] is its own, so that tests can run
// side by side.
package webtest

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/internal/store/storetest"
	"overton/internal/study"
	"overton/web"
)

// Site is a running site. Its methods fail the test when something goes wrong.
type Site struct {
	T     *testing.T
	Store *store.Store
	Study *studyfile.Study // that New was given, launched
	Log   *Log             // of the server
	HTTP  *httptest.Server

	path    string             // of the database
	stop    context.CancelFunc // ends what outlives its request
	browses bool               // the test has its turn in Chromium

	mu  sync.Mutex
	now time.Time
}

// New starts a site on which a study is running. It is closed with the test.
func New(t *testing.T, folder studyfile.Files) *Site {
	t.Helper()
	return NewWith(t, folder, web.Config{})
}

// NewWith is New with a configuration, of which the store, the clock and the
// log are the site's own.
func NewWith(t *testing.T, folder studyfile.Files, config web.Config) *Site {
	t.Helper()
	ts := &Site{T: t, path: storetest.New(t), Log: &Log{}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	ts.Open(config)
	t.Cleanup(ts.Close)
	st, err := studyfile.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	ts.Study = st
	ts.launch(st, st.Title)
	return ts
}

// AddStudy launches the small study once more, under another slug, which is
// also added to its title.
func (ts *Site) AddStudy(slug string) {
	ts.T.Helper()
	st, err := studyfile.Read(Renamed(slug))
	if err != nil {
		ts.T.Fatal(err)
	}
	ts.launch(st, st.Title+" "+slug)
}

func (ts *Site) launch(st *studyfile.Study, title string) {
	ts.T.Helper()
	new := store.NewStudy{Slug: st.Slug, Title: title, Hash: st.Hash, Files: st.Files}
	if _, err := ts.Store.SaveStudy(ts.T.Context(), new, 0); err != nil {
		ts.T.Fatal(err)
	}
	if err := ts.Store.Launch(ts.T.Context(), st.Slug, st.Questions.Seeds, 0); err != nil {
		ts.T.Fatal(err)
	}
}

// Open starts the server, on the database that an earlier one may have left.
func (ts *Site) Open(config web.Config) {
	ts.T.Helper()
	var err error
	if ts.Store, err = store.Open(context.Background(), ts.path, store.WithClock(ts.Clock), store.WithoutSync()); err != nil {
		ts.T.Fatal(err)
	}
	config.Log = slog.New(slog.NewTextHandler(ts.Log, nil))
	config.Store, config.Now = ts.Store, ts.Clock
	if config.Patience == 0 {
		config.Patience = time.Minute // so that pages show the numbers of their moment
	}
	var life context.Context
	life, ts.stop = context.WithCancel(context.Background())
	handler, err := web.New(life, config)
	if err != nil {
		ts.T.Fatal(err)
	}
	ts.HTTP = httptest.NewServer(handler)
}

// Close stops the server and closes the database; Open starts it again.
func (ts *Site) Close() {
	ts.HTTP.Close()
	ts.stop()
	if err := ts.Store.Close(); err != nil {
		ts.T.Error(err)
	}
}

// Clock is the site's time.
func (ts *Site) Clock() time.Time {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.now
}

// Pass moves the site's time on.
func (ts *Site) Pass(d time.Duration) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.now = ts.now.Add(d)
}

// Records returns all submissions of the study that New was given.
func (ts *Site) Records() []study.Record {
	ts.T.Helper()
	row, err := ts.Store.Study(context.Background(), ts.Study.Slug)
	if err != nil {
		ts.T.Fatal(err)
	}
	var all []study.Record
	if err := ts.Store.Records(context.Background(), row.ID, func(r study.Record) error { all = append(all, r); return nil }); err != nil {
		ts.T.Fatal(err)
	}
	return all
}

// Log keeps what is written to it, by several goroutines.
type Log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write appends to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String is what was written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// MustURL parses an address.
func MustURL(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
