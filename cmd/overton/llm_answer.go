package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"overton/internal/dataset/survey"
	"overton/internal/instrument"
	"overton/internal/llm"
	"overton/internal/score"
	"overton/internal/window"
)

// answerOptions are the flags of "llm answer".
type answerOptions struct {
	asking
	instrument                   string
	modes, orders                []string
	groups, countries, languages []string
	translations                 string
	repetitions, samples         int
	method, parse                string
	begin                        bool
	temperature                  float64
	maxTokens                    int
	seed                         uint64
	json                         string
}

// answerResult is the JSON of "llm answer".
type answerResult struct {
	Program    window.Program    `json:"program"`
	Inputs     []input           `json:"inputs"`
	Prompts    map[string]string `json:"prompts"` // SHA-256 of each file
	Parameters map[string]any    `json:"parameters"`
	Answers    []answerRow       `json:"answers"`
	Orders     []orderCheck      `json:"orders"`
	LeftOut    answerLeftOut     `json:"left_out"`
	Files      []string          `json:"files"` // files written to the run folder
	Spent      float64           `json:"spent"`
	Warnings   []string          `json:"warnings"`
}

// answerRow summarises one model's answers in one context to one target, shown in one order. Shares are means
// over items.
type answerRow struct {
	Model    string    `json:"model"`
	Context  string    `json:"context"`
	Target   string    `json:"target,omitempty"`
	Order    llm.Order `json:"order"`
	Items    int       `json:"items"`
	Named    int       `json:"items_answered"` // items for which an answer names an option
	LogProbs int       `json:"items_by_logprobs"`
	Answers  int       `json:"answers"`
	Invalid  int       `json:"invalid"`

	Refusal score.Number `json:"refusal"` // share of refusals among the options named
	// Missing is the probability that an answer does not begin with an option's letter,
	// Unlikely the number of items for which it exceeds one half.
	Missing  score.Number `json:"missing"`
	Unlikely int          `json:"items_mostly_missing"`
}

// orderCheck says how much a model's answers change with the order of the options.
type orderCheck struct {
	Model   string    `json:"model"`
	Context string    `json:"context"`
	Target  string    `json:"target,omitempty"`
	Order   llm.Order `json:"order"`
	// Variation is the total variation distance between the distributions in this order and in the first one,
	// averaged over items.
	Variation score.Number `json:"total_variation"`
	Items     int          `json:"items"`
}

// answerLeftOut counts what could not be asked.
type answerLeftOut struct {
	TooManyOptions []string `json:"items_with_too_many_options"`
	Untranslated   int      `json:"untranslated"` // items, models and languages
}

func newLLMAnswer() *cobra.Command {
	o := answerOptions{}
	cmd := &cobra.Command{
		Use:   "answer --instrument FILE --mode MODE… --models FILE --out DIR",
		Short: "Ask models the items of an instrument",
		Long: `Ask models the items of an instrument, and write their answers in the form that the
"overton score" commands read. The modes are those of the papers:

  direct, reasoning, reflection     POBs: the letter in tags, asked repeatedly
  default, qa, bio, portray         OpinionQA: steered to groups (--group), except in default
  global, cross-national, linguistic  GlobalOpinionQA: steered to countries (--country), or
                                    asked in other languages (--language)

In the last two rows the answer is a distribution over the options: the
log-probabilities of their letters if the models file says that the endpoint
returns them, otherwise the counts over repeated samples. DIR receives answers.csv and,
for a POBs survey, the folder pobs in the published layout.` + asksHelp,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.instrument == "" || o.modelsFile == "" || o.out == "" || len(o.modes) == 0:
				return usagef("--instrument, --mode, --models and --out are required\nusage: %s", cmd.UseLine())
			case o.repetitions < 1 || o.samples < 1:
				return usagef("--repetitions and --samples must be at least 1")
			case o.method != "auto" && o.method != llm.BySamples:
				return usagef("--method is %q; expected auto or samples", o.method)
			case o.parse != "strict" && o.parse != "lenient":
				return usagef("--parse is %q; expected strict or lenient", o.parse)
			}
			result, err := answer(cmd, &o)
			if err != nil || result == nil {
				return err
			}
			if o.json != "" {
				if err := writeJSON(cmd.OutOrStdout(), o.json, result); err != nil {
					return err
				}
			}
			if o.json == "-" {
				return nil
			}
			return printAnswers(cmd.OutOrStdout(), o.out, result)
		},
	}
	f := cmd.Flags()
	o.addFlags(cmd)
	f.StringVar(&o.instrument, "instrument", "", "the instrument: a file in any supported format, or us-demographics")
	f.StringSliceVar(&o.modes, "mode", nil, "how to ask: "+strings.Join(llm.ModeNames(), ", ")+"; separate several with commas")
	f.StringSliceVar(&o.orders, "order", []string{string(llm.InOrder)}, "order of the options: survey, reversed "+
		"or permuted; orders after the first are compared with it")
	f.StringArrayVar(&o.groups, "group", llm.SteeringGroups(), "group to answer as in the modes qa, bio and portray")
	f.StringArrayVar(&o.countries, "country", nil, "country to answer as in the mode cross-national, as named in the file of questions")
	f.StringArrayVar(&o.languages, "language", llm.SteeringLanguages(), "language to ask in, in the mode linguistic")
	f.StringVar(&o.translations, "translations", "", "file of reviewed translations, in the form that a run writes")
	f.IntVar(&o.repetitions, "repetitions", 5, "how often to ask an item in the modes direct, reasoning and reflection")
	f.IntVar(&o.samples, "samples", 20, "how often to ask an item in the other modes if there are no log-probabilities")
	f.StringVar(&o.method, "method", "auto", "auto: use log-probabilities if the endpoint returns them; samples: never use them")
	f.StringVar(&o.parse, "parse", "strict", "how to read answers in tags for answers.csv: strict, as published, or lenient")
	f.BoolVar(&o.begin, "begin", false, "begin the answer for chat models too, if their endpoint continues it")
	f.Float64Var(&o.temperature, "temperature", 1, "temperature, unless the models file sets one")
	f.IntVar(&o.maxTokens, "max-tokens", 0, "maximum answer length in tokens; 0: what the mode needs")
	f.Uint64Var(&o.seed, "seed", 1, "seed of permuted orders, and of samples if the endpoint supports it")
	f.StringVar(&o.json, "json", "", "write the summary as JSON to this file, or - for standard output")
	return cmd
}

// answer asks, and writes the answers. In a dry run it prints what it would ask and the result is nil.
func answer(cmd *cobra.Command, o *answerOptions) (*answerResult, error) {
	if err := o.read(); err != nil {
		return nil, err
	}
	r := &answerResult{Program: window.ThisProgram(), Answers: []answerRow{}, Orders: []orderCheck{}, Files: []string{}, Warnings: []string{}}
	q, pobs, err := r.questionnaire(o)
	if err != nil {
		return nil, err
	}
	settings := o.settings("answer", r.Prompts, r.Parameters)
	if o.dryRun {
		return nil, o.tellRounds(cmd.OutOrStdout(), settings, q)
	}
	client, err := llm.NewClient(o.models, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	run, err := llm.Open(o.out, settings)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	rounds := rounds{run: run, client: client, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
	if o.json == "-" {
		rounds.stdout = io.Discard
	}
	asked, err := q.Ask(o.models, func(requests iter.Seq[llm.Request]) error { return rounds.ask(cmd.Context(), requests) }, rounds.find)
	if err != nil {
		return nil, err
	}
	if rounds.pending > 0 {
		return nil, fmt.Errorf("%d answers are missing, so no results are written: %w", rounds.pending, rounds.err)
	}
	r.Spent = run.Spent()
	r.LeftOut.Untranslated = asked.Untranslated
	r.summarise(q, asked)
	return r, r.write(o.out, q, asked, o.models, pobs)
}

// rounds sends one round of requests after another.
type rounds struct {
	run            *llm.Run
	client         *llm.Client
	stdout, stderr io.Writer

	pending int   // requests without an answer that may be sent again
	err     error // why the first of them failed
}

func (r *rounds) ask(ctx context.Context, requests iter.Seq[llm.Request]) error {
	report, err := doWithProgress(ctx, r.stdout, r.stderr, r.run, r.client, requests)
	if err != nil {
		return err
	}
	before := r.pending
	for request := range requests {
		if _, answered, err := r.find(request.ID); err != nil {
			return err
		} else if !answered {
			r.pending++
		}
	}
	if before == 0 && r.pending > 0 {
		r.err = report.Err()
	}
	return nil
}

// find returns an answer. One that the endpoint refused permanently is empty: it names no option.
func (r *rounds) find(id string) (llm.Answer, bool, error) {
	a, ok, err := r.run.Answer(id)
	if !ok && err == nil && r.run.Refused(id) != "" {
		return llm.Answer{ID: id}, true, nil
	}
	return a, ok, err
}

// tellRounds prints what all rounds would ask, and shows a request of the last.
func (o *answerOptions) tellRounds(w io.Writer, settings llm.Settings, q *llm.Questionnaire) error {
	run, err := llm.Look(o.out, &settings)
	if err != nil {
		return err
	}
	defer run.Close()
	var shown *llm.Request
	find := q.Rehearsed(o.models, (&rounds{run: run}).find)
	if _, err := q.Ask(o.models, func(requests iter.Seq[llm.Request]) error {
		for request := range requests {
			shown = &request
			break
		}
		return o.tell(w, settings, requests)
	}, find); err != nil {
		return err
	}
	if shown == nil {
		return nil
	}
	fmt.Fprintf(w, "\nFor example, %s:\n", shown.ID)
	for _, m := range shown.Messages {
		fmt.Fprintf(w, "\n[%s]\n%s\n", m.Role, m.Content)
	}
	return nil
}

// questionnaire reads everything that is to be asked. pobs reports whether the instrument is a POBs survey.
func (r *answerResult) questionnaire(o *answerOptions) (q *llm.Questionnaire, pobs bool, err error) {
	q = &llm.Questionnaire{
		Groups: o.groups, Countries: o.countries, Languages: o.languages,
		Repetitions: o.repetitions, Samples: o.samples, SamplesOnly: o.method == llm.BySamples, Begin: o.begin, Lenient: o.parse == "lenient",
		Temperature: &o.temperature, MaxTokens: o.maxTokens, Seed: o.seed,
	}
	if q.Modes, err = llm.Modes(o.modes...); err != nil {
		return nil, false, usageError{err}
	}
	for _, order := range o.orders {
		if !slices.Contains(llm.Orders(), llm.Order(order)) || slices.Contains(q.Orders, llm.Order(order)) {
			return nil, false, usagef("--order is %q; expected survey, reversed or permuted, each at most once", order)
		}
		q.Orders = append(q.Orders, llm.Order(order))
	}
	q.Prompts = o.prompts
	var builtIn bool
	if q.Instrument, builtIn = instrument.BuiltIn(o.instrument); !builtIn {
		var content []byte
		if q.Instrument, err = readNoted(&r.Inputs, o.instrument, func(file string, c []byte) (instrument.Instrument, error) {
			content = c
			return survey.ReadInstrument(file, c)
		}); err != nil {
			return nil, false, err
		}
		pobs = survey.IsPOBs(content)
		o.inputs["instrument"] = r.Inputs[0].SHA256
	}
	if o.translations != "" {
		translations, err := readNoted(&r.Inputs, o.translations, func(file string, c []byte) ([]survey.Translation, error) {
			return survey.ReadTranslations(file, c, q.Instrument)
		})
		if err != nil {
			return nil, false, err
		}
		o.inputs["translations"] = r.Inputs[len(r.Inputs)-1].SHA256
		for _, t := range translations {
			q.Translations = append(q.Translations, llm.Translation(t))
		}
	}
	r.LeftOut.TooManyOptions = []string{}
	q.Instrument.Items = slices.DeleteFunc(slices.Clone(q.Instrument.Items), func(it instrument.Item) bool {
		tooMany := len(it.Options) > llm.MostOptions
		if tooMany {
			r.LeftOut.TooManyOptions = append(r.LeftOut.TooManyOptions, it.ID)
		}
		return tooMany
	})
	if err := q.Check(); err != nil {
		return nil, false, err
	}
	r.settle(o, q)
	return q, pobs, nil
}

// settle records the prompts used and the parameters that affect requests or how answers are read.
func (r *answerResult) settle(o *answerOptions, q *llm.Questionnaire) {
	r.Prompts = map[string]string{}
	names := []string{"options"}
	steered := map[llm.Steering]bool{}
	var modes []string
	for _, m := range q.Modes {
		modes = append(modes, m.Name)
		names = append(names, m.Name)
		steered[m.Steered] = true
	}
	if steered[llm.ByLanguage] {
		names = append(names, "translate")
	}
	for _, name := range names {
		r.Prompts[name] = q.Prompts.SHA256[name]
	}
	r.Parameters = map[string]any{
		"instrument": filepath.Base(o.instrument), "modes": modes, "orders": o.orders, "repetitions": o.repetitions, "samples": o.samples,
		"method": o.method, "begin": o.begin, "temperature": o.temperature, "max_tokens": o.maxTokens, "seed": o.seed,
	}
	for kind, targets := range map[llm.Steering][]string{llm.ByGroup: o.groups, llm.ByCountry: o.countries, llm.ByLanguage: o.languages} {
		if steered[kind] {
			r.Parameters[string(kind)] = targets
		}
	}
}

// summarise summarises the answers and compares orders.
func (r *answerResult) summarise(q *llm.Questionnaire, asked *llm.Asked) {
	type way struct {
		model, context, target string
		order                  llm.Order
	}
	type sums struct{ refusal, missing, variation mean }
	at := map[way]int{}
	var of []sums
	first := map[way]map[int][]float64{} // distributions in the first order, by item
	for _, t := range asked.Tallies {
		w := way{t.Model, t.Context, t.Target, t.Order}
		i, there := at[w]
		if !there {
			i = len(of)
			at[w] = i
			of = append(of, sums{})
			r.Answers = append(r.Answers, answerRow{Model: t.Model, Context: t.Context, Target: t.Target, Order: t.Order})
		}
		row, sum := &r.Answers[i], &of[i]
		row.Items++
		row.Answers += t.Asked
		row.Invalid += t.Invalid
		if t.Method == llm.ByLogProbs {
			row.LogProbs++
			sum.missing.add(t.Missing)
			if t.Missing > 0.5 {
				row.Unlikely++
			}
		}
		if t.Mass == nil {
			continue
		}
		row.Named++
		p := shares(t.Mass)
		refused := 0.0
		for k, o := range q.Instrument.Items[t.Item].Options {
			if o.Refusal {
				refused += p[k]
			}
		}
		sum.refusal.add(refused)
		w.order = q.Orders[0]
		if t.Order == q.Orders[0] {
			if first[w] == nil {
				first[w] = map[int][]float64{}
			}
			first[w][t.Item] = p
		} else if before := first[w][t.Item]; before != nil {
			distance := 0.0
			for k := range p {
				distance += math.Abs(p[k]-before[k]) / 2
			}
			sum.variation.add(distance)
		}
	}
	for i, sum := range of {
		row := &r.Answers[i]
		row.Refusal, row.Missing = sum.refusal.value(), sum.missing.value()
		if row.Order != q.Orders[0] {
			r.Orders = append(r.Orders, orderCheck{row.Model, row.Context, row.Target, row.Order, sum.variation.value(), sum.variation.n})
		}
		if row.Unlikely > 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s, %s %s: for %d of %d items the answer most likely "+
				"does not begin with an option's letter; use --method samples to read such answers", row.Model,
				row.Context, row.Target, row.Unlikely, row.Items))
		}
	}
}

// mean accumulates values.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v float64) { m.sum, m.n = m.sum+v, m.n+1 }

// value returns the mean, undefined if there are no values.
func (m *mean) value() score.Number { return score.Number(m.sum / float64(m.n)) }

// shares returns masses divided by their sum.
func shares(mass []float64) []float64 {
	sum := 0.0
	for _, m := range mass {
		sum += m
	}
	p := slices.Clone(mass)
	for k := range p {
		p[k] /= sum
	}
	return p
}

// write writes the answers in every layout that applies.
func (r *answerResult) write(dir string, q *llm.Questionnaire, asked *llm.Asked, models llm.Models, pobs bool) error {
	save := func(name string, content []byte, err error) error {
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
		r.Files = append(r.Files, name)
		return writeWhole(path, content)
	}
	for i, order := range q.Orders {
		var rows []survey.ModelAnswer
		for _, t := range asked.Tallies {
			if t.Order == order {
				rows = append(rows, survey.ModelAnswer{Model: t.Model, Context: t.Context, Target: t.Target, Item: q.Instrument.Items[t.Item],
					Mass: t.Mass, Shown: t.Shown, Method: t.Method, Asked: t.Asked, Invalid: t.Invalid, Missing: t.Missing})
			}
		}
		name := "answers.csv"
		if i > 0 {
			name = fmt.Sprintf("answers-%s.csv", order)
		}
		content, err := survey.WriteModelAnswers(rows)
		if err := save(name, content, err); err != nil {
			return err
		}
	}
	if len(asked.Translations) > 0 {
		var list []survey.Translation
		for _, t := range asked.Translations {
			list = append(list, survey.Translation(t))
		}
		content, err := survey.WriteTranslations(q.Instrument, list)
		if err := save("translations.csv", content, err); err != nil {
			return err
		}
	}
	if !pobs || len(asked.Replies) == 0 {
		return nil
	}
	if !slices.Contains(q.Orders, llm.InOrder) {
		r.Warnings = append(r.Warnings, "the published layout has no place for other orders of the options, so the folder pobs was not written")
		return nil
	}
	return r.writePobs(q, asked, models, save)
}

// writePobs writes one file for each model, mode and repetition.
func (r *answerResult) writePobs(q *llm.Questionnaire, asked *llm.Asked, models llm.Models,
	save func(name string, content []byte, err error) error) error {
	type file struct {
		model, mode string
		repetition  int
	}
	replies := map[file][]survey.POBsReply{}
	reflected := slices.ContainsFunc(q.Modes, func(m llm.Mode) bool { return m.Name == score.ModeReflection })
	var files []file
	for _, reply := range asked.Replies {
		if reply.Order != llm.InOrder {
			continue
		}
		text := survey.POBsReply{Prompt: reply.Prompt, Response: reply.Text}
		f := file{reply.Model, reply.Context, reply.Repetition}
		if reply.Context == score.ModeReflection {
			f.mode = score.ModeReasoning
			replies[f][reply.Item].Reconsideration = &text
			continue
		}
		if replies[f] == nil {
			replies[f] = make([]survey.POBsReply, len(q.Instrument.Items))
			files = append(files, f)
		}
		replies[f][reply.Item] = text
	}
	taken := map[string]string{}
	for _, f := range files {
		slug := unsafeInName.ReplaceAllString(f.model, "_")
		if other, ok := taken[slug]; ok && other != f.model {
			return fmt.Errorf("models %s and %s would both write the file POBS_%s_1.json; give them names that "+
				"differ in letters or digits", other, f.model, slug)
		}
		taken[slug] = f.model
		folder := f.mode
		if f.mode == score.ModeReasoning && reflected {
			folder = "reasoning_reflection"
		}
		model, ok := models.Named(f.model)
		if !ok {
			return errors.New("a model that is not in the models file has answers")
		}
		content, err := survey.WritePOBsResponses(q.Instrument, model.Model, f.mode, replies[f])
		if err := save(fmt.Sprintf("pobs/%s/POBS_%s_%d.json", folder, slug, f.repetition), content, err); err != nil {
			return err
		}
	}
	return nil
}

var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func printAnswers(w io.Writer, dir string, r *answerResult) error {
	t := newTable(w)
	fmt.Fprint(t, "model\tcontext\ttarget\torder\titems\tby log-prob.\tanswers\tinvalid\trefused\tmissing\t\n")
	for _, a := range r.Answers {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t\n", a.Model, a.Context, a.Target, a.Order, a.Items,
			a.LogProbs, a.Answers, a.Invalid, decimals(a.Refusal), decimals(a.Missing))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, c := range r.Orders {
		fmt.Fprintf(w, "%s, %s %s: showing the options %s changes the distribution by %s (total variation, mean "+
			"over %d items)\n", c.Model, c.Context, c.Target, c.Order, decimals(c.Variation), c.Items)
	}
	if n := len(r.LeftOut.TooManyOptions); n > 0 {
		fmt.Fprintf(w, "left out: %d items with more than %d options (%s)\n", n, llm.MostOptions,
			strings.Join(r.LeftOut.TooManyOptions[:min(n, 5)], ", "))
	}
	if r.LeftOut.Untranslated > 0 {
		fmt.Fprintf(w, "left out: %d incomplete translations of an item by a model\n", r.LeftOut.Untranslated)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintln(w, warning)
	}
	files := r.Files
	if len(files) > 4 {
		files = append(slices.Clone(files[:4]), fmt.Sprintf("and %d more", len(r.Files)-4))
	}
	fmt.Fprintf(w, "cost so far %.4g; written in %s: %s\n", r.Spent, dir, strings.Join(files, ", "))
	return nil
}
