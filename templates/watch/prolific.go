package watch

import (
	"slices"

	"overton/internal/dataset"
	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// ProlificPage compares how submissions stand here with what Prolific says of them.
type ProlificPage struct {
	Page
	Problem   string         // with the file as a whole
	Faults    dataset.Faults // in the file
	Read      string         // what was just read; "" before
	Standings []store.Standing
	Strangers []store.Stranger // in the file that was just read
}

// difference is a submission whose two sides do not fit.
type difference struct{ submission, pseudonym, there, what string }

// differences lists those, with what to do.
func (p ProlificPage) differences() (list []difference) {
	for _, s := range p.Standings {
		if s.Recruited == nil {
			continue
		}
		if what := p.Of.Recruitment.Disagreement(s.Outcome, *s.Recruited); what != "" {
			list = append(list, difference{s.Submission, s.Pseudonym, s.Recruited.Status, templates.Sentence(what)})
		}
	}
	for _, s := range p.Strangers {
		list = append(list, difference{s.Submission, "", s.Status, templates.Sentence(s.What)})
	}
	return list
}

// tally counts the submissions that stand one way here and one way there.
type tally struct {
	here, there string
	n           int
}

func (p ProlificPage) tallies() (list []tally) {
	for _, s := range p.Standings {
		t := tally{here: "Not finished", there: "not in a file", n: 1}
		if s.Outcome != study.InProgress {
			t.here = templates.OutcomeName(s.Outcome)
		}
		if s.Recruited != nil {
			t.there = s.Recruited.Status
		}
		at := slices.IndexFunc(list, func(o tally) bool { return o.here == t.here && o.there == t.there })
		if at < 0 {
			list = append(list, t)
		} else {
			list[at].n++
		}
	}
	return list
}
