// Command rows holds the survey answers that virtual participants sent against
// the rows of an export: one for each answer, with the options as they were
// shown. It reads the export with a reader of its own. Exit status 1: something
// differs.
package main

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"overton/internal/sim"
	"overton/internal/study"
)

func main() {
	truth := flag.String("truth", "", "what was sent, as simulate wrote it")
	surveys := flag.String("surveys", "", "surveys.csv of an export")
	flag.Parse()
	if err := run(*truth, *surveys); err != nil {
		fmt.Fprintln(os.Stderr, "rows:", err)
		os.Exit(1)
	}
}

func run(truthFile, surveys string) error {
	content, err := os.ReadFile(truthFile)
	if err != nil {
		return err
	}
	var truth sim.Truth
	if err := json.Unmarshal(content, &truth); err != nil {
		return fmt.Errorf("%s: %w", truthFile, err)
	}
	var sent []string // what each person sent, as one text
	answers := 0
	for _, p := range truth.People {
		var own []string
		for _, a := range p.Answers {
			if a.Kind == study.KindSurvey {
				own = append(own, a.Field+"="+a.Value)
			}
		}
		answers += len(own)
		sent = append(sent, text(own))
	}

	f, err := os.Open(surveys)
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", surveys, err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	user, item, answer, shown, repetition := column("user"), column("item"), column("answer"), column("shown"), column("repetition")
	if user < 0 || item < 0 || answer < 0 || shown < 0 || repetition < 0 {
		return fmt.Errorf("%s has the columns %q", surveys, rows[0])
	}
	held := map[string][]string{}
	orders := map[string]map[string]int{} // of the options, by item
	again := 0
	for i, r := range rows[1:] {
		held[r[user]] = append(held[r[user]], r[item]+"="+r[answer])
		var options []string
		if err := json.Unmarshal([]byte(r[shown]), &options); err != nil || !slices.Contains(options, r[answer]) {
			return fmt.Errorf("row %d: the answer %q is not among those shown, %s", i+2, r[answer], r[shown])
		}
		if orders[r[item]] == nil {
			orders[r[item]] = map[string]int{}
		}
		orders[r[item]][r[shown]]++
		if r[repetition] == "2" {
			again++
		}
	}
	var stored []string
	for _, own := range held {
		stored = append(stored, text(own))
	}
	slices.Sort(sent)
	slices.Sort(stored)
	differ := 0
	for i, own := range sent {
		if i >= len(stored) || stored[i] != own {
			differ++
		}
	}
	both, uneven := 0, 0
	for _, of := range orders {
		if len(of) == 2 {
			both++
			var n []int
			for _, k := range of {
				n = append(n, k)
			}
			if d := n[0] - n[1]; d > 1+n[0]/10 || -d > 1+n[1]/10 {
				uneven++
			}
		}
	}
	fmt.Printf("answers      %d sent by %d people, %d rows for %d people; people who differ: %d\n", answers, len(sent), len(rows)-1, len(stored), differ)
	fmt.Printf("second time  %d rows\norders       %d of %d items were shown in two, %d of them unevenly\n", again, both, len(orders), uneven)
	if differ > 0 || len(sent) != len(stored) || answers != len(rows)-1 {
		return fmt.Errorf("the export does not hold what was sent")
	}
	return nil
}

// text puts answers into one order.
func text(answers []string) string {
	slices.Sort(answers)
	return strings.Join(answers, "\n")
}
