// Package report makes the report: one page that needs no server, with the
// scores, every figure, the methods in words and what was left out, from a
// file of ratings or from an analysis of a study.
package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"overton/internal/figure"
	"overton/internal/score"
	"overton/internal/study"
	"overton/internal/window"
)

// Input identifies a file that a result was computed from.
type Input struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// Scores are the OvertonScores of some ratings and all that was asked for
// besides.
type Scores struct {
	Program window.Program `json:"program"`
	Input   Input          `json:"input"`
	// Inputs are the further files, by the name of their flag.
	Inputs map[string]Input `json:"inputs,omitempty"`
	Group  string           `json:"group"`
	*score.Overton
	// Subgroups hide what fewer than MinimumCell participants would tell.
	Subgroups   []score.Subgroup `json:"subgroups,omitempty"`
	MinimumCell int              `json:"minimum_cell,omitempty"`
	Raked       *score.Raked     `json:"raked,omitempty"`
	Outside     *score.Outside   `json:"outside,omitempty"`

	// Rated are the ratings, with the groups that were scored.
	Rated score.Ratings `json:"-"`
}

// Report is what the page is made of.
type Report struct {
	Title string `json:"title"`
	*Scores
	// Study, Windows and People are of a study; nil for a ratings file.
	Study       *window.About     `json:"study,omitempty"`
	People      *window.Counted   `json:"people,omitempty"`
	Windows     []window.Question `json:"windows,omitempty"`
	OutsideName string            `json:"-"`
	Regroupings int               `json:"regroupings"`

	texts map[string]string // of the statements
}

// OfStudy reports an analysis that has a score. ratings are those that it
// scored, with their groups.
func OfStudy(r *window.Result, statements []study.Statement, ratings score.Ratings) *Report {
	report := &Report{
		Title: r.Study.Title, Study: &r.Study, People: &r.People, Windows: r.Questions, Regroupings: r.Parameters.Regroupings,
		Scores: &Scores{Program: r.Program, Input: Input{r.Study.Slug, r.Input.SHA256}, Inputs: map[string]Input{}, Group: "found in the votes", Overton: r.Score, Rated: ratings},
		texts:  map[string]string{},
	}
	for _, s := range statements {
		report.texts[s.ID] = s.Text
	}
	return report
}

// HTML is the page.
func (r *Report) HTML() ([]byte, error) {
	var b bytes.Buffer
	if err := page.Execute(&b, r); err != nil {
		return nil, fmt.Errorf("making the report: %w", err)
	}
	return b.Bytes(), nil
}

// Figures are the drawings of the whole study, by name, for any width.
func (r *Report) Figures() map[string]func(width float64) *figure.Figure {
	figures := map[string]func(width float64) *figure.Figure{
		"leaderboard": func(w float64) *figure.Figure { return figure.Leaderboard(r.Overton, w) },
		"curve":       func(w float64) *figure.Figure { return figure.Curve(r.Overton, w) },
		"coverage":    func(w float64) *figure.Figure { return figure.CoverageMatrix(r.Overton, w) },
	}
	if r.Outside != nil {
		figures["outside"] = func(w float64) *figure.Figure { return figure.Outside(r.Outside, r.OutsideName, w) }
	}
	for i, q := range r.Questions {
		name := fmt.Sprintf("question-%d-", i+1)
		figures[name+"coverage"] = func(w float64) *figure.Figure {
			return figure.QuestionMatrix(q, figure.Models(r.Overton), r.Parameters.Tau, w)
		}
		figures[name+"ratings"] = func(w float64) *figure.Figure {
			return figure.Distributions(q.Question, score.Distribution(r.Rated, q.Question), w)
		}
		if found := r.window(q.Question); found != nil {
			figures[name+"window"] = func(w float64) *figure.Figure { return figure.WindowMap(q.Question, found.Result, r.texts, w) }
		}
	}
	return figures
}

func (r *Report) window(question string) *window.Question {
	i := slices.IndexFunc(r.Windows, func(w window.Question) bool { return w.Question == question })
	if i < 0 {
		return nil
	}
	return &r.Windows[i]
}

// Figure draws for both a desk and a telephone; the page shows the one that fits.
func (r *Report) Figure(name string) template.HTML {
	draw := r.Figures()[name]
	return template.HTML(`<div class="wide">` + string(draw(figure.Wide).SVG()) + `</div><div class="narrow">` + string(draw(figure.Narrow).SVG()) + `</div>`)
}

// QuestionFigures draws what there is of the question at a position, each of
// telephone width, so that a desk shows them side by side.
func (r *Report) QuestionFigures(i int) []template.HTML {
	all := r.Figures()
	var drawn []template.HTML
	for _, kind := range []string{"window", "coverage", "ratings"} {
		if draw := all[fmt.Sprintf("question-%d-%s", i+1, kind)]; draw != nil {
			drawn = append(drawn, template.HTML(draw(figure.Narrow).SVG()))
		}
	}
	return drawn
}

// QuestionText is the question in words, where the data hold it.
func (r *Report) QuestionText(i int) string {
	q := r.Questions[i].Question
	if w := r.window(q); w != nil {
		return w.Text
	}
	at := slices.Index(r.Rated.Attributes, "question")
	if at < 0 {
		return ""
	}
	for _, row := range r.Rated.Rows {
		if row.Question == q {
			return row.Attributes[at]
		}
	}
	return ""
}

// Best are the models, best first.
func (r *Report) Best() []score.ModelScore {
	models := slices.Clone(r.Models)
	slices.SortStableFunc(models, func(a, b score.ModelScore) int { return score.Descending(a.Adjusted, b.Adjusted) })
	return models
}

// LeftOutLines says what was left out, a line for each reason.
func (r *Report) LeftOutLines() []string {
	lines := LeftOut(r.LeftOut)
	if r.People != nil {
		if n := r.People.Incomplete; n > 0 {
			lines = append(lines, Counted(n, "submission")+" not complete")
		}
		if n := r.People.OtherKind; n > 0 {
			lines = append(lines, Counted(n, "complete submission")+" of the other kind (virtual or real)")
		}
	}
	for _, w := range r.Windows {
		reasons := map[string]int{}
		for _, who := range w.LeftOut {
			reasons[who.Reason]++
		}
		for _, reason := range slices.Sorted(maps.Keys(reasons)) {
			lines = append(lines, fmt.Sprintf("question %s: %s without a group: %s", w.Question, Counted(reasons[reason], "participant"), reason))
		}
	}
	return lines
}

//go:embed report.html
var source string

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"decimals": func(n score.Number) string { return n.Text(3) },
	"signed":   func(n score.Number) string { return n.SignedText(3) },
	"interval": func(i score.Interval) string { return i.Text(3) },
	"p":        score.Number.PText,
	"counted":  Counted,
	"adjusted": func(s *score.ScoreIntervals) string {
		if s == nil {
			return "–"
		}
		return s.Adjusted.Text(3)
	},
}).Parse(source))

// LeftOut says in words what a score left out, one line for each reason.
func LeftOut(l score.LeftOut) (said []string) {
	if n := l.RatingsWithoutValue; n > 0 {
		said = append(said, Counted(n, "rating")+" without a value")
	}
	if n := l.RatingsWithoutGroup; n > 0 {
		said = append(said, fmt.Sprintf("%s without a group (participant on a question: %d)", Counted(n, "rating"), l.ParticipantsWithoutGroup))
	}
	if n := len(l.QuestionsWithoutGroups); n > 0 {
		said = append(said, fmt.Sprintf("%s without groups (%s)", Counted(n, "question"), strings.Join(l.QuestionsWithoutGroups, ", ")))
	}
	if n := l.GroupsWithoutRatings; n > 0 {
		said = append(said, Counted(n, "time")+" a group gave a model of its question no rating")
	}
	return said
}

// Counted is a number with its noun, which takes an s.
func Counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
