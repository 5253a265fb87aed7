package score

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// withSex gives the participants of small an attribute.
func withSex(sexes map[string]string) Ratings {
	r := small()
	r.Attributes = []string{"sex"}
	for i := range r.Rows {
		r.Rows[i].Attributes = []string{sexes[r.Rows[i].Participant]}
	}
	return r
}

func TestSubgroupsByHand(t *testing.T) {
	t.Parallel()
	r := withSex(map[string]string{"a": "F", "b": "F", "c": "M", "d": ""})
	groups, err := Subgroups(r, DefaultParameters(), []string{"sex"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(groups) != 2 || groups[0].Value != "F" || groups[1].Value != "M" {
		t.Fatalf("subgroups %+v", groups)
	}
	if groups[1].Models != nil || groups[1].Participants != 1 {
		t.Errorf("a subgroup of one is shown: %+v", groups[1])
	}
	m1 := groups[0].Models[0]
	if m1.Ratings != 4 {
		t.Errorf("%d ratings, want 4", m1.Ratings)
	}
	wantNumber(t, "mean", m1.Mean, (5+4+3+5)/4.0)
	wantNumber(t, "represented", m1.Represented, 0.75)
	wantNumber(t, "coverage", m1.Coverage, 1)
	wantNumber(t, "coverage of m2", groups[0].Models[1].Coverage, 0)
	// Draws: a twice (means 4), a and b (4.25), b twice (4.5).
	wantInterval(t, "mean of m1", m1.MeanCI, Interval{4, 4.5})
}

func TestSubgroupsNeedOneValueForEachParticipant(t *testing.T) {
	t.Parallel()
	r := withSex(map[string]string{"a": "F"})
	r.Rows[0].Attributes = []string{"M"}
	_, err := Subgroups(r, DefaultParameters(), []string{"sex"}, 2)
	if err == nil || !strings.Contains(err.Error(), `participant a has sex = "M" and = "F"`) {
		t.Errorf("error %v", err)
	}
}

func TestRakedScoreWeighsParticipants(t *testing.T) {
	t.Parallel()
	r := withSex(map[string]string{"a": "F", "b": "F", "c": "M", "d": "M"})
	raked, err := RakedScore(r, DefaultParameters(), []Margin{{"sex", []string{"F", "M", "X"}, []float64{0.2, 0.7, 0.1}}})
	if err != nil {
		t.Fatal(err)
	}
	// F 2/9 of 4 people, M 7/9: a and b weigh 4/9, c and d 14/9.
	wantNumber(t, "smallest", raked.Raking.Smallest, 4.0/9)
	wantNumber(t, "largest", raked.Raking.Largest, 14.0/9)
	share := (8.0 / 9) / (8.0/9 + 14.0/9)
	wantNumber(t, "m1 weighted", raked.Models[0].Weighted, Number((share+1)/2))
	if w := strings.Join(raked.Raking.Warnings, "\n"); !strings.Contains(w, "nobody has sex = X") {
		t.Errorf("warnings %q", w)
	}
}

func TestWeightsOfZeroAreSaidInNumbers(t *testing.T) {
	t.Parallel()
	values := [][]string{{"F"}, {"M"}, {"M"}, {"M"}}
	r, err := Rake(values, []Margin{{"sex", []string{"F", "M"}, []float64{1, 0}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"3 participants have weight 0 and count for nothing", "the weights leave an effective 1 of 4 participants"}
	if !slices.Equal(r.Warnings, want) {
		t.Errorf("warnings %q, want %q", r.Warnings, want)
	}
}

func TestRakingRefusesImpossibleMargins(t *testing.T) {
	t.Parallel()
	values := [][]string{{"F"}, {"M"}}
	for want, m := range map[string]Margin{
		"must be 0 or more":            {"sex", []string{"F", "M"}, []float64{-1, 2}},
		"nobody is in a category":      {"sex", []string{"x"}, []float64{1}},
		"share of sex = F must be 0 o": {"sex", []string{"F"}, []float64{math.NaN()}},
	} {
		if _, err := Rake(values, []Margin{m}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestContradictingMarginsAreSaidNotToSettle(t *testing.T) {
	t.Parallel()
	values := [][]string{{"F", "y"}, {"M", "o"}}
	r, err := Rake(values, []Margin{{"sex", []string{"F", "M"}, []float64{0.5, 0.5}}, {"age", []string{"y", "o"}, []float64{0.9, 0.1}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Converged || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "did not settle") {
		t.Errorf("converged %v, warnings %q", r.Converged, r.Warnings)
	}
}

func TestOutsideScoreByHand(t *testing.T) {
	t.Parallel()
	var models []ModelScore
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		n := Number(i)
		models = append(models, ModelScore{Model: name, Raw: n, Weighted: -n, Adjusted: n * n, AdjustedWeighted: Undefined()})
	}
	o := CompareOutside(models, map[string]float64{"a": 1, "b": 3, "c": 2, "d": 4, "z": 9})
	raw := o.ByScore["raw"]
	if raw.N != 4 {
		t.Errorf("n = %d", raw.N)
	}
	wantNumber(t, "pearson", raw.Pearson, 0.8)
	wantNumber(t, "spearman", raw.Spearman, 0.8)
	wantNumber(t, "pearson low", raw.PearsonCI.Low, Number(math.Tanh(math.Atanh(0.8)-1.959963984540054)))
	wantNumber(t, "spearman high", raw.SpearmanCI.High, Number(math.Tanh(math.Atanh(0.8)+1.959963984540054*math.Sqrt(1.32))))
	wantNumber(t, "the other way round", o.ByScore["weighted"].Spearman, -0.8)
	if o.ByScore["adjusted_weighted"].N != 0 || o.ByScore["adjusted_weighted"].Pearson.Defined() {
		t.Errorf("correlation of nothing: %+v", o.ByScore["adjusted_weighted"])
	}
	if len(o.WithoutOutside) != 1 || o.WithoutOutside[0] != "e" || len(o.WithoutScore) != 1 || o.WithoutScore[0] != "z" {
		t.Errorf("unmatched %v and %v", o.WithoutOutside, o.WithoutScore)
	}
}
