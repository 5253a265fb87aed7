package web_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"overton/internal/dataset/export"
	"overton/internal/store"
	"overton/web/webtest"
)

// follow clicks what leads to another page, and waits for that.
func follow(b *webtest.Tab, selector string) {
	b.T.Helper()
	b.Leave(func() { b.Do(chromedp.Click(chromedp.CSS(selector))) })
}

// followText clicks the first link or button within main that says a text.
func followText(b *webtest.Tab, says string) {
	b.T.Helper()
	b.Leave(func() {
		if !webtest.Evaluate[bool](b, fmt.Sprintf(`(() => { const e = [...document.querySelectorAll("main a, main button")].find((e) => e.textContent.trim() === %q); e?.click(); return !!e })()`, says)) {
			b.T.Fatalf("there is no %q on %s", says, b.Path())
		}
	})
}

// retype puts another text into a field.
func retype(b *webtest.Tab, selector, value string) {
	b.T.Helper()
	webtest.Evaluate[bool](b, fmt.Sprintf(`document.querySelector(%q).select(), true`, selector))
	b.Do(chromedp.SendKeys(chromedp.CSS(selector), value))
}

// shows fails unless the page says all of the words.
func shows(b *webtest.Tab, words ...string) {
	b.T.Helper()
	says := webtest.Evaluate[string](b, `document.querySelector("main").innerText.replace(/\s+/g, " ")`)
	for _, w := range words {
		if !strings.Contains(says, w) {
			b.T.Fatalf("%q is missing on %s: %s", w, b.Path(), says)
		}
	}
}

// figureIs is true once a section of the monitor shows a number.
func figureIs(section, name string, value int) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#live-%s .figures > div")].some((d) => d.querySelector("dt").textContent.trim() === %q && d.querySelector("dd").textContent.trim() === "%d")`, section, name, value)
}

// ownTables are the files of a question set with two questions, whose people
// find enough to vote on from the first.
func ownTables() map[string]string {
	questions, responses, seeds := "question_id,question,option_1,option_2\n", "question_id,model,llm_response\n", "question_id,statement\n"
	for _, q := range []string{"lamps", "noise"} {
		questions += q + ",What should the town do about " + q + "?,More of it,Less of it\n"
		responses += q + ",model-one,Some bright people say that the town should do more about " + q + ".\n" + q + ",model-two,Others say that the town should leave " + q + " alone.\n"
		for n := range 8 {
			seeds += fmt.Sprintf("%s,A %s thought about %s (%d)\n", q, []string{"bright", "dark"}[n%2], q, n)
		}
	}
	return map[string]string{"questions": questions, "responses": responses, "seeds": seeds}
}

func TestAStudyIsMadeWatchedAndTakenHomeInTheBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a whole study takes most of a minute")
	}
	in := webtest.NewInspector(t)
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.Tab(1280)
	const town = "/admin/studies/town"
	const people = 8
	look := func(name string) { t.Helper(); in.Look(b, "workspace "+name, 24) }
	// Pages that another test inspects are only photographed here.
	picture := func(name string) {
		t.Helper()
		if in.Photos != "" {
			look(name)
		}
	}

	b.SignIn("admin")
	b.Do(chromedp.Navigate(b.URL + "/admin"))
	followText(b, "New study")
	picture("01 new")
	b.Do(chromedp.SendKeys(chromedp.CSS("#example-title"), "Our town"), chromedp.SendKeys(chromedp.CSS("#example-slug"), "town"))
	followText(b, "Begin with the example")
	look("02 set up")

	// A title, by the page for basics.
	b.Do(chromedp.Navigate(b.URL + town + "/setup/study"))
	look("03 basics")
	retype(b, `[name="title"]`, "Our small town")
	followText(b, "Save")
	shows(b, "Our small town")
	for part, see := range map[string]func(string){
		"block-0": look, "text": look, "quotas": look,
		"recruitment": picture, "checks": picture, "block-1": picture, "block-2": picture, // of the same fields
	} {
		b.Do(chromedp.Navigate(b.URL + town + "/setup/" + part))
		see("04 " + part)
	}

	// A table with faults, then the right ones, by the file fields.
	dir := t.TempDir()
	give := func(names ...string) {
		t.Helper()
		b.Do(chromedp.Navigate(b.URL + town + "/setup/questions"))
		for _, name := range names {
			b.Do(chromedp.SetUploadFiles(chromedp.CSS("#"+name), []string{filepath.Join(dir, name+".csv")}))
		}
		followText(b, "Check and save")
	}
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.Do(chromedp.Navigate(b.URL + town + "/setup/questions"))
	look("05 questions")
	tables := ownTables()
	for name, content := range tables {
		write(name, content)
	}
	write("questions", strings.Replace(tables["questions"], "Less of it", "", 1))
	give("questions", "responses", "seeds")
	shows(b, "Not saved", "questions.csv: 1 fault ", "option_2 is empty")
	look("06 faults")
	write("questions", tables["questions"])
	give("questions", "responses", "seeds")

	// The numbers follow what is typed, before it is saved.
	b.Do(chromedp.Navigate(b.URL + town + "/setup/numbers"))
	needed := `document.querySelector("#plan dd strong").textContent`
	b.Until(needed + ` === "24"`)
	retype(b, `[name$="participants_per_question"]`, fmt.Sprint(people))
	b.Until(fmt.Sprintf(`%s === "%d"`, needed, people))
	look("07 numbers")
	followText(b, "Save")

	// Two pages of a preview, of which nothing is kept.
	followText(b, "Preview as a participant")
	look("08 preview")
	follow(b, "main form button[type=submit]")
	b.Until(`location.pathname.endsWith("/p/consent")`)
	follow(b, "button[value=yes]")
	b.Until(`location.pathname.endsWith("/p/survey1-1")`)
	picture("09 preview survey")
	follow(b, ".preview-bar a.button")

	b.Do(chromedp.Navigate(b.URL + town + "/launch"))
	look("10 before launch")
	webtest.Evaluate[bool](b, `document.querySelectorAll("main input[name=accept]").forEach((i) => i.click()), true`)
	followText(b, "Launch")
	if row, err := ts.Store.Study(t.Context(), "town"); err != nil || row.Status != store.Running {
		t.Fatalf("after the launch the study is %s, %v", row.Status, err)
	}

	// Virtual participants, while the monitor is open.
	b.Do(chromedp.Navigate(b.URL + town))
	b.Until(`document.querySelector("[data-live]").dataset.state === "on"`)
	b.Until(figureIs("people", "Arrived", 0))
	picture("11 empty monitor")
	webtest.Evaluate[bool](b, `window.stays = true`)
	for n := 1; n <= people; n++ {
		ts.TakeSides(webtest.VirtualArrival("town", n), n)
		if n == people/2 {
			b.Until(figureIs("virtual-people", "Complete", n))
		}
	}
	b.Until(figureIs("virtual-people", "Complete", people))
	if !webtest.Evaluate[bool](b, `window.stays === true`) {
		t.Error("the monitor was loaded again")
	}
	picture("12 monitor")

	// One statement is rejected by keys, with its reason.
	b.Do(chromedp.Navigate(b.URL + town + "/moderation?view=served"))
	picture("13 moderation")
	b.Keys("j")
	b.Keys("2")
	b.Leave(func() { b.Keys("r") })
	shows(b, "One statement was rejected.")
	b.Do(chromedp.Navigate(b.URL + town + "/moderation?view=rejected"))
	picture("14 rejected")
	if n := webtest.Evaluate[int](b, `document.querySelectorAll(".statement-card").length`); n != 1 {
		t.Errorf("%d statements are rejected", n)
	}

	// A run with a name, awaited where its progress is shown.
	b.Do(chromedp.Navigate(b.URL + town + "/analysis"))
	followText(b, "New run")
	picture("15 new run")
	b.Do(chromedp.SendKeys(chromedp.CSS("#name"), "first look"))
	b.Leave(func() { webtest.Evaluate[bool](b, `document.querySelector("#name").form.requestSubmit(), true`) })
	b.Until(`document.readyState === "complete" && !document.querySelector("[data-progress]") && document.querySelector("main").textContent.includes("model-one")`)
	shows(b, "first look", "model-two")
	picture("16 run")
	b.Do(chromedp.Navigate(b.URL + town + "/analysis"))
	picture("17 analysis")
	follow(b, `main a[href*="questions/lamps"]`)
	shows(b, "Group A", "Group B", "thought about lamps")
	picture("18 question")

	// What is taken home counts what the monitor showed.
	b.Do(chromedp.Navigate(b.URL + town + "/download"))
	picture("19 download")
	content, err := base64.StdEncoding.DecodeString(webtest.Evaluate[string](b, `fetch(document.querySelector(".downloads a").href).then((r) => r.bytes()).then((c) => btoa([...c].map((x) => String.fromCharCode(x)).join("")))`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	var manifest export.Manifest
	for _, f := range z.File {
		if filepath.Base(f.Name) == "manifest.json" {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if err := json.NewDecoder(r).Decode(&manifest); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The preview left nothing: nobody but the virtual participants ever came.
	if c := manifest.Counts; c.People.Submissions != 0 || c.Virtual.Submissions != people || c.Virtual.Status["completed"] != people || c.Virtual.Views != 2*people {
		t.Errorf("the export counts %+v", c)
	}

	b.Do(chromedp.Navigate(b.URL + town + "/versions"))
	followText(b, "Start a new version")
	b.Do(chromedp.Navigate(b.URL + town + "/versions"))
	look("20 versions")
	if in.Photos == "" {
		return
	}
	for _, page := range []string{"submissions", "progress", "submissions/" + "x", "judge", "surveys", "recruitment", "people", "log", "runs", "runs/compare", "setup"} {
		b.Do(chromedp.Navigate(b.URL + town + "/" + page))
		picture("21 " + page)
	}
	for _, page := range []string{"", "/models", "/account", "/accounts", "/log"} {
		b.Do(chromedp.Navigate(b.URL + "/admin" + page))
		picture("22 " + page)
	}
}
