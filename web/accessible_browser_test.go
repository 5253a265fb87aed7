package web_test

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"overton/internal/dataset/studyfile"
	"overton/web/webtest"
)

func TestEveryAdminPageIsAccessible(t *testing.T) {
	t.Parallel()
	in := webtest.NewInspector(t)
	ts := webtest.New(t, webtest.CampFolder(t))
	link, err := ts.Store.NewLink(t.Context(), ts.Account("anna@example.org", "admin"), time.Hour, false)
	if err != nil {
		t.Fatal(err)
	}
	b := ts.Tab(1280)
	visit := func(name, path string) {
		t.Helper()
		b.Do(chromedp.Navigate(b.URL + path))
		in.Look(b, "admin "+name, 24)
	}
	press := func(selector string) {
		t.Helper()
		b.Leave(func() { b.Do(chromedp.Click(chromedp.CSS(selector))) })
	}
	visit("sign-in", "/admin")
	b.Do(chromedp.SendKeys(chromedp.CSS("#email"), "anna@example.org"), chromedp.SendKeys(chromedp.CSS("#password"), "wrong"))
	press("main button")
	in.Look(b, "admin sign-in refused", 24)
	visit("link", "/admin/link/"+link)
	press("main button")
	in.Look(b, "admin password", 24)
	b.Do(chromedp.SendKeys(chromedp.CSS("#new"), webtest.GoodPassword), chromedp.SendKeys(chromedp.CSS("#again"), "another one, longer"))
	press("main button[type=submit]")
	in.Look(b, "admin password refused", 24)

	const small = "/admin/studies/small"
	visit("empty monitor", small)
	visit("empty moderation", small+"/moderation")
	visit("empty analysis", small+"/analysis")
	visit("empty question", small+"/questions/qid-1")
	ts.Camps(1, 24, false)
	ts.Camps(101, 104, true)
	half, p := ts.Begin(50)
	half.Walk(p, "p/q1-response1")
	ts.SignedIn("admin").Post(small+"/analysis", nil)
	ts.SignedIn("admin").Analysed(small + "/analysis")
	visit("studies", "/admin")
	visit("monitor", small)
	visit("all questions", small+"/progress")
	visit("submissions", small+"/submissions")
	visit("no submissions", small+"/submissions?find=nobody")
	visit("submission", small+"/submissions/"+ts.Records()[0].Pseudonym)
	ts.SignedIn("moderator").Post(small+"/moderation", url.Values{"do": {"reject-marked"}, "statement": {"12", "13"}, "reason": {"off_topic"}, "note": {"is about the weather"}})
	visit("moderation", small+"/moderation?done=2&what=reject&batch=1")
	visit("rejected", small+"/moderation?view=rejected")
	visit("analysis", small+"/analysis")
	visit("question", small+"/questions/qid-1")
	visit("download", small+"/download")
	visit("recruitment", small+"/recruitment")
	b.Do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{prolificFile(t, "APPROVED", "RETURNED", "TIMED-OUT")}))
	press("main form button")
	in.Look(b, "admin recruitment read", 24)
	visit("accounts", "/admin/accounts")
	b.Do(chromedp.SendKeys(chromedp.CSS("#email"), "ben@example.org"), chromedp.Click(chromedp.CSS("input[value=moderator]")))
	press("form.stack button")
	in.Look(b, "admin account made", 24)
	visit("account", "/admin/account")
	b.Do(chromedp.SendKeys(chromedp.CSS("#name"), "my laptop"))
	press("form.stack button")
	in.Look(b, "admin token made", 24)
	visit("log", "/admin/log")
	visit("study log", small+"/log")
	visit("people alone", small+"/people")
	b.Do(chromedp.SendKeys(chromedp.CSS("#email"), "cleo@example.org"), chromedp.Click(chromedp.CSS("input[value=researcher]")))
	press("form.stack button")
	in.Look(b, "admin people invited", 24)
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
		b.Do(chromedp.Navigate(b.URL+"/admin/studies/new"), chromedp.SetUploadFiles(chromedp.CSS("#files"), paths))
		press("form[enctype] button")
	}
	visit("new study", "/admin/studies/new")
	faulty := webtest.Renamed("other")
	faulty["questions.csv"] = bytes.Replace(faulty["questions.csv"], []byte("All for it 1"), nil, 1)
	faulty["responses.csv"] = bytes.Replace(faulty["responses.csv"], []byte("qid-2,model-beta"), []byte("qid-9,model-beta"), 1)
	give(faulty)
	in.Look(b, "admin faults", 24)
	give(webtest.Renamed("other"))
	in.Look(b, "admin draft", 24)
	visit("before launch", "/admin/studies/other/launch")
	webtest.Evaluate[bool](b, `(() => { document.querySelectorAll("input[name=accept]").forEach(i => i.click()); return true })()`)
	press("main form button[type=submit]")
	if row, err := ts.Store.Study(t.Context(), "other"); err != nil || row.Status != "running" {
		t.Errorf("after launching in the browser the study is %s, %v", row.Status, err)
	}
}

func prolificFile(t *testing.T, statuses ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prolific_export_1.csv")
	if err := os.WriteFile(path, webtest.ProlificExport(statuses...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
