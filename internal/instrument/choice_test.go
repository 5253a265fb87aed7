package instrument

import "testing"

func TestAnswersAreReadStrictlyOrLeniently(t *testing.T) {
	t.Parallel()
	it := Item{}
	for k, label := range []string{"Agree", "Neutral", "Disagree", "Refused"} {
		it.Options = append(it.Options, Option{Code: Letter(k), Label: label})
	}
	const none = NoOption
	tests := []struct {
		text            string
		strict, lenient int
	}{
		{"<answer>B</answer>", 1, 1},
		{"well, <ANSWER>b</Answer> then", 1, 1},
		{"<answer>Z</answer>", none, none},
		{"<answer> B </answer>", none, 1},
		{"<answer>C)</answer>", none, 2},
		{"<answer>C. Disagree</answer>", none, 2},
		{"<answer>disagree</answer>", none, 2},
		{"<answer>B", none, 1},
		{"B", none, 1},
		{"B. Neutral", none, 1},
		{"Neutral", none, 1},
		{"B. I think", none, none},
		{"Because of that, no.", none, none},
		{"As a model I have no opinion.", none, none},
		{"<answer>no</answer> <answer>D</answer>", 3, 3},
		{"<answer>A</answer> <answer>D</answer>", 0, 0},
		{"<reconsidered_answer>A</reconsidered_answer>", none, none},
		{"<answer>A</reconsidered_answer>", none, 0},
		{"", none, none},
		{"<", none, none},
	}
	for _, test := range tests {
		if got := it.Tagged(test.text, "answer"); got != test.strict {
			t.Errorf("%q read strictly: %d, want %d", test.text, got, test.strict)
		}
		got := it.Tagged(test.text, "answer")
		if got == none {
			got = it.TaggedLoosely(test.text, "answer")
		}
		if got != test.lenient {
			t.Errorf("%q read leniently: %d, want %d", test.text, got, test.lenient)
		}
	}
}

func TestBetweenIsWhatATagHolds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<think>well</think><answer>A</answer>": "well",
		"<THINK> a < b </Think>":                " a < b ",
		"<think>cut off":                        "cut off",
		"no tag":                                "",
		"<think></think>":                       "",
	} {
		if got := Between(text, "think"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestALeadingLetterIsAnAnswer(t *testing.T) {
	t.Parallel()
	it := Item{}
	for k, label := range []string{"A strong economy", "A good democracy", "Don't know"} {
		it.Options = append(it.Options, Option{Code: Letter(k), Label: label})
	}
	for text, want := range map[string]int{
		"A": 0, " B": 1, "c": 2, "(B)": 1, "B) A good democracy": 1, "**B**": 1, "B.": 1, "B: it matters more": 1, "B\n\nBecause": 1,
		"a good democracy": 1, "A good": NoOption, "D": NoOption, "Because": NoOption, "": NoOption, "I cannot say": NoOption, "Б": NoOption,
	} {
		if got := it.Led(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
