package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"overton/internal/study"
)

// Status is where a study stands in its life.
type Status string

const (
	Draft   Status = "draft"   // files can change, nobody can enter
	Running Status = "running" // people can enter
	Paused  Status = "paused"  // nobody can start; who has started can go on
	Closed  Status = "closed"  // as paused, for good
)

// moves are the status changes that an admin can make.
var moves = map[Status][]Status{
	Draft:   {Running},
	Running: {Paused, Closed},
	Paused:  {Running, Closed},
}

// Study is a study's row.
type Study struct {
	ID         int64
	Slug       string
	Version    int
	Title      string
	Status     Status
	Hash       string // SHA-256 of its files
	CreatedAt  int64  // milliseconds, like all times here
	LaunchedAt int64  // 0: not yet
	ClosedAt   int64
}

// NewStudy is what a study is made of.
type NewStudy struct {
	Slug, Title, Hash string
	Files             map[string][]byte
}

const studyColumns = `id, slug, version, title, status, hash, created_at, coalesce(launched_at, 0), coalesce(closed_at, 0)`

func scanStudy(row scanner) (Study, error) {
	var st Study
	err := row.Scan(&st.ID, &st.Slug, &st.Version, &st.Title, &st.Status, &st.Hash, &st.CreatedAt, &st.LaunchedAt, &st.ClosedAt)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return st, err
}

// SaveStudy stores a study's files as a draft. A draft of the same slug is replaced; a
// launched study of that slug makes it ErrConflict.
func (s *Store) SaveStudy(ctx context.Context, n NewStudy) (Study, error) {
	var st Study
	err := s.update(ctx, func(tx *tx) error {
		old, err := scanStudy(tx.row(`SELECT `+studyColumns+` FROM study WHERE slug = ? ORDER BY version DESC LIMIT 1`, n.Slug))
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return err
		case old.Status != Draft && old.Hash == n.Hash:
			return fmt.Errorf("this study is launched already (%s): %w", old.Status, ErrConflict)
		case old.Status != Draft:
			return fmt.Errorf("another study was launched as %q, and a launched study cannot change; give this one a slug of its own: %w", n.Slug, ErrConflict)
		default:
			if _, err := tx.exec(`DELETE FROM study WHERE id = ?`, old.ID); err != nil {
				return err
			}
		}
		result, err := tx.exec(`INSERT INTO study (slug, version, title, status, hash, created_at) VALUES (?, 1, ?, 'draft', ?, ?)`, n.Slug, n.Title, n.Hash, tx.now)
		if err != nil {
			return err
		}
		id, err := result.LastInsertId()
		if err != nil {
			return err
		}
		for path, content := range n.Files {
			if _, err := tx.exec(`INSERT INTO study_file (study_id, path, content) VALUES (?, ?, ?)`, id, path, content); err != nil {
				return err
			}
		}
		st, err = scanStudy(tx.row(`SELECT `+studyColumns+` FROM study WHERE id = ?`, id))
		return err
	})
	if err != nil {
		return Study{}, fmt.Errorf("saving study %q: %w", n.Slug, err)
	}
	return st, nil
}

// Launch freezes a draft and opens it to participants. seeds become its first
// statements.
func (s *Store) Launch(ctx context.Context, slug string, seeds []study.Seed, by Actor) error {
	err := s.update(ctx, func(tx *tx) error {
		st, err := setStatus(tx, slug, Running, by)
		if err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE study SET launched_at = ? WHERE id = ?`, tx.now, st.ID); err != nil {
			return err
		}
		for _, seed := range seeds {
			if _, err := tx.exec(`INSERT INTO statement (study_id, question_id, text, state, moderated, created_at) VALUES (?, ?, ?, 'served', 1, ?)`,
				st.ID, seed.Question, seed.Text, tx.now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("launching study %q: %w", slug, err)
	}
	return nil
}

// SetStatus pauses, resumes or closes a launched study.
func (s *Store) SetStatus(ctx context.Context, slug string, to Status, by Actor) error {
	err := s.update(ctx, func(tx *tx) error {
		st, err := scanStudy(tx.row(`SELECT `+studyColumns+` FROM study WHERE slug = ?`, slug))
		if err == nil && st.Status == Draft {
			return fmt.Errorf("it is not launched yet: %w", ErrConflict)
		}
		if err == nil {
			_, err = setStatus(tx, slug, to, by)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("setting study %q to %s: %w", slug, to, err)
	}
	return nil
}

func setStatus(tx *tx, slug string, to Status, by Actor) (Study, error) {
	st, err := scanStudy(tx.row(`SELECT `+studyColumns+` FROM study WHERE slug = ?`, slug))
	if err != nil {
		return st, err
	}
	if !slices.Contains(moves[st.Status], to) {
		return st, fmt.Errorf("it is %s and cannot become %s: %w", st.Status, to, ErrConflict)
	}
	closed := sql.NullInt64{Int64: tx.now, Valid: to == Closed}
	if _, err := tx.exec(`UPDATE study SET status = ?, closed_at = ? WHERE id = ?`, to, closed, st.ID); err != nil {
		return st, err
	}
	return st, note(tx, by, st.ID, "study "+string(to), string(st.Status)+" before")
}

// Study returns a study by its slug.
func (s *Store) Study(ctx context.Context, slug string) (Study, error) {
	st, err := scanStudy(s.read.QueryRowContext(ctx, `SELECT `+studyColumns+` FROM study WHERE slug = ? ORDER BY version DESC LIMIT 1`, slug))
	if err != nil {
		return st, fmt.Errorf("looking up study %q: %w", slug, err)
	}
	return st, nil
}

// Studies lists all studies, the newest first.
func (s *Store) Studies(ctx context.Context) ([]Study, error) {
	return collect(ctx, s.read, "listing studies", func(row scanner) (Study, error) { return scanStudy(row) },
		`SELECT `+studyColumns+` FROM study ORDER BY id DESC`)
}

// StudyFiles returns a study's files by their paths.
func (s *Store) StudyFiles(ctx context.Context, id int64) (map[string][]byte, error) {
	type file struct {
		path    string
		content []byte
	}
	files, err := collect(ctx, s.read, "reading a study's files", func(row scanner) (f file, err error) {
		err = row.Scan(&f.path, &f.content)
		return f, err
	}, `SELECT path, content FROM study_file WHERE study_id = ?`, id)
	if err != nil {
		return nil, err
	}
	byPath := map[string][]byte{}
	for _, f := range files {
		byPath[f.path] = f.content
	}
	return byPath, nil
}

// querier is what both pools and a transaction offer for reading.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// collect runs a query and scans each row.
func collect[T any](ctx context.Context, db querier, doing string, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	all, err := scanAll(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return all, nil
}

func scanAll[T any](rows *sql.Rows, scan func(scanner) (T, error)) ([]T, error) {
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// Actor is who does an admin's work: an account, or 0 for the command line.
type Actor int64

// note writes an event for the record of who did what.
func note(tx *tx, by Actor, studyID int64, what, detail string) error {
	account := sql.NullInt64{Int64: int64(by), Valid: by != 0}
	_, err := tx.exec(`INSERT INTO event (at, account_id, study_id, what, detail) VALUES (?, ?, ?, ?, ?)`,
		tx.now, account, sql.NullInt64{Int64: studyID, Valid: studyID != 0}, what, detail)
	return err
}
