package window

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"

	"overton/internal/cluster"
	"overton/internal/dataset"
	"overton/internal/figure"
	"overton/internal/score"
)

// Tabled is a figure whose numbers are also available as a table.
type Tabled struct {
	Figure
	CSV func(w io.Writer) error
}

// FigureFormats are the formats of a figure.
var FigureFormats = []string{"svg", "png", "csv"}

// Content is the figure in one of the formats, as wide as a page. scale is the number of PNG pixels for each
// CSS pixel.
func (t Tabled) Content(format string, scale int) ([]byte, error) {
	switch format {
	case "svg":
		return t.Draw(figure.Wide).SVG(), nil
	case "png":
		return t.Draw(figure.Wide).PNG(scale)
	case "csv":
		var b bytes.Buffer
		err := t.CSV(&b)
		return b.Bytes(), err
	}
	return nil, fmt.Errorf("there is no figure format %q; expected one of %v", format, FigureFormats)
}

// Figures are those of the whole study, then those of each question, whose names begin with "question-" and
// its position from 1. texts are the statements' texts by id.
func (r *Result) Figures(texts map[string]string) []Tabled {
	var figures []Tabled
	if r.Score != nil {
		figures = ScoreFigures(r.Score)
	}
	for i := range r.Questions {
		figures = append(figures, r.QuestionFigures(i, texts)...)
	}
	return figures
}

// QuestionFigures are the figures of the question at a position.
func (r *Result) QuestionFigures(i int, texts map[string]string) []Tabled {
	q, name := r.Questions[i], fmt.Sprintf("question-%d-", i+1)
	var figures []Tabled
	if len(q.Groups) > 0 {
		figures = append(figures, Tabled{
			Figure{name + "window", "Each mark is a person; people who vote alike are close together. Next to " +
				"each group are the statements that distinguish it.",
				func(w float64) *figure.Figure { return figure.WindowMap(q.Question, q.Result, texts, w) }},
			func(w io.Writer) error { return dataset.WriteWindowMap(w, q.Question, q.Result) },
		})
	}
	if r.Score == nil {
		return figures
	}
	at := slices.IndexFunc(r.Score.Questions, func(s score.Question) bool { return s.Question == q.Question })
	if at < 0 {
		return figures
	}
	return append(figures, RatingFigures(name, r.Score, at, q.Ratings, NumberedGroup)...)
}

// ScoreFigures are the figures of the scores over all questions.
func ScoreFigures(o *score.Overton) []Tabled {
	people := "with fixed groups"
	if o.Regrouped {
		people = "with groups recomputed"
	}
	return []Tabled{{
		Figure{"leaderboard", "Adjusted scores with 95 % intervals: the wide bar shows how much a score would " +
			"vary with other participants, " + people + "; the thin bar, with other questions, as published.",
			func(w float64) *figure.Figure { return figure.Leaderboard(o, w) }},
		func(w io.Writer) error { return dataset.WriteLeaderboard(w, o) },
	}, {
		Figure{"curve", fmt.Sprintf("A group counts as covered at a mean rating of %g or more (dashed line). "+
			"Where lines cross, the order of the models depends on that choice.", o.Parameters.Tau),
			func(w float64) *figure.Figure { return figure.Curve(o, w) }},
		func(w io.Writer) error { return dataset.WriteCurve(w, o) },
	}, {
		Figure{"coverage", "Groups covered out of all groups, by question and model, in the order of the leaderboard.",
			func(w float64) *figure.Figure { return figure.CoverageMatrix(o, w) }},
		func(w io.Writer) error { return dataset.WriteCoverage(w, o) },
	}}
}

// NumberedGroup is what people call a group that ratings name by its number:
// "Group A" for "0". Other names of groups stay as they are.
func NumberedGroup(group string) string {
	if n, err := strconv.Atoi(group); err == nil && n >= 0 {
		return "Group " + cluster.GroupName(n)
	}
	return GivenGroup(group)
}

// GivenGroup is what people call a group that a column of a file names.
func GivenGroup(group string) string { return "group " + group }

// RatingFigures are the figures of the ratings on the question at a position of a score. Their names begin
// with prefix; name says what people call a group.
func RatingFigures(
	prefix string, o *score.Overton, at int, counts []score.RatingCounts, name func(group string) string,
) []Tabled {
	q, models := o.Questions[at], figure.Models(o)
	figures := []Tabled{{
		Figure{prefix + "coverage", "Mean rating that each group gave each model; dark if the group is covered.",
			func(w float64) *figure.Figure { return figure.QuestionMatrix(q, models, name, o.Parameters.Tau, w) }},
		func(w io.Writer) error { return dataset.WriteQuestionMatrix(w, q, models) },
	}}
	if len(counts) == 0 {
		return figures
	}
	return append(figures, Tabled{
		Figure{prefix + "ratings", "How the members of each group rated each model.",
			func(w float64) *figure.Figure { return figure.Distributions(q.Question, counts, name, w) }},
		func(w io.Writer) error { return dataset.WriteRatingCounts(w, q.Question, counts) },
	})
}
