package report

import (
	"fmt"
	"html/template"
	"strings"

	"overton/internal/figure"
	"overton/internal/score"
	"overton/internal/window"
)

// OfSurveys reports what people answered to a study's surveys, where nothing
// else can be scored.
func OfSurveys(s *window.Surveys) *Report {
	return &Report{Title: s.Study.Title, Study: &s.Study, People: &s.People, Surveys: s,
		Scores: &Scores{Program: s.Program, Input: Input{s.Study.Slug, s.Input.SHA256}}}
}

// Scored says whether there are OvertonScores to report.
func (r *Report) Scored() bool { return r.Overton != nil }

// Seed is that of all that was drawn at random.
func (r *Report) Seed() uint64 {
	if r.Scored() {
		return r.Parameters.Seed
	}
	return r.Surveys.Parameters.Seed
}

// surveyFigures are those of every instrument, their names beginning with its
// own. An item is drawn where models were asked it as well.
func (r *Report) surveyFigures() []window.Tabled {
	var figures []window.Tabled
	if r.Surveys == nil {
		return nil
	}
	for _, in := range r.Surveys.Instruments {
		list := in.Figures()
		for i := range in.Items {
			if in.Items[i].Asked > 0 && len(in.Items[i].Models) > 0 {
				list = append(list, in.Items[i].Figure())
			}
		}
		for _, f := range list {
			f.Name = fmt.Sprintf("survey-%s-%s", window.FileName(strings.TrimSuffix(in.Instrument, ".csv")), f.Name)
			figures = append(figures, f)
		}
	}
	return figures
}

// InstrumentTitle is what people see of an instrument, or its name.
func (r *Report) InstrumentTitle(in *window.InstrumentResult) string {
	if in.Title == "" {
		return in.Instrument
	}
	return in.Title
}

// SurveyDrawing is a figure of a survey with its caption.
type SurveyDrawing struct {
	Caption string
	Drawing template.HTML
}

// InstrumentFigures are those of the instrument at a position.
func (r *Report) InstrumentFigures(i int) []SurveyDrawing {
	var drawn []SurveyDrawing
	for _, f := range r.Surveys.Instruments[i].Figures() {
		drawn = append(drawn, SurveyDrawing{f.Caption, bothWidths(f)})
	}
	return drawn
}

// ItemFigure draws the item at a position of an instrument in telephone width,
// so that a desk shows several side by side.
func (r *Report) ItemFigure(i, item int) template.HTML {
	return template.HTML(r.Surveys.Instruments[i].Items[item].Figure().Draw(figure.Narrow).SVG())
}

// Nearest names the three groups that a model's answers are most alike to.
func (r *Report) Nearest(m score.PollModel) []string {
	groups := window.Nearest(m)
	return groups[:min(3, len(groups))]
}

// bothWidths draws for both a desk and a telephone; the page shows the one that
// fits.
func bothWidths(f window.Tabled) template.HTML {
	return template.HTML(`<div class="wide">` + string(f.Draw(figure.Wide).SVG()) + `</div><div class="narrow">` + string(f.Draw(figure.Narrow).SVG()) + `</div>`)
}

func percent(n score.Number) string {
	if !n.Defined() {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n))
}
