package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"overton/internal/study"
)

// recordBatch is how many submissions are read at a time, so that memory stays
// flat however many there are.
const recordBatch = 200

// Records streams all that a study collected, one submission at a time, in the
// order they began. It stops at the first error of each.
func (s *Store) Records(ctx context.Context, studyID int64, each func(study.Record) error) error {
	after := int64(0)
	for {
		batch, last, err := s.records(ctx, studyID, after)
		if err != nil {
			return fmt.Errorf("reading the records: %w", err)
		}
		if len(batch) == 0 {
			return nil
		}
		for _, r := range batch {
			if err := each(r); err != nil {
				return err
			}
		}
		after = last
	}
}

// records reads the batch of submissions with ids beyond after, in one
// consistent snapshot.
func (s *Store) records(ctx context.Context, studyID, after int64) (batch []study.Record, last int64, err error) {
	snapshot, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, 0, err
	}
	defer snapshot.Rollback()
	now := s.now().UnixMilli()
	index := map[int64]int{}
	_, err = collect(ctx, snapshot, "submissions", func(row scanner) (struct{}, error) {
		var r study.Record
		var id, seed, started, consented, lastAt, ended int64
		var said recruited
		err := row.Scan(&id, &r.Pseudonym, &r.Virtual, &seed, &r.Outcome, &r.Live, &r.Round, &started, &consented, &lastAt, &ended,
			&said.status, &said.code, &said.seconds, &said.attributes)
		if err == nil {
			r.Recruited, err = said.read()
		}
		r.Seed = uint64(seed)
		r.Started, r.Consented, r.Last, r.Ended = when(started), when(consented), when(lastAt), when(ended)
		index[id] = len(batch)
		batch, last = append(batch, r), id
		return struct{}{}, err
	}, `SELECT s.id, p.pseudonym, s.virtual, s.seed, s.outcome, s.outcome = '' AND s.expires_at > ?, s.round, s.started_at, coalesce(s.consented_at, 0), s.last_at, coalesce(s.ended_at, 0),
			r.status, r.code, r.seconds, r.attributes
		FROM submission s JOIN participant p ON p.id = s.participant_id LEFT JOIN recruited r ON r.submission_id = s.id WHERE s.study_id = ? AND s.id > ? ORDER BY s.id LIMIT ?`, now, studyID, after, recordBatch)
	if err != nil || len(batch) == 0 {
		return nil, 0, err
	}
	_, err = collect(ctx, snapshot, "assignments", func(row scanner) (struct{}, error) {
		var id int64
		var slot study.RecordSlot
		var models string
		if err := row.Scan(&id, &slot.Question, &slot.State, &models); err != nil {
			return struct{}{}, err
		}
		err := json.Unmarshal([]byte(models), &slot.Models)
		if i, ok := index[id]; ok {
			batch[i].Slots = append(batch[i].Slots, slot)
		}
		return struct{}{}, err
	}, `SELECT submission_id, question_id, state, models FROM assignment WHERE submission_id > ? AND submission_id <= ? AND study_id = ? ORDER BY submission_id, position`, after, last, studyID)
	if err != nil {
		return nil, 0, err
	}
	_, err = collect(ctx, snapshot, "answers", func(row scanner) (struct{}, error) {
		var id, shown, answered int64
		var active sql.NullInt64
		var a study.Answer
		err := row.Scan(&id, &a.Key.Kind, &a.Key.Scope, &a.Key.Subject, &a.Value, &a.Round, &shown, &answered, &active, &a.Revision)
		a.Shown, a.Answered, a.Active = when(shown), when(answered), time.Duration(active.Int64)*time.Millisecond
		if i, ok := index[id]; ok {
			batch[i].Answers = append(batch[i].Answers, a)
		}
		return struct{}{}, err
	}, `SELECT submission_id, kind, scope, subject, value, round, shown_at, answered_at, active_ms, revision FROM answer
		WHERE submission_id > ? AND submission_id <= ? ORDER BY submission_id, answered_at, kind, scope, subject`, after, last)
	if err != nil {
		return nil, 0, err
	}
	_, err = collect(ctx, snapshot, "ballots", func(row scanner) (struct{}, error) {
		var id, statement, drawn int64
		var b study.RecordBallot
		err := row.Scan(&id, &statement, &b.Question, &b.Position, &b.Probability, &b.Candidates, &b.Round, &drawn)
		b.Statement, b.Drawn = strconv.FormatInt(statement, 10), when(drawn)
		if i, ok := index[id]; ok {
			batch[i].Ballots = append(batch[i].Ballots, b)
		}
		return struct{}{}, err
	}, `SELECT submission_id, statement_id, question_id, position, probability, candidates, round, drawn_at FROM ballot
		WHERE submission_id > ? AND submission_id <= ? ORDER BY submission_id, question_id, position`, after, last)
	if err != nil {
		return nil, 0, err
	}
	_, err = collect(ctx, snapshot, "drawn surveys", func(row scanner) (struct{}, error) {
		var id int64
		instrument, d, err := scanDrawn(row, &id)
		if i, ok := index[id]; ok {
			if batch[i].Surveys == nil {
				batch[i].Surveys = map[string]study.Drawn{}
			}
			batch[i].Surveys[instrument] = d
		}
		return struct{}{}, err
	}, `SELECT submission_id, instrument, items, repeated, reversed FROM survey_draw WHERE submission_id > ? AND submission_id <= ?`, after, last)
	return batch, last, err
}

// when turns milliseconds into a time; 0 is the zero time.
func when(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

const statementQuery = `SELECT t.id, t.question_id, coalesce(p.pseudonym, ''), t.submission_id IS NULL AND t.state != 'withdrawn', t.virtual, t.text, t.state, t.created_at,
	t.drawn, t.agree, t.disagree, t.neutral, t.skip FROM statement t LEFT JOIN participant p ON p.id = t.participant_id `

func scanStatement(row scanner) (study.Statement, error) {
	var t study.Statement
	var id, created int64
	err := row.Scan(&id, &t.Question, &t.Author, &t.Seed, &t.Virtual, &t.Text, &t.State, &created, &t.Drawn, &t.Agree, &t.Disagree, &t.Neutral, &t.Skip)
	t.ID, t.Created = strconv.FormatInt(id, 10), when(created)
	return t, err
}

// Statements lists a study's statements, oldest first.
func (s *Store) Statements(ctx context.Context, studyID int64) ([]study.Statement, error) {
	return collect(ctx, s.read, "reading the statements", scanStatement, statementQuery+`WHERE t.study_id = ? ORDER BY t.id`, studyID)
}

// Queue lists up to limit statements in a state, oldest first; of served ones
// only those that nobody has looked at.
func (s *Store) Queue(ctx context.Context, studyID int64, state study.StatementState, limit int) ([]study.Statement, error) {
	return collect(ctx, s.read, "reading the moderation queue", scanStatement,
		statementQuery+`WHERE t.study_id = ? AND t.state = ? AND (t.state != 'served' OR t.moderated = 0 AND t.submission_id IS NOT NULL) ORDER BY t.id LIMIT ?`, studyID, state, limit)
}

// Moderate accepts or rejects a statement. A rejected one is not served from
// this moment on. One that its author took back or replaced is ErrNotFound.
func (s *Store) Moderate(ctx context.Context, studyID int64, statement string, accept bool, by Actor) error {
	state, what := study.StatementRejected, "statement rejected"
	if accept {
		state, what = study.StatementServed, "statement accepted"
	}
	err := s.update(ctx, func(tx *tx) error {
		result, err := tx.exec(`UPDATE statement SET state = ?, moderated = 1 WHERE id = ? AND study_id = ? AND state IN ('pending', 'served', 'rejected')
			AND NOT EXISTS (SELECT 1 FROM statement newer WHERE newer.submission_id = statement.submission_id AND newer.question_id = statement.question_id AND newer.id > statement.id)`,
			state, statement, studyID)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return ErrNotFound
		}
		return note(tx, by, studyID, what, "statement "+statement)
	})
	if err != nil {
		return fmt.Errorf("moderating statement %s: %w", statement, err)
	}
	return nil
}
