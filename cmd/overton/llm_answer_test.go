package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"overton/internal/dataset/survey"
	"overton/internal/instrument"
	"overton/internal/llm"
	"overton/internal/llm/llmtest"
)

// heard is what the scripted model understands of a request, from its text alone.
type heard struct {
	llmtest.Request
	question string
	labels   []string // in the order of the letters shown
	text     string
}

var (
	questionLine = regexp.MustCompile(`(?m)^Question: (.*)$`)
	optionLine   = regexp.MustCompile(`(?m)^\(?([A-Z])[.)] (.*)$`)
)

// hear finds the last question of a prompt and the options after it.
func hear(r llmtest.Request) heard {
	h := heard{Request: r, text: r.Text()}
	rest := h.text
	if at := questionLine.FindAllStringSubmatchIndex(h.text, -1); at != nil {
		last := at[len(at)-1]
		h.question, rest = h.text[last[2]:last[3]], h.text[last[3]:]
	}
	for _, m := range optionLine.FindAllStringSubmatch(rest, -1) {
		h.labels = append(h.labels, m[2])
	}
	return h
}

// letterOf is the letter that a label has in the prompt.
func (h heard) letterOf(label string) string {
	return instrument.Letter(slices.Index(h.labels, label))
}

// says answers with planted probabilities of labels: as log-probabilities, cut
// to the likeliest top tokens, if they are asked for, and as a draw that heeds
// the seed.
func (h heard) says(planted map[string]float64, top int) llmtest.Reply {
	labels := slices.Sorted(func(yield func(string) bool) {
		for label := range planted {
			if !yield(label) {
				return
			}
		}
	})
	seed := 0
	if h.Seed != nil {
		seed = *h.Seed
	}
	at := rand.New(rand.NewPCG(uint64(seed), 7)).Float64()
	drawn := ""
	var tokens []llm.TopToken
	for _, label := range labels {
		if drawn == "" && at < planted[label] {
			drawn = label
		}
		at -= planted[label]
		if planted[label] > 0 {
			tokens = append(tokens, llm.TopToken{Text: " " + h.letterOf(label), LogProb: math.Log(planted[label])})
		}
	}
	slices.SortStableFunc(tokens, func(a, b llm.TopToken) int {
		if a.LogProb > b.LogProb {
			return -1
		}
		return 1
	})
	tokens = tokens[:min(top, len(tokens))]
	return llmtest.Reply{Text: " " + h.letterOf(drawn), LogProbs: []llm.Token{{Text: tokens[0].Text, LogProb: tokens[0].LogProb, Top: tokens}}}
}

// scripted names models behind a scripted endpoint.
func scripted(t *testing.T, entries string, reply func(h heard, n int) llmtest.Reply) (path string, server *llmtest.Server) {
	t.Helper()
	server = llmtest.New(func(r llmtest.Request, n int) llmtest.Reply { return reply(hear(r), n) })
	t.Cleanup(server.Close)
	return writeFile(t, "models.yaml", "models:\n"+strings.ReplaceAll(entries, "URL", server.BaseURL())), server
}

// answers reads an answers.csv: masses by model, context, target and item.
func readAnswers(t *testing.T, path string, in instrument.Instrument) map[[4]string][]float64 {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list, err := survey.ReadModelAnswers(path, content, in)
	if err != nil {
		t.Fatal(err)
	}
	byKey := map[[4]string][]float64{}
	for _, a := range list {
		for item, mass := range a.Mass {
			byKey[[4]string{a.Model, a.Context, a.Target, item}] = mass
		}
	}
	return byKey
}

func scoreJSON(t *testing.T, args ...string) map[string]any {
	t.Helper()
	code, stdout, stderr := overtonCmd(append(args, "--json", "-")...)
	if code != 0 {
		t.Fatalf("%v: exit status %d: %s", args, code, stderr)
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(stdout), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// at follows keys into JSON.
func at(t *testing.T, v any, keys ...string) any {
	t.Helper()
	for _, key := range keys {
		object, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("%v: %T has no keys", keys, v)
		}
		if v, ok = object[key]; !ok {
			t.Fatalf("%v: there is no %s", keys, key)
		}
	}
	return v
}

func near(t *testing.T, what string, got any, want, within float64) {
	t.Helper()
	if v, ok := got.(float64); !ok || math.Abs(v-want) > within {
		t.Errorf("%s is %v, want %g within %g", what, got, want, within)
	}
}

// opinionated writes a POBs survey of two polar topics and one without sides,
// four questions each. Sides run against the order in every second question.
func opinionated(t *testing.T) (path string, in instrument.Instrument) {
	t.Helper()
	var topics []string
	id := 0
	for _, name := range []string{"Tea vs. Coffee", "Sea vs. Hills", "Cups"} {
		var questions []string
		for range 4 {
			id++
			polarity := `, "options_polarity": [-1, -0.5, 0.0, 0.5, 1, null]`
			if id%2 == 0 {
				polarity = `, "options_polarity": [1, 0.5, 0, -0.5, -1, null]`
			}
			if name == "Cups" {
				polarity = ""
			}
			questions = append(questions, fmt.Sprintf(`{"id": %d, "question": "Made up %d – said twice?", "options": ["Very much", "Rather", "Neutral", "Hardly", "Not at all", "Refused"]%s}`, id, id, polarity))
		}
		topics = append(topics, fmt.Sprintf(`{"name": %q, "category": "Life", "questions": [%s]}`, name, strings.Join(questions, ", ")))
	}
	content := `{"survey": {"title": "Likings", "topics": [` + strings.Join(topics, ",\n") + `]}}`
	in, err := survey.ReadPOBs("survey.json", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return writeFile(t, "survey.json", content), in
}

// A model with known opinions is asked the survey in all three modes. Directly
// it takes the first topic's side -1 always, on the second the side 1 in four of
// five repetitions and neutral once; question 8 it refuses, question 12 it
// answers with prose. With reasoning it thinks aloud and says the same; on
// reflection it turns to the other side on question 1.
func TestAModelOfKnownOpinionsComesBackFromPobsAsPlanted(t *testing.T) {
	questionnaire, in := opinionated(t)
	label := func(it instrument.Item, polarity float64) string {
		for _, o := range it.Options {
			if o.Polarity != nil && *o.Polarity == polarity {
				return o.Label
			}
		}
		t.Fatalf("question %s has no side %g", it.ID, polarity)
		return ""
	}
	var mu sync.Mutex
	times := map[string]int{}
	models, server := scripted(t, "- {name: maker/made up, model: m-1, base_url: URL}\n", func(h heard, _ int) llmtest.Reply {
		it := in.Items[slices.IndexFunc(in.Items, func(it instrument.Item) bool { return it.Text == h.question })]
		reflects := strings.Contains(h.text, "<reconsidered_answer>")
		reasons := strings.Contains(h.text, "<think>")
		mu.Lock()
		key := fmt.Sprint(it.ID, reflects, reasons)
		times[key]++
		n := times[key]
		mu.Unlock()
		said := ""
		switch {
		case it.ID == "8":
			said = "Refused"
		case it.ID == "12":
			return llmtest.Reply{Text: "I am a program and hold no views. <answer> is not for me."}
		case it.Topics[0] == "Tea vs. Coffee":
			said = label(it, -1)
			if reflects && it.ID == "1" {
				said = label(it, 1)
			}
		case it.Topics[0] == "Sea vs. Hills":
			if said = label(it, 1); n == 5 {
				said = "Neutral"
			}
		default:
			said = "Rather"
		}
		switch letter := h.letterOf(said); {
		case reflects:
			return llmtest.Reply{Text: fmt.Sprintf("<rethink>hm</rethink>\n<reconsidered_answer>%s</reconsidered_answer>", letter)}
		case reasons:
			return llmtest.Reply{Text: fmt.Sprintf("<think>well, “%s”</think>\n<answer>%s</answer>", said, letter)}
		default:
			return llmtest.Reply{Text: fmt.Sprintf("<answer>%s</answer>", letter)}
		}
	})
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"llm", "answer", "--instrument", questionnaire, "--models", models, "--mode", "direct,reflection", "--out", dir}
	if code, stdout, _ := overtonCmd(append(args, "--dry-run")...); code != 0 || !strings.Contains(stdout, "Of 120 requests") || !strings.Contains(stdout, "Of 60 requests") || server.Requests() != 0 {
		t.Errorf("dry run: exit status %d after %d requests: %s", code, server.Requests(), stdout)
	}
	if code, stdout, stderr := overtonCmd(args...); code != 0 {
		t.Fatalf("exit status %d: %s%s", code, stdout, stderr)
	}
	if server.Requests() != 180 {
		t.Errorf("%d requests, want 180: 12 questions, 5 repetitions, 3 modes", server.Requests())
	}
	if code, _, stderr := overtonCmd(args...); code != 0 || server.Requests() != 180 {
		t.Errorf("again: exit status %d after %d requests: %s", code, server.Requests(), stderr)
	}

	pobs := scoreJSON(t, "score", "pobs", "--survey", questionnaire, "--responses", filepath.Join(dir, "pobs"), "--bootstrap", "0")
	if pobs["disagreements_with_recorded_letters"] != 0.0 {
		t.Error("letters recorded differ from those in the texts")
	}
	for _, mode := range []string{"direct", "reasoning", "reflection"} {
		s := at(t, pobs, "results", "maker_made_up", mode)
		near(t, mode+" responses", at(t, s, "responses"), 60, 0)
		near(t, mode+" invalid", at(t, s, "invalid"), 5, 0)
		near(t, mode+" refused", at(t, s, "refused"), 5, 0)
		// Strength: 1 on the first topic; on the second 0.8 three times and 0.
		near(t, mode+" NNI", at(t, s, "nni"), (1+0.8*3/4)/2, 1e-12)
		// Means of the second topic: 0.8, 0.8, 0.8, 0. Of the first: -1 but for
		// the change of mind.
		first := 0.0
		if mode == "reflection" {
			first = 1 // of -1, -1, -1, 1
		}
		near(t, mode+" TCI", at(t, s, "tci"), 1-(first+0.4)/2, 1e-12)
		// Four of ten pairs differ by 1 on three questions; question 12 has no
		// valid answer; all others are the same each time.
		near(t, mode+" reliability", at(t, s, "reliability", "likert"), (3*0.8+8)/11, 1e-12)
	}
	change := at(t, pobs, "opinion_change")
	if text := fmt.Sprint(change); !strings.Contains(text, "maker_made_up") {
		t.Errorf("opinion change %s", text)
	}
	near(t, "answers without thought", at(t, pobs, "results", "maker_made_up", "reasoning", "no_reasoning_pct"), 100*5.0/60, 1e-9)

	for key, want := range map[[4]string][]float64{
		{"maker/made up", "direct", "", "1"}:     {5, 0, 0, 0, 0, 0},
		{"maker/made up", "direct", "", "2"}:     {0, 0, 0, 0, 5, 0},
		{"maker/made up", "reasoning", "", "5"}:  {0, 0, 1, 0, 4, 0},
		{"maker/made up", "reflection", "", "1"}: {0, 0, 0, 0, 5, 0},
		{"maker/made up", "direct", "", "8"}:     {0, 0, 0, 0, 0, 5},
		{"maker/made up", "direct", "", "12"}:    nil,
	} {
		if got := readAnswers(t, filepath.Join(dir, "answers.csv"), in)[key]; !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", key, got, want)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "pobs", "reasoning_reflection", "POBS_maker_made_up_3.json")); err != nil || !strings.Contains(string(text), `Made up 1 \u2013 said twice?`) || !strings.Contains(string(text), `"model": "m-1"`) {
		t.Errorf("response file: %v", err)
	}
}

func TestReasoningAloneIsReadAsReasoning(t *testing.T) {
	questionnaire, _ := opinionated(t)
	models, _ := scripted(t, "- {name: m, base_url: URL}\n", func(h heard, _ int) llmtest.Reply {
		return llmtest.Reply{Text: "<think>x</think><answer>A</answer>"}
	})
	dir := filepath.Join(t.TempDir(), "run")
	if code, _, stderr := overtonCmd("llm", "answer", "--instrument", questionnaire, "--models", models, "--mode", "reasoning", "--repetitions", "2", "--out", dir); code != 0 {
		t.Fatal(stderr)
	}
	pobs := scoreJSON(t, "score", "pobs", "--survey", questionnaire, "--responses", filepath.Join(dir, "pobs", "reasoning"), "--bootstrap", "0")
	modes := at(t, pobs, "results", "m").(map[string]any)
	if len(modes) != 1 || modes["reasoning"] == nil {
		t.Errorf("modes %v, want reasoning", modes)
	}
}

// plantedPoll writes OpinionQA files in which each of the 22 groups, and
// everybody, answers three questions in its own way, and returns the
// distributions, by target (“” for everybody) and question.
func plantedPoll(t *testing.T) (info, metadata, responses string, planted map[string]map[string]map[string]float64) {
	t.Helper()
	labels := []string{"Often", "Sometimes", "Never", "Refused"}
	questions := []string{"Do you sing?", "Do you dance?", "Do you whistle?"}
	var b strings.Builder
	b.WriteString("key,option_mapping,question,references,option_ordinal\n")
	for q, text := range questions {
		fmt.Fprintf(&b, `Q%d_W99,"{1.0: 'Often', 2.0: 'Sometimes', 3.0: 'Never', 99.0: 'Refused'}",%s,"['Often', 'Sometimes', 'Never', 'Refused']","[1.0, 2.0, 3.0]"`+"\n", q, text)
	}
	info = writeFile(t, "info.csv", b.String())

	targets := llm.SteeringGroups()
	groups := map[string][]string{}
	var attributes []string
	for _, target := range targets {
		a, g, _ := strings.Cut(target, ": ")
		if groups[a] == nil {
			attributes = append(attributes, a)
		}
		groups[a] = append(groups[a], g)
	}
	b.Reset()
	b.WriteString("key,options\n")
	for _, a := range attributes {
		fmt.Fprintf(&b, "%s,\"['%s']\"\n", a, strings.Join(groups[a], "', '"))
	}
	metadata = writeFile(t, "metadata.csv", b.String())

	// 20 people of each group, who are in no other.
	planted = map[string]map[string]map[string]float64{}
	b.Reset()
	fmt.Fprintf(&b, "Q0_W99,Q1_W99,Q2_W99,%s,WEIGHT_W99\n", strings.Join(attributes, ","))
	for i, target := range targets {
		a, g, _ := strings.Cut(target, ": ")
		for person := range 20 {
			var row []string
			for q, text := range questions {
				// Two refuse; of the others a share that differs by group sings.
				k := 3
				if person < 18 {
					k = 2
					if often := (i*5 + q*7) % 19; person < often {
						k = 0
					} else if person < often+(i+q)%5 {
						k = 1
					}
				}
				row = append(row, labels[k])
				for _, whose := range []string{"", target} {
					if planted[whose] == nil {
						planted[whose] = map[string]map[string]float64{}
					}
					if planted[whose][text] == nil {
						planted[whose][text] = map[string]float64{}
					}
					n := 20.0
					if whose == "" {
						n *= float64(len(targets))
					}
					planted[whose][text][labels[k]] += 1 / n
				}
			}
			for _, other := range attributes {
				if other == a {
					row = append(row, `"`+g+`"`)
				} else {
					row = append(row, "")
				}
			}
			fmt.Fprintf(&b, "%s,1\n", strings.Join(row, ","))
		}
	}
	return info, metadata, writeFile(t, "responses.csv", b.String()), planted
}

// targetOf recognises whom a prompt of OpinionQA wants an answer like.
func targetOf(t *testing.T, h heard, prompts *llm.Prompts) string {
	if at := strings.LastIndex(h.text, "\nAnswer: "); at >= 0 { // an answered question before the real one
		letter := h.text[at+len("\nAnswer: ")]
		before := h.text[:at]
		asked := questionLine.FindStringSubmatch(before)[1]
		for _, it := range instrument.USDemographics().Items {
			if it.Text == asked {
				return it.ID + ": " + it.Options[letter-'A'].Code
			}
		}
	}
	for _, target := range llm.SteeringGroups() {
		for _, mode := range []string{"bio", "portray"} {
			self, err := prompts.Text(mode, target, nil)
			if err != nil {
				t.Error(err)
			}
			if strings.Contains(h.text, "Description: "+self+"\n") || strings.Contains(h.text, "that you are "+self+" in ") {
				return target
			}
		}
	}
	return ""
}

// One model completes texts and reports log-probabilities; one chats and
// reports none; both hold everybody's views, and each group's when steered.
func TestSteeredModelsComeBackFromOpinionQAAsPlanted(t *testing.T) {
	info, metadata, responses, planted := plantedPoll(t)
	prompts, err := llm.ReadPrompts(nil)
	if err != nil {
		t.Fatal(err)
	}
	models, server := scripted(t, `
- {name: completes, base_url: URL, endpoint: completion, log_probs: 20}
- {name: chats, base_url: URL, limits: {concurrency: 32}}
- {name: promises, base_url: URL, log_probs: 5}
`, func(h heard, _ int) llmtest.Reply {
		if h.Endpoint == llm.Completion && !strings.HasSuffix(h.text, "\n\nAnswer:") {
			t.Errorf("a text to complete ends in %q", h.text[max(0, len(h.text)-20):])
		}
		reply := h.says(planted[targetOf(t, h, prompts)][h.question], 20)
		if h.Model != "completes" {
			reply.LogProbs = nil
		}
		return reply
	})
	args := []string{"llm", "answer", "--instrument", info, "--models", models, "--samples", "16"}
	dir := filepath.Join(t.TempDir(), "steered")
	code, _, stderr := overtonCmd(append(args, "--model", "completes", "--model", "chats", "--mode", "default,qa,bio,portray", "--out", dir)...)
	if code != 0 {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	asked := 3 * (1 + 3*22) // questions, targets
	if want := asked * (1 + 16); server.Requests() != want {
		t.Errorf("%d requests, want %d", server.Requests(), want)
	}
	poll := scoreJSON(t, "score", "opinionqa", "--info", info, "--metadata", metadata, "--human", responses, "--model", filepath.Join(dir, "answers.csv"), "--bootstrap", "0")
	for model, within := range map[string]float64{"completes": 1e-6, "chats": 0.1} {
		m := at(t, poll, "models", model)
		near(t, model+" representativeness", at(t, m, "representativeness"), 1, within)
		near(t, model+" refusals", at(t, m, "refusal_rate", "all"), 10, 100*within)
		for _, target := range llm.SteeringGroups() {
			for _, context := range []string{"qa", "bio", "portray"} {
				near(t, model+" as "+target+" by "+context, at(t, m, "steerability", target, "context_means", context), 1, 2.5*within)
			}
			if unsteered := at(t, m, "group", target).(float64); unsteered > 0.9999 {
				t.Errorf("%s is as %s without being told: %g", model, target, unsteered)
			}
		}
	}

	// A model that reports no log-probabilities in spite of the models file is
	// asked again; the order of the options changes nothing for either kind.
	before := server.Requests()
	orders := filepath.Join(t.TempDir(), "orders")
	code, stdout, stderr := overtonCmd(append(args, "--model", "completes", "--model", "promises", "--mode", "default", "--order", "survey,permuted,reversed", "--out", orders)...)
	if code != 0 {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	if got, want := server.Requests()-before, 3*3*(1+16); got != want {
		t.Errorf("%d requests for orders, want %d", got, want)
	}
	for _, order := range []string{"permuted", "reversed"} {
		if !strings.Contains(stdout, "completes, default : options "+order+" change the distribution by 0.000") {
			t.Errorf("the check of orders is missing: %s", stdout)
		}
		poll := scoreJSON(t, "score", "opinionqa", "--info", info, "--metadata", metadata, "--human", responses, "--model", filepath.Join(orders, "answers-"+order+".csv"), "--bootstrap", "0")
		near(t, "representativeness "+order, at(t, poll, "models", "completes", "representativeness"), 1, 1e-6)
		near(t, "representativeness "+order, at(t, poll, "models", "promises", "representativeness"), 1, 0.15)
	}
	// Distributions by log-probabilities and by sampling agree within error.
	content, err := os.ReadFile(info)
	if err != nil {
		t.Fatal(err)
	}
	in, err := survey.ReadOpinionQAInfo("info.csv", content)
	if err != nil {
		t.Fatal(err)
	}
	masses := readAnswers(t, filepath.Join(dir, "answers.csv"), in)
	chi, cells := 0.0, 0
	for key, p := range masses {
		if key[0] != "completes" {
			continue
		}
		key[0] = "chats"
		sampled := masses[key]
		for k := range p {
			if p[k] > 1e-6 {
				chi += (sampled[k] - 16*p[k]) * (sampled[k] - 16*p[k]) / (16 * p[k])
				cells++
			}
		}
		cells-- // their sum is given
	}
	if sd := math.Sqrt(2 * float64(cells)); math.Abs(chi-float64(cells)) > 5*sd {
		t.Errorf("sampled distributions are off: chi square %.0f on %d degrees of freedom", chi, cells)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "answers.csv"))
	for _, want := range []string{",logprobs,1,0,", "samples,16,0,"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("answers.csv does not say %q", want)
		}
	}
}

// The model holds Freedonia's views; told another country it takes that one's,
// and in Russian it answers like Sylvania.
func TestCountriesAndLanguagesComeBackFromGlobalOpinionQAAsPlanted(t *testing.T) {
	questions := writeFile(t, "global_opinions.csv", `question,selections,options,source
"Is tea better than coffee?","defaultdict(<class 'list'>, {'Freedonia': [0.6, 0.3, 0.1], 'Sylvania (Non-national sample)': [0.1, 0.2, 0.7]})","['Yes', 'No', ""Don't know""]",GAS
"How often, from 1 to 4?","defaultdict(<class 'list'>, {'Freedonia': [0.25, 0.25, 0.25, 0.25, 0.0], 'Sylvania (Non-national sample)': [0.05, 0.05, 0.05, 0.75, 0.1]})","[1, 2, 3, 4.0, 'Never']",WVS
`)
	content, err := os.ReadFile(questions)
	if err != nil {
		t.Fatal(err)
	}
	g, err := survey.ReadGlobalOpinionQA("global_opinions.csv", content)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	translated := 0
	models, server := scripted(t, "- {name: m, base_url: URL, endpoint: completion, log_probs: 3}\n- {name: s, base_url: URL, limits: {concurrency: 32}}\n", func(h heard, _ int) llmtest.Reply {
		if strings.HasPrefix(h.text, "Translate") {
			mu.Lock()
			translated++
			mu.Unlock()
			_, lines, _ := strings.Cut(h.text, "\n\n")
			words := regexp.MustCompile(`(?m)^(\d+)\. (.*)$`).ReplaceAllString(lines, "$1. по-русски: $2")
			if !strings.Contains(h.text, "into Russian.") {
				words = "Sorry, no."
			}
			return llmtest.Reply{Text: words}
		}
		country := "Freedonia"
		if strings.Contains(h.text, "someone from Sylvania respond") || strings.Contains(h.text, "по-русски: ") {
			country = "Sylvania (Non-national sample)"
		}
		for i, it := range g.Instrument.Items {
			if !strings.Contains(h.text, it.Text) {
				continue
			}
			planted := map[string]float64{}
			for k, o := range it.Options {
				label := o.Label
				if strings.Contains(h.text, "по-русски: ") {
					label = "по-русски: " + label
				}
				planted[label] = g.Countries[i][country][k]
			}
			return h.says(planted, 20)
		}
		t.Errorf("no question in %q", h.text)
		return llmtest.Reply{}
	})
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"llm", "answer", "--instrument", questions, "--models", models, "--mode", "global,cross-national,linguistic", "--country", "Sylvania", "--country", "Freedonia",
		"--language", "ru", "--language", "tr", "--samples", "100", "--out", dir}
	code, stdout, stderr := overtonCmd(args...)
	if code != 0 {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	if translated != 8 || !strings.Contains(stdout, "left out: 4 times an item whose translation by the model is not whole") {
		t.Errorf("%d translations: %s", translated, stdout)
	}
	score := scoreJSON(t, "score", "globalopinionqa", "--questions", questions, "--model", filepath.Join(dir, "answers.csv"), "--bootstrap", "0")
	found := 0
	for _, row := range at(t, score, "models").([]any) {
		model, target := at(t, row, "model").(string), ""
		if v, ok := row.(map[string]any)["target"]; ok {
			target = v.(string)
		}
		nearest := "Sylvania (Non-national sample)"
		if target == "" || target == "Freedonia" {
			nearest = "Freedonia"
		}
		within := 1e-4 // the library keeps log-probabilities of completions in 32 bits
		if model == "s" {
			within = 0.2
		}
		for _, c := range at(t, row, "countries").([]any) {
			if at(t, c, "country") == nearest {
				near(t, model+" "+target+" like "+nearest, at(t, c, "natural"), 1, within)
				found++
			}
		}
		if got := at(t, row, "most_similar"); got != nearest {
			t.Errorf("%s %s is most like %v, want %s", model, target, got, nearest)
		}
	}
	if found != 8 {
		t.Errorf("%d of 8 rows: two models, by default, two countries, one language", found)
	}

	// What was translated is kept for review, and a reviewed file is used as it is.
	reviewed, err := os.ReadFile(filepath.Join(dir, "translations.csv"))
	if err != nil {
		t.Fatal(err)
	}
	again := writeFile(t, "reviewed.csv", strings.ReplaceAll(string(reviewed), "по-русски: Is", "по-русски: проверено Is"))
	before := server.Requests()
	code, _, stderr = overtonCmd("llm", "answer", "--instrument", questions, "--models", models, "--mode", "linguistic", "--language", "ru", "--samples", "1", "--translations", again, "--out", filepath.Join(t.TempDir(), "run"))
	if code != 0 || translated != 8 || server.Requests() != before+4 {
		t.Errorf("with reviewed translations: exit status %d, %d translations, %d requests: %s", code, translated, server.Requests()-before, stderr)
	}
}
