package setup_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/web/webtest"
)

// column reads one column of the first table that rows are shown of.
func column(b *webtest.Tab, n int) string {
	b.T.Helper()
	return strings.Join(webtest.Evaluate[[]string](b, fmt.Sprintf(
		`[...document.querySelector("table").tBodies[0].rows].filter(r => !r.hidden).map(r => r.cells[%d].innerText.trim().split(/\s+/).pop())`, n)), " ")
}

func TestTablesAreSortedAndFilteredByKeys(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	for n := 1; n <= 11; n++ {
		st, err := studyfile.Read(webtest.Renamed(fmt.Sprintf("s%d", n)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ts.Store.SaveStudy(t.Context(), store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files}, 0); err != nil {
			t.Fatal(err)
		}
	}
	ts.Finish(2)
	b := ts.Tab(360)
	b.SignIn("viewer")
	b.Do(chromedp.Navigate(b.URL + "/admin"))
	const original = "s11 s10 s9 s8 s7 s6 s5 s4 s3 s2 s1 small"
	if got := column(b, 0); got != original {
		t.Fatalf("the page's own order is %s", got)
	}
	press := func(heading string) string {
		t.Helper()
		webtest.Evaluate[bool](b, fmt.Sprintf(`(() => { [...document.querySelectorAll(".sorts")].find(s => s.textContent.trim() === %q).focus(); return true })()`, heading))
		b.Keys(webtest.KeyEnter)
		return webtest.Evaluate[string](b, `document.querySelector("[aria-sort]")?.getAttribute("aria-sort") ?? "none"`) + ": " + column(b, 0)
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
	b.Do(chromedp.SendKeys(chromedp.CSS("input[type=search]"), "s1"))
	b.Until(`document.querySelector(".finds [role=status]").textContent === "3 of 12"`)
	if got := column(b, 0); strings.Contains(got, "small") || strings.Count(got, "s1") != 3 {
		t.Errorf("filtered: %s", got)
	}
	// Newer numbers take the table's place: it stays sorted and filtered.
	webtest.Evaluate[bool](b, `(() => { document.querySelectorAll(".sorts").forEach(s => s.replaceWith(...s.childNodes));
		const old = document.querySelector("[data-sort]"), html = old.outerHTML.replace('data-sort="on"', "data-sort");
		document.querySelector(".finds").remove(); old.outerHTML = html; return true })()`)
	b.Until(`document.querySelector(".finds input")?.value === "s1" && document.querySelector("[aria-sort]") !== null`)
	if dir := os.Getenv("OVERTON_SCREENSHOTS"); dir != "" {
		webtest.NewInspector(t).Look(b, "admin sorted table", 24)
	}
}
