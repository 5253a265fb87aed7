package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing in a file that cannot stand.
type Fault struct {
	File    string
	Line    int    // physical line of a text file from 1, row of a Parquet file; 0: the file as a whole
	Column  string // column of a table, or key of study.yaml such as flow[2].overton.seeds
	Value   string // what stands there, where it helps
	Message string // what is wrong with it and what was expected
}

func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	b.WriteString(": ")
	if f.Column != "" {
		b.WriteString(f.Column + " ")
	}
	if f.Value != "" {
		fmt.Fprintf(&b, "%q ", Shorten(f.Value, 60))
	}
	b.WriteString(f.Message)
	return b.String()
}

// Faults is everything wrong with a set of files, by file and line. As an
// error it tells the first 20 and counts the rest.
type Faults []Fault

const mostFaults = 20

func (fs Faults) Error() string {
	var b strings.Builder
	for i, f := range fs {
		if i == mostFaults {
			fmt.Fprintf(&b, "\nand %d more", len(fs)-mostFaults)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.Error())
	}
	return b.String()
}

// Ordered sorts faults by file and line.
func (fs Faults) Ordered() Faults {
	slices.SortStableFunc(fs, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return fs
}

// OrNil returns nil for no faults, so that the result is a nil error.
func (fs Faults) OrNil() error {
	if len(fs) == 0 {
		return nil
	}
	return fs.Ordered()
}

// Shorten cuts a text to n characters for a message.
func Shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// Near finds the name that a mistyped one most likely means, or "".
func Near(typed string, names []string) string {
	best, distance := "", 0
	for _, name := range names {
		a, b := fold(typed), fold(name)
		d := edits(a, b)
		if allowed := min(2, len(b)/3); d <= allowed && (best == "" || d < distance) {
			best, distance = name, d
		}
	}
	return best
}

// fold drops what people vary without meaning to: case, blanks, punctuation.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127:
			return r
		}
		return -1
	}, s)
}

// edits is the Levenshtein distance of two strings, in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
