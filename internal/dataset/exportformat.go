package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/snappy"
)

// Format is a file format of exported tables.
type Format string

const (
	CSV     Format = "csv" // also a second file that is safe to open in a spreadsheet program
	JSONL   Format = "jsonl"
	Parquet Format = "parquet"
)

// rowWriter writes a table row by row in one format.
type rowWriter interface {
	write(values []any) error
	close() error
}

// momentLayout is RFC 3339 with milliseconds.
const momentLayout = "2006-01-02T15:04:05.000Z07:00"

func momentText(t time.Time) string { return t.UTC().Format(momentLayout) }

// csvWriter writes RFC 4180 with LF. What is missing is an empty cell.
type csvWriter struct {
	csv   *csv.Writer
	cells []string
	safe  bool // for a spreadsheet program
}

func newCSVWriter(w io.Writer, columns []Column, safe bool) (*csvWriter, error) {
	if safe {
		// Without the mark, spreadsheet programs take UTF-8 for something else.
		if _, err := w.Write(utf8Mark); err != nil {
			return nil, err
		}
	}
	c := &csvWriter{csv.NewWriter(w), make([]string, len(columns)), safe}
	header := make([]any, len(columns))
	for i, column := range columns {
		header[i] = column.Name
	}
	return c, c.write(header)
}

func (c *csvWriter) write(values []any) error {
	for i, value := range values {
		switch v := value.(type) {
		case nil:
			c.cells[i] = ""
		case string:
			c.cells[i] = v
			if c.safe {
				c.cells[i] = Harmless(v)
			}
		case int:
			c.cells[i] = strconv.Itoa(v)
		case float64:
			c.cells[i] = strconv.FormatFloat(v, 'g', -1, 64)
		case bool:
			c.cells[i] = strconv.FormatBool(v)
		case time.Time:
			c.cells[i] = momentText(v)
		default:
			return fmt.Errorf("a value of type %T", value)
		}
	}
	return c.csv.Write(c.cells)
}

func (c *csvWriter) close() error {
	c.csv.Flush()
	return c.csv.Error()
}

// jsonlWriter writes one JSON object a line, its keys in the columns' order.
type jsonlWriter struct {
	w    *bufio.Writer
	line bytes.Buffer
	json *json.Encoder
	keys []string // quoted, with the colon
}

func newJSONLWriter(w io.Writer, columns []Column) *jsonlWriter {
	j := &jsonlWriter{w: bufio.NewWriter(w)}
	j.json = json.NewEncoder(&j.line)
	j.json.SetEscapeHTML(false)
	for _, column := range columns {
		j.keys = append(j.keys, jsonOf(column.Name)+":")
	}
	return j
}

func (j *jsonlWriter) write(values []any) error {
	j.line.Reset()
	j.line.WriteByte('{')
	for i, value := range values {
		if i > 0 {
			j.line.WriteByte(',')
		}
		j.line.WriteString(j.keys[i])
		if moment, ok := value.(time.Time); ok {
			value = momentText(moment)
		}
		if err := j.json.Encode(value); err != nil {
			return err
		}
		j.line.Truncate(j.line.Len() - 1) // the encoder's line end
	}
	j.line.WriteString("}\n")
	_, err := j.w.Write(j.line.Bytes())
	return err
}

func (j *jsonlWriter) close() error { return j.w.Flush() }

// A Parquet row group is limited in rows and, roughly, in bytes, because it is in memory while it is written.
const (
	parquetRows  = 20_000
	parquetBytes = 2 << 20
	parquetPage  = 64 << 10 // bytes of a column held in memory in addition to the row group
)

// orderedGroup is a Parquet group whose columns keep their order.
type orderedGroup struct {
	parquet.Group
	fields []parquet.Field
}

func (g orderedGroup) Fields() []parquet.Field { return g.fields }

type parquetWriter struct {
	w     *parquet.GenericWriter[any]
	row   parquet.Row
	rows  int // in the row group
	bytes int
}

func newParquetWriter(w io.Writer, table ExportTable) *parquetWriter {
	group := parquet.Group{}
	for _, column := range table.Columns {
		group[column.Name] = parquet.Optional(parquetNode(column.Kind))
	}
	fields := map[string]parquet.Field{}
	for _, field := range group.Fields() {
		fields[field.Name()] = field
	}
	ordered := orderedGroup{Group: group}
	for _, column := range table.Columns {
		ordered.fields = append(ordered.fields, fields[column.Name])
	}
	return &parquetWriter{w: parquet.NewGenericWriter[any](w, parquet.NewSchema(path.Base(table.Name), ordered), parquet.Compression(&snappy.Codec{}), parquet.PageBufferSize(parquetPage), parquet.CreatedBy("overton", "", ""))}
}

func parquetNode(kind Kind) parquet.Node {
	switch kind {
	case Integer:
		return parquet.Int(64)
	case Number:
		return parquet.Leaf(parquet.DoubleType)
	case Flag:
		return parquet.Leaf(parquet.BooleanType)
	case Moment:
		return parquet.Timestamp(parquet.Millisecond)
	default:
		return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	}
}

func (p *parquetWriter) write(values []any) error {
	p.row = p.row[:0]
	for i, value := range values {
		var v parquet.Value
		switch value := value.(type) {
		case nil:
			p.row = append(p.row, parquet.NullValue().Level(0, 0, i))
			continue
		case string:
			v = parquet.ByteArrayValue([]byte(value))
			p.bytes += len(value)
		case int:
			v = parquet.Int64Value(int64(value))
		case float64:
			v = parquet.DoubleValue(value)
		case bool:
			v = parquet.BooleanValue(value)
		case time.Time:
			v = parquet.Int64Value(value.UnixMilli())
		default:
			return fmt.Errorf("a value of type %T", value)
		}
		p.row = append(p.row, v.Level(0, 1, i))
	}
	if _, err := p.w.WriteRows([]parquet.Row{p.row}); err != nil {
		return err
	}
	p.bytes += 8 * len(values)
	if p.rows++; p.rows < parquetRows && p.bytes < parquetBytes {
		return nil
	}
	p.rows, p.bytes = 0, 0
	return p.w.Flush()
}

func (p *parquetWriter) close() error { return p.w.Close() }
