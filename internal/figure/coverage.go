package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overton/internal/score"
)

// Models names the models of a result in the order of the figures, best first.
func Models(o *score.Overton) []string {
	var names []string
	for _, m := range best(o.Models) {
		names = append(names, m.Model)
	}
	return names
}

// headRoom is the height that names need when they run upwards.
func headRoom(labels []string, longest float64) float64 {
	room := 0.0
	for _, s := range labels {
		room = math.Max(room, math.Min(letters{size: small}.width(s), longest))
	}
	return room + 10
}

// head writes names upwards over the columns of a matrix.
func (p pen) head(labels []string, left, column, bottom, longest float64) {
	for i, s := range labels {
		l := letters{size: small, upwards: true}
		p.write(left+column*(float64(i)+0.5)+4, bottom-4, letters{size: small}.elide(s, longest), l)
	}
}

// CoverageMatrix shows for every question (row) and model (column) how many of
// the question's groups the model covers.
func CoverageMatrix(o *score.Overton, width float64) *Figure {
	const row, longest = 19.0, 150.0
	models := Models(o)
	left := 0.0
	for _, q := range o.Questions {
		left = math.Max(left, letters{size: small}.width(q.Question))
	}
	left = math.Min(left, 90) + 12
	column := math.Min((width-left-2)/float64(len(models)), 56)
	top := headRoom(models, longest)
	height := top + row*float64(len(o.Questions)) + 44

	f := &Figure{Title: "Coverage by question and model", width: width, height: height}
	f.Description = fmt.Sprintf("A table of %d questions by %d models; each cell says how many of the question's "+
		"viewpoint groups the model's response covers.", len(o.Questions), len(models))
	f.draw = func(p pen) {
		p.head(models, left, column, top, longest)
		for i, q := range o.Questions {
			y := top + row*float64(i)
			p.write(left-8, y+row/2, letters{size: small}.elide(q.Question, left-10), letters{size: small, align: 1})
			for m, model := range models {
				x := left + column*float64(m)
				c, scored := q.Coverage[model]
				if !scored || !c.Defined() {
					p.write(x+column/2, y+row/2, "–", letters{size: small, color: grey, align: 0.5})
					continue
				}
				n := 0
				for _, flag := range q.Covered[model] {
					n += flag
				}
				p.box(shade(float64(c)), x+0.5, y+0.5, column-1, row-1)
				p.write(x+column/2, y+row/2, fmt.Sprintf("%d/%d", n, len(q.Groups)), letters{size: small, color: onShade(float64(c)), align: 0.5})
			}
		}
		p.shadeLegend(left, height-22, "share of groups covered")
	}
	return f
}

// shadeLegend explains shade from 0 to 1.
func (p pen) shadeLegend(x, y float64, title string) {
	p.write(x, y, "0", letters{size: small, align: 0})
	for i := range 20 {
		p.box(shade(float64(i)/19), x+12+5*float64(i), y-6, 5.2, 12)
	}
	p.write(x+118, y, "1   "+title, letters{size: small})
}

// QuestionMatrix shows one question: the mean rating that each viewpoint group
// (row) gave to each model (column), and which groups are covered. name says
// what people call a group of the ratings.
func QuestionMatrix(q score.Question, models []string, name func(group string) string, tau, width float64) *Figure {
	const row, longest = 28.0, 150.0
	labels := make([]string, len(q.Groups))
	left := 0.0
	for g, group := range q.Groups {
		labels[g] = fmt.Sprintf("%s (%s)", name(group.Group), people(group.Size))
		left = math.Max(left, letters{size: small}.width(labels[g]))
	}
	left = math.Min(left, width*0.4) + 12
	column := math.Min((width-left-2)/float64(len(models)), 64)
	top := headRoom(models, longest)
	height := top + row*float64(len(q.Groups)) + 44

	f := &Figure{Title: "Question " + q.Question + ": mean rating by viewpoint group and model", width: width, height: height}
	var said []string
	for g, group := range q.Groups {
		var by []string
		for _, model := range models {
			if flags, ok := q.Covered[model]; ok && flags[g] == 1 {
				by = append(by, model)
			}
		}
		if len(by) == 0 {
			by = []string{"no model"}
		}
		said = append(said, fmt.Sprintf("%s of %s is covered by %s", name(group.Group), people(group.Size), strings.Join(by, ", ")))
	}
	f.Description = fmt.Sprintf("%s, at a mean rating of %s or more.", strings.Join(said, "; "), tickText(tau))
	f.draw = func(p pen) {
		p.head(models, left, column, top, longest)
		for g := range q.Groups {
			y := top + row*float64(g)
			p.write(left-8, y+row/2, letters{size: small}.elide(labels[g], left-10), letters{size: small, align: 1})
			for m, model := range models {
				x := left + column*float64(m)
				means, scored := q.Mean[model]
				if !scored || !means[g].Defined() {
					p.write(x+column/2, y+row/2, "–", letters{size: small, color: grey, align: 0.5})
					continue
				}
				l := letters{size: small, align: 0.5}
				if q.Covered[model][g] == 1 {
					p.box(blue, x+1, y+1, column-2, row-2)
					l.color, l.bold = white, true
				} else {
					p.box(shade(0), x+1, y+1, column-2, row-2)
				}
				p.write(x+column/2, y+row/2, fmt.Sprintf("%.1f", float64(means[g])), l)
			}
		}
		y := height - 22
		p.box(blue, left, y-6, 20, 12)
		p.write(left+26, y, "covered: mean rating of "+tickText(tau)+" or more", letters{size: small})
	}
	return f
}

// people writes a group's size.
func people(size float64) string {
	if size == math.Trunc(size) {
		return fmt.Sprintf("%.0f", size)
	}
	return fmt.Sprintf("%.1f", size)
}

// Curve shows how the raw OvertonScore of every model falls as the threshold
// rises; a dashed line marks the threshold that was used.
func Curve(o *score.Overton, width float64) *Figure {
	c := o.Curve
	models := Models(o)
	narrow := width < 500
	const top = 26.0
	left, right, plotHeight := 40.0, width-230, 300.0
	legend := 0.0
	if narrow {
		right, plotHeight = width-10, 240
		legend = 17*float64(len(models)) + 8
	}
	bottom := top + plotHeight
	height := bottom + 40 + legend
	x, y := scale{c.Tau[0], c.Tau[len(c.Tau)-1], left, right}, scale{0, 1, bottom, top}

	f := &Figure{Title: "OvertonScore by threshold", width: width, height: height}
	f.Description = fmt.Sprintf("The raw score of each of %d models falls as the mean rating that counts as covered rises from %s to %s. %s",
		len(models), tickText(x.from), tickText(x.to), describeCurve(c, models))
	f.draw = func(p pen) {
		p.yAxis(y, y.ticks(5), left, right, "raw OvertonScore")
		p.xAxis(x, x.ticks(6), top, bottom, "threshold: mean rating at or above which a group counts as covered")
		p.line(stroke{1, grey, []float64{4, 3}}, x.at(o.Parameters.Tau), top, x.at(o.Parameters.Tau), bottom)
		legendX, legendY, legendWidth := right+16, top+8, width-right-16
		if narrow {
			legendX, legendY, legendWidth = left, bottom+48, right-left
		}
		for m, model := range models {
			var xy []float64
			for i, v := range c.Raw[model] {
				if v.Defined() {
					xy = append(xy, x.at(c.Tau[i]), y.at(float64(v)))
				}
			}
			p.line(lineStyle(m), xy...)
			ly := legendY + 17*float64(m)
			p.line(lineStyle(m), legendX, ly, legendX+28, ly)
			p.write(legendX+34, ly, letters{size: small}.elide(model, legendWidth-34), letters{size: small})
		}
	}
	return f
}

// dashes distinguish lines in addition to color.
var dashes = [][]float64{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}}

func lineStyle(i int) stroke {
	return stroke{1.75, distinct[i%len(distinct)], dashes[i%len(dashes)]}
}

func describeCurve(c score.Curve, models []string) string {
	var said []string
	for _, at := range []float64{3, 4} {
		i := slices.Index(c.Tau, at)
		var values []string
		for _, model := range models {
			values = append(values, model+" "+number(c.Raw[model][i]))
		}
		said = append(said, fmt.Sprintf("At %s: %s.", tickText(at), strings.Join(values, ", ")))
	}
	return strings.Join(said, " ")
}
