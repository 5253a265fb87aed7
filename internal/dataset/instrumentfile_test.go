package dataset

import (
	"slices"
	"strings"
	"testing"
)

const teaTable = `item,text,topics,option,label,ordinal,polarity,mark,ask_if,source,text:es,label:es
TEA,Is tea good for you?,health; drinks,yes,Yes,,1,,,made up,¿Es bueno el té?,Sí
TEA,,,no,No,,-1,,,,,No
,,,same,About the same,,0,hedge,,,,Igual
,,,,Prefer not to say,,,refusal,,,,Prefiero no decirlo
CUP,Which cup?,,,Blue,,,unordered,TEA = yes | same; us-demographics/SEX = Female,,,
CUP,,,,Red,,,,,,,
CUP,,,,Another,,,outside,,,,
`

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
		{"TEA,Is tea good for you?", " TEA,Is tea good for you?", `tea.csv:2: item " TEA" has blanks around it`},
		{"Which cup?", "", "tea.csv:6: text is empty; expected what the item asks"},
		{"no,No,,-1", "no,,,-1", "tea.csv:3: label is empty"},
		{"no,No,,-1", "yes,No,,-1", `tea.csv:3: option "yes" stands twice among the options of item TEA`},
		{"no,No,,-1", "no,No,,left", `tea.csv:3: polarity "left" is no number`},
		{"no,No,,-1", "no,No,,-2", `tea.csv:2: polarity "-2" is outside the scale`},
		{"no,No,,-1", "no,No,second,-1", `tea.csv:3: ordinal "second" is no number`},
		{"no,No,,-1", "no,No,2,-1", `tea.csv:2: ordinal "TEA" has ordinals for 1 of its 3 options`},
		{"hedge", "hedged", `tea.csv:4: mark "hedged" is no mark; expected refusal, hedge, outside or unordered`},
		{"TEA = yes | same", "TEA is yes", `tea.csv:6: ask_if "TEA is yes" is no condition`},
		{"TEA = yes | same", "TEA = maybe", `tea.csv:6: ask_if "maybe" is not an option of TEA`},
		{"TEA = yes | same", "MILK = yes", `tea.csv:6: ask_if "MILK" is not the id of an item that stands before this one`},
		{"Prefiero no decirlo", "", "tea.csv:5: label has no translation in label:es"},
		{"label:es", "label_es", "tea.csv:1: text:es has no column label:es beside it"},
		{"text:es", "text:Spanish language", "names no language"},
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

func TestAStudyCanAskAnInstrumentOfItsFolder(t *testing.T) {
	f := with("study.yaml", "  - feedback", "  - survey: {instrument: tea.csv, title: Tea, items_per_page: 1, items_per_participant: 1, order: reversed_half, repeat: 1}\n  - feedback")
	f["tea.csv"] = []byte(teaTable)
	s, err := ReadStudy(f)
	if err != nil {
		t.Fatal(err)
	}
	v := s.Survey("tea.csv")
	if v == nil || v.PerPage != 1 || v.Sample != 1 || !v.ReverseHalf || v.Repeat != 1 || s.Instruments["tea.csv"].Title != "Tea" {
		t.Fatalf("%+v", v)
	}
	if it := v.Items[0]; it.Fixed != 2 || !slices.Equal(it.Shown(true), []string{"no", "yes", "same", "Prefer not to say"}) {
		t.Errorf("in reverse %q", it.Shown(true))
	}
	if c := v.Items[1].AskIf; c[0].Instrument != "tea.csv" || c[1].Instrument != "us-demographics" {
		t.Errorf("conditions %+v", c)
	}
	if _, kept := s.Files["tea.csv"]; !kept {
		t.Error("the instrument's file is not kept with the study")
	}
}

func TestSurveyBlockFaults(t *testing.T) {
	tests := []struct{ block, want string }{
		{"{instrument: tea}", `study.yaml:16: flow[3].survey.instrument "tea" is no instrument; expected us-demographics, or the name of a file`},
		{"{instrument: tea.csv, order: random}", `study.yaml:16: flow[3].survey.order "random" is no order of options`},
		{"{instrument: tea.csv, items_per_page: 0}", "flow[3].survey.items_per_page is 0; expected 1 or more, or topic"},
		{"{instrument: tea.csv, topics_per_participant: 3}", "flow[3].survey.topics_per_participant is 3; expected 1 to 1"},
		{"{instrument: tea.csv, repeat: 2}", "flow[3].survey.repeat is 2; expected 0 to 1"},
		{"{instrument: tea.csv, pages: 2}", "flow[3].survey.pages is not a key"},
		{"{instrument: ../tea.csv}", "leads out of the study's folder"},
		{"{instrument: bad.csv}", "bad.csv:1: text is missing"},
	}
	for _, test := range tests {
		t.Run(test.block, func(t *testing.T) {
			f := with("study.yaml", "  - feedback", "  - survey: "+test.block+"\n  - feedback")
			f["tea.csv"] = []byte(teaTable)
			f["bad.csv"] = []byte("item,label\nA,b\n")
			if _, err := ReadStudy(f); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func FuzzReadInstrument(f *testing.F) {
	f.Add([]byte(teaTable))
	f.Add([]byte(pobsJSON("")))
	f.Fuzz(func(t *testing.T, content []byte) {
		in, err := ReadInstrument("tea.csv", content)
		if err == nil && len(in.Faults()) > 0 {
			t.Errorf("taken with faults: %v", in.Faults())
		}
	})
}
