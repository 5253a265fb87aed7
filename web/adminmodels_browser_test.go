package web

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

func TestPagesOfModelsAreAccessible(t *testing.T) {
	in := newInspector(t)
	ts, runs := modelsSite(t, campFolder(t))
	ts.camps(1, 12, false)
	ts.browserOf("admin").post("/admin/studies/small/analysis", nil)
	ts.browserOf("admin").analysed()
	predictions := ts.predicted()
	judgeRun(t, runs, "judge 1", predictions)
	link, err := ts.store.NewLink(t.Context(), ts.account("anna@example.org", "researcher"), time.Hour, false)
	if err != nil {
		t.Fatal(err)
	}
	b := ts.tab(1280)
	press := func(selector string) {
		t.Helper()
		b.leave(func() { b.do(chromedp.Click(chromedp.CSS(selector))) })
	}
	b.do(chromedp.Navigate(b.url + "/admin/link/" + link))
	press("main button")
	visit := func(name, path string) {
		t.Helper()
		b.do(chromedp.Navigate(b.url + path))
		in.look(b, "admin "+name, 24)
	}
	visit("model runs", "/admin/models")
	visit("model run", "/admin/models/first%20run")
	visit("model run without responses", "/admin/models/empty")
	visit("nothing rejected", "/admin/models/first%20run?view=rejected")
	visit("judge, none yet", "/admin/studies/small/judge")

	file := filepath.Join(t.TempDir(), "predictions.csv")
	if err := os.WriteFile(file, append(predictions, "x,qid-1,model-alpha,3,,1,0\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{file}))
	press("form.stack button")
	in.look(b, "admin judge with faults", 24)
	b.do(chromedp.SetValue(chromedp.CSS("#run"), "judge 1"))
	press("form.stack button")
	in.look(b, "admin judge", 24)
}
