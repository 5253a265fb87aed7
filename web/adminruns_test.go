package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"overton/internal/cluster"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/window"
	"overton/templates"
)

const analysisPath, runsPath = "/admin/studies/small/analysis", "/admin/studies/small/runs"

// planted records a result of two groups that each like one model, and returns
// its run.
func (ts *testSite) planted() int64 {
	ts.t.Helper()
	r := plantedResult(ts.t)
	row, err := ts.store.Study(ts.t.Context(), "small")
	if err != nil {
		ts.t.Fatal(err)
	}
	if err := window.Record(ts.t.Context(), ts.store, row, r); err != nil {
		ts.t.Fatal(err)
	}
	run, err := ts.store.LatestRun(ts.t.Context(), row.ID, window.RunKind)
	if err != nil {
		ts.t.Fatal(err)
	}
	return run.ID
}

func plantedResult(t *testing.T) *window.Result {
	t.Helper()
	b := cluster.NewBuilder()
	ratings := score.Ratings{}
	for who := range 12 {
		for statement := range 8 {
			v := cluster.Agree
			if who%2 != statement%2 {
				v = cluster.Disagree
			}
			b.Vote(fmt.Sprint("p", who), fmt.Sprint(statement+1), v)
		}
	}
	o := window.DefaultOptions()
	o.Cluster.K, o.Cluster.MinVotes = 2, 2
	found, err := cluster.Run(t.Context(), b.Matrix(), o.Cluster)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found.Participants {
		for m, model := range []string{"model-alpha", "model-beta"} {
			value := 2.0
			if p.Group == m {
				value = 5
			}
			ratings.Rows = append(ratings.Rows, score.Rating{Participant: p.ID, Question: "qid-1", Model: model, Value: value, Group: fmt.Sprint(p.Group)})
		}
	}
	r := &window.Result{Program: window.Program{Name: "overton", Version: "test"}, Input: window.Input{SHA256: "abc"}, Parameters: o, People: window.Counted{Complete: 12},
		Questions: []window.Question{{Question: "qid-1", Text: "What about matter 1?", Parameters: o.Cluster, Result: found, Ratings: score.Distribution(ratings, "qid-1")}}}
	if r.Score, err = score.OvertonScore(ratings, score.Parameters{Tau: 4, Missing: score.Uncovered}); err != nil {
		t.Fatal(err)
	}
	return r
}

// begun starts a run and returns its path.
func (b *browser) begun(form url.Values) string {
	b.t.Helper()
	p := b.post(analysisPath, form)
	if p.status != http.StatusOK || !strings.HasPrefix(p.url.Path, runsPath+"/") {
		b.t.Fatalf("starting a run led to %s, status %d: %s", p.url, p.status, p.says())
	}
	return p.url.Path
}

// progressOf asks as the page's script does.
func (b *browser) progressOf(path string) (p templates.RunProgress) {
	b.t.Helper()
	if err := json.Unmarshal([]byte(b.get(path+"/progress").body), &p); err != nil {
		b.t.Fatal(err)
	}
	return p
}

// until waits for a run to be somewhere.
func (b *browser) until(path string, there func(templates.RunProgress) bool) {
	b.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if there(b.progressOf(path)) {
			return
		}
	}
	b.t.Fatalf("run %s takes too long", path)
}

func ended(p templates.RunProgress) bool { return p.Ended }

func TestARunIsStartedNamedRepeatedComparedAndDeleted(t *testing.T) {
	ts := newSite(t, campFolder(t))
	ts.camps(1, 24, false)
	b := ts.signedIn("researcher")
	if p := b.get(runsPath + "/new"); !strings.Contains(p.says(), "about") || !strings.Contains(p.says(), "24 submissions that are complete") {
		t.Errorf("the form does not say what to expect: %s", p.says())
	}
	first := b.begun(url.Values{"name": {"a first look"}, "note": {"<b>why</b>"}, "method": {"overton"}, "k": {"2"}, "tau": {"3,5"}, "regroupings": {"4"}, "bootstrap": {"50"}, "seed": {"7"}})
	b.until(first, ended)
	p := b.get(first)
	for _, want := range []string{"a first look", "<b>why</b>", "overton; 2 groups on every question, as given", "from a mean rating of 3.5 on", "50 resamples of questions, 4 of people", "researcher@example.org", "model-alpha"} {
		if !strings.Contains(p.says(), want) {
			t.Errorf("the run's page lacks %q", want)
		}
	}
	if strings.Contains(p.says(), "since") {
		t.Error("nobody came since, but the page says so")
	}

	again := b.post(first+"/again", nil).url.Path
	b.until(again, ended)
	if p := b.get(again); !strings.Contains(p.says(), "Same input, same parameters, same result to the byte as run 1") {
		t.Errorf("running again gives something else: %s", p.says())
	}
	ts.camps(25, 28, false)
	if p := b.get(first); !strings.Contains(p.says(), "4 more people finished since") {
		t.Errorf("four people finished since: %s", p.says())
	}
	other := b.begun(url.Values{"method": {"overton"}, "regroupings": {"0"}, "scope": {"some"}, "question": {"qid-2", "qid-1", "qid-1"}})
	b.until(other, ended)
	if p := b.get(other); !strings.Contains(p.says(), "Questionsqid-1, qid-2") || strings.Contains(p.says(), "What about matter 3") {
		t.Errorf("a run of two questions: %s", p.says())
	}
	if p := b.get(analysisPath); !strings.Contains(p.says(), "All runs (3)") || !strings.Contains(p.rows(), "matter 3") {
		t.Errorf("the analysis page shows a run of some questions: %s", p.says())
	}

	p = b.get(runsPath + "/compare?a=1&b=3")
	for _, want := range []string{"They took different answers", "24 people 28 people", "Score a group is covered from a mean rating of 3.5", "Questions all qid-1, qid-2", "qid-1 What about matter 1?", "not in it", "model-alpha 0."} {
		if !strings.Contains(p.says()+p.rows(), want) {
			t.Errorf("the comparison lacks %q: %s", want, p.rows())
		}
	}
	if p := b.get(runsPath + "/compare?a=1&b=1"); !strings.Contains(p.says(), "the same run") {
		t.Errorf("a run beside itself: %s", p.says())
	}
	if p := b.get(runsPath + "/compare?a=1&b=2"); !strings.Contains(p.says(), "Both took the same answers") || !strings.Contains(p.says(), "Their parameters are the same") {
		t.Errorf("two equal runs: %s", p.says())
	}

	b.post(first+"/name", url.Values{"name": {"renamed"}, "note": {""}})
	if p := b.get(runsPath); !strings.Contains(p.rows(), "1 renamed done 24") {
		t.Errorf("after renaming: %s", p.rows())
	}
	if p := b.post(first+"/delete", nil); p.status != http.StatusForbidden {
		t.Errorf("a researcher deletes a run: status %d", p.status)
	}
	boss := ts.signedIn("admin")
	if p := boss.post(first+"/delete", nil); p.status != http.StatusOK || strings.Contains(p.rows(), "renamed") {
		t.Errorf("deleting: status %d, %s", p.status, p.rows())
	}
	if p := b.get(first); p.status != http.StatusNotFound {
		t.Errorf("a deleted run is shown: status %d", p.status)
	}
}

func TestWhatIsWrongWithARunIsSaidAndNothingIsLost(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("researcher")
	for field, c := range map[string]struct{ value, want string }{
		"k": {"many", "auto"}, "tau": {"7", "from 1 to 5"}, "kmax": {"0", "1 to 100"}, "method": {"magic", "expected one of"}, "regroupings": {"-1", "0 to 10000"},
		"seed": {"-3", "whole number"}, "people": {"ghosts", "real, virtual or auto"}, "min_votes": {"x", "whole number"}, "missing": {"forget", "Missing must be"},
		"bootstrap": {"99999999", "0 to 10000"}, "scope": {"some", "at least one question"}, "name": {strings.Repeat("x", 101), "100 characters"},
	} {
		p := b.post(analysisPath, url.Values{field: {c.value}, "note": {"what I typed"}})
		if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says(), c.want) || !strings.Contains(p.body, "what I typed") {
			t.Errorf("%s = %.20s: status %d, %s", field, c.value, p.status, p.says())
		}
	}
	if p := b.get(runsPath); !strings.Contains(p.says(), "There are no runs yet") {
		t.Error("a run was started all the same")
	}
}

func TestACancelledRunMakesWayForTheNext(t *testing.T) {
	ts := newSite(t, campFolder(t))
	ts.camps(1, 24, false)
	b := ts.signedIn("researcher")
	long := b.begun(url.Values{"regroupings": {"10000"}})
	next := b.begun(url.Values{"method": {"overton"}, "regroupings": {"0"}})
	b.until(long, func(p templates.RunProgress) bool { return p.Done > 5 })
	if p := b.progressOf(next); p.Ended || p.Stage != "waits for 1 run before it" {
		t.Errorf("the second run %+v", p)
	}
	if p := b.get(analysisPath); !strings.Contains(p.says(), "An analysis is running") || !strings.Contains(p.says(), "resampling people") {
		t.Errorf("the page does not say how far it is: %s", p.says())
	}
	began := time.Now()
	if p := b.post(long+"/cancel", nil); !strings.Contains(p.says(), "This run was cancelled") || !strings.Contains(p.body, long+"/again") {
		t.Errorf("after cancelling: %s", p.says())
	}
	b.until(next, func(p templates.RunProgress) bool { return p.Ended || !strings.Contains(p.Stage, "waits") })
	if took := time.Since(began); took > 5*time.Second { // a second, on a machine of one's own
		t.Errorf("a cancelled run went on for %s", took)
	} else {
		t.Logf("the next run began %s after the cancelling", took)
	}
	b.until(next, ended)
	if p := b.post(long+"/cancel", nil); p.status != http.StatusConflict {
		t.Errorf("cancelling twice: status %d", p.status)
	}
}

func TestARestartInterruptsTheRunThatWasComputedAndGoesOnWithTheNext(t *testing.T) {
	ts := newSite(t, campFolder(t))
	ts.camps(1, 12, false)
	b := ts.signedIn("researcher")
	long := b.begun(url.Values{"regroupings": {"10000"}})
	waiting := b.begun(url.Values{"regroupings": {"0"}})
	b.until(long, func(p templates.RunProgress) bool { return p.Done > 0 })
	ts.close()
	ts.open(Config{})
	b = ts.browserOf("researcher")
	if p := b.get(long); !strings.Contains(p.says(), "This run was interrupted") || !strings.Contains(p.body, long+"/again") {
		t.Errorf("after the restart: %s", p.says())
	}
	b.until(waiting, ended)
	if p := b.get(waiting); !strings.Contains(p.says(), "model-alpha") {
		t.Errorf("the run that waited has no result: %s", p.says())
	}
}

func TestEveryFigureIsAFile(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.finish(1)
	id := ts.planted()
	b := ts.signedIn("viewer")
	base := fmt.Sprintf("%s/%d/figures/", runsPath, id)
	for name, want := range map[string]string{
		"leaderboard.csv": "kind,name,score,questions_low,questions_high,participants_low,participants_high,both_low,both_high,raw,weighted,adjusted_weighted,questions\n" +
			"model,model-alpha,0.5,,,,,,,0.5,0.5,0.5,1\nmodel,model-beta,0.5,,,,,,,0.5,0.5,0.5,1\nreference,single view,0.5,,,,,,,0.5,0.5,,1\nreference,all together,1,,,,,,,1,1,,1\n",
		"coverage.csv":            "question_id,model,groups,covered,coverage,coverage_weighted\nqid-1,model-alpha,2,1,0.5,0.5\nqid-1,model-beta,2,1,0.5,0.5\n",
		"question-1-coverage.csv": "question_id,group,size,model,mean,covered\nqid-1,0,6,model-alpha,5,1\nqid-1,0,6,model-beta,2,0\nqid-1,1,6,model-alpha,2,0\nqid-1,1,6,model-beta,5,1\n",
		"question-1-ratings.csv": "question_id,model,group,rating_1,rating_2,rating_3,rating_4,rating_5\nqid-1,model-alpha,0,0,0,0,0,6\nqid-1,model-alpha,1,0,6,0,0,0\n" +
			"qid-1,model-beta,0,0,6,0,0,0\nqid-1,model-beta,1,0,0,0,0,6\n",
	} {
		if p := b.get(base + name); p.status != http.StatusOK || p.body != want || !strings.HasPrefix(p.header.Get("Content-Type"), "text/csv") {
			t.Errorf("%s: status %d\n%s\nwant\n%s", name, p.status, p.body, want)
		}
	}
	if p := b.get(base + "question-1-window.csv"); strings.Count(p.body, "\n") != 13 || strings.Contains(p.body, "p1") {
		t.Errorf("the numbers of the map: %s", p.body)
	}
	if p := b.get(base + "curve.csv"); strings.Count(p.body, "\n") != 1+2*31 {
		t.Errorf("the numbers of the curve: %s", p.body)
	}
	want, err := os.ReadFile("testdata/leaderboard.svg")
	if err != nil {
		t.Fatal(err)
	}
	p := b.get(base + "leaderboard.svg")
	if p.body != string(want) {
		t.Errorf("leaderboard.svg has changed; look at it and, if it is as it should be, keep it in testdata:\n%s", p.body)
	}
	if name := p.header.Get("Content-Disposition"); name != fmt.Sprintf(`attachment; filename="small-run-%d-leaderboard.svg"`, id) {
		t.Errorf("it is called %s", name)
	}
	r, _ := http.NewRequest(http.MethodGet, b.http.URL+base+"leaderboard.svg", nil)
	r.Header.Set("If-None-Match", p.header.Get("ETag"))
	if p := b.do(r); p.status != http.StatusNotModified || p.body != "" {
		t.Errorf("asked for a second time: status %d", p.status)
	}
	for _, name := range []string{"leaderboard", "curve", "coverage", "question-1-window", "question-1-coverage", "question-1-ratings"} {
		p := b.get(base + name + ".png")
		config, err := png.DecodeConfig(strings.NewReader(p.body))
		if err != nil || config.Width != 2*680 {
			t.Errorf("%s.png: %d wide, %v", name, config.Width, err)
		}
	}
	for _, name := range []string{"leaderboard.pdf", "leaderboard", "nothing.svg", "question-2-window.svg", "..%2f..%2fgo.mod"} {
		if p := b.get(base + name); p.status != http.StatusNotFound {
			t.Errorf("%s: status %d", name, p.status)
		}
	}
}

func TestAResultIsDownloadedAsTheCommandLineWritesIt(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.finish(1)
	path := fmt.Sprintf("%s/%d", runsPath, ts.planted())
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(plantedResult(t)); err != nil {
		t.Fatal(err)
	}
	b := ts.signedIn("researcher")
	if p := b.get(path + "/result.json"); p.body != want.String() {
		t.Errorf("the result is\n%.300s\nwant\n%.300s", p.body, want.String())
	}
	p := b.get(path + "/report.html")
	for _, want := range []string{"Leaderboard", "model-alpha", "What about matter 1?"} {
		if !strings.Contains(p.says(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(p.body, "<script") || !strings.Contains(p.header.Get("Content-Disposition"), "attachment") {
		t.Error("the report runs scripts, or opens within the site")
	}
}

func TestAQuestionsPageTellsWhatTheGroupsSay(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.finish(1)
	row, err := ts.store.Study(t.Context(), "small")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ts.store.Moderate(t.Context(), row.ID, []string{"1"}, store.Decision{}, 0); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("%s/%d/questions/qid-1", runsPath, ts.planted())
	p := ts.signedIn("viewer").get(path)
	for _, want := range []string{"Covered by model-alpha.", "Covered by model-beta.", "5.00 ✓ n 6", "rejected", "100 / 0 / 0 % of 6", "0 / 0 / 100 % of 6", "Votes of each group"} {
		if !strings.Contains(p.says(), want) {
			t.Errorf("the page lacks %q: %s", want, p.says())
		}
	}
	for _, id := range []string{"group-0", "group-1", "statement-1"} {
		if find(p.doc, id) == nil {
			t.Errorf("nothing is called %s, so that a link could lead to it", id)
		}
	}
	if p := ts.browserOf("viewer").get(strings.Replace(path, "qid-1", "qid-2", 1)); !strings.Contains(p.says(), "not in this run") {
		t.Errorf("a question that is not in the run: %s", p.says())
	}
}

func TestThePagesOfRunsAreAccessible(t *testing.T) {
	in := newInspector(t)
	ts := newSite(t, studyFolder(nil))
	ts.finish(1)
	ctx := t.Context()
	row, err := ts.store.Study(ctx, "small")
	if err != nil {
		t.Fatal(err)
	}
	queued := func() (int64, string) {
		t.Helper()
		asked, err := window.Asked("with a name", "and a note", window.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		id, err := ts.store.QueueRun(ctx, row.ID, asked, 0)
		if err != nil {
			t.Fatal(err)
		}
		return id, fmt.Sprintf("%s/%d", runsPath, id)
	}
	link, err := ts.store.NewLink(ctx, ts.account("anna@example.org", "admin"), time.Hour, false)
	if err != nil {
		t.Fatal(err)
	}
	b := ts.tab(1280)
	visit := func(name, path string) {
		t.Helper()
		b.do(chromedp.Navigate(b.url + path))
		in.look(b, "admin "+name, 24)
	}
	b.do(chromedp.Navigate(b.url + "/admin/link/" + link))
	b.leave(func() { b.do(chromedp.Click(chromedp.CSS("main button"))) })
	visit("no runs", runsPath)
	visit("new run", runsPath+"/new")
	id, path := queued()
	visit("run that waits", path)
	b.leave(func() { // by the script alone
		if err := ts.store.EndRun(ctx, id, store.RunFailed, "The server's log has the cause."); err != nil {
			t.Error(err)
		}
	})
	in.look(b, "admin run that failed", 24)
	first, second := ts.planted(), ts.planted()
	queued()
	visit("runs", runsPath)
	visit("analysis while a run waits", analysisPath)
	visit("run", fmt.Sprintf("%s/%d", runsPath, first))
	visit("question of a run", fmt.Sprintf("%s/%d/questions/qid-1", runsPath, second))
	visit("which to compare", runsPath+"/compare")
	visit("compare", fmt.Sprintf("%s/compare?a=%d&b=%d", runsPath, first, second))
}

func TestWhatChangedSinceARun(t *testing.T) {
	auto := window.DefaultOptions()
	for _, c := range []struct {
		run             store.Run
		people, virtual int
		want            string
	}{
		{store.Run{Complete: 5}, 5, 9, ""},
		{store.Run{Complete: 5}, 6, 0, "1 more person finished since"},
		{store.Run{Complete: 5}, 3, 0, "2 of its submissions are not there any more"},
		{store.Run{Complete: 5, Virtual: true}, 0, 8, "3 more virtual participants finished since"},
		{store.Run{Complete: 5, Virtual: true}, 2, 5, "2 people finished since; the run took virtual participants"},
	} {
		if got := changedSince(c.run, auto, c.people, c.virtual); got != c.want {
			t.Errorf("%+v: %q, want %q", c.run, got, c.want)
		}
	}
}

func TestTimeLeftIsToldInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{300 * time.Millisecond: "a second", 42 * time.Second: "42 seconds", 150 * time.Second: "2 minutes", 3 * time.Hour: "3.0 hours"} {
		if got := inWords(d); got != want {
			t.Errorf("%s is told as %s, want %s", d, got, want)
		}
	}
}
