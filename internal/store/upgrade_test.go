package store

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"overton/migrations"
)

// An upgrade keeps who can sign in with what role, and the record of what they
// did.
func TestAccountsAndEventsOutliveTheUpgradeToMembers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "old.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"0001_init.sql", "0002_survey.sql", "0003_run.sql", "0004_recruited.sql"} {
		text, err := migrations.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(string(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, query := range []string{
		`PRAGMA user_version = 4`,
		`INSERT INTO study (id, slug, version, title, status, hash, created_at) VALUES (4, 'old', 1, 'Old', 'draft', 'h', 1)`,
		`INSERT INTO account (id, email, password, role, created_at) VALUES (7, 'anna@example.org', 'hash', 'researcher', 1)`,
		`INSERT INTO event (at, account_id, study_id, what, detail) VALUES (5, 7, 4, 'draft saved', 'x'), (6, NULL, NULL, 'account created', 'anna@example.org')`,
	} {
		if _, err := db.Exec(query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	if _, err := db.Exec(`INSERT INTO sign_in (token_hash, account_id, created_at, expires_at) VALUES (?, 7, 1, ?)`, hashed("token"), time.Now().Add(time.Hour).UnixMilli()); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if a, err := s.SignedIn(t.Context(), "token"); err != nil || a != (Account{ID: 7, Email: "anna@example.org", Password: "hash", Role: "researcher"}) {
		t.Errorf("the sign-in is now %+v, %v", a, err)
	}
	events, err := s.Events(t.Context(), EventFilter{}, 10)
	if err != nil || len(events) != 2 || events[0].Email != CommandLine || events[1].Email != "anna@example.org" || events[1].Slug != "old" {
		t.Errorf("the log is now %+v, %v", events, err)
	}
	if _, err := s.SaveStudy(t.Context(), NewStudy{Slug: "old", Title: "New", Hash: "i"}, 0); err != nil {
		t.Errorf("a draft with events cannot be replaced: %v", err)
	}
}
