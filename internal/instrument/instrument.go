// Package instrument describes multiple-choice questionnaires: items with
// ordered options, some of which are refusals. Demographics are data for it,
// as every other questionnaire is. Which items a study asks, and how many on a
// page, is the study's business; file formats are dataset's.
package instrument

// Instrument is a multiple-choice questionnaire.
type Instrument struct {
	Name  string // as a study file names it
	Title string // as participants see it
	Items []Item
}

// Item is one question of an instrument with its options in the order asked.
type Item struct {
	ID      string // unique within the instrument; a column name in exports
	Text    string
	Options []Option
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

// BuiltIn returns an instrument that ships with the program, by its name.
// Launched studies refer to it by that name, so what a name stands for never
// changes; another wording gets another name.
func BuiltIn(name string) (Instrument, bool) {
	if name == usDemographics {
		return USDemographics(), true
	}
	return Instrument{}, false
}
