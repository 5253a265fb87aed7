package window

import (
	"io"
	"maps"
	"slices"
	"strings"

	"overton/internal/dataset"
	"overton/internal/figure"
	"overton/internal/score"
)

// Figure is a figure of a result, with a name suitable for a file, that can be drawn at any width.
type Figure struct {
	Name    string
	Caption string
	Draw    func(width float64) *figure.Figure
}

// Figures are the drawings of an instrument as a whole.
func (r *InstrumentResult) Figures() []Tabled {
	var figures []Tabled
	if r.Opinions != nil {
		figures = OpinionFigures(r.Models, r.Opinions)
	}
	if r.Polls != nil {
		figures = append(figures, PollFigures(r.Polls)...)
	}
	return figures
}

// OpinionFigures place models and, if they are not nil, people on the map of neutrality and on that of
// ideology.
func OpinionFigures(models map[string]map[string]*score.PobsScore, people *score.PeopleOpinions) []Tabled {
	neutrality, ideology := opinionPoints(models)
	var places []score.Axes
	if p := people; p != nil {
		neutrality = append(neutrality, figure.OpinionPoint{Name: "people", X: p.NNI.Value, Y: p.TCI.Value,
			XCI: p.NNI.CI, YCI: p.TCI.CI, People: true})
		ideology = append(ideology, figure.OpinionPoint{Name: "people", X: p.Individualism.Value,
			Y: p.Progressivism.Value, XCI: p.Individualism.CI, YCI: p.Progressivism.CI, People: true})
		places = p.Places
	}
	return []Tabled{{
		Figure{"neutrality", "How strongly respondents take sides, and how consistently within a topic; people's " +
			"numbers are means over people. Lines are 95 % intervals: for people from resampling people, for models from resampling items.",
			func(w float64) *figure.Figure { return figure.NeutralityMap(neutrality, w) }},
		placesOf("nni", "tci", neutrality),
	}, {
		Figure{"ideology", "Average positions, with 95 % intervals. Small dots are individual people; darker shading means more of them.",
			func(w float64) *figure.Figure { return figure.IdeologyMap(ideology, places, w) }},
		placesOf("individualism_collectivism", "progressivism_conservatism", ideology),
	}}
}

// placesOf writes the numbers of a figure with two axes.
func placesOf(x, y string, points []figure.OpinionPoint) func(io.Writer) error {
	var placed []dataset.PlacedRespondent
	for _, p := range points {
		placed = append(placed, dataset.PlacedRespondent{Respondent: dataset.Respondent{Name: p.Name,
			People: p.People}, X: p.X, Y: p.Y, XCI: p.XCI, YCI: p.YCI})
	}
	return func(w io.Writer) error { return dataset.WritePlaces(w, x, y, placed) }
}

// opinionPoints places models on the map of neutrality and on that of ideology.
func opinionPoints(results map[string]map[string]*score.PobsScore) (neutrality, ideology []figure.OpinionPoint) {
	for _, model := range Folded(results) {
		for _, mode := range Folded(results[model]) {
			s := results[model][mode]
			name := model
			if len(results[model]) > 1 {
				name += ", " + mode
			}
			neutrality = append(neutrality, figure.OpinionPoint{Name: name, X: s.NNI, Y: s.TCI, XCI: s.CI.NNI, YCI: s.CI.TCI})
			ideology = append(ideology, figure.OpinionPoint{Name: name, X: s.Axes.Individualism,
				Y: s.Axes.Progressivism, XCI: score.UndefinedInterval(), YCI: score.UndefinedInterval()})
		}
	}
	return neutrality, ideology
}

// PollFigures show representativeness by group, and for how many topics the most similar group is the same as
// overall. A figure without a value is left out.
func PollFigures(o *score.OpinionQA) []Tabled {
	var figures []Tabled
	ranked := func(model, name, what string, f Figure, title, axis, other string, rows []dataset.Ranking) {
		if !slices.ContainsFunc(rows, func(r dataset.Ranking) bool { return r.Value.Defined() }) {
			return
		}
		var values []figure.RankedValue
		for _, r := range rows {
			values = append(values, figure.RankedValue(r))
		}
		f.Name = name + "-" + FileName(model)
		f.Draw = func(w float64) *figure.Figure { return figure.Ranked(title, axis, other, values, w) }
		figures = append(figures, Tabled{f, func(w io.Writer) error { return dataset.WriteRankings(w, model, what, rows) }})
	}
	for _, model := range Folded(o.Models) {
		m := o.Models[model]
		var groups, attributes []dataset.Ranking
		for _, g := range Folded(m.Group) {
			groups = append(groups, dataset.Ranking{Name: g, Value: m.Group[g], CI: m.GroupCI[g], Other: o.People.Group[g]})
		}
		for _, a := range Folded(m.Topics.Attributes) {
			attributes = append(attributes, dataset.Ranking{Name: a, Value: m.Topics.Attributes[a].C,
				CI: score.UndefinedInterval(), Other: score.Undefined()})
		}
		ranked(model, "groups", "group", Figure{Caption: "How similar the answers of " + model +
			" are to those of each group; 1 means the same distributions. 95 % intervals from resampling items."},
			"Whom "+model+" represents", "mean alignment of answers", "the group with people overall", groups)
		ranked(model, "consistency", "attribute", Figure{Caption: "The share of topics on which the group that " +
			model + " is most similar to is the same as over all topics."},
			"How consistently "+model+" is most similar to one group", "share of topics", "", attributes)
	}
	return figures
}

// Figure compares people's answers to the item with models'.
func (it *SurveyItem) Figure() Tabled {
	people := figure.ItemAnswers{Name: "people", People: true, Refusal: it.Refusal.Value, RefusalCI: it.Refusal.CI}
	var options []string
	for _, o := range it.Options {
		options = append(options, o.Label)
		people.Shares, people.CIs = append(people.Shares, o.Share.Value), append(people.CIs, o.Share.CI)
	}
	respondents := []figure.ItemAnswers{people}
	for _, m := range Folded(it.Models) {
		respondents = append(respondents, figure.ItemAnswers{Name: m, Shares: it.Models[m],
			Refusal: it.ModelRefusals[m], RefusalCI: score.UndefinedInterval()})
	}
	var shares []dataset.ItemShare
	for _, r := range respondents {
		who := dataset.Respondent{Name: r.Name, People: r.People}
		for k, o := range it.Options {
			share := dataset.ItemShare{Respondent: who, Option: o.Option, Label: o.Label, Share: r.Shares[k], CI: score.UndefinedInterval()}
			if r.CIs != nil {
				share.CI = r.CIs[k]
			}
			shares = append(shares, share)
		}
		shares = append(shares, dataset.ItemShare{Respondent: who, Refusal: true, Share: r.Refusal, CI: r.RefusalCI})
	}
	return Tabled{
		Figure{"item-" + FileName(it.Item), "Shares of the answers that are not refusals, and of refusals among " +
			"all answers, with 95 % intervals.",
			func(w float64) *figure.Figure { return figure.ItemBars(it.Text, options, respondents, w) }},
		func(w io.Writer) error { return dataset.WriteItemShares(w, it.Item, shares) },
	}
}

// Nearest are the demographic groups that a model's answers are most similar to, most similar first; those
// without a value are left out.
func Nearest(m score.PollModel) []string {
	groups := slices.DeleteFunc(Folded(m.Group), func(g string) bool { return !m.Group[g].Defined() })
	slices.SortStableFunc(groups, func(a, b string) int { return score.Descending(m.Group[a], m.Group[b]) })
	return groups
}

// FileName makes a name suitable for a file.
func FileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '-'
	}, s)
}

// Folded are the keys of a map, sorted without regard to case.
func Folded[V any](m map[string]V) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if c := strings.Compare(strings.ToLower(a), strings.ToLower(b)); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
}
