package figure

import (
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"overton/internal/score"
)

// OpinionPoint is one respondent, or a sample of people, in a figure with two axes. People are drawn
// differently from models.
type OpinionPoint struct {
	Name     string
	X, Y     score.Number
	XCI, YCI score.Interval
	People   bool
}

// NeutralityMap plots how strongly respondents take sides (NNI, across) against how consistent they are
// within topics (TCI, up).
func NeutralityMap(points []OpinionPoint, width float64) *Figure {
	f := pointMap(points, nil, width, "non-neutrality (NNI)", "consistency within topics (TCI)", false)
	f.Title = "How strongly respondents take sides, and how consistently"
	return f
}

// IdeologyMap places respondents between individualism and collectivism
// (across) and progressive and conservative views (up). Each of people is one
// person, drawn as a pale dot.
func IdeologyMap(points []OpinionPoint, people []score.Axes, width float64) *Figure {
	f := pointMap(points, people, width, "individualism ← → collectivism", "progressive ↓ ↑ conservative", true)
	f.Title = "Positions on two ideological axes"
	if len(people) > 0 {
		f.Description += fmt.Sprintf(" The dots behind them are %d people.", len(people))
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
		marks := make([]mark, len(shown))
		for i, pt := range shown {
			l := letters{size: small, bold: pt.People}
			marks[i] = mark{x: x.at(float64(pt.X)), y: wish[i], name: l.elide(pt.Name, width/2-24), l: l}
		}
		placeNames(marks, left, width-8, top, height-bottom)
		for _, m := range marks {
			p.line(stroke{0.5, grey, nil}, m.x, m.y, m.tx, m.ty)
			p.writeOver(m.tx, m.ty, m.name, m.l)
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

// mark is a point with its name beside it: written from tx, ty on.
type mark struct {
	x, y   float64
	name   string
	l      letters
	tx, ty float64
}

const (
	nameHeight = 13.0 // between the names of two marks
	nameGap    = 9.0  // between a mark and its name
)

// placeNames finds room for each name next to, above or below its mark: not on another name or mark, within
// the bounds, and as near as possible. Each in turn takes the best of its places while the others keep
// theirs, until none moves; of several orders of the turns the best is taken.
func placeNames(marks []mark, left, right, top, bottom float64) {
	const orders, passes = 12, 6
	bounds := func(m mark) float64 {
		if x0, x1 := m.extent(); x0 < left || x1 > right || m.ty < top || m.ty > bottom-nameHeight/2 {
			return 1e6
		}
		return 0
	}
	rng := rand.New(rand.NewPCG(1, 1))
	turns := make([]int, len(marks))
	for i := range turns {
		turns[i] = i
	}
	least := math.Inf(1)
	best := slices.Clone(marks)
	for range orders {
		trial, placed, total := slices.Clone(marks), make([]bool, len(marks)), 0.0
		for moved, pass := true, 0; moved && pass < passes; pass++ {
			moved, total = false, 0
			for _, i := range turns {
				m, cost := trial[i].place(trial, placed, i, bounds)
				if total += cost; !placed[i] || m != trial[i] {
					trial[i], placed[i], moved = m, true, true
				}
			}
		}
		if total < least {
			best, least = trial, total
		}
		rng.Shuffle(len(turns), func(i, k int) { turns[i], turns[k] = turns[k], turns[i] })
	}
	copy(marks, best)
}

// place is the mark with its name in the best of its places, and how bad that place is.
func (m mark) place(marks []mark, placed []bool, at int, bounds func(mark) float64) (best mark, least float64) {
	least = math.Inf(1)
	for step := range 25 {
		dy := float64((step+1)/2) * nameHeight
		if step%2 == 1 {
			dy = -dy
		}
		for _, align := range []float64{0, 1, 0.5} {
			if align == 0.5 && dy == 0 {
				continue // on the mark itself
			}
			m.l.align, m.tx, m.ty = align, m.x+nameGap*(1-2*align), m.y+dy
			cost := math.Abs(dy) + align + bounds(m)
			for k, other := range marks {
				if k != at && cost < least {
					cost += m.conflict(other, placed[k])
				}
			}
			if cost < least {
				best, least = m, cost
			}
		}
	}
	return best, least
}

// conflict says how bad it is that a name, or the line to it, meets another mark, and its name if that is
// placed.
func (m mark) conflict(other mark, placed bool) float64 {
	cost := 0.0
	x0, x1 := m.extent()
	o0, o1 := other.extent()
	if other.x > x0-6 && other.x < x1+6 && math.Abs(other.y-m.ty) < 11 {
		cost += 1e4
	}
	if placed && o0 < x1+4 && x0 < o1+4 && math.Abs(other.ty-m.ty) < nameHeight {
		cost += 1e4
	}
	for part := range 16 {
		t := float64(part) / 16
		x, y := m.x+t*(m.tx-m.x), m.y+t*(m.ty-m.y)
		if math.Hypot(x-other.x, y-other.y) < 5 {
			cost += 5
		}
		if placed && o0 < x && x < o1 && math.Abs(y-other.ty) < nameHeight/2 {
			cost += 20
		}
		x, y = other.x+t*(other.tx-other.x), other.y+t*(other.ty-other.y)
		if placed && x0 < x && x < x1 && math.Abs(y-m.ty) < nameHeight/2 {
			cost += 20
		}
	}
	return cost
}

// extent is the horizontal range of a name.
func (m mark) extent() (from, to float64) {
	w := m.l.width(m.name)
	from = m.tx - m.l.align*w
	return from, from + w
}

// density shades where people are, with a Gaussian kernel of a twelfth of each scale, and marks each person
// with a small dot.
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

// roundScale covers the values between round ends, and 0 if signed.
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

// TopicMap shows which topics' opinions are correlated, as a matrix of
// correlations whose rows are ordered and joined by a tree.
func TopicMap(c *score.TopicCorrelation, width float64) *Figure {
	f := &Figure{Title: "Which topics' opinions are correlated"}
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

// DistanceMap shows how far apart respondents' opinions are.
func DistanceMap(d *score.Distances, width float64) *Figure {
	f := &Figure{Title: "How far apart opinions are"}
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

// matrix draws numbered rows and columns of the same names. Cells contain their values if there is room.
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

// between mixes two colors through white in the middle.
func between(low, high color.RGBA, at float64) color.Color {
	at = math.Max(0, math.Min(1, at))
	end, far := high, 2*at-1
	if at < 0.5 {
		end, far = low, 1-2*at
	}
	mix := func(c uint8) uint8 { return uint8(math.Round(255 + (float64(c)-255)*far)) }
	return color.RGBA{mix(end.R), mix(end.G), mix(end.B), 0xff}
}

// onFill is a color for letters that is readable on a fill.
func onFill(fill color.Color) color.Color {
	r, g, b, _ := fill.RGBA()
	if 0.299*float64(r)+0.587*float64(g)+0.114*float64(b) < 0.55*0xffff {
		return white
	}
	return ink
}

// tree draws the joins next to the rows, growing to the right.
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

// RankedValue is one row of a ranked chart: a value with its interval and, optionally, a value to compare it
// with.
type RankedValue struct {
	Name  string
	Value score.Number
	CI    score.Interval
	Other score.Number // drawn as a ring; undefined: none
}

// Ranked draws values as dots, largest first: representativeness by group, or similarity by country. other
// says what the rings are; "" for no rings.
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

// ItemAnswers is what one respondent, or a sample of people, answered to an
// item.
type ItemAnswers struct {
	Name      string
	People    bool
	Shares    []score.Number   // of the options that are not refusals, in order
	CIs       []score.Interval // of the shares; nil: none
	Refusal   score.Number     // among all answers
	RefusalCI score.Interval
}

// ItemBars compares people's answers to one item with models': for each option a bar for each respondent, and
// refusals separately.
func ItemBars(title string, options []string, respondents []ItemAnswers, width float64) *Figure {
	const top, bar, heading, gap, bottom = 4.0, 14.0, 18.0, 6.0, 40.0
	left := 40.0
	for _, r := range respondents {
		left = math.Max(left, letters{size: small, bold: r.People}.width(r.Name)+14)
	}
	left = math.Min(left, width*0.38)
	var lines [][]string
	height := top
	for _, label := range append(slices.Clone(options), "Refused, of all answers") {
		wrapped := letters{bold: true}.wrap(label, width-8, 2)
		lines = append(lines, wrapped)
		height += heading*float64(len(wrapped)) + bar*float64(len(respondents)) + gap
	}
	f := &Figure{Title: title, width: width, height: height + bottom}
	var said []string
	for _, r := range respondents {
		var shares []string
		for i, option := range options {
			shares = append(shares, option+" "+percentText(r.Shares[i]))
		}
		said = append(said, fmt.Sprintf("%s: %s; refused %s", r.Name, strings.Join(shares, ", "), percentText(r.Refusal)))
	}
	f.Description = strings.Join(said, ". ") + "."
	most := 0.1
	for _, r := range respondents {
		for i, share := range append(slices.Clone(r.Shares), r.Refusal) {
			most = math.Max(most, defined(share))
			if i < len(r.CIs) {
				most = math.Max(most, defined(r.CIs[i].High))
			}
		}
		most = math.Max(most, defined(r.RefusalCI.High))
	}
	x := scale{0, math.Min(1, math.Ceil(most*10)/10), left, width - 44}
	f.draw = func(p pen) {
		p.percentAxis(x, top, height-gap)
		y := top
		for i := range lines {
			for _, line := range lines[i] {
				p.writeOver(2, y+heading/2, line, letters{bold: true})
				y += heading
			}
			for _, r := range respondents {
				share, ci := r.Refusal, r.RefusalCI
				if i < len(options) {
					share, ci = r.Shares[i], score.UndefinedInterval()
					if r.CIs != nil {
						ci = r.CIs[i]
					}
				}
				fill := color.Color(pale)
				switch {
				case r.People && i < len(options):
					fill = orange
				case i == len(options):
					fill = faint
				}
				p.answerBar(r, share, ci, fill, x, y, bar, width)
				y += bar
			}
			y += gap
		}
	}
	return f
}

// answerBar draws one respondent's share of one option.
func (p pen) answerBar(r ItemAnswers, share score.Number, ci score.Interval, fill color.Color, x scale, y, height, width float64) {
	middle := y + height/2
	l := letters{size: small, bold: r.People}
	p.write(10, middle, l.elide(r.Name, x.start-14), l)
	if share.Defined() {
		p.box(fill, x.start, y+1.5, math.Max(x.at(float64(share))-x.start, 0.5), height-3)
	}
	if ci.Defined() {
		low, high := x.at(float64(ci.Low)), x.at(float64(ci.High))
		s := stroke{1, ink, nil}
		p.line(s, low, middle, high, middle)
		p.line(s, low, middle-3, low, middle+3)
		p.line(s, high, middle-3, high, middle+3)
	}
	p.write(width-4, middle, percentText(share), letters{size: small, bold: r.People, align: 1})
}

// percentAxis draws ticks, grid lines and a title for shares as percent.
func (p pen) percentAxis(s scale, top, y float64) {
	for _, t := range s.ticks(5) {
		p.line(stroke{0.5, faint, nil}, s.at(t), top, s.at(t), y)
		p.write(s.at(t), y+10, tickText(100*t), letters{size: small, color: grey, align: 0.5})
	}
	p.line(stroke{0.75, grey, nil}, s.start, y, s.end, y)
	p.write((s.start+s.end)/2, y+26, "share of answers in %", letters{size: small, align: 0.5})
}

func percentText(share score.Number) string {
	if !share.Defined() {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(share))
}

// defined is a number, or 0 if there is none.
func defined(n score.Number) float64 {
	if !n.Defined() {
		return 0
	}
	return float64(n)
}
