package dataset

import (
	"bytes"
	"strconv"
	"strings"

	"overton/internal/study"
)

// ReadQuestions reads a table of questions as a study has it: question_id and question, and optionally
// source, topic, option_1 and option_2. It returns Faults.
func ReadQuestions(name string, content []byte) ([]study.Question, error) {
	var faults Faults
	set, _ := readQuestionSet(file{name, content}, file{}, file{}, &faults)
	return set.Questions, faults.orNil()
}

// ReadResponses reads a table of model responses (question_id, model,
// llm_response) to questions of the given ids. Not every model needs to respond
// to every question. It returns Faults.
func ReadResponses(name string, content []byte, questions map[string]bool) ([]study.ModelResponse, error) {
	var faults Faults
	s, ok := readSheet(name, content, responseColumns, &faults)
	if !ok {
		return nil, faults.orNil()
	}
	return readResponses(&s, questions, "the ratings"), faults.orNil()
}

// WriteResponses writes model responses as a study reads them.
func WriteResponses(responses []study.ModelResponse) []byte {
	rows := [][]string{{"question_id", "model", "llm_response"}}
	for _, r := range responses {
		rows = append(rows, []string{r.Question, r.Model, r.Text})
	}
	return writeCSV(rows)
}

// Sample is one of the responses that a model gave to a question, with what a person should check before it
// is used.
type Sample struct {
	study.ModelResponse
	QuestionText string
	Number       int // among the model's samples of the question, from 1
	FinishReason string
	Words        int
	Flags        []string
	Chosen       bool // is in the file of responses
}

// WriteSamples writes samples as they are.
func WriteSamples(samples []Sample) []byte {
	return writeSamples(samples, func(s string) string { return s })
}

// WriteReview writes samples for a spreadsheet program: it takes no text in them for a formula.
func WriteReview(samples []Sample) []byte {
	return append(bytes.Clone(utf8Mark), writeSamples(samples, Harmless)...)
}

func writeSamples(samples []Sample, text func(string) string) []byte {
	rows := [][]string{{"question_id", "model", "sample", "chosen", "flags", "words", "finish_reason", "question", "llm_response"}}
	for _, s := range samples {
		rows = append(rows, []string{text(s.Question), text(s.Model), strconv.Itoa(s.Number), strconv.FormatBool(s.Chosen), strings.Join(s.Flags, " "),
			strconv.Itoa(s.Words), text(s.FinishReason), text(s.QuestionText), text(s.Text)})
	}
	return writeCSV(rows)
}

var sampleColumns = []column{{"question_id", true}, {"model", true}, {"sample", true}, {"chosen", false}, {"flags", false}, {"words", false}, {"finish_reason", false},
	{"question", false}, {"llm_response", true}}

// ReadSamples reads what WriteSamples wrote. It returns Faults.
func ReadSamples(name string, content []byte) ([]Sample, error) {
	var faults Faults
	s, ok := readSheet(name, content, sampleColumns, &faults)
	if !ok {
		return nil, faults.orNil()
	}
	var list []Sample
	for row := range s.Rows {
		if s.ragged(row) {
			continue
		}
		sample := Sample{QuestionText: s.cell(row, "question"), FinishReason: s.cell(row, "finish_reason"), Flags: strings.Fields(s.cell(row, "flags")), Chosen: s.cell(row, "chosen") == "true"}
		sample.Question, _ = s.id(row, "question_id", "the question's id")
		sample.Model, _ = s.id(row, "model", "the model's name")
		sample.Text = s.cell(row, "llm_response")
		sample.Words = len(strings.Fields(sample.Text))
		var err error
		if sample.Number, err = strconv.Atoi(s.cell(row, "sample")); err != nil || sample.Number < 1 {
			s.refuse(row, "sample", s.cell(row, "sample"), "is not a sample number; expected 1 or more")
		}
		list = append(list, sample)
	}
	return list, faults.orNil()
}
