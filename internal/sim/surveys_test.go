package sim

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"overton/internal/dataset/studyfile"
)

// surveyedStudy asks demographics, views that have sides, some of them again,
// and polls, one of which depends on another.
func surveyedStudy(t *testing.T) *studyfile.Study {
	t.Helper()
	var views, polls strings.Builder
	views.WriteString("item,text,topics,option,label,polarity,mark\n")
	for topic, name := range []string{"Individualism vs. Collectivism", "Socialism vs. Capitalism"} {
		for i := range 4 {
			fmt.Fprintf(&views, "V%d%d,View %d of topic %d?,%s,a,Yes,%d,\n,,,b,Perhaps,0,\n,,,c,No,%d,\n,,,r,Refused,,refusal\n", topic, i, i, topic, name, 2*(i%2)-1, 1-2*(i%2))
		}
	}
	polls.WriteString("item,text,label,mark,ask_if\n")
	for i := range 5 {
		ask := ""
		if i == 4 {
			ask = "P0 = Rather | Fully"
		}
		fmt.Fprintf(&polls, "P%d,Poll %d?,Not,,%s\n,,Rather,,\n,,Fully,,\n,,Prefer not to say,refusal,\n", i, i, ask)
	}
	st, err := studyfile.Read(studyfile.Files{"views.csv": []byte(views.String()), "polls.csv": []byte(polls.String()), "study.yaml": []byte(`title: Opinions
slug: opinions
recruitment:
  minutes: 10
  prolific:
    codes: {completed: DONE}
flow:
  - survey: {instrument: us-demographics}
  - survey: {instrument: views.csv, items_per_page: topic, repeat: 3, order: reversed_half}
  - survey: {instrument: polls.csv, items_per_page: 2, order: reversed_half}
`)})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func TestPlantedOpinionsFollowPlacesAndGroups(t *testing.T) {
	st := surveyedStudy(t)
	s := PlantSurveys(st, 3, 7)
	in := st.Instruments["views.csv"]
	it := in.Items[0] // a has polarity -1
	left, right := s.chances(it, 0, -0.8), s.chances(it, 2, 0.8)
	if !(left[0] > 0.5 && right[2] > 0.5) || left[3] != 0 {
		t.Errorf("chances from the left %v, from the right %v", left, right)
	}
	party, _ := st.Instruments["us-demographics"].Item("POLPARTY")
	for group := range 3 {
		if got := s.chances(party, group, 0); got[group] != 1 {
			t.Errorf("group %d says of itself %v", group, got)
		}
	}
	truth := s.truth()
	if truth.Attribute != "POLPARTY" || len(truth.Items) != 12+8+5 {
		t.Errorf("truth of %d items, told by %q", len(truth.Items), truth.Attribute)
	}
	for _, p := range truth.Items {
		for g, shares := range p.ByGroup {
			sum := 0.0
			for _, share := range shares {
				sum += share
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s, group %d: shares sum to %g", p.Item, g, sum)
			}
		}
	}
	// What is expected of many people agrees with the shares written down.
	expected := s.Expect([]float64{1, 0, 0}, 4000)
	got := expected["views.csv"].Items[it.ID]
	for _, p := range truth.Items {
		if p.Item == it.ID && math.Abs(float64(got.Shares["a"])-p.ByGroup[0][0]) > 0.03 {
			t.Errorf("%s: %v expected, %v written down", p.Item, got.Shares, p.ByGroup[0])
		}
	}
	if math.Abs(float64(got.Refusal)-refuses) > 0.015 {
		t.Errorf("refusals %v, planted %v", got.Refusal, refuses)
	}
	// A second answer is the first, or one that is drawn anew and may be it.
	if r := expected["views.csv"].Opinions.Reliability; !(r.Value > loyalty && r.Value < 1) || r.N != 4000 {
		t.Errorf("reliability %+v", r)
	}
	if a, b := expected["views.csv"].Opinions, s.Expect([]float64{0, 0, 1}, 500)["views.csv"].Opinions; !(a.Individualism.Value < 0 && b.Individualism.Value > 0) {
		t.Errorf("places of the outer groups: %v and %v", a.Individualism.Value, b.Individualism.Value)
	}
}
