package studyfile

import (
	"slices"
	"strings"
	"testing"
)

func TestAStudyCanAskAnInstrumentOfItsFolder(t *testing.T) {
	f := with("study.yaml", "  - feedback", "  - survey: {instrument: tea.csv, title: Tea, items_per_page: 1, items_per_participant: 1, order: reversed_half, repeat: 1}\n  - feedback")
	f["tea.csv"] = contentOf(t, "../survey/testdata/tea.csv")
	s, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	v := s.Survey("tea.csv")
	if v == nil || v.PerPage != 1 || v.Sample != 1 || !v.ReverseHalf || v.Repeat != 1 || s.Instruments["tea.csv"].Title != "Tea" {
		t.Fatalf("%+v", v)
	}
	if it := v.Items[0]; it.Fixed != 2 || !slices.Equal(it.Shown(true), []string{"no", "yes", "same", "Prefer not to say"}) {
		t.Errorf("in reverse %q", it.Shown(true))
	}
	if c := v.Items[1].AskIf; c[0].Instrument != "tea.csv" || c[1].Instrument != "us-demographics" {
		t.Errorf("conditions %+v", c)
	}
	if _, kept := s.Files["tea.csv"]; !kept {
		t.Error("the instrument's file is not kept with the study")
	}
}

func TestSurveyBlockFaults(t *testing.T) {
	tests := []struct{ block, want string }{
		{"{instrument: tea}", `study.yaml:16: flow[3].survey.instrument "tea" is not an instrument; expected us-demographics, or the name of a file`},
		{"{instrument: tea.csv, order: random}", `study.yaml:16: flow[3].survey.order "random" is not an order of options`},
		{"{instrument: tea.csv, items_per_page: 0}", "flow[3].survey.items_per_page is 0; expected 1 or more, or topic"},
		{"{instrument: tea.csv, topics_per_participant: 3}", "flow[3].survey.topics_per_participant is 3; expected 1 to 1"},
		{"{instrument: tea.csv, repeat: 2}", "flow[3].survey.repeat is 2; expected 0 to 1"},
		{"{instrument: tea.csv, pages: 2}", "flow[3].survey.pages is not a key"},
		{"{instrument: ../tea.csv}", "is outside the study's folder"},
		{"{instrument: bad.csv}", "bad.csv:1: text is missing"},
	}
	for _, test := range tests {
		t.Run(test.block, func(t *testing.T) {
			f := with("study.yaml", "  - feedback", "  - survey: "+test.block+"\n  - feedback")
			f["tea.csv"] = contentOf(t, "../survey/testdata/tea.csv")
			f["bad.csv"] = []byte("item,label\nA,b\n")
			if _, err := Read(f); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
