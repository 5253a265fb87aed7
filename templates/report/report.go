// Package report makes the report: one page that needs no server, with the
// scores, every figure, the methods in words and what was left out, from a
// file of ratings or from an analysis of a study.
package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"overton/internal/dataset/export"
	"overton/internal/dataset/votes"
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
	// Surveys are what a study's people answered to its surveys; nil for none.
	Surveys *window.Surveys `json:"surveys,omitempty"`

	result *window.Result    // nil for a ratings file
	texts  map[string]string // of the statements
}

// OfStudy reports an analysis that has a score.
func OfStudy(r *window.Result, statements []study.Statement) *Report {
	report := &Report{
		Title: r.Study.Title, Study: &r.Study, People: &r.People, Windows: r.Questions, Regroupings: r.Parameters.Regroupings,
		Scores: &Scores{Program: r.Program, Input: Input{r.Study.Slug, r.Input.SHA256}, Inputs: map[string]Input{}, Group: "found in the votes", Overton: r.Score},
		result: r, texts: map[string]string{},
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

// Figures are all of the report's, those of the whole study first.
func (r *Report) Figures() []window.Tabled {
	figures := r.surveyFigures()
	if !r.Scored() {
		return figures
	}
	figures = append(figures, window.ScoreFigures(r.Overton)...)
	if r.Outside != nil {
		figures = append(figures, window.Tabled{
			Figure: window.Figure{Name: "outside", Draw: func(w float64) *figure.Figure { return figure.Outside(r.Outside, r.OutsideName, w) }},
			CSV:    func(w io.Writer) error { return export.WriteOutside(w, r.Outside) },
		})
	}
	for i := range r.Questions {
		figures = append(figures, r.question(i)...)
	}
	return figures
}

// question is the figures of the scored question at a position.
func (r *Report) question(i int) []window.Tabled {
	q := r.Questions[i].Question
	if at := r.window(q); at >= 0 {
		return r.result.QuestionFigures(at, r.texts)
	}
	name := window.GivenGroup
	if r.Group == votes.DefaultGroupColumn { // holds numbers of viewpoint groups
		name = window.NumberedGroup
	}
	return window.RatingFigures(fmt.Sprintf("question-%d-", i+1), r.Overton, i, score.Distribution(r.Rated, q), name)
}

// window is the position of a question among the windows, -1 for none.
func (r *Report) window(question string) int {
	return slices.IndexFunc(r.Windows, func(w window.Question) bool { return w.Question == question })
}

// Figure draws for both a desk and a telephone; the page shows the one that fits.
func (r *Report) Figure(name string) template.HTML {
	all := r.Figures()
	return bothWidths(all[slices.IndexFunc(all, func(f window.Tabled) bool { return f.Name == name })])
}

// QuestionFigures draws what there is of the question at a position, each of
// telephone width, so that a desk shows them side by side.
func (r *Report) QuestionFigures(i int) []template.HTML {
	var drawn []template.HTML
	for _, f := range r.question(i) {
		drawn = append(drawn, template.HTML(f.Draw(figure.Narrow).SVG()))
	}
	return drawn
}

// QuestionText is the question in words, where the data hold it.
func (r *Report) QuestionText(i int) string {
	q := r.Questions[i].Question
	if at := r.window(q); at >= 0 {
		return r.Windows[at].Text
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
	var lines []string
	if r.Scored() {
		lines = LeftOut(r.LeftOut)
	}
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

var (
	//go:embed report.html
	source string
	//go:embed surveys.html
	surveySource string
)

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
	"estimate": func(e score.Estimate) string { return fmt.Sprintf("%s (%s)", e.Value.Text(3), e.CI.Text(3)) },
	"percent":  percent,
	"percents": func(i score.Interval) string { return percent(i.Low) + " to " + percent(i.High) },
	"folded":   func(m map[string][]score.Number) []string { return window.Folded(m) },
	"likert":   func() score.Coding { return score.Likert },
	"at":       func(values []score.Number, i int) score.Number { return values[i] },
}).Parse(source + surveySource))

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
