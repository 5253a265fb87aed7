package study

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
)

// QuestionSet is the questions of a study and the model responses to them. It
// is immutable and known by its hash.
type QuestionSet struct {
	Questions []Question
	Responses []ModelResponse
	Seeds     []Seed
}

// Question is one subjective prompt. Option1 and Option2 are its endpoints;
// both are empty where it has none.
type Question struct {
	ID, Source, Topic, Text string
	Option1, Option2        string
	Extra                   map[string]string // further columns of the file, untouched
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

// Seed is a statement that the admin gives, for those who come first.
type Seed struct{ Question, Text string }

// Question returns a question by its id.
func (s *QuestionSet) Question(id string) (Question, bool) {
	for _, q := range s.Questions {
		if q.ID == id {
			return q, true
		}
	}
	return Question{}, false
}

// Response returns a model's response to a question.
func (s *QuestionSet) Response(question, model string) (ModelResponse, bool) {
	for _, r := range s.Responses {
		if r.Question == question && r.Model == model {
			return r, true
		}
	}
	return ModelResponse{}, false
}

// Models returns the models that respond to a question, in file order.
func (s *QuestionSet) Models(question string) []string {
	var models []string
	for _, r := range s.Responses {
		if r.Question == question {
			models = append(models, r.Model)
		}
	}
	return models
}

// Hash is the SHA-256 of the set's content, in hex. It does not depend on how
// the files were written (quoting, line ends, column order).
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
