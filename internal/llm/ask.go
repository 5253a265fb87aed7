package llm

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"overton/internal/instrument"
	"overton/internal/score"
)

// Mode is a way of asking a model an item. Its name is that of its prompt.
type Mode struct {
	Name string
	// Context is what files of answers call it.
	Context string
	// Steered says what kind of target the model is told to answer as.
	Steered Steering
	// Tag surrounds the letter of the answer; "": the letter begins the answer,
	// and what counts is its probability.
	Tag string
	// After is the mode whose answer the model is shown again.
	After string

	maxTokens int
}

// Steering is the kind of a mode's targets.
type Steering string

// Kinds of targets.
const (
	Unsteered  Steering = ""
	ByGroup    Steering = "group"    // one of an attribute's groups, as “SEX: Female”
	ByCountry  Steering = "country"  // a country, as the file of questions has it
	ByLanguage Steering = "language" // a language in which the item is asked, as ru (BCP 47)
)

// Limits on answers, in tokens. A letter needs one, but may come after a space or a bracket.
const (
	letterTokens  = 8
	directTokens  = 256
	thoughtTokens = 2048
)

// modes are those of the papers: of POBs (Kour et al. 2025), of OpinionQA
// (Santurkar et al. 2023, section 3) and of GlobalOpinionQA (Durmus et al. 2023,
// section 2).
var modes = []Mode{
	{Name: score.ModeDirect, Context: score.ModeDirect, Tag: "answer", maxTokens: directTokens},
	{Name: score.ModeReasoning, Context: score.ModeReasoning, Tag: "answer", maxTokens: thoughtTokens},
	{Name: score.ModeReflection, Context: score.ModeReflection, Tag: "reconsidered_answer",
		After: score.ModeReasoning, maxTokens: thoughtTokens},
	{Name: "default", Context: score.DefaultContext, maxTokens: letterTokens},
	{Name: "qa", Context: "qa", Steered: ByGroup, maxTokens: letterTokens},
	{Name: "bio", Context: "bio", Steered: ByGroup, maxTokens: letterTokens},
	{Name: "portray", Context: "portray", Steered: ByGroup, maxTokens: letterTokens},
	{Name: "global", Context: score.DefaultContext, maxTokens: letterTokens},
	{Name: "cross-national", Context: "cross-national", Steered: ByCountry, maxTokens: letterTokens},
	{Name: "linguistic", Context: "linguistic", Steered: ByLanguage, maxTokens: letterTokens},
}

// Modes finds modes by name, in the order of the papers. A mode that follows another mode brings that one
// with it.
func Modes(names ...string) ([]Mode, error) {
	var list []Mode
	for _, name := range names {
		if !slices.ContainsFunc(modes, func(m Mode) bool { return m.Name == name }) {
			return nil, fmt.Errorf("there is no mode %q; expected one of %s", name, strings.Join(ModeNames(), ", "))
		}
	}
	if slices.Contains(names, "default") && slices.Contains(names, "global") {
		return nil, fmt.Errorf("modes default and global are two prompts for the same purpose; expected one of them")
	}
	for _, m := range modes {
		leads := slices.ContainsFunc(modes, func(o Mode) bool { return o.After == m.Name && slices.Contains(names, o.Name) })
		if leads || slices.Contains(names, m.Name) {
			list = append(list, m)
		}
	}
	return list, nil
}

// ModeNames are all modes.
func ModeNames() []string {
	names := make([]string, len(modes))
	for i, m := range modes {
		names[i] = m.Name
	}
	return names
}

// SteeringGroups are the 22 groups that OpinionQA steers models to (Santurkar
// et al. 2023, Table 4), named as in its metadata.
func SteeringGroups() []string {
	return []string{
		"CREGION: Northeast", "CREGION: South",
		"EDUCATION: College graduate/some postgrad", "EDUCATION: Less than high school",
		"SEX: Male", "SEX: Female",
		"POLIDEOLOGY: Liberal", "POLIDEOLOGY: Conservative", "POLIDEOLOGY: Moderate",
		"INCOME: $100,000 or more", "INCOME: Less than $30,000",
		"POLPARTY: Democrat", "POLPARTY: Republican",
		"RACE: Black", "RACE: White", "RACE: Asian", "RACE: Hispanic",
		"RELIG: Protestant", "RELIG: Jewish", "RELIG: Hindu", "RELIG: Atheist", "RELIG: Muslim",
	}
}

// SteeringLanguages are those that GlobalOpinionQA asks in.
func SteeringLanguages() []string { return []string{"ru", "zh", "tr"} }

// Order is the order in which options are shown. Refusals come last in each.
type Order string

// Orders.
const (
	InOrder  Order = "survey" // as in the instrument
	Reversed Order = "reversed"
	Permuted Order = "permuted" // drawn for each item, the same for all models
)

// Orders are all of them.
func Orders() []Order { return []Order{InOrder, Reversed, Permuted} }

// shown lists the options of an item in the order shown.
func (o Order) shown(it instrument.Item, seed uint64) []int {
	var answers, refusals []int
	for k, option := range it.Options {
		if option.Refusal {
			refusals = append(refusals, k)
		} else {
			answers = append(answers, k)
		}
	}
	switch o {
	case Reversed:
		slices.Reverse(answers)
	case Permuted:
		rng := rand.New(rand.NewPCG(seed, hashOf(it.ID)))
		rng.Shuffle(len(answers), func(i, j int) { answers[i], answers[j] = answers[j], answers[i] })
	default:
		all := make([]int, len(it.Options))
		for k := range all {
			all[k] = k
		}
		return all
	}
	return append(answers, refusals...)
}

// hashOf spreads texts over all numbers, even those that differ only in a digit.
func hashOf(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:])
}

// Questionnaire is an instrument, and how to ask models its items.
type Questionnaire struct {
	Instrument instrument.Instrument
	Prompts    *Prompts
	Modes      []Mode
	Orders     []Order

	// Targets of the modes that are steered.
	Groups, Countries, Languages []string

	// Repetitions is how often an item is asked in modes with tags, Samples how
	// often in the others if there are no log-probabilities.
	Repetitions, Samples int
	// SamplesOnly ignores log-probabilities even if a model has them.
	SamplesOnly bool
	// Begin starts the answers of chat models too, not only of models that complete a text.
	Begin bool

	// Lenient accepts answers that break the required form but are unambiguous.
	Lenient bool

	Temperature *float64
	MaxTokens   int // 0: as each mode needs
	Seed        uint64

	// Translations made beforehand take precedence over those of the instrument.
	Translations []Translation
}

// targets are those of a mode; [""] for one that is not steered.
func (q *Questionnaire) targets(m Mode) []string {
	switch m.Steered {
	case ByGroup:
		return q.Groups
	case ByCountry:
		return q.Countries
	case ByLanguage:
		return q.Languages
	}
	return []string{""}
}

// MostOptions is how many options letters can name.
const MostOptions = 26

// Check says what cannot be asked.
func (q *Questionnaire) Check() error {
	for _, it := range q.Instrument.Items {
		if n := len(it.Options); n > MostOptions {
			return fmt.Errorf("item %s of %s has %d options; expected at most %d, one for each letter", it.ID, q.Instrument.Name, n, MostOptions)
		}
	}
	for _, m := range q.Modes {
		targets := q.targets(m)
		if len(targets) == 0 {
			return fmt.Errorf("mode %s needs a %s to answer as; none is given", m.Name, m.Steered)
		}
		for _, target := range targets {
			if _, err := q.steer(m, target); err != nil {
				return err
			}
		}
	}
	return nil
}

// shown is what a prompt can show.
type shown struct {
	Question string
	Options  []shownOption

	Target string // whom to answer as, as named in files
	Self   string // who the target is, in the words of the prompt of that name
	About  *shown // the target's own question, answered (mode qa)
	Answer string // of About: the letter

	Previous string // what the model answered before (mode reflection)
	Language string // to translate into, in English
}

// shownOption is one option as a prompt lists it.
type shownOption struct {
	Letter string
	Number int // from 1
	Label  string
}

// show puts a wording's options in an order.
func show(w instrument.Wording, order []int) shown {
	s := shown{Question: inert(w.Text)}
	for at, k := range order {
		s.Options = append(s.Options, shownOption{instrument.Letter(at), at + 1, inert(w.Labels[k])})
	}
	return s
}

// inert makes a text of an instrument one line, so that it cannot list options or speak for the model, and
// breaks the tags that answers are read from, in case a model repeats it.
func inert(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, tag := range []string{"answer", "reconsidered_answer", "think", "rethink"} {
		for _, open := range []string{"<", "</"} {
			text = replaceFold(text, open+tag+">", "‹"+open[1:]+tag+">")
		}
	}
	return text
}

// replaceFold replaces text that equals a lower-case ASCII text except for case.
func replaceFold(text, old, with string) string {
	for at := 0; at+len(old) <= len(text); {
		if strings.EqualFold(text[at:at+len(old)], old) {
			text = text[:at] + with + text[at+len(old):]
			at += len(with)
		} else {
			at++
		}
	}
	return text
}

// steer says who a target is, as the mode's prompt needs it.
func (q *Questionnaire) steer(m Mode, target string) (shown, error) {
	s := shown{Target: target}
	if m.Steered != ByGroup {
		return s, nil
	}
	attribute, group, ok := strings.Cut(target, ": ")
	if !ok {
		return s, fmt.Errorf("%q is not a group; expected one such as %s", target, SteeringGroups()[0])
	}
	if m.Name == "qa" {
		it, _ := instrument.USDemographics().Item(attribute)
		k := slices.IndexFunc(it.Options, func(o instrument.Option) bool { return o.Code == group })
		if k < 0 {
			return s, fmt.Errorf("%q is not a group of the demographic questions; expected one such as %s", target, SteeringGroups()[0])
		}
		about := show(it.In(""), InOrder.shown(it, 0))
		about.Answer = instrument.Letter(k)
		s.About = &about
		return s, nil
	}
	self, err := q.Prompts.Text(m.Name, target, nil)
	if err == nil && self == "" {
		err = fmt.Errorf(`prompt %s.txt has no words for %q; expected {{define "%s"}}…{{end}}`, m.Name, target, target)
	}
	s.Self = self
	return s, err
}

// asking is an item asked of a model in one way, as often as necessary.
type asking struct {
	q      *Questionnaire
	model  *Model
	mode   *Mode
	order  Order
	target string
	item   int
	shown  []int // positions of the item's options, in the order shown
	fill   shown
}

// askings lists everything asked in some modes. Items without a wording in a language are skipped.
func (q *Questionnaire) askings(models Models, which func(Mode) bool, wordings wordings) iter.Seq2[*asking, error] {
	return func(yield func(*asking, error) bool) {
		for i := range models {
			for m := range q.Modes {
				mode := &q.Modes[m]
				if !which(*mode) {
					continue
				}
				for _, order := range q.Orders {
					for _, target := range q.targets(*mode) {
						self, err := q.steer(*mode, target)
						if err != nil {
							yield(nil, err)
							return
						}
						for item, it := range q.Instrument.Items {
							a := &asking{q: q, model: &models[i], mode: mode, order: order, target: target, item: item, shown: order.shown(it, q.Seed)}
							wording, ok := it.In(""), true
							if mode.Steered == ByLanguage {
								wording, ok = wordings.of(it, models[i].Name, target)
							}
							if !ok {
								continue
							}
							a.fill = show(wording, a.shown)
							a.fill.Target, a.fill.Self, a.fill.About = self.Target, self.Self, self.About
							if !yield(a, nil) {
								return
							}
						}
					}
				}
			}
		}
	}
}

// id names the asking's repetition in a run, from 1.
func (a *asking) id(repetition int) string {
	return a.idIn(a.mode.Name, repetition)
}

func (a *asking) idIn(mode string, repetition int) string {
	return strings.Join([]string{mode, string(a.order), url.PathEscape(a.target),
		url.PathEscape(a.q.Instrument.Items[a.item].ID), url.PathEscape(a.model.Name), strconv.Itoa(repetition)}, "/")
}

// byProbability says whether the model is asked for log-probabilities.
func (a *asking) byProbability() bool {
	return a.mode.Tag == "" && a.model.LogProbs > 0 && !a.q.SamplesOnly
}

// times is how often the item is asked initially.
func (a *asking) times() int {
	switch {
	case a.mode.Tag != "":
		return a.q.Repetitions
	case a.byProbability():
		return 1
	}
	return a.q.Samples
}

// request writes one repetition. previous is the answer shown by a mode that follows another.
func (a *asking) request(repetition int, previous string) (Request, error) {
	fill := a.fill
	fill.Previous = previous
	messages, err := a.q.Prompts.messages(a.mode.Name, fill, a.q.Begin || a.model.Endpoint == Completion)
	if err != nil {
		return Request{}, err
	}
	r := Request{ID: a.id(repetition), Model: a.model.Name, Messages: messages}
	r.Temperature, r.MaxTokens = a.q.Temperature, a.q.MaxTokens
	if r.MaxTokens == 0 {
		r.MaxTokens = a.mode.maxTokens
	}
	if a.byProbability() && repetition == 1 {
		r.LogProbs = a.model.LogProbs
	}
	r.Seed = new(seedOf(a.q.Seed, r.ID))
	return r, nil
}

// seedOf is a seed of 31 bits, the longest that endpoints take.
func seedOf(seed uint64, id string) int {
	return int(hashOf(string(binary.BigEndian.AppendUint64(nil, seed))+id) >> 33)
}

// messages fills in a prompt. begin adds the beginning of the answer.
func (p *Prompts) messages(name string, data any, begin bool) ([]Message, error) {
	var list []Message
	for _, part := range []string{System, User, Assistant} {
		definition := part
		if part == User {
			definition = ""
		}
		text, err := p.Text(name, definition, data)
		if err != nil {
			return nil, err
		}
		if text != "" && (part != Assistant || begin) {
			list = append(list, Message{part, text})
		}
	}
	return list, nil
}
