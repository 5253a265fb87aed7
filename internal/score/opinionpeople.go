package score

import (
	"math"
	"math/rand/v2"
)

// Estimate is a number about a sample of people with its 95 % interval: Wilson's for a share, otherwise
// percentiles from resampling people, which need more than one person.
type Estimate struct {
	Value Number   `json:"value"`
	CI    Interval `json:"ci"`
	N     int      `json:"n"` // people who have the number
}

// PeopleOpinions are the numbers of POBs for a sample of people. Each is the weighted mean of the numbers of
// single people, scored as a model's are, so that the two can be compared.
type PeopleOpinions struct {
	People int `json:"people"`

	NNI Estimate `json:"nni"`
	TCI Estimate `json:"tci"`
	// TCITogether is the consistency of the sample taken as one respondent, with its people as the
	// repetitions. It is higher if people differ.
	TCITogether Estimate `json:"tci_together"`
	// Reliability is from items that a person was asked twice.
	Reliability   Estimate `json:"reliability"`
	Individualism Estimate `json:"individualism_collectivism"`
	Progressivism Estimate `json:"progressivism_conservatism"`
	RefusedPct    Estimate `json:"refused_pct"`
	NeutralPct    Estimate `json:"neutral_pct"`

	// Places are the people's own places on the axes, in the order given.
	Places []Axes `json:"places"`
}

// ScorePeople scores a sample. Each run is one person's; weights, nil for 1,
// are by person.
func (s *OpinionSurvey) ScorePeople(runs []*OpinionRun, weights []float64, bootstrap int, seed uint64) *PeopleOpinions {
	p := &PeopleOpinions{People: len(runs)}
	scores := make([]*PobsScore, len(runs))
	means := make([][]float64, len(runs))
	inParallel(len(runs), func(i int) {
		scores[i] = s.ScorePobs(runs[i], 0, 0)
		means[i] = scoreItems(s.opinions(runs[i], Likert)).mean
	})
	column := func(of func(*PobsScore) Number) []float64 {
		values := make([]float64, len(runs))
		for i, score := range scores {
			values[i] = float64(of(score))
		}
		return values
	}
	for _, c := range scores {
		p.Places = append(p.Places, c.Axes)
	}
	draws := drawPeople(len(runs), bootstrap, seed)
	estimate := func(of func(*PobsScore) Number) Estimate { return weightedEstimate(column(of), weights, draws) }
	p.NNI = estimate(func(c *PobsScore) Number { return c.NNI })
	p.TCI = estimate(func(c *PobsScore) Number { return c.TCI })
	p.Reliability = estimate(func(c *PobsScore) Number { return c.Reliability[Likert] })
	p.Individualism = estimate(func(c *PobsScore) Number { return c.Axes.Individualism })
	p.Progressivism = estimate(func(c *PobsScore) Number { return c.Axes.Progressivism })
	p.RefusedPct = estimate(func(c *PobsScore) Number { return c.RefusedPct })
	p.NeutralPct = estimate(func(c *PobsScore) Number { return c.NeutralPct[Likert] })
	p.TCITogether = s.together(means, weights, draws)
	return p
}

// together is the consistency of the items' means over people.
func (s *OpinionSurvey) together(means [][]float64, weights []float64, draws [][]int) Estimate {
	consistency := func(times []int) float64 {
		sum, mass := make([]float64, len(s.Items)), make([]float64, len(s.Items))
		for i, person := range means {
			w := float64(count(times, i)) * weightOf(weights, i)
			for k, v := range person {
				if !math.IsNaN(v) && w > 0 {
					sum[k] += w * v
					mass[k] += w
				}
			}
		}
		for k := range sum {
			sum[k] /= mass[k] // NaN where nobody answered
		}
		return 1 - s.overTopics(true, func(items []int) float64 { return spread(pick(sum, items), 1) })
	}
	e := Estimate{Value: Number(consistency(nil)), CI: UndefinedInterval(), N: len(means)}
	if len(draws) > 0 && e.N > 1 {
		values := make([]float64, len(draws))
		inParallel(len(draws), func(b int) { values[b] = consistency(draws[b]) })
		e.CI, _ = percentileInterval(values)
	}
	return e
}

// drawPeople draws n people with replacement, several times, and counts each.
func drawPeople(n, bootstrap int, seed uint64) [][]int {
	rng := rand.New(rand.NewPCG(seed, streamPeople))
	draws := make([][]int, bootstrap)
	for b := range draws {
		draws[b] = drawTimes(n, rng)
	}
	return draws
}

func weightOf(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// weightedMean is the mean of the defined values, each counted times[i] times
// (nil: once); NaN if there are none.
func weightedMean(values, weights []float64, times []int) float64 {
	sum, mass := 0.0, 0.0
	for i, v := range values {
		if !math.IsNaN(v) {
			w := float64(count(times, i)) * weightOf(weights, i)
			sum += w * v
			mass += w
		}
	}
	return sum / mass
}

func weightedEstimate(values, weights []float64, draws [][]int) Estimate {
	e := Estimate{Value: Number(weightedMean(values, weights, nil)), CI: UndefinedInterval()}
	for _, v := range values {
		if !math.IsNaN(v) {
			e.N++
		}
	}
	if len(draws) > 0 && e.N > 1 {
		means := make([]float64, len(draws))
		for b, times := range draws {
			means[b] = weightedMean(values, weights, times)
		}
		e.CI, _ = percentileInterval(means)
	}
	return e
}

// Shares are the weighted shares of each value among those who have one, by value from 0 to n-1. Negative
// values mean none. The intervals are Wilson's (1927) at Kish's effective number of people, so that a share
// of 0 or 1 also has one; there is none without people.
func Shares(values []int, n int, weights []float64) []Estimate {
	people, sum, squares := 0, 0.0, 0.0
	mass := make([]float64, n)
	for i, v := range values {
		if v >= 0 {
			w := weightOf(weights, i)
			people, sum, squares = people+1, sum+w, squares+w*w
			mass[v] += w
		}
	}
	shares := make([]Estimate, n)
	for v := range shares {
		shares[v] = Estimate{Value: Number(mass[v] / sum), CI: wilson(mass[v]/sum, sum*sum/squares), N: people}
	}
	return shares
}

// wilson is the 95 % score interval of a share p of n.
func wilson(p, n float64) Interval {
	if math.IsNaN(p) || math.IsNaN(n) {
		return UndefinedInterval()
	}
	const z = 1.959963984540054
	middle, half := (p+z*z/(2*n))/(1+z*z/n), z/(1+z*z/n)*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return Interval{Number(math.Max(0, middle-half)), Number(math.Min(1, middle+half))}
}

// Weighted are values with their weights.
type Weighted struct{ Values, Weights []float64 }

// Add appends a value.
func (w *Weighted) Add(value, weight float64) {
	w.Values, w.Weights = append(w.Values, value), append(w.Weights, weight)
}

// MeanDifference is how much higher the mean of a is than that of b, with an
// interval from resampling both samples.
func MeanDifference(a, b Weighted, bootstrap int, seed uint64) Estimate {
	e := Estimate{CI: UndefinedInterval(), N: len(a.Values) + len(b.Values)}
	e.Value = Number(weightedMean(a.Values, a.Weights, nil) - weightedMean(b.Values, b.Weights, nil))
	if bootstrap > 0 && len(a.Values) > 1 && len(b.Values) > 1 {
		first, second := drawPeople(len(a.Values), bootstrap, seed), drawPeople(len(b.Values), bootstrap, seed+1)
		differences := make([]float64, bootstrap)
		for i := range differences {
			differences[i] = weightedMean(a.Values, a.Weights, first[i]) - weightedMean(b.Values, b.Weights, second[i])
		}
		e.CI, _ = percentileInterval(differences)
	}
	return e
}
