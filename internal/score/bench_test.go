package score

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// paperSized plants ratings of the size of OvertonBench: 1,208 participants
// on 3 of 60 questions each, 8 models, about 6 groups a question.
func paperSized(seed uint64) Ratings {
	const participants, questions, each, models, groups = 1208, 60, 3, 8, 6
	rng := rand.New(rand.NewPCG(seed, 0))
	var r Ratings
	for p := range participants {
		for i := range each {
			q := (p*each + i) % questions
			group := min(rng.IntN(groups+4), groups-1)
			for m := range models {
				value := 1 + float64((q*7+group*5+m*3)%4) + float64(rng.IntN(2))
				r.Rows = append(r.Rows, Rating{
					Participant: fmt.Sprint("p", p), Question: fmt.Sprint(q), Model: fmt.Sprint("m", m),
					Value: value, Group: fmt.Sprint(group),
				})
			}
		}
	}
	return r
}

// BenchmarkOvertonScore scores 28,992 ratings with 1,000 question-level
// resamples.
func BenchmarkOvertonScore(b *testing.B) {
	r := paperSized(1)
	if len(r.Rows) != 28992 {
		b.Fatalf("%d ratings", len(r.Rows))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := OvertonScore(r, DefaultParameters()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkJudgeAgreement compares 28,992 predictions with 1,000 resamples.
func BenchmarkJudgeAgreement(b *testing.B) {
	r := paperSized(1)
	rng := rand.New(rand.NewPCG(2, 0))
	predictions := make([]float64, len(r.Rows))
	for i := range predictions {
		predictions[i] = float64(1 + rng.IntN(5))
	}
	for b.Loop() {
		if _, err := JudgeAgreement(r, predictions, nil, DefaultParameters(), nil); err != nil {
			b.Fatal(err)
		}
	}
}
