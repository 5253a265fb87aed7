package web

import (
	"testing"

	"github.com/chromedp/chromedp"
)

func TestEveryAdminPageOfASurveyIsAccessible(t *testing.T) {
	in := newInspector(t)
	ts := viewsSite(t)
	link, err := ts.store.NewLink(t.Context(), ts.account("anna@example.org", "admin"), signInLife, false)
	if err != nil {
		t.Fatal(err)
	}
	b := ts.tab(1280)
	const path = "/admin/studies/small/surveys"
	b.do(chromedp.Navigate(b.url + "/admin/link/" + link))
	b.leave(func() { b.do(chromedp.Click(chromedp.CSS("main button"))) })
	visit := func(name, path string) {
		t.Helper()
		b.do(chromedp.Navigate(b.url + path))
		in.look(b, "admin "+name, 24)
	}
	visit("empty surveys", path)
	visit("empty item", path+"/views.csv/V1a")
	ts.opine(1, 16)
	margins := [2]string{"population.csv", "variable,value,share\nSEX,Male,49\nSEX,Female,51\n"}
	ts.browserOf("admin").analyseSurveys(nil, map[string][2]string{"margins": margins, "models-2": {"answers.csv", modelCSV}})
	visit("surveys", path)
	b.do(chromedp.Click(chromedp.CSS("form summary")))
	in.look(b, "admin surveys form", 24)
	visit("item", path+"/views.csv/V1a")
	visit("demographic item", path+"/us-demographics/SEX")
}
