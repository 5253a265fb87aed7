package watch_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"overton/internal/store"
	"overton/web/watch"
	"overton/web/webtest"
)

const (
	keyDown = "\u0301"
	keyUp   = "\u0304"
)

func TestTheMonitorFollowsWithoutReloading(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(webtest.NoChecks))
	ts.Finish(1)
	b := ts.Tab(1280)
	b.SignIn("researcher")
	b.Do(chromedp.Navigate(b.URL + "/admin/studies/small"))
	b.Until(`document.querySelector("[data-live]").dataset.state === "on"`)
	webtest.Evaluate[bool](b, `window.stays = 1; document.querySelector(".reward").open = true; document.querySelector("#live-funnel .table").focus(); true`)

	for n := 2; n <= 4; n++ { // virtual participants, and people
		v := ts.Browser()
		v.Walk(v.Send(v.Get(fmt.Sprintf("/s/small?PROLIFIC_PID=virtual-%d&STUDY_ID=s&SESSION_ID=v%d", n, n)), nil), "end")
	}
	half, p := ts.Begin(9)
	half.Walk(p, "p/q1-response2")
	figure := func(section, name, value string) string {
		return fmt.Sprintf(`[...document.querySelectorAll("#live-%s .figures > div")].some((d) => d.querySelector("dt").textContent.trim() === %q && d.querySelector("dd").textContent.trim() === %q)`, section, name, value)
	}
	b.Until(figure("people", "In progress", "1"))
	b.Until(figure("virtual-people", "Complete", "3"))
	half.Walk(p, "end")
	b.Until(figure("people", "Complete", "2"))
	b.Until(`window.stays === 1 && document.querySelector(".reward").open && document.activeElement === document.querySelector("#live-funnel .table")`)

	// While nobody looks, nothing is sent; on return the page shows the newest numbers.
	hide := func(hidden bool) {
		webtest.Evaluate[bool](b, fmt.Sprintf(`Object.defineProperty(document, "hidden", { value: %t, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`, hidden))
	}
	hide(true)
	ts.Begin(10)
	time.Sleep(3 * watch.LiveEvery / 2)
	if webtest.Evaluate[bool](b, figure("people", "Arrived", "3")) {
		t.Error("a hidden page is kept fresh")
	}
	hide(false)
	b.Until(figure("people", "Arrived", "3"))

	// Signed out meanwhile, the page says that it is not live any more.
	account, err := ts.Store.AccountByEmail(t.Context(), "researcher@example.org")
	if err == nil {
		err = ts.Store.DisableAccount(t.Context(), account.ID, true, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	hide(true)
	hide(false)
	b.Until(`document.querySelector("[data-live]").textContent.includes("No longer live")`)
}

func TestModerationByKeys(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(webtest.NoChecks))
	for n := range 4 {
		b, p := ts.Begin(n + 1)
		p = b.Walk(p, "p/q1-view")
		b.Send(p, p.Answers(fmt.Sprintf("View number %d: mail me at someone%d@example.org", n, n)))
	}
	b := ts.Tab(1280)
	b.SignIn("moderator")
	b.Do(chromedp.Navigate(b.URL + "/admin/studies/small/moderation?view=served"))
	states := func() (s string) {
		t.Helper()
		all, err := ts.Store.Statements(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range all {
			if !st.Seed {
				s += string(st.State[0])
			}
		}
		return s
	}
	press := b.Keys
	decide := func(keys string) { t.Helper(); b.Leave(func() { press(keys) }) }

	press("r") // nothing is chosen yet
	press("j")
	press("j")
	press("2")
	decide("r")
	if got := states(); got != "srss" {
		t.Fatalf("after rejecting the second: %s", got)
	}
	if says := webtest.Evaluate[string](b, `document.querySelector("main").textContent`); !strings.Contains(says, "One statement was rejected.") {
		t.Errorf("it is not said: %s", says)
	}
	decide("a") // the first of what is left has the focus
	press("j")
	press(keyDown)
	press("k")
	press(keyUp)
	press("x")
	press("j")
	press("x")
	b.Leave(func() { b.Do(chromedp.Click(chromedp.CSS("button[value=reject-marked]"))) })
	if got := states(); got != "srrr" {
		t.Fatalf("after rejecting the two marked: %s", got)
	}
	decide("u")
	if got := states(); got != "srss" {
		t.Fatalf("after undoing it: %s", got)
	}

	// While somebody types or chooses within a field, the keys are the field's.
	b.Do(chromedp.Focus(chromedp.CSS("input[name=note]")))
	press("ar1xujk")
	b.Do(chromedp.Focus(chromedp.CSS("input[name=text]")))
	press("ar1xujk" + keyDown)
	b.Do(chromedp.Focus(chromedp.CSS("select[name=hint]")))
	press("aru" + keyDown)
	typed := webtest.Evaluate[string](b, `document.querySelector("input[name=note]").value + " " + document.querySelector("input[name=text]").value`)
	if typed != "ar1xujk ar1xujk" || states() != "srss" {
		t.Errorf("typed %q, and the statements are %s", typed, states())
	}
	all, _, err := ts.Store.Moderation(t.Context(), 1, store.ModerationQuery{List: store.ListRejected, Limit: 5})
	if err != nil || len(all) != 1 || all[0].Verdict.Reason != "empty" {
		t.Errorf("rejected: %+v, %v", all, err)
	}
}
