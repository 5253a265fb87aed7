package export

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overton/internal/dataset"
	"overton/internal/dataset/studyfile"
	"overton/internal/dataset/votes"
	"overton/internal/study"
)

var update = flag.Bool("update", false, "write the golden files")

// collected is what two people and a virtual participant left in the small study.
func collected(t testing.TB) *Data {
	t.Helper()
	s, err := studyfile.Read(os.DirFS("../studyfile/testdata/parks"))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time {
		return start.Add(time.Duration(seconds * float64(time.Second)))
	}
	answer := func(kind study.Kind, scope, subject, value string, shown, answered float64, revision int) study.Answer {
		return study.Answer{Key: study.Key{Kind: kind, Scope: scope, Subject: subject}, Value: value, Round: 1,
			Shown: at(shown), Answered: at(answered), Active: time.Duration(answered-shown) * time.Second, Revision: revision}
	}
	first := study.Record{
		Pseudonym: "amber", Seed: 18446744073709551615, Outcome: study.Completed, Round: 1,
		Started: at(0), Consented: at(5), Last: at(300), Ended: at(300.5),
		Recruited: &study.Recruited{Status: "AWAITING REVIEW", Code: "C", Taken: 301 * time.Second, Attributes: map[string]string{"Sex": "Female", "Age": "DATA_EXPIRED"}},
		Slots:     []study.RecordSlot{{Question: "2", Models: []string{"m2", "m1"}, State: "done"}, {Question: "1", Models: []string{"m1", "m2"}, State: "done"}},
		Answers: []study.Answer{
			answer(study.KindConsent, "", "", "yes", 0, 5, 1),
			answer(study.KindSurvey, "us-demographics", "POLPARTY", "Independent", 5, 9, 2),
			answer(study.KindView, "2", "", "=1+1, she said:\n\"no\"", 20, 60.25, 3),
			answer(study.KindImportance, "2", "", "4", 20, 60.25, 1),
			answer(study.KindRating, "2", "m2", "2", 60, 90, 1),
			answer(study.KindRating, "2", "m1", "5", 90, 100.125, 2),
			answer(study.KindVote, "2", "7", "agree", 100, 104, 1),
			answer(study.KindVote, "2", "8", "skip", 104, 106, 1),
			answer(study.KindStance, "1", "", "neutral", 110, 150, 1),
			answer(study.KindView, "1", "", "Fine by me", 110, 150, 1),
			answer(study.KindRating, "1", "m1", "1", 150, 180, 1),
			answer(study.KindRating, "1", "m2", "3", 180, 200, 1),
			answer(study.KindVote, "1", "1", "disagree", 200, 204, 1),
			answer(study.KindCheck, "", "1", "4", 204, 206, 1),
			answer(study.KindFeedback, "", "", "", 206, 300, 1),
		},
		Ballots: []study.RecordBallot{
			{Statement: "1", Question: "1", Position: 1, Probability: 1, Candidates: 1, Round: 1, Drawn: at(200)},
			{Statement: "7", Question: "2", Position: 1, Probability: 0.875, Candidates: 2, Round: 1, Drawn: at(100)},
			{Statement: "8", Question: "2", Position: 2, Probability: 1, Candidates: 1, Round: 1, Drawn: at(104)},
		},
	}
	second := study.Record{
		Pseudonym: "birch", Seed: 7, Live: true, Round: 1, Started: at(1000), Consented: at(1005), Last: at(1100),
		Slots: []study.RecordSlot{{Question: "1", Models: []string{"m2", "m1"}, State: "reserved"}, {Question: "3", Models: []string{"n1"}, State: "reserved"}},
		Answers: []study.Answer{
			answer(study.KindConsent, "", "", "yes", 1000, 1005, 1),
			answer(study.KindStance, "1", "", "2", 1010, 1050, 1),
			answer(study.KindView, "1", "", "@home only", 1010, 1050, 1),
			answer(study.KindRating, "1", "m2", "4", 1050, 1100, 1),
		},
	}
	second.Answers[3].Active = 0 // the browser did not tell
	third := study.Record{Pseudonym: "birch", Seed: 8, Outcome: study.NoConsent, Round: 1, Started: at(2000), Last: at(2003), Ended: at(2003),
		Answers: []study.Answer{answer(study.KindConsent, "", "", "no", 2000, 2003, 1)}}
	virtual := study.Record{Pseudonym: "cedar", Virtual: true, Seed: 9, Round: 1, Started: at(3000), Last: at(3000)}
	statements := []study.Statement{
		{ID: "1", Question: "1", Seed: true, Text: "Dogs need room.", State: study.StatementServed, Created: at(-60), Drawn: 1, Disagree: 1},
		{ID: "7", Question: "2", Author: "birch", Text: "-2 degrees, no cars", State: study.StatementServed, Created: at(-10), Drawn: 1, Agree: 1},
		{ID: "8", Question: "2", State: study.StatementWithdrawn, Created: at(-9), Drawn: 1, Skip: 1},
		{ID: "9", Question: "1", Author: "birch", Text: "@home only", State: study.StatementRejected, Created: at(1050)},
	}
	return &Data{
		Study: s, Version: 1, Program: "overton test", At: at(9000),
		Formats: []Format{CSV, JSONL, Parquet},
		Records: func(each func(study.Record) error) error {
			for _, r := range []study.Record{first, second, third, virtual} {
				if err := each(r); err != nil {
					return err
				}
			}
			return nil
		},
		Statements: func(each func(study.Statement) error) error {
			for _, st := range statements {
				if err := each(st); err != nil {
					return err
				}
			}
			return nil
		},
		StatementsOn: func(question string) (on []study.Statement, err error) {
			for _, st := range statements {
				if st.Question == question {
					on = append(on, st)
				}
			}
			return on, nil
		},
		Groups: map[string]map[string]string{"2": {"amber": "1"}},
	}
}

func writeExport(t *testing.T, e *Data) (string, Manifest) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	m, err := e.WriteFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, m
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestExportEqualsTheGoldenFiles(t *testing.T) {
	dir, _ := writeExport(t, collected(t))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, "data_dictionary") || strings.HasSuffix(name, ".parquet") || name == "manifest.json" {
			continue // have tests of their own; a manifest changes with any of them
		}
		golden := filepath.Join("testdata", "export", name)
		got := contents(t, filepath.Join(dir, name))
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want := contents(t, golden); !bytes.Equal(got, want) {
			t.Errorf("%s\n got %s\nwant %s", name, got, want)
		}
	}
}

// cells reads an exported file and gives its columns in alphabetical order.
func cells(t *testing.T, path string) (header []string, rows [][]string) {
	t.Helper()
	table, err := dataset.ReadTable(filepath.Base(path), contents(t, path))
	if err != nil {
		t.Fatal(err)
	}
	header = slices.Sorted(slices.Values(table.Columns))
	for _, row := range table.Rows {
		ordered := make([]string, len(header))
		for i, name := range header {
			ordered[i] = row[slices.Index(table.Columns, name)]
		}
		rows = append(rows, ordered)
	}
	return header, rows
}

func TestEveryFormatHoldsTheSameRows(t *testing.T) {
	e := collected(t)
	dir, _ := writeExport(t, e)
	for _, table := range tablesOf(e.Study) {
		moments := map[string]bool{}
		for _, c := range table.Columns {
			moments[c.Name] = c.Kind == kindMoment
		}
		header, want := cells(t, filepath.Join(dir, table.Name+".csv"))
		if table.Name == "draws" { // the small study draws nothing
			continue
		}
		if len(want) == 0 {
			t.Errorf("%s is empty", table.Name)
		}
		for _, format := range []string{".jsonl", ".parquet"} {
			names, got := cells(t, filepath.Join(dir, table.Name+format))
			if !slices.Equal(names, header) || len(got) != len(want) {
				t.Fatalf("%s%s: %d rows of %v, want %d of %v", table.Name, format, len(got), names, len(want), header)
			}
			for i := range got {
				for c, name := range header {
					cell := got[i][c]
					if ms, err := strconv.ParseInt(cell, 10, 64); err == nil && moments[name] {
						cell = momentText(time.UnixMilli(ms))
					}
					if cell != want[i][c] {
						t.Errorf("%s%s, row %d, %s: %q, in CSV %q", table.Name, format, i, name, cell, want[i][c])
					}
				}
			}
		}
	}
}

func TestParquetColumnsKeepTheirOrder(t *testing.T) {
	e := collected(t)
	dir, _ := writeExport(t, e)
	table, err := dataset.ReadTable("ratings.parquet", contents(t, filepath.Join(dir, "ratings.parquet")))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, c := range ratingColumns(e.Study) {
		want = append(want, c.Name)
	}
	if !slices.Equal(table.Columns, want) {
		t.Errorf("got  %v\nwant %v", table.Columns, want)
	}
}

func TestExportedRatingsCanBeScored(t *testing.T) {
	dir, _ := writeExport(t, collected(t))
	for _, name := range []string{"ratings.csv", "ratings.jsonl", "ratings.parquet"} {
		r, err := votes.ReadRatings(name, contents(t, filepath.Join(dir, name)), votes.DefaultGroupColumn)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if len(r.Rows) != 5 || r.Rows[0].Participant != "amber" || r.Rows[0].Value != 2 || r.Rows[0].Group != "1" {
			t.Errorf("%s: %+v", name, r.Rows)
		}
	}
}

func TestManifestAgreesWithTheFiles(t *testing.T) {
	dir, m := writeExport(t, collected(t))
	var written Manifest
	if err := json.Unmarshal(contents(t, filepath.Join(dir, "manifest.json")), &written); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(written) != fmt.Sprint(m) {
		t.Errorf("written %+v\nreturned %+v", written, m)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(m.Files)+1 {
		t.Errorf("%d files, %d in the manifest", len(entries), len(m.Files))
	}
	rows := map[string]int{}
	for _, f := range m.Files {
		content := contents(t, filepath.Join(dir, f.Name))
		sum := sha256.Sum256(content)
		if int64(len(content)) != f.Bytes || hex.EncodeToString(sum[:]) != f.SHA256 {
			t.Errorf("%s differs from its entry", f.Name)
		}
		rows[f.Name] = f.Rows
	}
	people, virtual := m.Counts.People, m.Counts.Virtual
	if people.Submissions != 3 || people.Status["completed"] != 1 || people.Status["in_progress"] != 1 || people.Status["no_consent"] != 1 ||
		people.Views != 3 || people.Ratings != 5 || people.Votes != 2 || people.Skipped != 1 {
		t.Errorf("people %+v", people)
	}
	if virtual.Submissions != 1 || virtual.Status["left"] != 1 || m.Counts.Statements != 4 {
		t.Errorf("virtual %+v, %d statements", virtual, m.Counts.Statements)
	}
	if rows["ratings.csv"] != people.Ratings || rows["participants.jsonl"] != 4 || rows["votes.parquet"] != people.Votes+people.Skipped || rows["answers.csv"] != 20 {
		t.Errorf("rows %v", rows)
	}
}

func TestOnlySpreadsheetFilesAreAltered(t *testing.T) {
	altered := []string{" =1", "=HYPERLINK(\"http://x\",\"y\")", "+1", "-2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "=1+1",
		"007", "1.50", "1e5", "1,5", "18446744073709551615", "3/4", "1-2", "2026-03-01", "12:30", "50 %", "€ 5", "5 May", "March 1", "Mar-01", "TRUE", "false", " 12", "1'000", "10 am"}
	kept := []string{"a\n\nb", "plain", "", "12", "0", "3 reasons", "may be", "Yes, \"maybe\", no", "m1", "👍🏽 e\u0301", "שלום", "a\tb"}
	for i, text := range append(slices.Clone(altered), kept...) {
		columns := []column{{Name: "=1+1", Kind: kindText}, {Name: "n", Kind: kindInteger}}
		for _, safe := range []bool{false, true} {
			var b bytes.Buffer
			w, err := newCSVWriter(&b, columns, safe)
			if err == nil {
				err = w.write([]any{text, -2})
			}
			if err == nil {
				err = w.close()
			}
			if err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(b.Bytes(), dataset.UTF8Mark))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			prefix, header := "", "=1+1"
			if safe {
				header = "'=1+1"
				if i < len(altered) {
					prefix = "'"
				}
			}
			want := prefix + text
			if safe {
				want = strings.ReplaceAll(want, "\t", " ")
			}
			if rows[0][0] != header || rows[1][0] != want || rows[1][1] != "-2" {
				t.Errorf("%q, safe %v: %q", text, safe, rows)
			}
		}
	}
}

// nastyText makes texts of what trips readers and writers.
func nastyText(rng *rand.Rand) string {
	pieces := []string{",", "\"", "\n", "\r", "\t", "=", "+", "-", "@", "'", ";", "a", "0", ".", " ", "\u00a0", "\u2028", "\ufeff", "é", "e\u0301", "👩‍👩‍👧‍👦", "🇺🇳",
		"שלום", "\u202eabc\u202c", "中", "\\", "\\n", "null", "NULL", "NaN", "\x01", "\x7f", "<b>", "&amp;", "\U0010ffff", "\ufffd"}
	var b strings.Builder
	for range rng.IntN(12) {
		b.WriteString(pieces[rng.IntN(len(pieces))])
	}
	return b.String()
}

func TestAnyTextComesBackFromEveryFormat(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	table := table{Name: "t", Columns: []column{{Name: "n", Kind: kindInteger}, {Name: "text", Kind: kindText}, {Name: nastyText(rng) + "x", Kind: kindText}}}
	var want [][2]string
	var lossless, lines, blocks bytes.Buffer
	c, err := newCSVWriter(&lossless, table.Columns, false)
	if err != nil {
		t.Fatal(err)
	}
	writers := []rowWriter{c, newJSONLWriter(&lines, table.Columns), newParquetWriter(&blocks, table)}
	for n := range 2000 {
		texts := [2]string{nastyText(rng), nastyText(rng)}
		want = append(want, texts)
		for _, w := range writers {
			if err := w.write([]any{n, texts[0], texts[1]}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, w := range writers {
		if err := w.close(); err != nil {
			t.Fatal(err)
		}
	}
	// This reader takes CR LF within a cell for LF; others, such as Python's, do not.
	rows, err := csv.NewReader(&lossless).ReadAll()
	if err != nil || len(rows) != len(want)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, texts := range want {
		for k, text := range texts {
			if got := rows[i+1][k+1]; got != strings.ReplaceAll(text, "\r\n", "\n") {
				t.Fatalf("CSV row %d: %q, want %q", i, got, text)
			}
		}
	}
	for i, line := range bytes.Split(bytes.TrimSpace(lines.Bytes()), []byte("\n")) {
		var row map[string]any
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if row["text"] != want[i][0] || row[table.Columns[2].Name] != want[i][1] {
			t.Fatalf("JSON lines row %d: %q, want %q", i, row, want[i])
		}
	}
	read, err := dataset.ReadTable("t.parquet", blocks.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	text, other := slices.Index(read.Columns, "text"), slices.Index(read.Columns, table.Columns[2].Name)
	for i, row := range read.Rows {
		if row[text] != want[i][0] || row[other] != want[i][1] {
			t.Fatalf("Parquet row %d: %q, want %q", i, row, want[i])
		}
	}
	if len(read.Rows) != len(want) {
		t.Errorf("%d rows in Parquet", len(read.Rows))
	}
}

func TestAnArchiveHoldsWhatAFolderHolds(t *testing.T) {
	everything := func() *Data {
		e := collected(t)
		e.Formats = []Format{CSV, JSONL, Parquet, Polis, OvertonBench}
		return e
	}
	dir, want := writeExport(t, everything())
	var b bytes.Buffer
	m, err := everything().WriteZip(&b, "mine")
	if err != nil || fmt.Sprint(m) != fmt.Sprint(want) {
		t.Fatalf("%v: %+v, want %+v", err, m, want)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if last := z.File[len(z.File)-1].Name; last != "mine/manifest.json" || len(z.File) != len(m.Files)+1 {
		t.Errorf("%d files for %d in the manifest, the last is %s", len(z.File), len(m.Files), last)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if !bytes.Equal(got, contents(t, filepath.Join(dir, strings.TrimPrefix(f.Name, "mine/")))) {
			t.Errorf("%s differs in the archive", f.Name)
		}
	}
}

func TestABrokenArchiveIsNotTakenForWhole(t *testing.T) {
	e := collected(t)
	records := e.Records
	passes := 0
	e.Records = func(each func(study.Record) error) error {
		if passes++; passes == 4 {
			return errors.New("the disk is gone")
		}
		return records(each)
	}
	var b bytes.Buffer
	if _, err := e.WriteZip(&b, "mine"); err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Fatalf("got %v", err)
	}
	if b.Len() == 0 {
		t.Error("nothing was sent before the fault, so this test shows nothing")
	}
	if _, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len())); err == nil {
		t.Error("the broken archive opens")
	}
	// The reader goes away.
	if _, err := collected(t).WriteZip(&closedPipe{left: 3000}, "mine"); err == nil || !strings.Contains(err.Error(), "closed pipe") {
		t.Errorf("got %v", err)
	}
}

// closedPipe takes so many bytes.
type closedPipe struct{ left int }

func (p *closedPipe) Write(b []byte) (int, error) {
	if p.left -= len(b); p.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}

func TestTheOvertonBenchLayoutHasThePublishedColumns(t *testing.T) {
	e := collected(t)
	e.Formats = []Format{OvertonBench}
	dir, _ := writeExport(t, e)
	for _, name := range []string{"overtonbench.csv", "overtonbench.parquet"} {
		table, err := dataset.ReadTable(name, contents(t, filepath.Join(dir, "overtonbench", name)))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"user", "question_id", "question", "model", "llm_response", "freeresponse", "representation_rating", "selection_text", "selection_position",
			"Age", "Sex", "Ethnicity simplified", "U.s. political affiliation", "votes", "cluster_kmeans"}
		if !slices.Equal(table.Columns, want) {
			t.Errorf("%s has %q", name, table.Columns)
		}
		if len(table.Rows) != 4 { // two questions of the one who finished
			t.Fatalf("%s: %d rows", name, len(table.Rows))
		}
		cell := func(column string) string { return table.Rows[0][slices.Index(table.Columns, column)] }
		for column, want := range map[string]string{"user": "amber", "question_id": "2", "model": "m2", "representation_rating": "2", "freeresponse": "=1+1, she said:\n\"no\"",
			"Age": "DATA_EXPIRED", "Sex": "Female", "U.s. political affiliation": "Independent", "votes": `{"7":"agree"}`, "cluster_kmeans": "1"} {
			if got := cell(column); got != want {
				t.Errorf("%s: %s is %q, want %q", name, column, got, want)
			}
		}
		if ratings, err := votes.ReadRatings(name, contents(t, filepath.Join(dir, "overtonbench", name)), votes.DefaultGroupColumn); err != nil || len(ratings.Rows) != 4 {
			t.Errorf("%s cannot be scored: %v", name, err)
		}
	}
}

func TestAFailedExportLeavesNothing(t *testing.T) {
	e := collected(t)
	e.Records = func(func(study.Record) error) error { return errors.New("the disk is gone") }
	parent := t.TempDir()
	if _, err := e.WriteFolder(filepath.Join(parent, "out")); err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(parent); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestExportDoesNotOverwrite(t *testing.T) {
	e := collected(t)
	dir, _ := writeExport(t, e)
	if _, err := e.WriteFolder(dir); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("got %v", err)
	}
	e.Formats = []Format{"xls"}
	if _, err := e.WriteFolder(dir + "2"); err == nil || !strings.Contains(err.Error(), "expected csv, jsonl, parquet, polis or overtonbench") {
		t.Errorf("got %v", err)
	}
}

func TestTheSameDataGiveTheSameBytes(t *testing.T) {
	one, _ := writeExport(t, collected(t))
	two, _ := writeExport(t, collected(t))
	a, b := contents(t, filepath.Join(one, "manifest.json")), contents(t, filepath.Join(two, "manifest.json"))
	if !bytes.Equal(a, b) {
		t.Errorf("two manifests\n%s\n%s", a, b)
	}
}

func TestEveryExportedColumnIsExplained(t *testing.T) {
	for _, table := range tablesOf(collected(t).Study) {
		seen := map[string]bool{}
		for _, c := range table.Columns {
			if c.Name == "" || c.Meaning == "" || c.value == nil || seen[c.Name] {
				t.Errorf("%s.%s: has no meaning or value, or is there twice", table.Name, c.Name)
			}
			seen[c.Name] = true
		}
	}
}

// The documented dictionary is the one of a study with demographics, such as
// the example. Write it again with: go test ./internal/dataset/export -run Dictionary -update
func TestTheDocumentedDictionaryIsFresh(t *testing.T) {
	s, err := studyfile.Read(studyfile.Example())
	if err != nil {
		t.Fatal(err)
	}
	const path = "../../../docs/data-dictionary.md"
	got := dictionaryMarkdown(tablesOf(s))
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got, contents(t, path)) {
		t.Errorf("%s is stale; run this test with -update", path)
	}
}

// BenchmarkExport exports people who answered as the first one did.
func BenchmarkExport(b *testing.B) {
	e := collected(b)
	var first study.Record
	stop := errors.New("one is enough")
	if err := e.Records(func(r study.Record) error { first = r; return stop }); err != stop {
		b.Fatal(err)
	}
	for _, people := range []int{1_000, 10_000, 40_000} {
		e.Records = func(each func(study.Record) error) error {
			for i := range people {
				r := first
				r.Pseudonym = strconv.Itoa(i)
				if err := each(r); err != nil {
					return err
				}
			}
			return nil
		}
		b.Run(strconv.Itoa(people), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.WriteFolder(filepath.Join(b.TempDir(), "out")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestOnlyItsOwnerReadsAnExport(t *testing.T) {
	t.Parallel()
	dir, _ := writeExport(t, collected(t))
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at, err := d.Info()
		if err == nil && at.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %o", path, at.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNoTimeIsNegative(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	if got := seconds(began, began.Add(-time.Minute)); got != 0.0 {
		t.Errorf("after the clock went back: %v seconds", got)
	}
}
