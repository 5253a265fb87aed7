package store

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"overton/internal/study"
)

// drawingStudy asks everyone 2 of 4 topics of 3 items, one of them twice,
// and half of the people in reverse.
func drawingStudy() *study.Study {
	survey := &study.Survey{Instrument: "tea.csv", PerPage: 2, Topics: 2, Repeat: 1, ReverseHalf: true}
	for t := range 4 {
		for i := range 3 {
			survey.Items = append(survey.Items, study.Item{ID: fmt.Sprintf("t%di%d", t, i), Options: []string{"a", "b", "no"}, Fixed: 1, Topics: []string{fmt.Sprint("t", t)}})
		}
	}
	return &study.Study{Definition: study.Definition{
		Title: "Test", Slug: "test", Language: "en",
		Recruitment: study.Recruitment{Minutes: 10, ReservationMinutes: 30, Codes: map[study.Outcome]string{study.Completed: "C1"}},
		Flow:        []study.Block{{Consent: &study.Consent{Markdown: "Please agree."}}, {Survey: survey}},
	}}
}

func TestWhatIsAskedIsDrawnAtTheStartAndStays(t *testing.T) {
	t.Parallel()
	b := newBench(t, drawingStudy())
	token := b.start("ann")
	drawn := b.position(token).Progress.Surveys["tea.csv"]
	if len(drawn.Items) != 6 || len(drawn.Repeated) != 1 {
		t.Fatalf("drawn %+v", drawn)
	}
	b.submit(token, b.position(token).Step, nil)
	b.reopen()
	if again := b.position(token).Progress.Surveys["tea.csv"]; fmt.Sprint(again) != fmt.Sprint(drawn) {
		t.Errorf("after a restart %+v, before %+v", again, drawn)
	}
	if pos := b.walk(token, study.StepEnd, nil); pos.Outcome != study.Completed {
		t.Errorf("outcome %q", pos.Outcome)
	}
	r := b.records()[0]
	if fmt.Sprint(r.Surveys["tea.csv"]) != fmt.Sprint(drawn) {
		t.Errorf("recorded %+v, drawn %+v", r.Surveys, drawn)
	}
	answered := r.Answered()
	for _, asked := range b.st.AskedItems(answered, r.Surveys) {
		if answered[asked.Key] != asked.Shown[0] {
			t.Errorf("%s was answered %q, shown first was %q", asked.Key, answered[asked.Key], asked.Shown[0])
		}
	}
	if len(answered) != 1+6+1 {
		t.Errorf("%d answers, want the consent, six items and one again", len(answered))
	}
}

func TestDrawsAreBalancedOverThoseWhoComplete(t *testing.T) {
	t.Parallel()
	b := newBench(t, drawingStudy())
	for i := range 8 {
		token := b.start(fmt.Sprint("person ", i))
		if i%2 == 0 {
			b.walk(token, study.StepEnd, nil) // the others leave
		}
	}
	b.pass(2 * 60 * 60 * 1e9)
	for i := range 12 {
		b.walk(b.start(fmt.Sprint("later ", i)), study.StepEnd, nil)
	}
	topics, reversed := map[string]int{}, 0
	for _, r := range b.records() {
		if r.Outcome != study.Completed {
			continue
		}
		d := r.Surveys["tea.csv"]
		for i, id := range d.Items {
			if i%3 == 0 {
				topics[id[:2]]++
			}
		}
		if d.Reversed {
			reversed++
		}
	}
	for topic, n := range topics {
		if n != 8 {
			t.Errorf("topic %s was completed %d times; want 8, a quarter of 32", topic, n)
		}
	}
	if reversed != 8 {
		t.Errorf("%d of 16 saw the options in reverse", reversed)
	}
}

func TestWithdrawingTakesTheDrawAlong(t *testing.T) {
	t.Parallel()
	b := newBench(t, drawingStudy())
	token := b.start("ann")
	if err := b.Withdraw(context.Background(), b.st, token); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"survey_draw", "survey_unit"} {
		var n int
		if err := b.read.QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s holds %d rows (%v)", table, n, err)
		}
	}
}

func TestSurveysThatDrawNothingLeaveNoRows(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(2, 1, 5))
	if pos := b.walk(b.start("ann"), study.StepEnd, nil); len(pos.Progress.Surveys) != 0 {
		t.Errorf("drawn %+v", pos.Progress.Surveys)
	}
}

func TestGoingBackToAConditionAsksAnew(t *testing.T) {
	t.Parallel()
	st := drawingStudy()
	survey := st.Flow[1].Survey
	*survey = study.Survey{Instrument: "tea.csv", PerPage: 1, Items: survey.Items[:3]}
	survey.Items[1].AskIf = []study.Condition{{Instrument: "tea.csv", Item: "t0i0", Values: []string{"a"}}}
	b := newBench(t, st)
	token := b.start("ann")
	b.submit(token, b.position(token).Step, nil)
	first := b.position(token).Step
	if pos := b.submit(token, first, map[string]string{"t0i0": "b"}); pos.Step.Path != "survey1-3" {
		t.Errorf("after b: %s", pos.Step.Path)
	}
	if pos := b.submit(token, first, map[string]string{"t0i0": "a"}); pos.Step.Path != "survey1-2" {
		t.Errorf("after a: %s", pos.Step.Path)
	}
	b.walk(token, study.StepEnd, nil)
	var items []string
	for _, asked := range st.AskedItems(b.records()[0].Answered(), nil) {
		items = append(items, asked.Item.ID)
	}
	if !slices.Equal(items, []string{"t0i0", "t0i1", "t0i2"}) {
		t.Errorf("asked %q", items)
	}
}
