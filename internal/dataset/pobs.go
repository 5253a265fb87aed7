package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"overton/internal/instrument"
	"overton/internal/score"
)

// Files of POBs (Kour et al. 2025) as they were released. Their quirks:
//
//   - A topic has no mark for being polar: its questions have options_polarity,
//     or the key is absent.
//   - The last option is the refusal, whatever its label and its letter.
//   - Polarities may run against the options' order, skip 0, or be tied;
//     integers stand among decimals.
//   - The declarative file has its topics in another order, and one name with
//     another apostrophe.
//   - A response file repeats the whole survey under another title; one with
//     reconsidered answers holds two modes.
//   - Stored polarities follow one of two codings, so letters are trusted.

// pobsSurvey is a POBs file, with answers or without.
type pobsSurvey struct {
	Survey *struct {
		Title  string `json:"title"`
		Topics []struct {
			Name      string         `json:"name"`
			Category  string         `json:"category"`
			Questions []pobsQuestion `json:"questions"`
		} `json:"topics"`
	} `json:"survey"`
}

type pobsQuestion struct {
	ID              *int       `json:"id"`
	Question        string     `json:"question"`
	Options         []string   `json:"options"`
	OptionsPolarity []*float64 `json:"options_polarity"`

	Response       *string  `json:"response"`
	Selected       *string  `json:"selected"`
	Reasoning      filled   `json:"reasoning"`
	AnswerPolarity *float64 `json:"answer_polarity"`

	Reconsideration       *string  `json:"reconsideration_response"`
	ReconsideredSelection *string  `json:"reconsidered_selection"`
	ReconsideredReasoning filled   `json:"reconsidered_reasoning"`
	ReconsideredPolarity  *float64 `json:"reconsidered_polarity"`
	ReconsiderationPrompt present  `json:"reconsideration_prompt"`
}

// present notes whether a key is there, and with a value.
type present int

const (
	nullPrompt present = iota + 1
	filledPrompt
)

func (p *present) UnmarshalJSON(b []byte) error {
	*p = filledPrompt
	if string(b) == "null" {
		*p = nullPrompt
	}
	return nil
}

// filled notes that a text is there and not empty.
type filled bool

func (f *filled) UnmarshalJSON(b []byte) error {
	*f = len(b) > len(`""`) && b[0] == '"'
	return nil
}

// decodeJSON reads a whole JSON file into v. The fault says where it fails.
func decodeJSON(file string, content []byte, v any) error {
	var faults Faults
	text, ok := plainText(file, content, &faults)
	if !ok {
		return faults
	}
	err := json.Unmarshal(text, v)
	if err == nil {
		return nil
	}
	f := Fault{File: file, Message: "is not JSON: " + err.Error()}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		f.Line = lineAt(text, syntax.Offset)
	case errors.As(err, &kind):
		f.Line, f.Column, f.Message = lineAt(text, kind.Offset), kind.Field, fmt.Sprintf("is a %s; expected %s", kind.Value, jsonKind(kind.Type.String()))
	}
	return f
}

// jsonKind is the word for what a Go type accepts.
func jsonKind(goType string) string {
	switch strings.TrimLeft(goType, "*") {
	case "string":
		return "a text"
	case "int":
		return "a whole number"
	case "float64":
		return "a number"
	}
	if strings.HasPrefix(goType, "[]") {
		return "a list"
	}
	return "an object"
}

// lineAt is the line of the byte at an offset.
func lineAt(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(int(offset), len(text))], []byte("\n"))
}

// ReadPobsSurvey reads a POBs survey, the main or the declarative one. Options
// get their letters as codes. In topic names the typographic apostrophe becomes
// the plain one, so that names join.
func ReadPobsSurvey(file string, content []byte) (instrument.Instrument, error) {
	var s pobsSurvey
	if err := decodeJSON(file, content, &s); err != nil {
		return instrument.Instrument{}, err
	}
	var faults Faults
	in := s.instrument(file, &faults)
	return in, faults.orNil()
}

// instrument builds the instrument and finds what is wrong with it.
func (s *pobsSurvey) instrument(file string, faults *Faults) instrument.Instrument {
	in := instrument.Instrument{Name: path.Base(file)}
	refuse := func(place, value, format string, args ...any) {
		*faults = append(*faults, Fault{File: file, Column: place, Value: value, Message: fmt.Sprintf(format, args...)})
	}
	if s.Survey == nil || len(s.Survey.Topics) == 0 {
		refuse("survey.topics", "", "is missing; expected a POBs survey: {\"survey\": {\"topics\": […]}}")
		return in
	}
	in.Title = s.Survey.Title
	seen := map[string]string{}
	ids := map[int]string{}
	for t, topic := range s.Survey.Topics {
		at := fmt.Sprintf("survey.topics[%d]", t)
		name := plainApostrophes(topic.Name)
		if strings.TrimSpace(name) == "" {
			refuse(at+".name", name, "is empty; expected the topic's name")
		} else if first, twice := seen[name]; twice {
			refuse(at+".name", name, "is already the name of %s; expected each once", first)
		}
		seen[name] = at
		if len(topic.Questions) == 0 {
			refuse(at+".questions", "", "is empty; expected the topic's questions")
		}
		in.Topics = append(in.Topics, instrument.Topic{Name: name, Category: topic.Category})
		polar := 0
		for q, question := range topic.Questions {
			place := fmt.Sprintf("%s.questions[%d]", at, q)
			if question.ID == nil {
				refuse(place+".id", "", "is missing; expected a whole number")
				continue
			}
			if first, twice := ids[*question.ID]; twice {
				refuse(place+".id", strconv.Itoa(*question.ID), "is already the id of %s; expected each once", first)
			}
			ids[*question.ID] = place
			if question.OptionsPolarity != nil {
				polar++
			}
			in.Items = append(in.Items, question.item(name, func(key, value, format string, args ...any) { refuse(place+"."+key, value, format, args...) }))
		}
		if polar != 0 && polar != len(topic.Questions) {
			refuse(at+".questions", "", "has options_polarity on %d of %d questions; expected it on all of a topic or on none", polar, len(topic.Questions))
		}
	}
	return in
}

func plainApostrophes(s string) string { return strings.ReplaceAll(s, "\u2019", "'") }

// item starts an item.
func (q *pobsQuestion) item(topic string, refuse func(key, value, format string, args ...any)) instrument.Item {
	it := instrument.Item{ID: strconv.Itoa(*q.ID), Text: q.Question, Topics: []string{topic}}
	if strings.TrimSpace(q.Question) == "" {
		refuse("question", q.Question, "is empty; expected what is asked")
	}
	if n := len(q.Options); n < 2 || n > 26 {
		refuse("options", "", "has %d entries; expected 2 to 26, the last for those who refuse", n)
		return it
	}
	if q.OptionsPolarity != nil && len(q.OptionsPolarity) != len(q.Options) {
		refuse("options_polarity", "", "has %d entries for %d options; expected one for each", len(q.OptionsPolarity), len(q.Options))
		return it
	}
	last := len(q.Options) - 1
	for k, label := range q.Options {
		if strings.TrimSpace(label) == "" {
			refuse(fmt.Sprintf("options[%d]", k), label, "is empty; expected an answer")
		}
		o := instrument.Option{Code: instrument.Letter(k), Label: label, Refusal: k == last}
		if q.OptionsPolarity != nil {
			p := q.OptionsPolarity[k]
			key := fmt.Sprintf("options_polarity[%d]", k)
			switch {
			case k == last && p != nil:
				refuse(key, fmt.Sprint(*p), "belongs to the last option, which is the refusal; expected null")
			case k != last && p == nil:
				refuse(key, "null", "belongs to an answer; expected a number from -1 to 1")
			case p != nil && !(*p >= -1 && *p <= 1):
				refuse(key, fmt.Sprint(*p), "is outside the scale; expected a number from -1 to 1")
			}
			o.Polarity = p
		}
		it.Options = append(it.Options, o)
	}
	return it
}

// PobsResponses is one response file: one repetition of one model.
type PobsResponses struct {
	Model      string // from the file's name; the provider's name inside is not stable
	Repetition int
	Modes      []PobsMode

	// Disagreements counts the answers whose letter, read from the text, is
	// not the one recorded beside it.
	Disagreements int
}

// PobsMode is the answers in one mode, by the position of the survey's items.
type PobsMode struct {
	Mode    string
	Answers []int     // position of the option, score.Invalid where none can be read
	Stored  []float64 // the number in the file, NaN if there is none

	// WithoutReasoning counts the answers that came without any thought
	// written down, though it was asked for.
	WithoutReasoning int
}

// PobsName splits the name of a response file, POBS_model_3.json, into model
// and repetition. Model names may hold underscores, dots and digits.
func PobsName(name string) (model string, repetition int, err error) {
	base, isJSON := strings.CutSuffix(path.Base(name), ".json")
	base, isPobs := strings.CutPrefix(base, "POBS_")
	if at := strings.LastIndexByte(base, '_'); isJSON && isPobs && at > 0 {
		if n, err := strconv.Atoi(base[at+1:]); err == nil && n > 0 {
			return base[:at], n, nil
		}
	}
	return "", 0, Fault{File: name, Message: "is not named as response files are; expected POBS_model_1.json, the number being the repetition"}
}

// ReadPobsResponses reads a response file to a survey. With lenient, answers
// that break the demanded form but leave no doubt are taken too.
func ReadPobsResponses(file string, content []byte, survey instrument.Instrument, lenient bool) (*PobsResponses, error) {
	r := &PobsResponses{}
	var err error
	if r.Model, r.Repetition, err = PobsName(file); err != nil {
		return nil, err
	}
	var s pobsSurvey
	if err := decodeJSON(file, content, &s); err != nil {
		return nil, err
	}
	var faults Faults
	repeated := s.instrument(file, &faults)
	if len(faults) > 0 {
		return nil, faults.ordered()
	}
	at := make(map[string]int, len(survey.Items))
	for i, it := range survey.Items {
		at[it.ID] = i
	}
	direct := newPobsMode(score.ModeDirect, len(survey.Items))
	reflection := newPobsMode(score.ModeReflection, len(survey.Items))
	answered := make([]bool, len(survey.Items))
	reconsidered := false // any answer: a file of reasoning alone has null prompts
	n := -1
	for t := range s.Survey.Topics {
		for q := range s.Survey.Topics[t].Questions {
			n++
			question := &s.Survey.Topics[t].Questions[q]
			place := fmt.Sprintf("survey.topics[%d].questions[%d]", t, q)
			i, ok := at[repeated.Items[n].ID]
			if !ok {
				faults = append(faults, Fault{File: file, Column: place + ".id", Value: repeated.Items[n].ID, Message: "is not the id of a question of the survey"})
				continue
			}
			answered[i] = true
			if key, same := sameItem(survey.Items[i], repeated.Items[n]); !same {
				faults = append(faults, Fault{File: file, Column: place + "." + key, Message: fmt.Sprintf("differs from question %s of the survey; expected the same wording, options and polarities", survey.Items[i].ID)})
				continue
			}
			asked := question.ReconsiderationPrompt == filledPrompt || question.Reconsideration != nil || question.ReconsideredSelection != nil
			reconsidered = reconsidered || asked
			if asked || question.ReconsiderationPrompt == nullPrompt {
				direct.Mode = score.ModeReasoning
			}
			r.read(&direct, i, survey.Items[i], "answer", lenient, question.Response, question.Selected, question.AnswerPolarity)
			if !question.Reasoning {
				direct.WithoutReasoning++
			}
			if direct.Mode == score.ModeReasoning {
				if !question.ReconsideredReasoning {
					reflection.WithoutReasoning++
				}
				r.read(&reflection, i, survey.Items[i], "reconsidered_answer", lenient, question.Reconsideration, question.ReconsideredSelection, question.ReconsideredPolarity)
			}
		}
	}
	if missing := slices.Index(answered, false); missing >= 0 && len(faults) == 0 {
		faults = append(faults, Fault{File: file, Column: "survey.topics", Message: fmt.Sprintf("has no question %s; expected all %d of the survey", survey.Items[missing].ID, len(survey.Items))})
	}
	if len(faults) > 0 {
		return nil, faults.ordered()
	}
	r.Modes = []PobsMode{direct}
	if reconsidered {
		r.Modes = append(r.Modes, reflection)
	}
	return r, nil
}

func newPobsMode(mode string, items int) PobsMode {
	m := PobsMode{Mode: mode, Answers: make([]int, items), Stored: make([]float64, items)}
	for i := range m.Answers {
		m.Answers[i], m.Stored[i] = score.Invalid, math.NaN()
	}
	return m
}

// read takes one answer: from its text, or from the letter recorded where the
// file has no text.
func (r *PobsResponses) read(m *PobsMode, i int, it instrument.Item, tag string, lenient bool, text, selected *string, stored *float64) {
	recorded := score.Invalid
	if selected != nil {
		recorded = it.Lettered(*selected)
	}
	option := recorded
	if text != nil {
		option = it.Tagged(*text, tag)
		if option != recorded {
			r.Disagreements++
		}
		if option == score.Invalid && lenient {
			option = it.TaggedLoosely(*text, tag)
		}
	}
	m.Answers[i] = option
	if stored != nil {
		m.Stored[i] = *stored
	}
}

// sameItem compares a repeated question with the survey's; key is what differs.
func sameItem(a, b instrument.Item) (key string, same bool) {
	if a.Text != b.Text {
		return "question", false
	}
	if len(a.Options) != len(b.Options) {
		return "options", false
	}
	for k := range a.Options {
		if a.Options[k].Label != b.Options[k].Label {
			return "options", false
		}
		p, q := a.Options[k].Polarity, b.Options[k].Polarity
		if (p == nil) != (q == nil) || p != nil && *p != *q {
			return "options_polarity", false
		}
	}
	if !slices.Equal(a.Topics, b.Topics) {
		return "topic", false
	}
	return "", true
}

// OpinionSurvey is an instrument as the scores of opinions need it.
func OpinionSurvey(in instrument.Instrument) *score.OpinionSurvey {
	s := &score.OpinionSurvey{}
	at := map[string]int{}
	for t, topic := range in.Topics {
		polar := true
		for _, it := range in.About(topic.Name) {
			polar = polar && it.Polar()
		}
		at[topic.Name] = t
		s.Topics = append(s.Topics, score.OpinionTopic{Name: topic.Name, Category: topic.Category, Polar: polar})
	}
	for _, it := range in.Items {
		item := score.OpinionItem{ID: it.ID}
		for _, name := range it.Topics {
			item.Topics = append(item.Topics, at[name])
		}
		for _, o := range it.Options {
			option := score.OpinionOption{Label: o.Label, Refusal: o.Refusal, Polarity: score.Undefined()}
			if o.Polarity != nil {
				option.Polarity = score.Number(*o.Polarity)
			}
			item.Options = append(item.Options, option)
		}
		s.Items = append(s.Items, item)
	}
	return s
}
