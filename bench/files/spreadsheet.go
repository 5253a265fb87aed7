package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"overton/internal/dataset"
)

// nasty are texts that spreadsheet programs and readers of CSV trip over.
var nasty = []string{
	`=HYPERLINK("http://x","y")`, "=1+1", "+1", "-2", "@SUM(A1)", "\t=1", "＝1+1", `=cmd|'/c calc'!A0`, "a\nb\n\nc", `Yes, "maybe", no` + "\nagain", "'quoted", "''", `"`, ",", ";",
	"007", "1.50", "1,50", "1e5", "18446744073709551615", "3/4", "1-2", "2026-03-01", "2026-03-01T09:00:00.000Z", "12:30", "50 %", "€ 5", "5 May", "March 1", "TRUE", "false", "12", "0",
	"👩‍👩‍👧‍👦 and 🇺🇳", "e\u0301 and é", "שלום עולם", "\u202eturned\u202c", "中文，标点", "non\u00a0breaking", " leading and trailing ", "tab\tinside", "line\u2028separator",
	"NULL", "NaN", "#N/A", "#REF!", `\n is no line end`, "<b>bold</b> &amp;", strings.Repeat("long ", 2000), "",
}

func newSpreadsheet() *cobra.Command {
	return &cobra.Command{
		Use:   "spreadsheet write|compare FOLDER",
		Short: "Write texts that spreadsheet programs trip over, and compare what became of them",
		Long: `write makes exact.csv and safe.csv, as exports write texts; compare reads exact/exact.csv
and safe/safe.csv, which a program made of them. See bench/spreadsheet.sh.`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			switch args[0] {
			case "write":
				return writeNasty(args[1])
			case "compare":
				return compareNasty(args[1])
			}
			return fmt.Errorf("%q: expected write or compare", args[0])
		},
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

// tables are both files: as exact exports hold texts, and as those for
// spreadsheet programs do.
func tables() map[string][][]string {
	return map[string][][]string{"exact": table(func(s string) string { return s }), "safe": table(dataset.Harmless)}
}

func writeNasty(folder string) error {
	for kind, rows := range tables() {
		var b bytes.Buffer
		if kind == "safe" {
			b.WriteString("\xef\xbb\xbf")
		}
		if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, kind+".csv"), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func compareNasty(folder string) error {
	wrong := 0
	for kind, want := range tables() {
		content, err := os.ReadFile(filepath.Join(folder, kind, kind+".csv"))
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
