package dataset

import (
	"bytes"
	"fmt"
	"strings"
)

// dictionaryCSV describes every column of the tables as a table.
func dictionaryCSV(tables []ExportTable) []byte {
	rows := [][]string{{"file", "column", "type", "unit", "meaning"}}
	for _, t := range tables {
		for _, c := range t.Columns {
			rows = append(rows, []string{t.Name, c.Name, string(c.Kind), c.Unit, c.Meaning})
		}
	}
	return writeCSV(rows)
}

// DictionaryMarkdown describes every column of the tables for a reader.
func DictionaryMarkdown(tables []ExportTable) []byte {
	var b bytes.Buffer
	b.WriteString(`# Data dictionary

Every table has the same rows in each format that you chose: CSV, JSON lines and Parquet. In CSV
a missing value is an empty cell, in JSON it is null. Times are UTC, as text RFC 3339 with milliseconds.
The files ending in ` + "`_spreadsheet.csv`" + ` are for reading in a spreadsheet program: a text that such a program
would read as a formula, a number or a date has an apostrophe in front. Compute with the other files. ` + "`manifest.json`" + ` has
the number of rows and the SHA-256 of every file.

Files number viewpoint groups from 0. Pages, figures and reports call them by letters: 0 is Group A, 1 is Group B.
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
