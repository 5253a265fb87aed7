package analyse

import (
	"math"
	"testing"
	"time"

	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/window"
)

func TestNumbersAreWrittenForPeople(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{0.125: "0.12", -0.5: "−0.50", -0.001: "0.00", 1: "1.00", math.Inf(1): "–"} {
		if got := decimals(x); got != want {
			t.Errorf("%g is written %s, want %s", x, got, want)
		}
	}
	if got := decimals(math.NaN()); got != "–" {
		t.Errorf("an undefined number is written %s", got)
	}
	for want, d := range map[string]score.Difference{
		"+0.20 (p 0.03)": {Estimate: 0.2, PT: 0.03}, "−0.20 (p < 0.01)": {Estimate: -0.2, PT: 0.001}, "0.10": {Estimate: 0.1, PT: score.Undefined()},
	} {
		if got := difference(d); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestWhatChangedSinceARun(t *testing.T) {
	t.Parallel()
	auto := window.DefaultOptions()
	for _, c := range []struct {
		run             store.Run
		people, virtual int
		want            string
	}{
		{store.Run{Complete: 5}, 5, 9, ""},
		{store.Run{Complete: 5}, 6, 0, "1 more person finished since"},
		{store.Run{Complete: 5}, 3, 0, "2 of its submissions no longer exist"},
		{store.Run{Complete: 5, Virtual: true}, 0, 8, "3 more virtual participants finished since"},
		{store.Run{Complete: 5, Virtual: true}, 2, 5, "2 people finished since; the run took virtual participants"},
	} {
		if got := changedSince(c.run, auto, c.people, c.virtual); got != c.want {
			t.Errorf("%+v: %q, want %q", c.run, got, c.want)
		}
	}
}

func TestTimeLeftIsToldInWords(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{300 * time.Millisecond: "a second", 42 * time.Second: "42 seconds", 150 * time.Second: "2 minutes", 3 * time.Hour: "3.0 hours"} {
		if got := inWords(d); got != want {
			t.Errorf("%s is told as %s, want %s", d, got, want)
		}
	}
}
