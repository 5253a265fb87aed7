package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"overton/internal/study"
)

// ModerationList is one of the lists of statements to moderate.
type ModerationList string

const (
	ListPending  ModerationList = "pending"  // not shown to anyone until accepted
	ListUnseen   ModerationList = "served"   // shown, not reviewed yet
	ListAccepted ModerationList = "accepted" // shown, reviewed
	ListRejected ModerationList = "rejected"
	ListAll      ModerationList = "all" // of participants, in any of these states
)

// listed is the condition for each list's statements. The first page of a study's statements must be fast at
// any size, so each condition is a range of the index statement_queue.
var listed = map[ModerationList]string{
	ListPending:  `t.state = 'pending'`,
	ListUnseen:   `t.state = 'served' AND t.moderated = 0 AND t.submission_id IS NOT NULL`,
	ListAccepted: `t.state = 'served' AND t.moderated = 1 AND t.submission_id IS NOT NULL`,
	ListRejected: `t.state = 'rejected'`,
	ListAll:      `t.state IN ('pending', 'served', 'rejected') AND t.submission_id IS NOT NULL`,
}

// ModerationQuery says which statements to list. Empty fields match everything.
type ModerationQuery struct {
	List          ModerationList
	Question      string         // id
	Hint          study.HintKind // that the text has; HintAny: any
	Text          string         // in the statement
	Limit, Offset int
}

// HintAny matches every kind of hint.
const HintAny study.HintKind = "any"

// Moderated is a statement with the decision that applies.
type Moderated struct {
	study.Statement
	Seen    bool // someone has reviewed it
	Verdict *Verdict
}

// Verdict is a decision of moderation.
type Verdict struct {
	Accepted bool
	Reason   study.RejectReason // why rejected; may be empty
	Note     string
	At       int64
	By       string // address of the person who decided; empty for the command line
}

// Moderation lists statements, oldest first, and counts all that match the query.
func (s *Store) Moderation(ctx context.Context, studyID int64, q ModerationQuery) (list []Moderated, total int, err error) {
	where, ok := listed[q.List]
	if !ok {
		return nil, 0, fmt.Errorf("there is no list %q: %w", q.List, ErrNotFound)
	}
	args := []any{studyID}
	where = `t.study_id = ? AND ` + where
	if q.Question != "" {
		where += ` AND t.question_id = ?`
		args = append(args, q.Question)
	}
	switch q.Hint {
	case "":
	case HintAny:
		where += ` AND t.hints != ''`
	default:
		where += ` AND instr(t.hints, ?) > 0`
		args = append(args, " "+string(q.Hint)+" ")
	}
	if q.Text != "" {
		where += ` AND t.text LIKE ? ESCAPE '\'`
		args = append(args, "%"+strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(q.Text)+"%")
	}
	if err := s.read.QueryRowContext(ctx, `SELECT count(*) FROM statement t WHERE `+where, args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("counting statements for moderation: %w", err)
	}
	list, err = collect(ctx, s.read, "reading the moderation queue", func(row scanner) (m Moderated, err error) {
		var verdict sql.NullInt64
		v := Verdict{}
		m.Statement, err = scanStatement(row, &m.Seen, &verdict, &v.Accepted, &v.Reason, &v.Note, &v.At, &v.By)
		if verdict.Valid {
			m.Verdict = &v
		}
		return m, err
	}, `SELECT `+statementColumns+`, t.moderated, v.id, coalesce(v.accepted, 0), coalesce(v.reason, ''), coalesce(v.note, ''), coalesce(v.at, 0), coalesce(a.email, '')
		FROM statement t LEFT JOIN participant p ON p.id = t.participant_id
		LEFT JOIN verdict v ON v.id = (SELECT max(id) FROM verdict WHERE statement_id = t.id AND undone_at IS NULL)
		LEFT JOIN account a ON a.id = v.account_id
		WHERE `+where+` ORDER BY t.id LIMIT ? OFFSET ?`, append(args, q.Limit, q.Offset)...)
	return list, total, err
}

// Waiting is how many statements are waiting for moderation.
type Waiting struct{ Pending, Unseen, Accepted, Rejected int }

// Waiting counts a study's statements for moderation, as Moderation lists them.
func (s *Store) Waiting(ctx context.Context, studyID int64) (w Waiting, err error) {
	for list, n := range map[ModerationList]*int{ListPending: &w.Pending, ListUnseen: &w.Unseen, ListAccepted: &w.Accepted, ListRejected: &w.Rejected} {
		if err := s.read.QueryRowContext(ctx, `SELECT count(*) FROM statement t WHERE t.study_id = ? AND `+listed[list], studyID).Scan(n); err != nil {
			return w, fmt.Errorf("counting statements for moderation: %w", err)
		}
	}
	return w, nil
}

// Decision accepts or rejects statements.
type Decision struct {
	Accept bool
	Reason study.RejectReason // of a rejection
	Note   string
}

// Moderate decides on statements, all in one transaction. A rejected statement is not served from this moment
// on. Statements that their authors withdrew or replaced, and those for which this decision already applies,
// are skipped; if none is left, the error is ErrNotFound. The batch can be given to UndoModeration.
func (s *Store) Moderate(ctx context.Context, studyID int64, statements []string, d Decision, by Actor) (batch int64, decided int, err error) {
	state, what := study.StatementRejected, StatementRejected
	if d.Accept {
		state, what = study.StatementServed, StatementAccepted
		d.Reason = ""
	}
	err = s.update(ctx, func(tx *tx) error {
		batch, decided = 0, 0
		for _, id := range statements {
			var was study.StatementState
			var seen bool
			err := tx.row(`SELECT state, moderated FROM statement t WHERE t.id = ? AND t.study_id = ? AND t.state IN ('pending', 'served', 'rejected') AND (t.state != ? OR NOT t.moderated)
				AND NOT EXISTS (SELECT 1 FROM statement newer WHERE newer.submission_id = t.submission_id AND newer.question_id = t.question_id AND newer.id > t.id)`,
				id, studyID, state).Scan(&was, &seen)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			result, err := tx.exec(`INSERT INTO verdict (batch, statement_id, account_id, at, accepted, reason, note, was, was_seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				batch, id, sql.NullInt64{Int64: int64(by), Valid: by != 0}, tx.now, d.Accept, d.Reason, d.Note, was, seen)
			if err != nil {
				return err
			}
			if batch == 0 {
				if batch, err = result.LastInsertId(); err != nil {
					return err
				}
				if _, err := tx.exec(`UPDATE verdict SET batch = id WHERE id = ?`, batch); err != nil {
					return err
				}
			}
			if _, err := tx.exec(`UPDATE statement SET state = ?, moderated = 1 WHERE id = ?`, state, id); err != nil {
				return err
			}
			if err := note(tx, by, studyID, what, strings.TrimSpace("statement "+id+" "+string(d.Reason))); err != nil {
				return err
			}
			decided++
		}
		if decided == 0 {
			return ErrNotFound
		}
		return nil
	})
	if err != nil {
		return 0, 0, fmt.Errorf("moderating %d statements: %w", len(statements), err)
	}
	return batch, decided, nil
}

// UndoModeration reverses the decisions of a batch that no later decision has replaced, and restores the
// statements. One that its author has rewritten since becomes replaced, as it would have without the decision. If there is nothing to reverse, the error is ErrNotFound.
func (s *Store) UndoModeration(ctx context.Context, studyID, batch int64, by Actor) (undone int, err error) {
	err = s.update(ctx, func(tx *tx) error {
		undone = 0
		rows, err := tx.rows(`SELECT v.id, v.statement_id, CASE WHEN EXISTS (SELECT 1 FROM statement newer WHERE newer.submission_id = t.submission_id
			AND newer.question_id = t.question_id AND newer.id > t.id) THEN 'replaced' ELSE v.was END, v.was_seen FROM verdict v JOIN statement t ON t.id = v.statement_id
			WHERE v.batch = ? AND t.study_id = ? AND v.undone_at IS NULL AND t.state = CASE WHEN v.accepted THEN 'served' ELSE 'rejected' END
			AND NOT EXISTS (SELECT 1 FROM verdict later WHERE later.statement_id = v.statement_id AND later.id > v.id AND later.undone_at IS NULL) ORDER BY v.id`, batch, studyID)
		if err != nil {
			return err
		}
		type change struct {
			verdict, statement int64
			was                study.StatementState
			seen               bool
		}
		changes, err := scanAll(rows, func(row scanner) (c change, err error) {
			err = row.Scan(&c.verdict, &c.statement, &c.was, &c.seen)
			return c, err
		})
		if err != nil {
			return err
		}
		for _, c := range changes {
			if _, err := tx.exec(`UPDATE verdict SET undone_at = ?, undone_by = ? WHERE id = ?`, tx.now, sql.NullInt64{Int64: int64(by), Valid: by != 0}, c.verdict); err != nil {
				return err
			}
			if _, err := tx.exec(`UPDATE statement SET state = ?, moderated = ? WHERE id = ?`, c.was, c.seen, c.statement); err != nil {
				return err
			}
			if err := note(tx, by, studyID, ModerationUndone, "statement "+strconv.FormatInt(c.statement, 10)); err != nil {
				return err
			}
			undone++
		}
		if undone == 0 {
			return ErrNotFound
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("undoing a decision of moderation: %w", err)
	}
	return undone, nil
}

// settingModeration is the name of the moderation mode among a study's settings.
const settingModeration = "moderation"

// SetModeration decides who may see what is written from now on in a launched study, regardless of its files.
// Statements that are waiting continue to wait. A draft's mode is in its files: for a draft the error is
// ErrConflict.
func (s *Store) SetModeration(ctx context.Context, studyID int64, mode study.Moderation, by Actor) error {
	err := s.update(ctx, func(tx *tx) error {
		st, err := scanStudy(tx.row(`SELECT `+studyColumns+` FROM study WHERE id = ?`, studyID))
		if err != nil {
			return err
		}
		if st.Status == Draft {
			return fmt.Errorf("it is a draft: %w", ErrConflict)
		}
		if err := setSetting(tx, st.ID, settingModeration, string(mode)); err != nil {
			return err
		}
		return note(tx, by, st.ID, ModerationMode, string(mode))
	})
	if err != nil {
		return fmt.Errorf("setting the mode of moderation: %w", err)
	}
	return nil
}

// ModerationMode is the mode that applies: the last one set, else the study's.
func (s *Store) ModerationMode(ctx context.Context, st *study.Study, studyID int64) (study.Moderation, error) {
	mode, err := moderationMode(func(query string, args ...any) scanner { return s.read.QueryRowContext(ctx, query, args...) }, st, studyID)
	if err != nil {
		return "", fmt.Errorf("reading the mode of moderation: %w", err)
	}
	return mode, nil
}

func moderationMode(row func(string, ...any) scanner, st *study.Study, studyID int64) (study.Moderation, error) {
	var mode study.Moderation
	err := row(`SELECT value FROM study_setting WHERE study_id = ? AND name = ?`, studyID, settingModeration).Scan(&mode)
	if errors.Is(err, sql.ErrNoRows) {
		if o := st.Overton(); o != nil {
			mode = o.Moderation
		}
		return mode, nil
	}
	return mode, err
}

func setSetting(tx *tx, studyID int64, name, value string) error {
	_, err := tx.exec(`INSERT INTO study_setting (study_id, name, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value`, studyID, name, value)
	return err
}

// hintsOf is how a statement's row stores the hints in its text.
func hintsOf(text string) string {
	var b strings.Builder
	for _, h := range study.Hints(text) {
		if kind := " " + string(h.Kind) + " "; !strings.Contains(b.String(), kind) {
			b.WriteString(kind)
		}
	}
	return b.String()
}

// findHints finds hints in statements that were stored before hints existed.
func (s *Store) findHints(ctx context.Context) error {
	for {
		type text struct {
			id   int64
			text string
		}
		batch, err := collect(ctx, s.read, "looking for hints", func(row scanner) (t text, err error) {
			err = row.Scan(&t.id, &t.text)
			return t, err
		}, `SELECT id, text FROM statement WHERE hints IS NULL LIMIT 500`)
		if err != nil || len(batch) == 0 {
			return err
		}
		err = s.update(ctx, func(tx *tx) error {
			for _, t := range batch {
				if _, err := tx.exec(`UPDATE statement SET hints = ? WHERE id = ? AND hints IS NULL`, hintsOf(t.text), t.id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("noting hints: %w", err)
		}
	}
}
