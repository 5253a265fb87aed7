package catalogue

import (
	"encoding/json"
	"testing"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

func TestSayChoosesThePluralFormAndFillsArguments(t *testing.T) {
	w := For("en")
	for _, c := range []struct {
		key  string
		args []any
		want string
	}{
		{"continue", nil, "Continue"},
		{"start.minutes", []any{"n", 1}, "It takes about 1 minute."},
		{"start.minutes", []any{"n", 25}, "It takes about 25 minutes."},
		{"where.question", []any{"n", 1, "of", 3}, "Question 1 of 3"},
		// A value that looks like an argument is not filled a second time.
		{"contact", []any{"contact", "{n} {contact}"}, "Questions? {n} {contact}"},
		{"no.such.key", nil, "no.such.key"},
	} {
		if got := w.Say(c.key, c.args...); got != c.want {
			t.Errorf("Say(%q, %v) = %q, want %q", c.key, c.args, got, c.want)
		}
	}
}

func TestDirectionFollowsTheScript(t *testing.T) {
	for lang, want := range map[string]string{
		"en": "ltr", "en-GB": "ltr", "de": "ltr", "az": "ltr", "ar-Latn": "ltr",
		"ar": "rtl", "he": "rtl", "fa": "rtl", "ur": "rtl", "ps": "rtl", "uz-Arab": "rtl",
	} {
		if got := direction(language.MustParse(lang)); got != want {
			t.Errorf("direction of %s is %q, want %q", lang, got, want)
		}
	}
}

func TestALanguageWithoutACatalogueSpeaksEnglishAndSaysSo(t *testing.T) {
	for _, lang := range []string{"ar", "", "not a language!"} {
		w := For(lang)
		if w.Lang != "en" || w.Dir != "ltr" || w.Say("continue") != "Continue" {
			t.Errorf("For(%q) says %q in %s, %s", lang, w.Say("continue"), w.Lang, w.Dir)
		}
	}
}

func TestEveryLanguageHasOnlyKeysThatEnglishHas(t *testing.T) {
	english := languages[language.English]
	if len(english) == 0 {
		t.Fatal("no English catalogue")
	}
	for tag, entries := range languages {
		for key := range entries {
			if _, ok := english[key]; !ok {
				t.Errorf("%s: %q is not in English", tag, key)
			}
		}
	}
}

func TestEntriesAreChecked(t *testing.T) {
	for _, bad := range []string{`{"one": "x"}`, `{"some": "x", "other": "y"}`, `3`, `["x"]`} {
		var e entry
		if err := json.Unmarshal([]byte(bad), &e); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
	var e entry
	if err := json.Unmarshal([]byte(`{"few": "x", "other": "y"}`), &e); err != nil || e[plural.Few] != "x" {
		t.Errorf("entry %v, error %v", e, err)
	}
}
