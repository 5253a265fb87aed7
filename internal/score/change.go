package score

import "math/rand/v2"

// Change is how one model's scores differ between two results, second minus first, on the questions on which
// both score it. The interval is from resampling those questions, the same for both results.
type Change struct {
	Model            string   `json:"model"`
	Questions        int      `json:"questions"`
	Raw              Number   `json:"raw"`
	RawCI            Interval `json:"raw_ci"`
	Weighted         Number   `json:"weighted"`
	WeightedCI       Interval `json:"weighted_ci"`
	Adjusted         Number   `json:"adjusted"`
	AdjustedCI       Interval `json:"adjusted_ci"`
	AdjustedWeighted Number   `json:"adjusted_weighted"`
}

// Changes compares two results model by model, for the models that both have, in the order of the first. The
// interval says how much the difference would vary with other questions; it does not matter whether both
// results come from the same people.
func Changes(first, second *Overton, bootstrap int, seed uint64) []Change {
	var names []string
	in := map[string]bool{}
	for _, m := range second.Models {
		in[m.Model] = true
	}
	for _, m := range first.Models {
		if in[m.Model] {
			names = append(names, m.Model)
		}
	}
	known := map[string]Question{}
	for _, q := range second.Questions {
		known[q.Question] = q
	}
	var before, after [][]outcome
	for _, q := range first.Questions {
		other, both := known[q.Question]
		if !both {
			continue
		}
		a, b := make([]outcome, len(names)), make([]outcome, len(names))
		for m, name := range names {
			if a[m], b[m] = q.outcome(name, first.Parameters.Missing),
				other.outcome(name, second.Parameters.Missing); a[m].rows == 0 || b[m].rows == 0 {
				a[m], b[m] = outcome{}, outcome{}
			}
		}
		before, after = append(before, a), append(after, b)
	}
	if len(before) == 0 {
		return nil
	}
	less := func(times []int) estimates {
		e, f := estimate(after, times), estimate(before, times)
		for m := range names {
			e.raw[m] -= f.raw[m]
			e.weighted[m] -= f.weighted[m]
			e.adjusted[m] -= f.adjusted[m]
			e.adjustedWeighted[m] -= f.adjustedWeighted[m]
		}
		return e
	}
	whole := less(nil)
	var replicates []estimates
	if len(before) > 1 { // one question says nothing about others
		rng := rand.New(rand.NewPCG(seed, streamQuestions))
		for range bootstrap {
			replicates = append(replicates, less(drawTimes(len(before), rng)))
		}
	}
	changes := make([]Change, len(names))
	for m, name := range names {
		s := scoreIntervals(replicates, m)
		changes[m] = Change{Model: name, Raw: Number(whole.raw[m]), RawCI: s.Raw, Weighted: Number(whole.weighted[m]), WeightedCI: s.Weighted,
			Adjusted: Number(whole.adjusted[m]), AdjustedCI: s.Adjusted, AdjustedWeighted: Number(whole.adjustedWeighted[m])}
		for q := range before {
			if before[q][m].rows > 0 {
				changes[m].Questions++
			}
		}
	}
	return changes
}

// outcome is what a result says that a model reached on the question.
func (q Question) outcome(model string, missing Missing) outcome {
	flags, scored := q.Covered[model]
	if !scored {
		return outcome{}
	}
	var o outcome
	size, covered := 0.0, 0.0
	for g, flag := range flags {
		if missing == Drop && !q.Mean[model][g].Defined() {
			continue
		}
		o.rows++
		o.covered += flag
		size += q.Groups[g].Size
		covered += float64(flag) * q.Groups[g].Size
	}
	if o.rows > 0 {
		o.weighted = covered / size
	}
	return o
}
