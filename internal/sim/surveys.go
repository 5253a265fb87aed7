package sim

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"overton/internal/dataset/studyfile"
	"overton/internal/dataset/survey"
	"overton/internal/instrument"
	"overton/internal/score"
	"overton/internal/study"
)

// What people are like in surveys.
const (
	leanSpread   = 0.3  // standard deviation of a person's place around their group's
	sharpness    = 2.0  // how much nearer answers are liked better
	refuses      = 0.06 // share of answers that are refusals
	loyalty      = 0.7  // share of second answers that repeat the first, whatever else
	outermost    = 0.6  // place of the outermost groups, on a scale from -1 to 1
	furthestItem = 0.4  // how far an item's middle is off, at most
)

// planted is the attribute by which groups tell themselves apart, so that a
// sample can be weighted to a population of other shares.
const planted = "POLPARTY"

// Surveys are planted opinions on a study's surveys. A person leans to a place
// on a line from -1 to 1, and chooses an answer the likelier the nearer it is:
// in proportion to exp(-2d²). An answer's place is its polarity, else its place
// on the scale, on an axis that may be turned and shifted from item to item.
// Answers that are no scale, such as demographics, have made-up shares, but for
// POLPARTY: there each group gives its own.
type Surveys struct {
	study  *studyfile.Study
	seed   uint64
	groups int
	told   string          // the item that tells the groups apart; empty: none
	facts  map[string]bool // items that ask no opinion
}

// SurveyTruth is what was planted in surveys, for the truth's file.
type SurveyTruth struct {
	Leans      []float64     `json:"leans"`      // of each group, on the line from -1 to 1
	Spread     float64       `json:"spread"`     // standard deviation of people around their group's
	Sharpness  float64       `json:"sharpness"`  // k of exp(-k d²)
	Refusals   float64       `json:"refusals"`   // share
	Loyalty    float64       `json:"loyalty"`    // share of second answers that repeat the first
	Population []float64     `json:"population"` // each group's share of the population to weigh to
	Attribute  string        `json:"attribute"`  // the item that tells the groups apart; empty: none
	Items      []PlantedItem `json:"items"`
}

// PlantedItem is how likely each group answers an item, refusals aside.
type PlantedItem struct {
	Instrument string      `json:"instrument"`
	Item       string      `json:"item"`
	Options    []string    `json:"options"`
	ByGroup    [][]float64 `json:"by_group"`
}

// PlantSurveys plants opinions on a study's surveys in so many groups.
func PlantSurveys(st *studyfile.Study, groups int, seed uint64) *Surveys {
	s := &Surveys{study: st, seed: seed, groups: groups, facts: map[string]bool{}}
	for _, it := range instrument.USDemographics().Items {
		s.facts[it.ID] = true
	}
	for _, name := range s.instruments() {
		if it, ok := st.Instruments[name].Item(planted); ok && len(it.Ordinals()) >= groups {
			s.told = planted
		}
	}
	return s
}

// lean is a group's place on the line.
func (s *Surveys) lean(group int) float64 {
	if s.groups == 1 {
		return 0
	}
	return outermost * (2*float64(group)/float64(s.groups-1) - 1)
}

// place is where one of a group's people stands.
func (s *Surveys) place(group int, rng *rand.Rand) float64 {
	return math.Max(-1, math.Min(1, s.lean(group)+leanSpread*rng.NormFloat64()))
}

// Margins are the population's shares of the groups, all the same, by the
// attribute that tells them apart; nil where there is none.
func (s *Surveys) Margins() []score.Margin {
	for _, name := range s.instruments() {
		if it, ok := s.study.Instruments[name].Item(planted); ok && s.told != "" {
			m := score.Margin{Variable: it.ID}
			for _, o := range it.Options[:s.groups] {
				m.Categories, m.Shares = append(m.Categories, o.Code), append(m.Shares, 1/float64(s.groups))
			}
			return []score.Margin{m}
		}
	}
	return nil
}

// chances are how likely each option of an item is chosen from a place on the
// line, by somebody who does not refuse.
func (s *Surveys) chances(it instrument.Item, group int, place float64) []float64 {
	chances := make([]float64, len(it.Options))
	made := s.rand("item", it.ID)
	turned, middle := 1-2*float64(made.IntN(2)), furthestItem*(2*made.Float64()-1)
	places, span, at, sum := it.Ordinals(), it.Span(), 0, 0.0
	for k, o := range it.Options {
		switch {
		case o.Refusal:
			continue
		case it.ID == s.told:
			if k == group {
				chances[k] = 1
			}
		case o.Polarity != nil:
			chances[k] = nearness(*o.Polarity - place)
		case span > 0 && !s.facts[it.ID]:
			side := 2*(places[at]-slices.Min(places))/span - 1
			chances[k] = nearness(turned*side - middle - place)
		default:
			chances[k] = 0.2 + made.Float64()
		}
		at++
		sum += chances[k]
	}
	for k := range chances {
		chances[k] /= sum
	}
	return chances
}

func nearness(distance float64) float64 { return math.Exp(-sharpness * distance * distance) }

func (s *Surveys) rand(purpose string, about ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, purpose)
	for _, a := range about {
		fmt.Fprintf(h, "\x00%v", a)
	}
	return rand.New(rand.NewPCG(s.seed, h.Sum64()))
}

// answer is somebody's answer to an item. before is what they answered the first
// time, empty for the first time.
func (s *Surveys) answer(it instrument.Item, group int, place float64, before string, rng *rand.Rand) string {
	if before != "" && rng.Float64() < loyalty {
		return before
	}
	if it.ID != s.told {
		for _, o := range it.Options {
			if o.Refusal && rng.Float64() < refuses {
				return o.Code
			}
		}
	}
	u := rng.Float64()
	last := ""
	for k, chance := range s.chances(it, group, place) {
		if chance > 0 {
			last = it.Options[k].Code
			if u -= chance; u < 0 {
				break
			}
		}
	}
	return last
}

// truth writes down what was planted.
func (s *Surveys) truth() *SurveyTruth {
	t := &SurveyTruth{Spread: leanSpread, Sharpness: sharpness, Refusals: refuses, Loyalty: loyalty, Attribute: s.told}
	for g := range s.groups {
		t.Leans, t.Population = append(t.Leans, s.lean(g)), append(t.Population, 1/float64(s.groups))
	}
	for _, b := range s.study.Flow {
		if b.Survey == nil {
			continue
		}
		for _, it := range s.study.Instruments[b.Survey.Instrument].Items {
			p := PlantedItem{Instrument: b.Survey.Instrument, Item: it.ID, ByGroup: make([][]float64, s.groups)}
			for _, o := range it.Options {
				p.Options = append(p.Options, o.Code)
			}
			for g := range s.groups {
				p.ByGroup[g] = s.groupChances(it, g)
			}
			t.Items = append(t.Items, p)
		}
	}
	return t
}

// groupChances are the chances of a group's people on average, over places that
// halve, quarter and so on their distribution.
func (s *Surveys) groupChances(it instrument.Item, group int) []float64 {
	const steps = 101
	mean := make([]float64, len(it.Options))
	for i := range steps {
		z := math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/steps-1)
		place := math.Max(-1, math.Min(1, s.lean(group)+leanSpread*z))
		for k, chance := range s.chances(it, group, place) {
			mean[k] += chance / steps
		}
	}
	return mean
}

// Expected is what an instrument should come to among people of whom each group
// is a given share.
type Expected struct {
	Items    map[string]ExpectedItem
	Opinions *score.PeopleOpinions
}

// ExpectedItem is how an item should be answered.
type ExpectedItem struct {
	Shares  map[string]score.Number // among those who do not refuse, by option
	Refusal score.Number
}

// Expect sends n people through all surveys without a site, as the study draws
// what they are asked, and tells what their answers come to by instrument.
func (s *Surveys) Expect(shares []float64, n int) map[string]Expected {
	first := map[string][][]int{}
	second := map[string][][]int{}
	for i := range n {
		rng := s.rand("expected", i)
		group, u := 0, rng.Float64()
		for group < len(shares)-1 && u >= shares[group] {
			u -= shares[group]
			group++
		}
		answers := s.walk(group, s.place(group, rng), rng)
		for _, name := range s.instruments() {
			in := s.study.Instruments[name]
			one, two := make([]int, len(in.Items)), make([]int, len(in.Items))
			for k, it := range in.Items {
				one[k], two[k] = position(it, answers, study.SurveyKey(name, it.ID, false)), position(it, answers, study.SurveyKey(name, it.ID, true))
			}
			first[name], second[name] = append(first[name], one), append(second[name], two)
		}
	}
	all := map[string]Expected{}
	for _, name := range s.instruments() {
		in := s.study.Instruments[name]
		e := Expected{Items: map[string]ExpectedItem{}}
		for k, it := range in.Items {
			e.Items[it.ID] = expectedItem(it, first[name], k)
		}
		runs := make([]*score.OpinionRun, n)
		for i := range runs {
			runs[i] = &score.OpinionRun{Repetitions: []int{1, 2}, Answers: [][]int{first[name][i], second[name][i]}}
		}
		e.Opinions = survey.OpinionSurvey(in).ScorePeople(runs, nil, 0, 0)
		all[name] = e
	}
	return all
}

// walk is one person's answers to all surveys of the study.
func (s *Surveys) walk(group int, place float64, rng *rand.Rand) map[study.Key]string {
	drawn := map[string]study.Drawn{}
	for _, b := range s.study.Flow {
		if b.Survey != nil && b.Survey.Draws() {
			drawn[b.Survey.Instrument], _ = b.Survey.Draw(nil, 0, 0, rng)
		}
	}
	answers := map[study.Key]string{}
	for again := true; again; {
		again = false
		for _, asked := range s.study.AskedItems(answers, drawn) {
			if _, answered := answers[asked.Key]; answered {
				continue
			}
			it, _ := s.study.Instruments[asked.Key.Scope].Item(asked.Item.ID)
			before := ""
			if asked.Again {
				before = answers[study.SurveyKey(asked.Key.Scope, asked.Item.ID, false)]
			}
			answers[asked.Key], again = s.answer(it, group, place, before, rng), true
		}
	}
	return answers
}

func (s *Surveys) instruments() []string {
	var names []string
	for _, b := range s.study.Flow {
		if b.Survey != nil {
			names = append(names, b.Survey.Instrument)
		}
	}
	return names
}

func position(it instrument.Item, answers map[study.Key]string, key study.Key) int {
	code, ok := answers[key]
	if !ok {
		return score.NotAsked
	}
	return slices.IndexFunc(it.Options, func(o instrument.Option) bool { return o.Code == code })
}

func expectedItem(it instrument.Item, people [][]int, at int) ExpectedItem {
	counts := make([]float64, len(it.Options))
	given, refused := 0.0, 0.0
	for _, person := range people {
		switch option := person[at]; {
		case option < 0:
		case it.Options[option].Refusal:
			refused++
		default:
			counts[option]++
			given++
		}
	}
	e := ExpectedItem{Shares: map[string]score.Number{}, Refusal: score.Number(refused / (given + refused))}
	for k, o := range it.Options {
		if !o.Refusal {
			e.Shares[o.Code] = score.Number(counts[k] / given)
		}
	}
	return e
}

// item finds the item that a field of a survey's page asks.
func (s *Surveys) item(place, field string) (name string, it instrument.Item, ok bool) {
	var block, page int
	if _, err := fmt.Sscanf(place, "p/survey%d-%d", &block, &page); err != nil || block < 0 || block >= len(s.study.Flow) || s.study.Flow[block].Survey == nil {
		return "", it, false
	}
	name = s.study.Flow[block].Survey.Instrument
	it, ok = s.study.Instruments[name].Item(field)
	return name, it, ok
}
