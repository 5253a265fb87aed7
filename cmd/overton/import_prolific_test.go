package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overton/internal/store"
	"overton/internal/store/storetest"
	"overton/internal/window"
)

func TestProlificsExportIsHeldAgainstTheStudy(t *testing.T) {
	t.Parallel()
	dir, db := filepath.Join(t.TempDir(), "s"), storetest.New(t)
	must(t, "study", "new", dir)
	must(t, "study", "launch", dir, "--db", db)
	ctx := context.Background()
	s := storetest.Reopen(t, db)
	row, st, err := window.LoadStudy(ctx, s, "example")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(ctx, &st.Study, row.ID, store.Arrival{Participant: "p1", Submission: "s1"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "prolific_export_x.csv")
	if err := os.WriteFile(file, []byte("Submission id,Participant id,Status,Completion code\ns1,p1,APPROVED,EXAMPLEDONE\ns2,p2,RETURNED,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := must(t, "import", "prolific", file, "--study", "example", "--db", db)
	for _, want := range []string{"1 of 2 submissions in the file began here.", "not finished  APPROVED", "s1          APPROVED     is approved with the completion code, but did not finish here"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
}
