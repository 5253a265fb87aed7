package figure

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"golang.org/x/image/font"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overton/internal/score"
)

// pen draws with the origin in the top left corner, y growing downwards.
type pen struct {
	c      draw.Canvas
	height float64
	texts  *[]aligned // written so far
}

// aligned is how far a text was moved left to align it, given its width in the layout's font.
type aligned struct{ align, shift float64 }

func newPen(c draw.Canvas, height float64) pen { return pen{c, height, &[]aligned{}} }

var handler = text.Plain{Fonts: plotfont.NewCache(liberation.Collection())}

// Sizes of letters.
const (
	normal = 12.0
	small  = 10.5
)

// letters is how a text is written. The zero value is normal ink, starting at x, centered on y.
type letters struct {
	size    float64
	color   color.Color
	bold    bool
	align   float64 // 0 left, 0.5 center, 1 right of x
	upwards bool    // turned to run upwards
}

func (l letters) style() text.Style {
	if l.size == 0 {
		l.size = normal
	}
	if l.color == nil {
		l.color = ink
	}
	s := text.Style{
		Color:   l.color,
		Font:    plotfont.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(l.size)},
		XAlign:  text.XAlignment(-l.align),
		YAlign:  text.YCenter,
		Handler: handler,
	}
	if l.bold {
		s.Font.Weight = font.WeightBold
	}
	if l.upwards {
		s.Rotation = math.Pi / 2
	}
	return s
}

// width of a line of text.
func (l letters) width(s string) float64 { return float64(l.style().Width(s)) }

// elide shortens a line of text to a width.
func (l letters) elide(s string, width float64) string {
	if l.width(s) <= width {
		return s
	}
	runes := []rune(s)
	for n := len(runes) - 1; n > 0; n-- {
		if cut := strings.TrimRight(string(runes[:n]), " ") + "…"; l.width(cut) <= width {
			return cut
		}
	}
	return "…"
}

// wrap breaks a text into at most this many lines of a width; the rest is elided.
func (l letters) wrap(s string, width float64, lines int) []string {
	var out []string
	words := strings.Fields(s)
	for len(words) > 0 {
		n := 1
		for n < len(words) && l.width(strings.Join(words[:n+1], " ")) <= width {
			n++
		}
		if len(out) == lines-1 {
			return append(out, l.elide(strings.Join(words, " "), width))
		}
		out = append(out, l.elide(strings.Join(words[:n], " "), width))
		words = words[n:]
	}
	return out
}

func (p pen) at(x, y float64) vg.Point { return vg.Point{X: vg.Length(x), Y: vg.Length(p.height - y)} }

func (p pen) write(x, y float64, s string, l letters) {
	if s = strings.Join(strings.Fields(s), " "); s == "" {
		return
	}
	*p.texts = append(*p.texts, aligned{l.align, l.align * l.width(s)})
	if !l.upwards {
		y -= 1 // small letters weigh more than the room below them
	}
	p.c.FillText(l.style(), p.at(x, y), s)
}

// writeOver writes on a white ground, over lines.
func (p pen) writeOver(x, y float64, s string, l letters) {
	w := l.width(s)
	p.box(white, x-l.align*w-2, y-7, w+4, 14)
	p.write(x, y, s, l)
}

// stroke is how a line is drawn; the zero color is grey.
type stroke struct {
	width float64
	color color.Color
	dash  []float64
}

func (s stroke) style() draw.LineStyle {
	style := draw.LineStyle{Color: s.color, Width: vg.Length(s.width)}
	for _, d := range s.dash {
		style.Dashes = append(style.Dashes, vg.Length(d))
	}
	return style
}

func (p pen) line(s stroke, xy ...float64) {
	var points []vg.Point
	for i := 0; i+1 < len(xy); i += 2 {
		points = append(points, p.at(xy[i], xy[i+1]))
	}
	p.c.StrokeLines(s.style(), points)
}

func (p pen) area(fill color.Color, xy ...float64) {
	var points []vg.Point
	for i := 0; i+1 < len(xy); i += 2 {
		points = append(points, p.at(xy[i], xy[i+1]))
	}
	p.c.FillPolygon(fill, points)
}

func (p pen) box(fill color.Color, x, y, width, height float64) {
	p.area(fill, x, y, x+width, y, x+width, y+height, x, y+height)
}

func (p pen) frame(s stroke, x, y, width, height float64) {
	p.line(s, x, y, x+width, y, x+width, y+height, x, y+height, x, y)
}

// shapes of groups, in order.
var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.RingGlyph{}, draw.TriangleGlyph{},
	draw.SquareGlyph{}, draw.PlusGlyph{}, draw.CrossGlyph{},
}

func (p pen) mark(shape draw.GlyphDrawer, fill color.Color, x, y, radius float64) {
	p.c.DrawGlyphNoClip(draw.GlyphStyle{Color: fill, Radius: vg.Length(radius), Shape: shape}, p.at(x, y))
}

// scale places values on a stretch of the drawing.
type scale struct{ from, to, start, end float64 }

func (s scale) at(v float64) float64 { return s.start + (v-s.from)/(s.to-s.from)*(s.end-s.start) }

// around is a scale over tenths that covers the values, and goes beyond 0 and 1 only if they do.
func around(start, end float64, values ...score.Number) scale {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v.Defined() {
			low, high = math.Min(low, float64(v)), math.Max(high, float64(v))
		}
	}
	if low > high {
		low, high = 0, 1
	}
	low, high = math.Floor(low*10)/10, math.Ceil(high*10)/10
	if high-low < 0.15 {
		low, high = math.Max(low-0.1, math.Min(low, 0)), math.Min(high+0.1, math.Max(high, 1))
	}
	return scale{low, high, start, end}
}

// ticks are round values within the scale, about n.
func (s scale) ticks(n int) []float64 {
	raw := (s.to - s.from) / float64(n)
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, factor := range []float64{1, 2, 2.5, 5, 10} {
		if factor*step >= raw {
			step *= factor
			break
		}
	}
	var at []float64
	for v := math.Ceil(s.from/step-1e-9) * step; v <= s.to+step*1e-9; v += step {
		at = append(at, math.Round(v/step)*step+0) // +0 turns -0 into 0
	}
	return at
}

// tickText writes a tick without unnecessary zeros.
func tickText(v float64) string { return fmt.Sprintf("%g", math.Round(v*1e9)/1e9) }

// xAxis draws ticks, grid lines and a title below y.
func (p pen) xAxis(s scale, ticks []float64, top, y float64, title string) {
	for _, t := range ticks {
		p.line(stroke{0.5, faint, nil}, s.at(t), top, s.at(t), y)
		p.write(s.at(t), y+10, tickText(t), letters{size: small, color: grey, align: 0.5})
	}
	p.line(stroke{0.75, grey, nil}, s.start, y, s.end, y)
	p.write((s.start+s.end)/2, y+26, title, letters{size: small, align: 0.5})
}

// yAxis draws ticks, grid lines and a title above the left end.
func (p pen) yAxis(s scale, ticks []float64, x, right float64, title string) {
	for _, t := range ticks {
		p.line(stroke{0.5, faint, nil}, x, s.at(t), right, s.at(t))
		p.write(x-5, s.at(t), tickText(t), letters{size: small, color: grey, align: 1})
	}
	p.write(x-24, math.Min(s.start, s.end)-14, title, letters{size: small})
}

// spread moves labels placed at ys apart to at least gap, keeping their order and the middle of those that
// touch.
func spread(ys []float64, gap float64) []float64 {
	type block struct{ sum, n, start float64 }
	order := make([]int, len(ys))
	for i := range order {
		order[i] = i
	}
	sortBy(order, func(i int) float64 { return ys[i] })
	var blocks []block
	for _, i := range order {
		b := block{ys[i], 1, ys[i]}
		for len(blocks) > 0 {
			last := blocks[len(blocks)-1]
			if last.start+last.n*gap <= b.start {
				break
			}
			n := last.n + b.n
			// Each block wants its labels around the mean of their wishes.
			b = block{last.sum + b.sum, n, (last.sum+b.sum)/n - (n-1)*gap/2}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	placed := make([]float64, len(ys))
	k := 0
	for _, b := range blocks {
		for j := range int(b.n) {
			placed[order[k]] = b.start + float64(j)*gap
			k++
		}
	}
	return placed
}
