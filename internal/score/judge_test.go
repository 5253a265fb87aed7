package score

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

func judgeSmall(t *testing.T, r Ratings, predict func(Rating) float64) *Judge {
	t.Helper()
	predictions := make([]float64, len(r.Rows))
	for i, row := range r.Rows {
		predictions[i] = predict(row)
	}
	p := DefaultParameters()
	p.Bootstrap = 100
	j, err := JudgeAgreement(r, predictions, nil, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestAPerfectJudge(t *testing.T) {
	t.Parallel()
	j := judgeSmall(t, small(), func(r Rating) float64 { return r.Value })
	wantNumber(t, "mae", j.Judge.MAE, 0)
	wantNumber(t, "spearman", j.Judge.Spearman, 1)
	wantNumber(t, "within person", j.Judge.WithinPerson, 1)
	wantNumber(t, "high", j.Judge.JudgeHigh, j.Judge.HumanHigh)
	wantInterval(t, "mae", j.Judge.CI.MAE, Interval{0, 0})
	for _, m := range j.LeaveOneModelOut.Models {
		wantNumber(t, m.Model, m.DeltaAdjusted, 0)
	}
	if j.LeaveOneModelOut.SpearmanRaw.Defined() {
		t.Error("two models have a rank correlation")
	}
	if j.Similarity != nil {
		t.Error("similarity without texts")
	}
}

func TestAJudgeOfPeopleAloneAgreesPooledButNotWithinPerson(t *testing.T) {
	t.Parallel()
	generous := map[string]float64{"a": 1, "b": 2, "c": 3, "d": 4}
	var rows []Rating
	for who, v := range generous {
		rows = append(rows, rate(who, "1", "A", map[string]float64{"m1": v, "m2": v + 1})...)
	}
	j := judgeSmall(t, Ratings{Rows: rows}, func(r Rating) float64 { return generous[r.Participant] })
	if j.Judge.Spearman < 0.9 {
		t.Errorf("pooled Spearman %v", j.Judge.Spearman)
	}
	if j.Judge.WithinPerson.Defined() {
		t.Errorf("constant predictions within a person correlate: %v", j.Judge.WithinPerson)
	}
	wantNumber(t, "bias", j.Judge.Bias, -0.5)
}

func TestErrorSpreadFindsTheModelTheJudgeMisreads(t *testing.T) {
	t.Parallel()
	j := judgeSmall(t, small(), func(r Rating) float64 {
		if r.Model == "m1" {
			return r.Value
		}
		return r.Value + 2
	})
	model := j.Subgroups[0]
	if model.Attribute != "model" {
		t.Fatalf("subgroups %+v", j.Subgroups)
	}
	wantNumber(t, "eta2", model.Eta2, 1)
	wantNumber(t, "m1", model.Values[0].MAE, 0)
	wantNumber(t, "m2", model.Values[1].MAE, 2)
}

func TestJudgeAgreementKnowsNoRowOrder(t *testing.T) {
	t.Parallel()
	r := paperSized(2)
	r.Rows = r.Rows[:2000]
	predict := func(r Rating) float64 { return 1 + math.Mod(r.Value*1.7+float64(len(r.Participant))*0.3, 4) }
	want, err := json.Marshal(judgeSmall(t, r, predict))
	if err != nil {
		t.Fatal(err)
	}
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(r.Rows), func(i, j int) { r.Rows[i], r.Rows[j] = r.Rows[j], r.Rows[i] })
	got, err := json.Marshal(judgeSmall(t, r, predict))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("shuffled rows give another result")
	}
}

func TestBootstrapWeightsEqualRepeatedRows(t *testing.T) {
	t.Parallel()
	human, judge := []float64{1, 2, 2, 5}, []float64{2, 1.5, 3, 4}
	once := pairUp(human, judge, []int{0, 0, 1, 1}, []int{0, 0, 1, 1}).agreement([]int{1, 2})
	twice := pairUp(append(human, human[2:]...), append(judge, judge[2:]...), []int{0, 0, 1, 1, 2, 2}, []int{0, 0, 1, 1, 1, 1}).agreement(nil)
	wantNumber(t, "mae", once.MAE, twice.MAE)
	wantNumber(t, "spearman", once.Spearman, twice.Spearman)
	wantNumber(t, "pearson", once.Pearson, twice.Pearson)
	wantNumber(t, "within person", once.WithinPerson, twice.WithinPerson)
}

func TestSimilarityTrustsTheLikerResponse(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"m1": "taxes pay for roads", "m2": "taxes pay for schools", "m3": "cats sleep"}
	r := Ratings{Attributes: []string{"llm_response", "freeresponse"}, Rows: rate("a", "1", "A", map[string]float64{"m1": 5, "m2": 4, "m3": 1})}
	for i := range r.Rows {
		r.Rows[i].Attributes = []string{texts[r.Rows[i].Model], "roads"}
	}
	s, err := CompareTexts(r, "llm_response", "freeresponse")
	if err != nil {
		t.Fatal(err)
	}
	wantNumber(t, "nearest to m1", Number(s.Nearest[0]), 4)
	wantNumber(t, "weighted for m1", Number(s.Weighted[0]), 4)
	wantNumber(t, "nothing is like m3", Number(s.Weighted[2]), 4.5)
	wantNumber(t, "m3 and the own view", Number(s.Linear[2]), 3)
	if s.Linear[0] <= 3 {
		t.Errorf("m1 shares a word with the own view, predicted %v", s.Linear[0])
	}
	if _, err := CompareTexts(r, "text", "freeresponse"); err == nil {
		t.Error("a missing attribute was accepted")
	}
}
