package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"overton/internal/dataset"
	"overton/internal/study"
)

const (
	perParticipant  = 2  // questions
	modelsInSet     = 8  // responses to each question
	seedsPerSet     = 5  // statements of the admin on each question
	fixedAnswers    = 23 // consent, 12 of the survey, instructions, two checks, comment; on each question stance, view and importance
	moderationDelay = 2 * time.Hour
)

// plan is the size of a study.
type plan struct {
	slug                                    string
	participants, questions, answers, bytes int
	seed                                    uint64
}

// ratings and votes share what a submission has beyond its fixed answers.
func (p plan) ratings() int {
	return max(1, min(modelsInSet, (p.answers-fixedAnswers+1)/(2*perParticipant)))
}
func (p plan) votes() int { return max(1, (p.answers-fixedAnswers)/perParticipant+1-p.ratings()) }

// files is the study's folder.
func (p plan) files() dataset.Files {
	rng := study.Rand(p.seed, "texts")
	var questions, responses, seeds strings.Builder
	questions.WriteString("question_id,source,topic,question,option_1,option_2\n")
	responses.WriteString("question_id,model,llm_response\n")
	seeds.WriteString("question_id,statement\n")
	for q := range p.questions {
		fmt.Fprintf(&questions, "%d,made up,topic %d,Should %s?,It should,It should not\n", q+1, q%20+1, sentence(rng, 12))
		for m := range modelsInSet {
			fmt.Fprintf(&responses, "%d,model-%c,%s\n", q+1, 'a'+m, words(rng, 400))
		}
		for range seedsPerSet {
			fmt.Fprintf(&seeds, "%d,%s\n", q+1, sentence(rng, 14))
		}
	}
	people := p.participants*perParticipant/p.questions + 1
	return dataset.Files{
		"consent.md":    []byte("# About this study\n\nNobody takes part in it: it was made to measure with.\n"),
		"questions.csv": []byte(questions.String()), "responses.csv": []byte(responses.String()), "seeds.csv": []byte(seeds.String()),
		"study.yaml": fmt.Appendf(nil, `title: A study of full size
slug: %s
language: en
contact: team@example.org
recruitment:
  minutes: 25
  reservation_minutes: 45
  prolific:
    codes: {completed: SCALEDONE, no_consent: SCALENO, screened_out: SCALEOUT, failed_checks: SCALECHECK, over_quota: SCALEFULL}
flow:
  - consent: {file: consent.md}
  - survey: {instrument: us-demographics, items_per_page: 4}
  - overton:
      questions: questions.csv
      responses: responses.csv
      seeds: seeds.csv
      questions_per_participant: %d
      participants_per_question: %d
      responses_per_question: %d
      votes_per_question: %d
      moderation: before
  - feedback: {}
checks:
  - instructed: {after: 1, text: "Please choose 2 here.", answer: 2}
  - instructed: {after: 2, text: "Please choose 4 here.", answer: 4}
quotas:
  - {variable: SEX, targets: {Male: %d, Female: %d}}
`, p.slug, perParticipant, people, p.ratings(), p.votes(), p.participants, p.participants),
	}
}

// written is a statement and the tallies that grow while people vote.
type written struct {
	study.Statement
	from time.Time // when peers may see it
}

// field is the study while people walk it, one after another.
type field struct {
	st          *study.Study
	plan        plan
	opened, now time.Time

	order      []string // question ids, shuffled
	models     map[string][]string
	candidates map[string][]*written // by question
	byID       map[string]*written
	records    []study.Record
	written    []*written // by participants
	answers    int
	votes      int
}

func newField(st *study.Study, p plan, seeds []study.Statement, opened, now time.Time) *field {
	f := &field{st: st, plan: p, opened: opened, now: now, models: map[string][]string{}, candidates: map[string][]*written{}, byID: map[string]*written{}}
	for _, q := range st.Questions.Questions {
		f.order = append(f.order, q.ID)
	}
	for _, r := range st.Questions.Responses {
		f.models[r.Question] = append(f.models[r.Question], r.Model)
	}
	rng := study.Rand(p.seed, "order")
	rng.Shuffle(len(f.order), func(i, j int) { f.order[i], f.order[j] = f.order[j], f.order[i] })
	for _, s := range seeds {
		w := &written{s, opened}
		f.candidates[s.Question] = append(f.candidates[s.Question], w)
		f.byID[s.ID] = w
	}
	return f
}

// statements are those that participants wrote.
func (f *field) statements() []study.Statement {
	all := make([]study.Statement, len(f.written))
	for i, w := range f.written {
		all[i] = w.Statement
	}
	return all
}

// medians are the seconds that people spend on the pages of each kind, and how
// far they spread: half the distance from the 10th to the 90th percentile of
// their logarithms, in standard deviations.
var medians = map[study.StepKind]struct{ seconds, spread float64 }{
	study.StepConsent: {7, .8}, study.StepSurvey: {44, .55}, study.StepInstructions: {15, .7}, study.StepView: {97, .75},
	study.StepRating: {35, .75}, study.StepVote: {9, .6}, study.StepCheck: {8, .5}, study.StepFeedback: {12, .9},
}

// person is how somebody behaves.
type person struct {
	pace     float64       // multiplies times
	leaves   int           // page at which they leave; beyond the last: not
	declines bool          // the consent
	fails    bool          // the checks
	straight bool          // always the same rating
	empty    bool          // free responses of no content
	ends     study.Outcome // if not complete
}

func draw(rng *rand.Rand) person {
	who := person{pace: math.Exp(.3 * rng.NormFloat64()), leaves: math.MaxInt}
	switch u := rng.Float64(); {
	case u < .02:
		who.declines = true
	case u < .12:
		who.leaves = 1 + rng.IntN(30)
	case u < .135:
		who.ends = study.TimedOut
	case u < .145:
		who.ends = study.Returned
	case u < .15:
		who.ends = study.OverQuota
	case u < .165:
		who.fails = true
	}
	switch u := rng.Float64(); {
	case u < .03:
		who.straight = true
	case u < .05:
		who.pace = .12
	case u < .07:
		who.empty = true
	}
	return who
}

// walk takes the n-th person through the flow, as far as they come until now.
func (f *field) walk(n int) {
	rng := study.Rand(f.plan.seed, fmt.Sprint("person ", n))
	who := draw(rng)
	began := f.opened.Add(time.Duration(float64(f.now.Sub(f.opened)) * (float64(n) + rng.Float64()) / float64(f.plan.participants)))
	r := study.Record{Pseudonym: fmt.Sprintf("p%s%06d", f.plan.slug, n), Seed: rng.Uint64(), Round: 1, Started: began, Last: began}
	p := study.Progress{Answers: map[study.Key]string{}, Round: 1}
	for i := range perParticipant {
		question := f.order[(n*perParticipant+i)%len(f.order)]
		models := study.ChooseModels(f.models[question], f.plan.ratings(), rng)
		r.Slots = append(r.Slots, study.RecordSlot{Question: question, Models: models, State: "reserved"})
		p.Slots = append(p.Slots, study.Slot{Question: question, Models: models, VotesWanted: study.VotesUnknown})
	}
	rating := fmt.Sprint(3 + rng.IntN(3))
	for pages := 0; ; pages++ {
		step := f.st.Next(p)
		for step.Kind == study.NeedBallot {
			f.drawBallot(&r, &p, step.Slot, rng)
			step = f.st.Next(p)
		}
		if step.Kind == study.StepEnd || pages == who.leaves {
			break
		}
		m := medians[step.Kind]
		active := m.seconds * who.pace * math.Exp(m.spread*rng.NormFloat64()) * math.Pow(.75, float64(max(0, step.Slot)))
		shown := r.Last.Add(time.Duration(rng.IntN(400)+80) * time.Millisecond)
		answered := shown.Add(time.Duration(active * float64(time.Second) * (1 + .1*rng.Float64())))
		if answered.After(f.now) {
			break
		}
		for _, field := range step.Fields {
			value := f.answer(field, who, rating, rng)
			a := study.Answer{Key: field.Key, Value: value, Round: 1, Shown: shown, Answered: answered, Active: time.Duration(active * float64(time.Second)).Truncate(time.Millisecond), Revision: 1}
			r.Answers = append(r.Answers, a)
			p.Answers[field.Key] = value
			f.follow(&r, a, rng)
		}
		r.Last = answered
		if step.Kind == study.StepConsent {
			if r.Consented = answered; who.declines {
				r.Consented, r.Outcome = time.Time{}, study.NoConsent
				break
			}
		}
		if step.Kind == study.StepSurvey && who.ends == study.OverQuota {
			r.Outcome = study.OverQuota
			break
		}
	}
	if r.Outcome == study.InProgress && f.st.Next(p).Kind == study.StepEnd {
		if r.Outcome = study.Completed; who.ends != "" {
			r.Outcome = who.ends
		} else if _, failed := f.st.FailedChecks(p.Answers); failed {
			r.Outcome = study.FailedChecks
		}
	}
	if r.Outcome != study.InProgress {
		r.Ended = r.Last
		state := "released"
		if r.Outcome == study.Completed {
			state = "done"
		}
		for i := range r.Slots {
			r.Slots[i].State = state
		}
	}
	f.answers += len(r.Answers)
	f.records = append(f.records, r)
}

// drawBallot draws a statement for a vote, or settles the slot without.
func (f *field) drawBallot(r *study.Record, p *study.Progress, at int, rng *rand.Rand) {
	slot := &p.Slots[at]
	var all []*written
	var candidates []study.Candidate
	for _, w := range f.candidates[slot.Question] {
		drawn := slices.ContainsFunc(slot.Ballots, func(b study.Ballot) bool { return b.Statement == w.ID })
		if w.State == study.StatementServed && !w.from.After(r.Last) && w.Author != r.Pseudonym && !drawn {
			all = append(all, w)
			candidates = append(candidates, study.Candidate{Statement: w.ID, Votes: w.Agree + w.Disagree + w.Neutral})
		}
	}
	cast := slot.Votes(p.Answers)
	slot.VotesWanted = study.VotesWanted(f.plan.votes(), cast, len(candidates))
	if cast >= slot.VotesWanted {
		return
	}
	i, probability := study.ChooseStatement(candidates, study.Mixing, rng)
	all[i].Drawn++
	slot.Ballots = append(slot.Ballots, study.Ballot{Statement: all[i].ID})
	r.Ballots = append(r.Ballots, study.RecordBallot{Statement: all[i].ID, Question: slot.Question, Position: len(slot.Ballots),
		Probability: probability, Candidates: len(candidates), Round: 1, Drawn: r.Last})
}

// answer makes an acceptable value.
func (f *field) answer(field study.Field, who person, rating string, rng *rand.Rand) string {
	switch kind := field.Key.Kind; {
	case kind == study.KindConsent && who.declines:
		return study.No
	case kind == study.KindConsent:
		return study.Yes
	case kind == study.KindView && who.empty:
		return []string{"idk", "n/a", "...", "nothing", "asdf"}[rng.IntN(5)]
	case kind == study.KindView:
		return words(rng, max(20, int(float64(f.plan.bytes)*math.Exp(.5*rng.NormFloat64()-.125))))
	case kind == study.KindFeedback:
		return ""
	case kind == study.KindCheck && who.fails:
		return "5"
	case kind == study.KindCheck:
		return map[string]string{"1": "2", "2": "4"}[field.Key.Subject]
	case kind == study.KindRating && who.straight:
		return rating
	case kind == study.KindVote && rng.IntN(12) == 0:
		return study.Skip
	case kind == study.KindVote:
		return field.Options[rng.IntN(3)]
	}
	return field.Options[rng.IntN(len(field.Options))]
}

// follow makes a statement of a free response, and counts a vote.
func (f *field) follow(r *study.Record, a study.Answer, rng *rand.Rand) {
	switch a.Key.Kind {
	case study.KindView:
		w := &written{study.Statement{ID: fmt.Sprint("new ", len(f.written)), Question: a.Key.Scope, Author: r.Pseudonym, Text: a.Value,
			State: study.StatementServed, Created: a.Answered}, a.Answered.Add(moderationDelay)}
		if w.from.After(f.now) {
			w.State = study.StatementPending
		} else if rng.IntN(40) == 0 {
			w.State = study.StatementRejected
		}
		f.written = append(f.written, w)
		f.byID[w.ID] = w
		f.candidates[a.Key.Scope] = append(f.candidates[a.Key.Scope], w)
	case study.KindVote:
		w := f.byID[a.Key.Subject]
		switch a.Value {
		case study.Agree:
			w.Agree++
		case study.Disagree:
			w.Disagree++
		case study.Neutral:
			w.Neutral++
		case study.Skip:
			w.Skip++
			return
		}
		f.votes++
	}
}

var vocabulary = strings.Fields(`people should have more say in what their town does about roads schools parks and taxes because nobody else knows
	what they need although some would rather leave it to those who study such things for a living and I can see why if money is short
	then we must choose between good and cheap every day of the year my own family always did well without it but others may not`)

// words makes about n bytes of text without commas or quotes.
func words(rng *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(vocabulary[rng.IntN(len(vocabulary))])
	}
	b.WriteByte('.')
	return b.String()
}

// sentence is n words.
func sentence(rng *rand.Rand, n int) string {
	var all []string
	for range n {
		all = append(all, vocabulary[rng.IntN(len(vocabulary))])
	}
	return strings.Join(all, " ")
}
