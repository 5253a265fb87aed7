package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"overton/internal/cluster"
	"overton/internal/score"
)

// planted is a study of 30 questions and the window of one of them.
func planted(t *testing.T) (score.Ratings, *cluster.Result, map[string]string) {
	rng := rand.New(rand.NewPCG(1, 1))
	var r score.Ratings
	models := []string{"claude-3-7-sonnet-20250219", "deepseek-v3", "deepseek.r1", "gemma-3-27b-it", "gpt-4.1", "llama-4-maverick-17b-128e-instruct", "llama3-3-70b-instruct", "o4-mini"}
	for q := range 30 {
		for who := range 40 {
			g := who % (3 + q%4)
			for m, model := range models {
				v := 3 + float64((g+m+q)%3) - 0.8 + rng.NormFloat64()
				v = float64(int(max(1, min(5, v+0.5))))
				r.Rows = append(r.Rows, score.Rating{Participant: fmt.Sprint(who), Question: fmt.Sprint(q), Model: model, Value: v, Group: fmt.Sprint(g)})
			}
		}
	}
	b := cluster.NewBuilder()
	texts := map[string]string{}
	for j := range 40 {
		texts[fmt.Sprint(j)] = fmt.Sprintf("Statement number %d says at some length that one thing is better than the other, because of reasons that matter to people.", j)
	}
	for who := range 60 {
		g := who % 3
		for _, j := range rng.Perm(40)[:15] {
			v := cluster.Agree
			if (j+g)%3 == 0 {
				v = cluster.Disagree
			}
			if rng.IntN(8) == 0 {
				v = cluster.Neutral
			}
			b.Vote(fmt.Sprint(who), fmt.Sprint(j), v)
		}
	}
	res, err := cluster.Run(t.Context(), b.Matrix(), cluster.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return r, res, texts
}

// all draws every figure in both widths.
func all(t *testing.T) map[string]*Figure {
	t.Helper()
	r, w, texts := planted(t)
	p := score.DefaultParameters()
	p.Bootstrap = 20
	o, err := score.OvertonScore(r, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.BootstrapParticipants(t.Context(), r, nil, func() {}); err != nil {
		t.Fatal(err)
	}
	predictions := make([]float64, len(r.Rows))
	slant := map[string]float64{}
	for i, row := range r.Rows {
		predictions[i] = min(5, row.Value+float64(i%2))
		slant[row.Model] = float64(len(row.Model)) / 30
	}
	j, err := score.JudgeAgreement(r, predictions, nil, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	as := func(group string) string { return "Group " + group }
	figures := map[string]*Figure{}
	for _, width := range []float64{Narrow, Wide} {
		for name, f := range opinionFigures(width) {
			figures[fmt.Sprintf("%s %g", name, width)] = f
		}
		for name, f := range map[string]*Figure{
			"leaderboard":   Leaderboard(o, width),
			"coverage":      CoverageMatrix(o, width),
			"question":      QuestionMatrix(o.Questions[1], Models(o), as, 4, width),
			"curve":         Curve(o, width),
			"distributions": Distributions("1", score.Distribution(r, "1"), as, width),
			"window":        WindowMap("1", w, texts, width),
			"judge":         Judge(j, width),
			"outside":       Outside(score.CompareOutside(o.Models, slant), "Model Slant", width),
		} {
			figures[fmt.Sprintf("%s %g", name, width)] = f
		}
	}
	return figures
}

func TestFiguresAreTheSameBytesTwice(t *testing.T) {
	t.Parallel()
	again := all(t)
	for name, f := range all(t) {
		if !bytes.Equal(f.SVG(), again[name].SVG()) {
			t.Errorf("%s: another SVG the second time", name)
		}
	}
	a, err := again["leaderboard 328"].PNG(1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := again["leaderboard 328"].PNG(1)
	if err != nil || !bytes.Equal(a, b) {
		t.Errorf("another PNG the second time (%v)", err)
	}
}

func TestFiguresCanBeReadByEverybody(t *testing.T) {
	t.Parallel()
	for name, f := range all(t) {
		t.Run(name, func(t *testing.T) {
			if f.Title == "" || len(f.Description) < 40 {
				t.Errorf("title %q, description %q", f.Title, f.Description)
			}
			width, height := f.size()
			var found []string
			for d := xml.NewDecoder(bytes.NewReader(f.SVG())); ; {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("not well formed: %v", err)
				}
				e, ok := token.(xml.StartElement)
				if !ok {
					continue
				}
				found = append(found, e.Name.Local)
				for _, a := range e.Attr {
					switch a.Name.Local {
					case "style", "id":
						t.Errorf("<%s> has a %s", e.Name.Local, a.Name.Local)
					case "font-size":
						if a.Value < "10" && len(a.Value) < 4 {
							t.Errorf("letters of size %s", a.Value)
						}
					}
				}
			}
			for _, want := range []string{"title", "desc", "text"} {
				if !slices.Contains(found, want) {
					t.Errorf("no <%s>", want)
				}
			}
			image, err := f.PNG(2)
			if err != nil {
				t.Fatal(err)
			}
			config, err := png.DecodeConfig(bytes.NewReader(image))
			if err != nil || config.Width != int(2*width) || config.Height < int(2*height) {
				t.Errorf("image of %d by %d for %g by %g (%v)", config.Width, config.Height, width, height, err)
			}
		})
	}
}

func TestTheLeaderboardNamesTheBestFirst(t *testing.T) {
	t.Parallel()
	o := &score.Overton{Models: []score.ModelScore{
		{Model: "undefined", Adjusted: score.Undefined(), CI: score.UndefinedInterval()},
		{Model: "worse", Adjusted: 0.2, CI: score.Interval{Low: 0.1, High: 0.3}},
		{Model: "better", Adjusted: 0.4, CI: score.Interval{Low: 0.3, High: 0.5}},
	}}
	f := Leaderboard(o, Wide)
	if want := "better 0.40 (0.30 to 0.50); worse 0.20 (0.10 to 0.30); undefined –"; !strings.Contains(f.Description, want) {
		t.Errorf("description %q, want %q in it", f.Description, want)
	}
	svg := string(f.SVG())
	if b, w := strings.Index(svg, ">better<"), strings.Index(svg, ">worse<"); b < 0 || w < b {
		t.Errorf("better stands at %d, worse at %d", b, w)
	}
}

func TestFiguresOfNothing(t *testing.T) {
	t.Parallel()
	for _, f := range []*Figure{
		Leaderboard(&score.Overton{}, Narrow), WindowMap("1", &cluster.Result{}, nil, Narrow), Judge(&score.Judge{}, Narrow),
		Outside(&score.Outside{}, "slant", Wide), Distributions("1", nil, nil, Narrow), CoverageMatrix(&score.Overton{}, Narrow),
	} {
		if _, err := f.PNG(1); err != nil {
			t.Errorf("%s: %v", f.Title, err)
		}
	}
}

func TestHullGoesAround(t *testing.T) {
	t.Parallel()
	got := hull([][2]float64{{1, 1}, {0, 0}, {2, 0}, {2, 2}, {0, 2}, {1, 0.5}})
	if len(got) != 4 || slices.Contains(got, [2]float64{1, 1}) || slices.Contains(got, [2]float64{1, 0.5}) {
		t.Errorf("hull %v", got)
	}
	if got := hull([][2]float64{{1, 1}}); len(got) > 1 {
		t.Errorf("hull of one point %v", got)
	}
}

func TestLabelsAreSpreadWithoutLosingTheirOrder(t *testing.T) {
	t.Parallel()
	got := spread([]float64{10, 12, 11, 50}, 10)
	want := []float64{1, 21, 11, 50}
	if !slices.Equal(got, want) {
		t.Errorf("spread to %v, want %v", got, want)
	}
}

func TestLongTextsAreCutToTheirRoom(t *testing.T) {
	t.Parallel()
	l := letters{}
	if s := l.elide("llama-4-maverick-17b-128e-instruct", 80); l.width(s) > 80 || !strings.HasSuffix(s, "…") {
		t.Errorf("elided to %q, %g wide", s, l.width(s))
	}
	lines := l.wrap(strings.Repeat("many words ", 30), 100, 3)
	if len(lines) != 3 || !strings.HasSuffix(lines[2], "…") {
		t.Errorf("wrapped to %q", lines)
	}
	for _, line := range lines {
		if l.width(line) > 100 {
			t.Errorf("%q is %g wide", line, l.width(line))
		}
	}
}

// Adjusted scores and their intervals can lie below 0.
func TestTheAxisHoldsEveryValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values   []score.Number
		from, to float64
	}{
		{[]score.Number{0.02, 0.05}, 0, 0.2},
		{[]score.Number{0.97}, 0.8, 1},
		{[]score.Number{-0.23, 0.4}, -0.3, 0.4},
		{[]score.Number{-0.04, 0.01}, -0.1, 0.1},
		{nil, 0, 1},
	} {
		s := around(10, 110, c.values...)
		if math.Abs(s.from-c.from) > 1e-9 || math.Abs(s.to-c.to) > 1e-9 {
			t.Errorf("%v: an axis from %g to %g, want %g to %g", c.values, s.from, s.to, c.from, c.to)
		}
		for _, v := range c.values {
			if x := s.at(float64(v)); x < 10 || x > 110 {
				t.Errorf("%v: %g stands at %g, outside the axis", c.values, float64(v), x)
			}
		}
	}
}

func TestNamesOfReferencePointsDoNotRunIntoEachOther(t *testing.T) {
	t.Parallel()
	axis := scale{0, 1, 60, 460}
	near, same, far := newReference(axis, "single view", 0.54), newReference(axis, "all together", 0.55), newReference(axis, "all together", 0.9)
	if !near.touches(same) || near.touches(far) {
		t.Errorf("touching: %v, %v; want true, false", near.touches(same), near.touches(far))
	}
}

func TestNumbersHaveNoMinusBeforeZero(t *testing.T) {
	t.Parallel()
	for n, want := range map[score.Number]string{-1e-17: "0.00", -0.006: "-0.01", 0.25: "0.25"} {
		if got := number(n); got != want {
			t.Errorf("%v is written %s, want %s", float64(n), got, want)
		}
	}
}

func TestLabelsAreAlignedByWhoeverShowsThem(t *testing.T) {
	t.Parallel()
	models := []score.ModelScore{{Model: "نموذج", Adjusted: 0.4}, {Model: "a much longer name", Adjusted: 0.3}}
	svg := string(Leaderboard(&score.Overton{Models: models}, Wide).SVG())
	var ends []string
	for _, m := range models {
		before, _, found := strings.Cut(svg, ">"+m.Model+"</text>")
		if !found {
			t.Fatalf("%s is not in the drawing", m.Model)
		}
		label := before[strings.LastIndex(before, "<text"):]
		if !strings.Contains(label, `text-anchor="end"`) {
			t.Errorf("%s is not aligned: %s", m.Model, label)
		}
		_, x, _ := strings.Cut(label, ` x="`)
		x, _, _ = strings.Cut(x, `"`)
		ends = append(ends, x)
	}
	if ends[0] != ends[1] {
		t.Errorf("the names end at %v", ends)
	}
}
