package take_test

import (
	"strings"
	"testing"

	"overton/internal/study"
	"overton/web/webtest"
)

// surveyed holds two people's walks of viewsSite against what was drawn: one
// sees the options in reverse, both are asked two items again, and whoever says
// yes first is asked the item that depends on it.
func surveyed(ts *webtest.Site) {
	ts.T.Helper()
	reversed, again := 0, 0
	for _, r := range ts.Records() {
		if r.Outcome != study.Completed {
			ts.T.Errorf("outcome %q", r.Outcome)
		}
		answers := r.Answered()
		for _, asked := range ts.Study.AskedItems(answers, r.Surveys) {
			if asked.Item.ID == "V1a" && !asked.Again && asked.Reversed {
				reversed++
			}
			if asked.Again {
				again++
			}
		}
		_, more := answers[study.SurveyKey("views.csv", "V1c", false)]
		if first := answers[study.SurveyKey("views.csv", "V1a", false)]; more != (first == "yes") {
			ts.T.Errorf("after %s the item that depends on it has an answer: %v", first, more)
		}
	}
	if reversed != 1 || again != 4 {
		ts.T.Errorf("%d of 2 saw the options in reverse, and %d items came again", reversed, again)
	}
}

// A topic on a page, options in reverse for one of two, an item that an answer
// brings up on its own page, and items that come again.
func TestEverySurveyPageIsAccessible(t *testing.T) {
	t.Parallel()
	in := webtest.NewInspector(t)
	ts := webtest.ViewsSite(t)
	for n, name := range []string{"first", "second"} {
		b := ts.Tab(360)
		seen := map[string]int{}
		b.WalkByKeys(webtest.Arrival(n+1), func(path string) {
			page := name + " " + path
			if seen[path]++; seen[path] > 1 {
				page += " with more"
			}
			if path == "p/survey2-1" || path == "p/survey2-4" {
				in.Look(b, page, 44)
			}
			if page == "first p/survey2-1" {
				b.Leave(func() {
					webtest.Evaluate[bool](b, `(() => { document.querySelector("form").submit(); return true })()`)
				})
				in.Look(b, page+" empty", 44)
			}
		})
	}
	surveyed(ts)
}

func TestASurveyNeedsNoScriptAndFitsATelephone(t *testing.T) {
	t.Parallel()
	ts := webtest.ViewsSite(t)
	for n := range 2 {
		b := ts.Tab(360)
		b.WithoutScripts()
		b.WalkByKeys(webtest.Arrival(n+1), func(path string) {
			if width := webtest.Evaluate[int](b, "document.documentElement.scrollWidth"); width > 360 {
				t.Errorf("%s is %d px wide", path, width)
			}
			if strings.HasPrefix(path, "p/survey2-") && path != "p/survey2-1" && webtest.Evaluate[bool](b, `document.querySelector(".notice.bad") != null`) {
				t.Errorf("%s came back with problems", path)
			}
		})
	}
	surveyed(ts)
	for _, a := range ts.Records()[0].Answers {
		if a.Active != 0 {
			t.Error("a script ran: the walk proves nothing")
		}
	}
}
