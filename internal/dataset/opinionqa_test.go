package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overton/internal/instrument"
	"overton/internal/score"
)

func fixture(t testing.TB, parts ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func opinionQAInfo(t testing.TB) instrument.Instrument {
	t.Helper()
	in, err := ReadOpinionQAInfo("info.csv", fixture(t, "opinionqa", "info.csv"))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestOpinionQAInfoKeepsItsQuirks(t *testing.T) {
	in := opinionQAInfo(t)
	var ids []string
	for _, it := range in.Items {
		ids = append(ids, it.ID)
	}
	if want := []string{"LIKEBIKES_W99", "TEA_W99", "FRUIT_W99", "PIPED_W99", "PIPED_W99#2"}; !slices.Equal(ids, want) {
		t.Fatalf("items %q, want %q", ids, want)
	}
	if it := in.Items[0]; !slices.Equal(it.Ordinals(), []float64{1, 2, 1.5}) || it.Span() != 1 || !it.Options[3].Refusal {
		t.Errorf("hedge: %v, span %g", it.Ordinals(), it.Span())
	}
	if it := in.Items[1]; !slices.Equal(it.Ordinals(), []float64{0, 1}) || it.Options[1].Refusal {
		t.Errorf("no refusal: %+v", it)
	}
	if it := in.Items[2]; !it.Unordered || it.Span() != 0 {
		t.Errorf("unordered: %+v", it)
	}
	if it := in.Items[3]; !it.Options[2].Refusal || !it.Options[3].Refusal || it.Options[0].Label != "A 'good' thing" {
		t.Errorf("two refusals: %+v", it.Options)
	}
}

func TestOpinionQAFaultsNameTheColumn(t *testing.T) {
	in := opinionQAInfo(t)
	attributes, err := ReadOpinionQAMetadata("metadata.csv", fixture(t, "opinionqa", "metadata.csv"))
	if err != nil {
		t.Fatal(err)
	}
	readers := map[string]func(string, []byte) error{
		"info.csv":      func(f string, b []byte) error { _, err := ReadOpinionQAInfo(f, b); return err },
		"metadata.csv":  func(f string, b []byte) error { _, err := ReadOpinionQAMetadata(f, b); return err },
		"responses.csv": func(f string, b []byte) error { _, err := ReadOpinionQAResponses(f, b, in, attributes); return err },
		"models.csv":    func(f string, b []byte) error { _, err := ReadModelAnswers(f, b, in); return err },
	}
	tests := []struct{ file, from, to, want string }{
		{"info.csv", "LIKEBIKES_W99,", ",", "info.csv:2: key is empty"},
		{"info.csv", "option_ordinal", "ordinals", "info.csv:1: "},
		{"info.csv", "{1.0: 'Safer'", "{'a': 'Safer'", `info.csv:2: option_mapping`},
		{"info.csv", "{1.0: 'Safer'", "{1.0: 'Safest'", "option_mapping"},
		{"info.csv", "How do you like your tea?", "", "info.csv:3: question is empty"},
		{"info.csv", "['Hot', 'Cold']", "['Hot', 'Cold'", `info.csv:3: references "['Hot', 'Cold'" expected , or ] at character 15, found the end`},
		{"info.csv", "['Hot', 'Cold']", "Hot or cold", `info.csv:3: references "Hot or cold" expected a value`},
		{"info.csv", "[0, 1]", "[0, 1, 2]", `info.csv:3: option_ordinal "[0, 1, 2]" has 3 entries`},
		{"info.csv", "[0, 1]", "['0', 1]", `info.csv:3: option_ordinal "['0', 1]" has no number at entry 1`},
		{"metadata.csv", "['Male', 'Female']", "Male", `metadata.csv:2: options "Male" expected a value`},
		{"metadata.csv", "RELIG", "SEX", `metadata.csv:3: key "SEX" appears twice`},
		{"responses.csv", "WEIGHT_W99", "WEIGHT", "responses.csv:1: WEIGHT_W… is missing"},
		{"responses.csv", "RACE", "WEIGHT_W98", "is a second column of weights"},
		{"responses.csv", "SEX", "GENDER", "responses.csv:1: SEX is missing"},
		{"responses.csv", "Mixed Race,1.5", "Mixed Race,heavy", `responses.csv:3: WEIGHT_W99 "heavy" is not a weight`},
		{"responses.csv", "LIKEBIKES_W99,TEA_W99,FRUIT_W99,PIPED_W99", "A,B,C,D", "has no column for any of the questions"},
		{"models.csv", "made-up-1,LIKEBIKES_W99,Safer", ",LIKEBIKES_W99,Safer", "models.csv:2: model is empty"},
		{"models.csv", "TEA_W99,Hot", "TEA_W98,Hot", `models.csv:6: question "TEA_W98" is not a question of info.csv`},
		{"models.csv", "TEA_W99,Hot", "TEA_W99,Warm", `models.csv:6: option "Warm" is not an option of question TEA_W99; expected one of Hot, Cold`},
		{"models.csv", "Hot,3", "Hot,-3", `models.csv:6: probability "-3" is no probability`},
		{"models.csv", "TEA_W99,Cold", "TEA_W99,Hot", `models.csv:7: option "Hot" has a probability in line 6 already`},
	}
	for _, test := range tests {
		t.Run(test.file+" "+test.to, func(t *testing.T) {
			content := string(fixture(t, "opinionqa", test.file))
			changed := strings.Replace(content, test.from, test.to, 1)
			if changed == content {
				t.Fatal("the file was not changed")
			}
			if err := readers[test.file](test.file, []byte(content)); err != nil {
				t.Fatalf("the file itself: %v", err)
			}
			if err := readers[test.file](test.file, []byte(changed)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestPollsLeaveUnknownLabelsOutOfGroupsOnly(t *testing.T) {
	in := opinionQAInfo(t)
	attributes := []score.Attribute{{Name: "SEX", Groups: []string{"Male", "Female"}}}
	p, err := ReadOpinionQAResponses("responses.csv", fixture(t, "opinionqa", "responses.csv"), in, attributes)
	if err != nil {
		t.Fatal(err)
	}
	overall, groups, asked := p.Polls(in.Items[0], attributes)
	if !asked || overall.Weight != 6 || !slices.Equal(overall.Distribution, []float64{0.5 / 3, 1.5 / 3, 1.0 / 3}) || overall.Refusal != score.Number(1.0/6) {
		t.Errorf("overall %+v", overall)
	}
	if male := groups[0]; male.Weight != 3.5 || !slices.Equal(male.Distribution, []float64{0, 1, 0}) {
		t.Errorf("male %+v", male)
	}
	first, _, _ := p.Polls(in.Items[3], attributes)
	second, _, _ := p.Polls(in.Items[4], attributes)
	if fmt.Sprint(first) != fmt.Sprint(second) || first.Weight != 6 {
		t.Errorf("two wordings of one variable: %+v and %+v", first, second)
	}
}

func TestTopicMappingIsReadWithoutRunningAnything(t *testing.T) {
	in := opinionQAInfo(t)
	for _, name := range []string{"topic_mapping.npy", "topic_mapping_protocol4.npy"} {
		topics, err := ReadTopicMapping(name, fixture(t, "opinionqa", name))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range [][]string{{"streets", "safety"}, {"drinks"}, {}, nil} {
			if got := topics.Coarse(in.Items[i]); !slices.Equal(got, want) {
				t.Errorf("%s: topics of %s: %q, want %q", name, in.Items[i].ID, got, want)
			}
		}
	}
	content := fixture(t, "opinionqa", "topic_mapping.npy")
	evil := strings.Replace(string(content), "_reconstruct", "_destruction", 1)
	if _, err := ReadTopicMapping("x.npy", []byte(evil)); err == nil || !strings.Contains(err.Error(), "not allowed") {
		t.Errorf("an unknown name: %v", err)
	}
	for n := range content {
		if _, err := ReadTopicMapping("x.npy", content[:n]); err == nil {
			t.Fatalf("the first %d bytes are taken for the whole", n)
		}
	}
}

func TestHELMRunsAreMatchedByTextAndLabels(t *testing.T) {
	in := opinionQAInfo(t)
	run := `{"adapter_spec": {"model": "made-up/2"}, "request_states": [{
		"instance": {"input": {"text": "Do bike lanes make streets"}, "references": [
			{"output": {"text": "Refused"}}, {"output": {"text": "Safer"}}, {"output": {"text": "About the same"}}, {"output": {"text": "Riskier"}}]},
		"output_mapping": {"A": "Refused", "B": "Safer", "C": "About the same", "D": "Riskier"},
		"result": {"completions": [{"tokens": [{"top_logprobs": {" B": -0.6931471805599453, "A": -1.3862943611198906, " C": -2.0794415416798357, "D": null}}]}]}}]}`
	answers, err := ReadModelAnswers("runs/context=default,model=x/scenario_state.json", []byte(run), in)
	if err != nil {
		t.Fatal(err)
	}
	a := answers[0]
	mass := a.Mass["LIKEBIKES_W99"]
	if a.Model != "made-up/2" || a.Context != "default" || len(mass) != 4 || mass[0] != 0.5 || mass[1] != 0 || mass[3] != 0.25 {
		t.Errorf("%+v", a)
	}
	for _, test := range []struct{ from, to, want string }{
		{"Do bike lanes", "Do lanes", `request_states[0].instance.input.text "Do lanes make streets" is the text and labels of 0 questions`},
		{`"A": "Refused"`, `"A": "Declined"`, `output_mapping "Refused" has no letter`},
		{`"tokens": [{`, `"tokens": [], "x": [{`, "top_logprobs is missing"},
		{`"request_states"`, `"states"`, "is not a run with answers"},
	} {
		if _, err := ReadModelAnswers("s.json", []byte(strings.Replace(run, test.from, test.to, 1)), in); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestGlobalOpinionsKeepTheirQuirks(t *testing.T) {
	g, err := ReadGlobalOpinionQA("global_opinions.csv", fixture(t, "globalopinionqa", "global_opinions.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if g.WithoutQuestion != 1 || g.Empty != 2 || g.OtherLength != 1 || len(g.Instrument.Items) != 2 {
		t.Errorf("%+v", g)
	}
	it := g.Instrument.Items[1]
	if it.ID != "2" || it.Source != "WVS" || it.Options[0].Label != "1" || it.Options[3].Label != "4.0" {
		t.Errorf("item %+v", it)
	}
	if c := g.Countries[1]; len(c) != 2 || c["Sylvania (Non-national sample)"][0] != 1e-05 {
		t.Errorf("countries %v", c)
	}
	if c := g.Countries[0]; c["Cote d'Azur"][2] != 0.2 {
		t.Errorf("countries %v", c)
	}
}

func TestGlobalOpinionFaultsNameTheColumn(t *testing.T) {
	content := string(fixture(t, "globalopinionqa", "global_opinions.csv"))
	for _, test := range []struct{ from, to, want string }{
		{"question,", "questions,", `did you mean "question"`},
		{"['Yes', 'No', \"\"Don't know\"\"]", "['Yes', 'No'", `global_opinions.csv:2: options "['Yes', 'No'" expected , or ]`},
		{"['Yes', 'No', \"\"Don't know\"\"]", "['Yes', 'Yes', 'No']", `global_opinions.csv:2: option "Yes" appears twice`},
		{"[0.6, 0.3, 0.1]", "[0.6, 'x', 0.1]", `global_opinions.csv:2: selections`},
		{"[0.6, 0.3, 0.1]", "[0.6, -0.3, 0.1]", "of Freedonia: has the share -0.3"},
		{"{'Freedonia': [0.6", "{1: [0.6", "entry 1: expected a country and a list of shares"},
		{"\"\"Cote d'Azur\"\": [0.2, 0.2, 0.2]})", "'Freedonia': [0.2, 0.2, 0.2]})", `has "Freedonia" twice`},
	} {
		changed := strings.Replace(content, test.from, test.to, 1)
		if changed == content {
			t.Fatalf("%q is not in the file", test.from)
		}
		if _, err := ReadGlobalOpinionQA("global_opinions.csv", []byte(changed)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func FuzzReadOpinionQAInfo(f *testing.F) {
	f.Add(fixture(f, "opinionqa", "info.csv"))
	f.Fuzz(func(t *testing.T, content []byte) {
		in, err := ReadOpinionQAInfo("info.csv", content)
		if err == nil && len(in.Faults()) > 0 {
			t.Errorf("taken with faults: %v", in.Faults())
		}
	})
}

func FuzzReadGlobalOpinionQA(f *testing.F) {
	f.Add(fixture(f, "globalopinionqa", "global_opinions.csv"))
	f.Fuzz(func(t *testing.T, content []byte) {
		g, err := ReadGlobalOpinionQA("g.csv", content)
		if err == nil && len(g.Countries) != len(g.Instrument.Items) {
			t.Errorf("%d lists of countries for %d items", len(g.Countries), len(g.Instrument.Items))
		}
	})
}

func FuzzReadTopicMapping(f *testing.F) {
	f.Add(fixture(f, "opinionqa", "topic_mapping.npy"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if topics, err := ReadTopicMapping("t.npy", content); err == nil && topics == nil {
			t.Error("nothing was read, and no error")
		}
	})
}
