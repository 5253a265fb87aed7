package watch

import (
	"fmt"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
	pages "overton/templates/watch"
	"overton/web/site"
)

// visitView words one submission for those who look it over. Nothing in it
// tells who the person is, beyond what they wrote.
func visitView(h *site.Hosted, r *study.Record, number, of int, revisions []store.Revision, statements map[string]study.Statement) pages.VisitView {
	walked, at := h.Walked(r)
	trace := h.Trace(r)
	v := pages.VisitView{Number: number, Of: of, Outcome: submissionLine(h, &trace).Outcome}
	fact := func(name, format string, args ...any) {
		v.Facts = append(v.Facts, templates.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	fact("Began", "%s", site.MomentOf(r.Started).Text)
	if r.Outcome == study.InProgress {
		fact("Last answer", "%s", site.MomentOf(r.Last).Text)
		v.Stands = "Left at: " + stageName(h, at.Stage())
		if r.Live {
			v.Stands = "Is at: " + stageName(h, at.Stage())
		}
	} else {
		fact("Ended", "%s, after %s", site.MomentOf(r.Ended).Text, howLong(r.Ended.Sub(r.Started)))
		if r.Outcome != study.Completed {
			v.Stands = "Got as far as: " + stageName(h, at.Stage())
		}
	}
	if r.Round > 1 {
		fact("Came back", "for a second round of votes")
	}
	fact("Seed", "%d", r.Seed)
	for _, f := range trace.Flags {
		words := flagWords[f.Kind]
		v.Flags = append(v.Flags, pages.FlagLine{Name: fmt.Sprintf("%s: %d of %d", words.name, f.N, f.Of), Why: words.why})
	}
	group := ""
	for _, visited := range walked {
		step := visited.Step
		page := pages.PageView{Group: groupName(h, r, step), Name: pageNames[step.Kind], Answered: site.MomentOf(visited.Answered()), Took: howLong(visited.Took())}
		page.New = page.Group != group
		group = page.Group
		switch step.Kind {
		case study.StepRating, study.StepVote, study.StepCheck:
			page.Name = fmt.Sprintf("%s %d", page.Name, step.Number)
		case study.StepSurvey:
			page.Name = fmt.Sprintf("Page %d", step.Number)
		}
		for _, a := range visited.Answers {
			view := answerView(h, r, a, statements)
			for _, was := range revisions {
				if was.Key == a.Key {
					view.Earlier = append(view.Earlier, site.Shorten(was.Value, 200))
				}
			}
			page.Answers = append(page.Answers, view)
		}
		v.Pages = append(v.Pages, page)
	}
	return v
}

// groupName is what a page belongs to.
func groupName(h *site.Hosted, r *study.Record, step study.Step) string {
	if step.Slot < 0 {
		return stageName(h, step.Stage())
	}
	q, _ := h.Questions.Question(r.Slots[step.Slot].Question)
	return fmt.Sprintf("Question %d (%s): %s", step.Slot+1, q.ID, q.Text)
}

// answerView words one answer.
func answerView(h *site.Hosted, r *study.Record, a study.Answer, statements map[string]study.Statement) pages.AnswerView {
	v := pages.AnswerView{Value: a.Value}
	switch a.Key.Kind {
	case study.KindConsent:
		v.Name = "Consent"
	case study.KindInstructions:
		v.Name, v.Value = "Instructions", "read"
	case study.KindStance:
		v.Name = "Closer to"
		q, _ := h.Questions.Question(a.Key.Scope)
		v.Value = map[string]string{study.StanceFirst: q.Option1, study.StanceSecond: q.Option2, study.StanceNeutral: "neither"}[a.Value]
	case study.KindImportance:
		v.Name = "Importance"
	case study.KindView:
		v.Name, v.Long, v.Parts = "In their words", true, textParts(a.Value)
		for _, s := range statements {
			if s.Author == r.Pseudonym && s.Question == a.Key.Scope && s.Text == a.Value {
				v.State = stateWords[s.State]
			}
		}
	case study.KindRating:
		v.Name = a.Key.Subject
	case study.KindVote:
		s := statements[a.Key.Subject]
		v.Name = s.Text
		if s.State == study.StatementWithdrawn {
			v.Name = "(its author withdrew)"
		}
		if s.State == study.StatementRejected {
			v.State = stateWords[s.State]
		}
	case study.KindCheck:
		v.Name = "Check"
		for i, check := range h.Checks {
			if a.Key.Subject == fmt.Sprint(i+1) {
				v.Name = check.Text
				if check.Fails(a.Value) {
					v.State = "failed"
				}
			}
		}
	case study.KindSurvey:
		v.Name, v.Value = surveyAnswer(h, a)
	case study.KindFeedback:
		v.Name, v.Long, v.Parts = "Comment", a.Value != "", textParts(a.Value)
		if a.Value == "" {
			v.Value = "none"
		}
	}
	return v
}

func surveyAnswer(h *site.Hosted, a study.Answer) (name, value string) {
	id, again := a.Key.SurveyItem()
	name, value = id, a.Value
	if item, ok := h.Instruments[a.Key.Scope].Item(id); ok {
		name = item.In(h.Language).Text
	}
	if again {
		name += " (asked again)"
	}
	return name, value
}

// stateWords mark statements that peers do not simply see.
var stateWords = map[study.StatementState]string{
	study.StatementPending: "waits for moderation", study.StatementRejected: "rejected by moderation",
	study.StatementReplaced: "replaced by its author", study.StatementWithdrawn: "withdrawn",
}

// hintWords say what is pointed out in a text.
var hintWords = map[study.HintKind]string{
	study.HintMail: "mail address?", study.HintPhone: "telephone number?", study.HintLink: "link?", study.HintID: "recruiter's id?",
	study.HintHandle: "account name?", study.HintEmpty: "looks empty",
}

// textParts cuts a text where something in it is pointed out.
func textParts(text string) []pages.TextPart {
	var parts []pages.TextPart
	at := 0
	for _, hint := range study.Hints(text) {
		if hint.From > at {
			parts = append(parts, pages.TextPart{Text: text[at:hint.From]})
		}
		parts = append(parts, pages.TextPart{Text: text[hint.From:hint.To], Hint: hintWords[hint.Kind]})
		at = hint.To
	}
	if at < len(text) {
		parts = append(parts, pages.TextPart{Text: text[at:]})
	}
	return parts
}
