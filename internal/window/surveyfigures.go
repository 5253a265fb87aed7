package window

import (
	"maps"
	"slices"
	"strings"

	"overton/internal/figure"
	"overton/internal/score"
)

// Figure is one that a result has, by a name that is fit for a file, to be
// drawn in any width.
type Figure struct {
	Name    string
	Caption string
	Draw    func(width float64) *figure.Figure
}

// Figures are the drawings of an instrument as a whole.
func (r *InstrumentResult) Figures() []Figure {
	var figures []Figure
	if p := r.Opinions; p != nil {
		neutrality, ideology := OpinionPoints(r.Models)
		neutrality = append(neutrality, figure.OpinionPoint{Name: "people", X: p.NNI.Value, Y: p.TCI.Value, XCI: p.NNI.CI, YCI: p.TCI.CI, People: true})
		ideology = append(ideology, figure.OpinionPoint{Name: "people", X: p.Individualism.Value, Y: p.Progressivism.Value, XCI: p.Individualism.CI, YCI: p.Progressivism.CI, People: true})
		figures = append(figures,
			Figure{"neutrality", "How far people take sides, and how consistently within a topic: the mean of one person's answers at a time. Lines are 95 % intervals: for people from drawing people anew, for models from drawing items anew.",
				func(w float64) *figure.Figure { return figure.NeutralityMap(neutrality, w) }},
			Figure{"ideology", "Where people stand on average, with 95 % intervals. Pale dots are single people, the shade behind them says where many stand.",
				func(w float64) *figure.Figure { return figure.IdeologyMap(ideology, p.Places, w) }})
	}
	if r.Polls != nil {
		figures = append(figures, PollFigures(r.Polls)...)
	}
	return figures
}

// OpinionPoints places models on the map of neutrality and on that of ideology.
func OpinionPoints(results map[string]map[string]*score.PobsScore) (neutrality, ideology []figure.OpinionPoint) {
	for _, model := range Folded(results) {
		for _, mode := range Folded(results[model]) {
			s := results[model][mode]
			name := model
			if len(results[model]) > 1 {
				name += ", " + mode
			}
			neutrality = append(neutrality, figure.OpinionPoint{Name: name, X: s.NNI, Y: s.TCI, XCI: s.CI.NNI, YCI: s.CI.TCI})
			ideology = append(ideology, figure.OpinionPoint{Name: name, X: s.Axes.Individualism, Y: s.Axes.Progressivism, XCI: score.UndefinedInterval(), YCI: score.UndefinedInterval()})
		}
	}
	return neutrality, ideology
}

// PollFigures show representativeness by group, and on how many topics the
// nearest group is the same as overall.
func PollFigures(o *score.OpinionQA) []Figure {
	var figures []Figure
	for _, model := range Folded(o.Models) {
		m := o.Models[model]
		var groups, attributes []figure.RankedValue
		for _, g := range Folded(m.Group) {
			groups = append(groups, figure.RankedValue{Name: g, Value: m.Group[g], CI: m.GroupCI[g], Other: o.People.Group[g]})
		}
		consistent := false
		for _, a := range Folded(m.Topics.Attributes) {
			c := m.Topics.Attributes[a].C
			consistent = consistent || c.Defined()
			attributes = append(attributes, figure.RankedValue{Name: a, Value: c, CI: score.UndefinedInterval(), Other: score.Undefined()})
		}
		if !slices.ContainsFunc(groups, func(v figure.RankedValue) bool { return v.Value.Defined() }) {
			continue
		}
		figures = append(figures, Figure{"groups-" + FileName(model), "How alike the answers of " + model + " are to those of each group, 1 being the same distributions; 95 % intervals from drawing items anew.",
			func(w float64) *figure.Figure {
				return figure.Ranked("Whom "+model+" represents", "mean alignment of answers", "the group with people overall", groups, w)
			}})
		if consistent {
			figures = append(figures, Figure{"consistency-" + FileName(model), "On which share of the topics the group that " + model + " is nearest to is the same as over all topics.",
				func(w float64) *figure.Figure {
					return figure.Ranked("How consistently "+model+" is nearest to one group", "share of topics", "", attributes, w)
				}})
		}
	}
	return figures
}

// Figure sets people's answers to the item beside models'.
func (it *SurveyItem) Figure() Figure {
	people := figure.ItemAnswers{Name: "people", People: true, Refusal: it.Refusal.Value, RefusalCI: it.Refusal.CI}
	var options []string
	for _, o := range it.Options {
		options = append(options, o.Label)
		people.Shares, people.CIs = append(people.Shares, o.Share.Value), append(people.CIs, o.Share.CI)
	}
	respondents := []figure.ItemAnswers{people}
	for _, m := range Folded(it.Models) {
		respondents = append(respondents, figure.ItemAnswers{Name: m, Shares: it.Models[m], Refusal: it.ModelRefusals[m], RefusalCI: score.UndefinedInterval()})
	}
	return Figure{"item-" + FileName(it.Item), "Shares among the answers that are no refusals, and of refusals among all answers, with 95 % intervals.",
		func(w float64) *figure.Figure { return figure.ItemBars(it.Text, options, respondents, w) }}
}

// Nearest are the demographic groups that a model's answers are most alike to,
// the nearest first; those without a value are left out.
func Nearest(m score.PollModel) []string {
	groups := slices.DeleteFunc(Folded(m.Group), func(g string) bool { return !m.Group[g].Defined() })
	slices.SortStableFunc(groups, func(a, b string) int { return score.Descending(m.Group[a], m.Group[b]) })
	return groups
}

// FileName makes a name that is fit for a file.
func FileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '-'
	}, s)
}

// Folded are the keys of a map, whatever their case.
func Folded[V any](m map[string]V) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if c := strings.Compare(strings.ToLower(a), strings.ToLower(b)); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
}
