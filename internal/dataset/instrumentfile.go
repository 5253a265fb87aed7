package dataset

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"overton/internal/instrument"
)

// ReadInstrument reads an instrument from a file of any known form: our own table, or the same as YAML if the
// file's name says so; a POBs survey, an info.csv of OpinionQA, or GlobalOpinionQA, recognised by content.
func ReadInstrument(name string, content []byte) (instrument.Instrument, error) {
	read := readInstrumentTable
	header, _, _ := bytes.Cut(content, []byte("\n"))
	switch ext := strings.ToLower(path.Ext(name)); {
	case ext == ".yaml", ext == ".yml":
		read = readInstrumentYAML
	case IsPobsSurvey(content):
		read = ReadPobsSurvey
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

// IsPobsSurvey recognises a POBs survey, which is JSON.
func IsPobsSurvey(content []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(content, " \t\r\n"), []byte("{"))
}

var instrumentColumns = []column{
	{"item", true}, {"text", true}, {"label", true},
	{"option", false}, {"topics", false}, {"ordinal", false}, {"polarity", false}, {"mark", false}, {"ask_if", false}, {"source", false},
}

// Marks of an option, except unordered, which marks its item.
const (
	markRefusal   = "refusal"
	markHedge     = "hedge"
	markOutside   = "outside"
	markUnordered = "unordered"
)

// readInstrumentTable reads our own form: a row for each option. What is said about an item is in its first
// row; the rows of its other options repeat the item's id, or leave it empty.
func readInstrumentTable(name string, content []byte) (instrument.Instrument, error) {
	var faults Faults
	s, ok := readSheet(name, content, instrumentColumns, &faults)
	if !ok {
		return instrument.Instrument{}, faults.orNil()
	}
	r := instrumentReader{sheet: s, in: instrument.Instrument{Name: name}}
	languages := r.languages()
	for row := range s.Rows {
		id := s.cell(row, "item")
		if id != strings.TrimSpace(id) {
			s.refuse(row, "item", id, "has spaces around it; expected %q", strings.TrimSpace(id))
		}
		if first := len(r.in.Items) == 0; first && id == "" {
			s.refuse(row, "item", "", "is empty; expected an id for the item")
			continue
		} else if first || id != "" && id != r.in.Items[len(r.in.Items)-1].ID {
			r.item(row, id, languages)
		}
		r.option(row, languages)
	}
	if len(faults) == 0 {
		faults = append(faults, itemFaults(r.in, func(item int) (string, int) { return name, s.Lines[r.rows[item]] })...)
	}
	return r.in, faults.orNil()
}

type instrumentReader struct {
	sheet
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
		if !languagePattern.MatchString(language) {
			*r.faults = append(*r.faults, Fault{r.File, 1, name, "", "does not name a language; expected a column such as text:es"})
		}
		if kind == "text" {
			list = append(list, language)
			if !slices.Contains(r.Columns, "label:"+language) {
				*r.faults = append(*r.faults, Fault{r.File, 1, name, "", "has no matching column label:" + language + "; expected both"})
			}
		}
	}
	return list
}

// translated is a cell of a column such as text:es.
func (r *instrumentReader) translated(row int, kind, language string) string {
	if at, ok := r.extra[kind+":"+language]; ok && at < len(r.Rows[row]) {
		return r.Rows[row][at]
	}
	return ""
}

// item starts an item.
func (r *instrumentReader) item(row int, id string, languages []string) {
	it := instrument.Item{ID: id, Text: r.text(row, "text", "what the item asks"), Source: r.cell(row, "source")}
	for topic := range strings.SplitSeq(r.cell(row, "topics"), ";") {
		if topic = strings.TrimSpace(topic); topic == "" || slices.Contains(it.Topics, topic) {
			continue
		}
		it.Topics = append(it.Topics, topic)
		if !slices.ContainsFunc(r.in.Topics, func(t instrument.Topic) bool { return t.Name == topic }) {
			r.in.Topics = append(r.in.Topics, instrument.Topic{Name: topic})
		}
	}
	for condition := range strings.SplitSeq(r.cell(row, "ask_if"), ";") {
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
		r.refuse(row, "ask_if", text, "is not a condition; expected “ITEM = option | option”, several separated by semicolons")
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
	o := instrument.Option{Label: r.text(row, "label", "the answer as people read it"), Code: r.cell(row, "option")}
	if o.Code == "" {
		o.Code = o.Label
	}
	for mark := range strings.SplitSeq(r.cell(row, "mark"), ";") {
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
			r.refuse(row, "mark", mark, "is not a mark; expected refusal, hedge, outside or unordered")
		}
	}
	o.Ordinal, o.Polarity = r.number(row, "ordinal"), r.number(row, "polarity")
	if _, known := it.Option(o.Code); known {
		r.refuse(row, "option", o.Code, "appears twice among the options of item %s; expected each once", it.ID)
	}
	it.Options = append(it.Options, o)
	for _, language := range languages {
		w, translated := it.Translations[language]
		label := r.translated(row, "label", language)
		switch {
		case translated && strings.TrimSpace(label) == "":
			r.refuse(row, "label", "", "has no translation in label:%s, though its item has one", language)
		case translated:
			w.Labels = append(w.Labels, label)
			it.Translations[language] = w
		}
	}
}

// number reads a cell that holds a number or nothing.
func (r *instrumentReader) number(row int, name string) *float64 {
	text := strings.TrimSpace(r.cell(row, name))
	if text == "" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > -1e9 && v < 1e9) {
		r.refuse(row, name, text, "is not a number; expected one such as 2 or -0.5, or nothing")
		return nil
	}
	return &v
}
