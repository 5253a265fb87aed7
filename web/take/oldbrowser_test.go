package take_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"overton/web/webtest"
)

// Consent and votes are sent by which button was pressed, so they are what an
// old browser loses first.
func TestOldBrowsersAndFaultsOfTheScriptStopNobody(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"an old browser": `
			delete AbortSignal.timeout; delete AbortSignal.any; delete SubmitEvent.prototype.submitter;
			delete Array.prototype.at; delete Object.hasOwn; delete window.structuredClone;
			delete Element.prototype.replaceChildren; delete Element.prototype.checkVisibility;`,
		"a fault of ours": `window.AbortController = class { constructor() { throw new Error("broken") } };`,
		"no fetch":        `delete window.fetch;`,
	} {
		t.Run(name, func(t *testing.T) {
			ts := webtest.New(t, demoFolder(t))
			b := ts.Tab(360)
			b.Do(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
				if _, err = cdp.Call(ctx, target, page.Enable, page.EnableParams{}); err == nil {
					_, err = cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument,
						page.AddScriptToEvaluateOnNewDocumentParams{Source: source})
				}
				return none, err
			})
			b.Do(chromedp.Navigate(b.URL + webtest.Arrival(1)))
			b.Leave(func() { b.Do(chromedp.Click(chromedp.CSS("button[type=submit]"))) })
			if b.Path() != "p/consent" {
				t.Fatalf("starting led to %s", b.Path())
			}
			b.Leave(func() { b.Do(chromedp.Click(chromedp.CSS("button[value=yes]"))) })
			if path := b.Path(); path == "p/consent" || path == "end" {
				t.Errorf("consent led to %s", path)
			}
		})
	}
}
