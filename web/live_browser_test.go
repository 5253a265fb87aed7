package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"overton/internal/store"
)

const (
	keyDown = "\u0301"
	keyUp   = "\u0304"
)

func TestTheMonitorFollowsWithoutReloading(t *testing.T) {
	ts := newSite(t, studyFolder(noChecks))
	ts.finish(1)
	b := ts.tab(1280)
	b.signIn("researcher")
	b.do(chromedp.Navigate(b.url + "/admin/studies/small"))
	b.until(`document.querySelector("[data-live]").dataset.state === "on"`)
	evaluate[bool](b, `window.stays = 1; document.querySelector(".reward").open = true; document.querySelector("#live-funnel .table").focus(); true`)

	for n := 2; n <= 4; n++ { // virtual participants, and people
		v := ts.browser()
		v.walk(v.send(v.get(fmt.Sprintf("/s/small?PROLIFIC_PID=virtual-%d&SESSION_ID=v%d", n, n)), nil), "end")
	}
	half, p := ts.begin(9)
	half.walk(p, "p/q1-response2")
	figure := func(section, name, value string) string {
		return fmt.Sprintf(`[...document.querySelectorAll("#live-%s .figures > div")].some((d) => d.querySelector("dt").textContent.trim() === %q && d.querySelector("dd").textContent.trim() === %q)`, section, name, value)
	}
	b.until(figure("people", "In progress", "1"))
	b.until(figure("virtual-people", "Complete", "3"))
	half.walk(p, "end")
	b.until(figure("people", "Complete", "2"))
	b.until(`window.stays === 1 && document.querySelector(".reward").open && document.activeElement === document.querySelector("#live-funnel .table")`)

	// While nobody looks, nothing is sent; whoever looks again sees the newest.
	hide := func(hidden bool) {
		evaluate[bool](b, fmt.Sprintf(`Object.defineProperty(document, "hidden", { value: %t, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`, hidden))
	}
	hide(true)
	ts.begin(10)
	time.Sleep(3 * liveEvery / 2)
	if evaluate[bool](b, figure("people", "Arrived", "3")) {
		t.Error("a hidden page is kept fresh")
	}
	hide(false)
	b.until(figure("people", "Arrived", "3"))

	// Signed out meanwhile, the page says that it is not live any more.
	account, err := ts.store.AccountByEmail(t.Context(), "researcher@example.org")
	if err == nil {
		err = ts.store.DisableAccount(t.Context(), account.ID, true, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	hide(true)
	hide(false)
	b.until(`document.querySelector("[data-live]").textContent.includes("Not live any more")`)
}

func TestModerationByKeys(t *testing.T) {
	ts := newSite(t, studyFolder(noChecks))
	for n := range 4 {
		b, p := ts.begin(n + 1)
		p = b.walk(p, "p/q1-view")
		b.send(p, p.answers(fmt.Sprintf("View number %d: mail me at someone%d@example.org", n, n)))
	}
	b := ts.tab(1280)
	b.signIn("moderator")
	b.do(chromedp.Navigate(b.url + "/admin/studies/small/moderation?view=served"))
	states := func() (s string) {
		t.Helper()
		all, err := ts.store.Statements(t.Context(), 1)
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
	press := b.keys
	decide := func(keys string) { t.Helper(); b.leave(func() { press(keys) }) }

	press("r") // nothing is chosen yet
	press("j")
	press("j")
	press("2")
	decide("r")
	if got := states(); got != "srss" {
		t.Fatalf("after rejecting the second: %s", got)
	}
	if says := evaluate[string](b, `document.querySelector("main").textContent`); !strings.Contains(says, "One statement was rejected.") {
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
	b.leave(func() { b.do(chromedp.Click(chromedp.CSS("button[value=reject-marked]"))) })
	if got := states(); got != "srrr" {
		t.Fatalf("after rejecting the two marked: %s", got)
	}
	decide("u")
	if got := states(); got != "srss" {
		t.Fatalf("after undoing it: %s", got)
	}

	// While somebody types or chooses within a field, the keys are the field's.
	b.do(chromedp.Focus(chromedp.CSS("input[name=note]")))
	press("ar1xujk")
	b.do(chromedp.Focus(chromedp.CSS("input[name=text]")))
	press("ar1xujk" + keyDown)
	b.do(chromedp.Focus(chromedp.CSS("select[name=hint]")))
	press("aru" + keyDown)
	typed := evaluate[string](b, `document.querySelector("input[name=note]").value + " " + document.querySelector("input[name=text]").value`)
	if typed != "ar1xujk ar1xujk" || states() != "srss" {
		t.Errorf("typed %q, and the statements are %s", typed, states())
	}
	all, _, err := ts.store.Moderation(t.Context(), 1, store.ModerationQuery{List: store.ListRejected, Limit: 5})
	if err != nil || len(all) != 1 || all[0].Verdict.Reason != "empty" {
		t.Errorf("rejected: %+v, %v", all, err)
	}
}
