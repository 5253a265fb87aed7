package report

import (
	"strings"
	"testing"

	"overton/internal/score"
	"overton/internal/window"
)

func TestTheReportShowsModelsThatAnsweredPOBs(t *testing.T) {
	model := &score.PobsScore{Reliability: map[score.Coding]score.Number{score.Likert: 0.87}}
	model.CI.Reliability = map[score.Coding]score.Interval{score.Likert: {Low: 0.81, High: 0.92}}
	surveys := &window.Surveys{Study: window.About{Title: "Views"}, Instruments: []*window.InstrumentResult{{
		Instrument: "views.csv", Opinions: &score.PeopleOpinions{},
		Models: map[string]map[string]*score.PobsScore{"model-x": {"direct": model}},
	}}}
	page, err := OfSurveys(surveys).HTML()
	if err != nil {
		t.Fatal(err)
	}
	if want := "0.870 (0.810 to 0.920)"; !strings.Contains(string(page), want) {
		t.Errorf("the page lacks the model's reliability, %s", want)
	}
}
