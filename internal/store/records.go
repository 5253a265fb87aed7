package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"overton/internal/study"
)

// Records streams everything that a study collected, one submission at a time, in the order they began. It
// stops at the first error from each.
func (s *Store) Records(ctx context.Context, studyID int64, each func(study.Record) error) error {
	return s.Snapshot(ctx, func(now *Snapshot) error { return now.Records(ctx, studyID, each) })
}

// Snapshot is the database as it was at one moment, for reading several things that must be consistent, or
// for reading that takes long.
type Snapshot struct {
	tx  *sql.Tx
	now int64
}

// Snapshot passes on the database to read as it is now, regardless of later writes. While the snapshot is in
// use, the database's log file cannot shrink.
func (s *Store) Snapshot(ctx context.Context, read func(*Snapshot) error) error {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("reading the database: %w", err)
	}
	defer tx.Rollback()
	return read(&Snapshot{tx, s.now().UnixMilli()})
}

// part is a query for something of which submissions have several. Its rows come in the order of the
// submissions, which are scanned by id, so that nothing need be sorted or kept in memory.
type part struct {
	doing, query string
	read         func(row scanner) (submission int64, put func(*study.Record), err error)

	rows *sql.Rows
	of   int64               // submission of the last row read
	put  func(*study.Record) // adds it; nil once added
}

const partOf = ` FROM submission s NOT INDEXED CROSS JOIN `

// recordParts are the parts of the submissions that a condition chooses.
func recordParts(of string) []*part {
	return []*part{{
		doing: "reading assignments",
		query: `SELECT s.id, x.question_id, x.state, x.models` + partOf + `assignment x ON x.submission_id = s.id WHERE ` + of + ` ORDER BY s.id, x.position`,
		read: func(row scanner) (id int64, put func(*study.Record), err error) {
			var slot study.RecordSlot
			var models string
			if err := row.Scan(&id, &slot.Question, &slot.State, &models); err != nil {
				return 0, nil, err
			}
			err = json.Unmarshal([]byte(models), &slot.Models)
			return id, func(r *study.Record) { r.Slots = append(r.Slots, slot) }, err
		},
	}, {
		doing: "reading answers",
		query: `SELECT s.id, x.kind, x.scope, x.subject, x.value, x.round, x.shown_at, x.answered_at, x.active_ms, x.revision` + partOf + `answer x ON x.submission_id = s.id WHERE ` + of + ` ORDER BY s.id`,
		read: func(row scanner) (id int64, put func(*study.Record), err error) {
			var shown, answered int64
			var active sql.NullInt64
			var a study.Answer
			err = row.Scan(&id, &a.Key.Kind, &a.Key.Scope, &a.Key.Subject, &a.Value, &a.Round, &shown, &answered, &active, &a.Revision)
			a.Shown, a.Answered, a.Active = when(shown), when(answered), time.Duration(active.Int64)*time.Millisecond
			return id, func(r *study.Record) { r.Answers = append(r.Answers, a) }, err
		},
	}, {
		doing: "reading ballots",
		query: `SELECT s.id, x.statement_id, x.question_id, x.position, x.probability, x.candidates, x.round, x.drawn_at` + partOf + `ballot x ON x.submission_id = s.id WHERE ` + of + ` ORDER BY s.id`,
		read: func(row scanner) (id int64, put func(*study.Record), err error) {
			var statement, drawn int64
			var b study.RecordBallot
			err = row.Scan(&id, &statement, &b.Question, &b.Position, &b.Probability, &b.Candidates, &b.Round, &drawn)
			b.Statement, b.Drawn = strconv.FormatInt(statement, 10), when(drawn)
			return id, func(r *study.Record) { r.Ballots = append(r.Ballots, b) }, err
		},
	}, {
		doing: "reading drawn surveys",
		query: `SELECT s.id, x.instrument, x.items, x.repeated, x.reversed` + partOf + `survey_draw x ON x.submission_id = s.id WHERE ` + of + ` ORDER BY s.id`,
		read: func(row scanner) (id int64, put func(*study.Record), err error) {
			instrument, d, err := scanDrawn(row, &id)
			return id, func(r *study.Record) {
				if r.Surveys == nil {
					r.Surveys = map[string]study.Drawn{}
				}
				r.Surveys[instrument] = d
			}, err
		},
	}}
}

// fill adds to a record what belongs to its submission.
func (p *part) fill(id int64, r *study.Record) (err error) {
	for {
		if p.put != nil && p.of != id {
			return nil // of a later submission
		}
		if p.put != nil {
			p.put(r)
		}
		if p.put = nil; !p.rows.Next() {
			return p.rows.Err()
		}
		if p.of, p.put, err = p.read(p.rows); err != nil {
			return err
		}
	}
}

// Records is Store.Records as of the snapshot. It holds one submission at a time.
func (n *Snapshot) Records(ctx context.Context, studyID int64, each func(study.Record) error) error {
	return n.records(ctx, `s.study_id = ?`, studyID, func(r idRecord) error { return each(r.Record) })
}

// idRecord is a record and the id of its row.
type idRecord struct {
	id int64
	study.Record
}

// recordBatch is how many submissions are read by id at a time.
const recordBatch = 200

// recordsOf reads the submissions with the given ids, in one consistent snapshot and in the order of their
// ids. Submissions that no longer exist are left out.
func (s *Store) recordsOf(ctx context.Context, ids []int64) (batch []idRecord, err error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	err = s.Snapshot(ctx, func(now *Snapshot) error {
		return now.records(ctx, `s.id IN (SELECT value FROM json_each(?))`, string(list), func(r idRecord) error { batch = append(batch, r); return nil })
	})
	return batch, err
}

// records streams the submissions s that a condition on one argument chooses.
func (n *Snapshot) records(ctx context.Context, of string, argument any, each func(idRecord) error) error {
	submissions, err := n.tx.QueryContext(ctx, `SELECT s.id, p.pseudonym, s.virtual, s.seed, s.outcome, s.outcome = '' AND s.expires_at > ?, s.round, s.started_at, coalesce(s.consented_at, 0), s.last_at, coalesce(s.ended_at, 0),
			r.status, r.code, r.seconds, r.attributes
		FROM submission s NOT INDEXED CROSS JOIN participant p ON p.id = s.participant_id LEFT JOIN recruited r ON r.submission_id = s.id WHERE `+of+` ORDER BY s.id`, n.now, argument)
	if err != nil {
		return fmt.Errorf("reading submissions: %w", err)
	}
	defer submissions.Close()
	parts := recordParts(of)
	for _, p := range parts {
		if p.rows, err = n.tx.QueryContext(ctx, p.query, argument); err != nil {
			return fmt.Errorf("%s: %w", p.doing, err)
		}
		defer p.rows.Close()
	}
	for submissions.Next() {
		var r study.Record
		var id, seed, started, consented, lastAt, ended int64
		var said recruited
		if err := submissions.Scan(&id, &r.Pseudonym, &r.Virtual, &seed, &r.Outcome, &r.Live, &r.Round, &started, &consented, &lastAt, &ended,
			&said.status, &said.code, &said.seconds, &said.attributes); err != nil {
			return fmt.Errorf("reading submissions: %w", err)
		}
		if r.Recruited, err = said.read(); err != nil {
			return fmt.Errorf("reading submissions: %w", err)
		}
		r.Seed = uint64(seed)
		r.Started, r.Consented, r.Last, r.Ended = when(started), when(consented), when(lastAt), when(ended)
		for _, p := range parts {
			if err := p.fill(id, &r); err != nil {
				return fmt.Errorf("%s: %w", p.doing, err)
			}
		}
		slices.SortFunc(r.Answers, func(a, b study.Answer) int {
			return cmp.Or(a.Answered.Compare(b.Answered), cmp.Compare(a.Key.Kind, b.Key.Kind), cmp.Compare(a.Key.Scope, b.Key.Scope), cmp.Compare(a.Key.Subject, b.Key.Subject))
		})
		slices.SortFunc(r.Ballots, func(a, b study.RecordBallot) int {
			return cmp.Or(cmp.Compare(a.Question, b.Question), cmp.Compare(a.Position, b.Position))
		})
		if err := each(idRecord{id, r}); err != nil {
			return err
		}
	}
	if err := submissions.Err(); err != nil {
		return fmt.Errorf("reading submissions: %w", err)
	}
	return nil
}

// when turns milliseconds into a time; 0 is the zero time.
func when(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// statementColumns are scanned by scanStatement, from statement t and its author's participant p.
const statementColumns = `t.id, t.question_id, coalesce(p.pseudonym, ''), t.submission_id IS NULL AND t.state != 'withdrawn', t.virtual, t.text, t.state, t.created_at,
	t.drawn, t.agree, t.disagree, t.neutral, t.skip`

// scanStatement reads a statement, and the columns after it into further.
func scanStatement(row scanner, further ...any) (study.Statement, error) {
	var t study.Statement
	var id, created int64
	err := row.Scan(append([]any{&id, &t.Question, &t.Author, &t.Seed, &t.Virtual, &t.Text, &t.State, &created, &t.Drawn, &t.Agree, &t.Disagree, &t.Neutral, &t.Skip}, further...)...)
	t.ID, t.Created = strconv.FormatInt(id, 10), when(created)
	return t, err
}

const statementFrom = ` FROM statement t LEFT JOIN participant p ON p.id = t.participant_id `

func oneStatement(row scanner) (study.Statement, error) { return scanStatement(row) }

// EachStatement streams a study's statements as of the snapshot, oldest first. It stops at the first error
// from each.
func (n *Snapshot) EachStatement(ctx context.Context, studyID int64, each func(study.Statement) error) error {
	rows, err := n.tx.QueryContext(ctx, `SELECT `+statementColumns+statementFrom+`WHERE +t.study_id = ? ORDER BY t.id`, studyID) // + by id, so that no texts are sorted
	if err != nil {
		return fmt.Errorf("reading the statements: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		t, err := scanStatement(rows)
		if err != nil {
			return fmt.Errorf("reading the statements: %w", err)
		}
		if err := each(t); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reading the statements: %w", err)
	}
	return nil
}

// Statements lists a study's statements as of the snapshot, oldest first.
func (n *Snapshot) Statements(ctx context.Context, studyID int64) (all []study.Statement, err error) {
	err = n.EachStatement(ctx, studyID, func(t study.Statement) error { all = append(all, t); return nil })
	return all, err
}

// StatementsOn lists the statements on one question as of the snapshot, oldest
// first.
func (n *Snapshot) StatementsOn(ctx context.Context, studyID int64, question string) ([]study.Statement, error) {
	return collect(ctx, n.tx, "reading the statements", oneStatement, `SELECT `+statementColumns+statementFrom+`WHERE t.study_id = ? AND t.question_id = ? ORDER BY t.id`, studyID, question)
}

// Statements lists a study's statements, oldest first.
func (s *Store) Statements(ctx context.Context, studyID int64) ([]study.Statement, error) {
	return collect(ctx, s.read, "reading the statements", oneStatement, `SELECT `+statementColumns+statementFrom+`WHERE t.study_id = ? ORDER BY t.id`, studyID)
}
