// Package export writes a study's data as tables, in several formats, with their
// dictionary and manifest, and as a bundle that can be read back. It also writes
// the numbers behind figures.
package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"overton/internal/dataset"
	"overton/internal/dataset/studyfile"
	"overton/internal/study"
)

// Data is a study's data on the way to files. Nothing in it identifies a participant.
type Data struct {
	Study   *studyfile.Study
	Version int // of the study

	// Records streams the submissions, one at a time, and Statements the
	// statements; StatementsOn lists those on one question. Each can be asked
	// for several times and gives the same.
	Records      func(each func(study.Record) error) error
	Statements   func(each func(study.Statement) error) error
	StatementsOn func(question string) ([]study.Statement, error)

	// Groups are viewpoint groups by question and participant, if an analysis found any.
	Groups map[string]map[string]string

	// Analysis is where the groups are from; nil without any.
	Analysis *ManifestAnalysis

	Formats []Format
	Program string    // name and version, for the manifest
	At      time.Time // when the data were taken; zero: not given

	public  bool // leave out what is private
	bundled bool // with the study's files and runs
	runs    []BundleRun
	leftOut []LeftOutRun

	author map[string]string // by statement
	states map[viewKey]study.StatementState
	polis  *polisCollector // nil: the layout is not wanted
}

// viewKey identifies the statement that a free response became.
type viewKey struct {
	author, question string
	text             uint64 // hash
}

var textSeed = maphash.MakeSeed()

func keyOfView(author, question, text string) viewKey {
	return viewKey{author, question, maphash.String(textSeed, text)}
}

// Manifest says what an export contains.
type Manifest struct {
	Program    string        `json:"program"`
	ExportedAt string        `json:"exported_at,omitempty"`
	Study      ManifestStudy `json:"study"`

	// Analysis found the groups in the ratings.
	Analysis *ManifestAnalysis `json:"analysis,omitempty"`

	// LeftOut are the analyses that a bundle does not contain.
	LeftOut []LeftOutRun `json:"runs_left_out,omitempty"`

	Counts ManifestCounts `json:"counts"`
	Files  []ManifestFile `json:"files"`
}

// ManifestAnalysis identifies the analysis whose groups an export contains. Another analysis, with another
// method or newer data, may find other groups.
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

// WriteFolder writes the export to a folder that does not exist yet or is empty. The folder appears complete
// or not at all, and only its owner can read it.
func (e *Data) WriteFolder(dir string) (m Manifest, err error) {
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
	if m, err = e.write(folderTarget(unfinished)); err != nil {
		return m, err
	}
	if err := os.Remove(dir); err != nil && !os.IsNotExist(err) {
		return m, err
	}
	return m, os.Rename(unfinished, dir)
}

// WriteZip writes the export as a .zip archive whose files are in a folder. It starts at once, continues as
// the data are read, and keeps little of them in memory. The manifest comes last. If it fails, the archive
// has no directory, so that nobody takes it for complete. w is flushed after each file if it has a method
// Flush.
func (e *Data) WriteZip(w io.Writer, folder string) (m Manifest, err error) {
	z := newZipTarget(w, folder)
	m, err = e.write(z)
	if err = z.finish(err); err != nil {
		return m, fmt.Errorf("exporting study %q: %w", e.Study.Slug, err)
	}
	return m, nil
}

// target takes the files of an export one after the other, or the files of one table together.
type target interface {
	create(name string) (io.WriteCloser, error)
}

// folderTarget is a folder.
type folderTarget string

func (dir folderTarget) create(name string) (io.WriteCloser, error) {
	path := filepath.Join(string(dir), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
}

// write makes all files of the export, its manifest last.
func (e *Data) write(to target) (m Manifest, err error) {
	tables, err := e.wanted()
	if err != nil {
		return m, err
	}
	m = Manifest{
		Program:  e.Program,
		Analysis: e.Analysis,
		Study:    ManifestStudy{e.Study.Slug, e.Study.Title, e.Version, e.Study.Hash, e.Study.Questions.Hash(), append([]study.Sent{}, e.Study.Sent...)},
		Counts:   ManifestCounts{People: ManifestPeople{Status: map[string]int{}}, Virtual: ManifestPeople{Status: map[string]int{}}},
	}
	if !e.At.IsZero() {
		m.ExportedAt = momentText(e.At)
	}
	for _, f := range []struct {
		name    string
		content []byte
	}{{"data_dictionary.csv", dictionaryCSV(tables)}, {"data_dictionary.md", dictionaryMarkdown(tables)}} {
		if e.bundled {
			f.name = bundleData + f.name
		}
		if err := m.add(to, f.name, 0, f.content); err != nil {
			return m, err
		}
	}
	if err := e.readStatements(&m.Counts); err != nil {
		return m, err
	}
	if err := e.count(&m.Counts); err != nil {
		return m, err
	}
	for _, table := range tables {
		if err := e.writeTable(to, table, &m); err != nil {
			return m, err
		}
	}
	if e.polis != nil {
		if err := e.polis.write(e, to, &m); err != nil {
			return m, err
		}
	}
	if e.bundled {
		if err := e.addBundled(to, &m); err != nil {
			return m, err
		}
	}
	manifest, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return m, err
	}
	f, err := to.create("manifest.json")
	if err != nil {
		return m, err
	}
	_, err = f.Write(append(manifest, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return m, err
}

// wanted are the tables that the formats ask for, each with its formats.
func (e *Data) wanted() (tables []table, err error) {
	var formats []Format
	layout := false
	e.polis = nil
	for _, f := range e.Formats {
		switch f {
		case Polis:
			e.polis = newPolisCollector()
		case OvertonBench:
			layout = true
		case CSV, JSONL, Parquet:
			formats = append(formats, f)
		default:
			return nil, fmt.Errorf("there is no format %q; expected csv, jsonl, parquet, polis or overtonbench", f)
		}
	}
	if len(formats) > 0 {
		for _, table := range tablesOf(e.Study) {
			if e.bundled && table.Name == "wide" {
				continue // the same again
			}
			if e.bundled {
				table.Name = bundleData + table.Name
			}
			table.formats = formats
			tables = append(tables, table)
		}
	}
	if layout {
		table := overtonBenchTable(e.Study)
		table.formats = []Format{CSV, Parquet}
		tables = append(tables, table)
	}
	return tables, nil
}

// add writes a file of known content. rows is 0 where it has none.
func (m *Manifest) add(to target, name string, rows int, content []byte) error {
	f, err := createCounted(to, name)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if cerr := f.to.Close(); err == nil {
		err = cerr
	}
	m.Files = append(m.Files, f.describe(rows))
	return err
}

// readStatements learns the author and the state of each statement.
func (e *Data) readStatements(counts *ManifestCounts) error {
	e.author, e.states = map[string]string{}, map[viewKey]study.StatementState{}
	return e.Statements(func(st study.Statement) error {
		counts.Statements++
		if st.Author != "" {
			e.author[st.ID] = st.Author
			e.states[keyOfView(st.Author, st.Question, st.Text)] = st.State
			if e.public && st.State == study.StatementRejected {
				e.states[keyOfView(st.Author, st.Question, "")] = st.State // its text is left out
			}
		}
		return nil
	})
}

// visits streams the submissions as the columns read them.
func (e *Data) visits(each func(*visit) error) error {
	submissions := map[string]int{} // by participant
	return e.Records(func(r study.Record) error {
		submissions[r.Pseudonym]++
		if e.public {
			e.redact(&r)
		}
		v := &visit{Record: r, number: submissions[r.Pseudonym], answers: make(map[study.Key]study.Answer, len(r.Answers)), export: e}
		for _, a := range r.Answers {
			v.answers[a.Key] = a
		}
		return each(v)
	})
}

// redact removes what is private: free responses that moderation rejected, comments on the study, and what
// the recruiter's file says. It also makes the record independent of the time: people who have not finished
// count as having left.
func (e *Data) redact(r *study.Record) {
	r.Live, r.Recruited = false, nil
	r.Answers = slices.Clone(r.Answers)
	for i := range r.Answers {
		a := &r.Answers[i]
		rejected := a.Key.Kind == study.KindView && e.viewState(r.Pseudonym, a.Key.Scope, a.Value) == study.StatementRejected
		if rejected || a.Key.Kind == study.KindFeedback {
			a.Value = ""
		}
	}
}

// viewState is the state of the statement that a free response became.
func (e *Data) viewState(pseudonym, question, text string) study.StatementState {
	return e.states[keyOfView(pseudonym, question, text)]
}

// count counts what was collected, and gathers the votes for Polis.
func (e *Data) count(counts *ManifestCounts) error {
	return e.visits(func(v *visit) error {
		counts.add(v)
		if e.polis != nil {
			for _, b := range v.Ballots {
				e.polis.add(v, b, v.answers[study.Key{Kind: study.KindVote, Scope: b.Question, Subject: b.Statement}])
			}
		}
		return nil
	})
}

// writeTable writes one table in its formats, in one pass over the data.
func (e *Data) writeTable(to target, table table, m *Manifest) error {
	t, err := createTable(to, table)
	if err != nil {
		return err
	}
	switch {
	case table.rows == nil:
		err = e.Statements(func(st study.Statement) error {
			if e.public && st.State == study.StatementRejected {
				st.Text = ""
			}
			return t.write(&tableRow{statement: st})
		})
	default:
		err = e.visits(func(v *visit) error { return table.rows(v, m.Counts, t.write) })
	}
	files, err := t.close(err)
	m.Files = append(m.Files, files...)
	return err
}

func participantRows(v *visit, _ ManifestCounts, write func(*tableRow) error) error {
	return write(&tableRow{visit: v})
}

func ratingRows(v *visit, _ ManifestCounts, write func(*tableRow) error) error {
	for i, slot := range v.Slots {
		question, _ := v.export.Study.Questions.Question(slot.Question)
		votes := v.votesOn(slot.Question)
		for at, model := range slot.Models {
			answer, rated := v.answers[study.Key{Kind: study.KindRating, Scope: slot.Question, Subject: model}]
			if !rated {
				continue
			}
			if err := write(&tableRow{visit: v, answer: answer, question: question, slot: i, at: at, votes: votes}); err != nil {
				return err
			}
		}
	}
	return nil
}

// completeRatingRows are the ratings of people who finished, or of virtual participants if nobody else did.
func completeRatingRows(v *visit, counts ManifestCounts, write func(*tableRow) error) error {
	if v.Outcome != study.Completed || v.Virtual && counts.People.Status[string(study.Completed)] > 0 {
		return nil
	}
	return ratingRows(v, counts, write)
}

func assignmentRows(v *visit, _ ManifestCounts, write func(*tableRow) error) error {
	for i := range v.Slots {
		if err := write(&tableRow{visit: v, slot: i}); err != nil {
			return err
		}
	}
	return nil
}

func voteRows(v *visit, _ ManifestCounts, write func(*tableRow) error) error {
	for _, b := range v.Ballots {
		answer := v.answers[study.Key{Kind: study.KindVote, Scope: b.Question, Subject: b.Statement}]
		if err := write(&tableRow{visit: v, answer: answer, ballot: b}); err != nil {
			return err
		}
	}
	return nil
}

func surveyRows(v *visit, _ ManifestCounts, write func(*tableRow) error) error {
	s := v.export.Study
	for _, asked := range s.AskedItems(v.Answered(), v.Surveys) {
		answer, answered := v.answers[asked.Key]
		if !answered {
			continue
		}
		item, _ := s.Instruments[asked.Key.Scope].Item(asked.Item.ID)
		if err := write(&tableRow{visit: v, answer: answer, asked: asked, item: item}); err != nil {
			return err
		}
	}
	return nil
}

func drawRows(v *visit, _ ManifestCounts, write func(*tableRow) error) error {
	for _, name := range slices.Sorted(maps.Keys(v.Surveys)) {
		if err := write(&tableRow{visit: v, instrument: name}); err != nil {
			return err
		}
	}
	return nil
}

func answerRows(v *visit, _ ManifestCounts, write func(*tableRow) error) error {
	for _, a := range v.Answers {
		if err := write(&tableRow{visit: v, answer: a}); err != nil {
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
			text.WriteString(jsonOf(b.Statement) + ":" + jsonOf(vote.(string)))
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

// ReadManifest reads the manifest of an export.
func ReadManifest(name string, content []byte) (m Manifest, err error) {
	if err := json.Unmarshal(content, &m); err != nil {
		return m, dataset.Fault{File: name, Message: "is no manifest of an export: " + err.Error()}
	}
	return m, nil
}

// Holds says whether the export has a file with these bytes.
func (m Manifest) Holds(sha256 string) bool {
	return slices.ContainsFunc(m.Files, func(f ManifestFile) bool { return f.SHA256 == sha256 })
}
