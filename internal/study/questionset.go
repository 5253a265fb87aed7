package study

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"slices"
)

// QuestionSet is the questions of a study and the model responses to them. It is immutable and identified by
// its hash.
type QuestionSet struct {
	Questions []Question
	Responses []ModelResponse
	Seeds     []Seed

	index *setIndex // made by Index; without it lookups search the lists
}

// setIndex finds questions and responses by their ids.
type setIndex struct {
	questions map[string]int
	responses map[[2]string]int // by question and model
	models    map[string][]string
}

// Index makes lookups fast. The set must not change afterwards.
func (s *QuestionSet) Index() {
	x := &setIndex{map[string]int{}, map[[2]string]int{}, map[string][]string{}}
	for i, q := range s.Questions {
		x.questions[q.ID] = i
	}
	for i, r := range s.Responses {
		x.responses[[2]string{r.Question, r.Model}] = i
		x.models[r.Question] = append(x.models[r.Question], r.Model)
	}
	s.index = x
}

// Question is one subjective prompt. Option1 and Option2 are its endpoints; both are empty if it has none.
type Question struct {
	ID, Source, Topic, Text string
	Option1, Option2        string
	Extra                   map[string]string // other columns of the file, unchanged
}

// HasEndpoints says whether the question names two opposed positions.
func (q Question) HasEndpoints() bool { return q.Option1 != "" }

// ModelResponse is one model's answer to a question.
type ModelResponse struct {
	Question string // question id
	Model    string
	Text     string
	Extra    map[string]string
}

// Seed is a statement that the admin provides for the first participants.
type Seed struct{ Question, Text string }

// Question returns a question by its id.
func (s *QuestionSet) Question(id string) (Question, bool) {
	if s.index != nil {
		i, ok := s.index.questions[id]
		if !ok {
			return Question{}, false
		}
		return s.Questions[i], true
	}
	for _, q := range s.Questions {
		if q.ID == id {
			return q, true
		}
	}
	return Question{}, false
}

// Response returns a model's response to a question.
func (s *QuestionSet) Response(question, model string) (ModelResponse, bool) {
	if s.index != nil {
		i, ok := s.index.responses[[2]string{question, model}]
		if !ok {
			return ModelResponse{}, false
		}
		return s.Responses[i], true
	}
	for _, r := range s.Responses {
		if r.Question == question && r.Model == model {
			return r, true
		}
	}
	return ModelResponse{}, false
}

// Models returns the models that respond to a question, in file order.
func (s *QuestionSet) Models(question string) []string {
	if s.index != nil {
		return slices.Clone(s.index.models[question])
	}
	var models []string
	for _, r := range s.Responses {
		if r.Question == question {
			models = append(models, r.Model)
		}
	}
	return models
}

// Hash is the SHA-256 of the set's content, in hex. It does not depend on how the files were written
// (quoting, line endings, column order).
func (s *QuestionSet) Hash() string {
	h := sha256.New()
	writeJSON(h, s)
	return hex.EncodeToString(h.Sum(nil))
}

// writeJSON feeds a value to a hash. JSON of plain structs, slices and string
// maps cannot fail and writes map keys in order.
func writeJSON(h hash.Hash, v any) {
	if err := json.NewEncoder(h).Encode(v); err != nil {
		panic("study: hashing a question set: " + err.Error())
	}
}
