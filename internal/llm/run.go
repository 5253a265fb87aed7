package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Settings are what a run depends on. All but Program must be the same when a run is continued.
type Settings struct {
	Program string `json:"program"` // name and version when the run started

	Command string            `json:"command"` // such as "generate"
	Models  []ModelSettings   `json:"models"`
	Prompts map[string]string `json:"prompts"` // SHA-256 of each template, by name
	Inputs  map[string]string `json:"inputs"`  // SHA-256 of each file that the requests are made from, by what it is for

	// Parameters are whatever else shapes the requests. Values are those of JSON.
	Parameters map[string]any `json:"parameters"`
}

// ModelSettings are the parts of a models file that affect answers. Prices, limits and timeouts may change
// between parts of a run.
type ModelSettings struct {
	Name       string         `json:"name"`
	Model      string         `json:"model"`
	BaseURL    string         `json:"base_url"`
	Endpoint   string         `json:"endpoint"`
	Stream     bool           `json:"stream"`
	LogProbs   int            `json:"log_probs"`
	Parameters map[string]any `json:"parameters"`
}

// Settings are the parts of the models that affect answers.
func (ms Models) Settings() []ModelSettings {
	list := make([]ModelSettings, len(ms))
	for i, m := range ms {
		list[i] = ModelSettings{m.Name, m.Model, m.BaseURL, m.Endpoint, m.Stream, m.LogProbs, m.Parameters}
	}
	return list
}

// Files of a run folder. The three of JSON lines only ever grow.
const (
	settingsFile = "settings.json"
	requestsFile = "requests.jsonl" // each request once, before it is first sent
	answersFile  = "answers.jsonl"  // an Answer a line
	failuresFile = "failures.jsonl" // each attempt that brought no answer
	lockFile     = "lock"
)

// requestLine is a line of requests.jsonl.
type requestLine struct {
	ID       string          `json:"id"`
	Model    string          `json:"model"`
	Endpoint string          `json:"endpoint"`
	SHA256   string          `json:"sha256"`
	Body     json.RawMessage `json:"body"`
}

// Failure is an attempt that brought no answer, as it is in the run folder.
type Failure struct {
	ID      string    `json:"id"`
	SHA256  string    `json:"sha256"`
	Attempt int       `json:"attempt"`
	At      time.Time `json:"at"`
	Status  int       `json:"status"` // of the response; 0: there was none
	Message string    `json:"message"`

	// Final is set if the endpoint refused this very request, so that it is not sent again.
	Final bool   `json:"final"`
	Raw   string `json:"raw"` // body of the response
}

// Run is a run folder. Its methods may be called by several goroutines, Do by
// one at a time.
type Run struct {
	dir      string
	Settings Settings

	lock    *flock.Flock // nil: read only
	journal *journal     // nil: read only
	answers *os.File     // to read; nil: there are none
	planned Planned

	mu    sync.Mutex
	known map[string]*entry // by ID
	spent float64
}

// entry is what the index knows of a request.
type entry struct {
	sum      [sha256.Size]byte
	logged   bool    // requests.jsonl has it
	answered bool    // answers.jsonl has the answer,
	offset   int64   // beginning here,
	length   int     // with this many bytes
	refusal  *string // what the endpoint said when it refused the request permanently
}

// ErrOtherSettings is the error of Open if the folder has another run.
var ErrOtherSettings = errors.New("the folder has a run with other settings")

// Open opens a run folder for asking: a new one, or one with the same settings. A last line left incomplete
// by a crash is cut off; nothing that Do acknowledged is lost. Only one process at a time can have a folder
// open.
func Open(dir string, s Settings) (_ *Run, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("opening the run folder %s: %w", dir, err)
		}
	}()
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dir, settingsFile)); errors.Is(err, fs.ErrNotExist) && !onlyLock(entries) {
			return nil, errors.New("it is not empty and has no run; expected a new folder, or the folder of a run")
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	r := &Run{dir: dir}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	r.lock = flock.New(r.path(lockFile))
	if ours, err := r.lock.TryLock(); err != nil {
		return nil, err
	} else if !ours {
		return nil, errors.New("another process has it open")
	}
	if err := r.settle(s); err != nil {
		return nil, err
	}
	for _, name := range []string{requestsFile, answersFile, failuresFile} {
		if err := mend(r.path(name)); err != nil {
			return nil, err
		}
	}
	if err := r.load(); err != nil {
		return nil, err
	}
	if r.journal, err = openJournal(r); err != nil {
		return nil, err
	}
	return r, nil
}

func onlyLock(entries []os.DirEntry) bool {
	return len(entries) == 1 && entries[0].Name() == lockFile
}

// Look opens a run folder without changing it, even while another process asks: to read answers, or with Plan
// to see what would be asked. A folder that does not exist is an empty run with settings s; if it exists, its
// settings must be the same, unless s is nil.
func Look(dir string, s *Settings) (_ *Run, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("reading the run folder %s: %w", dir, err)
		}
	}()
	r := &Run{dir: dir, known: map[string]*entry{}}
	found, err := readSettings(r.path(settingsFile))
	switch {
	case errors.Is(err, fs.ErrNotExist) && s != nil:
		r.Settings = *s
		return r, nil
	case err != nil:
		return nil, err
	case s != nil:
		if err := sameSettings(found, *s); err != nil {
			return nil, err
		}
	}
	r.Settings = found
	if err := r.load(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Run) path(name string) string { return filepath.Join(r.dir, name) }

// Close closes the folder.
func (r *Run) Close() error {
	var errs []error
	if r.journal != nil {
		errs = append(errs, r.journal.close())
	}
	if r.answers != nil {
		errs = append(errs, r.answers.Close())
	}
	if r.lock != nil {
		errs = append(errs, r.lock.Close())
	}
	return errors.Join(errs...)
}

// settle writes the settings of a new run, or compares them with those of an existing one.
func (r *Run) settle(s Settings) error {
	found, err := readSettings(r.path(settingsFile))
	if err == nil {
		r.Settings = found
		return sameSettings(found, s)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	r.Settings = s
	content, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return fmt.Errorf("writing the settings: %w", err)
	}
	return writeSynced(r.path(settingsFile), append(content, '\n'))
}

func readSettings(path string) (s Settings, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(content, &s); err != nil {
		return s, fmt.Errorf("%s: %w", settingsFile, err)
	}
	return s, nil
}

// writeSynced makes a file appear complete or not at all.
func writeSynced(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	return err
}

// syncDir makes sure that the names in a folder survive a crash. Windows does so by itself, and has no other
// way.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// sameSettings compares settings in their JSON form, and names the difference.
func sameSettings(found, wanted Settings) error {
	a, err := plainJSON(found)
	if err != nil {
		return err
	}
	b, err := plainJSON(wanted)
	if err != nil {
		return err
	}
	for _, key := range []string{"command", "models", "prompts", "inputs", "parameters"} {
		if reflect.DeepEqual(a[key], b[key]) {
			continue
		}
		was, is := difference(a[key], b[key])
		return fmt.Errorf("%w: %s was %s and is now %s; expected the same, or a new folder", ErrOtherSettings, key, was, is)
	}
	return nil
}

func plainJSON(v any) (plain map[string]any, err error) {
	content, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(content, &plain)
	}
	if err != nil {
		return nil, fmt.Errorf("comparing the settings: %w", err)
	}
	return plain, nil
}

// difference shows two values that differ: for objects, the first key whose value differs.
func difference(a, b any) (string, string) {
	x, ok := a.(map[string]any)
	y, both := b.(map[string]any)
	if ok && both {
		for _, key := range sortedKeys(x, y) {
			if !reflect.DeepEqual(x[key], y[key]) {
				was, is := difference(x[key], y[key])
				return key + " " + was, key + " " + is
			}
		}
	}
	was, _ := json.Marshal(a)
	is, _ := json.Marshal(b)
	return string(was), string(is)
}

// mend cuts off what follows the last line break.
func mend(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	block := make([]byte, 64<<10)
	for at := end; at > 0; {
		n := min(at, int64(len(block)))
		if _, err := f.ReadAt(block[:n], at-n); err != nil {
			return err
		}
		if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			return cut(f, at-n+int64(i)+1, end)
		}
		at -= n
	}
	return cut(f, 0, end)
}

func cut(f *os.File, to, end int64) error {
	if to == end {
		return nil
	}
	return errors.Join(f.Truncate(to), f.Sync())
}

// load builds the index from the files.
func (r *Run) load() error {
	r.known = map[string]*entry{}
	r.spent = 0
	err := eachLine(r.path(requestsFile), func(line []byte, _ int64) error {
		var l struct{ ID, SHA256 string }
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		e, err := r.entryOf(l.ID, l.SHA256)
		if err == nil {
			e.logged = true
		}
		return err
	})
	if err != nil {
		return err
	}
	err = eachLine(r.path(answersFile), func(line []byte, offset int64) error {
		var l struct {
			ID, SHA256 string
			Cost       float64
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		e, err := r.entryOf(l.ID, l.SHA256)
		if err != nil {
			return err
		}
		e.answered, e.offset, e.length = true, offset, len(line)
		r.spent += l.Cost
		return nil
	})
	if err != nil {
		return err
	}
	err = eachLine(r.path(failuresFile), func(line []byte, _ int64) error {
		var l Failure
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		if e, err := r.entryOf(l.ID, l.SHA256); err != nil {
			return err
		} else if l.Final {
			e.refusal = &l.Message
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.answers, err = os.Open(r.path(answersFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// entryOf finds or makes the index entry of a request.
func (r *Run) entryOf(id, sum string) (*entry, error) {
	var e entry
	if n, err := hex.Decode(e.sum[:], []byte(sum)); err != nil || n != len(e.sum) {
		return nil, fmt.Errorf("request %q has the hash %q; expected SHA-256 in hex", id, sum)
	}
	if known := r.known[id]; known != nil {
		if known.sum != e.sum {
			return nil, fmt.Errorf("request %q appears with two hashes", id)
		}
		return known, nil
	}
	r.known[id] = &e
	return &e, nil
}

// eachLine passes on the complete lines of a file and their positions. A missing file has none; what follows
// the last line break is still being written.
func eachLine(path string, each func(line []byte, offset int64) error) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := newLineReader(f)
	for number := 1; ; number++ {
		offset := lines.offset
		line, err := lines.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = each(line, offset)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", filepath.Base(path), number, err)
		}
	}
}

// Answer reads the answer to a request; ok is false if there is none yet.
func (r *Run) Answer(id string) (a Answer, ok bool, err error) {
	r.mu.Lock()
	e := r.known[id]
	r.mu.Unlock()
	if e == nil || !e.answered {
		return a, false, nil
	}
	line := make([]byte, e.length)
	if _, err := r.answers.ReadAt(line, e.offset); err != nil {
		return a, false, fmt.Errorf("reading the answer to %s: %w", id, err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, false, fmt.Errorf("reading the answer to %s: %w", id, err)
	}
	return a, true, nil
}

// Refused says why the endpoint refused a request permanently, "" if it did not.
func (r *Run) Refused(id string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.known[id]; e != nil && e.refusal != nil {
		return *e.refusal
	}
	return ""
}

// Spent is the cost of all answers in the folder.
func (r *Run) Spent() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spent
}
