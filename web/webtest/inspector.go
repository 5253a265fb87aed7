package webtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// targets lists what can be pressed and is smaller than so many pixels,
// links within sentences aside.
const targets = `[...document.querySelectorAll("a, button, summary, textarea, select, label.choice, label.point")]
	.filter(e => e.checkVisibility() && !e.closest(".prose, td, th") && !e.classList.contains("skip"))
	.map(e => [e, e.getBoundingClientRect()]).filter(([e, r]) => Math.min(r.height, r.width) < %g - 0.1)
	.map(([e, r]) => e.tagName + " “" + e.textContent.trim().slice(0, 40) + "” " + r.width.toFixed() + "×" + r.height.toFixed())`

// Inspector looks at pages with axe-core.
type Inspector struct {
	axe    string
	Photos string // folder that every page is photographed into; "" for none
}

// NewInspector skips the test where axe-core is not installed. The environment's
// OVERTON_SCREENSHOTS names the folder for photographs.
func NewInspector(t *testing.T) Inspector {
	t.Helper()
	axe, err := os.ReadFile(filepath.Join(root(t), "node_modules/axe-core/axe.min.js"))
	if err != nil {
		if os.Getenv("OVERTON_NO_SKIP") == "1" {
			t.Fatalf("axe-core is not installed: %v", err)
		}
		t.Skip("axe-core is not installed: run npm ci")
	}
	return Inspector{string(axe), os.Getenv("OVERTON_SCREENSHOTS")}
}

// root is the folder of the module, above that of the package that is tested.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("the tests run outside of the module")
		}
		dir = up
	}
}

// Look finds what is wrong with the page that a tab shows, on telephones and
// desks, light and dark. Nothing to press may be smaller than least pixels.
func (in Inspector) Look(b *Tab, name string, least float64) {
	b.T.Helper()
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 1280} {
			if scheme == "dark" && width == 1280 && in.Photos == "" {
				continue // the same colours as at 360
			}
			b.Do(chromedp.EmulateViewport(width, 800), func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
				_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
				})
				return chromedp.Void{}, err
			})
			at := fmt.Sprintf("%s, %s, %d px", name, scheme, width)
			for _, small := range Evaluate[[]string](b, fmt.Sprintf(targets, least)) {
				b.T.Errorf("%s: too small to press: %s", at, small)
			}
			if wide := Evaluate[int64](b, "document.documentElement.scrollWidth"); wide > width {
				b.T.Errorf("%s: %d px wide", at, wide)
			}
			if !Evaluate[bool](b, `"axe" in window`) {
				Evaluate[bool](b, in.axe+"; true")
			}
			report := Evaluate[string](b, `axe.run(document, {resultTypes: ["violations"],
				runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => JSON.stringify(
				r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html.slice(0, 160) + " " + n.failureSummary).join(" | "))))`,
				chromedp.EvalAwaitPromise)
			var violations []string
			if err := json.Unmarshal([]byte(report), &violations); err != nil {
				b.T.Fatal(err)
			}
			for _, v := range violations {
				b.T.Errorf("%s: %s", at, v)
			}
			if in.Photos == "" {
				continue
			}
			shot, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
			if err != nil {
				b.T.Fatal(err)
			}
			file := fmt.Sprintf("%s-%d-%s.png", strings.ReplaceAll(name, "/", "-"), width, scheme)
			if err := os.WriteFile(filepath.Join(in.Photos, file), shot, 0o644); err != nil {
				b.T.Fatal(err)
			}
		}
	}
}
