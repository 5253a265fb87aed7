package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"overton/internal/store/storetest"
)

// polisExport writes a small Polis export: two camps of six on eight
// statements, one of them rejected, one vote changed.
func polisExport(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Some Talk")
	var votes, comments strings.Builder
	votes.WriteString("timestamp,datetime,comment-id,voter-id,vote\n1600000000000,x,0,0,-1\n")
	comments.WriteString("timestamp,datetime,comment-id,author-id,agrees,disagrees,moderated,comment-body\n")
	for j := range 8 {
		for i := range 12 {
			fmt.Fprintf(&votes, "%d,x,%d,%d,%d\n", 1600000001000+i, j, i, 1-2*((i+j)%2))
		}
		disagrees, moderated := 6, 1
		if j == 0 {
			disagrees = 7
		}
		if j == 7 {
			moderated = -1
		}
		fmt.Fprintf(&comments, "1600000000000,x,%d,%d,6,%d,%d,\"Text, %d\"\n", j, j+9, disagrees, moderated, j)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"votes.csv": votes.String(), "comments.csv": comments.String(), "summary.csv": "topic,What now?\nviews,5\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func must(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(context.Background(), args, &out, &errs); code != 0 {
		t.Fatalf("%v: exit status %d: %s", args, code, &errs)
	}
	return out.String()
}

func rowsOf(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestImportedPolisStudyIsExportedAsItCame(t *testing.T) {
	t.Parallel()
	dir := polisExport(t)
	db := storetest.New(t)
	said := must(t, "import", "polis", dir, "--db", db)
	if !strings.Contains(said, `"What now?" as some-talk: 12 participants, 8 statements, 96 votes`) {
		t.Error(said)
	}
	out := filepath.Join(t.TempDir(), "out")
	must(t, "export", "--db", db, "--study", "some-talk", "--out", out, "--format", "polis,csv")
	back := filepath.Join(out, "polis", "1")
	for _, method := range []string{"overton", "polis", "block"} {
		was := must(t, "cluster", dir, "--format", "polis", "--method", method)
		now := must(t, "cluster", back, "--format", "polis", "--method", method)
		// The export marks meta statements, and so has a note less.
		if i := strings.Index(was, "\nmean silhouette"); i < 0 || !strings.Contains(now, was[:i]) {
			t.Errorf("%s: was\n%s\nis\n%s", method, was, now)
		}
	}
	comments := rowsOf(t, filepath.Join(back, "comments.csv"))
	if c := comments[8]; !reflect.DeepEqual([]string{c[2], c[6], c[9]}, []string{"7", "-1", "Text, 7"}) {
		t.Errorf("last comment %q", c)
	}
	if n := len(rowsOf(t, filepath.Join(out, "votes.csv"))); n != 97 {
		t.Errorf("%d lines of votes", n)
	}
	var errs bytes.Buffer
	if code := run(context.Background(), []string{"import", "polis", dir, "--db", db}, &errs, &errs); code != 1 || !strings.Contains(errs.String(), "some-talk") {
		t.Errorf("a second import: exit status %d, %s", code, &errs)
	}
	if code := run(context.Background(), []string{"import", "polis", dir, "--db", db, "--agree", "0"}, &errs, &errs); code != 2 {
		t.Errorf("exit status %d", code)
	}
}
