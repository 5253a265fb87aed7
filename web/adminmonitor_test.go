package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overton/internal/study"
	"overton/templates"
)

func init() { patience = time.Minute } // pages of tests show the numbers of their moment

// event is one server-sent event.
type event struct{ name, data string }

// listen opens a study's stream and returns its events until it is closed.
func (b *browser) listen(path string) (events chan event, header http.Header, stop func()) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.http.URL+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	resp, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	events = make(chan event, 100)
	go func() {
		defer close(events)
		defer resp.Body.Close()
		var e event
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 1<<22)
		for lines.Scan() {
			switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
			case "event":
				e.name = value
			case "data":
				e.data = value
			case "":
				if e.name != "" {
					events <- e
				}
				e = event{}
			}
		}
	}()
	return events, resp.Header, cancel
}

// next waits for an event with parts of the page.
func next(t *testing.T, events chan event) map[string]string {
	t.Helper()
	for {
		select {
		case e, ok := <-events:
			if !ok {
				t.Fatal("the stream has ended")
			}
			if e.name != "parts" {
				continue
			}
			var parts map[string]string
			if err := json.Unmarshal([]byte(e.data), &parts); err != nil {
				t.Fatalf("%q: %v", e.data, err)
			}
			return parts
		case <-time.After(time.Minute):
			t.Fatal("no event came")
		}
	}
}

func TestTheStreamSendsWhatChanged(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.finish(1)
	for _, role := range []string{"viewer", "researcher"} {
		events, header, stop := ts.signedIn(role).listen("/admin/studies/small/live")
		defer stop()
		if got := header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" || header.Get("X-Accel-Buffering") != "no" || header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", header)
		}
		all := next(t, events)
		if len(all) != len(templates.MonitorParts(templates.MonitorPage{})) {
			t.Errorf("%d parts at first", len(all))
		}
		same := func() string {
			page := ts.browserOf(role).get("/admin/studies/small")
			for id, html := range all {
				if !strings.Contains(page.body, html) {
					return id
				}
			}
			return ""
		}
		for same() != "" { // the stream may lag behind the page by some seconds
			maps.Copy(all, next(t, events))
		}
		if named := strings.Contains(fmt.Sprint(all), ts.records()[0].Pseudonym); named != (role == "researcher") {
			t.Errorf("as %s pseudonyms are shown: %v", role, named)
		}
		b, p := ts.begin(len(ts.records()) + 1)
		parts := next(t, events)
		if _, sent := parts["live-times"]; sent || !strings.Contains(parts["live-people"], "1 reserved") {
			t.Errorf("after somebody arrived these parts are sent: %v", slices.Collect(maps.Keys(parts)))
		}
		b.walk(p, "end")
	}
}

func TestStreamsEndWithTheServerAndOutliveItsReadLimit(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ctx, stop := context.WithCancel(t.Context())
	handler, err := New(ctx, Config{Store: ts.store, Now: ts.clock, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ts.http.Close()
	ts.http = httptest.NewUnstartedServer(handler)
	ts.http.Config.ReadTimeout = 500 * time.Millisecond
	ts.http.Start()
	events, _, cancel := ts.signedIn("viewer").listen("/admin/studies/small/live")
	defer cancel()
	next(t, events)
	time.Sleep(700 * time.Millisecond)
	ts.begin(1)
	next(t, events) // it still speaks
	began := time.Now()
	stop()
	if err := ts.http.Config.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, open := <-events; open {
		t.Error("the stream goes on")
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the server took %s to stop", took)
	}
}

func TestEverybodySharesOneComputation(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.finish(2)
	s := &site{Config: Config{Store: ts.store, Now: ts.clock}, life: t.Context(), watches: watches{byStudy: map[int64]*watch{}}}
	row, err := ts.store.Study(t.Context(), "small")
	if err != nil {
		t.Fatal(err)
	}
	h := &hosted{prepared: &prepared{Study: ts.st}, row: row}
	var wg sync.WaitGroup
	got := make([]*standing, 20)
	for i := range got {
		wg.Go(func() {
			st, ok, err := s.standing(t.Context(), h, liveEvery)
			if err != nil || !ok {
				t.Error(err, ok)
			}
			got[i] = st
		})
	}
	wg.Wait()
	for _, st := range got {
		if st != got[0] {
			t.Fatal("it was computed more than once")
		}
	}
	if again, _, _ := s.standing(t.Context(), h, 0); again != got[0] {
		t.Error("it was computed again although nothing was written")
	}
	traces := map[*study.Trace]bool{}
	for _, trace := range got[0].traces {
		traces[trace] = true
	}
	ts.begin(3)
	later, _, err := s.standing(t.Context(), h, 0)
	if err != nil || len(later.traces) != 3 {
		t.Fatalf("%d traces, %v", len(later.traces), err)
	}
	kept := 0
	for _, trace := range later.traces {
		if traces[trace] {
			kept++
		}
	}
	if kept != 2 {
		t.Errorf("%d traces were kept of 2 that did not change", kept)
	}
}

func TestASubmissionIsShownWithoutIdentity(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(7)
	p = b.walk(p, "p/q1-view")
	back := p
	b.send(p, p.answers("idk"))
	b.send(back, back.answers("Write to <b>me</b> at someone@example.org"))
	b.walk(b.get("/s/small/resume"), "end")
	r := ts.records()[0]
	p = ts.signedIn("researcher").get("/admin/studies/small/submissions/" + r.Pseudonym)
	says := p.says()
	for _, want := range []string{r.Pseudonym, "Complete", "Consent", "What is the sex", "Question 1", "Question 2", "What about matter", "someone@example.org (mail address?)", "before: idk", "model-alpha", "Please choose 2 here.", "Seed"} {
		if !strings.Contains(says, want) {
			t.Errorf("%q is not said: %s", want, says)
		}
	}
	if strings.Contains(p.body, "<b>me") || strings.Contains(p.body, fmt.Sprintf("%024x", 7)) || strings.Contains(p.body, fmt.Sprintf("%024x", 1007)) {
		t.Error("markup or identity reaches the page")
	}
	list := ts.browserOf("researcher").get("/admin/studies/small/submissions?outcome=completed&find=" + r.Pseudonym[:6])
	if !strings.Contains(list.rows(), r.Pseudonym) {
		t.Errorf("the list lacks it: %s", list.says())
	}
	if p := ts.browserOf("researcher").get("/admin/studies/small/submissions/nobody"); p.status != http.StatusNotFound {
		t.Errorf("somebody who is not there: %d", p.status)
	}
	// Whoever withdrew is gone from the lists.
	withdraw := b.get("/s/small/withdraw")
	b.send(withdraw, map[string]string{"sure": "yes"})
	if n := len(ts.records()); n != 0 {
		t.Fatalf("%d records are left: %s", n, withdraw.says())
	}
	if list := ts.browserOf("researcher").get("/admin/studies/small/submissions"); strings.Contains(list.body, r.Pseudonym) {
		t.Error("a person who withdrew is still listed")
	}
	if p := ts.browserOf("researcher").get("/admin/studies/small"); !strings.Contains(p.says(), "Withdrew, and is gone") {
		t.Error("the withdrawal is not counted")
	}
}

func TestPayAnHourIsShownAndWarnedAbout(t *testing.T) {
	ts := newSite(t, studyFolder(noChecks))
	for n := range 10 {
		b, p := ts.begin(n + 1)
		ts.pass(30 * time.Minute)
		b.walk(p, "end")
	}
	b := ts.signedIn("researcher")
	for _, form := range []url.Values{{"amount": {"much"}, "currency": {"GBP"}}, {"amount": {"-1"}, "currency": {"GBP"}}, {"amount": {"NaN"}, "currency": {"GBP"}}, {"amount": {"1"}, "currency": {"XXX"}}} {
		if p := b.post("/admin/studies/small/reward", form); p.status != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", form, p.status)
		}
	}
	p := b.post("/admin/studies/small/reward", url.Values{"amount": {"2,50"}, "currency": {"GBP"}})
	for _, want := range []string{"the reward comes to 5.00 GBP an hour", "Prolific asks for at least 6.00", "People earn 5.00 GBP an hour", "It takes 30.0 min, and people are told 12 minutes", "Reward: 2.50 GBP"} {
		if !strings.Contains(p.says(), want) {
			t.Errorf("%q is not said: %s", want, p.says())
		}
	}
}
