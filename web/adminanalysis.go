package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/cluster"
	"overton/internal/figure"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/study"
	"overton/internal/window"
	"overton/templates"
)

// analyses runs analyses outside of requests, one at a time, since each takes
// all cores. The zero value is ready.
type analyses struct {
	turn sync.Mutex // held by the one that computes

	mu   sync.Mutex
	jobs map[int64]*job // the latest of each study since the start of the program
}

// job is one analysis, running or ended. Its fields belong to analyses.mu.
type job struct {
	since    time.Time
	computes bool // else it waits for its turn
	done, of int
	ended    bool
	failed   string
}

// of returns what is known of a study's latest job.
func (a *analyses) of(studyID int64) (j job, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.jobs[studyID]; p != nil {
		return *p, true
	}
	return j, false
}

// begin returns a new job, or nil while one of the study is running.
func (a *analyses) begin(studyID int64, now time.Time, steps int) *job {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.jobs[studyID]; p != nil && !p.ended {
		return nil
	}
	if a.jobs == nil {
		a.jobs = map[int64]*job{}
	}
	j := &job{since: now, of: steps}
	a.jobs[studyID] = j
	return j
}

// change changes a job.
func (a *analyses) change(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
}

// analyse starts an analysis and goes to the page that shows how it stands.
func (s *site) analyse(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	o := window.DefaultOptions()
	if j := s.analyses.begin(h.row.ID, s.Now(), o.Steps(len(h.Questions.Questions))); j != nil {
		if err := s.Store.Note(c.Request().Context(), actorOf(c), h.row.ID, "analysis started", ""); err != nil {
			s.analyses.change(func() { j.ended = true })
			return err
		}
		go s.compute(s.life, h, j, o)
	}
	return s.to(c, h.adminPath("/analysis"))
}

// compute carries out a job and records its result.
func (s *site) compute(ctx context.Context, h *hosted, j *job, o window.Options) {
	s.analyses.turn.Lock()
	defer s.analyses.turn.Unlock()
	s.analyses.change(func() { j.since, j.computes = s.Now(), true })
	err := func() error {
		data, err := window.Collect(ctx, s.Store, h.row, h.Study, o.People, o.Questions)
		if err != nil {
			return err
		}
		result, err := window.Analyse(ctx, h.Study, data, o, func() { s.analyses.change(func() { j.done++ }) })
		if err != nil {
			return err
		}
		return window.Record(ctx, s.Store, h.row, result)
	}()
	if err != nil {
		s.Log.Error("analysis failed", "study", h.row.ID, "error", err)
	}
	s.analyses.change(func() {
		if j.ended = true; err != nil {
			j.failed = "The server's log has the cause."
		}
	})
}

// analysis shows the latest analysis of a study.
func (s *site) analysis(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	frame, err := s.adminStudyFrame(c, h, "Analysis", "/analysis")
	if err != nil {
		return err
	}
	page := templates.AnalysisPage{Admin: frame}
	if adminRoles[frame.Role] >= researcher {
		page.Post = s.base + h.adminPath("/analysis")
	}
	if j, known := s.analyses.of(h.row.ID); known {
		page.Failed = j.failed
		if !j.ended {
			page.Running = &templates.RunningAnalysis{Since: momentOf(j.since), Done: j.done, Of: j.of, WaitsForIt: !j.computes}
		}
	}
	result, run, err := window.Latest(c.Request().Context(), s.Store, h.row)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return err
	default:
		page.Made = moment(run.CreatedAt)
		fillAnalysis(&page, h, result)
	}
	return s.show(c, http.StatusOK, templates.Analysis(page))
}

// fillAnalysis words a result.
func fillAnalysis(page *templates.AnalysisPage, h *hosted, r *window.Result) {
	page.Virtual = r.People.Virtual
	page.People = counted(r.People.Complete, "person who finished", "people who finished")
	other := "virtual participants who finished"
	if r.People.Virtual {
		page.People = counted(r.People.Complete, "virtual participant who finished", "virtual participants who finished")
		other = "people who finished"
	}
	page.LeftOut = leftOut(r, other)
	page.Facts = []templates.Fact{
		{Name: "Method", Value: fmt.Sprintf("%s; groups chosen among 1 to %d; at least %d votes to be grouped", r.Parameters.Cluster.Method, r.Parameters.Cluster.KMax, r.Parameters.Cluster.MinVotes)},
		{Name: "Score", Value: fmt.Sprintf("a group is covered from a mean rating of %g on; a group without ratings: %s", r.Parameters.Score.Tau, r.Parameters.Score.Missing)},
		{Name: "Intervals", Value: fmt.Sprintf("%d resamples of questions, %d of people in which groups are found anew", r.Parameters.Score.Bootstrap, r.Parameters.Regroupings)},
		{Name: "Seed", Value: strconv.FormatUint(r.Parameters.Cluster.Seed, 10)},
		{Name: "Program", Value: r.Program.Name + " " + r.Program.Version},
		{Name: "Hash of the input", Value: r.Input.SHA256, Code: true},
		{Name: "Hash of the study", Value: r.Study.Hash, Code: true},
	}
	scored := map[string]score.Question{}
	if r.Score != nil {
		page.Score = true
		for _, q := range r.Score.Questions {
			scored[q.Question] = q
		}
		fillScore(page, r.Score)
	}
	for _, q := range r.Questions {
		line := templates.WindowLine{
			ID: q.Question, Text: shorten(q.Text, 120), Path: h.questionPath(q.Question), People: len(q.Participants),
			Sizes: sizes(q.Groups), Silhouette: silhouette(q.Result), Stability: "–", LeftOut: len(q.LeftOut), Warnings: len(q.Warnings),
		}
		for _, st := range q.Statements {
			line.Votes += st.Votes()
		}
		if q.Stability != nil {
			line.Stability = decimals(q.Stability.Statements)
		}
		if sq, ok := scored[q.Question]; ok {
			for _, m := range page.Models {
				line.Coverage = append(line.Coverage, covered(sq.Covered[m]))
			}
		}
		page.Windows = append(page.Windows, line)
	}
}

func fillScore(page *templates.AnalysisPage, o *score.Overton) {
	board := slices.Clone(o.Models) // in the order of the figure
	slices.SortStableFunc(board, func(a, b score.ModelScore) int { return -cmp.Compare(a.Adjusted, b.Adjusted) })
	for _, m := range board {
		line := templates.BoardLine{
			Model: m.Model, Questions: m.Questions,
			Raw: decimals(m.Raw), RawQuestions: interval(m.Intervals.Questions.Raw),
			Weighted: decimals(m.Weighted), WeightedQuestions: interval(m.Intervals.Questions.Weighted),
			Adjusted: decimals(m.Adjusted), AdjustedWeighted: decimals(m.AdjustedWeighted), Difference: difference(m.Difference),
		}
		if m.Intervals.Both != nil {
			page.Both = true
			line.RawBoth = interval(m.Intervals.Both.Raw)
		}
		page.Board = append(page.Board, line)
		page.Models = append(page.Models, m.Model)
	}
	ref := o.Reference
	page.Reference = []templates.ReferenceLine{
		{Name: "All models together", Raw: decimals(ref.BestAcross), Weighted: decimals(ref.BestAcrossWeighted), Explanation: "groups that at least one model covers"},
		{Name: "Best model of each question", Raw: decimals(ref.BestAcrossMax), Weighted: decimals(ref.BestAcrossMaxWeighted), Explanation: "mean of each question's best coverage"},
		{Name: "A single view", Raw: decimals(ref.SingleView), Weighted: decimals(ref.SingleViewWeighted), Explanation: "an answer that covers one group of each question; weighted: the largest"},
	}
	page.Figures = []templates.Drawing{drawing(func(width float64) *figure.Figure { return figure.Leaderboard(o, width) })}
}

// drawing draws a figure for telephones and for desks.
func drawing(draw func(width float64) *figure.Figure) templates.Drawing {
	return templates.Drawing{Narrow: string(draw(figure.Narrow).SVG()), Wide: string(draw(figure.Wide).SVG())}
}

// leftOut says what an analysis did not take.
func leftOut(r *window.Result, other string) (lines []string) {
	line := func(n int, what string) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf("%d %s", n, what))
		}
	}
	if r.People.Incomplete > 0 {
		lines = append(lines, counted(r.People.Incomplete, "submission that is not complete", "submissions that are not complete"))
	}
	line(r.People.OtherKind, other)
	if r.Score == nil {
		return lines
	}
	o := r.Score.LeftOut
	line(o.ParticipantsWithoutGroup, "times somebody who was not grouped on a question")
	line(o.RatingsWithoutGroup, "ratings by people who were not grouped")
	line(o.RatingsWithoutValue, "ratings without a value")
	line(o.GroupsWithoutRatings, "times a group that gave a model no rating")
	if n := len(o.QuestionsWithoutGroups); n > 0 {
		lines = append(lines, fmt.Sprintf("%d questions without groups: %s", n, strings.Join(o.QuestionsWithoutGroups, ", ")))
	}
	return lines
}

// question shows the window of one question.
func (s *site) question(c echo.Context) error {
	ctx := c.Request().Context()
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	q, ok := h.Questions.Question(c.Param("*"))
	if !ok {
		return &refusal{status: http.StatusNotFound, name: "not_found"}
	}
	frame, err := s.adminStudyFrame(c, h, "Question "+q.ID, "/analysis")
	if err != nil {
		return err
	}
	page := templates.WindowPage{Admin: frame, ID: q.ID, Question: q.Text, Option1: q.Option1, Option2: q.Option2, Back: s.base + h.adminPath("/analysis")}
	result, _, err := window.Latest(ctx, s.Store, h.row)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil {
		statements, err := s.Store.Statements(ctx, h.row.ID)
		if err != nil {
			return err
		}
		fillWindow(&page, result, statements)
	}
	return s.show(c, http.StatusOK, templates.Window(page))
}

// fillWindow words the window of the page's question.
func fillWindow(page *templates.WindowPage, r *window.Result, statements []study.Statement) {
	i := slices.IndexFunc(r.Questions, func(q window.Question) bool { return q.Question == page.ID })
	if i < 0 {
		return
	}
	q := r.Questions[i]
	page.Analysed, page.Virtual = true, r.People.Virtual
	for _, w := range q.Warnings {
		page.Warnings = append(page.Warnings, sentence(w))
	}
	texts, wrote := map[string]string{}, map[string][]templates.FreeResponse{}
	for _, st := range statements {
		texts[st.ID] = st.Text
		if st.Question == page.ID && st.Author != "" && st.State != study.StatementReplaced {
			wrote[st.Author] = append(wrote[st.Author], templates.FreeResponse{Text: st.Text, Rejected: st.State == study.StatementRejected})
		}
	}
	page.Map = drawing(func(width float64) *figure.Figure { return figure.WindowMap(page.ID, q.Result, texts, width) })
	page.Facts = doubts(q.Result)
	page.LeftOut = reasons(q.LeftOut)

	var scored score.Question
	if r.Score != nil {
		for _, sq := range r.Score.Questions {
			if sq.Question == page.ID {
				scored = sq
			}
		}
		for _, m := range r.Score.Models {
			if scored.Covered[m.Model] != nil {
				page.Models = append(page.Models, m.Model)
			}
		}
	}
	for _, g := range q.Groups {
		view := templates.GroupView{Number: g.Group, Size: g.Size, Share: percent(g.Share)}
		at := slices.IndexFunc(scored.Groups, func(sg score.Group) bool { return sg.Group == strconv.Itoa(g.Group) })
		for _, m := range page.Models {
			rating := templates.GroupRating{Mean: "–"}
			if at >= 0 {
				rating = templates.GroupRating{Mean: decimals(scored.Mean[m][at]), Covered: scored.Covered[m][at] == 1}
			}
			view.Ratings = append(view.Ratings, rating)
		}
		for _, rep := range g.Telling(texts) {
			view.Representative = append(view.Representative, templates.RepresentativeLine{
				Text: texts[rep.Statement], Direction: rep.Direction, Count: rep.Count, Votes: rep.Votes,
				Probability: decimals(rep.Probability), Ratio: decimals(rep.Ratio),
			})
		}
		for _, p := range q.Participants {
			if p.Group == g.Group {
				view.Responses = append(view.Responses, wrote[p.ID]...)
			}
		}
		page.Groups = append(page.Groups, view)
	}
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

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
