package score

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The published tables of OvertonBench obey relations among themselves that
// say how their numbers were made: 15 questions of one source and 45 of
// another, every question weighing the same in the raw score, rows of groups
// in the adjusted one, p from the normal distribution. The same must hold
// here, on planted ratings of the same size.
func TestPublishedRelationsHoldOnPlantedData(t *testing.T) {
	t.Parallel()
	r := paperSized(3)
	r.Attributes = []string{"source"}
	rows := map[string]float64{} // groups by source
	for i := range r.Rows {
		row := &r.Rows[i]
		var question int
		fmt.Sscan(row.Question, &question)
		groups := 2 + question%7
		source := "prism"
		if question%4 == 0 {
			source, groups = "modelslant", 3+question%9
		}
		var who int
		fmt.Sscan(row.Participant[1:], &who)
		row.Group = fmt.Sprint((who*31 + question) % groups)
		row.Attributes = []string{source}
	}
	p := DefaultParameters()
	p.Bootstrap = 0
	p.SubsetBy = []string{"source"}
	o := mustScore(t, r, p)
	if len(o.Questions) != 60 || o.Ratings != 28992 || o.Participants != 1208 || len(o.Subsets) != 2 {
		t.Fatalf("%d questions, %d ratings, %d participants", len(o.Questions), o.Ratings, o.Participants)
	}
	slant, prism := o.Subsets[0], o.Subsets[1]
	if slant.Questions != 15 || prism.Questions != 45 {
		t.Fatalf("%d and %d questions", slant.Questions, prism.Questions)
	}
	for q, question := range o.Questions {
		source := "prism"
		if q%4 == 0 {
			source = "modelslant"
		}
		rows[source] += float64(len(question.Groups))
	}
	share := rows["modelslant"] / (rows["modelslant"] + rows["prism"])
	if math.Abs(share-0.25) < 0.02 {
		t.Fatalf("the groups are spread like the questions (%v): nothing would be shown", share)
	}
	var raw, adjusted, deviationOfRaw []float64
	for m, all := range o.Models {
		a, b := slant.Models[m], prism.Models[m]
		wantNumber(t, "raw, 15 and 45 questions", all.Raw, 0.25*a.Raw+0.75*b.Raw)
		wantNumber(t, "weighted, 15 and 45 questions", all.Weighted, 0.25*a.Weighted+0.75*b.Weighted)
		wantNumber(t, "difference, by groups", all.Difference.Estimate,
			Number(share)*a.Difference.Estimate+Number(1-share)*b.Difference.Estimate)
		wantNumber(t, "difference of the weighted score, by questions", all.DifferenceWeighted.Estimate,
			0.25*a.DifferenceWeighted.Estimate+0.75*b.DifferenceWeighted.Estimate)
		wantNumber(t, "adjusted weighted is weighted when the ratings are complete", all.AdjustedWeighted, all.Weighted)
		raw, adjusted = append(raw, float64(all.Raw)), append(adjusted, float64(all.Adjusted))
		deviationOfRaw = append(deviationOfRaw, math.Abs(float64(all.Raw-all.Adjusted)))
	}
	wantNumber(t, "mean of adjusted", Number(mean(adjusted)), Number(mean(raw)))
	if mean(deviationOfRaw) < 1e-4 {
		t.Error("adjusted equals raw although questions have different numbers of groups")
	}
	for m, all := range o.Models {
		d := all.Difference
		wantNumber(t, "center of the interval", (d.CINormal.Low+d.CINormal.High)/2, Number(adjusted[m]-mean(adjusted)))
		se := float64(d.CINormal.High-d.CINormal.Low) / (2 * distuv.UnitNormal.Quantile(0.975))
		wantNumber(t, "p from the interval", d.PNormal, Number(2*distuv.UnitNormal.Survival(math.Abs(float64(d.Estimate))/se)))
		if d.PT < d.PNormal {
			t.Errorf("%s: p of t %v below p of the normal %v", all.Model, d.PT, d.PNormal)
		}
	}
}
