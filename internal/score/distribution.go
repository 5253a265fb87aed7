package score

import "math"

// RatingCounts is how often the members of one viewpoint group gave one model
// each rating from 1 to 5 on one question.
type RatingCounts struct {
	Model  string `json:"model"`
	Group  string `json:"group"`
	Counts [5]int `json:"counts"`
}

// Total is how many ratings there are.
func (c RatingCounts) Total() int {
	n := 0
	for _, k := range c.Counts {
		n += k
	}
	return n
}

// Distribution counts the ratings of a question by model and group, in the
// order of their identifiers. Fractional ratings count as the nearest whole
// one; ratings without a value or a group are left out.
func Distribution(r Ratings, question string) []RatingCounts {
	counts := map[string]map[string]*RatingCounts{}
	for _, row := range r.Rows {
		if row.Question != question || row.Group == "" || math.IsNaN(row.Value) {
			continue
		}
		if counts[row.Model] == nil {
			counts[row.Model] = map[string]*RatingCounts{}
		}
		c := counts[row.Model][row.Group]
		if c == nil {
			c = &RatingCounts{Model: row.Model, Group: row.Group}
			counts[row.Model][row.Group] = c
		}
		c.Counts[wholeRating(row.Value)-1]++
	}
	var list []RatingCounts
	for _, model := range sortedIDs(counts) {
		for _, group := range sortedIDs(counts[model]) {
			list = append(list, *counts[model][group])
		}
	}
	return list
}

// wholeRating is the nearest rating from 1 to 5.
func wholeRating(v float64) int { return int(math.Max(1, math.Min(5, math.Round(v)))) }
