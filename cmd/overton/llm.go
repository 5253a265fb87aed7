package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"overton/internal/llm"
	"overton/internal/window"
)

// newLLM groups the commands that ask language models.
func newLLM() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "llm",
		Short: "Ask language models",
		Args:  subcommandOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLLMGenerate(), newLLMAnswer(), newLLMJudge())
	return cmd
}

// asking holds the flags that all commands that ask models share.
type asking struct {
	modelsFile, promptsDir, out string
	only                        []string
	dryRun                      bool

	models  llm.Models
	prompts *llm.Prompts
	inputs  map[string]string // SHA-256 by the file's purpose
}

// asksHelp ends the help of every command that asks models.
const asksHelp = `

The folder keeps every request and every answer. If the command is stopped, or
if requests fail, run it again: it asks only what has no answer yet. Other prompts,
models or parameters need another folder.`

func (a *asking) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.modelsFile, "models", "", "models file (`FILE`): which models to ask, where and how")
	f.StringSliceVar(&a.only, "model", nil, "ask only this model of the file (`NAME`)")
	f.StringVar(&a.out, "out", "", "folder for the run and its results (`DIR`)")
	f.StringVar(&a.promptsDir, "prompts", "", "folder with your own prompts (`DIR`), which replace the built-in ones of the same name")
	f.BoolVar(&a.dryRun, "dry-run", false, "show how much would be asked and what it would cost, but send nothing")
}

// read reads the models and the prompts.
func (a *asking) read() error {
	content, err := a.input("models", a.modelsFile)
	if err != nil {
		return err
	}
	delete(a.inputs, "models") // prices and limits may change; everything else belongs to the settings
	if a.models, err = llm.ReadModels(a.modelsFile, content); err != nil {
		return err
	}
	if a.models, err = a.models.Only(a.only...); err != nil {
		return usageError{err}
	}
	if a.promptsDir == "" {
		a.prompts, err = llm.ReadPrompts(nil)
	} else {
		a.prompts, err = llm.ReadPrompts(os.DirFS(a.promptsDir))
	}
	return err
}

// input reads a file from which requests are made.
func (a *asking) input(role, path string) ([]byte, error) {
	content, in, err := readInput(path)
	if err != nil {
		return nil, err
	}
	if a.inputs == nil {
		a.inputs = map[string]string{}
	}
	a.inputs[role] = in.SHA256
	return content, nil
}

// settings describes the run.
func (a *asking) settings(command string, prompts map[string]string, parameters map[string]any) llm.Settings {
	program := window.ThisProgram()
	return llm.Settings{
		Program: program.Name + " " + program.Version, Command: command,
		Models: a.models.Settings(), Prompts: prompts, Inputs: a.inputs, Parameters: parameters,
	}
}

// run sends the requests and then collects the answers, including those of earlier runs. Requests without an
// answer are reported at the end.
func (a *asking) run(ctx context.Context, stdout, stderr io.Writer, settings llm.Settings,
	requests iter.Seq[llm.Request], collect func(*llm.Run) error) (err error) {
	if a.dryRun {
		return a.tell(stdout, settings, requests)
	}
	client, err := llm.NewClient(a.models, os.LookupEnv)
	if err != nil {
		return err
	}
	run, err := llm.Open(a.out, settings)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := run.Close(); err == nil {
			err = cerr
		}
	}()
	report, err := doWithProgress(ctx, stdout, stderr, run, client, requests)
	if err != nil {
		return err
	}
	if err := collect(run); err != nil {
		return err
	}
	return report.Err()
}

// doWithProgress sends the requests, shows progress and prints a report.
func doWithProgress(ctx context.Context, stdout, stderr io.Writer, run *llm.Run, client *llm.Client,
	requests iter.Seq[llm.Request]) (*llm.Report, error) {
	var bar *progressbar.ProgressBar
	report, err := run.Do(ctx, client, requests, func(p llm.Progress) {
		if bar == nil {
			bar = progress(stderr, "", p.Ask)
		}
		bar.Describe(progressText(p))
		_ = bar.Set(p.Done)
	})
	if bar != nil {
		_ = bar.Finish()
	}
	if report != nil {
		printReport(stdout, report)
	}
	return report, err
}

func progressText(p llm.Progress) string {
	text := "answers"
	if p.Failed > 0 {
		text = fmt.Sprintf("answers (%d failed)", p.Failed)
	}
	if p.CostAtEnd > 0 {
		text += fmt.Sprintf(", %s of about %s", money(p.CostNow), money(p.CostAtEnd))
	}
	return text
}

// tell prints what a run would ask.
func (a *asking) tell(w io.Writer, settings llm.Settings, requests iter.Seq[llm.Request]) error {
	run, err := llm.Look(a.out, &settings)
	if err != nil {
		return err
	}
	defer run.Close()
	plan, err := run.Plan(a.models, requests)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "Nothing was sent. Of %d requests, %d already have an answer in %s", plan.Requests, plan.Answered, a.out)
	if plan.Refused > 0 {
		fmt.Fprintf(w, ", %d were refused", plan.Refused)
	}
	fmt.Fprintf(w, ".\nStill to send: %d, with about %d prompt tokens and up to about %d answer tokens", plan.Ask,
		plan.Usage.Prompt, plan.Usage.Completion)
	if plan.Cost > 0 {
		fmt.Fprintf(w, ", costing about %s at the prices in the models file", money(plan.Cost))
	}
	_, err = fmt.Fprintln(w, ".")
	return err
}

func printReport(w io.Writer, r *llm.Report) {
	fmt.Fprintf(w, "%d requests: %d answered before, %d answered now in %d attempts", r.Requests, r.Answered, r.Asked, r.Attempts)
	if r.Unanswered > 0 {
		fmt.Fprintf(w, ", %d without an answer", r.Unanswered)
	}
	fmt.Fprintf(w, "\n%d prompt tokens and %d answer tokens", r.Usage.Prompt, r.Usage.Completion)
	if r.Usage.Estimated {
		fmt.Fprint(w, ", partly estimated")
	}
	if r.Cost+r.Spent > 0 {
		fmt.Fprintf(w, "; cost %s now, %s in total", money(r.Cost), money(r.Spent+r.Cost))
	}
	fmt.Fprintln(w)
	var odd []string
	for reason, n := range r.Finish {
		if reason != "stop" {
			odd = append(odd, fmt.Sprintf("%q %d", reason, n))
		}
	}
	if len(odd) > 0 {
		slices.Sort(odd)
		fmt.Fprintf(w, "finish reasons other than stop: %s\n", strings.Join(odd, ", "))
	}
}

// money formats an amount in the currency of the prices.
func money(v float64) string {
	if v < 1 {
		return fmt.Sprintf("%.4f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// write writes a result to the run's folder.
func (a *asking) write(name string, content []byte) error {
	return writeWhole(filepath.Join(a.out, name), content)
}
