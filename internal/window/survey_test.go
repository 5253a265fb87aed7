package window

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overton/internal/dataset/export"
	"overton/internal/dataset/studyfile"
	"overton/internal/dataset/survey"
	"overton/internal/instrument"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/study"
)

// pobsFile is the POBs survey where it is at hand, else a made-up one of three
// topics in its layout.
func pobsFile(t *testing.T) []byte {
	shared := os.Getenv("OVERTON_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	if content, err := os.ReadFile(filepath.Join(shared, "data", "pobs", "POBS_v11.json")); err == nil {
		return content
	}
	var topics []string
	id := 0
	for _, name := range []string{"Individualism vs. Collectivism", "Socialism vs. Capitalism", "Environmentalism vs. Industrialism"} {
		var questions []string
		for q := range 8 {
			id++
			polarity := "[-1, -0.5, 0, 0.5, 1, null]"
			if q%2 == 1 {
				polarity = "[1, 0.5, 0, -0.5, -1, null]"
			}
			questions = append(questions, fmt.Sprintf(`{"id": %d, "question": "Made up %d?", "options": ["A lot", "Some", "Neutral", "Little", "Not", "Refused"], "options_polarity": %s}`, id, id, polarity))
		}
		topics = append(topics, fmt.Sprintf(`{"name": %q, "category": "Made up", "questions": [%s]}`, name, strings.Join(questions, ",")))
	}
	return []byte(`{"survey": {"title": "Views", "topics": [` + strings.Join(topics, ",") + `]}}`)
}

// pollTable is 30 items with scales of several lengths, some with hedges, all
// with a refusal.
func pollTable() []byte {
	var b strings.Builder
	b.WriteString("item,text,topics,label,mark\n")
	for i := range 30 {
		n := 2 + i%4
		for k := range n {
			mark := ""
			if k == n-1 && i%3 == 0 && n > 2 {
				mark = "hedge"
			}
			fmt.Fprintf(&b, "POLL%d,Made-up poll %d?,subject %d,Answer %d,%s\n", i+1, i+1, i%5, k+1, mark)
		}
		fmt.Fprintf(&b, "POLL%d,,,Prefer not to say,refusal\n", i+1)
	}
	return []byte(b.String())
}

const surveyYAML = `title: Opinions
slug: opinions
recruitment:
  minutes: 10
  prolific:
    codes: {completed: DONE}
flow:
  - survey: {instrument: us-demographics, items_per_page: 12}
  - survey: {instrument: pobs.json, items_per_page: topic, topics_per_participant: 3, repeat: 6, order: reversed_half}
  - survey: {instrument: polls.csv, items_per_page: 10, order: reversed_half}
`

// believer is a virtual person with planted opinions.
type believer struct {
	party string
	lean  float64 // from -1 to 1
	rng   *rand.Rand
}

var parties = []struct {
	name          string
	lean          float64
	sample, truth float64 // shares in the sample and in the population
}{{"Democrat", -0.6, 0.6, 0.4}, {"Republican", 0.5, 0.2, 0.4}, {"Independent", 0, 0.2, 0.2}}

func newBeliever(rng *rand.Rand, sample bool) *believer {
	u := rng.Float64()
	for i, p := range parties {
		share := p.truth
		if sample {
			share = p.sample
		}
		if u -= share; u < 0 || i == len(parties)-1 {
			return &believer{p.name, math.Max(-1, math.Min(1, p.lean+0.3*rng.NormFloat64())), rng}
		}
	}
	return nil
}

const (
	plantedRefusals = 0.06
	plantedLoyalty  = 0.7 // share of second answers that are the first again, beyond chance
)

// choose answers an item, by the code of an option.
func (p *believer) choose(it instrument.Item) string {
	var codes []string
	var weights []float64
	refusal, total := "", 0.0
	places := it.Ordinals()
	for _, o := range it.Options {
		if o.Refusal {
			refusal = o.Code
			continue
		}
		side := 0.0
		if o.Polarity != nil {
			side = *o.Polarity
		} else if span := it.Span(); span > 0 {
			side = 2*(places[len(codes)]-slices.Min(places))/span - 1
		}
		w := math.Exp(-2 * (side - p.lean) * (side - p.lean))
		codes, weights, total = append(codes, o.Code), append(weights, w), total+w
	}
	if p.rng.Float64() < plantedRefusals {
		return refusal
	}
	u := p.rng.Float64() * total
	for k, w := range weights {
		if u -= w; u < 0 {
			return codes[k]
		}
	}
	return codes[len(codes)-1]
}

// plantedSurvey walks people with planted opinions through a study.
func plantedSurvey(t *testing.T, people int) (*store.Store, store.Study, *studyfile.Study) {
	t.Helper()
	st, err := studyfile.Read(studyfile.Files{"study.yaml": []byte(surveyYAML), "pobs.json": pobsFile(t), "polls.csv": pollTable()})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	db, err := store.Open(ctx, filepath.Join(t.TempDir(), "overton.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	row, err := db.SaveStudy(ctx, store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Launch(ctx, st.Slug, nil, 0); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range people {
		p := newBeliever(rng, true)
		id := fmt.Sprintf("virtual-%d", i)
		token, err := db.Start(ctx, &st.Study, row.ID, store.Arrival{Participant: id, Submission: id})
		if err != nil {
			t.Fatal(err)
		}
		pos, err := db.Position(ctx, &st.Study, token)
		if err != nil {
			t.Fatal(err)
		}
		first := map[string]string{}
		for pos.Step.Kind != study.StepEnd {
			in := st.Instruments[pos.Step.Fields[0].Key.Scope]
			form := map[string]string{}
			for _, f := range pos.Step.Fields {
				id, again := f.Key.SurveyItem()
				it, _ := in.Item(id)
				switch {
				case again && rng.Float64() < plantedLoyalty:
					form[f.Name] = first[id]
				case id == "POLPARTY":
					form[f.Name] = p.party
				case in.Name == "us-demographics":
					form[f.Name] = f.Options[rng.IntN(len(f.Options)-1)]
				default:
					form[f.Name] = p.choose(it)
				}
				first[id] = form[f.Name]
			}
			var problems []study.Problem
			pos, problems, err = db.Submit(ctx, &st.Study, token, pos.Step.Path, func(name string) string { return form[name] }, store.Timing{})
			if err != nil || problems != nil {
				t.Fatalf("%v %v", problems, err)
			}
		}
	}
	return db, row, st
}

// population scores very many people drawn from the same beliefs.
func population(st *studyfile.Study, name string, people int) ([]*score.OpinionRun, *instrument.Instrument) {
	in := st.Instruments[name]
	questionnaire := st.Survey(name)
	rng := rand.New(rand.NewPCG(9, 9))
	at := map[string]int{}
	for i, it := range in.Items {
		at[it.ID] = i
	}
	runs := make([]*score.OpinionRun, people)
	for i := range runs {
		p := newBeliever(rng, false)
		d, _ := questionnaire.Draw(nil, 0, 0, rng)
		answers := [][]int{make([]int, len(in.Items)), make([]int, len(in.Items))}
		for k := range answers[0] {
			answers[0][k], answers[1][k] = score.NotAsked, score.NotAsked
		}
		for _, id := range d.Items {
			it := in.Items[at[id]]
			code := p.choose(it)
			answers[0][at[id]] = slices.IndexFunc(it.Options, func(o instrument.Option) bool { return o.Code == code })
			if slices.Contains(d.Repeated, id) {
				if rng.Float64() >= plantedLoyalty {
					code = p.choose(it)
				}
				answers[1][at[id]] = slices.IndexFunc(it.Options, func(o instrument.Option) bool { return o.Code == code })
			}
		}
		runs[i] = &score.OpinionRun{Repetitions: []int{1, 2}, Answers: answers}
	}
	return runs, &in
}

// within says whether an estimate lies near the truth: within twice the half
// of its interval, which chance misses about once in 10,000 times.
func within(t *testing.T, what string, e score.Estimate, truth score.Number) {
	t.Helper()
	half := float64(e.CI.High-e.CI.Low) / 2
	t.Logf("%s: %.3f (%.3f to %.3f), planted %.3f", what, float64(e.Value), float64(e.CI.Low), float64(e.CI.High), float64(truth))
	if !(math.Abs(float64(e.Value-truth)) <= 2*half) {
		t.Errorf("%s = %v (%v), planted %v", what, e.Value, e.CI, truth)
	}
}

func TestPlantedOpinionsComeBack(t *testing.T) {
	if testing.Short() {
		t.Skip("walks 300 people")
	}
	if underRace {
		t.Skip("300 people are walked without the race detector")
	}
	const people = 300
	db, row, st := plantedSurvey(t, people)
	margins := []score.Margin{{Variable: "POLPARTY"}}
	for _, p := range parties {
		margins[0].Categories, margins[0].Shares = append(margins[0].Categories, p.name), append(margins[0].Shares, p.truth)
	}
	analyse := func(instrument string, margins []score.Margin) *SurveyResult {
		o := SurveyOptions{Instrument: instrument, People: Auto, Margins: margins, Bootstrap: 400, Seed: 1}
		data, err := CollectSurvey(context.Background(), db, row, st, o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := AnalyseSurvey(data, o, Models{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}

	r := analyse("pobs.json", margins)
	if r.People.Complete != people || !r.People.Virtual {
		t.Fatalf("people %+v", r.People)
	}
	if k := r.Raking; !k.Converged || math.Abs(float64(k.Margins["POLPARTY"]["Republican"])-0.4) > 1e-9 {
		t.Errorf("raking %+v", k)
	}
	runs, in := population(st, "pobs.json", 4000)
	truth := survey.OpinionSurvey(*in).ScorePeople(runs, nil, 0, 1)
	within(t, "NNI", r.Opinions.NNI, truth.NNI.Value)
	within(t, "TCI", r.Opinions.TCI, truth.TCI.Value)
	within(t, "reliability", r.Opinions.Reliability, truth.Reliability.Value)
	within(t, "individualism", r.Opinions.Individualism, truth.Individualism.Value)
	within(t, "progressivism", r.Opinions.Progressivism, truth.Progressivism.Value)
	within(t, "refused %", r.Opinions.RefusedPct, truth.RefusedPct.Value)
	if plain := analyse("pobs.json", nil); plain.Opinions.Progressivism.Value > r.Opinions.Progressivism.Value {
		t.Errorf("weights did not undo the surplus of Democrats: %v without, %v with", plain.Opinions.Progressivism.Value, r.Opinions.Progressivism.Value)
	}
	if r.Opinions.Reliability.N < people*9/10 {
		t.Errorf("reliability from %d people", r.Opinions.Reliability.N)
	}

	polls := analyse("polls.csv", margins)
	runs, in = population(st, "polls.csv", 4000)
	shares, held, orders := 0, 0, 0
	for i, item := range polls.Items {
		if item.Asked != people {
			t.Errorf("%s was asked %d times", item.Item, item.Asked)
		}
		var given []int
		for _, run := range runs {
			if option := run.Answers[0][i]; option < len(in.Items[i].Ordinals()) {
				given = append(given, option)
			}
		}
		for k, share := range score.Shares(given, len(item.Options), nil) {
			shares++
			if ci := item.Options[k].Share.CI; ci.Low <= share.Value && share.Value <= ci.High {
				held++
			}
		}
		if item.Order.CI.Low <= 0 && 0 <= item.Order.CI.High {
			orders++
		}
	}
	t.Logf("%d of %d shares lie in their intervals; %d of %d order effects, none being planted, hold 0", held, shares, orders, len(polls.Items))
	if held < shares*85/100 {
		t.Errorf("%d of %d shares lie in their 95 %% intervals", held, shares)
	}

	// The export: one tidy row for each answer, with what was shown.
	dir := filepath.Join(t.TempDir(), "out")
	if err := Export(context.Background(), db, row, st, func(e *export.Data) error {
		e.Formats = []export.Format{export.CSV}
		_, err := e.WriteFolder(dir)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "surveys.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	answers := 0
	if err := db.Records(context.Background(), row.ID, func(r study.Record) error { answers += len(r.Answers); return nil }); err != nil {
		t.Fatal(err)
	}
	shown, repetition, item := slices.Index(rows[0], "shown"), slices.Index(rows[0], "repetition"), slices.Index(rows[0], "item")
	reversed, again := 0, 0
	for _, r := range rows[1:] {
		if strings.HasPrefix(r[item], "POLL1") && r[item] == "POLL1" && r[shown] == `["Answer 2","Answer 1","Prefer not to say"]` {
			reversed++
		}
		if r[repetition] == "2" {
			again++
		}
	}
	if len(rows)-1 != answers || reversed != people/2 || again != 6*people {
		t.Errorf("%d rows for %d answers; %d saw POLL1 in reverse, %d second answers", len(rows)-1, answers, reversed, again)
	}
}

func TestModelsStandBesidePeople(t *testing.T) {
	db, row, st := plantedSurvey(t, 12)
	o := SurveyOptions{Instrument: "polls.csv", People: Auto, Bootstrap: 20, Seed: 1}
	data, err := CollectSurvey(context.Background(), db, row, st, o)
	if err != nil {
		t.Fatal(err)
	}
	// A model that always gives the first answer, and refuses a quarter of the time.
	m := survey.ModelAnswers{Model: "made-up-1", Context: score.DefaultContext, Mass: map[string][]float64{}}
	for _, it := range st.Instruments["polls.csv"].Items {
		mass := make([]float64, len(it.Options))
		mass[0], mass[len(mass)-1] = 3, 1
		m.Mass[it.ID] = mass
	}
	r, err := AnalyseSurvey(data, o, Models{Answers: []survey.ModelAnswers{m}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Items[0].Models["made-up-1"]; got[0] != 1 || got[1] != 0 {
		t.Errorf("shares of the model %v", got)
	}
	model := r.Polls.Models["made-up-1"]
	if model.Refusal.All != 25 || model.N != 30 || !model.Group["POLPARTY: Democrat"].Defined() {
		t.Errorf("%+v", model)
	}
	if d, ind := model.Group["POLPARTY: Democrat"], model.Group["POLPARTY: Republican"]; ind.Defined() && d <= ind {
		t.Errorf("the first answer is the Democrats', yet nearer to Republicans: %v and %v", d, ind)
	}
	if _, err := CollectSurvey(context.Background(), db, row, st, SurveyOptions{Instrument: "other.csv"}); err == nil {
		t.Error("an instrument that the study does not ask is taken")
	}
}

func TestRecordedSurveysReadBackAndAreTheSameAgain(t *testing.T) {
	db, row, st := plantedSurvey(t, 12)
	ctx := context.Background()
	in := st.Instruments["polls.csv"]
	table := "model,question,option,probability\nmade-up-1,POLL1,Answer 1,1\nmade-up-1,POLL1,Prefer not to say,1\n"
	file, err := ReadModelFile("answers.csv", []byte(table), in)
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultSurveyOptions()
	o.Bootstrap = 20
	o.Margins = []score.Margin{{Variable: "SEX", Categories: []string{"Male", "Female"}, Shares: []float64{1, 1}}}
	analyse := func(files ...ModelFile) *Surveys {
		steps := 0
		r, err := AnalyseSurveys(ctx, db, row, st, o, files, func() { steps++ })
		if err != nil || steps != len(r.Instruments) {
			t.Fatalf("%d steps: %v", steps, err)
		}
		return r
	}
	r := analyse(file)
	if err := RecordSurveys(ctx, db, row, r); err != nil {
		t.Fatal(err)
	}
	back, run, err := LatestSurveys(ctx, db, row)
	if err != nil || run.Kind != SurveyRunKind {
		t.Fatalf("%s: %v", run.Kind, err)
	}
	text := func(r *Surveys) string {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if text(back) != string(run.Result) {
		t.Error("what was read is not what was recorded")
	}
	if text(analyse(back.Files...)) != string(run.Result) {
		t.Error("from the recorded files the same analysis gives other bytes")
	}
	if without := analyse(); without.Input == r.Input {
		t.Error("the input's hash does not tell models' files apart")
	}
	var names []string
	for _, in := range r.Instruments {
		names = append(names, in.Instrument)
	}
	if got := strings.Join(names, " "); got != "us-demographics pobs.json polls.csv" {
		t.Errorf("instruments %s", got)
	}
	item := r.Instruments[2].Items[0]
	if item.Models["made-up-1"][0] != 1 || item.ModelRefusals["made-up-1"] != 0.5 {
		t.Errorf("the model's shares %v, refusals %v", item.Models, item.ModelRefusals)
	}
	for _, in := range r.Instruments {
		for _, it := range in.Items {
			counted := it.Refused
			for _, o := range it.Options {
				counted += o.Count
			}
			if counted != it.Asked || it.Asked+it.NotAsked+it.NoAnswer != 12 {
				t.Errorf("%s: %d answers counted of %d, %d not asked, %d without an answer", it.Item, counted, it.Asked, it.NotAsked, it.NoAnswer)
			}
		}
	}
}

func TestRepetitionsOfAModelAreJoined(t *testing.T) {
	run := func(file string, n int, answers ...int) ModelFile {
		return ModelFile{File: file, Models: Models{Runs: []*score.OpinionRun{{Respondent: "m", Mode: score.ModeDirect, Repetitions: []int{n}, Answers: [][]int{answers}}}}}
	}
	m, err := JoinModels([]ModelFile{run("b", 2, 1, score.Invalid), run("a", 1, 0, 1)})
	if err != nil || len(m.Runs) != 1 || fmt.Sprint(m.Runs[0].Repetitions) != "[1 2]" {
		t.Fatalf("%+v: %v", m, err)
	}
	options := []instrument.Option{{Code: "A"}, {Code: "B"}}
	got := answersOf(instrument.Instrument{Items: []instrument.Item{{ID: "x", Options: options}, {ID: "y", Options: options}}}, m.Runs)
	if fmt.Sprint(got[0].Mass) != "map[x:[1 1] y:[0 1]]" {
		t.Errorf("answers %v", got[0].Mass)
	}
	if _, err := JoinModels([]ModelFile{run("a", 1, 0), run("b", 1, 0)}); err == nil || !strings.Contains(err.Error(), "repetition 1 of m in direct mode is in a and in b") {
		t.Errorf("the same repetition twice: %v", err)
	}
}
