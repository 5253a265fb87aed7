package analyse_test

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

	"overton/internal/store"
	"overton/internal/window"
	pages "overton/templates/analyse"
	"overton/web"
	"overton/web/webtest"
)

const analysisPath, runsPath = "/admin/studies/small/analysis", "/admin/studies/small/runs"

// begun starts a run and returns its path.
func begun(b *webtest.Browser, form url.Values) string {
	b.T.Helper()
	p := b.Post(analysisPath, form)
	if p.Status != http.StatusOK || !strings.HasPrefix(p.URL.Path, runsPath+"/") {
		b.T.Fatalf("starting a run led to %s, status %d: %s", p.URL, p.Status, p.Says())
	}
	return p.URL.Path
}

// progressOf asks as the page's script does.
func progressOf(b *webtest.Browser, path string) (p pages.RunProgress) {
	b.T.Helper()
	if err := json.Unmarshal([]byte(b.Get(path+"/progress").Body), &p); err != nil {
		b.T.Fatal(err)
	}
	return p
}

// until waits for a run to be somewhere.
func until(b *webtest.Browser, path string, there func(pages.RunProgress) bool) {
	b.T.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if there(progressOf(b, path)) {
			return
		}
	}
	b.T.Fatalf("run %s takes too long", path)
}

func ended(p pages.RunProgress) bool { return p.Ended }

func TestARunIsStartedNamedRepeatedComparedAndDeleted(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.CampFolder(t))
	ts.Camps(1, 24, false)
	b := ts.SignedIn("researcher")
	if p := b.Get(runsPath + "/new"); !strings.Contains(p.Says(), "about") || !strings.Contains(p.Says(), "24 submissions that are complete") {
		t.Errorf("the form does not say what to expect: %s", p.Says())
	}
	first := begun(b, url.Values{"name": {"a first look"}, "note": {"<b>why</b>"}, "method": {"overton"}, "k": {"2"}, "tau": {"3,5"}, "regroupings": {"4"}, "bootstrap": {"50"}, "seed": {"7"}})
	until(b, first, ended)
	p := b.Get(first)
	for _, want := range []string{"a first look", "<b>why</b>", "overton; 2 groups on every question, as given", "mean rating is 3.5 or more", "50 resamples of questions; 4 of people", "researcher@example.org", "model-alpha"} {
		if !strings.Contains(p.Says(), want) {
			t.Errorf("the run's page lacks %q", want)
		}
	}
	if strings.Contains(p.Says(), "since") {
		t.Error("nobody came since, but the page says so")
	}

	again := b.Post(first+"/again", nil).URL.Path
	until(b, again, ended)
	if p := b.Get(again); !strings.Contains(p.Says(), "Same input, same parameters, same result to the byte as run 1") {
		t.Errorf("running again gives something else: %s", p.Says())
	}
	ts.Camps(25, 28, false)
	if p := b.Get(first); !strings.Contains(p.Says(), "4 more people finished since") {
		t.Errorf("four people finished since: %s", p.Says())
	}
	other := begun(b, url.Values{"method": {"overton"}, "regroupings": {"0"}, "scope": {"some"}, "question": {"qid-2", "qid-1", "qid-1"}})
	until(b, other, ended)
	if p := b.Get(other); !strings.Contains(p.Says(), "Questionsqid-1, qid-2") || strings.Contains(p.Says(), "What about matter 3") {
		t.Errorf("a run of two questions: %s", p.Says())
	}
	if p := b.Get(analysisPath); !strings.Contains(p.Says(), "All runs (3)") || !strings.Contains(p.Rows(), "matter 3") {
		t.Errorf("the analysis page shows a run of some questions: %s", p.Says())
	}

	p = b.Get(runsPath + "/compare?a=1&b=3")
	for _, want := range []string{"The runs used different answers", "24 people 28 people", "Score a group is covered if its mean rating is 3.5", "Questions all qid-1, qid-2", "qid-1 What about matter 1?", "not in it", "model-alpha 0."} {
		if !strings.Contains(p.Says()+p.Rows(), want) {
			t.Errorf("the comparison lacks %q: %s", want, p.Rows())
		}
	}
	if p := b.Get(runsPath + "/compare?a=1&b=1"); !strings.Contains(p.Says(), "the same run") {
		t.Errorf("a run beside itself: %s", p.Says())
	}
	if p := b.Get(runsPath + "/compare?a=1&b=2"); !strings.Contains(p.Says(), "Both runs used the same answers") || !strings.Contains(p.Says(), "Their parameters are the same") {
		t.Errorf("two equal runs: %s", p.Says())
	}

	b.Post(first+"/name", url.Values{"name": {"renamed"}, "note": {""}})
	if p := b.Get(runsPath); !strings.Contains(p.Rows(), "1 renamed done 24") {
		t.Errorf("after renaming: %s", p.Rows())
	}
	if p := b.Post(first+"/delete", nil); p.Status != http.StatusForbidden {
		t.Errorf("a researcher deletes a run: status %d", p.Status)
	}
	boss := ts.SignedIn("admin")
	if p := boss.Post(first+"/delete", nil); p.Status != http.StatusOK || strings.Contains(p.Rows(), "renamed") {
		t.Errorf("deleting: status %d, %s", p.Status, p.Rows())
	}
	if p := b.Get(first); p.Status != http.StatusNotFound {
		t.Errorf("a deleted run is shown: status %d", p.Status)
	}
}

func TestWhatIsWrongWithARunIsSaidAndNothingIsLost(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("researcher")
	for field, c := range map[string]struct{ value, want string }{
		"k": {"many", "auto"}, "tau": {"7", "from 1 to 5"}, "kmax": {"0", "1 to 100"}, "method": {"magic", "expected one of"}, "regroupings": {"-1", "0 to 10000"},
		"seed": {"-3", "whole number"}, "people": {"ghosts", "real, virtual or auto"}, "min_votes": {"x", "whole number"}, "missing": {"forget", "Missing must be"},
		"bootstrap": {"99999999", "0 to 10000"}, "scope": {"some", "at least one question"}, "name": {strings.Repeat("x", 101), "100 characters"},
	} {
		p := b.Post(analysisPath, url.Values{field: {c.value}, "note": {"what I typed"}})
		if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says(), c.want) || !strings.Contains(p.Body, "what I typed") {
			t.Errorf("%s = %.20s: status %d, %s", field, c.value, p.Status, p.Says())
		}
	}
	if p := b.Get(runsPath); !strings.Contains(p.Says(), "There are no runs yet") {
		t.Error("a run was started all the same")
	}
}

func TestACancelledRunMakesWayForTheNext(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.CampFolder(t))
	ts.Camps(1, 24, false)
	b := ts.SignedIn("researcher")
	long := begun(b, url.Values{"regroupings": {"10000"}})
	next := begun(b, url.Values{"method": {"overton"}, "regroupings": {"0"}})
	until(b, long, func(p pages.RunProgress) bool { return p.Done > 5 })
	if p := progressOf(b, next); p.Ended || p.Stage != "waits for 1 run before it" {
		t.Errorf("the second run %+v", p)
	}
	if p := b.Get(analysisPath); !strings.Contains(p.Says(), "An analysis is running") || !strings.Contains(p.Says(), "resampling people") {
		t.Errorf("the page does not say how far it is: %s", p.Says())
	}
	began := time.Now()
	if p := b.Post(long+"/cancel", nil); !strings.Contains(p.Says(), "This run was cancelled") || !strings.Contains(p.Body, long+"/again") {
		t.Errorf("after cancelling: %s", p.Says())
	}
	until(b, next, func(p pages.RunProgress) bool { return p.Ended || !strings.Contains(p.Stage, "waits") })
	if took := time.Since(began); took > 5*time.Second { // a second, on a machine of one's own
		t.Errorf("a cancelled run went on for %s", took)
	} else {
		t.Logf("the next run began %s after the cancelling", took)
	}
	until(b, next, ended)
	if p := b.Post(long+"/cancel", nil); p.Status != http.StatusConflict {
		t.Errorf("cancelling twice: status %d", p.Status)
	}
}

func TestARestartInterruptsWhatRanAndBeginsWhatWaited(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.CampFolder(t))
	ts.Camps(1, 12, false)
	b := ts.SignedIn("researcher")
	long := begun(b, url.Values{"regroupings": {"10000"}})
	waiting := begun(b, url.Values{"method": {"overton"}, "regroupings": {"0"}})
	until(b, long, func(p pages.RunProgress) bool { return p.Done > 0 })
	ts.Close()
	ts.Open(web.Config{})
	b = ts.SignedIn("researcher")
	if p := b.Get(long); !strings.Contains(p.Says(), "This run was interrupted") || !strings.Contains(p.Body, long+"/again") {
		t.Errorf("after the restart: %s", p.Says())
	}
	until(b, waiting, ended)
	if p := b.Get(waiting); !strings.Contains(p.Says(), "model-alpha") {
		t.Errorf("what waited came to %s", p.Says())
	}
}

func TestEveryFigureIsAFile(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.Finish(1)
	id := ts.Planted()
	b := ts.SignedIn("viewer")
	base := fmt.Sprintf("%s/%d/figures/", runsPath, id)
	for name, want := range map[string]string{
		"leaderboard.csv": "kind,name,score,questions_low,questions_high,participants_low,participants_high,both_low,both_high,raw,weighted,adjusted_weighted,questions\n" +
			"model,model-alpha,0.5,,,,,,,0.5,0.5,0.5,1\nmodel,model-beta,0.5,,,,,,,0.5,0.5,0.5,1\nreference,single view,0.5,,,,,,,0.5,0.5,,1\nreference,all together,1,,,,,,,1,1,,1\n",
		"coverage.csv":            "question_id,model,groups,covered,coverage,coverage_weighted\nqid-1,model-alpha,2,1,0.5,0.5\nqid-1,model-beta,2,1,0.5,0.5\n",
		"question-1-coverage.csv": "question_id,group,size,model,mean,covered\nqid-1,0,6,model-alpha,5,1\nqid-1,0,6,model-beta,2,0\nqid-1,1,6,model-alpha,2,0\nqid-1,1,6,model-beta,5,1\n",
		"question-1-ratings.csv": "question_id,model,group,rating_1,rating_2,rating_3,rating_4,rating_5\nqid-1,model-alpha,0,0,0,0,0,6\nqid-1,model-alpha,1,0,6,0,0,0\n" +
			"qid-1,model-beta,0,0,6,0,0,0\nqid-1,model-beta,1,0,0,0,0,6\n",
	} {
		if p := b.Get(base + name); p.Status != http.StatusOK || p.Body != want || !strings.HasPrefix(p.Header.Get("Content-Type"), "text/csv") {
			t.Errorf("%s: status %d\n%s\nwant\n%s", name, p.Status, p.Body, want)
		}
	}
	if p := b.Get(base + "question-1-window.csv"); strings.Count(p.Body, "\n") != 13 || strings.Contains(p.Body, "p1") {
		t.Errorf("the numbers of the map: %s", p.Body)
	}
	if p := b.Get(base + "curve.csv"); strings.Count(p.Body, "\n") != 1+2*31 {
		t.Errorf("the numbers of the curve: %s", p.Body)
	}
	want, err := os.ReadFile("testdata/leaderboard.svg")
	if err != nil {
		t.Fatal(err)
	}
	p := b.Get(base + "leaderboard.svg")
	if p.Body != string(want) {
		t.Errorf("leaderboard.svg has changed; look at it and, if it is as it should be, keep it in testdata:\n%s", p.Body)
	}
	if name := p.Header.Get("Content-Disposition"); name != fmt.Sprintf(`attachment; filename="small-run-%d-leaderboard.svg"`, id) {
		t.Errorf("it is called %s", name)
	}
	r, _ := http.NewRequest(http.MethodGet, b.HTTP.URL+base+"leaderboard.svg", nil)
	r.Header.Set("If-None-Match", p.Header.Get("ETag"))
	if p := b.Do(r); p.Status != http.StatusNotModified || p.Body != "" {
		t.Errorf("asked for a second time: status %d", p.Status)
	}
	for _, name := range []string{"leaderboard", "curve", "coverage", "question-1-window", "question-1-coverage", "question-1-ratings"} {
		p := b.Get(base + name + ".png")
		config, err := png.DecodeConfig(strings.NewReader(p.Body))
		if err != nil || config.Width != 2*680 {
			t.Errorf("%s.png: %d wide, %v", name, config.Width, err)
		}
	}
	for _, name := range []string{"leaderboard.pdf", "leaderboard", "nothing.svg", "question-2-window.svg", "..%2f..%2fgo.mod"} {
		if p := b.Get(base + name); p.Status != http.StatusNotFound {
			t.Errorf("%s: status %d", name, p.Status)
		}
	}
}

func TestAResultIsDownloadedAsTheCommandLineWritesIt(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.Finish(1)
	path := fmt.Sprintf("%s/%d", runsPath, ts.Planted())
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(webtest.PlantedResult(t)); err != nil {
		t.Fatal(err)
	}
	b := ts.SignedIn("researcher")
	if p := b.Get(path + "/result.json"); p.Body != want.String() {
		t.Errorf("the result is\n%.300s\nwant\n%.300s", p.Body, want.String())
	}
	p := b.Get(path + "/report.html")
	for _, want := range []string{"Leaderboard", "model-alpha", "What about matter 1?"} {
		if !strings.Contains(p.Says(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(p.Body, "<script") || !strings.Contains(p.Header.Get("Content-Disposition"), "attachment") {
		t.Error("the report runs scripts, or opens within the site")
	}
}

func TestAQuestionsPageTellsWhatTheGroupsSay(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.Finish(1)
	row, err := ts.Store.Study(t.Context(), "small")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ts.Store.Moderate(t.Context(), row.ID, []string{"1"}, store.Decision{}, 0); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("%s/%d/questions/qid-1", runsPath, ts.Planted())
	p := ts.SignedIn("viewer").Get(path)
	for _, want := range []string{"Covered by model-alpha.", "Covered by model-beta.", "5.00 ✓ n 6", "rejected", "100 / 0 / 0 % of 6", "0 / 0 / 100 % of 6", "Votes of each group"} {
		if !strings.Contains(p.Says(), want) {
			t.Errorf("the page lacks %q: %s", want, p.Says())
		}
	}
	for _, id := range []string{"group-0", "group-1", "statement-1"} {
		if webtest.Find(p.Doc, id) == nil {
			t.Errorf("nothing is called %s, so that a link could lead to it", id)
		}
	}
	if p := ts.SignedIn("viewer").Get(strings.Replace(path, "qid-1", "qid-2", 1)); !strings.Contains(p.Says(), "not in this run") {
		t.Errorf("a question that is not in the run: %s", p.Says())
	}
}

func TestThePagesOfRunsAreAccessible(t *testing.T) {
	t.Parallel()
	in := webtest.NewInspector(t)
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.Finish(1)
	ctx := t.Context()
	row, err := ts.Store.Study(ctx, "small")
	if err != nil {
		t.Fatal(err)
	}
	options, err := json.Marshal(window.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	queued := func() (int64, string) { // behind the queue's back, so that it waits for ever
		t.Helper()
		id, err := ts.Store.QueueRun(ctx, row.ID, store.NewRun{Kind: window.RunKind, Name: "with a name", Note: "and a note", Parameters: options}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return id, fmt.Sprintf("%s/%d", runsPath, id)
	}
	b := ts.Tab(1280)
	visit := func(name, path string) {
		t.Helper()
		b.Do(chromedp.Navigate(b.URL + path))
		in.Look(b, "admin "+name, 24)
	}
	b.SignIn("admin")
	visit("no runs", runsPath)
	visit("new run", runsPath+"/new")
	id, path := queued()
	visit("run that waits", path)
	b.Leave(func() { // by the script alone
		if err := ts.Store.EndRun(ctx, id, store.RunFailed, "The server's log has the cause."); err != nil {
			t.Error(err)
		}
	})
	in.Look(b, "admin run that failed", 24)
	first, second := ts.Planted(), ts.Planted()
	queued()
	visit("runs", runsPath)
	visit("analysis while a run waits", analysisPath)
	visit("run", fmt.Sprintf("%s/%d", runsPath, first))
	visit("question of a run", fmt.Sprintf("%s/%d/questions/qid-1", runsPath, second))
	visit("which to compare", runsPath+"/compare")
	visit("compare", fmt.Sprintf("%s/compare?a=%d&b=%d", runsPath, first, second))
}
