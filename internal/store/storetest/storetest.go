// Package storetest opens databases for tests: copies of one that was migrated
// once, which do not wait for the disk.
package storetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"overton/internal/store"
)

// Open opens an empty database with the newest schema in a folder of the
// test's own, and closes it when the test ends.
func Open(t testing.TB, options ...store.Option) *store.Store {
	t.Helper()
	return Reopen(t, New(t), options...)
}

// New writes an empty database with the newest schema into a folder of the
// test's own and returns its path.
func New(t testing.TB) string {
	t.Helper()
	empty, err := template()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "test.db")
	if err := os.WriteFile(path, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Reopen opens the database at path, which need not be migrated, and closes it
// when the test ends.
func Reopen(t testing.TB, path string, options ...store.Option) *store.Store {
	t.Helper()
	db, err := store.Open(context.Background(), path, append(options, store.WithoutSync())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// template is the file of an empty database with the newest schema, made at
// its first use.
var template = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "overton-template")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "template.db")
	db, err := store.Open(context.Background(), path, store.WithoutSync())
	if err != nil {
		return nil, err
	}
	// Closing the last connection moves everything from the log into the file.
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})
