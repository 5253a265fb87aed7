package study

import "time"

// Visited is one page that a person answered, with its answers.
type Visited struct {
	Step    Step
	Answers []Answer
}

// Took is how long the page was visible.
func (v Visited) Took() time.Duration { return v.last().took() }

// last is the answer that came last: others on the same page may be from an earlier visit.
func (v Visited) last() Answer {
	last := v.Answers[0]
	for _, a := range v.Answers {
		if a.Answered.After(last.Answered) {
			last = a
		}
	}
	return last
}

// Answered is when the page was last answered.
func (v Visited) Answered() time.Time { return v.last().Answered }

// Walked lists the pages that a submission answered, in the order of the flow, and the step where it is, or
// was when it ended.
func (s *Study) Walked(r *Record) (pages []Visited, at Step) {
	byKey := make(map[Key]Answer, len(r.Answers))
	for _, a := range r.Answers {
		byKey[a.Key] = a
	}
	p := r.Progress()
	for _, step := range s.steps(p) {
		var v Visited
		for _, f := range step.Fields {
			if a, ok := byKey[f.Key]; ok {
				v.Answers = append(v.Answers, a)
			}
		}
		if len(v.Answers) > 0 {
			v.Step = step
			pages = append(pages, v)
		}
		if !step.complete(p.Answers) {
			return pages, step
		}
	}
	return pages, at
}

// Stage is a stretch of the flow between two points at which people leave: a block or, within the overton
// block, the view, the ratings and the votes of each question in the order asked.
type Stage struct {
	Kind  StepKind
	Block int
	Slot  int // position of the question, from 0; -1 outside a question
}

// stages lists the whole flow, including the end.
func (s *Study) stages() []Stage {
	var stages []Stage
	for i, b := range s.Flow {
		switch {
		case b.Consent != nil:
			stages = append(stages, Stage{StepConsent, i, -1})
		case b.Survey != nil:
			stages = append(stages, Stage{StepSurvey, i, -1})
		case b.Overton != nil:
			stages = append(stages, Stage{StepInstructions, i, -1})
			for slot := range b.Overton.QuestionsPerParticipant {
				stages = append(stages, Stage{StepView, i, slot}, Stage{StepRating, i, slot})
				if b.Overton.VotesPerQuestion > 0 {
					stages = append(stages, Stage{StepVote, i, slot})
				}
				for _, c := range s.Checks {
					if c.After == slot+1 {
						stages = append(stages, Stage{StepCheck, i, slot})
						break
					}
				}
			}
		case b.Feedback != nil:
			stages = append(stages, Stage{StepFeedback, i, -1})
		}
	}
	return append(stages, Stage{StepEnd, len(s.Flow), -1})
}

// Stage is the part of the flow that a step belongs to.
func (step Step) Stage() Stage {
	st := Stage{step.Kind, step.Block, step.Slot}
	if step.Kind == NeedBallot {
		st.Kind = StepVote
	}
	return st
}
