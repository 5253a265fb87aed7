package survey

import (
	"math"
	"slices"
	"strings"
	"testing"

	"overton/internal/instrument"
	"overton/internal/score"
)

func drinks() instrument.Instrument {
	return instrument.Instrument{Name: "drinks.csv", Items: []instrument.Item{{ID: "TEA", Text: "Tea, or \"coffee\"?",
		Options: []instrument.Option{{Code: "t", Label: "Tea"}, {Code: "c", Label: "Coffee"}, {Code: "-", Label: "Refused", Refusal: true}}}}}
}

func TestTranslationsComeBackAsWritten(t *testing.T) {
	want := []Translation{
		{"m", "ru", "TEA", instrument.Wording{Text: "Чай?", Labels: []string{"Чай", "Кофе", "Отказ"}}},
		{"", "tr", "TEA", instrument.Wording{Text: "Çay mı?", Labels: []string{"Çay", "Kahve", "Yok"}}},
	}
	content, err := WriteTranslations(drinks(), want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadTranslations("translations.csv", content, drinks())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got, want, func(a, b Translation) bool {
		return a.Model == b.Model && a.Language == b.Language && a.Item == b.Item && a.Wording.Text == b.Wording.Text && slices.Equal(a.Wording.Labels, b.Wording.Labels)
	}) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for change, fault := range map[string]string{
		"Tea, or \"\"coffee\"\"?->Tea?": "is not what the instrument says",
		"m,ru,TEA,c,Coffee,Кофе\n->":    "is not whole in ru",
		",t,Tea,Чай->,x,Tea,Чай":        "is no option of item TEA",
		"m,ru,TEA,->m,ru,MILK,":         "is no item of drinks.csv",
		"m,ru,TEA,->m,r?,TEA,":          "is no language",
		",Чай?->,":                      "expected the translation",
		"m,ru,TEA,t->m,ru,TEA,c":        "is not what the instrument says",
	} {
		old, new, _ := strings.Cut(change, "->")
		_, err := ReadTranslations("translations.csv", []byte(strings.Replace(string(content), old, new, 1)), drinks())
		if err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v, want %q", change, err, fault)
		}
	}
}

func TestModelsAnswersComeBackAsWritten(t *testing.T) {
	it := drinks().Items[0]
	content, err := WriteModelAnswers([]ModelAnswer{
		{Model: "m", Context: score.DefaultContext, Item: it, Mass: []float64{0.25, 1.0 / 3, 1e-17}, Shown: []int{1, 0, 2}, Method: "logprobs", Asked: 1, Missing: 0.1},
		{Model: "m", Context: "qa", Target: "SEX: Male", Item: it, Mass: []float64{3, 0, 2}, Shown: []int{0, 1, 2}, Method: "samples", Asked: 6, Invalid: 1, Missing: math.NaN()},
		{Model: "silent", Context: score.DefaultContext, Item: it, Asked: 6, Invalid: 6},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadModelAnswers("answers.csv", content, drinks())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || !slices.Equal(got[0].Mass["TEA"], []float64{0.25, 1.0 / 3, 1e-17}) || got[1].Target != "SEX: Male" || !slices.Equal(got[1].Mass["TEA"], []float64{3, 0, 2}) {
		t.Errorf("%+v", got)
	}
	for _, line := range []string{"m,TEA,t,0.25,default,,2,logprobs,1,0,0.1\n", "m,TEA,-,2,qa,SEX: Male,3,samples,6,1,\n"} {
		if !strings.Contains(string(content), line) {
			t.Errorf("no line %q in\n%s", line, content)
		}
	}
}
