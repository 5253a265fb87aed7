package analyse_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"overton/web/webtest"
)

func TestEveryAdminPageOfASurveyIsAccessible(t *testing.T) {
	t.Parallel()
	in := webtest.NewInspector(t)
	ts := webtest.ViewsSite(t)
	b := ts.Tab(1280)
	const path = "/admin/studies/small/surveys"
	b.SignIn("admin")
	visit := func(name, path string) {
		t.Helper()
		b.Do(chromedp.Navigate(b.URL + path))
		in.Look(b, "admin "+name, 24)
	}
	visit("empty surveys", path)
	visit("empty item", path+"/views.csv/V1a")
	opine(ts, 1, 16)
	margins := [2]string{"population.csv", "variable,value,share\nSEX,Male,49\nSEX,Female,51\n"}
	analyseSurveys(ts.SignedIn("admin"), nil, map[string][2]string{"margins": margins, "models-2": {"answers.csv", modelCSV}})
	visit("surveys", path)
	b.Do(chromedp.Click(chromedp.CSS("form summary")))
	in.Look(b, "admin surveys form", 24)
	visit("item", path+"/views.csv/V1a")
	visit("demographic item", path+"/us-demographics/SEX")
}
