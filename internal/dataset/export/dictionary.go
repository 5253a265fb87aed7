package export

import (
	"bytes"
	"fmt"
	"overton/internal/dataset"
	"strings"
)

// dictionaryCSV describes every column of the tables as a table.
func dictionaryCSV(tables []table) []byte {
	rows := [][]string{{"file", "column", "type", "unit", "meaning"}}
	for _, t := range tables {
		for _, c := range t.Columns {
			rows = append(rows, []string{t.Name, c.Name, string(c.Kind), c.Unit, c.Meaning})
		}
	}
	return dataset.WriteCSV(rows)
}

// dictionaryMarkdown describes every column of the tables for a reader.
func dictionaryMarkdown(tables []table) []byte {
	var b bytes.Buffer
	b.WriteString(`# Data dictionary

Every table comes as the same rows in each format that was asked for: CSV, JSON lines and Parquet. In CSV
a missing value is an empty cell, in JSON it is null. Times are UTC, as text RFC 3339 with milliseconds.
The files ending in ` + "`_spreadsheet.csv`" + ` are for reading in a spreadsheet program: a text that such a program
would take for a formula, a number or a date has an apostrophe in front. Compute with the other ones. ` + "`manifest.json`" + ` counts
the rows and holds the SHA-256 of every file.
`)
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	for _, t := range tables {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", t.Name, t.Meaning)
		for _, c := range t.Columns {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, c.Kind, c.Unit, cell.Replace(c.Meaning))
		}
	}
	return b.Bytes()
}
