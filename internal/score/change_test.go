package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// pleased are ratings of n questions by 30 people in groups; high is how much of
// its people each model pleases.
func pleased(n int, high map[string]float64, seed uint64) Ratings {
	rng := rand.New(rand.NewPCG(seed, 1))
	var r Ratings
	for q := range n {
		for who := range 30 {
			g := who % (2 + q%3)
			for _, model := range []string{"a", "b", "c"} {
				v := 2.0
				if rng.Float64() < high[model] {
					v = 5
				}
				r.Rows = append(r.Rows, Rating{Participant: fmt.Sprint(who), Question: fmt.Sprint(q), Model: model, Value: v, Group: fmt.Sprint(g)})
			}
		}
	}
	return r
}

func TestChangesBetweenResults(t *testing.T) {
	t.Parallel()
	p := DefaultParameters()
	p.Bootstrap = 0
	first, err := OvertonScore(pleased(12, map[string]float64{"a": 0.6, "b": 0.7, "c": 0.5}, 1), p)
	if err != nil {
		t.Fatal(err)
	}
	p.Tau = 3
	second, err := OvertonScore(pleased(12, map[string]float64{"a": 0.6, "b": 0.7, "c": 0.5}, 1), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Changes(first, first, 100, 1) {
		if c.Raw != 0 || c.Adjusted != 0 || c.RawCI != (Interval{0, 0}) || c.Questions != 12 {
			t.Errorf("a result differs from itself: %+v", c)
		}
	}
	changes := Changes(first, second, 200, 1)
	for m, c := range changes {
		a, b := first.Models[m], second.Models[m]
		for name, pair := range map[string][2]Number{
			"raw": {c.Raw, b.Raw - a.Raw}, "weighted": {c.Weighted, b.Weighted - a.Weighted},
			"adjusted": {c.Adjusted, b.Adjusted - a.Adjusted}, "adjusted, weighted": {c.AdjustedWeighted, b.AdjustedWeighted - a.AdjustedWeighted},
		} {
			if math.Abs(float64(pair[0]-pair[1])) > 1e-9 {
				t.Errorf("%s %s changes by %g, the scores by %g", c.Model, name, pair[0], pair[1])
			}
		}
		if !(c.RawCI.Low <= c.Raw && c.Raw <= c.RawCI.High) || c.RawCI.Low <= 0 {
			t.Errorf("%s: a lower threshold covers more: %g, %v", c.Model, c.Raw, c.RawCI)
		}
	}
	one := *second
	one.Questions = one.Questions[3:4]
	one.Models = one.Models[:2]
	if changes := Changes(first, &one, 100, 1); len(changes) != 2 || changes[0].Questions != 1 || changes[0].RawCI.Defined() {
		t.Errorf("on one question: %+v", changes)
	}
}
