// Package survey reads instruments in every form that they come in, and reads
// and writes what people and models answered to them: POBs, OpinionQA,
// GlobalOpinionQA, models' answers and translations. It also reads the
// submissions that Prolific exports.
package survey

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"overton/internal/dataset"
	"overton/internal/instrument"
)

// ReadInstrument reads an instrument from a file of any known form: our own
// table, or the same as YAML by the file's name; a POBs survey, an info.csv of
// OpinionQA, or GlobalOpinionQA, which the content tells.
func ReadInstrument(name string, content []byte) (instrument.Instrument, error) {
	read := readInstrumentTable
	header, _, _ := bytes.Cut(content, []byte("\n"))
	switch ext := strings.ToLower(path.Ext(name)); {
	case ext == ".yaml", ext == ".yml":
		read = readInstrumentYAML
	case IsPOBs(content):
		read = ReadPOBs
	case bytes.Contains(header, []byte("option_mapping")):
		read = ReadOpinionQAInfo
	case bytes.Contains(header, []byte("selections")):
		read = func(name string, content []byte) (instrument.Instrument, error) {
			g, err := ReadGlobalOpinionQA(name, content)
			if err != nil {
				return instrument.Instrument{}, err
			}
			return g.Instrument, nil
		}
	}
	in, err := read(name, content)
	if err != nil {
		return instrument.Instrument{}, err
	}
	in.Name = name
	return in, nil
}

// IsPOBs tells a POBs survey, which is JSON, from the other forms.
func IsPOBs(content []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(content, " \t\r\n"), []byte("{"))
}

var instrumentColumns = []dataset.Column{
	"item", "text", "label",
	"option?", "topics?", "ordinal?", "polarity?", "mark?", "ask_if?", "source?",
}

// Marks of an option, but for unordered, which is of its item.
const (
	markRefusal   = "refusal"
	markHedge     = "hedge"
	markOutside   = "outside"
	markUnordered = "unordered"
)

// readInstrumentTable reads our own form: a row for each option. What is said
// of an item stands in its first row; the rows of its other options repeat the
// item's id, or leave it empty.
func readInstrumentTable(name string, content []byte) (instrument.Instrument, error) {
	var faults dataset.Faults
	s, ok := dataset.ReadSheet(name, content, instrumentColumns, &faults)
	if !ok {
		return instrument.Instrument{}, faults.OrNil()
	}
	r := instrumentReader{Sheet: s, in: instrument.Instrument{Name: name}}
	languages := r.languages()
	for row := range s.Rows {
		id := s.Cell(row, "item")
		if id != strings.TrimSpace(id) {
			s.Refuse(row, "item", id, "has blanks around it; expected %q", strings.TrimSpace(id))
		}
		if first := len(r.in.Items) == 0; first && id == "" {
			s.Refuse(row, "item", "", "is empty; expected an id for the item")
			continue
		} else if first || id != "" && id != r.in.Items[len(r.in.Items)-1].ID {
			r.item(row, id, languages)
		}
		r.option(row, languages)
	}
	if len(faults) == 0 {
		faults = append(faults, itemFaults(r.in, func(item int) (string, int) { return name, s.Lines[r.rows[item]] })...)
	}
	return r.in, faults.OrNil()
}

type instrumentReader struct {
	dataset.Sheet
	in   instrument.Instrument
	rows []int // first row of each item
}

// languages are those of columns such as text:es.
func (r *instrumentReader) languages() []string {
	var list []string
	for _, name := range r.Columns {
		kind, language, ok := strings.Cut(name, ":")
		if !ok || kind != "text" && kind != "label" {
			continue
		}
		if !dataset.LanguageTag.MatchString(language) {
			*r.Faults = append(*r.Faults, dataset.Fault{File: r.File, Line: 1, Column: name, Message: "names no language; expected a column such as text:es"})
		}
		if kind == "text" {
			list = append(list, language)
			if !slices.Contains(r.Columns, "label:"+language) {
				*r.Faults = append(*r.Faults, dataset.Fault{File: r.File, Line: 1, Column: name, Message: "has no column label:" + language + " beside it; expected both"})
			}
		}
	}
	return list
}

// translated is a cell of a column such as text:es.
func (r *instrumentReader) translated(row int, kind, language string) string {
	if at, ok := r.Extra[kind+":"+language]; ok && at < len(r.Rows[row]) {
		return r.Rows[row][at]
	}
	return ""
}

// item begins an item.
func (r *instrumentReader) item(row int, id string, languages []string) {
	it := instrument.Item{ID: id, Text: r.Text(row, "text", "what the item asks"), Source: r.Cell(row, "source")}
	for topic := range strings.SplitSeq(r.Cell(row, "topics"), ";") {
		if topic = strings.TrimSpace(topic); topic == "" || slices.Contains(it.Topics, topic) {
			continue
		}
		it.Topics = append(it.Topics, topic)
		if !slices.ContainsFunc(r.in.Topics, func(t instrument.Topic) bool { return t.Name == topic }) {
			r.in.Topics = append(r.in.Topics, instrument.Topic{Name: topic})
		}
	}
	for condition := range strings.SplitSeq(r.Cell(row, "ask_if"), ";") {
		if strings.TrimSpace(condition) != "" {
			it.AskIf = append(it.AskIf, r.condition(row, condition))
		}
	}
	for _, language := range languages {
		if text := r.translated(row, "text", language); text != "" {
			if it.Translations == nil {
				it.Translations = map[string]instrument.Wording{}
			}
			it.Translations[language] = instrument.Wording{Text: text}
		}
	}
	r.in.Items, r.rows = append(r.in.Items, it), append(r.rows, row)
}

// condition reads a condition of an item's row.
func (r *instrumentReader) condition(row int, text string) instrument.Condition {
	c, ok := readCondition(text)
	if !ok {
		r.Refuse(row, "ask_if", text, "is no condition; expected “ITEM = option | option”, several separated by semicolons")
	}
	return c
}

// readCondition reads “ITEM = option | option”, or “instrument/ITEM = option”.
func readCondition(text string) (c instrument.Condition, ok bool) {
	name, values, ok := strings.Cut(text, "=")
	c.Item = strings.TrimSpace(name)
	if in, item, other := strings.Cut(c.Item, "/"); other {
		c.Instrument, c.Item = in, item
	}
	for value := range strings.SplitSeq(values, "|") {
		if value = strings.TrimSpace(value); value != "" {
			c.Codes = append(c.Codes, value)
		}
	}
	return c, ok && c.Item != "" && len(c.Codes) > 0
}

// option adds a row's option to the last item.
func (r *instrumentReader) option(row int, languages []string) {
	it := &r.in.Items[len(r.in.Items)-1]
	o := instrument.Option{Label: r.Text(row, "label", "the answer as people read it"), Code: r.Cell(row, "option")}
	if o.Code == "" {
		o.Code = o.Label
	}
	for mark := range strings.SplitSeq(r.Cell(row, "mark"), ";") {
		switch mark = strings.TrimSpace(mark); mark {
		case "":
		case markRefusal:
			o.Refusal = true
		case markHedge:
			o.Hedge = true
		case markOutside:
			o.Outside = true
		case markUnordered:
			it.Unordered = true
		default:
			r.Refuse(row, "mark", mark, "is no mark; expected refusal, hedge, outside or unordered")
		}
	}
	o.Ordinal, o.Polarity = r.number(row, "ordinal"), r.number(row, "polarity")
	if _, known := it.Option(o.Code); known {
		r.Refuse(row, "option", o.Code, "stands twice among the options of item %s; expected each once", it.ID)
	}
	it.Options = append(it.Options, o)
	for _, language := range languages {
		w, translated := it.Translations[language]
		label := r.translated(row, "label", language)
		switch {
		case translated && strings.TrimSpace(label) == "":
			r.Refuse(row, "label", "", "has no translation in label:%s, though its item has one", language)
		case translated:
			w.Labels = append(w.Labels, label)
			it.Translations[language] = w
		}
	}
}

// number reads a cell that holds a number or nothing.
func (r *instrumentReader) number(row int, name string) *float64 {
	text := strings.TrimSpace(r.Cell(row, name))
	if text == "" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > -1e9 && v < 1e9) {
		r.Refuse(row, name, text, "is no number; expected one such as 2 or -0.5, or nothing")
		return nil
	}
	return &v
}
