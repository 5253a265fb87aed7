package dataset

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overton/internal/instrument"
	"overton/internal/score"
)

// Files of OpinionQA (Santurkar et al. 2023) as they were released. Their quirks:
//
//   - Data frames left index columns: one without a name, “Unnamed: 0” and so
//     on. Further columns are skipped.
//   - option_mapping, references, option_ordinal and options are Python
//     literals. option_ordinal is shorter than references: what stands beyond
//     it are refusals, none, one or two.
//   - Ordinals are data: a hedge such as “About the same” stands at the mean of
//     the others, and 12 rows have all ones, being unordered.
//   - A key can stand in several rows, one for each wording of one variable of
//     the poll. People's answers are by key, so these rows share them; here the
//     other ones are named KEY#2, KEY#3 and so on.
//   - Answers of people are labels. Empty cells were not asked. Labels outside
//     an attribute's options (“Refused”, “Mixed Race”) belong to no group.

// nameIndexColumn names the first column, which data frames leave without a name.
func nameIndexColumn(text []byte) []byte {
	for _, empty := range []string{",", `"",`} {
		if bytes.HasPrefix(text, []byte(empty)) {
			return append([]byte("Unnamed"), text[len(empty)-1:]...)
		}
	}
	return text
}

// readFrame reads a CSV that a data frame was written to.
func readFrame(name string, content []byte, columns []column, faults *Faults) (sheet, bool) {
	return readSheet(name, nameIndexColumn(bytes.TrimPrefix(content, utf8Mark)), columns, faults)
}

var infoColumns = []column{{"key", true}, {"question", true}, {"references", true}, {"option_ordinal", true}, {"option_mapping", true}, {"survey", false}}

// ReadOpinionQAInfo reads an info.csv: the questions of one wave, or of the
// selection of 500. Codes of options are their labels, as in people's answers.
func ReadOpinionQAInfo(name string, content []byte) (instrument.Instrument, error) {
	in := instrument.Instrument{Name: path.Base(filepath.ToSlash(name))}
	var faults Faults
	s, ok := readFrame(name, content, infoColumns, &faults)
	if !ok {
		return in, faults.orNil()
	}
	seen := map[string]int{}
	for row := range s.Rows {
		key, _ := s.id(row, "key", "the variable's name, such as LIKEBIKES_W99")
		it := instrument.Item{ID: key, Text: s.text(row, "question", "the question"), Source: s.cell(row, "survey")}
		if seen[key]++; seen[key] > 1 {
			it.ID = fmt.Sprintf("%s#%d", key, seen[key])
		}
		it.Options, it.Unordered = infoOptions(&s, row)
		in.Items = append(in.Items, it)
	}
	if len(faults) == 0 {
		faults = append(faults, itemFaults(in, func(item int) (string, int) { return s.File, s.Lines[item] })...)
	}
	return in, faults.orNil()
}

// infoOptions reads a row's options.
func infoOptions(s *sheet, row int) (options []instrument.Option, unordered bool) {
	if s.ragged(row) {
		return nil, false
	}
	labels, err := pythonTexts(s.cell(row, "references"))
	if err != nil {
		s.refuse(row, "references", s.cell(row, "references"), "%s", err)
		return nil, false
	}
	ordinals, err := pythonNumbers(s.cell(row, "option_ordinal"))
	if err != nil {
		s.refuse(row, "option_ordinal", s.cell(row, "option_ordinal"), "%s", err)
		return nil, false
	}
	mapped, err := mappedLabels(s.cell(row, "option_mapping"))
	switch {
	case err != nil:
		s.refuse(row, "option_mapping", s.cell(row, "option_mapping"), "%s", err)
		return nil, false
	case !slices.Equal(mapped, labels):
		s.refuse(row, "option_mapping", s.cell(row, "option_mapping"), "has labels that differ from references; expected %q", labels)
		return nil, false
	case len(ordinals) > len(labels) || len(ordinals) == 0:
		s.refuse(row, "option_ordinal", s.cell(row, "option_ordinal"), "has %d entries; expected one for each answer among the %d references", len(ordinals), len(labels))
		return nil, false
	}
	for k, label := range labels {
		o := instrument.Option{Code: label, Label: label, Refusal: k >= len(ordinals)}
		if !o.Refusal {
			o.Ordinal = &ordinals[k]
		}
		options = append(options, o)
	}
	return options, len(ordinals) > 1 && slices.Max(ordinals) == slices.Min(ordinals)
}

// mappedLabels are the labels of {1.0: 'A lot', 99.0: 'Refused'}, in order.
func mappedLabels(text string) ([]string, error) {
	codes, err := ParseMapping(text)
	labels := make([]string, len(codes))
	for i, c := range codes {
		labels[i] = c.Label
	}
	return labels, err
}

// pythonTexts reads a list of texts and numbers.
func pythonTexts(text string) ([]string, error) {
	items, err := ParseList(text)
	texts := make([]string, len(items))
	for i, it := range items {
		if texts[i] = it.Text; it.Missing {
			texts[i] = "nan"
		}
	}
	return texts, err
}

// pythonNumbers reads a list of numbers.
func pythonNumbers(text string) ([]float64, error) {
	items, err := ParseList(text)
	values := make([]float64, len(items))
	for i, it := range items {
		if values[i] = it.Number; !it.IsNumber && err == nil {
			err = fmt.Errorf("has no number at entry %d; expected a list such as [1.0, 2.0]", i+1)
		}
	}
	return values, err
}

// ReadOpinionQAMetadata reads a metadata.csv: the attributes of people and
// their groups.
func ReadOpinionQAMetadata(name string, content []byte) ([]score.Attribute, error) {
	var faults Faults
	s, ok := readFrame(name, content, []column{{"key", true}, {"options", true}}, &faults)
	if !ok {
		return nil, faults.orNil()
	}
	var attributes []score.Attribute
	for row := range s.Rows {
		key, _ := s.id(row, "key", "an attribute's name, such as SEX")
		groups, err := pythonTexts(s.cell(row, "options"))
		if err != nil && !s.ragged(row) {
			s.refuse(row, "options", s.cell(row, "options"), "%s", err)
		}
		if slices.ContainsFunc(attributes, func(a score.Attribute) bool { return a.Name == key }) {
			s.refuse(row, "key", key, "appears twice; expected each attribute once")
		}
		attributes = append(attributes, score.Attribute{Name: key, Groups: groups})
	}
	return attributes, faults.orNil()
}

// PollRespondents are people's answers to the questions of one file.
type PollRespondents struct {
	Answers    map[string][]string // by key; "" for not asked
	Attributes map[string][]string
	Weights    []float64
}

var weightPattern = regexp.MustCompile(`^WEIGHT_W\d+$`)

// ReadOpinionQAResponses reads a responses.csv: one row for each person.
// Columns of the instrument's items and of the attributes are kept.
func ReadOpinionQAResponses(name string, content []byte, in instrument.Instrument, attributes []score.Attribute) (*PollRespondents, error) {
	var faults Faults
	s, ok := readFrame(name, content, nil, &faults)
	if !ok {
		return nil, faults.orNil()
	}
	p := &PollRespondents{Answers: map[string][]string{}, Attributes: map[string][]string{}}
	column := func(at int) []string {
		values := make([]string, len(s.Rows))
		for row := range s.Rows {
			if at < len(s.Rows[row]) && !strings.EqualFold(s.Rows[row][at], "nan") {
				values[row] = s.Rows[row][at]
			}
		}
		return values
	}
	weight := -1
	for at, name := range s.Columns {
		if weightPattern.MatchString(name) {
			if weight >= 0 {
				faults = append(faults, Fault{File: s.File, Line: 1, Column: name, Message: "is a second column of weights; the first is " + s.Columns[weight] + "; expected one"})
			}
			weight = at
		}
	}
	for _, a := range attributes {
		at := slices.Index(s.Columns, a.Name)
		if at < 0 {
			faults = append(faults, Fault{File: s.File, Line: 1, Column: a.Name, Message: "is missing; expected a column for each attribute of the metadata"})
			continue
		}
		p.Attributes[a.Name] = column(at)
	}
	if weight < 0 {
		faults = append(faults, Fault{File: s.File, Line: 1, Column: "WEIGHT_W…", Message: "is missing; expected one column of weights, such as WEIGHT_W26"})
		return nil, faults.orNil()
	}
	p.Weights = make([]float64, len(s.Rows))
	for row := range s.Rows {
		if s.ragged(row) {
			continue
		}
		w, err := strconv.ParseFloat(s.Rows[row][weight], 64)
		if err != nil || !(w >= 0) || w > 1e9 {
			faults = append(faults, s.fault(row, weight, "is not a weight; expected a number of 0 or more"))
		}
		p.Weights[row] = w
	}
	for _, it := range in.Items {
		key := pollKey(it.ID)
		if at := slices.Index(s.Columns, key); at >= 0 && p.Answers[key] == nil {
			p.Answers[key] = column(at)
		}
	}
	if len(p.Answers) == 0 {
		faults = append(faults, Fault{File: s.File, Line: 1, Message: "has no column for any of the questions; expected columns named as the keys of info.csv, such as " + in.Items[0].ID})
	}
	return p, faults.orNil()
}

// pollKey is the poll's variable for an item.
func pollKey(item string) string {
	key, _, _ := strings.Cut(item, "#")
	return key
}

// Polls counts people's answers to an item: everyone's, and by the groups of
// the attributes, in their order. asked is false where no column is the item's.
func (p *PollRespondents) Polls(it instrument.Item, attributes []score.Attribute) (everybody score.PeopleMass, groups []score.PeopleMass, asked bool) {
	given, asked := p.Answers[pollKey(it.ID)]
	if !asked {
		return everybody, nil, false
	}
	var answers, refusals []string
	for _, o := range it.Options {
		if o.Refusal {
			refusals = append(refusals, o.Code)
		} else {
			answers = append(answers, o.Code)
		}
	}
	responses := make([]score.Response, len(given))
	for row := range given {
		responses[row] = score.Response{Answer: given[row], Weight: p.Weights[row]}
	}
	everybody, _ = score.FromPeople(responses, answers, refusals, nil)
	for _, a := range attributes {
		for row, group := range p.Attributes[a.Name] {
			responses[row].Group = group
		}
		_, byGroup := score.FromPeople(responses, answers, refusals, a.Groups)
		for _, g := range a.Groups {
			groups = append(groups, byGroup[g])
		}
	}
	return everybody, groups, true
}

// itemFaults turns an instrument's faults into those of its file.
func itemFaults(in instrument.Instrument, place func(item int) (file string, line int)) Faults {
	var faults Faults
	for _, f := range in.Faults() {
		name, line := place(max(0, f.Item))
		if f.Item < 0 {
			line = 0
		}
		faults = append(faults, Fault{File: name, Line: line, Column: f.Part, Value: f.Value, Message: f.Message})
	}
	return faults
}
