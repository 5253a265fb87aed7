package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Rating is one participant's answer to "how far does this model response
// represent my view", 1 (not at all) to 5 (fully).
type Rating struct {
	Participant string
	Question    string
	Model       string
	// Value is the rating, NaN if it is missing. It may be fractional when a
	// judge gave it.
	Value float64
	// Group is the viewpoint group of the participant on this question, the
	// same in all of the participant's ratings of the question; "" if none.
	// Labels mean nothing across questions.
	Group string
	// Attributes holds one value for each name in Ratings.Attributes, ""
	// where unknown.
	Attributes []string
}

// Ratings is a study's ratings in memory, in any order.
type Ratings struct {
	// Attributes names what else is known about each rating: source or topic of the question, demographics of
	// the participant.
	Attributes []string
	Rows       []Rating
}

// values returns the distinct non-empty values of an attribute in the order
// of their identifiers, or an error if there is no such attribute.
func (r Ratings) values(attribute string) ([]string, error) {
	at, err := r.attribute(attribute)
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, row := range r.Rows {
		if v := row.Attributes[at]; v != "" {
			set[v] = true
		}
	}
	return sortedIDs(set), nil
}

// where keeps the ratings whose attribute has the value.
func (r Ratings) where(attribute, value string) (Ratings, error) {
	at, err := r.attribute(attribute)
	if err != nil {
		return Ratings{}, err
	}
	kept := Ratings{Attributes: r.Attributes}
	for _, row := range r.Rows {
		if row.Attributes[at] == value {
			kept.Rows = append(kept.Rows, row)
		}
	}
	return kept, nil
}

func (r Ratings) attribute(name string) (int, error) {
	at := slices.Index(r.Attributes, name)
	if at < 0 {
		return 0, fmt.Errorf("the ratings have no attribute %q; they have %q", name, r.Attributes)
	}
	return at, nil
}

// seat is a participant's place on a question.
type seat struct{ participant, question string }

// check finds what makes ratings unfit to score: a missing identifier, a
// rating that is infinite, a model rated twice by the same participant on
// the same question, and a participant in two groups of one question.
func (r Ratings) check() error {
	type key struct {
		seat
		model string
	}
	seen := make(map[key]bool, len(r.Rows))
	groups := make(map[seat]string, len(r.Rows))
	for i, row := range r.Rows {
		switch {
		case row.Participant == "" || row.Question == "" || row.Model == "":
			return fmt.Errorf("rating %d lacks a participant, question or model", i+1)
		case math.IsInf(row.Value, 0):
			return fmt.Errorf("rating %d is infinite", i+1)
		case len(row.Attributes) != len(r.Attributes):
			return fmt.Errorf("rating %d has %d attributes, expected %d", i+1, len(row.Attributes), len(r.Attributes))
		}
		at := seat{row.Participant, row.Question}
		if seen[key{at, row.Model}] {
			return fmt.Errorf("rating %d: participant %s rates model %s twice on question %s", i+1, row.Participant, row.Model, row.Question)
		}
		seen[key{at, row.Model}] = true
		if group, ok := groups[at]; ok && group != row.Group {
			return fmt.Errorf("rating %d: participant %s is in group %q and in group %q of question %s", i+1,
				row.Participant, group, row.Group, row.Question)
		}
		groups[at] = row.Group
	}
	return nil
}

// order lists the rows by question, participant and model, so that sums do not
// depend on the order in which the rows came.
func (r Ratings) order() []int {
	at := make([]int, len(r.Rows))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(i, j int) int {
		a, b := r.Rows[i], r.Rows[j]
		return cmp.Or(cmp.Compare(a.Question, b.Question), cmp.Compare(a.Participant, b.Participant), cmp.Compare(a.Model, b.Model))
	})
	return at
}

// arranged returns the ratings with their rows in the given order.
func (r Ratings) arranged(at []int) Ratings {
	return Ratings{Attributes: r.Attributes, Rows: arrange(r.Rows, at)}
}

func arrange[T any](values []T, at []int) []T {
	arranged := make([]T, len(at))
	for i, from := range at {
		arranged[i] = values[from]
	}
	return arranged
}

// table is ratings summed up for scoring: every question's groups, and what
// each group gave each model. Models, questions and groups are in the order
// of compareIDs, so that no result depends on the order of rows.
type table struct {
	models    []string
	questions []questionTable
}

type questionTable struct {
	name   string
	groups []Group
	cells  [][]cell // [model][group]
}

// cell sums the ratings of one model by one group.
type cell struct{ weight, sum float64 }

func (c cell) mean() Number {
	if c.weight == 0 {
		return Undefined()
	}
	return Number(c.sum / c.weight)
}

// meanTolerance lets a group reach the threshold if rounding of fractional ratings keeps its sum below by
// this little.
const meanTolerance = 1e-9

// covered tells whether the group's mean rating reaches tau.
func (c cell) covered(tau float64) bool {
	return c.weight > 0 && c.sum >= tau*c.weight-meanTolerance
}

// tabulate sums ratings that passed check. A participant counts as
// p.Weights says; ratings without a value or without a group are skipped and
// counted.
func (r Ratings) tabulate(p Parameters) (*table, LeftOut) {
	models := map[string]bool{}
	type tally struct {
		members map[string]float64         // group -> size
		cells   map[string]map[string]cell // model -> group
		seen    map[string]bool
	}
	questions := map[string]*tally{}
	left := LeftOut{}
	ungrouped := map[seat]bool{}
	for _, row := range r.Rows {
		models[row.Model] = true
		q := questions[row.Question]
		if q == nil {
			q = &tally{map[string]float64{}, map[string]map[string]cell{}, map[string]bool{}}
			questions[row.Question] = q
		}
		if math.IsNaN(row.Value) {
			left.RatingsWithoutValue++
			continue
		}
		if row.Group == "" {
			left.RatingsWithoutGroup++
			ungrouped[seat{row.Participant, row.Question}] = true
			continue
		}
		weight := p.weight(row.Participant)
		if weight == 0 {
			continue // does not count, and makes no group
		}
		if !q.seen[row.Participant] {
			q.seen[row.Participant] = true
			q.members[row.Group] += weight
		}
		if q.cells[row.Model] == nil {
			q.cells[row.Model] = map[string]cell{}
		}
		c := q.cells[row.Model][row.Group]
		c.weight += weight
		c.sum += weight * row.Value
		q.cells[row.Model][row.Group] = c
	}
	left.ParticipantsWithoutGroup = len(ungrouped)

	t := &table{models: sortedIDs(models)}
	for _, name := range sortedIDs(questions) {
		q := questions[name]
		if len(q.members) == 0 {
			left.QuestionsWithoutGroups = append(left.QuestionsWithoutGroups, name)
			continue
		}
		qt := questionTable{name: name, cells: make([][]cell, len(t.models))}
		for _, label := range sortedIDs(q.members) {
			qt.groups = append(qt.groups, Group{label, q.members[label]})
		}
		for m, model := range t.models {
			qt.cells[m] = make([]cell, len(qt.groups))
			for g, group := range qt.groups {
				qt.cells[m][g] = q.cells[model][group.Group]
				if q.cells[model] != nil && qt.cells[m][g].weight == 0 {
					left.GroupsWithoutRatings++
				}
			}
		}
		t.questions = append(t.questions, qt)
	}
	return t, left
}

// outcome is what one model reached on one question.
type outcome struct {
	rows     int     // groups in the denominator; 0: the model is not scored on this question
	covered  int     // groups covered
	weighted float64 // participants' share of the covered groups
}

// outcomes applies the threshold: [question][model].
func (t *table) outcomes(tau float64, missing Missing) [][]outcome {
	all := make([][]outcome, len(t.questions))
	for q, qt := range t.questions {
		all[q] = make([]outcome, len(t.models))
		for m := range t.models {
			all[q][m] = applyThreshold(qt.groups, qt.cells[m], tau, missing)
		}
	}
	return all
}

// applyThreshold applies the threshold to one model's cells on one question. A model that nobody rated on the
// question is not scored there.
func applyThreshold(groups []Group, cells []cell, tau float64, missing Missing) outcome {
	var o outcome
	rated, size, coveredSize := 0, 0.0, 0.0
	for g, c := range cells {
		if c.weight > 0 {
			rated++
		} else if missing == Drop {
			continue
		}
		o.rows++
		size += groups[g].Size
		if c.covered(tau) {
			o.covered++
			coveredSize += groups[g].Size
		}
	}
	if rated == 0 {
		return outcome{}
	}
	o.weighted = coveredSize / size
	return o
}

// coverage is the share of the question's groups that the model covers.
func (o outcome) coverage() float64 {
	if o.rows == 0 {
		return math.NaN()
	}
	return float64(o.covered) / float64(o.rows)
}

// coverageWeighted is the participants' share of the covered groups.
func (o outcome) coverageWeighted() float64 {
	if o.rows == 0 {
		return math.NaN()
	}
	return o.weighted
}
