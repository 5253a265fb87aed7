package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"overton/internal/study"
)

// RunState is the state of a run.
type RunState string

const (
	RunQueued      RunState = "queued"
	RunRunning     RunState = "running"
	RunDone        RunState = "done"
	RunFailed      RunState = "failed"
	RunCancelled   RunState = "cancelled"
	RunInterrupted RunState = "interrupted" // the program ended first
)

// Ended says whether a run has ended, in whatever way.
func (s RunState) Ended() bool { return s != RunQueued && s != RunRunning }

// Run is one analysis of a study. Times are milliseconds since 1970, 0 for not
// yet.
type Run struct {
	ID         int64
	StudyID    int64
	Kind       string
	State      RunState
	Name, Note string
	Email      string // of the person who asked for it; empty for the command line
	CreatedAt  int64
	StartedAt  int64
	EndedAt    int64
	Failure    string // why it failed, in words for people
	Parameters []byte // JSON
	Input      string // SHA-256 of the data taken
	Virtual    bool   // whether they are of virtual participants
	Complete   int    // submissions taken
	Result     []byte // JSON; nil in lists and in runs that are not done
}

const runColumns = `r.id, r.study_id, r.kind, r.state, r.name, r.note, coalesce(a.email, ''), r.created_at, coalesce(r.started_at, 0), coalesce(r.ended_at, 0), r.failure, r.parameters, r.input, r.virtual, r.complete`

// scanRun reads runColumns, and other columns into others.
func scanRun(row scanner, others ...any) (r Run, err error) {
	err = row.Scan(append([]any{&r.ID, &r.StudyID, &r.Kind, &r.State, &r.Name, &r.Note, &r.Email, &r.CreatedAt, &r.StartedAt, &r.EndedAt,
		&r.Failure, &r.Parameters, &r.Input, &r.Virtual, &r.Complete}, others...)...)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return r, err
}

// NewRun is a run that someone asks for.
type NewRun struct {
	Kind, Name, Note string
	Parameters       []byte // JSON
	Sent             []byte // files that it takes; kept until the run has ended
}

// asked is what asking for a run of a kind is called in the record.
var asked = map[string]Deed{"window": AnalysisStarted, "survey": SurveyStarted, "judge": JudgeCompared}

// QueueRun keeps a run that has not begun. Its kind is window, survey or judge.
func (s *Store) QueueRun(ctx context.Context, studyID int64, n NewRun, by Actor) (id int64, err error) {
	what, known := asked[n.Kind]
	if !known {
		return 0, fmt.Errorf("queueing a run of the unknown kind %q", n.Kind)
	}
	err = s.update(ctx, func(tx *tx) error {
		account := sql.NullInt64{Int64: int64(by), Valid: by != 0}
		res, err := tx.exec(`INSERT INTO run (study_id, kind, state, name, note, account_id, created_at, parameters, sent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			studyID, n.Kind, RunQueued, n.Name, n.Note, account, tx.now, string(n.Parameters), n.Sent)
		if err != nil {
			return err
		}
		if id, err = res.LastInsertId(); err != nil {
			return err
		}
		return note(tx, by, studyID, what, runName(id, n.Name))
	})
	if err != nil {
		return 0, fmt.Errorf("queueing a %s run: %w", n.Kind, err)
	}
	return id, nil
}

// runName is what events call a run.
func runName(id int64, name string) string {
	if name == "" {
		return fmt.Sprintf("run %d", id)
	}
	return fmt.Sprintf("run %d, %s", id, name)
}

// StartRun records that a queued run has started; ErrConflict if it is no longer queued.
func (s *Store) StartRun(ctx context.Context, id int64) error {
	return s.moveRun(ctx, id, "starting", `UPDATE run SET state = 'running', started_at = ?2 WHERE id = ?1 AND state = 'queued'`)
}

// FinishRun saves the result of a running run; ErrConflict if it is no longer running.
func (s *Store) FinishRun(ctx context.Context, id int64, result []byte) error {
	h, err := readHead(result)
	if err != nil {
		return fmt.Errorf("finishing run %d: %w", id, err)
	}
	return s.moveRun(ctx, id, "finishing", `UPDATE run SET state = 'done', ended_at = ?2, parameters = ?3, input = ?4, virtual = ?5, complete = ?6, result = ?7, sent = NULL WHERE id = ?1 AND state = 'running'`,
		string(h.Parameters), h.Input.SHA256, h.People.Virtual, h.People.Complete, string(result))
}

// EndRun says that a run came to nothing: that it failed or was interrupted. failure is for people. ErrConflict where it had ended before.
func (s *Store) EndRun(ctx context.Context, id int64, state RunState, failure string) error {
	return s.moveRun(ctx, id, "ending", `UPDATE run SET state = ?3, ended_at = ?2, failure = ?4, sent = NULL WHERE id = ?1 AND state IN ('queued', 'running')`, state, failure)
}

// CancelRun ends one of a study's runs that waits or is being computed;
// ErrConflict where it had ended before.
func (s *Store) CancelRun(ctx context.Context, studyID, id int64, by Actor) error {
	err := s.update(ctx, func(tx *tx) error {
		var name string
		err := tx.row(`UPDATE run SET state = 'cancelled', ended_at = ?, sent = NULL WHERE study_id = ? AND id = ? AND state IN ('queued', 'running') RETURNING name`,
			tx.now, studyID, id).Scan(&name)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrConflict
		}
		if err != nil {
			return err
		}
		return note(tx, by, studyID, AnalysisCancelled, runName(id, name))
	})
	if err != nil {
		return fmt.Errorf("cancelling run %d: %w", id, err)
	}
	return nil
}

// moveRun changes the state of a run. The query's first parameters are the run
// and the time.
func (s *Store) moveRun(ctx context.Context, id int64, doing, query string, args ...any) error {
	err := s.update(ctx, func(tx *tx) error {
		res, err := tx.exec(query, append([]any{id, tx.now}, args...)...)
		return changedOne(res, err, ErrConflict)
	})
	if err != nil {
		return fmt.Errorf("%s run %d: %w", doing, id, err)
	}
	return nil
}

// changedOne is an error if a change matched no row.
func changedOne(res sql.Result, err, none error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = none
	}
	return err
}

// InterruptRuns marks what a program that is gone left running, and says how
// many those were. What waited still waits. A server calls it at the start.
func (s *Store) InterruptRuns(ctx context.Context) (n int64, err error) {
	err = s.update(ctx, func(tx *tx) error {
		res, err := tx.exec(`UPDATE run SET state = 'interrupted', ended_at = ?, sent = NULL WHERE state = 'running'`, tx.now)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("marking interrupted runs: %w", err)
	}
	return n, nil
}

// QueuedRuns lists the runs of all studies that wait, in the order asked.
func (s *Store) QueuedRuns(ctx context.Context) ([]Run, error) {
	return collect(ctx, s.read, "listing runs that wait", func(row scanner) (Run, error) { return scanRun(row) },
		`SELECT `+runColumns+` FROM run r LEFT JOIN account a ON a.id = r.account_id WHERE r.state = 'queued' ORDER BY r.id`)
}

// Sent is what was sent with a run that has not ended; nil for nothing.
func (s *Store) Sent(ctx context.Context, id int64) (sent []byte, err error) {
	if err := s.read.QueryRowContext(ctx, `SELECT sent FROM run WHERE id = ?`, id).Scan(&sent); err != nil {
		return nil, fmt.Errorf("reading what was sent with run %d: %w", id, err)
	}
	return sent, nil
}

// head is what every result says of itself.
type head struct {
	Parameters json.RawMessage `json:"parameters"`
	Input      struct {
		SHA256 string `json:"sha256"`
	} `json:"input"`
	People struct {
		Virtual  bool `json:"virtual"`
		Complete int  `json:"complete"`
	} `json:"people"`
}

func readHead(result []byte) (h head, err error) {
	if err := json.Unmarshal(result, &h); err != nil {
		return h, fmt.Errorf("reading the result: %w", err)
	}
	if h.Parameters == nil {
		h.Parameters = json.RawMessage("{}")
	}
	return h, nil
}

// SaveRun records the result of a finished analysis.
func (s *Store) SaveRun(ctx context.Context, studyID int64, kind string, result []byte) (id int64, err error) {
	h, err := readHead(result)
	if err != nil {
		return 0, fmt.Errorf("recording a %s run: %w", kind, err)
	}
	err = s.update(ctx, func(tx *tx) error {
		res, err := tx.exec(`INSERT INTO run (study_id, kind, state, created_at, started_at, ended_at, parameters, input, virtual, complete, result) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			studyID, kind, RunDone, tx.now, tx.now, tx.now, string(h.Parameters), h.Input.SHA256, h.People.Virtual, h.People.Complete, string(result))
		if err != nil {
			return err
		}
		id, err = res.LastInsertId()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("recording a %s run: %w", kind, err)
	}
	return id, nil
}

// LatestRun returns the newest finished run of a kind that used all of the study's questions; ErrNotFound if
// there is none.
func (s *Store) LatestRun(ctx context.Context, studyID int64, kind string) (Run, error) {
	return s.oneRun(ctx, "reading the latest "+kind+" run", `r.study_id = ? AND r.kind = ? AND r.state = 'done' AND r.parameters ->> '$.questions' IS NULL ORDER BY r.id DESC LIMIT 1`, studyID, kind)
}

// Run returns one of a study's runs with its result.
func (s *Store) Run(ctx context.Context, studyID, id int64) (Run, error) {
	return s.oneRun(ctx, fmt.Sprintf("reading run %d", id), `r.study_id = ? AND r.id = ?`, studyID, id)
}

func (s *Store) oneRun(ctx context.Context, doing, where string, args ...any) (Run, error) {
	var result sql.NullString
	r, err := scanRun(s.read.QueryRowContext(ctx, `SELECT `+runColumns+`, r.result FROM run r LEFT JOIN account a ON a.id = r.account_id WHERE `+where, args...), &result)
	if err != nil {
		return Run{}, fmt.Errorf("%s: %w", doing, err)
	}
	if result.Valid {
		r.Result = []byte(result.String)
	}
	return r, nil
}

// Runs lists a study's runs of a kind, or of all kinds for "", the newest
// first, without their results.
func (s *Store) Runs(ctx context.Context, studyID int64, kind string) ([]Run, error) {
	return collect(ctx, s.read, "listing runs", func(row scanner) (Run, error) { return scanRun(row) },
		`SELECT `+runColumns+` FROM run r LEFT JOIN account a ON a.id = r.account_id WHERE r.study_id = ?1 AND (?2 = '' OR r.kind = ?2) ORDER BY r.id DESC`, studyID, kind)
}

// SameResult returns the first run of a study before id that used the same data and has a byte-identical
// result; 0 if there is none.
func (s *Store) SameResult(ctx context.Context, studyID, id int64) (first int64, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT coalesce(min(o.id), 0) FROM run r JOIN run o ON o.study_id = r.study_id AND o.kind = r.kind AND o.state = 'done' AND o.id < r.id
		AND o.input = r.input AND o.parameters = r.parameters AND o.result = r.result WHERE r.study_id = ? AND r.id = ? AND r.state = 'done'`, studyID, id).Scan(&first)
	if err != nil {
		return 0, fmt.Errorf("comparing run %d with those before it: %w", id, err)
	}
	return first, nil
}

// RenameRun gives a run another name and note.
func (s *Store) RenameRun(ctx context.Context, studyID, id int64, name, text string, by Actor) error {
	return s.changeRun(ctx, studyID, id, by, AnalysisRenamed, runName(id, name), `UPDATE run SET name = ?3, note = ?4 WHERE study_id = ?1 AND id = ?2`, name, text)
}

// DeleteRun permanently removes a run that has ended. The log of events still shows that it existed.
func (s *Store) DeleteRun(ctx context.Context, studyID, id int64, by Actor) error {
	return s.changeRun(ctx, studyID, id, by, AnalysisDeleted, runName(id, ""), `DELETE FROM run WHERE study_id = ?1 AND id = ?2 AND state NOT IN ('queued', 'running')`)
}

func (s *Store) changeRun(ctx context.Context, studyID, id int64, by Actor, what Deed, detail, query string, args ...any) error {
	err := s.update(ctx, func(tx *tx) error {
		res, err := tx.exec(query, append([]any{studyID, id}, args...)...)
		if err := changedOne(res, err, ErrNotFound); err != nil {
			return err
		}
		return note(tx, by, studyID, what, detail)
	})
	if err != nil {
		return fmt.Errorf("changing run %d: %w", id, err)
	}
	return nil
}

// Complete counts the submissions that an analysis of a study could use: of people, and of virtual
// participants.
func (s *Store) Complete(ctx context.Context, studyID int64) (people, virtual int, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT count(*) - coalesce(sum(virtual), 0), coalesce(sum(virtual), 0) FROM submission WHERE study_id = ? AND outcome = ?`,
		studyID, study.Completed).Scan(&people, &virtual)
	if err != nil {
		return 0, 0, fmt.Errorf("counting complete submissions: %w", err)
	}
	return people, virtual, nil
}
