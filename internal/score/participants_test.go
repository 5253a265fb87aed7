package score

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// byParity groups draws by whether the participant's number is even.
func byParity(_ context.Context, _ string, drawn []string, _ uint64) ([]int, error) {
	labels := make([]int, len(drawn))
	for i, id := range drawn {
		labels[i] = int(id[len(id)-1]-'0') % 2
	}
	return labels, nil
}

func TestParticipantBootstrapIsTheSameOnAnyNumberOfCores(t *testing.T) {
	r := paperSized(1)
	p := DefaultParameters()
	p.Bootstrap = 20
	var results []string
	for _, cores := range []int{1, 2, 7} {
		before := runtime.GOMAXPROCS(cores)
		o := mustScore(t, r, p)
		err := o.BootstrapParticipants(t.Context(), r, byParity, func() {})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, string(b))
	}
	if results[0] != results[1] || results[0] != results[2] {
		t.Error("the result depends on the number of cores")
	}
	p.Seed++
	o := mustScore(t, r, p)
	if err := o.BootstrapParticipants(t.Context(), r, byParity, func() {}); err != nil {
		t.Fatal(err)
	}
	if b, _ := json.Marshal(o.Models); strings.Contains(results[0], string(b)) {
		t.Error("another seed draws the same")
	}
}

func TestParticipantBootstrapOfUnanimousGroupsHasNoWidth(t *testing.T) {
	t.Parallel()
	var r Ratings
	for _, who := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		r.Rows = append(r.Rows, rate(who, "1", "A", map[string]float64{"m1": 5, "m2": 1})...)
		r.Rows = append(r.Rows, rate(who, "2", "A", map[string]float64{"m1": 5, "m2": 4})...)
	}
	p := DefaultParameters()
	p.Bootstrap = 50
	o := mustScore(t, r, p)
	if err := o.BootstrapParticipants(t.Context(), r, nil, func() {}); err != nil {
		t.Fatal(err)
	}
	wantInterval(t, "m1", o.Models[0].Intervals.Participants.Raw, Interval{1, 1})
	wantInterval(t, "m2", o.Models[1].Intervals.Participants.Raw, Interval{0.5, 0.5})
	wantInterval(t, "m2, questions too", o.Models[1].Intervals.Both.Raw, Interval{0, 1})
	if o.Regrouped {
		t.Error("the result claims that groups were recomputed")
	}
}

func TestParticipantBootstrapCountsDoubleDraws(t *testing.T) {
	t.Parallel()
	p := pool{question: "1", ids: []string{"a", "b"}, group: []int{0, 0}, weight: []float64{1, 1}, values: [][]float64{{5}, {2}}}
	params := DefaultParameters()
	if o := p.outcomes([]int{0, 0, 1}, []int{0, 0, 0}, params)[0]; o.rows != 1 || o.covered != 1 {
		t.Errorf("5, 5, 2 has the mean 4, got %+v", o)
	}
	if o := p.outcomes([]int{0, 1, 1}, []int{0, 0, 0}, params)[0]; o.covered != 0 {
		t.Errorf("5, 2, 2 has the mean 3, got %+v", o)
	}
	if o := p.outcomes([]int{0, 1, 1}, []int{3, -1, 0}, params)[0]; o.rows != 2 || o.covered != 1 || o.weighted != 0.5 {
		t.Errorf("groups 0 and 3 of one draw each, one covered; got %+v", o)
	}
}

func TestParticipantBootstrapReportsAFailedGrouping(t *testing.T) {
	t.Parallel()
	r := small()
	o := mustScore(t, r, DefaultParameters())
	broken := errors.New("no votes")
	err := o.BootstrapParticipants(t.Context(), r, func(context.Context, string, []string, uint64) ([]int, error) { return nil, broken }, func() {})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "question 2") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := o.BootstrapParticipants(ctx, r, nil, func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run returned %v", err)
	}
}
