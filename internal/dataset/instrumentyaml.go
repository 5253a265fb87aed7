package dataset

import (
	"fmt"
	"slices"
	"strconv"

	"overton/internal/instrument"
)

// readInstrumentYAML reads our own form as YAML: the same as the table, with the
// options of an item below it.
func readInstrumentYAML(name string, content []byte) (instrument.Instrument, error) {
	var faults Faults
	root, ok := parseYAML(name, content, &faults)
	if !ok {
		return instrument.Instrument{}, faults.orNil()
	}
	in := instrument.Instrument{Name: name, Title: root.text("title", "")}
	var lines []int
	for _, m := range root.list("items") {
		it := readItemYAML(m)
		for _, topic := range it.Topics {
			if !slices.ContainsFunc(in.Topics, func(t instrument.Topic) bool { return t.Name == topic }) {
				in.Topics = append(in.Topics, instrument.Topic{Name: topic})
			}
		}
		in.Items, lines = append(in.Items, it), append(lines, m.line())
	}
	root.done()
	if len(in.Items) == 0 && len(faults) == 0 {
		root.fault("items", "", "is missing; expected a list of items")
	}
	if len(faults) == 0 {
		faults = append(faults, itemFaults(in, func(item int) (string, int) { return name, lines[item] })...)
	}
	return in, faults.orNil()
}

func readItemYAML(m mapping) instrument.Item {
	it := instrument.Item{ID: m.text("id", ""), Text: m.text("text", ""), Source: m.text("source", ""), Unordered: m.flag("unordered", false)}
	for _, key := range []string{"id", "text"} {
		if !m.has(key) {
			m.fault(key, "", "is missing; every item needs an id and a text")
		}
	}
	for _, topic := range m.texts("topics") {
		if topic != "" && !slices.Contains(it.Topics, topic) {
			it.Topics = append(it.Topics, topic)
		}
	}
	for i, text := range m.texts("ask_if") {
		c, ok := readCondition(text)
		if !ok {
			m.fault(fmt.Sprintf("ask_if[%d]", i), text, "is not a condition; expected “ITEM = option | option”")
			continue
		}
		it.AskIf = append(it.AskIf, c)
	}
	for _, o := range m.list("options") {
		option := readOptionYAML(o)
		if _, twice := it.Option(option.Code); twice {
			o.fault("", option.Code, "appears twice among the options of item %s; expected each once", it.ID)
		}
		it.Options = append(it.Options, option)
	}
	translations := m.mapping("translations")
	for _, language := range translations.keys {
		t := translations.mapping(language)
		if !languagePattern.MatchString(language) {
			translations.fault(language, "", "is not a language; expected a tag such as es")
		}
		w := instrument.Wording{Text: t.text("text", ""), Labels: t.texts("labels")}
		if w.Text == "" || len(w.Labels) != len(it.Options) {
			translations.fault(language, "", "has %d labels; expected a text and labels for all %d options", len(w.Labels), len(it.Options))
		}
		t.done()
		if it.Translations == nil {
			it.Translations = map[string]instrument.Wording{}
		}
		it.Translations[language] = w
	}
	m.done()
	return it
}

func readOptionYAML(m mapping) instrument.Option {
	o := instrument.Option{Label: m.text("label", ""), Refusal: m.flag(markRefusal, false), Hedge: m.flag(markHedge, false), Outside: m.flag(markOutside, false)}
	if o.Label == "" {
		m.fault("label", "", "is missing; expected the answer as people read it")
	}
	o.Code = m.text("option", o.Label)
	o.Ordinal, o.Polarity = yamlNumber(m, "ordinal"), yamlNumber(m, "polarity")
	m.done()
	return o
}

// yamlNumber reads a number that may be absent.
func yamlNumber(m mapping, key string) *float64 {
	text := m.text(key, "")
	if text == "" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > -1e9 && v < 1e9) {
		m.fault(key, text, "is not a number; expected one such as 2 or -0.5")
		return nil
	}
	return &v
}
