package analyse_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"overton/web/webtest"
)

func TestPagesOfModelsAreAccessible(t *testing.T) {
	t.Parallel()
	in := webtest.NewInspector(t)
	ts, runs := webtest.ModelsSite(t, webtest.CampFolder(t))
	ts.Camps(1, 12, false)
	ts.SignedIn("admin").Post("/admin/studies/small/analysis", nil)
	ts.SignedIn("admin").Analysed("/admin/studies/small/analysis")
	predictions := predicted(ts)
	judgeRun(t, runs, "judge 1", predictions)
	b := ts.Tab(1280)
	press := func(selector string) {
		t.Helper()
		b.Leave(func() { b.Do(chromedp.Click(chromedp.CSS(selector))) })
	}
	b.SignIn("researcher")
	visit := func(name, path string) {
		t.Helper()
		b.Do(chromedp.Navigate(b.URL + path))
		in.Look(b, "admin "+name, 24)
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
	b.Do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{file}))
	press("form.stack button")
	in.Look(b, "admin judge with faults", 24)
	b.Do(chromedp.SetValue(chromedp.CSS("#run"), "judge 1"))
	press("form.stack button")
	ts.SignedIn("researcher").Analysed("/admin/studies/small/judge")
	visit("judge", "/admin/studies/small/judge")
}
