package web

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"overton/internal/study"
)

// surveyed holds two people's walks of viewsSite against what was drawn: one
// sees the options in reverse, both are asked two items again, and whoever says
// yes first is asked the item that depends on it.
func (ts *testSite) surveyed() {
	ts.t.Helper()
	reversed, again := 0, 0
	for _, r := range ts.records() {
		if r.Outcome != study.Completed {
			ts.t.Errorf("outcome %q", r.Outcome)
		}
		answers := r.Answered()
		for _, asked := range ts.st.AskedItems(answers, r.Surveys) {
			if asked.Item.ID == "V1a" && !asked.Again && asked.Reversed {
				reversed++
			}
			if asked.Again {
				again++
			}
		}
		_, more := answers[study.SurveyKey("views.csv", "V1c", false)]
		if first := answers[study.SurveyKey("views.csv", "V1a", false)]; more != (first == "yes") {
			ts.t.Errorf("after %s the item that depends on it has an answer: %v", first, more)
		}
	}
	if reversed != 1 || again != 4 {
		ts.t.Errorf("%d of 2 saw the options in reverse, and %d items came again", reversed, again)
	}
}

// A topic on a page, options in reverse for one of two, an item that an answer
// brings up on its own page, and items that come again.
func TestEverySurveyPageIsAccessible(t *testing.T) {
	in := newInspector(t)
	ts := viewsSite(t)
	for n, name := range []string{"first", "second"} {
		b := ts.tab(360)
		seen := map[string]int{}
		b.walkByKeys(arrival(n+1), func(path string) {
			page := name + " " + path
			if seen[path]++; seen[path] > 1 {
				page += " with more"
			}
			if path == "p/survey2-1" || path == "p/survey2-4" {
				in.look(b, page, 44)
			}
			if page == "first p/survey2-1" {
				b.leave(func() { evaluate[bool](b, `(() => { document.querySelector("form").submit(); return true })()`) })
				in.look(b, page+" empty", 44)
			}
		})
	}
	ts.surveyed()
}

func TestASurveyNeedsNoScriptAndFitsATelephone(t *testing.T) {
	ts := viewsSite(t)
	for n := range 2 {
		b := ts.tab(360)
		b.do(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
			return chromedp.Void{}, err
		})
		b.walkByKeys(arrival(n+1), func(path string) {
			if width := evaluate[int](b, "document.documentElement.scrollWidth"); width > 360 {
				t.Errorf("%s is %d px wide", path, width)
			}
			if strings.HasPrefix(path, "p/survey2-") && path != "p/survey2-1" && evaluate[bool](b, `document.querySelector(".notice.bad") != null`) {
				t.Errorf("%s came back with problems", path)
			}
		})
	}
	ts.surveyed()
	for _, a := range ts.records()[0].Answers {
		if a.Active != 0 {
			t.Error("a script ran: the walk proves nothing")
		}
	}
}
