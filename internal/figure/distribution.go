package figure

import (
	"fmt"
	"image/color"
	"strings"

	"overton/internal/score"
)

// Distributions shows how the members of each viewpoint group of one question
// rated each model: a bar of all ratings from 1 to 5 for each group. name says
// what people call a group of the ratings.
func Distributions(question string, counts []score.RatingCounts, name func(group string) string, width float64) *Figure {
	const top, title, bar, gap, legend = 8.0, 20.0, 17.0, 8.0, 44.0
	var blocks [][]score.RatingCounts // by model
	for _, c := range counts {
		if n := len(blocks); n > 0 && blocks[n-1][0].Model == c.Model {
			blocks[n-1] = append(blocks[n-1], c)
		} else {
			blocks = append(blocks, []score.RatingCounts{c})
		}
	}
	columns := 2
	if width < 500 {
		columns = 1
	}
	perColumn := (len(blocks) + columns - 1) / columns
	column := (width - 24*float64(columns-1)) / float64(columns)
	blockHeight := 0.0
	for _, b := range blocks {
		blockHeight = max(blockHeight, title+bar*float64(len(b))+gap)
	}
	height := top + blockHeight*float64(perColumn) + legend

	f := &Figure{Title: "Question " + question + ": ratings by viewpoint group and model", width: width, height: height}
	var said []string
	for _, c := range counts {
		said = append(said, fmt.Sprintf("%s, %s: %d ratings, %d of them 4 or 5", c.Model, name(c.Group), c.Total(), c.Counts[3]+c.Counts[4]))
	}
	f.Description = strings.Join(said, "; ") + "."
	f.draw = func(p pen) {
		for b, block := range blocks {
			x := (column + 24) * float64(b/perColumn)
			y := top + blockHeight*float64(b%perColumn)
			p.write(x, y+title/2, letters{bold: true}.elide(block[0].Model, column), letters{bold: true})
			for g, c := range block {
				p.ratingBar(c, name(c.Group), x, y+title+bar*float64(g), column, bar)
			}
		}
		p.ratingLegend(0, height-24)
	}
	return f
}

// ratingBar draws one group's ratings as shares of a bar.
func (p pen) ratingBar(c score.RatingCounts, group string, x, y, width, height float64) {
	const label, n = 76.0, 30.0
	p.write(x, y+height/2, letters{size: small}.elide(group, label-6), letters{size: small})
	p.write(x+width, y+height/2, fmt.Sprint(c.Total()), letters{size: small, color: grey, align: 1})
	at, whole := x+label, width-label-n
	for i, count := range c.Counts {
		if count == 0 {
			continue
		}
		w := whole * float64(count) / float64(c.Total())
		p.box(diverging[i], at, y+1.5, w, height-3)
		l := letters{size: small - 1, align: 0.5, color: onDiverging(i)}
		if s := fmt.Sprint(count); l.width(s)+4 < w {
			p.write(at+w/2, y+height/2, s, l)
		}
		at += w
	}
}

// onDiverging is a color for text that is readable on rating i+1.
func onDiverging(i int) color.Color {
	if i == 0 || i == len(diverging)-1 {
		return white
	}
	return ink
}

func (p pen) ratingLegend(x, y float64) {
	for i, fill := range diverging {
		p.box(fill, x+26*float64(i), y-8, 26, 16)
		p.write(x+26*float64(i)+13, y, fmt.Sprint(i+1), letters{size: small, align: 0.5, color: onDiverging(i)})
	}
	p.write(x+136, y, "1 not at all represented … 5 fully", letters{size: small})
}
