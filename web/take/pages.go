package take

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"overton/internal/instrument"
	"overton/internal/study"
	"overton/templates"
	pages "overton/templates/take"
)

// warning is how long before a place is lost a page says so.
const warning = 5 * time.Minute

// sent is what a page's form held when it was last sent or saved, and what was
// wrong with it.
type sent struct {
	values        map[string]string
	active, trail string
	resend        bool
	problems      []study.Problem
}

// visitFrame surrounds a page of somebody who has begun.
func (s *Room) visitFrame(v *visit, title string) templates.Frame {
	f := s.StudyFrame(v.Hosted, title)
	f.Withdraw = s.Base + v.Path("/withdraw")
	f.Ended = v.pos.Outcome != study.InProgress
	return f
}

// stepPage builds the page of one step.
type stepPage struct {
	*visit
	step study.Step
	sent sent
	page pages.Step
}

func (s *Room) showStep(c echo.Context, v *visit, status int, step study.Step, sent sent) error {
	button, err := s.button(v.Hosted, v.pass, "/p/", step.Path)
	if err != nil {
		return err
	}
	p := stepPage{visit: v, step: step, sent: sent}
	p.page = pages.Step{Frame: s.visitFrame(v, ""), Button: button, Draft: s.Base + v.Path("/draft/"+step.Path),
		Active: sent.active, Trail: sent.trail, Resend: sent.resend, PlaceEnd: placeEnd(v.pos.Expires.Sub(s.Now()))}
	if before, ok := v.Before(v.pos.Progress, step.Path); ok {
		if _, ok := v.find(before.Path); ok {
			p.page.Back = s.Base + v.Path("/p/"+before.Path)
		}
	}
	if p.page.Preview != nil {
		p.page.Preview.Here = step.Path
	}
	p.page.Wrong = status != http.StatusOK
	p.page.Progress = &templates.Progress{Percent: int(math.Floor(100 * v.Share(v.pos.Progress, step))), Where: p.where()}
	page, err := p.content()
	if err != nil {
		return err
	}
	return s.Show(c, status, page)
}

// placeEnd plans the warning on a page that is sent out while the place is
// kept for left.
func placeEnd(left time.Duration) *pages.PlaceEnd {
	if left < time.Minute {
		return nil
	}
	after := max(0, left-warning)
	return &pages.PlaceEnd{AfterSeconds: int(after.Seconds()), MinutesLeft: int((left - after).Minutes())}
}

// where says in words where a step is.
func (p *stepPage) where() string {
	say := p.Words.Say
	switch p.step.Kind {
	case study.StepSurvey:
		if n, of := p.SurveyPage(p.pos.Progress, p.step); of > 1 {
			return say("survey.page", "n", n, "of", of)
		}
	case study.StepView:
		return p.question()
	case study.StepRating:
		return p.question() + " · " + say("where.response", "n", p.step.Number, "of", len(p.slot().Models))
	case study.StepVote:
		n, of := p.votes()
		return p.question() + " · " + say("where.vote", "n", n, "of", of)
	}
	return ""
}

func (p *stepPage) question() string {
	return p.Words.Say("where.question", "n", p.step.Slot+1, "of", len(p.pos.Progress.Slots))
}

func (p *stepPage) slot() study.Slot { return p.pos.Progress.Slots[p.step.Slot] }

// votes counts which vote a statement asks for, and of how many. A statement
// that was skipped takes no vote's place.
func (p *stepPage) votes() (n, of int) {
	slot := p.slot()
	of = slot.VotesWanted
	slot.Ballots = slot.Ballots[:p.step.Number-1]
	n = slot.Votes(p.pos.Progress.Answers) + 1
	return n, max(n, of)
}

// content asks what the step asks, and puts it on its page.
func (p *stepPage) content() (templ.Component, error) {
	say := p.Words.Say
	switch p.step.Kind {
	case study.StepConsent:
		p.page.Title = say("consent.title")
		p.ask("consent", say("consent.question"))
		return pages.Consent(p.page, p.ConsentHTML[p.step.Block]), nil
	case study.StepSurvey:
		return p.survey()
	case study.StepInstructions:
		p.page.Title = say("instructions.title")
		p.ask("read", p.page.Title)
		responses := 0
		for _, slot := range p.pos.Progress.Slots {
			responses = max(responses, len(slot.Models))
		}
		votes := p.Flow[p.step.Block].Overton.VotesPerQuestion
		return pages.Instructions(p.page, len(p.pos.Progress.Slots), responses, votes), nil
	case study.StepView, study.StepRating, study.StepVote:
		return p.aboutQuestion()
	case study.StepCheck:
		p.page.Title = say("check.title")
		p.askScale("rating", "check.legend", "rating.low", "rating.high")
		return pages.Check(p.page, p.Checks[p.step.Number-1].Text), nil
	case study.StepFeedback:
		p.page.Title = say("feedback.title")
		p.ask("comment", say("feedback.label")).Hint = say("feedback.hint")
		return pages.Feedback(p.page), nil
	}
	return nil, fmt.Errorf("there is no page for a step of kind %q", p.step.Kind)
}

func (p *stepPage) survey() (templ.Component, error) {
	in := p.Instruments[p.Flow[p.step.Block].Survey.Instrument]
	if p.page.Title = in.Title; in.Title == "" {
		p.page.Title = p.Words.Say("survey.title")
	}
	asked := false
	for _, f := range p.step.Fields {
		id, again := f.Key.SurveyItem()
		item, ok := in.Item(id)
		if !ok {
			return nil, fmt.Errorf("instrument %s has no item %s", in.Name, id)
		}
		asked = again
		wording := item.In(p.Language)
		field := p.ask(f.Name, wording.Text)
		field.Options, field.Lang = options(item, wording, f.Options, p.Words.Say("survey.refuse")), p.Language
	}
	return pages.Survey(p.page, asked), nil
}

// options are an item's options in the order shown, in the words given. What
// interviewers note as “Refused” is offered as refuse.
func options(item instrument.Item, wording instrument.Wording, shown []string, refuse string) []templates.Option {
	all := make([]templates.Option, len(shown))
	for i, code := range shown {
		at := slices.IndexFunc(item.Options, func(o instrument.Option) bool { return o.Code == code })
		all[i] = templates.Option{Value: code, Label: wording.Labels[at]}
		if item.Options[at].Refusal && all[i].Label == "Refused" {
			all[i].Label = refuse
		}
	}
	return all
}

// aboutQuestion is one of the pages about an assigned question.
func (p *stepPage) aboutQuestion() (templ.Component, error) {
	say := p.Words.Say
	q, ok := p.Questions.Question(p.slot().Question)
	if !ok {
		return nil, fmt.Errorf("the question set has no question %q", p.slot().Question)
	}
	p.page.Title = p.where()
	key := p.step.Fields[0].Key
	switch p.step.Kind {
	case study.StepView:
		if p.at("stance") >= 0 {
			p.ask("stance", say("view.stance")).Options = []templates.Option{
				{Value: study.StanceFirst, Label: q.Option1, Lang: p.Language},
				{Value: study.StanceNeutral, Label: say("view.neutral")},
				{Value: study.StanceSecond, Label: q.Option2, Lang: p.Language},
			}
		}
		p.ask("view", say("view.label")).Hint = say("view.hint")
		if p.at("importance") >= 0 {
			p.askScale("importance", "view.importance", "view.importance_low", "view.importance_high")
		}
		return pages.View(p.page, q.Text), nil
	case study.StepRating:
		response, ok := p.Questions.Response(key.Scope, key.Subject)
		if !ok {
			return nil, fmt.Errorf("the question set has no response for question %q", key.Scope)
		}
		p.askScale("rating", "rating.legend", "rating.low", "rating.high")
		view := p.pos.Progress.Answers[study.Key{Kind: study.KindView, Scope: q.ID}]
		return pages.Rating(p.page, q.Text, response.Text, view), nil
	}
	p.ask("vote", say("vote.legend"))
	return pages.Vote(p.page, q.Text, p.pos.Texts[key.Subject]), nil
}

// at is the place of a field among those of the step; -1 if it has none.
func (p *stepPage) at(name string) int {
	return slices.IndexFunc(p.step.Fields, func(f study.Field) bool { return f.Name == name })
}

// ask puts a field on the page, with what was typed last or else answered
// before. Its id is a number, because names may hold anything.
func (p *stepPage) ask(name, label string) *pages.Field {
	at := p.at(name)
	value, typed := p.sent.values[name]
	if !typed {
		value = p.pos.Progress.Answers[p.step.Fields[at].Key]
	}
	p.page.Fields = append(p.page.Fields, pages.Field{
		ID: "f" + strconv.Itoa(at+1), Name: name, Label: label, Value: value, Problem: p.problem(p.step.Fields[at]),
	})
	return &p.page.Fields[len(p.page.Fields)-1]
}

func (p *stepPage) askScale(name, label, low, high string) {
	say := p.Words.Say
	f := p.ask(name, say(label))
	f.Low, f.High = say(low), say(high)
}

// problem says what was wrong with a field; "" if nothing was.
func (p *stepPage) problem(f study.Field) string {
	at := slices.IndexFunc(p.sent.problems, func(wrong study.Problem) bool { return wrong.Field == f.Name })
	if at < 0 {
		return ""
	}
	wrong := p.sent.problems[at]
	key := "problem." + string(wrong.Reason)
	switch {
	case wrong.Reason == study.Missing && f.Options == nil:
		key = "problem.missing_text"
	case wrong.Reason == study.Missing:
		key = "problem.missing_choice"
	}
	return p.Words.Say(key, "n", wrong.Limit)
}
