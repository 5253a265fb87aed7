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
	for after := int64(0); ; {
		ids, err := collect(ctx, s.read, "listing submissions", func(row scanner) (id int64, err error) { err = row.Scan(&id); return id, err },
			`SELECT id FROM submission WHERE study_id = ? AND id > ? ORDER BY id LIMIT ?`, studyID, after, recordBatch)
		if err != nil {
			return fmt.Errorf("reading the records: %w", err)
		}
		if len(ids) == 0 {
			return nil
		}
		batch, err := s.recordsOf(ctx, ids)
		if err != nil {
			return fmt.Errorf("reading the records: %w", err)
		}
		for _, r := range batch {
			if err := each(r.Record); err != nil {
				return err
			}
		}
		after = ids[len(ids)-1]
	}
}

// idRecord is a record and the id of its row.
type idRecord struct {
	id int64
	study.Record
}

// recordsOf reads the submissions with the given ids, in one consistent
// snapshot and in the order of their ids. Those that are gone are left out.
func (s *Store) recordsOf(ctx context.Context, ids []int64) (batch []idRecord, err error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	snapshot, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
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
		batch = append(batch, idRecord{id, r})
		return struct{}{}, err
	}, `SELECT s.id, p.pseudonym, s.virtual, s.seed, s.outcome, s.outcome = '' AND s.expires_at > ?, s.round, s.started_at, coalesce(s.consented_at, 0), s.last_at, coalesce(s.ended_at, 0),
			r.status, r.code, r.seconds, r.attributes
		FROM submission s JOIN participant p ON p.id = s.participant_id LEFT JOIN recruited r ON r.submission_id = s.id WHERE s.id IN (SELECT value FROM json_each(?)) ORDER BY s.id`, now, string(list))
	if err != nil || len(batch) == 0 {
		return nil, err
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
	}, `SELECT submission_id, question_id, state, models FROM assignment WHERE submission_id IN (SELECT value FROM json_each(?)) ORDER BY submission_id, position`, string(list))
	if err != nil {
		return nil, err
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
		WHERE submission_id IN (SELECT value FROM json_each(?)) ORDER BY submission_id, answered_at, kind, scope, subject`, string(list))
	if err != nil {
		return nil, err
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
		WHERE submission_id IN (SELECT value FROM json_each(?)) ORDER BY submission_id, question_id, position`, string(list))
	if err != nil {
		return nil, err
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
	}, `SELECT submission_id, instrument, items, repeated, reversed FROM survey_draw WHERE submission_id IN (SELECT value FROM json_each(?))`, string(list))
	return batch, err
}

// when turns milliseconds into a time; 0 is the zero time.
func when(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// statementColumns are scanned by scanStatement, from statement t and its
// author's participant p.
const statementColumns = `t.id, t.question_id, coalesce(p.pseudonym, ''), t.submission_id IS NULL AND t.state != 'withdrawn', t.virtual, t.text, t.state, t.created_at,
	t.drawn, t.agree, t.disagree, t.neutral, t.skip`

// scanStatement reads a statement, and into further what follows its columns.
func scanStatement(row scanner, further ...any) (study.Statement, error) {
	var t study.Statement
	var id, created int64
	err := row.Scan(append([]any{&id, &t.Question, &t.Author, &t.Seed, &t.Virtual, &t.Text, &t.State, &created, &t.Drawn, &t.Agree, &t.Disagree, &t.Neutral, &t.Skip}, further...)...)
	t.ID, t.Created = strconv.FormatInt(id, 10), when(created)
	return t, err
}

// Statements lists a study's statements, oldest first.
func (s *Store) Statements(ctx context.Context, studyID int64) ([]study.Statement, error) {
	return collect(ctx, s.read, "reading the statements", func(row scanner) (study.Statement, error) { return scanStatement(row) },
		`SELECT `+statementColumns+` FROM statement t LEFT JOIN participant p ON p.id = t.participant_id WHERE t.study_id = ? ORDER BY t.id`, studyID)
}
