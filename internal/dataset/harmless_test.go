package dataset

import "testing"

func TestAFormulaAfterBlanksIsMadeText(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"  =1+1": "'  =1+1", "\u00A0@SUM(A1)": "'\u00A0@SUM(A1)", "  a = b": "  a = b", "   ": "   ",
	} {
		if got := Harmless(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
