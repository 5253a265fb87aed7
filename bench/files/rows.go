package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"overton/internal/sim"
	"overton/internal/study"
)

func newRows() *cobra.Command {
	return &cobra.Command{
		Use:   "rows TRUTH SURVEYS",
		Short: "Compare the survey answers that virtual participants sent with the rows of an export",
		Long: `Compare the survey answers that virtual participants sent, as simulate --truth
wrote them, with surveys.csv of an export: one row for each answer, with the
options as they were shown. Exit status 1: something differs.`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return compareRows(args[0], args[1]) },
	}
}

func compareRows(truthFile, surveys string) error {
	var truth sim.Truth
	if err := readJSON(truthFile, &truth); err != nil {
		return err
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

	rows, err := readRows(surveys)
	if err != nil {
		return err
	}
	held := map[string][]string{}
	orders := map[string]map[string]int{} // of the options, by item
	again := 0
	for i, r := range rows {
		held[r["user"]] = append(held[r["user"]], r["item"]+"="+r["answer"])
		var options []string
		if err := json.Unmarshal([]byte(r["shown"]), &options); err != nil || !slices.Contains(options, r["answer"]) {
			return fmt.Errorf("row %d: the answer %q is not among those shown, %s", i+2, r["answer"], r["shown"])
		}
		if orders[r["item"]] == nil {
			orders[r["item"]] = map[string]int{}
		}
		orders[r["item"]][r["shown"]]++
		if r["repetition"] == "2" {
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
	fmt.Printf("answers      %d sent by %d people, %d rows for %d people; people who differ: %d\n", answers, len(sent), len(rows), len(stored), differ)
	fmt.Printf("second time  %d rows\norders       %d of %d items were shown in two, %d of them unevenly\n", again, both, len(orders), uneven)
	if differ > 0 || len(sent) != len(stored) || answers != len(rows) {
		return fmt.Errorf("the export does not hold what was sent")
	}
	return nil
}

// text puts answers into one order.
func text(answers []string) string {
	slices.Sort(answers)
	return strings.Join(answers, "\n")
}
