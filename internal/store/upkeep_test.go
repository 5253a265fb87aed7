package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overton/internal/study"
)

func TestABackupOfARunningStudyIsWholeAndOpens(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(2, 1, 5))
	ctx := context.Background()
	ann := b.start("ann")
	b.walk(ann, study.StepVote, nil)
	copyPath := filepath.Join(t.TempDir(), "copy.db")
	if err := b.Backup(ctx, copyPath); err != nil {
		t.Fatal(err)
	}
	if err := b.Backup(ctx, copyPath); err == nil {
		t.Error("a backup overwrote another")
	}
	if problems, err := Examine(ctx, copyPath); err != nil || problems != nil {
		t.Fatalf("problems %v, %v", problems, err)
	}
	copied, err := Open(ctx, copyPath)
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	pos, err := copied.Position(ctx, b.st, ann)
	if err != nil || pos.Step.Kind != study.StepVote {
		t.Errorf("in the copy ann stands at %s, %v", pos.Step.Kind, err)
	}
}

func TestOnlyItsOwnerReadsADatabaseAndItsBackup(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "o.db")
	mode := func(name string) os.FileMode {
		t.Helper()
		at, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return at.Mode().Perm()
	}
	db, err := Open(ctx, path, WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(ctx); err != nil {
		t.Fatal(err)
	}
	copied := path + ".copy"
	if err := db.Backup(ctx, copied); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm", copied} {
		if got := mode(name); got != 0o600 {
			t.Errorf("%s has mode %o", filepath.Base(name), got)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o664); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(ctx, path, WithoutSync()); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := mode(path); got != 0o660 {
		t.Errorf("a file that everybody could read has mode %o after it was opened", got)
	}
}

func TestExamineFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ harm, want string }{
		{`UPDATE statement SET agree = agree + 1 WHERE id = 1`, "tallies"},
		{`DELETE FROM revision WHERE kind = 'view'`, "no revision"},
		{`UPDATE assignment SET state = 'reserved'`, "not done"},
		{`DELETE FROM identity`, "return to"},
	} {
		b := newBench(t, testStudy(2, 1, 5))
		b.walk(b.start("ann"), study.StepEnd, nil)
		if problems, err := Examine(context.Background(), b.path); err != nil || problems != nil {
			t.Fatalf("a sound database: %v, %v", problems, err)
		}
		if err := b.update(context.Background(), func(tx *tx) error { _, err := tx.exec(c.harm); return err }); err != nil {
			t.Fatal(err)
		}
		problems, err := Examine(context.Background(), b.path)
		if err != nil || !strings.Contains(strings.Join(problems, "\n"), c.want) {
			t.Errorf("after %s: %v, %v; want %q", c.harm, problems, err, c.want)
		}
	}
}

func TestADamagedFileIsNamedAsSuch(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "damaged.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database ", 300)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("opening it: %v, want an error that names the file", err)
	}
	if _, err := Examine(context.Background(), filepath.Join(t.TempDir(), "absent.db")); err == nil {
		t.Error("an absent file is examined")
	}
}
