package store

import (
	"context"
	"database/sql"
	"fmt"
)

// Event is one entry in the log of who did what.
type Event struct {
	ID     int64
	At     int64
	Email  string // of the account; empty: the command line
	Slug   string // of the study; empty: not about a study
	What   string
	Detail string
}

// EventFilter chooses events. Zero fields match everything.
type EventFilter struct {
	Slug   string
	Email  string
	What   string
	Before int64 // an id: only events older than it
}

const eventWhere = ` FROM event e LEFT JOIN account a ON a.id = e.account_id WHERE (?1 = '' OR e.slug = ?1) AND (?2 = '' OR coalesce(a.email, ?5) = ?2) AND (?3 = '' OR e.what = ?3) AND (?4 = 0 OR e.id < ?4)`

// CommandLine takes the place of an address if the command line was used.
const CommandLine = "command line"

func (f EventFilter) args() []any { return []any{f.Slug, f.Email, f.What, f.Before, CommandLine} }

// Events lists up to limit events that match a filter, the newest first.
func (s *Store) Events(ctx context.Context, f EventFilter, limit int) ([]Event, error) {
	return collect(ctx, s.read, "reading the log", func(row scanner) (e Event, err error) {
		err = row.Scan(&e.ID, &e.At, &e.Email, &e.Slug, &e.What, &e.Detail)
		return e, err
	}, `SELECT e.id, e.at, coalesce(a.email, ?5), e.slug, e.what, e.detail`+eventWhere+` ORDER BY e.id DESC LIMIT ?6`, append(f.args(), limit)...)
}

// EventChoices lists the people in the log of a study, or of all studies if slug is "", and what they did.
func (s *Store) EventChoices(ctx context.Context, slug string) (emails, whats []string, err error) {
	text := func(row scanner) (t string, err error) { err = row.Scan(&t); return t, err }
	args := EventFilter{Slug: slug}.args()
	if emails, err = collect(ctx, s.read, "reading the log", text, `SELECT DISTINCT coalesce(a.email, ?5)`+eventWhere+` ORDER BY 1`, args...); err != nil {
		return nil, nil, err
	}
	whats, err = collect(ctx, s.read, "reading the log", text, `SELECT DISTINCT e.what`+eventWhere+` ORDER BY 1`, args...)
	return emails, whats, err
}

// note writes an event to the log of who did what.
func note(tx *tx, by Actor, studyID int64, what, detail string) error {
	var slug string
	if studyID != 0 {
		if err := tx.row(`SELECT slug FROM study WHERE id = ?`, studyID).Scan(&slug); err != nil {
			return fmt.Errorf("noting %q: %w", what, err)
		}
	}
	return noteStudy(tx, by, studyID, slug, what, detail)
}

// noteOn writes an event about the study with a slug, regardless of version.
func noteOn(tx *tx, by Actor, slug, what, detail string) error {
	return noteStudy(tx, by, 0, slug, what, detail)
}

func noteStudy(tx *tx, by Actor, studyID int64, slug, what, detail string) error {
	_, err := tx.exec(`INSERT INTO event (at, account_id, study_id, slug, what, detail) VALUES (?, ?, ?, ?, ?, ?)`,
		tx.now, sql.NullInt64{Int64: int64(by), Valid: by != 0}, sql.NullInt64{Int64: studyID, Valid: studyID != 0}, slug, what, detail)
	return err
}
