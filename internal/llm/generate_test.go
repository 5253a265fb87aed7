package llm_test

import (
	"slices"
	"strings"
	"testing"

	"overton/internal/llm"
	"overton/internal/llm/llmtest"
	"overton/internal/study"
)

func TestResponsesAreFlagged(t *testing.T) {
	t.Parallel()
	english := "Some people hold that taxes pay for what everybody needs, and others would rather decide for themselves what their money is spent on."
	german := "Manche Leute finden, dass Steuern bezahlen, was alle brauchen, und andere wollen lieber selbst entscheiden, wofür ihr Geld ausgegeben wird."
	tests := []struct {
		name, text, finish string
		want               []llm.Flag
	}{
		{"as it should be", english, "stop", nil},
		{"in quotes", "“" + english + "”", "stop", nil},
		{"nothing", " \n", "stop", []llm.Flag{llm.FlagEmpty}},
		{"held back", "", "content_filter", []llm.Flag{llm.FlagEmpty, llm.FlagFiltered}},
		{"ended by the limit", english, "length", []llm.Flag{llm.FlagCutOff}},
		{"in the middle of a sentence", strings.TrimSuffix(english, "is spent on."), "stop", []llm.Flag{llm.FlagCutOff}},
		{"refused", "I’m sorry, but I can’t take sides on this. " + english, "stop", []llm.Flag{llm.FlagRefusal}},
		{"refusal quoted late", english + " " + english + " Some say: I cannot pay more.", "stop", []llm.Flag{llm.FlagTooLong}},
		{"short", "Taxes pay for roads.", "stop", []llm.Flag{llm.FlagTooShort}},
		{"long", english + " " + english, "stop", []llm.Flag{llm.FlagTooLong}},
		{"another language", german, "stop", []llm.Flag{llm.FlagLanguage}},
		{"another script", "Некоторые люди считают, что налоги оплачивают то, что нужно всем, а другие предпочитают сами решать, на что тратить свои деньги, и это их право.", "stop", []llm.Flag{llm.FlagLanguage}},
		{"the model's name", "Zephyrus here. " + english, "stop", []llm.Flag{llm.FlagNames}},
		{"a program", "As an AI, I weigh both. " + english, "stop", []llm.Flag{llm.FlagNames}},
		{"marks", "**Taxes.** " + english + "<br>", "stop", []llm.Flag{llm.FlagMarkup}},
	}
	replies := map[string]llmtest.Reply{}
	g := llm.Generation{Models: []string{"m"}, Samples: 1, MaxWords: 40, MinWords: 15}
	for _, test := range tests {
		question := "What do you think of taxes, and of those who have to pay them, if it is about " + test.name + "?"
		g.Questions = append(g.Questions, study.Question{ID: test.name, Text: question})
		replies[question] = llmtest.Reply{Text: test.text, FinishReason: test.finish}
	}
	s := llmtest.New(func(r llmtest.Request, _ int) llmtest.Reply {
		question, _, _ := strings.Cut(r.Text(), "\n")
		return replies[question]
	})
	defer s.Close()
	prompts, err := llm.ReadPrompts(nil)
	if err != nil {
		t.Fatal(err)
	}
	requests, err := g.Requests(prompts)
	if err != nil {
		t.Fatal(err)
	}
	m := modelOf(s)
	m.Model = "zephyrus-7b-chat"
	run := open(t, t.TempDir(), llm.Settings{})
	defer run.Close()
	do(t, run, clientOf(t, m), slices.Values(requests))
	generated, err := g.Collect(run, llm.Models{m})
	if err != nil {
		t.Fatal(err)
	}
	if len(generated) != len(tests) {
		t.Fatalf("%d responses; want %d", len(generated), len(tests))
	}
	for i, test := range tests {
		if got := generated[i]; !slices.Equal(got.Flags, test.want) {
			t.Errorf("%s: flags %v; want %v (%q)", test.name, got.Flags, test.want, got.Text)
		}
	}
}

func TestTheFirstSampleWithoutAFlagIsChosen(t *testing.T) {
	t.Parallel()
	texts := []string{"No.", "Some say that it is good and some say that it is bad.", "It is good for some people, and it is bad for the others."}
	s := llmtest.New(func(r llmtest.Request, _ int) llmtest.Reply { return llmtest.Reply{Text: texts[*r.Seed-1]} })
	defer s.Close()
	g := llm.Generation{Questions: []study.Question{{ID: "q", Text: "Is it good?"}}, Models: []string{"m"}, Samples: 3, MinWords: 5, Seed: 1}
	prompts, err := llm.ReadPrompts(nil)
	if err != nil {
		t.Fatal(err)
	}
	requests, err := g.Requests(prompts)
	if err != nil {
		t.Fatal(err)
	}
	m := modelOf(s)
	run := open(t, t.TempDir(), llm.Settings{})
	defer run.Close()
	do(t, run, clientOf(t, m), slices.Values(requests))
	generated, err := g.Collect(run, llm.Models{m})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, true, false} {
		if generated[i].Chosen != want {
			t.Errorf("sample %d is chosen: %t, flags %v", i+1, generated[i].Chosen, generated[i].Flags)
		}
	}
}
