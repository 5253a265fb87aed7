package web

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
)

// follow clicks what leads to another page, and waits for that.
func (b *tab) follow(selector string) {
	b.t.Helper()
	b.leave(func() { b.do(chromedp.Click(chromedp.CSS(selector))) })
}

// followText clicks the first link or button within main that says a text.
func (b *tab) followText(says string) {
	b.t.Helper()
	b.leave(func() {
		if !evaluate[bool](b, fmt.Sprintf(`(() => { const e = [...document.querySelectorAll("main a, main button")].find((e) => e.textContent.trim() === %q); e?.click(); return !!e })()`, says)) {
			b.t.Fatalf("there is no %q on %s", says, b.path())
		}
	})
}

// retype puts another text into a field.
func (b *tab) retype(selector, value string) {
	b.t.Helper()
	evaluate[bool](b, fmt.Sprintf(`document.querySelector(%q).select(), true`, selector))
	b.do(chromedp.SendKeys(chromedp.CSS(selector), value))
}

// shows fails unless the page says all of the words.
func (b *tab) shows(words ...string) {
	b.t.Helper()
	says := evaluate[string](b, `document.querySelector("main").innerText.replace(/\s+/g, " ")`)
	for _, w := range words {
		if !strings.Contains(says, w) {
			b.t.Fatalf("%q is missing on %s: %s", w, b.path(), says)
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
	if testing.Short() {
		t.Skip("a whole study takes most of a minute")
	}
	in := newInspector(t)
	ts := newSite(t, studyFolder(nil))
	b := ts.tab(1280)
	const town = "/admin/studies/town"
	const people = 8
	look := func(name string) { t.Helper(); in.look(b, "workspace "+name, 24) }
	// Pages that another test inspects are only photographed here.
	picture := func(name string) {
		t.Helper()
		if in.photos != "" {
			look(name)
		}
	}

	b.signIn("admin")
	b.do(chromedp.Navigate(b.url + "/admin"))
	b.followText("New study")
	picture("01 new")
	b.do(chromedp.SendKeys(chromedp.CSS("#example-title"), "Our town"), chromedp.SendKeys(chromedp.CSS("#example-slug"), "town"))
	b.followText("Begin with the example")
	look("02 set up")

	// A title, by the page for basics.
	b.do(chromedp.Navigate(b.url + town + "/setup/study"))
	look("03 basics")
	b.retype(`[name="title"]`, "Our small town")
	b.followText("Save")
	b.shows("Our small town")
	for part, see := range map[string]func(string){
		"block-0": look, "text": look, "quotas": look,
		"recruitment": picture, "checks": picture, "block-1": picture, "block-2": picture, // of the same fields
	} {
		b.do(chromedp.Navigate(b.url + town + "/setup/" + part))
		see("04 " + part)
	}

	// A table with faults, then the right ones, by the file fields.
	dir := t.TempDir()
	give := func(names ...string) {
		t.Helper()
		b.do(chromedp.Navigate(b.url + town + "/setup/questions"))
		for _, name := range names {
			b.do(chromedp.SetUploadFiles(chromedp.CSS("#"+name), []string{filepath.Join(dir, name+".csv")}))
		}
		b.followText("Check and save")
	}
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.do(chromedp.Navigate(b.url + town + "/setup/questions"))
	look("05 questions")
	tables := ownTables()
	for name, content := range tables {
		write(name, content)
	}
	write("questions", strings.Replace(tables["questions"], "Less of it", "", 1))
	give("questions", "responses", "seeds")
	b.shows("Not saved", "questions.csv: 1 fault ", "option_2 is empty")
	look("06 faults")
	write("questions", tables["questions"])
	give("questions", "responses", "seeds")

	// The numbers follow what is typed, before it is saved.
	b.do(chromedp.Navigate(b.url + town + "/setup/numbers"))
	needed := `document.querySelector("#plan dd strong").textContent`
	b.until(needed + ` === "24"`)
	b.retype(`[name$="participants_per_question"]`, fmt.Sprint(people))
	b.until(fmt.Sprintf(`%s === "%d"`, needed, people))
	look("07 numbers")
	b.followText("Save")

	// Two pages of a preview, of which nothing is kept.
	b.followText("Preview as a participant")
	look("08 preview")
	b.follow("main form button[type=submit]")
	b.until(`location.pathname.endsWith("/p/consent")`)
	b.follow("button[value=yes]")
	b.until(`location.pathname.endsWith("/p/survey1-1")`)
	picture("09 preview survey")
	b.follow(".preview-bar a.button")

	b.do(chromedp.Navigate(b.url + town + "/launch"))
	look("10 before launch")
	evaluate[bool](b, `document.querySelectorAll("main input[name=accept]").forEach((i) => i.click()), true`)
	b.followText("Launch")
	if row, err := ts.store.Study(t.Context(), "town"); err != nil || row.Status != store.Running {
		t.Fatalf("after the launch the study is %s, %v", row.Status, err)
	}

	// Virtual participants, while the monitor is open.
	b.do(chromedp.Navigate(b.url + town))
	b.until(`document.querySelector("[data-live]").dataset.state === "on"`)
	b.until(figureIs("people", "Arrived", 0))
	picture("11 empty monitor")
	evaluate[bool](b, `window.stays = true`)
	for n := 1; n <= people; n++ {
		ts.takeSides(virtualArrival("town", n), n)
		if n == people/2 {
			b.until(figureIs("virtual-people", "Complete", n))
		}
	}
	b.until(figureIs("virtual-people", "Complete", people))
	if !evaluate[bool](b, `window.stays === true`) {
		t.Error("the monitor was loaded again")
	}
	picture("12 monitor")

	// One statement is rejected by keys, with its reason.
	b.do(chromedp.Navigate(b.url + town + "/moderation?view=served"))
	picture("13 moderation")
	b.keys("j")
	b.keys("2")
	b.leave(func() { b.keys("r") })
	b.shows("One statement was rejected.")
	b.do(chromedp.Navigate(b.url + town + "/moderation?view=rejected"))
	picture("14 rejected")
	if n := evaluate[int](b, `document.querySelectorAll(".statement-card").length`); n != 1 {
		t.Errorf("%d statements are rejected", n)
	}

	// A run with a name, awaited where its progress is shown.
	b.do(chromedp.Navigate(b.url + town + "/analysis"))
	b.followText("New run")
	picture("15 new run")
	b.do(chromedp.SendKeys(chromedp.CSS("#name"), "first look"))
	b.leave(func() { evaluate[bool](b, `document.querySelector("#name").form.requestSubmit(), true`) })
	b.until(`document.readyState === "complete" && !document.querySelector("[data-progress]") && document.querySelector("main").textContent.includes("model-one")`)
	b.shows("first look", "model-two")
	picture("16 run")
	b.do(chromedp.Navigate(b.url + town + "/analysis"))
	picture("17 analysis")
	b.follow(`main a[href*="questions/lamps"]`)
	b.shows("Group 0", "Group 1", "thought about lamps")
	picture("18 question")

	// What is taken home counts what the monitor showed.
	b.do(chromedp.Navigate(b.url + town + "/download"))
	picture("19 download")
	content, err := base64.StdEncoding.DecodeString(evaluate[string](b, `fetch(document.querySelector(".downloads a").href).then((r) => r.bytes()).then((c) => btoa([...c].map((x) => String.fromCharCode(x)).join("")))`, chromedp.EvalAwaitPromise))
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

	b.do(chromedp.Navigate(b.url + town + "/versions"))
	b.followText("Begin a new version")
	b.do(chromedp.Navigate(b.url + town + "/versions"))
	look("20 versions")
	if in.photos == "" {
		return
	}
	for _, page := range []string{"submissions", "progress", "submissions/" + "x", "judge", "surveys", "recruitment", "people", "log", "runs", "runs/compare", "setup"} {
		b.do(chromedp.Navigate(b.url + town + "/" + page))
		picture("21 " + page)
	}
	for _, page := range []string{"", "/models", "/account", "/accounts", "/log"} {
		b.do(chromedp.Navigate(b.url + "/admin" + page))
		picture("22 " + page)
	}
}
