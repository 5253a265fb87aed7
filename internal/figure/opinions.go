package figure

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"overton/internal/score"
)

// OpinionPoint is one respondent, or a sample of people, in a figure with two
// axes. People are drawn apart from models.
type OpinionPoint struct {
	Name     string
	X, Y     score.Number
	XCI, YCI score.Interval
	People   bool
}

// NeutralityMap sets how far respondents take sides (NNI, across) against how
// consistent they are within topics (TCI, up).
func NeutralityMap(points []OpinionPoint, width float64) *Figure {
	f := pointMap(points, nil, width, "non-neutrality (NNI)", "consistency within topics (TCI)", false)
	f.Title = "How far sides are taken, and how consistently"
	return f
}

// IdeologyMap places respondents between individualism and collectivism
// (across) and progressive and conservative views (up). Each of people is one
// person, drawn as a pale dot.
func IdeologyMap(points []OpinionPoint, people []score.Axes, width float64) *Figure {
	f := pointMap(points, people, width, "individualism ← → collectivism", "progressive ↓ ↑ conservative", true)
	f.Title = "Places on two ideological axes"
	if len(people) > 0 {
		f.Description += fmt.Sprintf(" Dots behind them are %d people.", len(people))
	}
	return f
}

func pointMap(points []OpinionPoint, people []score.Axes, width float64, across, up string, signed bool) *Figure {
	const top, bottom, left = 26.0, 44.0, 40.0
	height := math.Min(width*0.8, 460)
	var xs, ys []float64
	note := func(list *[]float64, values ...score.Number) {
		for _, v := range values {
			if v.Defined() {
				*list = append(*list, float64(v))
			}
		}
	}
	for _, pt := range points {
		note(&xs, pt.X, pt.XCI.Low, pt.XCI.High)
		note(&ys, pt.Y, pt.YCI.Low, pt.YCI.High)
	}
	for _, a := range people {
		note(&xs, a.Individualism)
		note(&ys, a.Progressivism)
	}
	x, y := roundScale(xs, signed, left, width-8), roundScale(ys, signed, height-bottom, top)
	f := &Figure{width: width, height: height}
	for _, pt := range points {
		f.Description += fmt.Sprintf("%s: %s %s, %s %s. ", pt.Name, across, number(pt.X), up, number(pt.Y))
	}
	f.Description = strings.TrimSpace(f.Description)
	f.draw = func(p pen) {
		p.density(people, x, y)
		p.yAxis(y, y.ticks(5), left, width-8, up)
		p.xAxis(x, x.ticks(6), top, height-bottom, across)
		if signed {
			p.line(stroke{0.75, grey, nil}, x.at(0), top, x.at(0), height-bottom)
			p.line(stroke{0.75, grey, nil}, left, y.at(0), width-8, y.at(0))
		}
		var shown []OpinionPoint
		var wish []float64
		for _, pt := range points {
			if pt.X.Defined() && pt.Y.Defined() {
				shown, wish = append(shown, pt), append(wish, y.at(float64(pt.Y)))
			}
		}
		for i, pt := range shown {
			px := x.at(float64(pt.X))
			if pt.XCI.Defined() {
				p.line(stroke{0.75, grey, nil}, x.at(float64(pt.XCI.Low)), wish[i], x.at(float64(pt.XCI.High)), wish[i])
			}
			if pt.YCI.Defined() {
				p.line(stroke{0.75, grey, nil}, px, y.at(float64(pt.YCI.Low)), px, y.at(float64(pt.YCI.High)))
			}
		}
		for i, at := range spread(wish, 13) {
			px := x.at(float64(shown[i].X))
			l := letters{size: small, bold: shown[i].People}
			tx := px + 9
			name := l.elide(shown[i].Name, width/2-24)
			covered := func(from, to float64) int { // other points under the label
				n := 0
				for k, other := range shown {
					if ox := x.at(float64(other.X)); k != i && from-6 <= ox && ox <= to+6 && math.Abs(wish[k]-at) < 11 {
						n++
					}
				}
				if from < left || to > width-8 {
					n += len(shown)
				}
				return n
			}
			if w := l.width(name); covered(px-9-w, px-9) < covered(px+9, px+9+w) {
				l.align, tx = 1, px-9
			}
			p.line(stroke{0.5, grey, nil}, px, wish[i], tx, at)
			p.writeOver(tx, at, name, l)
		}
		for i, pt := range shown {
			shape, fill, radius := draw.GlyphDrawer(draw.CircleGlyph{}), color.Color(blue), 4.0
			if pt.People {
				shape, fill, radius = draw.BoxGlyph{}, orange, 5
			}
			p.mark(shape, fill, x.at(float64(pt.X)), wish[i], radius)
		}
	}
	return f
}

// density shades where people are, by a Gaussian kernel of a twelfth of either
// scale, and marks each person with a small dot.
func (p pen) density(people []score.Axes, x, y scale) {
	const columns, rows, kernel = 48, 36, 1.0 / 12
	var px, py []float64
	for _, a := range people {
		if a.Individualism.Defined() && a.Progressivism.Defined() {
			px, py = append(px, x.at(float64(a.Individualism))), append(py, y.at(float64(a.Progressivism)))
		}
	}
	width, height := (x.end-x.start)/columns, (y.start-y.end)/rows
	cells := make([]float64, columns*rows)
	most := 0.0
	for c := range cells {
		cx, cy := x.start+width*(float64(c%columns)+0.5), y.end+height*(float64(c/columns)+0.5)
		for i := range px {
			dx, dy := (px[i]-cx)/(kernel*(x.end-x.start)), (py[i]-cy)/(kernel*(y.start-y.end))
			cells[c] += math.Exp(-(dx*dx + dy*dy) / 2)
		}
		most = math.Max(most, cells[c])
	}
	for c, v := range cells {
		if v > most/50 {
			p.box(between(white, pale, 0.5+v/most/2), x.start+width*float64(c%columns), y.end+height*float64(c/columns), width+0.3, height+0.3)
		}
	}
	for i := range px {
		p.mark(draw.CircleGlyph{}, grey, px[i], py[i], 1)
	}
}

// roundScale holds the values between round ends, and 0 if signed.
func roundScale(values []float64, signed bool, start, end float64) scale {
	low, high := math.Inf(1), math.Inf(-1)
	if signed {
		low, high = -0.1, 0.1
	}
	for _, v := range values {
		low, high = math.Min(low, v), math.Max(high, v)
	}
	if low > high {
		low, high = 0, 1
	}
	low, high = math.Floor(low*20)/20, math.Ceil(high*20)/20
	if high-low < 0.1 {
		low, high = low-0.05, high+0.05
	}
	return scale{low, high, start, end}
}

// TopicMap shows which topics' opinions go together, as a matrix of
// correlations whose rows are ordered and joined by a tree.
func TopicMap(c *score.TopicCorrelation, width float64) *Figure {
	f := &Figure{Title: "Which topics' opinions go together"}
	f.Description = fmt.Sprintf("Correlations of %d topics over %d respondents, ordered by similarity.", len(c.Topics), c.Respondents)
	names := make([]string, len(c.Order))
	values := make([][]score.Number, len(c.Order))
	for i, t := range c.Order {
		names[i] = c.Topics[t]
		for _, u := range c.Order {
			values[i] = append(values[i], c.Pearson[t][u])
		}
	}
	tree := width / 9
	matrix(f, names, values, width, tree, func(v float64) color.Color { return between(orange, blue, (v+1)/2) })
	cells := f.draw
	f.draw = func(p pen) {
		cells(p)
		p.tree(c, matrixTop, rowOf(f, len(names)), width-tree+4, width-2)
	}
	return f
}

// DistanceMap shows how far respondents' opinions are apart.
func DistanceMap(d *score.Distances, width float64) *Figure {
	f := &Figure{Title: "How far opinions are apart"}
	f.Description = fmt.Sprintf("Distances from 0 to 1 between %s.", strings.Join(d.Order, ", "))
	most := 1e-9
	for _, row := range d.Likert {
		for _, v := range row {
			if v.Defined() {
				most = math.Max(most, float64(v))
			}
		}
	}
	matrix(f, d.Order, d.Likert, width, 0, func(v float64) color.Color { return between(orange, blue, 0.5+v/most/2) })
	return f
}

// matrixTop leaves room for the columns' numbers.
const matrixTop = 24.0

func rowOf(f *Figure, n int) float64 { return (f.height - matrixTop - 8) / float64(max(n, 1)) }

// matrix draws numbered rows and columns of the same names. Cells hold their
// values where there is room.
func matrix(f *Figure, names []string, values [][]score.Number, width, right float64, shade func(float64) color.Color) {
	left := 20.0
	for _, name := range names {
		left = math.Max(left, letters{size: small}.width("00 "+name)+6)
	}
	left = math.Min(left, width*0.42)
	n := float64(max(len(names), 1))
	cell := math.Min((width-left-right)/n, 64)
	row := math.Min(math.Max(cell*0.75, 15), 34)
	f.width, f.height = width, matrixTop+row*n+8
	f.draw = func(p pen) {
		for i, name := range names {
			y := matrixTop + row*(float64(i)+0.5)
			l := letters{size: small}
			p.write(2, y, l.elide(fmt.Sprintf("%d %s", i+1, name), left-6), l)
			p.write(left+cell*(float64(i)+0.5), matrixTop-10, fmt.Sprint(i+1), letters{size: small, color: grey, align: 0.5})
			for k, v := range values[i] {
				x := left + cell*float64(k)
				if !v.Defined() {
					continue
				}
				fill := shade(float64(v))
				p.box(fill, x+0.5, y-row/2+0.5, cell-1, row-1)
				if text := strings.Replace(number(v), "0.", ".", 1); cell >= 26 {
					p.write(x+cell/2, y, text, letters{size: small, color: onFill(fill), align: 0.5})
				}
			}
		}
	}
}

// between mixes two colors over white in the middle.
func between(low, high color.RGBA, at float64) color.Color {
	at = math.Max(0, math.Min(1, at))
	end, far := high, 2*at-1
	if at < 0.5 {
		end, far = low, 1-2*at
	}
	mix := func(c uint8) uint8 { return uint8(math.Round(255 + (float64(c)-255)*far)) }
	return color.RGBA{mix(end.R), mix(end.G), mix(end.B), 0xff}
}

// onFill is a color of letters that can be read on a fill.
func onFill(fill color.Color) color.Color {
	r, g, b, _ := fill.RGBA()
	if 0.299*float64(r)+0.587*float64(g)+0.114*float64(b) < 0.55*0xffff {
		return white
	}
	return ink
}

// tree draws the joins beside the rows, growing to the right.
func (p pen) tree(c *score.TopicCorrelation, top, row, left, right float64) {
	if len(c.Joins) == 0 {
		return
	}
	highest := c.Joins[len(c.Joins)-1].Height
	n := len(c.Topics)
	x, y := make([]float64, n+len(c.Joins)), make([]float64, n+len(c.Joins))
	for i, leaf := range c.Order {
		x[leaf], y[leaf] = left, top+row*(float64(i)+0.5)
	}
	for k, j := range c.Joins {
		at := left + (right-left)*j.Height/math.Max(highest, 1e-9)
		p.line(stroke{0.75, grey, nil}, x[j.A], y[j.A], at, y[j.A], at, y[j.B], x[j.B], y[j.B])
		x[n+k], y[n+k] = at, (y[j.A]+y[j.B])/2
	}
}

// RankedValue is one row of a ranked chart: a value with its interval, and
// perhaps what it is set against.
type RankedValue struct {
	Name  string
	Value score.Number
	CI    score.Interval
	Other score.Number // drawn as a ring; undefined: none
}

// Ranked draws values as dots, the largest first: representativeness by group,
// or similarity by country. other says what the rings are; "" for no rings.
func Ranked(title, axis, other string, values []RankedValue, width float64) *Figure {
	const top, bottom, row = 14.0, 46.0, 17.0
	var rows []RankedValue
	for _, v := range values {
		if v.Value.Defined() {
			rows = append(rows, v)
		}
	}
	sortBy(rows, func(v RankedValue) float64 { return -float64(v.Value) })
	left := 20.0
	var all []float64
	for _, v := range rows {
		left = math.Max(left, letters{size: small}.width(v.Name)+10)
		for _, n := range []score.Number{v.Value, v.CI.Low, v.CI.High, v.Other} {
			if n.Defined() {
				all = append(all, float64(n))
			}
		}
	}
	left = math.Min(left, width*0.45)
	f := &Figure{Title: title, width: width, height: top + row*float64(max(len(rows), 1)) + bottom}
	if other != "" {
		f.height += 16
	}
	f.Description = fmt.Sprintf("%d rows by %s.", len(rows), axis)
	for i, v := range rows {
		if i < 5 || i == len(rows)-1 {
			f.Description += fmt.Sprintf(" %s %s.", v.Name, number(v.Value))
		}
	}
	x := roundScale(all, false, left, width-10)
	f.draw = func(p pen) {
		bottomLine := top + row*float64(max(len(rows), 1))
		p.xAxis(x, x.ticks(5), top-4, bottomLine, axis)
		for i, v := range rows {
			y := top + row*(float64(i)+0.5)
			l := letters{size: small}
			p.write(2, y, l.elide(v.Name, left-10), l)
			if v.CI.Defined() {
				p.line(stroke{1.5, pale, nil}, x.at(float64(v.CI.Low)), y, x.at(float64(v.CI.High)), y)
			}
			if v.Other.Defined() {
				p.mark(draw.RingGlyph{}, orange, x.at(float64(v.Other)), y, 3.5)
			}
			p.mark(draw.CircleGlyph{}, blue, x.at(float64(v.Value)), y, 3.5)
		}
		if other != "" {
			p.mark(draw.RingGlyph{}, orange, left+4, f.height-10, 3.5)
			p.write(left+12, f.height-10, other, letters{size: small})
		}
	}
	return f
}
