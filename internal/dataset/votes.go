package dataset

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"overton/internal/cluster"
)

// Votes is a set of votes as read, with what else its files say.
type Votes struct {
	Matrix *cluster.Matrix
	// Texts are the statements' texts by id, if the files have them.
	Texts map[string]string
	// Groups is the exporter's own grouping by participant id, if the files have it; participants outside any
	// group are absent.
	Groups map[string]string
	// Agree is the number that meant agree in the files, +1 or -1.
	Agree int
	// Notes say what a user of the votes should know about the files.
	Notes []string
	// Files are the files that were read.
	Files []VoteFile
}

// VoteFile is one file that was read, and the hash of its bytes.
type VoteFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Hash identifies the input: of one file its SHA-256, of several the SHA-256 of
// the lines that sha256sum would print for them, in name order.
func (v *Votes) Hash() string {
	if len(v.Files) == 1 {
		return v.Files[0].SHA256
	}
	sum := sha256.New()
	for _, f := range v.Files {
		fmt.Fprintf(sum, "%s  %s\n", f.SHA256, f.Name)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// voteSource reads the files of one set of votes and hashes what it reads.
type voteSource struct {
	dir   fs.FS
	votes *Votes
}

// read takes one answer: from its text, or from the letter recorded where the
// file has no text.
func (s voteSource) read(name string, parse func(io.Reader) error) error {
	f, err := s.dir.Open(name)
	if err != nil {
		return fmt.Errorf("reading votes: %w", err)
	}
	defer f.Close()
	start := bufio.NewReader(f)
	head, _ := start.Peek(8) // a fault in reading comes again
	if advice, is := foreignFormat(head); is {
		return Fault{File: name, Message: advice}
	}
	h := newHashingReader(start)
	if err := parse(h); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, h); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	s.votes.Files = append(s.votes.Files, VoteFile{name, hex.EncodeToString(h.sum.Sum(nil))})
	slices.SortFunc(s.votes.Files, func(a, b VoteFile) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

// hashingReader hashes all that is read through it.
type hashingReader struct {
	io.Reader
	sum hash.Hash
}

func newHashingReader(r io.Reader) hashingReader {
	sum := sha256.New()
	return hashingReader{io.TeeReader(r, sum), sum}
}

// enoughFaults stops reading a file that is something else entirely.
const enoughFaults = 1000

// voteFaults collects what is wrong with one file.
type voteFaults struct {
	file string
	all  Faults
}

// add writes a file of known content. rows is 0 where it has none.
func (f *voteFaults) add(line int, column, value, expected string) {
	f.all = append(f.all, Fault{File: f.file, Line: line, Column: column, Value: strings.Clone(value), Message: "is not " + expected})
}

// err returns all faults as one error, or nil.
func (f *voteFaults) err() error { return f.all.orNil() }

// table reads a CSV file row by row and finds its columns by name.
type table struct {
	rows   *records
	header []string
	column map[string]int
	faults *voteFaults
	row    []string
}

// openTable reads the header. Required columns must be there; names must differ.
func openTable(r io.Reader, file string, required ...string) (*table, error) {
	t := &table{rows: newRecords(r), column: map[string]int{}, faults: &voteFaults{file: file}}
	header, err := t.rows.next()
	if err == io.EOF {
		return nil, fmt.Errorf("%s: empty, expected a header with the columns %s", file, strings.Join(required, ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	t.header = slices.Clone(header)
	t.header[0] = strings.TrimPrefix(t.header[0], "\ufeff")
	for i, name := range t.header {
		if _, twice := t.column[name]; twice {
			t.faults.add(1, name, "", "the only column of its name")
		}
		t.column[name] = i
	}
	for _, name := range required {
		if _, ok := t.column[name]; !ok {
			t.faults.all = append(t.faults.all, Fault{
				File: file, Line: 1, Value: strings.Join(t.header[:min(len(t.header), 12)], ","),
				Message: "lacks the column " + strconv.Quote(name),
			})
		}
	}
	return t, t.faults.err()
}

// next returns a row, which is good until the next call, or io.EOF.
func (t *table) next() (bool, error) {
	row, err := t.rows.next()
	if err == io.EOF || len(t.faults.all) >= enoughFaults {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", t.faults.file, err)
	}
	t.row = row
	return true, nil
}

// get returns the row's value in the named column, "" when there is no such
// column.
func (t *table) get(name string) string {
	if i, ok := t.column[name]; ok && i < len(t.row) {
		return t.row[i]
	}
	return ""
}

func (t *table) line() int { return t.rows.line() }

// id reads a cell that names something. It may not be empty or have spaces around it, which nobody sees and
// which break joins.
func (t *table) id(name string) string {
	s := t.get(name)
	if s == "" {
		t.faults.add(t.line(), name, s, "an id")
	}
	return s
}

// whole is a value on a scale as a number, or nil.
func (t *table) whole(name string) int {
	s := t.get(name)
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.faults.add(t.line(), name, s, "a whole number")
	}
	return n
}

// readVote reads a vote of a long table, in any of the ways to write it.
func readVote(s string) (v cluster.Vote, ok bool) {
	switch s {
	case "1", "+1", "agree":
		return cluster.Agree, true
	case "0", "neutral", "pass":
		return cluster.Neutral, true
	case "-1", "disagree":
		return cluster.Disagree, true
	}
	return 0, false
}

// ReadLong reads one vote a row: a CSV file with the columns participant,
// statement and vote (agree, neutral or pass, disagree; or 1, 0, -1); other
// columns are left alone. A later row of the same pair replaces an earlier one.
//
// statements, unless empty, names a second CSV file: statement, and as far as
// there are any author, moderated (-1 rejects), meta (true or false), text.
func ReadLong(dir fs.FS, name, statements string) (*Votes, error) {
	v := &Votes{Agree: 1}
	source := voteSource{dir, v}
	b := cluster.NewBuilder()
	err := source.read(name, func(r io.Reader) error { return readLongVotes(r, name, b) })
	if err != nil {
		return nil, err
	}
	if statements != "" {
		if err := source.read(statements, func(r io.Reader) error { return readStatements(r, statements, b, v) }); err != nil {
			return nil, err
		}
	}
	v.Matrix = b.Matrix()
	return v, nil
}

func readLongVotes(r io.Reader, name string, b *cluster.Builder) error {
	t, err := openTable(r, name, "participant", "statement", "vote")
	if err != nil {
		return err
	}
	participant, statement, vote := t.column["participant"], t.column["statement"], t.column["vote"]
	for {
		more, err := t.next()
		if err != nil {
			return err
		}
		if !more {
			return t.faults.err()
		}
		for _, at := range []int{participant, statement} {
			if t.row[at] == "" {
				t.faults.add(t.line(), t.header[at], "", "an id")
			}
		}
		v, ok := readVote(t.row[vote])
		if !ok {
			t.faults.add(t.line(), "vote", t.row[vote], "agree, neutral, disagree, 1, 0 or -1")
		}
		b.Vote(t.row[participant], t.row[statement], v)
	}
}

func readStatements(r io.Reader, name string, b *cluster.Builder, v *Votes) error {
	t, err := openTable(r, name, "statement")
	if err != nil {
		return err
	}
	v.Texts = map[string]string{}
	for {
		more, err := t.next()
		if err != nil {
			return err
		}
		if !more {
			return t.faults.err()
		}
		id := t.id("statement")
		if _, twice := v.Texts[id]; twice {
			t.faults.add(t.line(), "statement", id, "unique")
		}
		v.Texts[strings.Clone(id)] = strings.Clone(t.get("text"))
		b.Statement(cluster.StatementInfo{
			ID: id, Author: strings.Clone(t.get("author")), Rejected: t.moderation("moderated") < 0, Meta: t.truth("meta"),
		})
	}
}

// moderation returns -1, 0 or +1.
func (t *table) moderation(column string) int {
	n := t.whole(column)
	if n < -1 || n > 1 {
		t.faults.add(t.line(), column, t.get(column), "-1, 0 or 1")
	}
	return n
}

// truth reads true or false, in any case; empty is false.
func (t *table) truth(column string) bool {
	switch s := t.get(column); strings.ToLower(s) {
	case "true", "1", "t":
		return true
	case "", "false", "0", "f":
		return false
	default:
		t.faults.add(t.line(), column, s, "true or false")
		return false
	}
}
