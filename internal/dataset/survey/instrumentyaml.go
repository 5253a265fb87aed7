package survey

import (
	"fmt"
	"slices"
	"strconv"

	"overton/internal/dataset"
	"overton/internal/instrument"
)

// readInstrumentYAML reads our own form as YAML: the same as the table, with the
// options of an item below it.
func readInstrumentYAML(name string, content []byte) (instrument.Instrument, error) {
	var faults dataset.Faults
	root, ok := dataset.ParseYAML(name, content, &faults)
	if !ok {
		return instrument.Instrument{}, faults.OrNil()
	}
	in := instrument.Instrument{Name: name, Title: root.Text("title", "")}
	var lines []int
	for _, m := range root.List("items") {
		it := readItemYAML(m)
		for _, topic := range it.Topics {
			if !slices.ContainsFunc(in.Topics, func(t instrument.Topic) bool { return t.Name == topic }) {
				in.Topics = append(in.Topics, instrument.Topic{Name: topic})
			}
		}
		in.Items, lines = append(in.Items, it), append(lines, m.Line())
	}
	root.Done()
	if len(in.Items) == 0 && len(faults) == 0 {
		root.Fault("items", "", "is missing; expected a list of items")
	}
	if len(faults) == 0 {
		faults = append(faults, itemFaults(in, func(item int) (string, int) { return name, lines[item] })...)
	}
	return in, faults.OrNil()
}

func readItemYAML(m dataset.Mapping) instrument.Item {
	it := instrument.Item{ID: m.Text("id", ""), Text: m.Text("text", ""), Source: m.Text("source", ""), Unordered: m.Flag("unordered", false)}
	for _, key := range []string{"id", "text"} {
		if !m.Has(key) {
			m.Fault(key, "", "is missing; every item has an id and a text")
		}
	}
	for _, topic := range m.Texts("topics") {
		if topic != "" && !slices.Contains(it.Topics, topic) {
			it.Topics = append(it.Topics, topic)
		}
	}
	for i, text := range m.Texts("ask_if") {
		c, ok := readCondition(text)
		if !ok {
			m.Fault(fmt.Sprintf("ask_if[%d]", i), text, "is no condition; expected “ITEM = option | option”")
			continue
		}
		it.AskIf = append(it.AskIf, c)
	}
	for _, o := range m.List("options") {
		option := readOptionYAML(o)
		if _, twice := it.Option(option.Code); twice {
			o.Fault("", option.Code, "stands twice among the options of item %s; expected each once", it.ID)
		}
		it.Options = append(it.Options, option)
	}
	translations := m.Mapping("translations")
	for _, language := range translations.Keys {
		t := translations.Mapping(language)
		if !dataset.LanguageTag.MatchString(language) {
			translations.Fault(language, "", "is no language; expected a tag such as es")
		}
		w := instrument.Wording{Text: t.Text("text", ""), Labels: t.Texts("labels")}
		if w.Text == "" || len(w.Labels) != len(it.Options) {
			translations.Fault(language, "", "has %d labels; expected a text and labels for all %d options", len(w.Labels), len(it.Options))
		}
		t.Done()
		if it.Translations == nil {
			it.Translations = map[string]instrument.Wording{}
		}
		it.Translations[language] = w
	}
	m.Done()
	return it
}

func readOptionYAML(m dataset.Mapping) instrument.Option {
	o := instrument.Option{Label: m.Text("label", ""), Refusal: m.Flag(markRefusal, false), Hedge: m.Flag(markHedge, false), Outside: m.Flag(markOutside, false)}
	if o.Label == "" {
		m.Fault("label", "", "is missing; expected the answer as people read it")
	}
	o.Code = m.Text("option", o.Label)
	o.Ordinal, o.Polarity = yamlNumber(m, "ordinal"), yamlNumber(m, "polarity")
	m.Done()
	return o
}

// yamlNumber reads a number that may be absent.
func yamlNumber(m dataset.Mapping, key string) *float64 {
	text := m.Text(key, "")
	if text == "" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > -1e9 && v < 1e9) {
		m.Fault(key, text, "is no number; expected one such as 2 or -0.5")
		return nil
	}
	return &v
}
