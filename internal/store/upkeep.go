package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	"overton/internal/study"
)

// Backup writes a complete copy of the database to a new file, while the server keeps running. The copy is
// one file.
func (s *Store) Backup(ctx context.Context, path string) error {
	// SQLite would make the file readable for everybody; it fills one that is empty.
	made, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("backing up to %s: the file exists", path)
	}
	if err == nil {
		err = made.Close()
	}
	if err != nil {
		return fmt.Errorf("backing up: %w", err)
	}
	// A separate connection, so that nobody has to wait to write.
	db, err := sql.Open("sqlite", dsn(s.path, url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(10000)"}}))
	if err != nil {
		os.Remove(path)
		return fmt.Errorf("backing up to %s: %w", path, err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `VACUUM INTO ?`, path); err != nil {
		os.Remove(path)
		return fmt.Errorf("backing up to %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil {
		return fmt.Errorf("backing up to %s: %w", path, err)
	}
	return nil
}

// Examine reads the whole database file and lists what is wrong in it, without
// changing anything. The file must exist.
func Examine(ctx context.Context, path string) (problems []string, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("examining the database: %w", err)
	}
	db, err := sql.Open("sqlite", dsn(path, url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(10000)", "query_only(1)"}}))
	if err != nil {
		return nil, fmt.Errorf("examining %s: %w", path, err)
	}
	defer db.Close()
	line := func(row scanner) (text string, err error) { err = row.Scan(&text); return text, err }
	found, err := collect(ctx, db, "checking the file", line, `PRAGMA integrity_check`)
	if err != nil {
		return nil, err
	}
	for _, text := range found {
		if text != "ok" {
			problems = append(problems, "the file is damaged: "+text)
		}
	}
	if problems != nil {
		return problems, nil // the checks below would only repeat it
	}
	for _, check := range []struct{ query, problem string }{
		{`SELECT "table" || ' row ' || coalesce(rowid, '?') || ' refers to nothing in ' || parent FROM pragma_foreign_key_check`, ""},
		{`SELECT t.id FROM statement t LEFT JOIN answer a ON a.kind = 'vote' AND a.subject = CAST(t.id AS TEXT)
			GROUP BY t.id HAVING t.agree != sum(coalesce(a.value, '') = 'agree') OR t.disagree != sum(coalesce(a.value, '') = 'disagree')
			OR t.neutral != sum(coalesce(a.value, '') = 'neutral') OR t.skip != sum(coalesce(a.value, '') = 'skip')`, "the tallies do not match the votes of statement "},
		{`SELECT a.submission_id || ' ' || a.kind || ' ' || a.scope FROM answer a WHERE NOT EXISTS (SELECT 1 FROM revision r
			WHERE r.submission_id = a.submission_id AND r.kind = a.kind AND r.scope = a.scope AND r.subject = a.subject AND r.revision = a.revision AND r.value = a.value)`, "an answer has no revision: submission "},
		{`SELECT s.id FROM submission s WHERE s.outcome = '` + string(study.Completed) + `' AND EXISTS (SELECT 1 FROM assignment a WHERE a.submission_id = s.id AND a.state != 'done')`, "a complete submission holds a place that is not done: "},
		{`SELECT s.id FROM submission s LEFT JOIN identity i ON i.submission_id = s.id WHERE i.submission_id IS NULL`, "nobody can return to submission "},
	} {
		rows, err := collect(ctx, db, "checking the rows", line, check.query)
		if err != nil {
			return nil, err
		}
		for _, text := range rows {
			problems = append(problems, check.problem+text)
		}
	}
	return problems, nil
}
