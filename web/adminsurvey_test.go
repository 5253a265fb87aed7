package web

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// viewsCSV is an instrument of the topics that make the ideological axes.
func viewsCSV() []byte {
	var b strings.Builder
	b.WriteString("item,text,topics,option,label,polarity,mark,ask_if\n")
	for t, topic := range []string{"Individualism vs. Collectivism", "Socialism vs. Capitalism", "Environmentalism vs. Industrialism"} {
		for i := range 3 {
			id := fmt.Sprintf("V%d%c", t+1, 'a'+i)
			ask := ""
			if i == 2 { // the last of a topic is asked only after one of two answers
				ask = fmt.Sprintf("V%da = yes | some", t+1)
			}
			fmt.Fprintf(&b, "%s,Should the town care for matter %d.%d more than it does?,%s,yes,Yes and soon,%d,,%s\n", id, t+1, i+1, topic, 1-2*(i%2), ask)
			fmt.Fprintf(&b, ",,,some,To some extent,0,,\n,,,no,\"No, not at all\",%d,,\n,,,refused,Refused,,refusal,\n", 2*(i%2)-1)
		}
	}
	return []byte(b.String())
}

// viewsSite is a study that asks demographics and views, some of them again.
func viewsSite(t *testing.T) *testSite {
	folder := studyFolder(func(yaml string) string {
		yaml = strings.Replace(noChecks(yaml), "  - survey: {instrument: us-demographics}\n", "  - survey: {instrument: us-demographics}\n  - survey: {instrument: views.csv, title: Views of the town, items_per_page: topic, repeat: 2, order: reversed_half}\n", 1)
		from, to := strings.Index(yaml, "  - overton:"), strings.Index(yaml, "  - feedback")
		return yaml[:from] + yaml[to:]
	})
	folder["views.csv"] = viewsCSV()
	for _, name := range []string{"questions.csv", "responses.csv", "seeds.csv"} {
		delete(folder, name)
	}
	return newSite(t, folder)
}

// opine walks people from the first to the last, who lean to one side or the
// other.
func (ts *testSite) opine(from, to int) {
	ts.t.Helper()
	for n := from; n <= to; n++ {
		b, p := ts.begin(n)
		for range 40 {
			if p.path() == "end" {
				break
			}
			answers := p.answers("Nothing.")
			for name := range answers {
				switch {
				case name == "SEX":
					answers[name] = []string{"Male", "Female"}[n%2]
				case strings.HasPrefix(name, "V"):
					answers[name] = []string{"yes", "no", "some", "yes", "refused"}[n%5]
				}
			}
			p = b.send(p, answers)
		}
		if p.path() != "end" {
			ts.t.Fatalf("person %d stands at %s", n, p.path())
		}
	}
}

// analyseSurveys posts fields and files, and waits for the result.
func (b *browser) analyseSurveys(fields map[string]string, files map[string][2]string) page {
	b.t.Helper()
	const path = "/admin/studies/small/surveys"
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		form.WriteField(name, value)
	}
	for field, f := range files {
		w, err := form.CreateFormFile(field, f[0])
		if err != nil {
			b.t.Fatal(err)
		}
		w.Write([]byte(f[1]))
	}
	form.Close()
	r, err := http.NewRequest(http.MethodPost, b.http.URL+path, &body)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	p := b.do(r)
	for deadline := time.Now().Add(time.Minute); p.status == http.StatusOK && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if p = b.get(path); !strings.Contains(p.body, "An analysis is running") {
			return p
		}
	}
	return p
}

const modelCSV = `model,question,option,probability
model-x,V1a,yes,3
model-x,V1a,refused,1
model-x,V2a,no,1
`

func TestSurveysAreAnalysedAndShown(t *testing.T) {
	ts := viewsSite(t)
	b := ts.signedIn("researcher")
	if p := b.get("/admin/studies/small/surveys"); !strings.Contains(p.says(), "Nothing has been analysed yet") {
		t.Errorf("before: %s", p.says())
	}
	if p := b.analyseSurveys(nil, nil); !strings.Contains(p.says(), "Nobody has finished the study yet.") {
		t.Errorf("without anybody: %s", p.says())
	}
	ts.opine(1, 10)
	margins := [2]string{"population.csv", "variable,value,share\nSEX,Male,1\nSEX,Female,3\n"}
	p := b.analyseSurveys(nil, map[string][2]string{"margins": margins, "models-2": {"answers.csv", modelCSV}})
	says, rows := p.says(), p.rows()
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
	if strings.Contains(p.body, "style=") || strings.Contains(p.body, "NaN") {
		t.Error("the page has styles of its own, or NaN")
	}

	var items []string
	forEach(p.doc, "a", func(n *html.Node) {
		if href := attribute(n, "href"); strings.Contains(href, "/surveys/") && !strings.Contains(href, "/figures/") {
			items = append(items, href)
		}
	})
	if len(items) != 12+9 {
		t.Fatalf("%d items: %v", len(items), items)
	}
	item := b.get("/admin/studies/small/surveys/views.csv/V1a")
	for _, want := range []string{"Should the town care for matter 1.1", "Views of the town", "model-x", "Options in reverse"} {
		if !strings.Contains(item.says(), want) {
			t.Errorf("the item's page does not say %q", want)
		}
	}
	if rows := item.rows(); !strings.Contains(rows, "2 25 %") {
		t.Errorf("the model's refusals are missing in %s", rows)
	}
	for name, want := range map[string]string{"ideology.svg": "<svg", "item-V1a.csv": "V1a,model-x,model,yes,", "item-V1a.png": "PNG"} {
		if p := b.get("/admin/studies/small/surveys/figures/views.csv/" + name); p.status != http.StatusOK || !strings.Contains(p.body, want) {
			t.Errorf("%s: status %d", name, p.status)
		}
	}
	if p := b.get("/admin/studies/small/surveys/figures/views.csv/none.svg"); p.status != http.StatusNotFound {
		t.Errorf("no such figure: status %d", p.status)
	}
	if p := b.get("/admin/studies/small/surveys/views.csv/none"); p.status != http.StatusNotFound {
		t.Errorf("no such item: status %d", p.status)
	}

	// Again, without the weights and with the same model.
	p = b.analyseSurveys(map[string]string{"keep": "views.csv/answers.csv"}, nil)
	if says := p.says(); strings.Contains(says, "Weighted to") || !strings.Contains(says, "model-x") {
		t.Error("the weights were kept, or the model was not")
	}
	viewer := ts.signedIn("viewer")
	if p := viewer.get("/admin/studies/small/surveys"); strings.Contains(p.body, "Analyse again") || !strings.Contains(p.rows(), "Female") {
		t.Error("a viewer can start an analysis, or not see one")
	}
}

func TestBadFilesForASurveyAreRefusedWhole(t *testing.T) {
	ts := viewsSite(t)
	ts.opine(1, 2)
	b := ts.signedIn("researcher")
	for want, files := range map[string]map[string][2]string{
		"is not a question of views.csv":  {"models-2": {"answers.csv", modelCSV + "model-x,V9,yes,1\n"}},
		"is no item of the study":      {"margins": {"m.csv", "variable,value,share\nSHOE,big,1\n"}},
		"is not an option of question V1a": {"models-2": {"answers.csv", "model,question,option,probability\nm,V1a,perhaps,1\n"}},
		"POBS_m_1.json":                {"models-2": {"POBS_m_1.json", "not json"}},
		"is missing":                   {"margins": {"m.csv", "variable,value\nSEX,Male\n"}},
	} {
		p := b.analyseSurveys(nil, files)
		if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says(), want) {
			t.Errorf("%q: status %d, %s", want, p.status, p.says())
		}
	}
	if p := b.get("/admin/studies/small/surveys"); !strings.Contains(p.says(), "Nothing has been analysed yet") {
		t.Error("something was analysed")
	}
}
