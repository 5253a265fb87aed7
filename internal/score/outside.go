package score

// Outside compares a score from elsewhere (such as a measure of slant) with the models' own scores.
type Outside struct {
	Points []OutsidePoint `json:"points"`
	// ByScore holds the correlation with each of raw, weighted, adjusted and
	// adjusted_weighted.
	ByScore map[string]Correlation `json:"by_score"`
	// WithoutOutside are models that have no outside score; WithoutScore are
	// names in the outside score that are not among the models.
	WithoutOutside []string `json:"without_outside,omitempty"`
	WithoutScore   []string `json:"without_score,omitempty"`
}

// OutsidePoint is one model in both measures.
type OutsidePoint struct {
	Model    string `json:"model"`
	Outside  Number `json:"outside"`
	Adjusted Number `json:"adjusted"`
}

// CompareOutside compares the outside scores, by model name, with the models' own.
func CompareOutside(models []ModelScore, outside map[string]float64) *Outside {
	o := &Outside{ByScore: map[string]Correlation{}}
	known := map[string]bool{}
	for _, m := range models {
		known[m.Model] = true
		if v, ok := outside[m.Model]; ok {
			o.Points = append(o.Points, OutsidePoint{m.Model, Number(v), m.Adjusted})
		} else {
			o.WithoutOutside = append(o.WithoutOutside, m.Model)
		}
	}
	for _, name := range sortedIDs(outside) {
		if !known[name] {
			o.WithoutScore = append(o.WithoutScore, name)
		}
	}
	for name, score := range map[string]func(ModelScore) Number{
		"raw":               func(m ModelScore) Number { return m.Raw },
		"weighted":          func(m ModelScore) Number { return m.Weighted },
		"adjusted":          func(m ModelScore) Number { return m.Adjusted },
		"adjusted_weighted": func(m ModelScore) Number { return m.AdjustedWeighted },
	} {
		var x, y []float64
		for _, m := range models {
			if v, ok := outside[m.Model]; ok && score(m).Defined() {
				x, y = append(x, v), append(y, float64(score(m)))
			}
		}
		o.ByScore[name] = correlate(x, y)
	}
	return o
}
