package watch_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"overton/internal/dataset/studyfile"
	"overton/web/webtest"
)

func TestTheDownloadHoldsTheDataAndNobodysIdentity(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.Finish(2)
	b := ts.SignedIn("researcher")
	if p := b.Get("/admin/studies/small/data/csv"); p.Status != http.StatusNotFound {
		t.Errorf("no such form: status %d", p.Status)
	}
	p := b.Get("/admin/studies/small/data/everything.zip")
	if got := p.Header.Get("Content-Disposition"); got != `attachment; filename="small-2026-03-01-everything.zip"` {
		t.Errorf("it is offered as %s", got)
	}
	files := p.Unpack(t)
	if !strings.Contains(files["small/manifest.json"], `"completed": 2`) {
		t.Errorf("the manifest says %s", files["small/manifest.json"])
	}
	for file, want := range map[string]string{"csv.zip": "small/ratings.csv", "jsonl.zip": "small/answers.jsonl", "parquet.zip": "small/wide.parquet",
		"polis.zip": "small/polis/qid-1/comments.csv", "overtonbench.zip": "small/overtonbench/overtonbench.csv"} {
		some := b.Get("/admin/studies/small/data/" + file).Unpack(t)
		if some[want] == "" || len(some) >= len(files) || files[want] != some[want] {
			t.Errorf("%s holds %d files, of %s %d bytes", file, len(some), want, len(some[want]))
		}
	}
	files["bundle.zip"] = fmt.Sprint(b.Get("/admin/studies/small/data/bundle.zip").Unpack(t))
	all := ""
	for _, content := range files {
		all += content
	}
	if !strings.Contains(all, "My view\nin two lines") {
		t.Error("the free responses are missing")
	}
	for _, secret := range []string{fmt.Sprintf("%024x", 1), fmt.Sprintf("%024x", 1001)} {
		if strings.Contains(all, secret) {
			t.Errorf("it holds %s", secret)
		}
	}
	if strings.Contains(files["bundle.zip"], "DONE1") {
		t.Error("the bundle holds a completion code")
	}

	own := studyfile.Files{}
	for name, content := range b.Get("/admin/studies/small/files.zip").Unpack(t) {
		own[strings.TrimPrefix(name, "small/")] = []byte(content)
	}
	if st, err := studyfile.Read(own); err != nil || st.Hash != ts.Study.Hash {
		t.Errorf("the study's own files are not what was launched: %v", err)
	}
}
