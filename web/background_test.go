package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"overton/internal/jobs"
	"overton/internal/store"
	"overton/internal/window"
)

const surveysAdmin, judgeAdmin = "/admin/studies/small/surveys", "/admin/studies/small/judge"

// holds makes runs of a kind wait until they are cancelled or let go on.
func (ts *testSite) holds(kind string) (on chan struct{}) {
	on = make(chan struct{})
	work := ts.site.kinds[kind]
	ts.site.kinds[kind] = func(ctx context.Context, t jobs.Task) ([]byte, error) {
		select {
		case <-on:
			return work(ctx, t)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return on
}

// asks starts an analysis of surveys without files.
func (b *browser) asks(path string) page {
	b.t.Helper()
	p := b.post(path, url.Values{})
	if p.status != http.StatusOK {
		b.t.Fatalf("status %d: %s", p.status, p.says())
	}
	return p
}

// progressPath is where the page's script asks how far a run is.
func (p page) progressPath() string {
	_, rest, _ := strings.Cut(p.body, `data-progress="`)
	path, _, _ := strings.Cut(rest, `"`)
	return path
}

func TestAPanicInAnAnalysisFailsItAndNothingElse(t *testing.T) {
	ts := newSite(t, campFolder(t))
	ts.camps(1, 6, false)
	for _, kind := range []string{window.RunKind, window.SurveyRunKind} {
		ts.site.kinds[kind] = func(context.Context, jobs.Task) ([]byte, error) { panic("mat: dimension mismatch") }
	}
	b := ts.signedIn("researcher")
	run := b.begun(nil)
	b.until(run, ended)
	if p := b.get(run); !strings.Contains(p.says(), "This run failed") || !strings.Contains(p.says(),
		"The computation broke off: mat: dimension mismatch.") {
		t.Errorf("the run's page: %s", p.says())
	}
	p := b.asks(surveysAdmin)
	for strings.Contains(p.body, "data-progress") {
		p = b.get(surveysAdmin)
	}
	if !strings.Contains(p.says(), "This run failed") || !strings.Contains(p.says(), "mat: dimension mismatch") {
		t.Errorf("the surveys' page: %s", p.says())
	}
	ts.camps(7, 7, false) // others go on
	if log := ts.log.String(); !strings.Contains(log, "panic: mat: dimension mismatch") || !strings.Contains(log,
		"background_test.go") {
		t.Errorf("the log does not say where it broke: %s", log)
	}
}

func TestSurveysSayHowFarTheyAreAndCanBeCancelled(t *testing.T) {
	ts := viewsSite(t)
	ts.opine(1, 4)
	on := ts.holds(window.SurveyRunKind)
	b, viewer := ts.signedIn("researcher"), ts.signedIn("viewer")
	p := b.asks(surveysAdmin)
	if !strings.Contains(p.says(), "An analysis is running") || !strings.Contains(p.body, "/static/runs.") ||
		strings.Contains(p.body, `class="stack"`) {
		t.Errorf("while it runs: %s", p.says())
	}
	progress := p.progressPath()
	cancel := strings.TrimSuffix(progress, "/progress") + "/cancel"
	if now := b.progressOf(strings.TrimSuffix(progress, "/progress")); now.Ended || now.Stage == "" {
		t.Errorf("what the script is told: %+v", now)
	}
	if p := viewer.get(surveysAdmin); !strings.Contains(p.says(), "An analysis is running") || strings.Contains(p.body, cancel) {
		t.Errorf("what a viewer sees: %s", p.says())
	}
	b.asks(surveysAdmin) // pressed twice
	if runs, err := ts.store.Runs(t.Context(), 1, ""); err != nil || len(runs) != 1 {
		t.Errorf("the second press asked for another: %+v, %v", runs, err)
	}
	p = b.post(cancel, nil)
	if p.url.Path != surveysAdmin || !strings.Contains(p.says(), "This run was cancelled") ||
		!strings.Contains(p.body, `class="stack"`) {
		t.Errorf("after cancelling: %s %s", p.url, p.says())
	}
	if p := b.post(cancel, nil); p.status != http.StatusConflict {
		t.Errorf("cancelling twice: status %d", p.status)
	}
	if p := b.get(strings.TrimSuffix(progress, "/progress")); p.status != http.StatusNotFound {
		t.Errorf("a run of surveys has a page as an analysis has: status %d", p.status)
	}
	close(on)
	if p := b.analyseSurveys(nil, map[string][2]string{"models-2": {"answers.csv",
		modelCSV}}); !strings.Contains(p.says(), "4 people who finished") || strings.Contains(p.says(), "cancelled") {
		t.Errorf("another analysis: %s", p.says())
	}
}

func TestARestartLosesNoSurvey(t *testing.T) {
	ts := viewsSite(t)
	ts.opine(1, 4)
	ts.holds(window.SurveyRunKind)
	b := ts.signedIn("researcher")
	b.asks(surveysAdmin)
	row, err := ts.store.Study(t.Context(), "small")
	if err != nil {
		t.Fatal(err)
	}
	// One more waits behind it, with a model's answers.
	files := `[{"instrument":"views.csv","file":"answers.csv","sha256":"x","answers":
		[{"model":"model-x","context":"default","mass":{"V1a":[3,0,0,1]}}]}]`
	waits := store.NewRun{Kind: window.SurveyRunKind,
		Parameters: []byte(`{"people":"auto","bootstrap":10,"seed":1}`), Sent: []byte(files)}
	if _, err := ts.store.QueueRun(t.Context(), row.ID, waits, 0); err != nil {
		t.Fatal(err)
	}
	ts.close()
	ts.open(Config{})
	b = ts.browserOf("researcher")
	p := b.get(surveysAdmin)
	for strings.Contains(p.body, "data-progress") {
		p = b.get(surveysAdmin)
	}
	if !strings.Contains(p.says(), "4 people who finished") || !strings.Contains(p.says(), "model-x") {
		t.Errorf("what waited was not carried out: %s", p.says())
	}
	runs, err := ts.store.Runs(t.Context(), row.ID, window.SurveyRunKind)
	if err != nil || len(runs) != 2 || runs[0].State != store.RunDone || runs[1].State != store.RunInterrupted {
		t.Errorf("%+v, %v", runs, err)
	}
}

func TestAJudgeIsComparedInTheBackground(t *testing.T) {
	ts := newSite(t, campFolder(t))
	ts.camps(1, 6, false)
	ts.holds(window.JudgeRunKind)
	b := ts.signedIn("researcher")
	p := b.compare("", "p.csv", ts.predicted())
	if p.url.Path != judgeAdmin || !strings.Contains(p.says(), "An analysis is running") ||
		!strings.Contains(p.says(), "p.csv") || !strings.Contains(p.body, "/static/runs.") {
		t.Errorf("while it runs: %s", p.says())
	}
	p = b.post(strings.TrimSuffix(p.progressPath(), "/progress")+"/cancel", nil)
	if p.url.Path != judgeAdmin || !strings.Contains(p.says(), "This run was cancelled") {
		t.Errorf("after cancelling: %s %s", p.url, p.says())
	}
	if p := ts.signedIn("admin").get("/admin/studies/small/log"); !strings.Contains(p.rows(),
		"cancelled a run") || !strings.Contains(p.rows(), "started comparing a judge") {
		t.Errorf("the log: %s", p.rows())
	}
}

func TestEveryKindOfEntryHasWords(t *testing.T) {
	for _, d := range store.Deeds() {
		if deeds[d.String()] == "" {
			t.Errorf("the log has no words for %q", d)
		}
	}
	if len(deeds) != len(store.Deeds()) {
		t.Errorf("there are words for %d kinds of entry, and %d kinds", len(deeds), len(store.Deeds()))
	}
}

func TestDownloadsAndSignInsAreInTheLog(t *testing.T) {
	ts := viewsSite(t)
	ts.opine(1, 2)
	run := ts.planted()
	ts.setPassword(ts.account("anna@example.org", "viewer"))
	guest := ts.browser()
	guest.post("/admin/sign-in", url.Values{"email": {"anna@example.org"}, "password": {"my secret guess"}})
	guest.post("/admin/sign-in", url.Values{"email": {"my secret guess"}, "password": {"x"}})
	guest.post("/admin/sign-in", url.Values{"email": {"anna@example.org"}, "password": {goodPassword}})
	guest.post("/admin/password", url.Values{"current": {goodPassword}, "new": {goodPassword + "!"}, "again": {goodPassword + "!"}})
	guest.post("/admin/sign-out", nil)
	b := ts.signedIn("admin")
	b.analyseSurveys(nil, nil)
	base, path := "/admin/studies/small/", fmt.Sprintf("%s/%d", runsPath, run)
	wanted := []string{
		path + "/result.json", path + "/report.html", path + "/figures/leaderboard.svg",
		surveysAdmin + "/figures/views.csv/ideology.svg",
		base + "data/csv.zip", base + "data/bundle.zip", base + "files.zip", base + "log.csv", "/admin/log.csv",
	}
	for _, path := range wanted {
		if p := b.get(path); p.status != http.StatusOK {
			t.Errorf("%s: status %d", path, p.status)
		}
	}
	p := b.get("/admin/log")
	rows := p.rows()
	for _, want := range []string{
		"small-run-1.json", "small-run-1.html", "small-run-1-leaderboard.svg", "small-ideology.svg", "csv.zip",
		"bundle.zip", "files.zip", "small-log.csv", " log.csv",
		"anna@example.org failed to sign in", "unknown address failed to sign in", "anna@example.org signed in",
		"anna@example.org set a password", "anna@example.org signed out",
	} {
		if !strings.Contains(rows, want) {
			t.Errorf("the log lacks %q: %s", want, rows)
		}
	}
	if strings.Contains(p.body, "secret guess") {
		t.Error("the log shows what was typed")
	}
}

// failsIn is a request's context that is over within one function.
type failsIn struct {
	context.Context
	function string
}

var over = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (f failsIn) here() bool { return strings.Contains(string(debug.Stack()), f.function) }

func (f failsIn) Done() <-chan struct{} {
	if f.here() {
		return over
	}
	return nil
}

func (f failsIn) Err() error {
	if f.here() {
		return context.DeadlineExceeded
	}
	return nil
}

func TestTheWelcomePageTellsOfAnErrorOfTheDatabase(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.arrive(1)
	if p.path() != "start" {
		t.Fatalf("somebody who arrives comes to %s", p.path())
	}
	r := httptest.NewRequest(http.MethodGet, b.http.URL+"/s/small/start", nil)
	for _, c := range b.cookies() {
		r.AddCookie(c)
	}
	for function, want := range map[string]int{"no such function": http.StatusOK,
		"store.(*Store).Resume": http.StatusInternalServerError} {
		answer := httptest.NewRecorder()
		ts.http.Config.Handler.ServeHTTP(answer, r.WithContext(failsIn{t.Context(), function}))
		if answer.Code != want {
			t.Errorf("%s: status %d, want %d", function, answer.Code, want)
		}
	}
	if !strings.Contains(ts.log.String(), "request failed") {
		t.Error("the log has no error")
	}
}

// parses counts how often the site parses a study.
func (ts *testSite) parses() *atomic.Int64 {
	var n atomic.Int64
	ts.site.prepare = func(files map[string][]byte) (*prepared, error) {
		n.Add(1)
		return prepare(files)
	}
	return &n
}

func TestAStudyIsParsedOnceHoweverManyWaitForIt(t *testing.T) {
	ts := newSite(t, studyFolder(nil)) // nobody has asked for it yet, as after a restart
	n := ts.parses()
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			r, err := http.Get(ts.http.URL + "/s/small/start")
			if err != nil {
				t.Error(err)
				return
			}
			r.Body.Close()
		})
	}
	all.Wait()
	if n.Load() != 1 {
		t.Errorf("parsed %d times", n.Load())
	}
}

func TestADraftsAddressCostsNoParsing(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	st := renamed("draft")
	b := ts.signedIn("admin")
	if p := b.upload(st); p.status != http.StatusOK {
		t.Fatalf("no draft: %s", p.says())
	}
	n := ts.parses()
	for _, path := range []string{"/s/draft", "/s/draft?PROLIFIC_PID=" + strings.Repeat("a",
		24) + "&SESSION_ID=" + strings.Repeat("b", 24), "/s/draft/start", "/s/draft/resume", "/s/draft/end"} {
		if p := ts.browser().get(path); p.status != http.StatusForbidden || !strings.Contains(p.says(), "not open yet") {
			t.Errorf("%s: status %d, %s", path, p.status, p.says())
		}
	}
	if n.Load() != 0 {
		t.Errorf("parsed %d times", n.Load())
	}
}
