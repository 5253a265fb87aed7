package analyse_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"overton/web/webtest"
)

func TestAnAnalysisIsRunAndShown(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.CampFolder(t))
	b := ts.SignedIn("researcher")
	const path = "/admin/studies/small/analysis"
	if p := b.Get(path); !strings.Contains(p.Says(), "Nothing has been analysed yet") {
		t.Errorf("before: %s", p.Says())
	}
	ts.Camps(1, 24, false)
	if p := b.Post(path, nil); p.Status != 200 || p.URL.Path != "/admin/studies/small/runs/1" {
		t.Fatalf("starting led to %s, status %d", p.URL, p.Status)
	}
	p := b.Analysed(path)
	rows := p.Rows()
	for _, want := range []string{"model-alpha 0.", "model-beta 0.", "A single view 0.", "qid-1 What about matter 1?"} {
		if !strings.Contains(rows, want) {
			t.Errorf("%q is missing in %s", want, rows)
		}
	}
	if says := p.Says(); !strings.Contains(says, "24 people who finished") {
		t.Errorf("whose data: %s", says)
	}
	var windows []string
	webtest.ForEach(p.Doc, "a", func(n *html.Node) {
		if href := webtest.Attribute(n, "href"); strings.Contains(href, "/questions/") && !slices.Contains(windows, href) {
			windows = append(windows, href)
		}
	})
	if len(windows) != 3 {
		t.Fatalf("windows: %v", windows)
	}
	for _, w := range windows {
		p := b.Get(w)
		says := p.Says()
		for _, want := range []string{"Group A", "Group B", "What people in this group wrote", "Everything is bright to somebody like me", "Mean silhouette"} {
			if p.Status != 200 || !strings.Contains(says, want) {
				t.Errorf("%s: status %d lacks %q", w, p.Status, want)
			}
		}
		if strings.Count(p.Body, "viewBox=\"0 0 680") != 3 || strings.Contains(p.Body, "style=") {
			t.Errorf("%s: the map is missing or has styles of its own", w)
		}
		webtest.ForEach(p.Doc, "section", func(n *html.Node) { // nobody is shown in the other group
			if said := webtest.Text(n); strings.Contains(said, "What its people wrote") {
				wrote := said[strings.Index(said, "What its people wrote"):]
				if strings.Contains(wrote, "is bright") == strings.Contains(wrote, "is dark") {
					t.Errorf("%s: a group wrote %s", w, wrote)
				}
			}
		})
	}
	if p := b.Get("/admin/studies/small/questions/none"); p.Status != 404 {
		t.Errorf("no such question: status %d", p.Status)
	}
	files := b.Get("/admin/studies/small/data/csv.zip").Unpack(t)
	grouped := 0
	for name, content := range files {
		if strings.HasSuffix(name, "ratings.csv") {
			grouped = strings.Count(content, ",0,") + strings.Count(content, ",1,")
		}
	}
	if grouped == 0 {
		t.Errorf("no rating has a group in the download: %v", len(files))
	}
	viewer := ts.SignedIn("viewer")
	if p := viewer.Get(path); strings.Contains(p.Body, "New run") || !strings.Contains(p.Rows(), "model-alpha") {
		t.Error("a viewer can start an analysis, or not see one")
	}
}
