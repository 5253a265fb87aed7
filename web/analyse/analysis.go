package analyse

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/cluster"
	"overton/internal/figure"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/study"
	"overton/internal/window"
	"overton/templates"
	pages "overton/templates/analyse"
	"overton/templates/report"
	"overton/web/site"
)

// analysis shows where the analyses of a study stand, and the latest result.
func (s *Room) analysis(c echo.Context, h *site.Hosted) error {
	frame, err := s.AdminStudyFrame(c, h, "Analysis", "/analysis")
	if err != nil {
		return err
	}
	page := pages.AnalysisPage{Admin: frame, Runs: h.Href("/runs")}
	if len(window.Instruments(h.Study)) > 0 {
		page.Surveys = h.Href("/surveys")
	}
	if roleOf(c) >= site.Researcher {
		page.New, page.Post = h.Href("/runs/new"), h.Href("/analysis")
	}
	runs, err := s.viewRuns(c, h)
	if err != nil {
		return err
	}
	page.Many = len(runs)
	for _, r := range slices.Backward(runs) { // in the order in which they are computed
		if r.Progress != nil {
			page.Unfinished = append(page.Unfinished, r)
		}
	}
	if len(runs) > 0 && runs[0].Progress == nil && !runs[0].Done {
		page.Broken = &runs[0]
	}
	result, run, err := window.Latest(c.Request().Context(), s.Store, h.Row)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return err
	default:
		page.Result = s.viewResult(h, run, result)
		page.Run = runs[slices.IndexFunc(runs, func(r pages.RunView) bool { return r.ID == run.ID })]
		if err := s.sameAs(c.Request().Context(), h, &page.Run); err != nil {
			return err
		}
	}
	return s.Show(c, http.StatusOK, pages.Analysis(page))
}

// viewResult words a result.
func (s *Room) viewResult(h *site.Hosted, run store.Run, r *window.Result) *pages.ResultView {
	v := &pages.ResultView{Virtual: r.People.Virtual}
	v.People = site.Counted(r.People.Complete, "person who finished", "people who finished")
	other := "virtual participants who finished"
	if r.People.Virtual {
		v.People = site.Counted(r.People.Complete, "virtual participant who finished", "virtual participants who finished")
		other = "people who finished"
	}
	v.LeftOut = leftOut(r, other)
	v.Facts = append(optionFacts(r.Parameters),
		templates.Fact{Name: "Program", Value: r.Program.Name + " " + r.Program.Version},
		templates.Fact{Name: "Hash of the input", Value: r.Input.SHA256, Code: true},
		templates.Fact{Name: "Hash of the study", Value: r.Study.Hash, Code: true},
	)
	scored := map[string]score.Question{}
	if r.Score != nil {
		v.Score = true
		for _, q := range r.Score.Questions {
			scored[q.Question] = q
		}
		fillScore(v, r.Score)
		for _, f := range window.ScoreFigures(r.Score) {
			v.Figures = append(v.Figures, s.drawing(h, run, f))
		}
	}
	for _, q := range r.Questions {
		line := pages.WindowLine{
			ID: q.Question, Text: site.Shorten(q.Text, 120), Path: s.Base + h.QuestionPath(run.ID, q.Question), People: len(q.Participants),
			Sizes: sizes(q.Groups), Groups: q.K, Silhouette: silhouette(q.Result), Stability: "–", LeftOut: len(q.LeftOut), Warnings: len(q.Warnings),
		}
		for _, st := range q.Statements {
			line.Votes += st.Votes()
		}
		if q.Stability != nil {
			line.Stability = decimals(q.Stability.Statements)
		}
		if sq, ok := scored[q.Question]; ok {
			for _, m := range v.Models {
				line.Coverage = append(line.Coverage, covered(sq.Covered[m]))
			}
		}
		v.Windows = append(v.Windows, line)
	}
	return v
}

func fillScore(v *pages.ResultView, o *score.Overton) {
	board := slices.Clone(o.Models) // in the order of the figure
	slices.SortStableFunc(board, func(a, b score.ModelScore) int { return -cmp.Compare(a.Adjusted, b.Adjusted) })
	for _, m := range board {
		line := pages.BoardLine{
			Model: m.Model, Questions: m.Questions,
			Raw: decimals(m.Raw), RawQuestions: interval(m.Intervals.Questions.Raw),
			Weighted: decimals(m.Weighted), WeightedQuestions: interval(m.Intervals.Questions.Weighted),
			Adjusted: decimals(m.Adjusted), AdjustedWeighted: decimals(m.AdjustedWeighted), Difference: difference(m.Difference),
		}
		if m.Intervals.Both != nil {
			v.Both = true
			line.RawBoth = interval(m.Intervals.Both.Raw)
		}
		v.Board = append(v.Board, line)
		v.Models = append(v.Models, m.Model)
	}
	ref := o.Reference
	v.Reference = []pages.ReferenceLine{
		{Name: "All models together", Raw: decimals(ref.BestAcross), Weighted: decimals(ref.BestAcrossWeighted), Explanation: "groups that at least one model covers"},
		{Name: "Best model of each question", Raw: decimals(ref.BestAcrossMax), Weighted: decimals(ref.BestAcrossMaxWeighted), Explanation: "mean of each question's best coverage"},
		{Name: "A single view", Raw: decimals(ref.SingleView), Weighted: decimals(ref.SingleViewWeighted), Explanation: "an answer that covers one group of each question; weighted: the largest"},
	}
}

// optionFacts tells the parameters of a run.
func optionFacts(o window.Options) []templates.Fact {
	groups := fmt.Sprintf("groups chosen among 1 to %d", o.Cluster.KMax)
	if o.Cluster.K > 0 {
		groups = site.Counted(o.Cluster.K, "group", "groups") + " on every question, as given"
	}
	questions := "all"
	if o.Questions != nil {
		questions = strings.Join(o.Questions, ", ")
	}
	return []templates.Fact{
		{Name: "Method", Value: fmt.Sprintf("%s; %s; at least %s to be grouped", o.Cluster.Method, groups, site.Counted(o.Cluster.MinVotes, "vote", "votes"))},
		{Name: "Score", Value: fmt.Sprintf("a group is covered if its mean rating is %g or more; a group without ratings: %s", o.Score.Tau, o.Score.Missing)},
		{Name: "Intervals", Value: fmt.Sprintf("%d resamples of questions; %d of people, with the groups found again in each", o.Score.Bootstrap, o.Regroupings)},
		{Name: "Whose answers", Value: string(o.People)},
		{Name: "Questions", Value: questions},
		{Name: "Seed", Value: strconv.FormatUint(o.Cluster.Seed, 10)},
	}
}

// drawing draws a figure for telephones and for desks.
func drawing(draw func(width float64) *figure.Figure) pages.Drawing {
	wide := draw(figure.Wide)
	return pages.Drawing{Title: wide.Title, Narrow: string(draw(figure.Narrow).SVG()), Wide: string(wide.SVG())}
}

// drawing is a figure of a run with its caption and the ways to its files.
func (s *Room) drawing(h *site.Hosted, run store.Run, f window.Tabled) pages.Drawing {
	d := drawing(f.Draw)
	d.Caption = f.Caption
	for _, format := range window.FigureFormats {
		d.Files = append(d.Files, templates.Tab{Name: strings.ToUpper(format), Path: s.Base + h.RunPath(run.ID) + "/figures/" + f.Name + "." + format})
	}
	return d
}

// statementTexts are the words of a study's statements by id.
func (s *Room) statementTexts(ctx context.Context, h *site.Hosted) (map[string]string, error) {
	statements, err := s.Store.Statements(ctx, h.Row.ID)
	texts := map[string]string{}
	for _, st := range statements {
		texts[st.ID] = st.Text
	}
	return texts, err
}

// figureTypes are the kinds of file that a figure can be had as.
var figureTypes = map[string]string{"svg": "image/svg+xml", "png": "image/png", "csv": "text/csv; charset=utf-8"}

// figureScale is the number of image points for a CSS pixel of a PNG.
const figureScale = 2

// figure sends one figure of a run as a file.
func (s *Room) figure(c echo.Context, h *site.Hosted, run store.Run, result *window.Result) error {
	texts, err := s.statementTexts(c.Request().Context(), h)
	if err != nil {
		return err
	}
	file := c.Param("file")
	format := strings.TrimPrefix(path.Ext(file), ".")
	figures := result.Figures(texts)
	at := slices.IndexFunc(figures, func(f window.Tabled) bool { return f.Name+"."+format == file })
	if at < 0 || figureTypes[format] == "" {
		return &site.Refusal{Status: http.StatusNotFound, Name: "no_result", Try: h.RunPath(run.ID)}
	}
	content, err := figures[at].Content(format, figureScale)
	if err != nil {
		return err
	}
	return s.send(c, h, fmt.Sprintf("%s-run-%d-%s", h.Row.Slug, run.ID, file), figureTypes[format], content)
}

// send sends a file of a study to be kept and notes that, unless the browser
// has it already.
func (s *Room) send(c echo.Context, h *site.Hosted, name, kind string, content []byte) error {
	sum := sha256.Sum256(content)
	tag := fmt.Sprintf(`"%x"`, sum[:16])
	header := c.Response().Header()
	header.Set("ETag", tag)
	header.Set("Cache-Control", "private, no-cache")
	if c.Request().Header.Get("If-None-Match") == tag {
		return c.NoContent(http.StatusNotModified)
	}
	if err := s.Downloaded(c, h.Row.ID, name); err != nil {
		return err
	}
	header.Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", name))
	return c.Blob(http.StatusOK, kind, content)
}

// runJSON sends the result of a run as the command line writes it.
func (s *Room) runJSON(c echo.Context, h *site.Hosted, run store.Run) error {
	if run.State != store.RunDone {
		return &site.Refusal{Status: http.StatusNotFound, Name: "no_result", Try: h.RunPath(run.ID)}
	}
	content, err := window.Indented(run.Result)
	if err != nil {
		return err
	}
	return s.send(c, h, fmt.Sprintf("%s-run-%d.json", h.Row.Slug, run.ID), "application/json", content)
}

// runReport sends a run as a page that needs no server.
func (s *Room) runReport(c echo.Context, h *site.Hosted, run store.Run, result *window.Result) error {
	if result.Score == nil {
		return &site.Refusal{Status: http.StatusNotFound, Name: "no_result", Try: h.RunPath(run.ID)}
	}
	statements, err := s.Store.Statements(c.Request().Context(), h.Row.ID)
	if err != nil {
		return err
	}
	content, err := report.OfStudy(result, statements).HTML()
	if err != nil {
		return err
	}
	return s.send(c, h, fmt.Sprintf("%s-run-%d.html", h.Row.Slug, run.ID), "text/html; charset=utf-8", content)
}

// leftOut says what an analysis did not take.
func leftOut(r *window.Result, other string) (lines []string) {
	line := func(n int, what string) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf("%d %s", n, what))
		}
	}
	if r.People.Incomplete > 0 {
		lines = append(lines, site.Counted(r.People.Incomplete, "submission that is not complete", "submissions that are not complete"))
	}
	line(r.People.OtherKind, other)
	if r.Score == nil {
		return lines
	}
	o := r.Score.LeftOut
	line(o.ParticipantsWithoutGroup, "times a person had no group on a question")
	line(o.RatingsWithoutGroup, "ratings by people who were not grouped")
	line(o.RatingsWithoutValue, "ratings without a value")
	line(o.GroupsWithoutRatings, "times a group gave a model no rating")
	if n := len(o.QuestionsWithoutGroups); n > 0 {
		lines = append(lines, fmt.Sprintf("%d questions without groups: %s", n, strings.Join(o.QuestionsWithoutGroups, ", ")))
	}
	return lines
}

// latestQuestion shows the window of one question in the latest run.
func (s *Room) latestQuestion(c echo.Context, h *site.Hosted) error {
	result, run, err := window.Latest(c.Request().Context(), s.Store, h.Row)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return s.showQuestion(c, h, run, result)
}

// question shows the window of one question in a run.
func (s *Room) question(c echo.Context, h *site.Hosted, run store.Run, result *window.Result) error {
	return s.showQuestion(c, h, run, result)
}

// showQuestion shows the window of the question in the address. result is nil
// where there is none yet.
func (s *Room) showQuestion(c echo.Context, h *site.Hosted, run store.Run, result *window.Result) error {
	ctx := c.Request().Context()
	q, ok := h.Questions.Question(c.Param("*"))
	if !ok {
		return &site.Refusal{Status: http.StatusNotFound, Name: "not_found"}
	}
	frame, err := s.AdminStudyFrame(c, h, "Question "+q.ID, "/analysis")
	if err != nil {
		return err
	}
	page := pages.WindowPage{Admin: frame, ID: q.ID, Question: q.Text, Option1: q.Option1, Option2: q.Option2, Back: h.Href("/analysis")}
	if result == nil {
		return s.Show(c, http.StatusOK, pages.Window(page))
	}
	people, virtual, err := s.Store.Complete(ctx, h.Row.ID)
	if err != nil {
		return err
	}
	v, err := s.viewRun(h, run, roleOf(c), people, virtual)
	if err != nil {
		return err
	}
	page.Run, page.Back = &v, v.Path
	at := slices.IndexFunc(result.Questions, func(w window.Question) bool { return w.Question == q.ID })
	if at < 0 {
		return s.Show(c, http.StatusOK, pages.Window(page))
	}
	beside := func(i int) *templates.Tab {
		if i < 0 || i >= len(result.Questions) {
			return nil
		}
		id := result.Questions[i].Question
		return &templates.Tab{Name: "Question " + id, Path: s.Base + h.QuestionPath(run.ID, id)}
	}
	page.Before, page.After = beside(at-1), beside(at+1)
	statements, err := s.Store.Statements(ctx, h.Row.ID)
	if err != nil {
		return err
	}
	texts := map[string]string{}
	for _, st := range statements {
		texts[st.ID] = st.Text
	}
	for _, f := range result.QuestionFigures(at, texts) {
		page.Figures = append(page.Figures, s.drawing(h, run, f))
	}
	fillWindow(&page, result, at, statements, roleOf(c) >= site.Researcher)
	return s.Show(c, http.StatusOK, pages.Window(page))
}

// fillWindow words the window of the question at a position. named adds the
// pseudonyms of those who were left out.
func fillWindow(page *pages.WindowPage, r *window.Result, at int, statements []study.Statement, named bool) {
	q := r.Questions[at]
	page.Analysed, page.Virtual = true, r.People.Virtual
	for _, w := range q.Warnings {
		page.Warnings = append(page.Warnings, site.Sentence(w))
	}
	known, wrote := map[string]study.Statement{}, map[string][]pages.FreeResponse{}
	texts := map[string]string{}
	for _, st := range statements {
		known[st.ID], texts[st.ID] = st, st.Text
		if st.Question == page.ID && st.Author != "" && st.State != study.StatementReplaced {
			wrote[st.Author] = append(wrote[st.Author], pages.FreeResponse{ID: st.ID, Text: st.Text, Rejected: st.State == study.StatementRejected})
		}
	}
	telling := func(rep cluster.Representative) pages.RepresentativeLine {
		return pages.RepresentativeLine{
			ID: rep.Statement, Text: wordsOf(known, rep.Statement), Direction: rep.Direction, Rejected: known[rep.Statement].State == study.StatementRejected,
			Count: rep.Count, Votes: rep.Votes, Probability: decimals(rep.Probability), Ratio: decimals(rep.Ratio),
		}
	}
	page.Facts = doubts(q.Result)
	page.LeftOut = reasons(q.LeftOut)
	if named {
		for _, l := range q.LeftOut {
			page.LeftOutWho = append(page.LeftOutWho, pages.LeftOutLine{Pseudonym: l.ID, Reason: l.Reason})
		}
	}
	var scored score.Question
	if r.Score != nil {
		for _, sq := range r.Score.Questions {
			if sq.Question == page.ID {
				scored = sq
			}
		}
		for _, m := range figure.Models(r.Score) {
			if scored.Covered[m] != nil {
				page.Models = append(page.Models, m)
			}
		}
	}
	rated := map[[2]string]int{} // by model and group
	for _, c := range q.Ratings {
		rated[[2]string{c.Model, c.Group}] = c.Total()
	}
	for _, g := range q.Groups {
		view := pages.GroupView{Number: g.Group, Size: g.Size, Share: percent(g.Share)}
		label := strconv.Itoa(g.Group)
		at := slices.IndexFunc(scored.Groups, func(sg score.Group) bool { return sg.Group == label })
		for _, m := range page.Models {
			rating := pages.GroupRating{Mean: "–", N: rated[[2]string{m, label}]}
			if at >= 0 {
				rating.Mean, rating.Covered = decimals(scored.Mean[m][at]), scored.Covered[m][at] == 1
			}
			if rating.Covered {
				view.CoveredBy = append(view.CoveredBy, m)
			}
			view.Ratings = append(view.Ratings, rating)
		}
		for _, rep := range g.Telling(texts) {
			view.Representative = append(view.Representative, telling(rep))
		}
		for _, p := range q.Participants {
			if p.Group == g.Group {
				view.Responses = append(view.Responses, wrote[p.ID]...)
			}
		}
		page.Groups = append(page.Groups, view)
	}
	for _, rep := range append(slices.Clone(q.Consensus.Agree), q.Consensus.Disagree...) {
		page.Consensus = append(page.Consensus, telling(rep))
	}
	page.Statements = votedLines(q.Result, known)
}

// wordsOf are the words of a statement; who withdrew has taken theirs along.
func wordsOf(known map[string]study.Statement, id string) string {
	if st, ok := known[id]; ok {
		return st.Text
	}
	return "(withdrawn)"
}

// votedLines lists the statements with the votes of each group, those first on
// which the groups are farthest apart.
func votedLines(r *cluster.Result, known map[string]study.Statement) []pages.VotedLine {
	byGroup := make([]map[string]cluster.Tally, len(r.Groups))
	for g, group := range r.Groups {
		byGroup[g] = map[string]cluster.Tally{}
		for _, t := range group.Votes {
			byGroup[g][t.Statement] = t.Tally
		}
	}
	type line struct {
		pages.VotedLine
		apart float64
	}
	var lines []line
	for _, st := range r.Statements {
		if st.Votes() == 0 {
			continue
		}
		l := line{VotedLine: pages.VotedLine{
			ID: st.ID, Text: wordsOf(known, st.ID), Rejected: known[st.ID].State == study.StatementRejected, Seed: known[st.ID].Seed,
			Excluded: st.Excluded, Votes: st.Votes(), Consensus: decimals(st.Consensus),
		}}
		low, high := 1.0, 0.0
		for g := range r.Groups {
			t := byGroup[g][st.ID]
			n := t.Votes()
			v := pages.GroupVotes{N: n}
			if n > 0 {
				share := func(k int) int { return int(math.Round(100 * float64(k) / float64(n))) }
				v.Agree, v.Disagree = share(t.Agree), share(t.Disagree)
				v.Neutral = max(0, 100-v.Agree-v.Disagree)
				// As if two more had voted, one each way: few votes say little.
				p := float64(t.Agree+1) / float64(n+2)
				low, high = math.Min(low, p), math.Max(high, p)
			}
			l.Groups = append(l.Groups, v)
		}
		l.apart = math.Max(0, high-low)
		l.Apart = decimals(score.Number(l.apart))
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(a, b line) int { return -cmp.Compare(a.apart, b.apart) })
	views := make([]pages.VotedLine, len(lines))
	for i, l := range lines {
		views[i] = l.VotedLine
	}
	return views
}

// doubts tells how sure the groups of a question are.
func doubts(r *cluster.Result) []templates.Fact {
	facts := []templates.Fact{{Name: "Groups", Value: strconv.Itoa(r.K)}, {Name: "Mean silhouette", Value: silhouette(r)}}
	if s := r.Separation; s != nil {
		facts = append(facts, templates.Fact{Name: "More structure than by chance",
			Value: fmt.Sprintf("p = %s over %d shuffles of the votes", decimals(s.P), s.Shuffles)})
	}
	if s := r.Stability; s != nil {
		facts = append(facts,
			templates.Fact{Name: "Stability (adjusted Rand index)", Value: fmt.Sprintf("%s with 80 %% of the statements, %s with 80 %% of the people, %s with other seeds",
				decimals(s.Statements), decimals(s.Participants), decimals(s.Seeds))},
			templates.Fact{Name: "Reliability of a person's place", Value: decimals(s.Reliability)})
	}
	return facts
}

// reasons counts who was left out, by reason.
func reasons(left []cluster.LeftOut) (lines []templates.OutcomeLine) {
	for _, l := range left {
		i := slices.IndexFunc(lines, func(o templates.OutcomeLine) bool { return o.Name == l.Reason })
		if i < 0 {
			i = len(lines)
			lines = append(lines, templates.OutcomeLine{Name: l.Reason})
		}
		lines[i].N++
	}
	return lines
}

func sizes(groups []cluster.Group) string {
	if len(groups) == 0 {
		return "none"
	}
	var all []string
	for _, g := range groups {
		all = append(all, strconv.Itoa(g.Size))
	}
	return strings.Join(all, " + ")
}

// covered tells how many of a question's groups are covered.
func covered(flags []int) string {
	if flags == nil {
		return "–"
	}
	n := 0
	for _, f := range flags {
		n += f
	}
	return fmt.Sprintf("%d/%d", n, len(flags))
}

func silhouette(r *cluster.Result) string {
	if v, ok := r.Silhouette[r.K]; ok {
		return decimals(v)
	}
	return "–"
}

// decimals writes a number for people; a dash where it is undefined.
func decimals[N ~float64](n N) string {
	x := float64(n)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	text := strconv.FormatFloat(math.Abs(x), 'f', 2, 64)
	if x < 0 && text != "0.00" {
		return "−" + text
	}
	return text
}

func interval(i score.Interval) string {
	if !i.Defined() {
		return "–"
	}
	return decimals(i.Low) + " to " + decimals(i.High)
}

// difference tells a model's distance from the mean of all models.
func difference(d score.Difference) string {
	if !d.Estimate.Defined() || !d.PT.Defined() {
		return decimals(d.Estimate)
	}
	sign := ""
	if d.Estimate > 0 {
		sign = "+"
	}
	p := "p " + decimals(d.PT)
	if d.PT < 0.005 {
		p = "p < 0.01"
	}
	return fmt.Sprintf("%s%s (%s)", sign, decimals(d.Estimate), p)
}

func percent[N ~float64](n N) string { return fmt.Sprintf("%.0f %%", 100*float64(n)) }
