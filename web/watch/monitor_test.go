package watch_test

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

	"golang.org/x/net/html"

	"overton/internal/study"
	pages "overton/templates/watch"
	"overton/web"
	"overton/web/site"
	"overton/web/watch"
	"overton/web/webtest"
)

// figures reads the large numbers of a monitor page.
func figures(p webtest.Page) []map[string]string {
	var all []map[string]string
	webtest.ForEach(p.Doc, "dl", func(dl *html.Node) {
		if webtest.Attribute(dl, "class") != "figures" {
			return
		}
		these := map[string]string{}
		webtest.ForEach(dl, "div", func(n *html.Node) {
			webtest.ForEach(n, "dt", func(dt *html.Node) {
				webtest.ForEach(n, "dd", func(dd *html.Node) { these[webtest.Text(dt)] = strings.Join(strings.Fields(webtest.Text(dd)), " ") })
			})
		})
		all = append(all, these)
	})
	return all
}

func TestTheMonitorCountsPeopleAndVirtualParticipantsApart(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.Finish(2)
	b, p := ts.Begin(3)
	b.Walk(p, "p/q1-response1")
	b, p = ts.Begin(4)
	b.Send(p, map[string]string{"consent": "no"})
	virtual := ts.Browser()
	virtual.Walk(virtual.Send(virtual.Get("/s/small?PROLIFIC_PID=virtual-1&STUDY_ID=s&SESSION_ID=v1"), nil), "end")
	ts.Pass(41 * time.Minute)
	ts.Begin(5)

	p = ts.SignedIn("viewer").Get("/admin/studies/small")
	got := figures(p)
	want := []map[string]string{
		{"Arrived": "5", "Consented": "3", "In progress": "1", "Complete": "2", "Left early": "1"},
		{"Arrived": "1", "Consented": "1", "In progress": "0", "Complete": "1", "Left early": "0"},
	}
	if len(got) != 2 || !maps.Equal(got[0], want[0]) || !maps.Equal(got[1], want[1]) {
		t.Errorf("%v, want %v", got, want)
	}
	says := p.Says() + p.Rows()
	for _, s := range []string{"2 filled 1 reserved 27 open of 30 places", "Did not consent 1", "Question 1: ratings 3 60 % 0 1 0", "Consent 5 100 % 1 0 1", "1 virtual participant, not people",
		"/s/small?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"} {
		if !strings.Contains(says, s) {
			t.Errorf("%q is not said: %s", s, says)
		}
	}
	done := 0
	webtest.ForEach(webtest.Find(p.Doc, "live-filling"), "progress", func(n *html.Node) {
		var n1 int
		fmt.Sscan(webtest.Attribute(n, "value"), &n1)
		done += n1
	})
	if done != 4 { // two people with two questions each
		t.Errorf("%d places are done", done)
	}
}

// event is one server-sent event.
type event struct{ name, data string }

// listen opens a study's stream and returns its events until it is closed.
func listen(b *webtest.Browser, path string) (events chan event, header http.Header, stop func()) {
	b.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.HTTP.URL+path, nil)
	if err != nil {
		b.T.Fatal(err)
	}
	resp, err := b.Client.Do(r)
	if err != nil {
		b.T.Fatal(err)
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
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.Finish(1)
	for _, role := range []string{"viewer", "researcher"} {
		events, header, stop := listen(ts.SignedIn(role), "/admin/studies/small/live")
		defer stop()
		if got := header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" || header.Get("X-Accel-Buffering") != "no" || header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", header)
		}
		all := next(t, events)
		if len(all) != len((pages.MonitorPage{}).Sections()) {
			t.Errorf("%d parts at first", len(all))
		}
		same := func() string {
			page := ts.SignedIn(role).Get("/admin/studies/small")
			for id, html := range all {
				if !strings.Contains(page.Body, html) {
					return id
				}
			}
			return ""
		}
		for same() != "" { // the stream may lag behind the page by some seconds
			maps.Copy(all, next(t, events))
		}
		if named := strings.Contains(fmt.Sprint(all), ts.Records()[0].Pseudonym); named != (role == "researcher") {
			t.Errorf("as %s pseudonyms are shown: %v", role, named)
		}
		b, p := ts.Begin(len(ts.Records()) + 1)
		parts := next(t, events)
		if _, sent := parts["live-times"]; sent || !strings.Contains(parts["live-people"], "1 reserved") {
			t.Errorf("after somebody arrived these parts are sent: %v", slices.Collect(maps.Keys(parts)))
		}
		b.Walk(p, "end")
	}
}

func TestStreamsEndWithTheServerAndOutliveItsReadLimit(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ctx, stop := context.WithCancel(t.Context())
	handler, err := web.New(ctx, web.Config{Store: ts.Store, Now: ts.Clock, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ts.HTTP.Close()
	ts.HTTP = httptest.NewUnstartedServer(handler)
	ts.HTTP.Config.ReadTimeout = 500 * time.Millisecond
	ts.HTTP.Start()
	events, _, cancel := listen(ts.SignedIn("viewer"), "/admin/studies/small/live")
	defer cancel()
	next(t, events)
	time.Sleep(700 * time.Millisecond)
	ts.Begin(1)
	next(t, events) // it still speaks
	began := time.Now()
	stop()
	if err := ts.HTTP.Config.Shutdown(t.Context()); err != nil {
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
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.Finish(2)
	kernel, err := site.New(t.Context(), web.Config{Store: ts.Store, Now: ts.Clock, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	room := watch.New(kernel)
	row, err := ts.Store.Study(t.Context(), "small")
	if err != nil {
		t.Fatal(err)
	}
	h := &site.Hosted{Prepared: &site.Prepared{Study: ts.Study}, Row: row}
	var wg sync.WaitGroup
	got := make([]*watch.Standing, 20)
	for i := range got {
		wg.Go(func() {
			st, ok, err := watch.StandingOf(room, t.Context(), h, watch.LiveEvery)
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
	if again, _, _ := watch.StandingOf(room, t.Context(), h, 0); again != got[0] {
		t.Error("it was computed again although nothing was written")
	}
	traces := map[*study.Trace]bool{}
	for _, trace := range got[0].Traces {
		traces[trace] = true
	}
	ts.Begin(3)
	later, _, err := watch.StandingOf(room, t.Context(), h, 0)
	if err != nil || len(later.Traces) != 3 {
		t.Fatalf("%d traces, %v", len(later.Traces), err)
	}
	kept := 0
	for _, trace := range later.Traces {
		if traces[trace] {
			kept++
		}
	}
	if kept != 2 {
		t.Errorf("%d traces were kept of 2 that did not change", kept)
	}
}

func TestASubmissionIsShownWithoutIdentity(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(7)
	p = b.Walk(p, "p/q1-view")
	back := p
	b.Send(p, p.Answers("idk"))
	b.Send(back, back.Answers("Write to <b>me</b> at someone@example.org"))
	b.Walk(b.Get("/s/small/resume"), "end")
	r := ts.Records()[0]
	p = ts.SignedIn("researcher").Get("/admin/studies/small/submissions/" + r.Pseudonym)
	says := p.Says()
	for _, want := range []string{r.Pseudonym, "Complete", "Consent", "What is the sex", "Question 1", "Question 2", "What about matter", "someone@example.org (email address?)", "before: idk", "model-alpha", "Please choose 2 here.", "Seed"} {
		if !strings.Contains(says, want) {
			t.Errorf("%q is not said: %s", want, says)
		}
	}
	if strings.Contains(p.Body, "<b>me") || strings.Contains(p.Body, fmt.Sprintf("%024x", 7)) || strings.Contains(p.Body, fmt.Sprintf("%024x", 1007)) {
		t.Error("markup or identity reaches the page")
	}
	list := ts.SignedIn("researcher").Get("/admin/studies/small/submissions?outcome=completed&find=" + r.Pseudonym[:6])
	if !strings.Contains(list.Rows(), r.Pseudonym) {
		t.Errorf("the list lacks it: %s", list.Says())
	}
	if p := ts.SignedIn("researcher").Get("/admin/studies/small/submissions/nobody"); p.Status != http.StatusNotFound {
		t.Errorf("somebody who is not there: %d", p.Status)
	}
	// People who withdrew are not in the lists.
	withdraw := b.Get("/s/small/withdraw")
	b.Send(withdraw, map[string]string{"sure": "yes"})
	if n := len(ts.Records()); n != 0 {
		t.Fatalf("%d records are left: %s", n, withdraw.Says())
	}
	if list := ts.SignedIn("researcher").Get("/admin/studies/small/submissions"); strings.Contains(list.Body, r.Pseudonym) {
		t.Error("a person who withdrew is still listed")
	}
	if p := ts.SignedIn("researcher").Get("/admin/studies/small"); !strings.Contains(p.Says(), "Withdrew, data deleted") {
		t.Error("the withdrawal is not counted")
	}
}

func TestPayAnHourIsShownAndWarnedAbout(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(webtest.NoChecks))
	for n := range 10 {
		b, p := ts.Begin(n + 1)
		ts.Pass(30 * time.Minute)
		b.Walk(p, "end")
	}
	b := ts.SignedIn("researcher")
	for _, form := range []url.Values{{"amount": {"much"}, "currency": {"GBP"}}, {"amount": {"-1"}, "currency": {"GBP"}}, {"amount": {"NaN"}, "currency": {"GBP"}}, {"amount": {"1"}, "currency": {"XXX"}}} {
		if p := b.Post("/admin/studies/small/reward", form); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", form, p.Status)
		}
	}
	p := b.Post("/admin/studies/small/reward", url.Values{"amount": {"2,50"}, "currency": {"GBP"}})
	for _, want := range []string{"the reward comes to 5.00 GBP an hour", "Prolific asks for at least 6.00", "People earn 5.00 GBP an hour", "The study takes 30.0 min, but people are told 12 minutes", "Reward: 2.50 GBP"} {
		if !strings.Contains(p.Says(), want) {
			t.Errorf("%q is not said: %s", want, p.Says())
		}
	}
}
