// Package llm asks language models behind any endpoint that speaks OpenAI's
// protocol, and keeps what they say.
//
// A models file (ReadModels) says which models there are, where they are, and how to ask them. A Run is a
// folder with every request and every answer, byte for byte. Run.Do asks what has no answer in the folder
// yet, so a run that was killed continues and a finished one asks nothing. Prompts are templates in files
// (ReadPrompts).
//
// The package does not know a study's files: callers provide the texts.
package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"time"
	"unicode/utf8"
)

// Request is one thing to ask of one model.
type Request struct {
	// ID names the request within its run, and its answer: for instance "question/model/sample". The same ID
	// with different messages is refused.
	ID string

	// Model is the name in the models file.
	Model string

	// Messages are the conversation. A model on the completion endpoint is sent
	// their contents in order, with a blank line between. A last message by the
	// assistant is a beginning for the model to go on from.
	Messages []Message

	Sampling
}

// Roles of a message.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
)

// Message is one turn of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Sampling says how to draw an answer. Parameters in the models file take precedence over these, so that a
// model that accepts no temperature can still be asked. Zero values are not sent.
type Sampling struct {
	Temperature *float64 // new(0.0) for the likeliest answer
	MaxTokens   int      // cuts the answer off
	Seed        *int     // if the endpoint uses one
	Stop        []string // ends the answer before any of these
	LogProbs    int      // how many of the likeliest tokens to report at each place, if the model reports any (Model.LogProbs)
}

// Answer is what a model said to a request, as it is in the run folder.
type Answer struct {
	ID     string `json:"id"`
	Model  string `json:"model"`  // the name in the models file
	SHA256 string `json:"sha256"` // of the request: the kind of endpoint, and the body that was sent

	Text         string `json:"text"`
	FinishReason string `json:"finish_reason"` // stop, length, content_filter or what else the endpoint says

	// LogProbs are the answer's tokens with their log-probabilities; nil if the endpoint returned none.
	LogProbs []Token `json:"logprobs,omitempty"`

	Usage    Usage   `json:"usage"`
	Cost     float64 `json:"cost"`     // in the currency of the models file's prices
	Attempts int     `json:"attempts"` // 1: answered at once

	At           time.Time `json:"at"`           // when the answer was whole, UTC
	Milliseconds int64     `json:"milliseconds"` // of the attempt that succeeded

	// Raw is the body of the response: JSON, or the events of a stream.
	Raw string `json:"raw"`
}

// Token is one token of an answer.
type Token struct {
	Text    string  `json:"token"`
	LogProb float64 `json:"logprob"` // natural

	// Top are the likeliest tokens at this place, the chosen one among them if
	// it is one of these. Their order is the endpoint's.
	Top []TopToken `json:"top,omitempty"`
}

// TopToken is a token that might have stood at a place.
type TopToken struct {
	Text    string  `json:"token"`
	LogProb float64 `json:"logprob"`
}

// Usage counts tokens.
type Usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`

	// Estimated is set if the endpoint did not count and the numbers are a quarter of the texts' bytes.
	Estimated bool `json:"estimated,omitempty"`
}

// bytesPerToken is the rule of thumb for estimating tokens.
const bytesPerToken = 4

func tokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// wire is a request in the form that the endpoint receives.
type wire struct {
	Request
	model *Model
	body  []byte // JSON
	sum   [sha256.Size]byte
}

// SHA256 is the hash by which the run folder identifies a request. The body contains the model, every message
// and every parameter.
func (w *wire) SHA256() string { return hex.EncodeToString(w.sum[:]) }

// promptTokens is the expected length of the prompt, in tokens.
func (w *wire) promptTokens() int {
	n := 0
	for _, m := range w.Messages {
		n += len(m.Content)
	}
	return tokens(n)
}

// wire writes a request in the form that the model's endpoint needs.
func (m *Model) wire(r Request) (*wire, error) {
	switch {
	case r.ID == "":
		return nil, fmt.Errorf("a request to %s has no ID", m.Name)
	case len(r.Messages) == 0:
		return nil, fmt.Errorf("request %s has no messages", r.ID)
	}
	fields := map[string]any{"model": m.Model, "stream": m.Stream}
	if m.Stream {
		fields["stream_options"] = map[string]any{"include_usage": true}
	}
	for i, message := range r.Messages {
		if !utf8.ValidString(message.Content) {
			return nil, fmt.Errorf("message %d of request %s is not UTF-8", i+1, r.ID)
		}
	}
	logProbs := min(r.LogProbs, m.LogProbs)
	if m.Endpoint == Completion {
		prompt := ""
		for i, message := range r.Messages {
			if i > 0 {
				prompt += "\n\n"
			}
			prompt += message.Content
		}
		fields["prompt"] = prompt
		if logProbs > 0 {
			fields["logprobs"] = logProbs
		}
	} else {
		fields["messages"] = r.Messages
		if logProbs > 0 {
			fields["logprobs"], fields["top_logprobs"] = true, logProbs
		}
	}
	if r.Temperature != nil {
		fields["temperature"] = *r.Temperature
	}
	if r.Seed != nil {
		fields["seed"] = *r.Seed
	}
	if len(r.Stop) > 0 {
		fields["stop"] = r.Stop
	}
	if _, other := m.Parameters["max_completion_tokens"]; r.MaxTokens > 0 && !other {
		fields["max_tokens"] = r.MaxTokens
	}
	maps.Copy(fields, m.Parameters)
	maps.DeleteFunc(fields, func(_ string, v any) bool { return v == nil })

	body, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("writing request %s: %w", r.ID, err)
	}
	w := &wire{Request: r, model: m, body: body}
	w.sum = sha256.Sum256(append([]byte(m.Endpoint+"\n"), body...))
	return w, nil
}
