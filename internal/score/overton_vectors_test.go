package score

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

// orderedGroups reads {group: {size, ratings}} of one question.
type vectorGroup struct {
	Size    float64
	Ratings map[string][]float64
}

// vectorTable builds the table behind an overton_coverage vector, where sizes
// are given apart from the ratings.
func vectorTable(data map[string]map[string]vectorGroup) *table {
	models := map[string]bool{}
	for _, groups := range data {
		for _, g := range groups {
			for m := range g.Ratings {
				models[m] = true
			}
		}
	}
	t := &table{models: sortedIDs(models)}
	for _, q := range sortedIDs(data) {
		qt := questionTable{name: q, cells: make([][]cell, len(t.models))}
		for _, label := range sortedIDs(data[q]) {
			g := data[q][label]
			qt.groups = append(qt.groups, Group{label, g.Size})
			for m, model := range t.models {
				var c cell
				for _, rating := range g.Ratings[model] {
					c.weight++
					c.sum += rating
				}
				qt.cells[m] = append(qt.cells[m], c)
			}
		}
		t.questions = append(t.questions, qt)
	}
	return t
}

func TestVectorsOvertonCoverage(t *testing.T) {
	t.Parallel()
	type modelWant struct {
		PerQuestion         map[string]Number `json:"per_question"`
		PerQuestionWeighted map[string]Number `json:"per_question_weighted"`
		Score               Number            `json:"score"`
		ScoreWeighted       Number            `json:"score_weighted"`
	}
	eachVector(t, "overton_coverage", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Tau  float64
			Data map[string]map[string]vectorGroup
		}](t, input)
		tab := vectorTable(in.Data)
		for policy, models := range decode[map[Missing]map[string]modelWant](t, expected) {
			outcomes := tab.outcomes(in.Tau, policy)
			scores, _ := tab.scoreModels(outcomes)
			questions := tab.describe(outcomes, in.Tau)
			for m, s := range scores {
				want := models[s.Model]
				wantNumber(t, s.Model+" score", s.Raw, want.Score)
				wantNumber(t, s.Model+" weighted", s.Weighted, want.ScoreWeighted)
				for q, question := range questions {
					if outcomes[q][m].rows == 0 {
						continue
					}
					wantNumber(t, s.Model+" on "+question.Question, question.Coverage[s.Model], want.PerQuestion[question.Question])
					wantNumber(t, s.Model+" weighted on "+question.Question, question.CoverageWeighted[s.Model], want.PerQuestionWeighted[question.Question])
				}
			}
			if len(scores) != len(models) {
				t.Errorf("%s: %d models, want %d", policy, len(scores), len(models))
			}
		}
	})
}

// vectorRow is a row of the regression as the vectors give it.
type vectorRow struct {
	Model, Question string
	Size            float64
	Covered         int
}

// vectorOutcomes turns regression rows into outcomes[question][model].
func vectorOutcomes(rows []vectorRow) (models []string, outcomes [][]outcome) {
	var questions []string
	size := map[[2]string]float64{}
	for _, r := range rows {
		if !slices.Contains(models, r.Model) {
			models = append(models, r.Model)
		}
		if !slices.Contains(questions, r.Question) {
			questions = append(questions, r.Question)
		}
		size[[2]string{r.Question, r.Model}] += r.Size
	}
	slices.Sort(models)
	outcomes = make([][]outcome, len(questions))
	for q := range outcomes {
		outcomes[q] = make([]outcome, len(models))
	}
	for _, r := range rows {
		o := &outcomes[slices.Index(questions, r.Question)][slices.Index(models, r.Model)]
		o.rows++
		o.covered += r.Covered
		o.weighted += float64(r.Covered) * r.Size / size[[2]string{r.Question, r.Model}]
	}
	return models, outcomes
}

func TestVectorsOvertonAdjusted(t *testing.T) {
	t.Parallel()
	type fitWant struct {
		N, P, G    int
		Correction Number
		GrandMean  Number `json:"grand_mean"`
		Models     map[string]struct {
			Adjusted, Deviation, SE, Z Number
			Uncorrected                Number   `json:"se_uncorrected"`
			PNormal                    Number   `json:"p_normal"`
			PT                         Number   `json:"p_t"`
			CINormal                   Interval `json:"ci95_normal"`
			CIT                        Interval `json:"ci95_t"`
		}
	}
	layouts := map[string]func(outcome) sums{
		"cluster_rows": groupRows, "question_rows": questionRows, "weighted_rows": sizeRows,
	}
	eachVector(t, "overton_ols_adjusted", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct{ Rows []vectorRow }](t, input)
		models, outcomes := vectorOutcomes(in.Rows)
		want := decode[map[string]json.RawMessage](t, expected)
		for name, layout := range layouts {
			want := decode[fitWant](t, want[name])
			f := fitAdjusted(layOut(outcomes, layout), nil)
			if f == nil {
				t.Fatalf("%s: no fit", name)
			}
			if f.questions != want.G || f.models+f.questions-1 != want.P {
				t.Errorf("%s: %d questions and %d models, want G %d and P %d", name, f.questions, f.models, want.G, want.P)
			}
			wantNumber(t, name+" correction", Number(f.correction(want.N)), want.Correction)
			wantNumber(t, name+" grand mean", Number(f.grand), want.GrandMean)
			for m, model := range models {
				d, w := f.difference(m, want.N), want.Models[model]
				wantNumber(t, name+" adjusted "+model, Number(f.adjusted[m]), w.Adjusted)
				wantNumber(t, name+" deviation "+model, d.Estimate, w.Deviation)
				wantNumber(t, name+" se "+model, d.SE, w.SE)
				wantNumber(t, name+" z "+model, d.Z, w.Z)
				wantNumber(t, name+" p normal "+model, d.PNormal, w.PNormal)
				wantNumber(t, name+" p t "+model, d.PT, w.PT)
				wantInterval(t, name+" ci normal "+model, d.CINormal, w.CINormal)
				wantInterval(t, name+" ci t "+model, d.CIT, w.CIT)
			}
		}
		raw, weighted := decode[map[string]Number](t, want["raw"]), decode[map[string]Number](t, want["raw_weighted"])
		e := estimate(outcomes, nil)
		for m, model := range models {
			wantNumber(t, "raw "+model, Number(e.raw[m]), raw[model])
			wantNumber(t, "raw weighted "+model, Number(e.weighted[m]), weighted[model])
		}
	})
}

func TestVectorsOvertonBootstrap(t *testing.T) {
	t.Parallel()
	type modelWant struct {
		Replicates []Number
		Mean       Number `json:"boot_mean"`
		CI         Interval
		Used       int `json:"n_used"`
	}
	eachVector(t, "overton_bootstrap", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Rows    []vectorRow
			Indices [][]int
		}](t, input)
		models, outcomes := vectorOutcomes(in.Rows)
		want := decode[struct{ OLS, Raw map[string]modelWant }](t, expected)
		replicates := make([]estimates, len(in.Indices))
		for b, drawn := range in.Indices {
			times := make([]int, len(outcomes))
			for _, q := range drawn {
				times[q]++
			}
			replicates[b] = estimate(outcomes, times)
		}
		check := func(what string, want map[string]modelWant, score func(estimates) []float64) {
			for m, model := range models {
				var values []float64
				var defined []Number
				for _, e := range replicates {
					v := score(e)[m]
					values = append(values, v)
					if Number(v).Defined() {
						defined = append(defined, Number(v))
					}
				}
				ci, used := percentileInterval(values)
				if used != want[model].Used {
					t.Errorf("%s %s: %d resamples used, want %d", what, model, used, want[model].Used)
				}
				wantNumbers(t, what+" replicates "+model, defined, want[model].Replicates)
				wantNumber(t, what+" mean "+model, Number(mean(values)), want[model].Mean)
				wantInterval(t, what+" ci "+model, ci, want[model].CI)
			}
		}
		check("ols", want.OLS, func(e estimates) []float64 { return e.adjusted })
		check("raw", want.Raw, func(e estimates) []float64 { return e.raw })
	})
}

func TestVectorsOvertonReferencePoints(t *testing.T) {
	t.Parallel()
	eachVector(t, "overton_reference_points", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Covered map[string]map[string][]float64
			Sizes   map[string][]float64
		}](t, input)
		tab := &table{models: slices.Sorted(maps.Keys(in.Covered))}
		for _, q := range sortedIDs(in.Sizes) {
			qt := questionTable{name: q, cells: make([][]cell, len(tab.models))}
			for g, size := range in.Sizes[q] {
				qt.groups = append(qt.groups, Group{string(rune('a' + g)), size})
				for m, model := range tab.models {
					var c cell
					if covered, ok := in.Covered[model][q]; ok {
						c = cell{weight: 1, sum: covered[g]}
					}
					qt.cells[m] = append(qt.cells[m], c)
				}
			}
			tab.questions = append(tab.questions, qt)
		}
		got := tab.reference(tab.outcomes(1, Uncovered), 1)
		want := decode[map[string]Number](t, expected)
		wantNumber(t, "union", got.BestAcross, want["best_across_union"])
		wantNumber(t, "union weighted", got.BestAcrossWeighted, want["best_across_union_weighted"])
		wantNumber(t, "max", got.BestAcrossMax, want["best_across_max"])
		wantNumber(t, "max weighted", got.BestAcrossMaxWeighted, want["best_across_max_weighted"])
		wantNumber(t, "single", got.SingleView, want["single_view"])
		wantNumber(t, "single weighted", got.SingleViewWeighted, want["single_view_weighted"])
	})
}
