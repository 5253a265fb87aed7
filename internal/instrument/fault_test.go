package instrument

import "testing"

func TestFaultsAreFoundWhereTheyStand(t *testing.T) {
	t.Parallel()
	two := func(change func(in *Instrument)) Instrument {
		first, second := scale(3, 1), scale(2, 1)
		second.ID = "r"
		in := Instrument{Name: "made-up", Topics: []Topic{{Name: "tea"}}, Items: []Item{first, second}}
		change(&in)
		return in
	}
	tests := []struct {
		name   string
		change func(in *Instrument)
		want   *Fault // without its message
	}{
		{"nothing", func(in *Instrument) {}, nil},
		{"no items", func(in *Instrument) { in.Items = nil }, &Fault{Item: -1, Option: -1}},
		{"an id twice", func(in *Instrument) { in.Items[1].ID = "q" }, &Fault{Item: 1, Option: -1, Part: "item", Value: "q"}},
		{"no text", func(in *Instrument) { in.Items[0].Text = " " }, &Fault{Item: 0, Option: -1, Part: "text", Value: " "}},
		{"an unknown topic", func(in *Instrument) { in.Items[0].Topics = []string{"coffee"} }, &Fault{Item: 0, Option: -1, Part: "topics", Value: "coffee"}},
		{"a known topic", func(in *Instrument) { in.Items[0].Topics = []string{"tea"} }, nil},
		{"an option twice", func(in *Instrument) { in.Items[0].Options[1].Code = "A" }, &Fault{Item: 0, Option: 1, Part: "option", Value: "A"}},
		{"no label", func(in *Instrument) { in.Items[0].Options[2].Label = "" }, &Fault{Item: 0, Option: 2, Part: "label"}},
		{"a refusal on the scale", func(in *Instrument) { in.Items[0].Options[3].Ordinal = new(4.0) }, &Fault{Item: 0, Option: 3, Part: "option", Value: "D"}},
		{"a polarity beyond the scale", func(in *Instrument) { in.Items[0].Options[0].Polarity = new(2.0) }, &Fault{Item: 0, Option: 0, Part: "polarity", Value: "2"}},
		{"ordinals for some options", func(in *Instrument) { in.Items[0].Options[0].Ordinal = new(1.0) }, &Fault{Item: 0, Option: -1, Part: "ordinal", Value: "q"}},
		{"refusals only", func(in *Instrument) { in.Items[1].Options = in.Items[1].Options[2:] }, &Fault{Item: 1, Option: -1, Part: "item", Value: "r"}},
		{"a condition on an earlier item", func(in *Instrument) { in.Items[1].AskIf = []Condition{{Item: "q", Codes: []string{"A"}}} }, nil},
		{"a condition on a later item", func(in *Instrument) { in.Items[0].AskIf = []Condition{{Item: "r", Codes: []string{"A"}}} }, &Fault{Item: 0, Option: -1, Part: "ask_if", Value: "r"}},
		{"a condition on no option", func(in *Instrument) { in.Items[1].AskIf = []Condition{{Item: "q", Codes: []string{"Z"}}} }, &Fault{Item: 1, Option: -1, Part: "ask_if", Value: "Z"}},
		{"a translation that is not whole", func(in *Instrument) { in.Items[0].Translations = map[string]Wording{"es": {"¿?", []string{"a"}}} }, &Fault{Item: 0, Option: -1, Part: "translation", Value: "es"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			faults := two(test.change).Faults()
			if test.want == nil {
				if len(faults) > 0 {
					t.Errorf("faults %+v, want none", faults)
				}
				return
			}
			if len(faults) != 1 {
				t.Fatalf("faults %+v, want one", faults)
			}
			got := faults[0]
			if got.Message == "" {
				t.Error("no message")
			}
			if got.Message = ""; got != *test.want {
				t.Errorf("fault %+v, want %+v", got, *test.want)
			}
		})
	}
}

func TestAnItemIsPolarIfEveryAnswerTakesASide(t *testing.T) {
	t.Parallel()
	it := scale(2, 1)
	if it.Polar() {
		t.Error("polar without polarities")
	}
	it.Options[0].Polarity = new(-1.0)
	if it.Polar() {
		t.Error("polar with half of the polarities")
	}
	it.Options[1].Polarity = new(0.0)
	if !it.Polar() {
		t.Error("not polar with all polarities")
	}
}

func TestAnItemWithoutATranslationKeepsItsOwnWords(t *testing.T) {
	t.Parallel()
	it := scale(2, 0)
	it.Translations = map[string]Wording{"es": {"¿Té?", []string{"Sí", "No"}}}
	if w := it.In("es"); w.Text != "¿Té?" || w.Labels[0] != "Sí" {
		t.Errorf("Spanish: %+v", w)
	}
	if w := it.In("fr"); w.Text != "Made up?" || w.Labels[1] != "B" {
		t.Errorf("French: %+v", w)
	}
}
