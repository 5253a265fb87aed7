package dataset

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"testing"
)

//go:embed testdata/tea.csv
var teaTable string

func TestAnInstrumentTableIsRead(t *testing.T) {
	in, err := ReadInstrument("tea.csv", []byte(teaTable))
	if err != nil {
		t.Fatal(err)
	}
	if in.Name != "tea.csv" || len(in.Items) != 2 || len(in.Topics) != 2 {
		t.Fatalf("%+v", in)
	}
	tea, cup := in.Items[0], in.Items[1]
	if !slices.Equal(tea.Topics, []string{"health", "drinks"}) || tea.Source != "made up" || !slices.Equal(tea.Ordinals(), []float64{1, 2, 1.5}) || !tea.Polar() {
		t.Errorf("tea %+v", tea)
	}
	if tea.Options[3].Code != "Prefer not to say" || !tea.Options[3].Refusal || *tea.Options[1].Polarity != -1 {
		t.Errorf("options %+v", tea.Options)
	}
	if w := tea.In("es"); w.Text != "¿Es bueno el té?" || w.Labels[2] != "Igual" {
		t.Errorf("in Spanish %+v", w)
	}
	if !cup.Unordered || cup.Span() != 0 || !cup.Options[2].Outside || cup.Translations != nil {
		t.Errorf("cup %+v", cup)
	}
	if c := cup.AskIf; len(c) != 2 || c[0].Item != "TEA" || !slices.Equal(c[0].Codes, []string{"yes", "same"}) || c[1].Instrument != "us-demographics" {
		t.Errorf("conditions %+v", c)
	}
}

func TestInstrumentTableFaults(t *testing.T) {
	tests := []struct{ from, to, want string }{
		{"item,text", "item,question", `did you mean "text"?`},
		{"label,ordinal", "answers,ordinal", `did you mean "label"?`},
		{"TEA,Is tea good for you?", ",Is tea good for you?", "tea.csv:2: item is empty"},
		{"TEA,Is tea good for you?", " TEA,Is tea good for you?", `tea.csv:2: item " TEA" has spaces around it`},
		{"Which cup?", "", "tea.csv:6: text is empty; expected what the item asks"},
		{"no,No,,-1", "no,,,-1", "tea.csv:3: label is empty"},
		{"no,No,,-1", "yes,No,,-1", `tea.csv:3: option "yes" appears twice among the options of item TEA`},
		{"no,No,,-1", "no,No,,left", `tea.csv:3: polarity "left" is not a number`},
		{"no,No,,-1", "no,No,,-2", `tea.csv:2: polarity "-2" is outside the scale`},
		{"no,No,,-1", "no,No,second,-1", `tea.csv:3: ordinal "second" is not a number`},
		{"no,No,,-1", "no,No,2,-1", `tea.csv:2: ordinal "TEA" has ordinals for 1 of its 3 options`},
		{"hedge", "hedged", `tea.csv:4: mark "hedged" is not a mark; expected refusal, hedge, outside or unordered`},
		{"TEA = yes | same", "TEA is yes", `tea.csv:6: ask_if "TEA is yes" is not a condition`},
		{"TEA = yes | same", "TEA = maybe", `tea.csv:6: ask_if "maybe" is not an option of TEA`},
		{"TEA = yes | same", "MILK = yes", `tea.csv:6: ask_if "MILK" is not the id of an earlier item`},
		{"Prefiero no decirlo", "", "tea.csv:5: label has no translation in label:es"},
		{"label:es", "label_es", "tea.csv:1: text:es has no matching column label:es"},
		{"text:es", "text:Spanish language", "does not name a language"},
		{"CUP,Which cup?", "TEA2,Which cup?", "tea.csv:7: text is empty"},
	}
	for _, test := range tests {
		t.Run(test.to, func(t *testing.T) {
			changed := strings.Replace(teaTable, test.from, test.to, 1)
			if changed == teaTable {
				t.Fatal("the file was not changed")
			}
			if _, err := ReadInstrument("tea.csv", []byte(changed)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestTheContentTellsTheFormOfAnInstrument(t *testing.T) {
	for name, content := range map[string][]byte{
		"pobs.json": []byte(pobsJSON("")), "info.csv": fixture(t, "opinionqa", "info.csv"),
		"g.csv": fixture(t, "globalopinionqa", "global_opinions.csv"), "tea.csv": []byte(teaTable),
	} {
		in, err := ReadInstrument(name, content)
		if err != nil || in.Name != name || len(in.Items) == 0 {
			t.Errorf("%s: %d items, name %q, %v", name, len(in.Items), in.Name, err)
		}
	}
}

const teaYAML = `title: Tea
items:
  - id: TEA
    text: Is tea good for you?
    topics: [health, drinks]
    options:
      - {option: "yes", label: "Yes", polarity: 1}
      - {option: "no", label: "No", polarity: -1}
      - {option: same, label: About the same, polarity: 0, hedge: true}
      - {label: Prefer not to say, refusal: true}
    translations:
      es: {text: ¿Es bueno el té?, labels: [Sí, "No", Igual, Prefiero no decirlo]}
  - id: CUPS
    text: How many cups a day?
    topics: [drinks]
    ask_if: ["TEA = yes | same", us-demographics/SEX = Female]
    options:
      - {option: 1, label: One, ordinal: 1}
      - {option: 2, label: Two or more, ordinal: 2.5}
      - {label: Prefer not to say, refusal: true}
`

func TestAnInstrumentIsReadFromYAML(t *testing.T) {
	in, err := ReadInstrument("tea.yaml", []byte(teaYAML))
	if err != nil {
		t.Fatal(err)
	}
	tea, cups := in.Items[0], in.Items[1]
	if in.Title != "Tea" || len(in.Topics) != 2 || *tea.Options[1].Polarity != -1 || !tea.Options[2].Hedge || !tea.Options[3].Refusal || tea.Options[3].Code != "Prefer not to say" {
		t.Errorf("%+v", in)
	}
	if got := tea.In("es").Labels[3]; got != "Prefiero no decirlo" {
		t.Errorf("in Spanish %q", got)
	}
	if c := cups.AskIf; len(c) != 2 || c[1].Instrument != "us-demographics" || len(c[0].Codes) != 2 || cups.Options[0].Code != "1" || *cups.Options[1].Ordinal != 2.5 {
		t.Errorf("%+v", cups)
	}
	for _, test := range []struct{ from, to, want string }{
		{"polarity: 1}", "polarity: one}", `tea.yaml:7: items[0].options[0].polarity "one" is not a number`},
		{"    text: How", "    texts: How", `tea.yaml:14: items[1].texts is not a key`},
		{"TEA = yes | same", "TEA", `items[1].ask_if[0] "TEA" is not a condition`},
		{`Sí, "No", `, "Sí, ", `items[0].translations.es has 3 labels`},
		{"label: One", "label: \"\"", `items[1].options[0].label is missing`},
		{"option: 2, label: Two", "option: 1, label: Two", "appears twice"},
		{"id: CUPS", "id: TEA", "tea.yaml:13"},
		{"title: Tea", "title: [", "is not YAML"},
	} {
		content := strings.Replace(teaYAML, test.from, test.to, 1)
		if _, err := ReadInstrument("tea.yaml", []byte(content)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.to, err, test.want)
		}
	}
}

// Whatever a file holds, it is refused with a fault or taken as an instrument
// that is sound: one that can be asked, scored and written down again.
func FuzzReadInstrument(f *testing.F) {
	names := []string{"tea.csv", "tea.yaml", "tea.json", "info.csv"}
	for _, content := range []string{teaTable, pobsJSON(""), teaYAML,
		",key,option_mapping,question,references,option_ordinal\n0,A_W1,\"{1.0: 'x', 2.0: 'y', 99.0: 'Refused'}\",Q?,\"['x', 'y', 'Refused']\",\"[1.0, 2.0]\"\n",
		"question,selections,options,source\nQ?,\"defaultdict(<class 'list'>, {'X': [0.5, 0.5]})\",\"['a', 4.0]\",GAS\n",
		"item,text,label,mark,ordinal,polarity,ask_if,text:es,label:es\nA,q,x,hedge;outside,1,-1,,p,z\n,,y,unordered,2,1,,,w\nB,q,x,,,,A = x | y,,\n",
	} {
		for which := range names {
			f.Add(uint8(which), []byte(content))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, content []byte) {
		in, err := ReadInstrument(names[int(which)%len(names)], content)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("refused without a word")
			}
			return
		}
		if faults := in.Faults(); len(faults) > 0 {
			t.Fatalf("taken with faults: %v", faults)
		}
		if len(in.Items) == 0 {
			t.Fatal("taken without items")
		}
		for _, it := range in.Items {
			answers := 0
			for _, o := range it.Options {
				if got, ok := it.Option(o.Code); !ok || got.Label != o.Label {
					t.Fatalf("item %q: option %q is another's", it.ID, o.Code)
				}
				if !o.Refusal {
					answers++
				}
			}
			if places := it.Ordinals(); len(places) != answers || math.IsNaN(it.Span()) || math.IsInf(it.Span(), 0) {
				t.Fatalf("item %q: places %v of %d answers", it.ID, places, answers)
			}
			for language := range it.Translations {
				if w := it.In(language); len(w.Labels) != len(it.Options) {
					t.Fatalf("item %q has %d labels in %s, and %d options", it.ID, len(w.Labels), language, len(it.Options))
				}
			}
		}
		OpinionSurvey(in) // does not panic
	})
}
