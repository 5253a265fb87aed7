package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"overton/internal/dataset/survey"
	"overton/internal/instrument"
	"overton/internal/score"
	"overton/internal/window"
)

// pollOptions are the flags of "score opinionqa".
type pollOptions struct {
	info, models, people []string
	metadata, topics     string
	bootstrap            int
	seed                 uint64
	json                 string
	figures              string
}

// pollResult is the JSON of "score opinionqa".
type pollResult struct {
	Program    window.Program `json:"program"`
	Inputs     []input        `json:"inputs"`
	Parameters pollParameters `json:"parameters"`
	*score.OpinionQA
	LeftOut pollLeftOut `json:"left_out"`
}

type pollParameters struct {
	Bootstrap int    `json:"bootstrap"`
	Seed      uint64 `json:"seed"`
}

// pollLeftOut is what could not be compared.
type pollLeftOut struct {
	WithoutPeople []string `json:"questions_without_people"` // in none of the files of people
	WithoutTopic  int      `json:"questions_without_topic"`  // where topics were given
	WithoutScale  int      `json:"questions_without_scale"`  // unordered options
}

func newScoreOpinionQA() *cobra.Command {
	o := pollOptions{}
	cmd := &cobra.Command{
		Use:   "opinionqa --info FILE… --model FILE… --human FILE…",
		Short: "How well models' answers to opinion polls represent people and groups",
		Long: `How well models' answers to opinion polls represent people and groups, from the
files of OpinionQA: info.csv with the questions, responses.csv with people's
answers, metadata.csv with their attributes, and topic_mapping.npy (or the same
as JSON). Models' answers come as HELM's scenario_state.json or as a table with
the columns model, question, option, probability and, for models that were told
whom to answer like, context (qa, bio, portray) and target ("SEX: Female").
Each flag may be given several times.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(o.info) == 0 || len(o.models) == 0 || len(o.people) == 0 {
				return usagef("--info, --model and --human are needed\nusage: %s", cmd.UseLine())
			}
			result, err := scoreOpinionQA(o)
			if err != nil {
				return err
			}
			if o.json != "" {
				if err := writeJSON(cmd.OutOrStdout(), o.json, result); err != nil {
					return err
				}
			}
			if err := writeFigures(o.figures, window.PollFigures(result.OpinionQA)); err != nil {
				return err
			}
			if o.json == "-" {
				return nil
			}
			return printOpinionQA(cmd.OutOrStdout(), result)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.info, "info", nil, "file of the questions, info.csv")
	f.StringArrayVar(&o.models, "model", nil, "file of models' answers")
	f.StringArrayVar(&o.people, "human", nil, "file of people's answers, responses.csv")
	f.StringVar(&o.metadata, "metadata", "", "file of people's attributes, metadata.csv")
	f.StringVar(&o.topics, "topics", "", "file of the questions' topics, topic_mapping.npy or JSON")
	f.IntVar(&o.bootstrap, "bootstrap", 1000, "resamples behind every interval, 0 for none")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the resampling")
	f.StringVar(&o.json, "json", "", "write the whole result as JSON to this file, - for standard output")
	f.StringVar(&o.figures, "figures", "", "folder to write figures to: SVG, PNG, and their numbers as CSV")
	return cmd
}

// readNoted reads a file by its own reader and notes which it was.
func readNoted[T any](inputs *[]input, path string, read func(file string, content []byte) (T, error)) (T, error) {
	content, in, err := readInput(path)
	if err != nil {
		var none T
		return none, err
	}
	*inputs = append(*inputs, in)
	return read(path, content)
}

func scoreOpinionQA(o pollOptions) (*pollResult, error) {
	r := &pollResult{Program: window.ThisProgram(), Parameters: pollParameters{o.bootstrap, o.seed}, LeftOut: pollLeftOut{WithoutPeople: []string{}}}
	all := instrument.Instrument{Name: strings.Join(o.info, ", ")}
	for _, path := range o.info {
		in, err := readNoted(&r.Inputs, path, survey.ReadOpinionQAInfo)
		if err != nil {
			return nil, err
		}
		for _, it := range in.Items {
			if _, twice := all.Item(it.ID); twice {
				return nil, fmt.Errorf("%s: question %s is in another --info already", path, it.ID)
			}
			all.Items = append(all.Items, it)
		}
	}
	var attributes []score.Attribute
	var err error
	if o.metadata != "" {
		if attributes, err = readNoted(&r.Inputs, o.metadata, survey.ReadOpinionQAMetadata); err != nil {
			return nil, err
		}
	}
	var topics survey.QuestionTopics
	if o.topics != "" {
		if topics, err = readNoted(&r.Inputs, o.topics, readTopics); err != nil {
			return nil, err
		}
	}
	var people []*survey.PollRespondents
	for _, path := range o.people {
		p, err := readNoted(&r.Inputs, path, func(file string, content []byte) (*survey.PollRespondents, error) {
			return survey.ReadOpinionQAResponses(file, content, all, attributes)
		})
		if err != nil {
			return nil, err
		}
		people = append(people, p)
	}
	var runs []score.PollRun
	for _, path := range o.models {
		answers, err := readNoted(&r.Inputs, path, func(file string, content []byte) ([]survey.ModelAnswers, error) {
			return survey.ReadModelAnswers(file, content, all)
		})
		if err != nil {
			return nil, err
		}
		for _, a := range answers {
			if slices.ContainsFunc(runs, func(run score.PollRun) bool {
				return run.Model == a.Model && run.Context == a.Context && run.Target == a.Target
			}) {
				return nil, fmt.Errorf("%s: the answers of %s (%s %s) are in another --model already", path, a.Model, a.Context, a.Target)
			}
			runs = append(runs, score.PollRun{Model: a.Model, Context: a.Context, Target: a.Target, Mass: a.Mass})
		}
	}
	items, err := r.pollItems(all, people, attributes, topics)
	if err != nil {
		return nil, err
	}
	r.OpinionQA = score.ScoreOpinionQA(items, attributes, runs, o.bootstrap, o.seed)
	r.LeftOut.WithoutScale = r.Questions - r.WithScale
	if len(r.Models) == 0 {
		return nil, fmt.Errorf("no model has answers of its own, without a target; expected rows with an empty target")
	}
	return r, nil
}

// pollItems puts people's answers to the questions.
func (r *pollResult) pollItems(in instrument.Instrument, people []*survey.PollRespondents, attributes []score.Attribute, topics survey.QuestionTopics) ([]score.PollItem, error) {
	var items []score.PollItem
	for _, it := range in.Items {
		item := score.PollItem{ID: it.ID, Places: it.Ordinals(), Topics: topics.Coarse(it)}
		found := 0
		for _, p := range people {
			if overall, groups, asked := p.Polls(it, attributes); asked {
				item.Overall, item.Groups = overall, groups
				found++
			}
		}
		switch {
		case found == 0:
			r.LeftOut.WithoutPeople = append(r.LeftOut.WithoutPeople, it.ID)
			continue
		case found > 1:
			return nil, fmt.Errorf("question %s is a column of %d files of --human; expected it in one", it.ID, found)
		}
		if topics != nil && len(item.Topics) == 0 {
			r.LeftOut.WithoutTopic++
		}
		items = append(items, item)
	}
	return items, nil
}

// readTopics reads the topics of questions in either form.
func readTopics(file string, content []byte) (survey.QuestionTopics, error) {
	if filepath.Ext(file) != ".json" {
		return survey.ReadTopicMapping(file, content)
	}
	var entries map[string]struct {
		Coarse []string `json:"cg"`
		Fine   []string `json:"fg"`
	}
	if err := json.Unmarshal(content, &entries); err != nil {
		return nil, fmt.Errorf(`%s: expected {"question [label/label]": {"cg": […], "fg": […]}}: %w`, file, err)
	}
	topics := survey.QuestionTopics{}
	for question, t := range entries {
		topics[question] = survey.TopicsOf{Coarse: t.Coarse, Fine: t.Fine}
	}
	return topics, nil
}

func printOpinionQA(w io.Writer, r *pollResult) error {
	fmt.Fprintf(w, "%d questions, %d of them with a scale\n\n", r.Questions, r.WithScale)
	t := newTable(w)
	fmt.Fprint(t, "\tn\trepresentativeness\t95 %\tof the modal view\trefusals %\tentropy\tconsistency\tby topics\t\n")
	for _, model := range foldedKeys(r.Models) {
		m := r.Models[model]
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%.1f\t%s\t%s\t%s\t\n", model, m.N, decimals(m.Overall), interval(m.CI), decimals(m.Modal),
			float64(m.Refusal.All), decimals(m.Entropy.Normalised), decimals(m.Questions.C), decimals(m.Topics.C))
	}
	fmt.Fprintf(t, "people: mean of groups\t\t%s\t\t\t%.1f\t%s\t\t\t\n", decimals(r.People.Average), float64(r.People.Refusal), decimals(r.People.Entropy))
	fmt.Fprintf(t, "people: worst group\t\t%s\t\t\t\t\t\t\t\n", decimals(r.People.Worst))
	if err := t.Flush(); err != nil {
		return err
	}
	if len(r.Attributes) > 0 {
		fmt.Fprint(w, "\nrepresentativeness of groups, the nearest first\n")
	}
	for _, model := range foldedKeys(r.Models) {
		m := r.Models[model]
		groups := foldedKeys(m.Group)
		slices.SortStableFunc(groups, func(a, b string) int { return score.Descending(m.Group[a], m.Group[b]) })
		for i, g := range groups {
			if i < 3 || i == len(groups)-1 {
				fmt.Fprintf(w, "%s  %s  %s (%s); people %s\n", model, g, decimals(m.Group[g]), interval(m.GroupCI[g]), decimals(r.People.Group[g]))
			}
		}
		for _, target := range foldedKeys(m.Steering) {
			s := m.Steering[target]
			fmt.Fprintf(w, "%s steered to %s: %s by the best context of each question, %s by the best context overall (%s); %s without\n",
				model, target, decimals(s.PerQuestion), decimals(s.PerContext), strings.Join(s.BestContexts, ", "), decimals(m.Group[target]))
		}
	}
	if n := len(r.LeftOut.WithoutPeople); n > 0 {
		fmt.Fprintf(w, "\nleft out: %d questions that no person was asked (%s)\n", n, strings.Join(r.LeftOut.WithoutPeople[:min(n, 5)], ", "))
	}
	return nil
}

// countryOptions are the flags of "score globalopinionqa".
type countryOptions struct {
	questions string
	models    []string
	base      string
	bootstrap int
	seed      uint64
	json      string
	figures   string
}

// countryResult is the JSON of "score globalopinionqa".
type countryResult struct {
	Program    window.Program `json:"program"`
	Inputs     []input        `json:"inputs"`
	Parameters struct {
		Base      string `json:"base"`
		Bootstrap int    `json:"bootstrap"`
		Seed      uint64 `json:"seed"`
	} `json:"parameters"`
	Questions int                 `json:"questions"`
	Models    []countryModel      `json:"models"`
	Prompting []countryComparison `json:"prompting"`
	LeftOut   struct {
		WithoutQuestion int `json:"rows_without_question"`
		Empty           int `json:"empty_selections"`
		OtherLength     int `json:"selections_of_another_length"`
	} `json:"left_out"`
}

// countryModel is one model under one prompt.
type countryModel struct {
	Model       string `json:"model"`
	Context     string `json:"context"`
	Target      string `json:"target,omitempty"`
	Questions   int    `json:"questions"`
	MostSimilar string `json:"most_similar"`

	Countries []countrySimilarity `json:"countries"` // the most alike first

	// Pooled is the mean over all pairs of question and country, Mean that
	// over countries.
	Pooled similarities `json:"overall_pooled"`
	Mean   similarities `json:"overall_countries"`
}

// similarities are means to both bases.
type similarities struct {
	Natural score.Number `json:"natural"`
	Base2   score.Number `json:"base2"`
}

// countrySimilarity is a model's similarity with one country.
type countrySimilarity struct {
	Country string `json:"country"`
	similarities
	CI score.Interval `json:"ci"` // of the natural one, from drawing questions anew
	N  int            `json:"n"`
}

// compareCountries compares a model with every country, to both bases.
func (m *countryModel) compareCountries(questions []score.CountryQuestion, bootstrap int, seed uint64) {
	inNats := func(s score.Similarity) score.Number { return s.Natural }
	natural := score.CompareCountries(questions, inNats)
	base2 := score.CompareCountries(questions, func(s score.Similarity) score.Number { return s.Base2 })
	intervals := score.CountryIntervals(questions, inNats, bootstrap, seed)
	for _, country := range foldedKeys(natural.Countries) {
		m.Countries = append(m.Countries, countrySimilarity{country, similarities{natural.Countries[country], base2.Countries[country]}, intervals[country], natural.Questions[country]})
	}
	slices.SortStableFunc(m.Countries, func(a, b countrySimilarity) int { return score.Descending(a.Natural, b.Natural) })
	m.Pooled, m.Mean = similarities{natural.Pooled, base2.Pooled}, similarities{natural.ByCountry, base2.ByCountry}
	m.MostSimilar = natural.MostSimilar
}

// countryComparison says whether telling a model a country brings its answers
// nearer to that country's.
type countryComparison struct {
	Model    string       `json:"model"`
	Context  string       `json:"context"`
	Target   string       `json:"target"`
	Country  string       `json:"country"`
	Default  score.Number `json:"default"`
	Prompted score.Number `json:"prompted"`
	Change   score.Number `json:"change"`
	// MostSimilar is the country whose people the prompted answers are nearest to.
	MostSimilar string `json:"most_similar"`
}

func newScoreGlobalOpinionQA() *cobra.Command {
	o := countryOptions{}
	cmd := &cobra.Command{
		Use:   "globalopinionqa --questions FILE --model FILE…",
		Short: "How alike models' answers are to those of each country",
		Long: `How alike models' answers are to those of each country, from the file of
GlobalOpinionQA (question, selections, options, source). Models' answers are a
table with the columns model, question (the row's number, from 0), option,
probability and perhaps context (default, cross-national, linguistic) and target
(the country or language of the prompt).`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.questions == "" || len(o.models) == 0:
				return usagef("--questions and --model are needed\nusage: %s", cmd.UseLine())
			case o.base != "e" && o.base != "2":
				return usagef("--base is %q; expected e or 2", o.base)
			}
			result, err := scoreCountries(o)
			if err != nil {
				return err
			}
			if o.json != "" {
				if err := writeJSON(cmd.OutOrStdout(), o.json, result); err != nil {
					return err
				}
			}
			if err := writeFigures(o.figures, countryFigures(result)); err != nil {
				return err
			}
			if o.json == "-" {
				return nil
			}
			return printCountries(cmd.OutOrStdout(), result)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.questions, "questions", "", "file of the questions, global_opinions.csv")
	f.StringArrayVar(&o.models, "model", nil, "file of models' answers")
	f.StringVar(&o.base, "base", "e", "base of the divergence in the table: e or 2; the JSON has both")
	f.IntVar(&o.bootstrap, "bootstrap", 1000, "resamples behind every interval, 0 for none")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the resampling")
	f.StringVar(&o.json, "json", "", "write the whole result as JSON to this file, - for standard output")
	f.StringVar(&o.figures, "figures", "", "folder to write figures to: SVG, PNG, and their numbers as CSV")
	return cmd
}

func scoreCountries(o countryOptions) (*countryResult, error) {
	r := &countryResult{Program: window.ThisProgram(), Prompting: []countryComparison{}}
	r.Parameters.Base, r.Parameters.Bootstrap, r.Parameters.Seed = o.base, o.bootstrap, o.seed
	g, err := readNoted(&r.Inputs, o.questions, survey.ReadGlobalOpinionQA)
	if err != nil {
		return nil, err
	}
	r.Questions = len(g.Instrument.Items)
	r.LeftOut.WithoutQuestion, r.LeftOut.Empty, r.LeftOut.OtherLength = g.WithoutQuestion, g.Empty, g.OtherLength
	for _, path := range o.models {
		answers, err := readNoted(&r.Inputs, path, func(file string, content []byte) ([]survey.ModelAnswers, error) {
			return survey.ReadModelAnswers(file, content, g.Instrument)
		})
		if err != nil {
			return nil, err
		}
		for _, a := range answers {
			var questions []score.CountryQuestion
			for i, it := range g.Instrument.Items {
				if mass := a.Mass[it.ID]; mass != nil {
					questions = append(questions, score.CountryQuestion{Model: mass, Countries: g.Countries[i]})
				}
			}
			m := countryModel{Model: a.Model, Context: a.Context, Target: a.Target, Questions: len(questions)}
			m.compareCountries(questions, o.bootstrap, o.seed)
			r.Models = append(r.Models, m)
		}
	}
	slices.SortStableFunc(r.Models, func(a, b countryModel) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), defaultFirst(a.Context, b.Context), cmp.Compare(a.Target, b.Target))
	})
	r.comparePrompts()
	return r, nil
}

func defaultFirst(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == score.DefaultContext:
		return -1
	case b == score.DefaultContext:
		return 1
	}
	return cmp.Compare(a, b)
}

// comparePrompts sets each prompted run beside the model's default one, for
// every label that begins with the target's name.
func (r *countryResult) comparePrompts() {
	for _, m := range r.Models {
		at := slices.IndexFunc(r.Models, func(d countryModel) bool { return d.Model == m.Model && d.Context == score.DefaultContext })
		if m.Context == score.DefaultContext || m.Target == "" || at < 0 {
			continue
		}
		for _, c := range m.Countries {
			if c.Country != m.Target && !strings.HasPrefix(c.Country, m.Target+" (") {
				continue
			}
			d := slices.IndexFunc(r.Models[at].Countries, func(x countrySimilarity) bool { return x.Country == c.Country })
			before := score.Undefined()
			if d >= 0 {
				before = r.inBase(r.Models[at].Countries[d].similarities)
			}
			after := r.inBase(c.similarities)
			r.Prompting = append(r.Prompting, countryComparison{m.Model, m.Context, m.Target, c.Country, before, after, after - before, m.MostSimilar})
		}
	}
}

func (r *countryResult) inBase(s similarities) score.Number {
	if r.Parameters.Base == "2" {
		return s.Base2
	}
	return s.Natural
}

func printCountries(w io.Writer, r *countryResult) error {
	for _, m := range r.Models {
		fmt.Fprintf(w, "%s, %s %s: %d questions; mean over pairs %s, over countries %s\n", m.Model, m.Context, m.Target, m.Questions,
			decimals(r.inBase(m.Pooled)), decimals(r.inBase(m.Mean)))
		t := newTable(w)
		fmt.Fprint(t, "country\tn\tsimilarity, base e\t95 %\tbase 2\t\n")
		for _, c := range m.Countries {
			fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t\n", c.Country, c.N, decimals(c.Natural), interval(c.CI), decimals(c.Base2))
		}
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, c := range r.Prompting {
		fmt.Fprintf(w, "%s, %s %s: similarity to %s %s by default, %s prompted (%s); then most like %s\n", c.Model, c.Context, c.Target, c.Country,
			decimals(c.Default), decimals(c.Prompted), signed(c.Change), c.MostSimilar)
	}
	l := r.LeftOut
	fmt.Fprintf(w, "left out: %d rows without a question, %d empty and %d mismatched lists of shares\n", l.WithoutQuestion, l.Empty, l.OtherLength)
	return nil
}
