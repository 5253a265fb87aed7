package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overton/internal/dataset"
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
	st, err := dataset.ReadStudy(os.DirFS(study))
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
