package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"overton/internal/study"
)

// Standing is the state of a submission here and at the recruiter.
type Standing struct {
	Pseudonym  string
	Submission string // the recruiter's id for it
	Outcome    study.Outcome
	Recruited  *study.Recruited // nil: not in any file
}

// Stranger is a row of a recruiter's file that matches no submission here.
type Stranger struct {
	study.RecruitedRow
	What string // why it does not
}

// Reasons why a row matches no submission.
const (
	NeverBegan = "did not start here"
	Withdrew   = "withdrew here, so nothing is kept"
	OfAnother  = "was started here by another participant: the link was shared, or the file is for another study"
)

// SaveRecruited saves what the recruiter says about a study's submissions, replacing what it said before.
// Rows that match no submission are not saved; those of them that were submitted are returned.
func (s *Store) SaveRecruited(ctx context.Context, slug string, rows []study.RecruitedRow, by Actor) (kept int, strangers []Stranger, err error) {
	key, err := s.Secret(ctx, "withdrawal", 32)
	if err != nil {
		return 0, nil, err
	}
	err = s.update(ctx, func(tx *tx) error {
		st, err := scanStudy(tx.row(`SELECT `+studyColumns+` FROM study WHERE slug = ? ORDER BY version DESC LIMIT 1`, slug))
		if err != nil {
			return err
		}
		for _, r := range rows {
			var id int64
			var participant string
			err := tx.row(`SELECT submission_id, external_participant FROM identity WHERE slug = ? AND external_submission = ?`, slug, r.Submission).Scan(&id, &participant)
			switch {
			case errors.Is(err, sql.ErrNoRows):
				if !study.HandedIn(r.Status) {
					continue // opened the study and left: nothing to do
				}
				var withdrew bool
				if err := tx.row(`SELECT count(*) FROM withdrawal WHERE slug = ? AND fingerprint = ?`, slug, fingerprint(key, r.Submission)).Scan(&withdrew); err != nil {
					return err
				}
				what := NeverBegan
				if withdrew {
					what = Withdrew
				}
				strangers = append(strangers, Stranger{r, what})
				continue
			case err != nil:
				return err
			case participant != r.Participant:
				strangers = append(strangers, Stranger{r, OfAnother})
				continue
			}
			attributes, err := json.Marshal(r.Attributes)
			if err != nil {
				return err
			}
			seconds := sql.NullInt64{Int64: int64(r.Taken / time.Second), Valid: r.Taken > 0}
			if _, err := tx.exec(`INSERT INTO recruited (submission_id, status, code, seconds, attributes, imported_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
				ON CONFLICT (submission_id) DO UPDATE SET status = ?2, code = ?3, seconds = ?4, attributes = ?5, imported_at = ?6`,
				id, r.Status, r.Code, seconds, string(attributes), tx.now); err != nil {
				return err
			}
			kept++
		}
		return note(tx, by, st.ID, RecruiterRead, fmt.Sprintf("%d submissions of %d", kept, len(rows)))
	})
	if err != nil {
		return 0, nil, fmt.Errorf("keeping what the recruiter says of study %q: %w", slug, err)
	}
	return kept, strangers, nil
}

// recruited is a row of its table, all NULL if there is none.
type recruited struct {
	status, code, attributes sql.NullString
	seconds                  sql.NullInt64
}

func (r recruited) read() (*study.Recruited, error) {
	if !r.status.Valid {
		return nil, nil
	}
	said := &study.Recruited{Status: r.status.String, Code: r.code.String, Taken: time.Duration(r.seconds.Int64) * time.Second}
	return said, json.Unmarshal([]byte(r.attributes.String), &said.Attributes)
}

// Standings lists a study's submissions by people, with what the recruiter says about each, in the order they
// began.
func (s *Store) Standings(ctx context.Context, slug string) ([]Standing, error) {
	return collect(ctx, s.read, "reading how submissions stand", func(row scanner) (Standing, error) {
		var st Standing
		var said recruited
		err := row.Scan(&st.Pseudonym, &st.Submission, &st.Outcome, &said.status, &said.code, &said.seconds, &said.attributes)
		if err == nil {
			st.Recruited, err = said.read()
		}
		return st, err
	}, `SELECT p.pseudonym, i.external_submission, s.outcome, r.status, r.code, r.seconds, r.attributes
		FROM identity i JOIN submission s ON s.id = i.submission_id JOIN participant p ON p.id = s.participant_id
		LEFT JOIN recruited r ON r.submission_id = s.id
		WHERE i.slug = ? AND NOT s.virtual ORDER BY s.id`, slug)
}
