package score

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

func wantDistribution(t *testing.T, what string, got []float64, want []Number) {
	t.Helper()
	if (got == nil) != (want == nil) {
		t.Errorf("%s = %v, want %v", what, got, want)
		return
	}
	wantNumbers(t, what, numbers(got), want)
}

func TestVectorsOrdinalMapping(t *testing.T) {
	t.Parallel()
	eachVector(t, "oqa_ordinal_mapping", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Options        []string
			Refusals       int `json:"n_refusal"`
			Hedge, Nominal bool
			Explicit       []float64
		}](t, input)
		want := decode[struct {
			Ordinals []Number
			Span     Number `json:"max_wd"`
			Steps    int    `json:"n_minus_1"`
			Usable   bool
		}](t, expected)
		got := ordinals(len(in.Options)-in.Refusals, in.Hedge, in.Nominal, in.Explicit)
		wantNumbers(t, "ordinals", numbers(got), want.Ordinals)
		wantNumber(t, "span", Number(spanOf(got)), want.Span)
		if len(got)-1 != want.Steps || (spanOf(got) > 0) != want.Usable {
			t.Errorf("%d steps, span %v; want %d, usable %v", len(got)-1, spanOf(got), want.Steps, want.Usable)
		}
	})
}

func TestVectorsLogprobExtraction(t *testing.T) {
	t.Parallel()
	eachVector(t, "oqa_logprob_extraction", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Top     map[string]*float64 `json:"top_logprobs"`
			Letters []string
			Ordinal int `json:"n_ordinal"`
		}](t, input)
		top := map[string]float64{}
		for token, p := range in.Top {
			if p != nil {
				top[token] = *p
			}
		}
		for rule, want := range decode[map[MissingToken]struct {
			Unnormalised []Number
			Missing      []bool
			D            []Number
			Refusal      Number
			Total        Number `json:"option_mass"`
		}](t, expected) {
			got := FromLogProbs(top, in.Letters, in.Ordinal, rule)
			wantNumbers(t, string(rule)+" mass", numbers(got.Mass), want.Unnormalised)
			wantDistribution(t, string(rule)+" distribution", got.Distribution, want.D)
			wantNumber(t, string(rule)+" refusal", got.Refusal, want.Refusal)
			wantNumber(t, string(rule)+" total", got.Total, want.Total)
			if !slices.Equal(got.Missing, want.Missing) {
				t.Errorf("%s: missing %v, want %v", rule, got.Missing, want.Missing)
			}
		}
	})
}

func TestVectorsHumanDistribution(t *testing.T) {
	t.Parallel()
	eachVector(t, "oqa_human_distribution", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Responses []struct {
				Answer, Group *string
				Weight        float64
			}
			Ordinal  []string `json:"ordinal_options"`
			Refusals []string `json:"refusal_options"`
			Groups   []string
		}](t, input)
		text := func(s *string) string {
			if s == nil {
				return ""
			}
			return *s
		}
		var responses []Response
		for _, r := range in.Responses {
			responses = append(responses, Response{text(r.Answer), r.Weight, text(r.Group)})
		}
		everybody, groups := FromPeople(responses, in.Ordinal, in.Refusals, in.Groups)
		groups["Overall"] = everybody
		want := decode[map[string]struct {
			D       []Number
			Refusal Number
			Weight  float64 `json:"weight_total"`
		}](t, expected)
		if len(groups) != len(want) {
			t.Errorf("%d groups, want %d", len(groups), len(want))
		}
		for name, w := range want {
			wantDistribution(t, name, groups[name].Distribution, w.D)
			wantNumber(t, name+" refusal", groups[name].Refusal, w.Refusal)
			wantNumber(t, name+" weight", Number(groups[name].Weight), Number(w.Weight))
		}
	})
}

func TestVectorsAlignment(t *testing.T) {
	t.Parallel()
	eachVector(t, "oqa_alignment", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct{ Ordinals, P, Q []float64 }](t, input)
		want := decode[struct {
			WD    Number
			Code  Number `json:"alignment_code"`
			Paper Number `json:"alignment_paper"`
		}](t, expected)
		got := align(in.Ordinals, in.P, in.Q)
		wantNumber(t, "distance", got.Distance, want.WD)
		wantNumber(t, "alignment", got.Alignment, want.Code)
		wantNumber(t, "by the paper", got.ByPaper, want.Paper)
	})
}

func TestVectorsRepresentativeness(t *testing.T) {
	t.Parallel()
	eachVector(t, "oqa_representativeness", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Questions []struct {
				Ordinals, Model, Overall []float64
				Groups                   map[string][]float64
			}
		}](t, input)
		want := decode[struct {
			Overall    Number
			N          int `json:"n_overall"`
			Group      map[string]Number
			HumanGroup map[string]Number `json:"human_group"`
			Mean       Number            `json:"human_avg"`
			Worst      Number            `json:"human_worst"`
		}](t, expected)
		var questions []opinionQuestion
		for _, q := range in.Questions {
			questions = append(questions, opinionQuestion{q.Ordinals, q.Model, q.Overall, q.Groups})
		}
		got := represent(questions)
		wantNumber(t, "overall", got.Overall, want.Overall)
		wantNumber(t, "human mean", got.HumanMean, want.Mean)
		wantNumber(t, "human worst", got.HumanWorst, want.Worst)
		if got.Questions != want.N || len(got.Group) != len(want.Group) {
			t.Errorf("%d questions, %d groups, want %d and %d", got.Questions, len(got.Group), want.N, len(want.Group))
		}
		for g := range want.Group {
			wantNumber(t, g, got.Group[g], want.Group[g])
			wantNumber(t, g+" with everybody", got.HumanGroup[g], want.HumanGroup[g])
		}
	})
}

func TestVectorsSteerability(t *testing.T) {
	t.Parallel()
	eachVector(t, "oqa_steerability", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct{ Alignment map[string][]Number }](t, input)
		want := decode[struct {
			PerQuestion Number            `json:"per_question"`
			Questions   int               `json:"n_questions"`
			Means       map[string]Number `json:"per_context_means"`
			PerContext  Number            `json:"per_context"`
			Best        []string          `json:"best_contexts"`
		}](t, expected)
		got := steer(in.Alignment, []string{"qa", "bio", "portray"})
		wantNumber(t, "per question", got.PerQuestion, want.PerQuestion)
		wantNumber(t, "per context", got.PerContext, want.PerContext)
		if got.Questions != want.Questions || !slices.Equal(got.BestContexts, want.Best) {
			t.Errorf("%d questions, best %v; want %d, %v", got.Questions, got.BestContexts, want.Questions, want.Best)
		}
		for c, m := range want.Means {
			wantNumber(t, c, got.ContextMeans[c], m)
		}
	})
}

func TestVectorsConsistency(t *testing.T) {
	t.Parallel()
	type consistencyWant struct {
		Attributes map[string]struct {
			BestOverall string            `json:"best_overall"`
			BestTopic   map[string]string `json:"best_topic"`
			C           Number
		}
		C           Number
		WithOverall Number `json:"C_with_overall"`
	}
	eachVector(t, "oqa_consistency", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Questions []struct {
				Topics []string
				Align  map[string]map[string]Number
			}
			Attributes map[string][]string
		}](t, input)
		var questions []topicQuestion
		for _, q := range in.Questions {
			questions = append(questions, topicQuestion{q.Topics, q.Align})
		}
		var attributes []Attribute
		for _, name := range sortedIDs(in.Attributes) {
			attributes = append(attributes, Attribute{name, in.Attributes[name]})
		}
		for by, want := range decode[map[string]consistencyWant](t, expected) {
			got := consistent(questions, attributes, by == "topics")
			wantNumber(t, by+" C", got.C, want.C)
			wantNumber(t, by+" with overall", got.WithOverall, want.WithOverall)
			for name, w := range want.Attributes {
				a := got.Attributes[name]
				wantNumber(t, by+" "+name, a.C, w.C)
				if a.BestOverall != w.BestOverall || !maps.Equal(a.BestTopic, w.BestTopic) {
					t.Errorf("%s %s: best %s, %v; want %s, %v", by, name, a.BestOverall, a.BestTopic, w.BestOverall, w.BestTopic)
				}
			}
		}
	})
}

func TestTiesOfConsistencyAreCounted(t *testing.T) {
	t.Parallel()
	q := []topicQuestion{{[]string{"guns"}, map[string]map[string]Number{"IDEO": {"Lib": 0.5, "Con": 0.5}}}}
	got := consistent(q, []Attribute{{"IDEO", []string{"Lib", "Con"}}}, false)
	if a := got.Attributes["IDEO"]; a.Ties != 2 || a.BestOverall != "Con" {
		t.Errorf("%+v, want the last group and two ties", a)
	}
}

func TestVectorsEntropy(t *testing.T) {
	t.Parallel()
	eachVector(t, "entropy", func(t *testing.T, input, expected json.RawMessage) {
		want := decode[struct{ Nats, Bits, Normalised Number }](t, expected)
		got := Entropy(decode[struct{ P []float64 }](t, input).P)
		wantNumber(t, "nats", got.Nats, want.Nats)
		wantNumber(t, "bits", got.Bits, want.Bits)
		wantNumber(t, "normalised", got.Normalised, want.Normalised)
	})
}

func TestVectorsRefusalRate(t *testing.T) {
	t.Parallel()
	eachVector(t, "refusal_rate", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Questions []struct {
				Mass    []float64
				Ordinal int `json:"n_ordinal"`
			}
		}](t, input)
		want := decode[struct {
			All      Number `json:"including_no_refusal"`
			NAll     int    `json:"n_including"`
			Offered  Number `json:"excluding_no_refusal"`
			NOffered int    `json:"n_excluding"`
		}](t, expected)
		var masses [][]float64
		var ordinals []int
		for _, q := range in.Questions {
			masses, ordinals = append(masses, q.Mass), append(ordinals, q.Ordinal)
		}
		got := refusalRate(masses, ordinals)
		wantNumber(t, "all", got.All, want.All)
		wantNumber(t, "offered", got.Offered, want.Offered)
		if got.NAll != want.NAll || got.NOffered != want.NOffered {
			t.Errorf("%d and %d questions, want %d and %d", got.NAll, got.NOffered, want.NAll, want.NOffered)
		}
	})
}

func TestVectorsModal(t *testing.T) {
	t.Parallel()
	eachVector(t, "temperature_modal", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			P []float64
			T float64
		}](t, input)
		wantDistribution(t, "modal", modal(in.P, in.T), decode[struct{ Modal []Number }](t, expected).Modal)
	})
}

func TestVectorsSimilarity(t *testing.T) {
	t.Parallel()
	eachVector(t, "goqa_js_similarity", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct{ Model, Country []float64 }](t, input)
		want := decode[struct {
			Natural, Base2 Number
			Smoothed       Number `json:"smoothed_natural"`
		}](t, expected)
		got := similar(in.Model, in.Country)
		wantNumber(t, "natural", got.Natural, want.Natural)
		wantNumber(t, "base 2", got.Base2, want.Base2)
		wantNumber(t, "smoothed", got.Smoothed, want.Smoothed)
	})
}

func TestVectorsCountrySimilarity(t *testing.T) {
	t.Parallel()
	eachVector(t, "goqa_country_similarity", func(t *testing.T, input, expected json.RawMessage) {
		in := decode[struct {
			Questions []struct {
				Model     []float64
				Countries map[string][]float64
			}
		}](t, input)
		want := decode[struct {
			Countries map[string]Number
			N         map[string]int
			Pooled    Number  `json:"overall_pooled"`
			ByCountry Number  `json:"overall_countries"`
			Most      *string `json:"most_similar"`
		}](t, expected)
		var questions []CountryQuestion
		for _, q := range in.Questions {
			questions = append(questions, CountryQuestion{q.Model, q.Countries})
		}
		got := CompareCountries(questions, func(s Similarity) Number { return s.Natural })
		wantNumber(t, "pooled", got.Pooled, want.Pooled)
		wantNumber(t, "by country", got.ByCountry, want.ByCountry)
		if !maps.Equal(got.Questions, want.N) {
			t.Errorf("questions %v, want %v", got.Questions, want.N)
		}
		most := ""
		if want.Most != nil {
			most = *want.Most
		}
		if got.MostSimilar != most {
			t.Errorf("most similar %q, want %q", got.MostSimilar, most)
		}
		for c, s := range want.Countries {
			wantNumber(t, c, got.Countries[c], s)
		}
	})
}
