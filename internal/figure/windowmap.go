package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"overton/internal/cluster"
)

// mostStatements is how many representative statements of a group are shown.
const mostStatements = 3

// WindowMap shows the window of a question: the participants in the plane of their votes, by viewpoint group,
// and next to each group the statements that distinguish it. texts has the statements' texts by id.
func WindowMap(question string, r *cluster.Result, texts map[string]string, width float64) *Figure {
	narrow := width < 500
	side := math.Min(width, 330)
	listX, listY, listWidth := side+24, 6.0, width-side-24
	if narrow {
		listX, listY, listWidth = 0, side+16, width
	}
	var blocks []statementBlock
	y := listY
	for _, g := range r.Groups {
		b := newStatementBlock(g, texts, y, listWidth)
		blocks = append(blocks, b)
		y += b.height
	}
	f := &Figure{Title: "Window of question " + question, width: width, height: math.Max(side+8, y)}
	f.Description = describeWindow(r, texts)
	f.draw = func(p pen) {
		p.votePlane(r, side)
		for _, b := range blocks {
			p.statements(b, listX)
		}
	}
	return f
}

// statementBlock is one group's list, laid out.
type statementBlock struct {
	group  cluster.Group
	y      float64
	lines  []string
	marks  []string // before a line, where a statement begins
	height float64
}

func newStatementBlock(g cluster.Group, texts map[string]string, y, width float64) statementBlock {
	b := statementBlock{group: g, y: y, height: 22}
	for i, rep := range g.Telling(texts) {
		if i == mostStatements {
			break
		}
		words := texts[rep.Statement]
		if words == "" {
			words = "statement " + rep.Statement
		}
		for k, line := range (letters{size: small}).wrap(words, width-62, 3) {
			mark := ""
			if k == 0 {
				mark = rep.Direction
			}
			b.lines, b.marks = append(b.lines, line), append(b.marks, mark)
			b.height += 14
		}
		b.height += 4
	}
	if len(b.lines) == 0 {
		b.lines, b.marks = []string{"no statement distinguishes this group"}, []string{""}
		b.height += 18
	}
	b.height += 8
	return b
}

func (p pen) statements(b statementBlock, x float64) {
	p.mark(shapes[b.group.Group%len(shapes)], groupColor(b.group.Group), x+6, b.y+9, 5)
	p.write(x+18, b.y+9, groupTitle(b.group), letters{bold: true})
	y := b.y + 28
	for i, line := range b.lines {
		if b.marks[i] != "" {
			if i > 0 {
				y += 4
			}
			l := letters{size: small, color: blue, align: 1}
			if b.marks[i] != "agree" {
				l.color = orange
			}
			p.write(x+54, y, b.marks[i], l)
		}
		p.write(x+60, y, line, letters{size: small})
		y += 14
	}
}

func groupTitle(g cluster.Group) string {
	return fmt.Sprintf("Group %s: %d people, %.0f %%", cluster.GroupName(g.Group), g.Size, 100*float64(g.Share))
}

func groupColor(group int) color.RGBA { return distinct[group%len(distinct)] }

// votePlane draws the participants, a hull around each group, and its letter
// in its middle. Both axes have the same scale.
func (p pen) votePlane(r *cluster.Result, side float64) {
	p.frame(stroke{0.75, faint, nil}, 0.5, 0.5, side-1, side-1)
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, who := range r.Participants {
		for i, v := range []float64{float64(who.X), float64(who.Y)} {
			low[i], high[i] = math.Min(low[i], v), math.Max(high[i], v)
		}
	}
	span := math.Max(math.Max(high[0]-low[0], high[1]-low[1]), 1e-9)
	const margin = 18.0
	place := func(x, y float64) (float64, float64) {
		return side/2 + (x-(low[0]+high[0])/2)/span*(side-2*margin), side/2 - (y-(low[1]+high[1])/2)/span*(side-2*margin)
	}
	members := map[int][][2]float64{}
	for _, who := range r.Participants {
		x, y := place(float64(who.X), float64(who.Y))
		members[who.Group] = append(members[who.Group], [2]float64{x, y})
	}
	for _, g := range r.Groups {
		var xy []float64
		for _, corner := range hull(members[g.Group]) {
			xy = append(xy, corner[0], corner[1])
		}
		if len(xy) >= 6 {
			tint := groupColor(g.Group)
			p.area(color.NRGBA{tint.R, tint.G, tint.B, 0x22}, xy...)
			p.line(stroke{0.75, tint, nil}, append(xy, xy[0], xy[1])...)
		}
	}
	for _, g := range r.Groups {
		for _, at := range members[g.Group] {
			p.mark(shapes[g.Group%len(shapes)], groupColor(g.Group), at[0], at[1], 3)
		}
	}
	for _, g := range r.Groups {
		x, y := place(float64(g.Center[0]), float64(g.Center[1]))
		p.mark(draw.CircleGlyph{}, white, x, y, 9)
		p.mark(draw.RingGlyph{}, groupColor(g.Group), x, y, 9)
		p.write(x, y, cluster.GroupName(g.Group), letters{bold: true, align: 0.5})
	}
}

// hull is the convex hull of points, by Andrew's monotone chain.
func hull(points [][2]float64) [][2]float64 {
	points = slices.Clone(points)
	sortBy(points, func(p [2]float64) float64 { return p[1] })
	sortBy(points, func(p [2]float64) float64 { return p[0] })
	half := func() [][2]float64 {
		var chain [][2]float64
		for _, c := range points {
			for n := len(chain); n >= 2; n = len(chain) {
				a, b := chain[n-2], chain[n-1]
				if (b[0]-a[0])*(c[1]-a[1])-(b[1]-a[1])*(c[0]-a[0]) > 0 {
					break
				}
				chain = chain[:n-1]
			}
			chain = append(chain, c)
		}
		return chain[:max(len(chain)-1, 0)]
	}
	lower := half()
	slices.Reverse(points)
	return append(lower, half()...)
}

func describeWindow(r *cluster.Result, texts map[string]string) string {
	said := []string{fmt.Sprintf("%d participants in %d viewpoint groups", len(r.Participants), len(r.Groups))}
	for _, g := range r.Groups {
		s := groupTitle(g)
		if len(g.Representative) > 0 {
			rep := g.Representative[0]
			words := texts[rep.Statement]
			if words == "" {
				words = "statement " + rep.Statement
			}
			s += fmt.Sprintf(", who %s with “%s”", rep.Direction, words)
		}
		said = append(said, s)
	}
	return strings.Join(said, "; ") + "."
}
