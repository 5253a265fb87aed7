package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// Deed is a kind of entry in the record of who did what. There are those below
// and no others; the pages have words for each.
type Deed struct{ name string }

// String is what the record calls a deed. A name that was written once stays.
func (d Deed) String() string { return d.name }

var deeds []Deed

// Deeds lists all kinds of entry.
func Deeds() []Deed { return slices.Clone(deeds) }

func deed(name string) Deed {
	d := Deed{name}
	deeds = append(deeds, d)
	return d
}

// What is done with accounts.
var (
	AccountCreated  = deed("account created")
	AccountLink     = deed("account link")
	AccountRole     = deed("account role")
	AccountDisabled = deed("account disabled")
	AccountEnabled  = deed("account enabled")
	PasswordSet     = deed("password set")
	SignedIn        = deed("signed in")
	SignInFailed    = deed("sign-in failed")
	SignedOut       = deed("signed out")
	SignInsEnded    = deed("sign-ins ended")
	TokenCreated    = deed("token created")
	TokenRevoked    = deed("token revoked")
)

// What is done with studies.
var (
	MemberSet         = deed("member")
	MemberLink        = deed("member link")
	MemberRemoved     = deed("member removed")
	DraftSaved        = deed("draft saved")
	DraftChanged      = deed("draft changed")
	DraftDiscarded    = deed("draft discarded")
	VersionBegun      = deed("version begun")
	StudyRunning      = deed("study running")
	StudyPaused       = deed("study paused")
	StudyClosed       = deed("study closed")
	StudyImported     = deed("study imported")
	StatementAccepted = deed("statement accepted")
	StatementRejected = deed("statement rejected")
	ModerationUndone  = deed("moderation undone")
	ModerationMode    = deed("moderation mode")
	RewardSet         = deed("reward")
	RecruiterRead     = deed("recruiter's file read")
	DataDownloaded    = deed("data downloaded")
)

// What is done with runs, and with models' responses.
var (
	AnalysisStarted   = deed("analysis started")
	SurveyStarted     = deed("survey analysis started")
	JudgeCompared     = deed("judge compared")
	AnalysisCancelled = deed("analysis cancelled")
	AnalysisRenamed   = deed("analysis renamed")
	AnalysisDeleted   = deed("analysis deleted")
	ResponseAccepted  = deed("model response accepted")
	ResponseRejected  = deed("model response rejected")
	ResponsesReceived = deed("accepted responses downloaded")
)

// Event is one entry in the log of who did what.
type Event struct {
	ID     int64
	At     int64
	Email  string // of the account; CommandLine or UnknownAddress where it is none
	Slug   string // of the study; empty: about none
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

const (
	eventWho   = `coalesce(a.email, iif(e.what = ?6, ?7, ?5))`
	eventWhere = ` FROM event e LEFT JOIN account a ON a.id = e.account_id
		WHERE (?1 = '' OR e.slug = ?1) AND (?2 = '' OR ` + eventWho + ` = ?2) AND (?3 = '' OR e.what = ?3) AND (?4 = 0 OR e.id < ?4)`
)

// What stands in place of an address where the actor is 0.
const (
	CommandLine    = "command line"
	UnknownAddress = "unknown address" // whose sign-in failed
)

func (f EventFilter) args() []any {
	return []any{f.Slug, f.Email, f.What, f.Before, CommandLine, SignInFailed.name, UnknownAddress}
}

// Events lists up to limit events that match a filter, the newest first.
func (s *Store) Events(ctx context.Context, f EventFilter, limit int) ([]Event, error) {
	return collect(ctx, s.read, "reading the log", func(row scanner) (e Event, err error) {
		err = row.Scan(&e.ID, &e.At, &e.Email, &e.Slug, &e.What, &e.Detail)
		return e, err
	}, `SELECT e.id, e.at, `+eventWho+`, e.slug, e.what, e.detail`+eventWhere+` ORDER BY e.id DESC LIMIT ?8`, append(f.args(), limit)...)
}

// EventChoices lists the people in the log of a study, or of all studies if slug is "", and what they did.
func (s *Store) EventChoices(ctx context.Context, slug string) (emails, whats []string, err error) {
	text := func(row scanner) (t string, err error) { err = row.Scan(&t); return t, err }
	args := EventFilter{Slug: slug}.args()
	if emails, err = collect(ctx, s.read, "reading the log", text, `SELECT DISTINCT `+eventWho+eventWhere+` ORDER BY 1`, args...); err != nil {
		return nil, nil, err
	}
	whats, err = collect(ctx, s.read, "reading the log", text, `SELECT DISTINCT e.what`+eventWhere+` ORDER BY 1`, args...)
	return emails, whats, err
}

// note writes an event for the record of who did what.
func note(tx *tx, by Actor, studyID int64, what Deed, detail string) error {
	var slug string
	if studyID != 0 {
		if err := tx.row(`SELECT slug FROM study WHERE id = ?`, studyID).Scan(&slug); err != nil {
			return fmt.Errorf("noting %q: %w", what.name, err)
		}
	}
	return noteStudy(tx, by, studyID, slug, what, detail)
}

// noteOn writes an event about the study of a slug, whatever its version.
func noteOn(tx *tx, by Actor, slug string, what Deed, detail string) error {
	return noteStudy(tx, by, 0, slug, what, detail)
}

func noteStudy(tx *tx, by Actor, studyID int64, slug string, what Deed, detail string) error {
	_, err := tx.exec(`INSERT INTO event (at, account_id, study_id, slug, what, detail) VALUES (?, ?, ?, ?, ?, ?)`,
		tx.now, sql.NullInt64{Int64: int64(by), Valid: by != 0}, sql.NullInt64{Int64: studyID, Valid: studyID != 0}, slug, what.name, detail)
	return err
}
