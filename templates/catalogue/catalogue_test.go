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

func TestDirectionFollowsTheLanguage(t *testing.T) {
	for lang, want := range map[string]string{
		"en": "ltr", "en-GB": "ltr", "de": "ltr", "": "ltr", "not a language!": "ltr",
		"ar": "rtl", "he": "rtl", "fa": "rtl", "ur": "rtl", "ps": "rtl", "uz-Arab": "rtl",
		"ar-Latn": "ltr", "az": "ltr",
	} {
		if got := For(lang).Dir; got != want {
			t.Errorf("For(%q).Dir = %q, want %q", lang, got, want)
		}
	}
}

func TestALanguageWithoutACatalogueSpeaksEnglish(t *testing.T) {
	w := For("ar")
	if w.Lang != "ar" || w.Say("continue") != "Continue" {
		t.Errorf("lang %q says %q, want ar and the English words", w.Lang, w.Say("continue"))
	}
	// English plural rules go with English words: Arabic has a form for 2.
	if got := w.Say("start.minutes", "n", 2); got != "It takes about 2 minutes." {
		t.Errorf("said %q", got)
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
