// Package figure draws results: the leaderboard, the window of a question,
// coverage, ratings, and a judge against people.
//
// A Figure is drawn on gonum's vector graphics with the fonts that come with it, as SVG for pages and papers
// and as PNG for everything else. The same values give the same bytes. Color-blind readers can distinguish
// the colors, which never carry meaning alone: groups also differ in shape, lines in dashes, and cells
// contain their numbers. Every figure has a description in words for people who cannot see it; the page that
// shows it also has its numbers as a table.
//
// Figures are laid out for the requested width, so that letters are as large on a telephone as on a desktop.
// Units are CSS pixels.
package figure

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Widths that figures are commonly drawn in: Narrow fits a telephone, Wide a
// page of a report or a paper.
const (
	Narrow = 328
	Wide   = 680
)

// Figure is a finished drawing.
type Figure struct {
	Title string
	// Description says in words what the drawing shows.
	Description string

	width, height float64
	draw          func(pen)
}

// size returns width and height in CSS pixels.
func (f *Figure) size() (width, height float64) { return f.width, f.height }

// SVG returns the drawing as an SVG element with title and description. It
// has no style attributes, which a strict content security policy forbids,
// and no identifiers, so that several may stand in one page.
func (f *Figure) SVG() []byte {
	canvas := vgsvg.New(vg.Length(f.width), vg.Length(f.height))
	p := newPen(draw.New(canvas), f.height)
	f.draw(p)
	var raw bytes.Buffer
	// Writing to a bytes.Buffer does not fail.
	_, _ = canvas.WriteTo(&raw)
	_, body, _ := strings.Cut(raw.String(), "<svg")
	_, body, _ = strings.Cut(body, ">")

	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" font-family="%s" role="img" aria-label="%s">`,
		f.width, f.height, f.width, f.height, families, html.EscapeString(f.Title+". "+f.Description))
	fmt.Fprintf(&out, "\n<title>%s</title>\n<desc>%s</desc>", html.EscapeString(f.Title), html.EscapeString(f.Description))
	out.WriteString(anchored(attributesForStyles(body), *p.texts))
	return out.Bytes()
}

// anchored lets the page that shows the drawing align its texts, so that text in letters that the layout's
// font does not have, such as Arabic, is still aligned. texts are those of the drawing in their order.
func anchored(svg string, texts []aligned) string {
	const begin = `<text x="`
	var out strings.Builder
	for _, t := range texts {
		before, rest, found := strings.Cut(svg, begin)
		if !found {
			break
		}
		number, after, _ := strings.Cut(rest, `"`)
		x, err := strconv.ParseFloat(number, 64)
		if out.WriteString(before); err != nil || t.align == 0 {
			out.WriteString(begin + number + `"`)
		} else {
			anchor := "middle"
			if t.align == 1 {
				anchor = "end"
			}
			fmt.Fprintf(&out, `<text text-anchor="%s" x="%.5g"`, anchor, x+t.shift)
		}
		svg = after
	}
	return out.String() + svg
}

// attributesForStyles turns style="a:b;c:d" into a="b" c="d".
func attributesForStyles(svg string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(svg, `style="`)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		var styles string
		styles, svg, _ = strings.Cut(rest, `"`)
		for _, style := range strings.Split(styles, ";") {
			name, value, _ := strings.Cut(style, ":")
			switch {
			case name == "font-family", name == "font-variant", name == "font-style", value == "normal":
				continue // as the whole drawing has it
			}
			fmt.Fprintf(&out, ` %s="%s"`, name, value)
		}
	}
}

// families starts with the font whose metrics the layout uses; the others have the same or nearly the same
// widths.
const families = "Liberation Sans, Arial, Helvetica, sans-serif"

// PNG returns the drawing as an image with this many image pixels for each CSS pixel.
func (f *Figure) PNG(scale int) ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(f.width), vg.Length(f.height)), vgimg.UseDPI(pointsPerInch*scale))
	f.draw(newPen(draw.New(canvas), f.height))
	var out bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&out); err != nil {
		return nil, fmt.Errorf("writing the figure %q as PNG: %w", f.Title, err)
	}
	return out.Bytes(), nil
}

// Colors of text, lines and areas on white.
var (
	ink    = color.RGBA{0x1a, 0x1a, 0x1a, 0xff}
	grey   = color.RGBA{0x5c, 0x5c, 0x5c, 0xff}
	faint  = color.RGBA{0xd9, 0xd9, 0xd9, 0xff}
	white  = color.RGBA{0xff, 0xff, 0xff, 0xff}
	blue   = color.RGBA{0x00, 0x4b, 0x87, 0xff}
	pale   = color.RGBA{0x9e, 0xc3, 0xe6, 0xff}
	orange = color.RGBA{0xc4, 0x53, 0x00, 0xff}
)

// distinct are the colors of Okabe and Ito, darkened if too light for thin lines on white; they stay
// distinguishable in every common color blindness.
var distinct = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x8a, 0x65, 0xff}, // green
	{0xb0, 0x4f, 0x8a, 0xff}, // purple
	{0x1a, 0x1a, 0x1a, 0xff}, // black
	{0xb8, 0x86, 0x00, 0xff}, // orange
	{0x2a, 0x9a, 0xd6, 0xff}, // sky
	{0x80, 0x80, 0x80, 0xff}, // grey
	{0x7a, 0x5a, 0x2f, 0xff}, // brown
	{0x5b, 0x3f, 0xa0, 0xff}, // violet
}

// diverging are the five ratings from "not at all" to "fully represented".
var diverging = [5]color.RGBA{
	{0xb3, 0x58, 0x06, 0xff},
	{0xf1, 0xa3, 0x40, 0xff},
	{0xdd, 0xdd, 0xdd, 0xff},
	{0x99, 0x8e, 0xc3, 0xff},
	{0x54, 0x27, 0x88, 0xff},
}

// shade mixes white and blue: 0 is nearly white, 1 the full color.
func shade(share float64) color.RGBA {
	mix := func(from, to uint8) uint8 { return uint8(float64(from) + share*(float64(to)-float64(from))) }
	return color.RGBA{mix(0xf4, blue.R), mix(0xf8, blue.G), mix(0xfc, blue.B), 0xff}
}

// onShade is a color for text that is readable on shade(share).
func onShade(share float64) color.RGBA {
	if share > 0.45 {
		return white
	}
	return ink
}

// pointsPerInch is how many of gonum's units, which stand for CSS pixels here, make one of its inches.
const pointsPerInch = 72
