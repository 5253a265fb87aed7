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

// visitFrame is what stands around a page of somebody who has begun.
func (s *Room) visitFrame(v *visit, title string) templates.Frame {
	f := s.StudyFrame(v.Hosted, title)
	f.Withdraw = s.Base + v.Path("/withdraw")
	f.Ended = v.pos.Outcome != study.InProgress
	return f
}

// stepPage builds the page of one step.
type stepPage struct {
	*visit
	step  study.Step
	sent  sent
	frame templates.Frame
	form  pages.Form
}

func (s *Room) showStep(c echo.Context, v *visit, status int, step study.Step, sent sent) error {
	token, err := s.formToken(v.Hosted, v.pass, step.Path)
	if err != nil {
		return err
	}
	p := stepPage{visit: v, step: step, sent: sent}
	p.form = pages.Form{
		Action: s.Base + v.Path("/p/"+step.Path),
		Draft:  s.Base + v.Path("/draft/"+step.Path),
		Token:  token, Active: sent.active, Trail: sent.trail, Resend: sent.resend,
		PlaceEnd: placeEnd(v.pos.Expires.Sub(s.Now())),
	}
	if before, ok := v.Before(v.pos.Progress, step.Path); ok {
		if _, ok := v.find(before.Path); ok {
			p.form.Back = s.Base + v.Path("/p/"+before.Path)
		}
	}
	p.frame = s.visitFrame(v, "")
	if p.frame.Preview != nil {
		p.frame.Preview.Here = step.Path
	}
	p.frame.Wrong = status != http.StatusOK
	p.frame.Progress = &templates.Progress{Percent: int(math.Floor(100 * v.Share(v.pos.Progress, step))), Where: p.where()}
	page, err := p.page()
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

func (p *stepPage) survey() *study.Survey { return p.Flow[p.step.Block].Survey }

// votes counts which vote a statement asks for, and of how many. A statement
// that was skipped takes no vote's place.
func (p *stepPage) votes() (n, of int) {
	slot := p.slot()
	of = slot.VotesWanted
	slot.Ballots = slot.Ballots[:p.step.Number-1]
	n = slot.Votes(p.pos.Progress.Answers) + 1
	return n, max(n, of)
}

// page puts the step's content into its struct.
func (p *stepPage) page() (templ.Component, error) {
	say := p.Words.Say
	var page templ.Component
	switch p.step.Kind {
	case study.StepConsent:
		p.frame.Title = say("consent.title")
		p.addProblems(map[string]string{"consent": say("consent.question")})
		page = pages.Consent(pages.ConsentPage{Frame: p.frame, Form: p.form, ID: p.id("consent"), HTML: p.ConsentHTML[p.step.Block], Chosen: p.value("consent")})
	case study.StepSurvey:
		return p.surveyPage()
	case study.StepInstructions:
		p.frame.Title = say("instructions.title")
		p.addProblems(map[string]string{"read": say("instructions.title")})
		page = pages.Instructions(p.instructions())
	case study.StepView, study.StepRating, study.StepVote:
		return p.questionPage()
	case study.StepCheck:
		p.frame.Title = say("check.title")
		p.addProblems(map[string]string{"rating": say("check.legend")})
		page = pages.Check(pages.CheckPage{Frame: p.frame, Form: p.form,
			Instruction: p.Checks[p.step.Number-1].Text, Rating: p.scale("rating", "check.legend", "rating.low", "rating.high")})
	case study.StepFeedback:
		p.frame.Title = say("feedback.title")
		p.addProblems(map[string]string{"comment": say("feedback.title")})
		page = pages.Feedback(pages.FeedbackPage{Frame: p.frame, Form: p.form, Comment: p.text("comment", "feedback.label", "feedback.hint")})
	default:
		return nil, fmt.Errorf("there is no page for a step of kind %q", p.step.Kind)
	}
	return page, nil
}

func (p *stepPage) surveyPage() (templ.Component, error) {
	in := p.Instruments[p.survey().Instrument]
	if p.frame.Title = in.Title; in.Title == "" {
		p.frame.Title = p.Words.Say("survey.title")
	}
	page := pages.SurveyPage{}
	labels := map[string]string{}
	for _, f := range p.step.Fields {
		id, again := f.Key.SurveyItem()
		item, ok := in.Item(id)
		if !ok {
			return nil, fmt.Errorf("instrument %s has no item %s", in.Name, id)
		}
		page.Again = again
		wording := item.In(p.Language)
		labels[f.Name] = wording.Text
		choice := p.choice(f.Name, wording.Text, options(item, wording, f.Options, p.Words.Say("survey.refuse")))
		choice.Lang = p.Language
		page.Items = append(page.Items, choice)
	}
	p.addProblems(labels)
	page.Frame, page.Form = p.frame, p.form
	return pages.Survey(page), nil
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

func (p *stepPage) instructions() pages.InstructionsPage {
	page := pages.InstructionsPage{Frame: p.frame, Form: p.form, ID: p.id("read"),
		Questions: len(p.pos.Progress.Slots), Votes: p.Flow[p.step.Block].Overton.VotesPerQuestion}
	for _, slot := range p.pos.Progress.Slots {
		page.Responses = max(page.Responses, len(slot.Models))
	}
	return page
}

// questionPage is one of the pages about an assigned question.
func (p *stepPage) questionPage() (templ.Component, error) {
	say := p.Words.Say
	q, ok := p.Questions.Question(p.slot().Question)
	if !ok {
		return nil, fmt.Errorf("the question set has no question %q", p.slot().Question)
	}
	key := p.step.Fields[0].Key
	switch p.step.Kind {
	case study.StepView:
		p.frame.Title = p.question()
		page := pages.ViewPage{Question: q.Text, View: p.text("view", "view.label", "view.hint")}
		labels := map[string]string{"view": say("view.label")}
		if p.has("stance") {
			labels["stance"] = say("view.stance")
			stance := p.choice("stance", labels["stance"], []templates.Option{
				{Value: study.StanceFirst, Label: q.Option1, Lang: p.Language},
				{Value: study.StanceNeutral, Label: say("view.neutral")},
				{Value: study.StanceSecond, Label: q.Option2, Lang: p.Language},
			})
			page.Stance = &stance
		}
		if p.has("importance") {
			labels["importance"] = say("view.importance")
			importance := p.scale("importance", "view.importance", "view.importance_low", "view.importance_high")
			page.Importance = &importance
		}
		p.addProblems(labels)
		page.Frame, page.Form = p.frame, p.form
		return pages.View(page), nil

	case study.StepRating:
		response, ok := p.Questions.Response(key.Scope, key.Subject)
		if !ok {
			return nil, fmt.Errorf("the question set has no response for question %q", key.Scope)
		}
		p.frame.Title = p.where()
		p.addProblems(map[string]string{"rating": say("rating.legend")})
		return pages.Rating(pages.RatingPage{Frame: p.frame, Form: p.form, Question: q.Text, Response: response.Text,
			OwnView: p.pos.Progress.Answers[study.Key{Kind: study.KindView, Scope: q.ID}],
			Rating:  p.scale("rating", "rating.legend", "rating.low", "rating.high")}), nil
	}
	p.frame.Title = p.where()
	p.addProblems(map[string]string{"vote": say("vote.legend")})
	return pages.Vote(pages.VotePage{Frame: p.frame, Form: p.form, ID: p.id("vote"), Question: q.Text,
		Statement: p.pos.Texts[key.Subject], Chosen: p.value("vote")}), nil
}

func (p *stepPage) has(field string) bool { return p.field(field) >= 0 }

func (p *stepPage) field(name string) int {
	for i, f := range p.step.Fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// id names a field's element. It is a number, since names may hold anything.
func (p *stepPage) id(name string) string { return "f" + strconv.Itoa(p.field(name)+1) }

// value is what a field shows: what was typed last, else what was answered.
func (p *stepPage) value(name string) string {
	if v, ok := p.sent.values[name]; ok {
		return v
	}
	return p.pos.Progress.Answers[p.step.Fields[p.field(name)].Key]
}

// addProblems fills the summary above the form with the fields' labels; what
// is wrong stands beside each field.
func (p *stepPage) addProblems(labels map[string]string) {
	for _, problem := range p.sent.problems {
		p.form.Problems = append(p.form.Problems, pages.Problem{
			ID:   p.id(problem.Field),
			Text: labels[problem.Field],
		})
	}
}

// problem says what was wrong with a field; "" if nothing was.
func (p *stepPage) problem(name string) string {
	for _, problem := range p.sent.problems {
		if problem.Field != name {
			continue
		}
		key := "problem." + string(problem.Reason)
		if problem.Reason == study.Missing {
			key += "_choice"
			if p.step.Fields[p.field(name)].Options == nil {
				key = "problem.missing_text"
			}
		}
		return p.Words.Say(key, "n", problem.Limit)
	}
	return ""
}

func (p *stepPage) choice(name, legend string, options []templates.Option) pages.Choice {
	return pages.Choice{ID: p.id(name), Name: name, Legend: legend, Options: options, Chosen: p.value(name), Problem: p.problem(name)}
}

func (p *stepPage) scale(name, legend, low, high string) pages.Scale {
	say := p.Words.Say
	return pages.Scale{ID: p.id(name), Name: name, Legend: say(legend), Low: say(low), High: say(high), Chosen: p.value(name), Problem: p.problem(name)}
}

func (p *stepPage) text(name, label, hint string) pages.Text {
	return pages.Text{ID: p.id(name), Name: name, Label: p.Words.Say(label), Hint: p.Words.Say(hint), Value: p.value(name), Problem: p.problem(name)}
}
