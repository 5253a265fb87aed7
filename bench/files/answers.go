package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"overton/internal/sim"
	"overton/internal/study"
)

func newAnswers() *cobra.Command {
	var window string
	cmd := &cobra.Command{
		Use:   "answers TRUTH EXPORT",
		Short: "Compare what virtual participants sent with an export, answer by answer",
		Long: `Compare what virtual participants sent with what came out at the other end: the
files of an export, answer by answer, and the groups that an analysis found.

	overton simulate --url URL --study SLUG --participants 600 --truth truth.json
	overton export   --study SLUG --out export --format csv
	overton window   --study SLUG --json window.json
	go run ./bench/files answers truth.json export --window window.json

Exit status 1: something differs.`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return compareAnswers(args[0], args[1], window) },
	}
	cmd.Flags().StringVar(&window, "window", "", "an analysis, as window --json wrote it; may be left out")
	return cmd
}

func compareAnswers(truthFile, export, window string) error {
	var truth sim.Truth
	if err := readJSON(truthFile, &truth); err != nil {
		return err
	}
	stored, per, err := readExport(export)
	if err != nil {
		return err
	}
	c := sim.Compare(&truth, stored)
	fmt.Printf("submissions  %d sent, %d stored, %d joined\n", len(truth.People), len(stored), len(c.Joined))
	for _, kind := range slices.Sorted(maps.Keys(c.Equal)) {
		fmt.Printf("equal        %7d %s\n", c.Equal[kind], kind)
	}
	fmt.Printf("unsettled    %7d\ndifferent    %7d\n", c.Unsettled, len(c.Differences))
	for i, d := range c.Differences {
		if i == 20 {
			fmt.Printf("and %d more\n", len(c.Differences)-i)
			break
		}
		fmt.Printf("  %s (%s) %s %s %q %q: sent %q, stored %q\n", d.Participant, d.Name, d.Kind, d.Field, d.Question, d.Shown, d.Sent, d.Stored)
	}
	if n := slices.Sorted(maps.Values(per)); len(n) > 0 {
		fmt.Printf("completes    %d questions, %d to %d people each\n", len(n), n[0], n[len(n)-1])
	}
	if err := surveyRows(filepath.Join(export, "surveys.csv"), c.Equal[study.KindSurvey]); err != nil {
		return err
	}
	if window != "" {
		if err := recovery(&truth, c.Joined, window); err != nil {
			return err
		}
	}
	if len(c.Differences) > 0 {
		return fmt.Errorf("%d answers differ", len(c.Differences))
	}
	return nil
}

// surveyRows checks that an export has one row for each survey answer, with the
// options as they were shown, and counts in which orders they were.
func surveyRows(path string, answers int) error {
	rows, err := readRows(path)
	if err != nil {
		return err
	}
	orders := map[string]map[string]int{} // of the options, by item
	again := 0
	for i, r := range rows {
		var options []string
		if err := json.Unmarshal([]byte(r["shown"]), &options); err != nil || !slices.Contains(options, r["answer"]) {
			return fmt.Errorf("%s: row %d: the answer %q is not among those shown, %s", path, i+2, r["answer"], r["shown"])
		}
		if orders[r["item"]] == nil {
			orders[r["item"]] = map[string]int{}
		}
		orders[r["item"]][r["shown"]]++
		if r["repetition"] == "2" {
			again++
		}
	}
	both, uneven := 0, 0
	for _, of := range orders {
		if len(of) == 2 {
			both++
			if n := slices.Sorted(maps.Values(of)); n[1]-n[0] > 1+n[0]/10 {
				uneven++
			}
		}
	}
	fmt.Printf("surveys      %d rows, %d of them a second time; %d of %d items were shown in two orders, %d of them unevenly\n",
		len(rows), again, both, len(orders), uneven)
	if len(rows) != answers {
		return fmt.Errorf("%s has %d rows for %d answers", path, len(rows), answers)
	}
	return nil
}

// recovery prints how well the planted groups were found.
func recovery(t *sim.Truth, joined map[string]int, file string) error {
	var result struct {
		Questions []struct {
			Question     string
			K            int
			Participants []struct {
				ID    string
				Group int
			}
		}
	}
	if err := readJSON(file, &result); err != nil {
		return err
	}
	var all []float64
	for _, q := range result.Questions {
		found := map[string]int{}
		for _, p := range q.Participants {
			found[p.ID] = p.Group
		}
		index, people := t.Recovery(joined, found)
		all = append(all, index)
		fmt.Printf("question     %-6s %d groups found among %d people: adjusted Rand index %.3f\n", q.Question, q.K, people, index)
	}
	if len(all) > 0 {
		slices.Sort(all)
		fmt.Printf("recovery     median %.3f, worst %.3f, of %d questions with %d planted groups\n", (all[(len(all)-1)/2]+all[len(all)/2])/2, all[0], len(all), len(t.Groups))
	}
	return nil
}

// readExport makes of an export's files what is stored of each virtual
// submission, and counts the people who finished each question.
func readExport(dir string) (stored []sim.Stored, completes map[string]int, err error) {
	files := map[string][]map[string]string{}
	for _, name := range []string{"ratings", "votes", "statements", "answers"} {
		if files[name], err = readRows(filepath.Join(dir, name+".csv")); err != nil {
			return nil, nil, err
		}
	}
	questions := map[string]string{} // texts by id: only the ratings tell them
	for _, r := range files["ratings"] {
		questions[r["question_id"]] = r["question"]
	}
	statements := map[string]string{}
	for _, r := range files["statements"] {
		statements[r["statement_id"]] = r["statement"]
	}
	people := map[string]*sim.Stored{}
	add := func(user string, a sim.StoredAnswer) {
		if people[user] == nil {
			people[user] = &sim.Stored{Name: user}
		}
		people[user].Answers = append(people[user].Answers, a)
	}
	views := map[[2]string]string{}
	counted := map[study.Kind]int{} // ratings and votes among the answers
	for _, r := range files["answers"] {
		if r["virtual"] != "true" {
			continue
		}
		a := sim.StoredAnswer{Kind: study.Kind(r["kind"]), Value: r["value"]}
		switch a.Kind {
		case study.KindRating, study.KindVote:
			counted[a.Kind]++ // taken from files of their own
			continue
		case study.KindSurvey, study.KindCheck:
			a.Field = strings.TrimSuffix(r["subject"], "@2") // an item that came a second time
		case study.KindView:
			views[[2]string{r["user"], r["scope"]}] = r["value"]
			a.Question = questions[r["scope"]]
		case study.KindStance, study.KindImportance:
			a.Question = questions[r["scope"]]
		}
		add(r["user"], a)
	}
	finished := map[[2]string]bool{}
	completes = map[string]int{}
	for _, r := range files["ratings"] {
		if r["virtual"] != "true" {
			continue
		}
		counted[study.KindRating]--
		key := [2]string{r["user"], r["question_id"]}
		if r["freeresponse"] != views[key] {
			return nil, nil, fmt.Errorf("ratings.csv has another free response of %s on question %s than answers.csv", r["user"], r["question_id"])
		}
		if r["status"] == string(study.Completed) && !finished[key] {
			finished[key] = true
			completes[r["question_id"]]++
		}
		add(r["user"], sim.StoredAnswer{Kind: study.KindRating, Question: r["question"], Shown: r["llm_response"], Value: r["representation_rating"]})
	}
	for _, r := range files["votes"] {
		if r["virtual"] == "true" && r["vote"] != "" {
			counted[study.KindVote]--
			add(r["user"], sim.StoredAnswer{Kind: study.KindVote, Question: questions[r["question_id"]], Shown: statements[r["statement_id"]], Value: r["vote"]})
		}
	}
	if counted[study.KindRating] != 0 || counted[study.KindVote] != 0 {
		return nil, nil, fmt.Errorf("answers.csv has %d ratings and %d votes more than the files of those", counted[study.KindRating], counted[study.KindVote])
	}
	if len(people) == 0 {
		return nil, nil, fmt.Errorf("%s has no virtual participant", dir)
	}
	for _, user := range slices.Sorted(maps.Keys(people)) {
		stored = append(stored, *people[user])
	}
	return stored, completes, nil
}
