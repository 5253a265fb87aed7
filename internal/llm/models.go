package llm

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// Model is one entry of a models file.
type Model struct {
	Name string `yaml:"name"` // in files and results
	// Model is what the endpoint calls it; the name if not given.
	Model   string `yaml:"model"`
	BaseURL string `yaml:"base_url"` // such as https://api.example.com/v1

	// Key is the name of the environment variable with the key; empty if the endpoint needs none. The key
	// itself is in no file.
	Key string `yaml:"key"`

	Endpoint string `yaml:"endpoint"` // Chat or Completion
	Stream   bool   `yaml:"stream"`   // receive the answer as a stream, so that IdleTimeout can detect a hang

	// LogProbs is how many log-probabilities the endpoint reports at each
	// place; 0: none, so that probabilities come from repeated samples.
	LogProbs int `yaml:"log_probs"`

	// Parameters are sent unchanged and take precedence over a command's. A parameter that is null is never
	// sent.
	Parameters map[string]any `yaml:"parameters"`

	Prices Prices `yaml:"prices"`
	Limits Limits `yaml:"limits"`

	Timeout     time.Duration `yaml:"timeout"`      // of one attempt as a whole
	IdleTimeout time.Duration `yaml:"idle_timeout"` // between two pieces of an answer; of a stream also before the first
	Retries     Retries       `yaml:"retries"`
}

// Endpoints.
const (
	Chat       = "chat"
	Completion = "completion"
)

// Prices are those of a million tokens, in any one currency.
type Prices struct {
	Input  float64 `yaml:"input"`
	Output float64 `yaml:"output"`
}

func (p Prices) of(u Usage) float64 {
	return (p.Input*float64(u.Prompt) + p.Output*float64(u.Completion)) / 1e6
}

// Limits restrict requests to one model. Limits per minute apply at any moment: requests are spread out
// evenly.
type Limits struct {
	Concurrency       int `yaml:"concurrency"`         // requests on their way at a time
	RequestsPerMinute int `yaml:"requests_per_minute"` // 0: no limit
	TokensPerMinute   int `yaml:"tokens_per_minute"`   // prompt and completion; 0: no limit
}

// Retries say what happens to a request whose answer did not come. The wait doubles each time and is randomly
// reduced by up to half; if the endpoint says how long to wait (Retry-After), it is at least that long.
type Retries struct {
	Attempts  int           `yaml:"attempts"` // in total
	FirstWait time.Duration `yaml:"first_wait"`
	MaxWait   time.Duration `yaml:"max_wait"` // a longer Retry-After fails the request
}

// Models are those of a models file, in its order.
type Models []Model

// Named finds a model by its name.
func (ms Models) Named(name string) (*Model, bool) {
	i := slices.IndexFunc(ms, func(m Model) bool { return m.Name == name })
	if i < 0 {
		return nil, false
	}
	return &ms[i], true
}

// Only returns the models with these names, in the file's order; all of them if no name is given.
func (ms Models) Only(names ...string) (Models, error) {
	if len(names) == 0 {
		return ms, nil
	}
	for _, name := range names {
		if _, ok := ms.Named(name); !ok {
			return nil, fmt.Errorf("no model in the models file is called %q; expected one of %s", name, strings.Join(ms.Names(), ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(ms), func(m Model) bool { return !slices.Contains(names, m.Name) }), nil
}

// Names are the models' names.
func (ms Models) Names() []string {
	names := make([]string, len(ms))
	for i, m := range ms {
		names[i] = m.Name
	}
	return names
}

// What is parsed is limited: the parser's time and memory grow with the square of the nesting.
const (
	maxModelsFile = 64 << 10 // bytes
	maxMarks      = 2000     // commas, [ and {
	maxDashes     = 100      // "- " in one line
)

// ReadModels reads a models file: YAML with one key, models, a list of entries with the keys of Model.
// Unknown keys are refused; an error gives line and column, or the model.
func ReadModels(file string, content []byte) (list Models, err error) {
	// The library panics on some files, such as one with a tag where a list belongs.
	defer func() {
		if p := recover(); p != nil {
			list, err = nil, fmt.Errorf("%s: is not YAML that can be read: %v", file, p)
		}
	}()
	if len(content) > maxModelsFile {
		return nil, fmt.Errorf("%s has %d bytes; expected a models file of at most %d", file, len(content), maxModelsFile)
	}
	if n := bytes.Count(content, []byte(",")) + bytes.Count(content, []byte("[")) + bytes.Count(content, []byte("{")); n > maxMarks {
		return nil, fmt.Errorf("%s has %d commas and opening brackets; expected at most %d", file, n, maxMarks)
	}
	number := 0
	for line := range bytes.Lines(content) {
		number++
		if n := bytes.Count(line, []byte("- ")); n > maxDashes {
			return nil, fmt.Errorf("%s:%d: has %d dashes; expected at most %d in a line", file, number, n, maxDashes)
		}
	}
	var whole struct {
		Models Models `yaml:"models"`
	}
	if err := yaml.NewDecoder(bytes.NewReader(content), yaml.Strict()).Decode(&whole); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(whole.Models) == 0 {
		return nil, fmt.Errorf("%s: has no models; expected a list under the key models", file)
	}
	seen := map[string]bool{}
	for i := range whole.Models {
		m := &whole.Models[i]
		m.setDefaults()
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("%s: models[%d] (%s): %w", file, i, m.Name, err)
		}
		if seen[m.Name] {
			return nil, fmt.Errorf("%s: models[%d]: %q is already the name of another model", file, i, m.Name)
		}
		seen[m.Name] = true
	}
	return whole.Models, nil
}

func (m *Model) setDefaults() {
	m.Model = cmp.Or(m.Model, m.Name)
	m.Endpoint = cmp.Or(m.Endpoint, Chat)
	m.Limits.Concurrency = cmp.Or(m.Limits.Concurrency, 8)
	m.Timeout = cmp.Or(m.Timeout, 5*time.Minute)
	m.IdleTimeout = cmp.Or(m.IdleTimeout, time.Minute)
	m.Retries.Attempts = cmp.Or(m.Retries.Attempts, 6)
	m.Retries.FirstWait = cmp.Or(m.Retries.FirstWait, time.Second)
	m.Retries.MaxWait = cmp.Or(m.Retries.MaxWait, max(time.Minute, m.Retries.FirstWait))
}

// ownFields are fields of a request's body that are not parameters.
var ownFields = []string{"model", "messages", "prompt", "stream", "stream_options", "n", "logprobs", "top_logprobs", "echo"}

// possible says that both prices are finite and not negative.
func (p Prices) possible() bool {
	return p.Input >= 0 && p.Output >= 0 && !math.IsInf(p.Input, 1) && !math.IsInf(p.Output, 1)
}

func (m *Model) check() error {
	base, err := url.Parse(m.BaseURL)
	switch {
	case m.Name == "" || strings.ContainsAny(m.Name, "\r\n\t") || strings.TrimSpace(m.Name) != m.Name:
		return fmt.Errorf("name is %q; expected one without line breaks and without spaces around it", m.Name)
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return fmt.Errorf("base_url is %q; expected an address such as https://api.example.com/v1", m.BaseURL)
	case base.User != nil || base.RawQuery != "":
		return fmt.Errorf("base_url contains a user name, a password or a query; expected the key in an environment variable, named by key")
	case strings.ContainsAny(m.Key, " =-"):
		return fmt.Errorf("key is not a name of an environment variable; the key itself must not be in this file")
	case m.Endpoint != Chat && m.Endpoint != Completion:
		return fmt.Errorf("endpoint is %q; expected chat or completion", m.Endpoint)
	case m.LogProbs < 0 || m.LogProbs > 20:
		return fmt.Errorf("log_probs is %d; expected 0 to 20", m.LogProbs)
	case !m.Prices.possible():
		return fmt.Errorf("prices are %v and %v; expected 0 or more for a million tokens", m.Prices.Input, m.Prices.Output)
	case m.Limits.Concurrency < 1 || m.Limits.RequestsPerMinute < 0 || m.Limits.TokensPerMinute < 0:
		return fmt.Errorf("limits are too low; expected a concurrency of 1 or more and no negative limit")
	case m.Timeout <= 0 || m.IdleTimeout <= 0:
		return fmt.Errorf("a timeout is 0 or less; expected one such as 90s")
	case m.Retries.Attempts < 1 || m.Retries.FirstWait < 0 || m.Retries.MaxWait < m.Retries.FirstWait:
		return fmt.Errorf("retries are not valid; expected 1 attempt or more, and max_wait no shorter than first_wait")
	}
	for _, name := range ownFields {
		if _, ok := m.Parameters[name]; ok {
			return fmt.Errorf("parameters.%s belongs to the request itself; leave it out", name)
		}
	}
	if m.Parameters["seed"] != nil {
		return fmt.Errorf("parameters.seed would give every sample the same seed; set it to null (never send one) or leave it out")
	}
	return nil
}
