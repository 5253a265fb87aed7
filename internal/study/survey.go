package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Survey is an instrument in the form that the flow needs: its items, and the options that each accepts.
// Wording is in the instrument.
type Survey struct {
	Instrument string
	Items      []Item
	PerPage    int // items per page; 0: one topic per page

	// Topics and Sample are how many topics, or items, each participant is asked; 0: all. Only one of them
	// may be set.
	Topics, Sample int

	// ReverseHalf shows the options in reverse order to half of the participants.
	ReverseHalf bool

	// Repeat is how many of the items are asked again at the end of the block.
	Repeat int

	// ScreenOut are conditions on the survey's own items. A person whose answers meet one of them is screened
	// out.
	ScreenOut []Condition
}

// Item is one multiple-choice item of a survey.
type Item struct {
	ID      string
	Options []string // option codes, in the instrument's order
	Fixed   int      // how many of the last options stay last in reverse order: refusals and hedges
	Topics  []string
	AskIf   []Condition // all must be met for the item to be asked
}

// Condition is met if an item was answered with one of Values.
type Condition struct {
	Instrument string
	Item       string
	Values     []string
}

// Drawn is what was drawn from a survey for one participant before the first page.
type Drawn struct {
	Items    []string // items asked, in order
	Repeated []string // asked again at the end
	Reversed bool     // options are shown in reverse
}

// Screens says whether answers to the survey end the submission as screened out.
func (v *Survey) Screens(answers map[Key]string) bool {
	return slices.ContainsFunc(v.ScreenOut, func(c Condition) bool {
		return slices.Contains(c.Values, answers[SurveyKey(v.Instrument, c.Item, false)])
	})
}

// Draws says whether participants differ in what they are asked, or how.
func (v *Survey) Draws() bool {
	return v.Topics > 0 || v.Sample > 0 || v.Repeat > 0 || v.ReverseHalf
}

// unit is what is drawn together: a topic, or an item with the items that depend on its answer.
type unit struct {
	name  string
	items []string
}

// units lists what a draw chooses from. If topics are drawn, an item belongs to the first of its topics, or
// to a unit of its own if it has none.
func (v *Survey) units() []unit {
	var units []unit
	at := map[string]int{}     // unit by its name
	unitOf := map[string]int{} // unit by item
	for _, it := range v.Items {
		name := it.ID
		if v.Topics > 0 && len(it.Topics) > 0 {
			name = it.Topics[0]
		}
		u, there := at[name]
		if !there {
			for _, c := range it.AskIf {
				if root, ok := unitOf[c.Item]; ok && v.Topics == 0 && c.Instrument == v.Instrument {
					u, there = root, true
				}
			}
		}
		if !there {
			u = len(units)
			at[name] = u
			units = append(units, unit{name: name})
		}
		unitOf[it.ID] = u
		units[u].items = append(units[u].items, it.ID)
	}
	return units
}

// Draw chooses what a participant is asked: the topics or items that the fewest others were asked, ties at
// random, in the instrument's order. loads counts by unit, as in Drawn; reversed and straight count those who
// see the options in each order.
func (v *Survey) Draw(loads []Load, straight, reversed int, rng *rand.Rand) (d Drawn, units []string) {
	all := v.units()
	wanted := len(all)
	if n := max(v.Topics, v.Sample); n > 0 {
		wanted = min(n, wanted)
	}
	taken := map[string]Load{}
	for _, l := range loads {
		taken[l.Question] = l
	}
	places := make([]Load, len(all))
	for i, u := range all {
		l := taken[u.name]
		places[i] = Load{Question: u.name, Done: l.Done, Live: l.Live}
	}
	chosen, err := ChooseQuestions(places, wanted, math.MaxInt, rng)
	if err != nil {
		panic("study: a survey has no limit on its places: " + err.Error())
	}
	var mayRepeat []string
	for _, u := range all {
		if slices.Contains(chosen, u.name) {
			units = append(units, u.name)
		}
	}
	for _, it := range v.Items { // in the instrument's order, not the units'
		for _, u := range all {
			if slices.Contains(units, u.name) && slices.Contains(u.items, it.ID) {
				d.Items = append(d.Items, it.ID)
				if len(it.AskIf) == 0 {
					mayRepeat = append(mayRepeat, it.ID)
				}
			}
		}
	}
	// Only items from the first half, so that some pages lie between.
	mayRepeat = mayRepeat[:min(len(mayRepeat), max(v.Repeat, (len(mayRepeat)+1)/2))]
	rng.Shuffle(len(mayRepeat), func(i, j int) { mayRepeat[i], mayRepeat[j] = mayRepeat[j], mayRepeat[i] })
	repeated := mayRepeat[:min(v.Repeat, len(mayRepeat))]
	for _, id := range d.Items {
		if slices.Contains(repeated, id) {
			d.Repeated = append(d.Repeated, id)
		}
	}
	if v.ReverseHalf {
		d.Reversed = reversed < straight || reversed == straight && rng.IntN(2) == 1
	}
	return d, units
}

// drawn is what the participant is asked: the items drawn, or all of them.
func (v *Survey) drawn(p Progress) Drawn {
	if d, ok := p.Surveys[v.Instrument]; ok {
		return d
	}
	d := Drawn{}
	for _, it := range v.Items {
		d.Items = append(d.Items, it.ID)
	}
	return d
}

// repeatMark distinguishes the second answer to an item from the first, in keys.
const repeatMark = "@2"

// SurveyKey is the key of the answer to an item of an instrument, or of the second answer.
func SurveyKey(instrument, item string, again bool) Key {
	if again {
		item += repeatMark
	}
	return Key{Kind: KindSurvey, Scope: instrument, Subject: item}
}

// SurveyItem is the item that a survey key is about, and whether the key is for the second answer.
func (k Key) SurveyItem() (item string, again bool) {
	return strings.CutSuffix(k.Subject, repeatMark)
}

// Shown is the order in which an item's options were shown.
func (it Item) Shown(reversed bool) []string {
	shown := slices.Clone(it.Options)
	if reversed {
		slices.Reverse(shown[:len(shown)-it.Fixed])
	}
	return shown
}

// asked says whether an item's conditions are met.
func (it Item) asked(answers map[Key]string) bool {
	for _, c := range it.AskIf {
		if !slices.Contains(c.Values, answers[SurveyKey(c.Instrument, c.Item, false)]) {
			return false
		}
	}
	return true
}

// surveyPage is the items that share a page.
type surveyPage struct {
	items []Item
	again bool
}

// pages divides what was drawn into pages. Items that are not asked keep their place, so that page numbers do
// not depend on the answers.
func (v *Survey) pages(d Drawn) []surveyPage {
	byID := make(map[string]Item, len(v.Items))
	for _, it := range v.Items {
		byID[it.ID] = it
	}
	var pages []surveyPage
	divide := func(ids []string, again bool) {
		topic := ""
		for i, id := range ids {
			it := byID[id]
			fresh := i == 0
			if v.PerPage > 0 {
				fresh = i%v.PerPage == 0
			} else if first := strings.Join(it.Topics[:min(1, len(it.Topics))], ""); first != topic || first == "" {
				topic, fresh = first, true
			}
			if fresh {
				pages = append(pages, surveyPage{again: again})
			}
			last := &pages[len(pages)-1]
			last.items = append(last.items, it)
		}
	}
	divide(d.Items, false)
	divide(d.Repeated, true)
	return pages
}

// steps lists a survey's pages, without those on which nothing is asked.
func (v *Survey) steps(block int, p Progress) []Step {
	d := v.drawn(p)
	var steps []Step
	for n, page := range v.pages(d) {
		step := Step{Path: fmt.Sprintf("survey%d-%d", block, n+1), Kind: StepSurvey, Block: block, Slot: -1, Number: n + 1}
		for _, it := range page.items {
			if it.asked(p.Answers) {
				step.Fields = append(step.Fields, Field{Key: SurveyKey(v.Instrument, it.ID, page.again), Name: it.ID, Options: it.Shown(d.Reversed)})
			}
		}
		if len(step.Fields) > 0 {
			steps = append(steps, step)
		}
	}
	return steps
}

// SurveyPage says which page of its survey a step is, and of how many.
func (s *Study) SurveyPage(p Progress, at Step) (n, of int) {
	for _, step := range s.Flow[at.Block].Survey.steps(at.Block, p) {
		of++
		if step.Number <= at.Number {
			n++
		}
	}
	return n, of
}

// wanted is how many of its units one participant is asked.
func (v *Survey) wanted(units []unit) int {
	if n := max(v.Topics, v.Sample); n > 0 {
		return min(n, len(units))
	}
	return len(units)
}

// MostItems is the largest number of items that one participant is asked, including repeated ones.
func (v *Survey) MostItems() int {
	return v.mostFirst() + v.Repeat
}

func (v *Survey) mostFirst() int {
	units := v.units()
	slices.SortFunc(units, func(a, b unit) int { return len(b.items) - len(a.items) })
	items := 0
	for _, u := range units[:v.wanted(units)] {
		items += len(u.items)
	}
	return items
}

// MostPages is the largest number of pages that one participant sees.
func (v *Survey) MostPages() int {
	if v.PerPage > 0 {
		return (v.mostFirst()+v.PerPage-1)/v.PerPage + (v.Repeat+v.PerPage-1)/v.PerPage
	}
	if v.Topics > 0 {
		wanted := v.wanted(v.units())
		return wanted + min(v.Repeat, wanted)
	}
	all := len(v.pages(v.drawn(Progress{})))
	if v.Sample > 0 {
		all = min(all, len(v.Items))
	}
	return all + min(v.Repeat, all)
}

// faults lists what is wrong with a survey. earlier are the surveys before it.
func (v *Survey) faults(at string, earlier []*Survey, fault tellFault) {
	if len(v.Items) == 0 {
		fault(at, "has no items")
		return
	}
	topics := map[string]bool{}
	ids := map[string]bool{}
	for _, it := range v.Items {
		if len(it.Topics) > 0 {
			topics[it.Topics[0]] = true
		}
		for _, c := range it.AskIf {
			if c.Instrument != v.Instrument {
				checkCondition(at+".instrument", it.ID, c, earlier, fault)
			} else if !ids[c.Item] {
				fault(at+".instrument", "asks %s only after an answer to %s, which does not come before it", it.ID, c.Item)
			}
		}
		if slices.Contains(formFields, it.ID) {
			fault(at+".instrument", "has an item %q; the pages use that name themselves", it.ID)
		}
		if strings.HasSuffix(it.ID, repeatMark) {
			fault(at+".instrument", "has an item %s; expected no id that ends in %s, which marks second answers", it.ID, repeatMark)
		}
		ids[it.ID] = true
	}
	if v.PerPage < 0 {
		fault(at+".items_per_page", "is %d; expected 1 or more, or topic", v.PerPage)
	}
	if v.PerPage == 0 && len(topics) == 0 {
		fault(at+".items_per_page", "is topic, but the instrument has no topics; expected 1 or more")
	}
	if v.Topics > 0 && v.Sample > 0 {
		fault(at+".items_per_participant", "is set together with topics_per_participant; expected only one of them")
	}
	if v.Topics > len(topics) || v.Topics < 0 {
		fault(at+".topics_per_participant", "is %d; expected 1 to %d, the number of the instrument's topics", v.Topics, len(topics))
	}
	if units := len(v.units()); v.Topics == 0 && (v.Sample > units || v.Sample < 0) {
		fault(at+".items_per_participant", "is %d; expected 1 to %d, the number of the instrument's items that do "+
			"not depend on others", v.Sample, units)
	}
	if most := v.leastUnconditional(); v.Repeat < 0 || v.Repeat > most {
		fault(at+".repeat", "is %d; expected 0 to %d, the number of items that everyone is asked without a condition", v.Repeat, most)
	}
}

// screenFaults lists what is wrong with the conditions that screen people out.
func (v *Survey) screenFaults(at string, codes map[Outcome]string, fault tellFault) {
	if len(v.ScreenOut) > 0 && codes[ScreenedOut] == "" {
		fault("recruitment.prolific.codes.screened_out", "is missing; expected the code for people whom a survey screens out")
	}
	for _, c := range v.ScreenOut {
		at := at + ".screen_out." + c.Item
		i := slices.IndexFunc(v.Items, func(it Item) bool { return it.ID == c.Item })
		if i < 0 {
			fault(at, "is not an item of %s", v.Instrument)
			continue
		}
		if len(c.Values) == 0 {
			fault(at, "is empty; expected a list of answers")
		}
		for _, value := range c.Values {
			if !slices.Contains(v.Items[i].Options, value) {
				fault(at, "names %q, which is not one of its options; expected some of %s", value, strings.Join(v.Items[i].Options, ", "))
			}
		}
	}
}

// leastUnconditional is how many items without a condition the smallest draw has.
func (v *Survey) leastUnconditional() int {
	var counts []int
	for _, u := range v.units() {
		n := 0
		for _, it := range v.Items {
			if len(it.AskIf) == 0 && slices.Contains(u.items, it.ID) {
				n++
			}
		}
		counts = append(counts, n)
	}
	slices.Sort(counts)
	if n := max(v.Topics, v.Sample); n > 0 && n < len(counts) {
		counts = counts[:n]
	}
	least := 0
	for _, n := range counts {
		least += n
	}
	return least
}

// checkCondition checks a condition on an item of another survey.
func checkCondition(path, item string, c Condition, earlier []*Survey, fault tellFault) {
	for _, v := range earlier {
		if v.Instrument != c.Instrument {
			continue
		}
		at := slices.IndexFunc(v.Items, func(it Item) bool { return it.ID == c.Item })
		if at < 0 {
			break
		}
		for _, value := range c.Values {
			if !slices.Contains(v.Items[at].Options, value) {
				fault(path, "asks %s only if %s is %q, which is not one of its options", item, c.Item, value)
			}
		}
		return
	}
	fault(path, "asks %s only after an answer to %s of %s, which no earlier survey asks", item, c.Item, c.Instrument)
}

// Asked is one item as a participant was asked it.
type Asked struct {
	Key      Key
	Item     Item
	Again    bool     // the second time
	Position int      // in the survey, from 1; repeated items continue the count
	Shown    []string // option codes in the order shown
	Reversed bool
}

// AskedItems lists in order the survey items that a submission's answers and draws lead to, answered or not.
func (d *Definition) AskedItems(answers map[Key]string, surveys map[string]Drawn) []Asked {
	var list []Asked
	for _, b := range d.Flow {
		if b.Survey == nil {
			continue
		}
		drawn := b.Survey.drawn(Progress{Surveys: surveys})
		position := 0
		for _, page := range b.Survey.pages(drawn) {
			for _, it := range page.items {
				if !it.asked(answers) {
					continue
				}
				position++
				list = append(list, Asked{SurveyKey(b.Survey.Instrument, it.ID, page.again), it, page.again, position,
					it.Shown(drawn.Reversed), drawn.Reversed})
			}
		}
	}
	return list
}
