package watch

import (
	"cmp"
	"fmt"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// SubmissionPage shows all submissions of one participant, without telling who
// they are beyond what they wrote.
type SubmissionPage struct {
	Page
	Pseudonym  string
	Records    []study.Record             // at least one, in the order they began
	Revisions  []store.Revision           // earlier values of their answers
	Statements map[string]study.Statement // that they wrote or saw, by id
}

// facts sum a submission up.
func facts(r study.Record) []templates.Fact {
	list := []templates.Fact{{Name: "Started", Value: templates.At(r.Started).Text}}
	if r.Outcome == study.InProgress {
		list = append(list, templates.Fact{Name: "Last answer", Value: templates.At(r.Last).Text})
	} else {
		ended := templates.At(r.Ended).Text + ", after " + duration(r.Ended.Sub(r.Started))
		list = append(list, templates.Fact{Name: "Ended", Value: ended})
	}
	if r.Round > 1 {
		list = append(list, templates.Fact{Name: "Came back", Value: "for a second round of votes"})
	}
	return append(list, templates.Fact{Name: "Seed", Value: fmt.Sprint(r.Seed)})
}

// stands says where a submission stands, or how far it got; "" if it is complete.
func (p SubmissionPage) stands(r study.Record, at study.Stage) string {
	switch {
	case r.Outcome == study.Completed:
		return ""
	case r.Outcome != study.InProgress:
		return "Got as far as: " + p.stageName(at)
	case r.Live:
		return "Now at: " + p.stageName(at)
	}
	return "Left at: " + p.stageName(at)
}

// part names what a page belongs to: a block, or a question with its text.
func (p SubmissionPage) part(r study.Record, step study.Step) string {
	if step.Slot < 0 {
		return p.stageName(step.Stage())
	}
	q, _ := p.Of.Questions.Question(r.Slots[step.Slot].Question)
	return fmt.Sprintf("Question %d (%s): %s", step.Slot+1, q.ID, q.Text)
}

// stepName names one page.
func stepName(step study.Step) string {
	switch step.Kind {
	case study.StepRating, study.StepVote, study.StepCheck:
		return fmt.Sprintf("%s %d", stepNames[step.Kind], step.Number)
	case study.StepSurvey:
		return fmt.Sprintf("Page %d", step.Number)
	}
	return stepNames[step.Kind]
}

// reading is an answer in words.
type reading struct {
	name, value string
	free        bool   // in the participant's own words
	state       string // worth knowing about the answer or its statement; "": nothing
}

// read puts an answer into words.
func (p SubmissionPage) read(r study.Record, a study.Answer) reading {
	plain := func(name string) reading { return reading{name: name, value: a.Value} }
	switch a.Key.Kind {
	case study.KindConsent:
		return plain("Consent")
	case study.KindInstructions:
		return reading{name: "Instructions", value: "read"}
	case study.KindStance:
		q, _ := p.Of.Questions.Question(a.Key.Scope)
		names := map[string]string{study.StanceFirst: q.Option1, study.StanceSecond: q.Option2, study.StanceNeutral: "neither"}
		return reading{name: "Closer to", value: names[a.Value]}
	case study.KindImportance:
		return plain("Importance")
	case study.KindView:
		view := reading{name: "Free response", value: a.Value, free: true}
		for _, s := range p.Statements {
			if s.Author == r.Pseudonym && s.Question == a.Key.Scope && s.Text == a.Value {
				view.state = stateWords[s.State]
			}
		}
		return view
	case study.KindRating:
		return plain(a.Key.Subject)
	case study.KindVote:
		s := p.Statements[a.Key.Subject]
		vote := plain(s.Text)
		if s.State == study.StatementWithdrawn {
			vote.name = "(withdrawn by its author)"
		}
		if s.State == study.StatementRejected {
			vote.state = stateWords[s.State]
		}
		return vote
	case study.KindCheck:
		return p.check(a)
	case study.KindSurvey:
		id, again := a.Key.SurveyItem()
		item := plain(id)
		if known, ok := p.Of.Instruments[a.Key.Scope].Item(id); ok {
			item.name = known.In(p.Of.Language).Text
		}
		if again {
			item.name += " (asked again)"
		}
		return item
	case study.KindFeedback:
		return reading{name: "Comment", value: cmp.Or(a.Value, "none"), free: a.Value != ""}
	}
	return plain("")
}

func (p SubmissionPage) check(a study.Answer) reading {
	for i, check := range p.Of.Checks {
		if a.Key.Subject == fmt.Sprint(i+1) {
			read := reading{name: check.Text, value: a.Value}
			if check.Fails(a.Value) {
				read.state = "failed"
			}
			return read
		}
	}
	return reading{name: "Check", value: a.Value}
}

// stateWords mark statements that other people do not simply see.
var stateWords = map[study.StatementState]string{
	study.StatementPending: "waiting for moderation", study.StatementRejected: "rejected by moderation",
	study.StatementReplaced: "replaced by its author", study.StatementWithdrawn: "withdrawn",
}

// earlier are the values that an answer had before.
func (p SubmissionPage) earlier(key study.Key) (values []string) {
	for _, r := range p.Revisions {
		if r.Key == key {
			values = append(values, templates.Shorten(r.Value, 200))
		}
	}
	return values
}
