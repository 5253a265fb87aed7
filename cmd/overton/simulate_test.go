package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overton/internal/dataset/studyfile"
	"overton/internal/sim"
	"overton/internal/store"
	"overton/web"
)

func TestSimulateRehearsesAStudy(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	study, db := filepath.Join(dir, "study"), filepath.Join(dir, "test.db")
	overton := func(args ...string) (code int, out string) {
		var stdout, stderr bytes.Buffer
		code = run(ctx, args, &stdout, &stderr)
		return code, stdout.String() + stderr.String()
	}
	for _, args := range [][]string{{"study", "new", study}, {"study", "launch", study, "--db", db}} {
		if code, out := overton(args...); code != 0 {
			t.Fatalf("%v: %d\n%s", args, code, out)
		}
	}
	st, err := studyfile.Read(os.DirFS(study))
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	handler, err := web.New(ctx, web.Config{Store: s, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()

	truthFile := filepath.Join(dir, "truth.json")
	code, out := overton("simulate", "--url", server.URL, "--study", st.Slug, "--participants", "3", "--seed", "4", "--truth", truthFile)
	if code != 0 || !strings.Contains(out, "3 of 3") {
		t.Errorf("%d\n%s", code, out)
	}
	content, err := os.ReadFile(truthFile)
	if err != nil {
		t.Fatal(err)
	}
	var truth sim.Truth
	if err := json.Unmarshal(content, &truth); err != nil {
		t.Fatal(err)
	}
	if len(truth.People) != 3 || truth.Seed != 4 || len(truth.People[0].Answers) < 5 {
		t.Errorf("%d people, seed %d", len(truth.People), truth.Seed)
	}

	for _, c := range []struct {
		code int
		args []string
		says string
	}{
		{2, []string{"--url", server.URL}, "--study"},
		{1, []string{"--url", server.URL, "--study", "nothing", "--participants", "1"}, "there is no study"},
		{1, []string{"--url", server.URL, "--study", st.Slug, "--participants", "3", "--seed", "4"}, "another seed"},
		{1, []string{"--url", "http://127.0.0.1:1", "--study", st.Slug, "--participants", "1"}, "refused"},
		{1, []string{"--url", server.URL, "--study", st.Slug, "--participants", "1", "--opinions", filepath.Join(dir, "none.csv")}, "opinions"},
	} {
		if code, out := overton(append([]string{"simulate"}, c.args...)...); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%v: %d\n%s", c.args, code, out)
		}
	}
}

// surveyFolder is a study of demographics, views of two sides of which two come
// again, and a poll.
func surveyFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var views strings.Builder
	views.WriteString("item,text,topics,option,label,polarity,mark\n")
	for i := range 6 {
		fmt.Fprintf(&views, "V%d,View %d?,Individualism vs. Collectivism,a,Yes,%d,\n,,,b,Perhaps,0,\n,,,c,No,%d,\n,,,r,Refused,,refusal\n", i, i, 2*(i%2)-1, 1-2*(i%2))
	}
	for name, content := range map[string]string{
		"views.csv": views.String(),
		"poll.csv":  "item,text,label,mark\nP,Poll?,Not,\n,,Rather,\n,,Fully,\n,,Refused,refusal\n",
		"study.yaml": `title: Opinions
slug: opinions
recruitment:
  minutes: 5
  prolific:
    codes: {completed: DONE}
flow:
  - survey: {instrument: us-demographics, items_per_page: 12}
  - survey: {instrument: views.csv, items_per_page: 3, repeat: 2, order: reversed_half}
  - survey: {instrument: poll.csv}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSimulateSetsSurveysBesideWhatWasPlanted(t *testing.T) {
	ctx := context.Background()
	folder, db := surveyFolder(t), filepath.Join(t.TempDir(), "test.db")
	if code, _, errs := overtonCmd("study", "launch", folder, "--db", db); code != 0 {
		t.Fatal(errs)
	}
	s, err := store.Open(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	handler, err := web.New(ctx, web.Config{Store: s, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()

	truthFile := filepath.Join(t.TempDir(), "truth.json")
	code, out, errs := overtonCmd("simulate", "--url", server.URL, "--study", "opinions", "--participants", "24", "--folder", folder, "--db", db, "--truth", truthFile)
	if code != 0 {
		t.Fatal(errs)
	}
	for _, want := range []string{"24 of 24", "views.csv, 24 people as they came", "weighted to the population", "reliability", "shares of answers: "} {
		if !strings.Contains(out, want) {
			t.Errorf("the comparison lacks %q:\n%s", want, out)
		}
	}
	held, of := 0, 0
	for line := range strings.Lines(out) {
		var h, n int
		if _, err := fmt.Sscanf(line, "shares of answers: %d of %d in", &h, &n); err == nil {
			held, of = held+h, of+n
		}
	}
	if of == 0 || held < of*85/100 {
		t.Errorf("%d of %d planted shares lie in their 95 %% intervals", held, of)
	}
	content, err := os.ReadFile(truthFile)
	if err != nil {
		t.Fatal(err)
	}
	var truth sim.Truth
	if err := json.Unmarshal(content, &truth); err != nil {
		t.Fatal(err)
	}
	if truth.Surveys == nil || len(truth.Surveys.Items) != 12+6+1 || truth.People[0].Place == 0 {
		t.Errorf("planted in surveys: %+v", truth.Surveys)
	}
	if code, _, errs := overtonCmd("simulate", "--url", server.URL, "--study", "opinions", "--participants", "1", "--db", db); code != 2 || !strings.Contains(errs, "--folder") {
		t.Errorf("a comparison without a folder: status %d, %s", code, errs)
	}
}
