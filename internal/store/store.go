package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"overton/migrations"
)

// Errors that callers can distinguish.
var (
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("conflict") // the state does not allow it, or no longer does
)

// Store is an open database.
type Store struct {
	path   string
	read   *sql.DB
	write  *sql.DB
	now    func() time.Time
	sync   string // SQLite's synchronous setting
	queue  chan *job
	closed chan struct{} // closed when the writer has stopped

	commits   atomic.Int64 // transactions so far
	uncleared bool         // the log holds rows that were erased; the writer's alone

	sending sync.RWMutex // read-locked while a job is being queued
	closing bool
}

// Option changes how a store is opened.
type Option func(*Store)

// WithClock makes the store read the time from now. Tests use it.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// WithoutSync makes commits return before they are on disk. It is for tests
// alone, where nobody misses what a power failure takes.
func WithoutSync() Option { return func(s *Store) { s.sync = "OFF" } }

// readers is the number of read connections; each has its own page cache.
const readers = 6

// Open opens the database at path, creates it if it does not exist, and brings its schema up to date.
func Open(ctx context.Context, path string, options ...Option) (*Store, error) {
	s := &Store{path: path, now: time.Now, sync: "FULL", queue: make(chan *job, 256), closed: make(chan struct{})}
	for _, o := range options {
		o(s)
	}
	if dir := filepath.Dir(path); dir != "." {
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("opening the database: %w", err)
		}
	}
	err := keepPrivate(path)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	s.write, err = sql.Open("sqlite", dsn(path, url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(" + s.sync + ")", "foreign_keys(1)", "secure_delete(1)",
			"trusted_schema(0)"},
	}))
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	s.write.SetMaxOpenConns(1)
	s.write.SetMaxIdleConns(1)
	if err := migrate(ctx, s.write, migrations.Files); err != nil {
		s.write.Close()
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	// A read-only connection can only open a file that exists by now.
	s.read, err = sql.Open("sqlite", dsn(path, url.Values{
		"mode":    {"ro"},
		"_pragma": {"busy_timeout(10000)", "query_only(1)", "trusted_schema(0)"},
	}))
	if err != nil {
		s.write.Close()
		return nil, fmt.Errorf("opening %s for reading: %w", path, err)
	}
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)
	go s.commitLoop()
	if err := s.findHints(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	return s, nil
}

// keepPrivate creates the database's file for its owner alone if it does not exist, and takes a file that exists,
// and those beside it, away from everybody else on the machine. What the file's group may do stays as it is.
// SQLite gives the files beside it the same mode.
func keepPrivate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return f.Close()
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if at, err := os.Stat(name); err == nil && at.Mode().Perm()&0o007 != 0 {
			if err := os.Chmod(name, at.Mode().Perm()&^0o007); err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
		}
	}
	return nil // SQLite says what else is wrong with it
}

// dsn builds a file: name; without the scheme, mode=ro would be ignored.
func dsn(path string, query url.Values) string {
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: query.Encode()}).String()
}

// Close finishes the writes that were accepted and closes the file. Closing
// twice does nothing.
func (s *Store) Close() error {
	s.sending.Lock()
	if s.closing {
		s.sending.Unlock()
		return nil
	}
	s.closing = true
	close(s.queue)
	s.sending.Unlock()
	<-s.closed
	return errors.Join(s.read.Close(), s.write.Close())
}

// Ping says whether the database can be read and written.
func (s *Store) Ping(ctx context.Context) error {
	return s.update(ctx, func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO setting (name, value) VALUES ('ping', ?) ON CONFLICT DO UPDATE SET value = excluded.value`, []byte(strconv.FormatInt(tx.now, 10)))
		return err
	})
}

// Secret returns the named random key of n bytes, created on first use.
func (s *Store) Secret(ctx context.Context, name string, n int) ([]byte, error) {
	var key []byte
	err := s.read.QueryRowContext(ctx, `SELECT value FROM setting WHERE name = ?`, "secret."+name).Scan(&key)
	if errors.Is(err, sql.ErrNoRows) {
		err = s.update(ctx, func(tx *tx) error {
			fresh := make([]byte, n)
			rand.Read(fresh)
			if _, err := tx.exec(`INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING`, "secret."+name, fresh); err != nil {
				return err
			}
			return tx.row(`SELECT value FROM setting WHERE name = ?`, "secret."+name).Scan(&key)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("reading the %s key: %w", name, err)
	}
	return key, nil
}

// migrate applies the files that the database has not seen, each in one transaction with the record that it
// was applied.
func migrate(ctx context.Context, db *sql.DB, files embed.FS) error {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return err
	}
	var version int
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	if version > len(names) {
		return fmt.Errorf("the database has schema version %d, but this program knows versions up to %d: use a newer overton", version, len(names))
	}
	for i, name := range names {
		number, err := strconv.Atoi(strings.SplitN(name, "_", 2)[0])
		if err != nil || number != i+1 {
			return fmt.Errorf("migration %s is out of order; expected number %d", name, i+1)
		}
		if number <= version {
			continue
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		t, err := db.BeginTx(ctx, nil)
		if err != nil {
			return fmt.Errorf("migrating to %s: %w", name, err)
		}
		// Another process may have migrated while this one waited for the lock.
		err = t.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version)
		if err == nil && number > version {
			if _, err = t.ExecContext(ctx, string(text)); err == nil {
				_, err = t.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, number))
			}
		}
		if err != nil {
			t.Rollback()
			return fmt.Errorf("migrating to %s: %w", name, err)
		}
		if err := t.Commit(); err != nil {
			return fmt.Errorf("migrating to %s: %w", name, err)
		}
	}
	return nil
}

// isUnique says whether an error is a violated unique or primary key.
func isUnique(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}

// token makes an unguessable name of 128 bits.
func token() string { return rand.Text() }
