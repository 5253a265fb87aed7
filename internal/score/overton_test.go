package score

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// rate makes the ratings of one participant on one question.
func rate(participant, question, group string, byModel map[string]float64) []Rating {
	var rows []Rating
	for _, model := range sortedIDs(byModel) {
		rows = append(rows, Rating{Participant: participant, Question: question, Model: model, Value: byModel[model], Group: group})
	}
	return rows
}

// small is two questions by hand. Question 2: group A (2 people) is covered by
// m1 alone, group B (1 person) by m2 alone. Question 10: one group, mean
// exactly 4 for m1 and 3 for m2; participant d has no group.
func small() Ratings {
	var rows []Rating
	rows = append(rows, rate("a", "2", "A", map[string]float64{"m1": 5, "m2": 2})...)
	rows = append(rows, rate("b", "2", "A", map[string]float64{"m1": 4, "m2": 3})...)
	rows = append(rows, rate("c", "2", "B", map[string]float64{"m1": 1, "m2": 5})...)
	rows = append(rows, rate("a", "10", "X", map[string]float64{"m1": 3, "m2": 1})...)
	rows = append(rows, rate("b", "10", "X", map[string]float64{"m1": 5, "m2": 5})...)
	rows = append(rows, rate("d", "10", "", map[string]float64{"m1": 1, "m2": 1})...)
	return Ratings{Rows: rows}
}

func mustScore(t *testing.T, r Ratings, p Parameters) *Overton {
	t.Helper()
	o, err := OvertonScore(r, p)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOvertonScoreByHand(t *testing.T) {
	t.Parallel()
	o := mustScore(t, small(), DefaultParameters())
	m1, m2 := o.Models[0], o.Models[1]
	wantNumber(t, "m1 raw", m1.Raw, 0.75)
	wantNumber(t, "m1 weighted", m1.Weighted, Number((2.0/3+1)/2))
	wantNumber(t, "m2 raw", m2.Raw, 0.25)
	wantNumber(t, "m2 weighted", m2.Weighted, Number((1.0/3+0)/2))
	wantNumber(t, "best across", o.Reference.BestAcross, 1)
	wantNumber(t, "best across, max", o.Reference.BestAcrossMax, 0.75)
	wantNumber(t, "single view", o.Reference.SingleView, 0.75)
	wantNumber(t, "single view weighted", o.Reference.SingleViewWeighted, Number((2.0/3+1)/2))
	if o.Questions[0].Question != "2" || o.Questions[1].Question != "10" {
		t.Errorf("questions in the order %s, %s, want numbers by value", o.Questions[0].Question, o.Questions[1].Question)
	}
	if o.LeftOut.RatingsWithoutGroup != 2 || o.LeftOut.ParticipantsWithoutGroup != 1 {
		t.Errorf("left out %+v, want 2 ratings of 1 participant", o.LeftOut)
	}
	if o.Ratings != 10 || o.Participants != 3 {
		t.Errorf("%d ratings of %d participants, want 10 of 3", o.Ratings, o.Participants)
	}
}

func TestOvertonScoreFallsAsTheThresholdRises(t *testing.T) {
	t.Parallel()
	c := mustScore(t, small(), DefaultParameters()).Curve
	if c.Tau[0] != 2 || c.Tau[len(c.Tau)-1] != 5 {
		t.Fatalf("curve from %v to %v, want 2 to 5", c.Tau[0], c.Tau[len(c.Tau)-1])
	}
	for model, scores := range c.Raw {
		for i := 1; i < len(scores); i++ {
			if scores[i] > scores[i-1] {
				t.Errorf("%s rises at tau %v", model, c.Tau[i])
			}
		}
	}
	wantNumber(t, "m1 at tau 4", c.Raw["m1"][20], 0.75)
	wantNumber(t, "m1 at tau 4.5", c.Raw["m1"][25], 0.25)
}

func TestOvertonScoreKnowsNoRowOrder(t *testing.T) {
	t.Parallel()
	r := small()
	want, err := json.Marshal(mustScore(t, r, DefaultParameters()))
	if err != nil {
		t.Fatal(err)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(r.Rows), func(i, j int) { r.Rows[i], r.Rows[j] = r.Rows[j], r.Rows[i] })
	got, err := json.Marshal(mustScore(t, r, DefaultParameters()))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("shuffled rows give\n%s\nwant\n%s", got, want)
	}
}

func TestAdjustedEqualsRawWhenEveryQuestionHasAsManyGroups(t *testing.T) {
	t.Parallel()
	r := small()
	for i := range r.Rows {
		if r.Rows[i].Question == "10" && r.Rows[i].Participant == "d" {
			r.Rows[i].Group = "Y"
		}
	}
	for _, m := range mustScore(t, r, DefaultParameters()).Models {
		wantNumber(t, m.Model+" adjusted", m.Adjusted, m.Raw)
		wantNumber(t, m.Model+" adjusted weighted", m.AdjustedWeighted, m.Weighted)
	}
}

func TestOneQuestionHasAScoreButNoTest(t *testing.T) {
	t.Parallel()
	r := small()
	r.Rows = r.Rows[:6]
	m := mustScore(t, r, DefaultParameters()).Models[0]
	wantNumber(t, "raw", m.Raw, 0.5)
	if m.Difference.SE.Defined() || m.Difference.PNormal.Defined() || m.Difference.CIT.Defined() {
		t.Errorf("a single question was tested: %+v", m.Difference)
	}
	if m.CI.Defined() || m.Intervals.Questions.Raw.Defined() {
		t.Errorf("intervals for other questions from a single one: %v, %v", m.CI, m.Intervals.Questions.Raw)
	}
}

// A small study without two groups of the same size, against the textbook
// formulas: dummy coding, the normal equations by elimination, and the sandwich
// clustered by question, all in loops of their own.
func TestAdjustedAndItsErrorAgainstTheNormalEquations(t *testing.T) {
	t.Parallel()
	var r Ratings
	type cellRow struct {
		question, model int
		covered         float64
	}
	var rows []cellRow
	random := rand.New(rand.NewPCG(4, 4))
	models := []string{"m0", "m1", "m2"}
	raw := make([]float64, len(models))
	for q := range 5 {
		groups := 1 + q%3
		for g := range groups {
			sums, size := make([]float64, len(models)), 1+g
			for i := range size {
				given := map[string]float64{}
				for m, name := range models {
					given[name] = float64(3 + random.IntN(3))
					sums[m] += given[name]
				}
				r.Rows = append(r.Rows, rate(fmt.Sprint("p", g, "-", i), fmt.Sprint(q), fmt.Sprint(g), given)...)
			}
			for m := range models {
				covered := 0.0
				if sums[m] >= 4*float64(size) {
					covered = 1
				}
				raw[m] += covered / float64(groups) / 5
				rows = append(rows, cellRow{q, m, covered})
			}
		}
	}
	const p = 7 // intercept, 2 models, 4 questions
	design := func(c cellRow) (x [p]float64) {
		x[0] = 1
		if c.model > 0 {
			x[c.model] = 1
		}
		if c.question > 0 {
			x[2+c.question] = 1
		}
		return x
	}
	// Gauss-Jordan on [X'X | I].
	var a [p][2 * p]float64
	var xy, beta [p]float64
	for _, c := range rows {
		x := design(c)
		for i := range p {
			xy[i] += x[i] * c.covered
			for j := range p {
				a[i][j] += x[i] * x[j]
			}
		}
	}
	for i := range p {
		a[i][p+i] = 1
	}
	for i := range p {
		pivot := a[i][i]
		for k := range a[i] {
			a[i][k] /= pivot
		}
		for j := range p {
			if factor := a[j][i]; j != i {
				for k := range a[j] {
					a[j][k] -= factor * a[i][k]
				}
			}
		}
	}
	for i := range p {
		for j := range p {
			beta[i] += a[i][p+j] * xy[j]
		}
	}
	var scores [5][p]float64 // X'e of each question
	for _, c := range rows {
		x, e := design(c), c.covered
		for i := range p {
			e -= x[i] * beta[i]
		}
		for i := range p {
			scores[c.question][i] += x[i] * e
		}
	}
	n := float64(len(rows))
	correction := 5.0 / 4 * (n - 1) / (n - p)

	o := mustScore(t, r, DefaultParameters())
	for m := range models {
		adjusted := beta[0] + (beta[3]+beta[4]+beta[5]+beta[6])/5
		var contrast [p]float64
		for k := 1; k < 3; k++ {
			contrast[k] = -1.0 / 3
		}
		if m > 0 {
			adjusted += beta[m]
			contrast[m] += 1
		}
		estimate, variance := 0.0, 0.0
		for i := range p {
			estimate += contrast[i] * beta[i]
		}
		for q := range scores {
			influence := 0.0
			for i := range p {
				for j := range p {
					influence += contrast[i] * a[i][p+j] * scores[q][j]
				}
			}
			variance += correction * influence * influence
		}
		got := o.Models[m]
		wantNumber(t, models[m]+" raw", got.Raw, Number(raw[m]))
		wantNumber(t, models[m]+" adjusted", got.Adjusted, Number(adjusted))
		wantNumber(t, models[m]+" difference", got.Difference.Estimate, Number(estimate))
		wantNumber(t, models[m]+" standard error", got.Difference.SE, Number(math.Sqrt(variance)))
	}
}

func TestModelsThatShareNoQuestionAreNotAdjusted(t *testing.T) {
	t.Parallel()
	r := Ratings{Rows: append(
		rate("a", "1", "A", map[string]float64{"m1": 5}),
		rate("a", "2", "A", map[string]float64{"m2": 5})...)}
	for _, m := range mustScore(t, r, DefaultParameters()).Models {
		wantNumber(t, "raw", m.Raw, 1)
		if m.Adjusted.Defined() {
			t.Errorf("%s adjusted = %v without a common question", m.Model, m.Adjusted)
		}
	}
}

func TestSubsetsScoreTheirQuestionsAlone(t *testing.T) {
	t.Parallel()
	r := small()
	r.Attributes = []string{"source"}
	for i := range r.Rows {
		r.Rows[i].Attributes = []string{map[string]string{"2": "old", "10": "new"}[r.Rows[i].Question]}
	}
	p := DefaultParameters()
	p.SubsetBy = []string{"source"}
	o := mustScore(t, r, p)
	if len(o.Subsets) != 2 || o.Subsets[0].Value != "new" || o.Subsets[1].Value != "old" {
		t.Fatalf("subsets %+v, want new and old", o.Subsets)
	}
	wantNumber(t, "m1 on new", o.Subsets[0].Models[0].Raw, 1)
	wantNumber(t, "m1 on old", o.Subsets[1].Models[0].Raw, 0.5)
}

func TestWeightsCountParticipants(t *testing.T) {
	t.Parallel()
	p := DefaultParameters()
	p.Weights = map[string]float64{"a": 1, "b": 3, "c": 4, "d": 1}
	o := mustScore(t, small(), p)
	wantNumber(t, "share of A", o.Questions[0].CoverageWeighted["m1"], 0.5)
	wantNumber(t, "mean of X for m1", o.Questions[1].Mean["m1"][0], (3+3*5)/4.0)
	wantNumber(t, "mean of X for m2", o.Questions[1].Mean["m2"][0], (1+3*5)/4.0)
	wantNumber(t, "m2 covers X", o.Questions[1].Coverage["m2"], 1)
}

func TestContradictoryRatingsAreRefused(t *testing.T) {
	t.Parallel()
	twice := small()
	twice.Rows = append(twice.Rows, twice.Rows[0])
	moved := small()
	moved.Rows[1].Group = "B"
	nobody := small()
	nobody.Rows[3].Participant = ""
	ungrouped := small()
	for i := range ungrouped.Rows {
		ungrouped.Rows[i].Group = ""
	}
	for want, r := range map[string]Ratings{
		"participant a rates model m1 twice on question 2": twice,
		`participant a is in group "A" and in group "B"`:   moved,
		"lacks a participant":                              nobody,
		"12 have no viewpoint group":                       ungrouped,
	} {
		_, err := OvertonScore(r, DefaultParameters())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestUndefinedIsNullInJSON(t *testing.T) {
	t.Parallel()
	r := small()
	r.Rows = r.Rows[:1]
	b, err := json.Marshal(mustScore(t, r, DefaultParameters()).Models[0])
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), `"difference":{"estimate":0,"se":null`) {
		t.Errorf("got %s", b)
	}
	var back ModelScore
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if back.Difference.SE.Defined() || back.Difference.CIT.Defined() {
		t.Error("null came back as a number")
	}
}
