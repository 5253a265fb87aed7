package score

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sided makes an item whose five answers take sides from -1 to 1, and a refusal.
func sided(id string, topic int) OpinionItem {
	it := OpinionItem{ID: id, Topics: []int{topic}}
	for k := range 5 {
		it.Options = append(it.Options, OpinionOption{Label: string(rune('A' + k)), Polarity: Number(-1 + float64(k)/2)})
	}
	it.Options = append(it.Options, OpinionOption{Label: "Refused", Polarity: Undefined(), Refusal: true})
	return it
}

func TestARefusalStandsBesideTheMiddle(t *testing.T) {
	t.Parallel()
	s := &OpinionSurvey{Topics: []OpinionTopic{{Name: "Made up", Polar: true}}, Items: []OpinionItem{sided("1", 0)}}
	for option, apart := range map[int]float64{2: 0.5, 3: math.Sqrt(0.5), 4: math.Sqrt(1.25), 5: 0} {
		run := &OpinionRun{Repetitions: []int{1, 2}, Answers: [][]int{{5}, {option}}}
		got := s.ScorePobs(run, 0, 1).Reliability[Likert]
		if want := 1 - apart/2; math.Abs(float64(got)-want) > 1e-12 {
			t.Errorf("refused against option %d: %v, want %v", option, got, want)
		}
	}
}

func TestAxesSwapTheSidesOfSocialism(t *testing.T) {
	t.Parallel()
	s := &OpinionSurvey{Topics: []OpinionTopic{{Name: "Individualism vs. Collectivism", Polar: true}, {Name: "Socialism vs. Capitalism", Polar: true}, {Name: "AI Precautionary vs. Optimism", Polar: true}}}
	s.Items = []OpinionItem{sided("1", 0), sided("2", 1), sided("3", 2)}
	p := s.ScorePobs(&OpinionRun{Repetitions: []int{1}, Answers: [][]int{{0, 4, 4}}}, 0, 1)
	if p.Axes.Individualism != -1 || p.Axes.Progressivism.Defined() {
		t.Errorf("axes %+v", p.Axes)
	}
}

func TestNothingAskedIsNothingScored(t *testing.T) {
	t.Parallel()
	s := &OpinionSurvey{Topics: []OpinionTopic{{Name: "Made up", Polar: true}}, Items: []OpinionItem{sided("1", 0), sided("2", 0)}}
	p := s.ScorePobs(&OpinionRun{Repetitions: []int{1}, Answers: [][]int{{NotAsked, NotAsked}}}, 20, 1)
	for name, v := range map[string]Number{"NNI": p.NNI, "TCI": p.TCI, "reliability": p.Reliability[Likert], "invalid": p.InvalidPct} {
		if v.Defined() {
			t.Errorf("%s = %v", name, v)
		}
	}
	if len(p.NoValid) != 0 {
		t.Errorf("items without valid answer: %v", p.NoValid)
	}
}

// With items drawn from a population whose consistency is known, the intervals
// hold it about as often as they say.
func TestPobsIntervalsHoldThePopulationsValue(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many surveys")
	}
	rng := rand.New(rand.NewPCG(7, 7))
	const surveys, items = 300, 20
	inNNI, inTCI := 0, 0
	// Answers are even over the five options: mean |v| 0.6, standard deviation sqrt(0.5).
	for range surveys {
		s := &OpinionSurvey{}
		answers := []int{}
		for topic := range 5 {
			s.Topics = append(s.Topics, OpinionTopic{Name: string(rune('a' + topic)), Polar: true})
			for range items {
				s.Items = append(s.Items, sided("x", topic))
				answers = append(answers, rng.IntN(5))
			}
		}
		ci := s.ScorePobs(&OpinionRun{Repetitions: []int{1}, Answers: [][]int{answers}}, 300, rng.Uint64()).CI
		if ci.NNI.Low <= 0.6 && 0.6 <= ci.NNI.High {
			inNNI++
		}
		if tci := Number(1 - math.Sqrt(0.5)); ci.TCI.Low <= tci && tci <= ci.TCI.High {
			inTCI++
		}
	}
	t.Logf("held: NNI %d, TCI %d of %d", inNNI, inTCI, surveys)
	if inNNI < surveys*88/100 || inTCI < surveys*88/100 {
		t.Errorf("held the value NNI %d, TCI %d of %d times; 95 %% are due", inNNI, inTCI, surveys)
	}
}

func TestOpinionsChangeWhenTheyMoveByOne(t *testing.T) {
	t.Parallel()
	s := &OpinionSurvey{Topics: []OpinionTopic{{Name: "a", Polar: true}, {Name: "b"}}}
	s.Items = []OpinionItem{sided("1", 0), sided("2", 0), sided("3", 0), sided("4", 1)}
	from := &OpinionRun{Repetitions: []int{1, 3}, Answers: [][]int{{0, 0, 5, 0}, {2, 2, 2, 2}}}
	to := &OpinionRun{Repetitions: []int{1, 2}, Answers: [][]int{{2, 3, 0, 4}, {4, 4, 4, 4}}}
	c := s.change(from, to)
	if c.Pairs != 2 || c.Changed != 2 || c.Further != 1 || c.ByTopic["a"] != 2 {
		t.Errorf("%+v", c)
	}
}

// Worked by hand: two tight pairs far apart.
func TestWardJoinsTheClosestFirst(t *testing.T) {
	t.Parallel()
	joins := ward([][]float64{{0}, {10}, {1}, {12}})
	want := []Join{{0, 2, 1, 2}, {1, 3, 2, 2}, {4, 5, 10.5 * math.Sqrt(2), 4}}
	for i, w := range want {
		g := joins[i]
		if g.A != w.A || g.B != w.B || g.Size != w.Size || math.Abs(g.Height-w.Height) > 1e-12 {
			t.Errorf("join %d is %+v, want %+v", i, g, w)
		}
	}
	if order := leafOrder(4, joins); order[0] != 0 || order[1] != 2 || order[3] != 3 {
		t.Errorf("order %v", order)
	}
}
