package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
)

func newPick() *cobra.Command {
	var source string
	cmd := &cobra.Command{
		Use:   "pick --source SOURCE FROM TO",
		Short: "Copy the questions of one source and their responses out of a question set",
		Long:  "FROM and TO are folders with questions.csv and responses.csv.",
		Args:  cobra.ExactArgs(2),
		RunE:  func(_ *cobra.Command, args []string) error { return pick(args[0], args[1], source) },
	}
	cmd.Flags().StringVar(&source, "source", "", "value of the column source")
	return cmd
}

func pick(from, to, source string) error {
	wanted := map[string]bool{}
	questions, err := copyRows(from, to, "questions.csv", func(id, from string) bool {
		wanted[id] = from == source
		return wanted[id]
	})
	if err != nil {
		return err
	}
	responses, err := copyRows(from, to, "responses.csv", func(id, _ string) bool { return wanted[id] })
	fmt.Printf("%d questions, %d responses\n", questions, responses)
	return err
}

// copyRows copies the rows of a table whose question and, where it has that
// column, source are wanted, and counts them.
func copyRows(from, to, name string, want func(id, source string) bool) (int, error) {
	rows, err := readTable(filepath.Join(from, name))
	if err != nil {
		return 0, err
	}
	id, source := slices.Index(rows[0], "question_id"), slices.Index(rows[0], "source")
	kept := slices.DeleteFunc(rows[1:], func(row []string) bool {
		return !want(row[id], row[max(source, 0)])
	})
	f, err := os.Create(filepath.Join(to, name))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return len(kept), csv.NewWriter(f).WriteAll(append(rows[:1], kept...))
}
