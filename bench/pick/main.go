// Command pick copies the questions of one source, and the model responses to
// them, out of a question set.
//
//	pick -source SOURCE FROM TO     folders with questions.csv and responses.csv
package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	log.SetFlags(0)
	source := flag.String("source", "", "value of the column source")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: pick -source SOURCE FROM TO")
	}
	from, to := flag.Arg(0), flag.Arg(1)
	questions := read(filepath.Join(from, "questions.csv"))
	where, id := slices.Index(questions[0], "source"), slices.Index(questions[0], "question_id")
	wanted := map[string]bool{}
	picked := keep(questions, func(row []string) bool {
		wanted[row[id]] = row[where] == *source
		return wanted[row[id]]
	})
	write(filepath.Join(to, "questions.csv"), picked)
	responses := read(filepath.Join(from, "responses.csv"))
	id = slices.Index(responses[0], "question_id")
	kept := keep(responses, func(row []string) bool { return wanted[row[id]] })
	write(filepath.Join(to, "responses.csv"), kept)
	fmt.Printf("%d questions, %d responses\n", len(picked)-1, len(kept)-1)
}

// keep returns the header and the rows wanted.
func keep(rows [][]string, want func([]string) bool) [][]string {
	kept := rows[:1:1]
	for _, row := range rows[1:] {
		if want(row) {
			kept = append(kept, row)
		}
	}
	return kept
}

func read(path string) [][]string {
	f, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		log.Fatalf("%s: %v", path, err)
	}
	return rows
}

func write(path string, rows [][]string) {
	f, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	w := csv.NewWriter(f)
	if err := w.WriteAll(rows); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
