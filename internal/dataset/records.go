package dataset

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// records reads CSV row by row as encoding/csv does. Files of votes are long
// and hardly ever quoted: up to the first quotation mark lines are split at
// their commas, in a third of the time, and from there on encoding/csv reads.
type records struct {
	source io.Reader
	text   string // read and not yet split
	ended  bool   // source has no more
	lines  int    // physical lines split so far
	fields int    // in the first record, which the others must match; -1: any number
	row    []string
	quoted *csv.Reader // reads the rest; nil before the first quotation mark
}

func newRecords(r io.Reader) *records { return &records{source: r} }

// loosen allows rows of any length and quotation marks anywhere.
func (r *records) loosen() {
	r.fields = -1
	if r.quoted != nil {
		r.quoted.FieldsPerRecord, r.quoted.LazyQuotes = -1, true
	}
}

// line is the physical line on which the last row began, from 1.
func (r *records) line() int {
	if r.quoted == nil {
		return r.lines
	}
	line, _ := r.quoted.FieldPos(0)
	return r.lines + line
}

// next returns a row, which is good until the next call, or io.EOF.
func (r *records) next() ([]string, error) {
	for r.quoted == nil {
		end := strings.IndexByte(r.text, '\n')
		for searched := len(r.text); end < 0 && !r.ended; searched = len(r.text) {
			if err := r.fill(); err != nil {
				return nil, err
			}
			if end = strings.IndexByte(r.text[searched:], '\n'); end >= 0 {
				end += searched
			}
		}
		line, rest := r.text, ""
		if end >= 0 {
			line, rest = r.text[:end], r.text[end+1:]
		}
		if strings.IndexByte(line, '"') >= 0 {
			r.quoted = csv.NewReader(io.MultiReader(strings.NewReader(r.text), r.source))
			r.quoted.ReuseRecord = true
			r.quoted.FieldsPerRecord, r.quoted.LazyQuotes = r.fields, r.fields < 0
			break
		}
		if end < 0 && line == "" {
			return nil, io.EOF
		}
		r.text = rest
		r.lines++
		if line = strings.TrimSuffix(line, "\r"); line == "" {
			continue
		}
		r.split(line)
		if r.fields == 0 {
			r.fields = len(r.row)
		}
		if r.fields > 0 && r.fields != len(r.row) {
			return nil, &csv.ParseError{StartLine: r.lines, Line: r.lines, Column: 1, Err: csv.ErrFieldCount}
		}
		return r.row, nil
	}
	row, err := r.quoted.Read()
	var fault *csv.ParseError
	if errors.As(err, &fault) {
		fault.StartLine += r.lines
		fault.Line += r.lines
	}
	return row, err
}

// split splits a line at its commas.
func (r *records) split(line string) {
	r.row = r.row[:0]
	for {
		at := 0
		for at < len(line) && line[at] != ',' { // fields are short
			at++
		}
		r.row = append(r.row, line[:at])
		if at == len(line) {
			return
		}
		line = line[at+1:]
	}
}

// fill makes the records and statements.
func (r *records) fill() error {
	more := make([]byte, max(1<<16, len(r.text)))
	n, err := io.ReadFull(r.source, more)
	switch {
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		r.ended = true
	case err != nil:
		return err
	}
	r.text += string(more[:n])
	return nil
}
