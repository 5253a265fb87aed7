package setup_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/web/site"
	"overton/web/webtest"
)

// upload posts files to the page for a new study.
func upload(b *webtest.Browser, files map[string][]byte) webtest.Page {
	return b.UploadTo("/admin/studies/new", files)
}

func TestAStudyIsMadeFromItsFiles(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	withScraps := webtest.Renamed("packed")
	withScraps["../__MACOSX/._study.yaml"] = []byte("scrap")
	for slug, files := range map[string]map[string][]byte{
		"loose":  webtest.Renamed("loose"),
		"packed": {"study.zip": packed(t, "", webtest.Renamed("packed"))},
		"nested": {"Study.ZIP": packed(t, "my study/", webtest.Renamed("nested"))},
		"mac":    {"study.zip": packed(t, "mac/", map[string][]byte{".DS_Store": {1}, "study.yaml": webtest.Renamed("mac")["study.yaml"], "consent.md": []byte("Yes?"), "questions.csv": webtest.Renamed("mac")["questions.csv"], "responses.csv": webtest.Renamed("mac")["responses.csv"], "seeds.csv": webtest.Renamed("mac")["seeds.csv"]})},
	} {
		p := upload(b, files)
		if p.Status != http.StatusOK || p.URL.Path != "/admin/studies/"+slug+"/setup" || !strings.Contains(p.Says(), "This is a draft") {
			t.Errorf("%s: came to %s, status %d: %s", slug, p.URL, p.Status, p.Says())
			continue
		}
		row, err := ts.Store.Study(t.Context(), slug)
		if err != nil || row.Status != store.Draft {
			t.Errorf("%s: %+v, %v", slug, row, err)
		}
	}
	want, err := studyfile.Read(webtest.Renamed("nested"))
	if err != nil {
		t.Fatal(err)
	}
	if row, err := ts.Store.Study(t.Context(), "nested"); err != nil || row.Hash != want.Hash {
		t.Errorf("the files changed on the way: %s, want %s, %v", row.Hash, want.Hash, err)
	}
}

func TestEveryFaultOfAnUploadIsShown(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	files := webtest.Renamed("faulty")
	files["questions.csv"] = []byte("question_id,source,topic,question,option1,option_2\nqid-1,own,topic,<b>Why?</b>,A,B\n")
	files["study.yaml"] = bytes.Replace(files["study.yaml"], []byte("minutes: 12"), []byte("minutes: soon"), 1)
	p := upload(b, files)
	says := p.Says() + p.Rows()
	if p.Status != http.StatusUnprocessableEntity {
		t.Errorf("status %d", p.Status)
	}
	for _, want := range []string{"Not saved", "study.yaml 7 recruitment.minutes soon", "questions.csv 1", "option1", "option_1"} {
		if !strings.Contains(says, want) {
			t.Errorf("%q is not said: %s", want, says)
		}
	}
	if _, err := ts.Store.Study(t.Context(), "faulty"); err == nil {
		t.Error("a faulty study was saved")
	}

	many := webtest.Renamed("many")
	rows := "question_id,statement\n"
	for i := range 200 {
		rows += fmt.Sprintf("none-%d,text\n", i)
	}
	many["seeds.csv"] = []byte(rows)
	if says := upload(b, many).Says(); !strings.Contains(says, fmt.Sprintf("%d faults", 200)) || !strings.Contains(says, fmt.Sprintf("%d more rows of seeds.csv have faults", 150)) {
		t.Errorf("many faults: %.300s", says)
	}
}

func TestUploadsThatCannotBeReadSayWhy(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	for want, files := range map[string]map[string][]byte{
		"No file was sent":                {},
		"is not a .zip file that can":     {"study.zip": []byte("PK no")},
		"study.yaml is not in the study":  nil,
		"There are two files called":      {"a.zip": packed(t, "", map[string][]byte{"study.yaml": []byte("x")}), "study.yaml": []byte("x")},
		"There is a launched study with":  webtest.StudyFolder(nil),
		"larger than 64 MB together":      {"responses.csv": bytes.Repeat([]byte("x"), site.MaxUpload+1)},
		"larger than 256 MB once unpacke": {"study.zip": packed(t, "", map[string][]byte{"study.yaml": make([]byte, 256<<20+1)})},
	} {
		if files == nil {
			files = map[string][]byte{"consent.md": []byte("Yes?")}
			want = "study.yaml"
		}
		p := upload(b, files)
		if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says(), want) {
			t.Errorf("%q: status %d: %.400s", want, p.Status, p.Says())
		}
	}
	if p := b.Post("/admin/studies/new", nil); p.Status != http.StatusUnprocessableEntity {
		t.Errorf("an ordinary form: status %d", p.Status)
	}
}

func TestAStudysLife(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	upload(b, webtest.Renamed("other"))
	status := func() store.Status {
		t.Helper()
		row, err := ts.Store.Study(t.Context(), "other")
		if err != nil {
			t.Fatal(err)
		}
		return row.Status
	}
	for _, c := range []struct {
		to    store.Status
		http  int
		after store.Status
	}{
		{store.Closed, http.StatusConflict, store.Draft}, {"draft", http.StatusBadRequest, store.Draft}, {store.Running, http.StatusConflict, store.Draft},
		{"launch", http.StatusOK, store.Running}, {store.Running, http.StatusConflict, store.Running},
		{store.Paused, http.StatusOK, store.Paused}, {store.Running, http.StatusOK, store.Running},
		{store.Closed, http.StatusOK, store.Closed}, {store.Running, http.StatusConflict, store.Closed},
	} {
		p := webtest.Page{}
		if c.to == "launch" {
			p = launch(b, "other")
		} else {
			p = b.Post("/admin/studies/other/status", url.Values{"to": {string(c.to)}})
		}
		if p.Status != c.http || status() != c.after {
			t.Errorf("to %s: status %d, study is %s; want %d, %s", c.to, p.Status, status(), c.http, c.after)
		}
	}
	if statements, err := ts.Store.Statements(t.Context(), 2); err != nil || len(statements) != 9 {
		t.Errorf("%d seeds, %v", len(statements), err)
	}
	if p := b.Get("/admin/studies/nothing"); p.Status != http.StatusNotFound || !strings.Contains(p.Says(), "Study not found") || !strings.Contains(p.Body, "Sign out") {
		t.Errorf("a study that is not there: %d %s", p.Status, p.Says())
	}
}

func TestADraftThatWasNotedCanBeReplaced(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	for range 2 {
		if p := upload(b, webtest.Renamed("draft")); p.URL.Path != "/admin/studies/draft/setup" {
			t.Fatalf("saving the draft: %d %s", p.Status, p.Says())
		}
	}
	if rows := b.Get("/admin/studies/draft/log").Rows(); strings.Count(rows, "saved a draft") != 2 {
		t.Errorf("the log of the draft: %s", rows)
	}
}
