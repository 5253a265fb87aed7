package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"overton/internal/study"
)

// Export is a study's data on their way into files. Nothing in it knows who a
// participant is.
type Export struct {
	Study   *Study
	Version int // of the study

	// Records streams the submissions, one at a time.
	Records    func(each func(study.Record) error) error
	Statements []study.Statement

	// Groups are viewpoint groups by question and participant, as far as an
	// analysis found some.
	Groups map[string]map[string]string

	// Analysis is where the groups are from; nil without any.
	Analysis *ManifestAnalysis

	Formats []Format
	Program string    // name and version, for the manifest
	At      time.Time // when the data were taken

	author map[string]string // by statement
	polis  *polisCollector   // nil: no such layout is wanted
}

// Manifest says what an export holds.
type Manifest struct {
	Program    string        `json:"program"`
	ExportedAt string        `json:"exported_at"`
	Study      ManifestStudy `json:"study"`

	// Analysis found the groups in the ratings.
	Analysis *ManifestAnalysis `json:"analysis,omitempty"`

	Counts ManifestCounts `json:"counts"`
	Files  []ManifestFile `json:"files"`
}

// ManifestAnalysis identifies the analysis whose groups an export holds.
// Another one, by another method or with newer data, may find others.
type ManifestAnalysis struct {
	Method     string `json:"method"`
	Seed       uint64 `json:"seed"`
	Input      string `json:"input_sha256"`
	AnalysedAt string `json:"analysed_at"`
}

// ManifestStudy identifies the study.
type ManifestStudy struct {
	Slug        string `json:"slug"`
	Title       string `json:"title"`
	Version     int    `json:"version"`
	Hash        string `json:"sha256"`
	QuestionSet string `json:"question_set_sha256"`

	// Sent is what language models may be sent of the participants' answers.
	Sent []study.Sent `json:"models_may_be_sent"`
}

// ManifestCounts are the numbers that must agree with what a study's page shows.
type ManifestCounts struct {
	People  ManifestPeople `json:"people"`
	Virtual ManifestPeople `json:"virtual"`

	Statements int `json:"statements"`
}

// ManifestPeople counts real or virtual participants' submissions and answers.
type ManifestPeople struct {
	Submissions int            `json:"submissions"`
	Status      map[string]int `json:"status"`
	Views       int            `json:"free_responses"`
	Ratings     int            `json:"ratings"`
	Votes       int            `json:"votes"` // agree, disagree and neutral
	Skipped     int            `json:"skipped"`
}

// ManifestFile is one file of the export.
type ManifestFile struct {
	Name   string `json:"name"`
	Rows   int    `json:"rows,omitempty"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// WriteFolder writes the export into a folder that does not exist yet, or is
// empty. The folder appears whole or not at all.
func (e *Export) WriteFolder(dir string) (m Manifest, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("exporting study %q to %s: %w", e.Study.Slug, dir, err)
		}
	}()
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return m, fmt.Errorf("it is not empty")
	}
	unfinished, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), ".overton-export-*")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(unfinished)
	if m, err = e.write(unfinished); err != nil {
		return m, err
	}
	if err := os.Chmod(unfinished, 0o755); err != nil {
		return m, err
	}
	if err := os.Remove(dir); err != nil && !os.IsNotExist(err) {
		return m, err
	}
	return m, os.Rename(unfinished, dir)
}

func (e *Export) write(dir string) (m Manifest, err error) {
	e.author = make(map[string]string, len(e.Statements))
	for _, st := range e.Statements {
		e.author[st.ID] = st.Author
	}
	e.polis = nil
	if slices.Contains(e.Formats, Polis) {
		e.polis = newPolisCollector()
	}
	tables := e.Study.ExportTables()
	out, err := createTables(dir, tables, slices.DeleteFunc(slices.Clone(e.Formats), func(f Format) bool { return f == Polis }))
	if err != nil {
		return m, err
	}
	m = Manifest{
		Program: e.Program, ExportedAt: momentText(e.At),
		Analysis: e.Analysis,
		Study:    ManifestStudy{e.Study.Slug, e.Study.Title, e.Version, e.Study.Hash, e.Study.Questions.Hash(), append([]study.Sent{}, e.Study.Sent...)},
		Counts:   ManifestCounts{People: ManifestPeople{Status: map[string]int{}}, Virtual: ManifestPeople{Status: map[string]int{}}, Statements: len(e.Statements)},
	}
	err = e.writeRows(out, &m.Counts)
	if m.Files, err = out.close(err); err != nil {
		return m, err
	}
	if e.polis != nil {
		files, err := e.polis.write(e, dir)
		if err != nil {
			return m, err
		}
		m.Files = append(m.Files, files...)
	}
	dictionary, err := dictionaryCSV(tables)
	if err != nil {
		return m, err
	}
	for _, f := range []struct {
		name    string
		content []byte
	}{{"data_dictionary.csv", dictionary}, {"data_dictionary.md", DictionaryMarkdown(tables)}} {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.content, 0o644); err != nil {
			return m, err
		}
		sum := sha256.Sum256(f.content)
		m.Files = append(m.Files, ManifestFile{Name: f.name, Bytes: int64(len(f.content)), SHA256: hex.EncodeToString(sum[:])})
	}
	manifest, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return m, err
	}
	return m, os.WriteFile(filepath.Join(dir, "manifest.json"), append(manifest, '\n'), 0o644)
}

// writeRows streams every record into the tables.
func (e *Export) writeRows(out exportFiles, counts *ManifestCounts) error {
	submissions := map[string]int{} // by participant
	err := e.Records(func(r study.Record) error {
		submissions[r.Pseudonym]++
		v := &visit{Record: r, number: submissions[r.Pseudonym], answers: make(map[study.Key]study.Answer, len(r.Answers)), export: e}
		for _, a := range r.Answers {
			v.answers[a.Key] = a
		}
		counts.add(v)
		return e.writeVisit(out, v)
	})
	if err != nil {
		return err
	}
	for _, st := range e.Statements {
		if err := out["statements"].write(&exportRow{statement: st}); err != nil {
			return err
		}
	}
	return nil
}

func (e *Export) writeVisit(out exportFiles, v *visit) error {
	if err := out["participants"].write(&exportRow{visit: v}); err != nil {
		return err
	}
	for i, slot := range v.Slots {
		question, _ := e.Study.Questions.Question(slot.Question)
		votes := v.votesOn(slot.Question)
		for at, model := range slot.Models {
			answer, rated := v.answers[study.Key{Kind: study.KindRating, Scope: slot.Question, Subject: model}]
			if !rated {
				continue
			}
			if err := out["ratings"].write(&exportRow{visit: v, answer: answer, question: question, slot: i, at: at, votes: votes}); err != nil {
				return err
			}
		}
	}
	for _, b := range v.Ballots {
		answer := v.answers[study.Key{Kind: study.KindVote, Scope: b.Question, Subject: b.Statement}]
		if err := out["votes"].write(&exportRow{visit: v, answer: answer, ballot: b}); err != nil {
			return err
		}
		if e.polis != nil {
			e.polis.add(v, b, answer)
		}
	}
	for _, asked := range e.Study.AskedItems(v.Answered(), v.Surveys) {
		answer, answered := v.answers[asked.Key]
		if !answered {
			continue
		}
		item, _ := e.Study.Instruments[asked.Key.Scope].Item(asked.Item.ID)
		if err := out["surveys"].write(&exportRow{visit: v, answer: answer, asked: asked, item: item}); err != nil {
			return err
		}
	}
	for _, a := range v.Answers {
		if err := out["answers"].write(&exportRow{visit: v, answer: a}); err != nil {
			return err
		}
	}
	return nil
}

// votesOn is a participant's votes on a question as a JSON object, in the
// order in which the statements were shown.
func (v *visit) votesOn(question string) string {
	ballots := slices.DeleteFunc(slices.Clone(v.Ballots), func(b study.RecordBallot) bool { return b.Question != question })
	slices.SortStableFunc(ballots, func(a, b study.RecordBallot) int { return a.Position - b.Position })
	var text bytes.Buffer
	for _, b := range ballots {
		switch vote := v.value(study.KindVote, question, b.Statement); vote {
		case study.Agree, study.Disagree, study.Neutral:
			if text.Len() > 0 {
				text.WriteByte(',')
			}
			fmt.Fprintf(&text, "%q:%q", b.Statement, vote)
		}
	}
	return "{" + text.String() + "}"
}

func (c *ManifestCounts) add(v *visit) {
	p := &c.People
	if v.Virtual {
		p = &c.Virtual
	}
	p.Submissions++
	p.Status[v.status()]++
	for k, a := range v.answers {
		switch {
		case k.Kind == study.KindView:
			p.Views++
		case k.Kind == study.KindRating:
			p.Ratings++
		case k.Kind == study.KindVote && a.Value == study.Skip:
			p.Skipped++
		case k.Kind == study.KindVote:
			p.Votes++
		}
	}
}

// exportFiles are the open files of an export, by table.
type exportFiles map[string]*tableFiles

// tableFiles are one table's files, one for each format.
type tableFiles struct {
	columns []Column
	values  []any
	rows    int
	writers []rowWriter
	files   []*countedFile
}

// write adds a row to each of the table's files.
func (t *tableFiles) write(r *exportRow) error {
	for i, column := range t.columns {
		t.values[i] = column.value(r)
		if moment, ok := t.values[i].(time.Time); ok && moment.IsZero() {
			t.values[i] = nil
		}
	}
	t.rows++
	for i, w := range t.writers {
		if err := w.write(t.values); err != nil {
			return fmt.Errorf("writing %s: %w", t.files[i].name, err)
		}
	}
	return nil
}

func createTables(dir string, tables []ExportTable, formats []Format) (exportFiles, error) {
	out := exportFiles{}
	for _, table := range tables {
		t := &tableFiles{columns: table.Columns, values: make([]any, len(table.Columns))}
		out[table.Name] = t
		for _, format := range formats {
			if err := t.create(dir, table, format); err != nil {
				_, err = out.close(err)
				return nil, err
			}
		}
	}
	return out, nil
}

// create opens a table's file in a format; of CSV also the second one.
func (t *tableFiles) create(dir string, table ExportTable, format Format) error {
	open := func(suffix string) (io.Writer, error) {
		f, err := createCounted(dir, table.Name+suffix)
		if err == nil {
			t.files = append(t.files, f)
		}
		return f, err
	}
	switch format {
	case CSV:
		for _, suffix := range []string{".csv", "_spreadsheet.csv"} {
			f, err := open(suffix)
			if err != nil {
				return err
			}
			w, err := newCSVWriter(f, table.Columns, suffix != ".csv")
			if err != nil {
				return err
			}
			t.writers = append(t.writers, w)
		}
	case JSONL:
		f, err := open(".jsonl")
		if err != nil {
			return err
		}
		t.writers = append(t.writers, newJSONLWriter(f, table.Columns))
	case Parquet:
		f, err := open(".parquet")
		if err != nil {
			return err
		}
		t.writers = append(t.writers, newParquetWriter(f, table))
	default:
		return fmt.Errorf("no format is called %q; expected csv, jsonl, parquet or polis", format)
	}
	return nil
}

// close finishes every file and describes them. It keeps the first error,
// beginning with the one given.
func (out exportFiles) close(err error) ([]ManifestFile, error) {
	var list []ManifestFile
	for _, name := range sorted(out) {
		t := out[name]
		for i, f := range t.files {
			if i < len(t.writers) && err == nil {
				err = t.writers[i].close()
			}
			if cerr := f.file.Close(); err == nil {
				err = cerr
			}
			list = append(list, f.describe(t.rows))
		}
	}
	return list, err
}

// countedFile is a file that knows its length and hash.
type countedFile struct {
	name  string
	file  *os.File
	sum   hash.Hash
	bytes int64
}

func createCounted(dir, name string) (*countedFile, error) {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	return &countedFile{name: name, file: f, sum: sha256.New()}, nil
}

func (f *countedFile) describe(rows int) ManifestFile {
	return ManifestFile{f.name, rows, f.bytes, hex.EncodeToString(f.sum.Sum(nil))}
}

func (f *countedFile) Write(b []byte) (int, error) {
	n, err := f.file.Write(b)
	f.sum.Write(b[:n])
	f.bytes += int64(n)
	return n, err
}
