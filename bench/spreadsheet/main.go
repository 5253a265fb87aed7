// Command spreadsheet writes nasty texts as exports write them, and compares
// them with what a spreadsheet program made of them. See bench/spreadsheet.sh.
package main

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"overton/internal/dataset"
)

// nasty are texts that spreadsheet programs and readers of CSV trip over.
var nasty = []string{
	`=HYPERLINK("http://x","y")`, "=1+1", "+1", "-2", "@SUM(A1)", "\t=1", "＝1+1", `=cmd|'/c calc'!A0`, "a\nb\n\nc", `Yes, "maybe", no` + "\nagain", "'quoted", "''", `"`, ",", ";",
	"007", "1.50", "1,50", "1e5", "18446744073709551615", "3/4", "1-2", "2026-03-01", "2026-03-01T09:00:00.000Z", "12:30", "50 %", "€ 5", "5 May", "March 1", "TRUE", "false", "12", "0",
	"👩‍👩‍👧‍👦 and 🇺🇳", "e\u0301 and é", "שלום עולם", "\u202eturned\u202c", "中文，标点", "non\u00a0breaking", " leading and trailing ", "tab\tinside", "line\u2028separator",
	"NULL", "NaN", "#N/A", "#REF!", `\n is no line end`, "<b>bold</b> &amp;", strings.Repeat("long ", 2000), "",
}

func main() {
	write, compare := flag.String("write", "", "folder to write into"), flag.String("compare", "", "folder to compare in")
	flag.Parse()
	if err := run(*write, *compare); err != nil {
		fmt.Fprintln(os.Stderr, "spreadsheet:", err)
		os.Exit(1)
	}
}

// table is a header and rows of number, text, text and number.
func table(text func(string) string) [][]string {
	rows := [][]string{{"n", text("=1+1"), "text", "end"}}
	for i, t := range nasty {
		rows = append(rows, []string{strconv.Itoa(i + 1), text(t), text(nasty[(i+7)%len(nasty)]), "x"})
	}
	return rows
}

func run(write, compare string) error {
	exact, safe := table(func(s string) string { return s }), table(dataset.Harmless)
	if write != "" {
		for name, rows := range map[string][][]string{"exact.csv": exact, "safe.csv": safe} {
			var b bytes.Buffer
			w := csv.NewWriter(&b)
			if err := w.WriteAll(rows); err != nil {
				return err
			}
			content := b.Bytes()
			if name == "safe.csv" {
				content = append([]byte("\xef\xbb\xbf"), content...)
			}
			if err := os.WriteFile(filepath.Join(write, name), content, 0o644); err != nil {
				return err
			}
		}
		return nil
	}
	wrong := 0
	for kind, want := range map[string][][]string{"exact": exact, "safe": safe} {
		content, err := os.ReadFile(filepath.Join(compare, kind, kind+".csv"))
		if err != nil {
			return err
		}
		r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))))
		r.FieldsPerRecord = -1
		got, err := r.ReadAll()
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		if len(got) != len(want) {
			return fmt.Errorf("%s: %d rows came back, want %d", kind, len(got), len(want))
		}
		cells, same := 0, 0
		for i := range want {
			for k := range want[i] {
				cells++
				if k < len(got[i]) && (got[i][k] == want[i][k] || got[i][k] == strings.ReplaceAll(want[i][k], "\t", "")) {
					same++ // LibreOffice drops tabs, which only the exact file has
					continue
				}
				cell := ""
				if k < len(got[i]) {
					cell = got[i][k]
				}
				fmt.Printf("%s, row %d, column %d: %.80q, want %.80q\n", kind, i+1, k+1, cell, want[i][k])
			}
		}
		fmt.Printf("%s: %d of %d cells are equal\n", kind, same, cells)
		wrong += cells - same
	}
	if wrong > 0 {
		return fmt.Errorf("%d cells differ", wrong)
	}
	return nil
}
