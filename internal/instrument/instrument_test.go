package instrument

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
)

func TestUSDemographicsHasTheSixtyGroups(t *testing.T) {
	t.Parallel()
	in := USDemographics()
	if len(in.Items) != 12 {
		t.Errorf("%d items, want 12", len(in.Items))
	}
	groups := 0
	var outside []string
	ids := map[string]bool{}
	for _, it := range in.Items {
		if ids[it.ID] {
			t.Errorf("item %s twice", it.ID)
		}
		ids[it.ID] = true
		codes := map[string]bool{}
		for i, o := range it.Options {
			if codes[o.Code] {
				t.Errorf("%s: option %q twice", it.ID, o.Code)
			}
			codes[o.Code] = true
			if last := i == len(it.Options)-1; o.Refusal != last {
				t.Errorf("%s: option %q: refusal is %v; the last option, and only it, is the refusal", it.ID, o.Code, o.Refusal)
			}
			switch {
			case o.Outside:
				outside = append(outside, it.ID+" "+o.Code)
			case !o.Refusal:
				groups++
			}
		}
	}
	if groups != 60 {
		t.Errorf("%d groups, want 60", groups)
	}
	if len(outside) != 2 || outside[0] != "MARITAL Living with a partner" || outside[1] != "RACE Mixed" {
		t.Errorf("outside the 60: %q", outside)
	}
}

// Launched studies name this instrument and keep no copy of it.
func TestUSDemographicsNeverChanges(t *testing.T) {
	t.Parallel()
	h := sha256.New()
	for _, it := range USDemographics().Items {
		fmt.Fprintf(h, "%q %q\n", it.ID, it.Text)
		for _, o := range it.Options {
			fmt.Fprintf(h, "%q %q %v %v\n", o.Code, o.Label, o.Refusal, o.Outside)
		}
	}
	const frozen = "7d070c9a5ab19d77773b904aa105324d1922f8caf8543dd7c5d858149857f30c"
	if got := hex.EncodeToString(h.Sum(nil)); got != frozen {
		t.Errorf("us-demographics has hash %s, launched studies rely on %s; give another wording another name", got, frozen)
	}
}

func TestPartyIsAskedInThePapersWordsAndStoredInTheDatas(t *testing.T) {
	t.Parallel()
	it, ok := USDemographics().Item("POLPARTY")
	if !ok {
		t.Fatal("no POLPARTY")
	}
	if o, _ := it.Option("Other"); o.Label != "Something else" {
		t.Errorf("label %q, want Something else", o.Label)
	}
	if _, ok := it.Option("Something else"); ok {
		t.Error("the label is a code")
	}
}

func TestBuiltInKnowsItsNames(t *testing.T) {
	t.Parallel()
	if in, ok := BuiltIn("us-demographics"); !ok || in.Name != "us-demographics" {
		t.Errorf("got %q, %v", in.Name, ok)
	}
	if _, ok := BuiltIn("pobs.json"); ok {
		t.Error("a file's name is no built-in instrument")
	}
}
