package studyfile

import (
	"bytes"
	"strconv"
	"strings"

	"overton/internal/dataset"
	"overton/internal/study"
)

// ReadQuestions reads a table of questions as a study has it: question_id and
// question, and maybe source, topic, option_1 and option_2. It returns Faults.
func ReadQuestions(name string, content []byte) ([]study.Question, error) {
	var faults dataset.Faults
	set, _ := readQuestionSet(file{name, content}, file{}, file{}, &faults)
	return set.Questions, faults.OrNil()
}

// ReadResponses reads a table of model responses (question_id, model,
// llm_response) to questions of the given ids. Not every model needs to respond
// to every question. It returns Faults.
func ReadResponses(name string, content []byte, questions map[string]bool) ([]study.ModelResponse, error) {
	var faults dataset.Faults
	s, ok := dataset.ReadSheet(name, content, responseColumns, &faults)
	if !ok {
		return nil, faults.OrNil()
	}
	return readResponses(&s, questions, "the ratings"), faults.OrNil()
}

// WriteResponses writes model responses as a study reads them.
func WriteResponses(responses []study.ModelResponse) []byte {
	rows := [][]string{{"question_id", "model", "llm_response"}}
	for _, r := range responses {
		rows = append(rows, []string{r.Question, r.Model, r.Text})
	}
	return dataset.WriteCSV(rows)
}

// Sample is one of the responses that a model gave to a question, with what a
// person should look at before it is used.
type Sample struct {
	study.ModelResponse
	QuestionText string
	Number       int // among the model's samples of the question, from 1
	FinishReason string
	Words        int
	Flags        []string
	Chosen       bool // stands in the file of responses
}

// WriteSamples writes samples as they are.
func WriteSamples(samples []Sample) []byte {
	return writeSamples(samples, func(s string) string { return s })
}

// WriteReview writes samples for reading in a spreadsheet program: no text in
// it is taken for a formula.
func WriteReview(samples []Sample) []byte {
	return append(bytes.Clone(dataset.UTF8Mark), writeSamples(samples, dataset.Harmless)...)
}

func writeSamples(samples []Sample, text func(string) string) []byte {
	rows := [][]string{{"question_id", "model", "sample", "chosen", "flags", "words", "finish_reason", "question", "llm_response"}}
	for _, s := range samples {
		rows = append(rows, []string{text(s.Question), text(s.Model), strconv.Itoa(s.Number), strconv.FormatBool(s.Chosen), strings.Join(s.Flags, " "),
			strconv.Itoa(s.Words), text(s.FinishReason), text(s.QuestionText), text(s.Text)})
	}
	return dataset.WriteCSV(rows)
}

var sampleColumns = []dataset.Column{"question_id", "model", "sample", "chosen?", "flags?", "words?", "finish_reason?",
	"question?", "llm_response"}

// ReadSamples reads what WriteSamples wrote. It returns Faults.
func ReadSamples(name string, content []byte) ([]Sample, error) {
	var faults dataset.Faults
	s, ok := dataset.ReadSheet(name, content, sampleColumns, &faults)
	if !ok {
		return nil, faults.OrNil()
	}
	var list []Sample
	for row := range s.Rows {
		if s.Ragged(row) {
			continue
		}
		sample := Sample{QuestionText: s.Cell(row, "question"), FinishReason: s.Cell(row, "finish_reason"), Flags: strings.Fields(s.Cell(row, "flags")), Chosen: s.Cell(row, "chosen") == "true"}
		sample.Question, _ = s.ID(row, "question_id", "the question's id")
		sample.Model, _ = s.ID(row, "model", "the model's name")
		sample.Text = s.Cell(row, "llm_response")
		sample.Words = len(strings.Fields(sample.Text))
		var err error
		if sample.Number, err = strconv.Atoi(s.Cell(row, "sample")); err != nil || sample.Number < 1 {
			s.Refuse(row, "sample", s.Cell(row, "sample"), "is no number of a sample; expected 1 or more")
		}
		list = append(list, sample)
	}
	return list, faults.OrNil()
}
