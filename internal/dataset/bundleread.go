package dataset

import (
	"archive/zip"
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"overton/internal/study"
)

// Bundle is the content of a bundle, read back.
type Bundle struct {
	Manifest   Manifest
	Study      *Study
	Records    []study.Record
	Statements []study.Statement
	Runs       []BundleRun

	// Changed lists what differs from the manifest: files with other content, missing and additional files,
	// and rows that contradict each other.
	Changed []string
}

// Limits on a bundle, so that a small file cannot fill memory: the number of files, the size of each, and of
// all together.
const (
	maxBundleText  = 64 << 20 // a study's file, a run, the manifest
	maxBundleFiles = 20_000
	maxBundle      = 16 << 30
)

// ReadBundle reads a bundle of a size in bytes. Changes since it was made are listed and are not an error:
// the data are taken as they are now.
func ReadBundle(file string, r io.ReaderAt, size int64) (*Bundle, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("reading %s: it is not a whole .zip archive: %w", file, err)
	}
	b := bundleReader{files: map[string]*zip.File{}, index: map[submissionKey]int{}, changed: map[string]bool{}}
	if err := b.read(z); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	return &b.Bundle, nil
}

type submissionKey struct {
	user   string
	number int
}

type bundleReader struct {
	Bundle
	files   map[string]*zip.File
	changed map[string]bool
	left    int64 // bytes that may still be unpacked
	index   map[submissionKey]int
}

func (b *bundleReader) read(z *zip.Reader) error {
	if len(z.File) > maxBundleFiles {
		return fmt.Errorf("it contains more than %d files", maxBundleFiles)
	}
	root := ""
	for _, f := range z.File {
		if path.Base(f.Name) == "manifest.json" && (root == "" || len(f.Name) < len(root)) {
			root = f.Name
		}
	}
	if root == "" {
		return errors.New("it has no manifest.json, so it is not a bundle")
	}
	for _, f := range z.File {
		if name, ok := strings.CutPrefix(f.Name, path.Dir(root)+"/"); ok && !strings.HasSuffix(name, "/") {
			if b.files[name] != nil {
				return fmt.Errorf("%s appears twice", f.Name)
			}
			b.files[name] = f
		}
	}
	if path.Dir(root) == "." {
		for _, f := range z.File {
			b.files[f.Name] = f
		}
	}
	b.left = maxBundle
	manifest, err := b.text("manifest.json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(manifest, &b.Manifest); err != nil {
		return fmt.Errorf("manifest.json: %w", err)
	}
	if err := b.compareHashes(); err != nil {
		return err
	}
	return errors.Join(b.readStudy(), b.readRuns(), b.readData())
}

// open opens a file whose unpacked bytes count against the limit.
func (b *bundleReader) open(name string) (io.ReadCloser, error) {
	f := b.files[name]
	if f == nil {
		return nil, fmt.Errorf("%s is missing", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &boundedFile{r, &b.left, name}, nil
}

type boundedFile struct {
	io.ReadCloser
	left *int64
	name string
}

func (f *boundedFile) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if *f.left -= int64(n); *f.left < 0 {
		return n, fmt.Errorf("%s: the files are larger than %d GB once unpacked", f.name, maxBundle>>30)
	}
	return n, err
}

// text reads a small file.
func (b *bundleReader) text(name string) ([]byte, error) {
	r, err := b.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, maxBundleText+1))
	if err == nil && len(content) > maxBundleText {
		err = fmt.Errorf("is larger than %d MB", maxBundleText>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return content, nil
}

// mostChanges limits the list for a bundle that was changed throughout.
const mostChanges = 100

func (b *bundleReader) change(format string, args ...any) {
	switch {
	case len(b.Changed) < mostChanges:
		b.Changed = append(b.Changed, fmt.Sprintf(format, args...))
	case len(b.Changed) == mostChanges:
		b.Changed = append(b.Changed, "and more")
	}
}

func (b *bundleReader) compareHashes() error {
	listed := map[string]bool{"manifest.json": true}
	for _, m := range b.Manifest.Files {
		listed[m.Name] = true
		if b.files[m.Name] == nil {
			b.change("%s is missing", m.Name)
			continue
		}
		r, err := b.open(m.Name)
		if err != nil {
			return err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, r)
		r.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		if hex.EncodeToString(sum.Sum(nil)) != m.SHA256 {
			b.changed[m.Name] = true
			b.change("%s was changed: its SHA-256 is not the one in the manifest", m.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		if !listed[name] {
			b.change("%s is not in the manifest", name)
		}
	}
	return nil
}

func (b *bundleReader) readStudy() error {
	files := Files{}
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		rest, ok := strings.CutPrefix(name, "study/")
		if !ok {
			continue
		}
		content, err := b.text(name)
		if err != nil {
			return err
		}
		files[rest] = content
	}
	s, err := ReadStudy(files)
	if err != nil {
		return fmt.Errorf("study: %w", err)
	}
	s.Hash = b.Manifest.Study.Hash // of the files before their codes were hidden
	b.Study = s
	return nil
}

func (b *bundleReader) readRuns() error {
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		if !strings.HasPrefix(name, "runs/") {
			continue
		}
		content, err := b.text(name)
		if err != nil {
			return err
		}
		var run BundleRun
		if err := json.Unmarshal(content, &run); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		b.Runs = append(b.Runs, run)
	}
	slices.SortStableFunc(b.Runs, func(x, y BundleRun) int { return int(x.ID - y.ID) })
	return nil
}

// bundleRow is a row of any of a bundle's tables, with the columns that are read back.
type bundleRow struct {
	User       string `json:"user"`
	Submission int    `json:"submission"`

	Status    string `json:"status"`
	Virtual   bool   `json:"virtual"`
	Round     int    `json:"round"`
	Seed      string `json:"seed"`
	Started   moment `json:"started_at"`
	Consented moment `json:"consented_at"`
	Last      moment `json:"last_answer_at"`
	Ended     moment `json:"ended_at"`

	Question string `json:"question_id"`
	State    string `json:"state"`
	Models   string `json:"models"`

	Kind      study.Kind `json:"kind"`
	Scope     string     `json:"scope"`
	Subject   string     `json:"subject"`
	Value     string     `json:"value"`
	Shown     moment     `json:"shown_at"`
	Answered  moment     `json:"answered_at"`
	Active    int64      `json:"active_ms"`
	Revisions *int       `json:"revisions"`

	Statement   string  `json:"statement_id"`
	Vote        string  `json:"vote"`
	Position    int     `json:"position"`
	Probability float64 `json:"probability"`
	Candidates  int     `json:"candidates"`
	Drawn       moment  `json:"drawn_at"`

	Model  string `json:"model"`
	Rating *int   `json:"representation_rating"`

	Instrument string `json:"instrument"`
	Item       string `json:"item"`
	Repetition int    `json:"repetition"`
	Answer     string `json:"answer"`
	Items      string `json:"items"`
	Repeated   string `json:"repeated"`
	Reversed   bool   `json:"reversed"`
}

// moment is a time as exports write it; null is the zero time.
type moment struct{ time.Time }

func (m *moment) UnmarshalJSON(text []byte) (err error) {
	if string(text) == "null" {
		return nil
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	m.Time, err = time.Parse(momentLayout, s)
	return err
}

// statementRow is a row of statements. Its columns have other types than columns of the same names elsewhere.
type statementRow struct {
	ID       string               `json:"statement_id"`
	Question string               `json:"question_id"`
	Author   string               `json:"author"`
	Seed     bool                 `json:"seed_statement"`
	Virtual  bool                 `json:"virtual"`
	Text     string               `json:"statement"`
	State    study.StatementState `json:"state"`
	Created  moment               `json:"created_at"`
	Drawn    int                  `json:"drawn"`
	Agree    int                  `json:"agree"`
	Disagree int                  `json:"disagree"`
	Neutral  int                  `json:"neutral"`
	Skip     int                  `json:"skip"`
}

// lines reads a table row by row.
func lines[T any](b *bundleReader, table string, each func(line int, row T) error) error {
	name := bundleData + table + ".jsonl"
	r, err := b.open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	buffered := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, err := longLine(buffered)
		if errors.Is(err, io.EOF) && len(text) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: line %d: %w", name, line, err)
		}
		var row T
		if err := json.Unmarshal(text, &row); err != nil {
			return fmt.Errorf("%s: line %d: %w", name, line, err)
		}
		if err := each(line, row); err != nil {
			return fmt.Errorf("%s: line %d: %w", name, line, err)
		}
	}
}

// longLine reads a line of bounded length.
func longLine(r *bufio.Reader) (text []byte, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		text = append(text, piece...)
		if len(text) > maxBundleText {
			return nil, fmt.Errorf("is longer than %d MB", maxBundleText>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, err
		}
	}
}

// record finds the submission of a row.
func (b *bundleReader) record(row bundleRow) (*study.Record, error) {
	i, ok := b.index[submissionKey{row.User, row.Submission}]
	if !ok {
		return nil, fmt.Errorf("participant %s has no submission %d in participants", row.User, row.Submission)
	}
	return &b.Records[i], nil
}

func (b *bundleReader) readData() error {
	if err := lines(b, "participants", func(_ int, row bundleRow) error {
		seed, err := strconv.ParseUint(row.Seed, 10, 64)
		if err != nil {
			return fmt.Errorf("seed is %q; expected a number", row.Seed)
		}
		r := study.Record{Pseudonym: row.User, Virtual: row.Virtual, Seed: seed, Round: row.Round,
			Started: row.Started.Time, Consented: row.Consented.Time, Last: row.Last.Time, Ended: row.Ended.Time}
		if row.Status != "left" {
			r.Outcome = study.Outcome(row.Status)
		}
		key := submissionKey{row.User, row.Submission}
		if _, twice := b.index[key]; twice {
			return fmt.Errorf("submission %d of participant %s appears twice", row.Submission, row.User)
		}
		b.index[key] = len(b.Records)
		b.Records = append(b.Records, r)
		return nil
	}); err != nil {
		return err
	}
	if err := lines(b, "assignments", func(_ int, row bundleRow) error {
		r, err := b.record(row)
		if err != nil {
			return err
		}
		slot := study.RecordSlot{Question: row.Question, State: row.State}
		if err := json.Unmarshal([]byte(row.Models), &slot.Models); err != nil {
			return fmt.Errorf("models is %q; expected a JSON list", row.Models)
		}
		r.Slots = append(r.Slots, slot)
		return nil
	}); err != nil {
		return err
	}
	if err := lines(b, "answers", func(_ int, row bundleRow) error {
		r, err := b.record(row)
		if err != nil {
			return err
		}
		a := study.Answer{Key: study.Key{Kind: row.Kind, Scope: row.Scope, Subject: row.Subject}, Value: row.Value, Round: row.Round,
			Shown: row.Shown.Time, Answered: row.Answered.Time, Active: time.Duration(row.Active) * time.Millisecond}
		if row.Revisions != nil {
			a.Revision = *row.Revisions + 1
		}
		r.Answers = append(r.Answers, a)
		return nil
	}); err != nil {
		return err
	}
	if err := lines(b, "votes", func(line int, row bundleRow) error {
		r, err := b.record(row)
		if err != nil {
			return err
		}
		r.Ballots = append(r.Ballots, study.RecordBallot{Statement: row.Statement, Question: row.Question, Position: row.Position,
			Probability: row.Probability, Candidates: row.Candidates, Round: row.Round, Drawn: row.Drawn.Time})
		b.reconcile("votes", line, r, study.Key{Kind: study.KindVote, Scope: row.Question, Subject: row.Statement}, row.Vote)
		return nil
	}); err != nil {
		return err
	}
	if err := lines(b, "ratings", func(line int, row bundleRow) error {
		r, err := b.record(row)
		if err == nil && row.Rating != nil {
			b.reconcile("ratings", line, r, study.Key{Kind: study.KindRating, Scope: row.Question, Subject: row.Model}, strconv.Itoa(*row.Rating))
		}
		return err
	}); err != nil {
		return err
	}
	if err := lines(b, "surveys", func(line int, row bundleRow) error {
		r, err := b.record(row)
		if err == nil {
			b.reconcile("surveys", line, r, study.SurveyKey(row.Instrument, row.Item, row.Repetition > 1), row.Answer)
		}
		return err
	}); err != nil {
		return err
	}
	if err := lines(b, "draws", func(_ int, row bundleRow) error {
		r, err := b.record(row)
		if err != nil {
			return err
		}
		d := study.Drawn{Reversed: row.Reversed}
		if err := errors.Join(json.Unmarshal([]byte(row.Items), &d.Items), json.Unmarshal([]byte(row.Repeated), &d.Repeated)); err != nil {
			return fmt.Errorf("items or repeated is not a JSON list: %w", err)
		}
		if r.Surveys == nil {
			r.Surveys = map[string]study.Drawn{}
		}
		r.Surveys[row.Instrument] = d
		return nil
	}); err != nil {
		return err
	}
	return lines(b, "statements", func(_ int, row statementRow) error {
		b.Statements = append(b.Statements, study.Statement{ID: row.ID, Question: row.Question, Author: row.Author, Seed: row.Seed, Virtual: row.Virtual,
			Text: row.Text, State: row.State, Created: row.Created.Time, Drawn: row.Drawn, Agree: row.Agree, Disagree: row.Disagree, Neutral: row.Neutral, Skip: row.Skip})
		return nil
	})
}

// reconcile compares a value in its own table with the same value in answers. If they differ, the value in
// the table that was changed counts; if the hashes do not tell, the one in its own table.
func (b *bundleReader) reconcile(table string, line int, r *study.Record, key study.Key, value string) {
	at := slices.IndexFunc(r.Answers, func(a study.Answer) bool { return a.Key == key })
	if at < 0 && value == "" || at >= 0 && r.Answers[at].Value == value {
		return
	}
	const answers = bundleData + "answers.jsonl"
	own := bundleData + table + ".jsonl"
	known := "nothing"
	if at >= 0 {
		known = strconv.Quote(r.Answers[at].Value)
	}
	b.change("%s, line %d: says %q, but answers.jsonl says %s", own, line, value, known)
	switch {
	case b.changed[answers] && !b.changed[own]:
	case at < 0:
		r.Answers = append(r.Answers, study.Answer{Key: key, Value: value, Round: 1})
	case value == "":
		r.Answers = slices.Delete(r.Answers, at, at+1)
	default:
		r.Answers[at].Value = value
	}
}
