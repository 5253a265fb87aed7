package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// maxGroup is the largest number of operations committed together. It limits how long the first of a group
// waits for the others.
const maxGroup = 64

// errClosed is the error of a write that comes while the store is closing.
var errClosed = errors.New("the store is closed")

// job is one caller's operation, waiting to be committed.
type job struct {
	ctx  context.Context
	work func(*tx) error
	done chan error
}

// tx is what an operation gets: the shared transaction and one fixed time.
type tx struct {
	ctx   context.Context
	conn  *sql.Conn
	stmts *statements
	now   int64 // milliseconds

	erases bool // what it deletes must not stay in the log either
}

func (t *tx) exec(query string, args ...any) (sql.Result, error) {
	stmt, err := t.stmts.prepare(t.ctx, t.conn, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(t.ctx, args...)
}

func (t *tx) rows(query string, args ...any) (*sql.Rows, error) {
	stmt, err := t.stmts.prepare(t.ctx, t.conn, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(t.ctx, args...)
}

func (t *tx) row(query string, args ...any) scanner {
	stmt, err := t.stmts.prepare(t.ctx, t.conn, query)
	if err != nil {
		return failed{err}
	}
	return stmt.QueryRowContext(t.ctx, args...)
}

type scanner interface{ Scan(...any) error }

type failed struct{ err error }

func (f failed) Scan(...any) error { return f.err }

// statements keeps prepared statements of the write connection. The set of
// queries is fixed by the code, so it does not grow.
type statements struct{ byText map[string]*sql.Stmt }

func (s *statements) prepare(ctx context.Context, conn *sql.Conn, query string) (*sql.Stmt, error) {
	if stmt, ok := s.byText[query]; ok {
		return stmt, nil
	}
	stmt, err := conn.PrepareContext(context.WithoutCancel(ctx), query)
	if err != nil {
		return nil, err
	}
	s.byText[query] = stmt
	return stmt, nil
}

// close closes all statements. While one is open SQLite keeps its connection,
// and the log beside the database with it, even after that was closed.
func (s *statements) close() {
	for _, stmt := range s.byText {
		stmt.Close()
	}
}

// writeTimeout limits one operation. A submit outlives the request that carried it, so that a lost connection
// does not lose the answer.
const writeTimeout = 30 * time.Second

// update runs work in a transaction and returns when it is on disk. If work returns an error, none of it is
// kept. A panic in work is returned as an error. work must not call update.
func (s *Store) update(ctx context.Context, work func(*tx) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	j := &job{ctx: ctx, work: work, done: make(chan error, 1)}
	s.sending.RLock()
	if s.closing {
		s.sending.RUnlock()
		return errClosed
	}
	s.queue <- j
	s.sending.RUnlock()
	return <-j.done
}

// commitLoop is the only writer.
func (s *Store) commitLoop() {
	defer close(s.closed)
	var conn *sql.Conn
	var stmts *statements
	for first := range s.queue {
		group := s.take(first)
		var err error
		if conn == nil {
			if conn, err = s.write.Conn(context.Background()); err == nil {
				stmts = &statements{byText: map[string]*sql.Stmt{}}
			}
		}
		results := make([]error, len(group))
		if err == nil {
			err = s.commit(conn, stmts, group, results)
		}
		if err != nil && conn != nil {
			// The connection may be broken: the next group gets a new one.
			stmts.close()
			conn.Close()
			conn = nil
		}
		for i, j := range group {
			if results[i] == nil {
				results[i] = err
			}
			j.done <- results[i]
		}
	}
	if conn != nil {
		stmts.close()
		conn.Close()
	}
}

// take adds to first any operations that are waiting, up to a full group.
func (s *Store) take(first *job) []*job {
	group := []*job{first}
	for len(group) < maxGroup {
		select {
		case j, ok := <-s.queue:
			if !ok {
				return group
			}
			group = append(group, j)
		default:
			return group
		}
	}
	return group
}

// commit runs a group in one transaction, each member in its own savepoint. results receives each member's
// own error; the error returned is the group's, and then nothing is kept.
func (s *Store) commit(conn *sql.Conn, stmts *statements, group []*job, results []error) (err error) {
	ctx := context.Background()
	run := func(query string) error {
		stmt, err := stmts.prepare(ctx, conn, query)
		if err != nil {
			return err
		}
		_, err = stmt.ExecContext(ctx)
		return err
	}
	if err := run(`BEGIN IMMEDIATE`); err != nil {
		return fmt.Errorf("beginning to write: %w", err)
	}
	defer func() {
		if err != nil {
			conn.ExecContext(ctx, `ROLLBACK`)
		}
	}()
	now := s.now().UnixMilli()
	erases := false
	for i, j := range group {
		if err := run(`SAVEPOINT member`); err != nil {
			return fmt.Errorf("setting a savepoint: %w", err)
		}
		t := &tx{ctx: j.ctx, conn: conn, stmts: stmts, now: now}
		results[i] = attempt(j, t)
		erases = erases || t.erases && results[i] == nil
		if results[i] != nil {
			if err := run(`ROLLBACK TO member`); err != nil {
				return fmt.Errorf("rolling one write back: %w", err)
			}
		}
		if err := run(`RELEASE member`); err != nil {
			return fmt.Errorf("releasing a savepoint: %w", err)
		}
	}
	if err := run(`COMMIT`); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	s.commits.Add(1)
	switch {
	case erases:
		s.clearLog(conn, 100*time.Millisecond)
	case s.uncleared:
		s.clearLog(conn, 0)
	}
	return nil
}

// clearLog empties the log beside the database, in which deleted rows can still be read. While somebody reads
// what was before it cannot: it waits a little, and the next commit tries again.
func (s *Store) clearLog(conn *sql.Conn, wait time.Duration) {
	ctx := context.Background()
	var busy, frames, moved int
	_, err := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout(%d)`, wait.Milliseconds()))
	if err == nil {
		err = conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &moved)
	}
	s.uncleared = err != nil || busy != 0
	conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout(%d)`, busyTimeout.Milliseconds()))
}

// busyTimeout is how long a write waits for another program's.
const busyTimeout = 10 * time.Second

func attempt(j *job, tx *tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("writing: %v", p)
		}
	}()
	if err := j.ctx.Err(); err != nil {
		return fmt.Errorf("waiting to write: %w", err)
	}
	return j.work(tx)
}
