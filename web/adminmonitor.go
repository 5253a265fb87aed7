package web

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// monitor shows where a study stands.
func (s *site) monitor(c echo.Context) error {
	ctx := c.Request().Context()
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	frame, err := s.adminStudyFrame(c, h, "Monitor", "")
	if err != nil {
		return err
	}
	page := templates.MonitorPage{
		Admin: frame, Status: string(h.row.Status), Now: momentOf(s.Now()),
		Link: s.arrivalLink(c.Request(), h), Facts: h.facts(), Change: s.base + h.adminPath("/status"),
	}
	if adminRoles[frame.Role] >= researcher {
		page.Codes = h.codes()
	}
	if adminRoles[frame.Role] >= admin {
		page.Changes = changes[h.row.Status]
	}
	if h.row.Status == store.Draft {
		page.Doubts = h.Doubts()
		return s.show(c, http.StatusOK, templates.Monitor(page))
	}
	people, err := s.Store.Counts(ctx, h.row.ID, false, h.Questions.Questions)
	if err != nil {
		return err
	}
	page.People = h.counts(people, false)
	virtual, err := s.Store.Counts(ctx, h.row.ID, true, h.Questions.Questions)
	if err != nil {
		return err
	}
	if virtual.Arrived > 0 {
		v := h.counts(virtual, true)
		page.Virtual = &v
	}
	return s.show(c, http.StatusOK, templates.Monitor(page))
}

// arrivalLink is what a recruiter is given, with its placeholders as they are.
func (s *site) arrivalLink(r *http.Request, h *hosted) string {
	p := h.Recruitment.Parameters
	return fmt.Sprintf("%s%s?%s={{%%PROLIFIC_PID%%}}&%s={{%%STUDY_ID%%}}&%s={{%%SESSION_ID%%}}", s.origin(r), h.path(""), p.Participant, p.Study, p.Submission)
}

var outcomeNames = []struct {
	outcome study.Outcome
	name    string
}{
	{study.Completed, "Complete"}, {study.NoConsent, "Did not consent"}, {study.ScreenedOut, "Screened out"}, {study.FailedChecks, "Failed the checks"},
	{study.OverQuota, "Over quota"}, {study.TimedOut, "Too late"}, {study.Returned, "Came back with another submission"}, {study.Withdrawn, "Withdrew"},
}

func (h *hosted) codes() []templates.CodeLine {
	var lines []templates.CodeLine
	for _, o := range outcomeNames[:5] {
		lines = append(lines, templates.CodeLine{Outcome: o.name, Code: h.Recruitment.Code(o.outcome)})
	}
	return lines
}

var stepNames = []struct {
	kind study.StepKind
	name string
}{
	{study.StepConsent, "Consent"}, {study.StepSurvey, "Survey"}, {study.StepInstructions, "Instructions"}, {study.StepView, "Own view"},
	{study.StepRating, "Rating"}, {study.NeedBallot, "Before a vote"}, {study.StepVote, "Vote"}, {study.StepCheck, "Check"}, {study.StepFeedback, "Feedback"},
}

// counts words what the store counted.
func (h *hosted) counts(n store.Counts, virtual bool) templates.Counts {
	c := templates.Counts{Virtual: virtual, Targets: !virtual}
	places := 0
	if !virtual {
		places = h.Places()
	}
	c.Figures = []templates.Figure{
		{Name: "Arrived", Value: n.Arrived}, {Name: "Consented", Value: n.Consented}, {Name: "In progress", Value: n.InProgress},
		{Name: "Complete", Value: n.Outcomes[study.Completed], Of: places}, {Name: "Left on the way", Value: n.Left},
	}
	for _, o := range outcomeNames {
		if n := n.Outcomes[o.outcome]; n > 0 {
			c.Outcomes = append(c.Outcomes, templates.OutcomeLine{Name: o.name, N: n})
		}
	}
	for _, name := range stepNames {
		for _, step := range n.Steps {
			if step.Kind == name.kind {
				c.Steps = append(c.Steps, templates.StepLine{Name: name.name, Here: step.InProgress, Left: step.Left})
			}
		}
	}
	for i, q := range n.Questions {
		c.Questions = append(c.Questions, templates.QuestionLine{
			ID: q.Question, Text: shorten(h.Questions.Questions[i].Text, 120), Done: q.Done, Target: h.Overton().ParticipantsPerQuestion, Live: q.Live,
			Statements: q.Statements, Pending: q.Pending, Votes: q.Votes, FewestVotes: q.FewestVotes,
		})
	}
	return c
}

// facts sums a study up.
func (h *hosted) facts() []templates.Fact {
	var facts []templates.Fact
	fact := func(name, format string, args ...any) {
		facts = append(facts, templates.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	facts = append(facts, templates.Fact{Name: "Hash of the files", Value: h.row.Hash, Code: true})
	fact("Created", "%s", moment(h.row.CreatedAt).Text)
	if h.row.LaunchedAt != 0 {
		fact("Launched", "%s", moment(h.row.LaunchedAt).Text)
	}
	if h.row.ClosedAt != 0 {
		fact("Closed", "%s", moment(h.row.ClosedAt).Text)
	}
	fact("Language", "%s", h.Language)
	if h.Contact != "" {
		fact("Contact", "%s", h.Contact)
	}
	fact("Time", "about %d minutes; a place is kept for %d minutes after an answer", h.Recruitment.Minutes, h.Recruitment.ReservationMinutes)
	fact("Pages", "at most %d a person", h.Pages())
	if o := h.Overton(); o != nil {
		responses := "all"
		if o.ResponsesPerQuestion > 0 {
			responses = strconv.Itoa(o.ResponsesPerQuestion)
		}
		fact("Questions", "%d in the set, %d a person, %d people on each", len(h.Questions.Questions), o.QuestionsPerParticipant, o.ParticipantsPerQuestion)
		fact("Places", "%d people fill every question", h.Places())
		fact("On each question", "%s responses to rate, %d votes", responses, o.VotesPerQuestion)
		fact("Moderation", "%s", o.Moderation)
		facts = append(facts, templates.Fact{Name: "Question set", Value: h.Questions.Hash(), Code: true})
	}
	for _, q := range h.Quotas {
		fact("Quota", "on %s, %d cells", q.Variable, len(q.Targets))
	}
	return facts
}
