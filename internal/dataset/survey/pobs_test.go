package survey

import (
	"fmt"
	"strings"
	"testing"

	"overton/internal/instrument"
	"overton/internal/score"
)

const pobsTopic = `{"name": "Tea vs. Coffee", "category": "Drinks", "questions": [
  {"id": 1, "question": "Is tea better?", "options": ["Yes", "No", "Refused"], "options_polarity": [1, -0.5, null]%s}]}`

func pobsJSON(extra string) string {
	return `{"survey": {"title": "Drinks", "topics": [` + fmt.Sprintf(pobsTopic, extra) + `]}}`
}

func TestPobsSurveyKeepsPolarityAndRefusal(t *testing.T) {
	in, err := ReadPOBs("dir/POBS_made_up.json", []byte(strings.ReplaceAll(pobsJSON(""), "Tea vs", "Tea\u2019s vs")))
	if err != nil {
		t.Fatal(err)
	}
	it := in.Items[0]
	if in.Topics[0].Name != "Tea's vs. Coffee" || it.Topics[0] != in.Topics[0].Name || in.Topics[0].Category != "Drinks" {
		t.Errorf("topics %+v of item %+v", in.Topics, it)
	}
	if it.ID != "1" || !it.Polar() || *it.Options[1].Polarity != -0.5 || it.Options[1].Code != "B" || it.Options[1].Refusal || !it.Options[2].Refusal || it.Options[2].Polarity != nil {
		t.Errorf("item %+v", it)
	}
	if faults := in.Faults(); len(faults) > 0 {
		t.Errorf("faults %v", faults)
	}
}

func TestPobsSurveyFaults(t *testing.T) {
	tests := []struct{ name, from, to, want string }{
		{"broken JSON", `]}]}`, `]}]`, "f.json:2: is not JSON"},
		{"no topics", `"topics"`, `"topix"`, "f.json: survey.topics is missing"},
		{"an id that is a text", `"id": 1`, `"id": "1"`, "f.json:2: survey.topics.questions.id holds a string; expected a whole number"},
		{"no id", `"id": 1,`, ``, "f.json: survey.topics[0].questions[0].id is missing"},
		{"no wording", `Is tea better?`, ` `, `survey.topics[0].questions[0].question " " is empty`},
		{"options that are a text", `["Yes", "No", "Refused"]`, `"Yes"`, "survey.topics.questions.options holds a string; expected a list"},
		{"one option", `["Yes", "No", "Refused"]`, `["Yes"]`, "survey.topics[0].questions[0].options has 1 entries"},
		{"an empty option", `"No"`, `""`, "survey.topics[0].questions[0].options[1] is empty"},
		{"too few polarities", `[1, -0.5, null]`, `[1, null]`, "options_polarity has 2 entries for 3 options"},
		{"a refusal that takes a side", `[1, -0.5, null]`, `[1, -0.5, 0]`, `options_polarity[2] "0" belongs to the last option`},
		{"an answer without a side", `[1, -0.5, null]`, `[1, null, null]`, `options_polarity[1] "null" belongs to an answer`},
		{"a side beyond the scale", `[1, -0.5, null]`, `[2, -0.5, null]`, `options_polarity[0] "2" is outside the scale`},
		{"a spreadsheet", `{"survey"`, "PK\x03\x04", "is a spreadsheet workbook"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			changed := strings.Replace(pobsJSON(""), test.from, test.to, 1)
			_, err := ReadPOBs("f.json", []byte(changed))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestPobsName(t *testing.T) {
	model, repetition, err := POBsName("x/POBS_Made_Up2.5_72B_12.json")
	if err != nil || model != "Made_Up2.5_72B" || repetition != 12 {
		t.Errorf("%q %d %v", model, repetition, err)
	}
	for _, name := range []string{"POBS_model.json", "model_1.json", "POBS_1.json", "POBS_model_1.txt", "POBS_model_0.json"} {
		if _, _, err := POBsName(name); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestAResponseFileWithReconsideredAnswersHoldsTwoModes(t *testing.T) {
	survey, err := ReadPOBs("s.json", []byte(pobsJSON("")))
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadPOBsResponses("POBS_m_2.json", []byte(pobsJSON(`, "response": "<think>x</think><answer>A</answer>", "selected": "A", "reasoning": "x", "answer_polarity": 1,
		"reconsideration_prompt": null, "reconsideration_response": "<answer>A</answer><reconsidered_answer>C</reconsidered_answer>", "reconsidered_selection": "C", "reconsidered_reasoning": "", "reconsidered_polarity": null`)), survey, false)
	if err != nil {
		t.Fatal(err)
	}
	if r.Model != "m" || r.Repetition != 2 || len(r.Modes) != 2 || r.Disagreements != 0 {
		t.Fatalf("%+v", r)
	}
	if m := r.Modes[0]; m.Mode != score.ModeReasoning || m.Answers[0] != 0 || m.Stored[0] != 1 || m.WithoutReasoning != 0 {
		t.Errorf("reasoning %+v", m)
	}
	if m := r.Modes[1]; m.Mode != score.ModeReflection || m.Answers[0] != 2 || m.Stored[0] == m.Stored[0] || m.WithoutReasoning != 1 {
		t.Errorf("reflection %+v", m)
	}
}

func TestResponsesMustFitTheSurvey(t *testing.T) {
	survey, err := ReadPOBs("s.json", []byte(pobsJSON("")))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, from, to, want string }{
		{"another wording", "Is tea better?", "Is tea worse?", "survey.topics[0].questions[0].question differs from question 1"},
		{"another option", `"No"`, `"Never"`, "questions[0].options differs"},
		{"another polarity", `-0.5`, `0.5`, "questions[0].options_polarity differs"},
		{"another id", `"id": 1`, `"id": 7`, `id "7" is not the id of a question`},
		{"a polarity that is a text", `"answer_polarity": 1`, `"answer_polarity": "x"`, "answer_polarity holds a string; expected a number"},
		{"a letter that is a number", `"selected": "A"`, `"selected": 1`, "selected holds a number; expected a text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			content := strings.Replace(pobsJSON(`, "selected": "A", "answer_polarity": 1`), test.from, test.to, 1)
			_, err := ReadPOBsResponses("POBS_m_1.json", []byte(content), survey, false)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "POBS_m_1.json") {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	two := survey
	two.Items = append(two.Items, instrument.Item{ID: "2"})
	if _, err := ReadPOBsResponses("POBS_m_1.json", []byte(pobsJSON("")), two, false); err == nil || !strings.Contains(err.Error(), "has no question 2") {
		t.Errorf("a missing question: %v", err)
	}
}

func FuzzReadPobsResponses(f *testing.F) {
	survey, err := ReadPOBs("s.json", []byte(pobsJSON("")))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(pobsJSON(`, "response": "<answer>A</answer>"`)), true)
	f.Add([]byte(pobsJSON(`, "reconsideration_response": "<reconsidered_answer>b"`)), false)
	f.Add([]byte(`{"survey": {"topics": [{"questions": [{"id": 1}]}]}}`), true)
	f.Fuzz(func(t *testing.T, content []byte, lenient bool) {
		r, err := ReadPOBsResponses("POBS_m_1.json", content, survey, lenient)
		if err != nil {
			return
		}
		for _, m := range r.Modes {
			for i, a := range m.Answers {
				if a < score.Invalid || a >= len(survey.Items[i].Options) {
					t.Fatalf("option %d", a)
				}
			}
		}
	})
}
