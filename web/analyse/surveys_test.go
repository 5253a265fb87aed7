package analyse_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"overton/web/webtest"
)

// opine walks people from the first to the last, who lean to one side or the
// other.
func opine(ts *webtest.Site, from, to int) {
	ts.T.Helper()
	for n := from; n <= to; n++ {
		b, p := ts.Begin(n)
		for range 40 {
			if p.Path() == "end" {
				break
			}
			answers := p.Answers("Nothing.")
			for name := range answers {
				switch {
				case name == "SEX":
					answers[name] = []string{"Male", "Female"}[n%2]
				case strings.HasPrefix(name, "V"):
					answers[name] = []string{"yes", "no", "some", "yes", "refused"}[n%5]
				}
			}
			p = b.Send(p, answers)
		}
		if p.Path() != "end" {
			ts.T.Fatalf("person %d stands at %s", n, p.Path())
		}
	}
}

// analyseSurveys posts fields and files, and waits for the result.
func analyseSurveys(b *webtest.Browser, fields map[string]string, files map[string][2]string) webtest.Page {
	b.T.Helper()
	const path = "/admin/studies/small/surveys"
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		form.WriteField(name, value)
	}
	for field, f := range files {
		w, err := form.CreateFormFile(field, f[0])
		if err != nil {
			b.T.Fatal(err)
		}
		w.Write([]byte(f[1]))
	}
	form.Close()
	r, err := http.NewRequest(http.MethodPost, b.HTTP.URL+path, &body)
	if err != nil {
		b.T.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	if p := b.Do(r); p.Status != http.StatusOK {
		return p
	}
	return b.Analysed(path)
}

const modelCSV = `model,question,option,probability
model-x,V1a,yes,3
model-x,V1a,refused,1
model-x,V2a,no,1
`

func TestSurveysAreAnalysedAndShown(t *testing.T) {
	t.Parallel()
	ts := webtest.ViewsSite(t)
	b := ts.SignedIn("researcher")
	if p := b.Get("/admin/studies/small/surveys"); !strings.Contains(p.Says(), "Nothing has been analysed yet") {
		t.Errorf("before: %s", p.Says())
	}
	if p := analyseSurveys(b, nil, nil); !strings.Contains(p.Says(), "Nobody has finished the study yet.") {
		t.Errorf("without anybody: %s", p.Says())
	}
	opine(ts, 1, 10)
	margins := [2]string{"population.csv", "variable,value,share\nSEX,Male,1\nSEX,Female,3\n"}
	p := analyseSurveys(b, nil, map[string][2]string{"margins": margins, "models-2": {"answers.csv", modelCSV}})
	says, rows := p.Says(), p.Rows()
	for _, want := range []string{"10 people who finished", "Views of the town", "About you", "SEX: Male 25 %, Female 75 %", "Socialism vs. Capitalism",
		"6 answers; not asked: 4", "items twice", "model-x", "Nearest groups"} {
		if !strings.Contains(says, want) {
			t.Errorf("the page does not say %q: %s", want, says)
		}
	}
	for _, want := range []string{"people ", "Male 25 %", "Female 75 %", "Refused 20 %"} {
		if !strings.Contains(rows, want) {
			t.Errorf("%q is missing in %s", want, rows)
		}
	}
	if strings.Contains(p.Body, "style=") || strings.Contains(p.Body, "NaN") {
		t.Error("the page has styles of its own, or NaN")
	}

	var items []string
	webtest.ForEach(p.Doc, "a", func(n *html.Node) {
		if href := webtest.Attribute(n, "href"); strings.Contains(href, "/surveys/") && !strings.Contains(href, "/figures/") {
			items = append(items, href)
		}
	})
	if len(items) != 12+9 {
		t.Fatalf("%d items: %v", len(items), items)
	}
	item := b.Get("/admin/studies/small/surveys/views.csv/V1a")
	for _, want := range []string{"Should the town care for matter 1.1", "Views of the town", "model-x", "Options in reverse"} {
		if !strings.Contains(item.Says(), want) {
			t.Errorf("the item's page does not say %q", want)
		}
	}
	if rows := item.Rows(); !strings.Contains(rows, "2 25 %") {
		t.Errorf("the model's refusals are missing in %s", rows)
	}
	for name, want := range map[string]string{"ideology.svg": "<svg", "item-V1a.csv": "V1a,model-x,model,yes,", "item-V1a.png": "PNG"} {
		if p := b.Get("/admin/studies/small/surveys/figures/views.csv/" + name); p.Status != http.StatusOK || !strings.Contains(p.Body, want) {
			t.Errorf("%s: status %d", name, p.Status)
		}
	}
	if p := b.Get("/admin/studies/small/surveys/figures/views.csv/none.svg"); p.Status != http.StatusNotFound {
		t.Errorf("no such figure: status %d", p.Status)
	}
	if p := b.Get("/admin/studies/small/surveys/views.csv/none"); p.Status != http.StatusNotFound {
		t.Errorf("no such item: status %d", p.Status)
	}

	// Again, without the weights and with the same model.
	p = analyseSurveys(b, map[string]string{"keep": "views.csv/answers.csv"}, nil)
	if says := p.Says(); strings.Contains(says, "Weighted to") || !strings.Contains(says, "model-x") {
		t.Error("the weights were kept, or the model was not")
	}
	viewer := ts.SignedIn("viewer")
	if p := viewer.Get("/admin/studies/small/surveys"); strings.Contains(p.Body, "Analyse again") || !strings.Contains(p.Rows(), "Female") {
		t.Error("a viewer can start an analysis, or not see one")
	}
}

func TestBadFilesForASurveyAreRefusedWhole(t *testing.T) {
	t.Parallel()
	ts := webtest.ViewsSite(t)
	opine(ts, 1, 2)
	b := ts.SignedIn("researcher")
	for want, files := range map[string]map[string][2]string{
		"is not a question of views.csv":   {"models-2": {"answers.csv", modelCSV + "model-x,V9,yes,1\n"}},
		"is not an item of the study":      {"margins": {"m.csv", "variable,value,share\nSHOE,big,1\n"}},
		"is not an option of question V1a": {"models-2": {"answers.csv", "model,question,option,probability\nm,V1a,perhaps,1\n"}},
		"POBS_m_1.json":                    {"models-2": {"POBS_m_1.json", "not json"}},
		"is missing":                       {"margins": {"m.csv", "variable,value\nSEX,Male\n"}},
	} {
		p := analyseSurveys(b, nil, files)
		if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says(), want) {
			t.Errorf("%q: status %d, %s", want, p.Status, p.Says())
		}
	}
	if p := b.Get("/admin/studies/small/surveys"); !strings.Contains(p.Says(), "Nothing has been analysed yet") {
		t.Error("something was analysed")
	}
}
