package take_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"overton/internal/dataset/studyfile"
	"overton/internal/sim/demo"
	"overton/internal/study"
	"overton/web/webtest"
)

// demoFolder is the demo study, shortened, with a check, and with endpoints on
// every question, so that it does not matter which one is drawn.
func demoFolder(t *testing.T) studyfile.Files {
	t.Helper()
	folder := studyfile.Files{}
	for _, name := range []string{"study.yaml", "consent.md", "questions.csv", "responses.csv", "seeds.csv"} {
		content, err := fs.ReadFile(demo.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		folder[name] = content
	}
	folder["questions.csv"] = []byte(strings.ReplaceAll(string(folder["questions.csv"]), ",,\n", ",In favour,Against\n"))
	y := string(folder["study.yaml"])
	for old, short := range map[string]string{"slug: demo": "slug: small", "questions_per_participant: 3": "questions_per_participant: 1", "votes_per_question: 8": "votes_per_question: 2"} {
		if !strings.Contains(y, old) {
			t.Fatalf("the demo study has no %q", old)
		}
		y = strings.Replace(y, old, short, 1)
	}
	folder["study.yaml"] = []byte(y + "contact: team@example.org\nchecks:\n  - instructed: {after: 1, text: \"To show that you read this, please choose 1.\", answer: 1}\n")
	return folder
}

func TestTheKeyboardAloneIsEnough(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, demoFolder(t))
	b := ts.Tab(360)
	b.WalkByKeys(webtest.Arrival(1), func(path string) {
		if width := webtest.Evaluate[int](b, "document.documentElement.scrollWidth"); width > 360 {
			t.Errorf("%s is %d px wide on a screen of 360", path, width)
		}
	})
	if r := ts.Records(); len(r) != 1 || r[0].Outcome != study.Completed {
		t.Fatalf("records %+v", r)
	}
	for _, a := range ts.Records()[0].Answers {
		if a.Active == 0 && a.Key.Kind != study.KindConsent && a.Key.Kind != study.KindVote && a.Key.Kind != study.KindInstructions {
			t.Errorf("%v has no active time", a.Key)
		}
	}
}

func TestJavaScriptIsNotNeeded(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, demoFolder(t))
	b := ts.Tab(360)
	b.WithoutScripts()
	b.WalkByKeys(webtest.Arrival(1), func(path string) {
		if path == "end" && webtest.Evaluate[bool](b, `[...document.querySelectorAll("[data-copy]")].some(e => e.checkVisibility())`) {
			t.Error("a button that needs a script is shown without one")
		}
	})
	r := ts.Records()
	if len(r) != 1 || r[0].Outcome != study.Completed {
		t.Fatalf("records %+v", r)
	}
	for _, a := range r[0].Answers {
		if a.Active != 0 {
			t.Error("a script ran: the walk proves nothing")
		}
	}
}

func TestKeysWhileAnsweringDoNotTurnThePage(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, demoFolder(t))
	b := ts.Tab(1280)
	openAt(b, "p/q1-view")
	b.Do(chromedp.Focus(chromedp.CSS("textarea")))
	b.Keys("a1" + webtest.KeyLeft + "5" + webtest.KeyRight + "b")
	b.Do(chromedp.Focus(chromedp.CSS("input[name=stance]")))
	b.Keys(webtest.KeySpace + webtest.KeyRight + webtest.KeyRight + "135" + webtest.KeyLeft)
	if b.Path() != "p/q1-view" {
		t.Fatalf("keys led to %s", b.Path())
	}
	if got := webtest.Evaluate[string](b, `document.querySelector("textarea").value`); got != "a15b" && got != "a51b" {
		t.Errorf("the text is %q", got)
	}
	if got := webtest.Evaluate[string](b, `document.querySelector("[name=trail]").value.replace(/@\d+/g, "")`); got != "stance=1 stance=neutral stance=2 stance=neutral" {
		t.Errorf("the trail is %q", got)
	}
}

// openAt opens a page of a person who came to it in another browser.
func openAt(b *webtest.Tab, path string) {
	b.T.Helper()
	other, p := b.Begin(1)
	other.Walk(p, path)
	b.Do(chromedp.Navigate(b.URL + webtest.Arrival(1)))
	if b.Path() != path {
		b.T.Fatalf("came to %s instead of %s", b.Path(), path)
	}
}

// flaky is a way to the site that can be cut.
func flaky(ts *webtest.Site) (url string, cut *atomic.Bool) {
	cut = &atomic.Bool{}
	inner := ts.HTTP.Config.Handler
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cut.Load() {
			panic(http.ErrAbortHandler)
		}
		inner.ServeHTTP(w, r)
	}))
	ts.T.Cleanup(front.Close)
	return front.URL, cut
}

func TestAnswersSurviveALostConnection(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, demoFolder(t))
	b := ts.Tab(1280)
	var cut *atomic.Bool
	b.URL, cut = flaky(ts)
	openAt(b, "p/q1-view")
	kept := `document.querySelector(".kept").textContent`

	b.Do(chromedp.SendKeys(chromedp.CSS("textarea"), "Saved at once. "))
	b.Until(kept + ` === "Saved."`)
	cut.Store(true)
	b.Do(chromedp.SendKeys(chromedp.CSS("textarea"), "Saved later."))
	b.Until(kept + `.startsWith("Not saved yet")`)
	cut.Store(false)
	b.Until(kept + ` === "Saved."`)

	cut.Store(true)
	b.Do(chromedp.Click(chromedp.CSS("input[name=stance]")), chromedp.Click(chromedp.CSS("input[name=importance]")))
	b.Leave(func() {
		// However often the button is pressed.
		webtest.Evaluate[bool](b, `(() => { const button = document.querySelector("button[type=submit]"); button.click(); button.click(); button.click(); return true })()`)
		b.Until(kept + `.startsWith("No connection")`)
		cut.Store(false)
	})
	if b.Path() != "p/q1-response1" {
		t.Fatalf("came to %s", b.Path())
	}
	for _, a := range ts.Records()[0].Answers {
		if a.Key.Kind == study.KindView && (a.Value != "Saved at once. Saved later." || a.Revision != 1) {
			t.Errorf("the view arrived as %+v", a)
		}
	}
}

func TestTheBrowsersBackLeadsToAUsablePage(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, demoFolder(t))
	b := ts.Tab(1280)
	openAt(b, "p/q1-response1")
	b.AnswerByKeys()
	b.Do(chromedp.NavigateBack())
	b.Until(`location.pathname.endsWith("p/q1-response1") && document.readyState === "complete"`)
	b.Do(chromedp.Click(chromedp.CSS("input[name=rating][value='4']")))
	b.Leave(func() { b.Do(chromedp.Click(chromedp.CSS("button[type=submit]"))) })
	if b.Path() != "p/q1-response2" {
		t.Errorf("sending again led to %s", b.Path())
	}
}

func TestThePageComesBackWithItsProblemsInFocus(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, demoFolder(t))
	b := ts.Tab(360)
	openAt(b, "p/q1-response1")
	b.Leave(func() { b.Do(chromedp.Click(chromedp.CSS("button[type=submit]"))) })
	if got := webtest.Evaluate[string](b, "document.activeElement.id"); got != "problems" {
		t.Errorf("the focus is on %q", got)
	}
	b.Do(chromedp.Click(chromedp.CSS("#problems a")))
	if got := webtest.Evaluate[string](b, "document.activeElement.id"); got != "f1" {
		t.Errorf("the link leads to %q", got)
	}
}

func TestEveryPageIsAccessible(t *testing.T) {
	t.Parallel()
	in := webtest.NewInspector(t)
	ts := webtest.New(t, demoFolder(t))
	b := ts.Tab(1280)
	look := func(name string) {
		t.Helper()
		in.Look(b, name, 44)
	}

	for name, path := range map[string]string{
		"missing_ids":   "/s/small",
		"template_ids":  "/s/small?PROLIFIC_PID={{%25PROLIFIC_PID%25}}&SESSION_ID=x",
		"no_cookie":     "/s/small/start",
		"unknown_study": "/s/nothing",
		"not_found":     "/nothing",
	} {
		b.Do(chromedp.Navigate(b.URL + path))
		look("notice " + name)
	}
	b.Do(chromedp.Navigate(b.URL + webtest.Arrival(7)))
	b.AnswerByKeys()
	b.Leave(func() { b.Do(chromedp.Click(chromedp.CSS("button[value=no]"))) })
	look("declined")

	seen := map[string]bool{}
	b.WalkByKeys(webtest.Arrival(1), func(path string) {
		kind := strings.TrimRight(path, "0123456789")
		if !seen[kind] {
			seen[kind] = true
			look(path)
			if strings.HasPrefix(path, "p/") && !strings.Contains(path, "feedback") {
				b.Leave(func() {
					webtest.Evaluate[bool](b, `(() => { document.querySelector("form").submit(); return true })()`)
				})
				look(path + " empty")
			}
		}
		if path == "p/check1" { // on the way back everything is filled in
			for _, earlier := range []string{"p/q1-view", "p/q1-response1", "p/q1-statement1", "withdraw"} {
				b.Do(chromedp.Navigate(b.URL + "/s/small/" + earlier))
				look(earlier + " again")
			}
			b.Do(chromedp.Navigate(b.URL + "/s/small/resume"))
		}
	})
}
