// Package llmtest is an endpoint for tests that speaks OpenAI's protocol as the real ones do, including their
// faults: it answers in one piece or as a stream, with or without log-probabilities, late, incompletely, or
// not at all.
package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"overton/internal/llm"
)

// Request is what the endpoint was asked.
type Request struct {
	Endpoint string        // llm.Chat or llm.Completion
	Model    string        `json:"model"`
	Messages []llm.Message `json:"messages"`
	Prompt   string        `json:"prompt"`

	Temperature *float64 `json:"temperature"`
	MaxTokens   int      `json:"max_tokens"`
	Seed        *int     `json:"seed"`
	Stop        []string `json:"stop"`
	TopLogProbs int      `json:"top_logprobs"` // of either endpoint
	Stream      bool     `json:"stream"`

	Header http.Header
	Body   string
}

// Text is everything that the model was told, the last message at the end.
func (r Request) Text() string {
	if r.Endpoint == llm.Completion {
		return r.Prompt
	}
	texts := make([]string, len(r.Messages))
	for i, m := range r.Messages {
		texts[i] = m.Content
	}
	return strings.Join(texts, "\n\n")
}

// Reply is what the endpoint does. The zero value answers with an empty text.
type Reply struct {
	Text         string
	FinishReason string // "stop" where nothing is said; "-" for none
	LogProbs     []llm.Token
	NoUsage      bool // do not count tokens

	Status     int    // of an error; 0: none
	Code       string // of the error
	Message    string // of the error
	RetryAfter string // the header
	Raw        string // the whole body, instead of one that is well-formed

	Delay time.Duration // before anything is sent
	Hang  bool          // send half, then nothing until the other side gives up
	Cut   bool          // send half, then close the connection
}

// Server is a running endpoint.
type Server struct {
	*httptest.Server

	requests atomic.Int64
}

// Requests is how many requests have come.
func (s *Server) Requests() int { return int(s.requests.Load()) }

// BaseURL is what a models file says about it.
func (s *Server) BaseURL() string { return s.URL + "/v1" }

// New starts an endpoint on 127.0.0.1 that asks reply what to do with each
// request. n counts the requests from 1. The caller closes it.
func New(reply func(r Request, n int) Reply) *Server {
	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		n := int(s.requests.Add(1))
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		r := Request{Header: req.Header, Body: string(body)}
		switch req.URL.Path {
		case "/v1/chat/completions":
			r.Endpoint = llm.Chat
		case "/v1/completions":
			r.Endpoint = llm.Completion
		default:
			http.NotFound(w, req)
			return
		}
		if r.Endpoint == llm.Completion {
			var of struct {
				LogProbs int `json:"logprobs"`
			}
			_ = json.Unmarshal(body, &of)
			r.TopLogProbs = of.LogProbs
		}
		if err := json.Unmarshal(body, &r); err != nil {
			writeError(w, Reply{Status: http.StatusBadRequest, Message: "the body is not JSON: " + err.Error()})
			return
		}
		send(w, req, r, reply(r, n))
	}))
	return s
}

func send(w http.ResponseWriter, req *http.Request, r Request, reply Reply) {
	select {
	case <-time.After(reply.Delay):
	case <-req.Context().Done():
		return
	}
	if reply.FinishReason == "" {
		reply.FinishReason = "stop"
	}
	if reply.RetryAfter != "" {
		w.Header().Set("Retry-After", reply.RetryAfter)
	}
	if reply.Status != 0 && reply.Raw == "" {
		writeError(w, reply)
		return
	}
	body := reply.Raw
	switch {
	case body != "":
	case r.Stream:
		w.Header().Set("Content-Type", "text/event-stream")
		body = events(r, reply)
	default:
		w.Header().Set("Content-Type", "application/json")
		body = object(r, reply)
	}
	if reply.Status != 0 {
		w.WriteHeader(reply.Status)
	}
	if !reply.Hang && !reply.Cut {
		fmt.Fprint(w, body)
		return
	}
	fmt.Fprint(w, body[:len(body)/2])
	w.(http.Flusher).Flush()
	if reply.Hang {
		<-req.Context().Done()
		return
	}
	panic(http.ErrAbortHandler)
}

func writeError(w http.ResponseWriter, reply Reply) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(reply.Status)
	writeJSON(w, map[string]any{"error": map[string]any{"message": reply.Message, "code": reply.Code, "type": "test"}})
}

func writeJSON(w http.ResponseWriter, v any) {
	content, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Write(content)
}

func text(v any) string {
	content, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(content)
}

func finish(reply Reply) any {
	if reply.FinishReason == "-" {
		return nil
	}
	return reply.FinishReason
}

func usage(r Request, reply Reply) any {
	if reply.NoUsage {
		return nil
	}
	prompt, completion := (len(r.Text())+3)/4, (len(reply.Text)+3)/4
	return map[string]int{"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
}

// logProbs are those of a reply in the endpoint's own form, or null.
func logProbs(r Request, tokens []llm.Token) any {
	if r.TopLogProbs == 0 || tokens == nil {
		return nil
	}
	if r.Endpoint == llm.Completion {
		var texts []string
		var values []float64
		var tops []map[string]float64
		for _, t := range tokens {
			top := map[string]float64{}
			for _, o := range t.Top {
				top[o.Text] = o.LogProb
			}
			texts, values, tops = append(texts, t.Text), append(values, t.LogProb), append(tops, top)
		}
		return map[string]any{"tokens": texts, "token_logprobs": values, "top_logprobs": tops}
	}
	var content []any
	for _, t := range tokens {
		top := []any{}
		for _, o := range t.Top {
			top = append(top, map[string]any{"token": o.Text, "logprob": o.LogProb, "bytes": nil})
		}
		content = append(content, map[string]any{"token": t.Text, "logprob": t.LogProb, "bytes": nil, "top_logprobs": top})
	}
	return map[string]any{"content": content}
}

// object is a response in one piece.
func object(r Request, reply Reply) string {
	choice := map[string]any{"index": 0, "finish_reason": finish(reply), "logprobs": logProbs(r, reply.LogProbs)}
	kind := "text_completion"
	if r.Endpoint == llm.Chat {
		kind = "chat.completion"
		choice["message"] = map[string]any{"role": "assistant", "content": reply.Text}
	} else {
		choice["text"] = reply.Text
	}
	return text(map[string]any{"id": "test", "object": kind, "created": 1, "model": r.Model, "choices": []any{choice},
		"usage": usage(r, reply)})
}

// events is a response as a stream: a piece for each word, the finish reason,
// and the usage.
func events(r Request, reply Reply) string {
	var b strings.Builder
	event := func(choices []any, used any) {
		kind := "text_completion"
		if r.Endpoint == llm.Chat {
			kind = "chat.completion.chunk"
		}
		fmt.Fprintf(&b, "data: %s\n\n", text(map[string]any{"id": "test", "object": kind, "created": 1,
			"model": r.Model, "choices": choices, "usage": used}))
	}
	piece := func(words string, tokens []llm.Token, reason any) []any {
		choice := map[string]any{"index": 0, "finish_reason": reason, "logprobs": logProbs(r, tokens)}
		if r.Endpoint == llm.Chat {
			choice["delta"] = map[string]any{"content": words}
		} else {
			choice["text"] = words
		}
		return []any{choice}
	}
	if reply.LogProbs != nil {
		for _, t := range reply.LogProbs {
			event(piece(t.Text, []llm.Token{t}, nil), nil)
		}
	} else {
		for _, word := range strings.SplitAfter(reply.Text, " ") {
			event(piece(word, nil, nil), nil)
		}
	}
	event(piece("", nil, finish(reply)), nil)
	if !reply.NoUsage {
		event([]any{}, usage(r, reply))
	}
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

// Flaky makes every tenth reply or so a fault, each kind in turn: errors with
// and without Retry-After, a server's failure, a cut body, nonsense, a hang.
// The same n has the same fault.
func Flaky(reply func(r Request, n int) Reply) func(r Request, n int) Reply {
	return func(r Request, n int) Reply {
		good := reply(r, n)
		if n%10 != 3 {
			return good
		}
		switch n / 10 % 8 {
		case 0:
			return Reply{Status: http.StatusTooManyRequests, Message: "too many requests"}
		case 1:
			return Reply{Status: http.StatusTooManyRequests, Message: "too many requests", RetryAfter: "0"}
		case 2:
			return Reply{Status: http.StatusInternalServerError, Raw: "<html>oops</html>"}
		case 3:
			return Reply{Status: http.StatusServiceUnavailable, RetryAfter: time.Now().UTC().Format(http.TimeFormat)}
		case 4:
			good.Cut = true
		case 5:
			good.Raw = "{not JSON"
		case 6:
			good.Raw = `{"id": "test", "choices": []}`
		case 7:
			good.Hang = true
		}
		return good
	}
}
