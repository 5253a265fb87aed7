package window

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"overton/internal/dataset/export"
	"overton/internal/figure"
	"overton/internal/score"
)

// Tabled is a figure whose numbers can be had as a table.
type Tabled struct {
	Figure
	CSV func(w io.Writer) error
}

// FigureFormats are what a figure can be had as.
var FigureFormats = []string{"svg", "png", "csv"}

// Content is the figure in one of the formats, as wide as a page. scale is the
// number of image points for a CSS pixel of a PNG.
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
	return nil, fmt.Errorf("no figure can be had as %q; expected one of %v", format, FigureFormats)
}

// Figures are those of the whole study, then those of each question, whose
// names begin with "question-" and its position from 1. texts are the
// statements' words by id.
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

// QuestionFigures are those of the question at a position.
func (r *Result) QuestionFigures(i int, texts map[string]string) []Tabled {
	q, name := r.Questions[i], fmt.Sprintf("question-%d-", i+1)
	var figures []Tabled
	if len(q.Groups) > 0 {
		figures = append(figures, Tabled{
			Figure{name + "window", "Each mark is a person; who votes alike stands near. Beside each group: the statements that tell it apart.",
				func(w float64) *figure.Figure { return figure.WindowMap(q.Question, q.Result, texts, w) }},
			func(w io.Writer) error { return export.WriteWindowMap(w, q.Question, q.Result) },
		})
	}
	if r.Score == nil {
		return figures
	}
	at := slices.IndexFunc(r.Score.Questions, func(s score.Question) bool { return s.Question == q.Question })
	if at < 0 {
		return figures
	}
	return append(figures, RatingFigures(name, r.Score, at, q.Ratings)...)
}

// ScoreFigures are those of all questions' scores together.
func ScoreFigures(o *score.Overton) []Tabled {
	people := "each keeping their group"
	if o.Regrouped {
		people = "among whom groups are found anew"
	}
	return []Tabled{{
		Figure{"leaderboard", "Adjusted scores with 95 % intervals: the wide bar tells how far a score would move with other participants, " + people + "; the thin one how far with other questions, as published.",
			func(w float64) *figure.Figure { return figure.Leaderboard(o, w) }},
		func(w io.Writer) error { return export.WriteLeaderboard(w, o) },
	}, {
		Figure{"curve", fmt.Sprintf("A group counts as covered from a mean rating of %g on (dashed). Where lines cross, the order of the models depends on that choice.", o.Parameters.Tau),
			func(w float64) *figure.Figure { return figure.Curve(o, w) }},
		func(w io.Writer) error { return export.WriteCurve(w, o) },
	}, {
		Figure{"coverage", "Groups covered of all groups, by question and model; models in the order of the leaderboard.",
			func(w float64) *figure.Figure { return figure.CoverageMatrix(o, w) }},
		func(w io.Writer) error { return export.WriteCoverage(w, o) },
	}}
}

// RatingFigures are those of the ratings on the question at a position of a
// score. Their names begin with prefix.
func RatingFigures(prefix string, o *score.Overton, at int, counts []score.RatingCounts) []Tabled {
	q, models := o.Questions[at], figure.Models(o)
	figures := []Tabled{{
		Figure{prefix + "coverage", "Mean rating that each group gave each model; dark where the group is covered.",
			func(w float64) *figure.Figure { return figure.QuestionMatrix(q, models, o.Parameters.Tau, w) }},
		func(w io.Writer) error { return export.WriteQuestionMatrix(w, q, models) },
	}}
	if len(counts) == 0 {
		return figures
	}
	return append(figures, Tabled{
		Figure{prefix + "ratings", "How the members of each group rated each model.",
			func(w float64) *figure.Figure { return figure.Distributions(q.Question, counts, w) }},
		func(w io.Writer) error { return export.WriteRatingCounts(w, q.Question, counts) },
	})
}
