// Package instrument describes multiple-choice questionnaires: items with ordered options, some of which are
// refusals. Demographics are data for it, like every other questionnaire. Which items a study asks, and how
// many per page, is decided by the study; file formats belong to dataset.
package instrument

// Instrument is a multiple-choice questionnaire.
type Instrument struct {
	Name   string // its name in a study file
	Title  string // as participants see it
	Topics []Topic
	Items  []Item
}

// Topic is a subject that items are about.
type Topic struct {
	Name     string
	Category string // a coarser heading; may be empty
}

// Item is one question of an instrument with its options in the order asked.
type Item struct {
	ID      string // unique within the instrument; a column name in exports
	Text    string
	Topics  []string // names; none, one or several
	Source  string   // source of the item; may be empty
	Options []Option

	// Unordered marks options that do not form a scale, so that there is no distance between answers.
	Unordered bool

	// AskIf are conditions that must all hold for the item to be asked.
	AskIf []Condition

	// Translations are the item's texts by language (BCP 47).
	Translations map[string]Wording
}

// Option is one answer that an item offers.
type Option struct {
	Code  string // what is stored and exported; unique within the item
	Label string // what participants read

	// Refusal marks the wish not to answer. It is an answer, and neither a neutral opinion nor a missing
	// value.
	Refusal bool

	// Outside marks an option that is offered to people but is not a group of the published source, so that
	// comparisons with it leave the option out.
	Outside bool

	// Hedge marks an answer outside the scale, such as “about the same” at the end of a list. It counts as
	// the middle of the scale.
	Hedge bool

	// Ordinal is the option's place on the scale, if the source gives one; nil: as computed by Ordinals.
	Ordinal *float64

	// Polarity is the side of a polar topic that the option takes, from -1 to 1; nil if the source gives
	// none. It may run against the order of the options, and two options may share a value.
	Polarity *float64
}

// Condition holds if an item of an instrument was answered with one of Codes.
type Condition struct {
	Instrument string // "": the instrument of the item that has the condition
	Item       string
	Codes      []string
}

// Wording is an item's text and its options' labels, in order, in another language.
type Wording struct {
	Text   string
	Labels []string
}

// Item returns an item by its id.
func (in Instrument) Item(id string) (Item, bool) {
	for _, it := range in.Items {
		if it.ID == id {
			return it, true
		}
	}
	return Item{}, false
}

// Option returns an option by its code.
func (it Item) Option(code string) (Option, bool) {
	for _, o := range it.Options {
		if o.Code == code {
			return o, true
		}
	}
	return Option{}, false
}

// In returns the item's wording in a language, or its own if it has no translation.
func (it Item) In(language string) Wording {
	if w, ok := it.Translations[language]; ok {
		return w
	}
	w := Wording{Text: it.Text}
	for _, o := range it.Options {
		w.Labels = append(w.Labels, o.Label)
	}
	return w
}

// Ordinals are the places on the scale of all options that are not refusals, in order (Santurkar et al. 2023,
// section 2, and its released data). Places given by the source are used. Otherwise they are 1, 2, 3 and so
// on, a hedge is at the mean of the others, and all options of an unordered item are at 1.
func (it Item) Ordinals() []float64 {
	var places []float64
	var hedges []int
	sum, n := 0.0, 0.0
	for _, o := range it.Options {
		switch at := len(places); {
		case o.Refusal:
			continue
		case o.Ordinal != nil:
			places = append(places, *o.Ordinal)
		case it.Unordered:
			places = append(places, 1)
		case o.Hedge:
			hedges = append(hedges, at)
			places = append(places, 0)
			continue
		default:
			places = append(places, n+1)
		}
		n++
		sum += places[len(places)-1]
	}
	for _, at := range hedges {
		places[at] = 1
		if n > 0 {
			places[at] = sum / n
		}
	}
	return places
}

// Span is the distance between the ends of the item's scale. Distances between answers are divided by it, not
// by the number of options minus one: a hedge does not make the scale longer. 0 means that there is no scale.
func (it Item) Span() float64 {
	places := it.Ordinals()
	if len(places) == 0 {
		return 0
	}
	low, high := places[0], places[0]
	for _, p := range places {
		low, high = min(low, p), max(high, p)
	}
	return high - low
}

// Polar says whether every answer of the item except refusals takes a side, or is in the middle between two.
func (it Item) Polar() bool {
	sides := 0
	for _, o := range it.Options {
		if o.Refusal {
			continue
		}
		if o.Polarity == nil {
			return false
		}
		sides++
	}
	return sides > 0
}

// About lists the items of a topic, in their order.
func (in Instrument) About(topic string) []Item {
	var items []Item
	for _, it := range in.Items {
		for _, t := range it.Topics {
			if t == topic {
				items = append(items, it)
				break
			}
		}
	}
	return items
}

// BuiltIn returns an instrument that ships with the program, by name. Launched studies refer to it by name,
// so the meaning of a name never changes; a changed wording gets a new name.
func BuiltIn(name string) (Instrument, bool) {
	if name == usDemographics {
		return USDemographics(), true
	}
	return Instrument{}, false
}
