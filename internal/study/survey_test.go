package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// topical is a survey of topics with items each, of four options, the last a
// refusal.
func topical(topics, items int) *Survey {
	v := &Survey{Instrument: "tea.csv", PerPage: 2}
	for t := range topics {
		for i := range items {
			v.Items = append(v.Items, Item{ID: fmt.Sprintf("t%di%d", t+1, i+1), Options: []string{"a", "b", "c", "no"}, Fixed: 1, Topics: []string{fmt.Sprint("topic", t+1)}})
		}
	}
	return v
}

func surveyStudy(v *Survey) *Study {
	return &Study{Definition: Definition{Flow: []Block{{Survey: v}}}}
}

func fieldsOf(steps []Step) string {
	var pages []string
	for _, s := range steps {
		var names []string
		for _, f := range s.Fields {
			names = append(names, f.Key.Subject)
		}
		pages = append(pages, s.Path+": "+strings.Join(names, " "))
	}
	return strings.Join(pages, "; ")
}

func TestASurveyIsDividedIntoPages(t *testing.T) {
	t.Parallel()
	byTopic := topical(2, 3)
	byTopic.PerPage = 0
	repeated := topical(1, 4)
	repeated.Repeat = 1
	tests := []struct {
		name   string
		survey *Survey
		p      Progress
		want   string
	}{
		{"by number", topical(1, 3), Progress{}, "survey0-1: t1i1 t1i2; survey0-2: t1i3; end: "},
		{"by topic", byTopic, Progress{}, "survey0-1: t1i1 t1i2 t1i3; survey0-2: t2i1 t2i2 t2i3; end: "},
		{"as drawn, with items again", repeated, Progress{Surveys: map[string]Drawn{"tea.csv": {Items: []string{"t1i1", "t1i3", "t1i4"}, Repeated: []string{"t1i1"}}}},
			"survey0-1: t1i1 t1i3; survey0-2: t1i4; survey0-3: t1i1@2; end: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := fieldsOf(surveyStudy(test.survey).steps(test.p)); got != test.want {
				t.Errorf("pages %s\nwant  %s", got, test.want)
			}
		})
	}
}

func TestReversedOptionsKeepRefusalsLast(t *testing.T) {
	t.Parallel()
	v := topical(1, 1)
	p := Progress{Surveys: map[string]Drawn{"tea.csv": {Items: []string{"t1i1"}, Reversed: true}}}
	f := surveyStudy(v).steps(p)[0].Fields[0]
	if want := []string{"c", "b", "a", "no"}; !slices.Equal(f.Options, want) {
		t.Errorf("options %q, want %q", f.Options, want)
	}
	if !slices.Equal(v.Items[0].Options, []string{"a", "b", "c", "no"}) {
		t.Error("showing options changed the survey")
	}
}

func TestAnItemIsAskedOnlyIfItsConditionHolds(t *testing.T) {
	t.Parallel()
	v := topical(1, 3)
	v.PerPage = 1
	v.Items[1].AskIf = []Condition{{"tea.csv", "t1i1", []string{"a", "b"}}}
	s := surveyStudy(v)
	answers := map[Key]string{}
	p := Progress{Answers: answers}
	if got := s.Next(p); got.Path != "survey0-1" {
		t.Errorf("first page %s", got.Path)
	}
	answers[SurveyKey("tea.csv", "t1i1", false)] = "c"
	if got := s.Next(p); got.Path != "survey0-3" {
		t.Errorf("page after c: %s, want the third", got.Path)
	}
	if n, of := s.SurveyPage(p, s.Next(p)); n != 2 || of != 2 {
		t.Errorf("page %d of %d, want 2 of 2", n, of)
	}
	answers[SurveyKey("tea.csv", "t1i1", false)] = "b" // went back
	if got := s.Next(p); got.Path != "survey0-2" {
		t.Errorf("page after b: %s, want the second", got.Path)
	}
	if before, ok := s.Before(p, "survey0-3"); !ok || before.Path != "survey0-2" {
		t.Errorf("before the third: %s", before.Path)
	}
}

func TestAnItemOnThePageOfItsConditionBringsThePageBack(t *testing.T) {
	t.Parallel()
	v := topical(1, 2)
	v.Items[1].AskIf = []Condition{{"tea.csv", "t1i1", []string{"a"}}}
	s := surveyStudy(v)
	p := Progress{Answers: map[Key]string{SurveyKey("tea.csv", "t1i1", false): "a"}}
	if got := s.Next(p); got.Path != "survey0-1" || len(got.Fields) != 2 {
		t.Errorf("%s with %d fields, want the same page with both", got.Path, len(got.Fields))
	}
}

// walked draws for n people, each with the loads that the earlier ones left.
func walked(v *Survey, n int) (draws []Drawn, loads map[string]int) {
	loads = map[string]int{}
	reversed := 0
	for i := range n {
		var before []Load
		for name, taken := range loads {
			before = append(before, Load{Question: name, Done: taken})
		}
		d, units := v.Draw(before, i-reversed, reversed, Rand(uint64(i), "survey"))
		for _, u := range units {
			loads[u]++
		}
		if d.Reversed {
			reversed++
		}
		draws = append(draws, d)
	}
	return draws, loads
}

func TestDrawsAreBalancedAndInOrder(t *testing.T) {
	t.Parallel()
	v := topical(7, 3)
	v.Topics, v.ReverseHalf, v.Repeat = 3, true, 2
	draws, loads := walked(v, 70)
	for topic, n := range loads {
		if n != 30 {
			t.Errorf("%s was drawn %d times, want 30", topic, n)
		}
	}
	reversed := 0
	for _, d := range draws {
		if len(d.Items) != 9 || len(d.Repeated) != 2 {
			t.Fatalf("%d items, %d repeated", len(d.Items), len(d.Repeated))
		}
		if !slices.IsSorted(d.Items) {
			t.Errorf("items out of order: %q", d.Items)
		}
		for _, id := range d.Repeated {
			if at := slices.Index(d.Items, id); at < 0 || at > 4 {
				t.Errorf("repeated %s stands at %d of the items; want it in the first half", id, at)
			}
		}
		if d.Reversed {
			reversed++
		}
	}
	if reversed != 35 {
		t.Errorf("%d of 70 see the options in reverse", reversed)
	}
	again, _ := walked(v, 70)
	if fmt.Sprint(again) != fmt.Sprint(draws) {
		t.Error("the same seeds drew otherwise")
	}
}

func TestNobodySeesMorePagesThanTheMost(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(v *Survey){
		"all":                         func(v *Survey) {},
		"by topic":                    func(v *Survey) { v.PerPage = 0 },
		"topics, by topic, again":     func(v *Survey) { v.PerPage, v.Topics, v.Repeat = 0, 2, 3 },
		"topics, by number, again":    func(v *Survey) { v.Topics, v.Repeat = 2, 3 },
		"items, by topic, again":      func(v *Survey) { v.PerPage, v.Sample, v.Repeat = 0, 5, 2 },
		"items, one a page, again":    func(v *Survey) { v.PerPage, v.Sample, v.Repeat = 1, 5, 2 },
		"everything, by topic, again": func(v *Survey) { v.PerPage, v.Repeat = 0, 6 },
	} {
		t.Run(name, func(t *testing.T) {
			v := topical(4, 3)
			change(v)
			draws, _ := walked(v, 30)
			seen := 0
			for _, d := range draws {
				seen = max(seen, len(v.pages(d)))
			}
			if most := v.MostPages(); seen > most || most > 2*seen {
				t.Errorf("at most %d are told, %d were seen", most, seen)
			}
		})
	}
}

func TestItemsThatDependOnOthersAreDrawnWithThem(t *testing.T) {
	t.Parallel()
	v := topical(1, 6)
	v.Sample = 2
	v.Items[3].AskIf = []Condition{{"tea.csv", "t1i1", []string{"a"}}}
	draws, loads := walked(v, 20)
	if len(loads) != 5 || loads["t1i4"] != 0 {
		t.Errorf("drawn: %v", loads)
	}
	for _, d := range draws {
		if slices.Contains(d.Items, "t1i1") != slices.Contains(d.Items, "t1i4") {
			t.Errorf("items %q", d.Items)
		}
	}
}

func TestSurveyFaults(t *testing.T) {
	t.Parallel()
	demographics := &Survey{Instrument: "about", PerPage: 1, Items: []Item{{ID: "SEX", Options: []string{"f", "m"}}}}
	tests := []struct {
		name   string
		change func(v *Survey)
		want   string // "": none
	}{
		{"nothing", func(v *Survey) {}, ""},
		{"all at once", func(v *Survey) { v.Topics, v.Repeat, v.ReverseHalf, v.PerPage = 2, 6, true, 0 }, ""},
		{"no items", func(v *Survey) { v.Items = nil }, "has no items"},
		{"topics and items", func(v *Survey) { v.Topics, v.Sample = 1, 1 }, "one of them"},
		{"too many topics", func(v *Survey) { v.Topics = 4 }, "is 4; expected 1 to 3"},
		{"too many items", func(v *Survey) { v.Sample = 10 }, "is 10; expected 1 to 9"},
		{"too many repeated", func(v *Survey) { v.Topics, v.Repeat = 2, 7 }, "is 7; expected 0 to 6"},
		{"pages by topics that are not there", func(v *Survey) {
			v.PerPage = 0
			for i := range v.Items {
				v.Items[i].Topics = nil
			}
		}, "no topics"},
		{"a condition on an earlier survey", func(v *Survey) { v.Items[0].AskIf = []Condition{{"about", "SEX", []string{"f"}}} }, ""},
		{"a condition on no option of it", func(v *Survey) { v.Items[0].AskIf = []Condition{{"about", "SEX", []string{"x"}}} }, `"x", which is not one of its options`},
		{"a condition on no item of it", func(v *Survey) { v.Items[0].AskIf = []Condition{{"about", "AGE", []string{"f"}}} }, "no earlier survey asks"},
		{"a condition on a later item", func(v *Survey) { v.Items[0].AskIf = []Condition{{"tea.csv", "t1i2", []string{"a"}}} }, "does not come before it"},
		{"an id that marks second answers", func(v *Survey) { v.Items[0].ID = "x@2" }, "@2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := topical(3, 3)
			test.change(v)
			d := Definition{Title: "t", Slug: "s", Recruitment: Recruitment{Minutes: 1, ReservationMinutes: 1, Codes: map[Outcome]string{Completed: "c"}}, Flow: []Block{{Survey: demographics}, {Survey: v}}}
			faults := d.Faults(0)
			switch {
			case test.want == "" && len(faults) > 0:
				t.Errorf("faults %v", faults)
			case test.want != "" && (len(faults) != 1 || !strings.Contains(faults[0].Message, test.want) || !strings.HasPrefix(faults[0].Path, "flow[1].survey")):
				t.Errorf("faults %v, want one with %q", faults, test.want)
			}
		})
	}
}

func TestAskedItemsSayWhatWasShown(t *testing.T) {
	t.Parallel()
	v := topical(1, 3)
	v.Items[1].AskIf = []Condition{{"tea.csv", "t1i1", []string{"a"}}}
	asked := surveyStudy(v).AskedItems(map[Key]string{}, map[string]Drawn{"tea.csv": {Items: []string{"t1i1", "t1i2", "t1i3"}, Repeated: []string{"t1i3"}, Reversed: true}})
	if len(asked) != 3 {
		t.Fatalf("%d asked, want 3: the second only after an answer", len(asked))
	}
	last := asked[2]
	if last.Item.ID != "t1i3" || !last.Again || last.Position != 3 || last.Key.Subject != "t1i3@2" || last.Shown[0] != "c" {
		t.Errorf("%+v", last)
	}
}

func TestWhatScreensOutIsChecked(t *testing.T) {
	t.Parallel()
	v := topical(1, 2)
	v.ScreenOut = []Condition{{"tea.csv", "t1i1", []string{"b", "c"}}}
	for answer, want := range map[string]bool{"a": false, "b": true, "c": true, "": false} {
		if got := v.Screens(map[Key]string{SurveyKey("tea.csv", "t1i1", false): answer}); got != want {
			t.Errorf("after %q: screened out %v", answer, got)
		}
	}
	d := Definition{Title: "Tea", Slug: "tea", Recruitment: Recruitment{Minutes: 1, ReservationMinutes: 1, Codes: map[Outcome]string{Completed: "C"}}, Flow: []Block{{Survey: v}}}
	v.ScreenOut = append(v.ScreenOut, Condition{"tea.csv", "none", []string{"a"}}, Condition{"tea.csv", "t1i2", []string{"z"}}, Condition{"tea.csv", "t1i2", nil})
	var got []string
	for _, f := range d.Faults(0) {
		got = append(got, f.Path+" "+f.Message)
	}
	for _, want := range []string{
		"recruitment.prolific.codes.screened_out is missing", "flow[0].survey.screen_out.none is not an item of tea.csv",
		`flow[0].survey.screen_out.t1i2 names "z", which is not one of its options; expected some of a, b, c, no`, "flow[0].survey.screen_out.t1i2 is empty",
	} {
		if !slices.ContainsFunc(got, func(f string) bool { return strings.HasPrefix(f, want) }) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
}
