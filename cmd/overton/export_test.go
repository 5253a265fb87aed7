package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overton/internal/dataset"
	"overton/internal/dataset/export"
	"overton/internal/dataset/studyfile"
	"overton/internal/dataset/votes"
	"overton/internal/store"
	"overton/internal/study"
	"overton/internal/window"
)

const (
	prolificID   = "5f0123456789abcdef012345"
	submissionID = "6a0123456789abcdef012345"
)

// walked is a database in which one person went through the example study to
// its end, and another stopped after consent. It returns what the first sent.
func walked(t *testing.T) (path string, sent map[study.Key]string) {
	t.Helper()
	ctx := context.Background()
	path = filepath.Join(t.TempDir(), "o.db")
	dir := filepath.Join(t.TempDir(), "mine")
	for _, args := range [][]string{{"study", "new", dir}, {"study", "launch", dir, "--db", path}} {
		if code, _, errs := overtonCmd(args...); code != 0 {
			t.Fatal(errs)
		}
	}
	db, err := store.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	st, err := studyfile.Read(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	row, err := db.Study(ctx, st.Slug)
	if err != nil {
		t.Fatal(err)
	}
	sent = map[study.Key]string{}
	for person, arrival := range []store.Arrival{
		{Participant: prolificID, Submission: submissionID, Study: "s"},
		{Participant: "600123456789abcdef012345", Submission: "other", Study: "s"},
	} {
		pages := []int{1000, 1}[person]
		token, err := db.Start(ctx, &st.Study, row.ID, arrival)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := db.Position(ctx, &st.Study, token)
		for n := 0; err == nil && n < pages && pos.Step.Kind != study.StepEnd; n++ {
			form := map[string]string{}
			for i, f := range pos.Step.Fields {
				form[f.Name] = "=view, \"quoted\"\nand more"
				if f.Options != nil {
					form[f.Name] = f.Options[(n+i)%len(f.Options)]
				}
				if f.Key.Kind == study.KindConsent {
					form[f.Name] = study.Yes
				}
				if person == 0 {
					sent[f.Key] = form[f.Name]
				}
			}
			var problems []study.Problem
			pos, problems, err = db.Submit(ctx, &st.Study, token, pos.Step.Path, func(name string) string { return form[name] }, store.Timing{})
			if len(problems) > 0 {
				t.Fatalf("%v", problems)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if person == 0 && pos.Step.Kind != study.StepEnd {
			t.Fatalf("the person stands at %s", pos.Step.Path)
		}
		if person == 0 {
			run := `{"questions": [{"question": "` + pos.Progress.Slots[0].Question + `", "participants": [{"id": "` + pos.Pseudonym + `", "group": 3}]}]}`
			if _, err := db.SaveRun(ctx, row.ID, "window", []byte(run)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return path, sent
}

func TestExportHoldsWhatWasSent(t *testing.T) {
	db, sent := walked(t)
	dir := filepath.Join(t.TempDir(), "out")
	code, out, errs := overtonCmd("export", "--db", db, "--study", "example", "--out", dir)
	if code != 0 {
		t.Fatal(errs)
	}
	content, err := os.ReadFile(filepath.Join(dir, "answers.csv"))
	if err != nil {
		t.Fatal(err)
	}
	answers, err := dataset.ReadTable("answers.csv", content)
	if err != nil {
		t.Fatal(err)
	}
	got := map[study.Key]string{}
	for _, row := range answers.Rows {
		if row[0] == answers.Rows[0][0] {
			got[study.Key{Kind: study.Kind(row[2]), Scope: row[3], Subject: row[4]}] = row[5]
		}
	}
	if len(got) != len(sent) {
		t.Errorf("%d answers in the export, %d were sent", len(got), len(sent))
	}
	for key, value := range sent {
		if got[key] != value {
			t.Errorf("%s: %q in the export, %q was sent", key, got[key], value)
		}
	}
	var m export.Manifest
	content, err = os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(content, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	if p := m.Counts.People; p.Submissions != 2 || p.Status["completed"] != 1 || p.Status["in_progress"] != 1 || p.Views != 2 || p.Ratings != 4 {
		t.Errorf("counts %+v", p)
	}
	if !strings.Contains(out, "free responses") {
		t.Errorf("told %q", out)
	}
	ratings, err := os.ReadFile(filepath.Join(dir, "ratings.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := votes.ReadRatings("ratings.csv", ratings, votes.DefaultGroupColumn)
	if err != nil {
		t.Fatal(err)
	}
	grouped := 0
	for _, r := range rows.Rows {
		if r.Group == "3" {
			grouped++
		}
	}
	if len(rows.Rows) != 4 || grouped != 2 {
		t.Errorf("%d ratings, %d with the group of the analysis", len(rows.Rows), grouped)
	}
}

func TestExportKnowsNobody(t *testing.T) {
	db, _ := walked(t)
	dir := filepath.Join(t.TempDir(), "out")
	if code, _, errs := overtonCmd("export", "--db", db, "--study", "example", "--out", dir, "--format", "csv,jsonl"); code != 0 {
		t.Fatal(errs)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{prolificID, submissionID} {
			if bytes.Contains(content, []byte(id)) {
				t.Errorf("%s holds %s", entry.Name(), id)
			}
		}
	}
}

func TestExportExitStatus(t *testing.T) {
	db, _ := walked(t)
	out := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{2, []string{"--db", db}, "either --out or --bundle"},
		{1, []string{"--db", db, "--study", "other", "--out", out}, "not found"},
		{1, []string{"--db", db + "x", "--study", "example", "--out", out}, "there is no database"},
		{1, []string{"--db", db, "--study", "example", "--out", out, "--format", "xls"}, `no format is called "xls"`},
	} {
		code, _, errs := overtonCmd(append([]string{"export"}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: status %d, %s; want %d, %s", c.args, code, errs, c.code, c.want)
		}
	}
}

func TestABundleIsReproducedFromTheCommandLine(t *testing.T) {
	db, _ := walked(t)
	withStoreOf(t, db, func(s *store.Store) {
		row, st, err := window.LoadStudy(t.Context(), s, "example")
		if err != nil {
			t.Fatal(err)
		}
		o := window.DefaultSurveyOptions()
		o.Bootstrap = 20
		surveys, err := window.AnalyseSurveys(t.Context(), s, row, st, o, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := window.RecordSurveys(t.Context(), s, row, surveys); err != nil {
			t.Fatal(err)
		}
	})
	path := filepath.Join(t.TempDir(), "b.zip")
	code, out, errs := overtonCmd("export", "--db", db, "--study", "example", "--bundle", path)
	if code != 0 || !strings.Contains(out, "Analyses in it: 1.") || !strings.Contains(out, "left out: run 1 (window)") {
		t.Fatalf("status %d: %s%s", code, out, errs)
	}
	if code, _, errs := overtonCmd("export", "--db", db, "--study", "example", "--bundle", path); code != 1 || !strings.Contains(errs, "move it away first") {
		t.Errorf("a file is overwritten: %d %s", code, errs)
	}
	if code, out, errs := overtonCmd("reproduce", path); code != 0 || !strings.Contains(out, "run 2 (survey): same\n") {
		t.Errorf("status %d: %s%s", code, out, errs)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.zip")
	if err := os.WriteFile(other, repacked(t, content, "answers.jsonl", `"kind":"survey"`, `"kind":"other"`), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, _ = overtonCmd("reproduce", other, "--json", "-")
	var r window.Reproduction
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 1 || r.Same || r.Runs[0].Same || r.Runs[0].SameInput || len(r.Changed) == 0 {
		t.Errorf("status %d, %v: %s", code, err, out)
	}
	if code, _, errs := overtonCmd("reproduce", db); code != 1 || !strings.Contains(errs, "not a whole .zip archive") {
		t.Errorf("a database as a bundle: %d %s", code, errs)
	}
}

func withStoreOf(t *testing.T, path string, do func(*store.Store)) {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	do(s)
}

// repacked replaces the first of a text in a file of an archive.
func repacked(t *testing.T, archive []byte, name, from, to string) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, name) {
			content = bytes.Replace(content, []byte(from), []byte(to), 1)
		}
		into, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		into.Write(content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
