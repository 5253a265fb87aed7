package webtest

import (
	"context"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Tab is a window of Chromium on a site.
type Tab struct {
	*Site
	ctx context.Context
	URL string // of the site, without a slash at its end
}

// Tab opens a window of a width in pixels. It shares no cookies with others.
func (ts *Site) Tab(width int64) *Tab {
	ts.T.Helper()
	ctx, close := chromedp.NewContext(ts.browse(), chromedp.WithNewBrowserContext())
	ts.T.Cleanup(close)
	err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 800),
		func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
			// Of several windows, only one could have the focus otherwise.
			_, err = cdp.Call(ctx, target, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
			return none, err
		})
	if err != nil {
		ts.T.Fatal(err)
	}
	return &Tab{ts, ctx, ts.HTTP.URL}
}

// WithoutScripts switches scripts of pages off.
func (b *Tab) WithoutScripts() {
	b.T.Helper()
	b.Do(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return none, err
	})
}

// Do takes steps, within a minute.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	limited, cancel := b.within(time.Minute)
	defer cancel()
	if err := chromedp.Do(limited.ctx, steps...); err != nil {
		b.T.Fatal(err)
	}
}

// within runs steps on a context of their own.
func (b *Tab) within(d time.Duration) (*Tab, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(b.ctx, d)
	return &Tab{b.Site, ctx, b.URL}, cancel
}

// Evaluate is what an expression of JavaScript is on the page.
func Evaluate[T any](b *Tab, expression string, options ...chromedp.EvaluateOption) T {
	b.T.Helper()
	limited, cancel := b.within(time.Minute)
	defer cancel()
	v, err := chromedp.Run(limited.ctx, chromedp.Evaluate[T](expression, options...))
	if err != nil {
		b.T.Fatalf("%.60s: %v", expression, err)
	}
	return v
}

// Until waits for an expression to become true.
func (b *Tab) Until(expression string) {
	b.T.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		limited, cancel := b.within(5 * time.Second)
		ok, err := chromedp.Run(limited.ctx, chromedp.Evaluate[bool](expression))
		cancel()
		if err == nil && ok {
			return
		}
	}
	b.T.Fatalf("%s never became true on %s", expression, b.Path())
}

// Path is that of the page, below the study.
func (b *Tab) Path() string {
	b.T.Helper()
	full := Evaluate[string](b, "location.pathname")
	_, rest, _ := strings.Cut(strings.TrimPrefix(full, "/s/"), "/")
	return rest
}

// Leave does something that leads to another page and waits for that.
func (b *Tab) Leave(do func()) {
	b.T.Helper()
	Evaluate[bool](b, "window.beforeLeaving = true")
	do()
	b.Until(`!window.beforeLeaving && document.readyState === "complete"`)
}

// Keys presses keys one after another.
func (b *Tab) Keys(keys string) {
	b.T.Helper()
	b.Do(chromedp.KeyEvent(keys))
}

// Keys that are no letters.
const (
	keyTab   = "\t"
	KeyEnter = "\r"
	KeySpace = " "
	KeyLeft  = "\u0302"
	KeyRight = "\u0303"
)

// focused describes the element that has the focus.
type focused struct{ Tag, Type, Name, Text string }

func (b *Tab) focused() focused {
	b.T.Helper()
	return Evaluate[focused](b, `(() => { const e = document.activeElement;
		return {Tag: e.tagName.toLowerCase(), Type: e.type || "", Name: e.name || "", Text: e.textContent.trim()} })()`)
}

// AnswerByKeys fills a page with the keyboard alone and sends it.
func (b *Tab) AnswerByKeys() {
	b.T.Helper()
	for range 60 {
		b.Keys(keyTab)
		switch at := b.focused(); {
		case at.Type == "radio":
			b.Keys(KeySpace)
		case at.Tag == "textarea":
			b.Keys("Both have a point 1 5.")
		case at.Tag == "button" && at.Type == "submit":
			b.Leave(func() { b.Keys(KeyEnter) })
			return
		}
	}
	b.T.Fatalf("Tab never came to a button on %s", b.Path())
}

// WalkByKeys goes the whole way from the arrival link; look sees each page.
func (b *Tab) WalkByKeys(link string, look func(path string)) {
	b.T.Helper()
	b.Do(chromedp.Navigate(b.URL + link))
	for range 60 {
		path := b.Path()
		look(path)
		if path == "end" {
			return
		}
		b.AnswerByKeys()
	}
	b.T.Fatal("no end within 60 pages")
}

// SignIn gives a tab the sign-in of the account of a role; see Site.SignedIn.
func (b *Tab) SignIn(role string) {
	b.T.Helper()
	link, err := b.Store.NewLink(b.T.Context(), b.holder(role), time.Hour, false)
	if err != nil {
		b.T.Fatal(err)
	}
	b.Do(chromedp.Navigate(b.URL + "/admin/link/" + link))
	b.Leave(func() { b.Do(chromedp.Click(chromedp.CSS("main button"))) })
}
