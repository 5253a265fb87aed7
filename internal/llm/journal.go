package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
)

// journal writes a run's files. One goroutine takes all waiting records, writes them, and syncs them to disk
// once.
type journal struct {
	run      *Run
	requests *os.File
	answers  *os.File
	failures *os.File
	end      int64 // length of the answers file

	waiting chan record
	done    chan struct{}
	broken  error // the first error of writing; nothing is written after it
}

// record is what is to be written at once.
type record struct {
	wire    *wire // its line for requests.jsonl, if it is not there yet
	answer  *Answer
	failure *Failure

	// written is told when the record is on disk, or why not; nil: nobody waits.
	written chan error
}

func openJournal(r *Run) (*journal, error) {
	j := &journal{run: r, waiting: make(chan record, 256), done: make(chan struct{})}
	for _, f := range []struct {
		name string
		file **os.File
	}{{requestsFile, &j.requests}, {answersFile, &j.answers}, {failuresFile, &j.failures}} {
		var err error
		if *f.file, err = os.OpenFile(r.path(f.name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
			return nil, err
		}
	}
	var err error
	if j.end, err = j.answers.Seek(0, io.SeekEnd); err != nil {
		return nil, err
	}
	if r.answers == nil {
		if r.answers, err = os.Open(r.path(answersFile)); err != nil {
			return nil, err
		}
	}
	if err := syncDir(r.dir); err != nil {
		return nil, err
	}
	go j.work()
	return j, nil
}

// sent records that a request is sent. It does not wait for the disk.
func (j *journal) sent(w *wire) { j.waiting <- record{wire: w} }

// failed records an attempt without an answer. It does not wait for the disk.
func (j *journal) failed(f Failure) { j.waiting <- record{failure: &f} }

// answered returns when the answer is on disk.
func (j *journal) answered(a *Answer) error {
	written := make(chan error, 1)
	j.waiting <- record{answer: a, written: written}
	return <-written
}

// close writes what is waiting. No records may be added any more.
func (j *journal) close() error {
	close(j.waiting)
	<-j.done
	return errors.Join(j.broken, j.requests.Close(), j.answers.Close(), j.failures.Close())
}

// maxBatch limits what is written at once.
const maxBatch = 1024

func (j *journal) work() {
	defer close(j.done)
	for first := range j.waiting {
		batch := []record{first}
	more:
		for len(batch) < maxBatch {
			select {
			case next, ok := <-j.waiting:
				if !ok {
					break more
				}
				batch = append(batch, next)
			default:
				break more
			}
		}
		if j.broken == nil {
			j.broken = j.write(batch)
		}
		for _, r := range batch {
			if r.written != nil {
				r.written <- j.broken
			}
		}
	}
}

// write appends a batch. Requests reach the disk before their answers.
func (j *journal) write(batch []record) error {
	var requests, answers, failures bytes.Buffer
	place := map[string]entry{}
	for _, r := range batch {
		switch {
		case r.wire != nil:
			if err := appendLine(&requests, requestLine{r.wire.ID, r.wire.Model, r.wire.model.Endpoint, r.wire.SHA256(), r.wire.body}); err != nil {
				return err
			}
		case r.answer != nil:
			from := answers.Len()
			if err := appendLine(&answers, r.answer); err != nil {
				return err
			}
			place[r.answer.ID] = entry{offset: j.end + int64(from), length: answers.Len() - from - 1}
		case r.failure != nil:
			if err := appendLine(&failures, r.failure); err != nil {
				return err
			}
		}
	}
	for _, f := range []struct {
		file  *os.File
		lines *bytes.Buffer
	}{{j.requests, &requests}, {j.failures, &failures}, {j.answers, &answers}} {
		if _, err := f.file.Write(f.lines.Bytes()); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(batch, func(r record) bool { return r.failure != nil && r.failure.Final }) {
		if err := j.failures.Sync(); err != nil {
			return err
		}
	}
	if answers.Len() > 0 {
		if err := errors.Join(j.requests.Sync(), j.answers.Sync()); err != nil {
			return err
		}
	}
	j.end += int64(answers.Len())
	j.run.index(batch, place)
	return nil
}

// index lets readers find what was written.
func (r *Run) index(batch []record, place map[string]entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range batch {
		switch {
		case b.answer != nil:
			at, e := place[b.answer.ID], r.known[b.answer.ID]
			e.answered, e.offset, e.length = true, at.offset, at.length
			r.spent += b.answer.Cost
		case b.failure != nil && b.failure.Final:
			r.known[b.failure.ID].refusal = &b.failure.Message
		}
	}
}

// appendLine writes a value as one line of JSON.
func appendLine(b *bytes.Buffer, v any) error {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// lineReader reads whole lines and knows where each begins.
type lineReader struct {
	r      *bufio.Reader
	offset int64 // of the next line
	line   []byte
}

func newLineReader(r io.Reader) *lineReader { return &lineReader{r: bufio.NewReaderSize(r, 64<<10)} }

// next returns a line without its line break, valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	l.line = l.line[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		l.line = append(l.line, part...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return nil, err // an incomplete line does not count
		}
		l.offset += int64(len(l.line))
		return l.line[:len(l.line)-1], nil
	}
}

// sortedKeys are the keys of both maps.
func sortedKeys(a, b map[string]any) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
