package web

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
)

// column reads one column of the first table that rows are shown of.
func (b *tab) column(n int) string {
	b.t.Helper()
	return strings.Join(evaluate[[]string](b, fmt.Sprintf(
		`[...document.querySelector("table").tBodies[0].rows].filter(r => !r.hidden).map(r => r.cells[%d].innerText.trim().split(/\s+/).pop())`, n)), " ")
}

func TestTablesAreSortedAndFilteredByKeys(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	for n := 1; n <= 11; n++ {
		st, err := studyfile.Read(renamed(fmt.Sprintf("s%d", n)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ts.store.SaveStudy(t.Context(), store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files}); err != nil {
			t.Fatal(err)
		}
	}
	ts.finish(2)
	b := ts.tab(360)
	b.signIn("viewer")
	b.do(chromedp.Navigate(b.url + "/admin"))
	const original = "s11 s10 s9 s8 s7 s6 s5 s4 s3 s2 s1 small"
	if got := b.column(0); got != original {
		t.Fatalf("the page's own order is %s", got)
	}
	press := func(heading string) string {
		t.Helper()
		evaluate[bool](b, fmt.Sprintf(`(() => { [...document.querySelectorAll(".sorts")].find(s => s.textContent.trim() === %q).focus(); return true })()`, heading))
		b.keys(keyEnter)
		return evaluate[string](b, `document.querySelector("[aria-sort]")?.getAttribute("aria-sort") ?? "none"`) + ": " + b.column(0)
	}
	for _, want := range []string{"ascending: s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 small", "descending: small s11 s10 s9 s8 s7 s6 s5 s4 s3 s2 s1", "none: " + original} {
		if got := press("Study"); got != want {
			t.Errorf("by name: %s, want %s", got, want)
		}
	}
	if got := press("Complete"); !strings.HasPrefix(got, "descending: small ") {
		t.Errorf("by people: %s", got)
	}
	if got := press("Launched"); !strings.HasPrefix(got, "ascending: small ") { // others were not: they stand last
		t.Errorf("by launch: %s", got)
	}
	b.do(chromedp.SendKeys(chromedp.CSS("input[type=search]"), "s1"))
	b.until(`document.querySelector(".finds [role=status]").textContent === "3 of 12"`)
	if got := b.column(0); strings.Contains(got, "small") || strings.Count(got, "s1") != 3 {
		t.Errorf("filtered: %s", got)
	}
	// Newer numbers take the table's place: it stays sorted and filtered.
	evaluate[bool](b, `(() => { document.querySelectorAll(".sorts").forEach(s => s.replaceWith(...s.childNodes));
		const old = document.querySelector("[data-sort]"), html = old.outerHTML.replace('data-sort="on"', "data-sort");
		document.querySelector(".finds").remove(); old.outerHTML = html; return true })()`)
	b.until(`document.querySelector(".finds input")?.value === "s1" && document.querySelector("[aria-sort]") !== null`)
	if dir := os.Getenv("OVERTON_SCREENSHOTS"); dir != "" {
		newInspector(t).look(b, "admin sorted table", 24)
	}
}

// signIn gives a tab the sign-in of an account of a role.
func (b *tab) signIn(role string) {
	b.t.Helper()
	link, err := b.store.NewLink(b.t.Context(), b.account(role+"@example.org", role), signInLife, false)
	if err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.Navigate(b.url + "/admin/link/" + link))
	b.leave(func() { b.do(chromedp.Click(chromedp.CSS("main button"))) })
}
