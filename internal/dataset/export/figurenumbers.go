package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"overton/internal/cluster"
	"overton/internal/dataset/votes"
	"overton/internal/score"
)

// The numbers of figures, as CSV in full precision; a cell is empty where there
// is no number. Columns that an export has too are called as there.

// WriteLeaderboard writes the numbers of figure.Leaderboard: a row for each
// model, in their order, and one for each reference point. score is what the
// figure shows, the adjusted one of a model.
func WriteLeaderboard(w io.Writer, o *score.Overton) error {
	t := newNumbers(w, "kind", "name", "score", "questions_low", "questions_high", "participants_low", "participants_high", "both_low", "both_high",
		"raw", "weighted", "adjusted_weighted", "questions")
	ends := func(s *score.ScoreIntervals) (low, high string) {
		if s == nil || !s.Adjusted.Defined() {
			return "", ""
		}
		return number(s.Adjusted.Low), number(s.Adjusted.High)
	}
	for _, m := range o.Models {
		questionsLow, questionsHigh := ends(&m.Intervals.Questions)
		peopleLow, peopleHigh := ends(m.Intervals.Participants)
		bothLow, bothHigh := ends(m.Intervals.Both)
		t.row("model", m.Model, number(m.Adjusted), questionsLow, questionsHigh, peopleLow, peopleHigh, bothLow, bothHigh,
			number(m.Raw), number(m.Weighted), number(m.AdjustedWeighted), strconv.Itoa(m.Questions))
	}
	reference := func(name string, raw, weighted score.Number) {
		t.row("reference", name, number(raw), "", "", "", "", "", "", number(raw), number(weighted), "", strconv.Itoa(len(o.Questions)))
	}
	reference("single view", o.Reference.SingleView, o.Reference.SingleViewWeighted)
	reference("all together", o.Reference.BestAcross, o.Reference.BestAcrossWeighted)
	return t.end()
}

// WriteCurve writes the numbers of figure.Curve: a row for each model and
// threshold.
func WriteCurve(w io.Writer, o *score.Overton) error {
	t := newNumbers(w, votes.ColumnModel, "tau", "raw", "weighted")
	for _, m := range o.Models {
		for i, tau := range o.Curve.Tau {
			t.row(m.Model, number(score.Number(tau)), number(o.Curve.Raw[m.Model][i]), number(o.Curve.Weighted[m.Model][i]))
		}
	}
	return t.end()
}

// WriteCoverage writes the numbers of figure.CoverageMatrix: a row for each
// question and model that is scored on it.
func WriteCoverage(w io.Writer, o *score.Overton) error {
	t := newNumbers(w, votes.ColumnQuestion, votes.ColumnModel, "groups", "covered", "coverage", "coverage_weighted")
	for _, q := range o.Questions {
		for _, m := range o.Models {
			flags, scored := q.Covered[m.Model]
			if !scored {
				continue
			}
			covered := 0
			for _, f := range flags {
				covered += f
			}
			t.row(q.Question, m.Model, strconv.Itoa(len(flags)), strconv.Itoa(covered), number(q.Coverage[m.Model]), number(q.CoverageWeighted[m.Model]))
		}
	}
	return t.end()
}

// WriteQuestionMatrix writes the numbers of figure.QuestionMatrix: a row for
// each group and model of one question.
func WriteQuestionMatrix(w io.Writer, q score.Question, models []string) error {
	t := newNumbers(w, votes.ColumnQuestion, "group", "size", votes.ColumnModel, "mean", "covered")
	for g, group := range q.Groups {
		for _, m := range models {
			if flags, scored := q.Covered[m]; scored {
				t.row(q.Question, group.Group, number(score.Number(group.Size)), m, number(q.Mean[m][g]), strconv.Itoa(flags[g]))
			}
		}
	}
	return t.end()
}

// WriteRatingCounts writes the numbers of figure.Distributions: a row for each
// model and group of one question.
func WriteRatingCounts(w io.Writer, question string, counts []score.RatingCounts) error {
	t := newNumbers(w, votes.ColumnQuestion, votes.ColumnModel, "group", "rating_1", "rating_2", "rating_3", "rating_4", "rating_5")
	for _, c := range counts {
		row := []string{question, c.Model, c.Group}
		for _, n := range c.Counts {
			row = append(row, strconv.Itoa(n))
		}
		t.row(row...)
	}
	return t.end()
}

// WriteWindowMap writes the numbers of figure.WindowMap: where the participants
// of one question stand, who stay unnamed as in the figure.
func WriteWindowMap(w io.Writer, question string, r *cluster.Result) error {
	t := newNumbers(w, votes.ColumnQuestion, "group", "x", "y")
	for _, p := range r.Participants {
		t.row(question, strconv.Itoa(p.Group), number(score.Number(p.X)), number(score.Number(p.Y)))
	}
	return t.end()
}

// WriteOutside writes the numbers of figure.Outside: a row for each model that
// has both scores.
func WriteOutside(w io.Writer, o *score.Outside) error {
	t := newNumbers(w, votes.ColumnModel, "outside", "adjusted")
	for _, m := range o.Points {
		t.row(m.Model, number(m.Outside), number(m.Adjusted))
	}
	return t.end()
}

// numbers writes one table; a failed write shows at its end.
type numbers struct{ csv *csv.Writer }

func newNumbers(w io.Writer, columns ...string) numbers {
	t := numbers{csv.NewWriter(w)}
	t.row(columns...)
	return t
}

func (t numbers) row(cells ...string) { _ = t.csv.Write(cells) }

func (t numbers) end() error {
	t.csv.Flush()
	if err := t.csv.Error(); err != nil {
		return fmt.Errorf("writing the numbers of a figure: %w", err)
	}
	return nil
}

func number(n score.Number) string {
	if !n.Defined() {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'g', -1, 64)
}
