package instrument

import (
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing wrong in an instrument. Item and Option are positions from 0, or -1 if the fault
// concerns the whole.
type Fault struct {
	Item, Option int
	Part         string // what of it: item, text, label, option, topics, ask_if, translation
	Value        string
	Message      string
}

// Faults lists everything wrong with an instrument.
func (in Instrument) Faults() []Fault {
	var faults []Fault
	if len(in.Items) == 0 {
		return []Fault{{-1, -1, "", "", "has no items"}}
	}
	topics := map[string]bool{}
	for _, t := range in.Topics {
		topics[t.Name] = true
	}
	ids := map[string]int{}
	for i, it := range in.Items {
		fault := func(option int, part, value, format string, args ...any) {
			faults = append(faults, Fault{i, option, part, value, fmt.Sprintf(format, args...)})
		}
		if first, twice := ids[it.ID]; twice {
			fault(-1, "item", it.ID, "is the id of items %d and %d; expected each only once", first+1, i+1)
		}
		ids[it.ID] = i
		if strings.TrimSpace(it.ID) == "" {
			fault(-1, "item", it.ID, "is empty; expected an id for the item")
		}
		if strings.TrimSpace(it.Text) == "" {
			fault(-1, "text", it.Text, "is empty; expected what the item asks")
		}
		for _, t := range it.Topics {
			if !topics[t] {
				fault(-1, "topics", t, "is not among the instrument's topics")
			}
		}
		codes := map[string]bool{}
		answers, placed, hedges := 0, 0, 0
		for k, o := range it.Options {
			if codes[o.Code] {
				fault(k, "option", o.Code, "appears twice among the item's options; expected each only once")
			}
			codes[o.Code] = true
			if strings.TrimSpace(o.Label) == "" || o.Code == "" {
				fault(k, "label", o.Label, "is empty; expected the answer as people read it")
			}
			if !o.Refusal {
				answers++
				if o.Ordinal != nil {
					placed++
				} else if o.Hedge {
					hedges++
				}
			} else if o.Hedge || o.Ordinal != nil || o.Polarity != nil {
				fault(k, "option", o.Code, "is a refusal, so it can have no ordinal or polarity")
			}
			if p := o.Polarity; p != nil && !(*p >= -1 && *p <= 1) {
				fault(k, "polarity", fmt.Sprint(*p), "is outside the scale; expected -1 to 1")
			}
		}
		if answers == 0 {
			fault(-1, "item", it.ID, "has no option besides refusals; expected at least one answer")
		}
		if placed > 0 && placed+hedges < answers {
			fault(-1, "ordinal", it.ID, "has ordinals for %d of its %d options; expected one for each option "+
				"except hedges, or none", placed, answers)
		}
		for _, c := range it.AskIf {
			in.condition(i, c, fault)
		}
		for _, language := range sortedKeys(it.Translations) {
			if n := len(it.Translations[language].Labels); n != len(it.Options) {
				fault(-1, "translation", language, "has %d labels; expected %d, one for each option", n, len(it.Options))
			}
		}
	}
	return faults
}

// condition checks a condition on an earlier item of the same instrument. Conditions on other instruments are
// checked by study.
func (in Instrument) condition(at int, c Condition, fault func(int, string, string, string, ...any)) {
	if c.Instrument != "" && c.Instrument != in.Name {
		return
	}
	other, ok := in.Item(c.Item)
	if before := slices.IndexFunc(in.Items, func(it Item) bool { return it.ID == c.Item }); !ok || before >= at {
		fault(-1, "ask_if", c.Item, "is not the id of an earlier item")
		return
	}
	for _, code := range c.Codes {
		if _, ok := other.Option(code); !ok {
			fault(-1, "ask_if", code, "is not an option of %s", c.Item)
		}
	}
	if len(c.Codes) == 0 {
		fault(-1, "ask_if", c.Item, "names no option; expected “%s = option”", c.Item)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
