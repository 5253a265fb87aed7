package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
)

// percentileInterval is the 95 % percentile interval of the defined values,
// with linear interpolation between order statistics (position (n-1)·p), and
// how many there were.
func percentileInterval(values []float64) (Interval, int) {
	sorted := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) {
			sorted = append(sorted, v)
		}
	}
	if len(sorted) == 0 {
		return UndefinedInterval(), 0
	}
	slices.Sort(sorted)
	return Interval{Number(percentile(sorted, 0.025)), Number(percentile(sorted, 0.975))}, len(sorted)
}

func percentile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	below := int(at)
	if below == len(sorted)-1 {
		return sorted[below]
	}
	return sorted[below] + (at-float64(below))*(sorted[below+1]-sorted[below])
}

func undefinedScoreIntervals() ScoreIntervals {
	none := UndefinedInterval()
	return ScoreIntervals{Raw: none, Weighted: none, Adjusted: none, AdjustedWeighted: none}
}

// scoreIntervals turns the replicates of model m into intervals.
func scoreIntervals(replicates []estimates, m int) ScoreIntervals {
	of := func(score func(estimates) []float64) (Interval, int) {
		values := make([]float64, len(replicates))
		for b, e := range replicates {
			values[b] = score(e)[m]
		}
		return percentileInterval(values)
	}
	var s ScoreIntervals
	s.Raw, _ = of(func(e estimates) []float64 { return e.raw })
	s.Weighted, _ = of(func(e estimates) []float64 { return e.weighted })
	s.Adjusted, s.Used = of(func(e estimates) []float64 { return e.adjusted })
	s.AdjustedWeighted, _ = of(func(e estimates) []float64 { return e.adjustedWeighted })
	return s
}

// drawTimes draws n questions with replacement and counts each.
func drawTimes(n int, rng *rand.Rand) []int {
	times := make([]int, n)
	for range n {
		times[rng.IntN(n)]++
	}
	return times
}

// inParallel calls f for 0 to n-1 on all cores, in any order. A panic in a call
// comes up in the caller, who can recover from it.
func inParallel(n int, f func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	var broken atomic.Value // the first panic, with its stack
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					broken.CompareAndSwap(nil, fmt.Sprintf("%v\n%s", p, debug.Stack()))
				}
			}()
			for i := next.Add(1) - 1; i < int64(n) && broken.Load() == nil; i = next.Add(1) - 1 {
				f(int(i))
			}
		})
	}
	workers.Wait()
	if p := broken.Load(); p != nil {
		panic(p)
	}
}

// Streams of the random numbers of one seed, so that no two uses share draws.
const (
	streamQuestions uint64 = iota + 1
	streamParticipants
	streamAgreement
	streamSubgroups
	streamItems
	streamPeople
	streamCalibration
)

// bootstrapQuestions computes the intervals from drawing questions with replacement: every resample scores
// the models on the drawn questions, and one that was drawn twice counts twice (the paper's bootstrap). A
// single question is the same in every resample and says nothing about others: undefined.
func bootstrapQuestions(models []ModelScore, outcomes [][]outcome, p Parameters) {
	if p.Bootstrap == 0 || len(outcomes) < 2 {
		return
	}
	rng := rand.New(rand.NewPCG(p.Seed, streamQuestions))
	replicates := make([]estimates, p.Bootstrap)
	for b := range replicates {
		replicates[b] = estimate(outcomes, drawTimes(len(outcomes), rng))
	}
	for m := range models {
		models[m].Intervals.Questions = scoreIntervals(replicates, m)
		models[m].CI = models[m].Intervals.Questions.Adjusted
	}
}

// meanInterval is the percentile interval of the mean of the defined values,
// from resampling them.
func meanInterval(values []float64, bootstrap int, seed, stream uint64) Interval {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(values) < 2 || bootstrap == 0 {
		return UndefinedInterval()
	}
	rng := rand.New(rand.NewPCG(seed, streamItems<<32|stream))
	means := make([]float64, bootstrap)
	for b := range means {
		sum := 0.0
		for range values {
			sum += values[rng.IntN(len(values))]
		}
		means[b] = sum / float64(len(values))
	}
	interval, _ := percentileInterval(means)
	return interval
}
