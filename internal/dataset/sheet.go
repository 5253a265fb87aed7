package dataset

import (
	"fmt"
	"strings"
)

// Column is the name of a column that a sheet must have, or may have where it
// ends in a question mark.
type Column string

func (c Column) name() string   { return strings.TrimSuffix(string(c), "?") }
func (c Column) required() bool { return !strings.HasSuffix(string(c), "?") }

// Sheet is a CSV file that an admin wrote, with the columns we know found in
// it. Whoever reads it notes all that is wrong in faults and goes on.
type Sheet struct {
	*Table
	Faults *Faults
	known  map[string]int // index of each known column that is there
	Extra  map[string]int // of every other column
}

// ReadSheet reads a CSV file. ok is false where its rows cannot be trusted,
// and then only the causes are in faults.
func ReadSheet(name string, content []byte, columns []Column, faults *Faults) (s Sheet, ok bool) {
	text, ok := PlainText(name, content, faults)
	if !ok {
		return s, false
	}
	s = Sheet{readCSV(name, text, faults), faults, map[string]int{}, map[string]int{}}
	if s.Table == nil || !s.bind(columns) {
		return s, false
	}
	if len(s.Rows) == 0 {
		*faults = append(*faults, Fault{File: name, Message: "has a header and no rows"})
		return s, false
	}
	return s, true
}

// bind finds the known columns in the header.
func (s *Sheet) bind(columns []Column) bool {
	for i, name := range s.Columns {
		s.Extra[name] = i
	}
	for _, c := range columns {
		if i, there := s.Extra[c.name()]; there {
			s.known[c.name()] = i
			delete(s.Extra, c.name())
		}
	}
	ok := true
	refuse := func(name, message string) {
		*s.Faults = append(*s.Faults, Fault{File: s.File, Line: 1, Column: name, Message: message})
		ok = false
	}
	if len(s.known) == 0 {
		if f, wrong := s.wrongSeparator(); wrong {
			*s.Faults = append(*s.Faults, f)
			return false
		}
	}
	for _, c := range columns {
		if _, there := s.known[c.name()]; there {
			continue
		}
		if typed := s.meant(c, columns); typed != "" {
			refuse(typed, fmt.Sprintf("is not a known column; did you mean %q?", c.name()))
		} else if c.required() {
			refuse(c.name(), "is missing; the columns are "+strings.Join(s.Columns, ", "))
		}
	}
	return ok
}

// meant is the unknown column that was most likely meant to be c. For a
// required one a name that holds the other is enough of a likeness.
func (s *Sheet) meant(c Column, columns []Column) string {
	for _, name := range s.Columns {
		if _, unknown := s.Extra[name]; unknown && Near(name, ColumnNames(columns)) == c.name() {
			return name
		}
	}
	for _, name := range s.Columns {
		typed := fold(name)
		if _, unknown := s.Extra[name]; unknown && c.required() && len(typed) > 1 && Near(name, ColumnNames(columns)) == "" &&
			(strings.Contains(typed, fold(c.name())) || strings.Contains(fold(c.name()), typed)) {
			return name
		}
	}
	return ""
}

func ColumnNames(columns []Column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name()
	}
	return list
}

// Cell is a row's value in a known column; "" where the file has no such
// column or the row ends before it.
func (s *Sheet) Cell(row int, name string) string {
	if i, there := s.known[name]; there && i < len(s.Rows[row]) {
		return s.Rows[row][i]
	}
	return ""
}

// Ragged says whether a row has another number of cells than the header,
// which is a fault already.
func (s *Sheet) Ragged(row int) bool { return len(s.Rows[row]) != len(s.Columns) }

// LineOf is where a row's cell begins, or the row itself.
func (s *Sheet) LineOf(row int, name string) int {
	if i, there := s.known[name]; there {
		return s.line(row, i)
	}
	return s.Lines[row]
}

// Others are a row's cells outside the known columns, untouched; nil if the
// file has no such columns.
func (s *Sheet) Others(row int) map[string]string {
	if len(s.Extra) == 0 {
		return nil
	}
	others := make(map[string]string, len(s.Extra))
	for name, i := range s.Extra {
		if i < len(s.Rows[row]) {
			others[name] = s.Rows[row][i]
		}
	}
	return others
}

// Refuse notes what is wrong with a cell.
func (s *Sheet) Refuse(row int, name, value, format string, args ...any) {
	*s.Faults = append(*s.Faults, Fault{s.File, s.LineOf(row, name), name, value, fmt.Sprintf(format, args...)})
}

// ID reads a cell that names something. It may not be empty or have blanks
// around it, which nobody sees and no join forgives.
func (s *Sheet) ID(row int, name, expected string) (string, bool) {
	id := s.Cell(row, name)
	switch trimmed := strings.TrimSpace(id); {
	case trimmed == "":
		if !s.Ragged(row) {
			s.Refuse(row, name, "", "is empty; expected %s", expected)
		}
		return "", false
	case trimmed != id:
		s.Refuse(row, name, id, "has blanks around it; expected %q", trimmed)
		return trimmed, false
	}
	return id, true
}

// Text reads a cell that people will read. It is kept as it is, and may not be blank.
func (s *Sheet) Text(row int, name, expected string) string {
	text := s.Cell(row, name)
	if strings.TrimSpace(text) == "" && !s.Ragged(row) {
		s.Refuse(row, name, text, "is empty; expected %s", expected)
	}
	return text
}
