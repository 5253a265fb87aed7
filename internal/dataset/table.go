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
}

// ReadTable reads CSV with a header line, JSONL (one object a line) or
// Parquet; the content tells which. Nested values of JSONL are kept as JSON
// text, repeated values of Parquet joined by semicolons.
func ReadTable(file string, content []byte) (*Table, error) {
	content = bytes.TrimPrefix(content, []byte("\uFEFF"))
	switch trimmed := bytes.TrimLeft(content, " \t\r\n"); {
	case len(trimmed) == 0:
		return nil, Fault{File: file, Expected: "a header line and records, found nothing"}
	case bytes.HasPrefix(content, []byte("PAR1")):
		return readParquet(file, content)
	case trimmed[0] == '{':
		return readJSONL(file, content)
	default:
		return readCSV(file, content)
	}
}

func readCSV(file string, content []byte) (*Table, error) {
	r := csv.NewReader(bytes.NewReader(content))
	header, err := r.Read()
	if err != nil {
		return nil, csvFault(file, err)
	}
	t := &Table{File: file, Columns: header}
	for i, name := range header {
		if at := slices.Index(header, name); at != i {
			return nil, Fault{file, 1, name, name, fmt.Sprintf("each column name once, columns %d and %d are both %s", at+1, i+1, name)}
		}
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, csvFault(file, err)
		}
		line, _ := r.FieldPos(0)
		t.Rows, t.Lines = append(t.Rows, row), append(t.Lines, line)
	}
}

// csvFault says in our words what encoding/csv found.
func csvFault(file string, err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	expected := "text in CSV form: " + parse.Err.Error()
	if errors.Is(parse.Err, csv.ErrFieldCount) {
		expected = "as many fields as the header line has"
	}
	return Fault{File: file, Line: parse.StartLine, Expected: expected}
}

// longestLine bounds one line of JSONL.
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
			return nil, Fault{File: file, Line: n, Expected: "one JSON object: " + err.Error()}
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
			t, err = nil, Fault{File: file, Expected: fmt.Sprintf("a whole Parquet file: %v", p)}
		}
	}()
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, Fault{File: file, Expected: "a whole Parquet file: " + err.Error()}
	}
	t = &Table{File: file}
	for _, path := range f.Schema().Columns() {
		t.Columns = append(t.Columns, strings.Join(path, "."))
	}
	for _, group := range f.RowGroups() {
		if err := t.readRowGroup(group); err != nil {
			return nil, Fault{File: file, Line: len(t.Rows) + 1, Expected: "a whole Parquet file: " + err.Error()}
		}
	}
	return t, nil
}

func (t *Table) readRowGroup(group parquet.RowGroup) error {
	rows := group.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, 256)
	for {
		n, err := rows.ReadRows(buffer)
		for _, values := range buffer[:n] {
			row := make([]string, len(t.Columns))
			for _, v := range values {
				text := parquetText(v)
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
		return floatText(v.Double())
	case v.Kind() == parquet.Float:
		return floatText(float64(v.Float()))
	}
	return v.String()
}

func floatText(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// column finds columns by exact name; absent ones are faults.
func (t *Table) columnsNamed(names ...string) ([]int, error) {
	var faults Faults
	at := make([]int, len(names))
	for i, name := range names {
		if at[i] = slices.Index(t.Columns, name); at[i] < 0 {
			faults = append(faults, Fault{File: t.File, Line: 1, Expected: fmt.Sprintf("a column %s; there are %s", name, strings.Join(t.Columns, ", "))})
		}
	}
	return at, faults.orNil()
}

// fault is something wrong in one cell.
func (t *Table) fault(row, column int, expected string) Fault {
	return Fault{t.File, t.Lines[row], t.Columns[column], t.Rows[row][column], expected}
}
