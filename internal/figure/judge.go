package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"overton/internal/score"
)

// Judge compares a judge with people: its prediction for each rating that people gave, and every model's
// score from people and, with that model's ratings replaced by the judge's, from the judge.
func Judge(j *score.Judge, width float64) *Figure {
	narrow := width < 500
	half := (width - 30) / 2
	if narrow {
		half = width
	}
	const table = 300.0
	var models []score.LeftOutModel
	if j.LeaveOneModelOut != nil {
		models = j.LeaveOneModelOut.Models
	}
	list := 40 + 34*float64(len(models)) + 66
	height := math.Max(table, list)
	if narrow {
		height = table + list
	}
	f := &Figure{Title: "The judge compared with people", width: width, height: height}
	f.Description = fmt.Sprintf("The judge's average error is %s; rank correlation with people %s, within one "+
		"person's ratings on a question %s.",
		number(j.Judge.MAE), number(j.Judge.Spearman), number(j.Judge.WithinPerson))
	for _, m := range models {
		f.Description += fmt.Sprintf(" %s: %s by people, %s by the judge.", m.Model, number(m.HumanAdjusted), number(m.JudgeAdjusted))
	}
	f.draw = func(p pen) {
		p.confusion(j.Counts, half)
		if narrow {
			p.judged(models, 0, table, half)
		} else {
			p.judged(models, half+30, 0, half)
		}
	}
	return f
}

// confusion draws the judge's ratings for each rating of people, as shares of
// a row.
func (p pen) confusion(counts [5][5]int, width float64) {
	const top, left, row = 46.0, 60.0, 40.0
	column := (width - left) / 5
	p.write(left, 10, "judge’s rating, % of each row", letters{size: small, bold: true})
	for i := range 5 {
		p.write(left+column*(float64(i)+0.5), top-12, fmt.Sprint(i+1), letters{align: 0.5})
		p.write(left-10, top+row*(float64(4-i)+0.5), fmt.Sprint(i+1), letters{align: 1})
	}
	p.write(14, top+row*2.5, "people’s rating", letters{size: small, bold: true, align: 0.5, upwards: true})
	for human, judge := range counts {
		n := 0
		for _, c := range judge {
			n += c
		}
		for predicted, c := range judge {
			x, y := left+column*float64(predicted), top+row*float64(4-human)
			share := 0.0
			if n > 0 {
				share = float64(c) / float64(n)
			}
			p.box(shade(share), x+1, y+1, column-2, row-2)
			if human == predicted {
				p.frame(stroke{1.5, orange, nil}, x+1.5, y+1.5, column-3, row-3)
			}
			p.write(x+column/2, y+row/2, fmt.Sprintf("%.0f", 100*share), letters{align: 0.5, color: onShade(share)})
		}
	}
	p.frame(stroke{1.5, orange, nil}, left+1, top+5*row+15, 16, 12)
	p.write(left+24, top+5*row+21, "same rating", letters{size: small})
}

// judged draws each model's two scores.
func (p pen) judged(models []score.LeftOutModel, x, y, width float64) {
	if len(models) == 0 {
		return
	}
	top := y + 26
	bottom := top + 34*float64(len(models))
	var shown []score.Number
	for _, m := range models {
		shown = append(shown, m.HumanAdjusted, m.JudgeAdjusted)
	}
	axis := around(x+6, x+width-14, shown...)
	p.write(x, y+10, "adjusted OvertonScore", letters{size: small, bold: true})
	p.xAxis(axis, axis.ticks(5), top, bottom, "")
	for i, m := range models {
		at := top + 34*float64(i)
		p.writeOver(x+6, at+9, letters{size: small}.elide(m.Model, width-12), letters{size: small})
		at += 23
		if m.HumanAdjusted.Defined() && m.JudgeAdjusted.Defined() {
			p.line(stroke{1, grey, nil}, axis.at(float64(m.HumanAdjusted)), at, axis.at(float64(m.JudgeAdjusted)), at)
		}
		if m.HumanAdjusted.Defined() {
			p.mark(draw.CircleGlyph{}, blue, axis.at(float64(m.HumanAdjusted)), at, 4.5)
		}
		if m.JudgeAdjusted.Defined() {
			p.mark(draw.PyramidGlyph{}, orange, axis.at(float64(m.JudgeAdjusted)), at, 4.5)
		}
	}
	ly := bottom + 32
	p.mark(draw.CircleGlyph{}, blue, x+12, ly, 4.5)
	p.write(x+22, ly, "by people", letters{size: small})
	p.mark(draw.PyramidGlyph{}, orange, x+92, ly, 4.5)
	p.write(x+102, ly, "this model by the judge", letters{size: small})
}
