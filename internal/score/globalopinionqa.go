package score

import (
	"math"
)

// The metric of GlobalOpinionQA (Durmus et al. 2023): how similar a model's
// answers are to those of the people of a country.

// Similarity is 1 minus the Jensen-Shannon distance of two distributions over the options of a question: with
// natural logarithms, as in the public re-implementations (at worst 0.167), and with base 2 (at worst 0). The
// paper does not say which. Undefined if a distribution is missing or they have different lengths.
//
// Smoothed is Natural after adding 1e-10 to every share, as one public script
// does; it differs in the ninth place.
type Similarity struct {
	Natural  Number `json:"natural"`
	Base2    Number `json:"base2"`
	Smoothed Number `json:"smoothed"`
}

// similar compares two distributions, which need not be normalised.
func similar(p, q []float64) Similarity {
	p, q = normalised(p), normalised(q)
	if p == nil || q == nil || len(p) != len(q) {
		return Similarity{Undefined(), Undefined(), Undefined()}
	}
	divergence := jensenShannon(p, q)
	return Similarity{
		Natural:  Number(1 - math.Sqrt(divergence)),
		Base2:    Number(1 - math.Sqrt(divergence/math.Ln2)),
		Smoothed: Number(1 - math.Sqrt(jensenShannon(smoothed(p), smoothed(q)))),
	}
}

// jensenShannon is the divergence of two normalised distributions in nats.
func jensenShannon(p, q []float64) float64 {
	divergence := 0.0
	for i := range p {
		middle := (p[i] + q[i]) / 2
		for _, x := range []float64{p[i], q[i]} {
			if x > 0 {
				divergence += x * math.Log(x/middle) / 2
			}
		}
	}
	return math.Max(0, divergence)
}

func smoothed(p []float64) []float64 {
	more := make([]float64, len(p))
	for i, x := range p {
		more[i] = x + 1e-10
	}
	return normalised(more)
}

// CountryQuestion is one question as a model and the people of some countries
// answered it.
type CountryQuestion struct {
	Model     []float64
	Countries map[string][]float64
}

// CountrySimilarity is the mean similarity of a model with each country over
// the questions that the country answered. Pooled is the mean over all pairs
// of question and country, ByCountry the mean over countries.
type CountrySimilarity struct {
	Countries   map[string]Number `json:"countries"`
	Questions   map[string]int    `json:"questions"`
	Pooled      Number            `json:"pooled"`
	ByCountry   Number            `json:"by_country"`
	MostSimilar string            `json:"most_similar"` // "" if nothing was comparable
}

// CompareCountries compares a model with every country; value picks the base of the similarity.
func CompareCountries(questions []CountryQuestion, value func(Similarity) Number) CountrySimilarity {
	values := map[string][]float64{}
	for _, q := range questions {
		for country, people := range q.Countries {
			values[country] = append(values[country], float64(value(similar(q.Model, people))))
		}
	}
	c := CountrySimilarity{Countries: map[string]Number{}, Questions: map[string]int{}}
	var pooled, means []float64
	most := Number(math.Inf(-1))
	for _, country := range sortedIDs(values) {
		m := Number(mean(values[country]))
		c.Countries[country] = m
		means = append(means, float64(m))
		for _, v := range values[country] {
			if !math.IsNaN(v) {
				c.Questions[country]++
				pooled = append(pooled, v)
			}
		}
		c.Questions[country] += 0 // also countries without a question are listed
		if m.Defined() && m > most {
			most, c.MostSimilar = m, country
		}
	}
	c.Pooled, c.ByCountry = Number(mean(pooled)), Number(mean(means))
	return c
}

// CountryIntervals are 95 % percentile intervals of each country's similarity,
// from resampling its questions.
func CountryIntervals(questions []CountryQuestion, value func(Similarity) Number, bootstrap int, seed uint64) map[string]Interval {
	values := map[string][]float64{}
	for _, q := range questions {
		for country, people := range q.Countries {
			values[country] = append(values[country], float64(value(similar(q.Model, people))))
		}
	}
	intervals := map[string]Interval{}
	for k, country := range sortedIDs(values) {
		intervals[country] = meanInterval(values[country], bootstrap, seed, uint64(k))
	}
	return intervals
}
