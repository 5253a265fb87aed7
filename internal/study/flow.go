package study

import (
	"fmt"
	"strconv"
)

// Study is a launched study in the form that its decisions need.
type Study struct {
	Definition
	Questions QuestionSet
}

// Progress is how far one submission has come: its answers, and what was prepared for it.
type Progress struct {
	Answers map[Key]string
	Slots   []Slot           // the assigned questions in the order asked; a submission starts with them
	Surveys map[string]Drawn // by instrument, for surveys that draw items; others are asked in full
	Outcome Outcome
	Round   int // 1, or 2 after returning for more votes
}

// Slot is one assigned question and what was drawn for it.
type Slot struct {
	Question string
	Models   []string // whose responses are rated, in the order shown
	Ballots  []Ballot // statements drawn so far, in the order shown

	// VotesWanted is how many votes make the slot complete. It is VotesUnknown until the first statement is
	// drawn, and is lowered when statements run out.
	VotesWanted int
}

// VotesUnknown is a slot's VotesWanted before the first draw.
const VotesUnknown = -1

// Ballot is a statement drawn for a vote.
type Ballot struct {
	Statement string
	Held      bool // moderation withdrew it before it was voted on
}

// StepKind is what a step asks of the person or of the caller.
type StepKind string

const (
	StepConsent      StepKind = "consent"
	StepSurvey       StepKind = "survey"
	StepInstructions StepKind = "instructions"
	StepView         StepKind = "view" // stance, free response and importance
	StepRating       StepKind = "rating"
	StepVote         StepKind = "vote"
	StepCheck        StepKind = "check"
	StepFeedback     StepKind = "feedback"
	StepEnd          StepKind = "end"

	// NeedBallot is never shown: the caller draws a statement, or finds that none is left, and then asks
	// again.
	NeedBallot StepKind = "draw"
)

// Step is one page of the flow.
type Step struct {
	Path   string // of the page within the study; reveals no model and no internal id
	Kind   StepKind
	Block  int // index into the flow
	Slot   int // index into the progress's slots; -1 outside a question
	Number int // position among its kind within its slot or block, from 1
	Fields []Field
}

// instructionsKey marks the instructions as read. There is nothing to answer on that page, so reading it
// counts as the answer.
func instructionsKey(block int) Key {
	return Key{Kind: KindInstructions, Scope: strconv.Itoa(block)}
}

// steps lists the flow as far as it is known: every page up to and including the first thing the caller must
// prepare, or to the end. Earlier pages can be revisited; the first incomplete one is Next.
func (s *Study) steps(p Progress) []Step {
	var steps []Step
	for i, b := range s.Flow {
		switch {
		case b.Consent != nil:
			steps = append(steps, Step{Path: "consent", Kind: StepConsent, Block: i, Slot: -1, Number: 1,
				Fields: []Field{{Key: Key{Kind: KindConsent}, Name: "consent", Options: []string{Yes, No}}}})
		case b.Survey != nil:
			steps = append(steps, b.Survey.steps(i, p)...)
		case b.Overton != nil:
			overton, known := s.overtonSteps(i, p)
			steps = append(steps, overton...)
			if !known {
				return steps
			}
		case b.Feedback != nil:
			steps = append(steps, Step{Path: "feedback", Kind: StepFeedback, Block: i, Slot: -1, Number: 1,
				Fields: []Field{{Key: Key{Kind: KindFeedback}, Name: "comment"}}})
		}
	}
	return append(steps, Step{Path: "end", Kind: StepEnd, Block: len(s.Flow), Slot: -1, Number: 1})
}

// overtonSteps lists an overton block's pages. known is false if the list ends at something that has to be
// prepared.
func (s *Study) overtonSteps(block int, p Progress) (steps []Step, known bool) {
	o := s.Flow[block].Overton
	steps = append(steps, Step{Path: "instructions", Kind: StepInstructions, Block: block, Slot: -1, Number: 1,
		Fields: []Field{{Key: instructionsKey(block), Name: "read", Options: []string{Yes}}}})
	for i, slot := range p.Slots {
		path := func(part string, n int) string { return fmt.Sprintf("q%d-%s%d", i+1, part, n) }
		steps = append(steps, Step{Path: fmt.Sprintf("q%d-view", i+1), Kind: StepView, Block: block, Slot: i,
			Number: 1, Fields: s.viewFields(o, slot.Question)})
		for n, model := range slot.Models {
			steps = append(steps, Step{Path: path("response", n+1), Kind: StepRating, Block: block, Slot: i, Number: n + 1,
				Fields: []Field{{Key: Key{KindRating, slot.Question, model}, Name: "rating", Options: scale}}})
		}
		for n, b := range slot.Ballots {
			key := Key{KindVote, slot.Question, b.Statement}
			if _, voted := p.Answers[key]; b.Held && !voted {
				continue
			}
			steps = append(steps, Step{Path: path("statement", n+1), Kind: StepVote, Block: block, Slot: i, Number: n + 1,
				Fields: []Field{{Key: key, Name: "vote", Options: []string{Agree, Disagree, Neutral, Skip}}}})
		}
		if slot.needsBallot(o, p.Answers) {
			return append(steps, Step{Kind: NeedBallot, Block: block, Slot: i}), false
		}
		for n, c := range s.Checks {
			if c.After == i+1 {
				steps = append(steps, Step{Path: fmt.Sprintf("check%d", n+1), Kind: StepCheck, Block: block, Slot: i, Number: n + 1,
					Fields: []Field{{Key: checkKey(n), Name: "rating", Options: scale}}})
			}
		}
	}
	return steps, true
}

func (s *Study) viewFields(o *Overton, question string) []Field {
	var fields []Field
	if q, _ := s.Questions.Question(question); o.Stance && q.HasEndpoints() {
		fields = append(fields, Field{Key: Key{Kind: KindStance, Scope: question}, Name: "stance",
			Options: []string{StanceFirst, StanceNeutral, StanceSecond}})
	}
	fields = append(fields, Field{Key: Key{Kind: KindView, Scope: question}, Name: "view", MinWords: o.MinWords})
	if o.Importance {
		fields = append(fields, Field{Key: Key{Kind: KindImportance, Scope: question}, Name: "importance", Options: scale})
	}
	return fields
}

// Votes counts the votes cast on a slot's statements. A skipped statement is not a vote.
func (slot Slot) Votes(answers map[Key]string) int {
	n := 0
	for _, b := range slot.Ballots {
		switch answers[Key{KindVote, slot.Question, b.Statement}] {
		case Agree, Disagree, Neutral:
			n++
		}
	}
	return n
}

// needsBallot says whether a statement has to be drawn before the slot can continue. It does not check
// whether the person has enough votes: Next does.
func (slot Slot) needsBallot(o *Overton, answers map[Key]string) bool {
	if o.VotesPerQuestion == 0 {
		return false
	}
	for _, b := range slot.Ballots {
		if _, voted := answers[Key{KindVote, slot.Question, b.Statement}]; !voted && !b.Held {
			return false // one is waiting for a vote
		}
	}
	return slot.VotesWanted == VotesUnknown || slot.Votes(answers) < slot.VotesWanted
}

// complete says whether every required answer of the step is present.
func (s Step) complete(answers map[Key]string) bool {
	switch s.Kind {
	case NeedBallot, StepEnd:
		return false
	}
	for _, f := range s.Fields {
		if _, ok := answers[f.Key]; !ok {
			return false
		}
	}
	return answers[Key{Kind: KindConsent}] == Yes || s.Kind != StepConsent
}

// Next is the first step that is not complete: where the person is now. It is the end only if no required
// answer is missing before it.
func (s *Study) Next(p Progress) Step {
	for _, step := range s.steps(p) {
		if !step.complete(p.Answers) {
			return step
		}
	}
	panic("study: a flow without an end") // Steps always ends in an incomplete step
}

// Find returns a step by its path, if the person may see it: a completed step, or the current one.
func (s *Study) Find(p Progress, path string) (Step, bool) {
	for _, step := range s.steps(p) {
		if step.Path == path {
			return step, true
		}
		if !step.complete(p.Answers) {
			break
		}
	}
	return Step{}, false
}

// Before returns the step before the one at path, for going back.
func (s *Study) Before(p Progress, path string) (Step, bool) {
	var last Step
	for _, step := range s.steps(p) {
		if step.Path == path {
			return last, last.Path != ""
		}
		last = step
	}
	return Step{}, false
}

// Share is how much of the flow lies behind a step, from 0 to 1. Steps not yet known count as planned: every
// question with its ratings and its wanted votes.
func (s *Study) Share(p Progress, at Step) float64 {
	if at.Kind == StepEnd {
		return 1
	}
	done, total := 0, 0
	past := false
	count := func(steps int, isPast bool) {
		total += steps
		if isPast {
			done += steps
		}
	}
	for i, b := range s.Flow {
		switch {
		case b.Overton == nil:
			pages := 1
			if b.Survey != nil {
				pages = len(b.Survey.pages(b.Survey.drawn(p)))
			}
			for n := range pages {
				past = i < at.Block || i == at.Block && n+1 < at.Number
				count(1, past)
			}
		default:
			o := b.Overton
			count(1, i < at.Block || i == at.Block && at.Slot >= 0)
			slots := o.QuestionsPerParticipant
			if len(p.Slots) > 0 {
				slots = len(p.Slots) // fewer for those who got the last places
			}
			for slot := range slots {
				behind := i < at.Block || i == at.Block && slot < at.Slot
				here := i == at.Block && slot == at.Slot
				ratings, votes := s.planned(o, p, slot)
				count(1, behind || here && at.Kind != StepView)
				for n := range ratings {
					count(1, behind || here && (at.Kind == StepRating && n+1 < at.Number || at.Kind == StepVote || at.Kind == StepCheck))
				}
				for n := range votes {
					count(1, behind || here && (at.Kind == StepVote && n+1 < at.Number || at.Kind == StepCheck))
				}
			}
		}
	}
	if total == 0 {
		return 0
	}
	return float64(done) / float64(total)
}

// planned is how many ratings and ballots a slot takes, as far as is known.
func (s *Study) planned(o *Overton, p Progress, slot int) (ratings, ballots int) {
	if slot >= len(p.Slots) {
		ratings = o.ResponsesPerQuestion
		if ratings == 0 && len(s.Questions.Questions) > 0 {
			ratings = len(s.Questions.Models(s.Questions.Questions[0].ID))
		}
		return ratings, o.VotesPerQuestion
	}
	known := p.Slots[slot]
	if known.VotesWanted == VotesUnknown {
		return len(known.Models), o.VotesPerQuestion
	}
	passed := 0 // drawn but not voted on: these pages still count
	for _, b := range known.Ballots {
		if a := p.Answers[Key{KindVote, known.Question, b.Statement}]; a == Skip || a == "" && b.Held {
			passed++
		}
	}
	return len(known.Models), known.VotesWanted + passed
}
