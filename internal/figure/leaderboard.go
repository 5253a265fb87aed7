package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"overton/internal/score"
)

// sortBy orders items by a key, smallest first; equal items keep their order.
func sortBy[T any](items []T, key func(T) float64) {
	slices.SortStableFunc(items, func(a, b T) int {
		switch {
		case key(a) < key(b):
			return -1
		case key(a) > key(b):
			return 1
		}
		return 0
	})
}

// number writes a score for a figure.
func number(n score.Number) string {
	if !n.Defined() {
		return "–"
	}
	if math.Abs(float64(n)) < 0.005 {
		n = 0 // without a minus
	}
	return fmt.Sprintf("%.2f", float64(n))
}

// best sorts models by adjusted score, best first, undefined last.
func best(models []score.ModelScore) []score.ModelScore {
	models = slices.Clone(models)
	sortBy(models, func(m score.ModelScore) float64 {
		if !m.Adjusted.Defined() {
			return math.Inf(1)
		}
		return -float64(m.Adjusted)
	})
	return models
}

// Leaderboard shows every model's adjusted OvertonScore with its intervals, best first, and the reference
// points.
func Leaderboard(o *score.Overton, width float64) *Figure {
	models := best(o.Models)
	narrow := width < 500
	const top, bottom = 34.0, 78.0
	rowHeight, left := 26.0, 0.0
	if narrow {
		rowHeight, left = 38, 12
	} else {
		for _, m := range models {
			left = math.Max(left, letters{}.width(m.Model))
		}
		left = math.Min(left, 230) + 12
	}
	right := width - 44
	height := top + rowHeight*float64(len(models)) + bottom
	shown := []score.Number{o.Reference.SingleView, o.Reference.BestAcross}
	for _, m := range models {
		shown = append(shown, m.Adjusted, m.CI.Low, m.CI.High)
		if ci := m.Intervals.Participants; ci != nil {
			shown = append(shown, ci.Adjusted.Low, ci.Adjusted.High)
		}
	}
	axis := around(left, right, shown...)
	end := height - bottom

	f := &Figure{Title: "OvertonScore by model", Description: describeLeaderboard(o, models), width: width, height: height}
	f.draw = func(p pen) {
		p.xAxis(axis, axis.ticks(5), top, end, "adjusted OvertonScore")
		single := newReference(axis, "single view", o.Reference.SingleView)
		together := newReference(axis, "all together", o.Reference.BestAcross)
		p.reference(single, top, top-14, end)
		if single.touches(together) {
			p.reference(together, top, top-27, end)
		} else {
			p.reference(together, top, top-14, end)
		}
		for i, m := range models {
			y := top + rowHeight*(float64(i)+0.5)
			if narrow {
				p.writeOver(left, y-8, letters{}.elide(m.Model, right-left), letters{})
				y += 8
			} else {
				p.write(left-10, y, letters{}.elide(m.Model, left-12), letters{align: 1})
			}
			if ci := m.Intervals.Questions.Adjusted; ci.Defined() {
				p.line(stroke{1.5, orange, nil}, axis.at(float64(ci.Low)), y+3.5, axis.at(float64(ci.High)), y+3.5)
				for _, end := range []score.Number{ci.Low, ci.High} {
					p.line(stroke{1.5, orange, nil}, axis.at(float64(end)), y+0.5, axis.at(float64(end)), y+6.5)
				}
			}
			if ci := m.Intervals.Participants; ci != nil && ci.Adjusted.Defined() {
				p.line(stroke{5, pale, nil}, axis.at(float64(ci.Adjusted.Low)), y-3, axis.at(float64(ci.Adjusted.High)), y-3)
			}
			if m.Adjusted.Defined() {
				p.mark(draw.CircleGlyph{}, blue, axis.at(float64(m.Adjusted)), y, 4)
			}
			p.write(width-4, y, number(m.Adjusted), letters{align: 1, bold: true})
		}
		p.leaderboardLegend(o, left, end+46, narrow)
	}
	return f
}

// reference is a point on the axis that scores are compared with.
type reference struct {
	name         string
	x            float64
	middle, half float64 // of the name above the line
}

var referenceLetters = letters{size: small, color: grey, align: 0.5}

func newReference(axis scale, name string, at score.Number) reference {
	if !at.Defined() {
		return reference{}
	}
	r := reference{name: name + " " + number(at), x: axis.at(float64(at))}
	r.half = referenceLetters.width(r.name) / 2
	r.middle = math.Max(axis.start+r.half-8, math.Min(r.x, axis.end+40-r.half))
	return r
}

// touches says whether two names would overlap on one line.
func (r reference) touches(other reference) bool {
	return math.Abs(r.middle-other.middle) < r.half+other.half+6
}

// reference draws a dashed line from top to end with its name above it. An undefined one is left out.
func (p pen) reference(r reference, top, name, end float64) {
	if r.name == "" {
		return
	}
	p.line(stroke{1, grey, []float64{4, 3}}, r.x, top-4, r.x, end)
	p.write(r.middle, name, r.name, referenceLetters)
}

func (p pen) leaderboardLegend(o *score.Overton, x, y float64, narrow bool) {
	step := 190.0
	people := "other participants, 95 %"
	if o.Regrouped {
		people = "other participants, groups recomputed, 95 %"
		step = 260
	}
	p.line(stroke{5, pale, nil}, x, y, x+24, y)
	p.write(x+30, y, people, letters{size: small})
	if narrow {
		y += 16
	} else {
		x += step
	}
	p.line(stroke{1.5, orange, nil}, x, y, x+24, y)
	p.line(stroke{1.5, orange, nil}, x, y-3, x, y+3)
	p.line(stroke{1.5, orange, nil}, x+24, y-3, x+24, y+3)
	p.write(x+30, y, "other questions, 95 %", letters{size: small})
}

func describeLeaderboard(o *score.Overton, models []score.ModelScore) string {
	var said []string
	for _, m := range models {
		s := fmt.Sprintf("%s %s", m.Model, number(m.Adjusted))
		if ci := m.Intervals.Participants; ci != nil && ci.Adjusted.Defined() {
			s += fmt.Sprintf(" (%s to %s)", number(ci.Adjusted.Low), number(ci.Adjusted.High))
		} else if m.CI.Defined() {
			s += fmt.Sprintf(" (%s to %s)", number(m.CI.Low), number(m.CI.High))
		}
		said = append(said, s)
	}
	return fmt.Sprintf("Adjusted scores with 95 %% intervals, best first: %s. All models together cover %s; a single view would cover %s.",
		strings.Join(said, "; "), number(o.Reference.BestAcross), number(o.Reference.SingleView))
}
