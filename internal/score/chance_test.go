package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// erring are the errors of a judge on the ratings of people in categories whose
// means differ with a variance; ratings of one person are alike. truth is the
// share of variance between the categories.
func erring(categories, people int, variance float64, seed uint64) (human, judge []float64, who []int, value []string, truth float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	effects := make([]float64, categories)
	middle, between := 0.0, 0.0
	for i := range effects {
		effects[i] = math.Sqrt(variance) * rng.NormFloat64()
		middle += effects[i] / float64(categories)
	}
	for i := range effects {
		effects[i] -= middle
		between += effects[i] * effects[i] / float64(categories)
	}
	for p := range people {
		own := math.Sqrt(0.3) * rng.NormFloat64()
		for range 8 {
			human, judge = append(human, 0), append(judge, 10+effects[p%categories]+own+rng.NormFloat64())
			who, value = append(who, p), append(value, fmt.Sprint(p%categories))
		}
	}
	return human, judge, who, value, between / (between + 0.3 + 1)
}

func TestManyCategoriesDoNotPassForADifference(t *testing.T) {
	t.Parallel()
	const studies = 60
	for _, variance := range []float64{0, 0.2} {
		held, corrected, plain, whole := 0, 0.0, 0.0, 0.0
		for seed := range uint64(studies) {
			human, judge, who, value, truth := erring(20, 80, variance, seed)
			rng := rand.New(rand.NewPCG(seed, 8))
			draws := make([][]int, 120)
			for b := range draws {
				draws[b] = drawTimes(80, rng)
			}
			s := spreadOfError("category", human, judge, who, draws, func(i int) string { return value[i] })
			if float64(s.Eta2CI.Low) <= truth && truth <= float64(s.Eta2CI.High)+1e-9 {
				held++
			}
			corrected += float64(s.Eta2Corrected) / studies
			plain += float64(s.Eta2) / studies
			whole += truth / studies
		}
		if held < studies*85/100 {
			t.Errorf("variance %g: the interval holds the truth in %d of %d studies", variance, held, studies)
		}
		if math.Abs(corrected-whole) > 0.035 || plain-whole < 0.04 {
			t.Errorf("variance %g: eta² is %.3f, corrected %.3f, in truth %.3f", variance, plain, corrected, whole)
		}
	}
}

func TestAGroupThatCountsForNothingIsNone(t *testing.T) {
	t.Parallel()
	r := Ratings{Rows: []Rating{
		{Participant: "a", Question: "1", Model: "m", Value: 5, Group: "x"}, {Participant: "b", Question: "1", Model: "m", Value: 1, Group: "y"},
		{Participant: "a", Question: "1", Model: "n", Value: 2, Group: "x"}, {Participant: "b", Question: "1", Model: "n", Value: 5, Group: "y"},
	}}
	p := DefaultParameters()
	p.Bootstrap, p.Weights = 0, map[string]float64{"a": 2, "b": 0}
	o, err := OvertonScore(r, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Questions[0].Groups) != 1 || o.Models[0].Raw != 1 || o.Models[1].Raw != 0 || o.LeftOut.GroupsWithoutRatings != 0 {
		t.Errorf("%+v, %+v", o.Questions[0], o.LeftOut)
	}
}

func TestPartsOfTheQuestionsHaveIntervalsFromPeople(t *testing.T) {
	t.Parallel()
	r := pleased(8, map[string]float64{"a": 0.6, "b": 0.7, "c": 0.5}, 1)
	r.Attributes = []string{"source"}
	for i := range r.Rows {
		r.Rows[i].Attributes = []string{[]string{"ours", "theirs"}[int(r.Rows[i].Question[0])%2]}
	}
	p := DefaultParameters()
	p.Bootstrap, p.SubsetBy = 30, []string{"source"}
	o, err := OvertonScore(r, p)
	if err != nil {
		t.Fatal(err)
	}
	steps := make(chan struct{}, 1000)
	if err := o.BootstrapParticipants(t.Context(), r, nil, func() { steps <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	if len(steps) != o.Resamplings() {
		t.Errorf("%d steps, %d said", len(steps), o.Resamplings())
	}
	if len(o.Subsets) != 2 {
		t.Fatalf("%d subsets", len(o.Subsets))
	}
	for _, s := range o.Subsets {
		part, err := r.where(s.Attribute, s.Value)
		if err != nil {
			t.Fatal(err)
		}
		q := p
		q.SubsetBy = nil
		alone, err := OvertonScore(part, q)
		if err != nil {
			t.Fatal(err)
		}
		if err := alone.BootstrapParticipants(t.Context(), part, nil, func() {}); err != nil {
			t.Fatal(err)
		}
		for m := range s.Models {
			if got := s.Models[m].Intervals.Participants; got == nil || *got != *alone.Models[m].Intervals.Participants {
				t.Errorf("%s, %s: %v, scored alone %v", s.Value, s.Models[m].Model, got, alone.Models[m].Intervals.Participants)
			}
		}
	}
}
