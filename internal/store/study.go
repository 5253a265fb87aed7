package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"overton/internal/study"
)

// Status is the state of a study.
type Status string

const (
	Draft   Status = "draft"   // files can change, nobody can enter
	Running Status = "running" // people can enter
	Paused  Status = "paused"  // nobody can start; people who have started can continue
	Closed  Status = "closed"  // as paused, permanently
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

// NewStudy is what a study is created from.
type NewStudy struct {
	Slug, Title, Hash string
	Files             map[string][]byte
	Next              bool // may become the next version of a launched study
}

// Name names one version of a study, such as parks@2.
func (st Study) Name() string { return fmt.Sprintf("%s@%d", st.Slug, st.Version) }

const studyColumns = `id, slug, version, title, status, hash, created_at, coalesce(launched_at, 0), coalesce(closed_at, 0)`

func scanStudy(row scanner) (Study, error) {
	var st Study
	err := row.Scan(&st.ID, &st.Slug, &st.Version, &st.Title, &st.Status, &st.Hash, &st.CreatedAt, &st.LaunchedAt, &st.ClosedAt)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return st, err
}

// find returns a study by its name. A slug alone means the version that people can enter, or could enter last or,
// before the first launch, the draft. A name such as parks@2 means that version, whatever its status.
func find(row func(string, ...any) scanner, name string) (Study, error) {
	slug, number, exact := strings.Cut(name, "@")
	if !exact {
		return scanStudy(row(`SELECT `+studyColumns+` FROM study WHERE slug = ? ORDER BY status = 'draft', version DESC LIMIT 1`, slug))
	}
	version, err := strconv.Atoi(number)
	if err != nil {
		return Study{}, ErrNotFound
	}
	return scanStudy(row(`SELECT `+studyColumns+` FROM study WHERE slug = ? AND version = ?`, slug, version))
}

// newest returns the version of a slug with the highest number.
func newest(tx *tx, slug string) (Study, error) {
	return scanStudy(tx.row(`SELECT `+studyColumns+` FROM study WHERE slug = ? ORDER BY version DESC LIMIT 1`, slug))
}

// SaveStudy stores a study's files as a draft. A draft of the same slug is
// replaced. A launched study of that slug gets the draft as its next version
// where n asks for one; otherwise that is ErrConflict.
func (s *Store) SaveStudy(ctx context.Context, n NewStudy, by Actor) (Study, error) {
	var st Study
	err := s.update(ctx, func(tx *tx) error {
		old, err := newest(tx, n.Slug)
		switch {
		case errors.Is(err, ErrNotFound):
			st, err = insertDraft(tx, n, 1)
		case err != nil:
		case old.Status == Draft && (old.Version == 1 || n.Next):
			st, err = replaceDraft(tx, old, n)
		case old.Hash == n.Hash:
			err = fmt.Errorf("this study has already been launched (%s): %w", old.Status, ErrConflict)
		case n.Next:
			st, err = insertDraft(tx, n, old.Version+1)
		default:
			err = fmt.Errorf("another study was launched as %q, and a launched study cannot change; give this one its own slug, or make it the next version: %w", n.Slug, ErrConflict)
		}
		if err != nil {
			return err
		}
		return note(tx, by, st.ID, DraftSaved, st.Hash)
	})
	if err != nil {
		return Study{}, fmt.Errorf("saving study %q: %w", n.Slug, err)
	}
	return st, nil
}

// NextVersion makes a draft of the next version of a launched study, with the files of the current version.
// If there is already a draft, the error is ErrConflict.
func (s *Store) NextVersion(ctx context.Context, slug string, by Actor) (Study, error) {
	var st Study
	err := s.update(ctx, func(tx *tx) error {
		old, err := newest(tx, slug)
		if err == nil && old.Status == Draft {
			err = ErrConflict
		}
		if err != nil {
			return err
		}
		st, err = insertDraft(tx, NewStudy{Slug: slug, Title: old.Title, Hash: old.Hash}, old.Version+1)
		if err != nil {
			return err
		}
		if _, err := tx.exec(`INSERT INTO study_file (study_id, path, content) SELECT ?, path, content FROM study_file WHERE study_id = ?`, st.ID, old.ID); err != nil {
			return err
		}
		return note(tx, by, st.ID, VersionBegun, st.Name())
	})
	if err != nil {
		return Study{}, fmt.Errorf("making the next version of study %q: %w", slug, err)
	}
	return st, nil
}

// ChangeDraft puts other files in a draft's place, if it still is as before,
// its hash, says; else the error is ErrConflict. A draft that is no later
// version may take another slug, if nobody else has it: that is ErrTaken.
func (s *Store) ChangeDraft(ctx context.Context, id int64, before string, n NewStudy, by Actor) (Study, error) {
	var st Study
	err := s.update(ctx, func(tx *tx) error {
		old, err := scanStudy(tx.row(`SELECT `+studyColumns+` FROM study WHERE id = ?`, id))
		switch {
		case err != nil:
			return err
		case old.Status != Draft || old.Hash != before:
			return ErrConflict
		case old.Slug != n.Slug && old.Version > 1:
			return fmt.Errorf("version %d of %q keeps its slug: %w", old.Version, old.Slug, ErrTaken)
		case old.Slug != n.Slug:
			if _, err := newest(tx, n.Slug); !errors.Is(err, ErrNotFound) {
				return errors.Join(err, ErrTaken)
			}
			if err := renameMembers(tx, old.Slug, n.Slug); err != nil {
				return err
			}
		}
		if st, err = replaceDraft(tx, old, n); err != nil || st.Hash == before {
			return err
		}
		return note(tx, by, st.ID, DraftChanged, st.Hash)
	})
	if err != nil {
		return Study{}, fmt.Errorf("changing the draft of study %q: %w", n.Slug, err)
	}
	return st, nil
}

// ErrTaken is the error for a slug that another study has.
var ErrTaken = errors.New("the slug is taken")

func insertDraft(tx *tx, n NewStudy, version int) (Study, error) {
	result, err := tx.exec(`INSERT INTO study (slug, version, title, status, hash, created_at) VALUES (?, ?, ?, 'draft', ?, ?)`, n.Slug, version, n.Title, n.Hash, tx.now)
	if err != nil {
		return Study{}, err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return Study{}, err
	}
	return fillDraft(tx, id, n)
}

func replaceDraft(tx *tx, old Study, n NewStudy) (Study, error) {
	if _, err := tx.exec(`UPDATE study SET slug = ?, title = ?, hash = ? WHERE id = ?`, n.Slug, n.Title, n.Hash, old.ID); err != nil {
		return Study{}, err
	}
	if _, err := tx.exec(`DELETE FROM study_file WHERE study_id = ?`, old.ID); err != nil {
		return Study{}, err
	}
	return fillDraft(tx, old.ID, n)
}

func fillDraft(tx *tx, id int64, n NewStudy) (Study, error) {
	for path, content := range n.Files {
		if _, err := tx.exec(`INSERT INTO study_file (study_id, path, content) VALUES (?, ?, ?)`, id, path, content); err != nil {
			return Study{}, err
		}
	}
	return scanStudy(tx.row(`SELECT `+studyColumns+` FROM study WHERE id = ?`, id))
}

// renameMembers keeps the members of a draft when its slug changes.
func renameMembers(tx *tx, from, to string) error {
	if _, err := tx.exec(`DELETE FROM member WHERE slug = ?`, to); err != nil {
		return err
	}
	_, err := tx.exec(`UPDATE member SET slug = ? WHERE slug = ?`, to, from)
	return err
}

// DiscardDraft removes a draft. What was done with it stays in the log.
func (s *Store) DiscardDraft(ctx context.Context, id int64, by Actor) error {
	err := s.update(ctx, func(tx *tx) error {
		st, err := scanStudy(tx.row(`SELECT `+studyColumns+` FROM study WHERE id = ?`, id))
		if err == nil && st.Status != Draft {
			err = ErrConflict
		}
		if err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE event SET study_id = NULL, detail = detail || ? WHERE study_id = ?`, " ("+st.Name()+")", id); err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM study WHERE id = ?`, id); err != nil {
			return err
		}
		return noteOn(tx, by, st.Slug, DraftDiscarded, st.Name())
	})
	if err != nil {
		return fmt.Errorf("discarding a draft: %w", err)
	}
	return nil
}

// Launch freezes the newest version of a study, a draft, and opens it to participants. seeds become its first
// statements. The version before it, if there is one, is closed at the same moment.
func (s *Store) Launch(ctx context.Context, slug string, seeds []study.Seed, by Actor) error {
	return s.launch(ctx, slug, func(Study) bool { return true }, seeds, by)
}

// LaunchDraft is Launch for a draft whose hash is the one its admin saw; otherwise the error is ErrConflict.
func (s *Store) LaunchDraft(ctx context.Context, slug, hash string, seeds []study.Seed, by Actor) error {
	return s.launch(ctx, slug, func(st Study) bool { return st.Hash == hash }, seeds, by)
}

func (s *Store) launch(ctx context.Context, slug string, expected func(Study) bool, seeds []study.Seed, by Actor) error {
	err := s.update(ctx, func(tx *tx) error {
		st, err := newest(tx, slug)
		if err != nil {
			return err
		}
		if st.Status != Draft || !expected(st) {
			return fmt.Errorf("it is %s and cannot be launched: %w", st.Status, ErrConflict)
		}
		if before, err := find(tx.row, slug); err == nil && (before.Status == Running || before.Status == Paused) {
			if err := setStatus(tx, before, Closed, by); err != nil {
				return err
			}
		}
		if err := setStatus(tx, st, Running, by); err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE study SET launched_at = ? WHERE id = ?`, tx.now, st.ID); err != nil {
			return err
		}
		for _, seed := range seeds {
			if _, err := tx.exec(`INSERT INTO statement (study_id, question_id, text, hints, state, moderated, created_at) VALUES (?, ?, ?, '', 'served', 1, ?)`,
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
func (s *Store) SetStatus(ctx context.Context, name string, to Status, by Actor) error {
	err := s.update(ctx, func(tx *tx) error {
		st, err := find(tx.row, name)
		if err == nil && st.Status == Draft {
			return fmt.Errorf("it has not been launched: %w", ErrConflict)
		}
		if err != nil {
			return err
		}
		return setStatus(tx, st, to, by)
	})
	if err != nil {
		return fmt.Errorf("setting study %q to %s: %w", name, to, err)
	}
	return nil
}

func setStatus(tx *tx, st Study, to Status, by Actor) error {
	if !slices.Contains(moves[st.Status], to) {
		return fmt.Errorf("it is %s and cannot become %s: %w", st.Status, to, ErrConflict)
	}
	closed := sql.NullInt64{Int64: tx.now, Valid: to == Closed}
	if _, err := tx.exec(`UPDATE study SET status = ?, closed_at = ? WHERE id = ?`, to, closed, st.ID); err != nil {
		return err
	}
	return note(tx, by, st.ID, map[Status]Deed{Running: StudyRunning, Paused: StudyPaused, Closed: StudyClosed}[to], string(st.Status)+" before")
}

// Study returns a study by its name: a slug, for the version that people can enter, or could enter last, or
// before the first launch the draft; or slug@version.
func (s *Store) Study(ctx context.Context, name string) (Study, error) {
	st, err := find(func(query string, args ...any) scanner { return s.read.QueryRowContext(ctx, query, args...) }, name)
	if err != nil {
		return st, fmt.Errorf("looking up study %q: %w", name, err)
	}
	return st, nil
}

// StudyByID returns one version of a study.
func (s *Store) StudyByID(ctx context.Context, id int64) (Study, error) {
	st, err := scanStudy(s.read.QueryRowContext(ctx, `SELECT `+studyColumns+` FROM study WHERE id = ?`, id))
	if err != nil {
		return st, fmt.Errorf("looking up study %d: %w", id, err)
	}
	return st, nil
}

// StudyOf returns the version of a study that a submission belongs to.
func (s *Store) StudyOf(ctx context.Context, token string) (Study, error) {
	st, err := scanStudy(s.read.QueryRowContext(ctx, `SELECT `+studyColumns+` FROM study WHERE id = (SELECT study_id FROM submission WHERE token = ?)`, token))
	if err != nil {
		return st, fmt.Errorf("looking up the study of a submission: %w", err)
	}
	return st, nil
}

// Versions lists all versions of a study, the newest first.
func (s *Store) Versions(ctx context.Context, slug string) ([]Study, error) {
	return collect(ctx, s.read, "listing a study's versions", func(row scanner) (Study, error) { return scanStudy(row) },
		`SELECT `+studyColumns+` FROM study WHERE slug = ? ORDER BY version DESC`, slug)
}

// Studies lists all versions of all studies, the newest first.
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

// querier is what both pools and a transaction can read with.
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

// Actor is the account that an admin acts with, or 0 for the command line.
type Actor int64
