package score

import (
	"math"
	"testing"
)

// On question 1 the judge repeats people; on question 2 it is always one too
// high, and blind to one rating.
func TestAJudgeIsHeldAgainstPeopleQuestionByQuestion(t *testing.T) {
	t.Parallel()
	var r Ratings
	var predictions []float64
	for _, question := range []string{"2", "1"} {
		for _, person := range []string{"a", "b", "c"} {
			for m, value := range []float64{1, 3, 4} {
				r.Rows = append(r.Rows, Rating{Participant: person, Question: question, Model: string(rune('k' + m)), Value: value})
				predicted := value
				if question == "2" {
					if predicted++; person == "c" && m == 0 {
						predicted = math.NaN()
					}
				}
				predictions = append(predictions, predicted)
			}
		}
	}
	p := DefaultParameters()
	p.Bootstrap = 50
	list := AgreementByQuestion(r, predictions, p)
	if len(list) != 2 || list[0].Question != "1" || list[1].Question != "2" {
		t.Fatalf("%+v", list)
	}
	if a := list[0]; a.N != 9 || a.Dropped != 0 || a.MAE != 0 || a.Bias != 0 || a.WithinPerson != 1 || a.HumanHigh != a.JudgeHigh {
		t.Errorf("question 1: %+v", a)
	}
	if a := list[1]; a.N != 8 || a.Dropped != 1 || a.MAE != 1 || a.Bias != 1 || a.WithinPerson != 1 || math.Abs(float64(a.HumanHigh)-3.0/8) > 1e-12 || math.Abs(float64(a.JudgeHigh)-6.0/8) > 1e-12 || a.CI.MAE.Low != 1 {
		t.Errorf("question 2: %+v", a)
	}
}
