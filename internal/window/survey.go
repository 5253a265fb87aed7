package window

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"overton/internal/dataset/studyfile"
	"overton/internal/dataset/survey"
	"overton/internal/instrument"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/study"
)

// SurveyOptions are the parameters of a survey's analysis.
type SurveyOptions struct {
	Instrument string         `json:"instrument,omitempty"` // "": all of the flow
	People     People         `json:"people"`
	Margins    []score.Margin `json:"margins,omitempty"` // of the population, to weigh people by; nil: no weights
	Bootstrap  int            `json:"bootstrap"`
	Seed       uint64         `json:"seed"`
}

// DefaultSurveyOptions are the parameters that commands and pages start from.
func DefaultSurveyOptions() SurveyOptions {
	return SurveyOptions{People: Auto, Bootstrap: 1000, Seed: 1}
}

// SurveyResult is one analysis of what people answered to one instrument of a
// study, with models' answers to it beside theirs.
type SurveyResult struct {
	Program    Program       `json:"program"`
	Input      Input         `json:"input"`
	Study      About         `json:"study"`
	Parameters SurveyOptions `json:"parameters"`
	People     Counted       `json:"people"`
	InstrumentResult
}

// InstrumentResult is what was found in the answers to one instrument.
type InstrumentResult struct {
	Instrument string        `json:"instrument"`
	Title      string        `json:"title,omitempty"`
	Raking     *score.Raking `json:"raking,omitempty"`
	Items      []SurveyItem  `json:"items"`

	// Opinions are the numbers of POBs for the people, nil where no topic is
	// polar; Models those of models that were asked the same, by model and mode.
	Opinions *score.PeopleOpinions                  `json:"opinions,omitempty"`
	Models   map[string]map[string]*score.PobsScore `json:"models,omitempty"`

	// Polls compares models' distributions of answers with the people's and
	// with those of their demographic groups.
	Polls *score.OpinionQA `json:"polls,omitempty"`
}

// SurveyItem is one item with the people's answers.
type SurveyItem struct {
	Item     string         `json:"item"`
	Text     string         `json:"text"`
	Topics   []string       `json:"topics,omitempty"`
	Asked    int            `json:"asked"`     // people who answered
	NotAsked int            `json:"not_asked"` // people for whom it was not drawn, or whose earlier answers led past it
	NoAnswer int            `json:"no_answer"` // people who were asked and have no answer
	Refused  int            `json:"refused"`
	Refusal  score.Estimate `json:"refusal"` // share of those who answered
	Options  []SurveyOption `json:"options"`
	Entropy  score.Number   `json:"entropy_normalised"`

	// Order is how much higher on the scale people answer who see the options
	// in reverse; nil where nobody does.
	Order *score.Estimate `json:"order_effect,omitempty"`

	// Models are the models' shares of the options, in their order, and
	// ModelRefusals their shares of refusals among all their answers.
	Models        map[string][]score.Number `json:"models,omitempty"`
	ModelRefusals map[string]score.Number   `json:"model_refusals,omitempty"`
}

// SurveyOption is an answer and its share among those who did not refuse.
type SurveyOption struct {
	Option string         `json:"option"`
	Label  string         `json:"label"`
	Count  int            `json:"count"` // people, without weights
	Share  score.Estimate `json:"share"`
}

// SurveyData are the answers of the people that an analysis takes.
type SurveyData struct {
	st         *studyfile.Study
	in         instrument.Instrument
	people     Counted
	pseudonyms []string
	first      [][]int // [person][item], position of the option, score.NotAsked, or score.Invalid for no answer
	second     [][]int // to items that came again
	reversed   []bool
	attributes []map[string]string // all survey answers by item, first ones
}

// CollectSurvey reads what people answered to an instrument.
func CollectSurvey(ctx context.Context, db Source, row store.Study, st *studyfile.Study, o SurveyOptions) (*SurveyData, error) {
	all, err := collectSurveys(ctx, db, row, st, o.People, o.Instrument)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// collectSurveys reads what people answered to instruments.
func collectSurveys(ctx context.Context, db Source, row store.Study, st *studyfile.Study, people People, instruments ...string) ([]*SurveyData, error) {
	var all []*SurveyData
	for _, name := range instruments {
		in, ok := st.Instruments[name]
		if !ok {
			return nil, fmt.Errorf("the study asks no instrument %q", name)
		}
		all = append(all, &SurveyData{st: st, in: in})
	}
	records, counted, err := completeRecords(ctx, db, row, people)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		d.people = counted
		for _, r := range records {
			d.add(r)
		}
	}
	return all, nil
}

// add takes one person's answers.
func (d *SurveyData) add(r study.Record) {
	answers := r.Answered()
	first, second := make([]int, len(d.in.Items)), make([]int, len(d.in.Items))
	for i := range first {
		first[i], second[i] = score.NotAsked, score.NotAsked
	}
	at := map[string]int{}
	for i, it := range d.in.Items {
		at[it.ID] = i
	}
	attributes := map[string]string{}
	reversed := false
	for _, asked := range d.st.AskedItems(answers, r.Surveys) {
		value, answered := answers[asked.Key]
		if answered && !asked.Again {
			attributes[asked.Item.ID] = value
		}
		if asked.Key.Scope != d.in.Name {
			continue
		}
		reversed = asked.Reversed
		i := at[asked.Item.ID]
		option := slices.IndexFunc(d.in.Items[i].Options, func(o instrument.Option) bool { return o.Code == value })
		if asked.Again {
			second[i] = option
		} else {
			first[i] = option
		}
	}
	d.pseudonyms = append(d.pseudonyms, r.Pseudonym)
	d.first, d.second = append(d.first, first), append(d.second, second)
	d.reversed, d.attributes = append(d.reversed, reversed), append(d.attributes, attributes)
}

// runs are the people as the scores of opinions take them.
func (d *SurveyData) runs() []*score.OpinionRun {
	runs := make([]*score.OpinionRun, len(d.first))
	for i := range runs {
		runs[i] = &score.OpinionRun{Respondent: d.pseudonyms[i], Repetitions: []int{1, 2}, Answers: [][]int{d.first[i], d.second[i]}}
	}
	return runs
}

// AnalyseSurvey scores people's answers, with models' beside them.
func AnalyseSurvey(d *SurveyData, o SurveyOptions, models Models) (*SurveyResult, error) {
	found, err := d.analyse(o, models)
	if err != nil {
		return nil, err
	}
	return &SurveyResult{Program: ThisProgram(), Input: d.input(), Study: aboutStudy(d.st), Parameters: o, People: d.people, InstrumentResult: *found}, nil
}

func aboutStudy(st *studyfile.Study) About {
	return About{st.Slug, st.Title, st.Hash, st.Questions.Hash()}
}

func (d *SurveyData) analyse(o SurveyOptions, models Models) (*InstrumentResult, error) {
	if len(d.first) == 0 {
		return nil, ErrNobody
	}
	r := &InstrumentResult{Instrument: d.in.Name, Title: d.in.Title}
	var weights []float64
	if o.Margins != nil {
		values := make([][]string, len(d.attributes))
		for i, person := range d.attributes {
			for _, m := range o.Margins {
				values[i] = append(values[i], person[m.Variable])
			}
		}
		var err error
		if r.Raking, err = score.Rake(values, o.Margins, nil); err != nil {
			return nil, err
		}
		weights = r.Raking.Weights
	}
	answers := append(slices.Clone(models.Answers), answersOf(d.in, models.Runs)...)
	for i := range d.in.Items {
		r.Items = append(r.Items, d.item(i, weights, o, answers))
	}
	questionnaire := survey.OpinionSurvey(d.in)
	if slices.ContainsFunc(questionnaire.Topics, func(t score.OpinionTopic) bool { return t.Polar }) {
		r.Opinions = questionnaire.ScorePeople(d.runs(), weights, o.Bootstrap, o.Seed)
		r.Models = map[string]map[string]*score.PobsScore{}
		for _, run := range models.Runs {
			if r.Models[run.Respondent] == nil {
				r.Models[run.Respondent] = map[string]*score.PobsScore{}
			}
			r.Models[run.Respondent][run.Mode] = questionnaire.ScorePobs(run, o.Bootstrap, o.Seed)
		}
	}
	if len(answers) > 0 {
		items, attributes := d.polls(weights)
		r.Polls = score.ScoreOpinionQA(items, attributes, pollRuns(d.in, answers), o.Bootstrap, o.Seed)
	}
	return r, nil
}

// ErrNobody says that there is nothing to analyse.
var ErrNobody = errors.New("nobody has finished the study yet")

// item summarises the answers to one item.
func (d *SurveyData) item(at int, weights []float64, o SurveyOptions, models []survey.ModelAnswers) SurveyItem {
	it := d.in.Items[at]
	item := SurveyItem{Item: it.ID, Text: it.Text, Topics: it.Topics}
	answers := answersFirst(it)
	places := it.Ordinals()
	refused := make([]int, len(d.first)) // 1: refused, -1: not asked
	given := make([]int, len(d.first))   // among the answers, -1: none
	counts := make([]int, len(places))
	var reversed, straight score.Weighted // ordinals, by the order of the options
	for i, person := range d.first {
		option := person[at]
		refused[i], given[i] = -1, -1
		switch option {
		case score.NotAsked:
			item.NotAsked++
			continue
		case score.Invalid:
			item.NoAnswer++
			continue
		}
		item.Asked++
		if refused[i] = 0; it.Options[option].Refusal {
			refused[i] = 1
			item.Refused++
			continue
		}
		given[i] = slices.Index(answers, option)
		counts[given[i]]++
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		if d.reversed[i] {
			reversed.Add(places[given[i]], w)
		} else {
			straight.Add(places[given[i]], w)
		}
	}
	n := len(places)
	item.Refusal = score.Shares(refused, 2, weights)[1]
	shares := score.Shares(given, n, weights)
	distribution := make([]float64, n)
	for k, share := range shares {
		option := it.Options[answers[k]]
		item.Options = append(item.Options, SurveyOption{option.Code, option.Label, counts[k], share})
		distribution[k] = float64(share.Value)
	}
	item.Entropy = score.Entropy(distribution).Normalised
	if len(reversed.Values) > 0 && len(straight.Values) > 0 {
		effect := score.MeanDifference(reversed, straight, o.Bootstrap, o.Seed)
		item.Order = &effect
	}
	for _, m := range models {
		mass := m.Mass[it.ID]
		if mass == nil || m.Target != "" || m.Context != score.DefaultContext {
			continue
		}
		if item.Models == nil {
			item.Models, item.ModelRefusals = map[string][]score.Number{}, map[string]score.Number{}
		}
		sum, all := 0.0, 0.0
		for i, k := range answers {
			if all += mass[k]; i < n {
				sum += mass[k]
			}
		}
		item.ModelRefusals[m.Model] = score.Number(1 - sum/all)
		for _, k := range answers[:n] {
			item.Models[m.Model] = append(item.Models[m.Model], score.Number(mass[k]/sum))
		}
	}
	return item
}

// answersFirst are the positions of an item's options, refusals last.
func answersFirst(it instrument.Item) []int {
	var answers, refusals []int
	for k, o := range it.Options {
		if o.Refusal {
			refusals = append(refusals, k)
		} else {
			answers = append(answers, k)
		}
	}
	return append(answers, refusals...)
}

// polls are the people's answers by demographic group, where the study asks
// the attributes of the United States.
func (d *SurveyData) polls(weights []float64) ([]score.PollItem, []score.Attribute) {
	var attributes []score.Attribute
	for _, it := range d.st.Instruments[instrument.USDemographics().Name].Items {
		a := score.Attribute{Name: it.ID}
		for _, o := range it.Options {
			if !o.Refusal && !o.Outside {
				a.Groups = append(a.Groups, o.Code)
			}
		}
		attributes = append(attributes, a)
	}
	var items []score.PollItem
	for at, it := range d.in.Items {
		item := score.PollItem{ID: it.ID, Topics: it.Topics, Places: it.Ordinals()}
		var answers, refusals []string
		for k, option := range answersFirst(it) {
			if k < len(item.Places) {
				answers = append(answers, it.Options[option].Code)
			} else {
				refusals = append(refusals, it.Options[option].Code)
			}
		}
		responses := make([]score.Response, len(d.first))
		for i, person := range d.first {
			responses[i].Weight = 1
			if weights != nil {
				responses[i].Weight = weights[i]
			}
			if person[at] >= 0 {
				responses[i].Answer = it.Options[person[at]].Code
			}
		}
		item.Overall, _ = score.FromPeople(responses, answers, refusals, nil)
		for _, a := range attributes {
			for i := range responses {
				responses[i].Group = d.attributes[i][a.Name]
			}
			_, byGroup := score.FromPeople(responses, answers, refusals, a.Groups)
			for _, g := range a.Groups {
				item.Groups = append(item.Groups, byGroup[g])
			}
		}
		items = append(items, item)
	}
	return items, attributes
}

// pollRuns are models' answers with their refusals last.
func pollRuns(in instrument.Instrument, models []survey.ModelAnswers) []score.PollRun {
	runs := make([]score.PollRun, len(models))
	for i, m := range models {
		runs[i] = score.PollRun{Model: m.Model, Context: m.Context, Target: m.Target, Mass: map[string][]float64{}}
		for _, it := range in.Items {
			if mass := m.Mass[it.ID]; mass != nil {
				for _, k := range answersFirst(it) {
					runs[i].Mass[it.ID] = append(runs[i].Mass[it.ID], mass[k])
				}
			}
		}
	}
	return runs
}

// input identifies everything collected.
func (d *SurveyData) input() Input {
	var b bytes.Buffer
	for i, pseudonym := range d.pseudonyms {
		fmt.Fprintf(&b, "%q %v %v %v", pseudonym, d.first[i], d.second[i], d.reversed[i])
		for _, item := range sortedKeys(d.attributes[i]) {
			fmt.Fprintf(&b, " %q=%q", item, d.attributes[i][item])
		}
		b.WriteByte('\n')
	}
	return Input{digest(b.Bytes())}
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, strings.Compare)
	return keys
}
