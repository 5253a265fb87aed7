package export

import (
	"io"

	"overton/internal/dataset/votes"
	"overton/internal/score"
)

// Respondent is one in a figure of surveys: a model, or people together.
type Respondent struct {
	Name   string
	People bool
}

// kind tells in a table of numbers who a respondent is.
func (r Respondent) kind() string {
	if r.People {
		return "people"
	}
	return "model"
}

// PlacedRespondent is a respondent in a figure with two axes.
type PlacedRespondent struct {
	Respondent
	X, Y     score.Number
	XCI, YCI score.Interval
}

// WritePlaces writes the numbers of figure.NeutralityMap and
// figure.IdeologyMap: a row for each respondent. x and y name the axes.
func WritePlaces(w io.Writer, x, y string, placed []PlacedRespondent) error {
	t := newNumbers(w, "respondent", "kind", x, x+"_low", x+"_high", y, y+"_low", y+"_high")
	for _, p := range placed {
		t.row(p.Name, p.kind(), number(p.X), number(p.XCI.Low), number(p.XCI.High), number(p.Y), number(p.YCI.Low), number(p.YCI.High))
	}
	return t.end()
}

// ItemShare is a respondent's share of one answer to an item. The share of a
// refusal is among all answers, that of an option among the others.
type ItemShare struct {
	Respondent
	Option, Label string
	Refusal       bool
	Share         score.Number
	CI            score.Interval
}

// WriteItemShares writes the numbers of figure.ItemBars: a row for each
// respondent and answer.
func WriteItemShares(w io.Writer, item string, shares []ItemShare) error {
	t := newNumbers(w, "item", "respondent", "kind", "option", "label", "refusal", "share", "share_low", "share_high")
	for _, s := range shares {
		refusal := "no"
		if s.Refusal {
			refusal = "yes"
		}
		t.row(item, s.Name, s.kind(), s.Option, s.Label, refusal, number(s.Share), number(s.CI.Low), number(s.CI.High))
	}
	return t.end()
}

// Ranking is one row of figure.Ranked.
type Ranking struct {
	Name  string
	Value score.Number
	CI    score.Interval
	Other score.Number // of people, where the figure sets one beside it
}

// WriteRankings writes the numbers of figure.Ranked for one model: a row for
// each group, attribute or country.
func WriteRankings(w io.Writer, model, name string, rankings []Ranking) error {
	t := newNumbers(w, votes.ColumnModel, name, "value", "low", "high", "people")
	for _, r := range rankings {
		t.row(model, r.Name, number(r.Value), number(r.CI.Low), number(r.CI.High), number(r.Other))
	}
	return t.end()
}

// WriteMatrix writes the numbers of figure.TopicMap and figure.DistanceMap: a
// row for each pair of names.
func WriteMatrix(w io.Writer, value string, names []string, values [][]score.Number) error {
	t := newNumbers(w, "first", "second", value)
	for i, row := range values {
		for k, v := range row {
			t.row(names[i], names[k], number(v))
		}
	}
	return t.end()
}
