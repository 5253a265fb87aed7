package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func calibrationPairs(xy ...float64) (pairs []calibrationPair) {
	for i := 0; i < len(xy); i += 2 {
		pairs = append(pairs, calibrationPair{xy[i], xy[i+1]})
	}
	return pairs
}

func TestIsotonicPoolsWhatFalls(t *testing.T) {
	t.Parallel()
	// Means at 1, 2, 3, 5 are 2, 4, 3, 5; those at 2 (n 1) and 3 (n 2) fall, and
	// pool to (4 + 3 + 3) / 3.
	f := fitIsotonic(calibrationPairs(3, 3, 1, 1, 1, 3, 2, 4, 3, 3, 5, 5))
	for x, want := range map[float64]float64{0.5: 2, 1: 2, 1.5: 2 + (10./3-2)/2, 2: 10. / 3, 2.5: 10. / 3, 3: 10. / 3, 4: (10./3 + 5) / 2, 5: 5, 6: 5} {
		if got := f(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("at %g it is %g; want %g", x, got, want)
		}
	}
}

func TestOrdinalMeetsClosedForms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		pairs []calibrationPair
		want  map[float64]float64
	}{
		// With two ratings and two predictions the model is saturated: the
		// expected rating is the mean at each prediction.
		{"saturated", calibrationPairs(2, 1, 2, 1, 2, 1, 2, 5, 4, 1, 4, 5, 4, 5, 4, 5), map[float64]float64{2: 2, 4: 4, 3: 3}},
		{"one prediction", calibrationPairs(4, 1, 4, 2, 4, 3, 4, 5), map[float64]float64{4: 11. / 4}},
		{"one rating", calibrationPairs(1, 4, 5, 4), map[float64]float64{1: 4, 3: 4}},
		{"a judge the wrong way round teaches shares alone", calibrationPairs(1, 5, 2, 4, 5, 1, 4, 2), map[float64]float64{1: 3, 5: 3}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := fitOrdinal(test.pairs)
			for x, want := range test.want {
				if got := f(x); math.Abs(got-want) > 2e-3 {
					t.Errorf("at %g it is %g; want %g", x, got, want)
				}
			}
		})
	}
}

func TestOrdinalFindsThePlantedModel(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	theta, beta := []float64{-2, -1, 0.5, 1.5}, 1.2
	share := func(k int, x float64) float64 { // P(rating ≤ k)
		if k == 5 {
			return 1
		}
		return logistic(theta[k-1] - beta*(x-3))
	}
	var pairs []calibrationPair
	for range 40000 {
		x, u, k := float64(1+rng.IntN(9))/2+0.5, rng.Float64(), 1
		for u > share(k, x) {
			k++
		}
		pairs = append(pairs, calibrationPair{x, float64(k)})
	}
	f := fitOrdinal(pairs)
	for x := 1.0; x <= 5; x += 0.5 {
		want := 5.0
		for k := 1; k < 5; k++ {
			want -= share(k, x)
		}
		if got := f(x); math.Abs(got-want) > 0.05 {
			t.Errorf("at %g it is %g; want %g", x, got, want)
		}
	}
}

func TestOrdinalStandsPerfectSeparation(t *testing.T) {
	t.Parallel()
	f := fitOrdinal(calibrationPairs(1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 1, 1, 5, 5))
	for x := 1.0; x <= 5; x++ {
		if got := f(x); !(math.Abs(got-x) < 0.3) {
			t.Errorf("at %g it is %g", x, got)
		}
	}
}

// calibrationRatings are people × models ratings of two questions; the judge
// says half of what is above 1, so that it never says 4.
func calibrationRatings(people int) (r Ratings, predictions []float64) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, q := range []string{"q1", "q2"} {
		for p := range people {
			for m := range 8 {
				v := float64(1 + rng.IntN(5))
				r.Rows = append(r.Rows, Rating{Participant: fmt.Sprint("p", p), Question: q, Model: fmt.Sprint("m", m), Value: v, Group: fmt.Sprint(p % 2)})
				predictions = append(predictions, 1+(v-1)/2)
			}
		}
	}
	return r, predictions
}

func TestCalibrationUndoesAShrunkenJudge(t *testing.T) {
	t.Parallel()
	r, predictions := calibrationRatings(20)
	for _, method := range []CalibrationMethod{Isotonic, Ordinal} {
		c, err := Calibrate(r, predictions, method, 5, 1)
		if err != nil {
			t.Fatal(err)
		}
		before, err := JudgeAgreement(r, predictions, nil, Parameters{Tau: 4, Missing: DefaultParameters().Missing}, nil)
		if err != nil {
			t.Fatal(err)
		}
		after, err := JudgeAgreement(r, c.Predictions, nil, Parameters{Tau: 4, Missing: DefaultParameters().Missing}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if before.Judge.JudgeHigh != 0 || after.Judge.MAE > 0.1 || math.Abs(float64(after.Judge.Bias)) > 0.05 {
			t.Errorf("%s: share of 4 and more %g before; after, MAE %g and bias %g; want 0, and almost 0", method, before.Judge.JudgeHigh, after.Judge.MAE, after.Judge.Bias)
		}
		if got := c.Apply("q1", 3); math.Abs(got-5) > 0.1 {
			t.Errorf("%s: a 3 becomes %g; want 5", method, got)
		}
		if !math.IsNaN(c.Apply("q9", 3)) {
			t.Errorf("%s: a question without ratings has a calibration", method)
		}
	}
}

func TestCalibrationLearnsNothingFromThePersonItself(t *testing.T) {
	t.Parallel()
	r, predictions := calibrationRatings(10)
	before, err := Calibrate(r, predictions, Isotonic, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Rows { // p0 changes its mind altogether
		if r.Rows[i].Participant == "p0" {
			r.Rows[i].Value = 6 - r.Rows[i].Value
		}
	}
	after, err := Calibrate(r, predictions, Isotonic, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	others := false
	for i, row := range r.Rows {
		switch {
		case row.Participant == "p0" && before.Predictions[i] != after.Predictions[i]:
			t.Fatalf("p0's calibrated rating moved from %g to %g with p0's own rating", before.Predictions[i], after.Predictions[i])
		case row.Participant != "p0" && before.Predictions[i] != after.Predictions[i]:
			others = true
		}
	}
	if !others {
		t.Error("nobody else's calibrated ratings moved")
	}
}

func TestCalibrationWithNobodyElseIsMissing(t *testing.T) {
	t.Parallel()
	r := Ratings{Rows: []Rating{{Participant: "a", Question: "q", Model: "m", Value: 3}}}
	c, err := Calibrate(r, []float64{2}, Ordinal, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(c.Predictions[0]) {
		t.Errorf("one person alone is calibrated to %g", c.Predictions[0])
	}
}
