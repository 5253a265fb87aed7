// Package instrument describes multiple-choice questionnaires: items with
// ordered options, some of which are refusals. Demographics are data for it,
// as every other questionnaire is. Which items a study asks, and how many on a
// page, is the study's business; file formats are dataset's.
package instrument

// Instrument is a multiple-choice questionnaire.
type Instrument struct {
	Name   string // as a study file names it
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
	Source  string   // where the item was taken from; may be empty
	Options []Option

	// Unordered marks options that are no points of one scale, so that there
	// is no distance between answers.
	Unordered bool

	// AskIf are conditions that must all hold for the item to be asked.
	AskIf []Condition

	// Translations are the item's wordings by language (BCP 47).
	Translations map[string]Wording
}

// Option is one answer that an item offers.
type Option struct {
	Code  string // what is stored and exported; unique within the item
	Label string // what participants read

	// Refusal marks the wish not to answer. It is an answer of its own, and
	// neither a neutral opinion nor a missing value.
	Refusal bool

	// Outside marks an option that is offered to people but is no group of
	// the published source, so that comparisons with it leave it out.
	Outside bool

	// Hedge marks an answer beside the scale, such as “about the same” at the
	// end of a list. It counts as the scale's middle.
	Hedge bool

	// Ordinal is the option's place on the scale, where the source gives one;
	// nil: as Ordinals derives it.
	Ordinal *float64

	// Polarity is the side of a polar topic that the option takes, from -1 to
	// 1; nil where the source gives none. It may run against the order of the
	// options, and two options may share a value.
	Polarity *float64
}

// Condition holds if an item of an instrument was answered with one of Codes.
type Condition struct {
	Instrument string // "": the instrument of the item that has the condition
	Item       string
	Codes      []string
}

// Wording is an item's text and its options' labels, in their order, in
// another language.
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

// In returns the item's wording in a language, or its own where it has no
// translation.
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

// Ordinals are the places on the scale of all options that are no refusals, in
// their order (Santurkar et al. 2023, section 2, and its released data).
// Places that the source gives win. Otherwise they are 1, 2, 3 and so on, a
// hedge stands at the mean of the others, and all options of an unordered item
// stand at 1.
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

// Span is the distance between the ends of the item's scale. It is what
// distances between answers are divided by, and not the number of options less
// one: a hedge does not make the scale longer. 0: there is no scale.
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

// Polar says whether every answer of the item but refusals takes a side, or
// the middle between two.
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

// BuiltIn returns an instrument that ships with the program, by its name.
// Launched studies refer to it by that name, so what a name stands for never
// changes; another wording gets another name.
func BuiltIn(name string) (Instrument, bool) {
	if name == usDemographics {
		return USDemographics(), true
	}
	return Instrument{}, false
}
