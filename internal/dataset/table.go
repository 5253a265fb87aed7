package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Table is a file of records as text, whatever its format was. A missing or
// null cell is "".
type Table struct {
	File    string // name for messages
	Columns []string
	Rows    [][]string // one cell for each column
	Lines   []int      // where each row began: line of a text file, row of a Parquet file

	cellLines map[int][]int // where each cell began, for rows of more than one line
}

// Bounds of a table, whatever its format: of its columns, and of its cells,
// where each row counts as rowCells more.
const (
	maxColumns = 4096
	maxCells   = 20_000_000
	rowCells   = 4
)

var errLarge = fmt.Errorf("is too large; expected at most %d columns, %d million cells and %d MB once unpacked",
	maxColumns, maxCells/1_000_000, maxUnpacked>>20)

// ReadTable reads CSV with a header line, JSONL (one object a line) or
// Parquet; the content tells which. Nested values of JSONL are kept as JSON
// text, repeated values of Parquet joined by semicolons.
func ReadTable(file string, content []byte) (*Table, error) {
	if bytes.HasPrefix(content, []byte("PAR1")) {
		return readParquet(file, content)
	}
	var faults Faults
	text, ok := PlainText(file, content, &faults)
	if !ok {
		return nil, faults
	}
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		return readJSONL(file, text)
	} else if len(trimmed) > 0 && trimmed[0] == '[' {
		return nil, Fault{File: file, Message: "is one JSON array; expected JSONL, an object on each line"}
	}
	t := readCSV(file, text, &faults)
	if len(faults) > 0 {
		return nil, faults.Ordered()
	}
	return t, nil
}

// readCSV splits CSV (RFC 4180, CR LF or LF) into a table. What is wrong goes
// to faults; nil where the rows cannot be trusted. A row with another number of
// cells than the header is a fault and stays as it is. Rows whose cells are all
// empty, which spreadsheets leave behind, are skipped.
func readCSV(file string, text []byte, faults *Faults) *Table {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	t := &Table{File: file}
	broken := false
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			*faults = append(*faults, quotingFault(file, err))
			broken = true
			continue
		}
		if t.Columns == nil {
			t.Columns = row
			broken = !checkHeader(file, row, faults)
			continue
		}
		if !slices.ContainsFunc(row, func(cell string) bool { return cell != "" }) {
			continue
		}
		line, _ := r.FieldPos(0)
		if len(row) != len(t.Columns) {
			*faults = append(*faults, Fault{File: file, Line: line, Message: fmt.Sprintf(
				"has %d cells; expected %d as in the header (%s); a text with commas or line breaks needs quotes around it",
				len(row), len(t.Columns), strings.Join(t.Columns, ", "))})
		}
		t.Rows, t.Lines = append(t.Rows, row), append(t.Lines, line)
		if last, _ := r.FieldPos(len(row) - 1); last != line {
			if t.cellLines == nil {
				t.cellLines = map[int][]int{}
			}
			lines := make([]int, len(row))
			for i := range row {
				lines[i], _ = r.FieldPos(i)
			}
			t.cellLines[len(t.Rows)-1] = lines
		}
	}
	if broken {
		return nil
	}
	if t.Columns == nil {
		*faults = append(*faults, Fault{File: file, Message: "is empty; expected a header and rows"})
		return nil
	}
	return t
}

// checkHeader sees that every column has a name of its own.
func checkHeader(file string, header []string, faults *Faults) bool {
	before := len(*faults)
	for i, name := range header {
		f := Fault{File: file, Line: 1, Column: name}
		if strings.TrimSpace(name) == "" {
			f.Column, f.Message = "", fmt.Sprintf("has no name for column %d; expected one in the header", i+1)
		} else if first := slices.Index(header, name); first < i {
			f.Message = fmt.Sprintf("is the name of columns %d and %d; expected each name once", first+1, i+1)
		} else {
			continue
		}
		*faults = append(*faults, f)
	}
	return len(*faults) == before
}

// quotingFault says why a record cannot be split.
func quotingFault(file string, err error) Fault {
	f := Fault{File: file, Message: "cannot be read: " + err.Error()}
	var at *csv.ParseError
	if errors.As(err, &at) {
		f.Line = at.Line
		switch {
		case errors.Is(at.Err, csv.ErrBareQuote):
			f.Message = `has a quote inside a cell that does not start with one; expected the whole cell in quotes, and the inner quote doubled ("")`
		case errors.Is(at.Err, csv.ErrQuote):
			f.Line = at.StartLine
			f.Message = `starts a row with a quoted cell that is not closed well; expected a quote at its end, and quotes inside it doubled ("")`
		}
	}
	return f
}

// longestLine limits one line of JSONL.
const longestLine = 64 << 20

func readJSONL(file string, content []byte) (*Table, error) {
	t := &Table{File: file}
	at := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, longestLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var record map[string]json.RawMessage
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			return nil, Fault{File: file, Line: n, Message: "is not one JSON object: " + err.Error()}
		}
		names := make([]string, 0, len(record))
		for name := range record {
			names = append(names, name)
		}
		slices.Sort(names)
		row := make([]string, len(t.Columns), len(t.Columns)+len(names))
		for _, name := range names {
			if _, ok := at[name]; !ok {
				at[name] = len(t.Columns)
				t.Columns = append(t.Columns, name)
				row = append(row, "")
			}
			row[at[name]] = jsonText(record[name])
		}
		t.Rows, t.Lines = append(t.Rows, row), append(t.Lines, n)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	for i, row := range t.Rows {
		t.Rows[i] = append(row, make([]string, len(t.Columns)-len(row))...)
	}
	return t, nil
}

// jsonText is a JSON value as a cell.
func jsonText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil { // also null, as ""
		return s
	}
	return string(raw)
}

func readParquet(file string, content []byte) (t *Table, err error) {
	// The library panics on some damaged files.
	defer func() {
		if p := recover(); p != nil {
			t, err = nil, Fault{File: file, Message: fmt.Sprintf("is not a complete Parquet file: %v", p)}
		}
	}()
	if err := checkFooter(content); err != nil {
		return nil, Fault{File: file, Message: "is not a complete Parquet file: " + err.Error()}
	}
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)),
		parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, Fault{File: file, Message: "is not a complete Parquet file: " + err.Error()}
	}
	t = &Table{File: file}
	for _, path := range f.Schema().Columns() {
		t.Columns = append(t.Columns, strings.Join(path, "."))
	}
	if len(t.Columns) > maxColumns || f.NumRows() > maxCells/int64(len(t.Columns)+rowCells) {
		return nil, Fault{File: file, Message: errLarge.Error()}
	}
	if err := checkPages(content, f); errors.Is(err, errLarge) {
		return nil, Fault{File: file, Message: err.Error()}
	} else if err != nil {
		return nil, Fault{File: file, Message: "is not a complete Parquet file: " + err.Error()}
	}
	left := maxUnpacked
	for _, group := range f.RowGroups() {
		if err := t.readRowGroup(group, &left); errors.Is(err, errLarge) {
			return nil, Fault{File: file, Message: err.Error()}
		} else if err != nil {
			return nil, Fault{File: file, Line: len(t.Rows) + 1, Message: "is not a complete Parquet file: " + err.Error()}
		}
	}
	return t, nil
}

// readRowGroup adds rows; left is how many bytes of text they may still have.
func (t *Table) readRowGroup(group parquet.RowGroup, left *int) error {
	rows := group.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, 256)
	for {
		n, err := rows.ReadRows(buffer)
		for _, values := range buffer[:n] {
			row := make([]string, len(t.Columns))
			for _, v := range values {
				text := parquetText(v)
				if *left -= len(text) + len(row[v.Column()]); *left < 0 { // joining copies what is there
					return errLarge
				}
				if cell := &row[v.Column()]; *cell != "" && text != "" {
					*cell += ";" + text
				} else {
					*cell += text
				}
			}
			t.Rows, t.Lines = append(t.Rows, row), append(t.Lines, len(t.Rows)+1)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// parquetText is a Parquet value as a cell. Data frames store a missing
// number as NaN, which is missing here too.
func parquetText(v parquet.Value) string {
	switch {
	case v.IsNull():
		return ""
	case v.Kind() == parquet.Double:
		return FloatText(v.Double())
	case v.Kind() == parquet.Float:
		return FloatText(float64(v.Float()))
	}
	return v.String()
}

func FloatText(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// ColumnsNamed finds columns by exact name; absent ones are faults, which name
// the column that was most likely meant.
func (t *Table) ColumnsNamed(names ...string) ([]int, error) {
	var faults Faults
	at := make([]int, len(names))
	var others []string
	for _, name := range t.Columns {
		if !slices.Contains(names, name) {
			others = append(others, name)
		}
	}
	for i, name := range names {
		if at[i] = slices.Index(t.Columns, name); at[i] >= 0 {
			continue
		}
		if f, ok := t.wrongSeparator(); ok {
			return nil, f
		}
		message := "is missing; the columns are " + strings.Join(t.Columns, ", ")
		if meant := Near(name, others); meant != "" {
			message = fmt.Sprintf("is missing; is the column %q meant?", meant)
		}
		faults = append(faults, Fault{File: t.File, Line: 1, Column: name, Message: message})
	}
	return at, faults.OrNil()
}

// wrongSeparator says what separates the cells of a file that was read as a
// single column.
func (t *Table) wrongSeparator() (Fault, bool) {
	if len(t.Columns) == 1 {
		for _, separator := range []struct{ mark, name string }{{";", "semicolons"}, {"\t", "tabs"}} {
			if strings.Contains(t.Columns[0], separator.mark) {
				return Fault{File: t.File, Line: 1, Message: "is separated by " + separator.name +
					"; expected commas (in a spreadsheet program, choose the comma when saving as CSV)"}, true
			}
		}
	}
	return Fault{}, false
}

// line is where a cell began; column -1, or one that the row does not have,
// stands for the row.
func (t *Table) line(row, column int) int {
	if lines := t.cellLines[row]; 0 <= column && column < len(lines) {
		return lines[column]
	}
	return t.Lines[row]
}

// Fault is something wrong in one cell.
func (t *Table) Fault(row, column int, message string) Fault {
	return Fault{t.File, t.line(row, column), t.Columns[column], t.Rows[row][column], message}
}

// WriteCSV writes rows, the header first.
func WriteCSV(rows [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.WriteAll(rows) // into memory, with the separator that cannot fail
	return b.Bytes()
}
