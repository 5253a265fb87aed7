package score

import (
	"math"
	"testing"
)

func TestGroupsOfOneNameAreTakenAsOne(t *testing.T) {
	t.Parallel()
	mass := func(a, b float64) PeopleMass { return PeopleMass{Distribution: []float64{a, b}} }
	attributes := []Attribute{{Name: "RELIG", Groups: []string{"Other", "None"}}, {Name: "RACE", Groups: []string{"Other"}}}
	items := []PollItem{
		{ID: "1", Places: []float64{1, 2}, Overall: mass(0.5, 0.5), Groups: []PeopleMass{mass(1, 0), mass(0.5, 0.5), mass(0.5, 0.5)}},
		{ID: "2", Places: []float64{1, 2}, Overall: mass(0.5, 0.5), Groups: []PeopleMass{mass(0.5, 0.5), mass(0.5, 0.5), mass(0, 1)}},
	}
	o := ScoreOpinionQA(items, attributes, []PollRun{{Model: "m", Context: DefaultContext, Mass: map[string][]float64{"1": {1, 0}, "2": {1, 0}}}}, 0, 1)
	// With people overall: RELIG Other 0.5 and 1, RACE Other 1 and 0.5.
	if got := o.People.ByName; len(got) != 1 || math.Abs(float64(got["Other"])-0.75) > 1e-12 {
		t.Errorf("people by name %v, want 0.75 for Other alone", got)
	}
	// With the model: RELIG Other 1 and 0.5, RACE Other 0.5 and 0.
	if got := o.Models["m"].ByName; len(got) != 1 || math.Abs(float64(got["Other"])-0.5) > 1e-12 {
		t.Errorf("the model by name %v, want 0.5 for Other alone", got)
	}
}
