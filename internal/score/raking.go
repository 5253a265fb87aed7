package score

import (
	"fmt"
	"math"
	"slices"
)

// Margin is the population's distribution of one variable.
type Margin struct {
	Variable string `json:"variable"`
	// Categories and their Shares of the population; shares need not sum to 1.
	Categories []string  `json:"categories"`
	Shares     []float64 `json:"shares"`
}

// Raking weights participants to match the margins of a population.
type Raking struct {
	// Weights, one for each participant, have the mean 1.
	Weights   []float64 `json:"-"`
	Converged bool      `json:"converged"`
	// EffectiveN is Kish's effective sample size (sum w)²/sum w², and DesignEffect the number of participants
	// divided by it.
	EffectiveN   Number `json:"effective_n"`
	DesignEffect Number `json:"design_effect"`
	// Smallest and Largest weight.
	Smallest Number `json:"smallest"`
	Largest  Number `json:"largest"`
	// Margins holds the weighted share of each category of each variable.
	Margins map[string]map[string]Number `json:"margins"`
	// Warnings say in words why a reader should be cautious.
	Warnings []string `json:"warnings,omitempty"`
}

const (
	rakingTolerance = 1e-12 // largest change of a weight in a pass that counts as none
	rakingPasses    = 10000
	heavyWeight     = 5.0 // times the median: a warning
)

// Rake fits weights by iterative proportional fitting (Deming and Stephan
// 1940). values[participant][margin] is the participant's category, "" if
// unknown; base are the weights to start from, nil for 1. In the order of the
// margins, each category's weights are multiplied to meet its share of the
// weight of those whose category is known; a participant whose category is
// unknown or not in the margin keeps the weight in that step. A category that
// nobody has is left out of its margin, with a warning.
func Rake(values [][]string, margins []Margin, base []float64) (*Raking, error) {
	if len(values) == 0 {
		return nil, fmt.Errorf("raking: there are no participants")
	}
	r := &Raking{Weights: slices.Clone(base), Margins: map[string]map[string]Number{}}
	if base == nil {
		r.Weights = slices.Repeat([]float64{1}, len(values))
	}
	steps := make([]rakingStep, len(margins))
	for i, m := range margins {
		var err error
		var warnings []string
		if steps[i], warnings, err = newRakingStep(values, i, m); err != nil {
			return nil, err
		}
		r.Warnings = append(r.Warnings, warnings...)
	}
	for pass := 0; pass < rakingPasses && !r.Converged; pass++ {
		largest := 0.0
		for _, s := range steps {
			largest = math.Max(largest, s.apply(r.Weights))
		}
		r.Converged = largest < rakingTolerance
	}
	r.finish(values, margins)
	return r, nil
}

// rakingStep is one margin: the members of each category that has any.
type rakingStep struct {
	members [][]int
	shares  []float64 // sum to 1
}

func newRakingStep(values [][]string, at int, m Margin) (s rakingStep, warnings []string, err error) {
	members := make([][]int, len(m.Categories))
	unknown, outside := 0, 0
	for p, row := range values {
		if c := slices.Index(m.Categories, row[at]); c >= 0 {
			members[c] = append(members[c], p)
		} else if row[at] == "" {
			unknown++
		} else {
			outside++
		}
	}
	sum := 0.0
	for c, share := range m.Shares {
		switch {
		case !(share >= 0) || math.IsInf(share, 0):
			return s, nil, fmt.Errorf("raking: the share of %s = %s must be 0 or more, is %g", m.Variable, m.Categories[c], share)
		case len(members[c]) == 0 && share > 0:
			warnings = append(warnings, fmt.Sprintf("nobody has %s = %s; its share of %g is spread over the other "+
				"categories", m.Variable, m.Categories[c], share))
		case len(members[c]) > 0:
			s.members = append(s.members, members[c])
			s.shares = append(s.shares, share)
			sum += share
		}
	}
	if sum == 0 {
		return s, nil, fmt.Errorf("raking: nobody is in a category of %s that has a share", m.Variable)
	}
	for c := range s.shares {
		s.shares[c] /= sum
	}
	if unknown > 0 {
		warnings = append(warnings, fmt.Sprintf("%s is unknown for %d participants, who keep their weight there", m.Variable, unknown))
	}
	if outside > 0 {
		warnings = append(warnings, fmt.Sprintf("%d participants have a value of %s that the margin does not "+
			"list; they keep their weight there", outside, m.Variable))
	}
	return s, warnings, nil
}

// apply meets the margin and returns the largest change of a weight.
func (s rakingStep) apply(weights []float64) float64 {
	sums := make([]float64, len(s.members))
	whole := 0.0
	for c, members := range s.members {
		for _, p := range members {
			sums[c] += weights[p]
		}
		whole += sums[c]
	}
	largest := 0.0
	for c, members := range s.members {
		if sums[c] == 0 {
			continue // a share of 0 was met before
		}
		factor := s.shares[c] * whole / sums[c]
		largest = math.Max(largest, math.Abs(factor-1))
		for _, p := range members {
			weights[p] *= factor
		}
	}
	return largest
}

// finish scales the weights to mean 1 and describes them.
func (r *Raking) finish(values [][]string, margins []Margin) {
	n, sum, squares := float64(len(r.Weights)), 0.0, 0.0
	for _, w := range r.Weights {
		sum += w
	}
	for p := range r.Weights {
		r.Weights[p] *= n / sum
		squares += r.Weights[p] * r.Weights[p]
	}
	r.EffectiveN, r.DesignEffect = Number(n*n/squares), Number(squares/n)
	r.Smallest, r.Largest = Number(slices.Min(r.Weights)), Number(slices.Max(r.Weights))
	for i, m := range margins {
		known := 0.0
		shares := map[string]Number{}
		for _, c := range m.Categories {
			shares[c] = 0
		}
		for p, row := range values {
			if share, ok := shares[row[i]]; ok {
				shares[row[i]] = share + Number(r.Weights[p])
				known += r.Weights[p]
			}
		}
		for c := range shares {
			shares[c] /= Number(known)
		}
		r.Margins[m.Variable] = shares
	}
	if !r.Converged {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the weights did not settle in %d passes; the margins may "+
			"contradict each other", rakingPasses))
	}
	median := percentile(slices.Sorted(slices.Values(r.Weights)), 0.5)
	nobody := 0
	for _, w := range r.Weights {
		if w == 0 {
			nobody++
		}
	}
	if nobody > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d participants have weight 0 and count for nothing", nobody))
	}
	if float64(r.Largest) > heavyWeight*median && !math.IsInf(float64(r.Largest)/median, 0) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the largest weight is %.1f times the median: few people "+
			"speak for many", float64(r.Largest)/median))
	}
	if float64(r.EffectiveN) < n/2 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the weights leave an effective %.0f of %.0f participants", float64(r.EffectiveN), n))
	}
}

// Raked is the score with raked participants.
type Raked struct {
	Raking    *Raking      `json:"raking"`
	Models    []ModelScore `json:"models"`
	Reference Reference    `json:"reference"`

	// Overton is the full score; its intervals from resampling participants keep everyone's weight, so they
	// do not include the uncertainty of the weights.
	Overton *Overton `json:"-"`
}

// RakedScore rakes the participants of the ratings to the margins, whose
// variables are attributes of the ratings, and scores with their weights.
func RakedScore(r Ratings, p Parameters, margins []Margin) (*Raked, error) {
	people, err := r.people(margins)
	if err != nil {
		return nil, fmt.Errorf("raking: %w", err)
	}
	ids := sortedIDs(people)
	values := make([][]string, len(ids))
	for i, id := range ids {
		values[i] = people[id]
	}
	raking, err := Rake(values, margins, nil)
	if err != nil {
		return nil, err
	}
	p.Weights = map[string]float64{}
	for i, id := range ids {
		p.Weights[id] = raking.Weights[i]
	}
	p.SubsetBy = nil
	o, err := OvertonScore(r, p)
	if err != nil {
		return nil, err
	}
	return &Raked{raking, o.Models, o.Reference, o}, nil
}

// people looks up each participant's values of the margins' variables.
func (r Ratings) people(margins []Margin) (map[string][]string, error) {
	people := map[string][]string{}
	for i, m := range margins {
		values, err := r.ofParticipants(m.Variable)
		if err != nil {
			return nil, err
		}
		for id, v := range values {
			if people[id] == nil {
				people[id] = make([]string, len(margins))
			}
			people[id][i] = v
		}
	}
	return people, nil
}

// ofParticipants looks up each participant's value of an attribute, which
// must be the same in all of the participant's ratings.
func (r Ratings) ofParticipants(attribute string) (map[string]string, error) {
	at, err := r.attribute(attribute)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, row := range r.Rows {
		v := row.Attributes[at]
		if before, ok := values[row.Participant]; ok && before != v {
			return nil, fmt.Errorf("participant %s has %s = %q and = %q", row.Participant, attribute, before, v)
		}
		values[row.Participant] = v
	}
	return values, nil
}
