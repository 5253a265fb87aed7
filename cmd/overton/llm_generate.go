package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"overton/internal/dataset/studyfile"
	"overton/internal/llm"
	"overton/internal/study"
)

// generateOptions are the flags of "llm generate".
type generateOptions struct {
	asking
	llm.Generation
	questions, system string
	temperature       float64
}

func newLLMGenerate() *cobra.Command {
	o := generateOptions{}
	cmd := &cobra.Command{
		Use:   "generate --questions FILE --models FILE --out DIR",
		Short: "Have models respond to the questions of a study",
		Long: `Have every model of the models file respond to every question, and write

  responses.csv  one response of each model to each question, as a study takes it
  samples.csv    all samples, with what is to be looked at
  review.csv     those with a flag, for a spreadsheet program

A response is flagged if it is empty, held back, cut off, a refusal, too long or
too short, in another language than the question, names its model or says that
it is a program, or holds marks that participants would see. Of several samples,
responses.csv has the first without a flag.` + asksHelp,
		Args: usageArgs(cobra.NoArgs),
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.questions, "questions", "", "the study's questions (`FILE`)")
	f.IntVar(&o.Samples, "samples", 1, "responses of each model to each question")
	f.StringVar(&o.system, "system", "", "file with what the model is told beforehand (`FILE`)")
	f.IntVar(&o.MaxWords, "max-words", 0, "ask for at most so many words, and flag more; 0: do not")
	f.IntVar(&o.MinWords, "min-words", 20, "flag responses with fewer words")
	f.Float64Var(&o.temperature, "temperature", 0, "temperature, unless the models file says one; the endpoint's own if not given")
	f.IntVar(&o.Seed, "seed", 1, "seed of the first sample, sent to endpoints that heed one")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if o.questions == "" || o.modelsFile == "" || o.out == "" {
			return usagef("--questions, --models and --out are needed\nusage: %s", cmd.UseLine())
		}
		if o.Samples < 1 || o.MaxWords < 0 {
			return usagef("--samples is %d and --max-words %d; expected 1 or more, and 0 or more", o.Samples, o.MaxWords)
		}
		if cmd.Flags().Changed("temperature") {
			o.Temperature = &o.temperature
		}
		return generate(cmd, &o)
	}
	return cmd
}

func generate(cmd *cobra.Command, o *generateOptions) error {
	if err := o.read(); err != nil {
		return err
	}
	content, err := o.input("questions", o.questions)
	if err != nil {
		return err
	}
	if o.Questions, err = studyfile.ReadQuestions(o.questions, content); err != nil {
		return err
	}
	if o.system != "" {
		system, err := os.ReadFile(o.system)
		if err != nil {
			return fmt.Errorf("reading the system prompt: %w", err)
		}
		o.System = strings.TrimSpace(string(system))
	}
	o.Models = o.models.Names()
	requests, err := o.Requests(o.prompts)
	if err != nil {
		return err
	}
	settings := o.settings("generate", llm.GeneratePrompts(o.prompts), map[string]any{
		"samples": o.Samples, "system": o.System, "max_words": o.MaxWords, "temperature": o.Temperature, "seed": o.Seed,
	})
	stdout := cmd.OutOrStdout()
	return o.run(cmd.Context(), stdout, cmd.ErrOrStderr(), settings, slices.Values(requests), func(run *llm.Run) error {
		generated, err := o.Collect(run, o.models)
		if err != nil {
			return err
		}
		if err := o.writeGenerated(generated); err != nil {
			return err
		}
		return printGenerated(stdout, o.out, o.Models, len(requests), generated)
	})
}

// writeGenerated writes the responses, all samples, and those to look at.
func (o *generateOptions) writeGenerated(generated []llm.Generated) error {
	var responses []study.ModelResponse
	var samples, review []studyfile.Sample
	for _, g := range generated {
		s := studyfile.Sample{
			ModelResponse: study.ModelResponse{Question: g.Question.ID, Model: g.Model, Text: strings.TrimSpace(g.Text)},
			QuestionText:  g.Question.Text, Number: g.Sample, FinishReason: g.FinishReason, Words: g.Words, Chosen: g.Chosen,
		}
		for _, flag := range g.Flags {
			s.Flags = append(s.Flags, string(flag))
		}
		samples = append(samples, s)
		if len(s.Flags) > 0 {
			review = append(review, s)
		}
		if g.Chosen {
			responses = append(responses, s.ModelResponse)
		}
	}
	for _, f := range []struct {
		name    string
		content []byte
	}{{"responses.csv", studyfile.WriteResponses(responses)}, {"samples.csv", studyfile.WriteSamples(samples)}, {"review.csv", studyfile.WriteReview(review)}} {
		if err := o.write(f.name, f.content); err != nil {
			return err
		}
	}
	return nil
}

// printGenerated counts what is to be looked at, model by model, of so many
// samples asked for.
func printGenerated(w io.Writer, dir string, models []string, asked int, generated []llm.Generated) error {
	fmt.Fprintln(w)
	t := newTable(w)
	fmt.Fprint(t, "model\tsamples\tmedian words\tflagged\tflags\t\n")
	flagged, chosen := 0, 0
	for _, model := range models {
		var words []int
		n := 0
		counts := map[llm.Flag]int{}
		for _, g := range generated {
			if g.Model != model {
				continue
			}
			words = append(words, g.Words)
			if len(g.Flags) > 0 {
				n++
				if g.Chosen {
					chosen++
				}
			}
			for _, f := range g.Flags {
				counts[f]++
			}
		}
		var told []string
		for _, f := range llm.Flags {
			if counts[f] > 0 {
				told = append(told, fmt.Sprintf("%s %d", f, counts[f]))
			}
		}
		median := "-"
		if len(words) > 0 {
			slices.Sort(words)
			median = fmt.Sprint(words[len(words)/2])
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%d\t%s\t\n", model, len(words), median, n, strings.Join(told, ", "))
		flagged += n
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if missing := asked - len(generated); missing > 0 {
		_, err := fmt.Fprintf(w, "\n%s/responses.csv is not ready for a study: %d of %d samples are missing.\n", dir, missing, asked)
		return err
	}
	fmt.Fprintf(w, "\n%s/responses.csv is ready for a study", dir)
	if flagged > 0 {
		fmt.Fprintf(w, ", once somebody has read %s/review.csv: %d samples have a flag, and %d of these are among the responses", dir, flagged, chosen)
	}
	_, err := fmt.Fprintln(w, ".")
	return err
}
