// Command files makes the files that measurements start from, and compares what
// came out at the end with what was put in. The shell scripts beside it use it:
// mainjob.sh, surveys.sh and spreadsheet.sh. It reads exports with a reader of
// its own.
package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "files", Short: "Make files to measure with, and check files that came out", SilenceUsage: true}
	root.AddCommand(newVotes(), newPick(), newSurveys(), newAnswers(), newSpreadsheet())
	if root.Execute() != nil {
		os.Exit(1)
	}
}

// readTable reads a CSV file with at least a header.
func readTable(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("%s: no rows: %w", path, err)
	}
	return rows, nil
}

// readRows reads a CSV file, each row by its columns.
func readRows(path string) ([]map[string]string, error) {
	rows, err := readTable(path)
	if err != nil {
		return nil, err
	}
	var all []map[string]string
	for _, row := range rows[1:] {
		m := make(map[string]string, len(row))
		for i, column := range rows[0] {
			m[column] = row[i]
		}
		all = append(all, m)
	}
	return all, nil
}

func readJSON(path string, v any) error {
	content, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(content, v)
	}
	if err != nil {
		return fmt.Errorf("reading %q: %w", path, err)
	}
	return nil
}
