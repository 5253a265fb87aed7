package window

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"overton/internal/dataset/export"
	"overton/internal/store"
	"overton/internal/study"
)

// Reproduction says how the results of a bundle compare with those computed
// anew from its data.
type Reproduction struct {
	Study    string              `json:"study"`
	MadeBy   string              `json:"made_by"` // program and version
	Computed string              `json:"computed_by"`
	Same     bool                `json:"same"`    // all results, and the bundle is as it was made
	Changed  []string            `json:"changed"` // what is not as the manifest says
	Runs     []Comparison        `json:"runs"`
	LeftOut  []export.LeftOutRun `json:"runs_left_out"`
}

// Comparison is one result beside the one computed anew.
type Comparison struct {
	Run       int64  `json:"run"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	CreatedAt string `json:"created_at"`
	Same      bool   `json:"same"`
	Failure   string `json:"failure,omitempty"` // why nothing could be computed
	SameInput bool   `json:"same_input"`        // the data taken have the hash that the result names

	// Different counts what differs, and Differences are the first of it. A
	// number is different from the ninth digit on, since processors round
	// otherwise in the last.
	Different   int          `json:"different"`
	Differences []Difference `json:"differences"`
	Questions   []string     `json:"questions"` // in which something differs
}

// Difference is a value that came out otherwise.
type Difference struct {
	Question string `json:"question,omitempty"` // or the item of a survey
	Where    string `json:"where"`              // a path in the result
	Recorded string `json:"recorded"`           // as JSON
	Computed string `json:"computed"`
}

// mostDifferences is how many differences of a run are listed.
const mostDifferences = 20

// closeEnough is how far two numbers may be apart, as a share of the larger.
const closeEnough = 1e-9

// bundled reads the data of a bundle as those of a store.
type bundled struct{ *export.Bundle }

func (b bundled) Records(_ context.Context, _ int64, each func(study.Record) error) error {
	for _, r := range b.Bundle.Records {
		if err := each(r); err != nil {
			return err
		}
	}
	return nil
}

func (b bundled) Statements(context.Context, int64) ([]study.Statement, error) {
	return b.Bundle.Statements, nil
}

// Reproduce computes every result of a bundle anew and compares. step, which
// may be nil, is called after each.
func Reproduce(ctx context.Context, b *export.Bundle, step func()) (*Reproduction, error) {
	this := ThisProgram()
	r := &Reproduction{Study: b.Manifest.Study.Slug, MadeBy: b.Manifest.Program, Computed: this.Name + " " + this.Version,
		Same: len(b.Changed) == 0, Changed: append([]string{}, b.Changed...), Runs: []Comparison{}, LeftOut: append([]export.LeftOutRun{}, b.Manifest.LeftOut...)}
	for _, run := range b.Runs {
		c := Comparison{Run: run.ID, Kind: run.Kind, Name: run.Name, CreatedAt: run.CreatedAt, Differences: []Difference{}, Questions: []string{}}
		computed, err := computeAnew(ctx, b, run)
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("reproducing: %w", ctx.Err())
		case err != nil:
			c.Failure = err.Error()
		default:
			if err := c.compare(run.Result, computed); err != nil {
				return nil, fmt.Errorf("comparing run %d: %w", run.ID, err)
			}
		}
		c.Same = c.Failure == "" && c.Different == 0
		r.Same = r.Same && c.Same
		r.Runs = append(r.Runs, c)
		if step != nil {
			step()
		}
	}
	return r, nil
}

// computeAnew carries out an analysis with the parameters of its result.
func computeAnew(ctx context.Context, b *export.Bundle, run export.BundleRun) ([]byte, error) {
	row := store.Study{Slug: b.Manifest.Study.Slug, Version: b.Manifest.Study.Version}
	switch run.Kind {
	case RunKind:
		var recorded Result
		if err := json.Unmarshal(run.Result, &recorded); err != nil {
			return nil, fmt.Errorf("reading the result: %w", err)
		}
		o := recorded.Parameters
		d, err := Collect(ctx, bundled{b}, row, b.Study, o.People, o.Questions)
		if err != nil {
			return nil, err
		}
		result, err := Analyse(ctx, b.Study, d, o, nil)
		if err != nil {
			return nil, err
		}
		return encode(result)
	case SurveyRunKind:
		var recorded Surveys
		if err := json.Unmarshal(run.Result, &recorded); err != nil {
			return nil, fmt.Errorf("reading the result: %w", err)
		}
		result, err := AnalyseSurveys(ctx, bundled{b}, row, b.Study, recorded.Parameters, recorded.Files, nil)
		if err != nil {
			return nil, err
		}
		return encode(result)
	}
	return nil, fmt.Errorf("this program does not know analyses of the kind %q", run.Kind)
}

// compare finds what differs between two results.
func (c *Comparison) compare(recorded, computed []byte) error {
	was, err := parsed(recorded)
	if err != nil {
		return err
	}
	is, err := parsed(computed)
	if err != nil {
		return err
	}
	input := func(v any) string {
		result, _ := v.(map[string]any)
		input, _ := result["input"].(map[string]any)
		hash, _ := input["sha256"].(string)
		return hash
	}
	c.SameInput = input(was) == input(is)
	c.walk("", "", was, is)
	return nil
}

func parsed(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// passedOver are the keys of what need not be the same: who computed it, and
// the hashes of data, which are compared as a whole.
var passedOver = []string{"program", "input"}

func (c *Comparison) walk(question, path string, was, is any) {
	switch was := was.(type) {
	case map[string]any:
		is, ok := is.(map[string]any)
		if !ok {
			break
		}
		for _, name := range []string{"question", "item"} {
			if id, ok := was[name].(string); ok {
				question = id
			}
		}
		keys := map[string]bool{}
		for _, m := range []map[string]any{was, is} {
			for key := range m {
				keys[key] = true
			}
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if !slices.Contains(passedOver, key) {
				c.walk(question, strings.TrimPrefix(path+"."+key, "."), was[key], is[key])
			}
		}
		return
	case []any:
		is, ok := is.([]any)
		if !ok {
			break
		}
		if len(was) != len(is) {
			c.differ(question, path+" (length)", len(was), len(is))
		}
		for i := range min(len(was), len(is)) {
			c.walk(question, path+"["+nameOf(was[i], i)+"]", was[i], is[i])
		}
		return
	case json.Number:
		if number, ok := is.(json.Number); ok && same(was, number) {
			return
		}
	}
	if text(was) != text(is) {
		c.differ(question, path, was, is)
	}
}

// nameOf calls an element of a list by what tells it from the others.
func nameOf(element any, i int) string {
	if m, ok := element.(map[string]any); ok {
		for _, key := range []string{"question", "item", "instrument", "model", "id", "statement", "group", "option"} {
			if v, ok := m[key]; ok {
				switch v.(type) {
				case string, json.Number:
					return fmt.Sprintf("%s %v", key, v)
				}
			}
		}
	}
	return strconv.Itoa(i)
}

func same(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, errX := a.Float64()
	y, errY := b.Float64()
	return errX == nil && errY == nil && math.Abs(x-y) <= closeEnough*max(math.Abs(x), math.Abs(y))
}

func text(v any) string {
	b, err := encode(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// longestValue bounds a value that is listed as different, in bytes.
const longestValue = 200

func shortened(v any) string {
	s := text(v)
	if len(s) > longestValue {
		s = strings.ToValidUTF8(s[:longestValue], "") + "…"
	}
	return s
}

func (c *Comparison) differ(question, path string, was, is any) {
	c.Different++
	if question != "" && !slices.Contains(c.Questions, question) {
		c.Questions = append(c.Questions, question)
	}
	if len(c.Differences) < mostDifferences {
		c.Differences = append(c.Differences, Difference{question, path, shortened(was), shortened(is)})
	}
}
