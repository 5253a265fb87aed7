package dataset

import (
	"fmt"
	"strings"
)

// column is one that a sheet may have.
type column struct {
	name     string
	required bool
}

// sheet is a CSV file that an admin wrote, with the known columns located. Its readers add everything wrong
// to faults and continue.
type sheet struct {
	*Table
	faults *Faults
	known  map[string]int // index of each known column that is there
	extra  map[string]int // of every other column
}

// readSheet reads a CSV file. ok is false if its rows cannot be trusted; then faults has only the causes.
func readSheet(name string, content []byte, columns []column, faults *Faults) (s sheet, ok bool) {
	text, ok := plainText(name, content, faults)
	if !ok {
		return s, false
	}
	s = sheet{readCSV(name, text, faults), faults, map[string]int{}, map[string]int{}}
	if s.Table == nil || !s.bind(columns) {
		return s, false
	}
	if len(s.Rows) == 0 {
		*faults = append(*faults, Fault{File: name, Message: "has a header but no rows"})
		return s, false
	}
	return s, true
}

// bind finds the known columns in the header.
func (s *sheet) bind(columns []column) bool {
	for i, name := range s.Columns {
		s.extra[name] = i
	}
	for _, c := range columns {
		if i, there := s.extra[c.name]; there {
			s.known[c.name] = i
			delete(s.extra, c.name)
		}
	}
	ok := true
	refuse := func(name, message string) {
		*s.faults = append(*s.faults, Fault{File: s.File, Line: 1, Column: name, Message: message})
		ok = false
	}
	if len(s.known) == 0 {
		if f, wrong := s.wrongSeparator(); wrong {
			*s.faults = append(*s.faults, f)
			return false
		}
	}
	for _, c := range columns {
		if _, there := s.known[c.name]; there {
			continue
		}
		if typed := s.meant(c, columns); typed != "" {
			refuse(typed, fmt.Sprintf("is not a known column; did you mean %q?", c.name))
		} else if c.required {
			refuse(c.name, "is missing; the columns are "+strings.Join(s.Columns, ", "))
		}
	}
	return ok
}

// meant is the unknown column that was most likely meant as c. For a required column, a name that contains
// the other is similar enough.
func (s *sheet) meant(c column, columns []column) string {
	for _, name := range s.Columns {
		if _, unknown := s.extra[name]; unknown && near(name, names(columns)) == c.name {
			return name
		}
	}
	for _, name := range s.Columns {
		typed := fold(name)
		if _, unknown := s.extra[name]; unknown && c.required && len(typed) > 1 && near(name, names(columns)) == "" &&
			(strings.Contains(typed, fold(c.name)) || strings.Contains(fold(c.name), typed)) {
			return name
		}
	}
	return ""
}

func names(columns []column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name
	}
	return list
}

// cell is a row's value in a known column; "" where the file has no such
// column or the row ends before it.
func (s *sheet) cell(row int, name string) string {
	if i, there := s.known[name]; there && i < len(s.Rows[row]) {
		return s.Rows[row][i]
	}
	return ""
}

// ragged says whether a row has a different number of cells than the header, which is already a fault.
func (s *sheet) ragged(row int) bool { return len(s.Rows[row]) != len(s.Columns) }

// lineOf is where a row's cell begins, or the row itself.
func (s *sheet) lineOf(row int, name string) int {
	if i, there := s.known[name]; there {
		return s.line(row, i)
	}
	return s.Lines[row]
}

// others are a row's cells outside the known columns, untouched; nil if the
// file has no such columns.
func (s *sheet) others(row int) map[string]string {
	if len(s.extra) == 0 {
		return nil
	}
	others := make(map[string]string, len(s.extra))
	for name, i := range s.extra {
		if i < len(s.Rows[row]) {
			others[name] = s.Rows[row][i]
		}
	}
	return others
}

// refuse notes what is wrong with a cell.
func (s *sheet) refuse(row int, name, value, format string, args ...any) {
	*s.faults = append(*s.faults, Fault{s.File, s.lineOf(row, name), name, value, fmt.Sprintf(format, args...)})
}

// id reads a cell that names something. It may not be empty or have spaces around it, which nobody sees and
// which break joins.
func (s *sheet) id(row int, name, expected string) (string, bool) {
	id := s.cell(row, name)
	switch trimmed := strings.TrimSpace(id); {
	case trimmed == "":
		if !s.ragged(row) {
			s.refuse(row, name, "", "is empty; expected %s", expected)
		}
		return "", false
	case trimmed != id:
		s.refuse(row, name, id, "has spaces around it; expected %q", trimmed)
		return trimmed, false
	}
	return id, true
}

// text reads a small file.
func (s *sheet) text(row int, name, expected string) string {
	text := s.cell(row, name)
	if strings.TrimSpace(text) == "" && !s.ragged(row) {
		s.refuse(row, name, text, "is empty; expected %s", expected)
	}
	return text
}
