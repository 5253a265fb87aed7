package llm

import (
	"fmt"
	"iter"
)

// Asked is what models answered to a questionnaire.
type Asked struct {
	Tallies []Tally // by model, mode, order, target and item
	Replies []Reply // in the same order, and by repetition

	// Translations are those that models made, whole ones; Untranslated counts
	// the items that could not be asked in a language because there is no translation.
	Translations []Translation
	Untranslated int
}

// Asker sends a round of requests (see Run.Do), some of which may remain without an answer.
type Asker func(iter.Seq[Request]) error

// Finder finds the answer to a request (see Run.Answer).
type Finder func(id string) (Answer, bool, error)

// Ask asks models the questionnaire in up to three rounds: missing translations, every item, and what depends
// on the answers: answers to reconsider, and repeated samples if log-probabilities were expected but not
// returned.
func (q *Questionnaire) Ask(models Models, ask Asker, find Finder) (*Asked, error) {
	asked := &Asked{}
	if err := round(ask, q.translating(models)); err != nil {
		return nil, err
	}
	ws := q.known()
	for t, it := range q.missing(models) {
		answer, _, err := find(translationID(t.Model, t.Language, t.Item))
		if err != nil {
			return nil, err
		}
		wording, ok := translation(answer.Text, len(it.Options))
		if !ok {
			asked.Untranslated++
			continue
		}
		t.Wording = wording
		ws[[3]string{t.Model, t.Language, t.Item}] = t.Wording
		asked.Translations = append(asked.Translations, t)
	}
	if err := round(ask, q.first(models, ws)); err != nil {
		return nil, err
	}
	if err := round(ask, q.further(models, ws, find)); err != nil {
		return nil, err
	}
	return asked, q.collect(asked, models, ws, find)
}

// round sends some requests after iterating over them once: what cannot be written is an error before
// anything is sent.
func round(ask Asker, list iter.Seq2[Request, error]) error {
	some := false
	for _, err := range list {
		if err != nil {
			return err
		}
		some = true
	}
	if !some {
		return nil
	}
	return ask(func(yield func(Request) bool) {
		for r := range list {
			if !yield(r) {
				return
			}
		}
	})
}

// first are the requests that depend on no answer.
func (q *Questionnaire) first(models Models, ws wordings) iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		for a, err := range q.askings(models, func(m Mode) bool { return m.After == "" }, ws) {
			if err != nil {
				yield(Request{}, err)
				return
			}
			for repetition := 1; repetition <= a.times(); repetition++ {
				if r, err := a.request(repetition, ""); !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// further are the requests that depend on answers.
func (q *Questionnaire) further(models Models, ws wordings, find Finder) iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		for a, err := range q.askings(models, func(Mode) bool { return true }, ws) {
			if err != nil {
				yield(Request{}, err)
				return
			}
			more, err := a.further(find)
			if err != nil {
				yield(Request{}, err)
				return
			}
			for _, r := range more {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

func (a *asking) further(find Finder) ([]Request, error) {
	var more []Request
	switch {
	case a.mode.After != "":
		for repetition := 1; repetition <= a.times(); repetition++ {
			before, ok, err := find(a.idIn(a.mode.After, repetition))
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			r, err := a.request(repetition, before.Text)
			if err != nil {
				return nil, err
			}
			more = append(more, r)
		}
	case a.byProbability():
		first, ok, err := find(a.id(1))
		if err != nil || !ok || len(first.LogProbs) > 0 {
			return nil, err
		}
		for repetition := 2; repetition <= a.q.Samples; repetition++ {
			r, err := a.request(repetition, "")
			if err != nil {
				return nil, err
			}
			more = append(more, r)
		}
	}
	return more, nil
}

// collect reads all answers.
func (q *Questionnaire) collect(asked *Asked, models Models, ws wordings, find Finder) error {
	for a, err := range q.askings(models, func(Mode) bool { return true }, ws) {
		if err != nil {
			return err
		}
		var answers []Answer
		for repetition := 1; repetition <= max(a.q.Repetitions, a.q.Samples); repetition++ {
			answer, ok, err := find(a.id(repetition))
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			answers = append(answers, answer)
			if a.mode.Tag == "" {
				continue
			}
			reply, err := a.reply(repetition, answer, find)
			if err != nil {
				return err
			}
			asked.Replies = append(asked.Replies, reply)
		}
		asked.Tallies = append(asked.Tallies, a.tally(answers))
	}
	return nil
}

// reply keeps an answer with the prompt that it answers.
func (a *asking) reply(repetition int, answer Answer, find Finder) (Reply, error) {
	previous := ""
	if a.mode.After != "" {
		before, _, err := find(a.idIn(a.mode.After, repetition))
		if err != nil {
			return Reply{}, err
		}
		previous = before.Text
	}
	r, err := a.request(repetition, previous)
	if err != nil {
		return Reply{}, err
	}
	reply := Reply{Model: a.model.Name, Context: a.mode.Context, Order: a.order, Item: a.item, Repetition: repetition, Text: answer.Text}
	for i, m := range r.Messages {
		if i > 0 {
			reply.Prompt += "\n\n"
		}
		reply.Prompt += m.Content
	}
	return reply, nil
}

// Rehearsed finds an answer to every request. If there is none yet, it makes one up, so that all rounds can
// be gone through before anything is asked.
func (q *Questionnaire) Rehearsed(models Models, find Finder) Finder {
	lines := map[string]string{}
	for t, it := range q.missing(models) {
		text := "0. " + inert(it.Text)
		for k, o := range it.Options {
			text += fmt.Sprintf("\n%d. %s", k+1, inert(o.Label))
		}
		lines[translationID(t.Model, t.Language, t.Item)] = text
	}
	return func(id string) (Answer, bool, error) {
		a, ok, err := find(id)
		if ok || err != nil {
			return a, ok, err
		}
		if text, ok := lines[id]; ok {
			return Answer{ID: id, Text: text}, true, nil
		}
		return Answer{ID: id, Text: "<answer>A</answer>", LogProbs: []Token{{Text: "A"}}}, true, nil
	}
}
