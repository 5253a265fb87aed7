package dataset

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overton/internal/instrument"
	"overton/internal/score"
)

// ModelAnswers are one model's distributions of answers under one prompt.
type ModelAnswers struct {
	Model string `json:"model"`
	// Context is how the model was prompted: "default", or for OpinionQA qa,
	// bio and portray, for GlobalOpinionQA such as cross-national or linguistic.
	Context string `json:"context"`
	// Target is whom the model was told to answer as: a group as “ATTRIBUTE: group”, a country, a language;
	// "" for nobody.
	Target string `json:"target,omitempty"`

	// Mass is each option's probability, or number of answers, by item; it
	// need not sum to 1.
	Mass map[string][]float64 `json:"mass"`
}

var modelColumns = []column{{"model", true}, {"question", true}, {"option", true}, {"probability", true}, {"context", false}, {"target", false}}

// ReadModelAnswers reads models' answers to an instrument: a table with the
// columns model, question, option and probability, and perhaps context and
// target; or a scenario_state.json as HELM writes it.
func ReadModelAnswers(name string, content []byte, in instrument.Instrument) ([]ModelAnswers, error) {
	if strings.EqualFold(filepath.Ext(name), ".json") {
		return readHELM(name, content, in)
	}
	var faults Faults
	s, ok := readSheet(name, content, modelColumns, &faults)
	if !ok {
		return nil, faults.orNil()
	}
	items := map[string]instrument.Item{}
	for _, it := range in.Items {
		items[it.ID] = it
	}
	var all []ModelAnswers
	at := map[[3]string]int{}
	seen := map[[5]string]int{}
	for row := range s.Rows {
		model, okModel := s.id(row, "model", "the model's name")
		question, okQuestion := s.id(row, "question", "the question's key")
		context, target := s.cell(row, "context"), s.cell(row, "target")
		if context == "" {
			context = score.DefaultContext
		}
		if !okModel || !okQuestion || s.ragged(row) {
			continue
		}
		it, known := items[question]
		if !known {
			s.refuse(row, "question", question, "is not a question of %s", in.Name)
			continue
		}
		code := s.cell(row, "option")
		option := slices.IndexFunc(it.Options, func(o instrument.Option) bool { return o.Code == code })
		if option < 0 {
			s.refuse(row, "option", code, "is not an option of question %s; expected one of %s", question, optionCodes(it))
			continue
		}
		p, err := strconv.ParseFloat(s.cell(row, "probability"), 64)
		if err != nil || !(p >= 0) || math.IsInf(p, 0) {
			s.refuse(row, "probability", s.cell(row, "probability"), "is no probability or count; expected a number of 0 or more")
			continue
		}
		cell := [5]string{model, context, target, question, code}
		if first, twice := seen[cell]; twice {
			s.refuse(row, "option", code, "has a probability in line %d already; expected one", first)
			continue
		}
		seen[cell] = s.Lines[row]
		key := [3]string{model, context, target}
		i, there := at[key]
		if !there {
			i = len(all)
			at[key] = i
			all = append(all, ModelAnswers{model, context, target, map[string][]float64{}})
		}
		if all[i].Mass[question] == nil {
			all[i].Mass[question] = make([]float64, len(it.Options))
		}
		all[i].Mass[question][option] = p
	}
	return all, faults.orNil()
}

func optionCodes(it instrument.Item) string {
	var codes []string
	for _, o := range it.Options {
		codes = append(codes, o.Code)
	}
	return strings.Join(codes, ", ")
}

// ModelAnswer is one model's answer to one item under one prompt, and how it
// was had.
type ModelAnswer struct {
	Model, Context, Target string
	Item                   instrument.Item
	Mass                   []float64 // by option
	Shown                  []int     // positions of the options, in the order shown

	Method         string  // logprobs or samples
	Asked, Invalid int     // answers, and those of them that name no option
	Missing        float64 // probability that the answer begins with no option's letter; NaN where unknown
}

// WriteModelAnswers writes the table that ReadModelAnswers reads, with columns
// more: a row for each option. Answers without mass have no rows.
func WriteModelAnswers(answers []ModelAnswer) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(slices.Concat(names(modelColumns), []string{"position", "method", "asked", "invalid", "missing"}))
	for _, a := range answers {
		if a.Mass == nil {
			continue
		}
		for k, o := range a.Item.Options {
			_ = w.Write([]string{a.Model, a.Item.ID, o.Code, floatText(a.Mass[k]), a.Context, a.Target,
				strconv.Itoa(slices.Index(a.Shown, k) + 1), a.Method, strconv.Itoa(a.Asked), strconv.Itoa(a.Invalid), floatText(a.Missing)})
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, fmt.Errorf("writing models' answers: %w", err)
	}
	return b.Bytes(), nil
}

// helmState is what is read of a scenario_state.json.
type helmState struct {
	AdapterSpec struct {
		Model string `json:"model"`
	} `json:"adapter_spec"`
	RequestStates []struct {
		Instance struct {
			Input struct {
				Text string `json:"text"`
			} `json:"input"`
			References []struct {
				Output struct {
					Text string `json:"text"`
				} `json:"output"`
			} `json:"references"`
		} `json:"instance"`
		OutputMapping map[string]string `json:"output_mapping"`
		Result        struct {
			Completions []struct {
				Tokens []struct {
					TopLogprobs map[string]*float64 `json:"top_logprobs"`
				} `json:"tokens"`
			} `json:"completions"`
		} `json:"result"`
	} `json:"request_states"`
}

var (
	helmModel   = regexp.MustCompile(`model=([^,/]+)`)
	helmContext = regexp.MustCompile(`context=([^,/]+)`)
)

// readHELM reads a run without a target. Questions are found by their text and
// the set of their labels, since options may have been shuffled.
func readHELM(name string, content []byte, in instrument.Instrument) ([]ModelAnswers, error) {
	var state helmState
	if err := decodeJSON(name, content, &state); err != nil {
		return nil, err
	}
	folder := filepath.ToSlash(filepath.Dir(name))
	a := ModelAnswers{Model: state.AdapterSpec.Model, Context: score.DefaultContext, Mass: map[string][]float64{}}
	if m := helmModel.FindStringSubmatch(folder); a.Model == "" && m != nil {
		a.Model = m[1]
	}
	if m := helmContext.FindStringSubmatch(folder); m != nil {
		a.Context = m[1]
	}
	if a.Model == "" || len(state.RequestStates) == 0 {
		return nil, Fault{File: name, Message: "is not a run with answers; expected HELM's scenario_state.json with adapter_spec.model and request_states"}
	}
	byText := map[string][]instrument.Item{}
	for _, it := range in.Items {
		k := questionKey(it.Text, it.In("").Labels)
		byText[k] = append(byText[k], it)
	}
	var faults Faults
	for i, r := range state.RequestStates {
		place := fmt.Sprintf("request_states[%d]", i)
		refuse := func(key, value, format string, args ...any) {
			faults = append(faults, Fault{File: name, Column: place + key, Value: value, Message: fmt.Sprintf(format, args...)})
		}
		var labels []string
		for _, reference := range r.Instance.References {
			labels = append(labels, reference.Output.Text)
		}
		hits := byText[questionKey(r.Instance.Input.Text, labels)]
		if len(hits) != 1 {
			refuse(".instance.input.text", r.Instance.Input.Text, "is the text and labels of %d questions of %s; expected exactly one", len(hits), in.Name)
			continue
		}
		it := hits[0]
		if len(r.Result.Completions) == 0 || len(r.Result.Completions[0].Tokens) == 0 {
			refuse(".result.completions[0].tokens[0].top_logprobs", "", "is missing; expected the probabilities of the first token")
			continue
		}
		tokens := map[string]float64{}
		for token, logarithm := range r.Result.Completions[0].Tokens[0].TopLogprobs {
			tokens[token] = math.Inf(-1)
			if logarithm != nil {
				tokens[token] = *logarithm
			}
		}
		letters := make([]string, len(it.Options))
		answers := 0
		for k, o := range it.Options {
			for letter, label := range r.OutputMapping {
				if label == o.Label {
					letters[k] = letter
				}
			}
			if letters[k] == "" {
				refuse(".output_mapping", o.Label, "has no letter; expected one for each option")
			}
			if !o.Refusal {
				answers++
			}
		}
		a.Mass[it.ID] = score.FromLogProbs(tokens, letters, answers, score.SharedRest).Mass
	}
	return []ModelAnswers{a}, faults.orNil()
}

// questionKey names a question by its text and the set of its labels.
func questionKey(text string, labels []string) string {
	labels = slices.Clone(labels)
	slices.Sort(labels)
	return strings.TrimSpace(text) + "\x00" + strings.Join(labels, "\x00")
}
