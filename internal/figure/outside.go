package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"overton/internal/score"
)

// Outside plots an outside score (across) against the adjusted OvertonScore (up), one point for each model.
// name is the name of the outside score.
func Outside(o *score.Outside, name string, width float64) *Figure {
	const top, bottom, left = 26.0, 44.0, 40.0
	height := math.Min(width*0.75, 420)
	low, high := math.Inf(1), math.Inf(-1)
	var scores []score.Number
	for _, pt := range o.Points {
		scores = append(scores, pt.Adjusted)
		low, high = math.Min(low, float64(pt.Outside)), math.Max(high, float64(pt.Outside))
	}
	margin := math.Max((high-low)*0.12, 1e-9)
	x, y := scale{low - margin, high + margin, left, width - 8}, around(height-bottom, top, scores...)
	c := o.ByScore["adjusted"]

	f := &Figure{Title: "OvertonScore compared with " + name, width: width, height: height}
	f.Description = fmt.Sprintf("%d models; Pearson correlation %s, Spearman %s.", c.N, number(c.Pearson), number(c.Spearman))
	for _, pt := range o.Points {
		f.Description += fmt.Sprintf(" %s: %s %s, OvertonScore %s.", pt.Model, name, number(pt.Outside), number(pt.Adjusted))
	}
	f.draw = func(p pen) {
		if len(o.Points) == 0 {
			return
		}
		p.yAxis(y, y.ticks(5), left, width-8, "adjusted OvertonScore")
		p.xAxis(x, x.ticks(6), top, height-bottom, name)
		var points []score.OutsidePoint
		for _, pt := range o.Points {
			if pt.Adjusted.Defined() {
				points = append(points, pt)
			}
		}
		wish := make([]float64, len(points))
		for i, pt := range points {
			wish[i] = y.at(float64(pt.Adjusted))
		}
		for i, at := range spread(wish, 13) {
			px := x.at(float64(points[i].Outside))
			l := letters{size: small}
			tx := px + 8
			if px > (left+width)/2 {
				l.align, tx = 1, px-8
			}
			p.line(stroke{0.5, grey, nil}, px, wish[i], tx, at)
			p.write(tx, at, l.elide(points[i].Model, width/2-20), l)
		}
		for i, pt := range points {
			p.mark(draw.CircleGlyph{}, blue, x.at(float64(pt.Outside)), wish[i], 4)
		}
	}
	return f
}
