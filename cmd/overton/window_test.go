package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"overton/internal/store"
	"overton/internal/store/storetest"
)

func TestRunsAreListedAndShown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, db := filepath.Join(dir, "study"), storetest.New(t)
	for _, args := range [][]string{{"study", "new", folder}, {"study", "launch", folder, "--db", db}} {
		if code, _, errs := overtonCmd(args...); code != 0 {
			t.Fatal(errs)
		}
	}
	s := storetest.Reopen(t, db)
	row, err := s.Study(t.Context(), "example")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	id, err := s.QueueRun(ctx, row.ID, store.NewRun{Kind: "window", Name: "a <first> look", Parameters: []byte(`{"cluster":{"method":"polis","k":"auto"}}`)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if code, _, errs := overtonCmd("window", "--db", db, "--study", "example", "--run", "1"); code != 1 || !strings.Contains(errs, "run 1 is queued") {
		t.Errorf("a run without a result: status %d, %s", code, errs)
	}
	if err := s.StartRun(ctx, id); err != nil {
		t.Fatal(err)
	}
	if err := s.FinishRun(ctx, id, []byte(`{"parameters":{"cluster":{"method":"polis","k":"auto"}},"people":{"complete":4},"study":{"title":"<b>"},"questions":[],"score":null}`)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	code, out, errs := overtonCmd("window", "--db", db, "--study", "example", "--list")
	if line := strings.Join(strings.Fields(out), " "); code != 0 || !strings.Contains(line, "polis 4 a <first> look") {
		t.Errorf("status %d, %s%s", code, out, errs)
	}
	want := "{\n \"parameters\": {\n  \"cluster\": {\n   \"method\": \"polis\","
	if code, out, errs := overtonCmd("window", "--db", db, "--study", "example", "--run", "1", "--json", "-"); code != 0 || !strings.HasPrefix(out, want) || !strings.Contains(out, `"<b>"`) {
		t.Errorf("status %d, %s%s", code, out, errs)
	}
	if code, _, errs := overtonCmd("window", "--db", db, "--study", "example", "--run", "2"); code != 1 || !strings.Contains(errs, "not found") {
		t.Errorf("no such run: status %d, %s", code, errs)
	}
}
