package web

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"golang.org/x/net/html"

	"overton/internal/dataset/studyfile"
	"overton/internal/score"
)

// campFolder is a study whose people can be grouped by their votes.
func campFolder(t *testing.T) studyfile.Files {
	t.Helper()
	folder := studyFolder(func(yaml string) string {
		return strings.Replace(noChecks(yaml), "votes_per_question: 2", "votes_per_question: 8", 1)
	})
	for _, name := range []string{"questions.csv", "responses.csv", "seeds.csv"} {
		folder[name] = bytes.ReplaceAll(folder[name], []byte("qid-3"), []byte("qid 3/ä?"))
	}
	// The responses of one model are bright, those of the other dark.
	folder["responses.csv"] = bytes.ReplaceAll(folder["responses.csv"], []byte("model-alpha,\"Some say"), []byte("model-alpha,\"Some bright people say"))
	return folder
}

// camps walks people of two minds from the first to the last.
func (ts *testSite) camps(from, to int, virtual bool) {
	ts.t.Helper()
	for n := from; n <= to; n++ {
		link := arrival(n)
		if virtual {
			link = virtualArrival("small", n)
		}
		ts.takeSides(link, n)
	}
}

// virtualArrival is the link of virtual participant n.
func virtualArrival(slug string, n int) string {
	return fmt.Sprintf("/s/%s?PROLIFIC_PID=virtual-%d&SESSION_ID=virtual-%d", slug, n, n)
}

// takeSides walks person n to the end: of two minds by turns, it agrees with
// what those of the same mind wrote, and rates one model high.
func (ts *testSite) takeSides(link string, n int) {
	ts.t.Helper()
	camp := []string{"bright", "dark"}[n%2]
	b := ts.browser()
	p := b.send(b.get(link), nil)
	for p.path() != "end" {
		a := p.answers("Everything is " + camp + " to somebody like me, number " + fmt.Sprint(n) + ".")
		says := p.says()
		if _, ok := a["rating"]; ok {
			a["rating"] = map[bool]string{true: "5", false: "2"}[strings.Contains(says, "Some bright people") == (camp == "bright")]
		}
		if _, answer, ok := strings.Cut(says, "lease choose "); ok { // a check
			a["rating"] = answer[:1]
		}
		if _, ok := a["vote"]; ok {
			statement := ""
			forEach(p.doc, "blockquote", func(n *html.Node) { statement = text(n) })
			switch {
			case strings.Contains(statement, camp):
				a["vote"] = "agree"
			case strings.Contains(statement, "Seed"):
				a["vote"] = "neutral"
			default:
				a["vote"] = "disagree"
			}
		}
		if p.status != http.StatusOK {
			ts.t.Fatalf("%s: status %d: %s", p.url.Path, p.status, says)
		}
		p = b.send(p, a)
	}
}

// analysed waits until no analysis of the study runs any more.
func (b *browser) analysed() page {
	b.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if p := b.get("/admin/studies/small/analysis"); !strings.Contains(p.body, "An analysis is running") {
			return p
		}
	}
	b.t.Fatal("the analysis takes too long")
	return page{}
}

func TestEveryAdminPageIsAccessible(t *testing.T) {
	in := newInspector(t)
	ts := newSite(t, campFolder(t))
	link, err := ts.store.NewLink(t.Context(), ts.account("anna@example.org", "admin"), time.Hour, false)
	if err != nil {
		t.Fatal(err)
	}
	b := ts.tab(1280)
	visit := func(name, path string) {
		t.Helper()
		b.do(chromedp.Navigate(b.url + path))
		in.look(b, "admin "+name, 24)
	}
	press := func(selector string) {
		t.Helper()
		b.leave(func() { b.do(chromedp.Click(chromedp.CSS(selector))) })
	}
	visit("sign-in", "/admin")
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), "anna@example.org"), chromedp.SendKeys(chromedp.CSS("#password"), "wrong"))
	press("main button")
	in.look(b, "admin sign-in refused", 24)
	visit("link", "/admin/link/"+link)
	press("main button")
	in.look(b, "admin password", 24)
	b.do(chromedp.SendKeys(chromedp.CSS("#new"), goodPassword), chromedp.SendKeys(chromedp.CSS("#again"), "another one, longer"))
	press("main button[type=submit]")
	in.look(b, "admin password refused", 24)

	const small = "/admin/studies/small"
	visit("empty monitor", small)
	visit("empty moderation", small+"/moderation")
	visit("empty analysis", small+"/analysis")
	visit("empty question", small+"/questions/qid-1")
	ts.camps(1, 24, false)
	ts.camps(101, 104, true)
	half, p := ts.begin(50)
	half.walk(p, "p/q1-response1")
	ts.browserOf("admin").post(small+"/analysis", nil)
	ts.browserOf("admin").analysed()
	visit("studies", "/admin")
	visit("monitor", small)
	visit("all questions", small+"/progress")
	visit("submissions", small+"/submissions")
	visit("no submissions", small+"/submissions?find=nobody")
	visit("submission", small+"/submissions/"+ts.records()[0].Pseudonym)
	ts.browserOf("moderator").post(small+"/moderation", url.Values{"do": {"reject-marked"}, "statement": {"12", "13"}, "reason": {"off_topic"}, "note": {"is about the weather"}})
	visit("moderation", small+"/moderation?done=2&what=reject&batch=1")
	visit("rejected", small+"/moderation?view=rejected")
	visit("analysis", small+"/analysis")
	visit("question", small+"/questions/qid-1")
	visit("download", small+"/download")
	visit("recruitment", small+"/recruitment")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{prolificFile(t, "APPROVED", "RETURNED", "TIMED-OUT")}))
	press("main form button")
	in.look(b, "admin recruitment read", 24)
	visit("accounts", "/admin/accounts")
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), "ben@example.org"), chromedp.Click(chromedp.CSS("input[value=moderator]")))
	press("form.stack button")
	in.look(b, "admin account made", 24)
	visit("account", "/admin/account")
	b.do(chromedp.SendKeys(chromedp.CSS("#name"), "my laptop"))
	press("form.stack button")
	in.look(b, "admin token made", 24)
	visit("log", "/admin/log")
	visit("study log", small+"/log")
	visit("people alone", small+"/people")
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), "cleo@example.org"), chromedp.Click(chromedp.CSS("input[value=researcher]")))
	press("form.stack button")
	in.look(b, "admin people invited", 24)
	visit("not found", "/admin/studies/nothing")

	// A folder with faults, and then a good one, by the page's own form.
	dir := t.TempDir()
	give := func(folder studyfile.Files) {
		t.Helper()
		var paths []string
		for name, content := range folder {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		b.do(chromedp.Navigate(b.url+"/admin/studies/new"), chromedp.SetUploadFiles(chromedp.CSS("#files"), paths))
		press("form[enctype] button")
	}
	visit("new study", "/admin/studies/new")
	faulty := renamed("other")
	faulty["questions.csv"] = bytes.Replace(faulty["questions.csv"], []byte("All for it 1"), nil, 1)
	faulty["responses.csv"] = bytes.Replace(faulty["responses.csv"], []byte("qid-2,model-beta"), []byte("qid-9,model-beta"), 1)
	give(faulty)
	in.look(b, "admin faults", 24)
	give(renamed("other"))
	in.look(b, "admin draft", 24)
	visit("before launch", "/admin/studies/other/launch")
	evaluate[bool](b, `(() => { document.querySelectorAll("input[name=accept]").forEach(i => i.click()); return true })()`)
	press("main form button[type=submit]")
	if row, err := ts.store.Study(t.Context(), "other"); err != nil || row.Status != "running" {
		t.Errorf("after launching in the browser the study is %s, %v", row.Status, err)
	}
}

func TestAnAnalysisIsRunAndShown(t *testing.T) {
	ts := newSite(t, campFolder(t))
	b := ts.signedIn("researcher")
	const path = "/admin/studies/small/analysis"
	if p := b.get(path); !strings.Contains(p.says(), "Nothing has been analysed yet") {
		t.Errorf("before: %s", p.says())
	}
	ts.camps(1, 24, false)
	if p := b.post(path, nil); p.status != 200 || p.url.Path != "/admin/studies/small/runs/1" {
		t.Fatalf("starting led to %s, status %d", p.url, p.status)
	}
	p := b.analysed()
	rows := p.rows()
	for _, want := range []string{"model-alpha 0.", "model-beta 0.", "A single view 0.", "qid-1 What about matter 1?"} {
		if !strings.Contains(rows, want) {
			t.Errorf("%q is missing in %s", want, rows)
		}
	}
	if says := p.says(); !strings.Contains(says, "24 people who finished") {
		t.Errorf("whose data: %s", says)
	}
	var windows []string
	forEach(p.doc, "a", func(n *html.Node) {
		if href := attribute(n, "href"); strings.Contains(href, "/questions/") && !slices.Contains(windows, href) {
			windows = append(windows, href)
		}
	})
	if len(windows) != 3 {
		t.Fatalf("windows: %v", windows)
	}
	for _, w := range windows {
		p := b.get(w)
		says := p.says()
		for _, want := range []string{"Group 0", "Group 1", "What its people wrote", "Everything is bright to somebody like me", "Mean silhouette"} {
			if p.status != 200 || !strings.Contains(says, want) {
				t.Errorf("%s: status %d lacks %q", w, p.status, want)
			}
		}
		if strings.Count(p.body, "viewBox=\"0 0 680") != 3 || strings.Contains(p.body, "style=") {
			t.Errorf("%s: the map is missing or has styles of its own", w)
		}
		forEach(p.doc, "section", func(n *html.Node) { // nobody is shown in the other group
			if said := text(n); strings.Contains(said, "What its people wrote") {
				wrote := said[strings.Index(said, "What its people wrote"):]
				if strings.Contains(wrote, "is bright") == strings.Contains(wrote, "is dark") {
					t.Errorf("%s: a group wrote %s", w, wrote)
				}
			}
		})
	}
	if p := b.get("/admin/studies/small/questions/none"); p.status != 404 {
		t.Errorf("no such question: status %d", p.status)
	}
	files := b.get("/admin/studies/small/data/csv.zip").unpack(t)
	grouped := 0
	for name, content := range files {
		if strings.HasSuffix(name, "ratings.csv") {
			grouped = strings.Count(content, ",0,") + strings.Count(content, ",1,")
		}
	}
	if grouped == 0 {
		t.Errorf("no rating has a group in the download: %v", len(files))
	}
	viewer := ts.signedIn("viewer")
	if p := viewer.get(path); strings.Contains(p.body, "New run") || !strings.Contains(p.rows(), "model-alpha") {
		t.Error("a viewer can start an analysis, or not see one")
	}
}

func TestNumbersAreWrittenForPeople(t *testing.T) {
	for x, want := range map[float64]string{0.125: "0.12", -0.5: "−0.50", -0.001: "0.00", 1: "1.00", math.Inf(1): "–"} {
		if got := decimals(x); got != want {
			t.Errorf("%g is written %s, want %s", x, got, want)
		}
	}
	if got := decimals(math.NaN()); got != "–" {
		t.Errorf("an undefined number is written %s", got)
	}
	for want, d := range map[string]score.Difference{
		"+0.20 (p 0.03)": {Estimate: 0.2, PT: 0.03}, "−0.20 (p < 0.01)": {Estimate: -0.2, PT: 0.001}, "0.10": {Estimate: 0.1, PT: score.Undefined()},
	} {
		if got := difference(d); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
