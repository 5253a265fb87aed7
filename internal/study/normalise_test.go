package study

import "testing"

func TestControlsAndDirectionOverridesAreNoText(t *testing.T) {
	t.Parallel()
	given := "a\r\nb\tc\x00\x1b\u0085\u202Ed\u2066e\u2069 \u200Fעברית"
	if got, want := normalise(given), "a\nb\tcde \u200Fעברית"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
