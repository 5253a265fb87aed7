package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"overton/internal/dataset/studyfile"
	"overton/internal/sim/demo"
	"overton/internal/study"
)

// The tests here drive a real browser. Without Chromium they skip; CHROMIUM
// names its executable. With OVERTON_SCREENSHOTS set to a folder, every page
// that the accessibility test visits is photographed into it.

func chromium(t *testing.T) string {
	t.Helper()
	if underRace {
		t.Skip("browser tests run without the race detector")
	}
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skip("no Chromium on this machine")
	return ""
}

// tab is a browser's window on a site.
type tab struct {
	*testSite
	ctx context.Context
	url string
}

func (ts *testSite) tab(width int64) *tab {
	ts.t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(ts.t)), chromedp.UserDataDir(ts.t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("force-prefers-reduced-motion", true))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	ts.t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	ts.t.Cleanup(cancel)
	b := &tab{ts, ctx, ts.http.URL}
	// The first call starts the browser, which lives as long as its context.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 800)); err != nil {
		ts.t.Fatal(err)
	}
	return b
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	limited, cancel := b.within(time.Minute)
	defer cancel()
	if err := chromedp.Do(limited.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// within runs steps on a context of their own.
func (b *tab) within(d time.Duration) (*tab, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(b.ctx, d)
	return &tab{b.testSite, ctx, b.url}, cancel
}

func evaluate[T any](b *tab, expression string, options ...chromedp.EvaluateOption) T {
	b.t.Helper()
	limited, cancel := b.within(time.Minute)
	defer cancel()
	v, err := chromedp.Run(limited.ctx, chromedp.Evaluate[T](expression, options...))
	if err != nil {
		b.t.Fatalf("%.60s: %v", expression, err)
	}
	return v
}

// until waits for an expression to become true.
func (b *tab) until(expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		limited, cancel := b.within(5 * time.Second)
		ok, err := chromedp.Run(limited.ctx, chromedp.Evaluate[bool](expression))
		cancel()
		if err == nil && ok {
			return
		}
	}
	b.t.Fatalf("%s never became true on %s", expression, b.path())
}

func (b *tab) path() string {
	b.t.Helper()
	full := evaluate[string](b, "location.pathname")
	_, rest, _ := strings.Cut(strings.TrimPrefix(full, "/s/"), "/")
	return rest
}

// leave does something that leads to another page and waits for that.
func (b *tab) leave(do func()) {
	b.t.Helper()
	evaluate[bool](b, "window.beforeLeaving = true")
	do()
	b.until(`!window.beforeLeaving && document.readyState === "complete"`)
}

func (b *tab) keys(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

const (
	keyTab   = "\t"
	keyEnter = "\r"
	keySpace = " "
	keyLeft  = "\u0302"
	keyRight = "\u0303"
)

// focused describes the element that has the focus.
type focused struct{ Tag, Type, Name, Text string }

func (b *tab) focused() focused {
	b.t.Helper()
	return evaluate[focused](b, `(() => { const e = document.activeElement;
		return {Tag: e.tagName.toLowerCase(), Type: e.type || "", Name: e.name || "", Text: e.textContent.trim()} })()`)
}

// answerByKeys fills a page with the keyboard alone and sends it.
func (b *tab) answerByKeys() {
	b.t.Helper()
	for range 60 {
		b.keys(keyTab)
		switch at := b.focused(); {
		case at.Type == "radio":
			b.keys(keySpace)
		case at.Tag == "textarea":
			b.keys("Both have a point 1 5.")
		case at.Tag == "button" && at.Type == "submit":
			b.leave(func() { b.keys(keyEnter) })
			return
		}
	}
	b.t.Fatalf("Tab never came to a button on %s", b.path())
}

// walkByKeys goes the whole way from the arrival link; look sees each page.
func (b *tab) walkByKeys(link string, look func(path string)) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.url + link))
	for range 60 {
		path := b.path()
		look(path)
		if path == "end" {
			return
		}
		b.answerByKeys()
	}
	b.t.Fatal("no end within 60 pages")
}

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
	ts := newSite(t, demoFolder(t))
	b := ts.tab(360)
	b.walkByKeys(arrival(1), func(path string) {
		if width := evaluate[int](b, "document.documentElement.scrollWidth"); width > 360 {
			t.Errorf("%s is %d px wide on a screen of 360", path, width)
		}
	})
	if r := ts.records(); len(r) != 1 || r[0].Outcome != study.Completed {
		t.Fatalf("records %+v", r)
	}
	for _, a := range ts.records()[0].Answers {
		if a.Active == 0 && a.Key.Kind != study.KindConsent && a.Key.Kind != study.KindVote && a.Key.Kind != study.KindInstructions {
			t.Errorf("%v has no active time", a.Key)
		}
	}
}

func TestJavaScriptIsNotNeeded(t *testing.T) {
	ts := newSite(t, demoFolder(t))
	b := ts.tab(360)
	b.do(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return chromedp.Void{}, err
	})
	b.walkByKeys(arrival(1), func(path string) {
		if path == "end" && evaluate[bool](b, `[...document.querySelectorAll("[data-copy]")].some(e => e.checkVisibility())`) {
			t.Error("a button that needs a script is shown without one")
		}
	})
	r := ts.records()
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
	ts := newSite(t, demoFolder(t))
	b := ts.tab(1280)
	b.openAt("p/q1-view")
	b.do(chromedp.Focus(chromedp.CSS("textarea")))
	b.keys("a1" + keyLeft + "5" + keyRight + "b")
	b.do(chromedp.Focus(chromedp.CSS("input[name=stance]")))
	b.keys(keySpace + keyRight + keyRight + "135" + keyLeft)
	if b.path() != "p/q1-view" {
		t.Fatalf("keys led to %s", b.path())
	}
	if got := evaluate[string](b, `document.querySelector("textarea").value`); got != "a15b" && got != "a51b" {
		t.Errorf("the text is %q", got)
	}
	if got := evaluate[string](b, `document.querySelector("[name=trail]").value.replace(/@\d+/g, "")`); got != "stance=1 stance=neutral stance=2 stance=neutral" {
		t.Errorf("the trail is %q", got)
	}
}

// openAt opens a page of a person who came to it in another browser.
func (b *tab) openAt(path string) {
	b.t.Helper()
	other, p := b.begin(1)
	other.walk(p, path)
	b.do(chromedp.Navigate(b.url + arrival(1)))
	if b.path() != path {
		b.t.Fatalf("came to %s instead of %s", b.path(), path)
	}
}

// flaky is a way to the site that can be cut.
func (ts *testSite) flaky() (url string, cut *atomic.Bool) {
	cut = &atomic.Bool{}
	inner := ts.http.Config.Handler
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cut.Load() {
			panic(http.ErrAbortHandler)
		}
		inner.ServeHTTP(w, r)
	}))
	ts.t.Cleanup(front.Close)
	return front.URL, cut
}

func TestAnswersSurviveALostConnection(t *testing.T) {
	ts := newSite(t, demoFolder(t))
	b := ts.tab(1280)
	var cut *atomic.Bool
	b.url, cut = ts.flaky()
	b.openAt("p/q1-view")
	kept := `document.querySelector(".kept").textContent`

	b.do(chromedp.SendKeys(chromedp.CSS("textarea"), "Saved at once. "))
	b.until(kept + ` === "Saved."`)
	cut.Store(true)
	b.do(chromedp.SendKeys(chromedp.CSS("textarea"), "Saved later."))
	b.until(kept + `.startsWith("Not saved yet")`)
	cut.Store(false)
	b.until(kept + ` === "Saved."`)

	cut.Store(true)
	b.do(chromedp.Click(chromedp.CSS("input[name=stance]")), chromedp.Click(chromedp.CSS("input[name=importance]")))
	b.leave(func() {
		// However often the button is pressed.
		evaluate[bool](b, `(() => { const button = document.querySelector("button[type=submit]"); button.click(); button.click(); button.click(); return true })()`)
		b.until(kept + `.startsWith("No connection")`)
		cut.Store(false)
	})
	if b.path() != "p/q1-response1" {
		t.Fatalf("came to %s", b.path())
	}
	for _, a := range ts.records()[0].Answers {
		if a.Key.Kind == study.KindView && (a.Value != "Saved at once. Saved later." || a.Revision != 1) {
			t.Errorf("the view arrived as %+v", a)
		}
	}
}

func TestTheBrowsersBackLeadsToAUsablePage(t *testing.T) {
	ts := newSite(t, demoFolder(t))
	b := ts.tab(1280)
	b.openAt("p/q1-response1")
	b.answerByKeys()
	b.do(chromedp.NavigateBack())
	b.until(`location.pathname.endsWith("p/q1-response1") && document.readyState === "complete"`)
	b.do(chromedp.Click(chromedp.CSS("input[name=rating][value='4']")))
	b.leave(func() { b.do(chromedp.Click(chromedp.CSS("button[type=submit]"))) })
	if b.path() != "p/q1-response2" {
		t.Errorf("sending again led to %s", b.path())
	}
}

func TestThePageComesBackWithItsProblemsInFocus(t *testing.T) {
	ts := newSite(t, demoFolder(t))
	b := ts.tab(360)
	b.openAt("p/q1-response1")
	b.leave(func() { b.do(chromedp.Click(chromedp.CSS("button[type=submit]"))) })
	if got := evaluate[string](b, "document.activeElement.id"); got != "problems" {
		t.Errorf("the focus is on %q", got)
	}
	b.do(chromedp.Click(chromedp.CSS("#problems a")))
	if got := evaluate[string](b, "document.activeElement.id"); got != "f1" {
		t.Errorf("the link leads to %q", got)
	}
}

// targets lists what can be pressed and is smaller than so many pixels,
// links within sentences aside.
const targets = `[...document.querySelectorAll("a, button, summary, textarea, select, label.choice, label.point")]
	.filter(e => e.checkVisibility() && !e.closest(".prose, td, th") && !e.classList.contains("skip"))
	.map(e => [e, e.getBoundingClientRect()]).filter(([e, r]) => Math.min(r.height, r.width) < %g - 0.1)
	.map(([e, r]) => e.tagName + " “" + e.textContent.trim().slice(0, 40) + "” " + r.width.toFixed() + "×" + r.height.toFixed())`

// inspector looks at pages with axe-core, and takes pictures of them where
// OVERTON_SCREENSHOTS names a folder.
type inspector struct{ axe, photos string }

func newInspector(t *testing.T) inspector {
	t.Helper()
	axe, err := os.ReadFile("../node_modules/axe-core/axe.min.js")
	if err != nil {
		if os.Getenv("OVERTON_NO_SKIP") == "1" {
			t.Fatalf("axe-core is not installed: %v", err)
		}
		t.Skip("axe-core is not installed: run npm ci")
	}
	return inspector{string(axe), os.Getenv("OVERTON_SCREENSHOTS")}
}

// look finds what is wrong with the page that a tab shows, on telephones and
// desks, light and dark. Nothing to press may be smaller than least pixels.
func (in inspector) look(b *tab, name string, least float64) {
	b.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 1280} {
			if scheme == "dark" && width == 1280 && in.photos == "" {
				continue // the same colours as at 360
			}
			b.do(chromedp.EmulateViewport(width, 800), func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
				_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
				})
				return chromedp.Void{}, err
			})
			at := fmt.Sprintf("%s, %s, %d px", name, scheme, width)
			for _, small := range evaluate[[]string](b, fmt.Sprintf(targets, least)) {
				b.t.Errorf("%s: too small to press: %s", at, small)
			}
			if wide := evaluate[int64](b, "document.documentElement.scrollWidth"); wide > width {
				b.t.Errorf("%s: %d px wide", at, wide)
			}
			if !evaluate[bool](b, `"axe" in window`) {
				evaluate[bool](b, in.axe+"; true")
			}
			report := evaluate[string](b, `axe.run(document, {resultTypes: ["violations"],
				runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => JSON.stringify(
				r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html.slice(0, 160) + " " + n.failureSummary).join(" | "))))`, chromedp.EvalAwaitPromise)
			var violations []string
			if err := json.Unmarshal([]byte(report), &violations); err != nil {
				b.t.Fatal(err)
			}
			for _, v := range violations {
				b.t.Errorf("%s: %s", at, v)
			}
			if in.photos == "" {
				continue
			}
			shot, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
			if err != nil {
				b.t.Fatal(err)
			}
			file := fmt.Sprintf("%s-%d-%s.png", strings.ReplaceAll(name, "/", "-"), width, scheme)
			if err := os.WriteFile(filepath.Join(in.photos, file), shot, 0o644); err != nil {
				b.t.Fatal(err)
			}
		}
	}
}

func TestEveryPageIsAccessible(t *testing.T) {
	in := newInspector(t)
	ts := newSite(t, demoFolder(t))
	b := ts.tab(1280)
	look := func(name string) {
		t.Helper()
		in.look(b, name, 44)
	}

	for name, path := range map[string]string{
		"missing_ids":   "/s/small",
		"template_ids":  "/s/small?PROLIFIC_PID={{%25PROLIFIC_PID%25}}&SESSION_ID=x",
		"no_cookie":     "/s/small/start",
		"unknown_study": "/s/nothing",
		"not_found":     "/nothing",
	} {
		b.do(chromedp.Navigate(b.url + path))
		look("notice " + name)
	}
	b.do(chromedp.Navigate(b.url + arrival(7)))
	b.answerByKeys()
	b.leave(func() { b.do(chromedp.Click(chromedp.CSS("button[value=no]"))) })
	look("declined")

	seen := map[string]bool{}
	b.walkByKeys(arrival(1), func(path string) {
		kind := strings.TrimRight(path, "0123456789")
		if !seen[kind] {
			seen[kind] = true
			look(path)
			if strings.HasPrefix(path, "p/") && !strings.Contains(path, "feedback") {
				b.leave(func() { evaluate[bool](b, `(() => { document.querySelector("form").submit(); return true })()`) })
				look(path + " empty")
			}
		}
		if path == "p/check1" { // on the way back everything is filled in
			for _, earlier := range []string{"p/q1-view", "p/q1-response1", "p/q1-statement1", "withdraw"} {
				b.do(chromedp.Navigate(b.url + "/s/small/" + earlier))
				look(earlier + " again")
			}
			b.do(chromedp.Navigate(b.url + "/s/small/resume"))
		}
	})
}
