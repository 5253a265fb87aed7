package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"overton/internal/study"
)

// Commits counts the transactions of this process. While it does not change, what was read before is still
// valid, apart from the passing of time and what other programs write.
func (s *Store) Commits() int64 { return s.commits.Load() }

// Mark is the part of a submission's row that changes while the person takes part. Two equal marks of a
// submission mean the same record.
type Mark struct {
	ID                   int64
	Outcome              study.Outcome
	Step                 string
	Round                int
	Last, Ended, Expires int64 // milliseconds; 0: not
}

// Live says whether the submission is in progress and keeps its places.
func (m Mark) Live(now time.Time) bool {
	return m.Outcome == study.InProgress && m.Expires > now.UnixMilli()
}

// Follow lists the marks of a study's submissions, in the order they began, and reads the records of those
// that are not already known. A record may be newer than its mark; the next call then reads it again.
func (s *Store) Follow(ctx context.Context, studyID int64, known func(Mark) bool, each func(Mark, study.Record) error) ([]Mark, error) {
	marks, err := collect(ctx, s.read, "following the submissions", func(row scanner) (m Mark, err error) {
		err = row.Scan(&m.ID, &m.Outcome, &m.Step, &m.Round, &m.Last, &m.Ended, &m.Expires)
		return m, err
	}, `SELECT id, outcome, step, round, last_at, coalesce(ended_at, 0), expires_at FROM submission WHERE study_id = ? ORDER BY id`, studyID)
	if err != nil {
		return nil, err
	}
	var fresh []Mark
	for _, m := range marks {
		if !known(m) {
			fresh = append(fresh, m)
		}
	}
	for batch := range slices.Chunk(fresh, recordBatch) {
		byID := map[int64]Mark{}
		ids := make([]int64, len(batch))
		for i, m := range batch {
			ids[i], byID[m.ID] = m.ID, m
		}
		records, err := s.recordsOf(ctx, ids)
		if err != nil {
			return nil, fmt.Errorf("following the submissions: %w", err)
		}
		for _, r := range records {
			if err := each(byID[r.id], r.Record); err != nil {
				return nil, err
			}
		}
	}
	return marks, nil
}

// Record reads everything that was collected from the participant with a pseudonym: one record for each of
// their submissions, in the order they began. The error is ErrNotFound if the study has no such participant.
func (s *Store) Record(ctx context.Context, studyID int64, pseudonym string) ([]study.Record, error) {
	ids, err := collect(ctx, s.read, "looking up a participant", func(row scanner) (id int64, err error) { err = row.Scan(&id); return id, err },
		`SELECT s.id FROM submission s JOIN participant p ON p.id = s.participant_id WHERE s.study_id = ? AND p.pseudonym = ? ORDER BY s.id`, studyID, pseudonym)
	if err == nil && len(ids) == 0 {
		err = fmt.Errorf("looking up participant %s: %w", pseudonym, ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	found, err := s.recordsOf(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("reading the record of %s: %w", pseudonym, err)
	}
	records := make([]study.Record, len(found))
	for i, r := range found {
		records[i] = r.Record
	}
	return records, nil
}

// Revision is one value that an answer had.
type Revision struct {
	Key      study.Key
	Number   int // 1 for the first
	Value    string
	Answered time.Time
	Late     bool // came after the reservation had expired
}

// Revisions lists the replaced values of a participant's answers, in the order they came.
func (s *Store) Revisions(ctx context.Context, studyID int64, pseudonym string) ([]Revision, error) {
	return collect(ctx, s.read, "reading revisions", func(row scanner) (r Revision, err error) {
		var answered int64
		err = row.Scan(&r.Key.Kind, &r.Key.Scope, &r.Key.Subject, &r.Number, &r.Value, &answered, &r.Late)
		r.Answered = when(answered)
		return r, err
	}, `SELECT r.kind, r.scope, r.subject, r.revision, r.value, r.answered_at, r.late FROM revision r
		JOIN answer a ON a.submission_id = r.submission_id AND a.kind = r.kind AND a.scope = r.scope AND a.subject = r.subject
		JOIN submission s ON s.id = r.submission_id JOIN participant p ON p.id = s.participant_id
		WHERE s.study_id = ? AND p.pseudonym = ? AND r.revision < a.revision ORDER BY r.answered_at, r.revision`, studyID, pseudonym)
}

// StatementsSeen returns the statements that a participant wrote or was shown, by id.
func (s *Store) StatementsSeen(ctx context.Context, studyID int64, pseudonym string) (map[string]study.Statement, error) {
	all, err := collect(ctx, s.read, "reading a participant's statements", func(row scanner) (study.Statement, error) { return scanStatement(row) },
		`WITH who AS (SELECT id FROM participant WHERE study_id = ?1 AND pseudonym = ?2)
		SELECT `+statementColumns+` FROM statement t LEFT JOIN participant p ON p.id = t.participant_id
		WHERE t.id IN (SELECT id FROM statement WHERE participant_id IN who
			UNION SELECT b.statement_id FROM ballot b JOIN submission s ON s.id = b.submission_id WHERE s.participant_id IN who)`, studyID, pseudonym)
	byID := map[string]study.Statement{}
	for _, t := range all {
		byID[t.ID] = t
	}
	return byID, err
}

// Watched is what a monitor shows of a study in addition to its submissions.
type Watched struct {
	Tallies       []study.StatementTally // of people's statements and seeds, or of virtual participants' and seeds
	OldestPending time.Time              // zero: none waiting
	Withdrawn     int                    // people who withdrew; nothing else is kept of them
	Reward        Reward
}

// Reward is what a person is paid. No decision depends on it.
type Reward struct {
	Amount   float64 `json:"amount"` // in whole units; 0: not known
	Currency string  `json:"currency"`
}

// Watch reads what a monitor shows in addition to the submissions, for real or for virtual participants.
func (s *Store) Watch(ctx context.Context, studyID int64, virtual bool) (w Watched, err error) {
	w.Tallies, err = collect(ctx, s.read, "counting statements", func(row scanner) (t study.StatementTally, err error) {
		err = row.Scan(&t.Question, &t.State, &t.Votes, &t.N, &t.FromSeeds)
		return t, err
	}, `SELECT question_id, state, agree + disagree + neutral, count(*), 0 FROM statement WHERE study_id = ?1 AND virtual = ?2 AND submission_id IS NOT NULL GROUP BY 1, 2, 3
		UNION ALL SELECT question_id, state, agree + disagree + neutral, count(*), count(*) FROM statement WHERE study_id = ?1 AND virtual = 0 AND submission_id IS NULL AND state != 'withdrawn' GROUP BY 1, 2, 3`, studyID, virtual)
	if err != nil {
		return w, err
	}
	var oldest sql.NullInt64
	if err := s.read.QueryRowContext(ctx, `SELECT min(created_at) FROM statement WHERE study_id = ? AND state = 'pending' AND virtual = ?`, studyID, virtual).Scan(&oldest); err != nil {
		return w, fmt.Errorf("looking for what waits: %w", err)
	}
	w.OldestPending = when(oldest.Int64)
	if err := s.read.QueryRowContext(ctx, `SELECT count(*) FROM withdrawal WHERE study_id = ?`, studyID).Scan(&w.Withdrawn); err != nil {
		return w, fmt.Errorf("counting withdrawals: %w", err)
	}
	var reward string
	err = s.read.QueryRowContext(ctx, `SELECT value FROM study_setting WHERE study_id = ? AND name = ?`, studyID, settingReward).Scan(&reward)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return w, nil
	case err == nil:
		err = json.Unmarshal([]byte(reward), &w.Reward)
	}
	if err != nil {
		return w, fmt.Errorf("reading the reward: %w", err)
	}
	return w, nil
}

const settingReward = "reward"

// SetReward records what a person is paid, so that the hourly pay can be shown.
func (s *Store) SetReward(ctx context.Context, studyID int64, r Reward, by Actor) error {
	value, err := json.Marshal(r)
	if err == nil {
		err = s.update(ctx, func(tx *tx) error {
			if err := setSetting(tx, studyID, settingReward, string(value)); err != nil {
				return err
			}
			return note(tx, by, studyID, RewardSet, fmt.Sprintf("%.2f %s", r.Amount, r.Currency))
		})
	}
	if err != nil {
		return fmt.Errorf("noting the reward: %w", err)
	}
	return nil
}
