package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
	pages "overton/templates/watch"
	"overton/web/site"
)

const livePath = "/admin/studies/:slug/live"

const (
	mostQuestions   = 20  // that a monitor shows; those furthest behind
	mostFlagged     = 10  // that a monitor shows; the newest
	questionsAPage  = 100 // of the list of all
	submissionsPage = 50
)

// fewSpace is how much free space makes somebody look, in bytes.
const fewSpace = 1 << 30

// monitor shows where a study stands.
func (s *Room) monitor(c echo.Context, h *site.Hosted) error {
	if h.Row.Status == store.Draft { // nobody is there to watch
		return s.To(c, h.AdminPath("/setup"))
	}
	frame, err := s.AdminStudyFrame(c, h, "Monitor", "")
	if err != nil {
		return err
	}
	page := pages.MonitorPage{
		Admin: frame, Status: string(h.Row.Status), Link: s.ArrivalLink(c.Request(), h), Facts: h.Facts(), Change: h.Href("/status"),
	}
	if site.Allows(frame.Role, site.Researcher) {
		page.Codes = codes(h)
	}
	if site.Allows(frame.Role, site.Admin) {
		page.Changes = site.Changes[h.Row.Status]
	}
	page.Live = h.Href("/live")
	st, ok, err := s.standing(c.Request().Context(), h, 0)
	if err != nil {
		return err
	}
	if ok {
		if err := s.fill(c.Request().Context(), h, st, &page); err != nil {
			return err
		}
		page.Reward = rewardForm(st.people.Reward)
		if site.Allows(frame.Role, site.Researcher) {
			page.Reward.Post = h.Href("/reward")
		}
	}
	return s.Show(c, http.StatusOK, pages.Monitor(page))
}

// liveMonitor sends what changes on a monitor.
func (s *Room) liveMonitor(c echo.Context, h *site.Hosted) error {
	if h.Row.Status == store.Draft {
		return &site.Refusal{Status: http.StatusNotFound, Name: "not_found"}
	}
	frame := templates.Admin{Frame: templates.Frame{Base: s.Base}, Role: site.AccountOf(c).Role}
	var shown *standing
	return s.stream(c, func() (map[string]templ.Component, error) {
		st, ok, err := s.standing(c.Request().Context(), h, liveEvery)
		if err != nil || !ok || st == shown {
			return nil, err
		}
		page := pages.MonitorPage{Admin: frame}
		if err := s.fill(c.Request().Context(), h, st, &page); err != nil {
			return nil, err
		}
		shown = st
		parts := map[string]templ.Component{}
		for _, part := range pages.MonitorParts(page) {
			parts[part.ID] = part.Content
		}
		return parts, nil
	})
}

// fill puts where a study stands into its monitor.
func (s *Room) fill(ctx context.Context, h *site.Hosted, st *standing, page *pages.MonitorPage) error {
	row, err := s.Store.Study(ctx, h.Row.Slug) // its status may have changed since
	if err != nil {
		return err
	}
	page.Now = site.MomentOf(st.now)
	mayList := site.Allows(page.Role, site.Researcher)
	page.People = counts(h, &st.people, mayList)
	page.Virtual = nil
	if st.virtual.Arrived > 0 {
		v := counts(h, &st.virtual, mayList)
		v.Virtual, v.Places = true, nil
		page.Virtual = &v
	}
	mode, err := s.Store.ModerationMode(ctx, &h.Study.Study, h.Row.ID)
	if err != nil {
		return err
	}
	page.Alarms = nil
	if free, err := s.Store.Space(); err == nil && free < fewSpace {
		page.Alarms = append(page.Alarms, pages.AlarmLine{Grave: true,
			What: fmt.Sprintf("The server's disk has only %d MB left", free>>20),
			Do:   "When it is full no answer can be saved. Make room on it, or pause the study until somebody has."})
	}
	if row.Status == store.Running && row.ID == h.Row.ID {
		people := &st.people
		for _, a := range h.Alarms(study.Watch{
			Summary: people.Summary, Places: h.Places(), Pending: pending(people.coverage), OldestPending: people.OldestPending, Before: mode == study.ModerationBefore,
			Reward: people.Reward.Amount, Currency: people.Reward.Currency, Launched: time.UnixMilli(row.LaunchedAt), Now: st.now,
		}) {
			page.Alarms = append(page.Alarms, alarm(h, a))
		}
	}
	return nil
}

func pending(coverage []study.Coverage) (n int) {
	for _, c := range coverage {
		n += c.Pending
	}
	return n
}

// alarm words an alarm: what is the matter, and what to do.
func alarm(h *site.Hosted, a study.Alarm) pages.AlarmLine {
	say := func(grave bool, what, do string) pages.AlarmLine {
		return pages.AlarmLine{What: what, Do: do, Grave: grave}
	}
	of := fmt.Sprintf("%d of %d", a.N, a.Of)
	switch a.Kind {
	case study.AlarmFilled:
		return say(true, "Every place is filled, and people can still come in",
			"Whoever comes now is sent back as over quota and has to be paid for it or return. Stop the study at the recruiter, then close it here.")
	case study.AlarmNoPlaces:
		return say(true, "All places are taken for now",
			fmt.Sprintf("%d people hold the places that are not filled yet. Whoever comes meanwhile is asked to try again later. Pause the study at the recruiter until some have finished, or until places come free after %d minutes without an answer.", a.N, h.Recruitment.ReservationMinutes))
	case study.AlarmNoCode:
		return say(true, fmt.Sprintf("%d people ended without a completion code (%s)", a.N, strings.ToLower(outcomeName(a.Outcome))),
			"The study names no code for this outcome, so they cannot be sent back. Tell them at the recruiter what to do; a next version of the study can name a code.")
	case study.AlarmQueue:
		line := say(true, fmt.Sprintf("%d statements have been waiting for moderation, the oldest for %s", a.N, howLong(a.Time)),
			fmt.Sprintf("%d people are on the way and have less to vote on until somebody looks.", a.Of))
		line.Link, line.To = "Look now", h.AdminPath("/moderation")
		return line
	case study.AlarmCellsFull:
		return say(false, of+" people who ended within a day were over quota",
			"The recruiter sends people whose cells are full. Narrow its screening to the cells that still have places, or pause it.")
	case study.AlarmTimedOut:
		return say(false, of+" people who ended within a day got lost on the way",
			"They left without a word, came back too late, or came back with another submission. Look below where they leave; a page may be broken or too long for its pay.")
	case study.AlarmNoConsent:
		return say(false, of+" people who ended within a day did not consent",
			"Read the consent text as somebody who comes by chance: something in it may put people off.")
	case study.AlarmChecks:
		return say(false, of+" people who ended within a day failed the checks",
			"If that many fail, a check may be unclear or on a page that hides it. Walk the study yourself before anybody is rejected.")
	case study.AlarmSlow:
		return say(false, fmt.Sprintf("It takes %s, and people are told %d minutes", howLong(a.Time), h.Recruitment.Minutes),
			"Raise the reward at the recruiter so that the pay an hour is what people were promised, and correct the estimate there.")
	case study.AlarmPay:
		return say(true, fmt.Sprintf("People earn %.2f %s an hour, less than the %.2f that Prolific asks for", a.Pay, a.Currency, a.Least),
			"Raise the reward, or pay the difference as a bonus.")
	case study.AlarmQuiet:
		return say(false, fmt.Sprintf("Nobody has come for %s", howLong(a.Time)),
			"Look whether the study is active at the recruiter, and whether its link is the one below.")
	}
	return pages.AlarmLine{What: string(a.Kind)}
}

func outcomeName(o study.Outcome) string {
	for _, name := range site.OutcomeNames {
		if name.Outcome == o {
			return name.Name
		}
	}
	return string(o)
}

func codes(h *site.Hosted) []pages.CodeLine {
	var lines []pages.CodeLine
	for _, o := range site.OutcomeNames[:5] {
		lines = append(lines, pages.CodeLine{Outcome: o.Name, Code: h.Recruitment.Code(o.Outcome)})
	}
	return lines
}

var pageNames = map[study.StepKind]string{
	study.StepConsent: "Consent", study.StepSurvey: "Survey", study.StepInstructions: "Instructions", study.StepView: "Own view",
	study.StepRating: "Rating", study.StepVote: "Vote", study.StepCheck: "Check", study.StepFeedback: "Feedback", study.StepEnd: "End",
}

// stageName names a part of the flow.
func stageName(h *site.Hosted, stage study.Stage) string {
	if stage.Kind == study.StepSurvey {
		if title := h.Instruments[h.Flow[stage.Block].Survey.Instrument].Title; title != "" {
			return "Survey: " + title
		}
		return "Survey: " + h.Flow[stage.Block].Survey.Instrument
	}
	if stage.Slot < 0 {
		return pageNames[stage.Kind]
	}
	part := map[study.StepKind]string{study.StepView: "own view", study.StepRating: "ratings", study.StepVote: "votes", study.StepCheck: "check"}[stage.Kind]
	return fmt.Sprintf("Question %d: %s", stage.Slot+1, part)
}

// counts words a sample.
func counts(h *site.Hosted, m *sample, mayList bool) pages.Counts {
	c := pages.Counts{Arrived: m.Arrived}
	c.Figures = []pages.Figure{
		{Name: "Arrived", Value: m.Arrived}, {Name: "Consented", Value: m.Consented}, {Name: "In progress", Value: m.InProgress},
		{Name: "Complete", Value: m.Outcomes[study.Completed]}, {Name: "Left on the way", Value: m.Left},
	}
	if m.Withdrawn > 0 {
		c.Figures = append(c.Figures, pages.Figure{Name: "Withdrew, and is gone", Value: m.Withdrawn})
	}
	if of := h.Places(); of > 0 {
		filled := min(of, m.Outcomes[study.Completed])
		reserved := min(of-filled, m.InProgress)
		c.Places = &pages.Places{Filled: filled, Reserved: reserved, Open: of - filled - reserved, Of: of}
	}
	for _, o := range site.OutcomeNames {
		if n := m.Outcomes[o.Outcome]; n > 0 {
			c.Outcomes = append(c.Outcomes, templates.OutcomeLine{Name: o.Name, N: n})
		}
	}
	if m.Arrived > 0 {
		for _, stage := range m.Stages {
			c.Stages = append(c.Stages, pages.StageLine{Name: stageName(h, stage.Stage), Within: stage.Slot >= 0, Reached: stage.Reached, Here: stage.Here, Left: stage.Left, Ended: stage.Ended,
				Share: fmt.Sprintf("%d %%", int(math.Round(100*float64(stage.Reached)/float64(m.Arrived))))})
		}
	}
	for _, t := range m.Times {
		c.Times = append(c.Times, timeLine(pageNames[t.Kind], t))
	}
	c.Total = timeLine("The whole study", m.Total)
	if pay := study.HourlyPay(m.Reward.Amount, m.Total.Median); pay > 0 {
		c.Pay = fmt.Sprintf("%.2f %s", pay, m.Reward.Currency)
		if least := study.LeastPay(m.Reward.Currency); least > 0 {
			c.Wanted = fmt.Sprintf("%.2f", least)
			c.PayLow = pay < least
		}
	}
	lines := questionLines(h, m)
	slices.SortStableFunc(lines, furthestBehind)
	if len(lines) > mostQuestions+5 {
		c.More, c.All = len(lines)-mostQuestions, h.AdminPath("/progress")
		lines = lines[:mostQuestions]
	} else {
		lines = questionLines(h, m)
	}
	c.Questions = lines
	for _, cell := range m.Cells {
		c.Cells = append(c.Cells, pages.CellLine{Variable: cell.Key.Subject, Value: cell.Value, Done: cell.Done, Live: cell.Live, Target: cell.Target})
	}
	c.Flaggeds = len(m.Flagged)
	for _, kind := range study.FlagKinds {
		line := pages.FlagLine{Name: flagWords[kind].name, Why: flagWords[kind].why, N: m.Flags[kind]}
		if mayList {
			line.To = h.AdminPath("/submissions?flag=" + string(kind))
		}
		c.Flags = append(c.Flags, line)
	}
	if mayList {
		c.List = h.AdminPath("/submissions")
		for _, t := range m.Flagged[:min(mostFlagged, len(m.Flagged))] {
			c.Flagged = append(c.Flagged, submissionLine(h, &t))
		}
	}
	return c
}

// questionLines words how far each question is, in the order of the set.
func questionLines(h *site.Hosted, m *sample) []pages.QuestionLine {
	o := h.Overton()
	if o == nil {
		return nil
	}
	lines := make([]pages.QuestionLine, len(m.Questions))
	for i, q := range m.Questions {
		v := m.coverage[i]
		lines[i] = pages.QuestionLine{
			ID: q.Question, Text: site.Shorten(h.Questions.Questions[i].Text, 120), Done: q.Done, Target: o.ParticipantsPerQuestion, Live: q.Live,
			Statements: v.Statements, Pending: v.Pending, Rejected: v.Rejected, Votes: v.Votes, FewestVotes: v.Fewest, Below: v.Below,
			MedianVotes: strconv.FormatFloat(v.Median, 'f', -1, 64),
		}
	}
	return lines
}

func furthestBehind(a, b pages.QuestionLine) int {
	return cmp.Or(cmp.Compare(a.Done, b.Done), cmp.Compare(a.Live, b.Live))
}

// flagWords say what each flag is called and what it rests on.
var flagWords = map[study.FlagKind]struct{ name, why string }{
	study.FlagFast:    {"Too fast", "At least half of the model responses were rated sooner than they can be read, at 600 words a minute."},
	study.FlagRatings: {"Same rating each time", "All model responses got the same rating, and there were at least six."},
	study.FlagVotes:   {"Same vote each time", "All statements got the same vote, or all were skipped, and there were at least eight."},
	study.FlagChecks:  {"Failed a check", "At least one check was answered against its instruction."},
	study.FlagEmpty:   {"Empty free response", "A free response says nothing: no words, one letter over and over, keys beside each other, or something like “idk”."},
	study.FlagCopied:  {"Copied free response", "At least half of a free response is copied from the question or a model response, or it is the same for two questions."},
}

func timeLine(name string, t study.Spread) pages.TimeLine {
	return pages.TimeLine{Name: name, N: t.N, P10: howLong(t.P10), Median: howLong(t.Median), P90: howLong(t.P90)}
}

// howLong writes how long something took, as exactly as it matters.
func howLong(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 100*time.Minute:
		return fmt.Sprintf("%.1f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

var currencies = []string{"GBP", "USD", "EUR"}

func rewardForm(r store.Reward) pages.RewardForm {
	f := pages.RewardForm{Currency: r.Currency, Currencies: currencies}
	if r.Amount > 0 {
		f.Amount = strconv.FormatFloat(r.Amount, 'f', 2, 64)
	}
	return f
}

// setReward notes what people are paid.
func (s *Room) setReward(c echo.Context, h *site.Hosted) error {
	var amount float64
	var err error
	if typed := strings.ReplaceAll(strings.TrimSpace(c.FormValue("amount")), ",", "."); typed != "" {
		amount, err = strconv.ParseFloat(typed, 64)
	}
	currency := c.FormValue("currency")
	if err != nil || !(amount >= 0 && amount < 10_000) || !slices.Contains(currencies, currency) {
		return &site.Refusal{Status: http.StatusUnprocessableEntity, Name: "reward", Try: h.AdminPath("")}
	}
	if err := s.Store.SetReward(c.Request().Context(), h.Row.ID, store.Reward{Amount: amount, Currency: currency}, site.ActorOf(c)); err != nil {
		return err
	}
	return s.To(c, h.AdminPath(""))
}

// allQuestions lists all questions.
func (s *Room) allQuestions(c echo.Context, h *site.Hosted) error {
	frame, err := s.AdminStudyFrame(c, h, "All questions", "")
	if err != nil {
		return err
	}
	page := pages.AllQuestionsPage{Admin: frame, Back: h.AdminPath(""), Sort: c.QueryParam("sort"), Text: c.QueryParam("q")}
	st, ok, err := s.standing(c.Request().Context(), h, 0)
	if err != nil {
		return err
	}
	if page.Ready = ok; !ok {
		return s.Show(c, http.StatusOK, pages.AllQuestions(page))
	}
	lines := questionLines(h, &st.people)
	if words := strings.ToLower(strings.TrimSpace(page.Text)); words != "" {
		lines = slices.DeleteFunc(lines, func(l pages.QuestionLine) bool {
			q, _ := h.Questions.Question(l.ID)
			return l.ID != page.Text && !strings.Contains(strings.ToLower(q.Text), words)
		})
	}
	switch page.Sort {
	case "votes":
		slices.SortStableFunc(lines, func(a, b pages.QuestionLine) int { return cmp.Compare(b.Below, a.Below) })
	case "waiting":
		slices.SortStableFunc(lines, func(a, b pages.QuestionLine) int { return cmp.Compare(b.Pending, a.Pending) })
	case "file":
	default:
		page.Sort = "behind"
		slices.SortStableFunc(lines, furthestBehind)
	}
	page.Questions, page.Pages = cut(c, h.AdminPath("/progress"), lines, questionsAPage)
	return s.Show(c, http.StatusOK, pages.AllQuestions(page))
}

// cut takes the part of a list that the query's page asks for.
func cut[T any](c echo.Context, path string, all []T, size int) ([]T, pages.Pages) {
	pages := listPages(c, path, len(all), size)
	if len(all) == 0 {
		return nil, pages
	}
	return all[pages.From-1 : pages.To], pages
}

// listPages leads through a list of n, size at a time, and keeps the rest of
// the query.
func listPages(c echo.Context, path string, n, size int) pages.Pages {
	page, err := strconv.Atoi(c.QueryParam("page"))
	if last := max(1, (n+size-1)/size); err != nil || page < 1 {
		page = 1
	} else {
		page = min(page, last)
	}
	at := func(number int) string {
		query := url.Values{}
		for name, values := range c.QueryParams() {
			query[name] = values
		}
		query.Set("page", strconv.Itoa(number))
		return path + "?" + query.Encode()
	}
	p := pages.Pages{Of: n, From: min(n, (page-1)*size+1), To: min(n, page*size)}
	if page > 1 {
		p.Before = at(page - 1)
	}
	if p.To < n {
		p.Next = at(page + 1)
	}
	return p
}

// submissionLine words one submission of a list.
func submissionLine(h *site.Hosted, t *study.Trace) pages.SubmissionLine {
	line := pages.SubmissionLine{Pseudonym: t.Pseudonym, To: submissionPath(h, t.Pseudonym), Virtual: t.Virtual, Started: site.MomentOf(t.Started), Outcome: outcomeName(t.Outcome)}
	end := t.Ended
	if t.Outcome == study.InProgress {
		end = t.Last
		if line.Outcome = "Left"; t.Live {
			line.Outcome = "In progress"
		}
	}
	if t.Outcome != study.Completed {
		line.Where = "at " + stageName(h, t.Stage)
	}
	line.Took = howLong(end.Sub(t.Started))
	for _, f := range t.Flags {
		line.Flags = append(line.Flags, flagWords[f.Kind].name)
	}
	return line
}

func submissionPath(h *site.Hosted, pseudonym string) string {
	return h.AdminPath("/submissions/" + url.PathEscape(pseudonym))
}

// submissions lists submissions, the newest first.
func (s *Room) submissions(c echo.Context, h *site.Hosted) error {
	frame, err := s.AdminStudyFrame(c, h, "Submissions", "")
	if err != nil {
		return err
	}
	outcome, flag, people, find := c.QueryParam("outcome"), c.QueryParam("flag"), c.QueryParam("people"), strings.ToLower(strings.TrimSpace(c.QueryParam("find")))
	page := pages.SubmissionsPage{Admin: frame, Find: find, Action: h.Href("/submissions")}
	option := func(list *[]pages.Choosable, chosen, value, name string) {
		*list = append(*list, pages.Choosable{Value: value, Name: name, Chosen: value == chosen})
	}
	option(&page.Outcomes, outcome, "", "All")
	option(&page.Outcomes, outcome, "in_progress", "In progress")
	option(&page.Outcomes, outcome, "left", "Left")
	for _, o := range site.OutcomeNames[:len(site.OutcomeNames)-1] { // of those who withdrew nothing is left
		option(&page.Outcomes, outcome, string(o.Outcome), o.Name)
	}
	option(&page.Flags, flag, "", "With or without")
	option(&page.Flags, flag, "any", "Any flag")
	for _, kind := range study.FlagKinds {
		option(&page.Flags, flag, string(kind), flagWords[kind].name)
	}
	option(&page.People, people, "", "People")
	option(&page.People, people, "virtual", "Virtual participants")

	st, ok, err := s.standing(c.Request().Context(), h, 0)
	if err != nil {
		return err
	}
	if page.Ready = ok; !ok {
		return s.Show(c, http.StatusOK, pages.Submissions(page))
	}
	var found []*study.Trace
	for _, t := range slices.Backward(st.traces) {
		flagged := slices.ContainsFunc(t.Flags, func(f study.Flag) bool { return flag == "any" || string(f.Kind) == flag })
		fits := t.Virtual == (people == "virtual") && (flag == "" || flagged) && strings.Contains(t.Pseudonym, find)
		switch outcome {
		case "":
		case "in_progress":
			fits = fits && t.Outcome == study.InProgress && t.Live
		case "left":
			fits = fits && t.Outcome == study.InProgress && !t.Live
		default:
			fits = fits && string(t.Outcome) == outcome
		}
		if fits {
			found = append(found, t)
		}
	}
	found, page.Pages = cut(c, h.AdminPath("/submissions"), found, submissionsPage)
	for _, t := range found {
		page.Submissions = append(page.Submissions, submissionLine(h, t))
	}
	return s.Show(c, http.StatusOK, pages.Submissions(page))
}

// submission shows what one participant did.
func (s *Room) submission(c echo.Context, h *site.Hosted) error {
	ctx := c.Request().Context()
	pseudonym := c.Param("pseudonym")
	records, err := s.Store.Record(ctx, h.Row.ID, pseudonym)
	if errors.Is(err, store.ErrNotFound) {
		return &site.Refusal{Status: http.StatusNotFound, Name: "unknown_submission", Try: h.AdminPath("/submissions")}
	}
	if err != nil {
		return err
	}
	frame, err := s.AdminStudyFrame(c, h, "Submission "+pseudonym, "")
	if err != nil {
		return err
	}
	revisions, err := s.Store.Revisions(ctx, h.Row.ID, pseudonym)
	if err != nil {
		return err
	}
	statements, err := s.Store.StatementsSeen(ctx, h.Row.ID, pseudonym)
	if err != nil {
		return err
	}
	page := pages.SubmissionPage{Admin: frame, Pseudonym: pseudonym, Virtual: records[0].Virtual, Back: h.AdminPath("/submissions")}
	for i := range records {
		page.Visits = append(page.Visits, visitView(h, &records[i], i+1, len(records), revisions, statements))
	}
	return s.Show(c, http.StatusOK, pages.Submission(page))
}
