package study

import (
	"cmp"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// Rand makes the generator for one decision about one submission. The same
// seed and purpose give the same draws, so a study can be replayed.
func Rand(seed uint64, purpose string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// Load is how many of a question's places are taken.
type Load struct {
	Question string
	Done     int // complete submissions
	Live     int // reservations that have not expired
}

// ErrFull means that no places are left; ErrBusy means that all are taken, but some are only reserved and may
// become free.
var (
	ErrFull = errors.New("all places are filled")
	ErrBusy = errors.New("all places are taken for now")
)

// ChooseQuestions assigns n different questions: those with the fewest done and live places first, ties at
// random, in random order. A question with target places taken is never chosen. Where fewer than n questions
// are unfilled, it assigns as many of them as have a place left, so that the last places are filled, too. The
// error is ErrFull if no question is unfilled, and ErrBusy if too few have a place left for now.
func ChooseQuestions(loads []Load, n, target int, rng *rand.Rand) ([]string, error) {
	var open []Load
	unfilled := 0
	for _, l := range loads {
		if l.Done < target {
			unfilled++
		}
		if l.Done+l.Live < target {
			open = append(open, l)
		}
	}
	if unfilled == 0 {
		return nil, ErrFull
	}
	if len(open) == 0 || len(open) < n && unfilled >= n {
		return nil, ErrBusy
	}
	n = min(n, len(open))
	// Sorting by id first makes the draw independent of the order given.
	slices.SortFunc(open, func(a, b Load) int { return cmp.Compare(a.Question, b.Question) })
	rng.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	slices.SortStableFunc(open, func(a, b Load) int { return cmp.Compare(a.Done+a.Live, b.Done+b.Live) })
	chosen := make([]string, n)
	for i := range chosen {
		chosen[i] = open[i].Question
	}
	rng.Shuffle(n, func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	return chosen, nil
}

// ChooseModels draws whose responses a person rates, and in which order. n = 0 takes all of them.
func ChooseModels(models []string, n int, rng *rand.Rand) []string {
	drawn := slices.Clone(models)
	rng.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	if n > 0 && n < len(drawn) {
		drawn = drawn[:n]
	}
	return drawn
}

// Candidate is a statement that could be drawn for a vote: visible, on the question, written by someone else
// and not yet drawn for this person.
type Candidate struct {
	Statement string
	Votes     int // cast on it
}

// Mixing is the share of draws that ignore vote counts. Without it, everyone who arrives at the same time is
// shown the same few newest statements. People and statements are then linked by when they came, which an
// analysis mistakes for viewpoints (docs/clustering.md has the figures).
const Mixing = 0.5

// ChooseStatement draws the next statement for a vote. A share of the draws, mixing, is uniform over all
// candidates; the others take a statement with the fewest votes, ties at random. It returns the index drawn
// and the probability with which it was drawn, for inverse-probability weighting. candidates must not be
// empty.
func ChooseStatement(candidates []Candidate, mixing float64, rng *rand.Rand) (index int, probability float64) {
	fewest := candidates[0].Votes
	for _, c := range candidates {
		fewest = min(fewest, c.Votes)
	}
	var least []int
	for i, c := range candidates {
		if c.Votes == fewest {
			least = append(least, i)
		}
	}
	if rng.Float64() < mixing {
		index = rng.IntN(len(candidates))
	} else {
		index = least[rng.IntN(len(least))]
	}
	probability = mixing / float64(len(candidates))
	if candidates[index].Votes == fewest {
		probability += (1 - mixing) / float64(len(least))
	}
	return index, probability
}

// VotesWanted is how many votes to ask for on a question on which the person can still see some statements.
func VotesWanted(perQuestion, cast, available int) int { return min(perQuestion, cast+available) }
