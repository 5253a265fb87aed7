package llm_test

import (
	"fmt"
	"strings"
	"testing"

	"overton/internal/llm"
	"overton/internal/llm/llmtest"
	"overton/internal/score"
)

// manyRatings is a judging of 24 ratings by each of some people, with texts of
// the lengths of the published study.
func manyRatings(people int) *llm.Judging {
	j := judging(llm.FewShotFreeResponse)
	j.Ratings.Rows = nil
	for q := range 60 {
		j.Questions[fmt.Sprint(q)] = strings.Repeat("question ", 15)
		for m := range 8 {
			j.Responses[[2]string{fmt.Sprint(q), fmt.Sprint("model-", m)}] = fmt.Sprint(q, m) + strings.Repeat(" response", 80)
		}
	}
	for p := range people {
		for k := range 3 {
			view := fmt.Sprint(p, strings.Repeat(" opinion", 30))
			for m := range 8 {
				j.Ratings.Rows = append(j.Ratings.Rows, score.Rating{Participant: fmt.Sprint("p", p), Question: fmt.Sprint((p*3 + k*7) % 60), Model: fmt.Sprint("model-", m), Value: float64(1 + (p+m)%5), Attributes: []string{view, "41", "Female"}})
			}
		}
	}
	return j
}

// BenchmarkJudgeRequests makes the requests of 100 people.
func BenchmarkJudgeRequests(b *testing.B) {
	j := manyRatings(100)
	for b.Loop() {
		if n := len(requestsOf(b, j)); n != 2400 {
			b.Fatal(n)
		}
	}
}

// BenchmarkDo asks 1,000 requests of an endpoint that answers at once.
func BenchmarkDo(b *testing.B) {
	s := llmtest.New(echo)
	defer s.Close()
	m := modelOf(s)
	m.Limits.Concurrency = 64
	for b.Loop() {
		run := open(b, b.TempDir(), llm.Settings{})
		if report := do(b, run, clientOf(b, m), numbered(1000)); report.Asked != 1000 {
			b.Fatal(report.Err())
		}
		run.Close()
	}
}
