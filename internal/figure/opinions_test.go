package figure

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overton/internal/score"
)

// opinionFigures are figures of made-up opinions.
func opinionFigures(width float64) map[string]*Figure {
	points := []OpinionPoint{
		{Name: "model-a", X: 0.4, Y: 0.6, XCI: score.Interval{Low: 0.35, High: 0.45}, YCI: score.Interval{Low: 0.55, High: 0.66}},
		{Name: "model-b with a long name of its own", X: 0.62, Y: 0.45, XCI: score.UndefinedInterval(), YCI: score.UndefinedInterval()},
		{Name: "people", X: 0.5, Y: 0.55, XCI: score.Interval{Low: 0.48, High: 0.52}, YCI: score.Interval{Low: 0.54, High: 0.56}, People: true},
		{Name: "undefined", X: score.Undefined(), Y: 1, XCI: score.UndefinedInterval(), YCI: score.UndefinedInterval()},
	}
	var people []score.Axes
	for i := range 40 {
		people = append(people, score.Axes{Individualism: score.Number(float64(i%7)/10 - 0.3), Progressivism: score.Number(float64(i%11)/10 - 0.6)})
	}
	topics := &score.TopicCorrelation{Topics: []string{"Tea vs. Coffee", "Cats vs. Dogs", "Sea vs. Mountains"}, Respondents: 5, Order: []int{0, 2, 1},
		Pearson: [][]score.Number{{1, -0.8, 0.9}, {-0.8, 1, -0.5}, {0.9, -0.5, 1}}, Joins: []score.Join{{A: 0, B: 2, Height: 0.3, Size: 2}, {A: 3, B: 1, Height: 2.2, Size: 3}}}
	distances := &score.Distances{Order: []string{"model-a", "model-b", "people"}, Likert: [][]score.Number{{0, 0.1, 0.2}, {0.1, 0, 0.15}, {0.2, 0.15, 0}}}
	ranked := []RankedValue{{"SEX: Female", 0.8, score.Interval{Low: 0.75, High: 0.86}, 0.9}, {"SEX: Male", 0.84, score.Interval{Low: 0.8, High: 0.9}, 0.91}, {"RACE: Other", score.Undefined(), score.UndefinedInterval(), score.Undefined()}}
	return map[string]*Figure{
		"neutrality": NeutralityMap(points, width), "ideology": IdeologyMap(points, people, width), "topics": TopicMap(topics, width),
		"distances": DistanceMap(distances, width), "ranked": Ranked("Representativeness by group", "mean alignment", "people of the group", ranked, width),
		"item": ItemBars("Should the town build a bridge?", itemOptions, itemAnswers(), width), "crowded": IdeologyMap(crowd(), nil, width),
	}
}

var itemOptions = []string{"Yes, as soon as possible, and whatever it costs the town in the end, even if that means that there will be no new school for years", "Some day", "Never"}

func itemAnswers() []ItemAnswers {
	return []ItemAnswers{
		{Name: "people", People: true, Shares: []score.Number{0.25, 0.6, 0.15}, Refusal: 0.04, RefusalCI: score.Interval{Low: 0.02, High: 0.07},
			CIs: []score.Interval{{Low: 0.2, High: 0.3}, {Low: 0.54, High: 0.66}, {Low: 0.1, High: 0.2}}},
		{Name: "model-a", Shares: []score.Number{1, 0, 0}, Refusal: 0, RefusalCI: score.UndefinedInterval()},
		{Name: "model-b with a long name of its own", Shares: []score.Number{score.Undefined(), score.Undefined(), score.Undefined()}, Refusal: 1, RefusalCI: score.UndefinedInterval()},
	}
}

// crowd are points that stand close together, some at the right end.
func crowd() []OpinionPoint {
	var points []OpinionPoint
	for _, at := range [][2]score.Number{{0.185, -0.596}, {0.172, -0.595}, {0.167, -0.61}, {0.15, -0.46}, {0.073, -0.357}, {0.076, -0.351}, {0.097, -0.353}, {0.098, -0.36}} {
		points = append(points, OpinionPoint{Name: fmt.Sprintf("model-%d, reasoning", len(points)+1), X: at[0], Y: at[1], XCI: score.UndefinedInterval(), YCI: score.UndefinedInterval()})
	}
	return points
}

func TestNamesOfCrowdedPointsCoverNothing(t *testing.T) {
	t.Parallel()
	var marks []mark
	for i, pt := range crowd() {
		marks = append(marks, mark{x: 40 + 2000*float64(pt.X), y: 100 - 400*float64(pt.Y), name: fmt.Sprintf("model-%d, reasoning", i+1), l: letters{size: small}})
	}
	placeNames(marks, 30, 430, 20, 400)
	for i, m := range marks {
		x0, x1 := m.extent()
		if x0 < 30 || x1 > 430 || m.ty < 20 || m.ty > 400 {
			t.Errorf("%s stands out of bounds: %g to %g at %g", m.name, x0, x1, m.ty)
		}
		for k, other := range marks {
			if other.x > x0-4 && other.x < x1+4 && math.Abs(other.y-m.ty) < 9 && k != i {
				t.Errorf("%s covers the mark of %s", m.name, other.name)
			}
			if o0, o1 := other.extent(); k != i && o0 < x1 && x0 < o1 && math.Abs(other.ty-m.ty) < nameHeight {
				t.Errorf("%s covers the name %s", m.name, other.name)
			}
		}
	}
}

func TestOpinionFiguresNameWhatTheyShow(t *testing.T) {
	t.Parallel()
	figures := opinionFigures(Wide)
	for name, want := range map[string]string{
		"neutrality": "people: non-neutrality (NNI) 0.50, consistency within topics (TCI) 0.55.",
		"ideology":   "The dots behind them are 40 people.",
		"topics":     "Correlations of 3 topics over 5 respondents",
		"distances":  "between model-a, model-b, people",
		"ranked":     "2 rows by mean alignment. SEX: Male 0.84. SEX: Female 0.80.",
		"item":       "people: Yes, as soon as possible",
	} {
		if got := figures[name].Description; !strings.Contains(got, want) {
			t.Errorf("%s: description %q, want %q in it", name, got, want)
		}
	}
	if svg := string(figures["topics"].SVG()); strings.Index(svg, "Sea vs. Mountains") > strings.Index(svg, "Cats vs. Dogs") {
		t.Error("topics do not stand in the order of the tree")
	}
	for _, f := range []*Figure{NeutralityMap(nil, Narrow), IdeologyMap(nil, nil, Narrow), TopicMap(&score.TopicCorrelation{}, Narrow), DistanceMap(&score.Distances{}, Narrow), Ranked("t", "a", "", nil, Narrow), ItemBars("t", nil, nil, Narrow)} {
		if _, err := f.PNG(1); err != nil {
			t.Errorf("%s: %v", f.Title, err)
		}
	}
}

// Figures can be looked at: OVERTON_FIGURES names a folder for them.
func TestOpinionFiguresForTheEye(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("OVERTON_FIGURES")
	if dir == "" {
		dir = t.TempDir()
	}
	for _, width := range []float64{Narrow, Wide} {
		for name, f := range opinionFigures(width) {
			image, err := f.PNG(2)
			if err != nil {
				t.Fatal(err)
			}
			if width == Narrow {
				name += "-narrow"
			}
			if err := os.WriteFile(filepath.Join(dir, name+".png"), image, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
