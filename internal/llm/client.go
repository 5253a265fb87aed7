package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"
)

// Client asks the models of a models file.
type Client struct {
	models    Models
	endpoints map[string]*endpoint // by the model's name
}

// NewClient makes a client for models. environment looks up the variables with their keys (os.LookupEnv); it
// is an error if one is not set.
func NewClient(models Models, environment func(string) (string, bool)) (*Client, error) {
	c := &Client{models: models, endpoints: map[string]*endpoint{}}
	for i := range models {
		m := &models[i]
		key := ""
		if m.Key != "" {
			var ok bool
			if key, ok = environment(m.Key); !ok || key == "" {
				return nil, fmt.Errorf("the environment variable %s, which should contain the key of model %s, is not set", m.Key, m.Name)
			}
		}
		c.endpoints[m.Name] = newEndpoint(m, key)
	}
	return c, nil
}

// Models are those that the client can ask.
func (c *Client) Models() Models { return c.models }

// endpoint is where one model is asked.
type endpoint struct {
	model    *Model
	key      string
	api      *openai.Client
	requests *pace
	tokens   *pace
}

func newEndpoint(m *Model, key string) *endpoint {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = m.Limits.Concurrency
	transport.MaxIdleConns = 0
	config := openai.DefaultConfig(key)
	config.BaseURL = m.BaseURL
	config.HTTPClient = &courier{http.Client{
		Transport: transport,
		// A redirect would send the text to a place that is not in the models file.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	return &endpoint{
		model: m, key: key, api: openai.NewClientWithConfig(config),
		requests: newPace(m.Limits.RequestsPerMinute), tokens: newPace(m.Limits.TokensPerMinute),
	}
}

// courier carries requests for the library. It sends the body that was hashed and recorded, because the
// library leaves out zero values, such as a temperature of 0, and it keeps the response.
type courier struct{ client http.Client }

// exchange is one attempt: the request and the response.
type exchange struct {
	body   []byte
	stream bool
	idle   time.Duration
	stop   context.CancelCauseFunc // of the attempt

	status     int
	retryAfter time.Duration
	raw        bytes.Buffer
}

type exchangeKey struct{}

// maxResponse limits how much of one response is read, in bytes.
const maxResponse = 16 << 20

var (
	errIdle     = errors.New("nothing was received within the idle timeout")
	errTimeout  = errors.New("the answer was not complete within the timeout")
	errTooLong  = fmt.Errorf("the response is longer than %d bytes", maxResponse)
	errRedirect = errors.New("the endpoint redirects; expected its final address in base_url")
)

func (c *courier) Do(req *http.Request) (*http.Response, error) {
	x := req.Context().Value(exchangeKey{}).(*exchange)
	req.Body = io.NopCloser(bytes.NewReader(x.body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	req.ContentLength = int64(len(x.body))
	watch := &watch{exchange: x}
	if x.stream {
		watch.start()
	}
	resp, err := c.client.Do(req)
	if err != nil {
		watch.end()
		return nil, err
	}
	x.status = resp.StatusCode
	x.retryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	if resp.StatusCode/100 == 3 {
		watch.end()
		resp.Body.Close()
		return nil, errRedirect
	}
	watch.start()
	watch.body = resp.Body
	resp.Body = watch
	return resp, nil
}

// watch reads a response, keeps a copy, and stops the attempt when nothing arrives for too long.
type watch struct {
	*exchange
	body  io.ReadCloser
	timer *time.Timer
}

func (w *watch) start() {
	if w.timer == nil {
		w.timer = time.AfterFunc(w.idle, func() { w.stop(errIdle) })
	}
	w.timer.Reset(w.idle)
}

func (w *watch) end() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *watch) Read(p []byte) (int, error) {
	n, err := w.body.Read(p)
	if n > 0 {
		w.timer.Reset(w.idle)
		w.raw.Write(p[:n])
	}
	if w.raw.Len() > maxResponse {
		return 0, errTooLong
	}
	return n, err
}

func (w *watch) Close() error {
	w.end()
	return w.body.Close()
}

// retryAfter reads the header of this name (RFC 9110, section 10.2.3): seconds or a date. 0 if it cannot be
// read.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds > 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// attempt asks once. The answer lacks the fields that only the run knows; the failure is nil if there is an
// answer.
func (e *endpoint) attempt(ctx context.Context, w *wire) (*Answer, *failure) {
	timed, cancelTimed := context.WithTimeoutCause(ctx, e.model.Timeout, errTimeout)
	defer cancelTimed()
	attempt, stop := context.WithCancelCause(timed)
	defer stop(nil)
	x := &exchange{body: w.body, stream: e.model.Stream, idle: e.model.IdleTimeout, stop: stop}
	started := time.Now()
	a, err := e.exchange(context.WithValue(attempt, exchangeKey{}, x), x)
	raw := e.withoutKey(x.raw.String())
	if err != nil {
		if cause := context.Cause(attempt); cause != nil {
			err = cause
		}
		return nil, e.judge(x, err, raw)
	}
	if a.Usage == (Usage{}) {
		a.Usage = Usage{Prompt: w.promptTokens(), Completion: tokens(len(a.Text)), Estimated: true}
	}
	a.ID, a.Model, a.SHA256, a.Raw = w.ID, e.model.Name, w.SHA256(), raw
	a.Cost = e.model.Prices.of(a.Usage)
	a.At = time.Now().UTC()
	a.Milliseconds = time.Since(started).Milliseconds()
	return a, nil
}

// withoutKey removes the key, in case the endpoint repeats it.
func (e *endpoint) withoutKey(text string) string {
	if e.key == "" {
		return text
	}
	return strings.ReplaceAll(text, e.key, "(key)")
}

// exchange has the library send the request and read the response.
func (e *endpoint) exchange(ctx context.Context, x *exchange) (*Answer, error) {
	// The body is the exchange's; the call chooses the address and how the
	// response is read.
	chat := openai.ChatCompletionRequest{Stream: e.model.Stream}
	completion := openai.CompletionRequest{Prompt: "", Stream: e.model.Stream}
	switch {
	case e.model.Endpoint == Completion && e.model.Stream:
		stream, err := e.api.CreateCompletionStream(ctx, completion)
		if err != nil {
			return nil, err
		}
		defer stream.Close()
		return readStream(stream.Recv, x, func(a *Answer, r openai.CompletionResponse) {
			a.addUsage(r.Usage)
			for _, c := range r.Choices {
				a.addCompletion(c)
			}
		})
	case e.model.Endpoint == Completion:
		r, err := e.api.CreateCompletion(ctx, completion)
		if err != nil {
			return nil, err
		}
		if len(r.Choices) == 0 {
			return nil, errNoChoice
		}
		a := new(Answer)
		a.addUsage(r.Usage)
		a.addCompletion(r.Choices[0])
		return a, nil
	case e.model.Stream:
		stream, err := e.api.CreateChatCompletionStream(ctx, chat)
		if err != nil {
			return nil, err
		}
		defer stream.Close()
		return readStream(stream.Recv, x, func(a *Answer, r openai.ChatCompletionStreamResponse) {
			a.addUsage(r.Usage)
			for _, c := range r.Choices {
				a.addDelta(c)
			}
		})
	}
	r, err := e.api.CreateChatCompletion(ctx, chat)
	if err != nil {
		return nil, err
	}
	if len(r.Choices) == 0 {
		return nil, errNoChoice
	}
	a := new(Answer)
	a.addUsage(&r.Usage)
	a.addChat(r.Choices[0])
	return a, nil
}

var (
	errNoChoice = errors.New("the response contains no answer")
	errCut      = errors.New("the stream broke off before its end")
)

// readStream assembles an answer from its pieces.
func readStream[T any](next func() (T, error), x *exchange, add func(*Answer, T)) (*Answer, error) {
	a := new(Answer)
	for {
		piece, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		add(a, piece)
	}
	// The library treats a connection that closes early as a normal end.
	if a.FinishReason == "" && !bytes.Contains(x.raw.Bytes(), []byte("[DONE]")) {
		return nil, errCut
	}
	return a, nil
}

func (a *Answer) addUsage(u *openai.Usage) {
	if u != nil && u.PromptTokens+u.CompletionTokens > 0 {
		a.Usage = Usage{Prompt: u.PromptTokens, Completion: u.CompletionTokens}
	}
}

func (a *Answer) addChat(c openai.ChatCompletionChoice) {
	a.Text, a.FinishReason = c.Message.Content, string(c.FinishReason)
	if a.Text == "" {
		a.Text = c.Message.Refusal
		for _, part := range c.Message.MultiContent {
			a.Text += part.Text
		}
	}
	if c.LogProbs == nil {
		return
	}
	for _, t := range c.LogProbs.Content {
		token := Token{Text: t.Token, LogProb: t.LogProb}
		for _, top := range t.TopLogProbs {
			token.Top = append(token.Top, TopToken{top.Token, top.LogProb})
		}
		a.LogProbs = append(a.LogProbs, token)
	}
}

func (a *Answer) addDelta(c openai.ChatCompletionStreamChoice) {
	a.Text += c.Delta.Content + c.Delta.Refusal
	if c.FinishReason != "" {
		a.FinishReason = string(c.FinishReason)
	}
	if c.Logprobs == nil {
		return
	}
	for _, t := range c.Logprobs.Content {
		token := Token{Text: t.Token, LogProb: t.Logprob}
		for _, top := range t.TopLogprobs {
			token.Top = append(token.Top, TopToken{top.Token, top.Logprob})
		}
		a.LogProbs = append(a.LogProbs, token)
	}
}

func (a *Answer) addCompletion(c openai.CompletionChoice) {
	a.Text += c.Text
	if c.FinishReason != "" {
		a.FinishReason = c.FinishReason
	}
	for i, text := range c.LogProbs.Tokens {
		token := Token{Text: text}
		if i < len(c.LogProbs.TokenLogprobs) {
			token.LogProb = float64(c.LogProbs.TokenLogprobs[i])
		}
		if i < len(c.LogProbs.TopLogprobs) {
			for text, p := range c.LogProbs.TopLogprobs[i] {
				token.Top = append(token.Top, TopToken{text, float64(p)})
			}
			slices.SortFunc(token.Top, compareTop)
		}
		a.LogProbs = append(a.LogProbs, token)
	}
}

// compareTop puts likelier tokens first.
func compareTop(a, b TopToken) int {
	switch {
	case a.LogProb > b.LogProb:
		return -1
	case a.LogProb < b.LogProb:
		return 1
	}
	return strings.Compare(a.Text, b.Text)
}

// failure is an attempt without an answer.
type failure struct {
	status  int // 0: no response
	message string
	verdict verdict
	wait    time.Duration // at least, before the next attempt
	raw     string
}

// verdict says what a failure means for the remaining requests.
type verdict int

const (
	again  verdict = iota // the same request may succeed soon
	later                 // it may succeed once someone changed something
	never                 // the endpoint will never answer this request
	closed                // it will answer no request to this model: wrong key, no such model, no credit left
)

// judge classifies a failure.
func (e *endpoint) judge(x *exchange, err error, raw string) *failure {
	f := &failure{status: x.status, wait: x.retryAfter, raw: raw}
	code, message := errorIn(raw)
	status := x.status
	if inside, err := strconv.Atoi(code); err == nil && status/100 == 2 {
		status = inside // an error in the body of a 200
	}
	switch {
	case errors.Is(err, errRedirect), status == http.StatusUnauthorized, status == http.StatusPaymentRequired,
		status == http.StatusNotFound, code == "insufficient_quota":
		f.verdict = closed
	case status == http.StatusForbidden:
		f.verdict = later
	case status/100 == 4 && !slices.Contains([]int{http.StatusRequestTimeout, http.StatusConflict,
		http.StatusTooEarly, http.StatusTooManyRequests}, status):
		f.verdict = never
	}
	switch {
	case f.status == 0, f.status/100 == 2 && message == "", errors.Is(err, errRedirect):
		message = err.Error()
	case f.status/100 != 2:
		message = strings.TrimSuffix(fmt.Sprintf("%d %s: %s", f.status, http.StatusText(f.status), cmp.Or(message, raw)), ": ")
	}
	f.message = e.withoutKey(shorten(message))
	return f
}

// longestMessage limits a message, in bytes: some endpoints send a whole page.
const longestMessage = 300

// shorten makes a message one line of limited length.
func shorten(message string) string {
	message = strings.Join(strings.Fields(message), " ")
	if len(message) <= longestMessage {
		return message
	}
	return strings.ToValidUTF8(message[:longestMessage], "") + "…"
}

// errorIn reads the error object of a response, if it has one.
func errorIn(raw string) (code, message string) {
	var body struct {
		Error struct {
			Code    any    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(raw), &body) != nil {
		return "", ""
	}
	if body.Error.Code != nil {
		code = fmt.Sprint(body.Error.Code)
	}
	return code, body.Error.Message
}
