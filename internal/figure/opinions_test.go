package figure

import (
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
	}
}

func TestOpinionFiguresNameWhatTheyShow(t *testing.T) {
	figures := opinionFigures(Wide)
	for name, want := range map[string]string{
		"neutrality": "people: non-neutrality (NNI) 0.50, consistency within topics (TCI) 0.55.",
		"ideology":   "Dots behind them are 40 people.",
		"topics":     "Correlations of 3 topics over 5 respondents",
		"distances":  "between model-a, model-b, people",
		"ranked":     "2 rows by mean alignment. SEX: Male 0.84. SEX: Female 0.80.",
	} {
		if got := figures[name].Description; !strings.Contains(got, want) {
			t.Errorf("%s: description %q, want %q in it", name, got, want)
		}
	}
	if svg := string(figures["topics"].SVG()); strings.Index(svg, "Sea vs. Mountains") > strings.Index(svg, "Cats vs. Dogs") {
		t.Error("topics do not stand in the order of the tree")
	}
	for _, f := range []*Figure{NeutralityMap(nil, Narrow), IdeologyMap(nil, nil, Narrow), TopicMap(&score.TopicCorrelation{}, Narrow), DistanceMap(&score.Distances{}, Narrow), Ranked("t", "a", "", nil, Narrow)} {
		if _, err := f.PNG(1); err != nil {
			t.Errorf("%s: %v", f.Title, err)
		}
	}
}

// Figures can be looked at: OVERTON_FIGURES names a folder for them.
func TestOpinionFiguresForTheEye(t *testing.T) {
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
