package llm

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"overton/internal/instrument"
	"overton/internal/score"
)

// Methods by which the probabilities of options were found.
const (
	ByLogProbs = "logprobs" // those of the first token that names one
	BySamples  = "samples"  // how often each was answered
)

// Tally is one model's answers to one item asked in one way.
type Tally struct {
	Model, Context, Target string
	Order                  Order
	Item                   int   // position in the instrument
	Shown                  []int // positions of the item's options, in the order shown

	Method string
	// Mass is each option's probability, or how often it was answered, in the order of the item's options;
	// nil if no answer names an option.
	Mass []float64
	// Asked is the number of answers received; Invalid of those that name no option.
	Asked, Invalid int
	// Missing is the probability that the answer does not begin with an option's letter; NaN for samples.
	Missing float64
}

// Reply is one answer as received, in the modes with tags.
type Reply struct {
	Model, Context string
	Order          Order
	Item           int
	Repetition     int
	Prompt, Text   string
}

// asShown is the item as the model saw it, for interpreting its answer.
func (a *asking) asShown() instrument.Item {
	it := instrument.Item{}
	for _, o := range a.fill.Options {
		it.Options = append(it.Options, instrument.Option{Code: o.Letter, Label: o.Label})
	}
	return it
}

// option reads the option that a text names, as a position in the item.
func (a *asking) option(it instrument.Item, text string) int {
	k := instrument.NoOption
	if a.mode.Tag == "" {
		k = it.Led(afterThought(text))
	} else if k = it.Tagged(text, a.mode.Tag); k == instrument.NoOption && a.q.Lenient {
		k = it.TaggedLoosely(text, a.mode.Tag)
	}
	if k == instrument.NoOption {
		return k
	}
	return a.shown[k]
}

// afterThought removes what a model wrote for itself before its answer.
func afterThought(text string) string {
	const end = "</think>"
	if at := strings.LastIndex(text, end); at >= 0 {
		return text[at+len(end):]
	}
	return text
}

// tally counts the answers to an asking, in the order of repetitions.
func (a *asking) tally(answers []Answer) Tally {
	it := a.q.Instrument.Items[a.item]
	t := Tally{Model: a.model.Name, Context: a.mode.Context, Target: a.target, Order: a.order, Item: a.item, Shown: a.shown,
		Method: BySamples, Asked: len(answers), Missing: math.NaN()}
	if a.byProbability() && len(answers) > 0 && len(answers[0].LogProbs) > 0 {
		t.Method, t.Asked = ByLogProbs, 1
		if t.Mass, t.Missing = a.probabilities(it, answers[0].LogProbs); t.Mass == nil {
			t.Invalid = 1
		}
		return t
	}
	shown := a.asShown()
	for _, answer := range answers {
		k := a.option(shown, answer.Text)
		if k == instrument.NoOption {
			t.Invalid++
			continue
		}
		if t.Mass == nil {
			t.Mass = make([]float64, len(it.Options))
		}
		t.Mass[k]++
	}
	return t
}

// probabilities reads the options' probabilities from the first token that contains a letter or digit;
// brackets, stars and spaces may come before it (metric of OpinionQA: see score.FromLogProbs). An endpoint
// reports only the likeliest tokens; options not among them share what is left over. If it reports no option
// at all, the answer names none, and mass is nil.
func (a *asking) probabilities(it instrument.Item, tokens []Token) (mass []float64, missing float64) {
	at := slices.IndexFunc(tokens, func(t Token) bool {
		return strings.ContainsFunc(t.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	})
	if at < 0 {
		return nil, 1
	}
	top := map[string]float64{}
	for _, t := range append([]TopToken{{tokens[at].Text, tokens[at].LogProb}}, tokens[at].Top...) {
		top[t.Text] = t.LogProb
	}
	letters := make([]string, len(it.Options))
	answers := 0
	for position, k := range a.shown {
		letters[k] = instrument.Letter(position)
		if !it.Options[k].Refusal {
			answers++
		}
	}
	// A token such as “(A” names an option where no plainer one does.
	for _, letter := range letters {
		_, plain := top[letter]
		_, blank := top[" "+letter]
		for _, bracketed := range []string{"(" + letter, " (" + letter} {
			if p, ok := top[bracketed]; ok && !plain && !blank {
				top[letter], plain = p, true
				delete(top, bracketed)
			}
		}
	}
	o := score.FromLogProbs(top, letters, answers, score.SharedRest)
	missing = 1
	for k, absent := range o.Missing {
		if !absent {
			missing -= o.Mass[k]
		}
	}
	if !slices.Contains(o.Missing, false) {
		return nil, 1
	}
	return o.Mass, math.Max(0, missing)
}
