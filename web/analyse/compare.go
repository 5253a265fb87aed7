package analyse

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"overton/internal/cluster"
	"overton/internal/figure"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/window"
	pages "overton/templates/analyse"
	"overton/web/site"
)

// compareResamples is the number of resamples of questions behind the interval
// of a difference between two runs.
const compareResamples = 1000

// compareRuns sets the runs ?a=ID&b=ID side by side, or asks which.
func (s *Room) compareRuns(c echo.Context, h *site.Hosted) error {
	frame, err := s.AdminStudyFrame(c, h, "Compare two runs", "/analysis")
	if err != nil {
		return err
	}
	page := pages.ComparePage{Admin: frame, Post: h.Href("/runs/compare"), Back: h.Href("/runs")}
	all, err := s.viewRuns(c, h)
	if err != nil {
		return err
	}
	page.Runs = slices.DeleteFunc(all, func(r pages.RunView) bool { return !r.Done })
	a, b := c.QueryParam("a"), c.QueryParam("b")
	if a == "" || b == "" {
		return s.Show(c, http.StatusOK, pages.Compare(page))
	}
	var runs [2]store.Run
	var results [2]*window.Result
	for i, id := range []string{a, b} {
		if runs[i], err = s.run(c, h, id); err != nil {
			return err
		}
		if runs[i].State != store.RunDone {
			return &site.Refusal{Status: http.StatusNotFound, Name: "no_result", Try: h.RunPath(runs[i].ID)}
		}
		if results[i], err = window.ReadResult(runs[i]); err != nil {
			return err
		}
	}
	view := func(id int64) *pages.RunView {
		return &page.Runs[slices.IndexFunc(page.Runs, func(r pages.RunView) bool { return r.ID == id })]
	}
	page.A, page.B = view(runs[0].ID), view(runs[1].ID)
	if runs[0].ID == runs[1].ID {
		page.Problem = "These are the same run. Choose two."
		return s.Show(c, http.StatusOK, pages.Compare(page))
	}
	s.fillCompare(&page, h, runs, results[0], results[1])
	return s.Show(c, http.StatusOK, pages.Compare(page))
}

// fillCompare words how two results differ.
func (s *Room) fillCompare(page *pages.ComparePage, h *site.Hosted, runs [2]store.Run, a, b *window.Result) {
	page.SameInput = a.Input == b.Input
	differing := func(name, x, y string) {
		if x != y {
			page.Differing = append(page.Differing, pages.DifferingLine{Name: name, A: x, B: y})
		}
	}
	factsA, factsB := optionFacts(a.Parameters), optionFacts(b.Parameters)
	for i := range factsA {
		differing(factsA[i].Name, factsA[i].Value, factsB[i].Value)
	}
	people := func(r *window.Result) string {
		kind := "people"
		if r.People.Virtual {
			kind = "virtual participants"
		}
		return fmt.Sprintf("%d %s", r.People.Complete, kind)
	}
	differing("Answers of", people(a), people(b))
	differing("Program", a.Program.Name+" "+a.Program.Version, b.Program.Name+" "+b.Program.Version)

	for _, q := range a.Questions {
		line := pages.ComparedQuestion{ID: q.Question, Text: site.Shorten(q.Text, 90), PathA: s.Base + h.QuestionPath(runs[0].ID, q.Question), A: sizes(q.Groups), B: "not in it", Agreement: "–"}
		if at := slices.IndexFunc(b.Questions, func(o window.Question) bool { return o.Question == q.Question }); at >= 0 {
			other := b.Questions[at]
			line.PathB, line.B = s.Base+h.QuestionPath(runs[1].ID, q.Question), sizes(other.Groups)
			var agreement score.Number
			line.Common, agreement = agreementOf(q.Result, other.Result)
			line.Agreement = decimals(agreement)
		}
		page.Questions = append(page.Questions, line)
	}
	for _, q := range b.Questions {
		if !slices.ContainsFunc(a.Questions, func(o window.Question) bool { return o.Question == q.Question }) {
			page.Questions = append(page.Questions, pages.ComparedQuestion{ID: q.Question, Text: site.Shorten(q.Text, 90), A: "not in it",
				PathB: s.Base + h.QuestionPath(runs[1].ID, q.Question), B: sizes(q.Groups), Agreement: "–"})
		}
	}
	if a.Score == nil || b.Score == nil {
		return
	}
	byModel := func(o *score.Overton, model string) score.ModelScore {
		return o.Models[slices.IndexFunc(o.Models, func(m score.ModelScore) bool { return m.Model == model })]
	}
	changes := score.Changes(a.Score, b.Score, compareResamples, 1)
	order := figure.Models(a.Score)
	slices.SortStableFunc(changes, func(x, y score.Change) int { return slices.Index(order, x.Model) - slices.Index(order, y.Model) })
	both := map[string]bool{}
	for _, ch := range changes {
		both[ch.Model] = true
		x, y := byModel(a.Score, ch.Model), byModel(b.Score, ch.Model)
		page.Models = append(page.Models, pages.ComparedModel{
			Model: ch.Model, A: decimals(x.Adjusted), B: decimals(y.Adjusted), AI: interval(x.CI), BI: interval(y.CI),
			Change: signedDecimals(ch.Adjusted), Interval: interval(ch.AdjustedCI), Weighted: signedDecimals(ch.Weighted), WeightedCI: interval(ch.WeightedCI), Questions: ch.Questions,
		})
	}
	for i, o := range []*score.Overton{a.Score, b.Score} {
		for _, m := range o.Models {
			if !both[m.Model] {
				page.Only = append(page.Only, fmt.Sprintf("%s, only in run %d", m.Model, runs[i].ID))
			}
		}
	}
	figuresA, figuresB := window.ScoreFigures(a.Score), window.ScoreFigures(b.Score)
	for i := range figuresA {
		left, right := figuresA[i].Draw(figure.Narrow), figuresB[i].Draw(figure.Narrow)
		page.Figures = append(page.Figures, pages.ComparedFigure{Title: left.Title, A: string(left.SVG()), B: string(right.SVG())})
	}
}

// agreementOf is the adjusted Rand index of two groupings of one question over
// the people whom both have grouped, and how many those are.
func agreementOf(a, b *cluster.Result) (common int, index score.Number) {
	groups := map[string]int{}
	for _, p := range a.Participants {
		groups[p.ID] = p.Group
	}
	var first, second []int
	for _, p := range b.Participants {
		if g, ok := groups[p.ID]; ok {
			first, second = append(first, g), append(second, p.Group)
		}
	}
	if len(first) < 2 {
		return len(first), score.Undefined()
	}
	return len(first), score.Number(cluster.AdjustedRand(first, second))
}

// signedDecimals writes a difference for people.
func signedDecimals(n score.Number) string {
	text := decimals(n)
	if n > 0 && text != "0.00" {
		return "+" + text
	}
	return text
}
