package score

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"
)

type agreementWant struct {
	N                                  int
	Dropped                            int `json:"n_dropped"`
	MAE, RMSE, Bias, Spearman, Pearson Number
}

func (w agreementWant) check(t *testing.T, got Agreement) {
	t.Helper()
	if got.N != w.N || got.Dropped != w.Dropped {
		t.Errorf("n %d, dropped %d, want %d and %d", got.N, got.Dropped, w.N, w.Dropped)
	}
	wantNumber(t, "mae", got.MAE, w.MAE)
	wantNumber(t, "rmse", got.RMSE, w.RMSE)
	wantNumber(t, "bias", got.Bias, w.Bias)
	wantNumber(t, "spearman", got.Spearman, w.Spearman)
	wantNumber(t, "pearson", got.Pearson, w.Pearson)
}

func floats(numbers []Number) []float64 {
	fs := make([]float64, len(numbers))
	for i, n := range numbers {
		fs[i] = float64(n)
	}
	return fs
}

func numbers(fs []float64) []Number {
	ns := make([]Number, len(fs))
	for i, f := range fs {
		ns[i] = Number(f)
	}
	return ns
}

// apart gives every row its own number.
func apart(n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	return at
}

func TestVectorsJudgeAgreement(t *testing.T) {
	t.Parallel()
	eachVector(t, "judge_mae_spearman", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct{ Human, Pred []Number }](t, input)
		n := len(in.Human)
		got := pairUp(floats(in.Human), floats(in.Pred), apart(n), apart(n)).agreement(nil)
		decode[agreementWant](t, expected).check(t, got)
	})
}

func TestVectorsJudgeMeanOfOthers(t *testing.T) {
	t.Parallel()
	eachVector(t, "judge_mean_of_others", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Ratings []struct {
				User, Question, Model string
				Rating                float64
			}
		}](t, input)
		var r Ratings
		var human []float64
		for _, row := range in.Ratings {
			r.Rows = append(r.Rows, Rating{Participant: row.User, Question: row.Question, Model: row.Model, Value: row.Rating})
			human = append(human, row.Rating)
		}
		seats, people, _ := r.number()
		predicted := meanOfOthers(human, seats)
		wantNumbers(t, "prediction", numbers(predicted), decode[struct{ Pred []Number }](t, expected).Pred)
		decode[agreementWant](t, expected).check(t, pairUp(human, predicted, seats, people).agreement(nil))
	})
}

// dense makes an embedding of all its dimensions.
func dense(embedding []float64) vector {
	var v vector
	for i, x := range embedding {
		v = append(v, term{i, x})
	}
	return v
}

func TestVectorsJudgeSimilarityBaseline(t *testing.T) {
	t.Parallel()
	eachVector(t, "judge_similarity_baseline", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Target []float64
			Others []struct {
				E      []float64
				Rating float64
			}
			FreeResponse []float64 `json:"free_response"`
		}](t, input)
		want := decode[struct {
			Cosines                   []Number
			Nearest, Weighted, Linear Number
		}](t, expected)
		var others []rated
		for i, o := range in.Others {
			others = append(others, rated{cosine(dense(in.Target), dense(o.E)), o.Rating})
			wantNumber(t, "cosine", Number(others[i].cosine), want.Cosines[i])
		}
		wantNumber(t, "nearest", Number(nearestRating(others)), want.Nearest)
		wantNumber(t, "weighted", Number(weightedRating(others)), want.Weighted)
		wantNumber(t, "linear", Number(linearRating(cosine(dense(in.FreeResponse), dense(in.Target)))), want.Linear)
	})
}

func TestVectorsJudgeLeaveOneModelOut(t *testing.T) {
	t.Parallel()
	eachVector(t, "judge_leave_one_model_out", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Tau  *float64
			Rows []struct {
				Question, Model string
				Cluster         int
				Size            float64
				Human, Pred     []float64
			}
		}](t, input)
		human, judge := map[string]map[string]vectorGroup{}, map[string]map[string]vectorGroup{}
		put := func(data map[string]map[string]vectorGroup, question, model string, group int, size float64, ratings []float64) {
			label := string(rune('a' + group))
			if data[question] == nil {
				data[question] = map[string]vectorGroup{}
			}
			if data[question][label].Ratings == nil {
				data[question][label] = vectorGroup{size, map[string][]float64{}}
			}
			data[question][label].Ratings[model] = ratings
		}
		for _, row := range in.Rows {
			put(human, row.Question, row.Model, row.Cluster, row.Size, row.Human)
			put(judge, row.Question, row.Model, row.Cluster, row.Size, row.Pred)
		}
		p := Parameters{Tau: 4, Missing: Uncovered}
		if in.Tau != nil {
			p.Tau = *in.Tau
		}
		got := leaveOneModelOut(vectorTable(human), vectorTable(judge), p)
		want := decode[struct {
			HumanRaw    map[string]Number `json:"human_raw"`
			PredRaw     map[string]Number `json:"pred_raw"`
			DeltaRaw    map[string]Number `json:"delta_raw"`
			HumanOLS    map[string]Number `json:"human_ols"`
			PredOLS     map[string]Number `json:"pred_ols"`
			SpearmanRaw Number            `json:"spearman_raw"`
			SpearmanOLS Number            `json:"spearman_ols"`
		}](t, expected)
		wantNumber(t, "spearman raw", got.SpearmanRaw, want.SpearmanRaw)
		wantNumber(t, "spearman adjusted", got.SpearmanAdjusted, want.SpearmanOLS)
		if len(got.Models) != len(want.HumanRaw) {
			t.Fatalf("%d models, want %d", len(got.Models), len(want.HumanRaw))
		}
		for _, m := range got.Models {
			wantNumber(t, m.Model+" human raw", m.HumanRaw, want.HumanRaw[m.Model])
			wantNumber(t, m.Model+" judge raw", m.JudgeRaw, want.PredRaw[m.Model])
			wantNumber(t, m.Model+" delta raw", m.DeltaRaw, want.DeltaRaw[m.Model])
			wantNumber(t, m.Model+" human adjusted", m.HumanAdjusted, want.HumanOLS[m.Model])
			wantNumber(t, m.Model+" judge adjusted", m.JudgeAdjusted, want.PredOLS[m.Model])
		}
	})
}

func TestVectorsEtaSquared(t *testing.T) {
	t.Parallel()
	eachVector(t, "eta_squared", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct{ Groups map[string][]float64 }](t, input)
		want := decode[struct {
			Eta2, Omega2, F, P Number
			DF                 [2]int
		}](t, expected)
		var groups []groupSums
		for _, name := range sortedIDs(in.Groups) {
			var g groupSums
			for _, x := range in.Groups[name] {
				g.add(x, 1)
			}
			groups = append(groups, g)
		}
		got := analyseVariance(groups)
		wantNumber(t, "eta2", got.Eta2, want.Eta2)
		wantNumber(t, "omega2", got.Omega2, want.Omega2)
		wantNumber(t, "F", got.F, want.F)
		wantNumber(t, "p", got.P, want.P)
		if got.DF != want.DF {
			t.Errorf("degrees of freedom %v, want %v", got.DF, want.DF)
		}
	})
}

// orderedObject decodes a JSON object, keeping the order of its keys.
func orderedObject[V any](t *testing.T, raw json.RawMessage, each func(key string, value V)) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		var v V
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		each(key.(string), v)
	}
}

func TestVectorsRakingWeights(t *testing.T) {
	t.Parallel()
	eachVector(t, "raking_weights", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Respondents []map[string]*string
			Targets     json.RawMessage
			Base        []float64
		}](t, input)
		var margins []Margin
		orderedObject(t, in.Targets, func(variable string, shares map[string]float64) {
			m := Margin{Variable: variable}
			for _, c := range sortedIDs(shares) {
				m.Categories = append(m.Categories, c)
				m.Shares = append(m.Shares, shares[c])
			}
			margins = append(margins, m)
		})
		values := make([][]string, len(in.Respondents))
		for i, who := range in.Respondents {
			for _, m := range margins {
				v := ""
				if who[m.Variable] != nil {
					v = *who[m.Variable]
				}
				values[i] = append(values[i], v)
			}
		}
		got, err := Rake(values, margins, in.Base)
		if err != nil {
			t.Fatal(err)
		}
		want := decode[struct {
			Weights    []Number
			Converged  bool
			Neff, Deff Number
			Margins    map[string]map[string]Number
		}](t, expected)
		wantNumbers(t, "weights", numbers(got.Weights), want.Weights)
		wantNumber(t, "effective n", got.EffectiveN, want.Neff)
		wantNumber(t, "design effect", got.DesignEffect, want.Deff)
		if got.Converged != want.Converged {
			t.Errorf("converged %v, want %v", got.Converged, want.Converged)
		}
		for variable, shares := range want.Margins {
			for c, share := range shares {
				wantNumber(t, variable+" "+c, got.Margins[variable][c], share)
			}
		}
		if slices.ContainsFunc(got.Weights, math.IsNaN) {
			t.Error("a weight is not a number")
		}
	})
}
