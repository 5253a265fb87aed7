package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/abadojack/whatlanggo"

	"overton/internal/study"
)

// Generation asks models for responses to the questions of a study.
type Generation struct {
	Questions []study.Question
	Models    []string // names
	Samples   int      // of each model for each question

	System      string   // system prompt; empty: none
	MaxWords    int      // asked for in the prompt; 0: any number
	MinWords    int      // responses with fewer are flagged
	Temperature *float64 // nil: the endpoint's own
	Seed        int      // of the first sample; the others count on from it
}

// generatePrompt is the template of a Generation.
const generatePrompt = "generate"

// GeneratePrompts are the prompts that a Generation uses, for Settings.
func GeneratePrompts(p *Prompts) map[string]string {
	return map[string]string{generatePrompt: p.SHA256[generatePrompt]}
}

// Requests are those of the generation, question by question.
func (g Generation) Requests(p *Prompts) ([]Request, error) {
	var requests []Request
	for _, q := range g.Questions {
		data := struct {
			Question, System string
			MaxWords         int
		}{q.Text, g.System, g.MaxWords}
		system, err := p.Text(generatePrompt, "system", data)
		if err != nil {
			return nil, err
		}
		user, err := p.Text(generatePrompt, "", data)
		if err != nil {
			return nil, err
		}
		for _, model := range g.Models {
			for sample := range g.Samples {
				r := Request{ID: sampleID(q.ID, model, sample), Model: model, Messages: conversation(system, user, "")}
				r.Temperature, r.Seed = g.Temperature, new(g.Seed+sample)
				requests = append(requests, r)
			}
		}
	}
	return requests, nil
}

// sampleID names one sample of a model's response about a subject.
func sampleID(subject, model string, sample int) string {
	return fmt.Sprintf("%s/%s/%d", subject, model, sample+1)
}

// conversation is a system message, what the user says, and how the assistant begins; the first and last are
// optional.
func conversation(system, user, assistant string) []Message {
	var messages []Message
	for _, m := range []Message{{System, system}, {User, user}, {Assistant, assistant}} {
		if m.Content != "" {
			messages = append(messages, m)
		}
	}
	return messages
}

// Generated is one sample with the reasons to review it.
type Generated struct {
	Question study.Question
	Sample   int // from 1
	Answer
	Words  int
	Flags  []Flag
	Chosen bool // the one of its model and question that a study would take
}

// Flag is a reason to look at a generated response.
type Flag string

// Flags. All but the first two are heuristics: a person decides.
const (
	FlagEmpty    Flag = "empty"
	FlagFiltered Flag = "filtered" // the endpoint blocked it
	FlagCutOff   Flag = "cut_off"  // it ends at the token limit, or in the middle of a sentence
	FlagRefusal  Flag = "refusal"
	FlagTooLong  Flag = "too_long"
	FlagTooShort Flag = "too_short"
	FlagLanguage Flag = "other_language" // than the question's
	FlagNames    Flag = "names_model"    // or its maker, or says that it is a program: participants would not stay blind
	FlagMarkup   Flag = "markup"         // tags, headings or lists, which participants would see as signs
)

// Flags are all flags, in the order in which they are reported.
var Flags = []Flag{FlagEmpty, FlagFiltered, FlagCutOff, FlagRefusal, FlagTooLong, FlagTooShort, FlagLanguage, FlagNames, FlagMarkup}

// Collect reads the answers from a run's folder, checks them, and chooses for
// each model and question the first sample without a flag, or else the first.
// Samples that have no answer are left out.
func (g Generation) Collect(run *Run, models Models) ([]Generated, error) {
	check := g.checker(models)
	var all []Generated
	for _, q := range g.Questions {
		for _, model := range g.Models {
			first := len(all)
			for sample := range g.Samples {
				a, ok, err := run.Answer(sampleID(q.ID, model, sample))
				if err != nil {
					return nil, err
				}
				if ok {
					all = append(all, Generated{Question: q, Sample: sample + 1, Answer: a, Words: study.CountWords(a.Text), Flags: check(q, a)})
				}
			}
			if samples := all[first:]; len(samples) > 0 {
				clean := slices.IndexFunc(samples, func(s Generated) bool { return len(s.Flags) == 0 })
				samples[max(0, clean)].Chosen = true
			}
		}
	}
	return all, nil
}

var (
	refusal = regexp.MustCompile(`(?i)\b(i|we) (can['’]?t|cannot|can not|won['’]t|will not|am unable to|am not able to|must decline|have to decline|['’]m unable to|['’]m not able to)\b|\bi['’]m (unable|not able) to\b|\b(i['’]m|i am) sorry\b|\bi apologi[sz]e\b|\b(no puedo|lo siento|je ne peux pas|je suis désolé|ich kann (das |dazu |dabei )?nicht|es tut mir leid|non posso|não posso)\b`)
	program = regexp.MustCompile(`(?i)\b(as an?|i am an?|i['’]m an?) (ai|artificial intelligence|(large )?language model|chatbot)\b|\b(my training data|openai|anthropic|deepmind|chatgpt|gpt-\d|claude|gemini|gemma|llama|deepseek|qwen|mistral|mixtral|grok)\b`)
	markup  = regexp.MustCompile(`(?m)<[a-zA-Z/][^>]*>|^\s*(#{1,6} |[-*•] |\d+[.)] )|\*\*|__|` + "```")
)

// refusalWithin is how far into a response a refusal is looked for, in bytes: refusals come at the start, and
// other responses may quote the words later.
const refusalWithin = 200

// checker prepares what is the same for all responses.
func (g Generation) checker(models Models) func(study.Question, Answer) []Flag {
	var all strings.Builder
	for _, q := range g.Questions {
		all.WriteString(q.Text + " " + q.Option1 + " " + q.Option2 + "\n")
	}
	usual := whatlanggo.Detect(all.String())
	names := map[string]*regexp.Regexp{}
	for _, name := range g.Models {
		m, _ := models.Named(name)
		names[name] = namesOf(m)
	}
	return func(q study.Question, a Answer) (flags []Flag) {
		text, words := strings.TrimSpace(a.Text), study.CountWords(a.Text)
		flag := func(is bool, f Flag) {
			if is {
				flags = append(flags, f)
			}
		}
		flag(words == 0, FlagEmpty)
		flag(a.FinishReason == "content_filter", FlagFiltered)
		if words == 0 {
			return flags
		}
		flag(a.FinishReason == "length" || !endsSentence(text), FlagCutOff)
		flag(refusal.MatchString(text[:min(len(text), refusalWithin)]), FlagRefusal)
		flag(g.MaxWords > 0 && words > g.MaxWords, FlagTooLong)
		flag(words < g.MinWords, FlagTooShort)
		flag(otherLanguage(text, q, usual), FlagLanguage)
		flag(program.MatchString(text) || names[a.Model].MatchString(text), FlagNames)
		flag(markup.MatchString(text), FlagMarkup)
		return flags
	}
}

var lastTags = regexp.MustCompile(`(<[^<>]*>\s*)+$`)

// endsSentence says whether a text ends like a sentence; quotes, brackets and
// tags after the full stop apart.
func endsSentence(text string) bool {
	text = strings.TrimRightFunc(lastTags.ReplaceAllString(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.Pe, unicode.Pf, unicode.Pi) || strings.ContainsRune("\"'*_`", r)
	})
	return strings.HasSuffix(text, "…") || strings.ContainsFunc(lastRune(text),
		func(r rune) bool { return unicode.Is(unicode.Sentence_Terminal, r) })
}

func lastRune(text string) string {
	runes := []rune(text)
	return string(runes[max(0, len(runes)-1):])
}

// otherLanguage compares a response with its question or, because a question is short, with all questions.
// Only a clear difference counts.
func otherLanguage(text string, q study.Question, usual whatlanggo.Info) bool {
	response := whatlanggo.Detect(text)
	question := whatlanggo.Detect(q.Text)
	if !question.IsReliable() && question.Script == usual.Script {
		question = usual
	}
	if response.Script != question.Script {
		return response.Script != nil && question.Script != nil
	}
	return response.IsReliable() && question.IsReliable() && response.Lang != question.Lang
}

// commonParts are parts of models' names that are ordinary words.
var commonParts = []string{"chat", "instruct", "preview", "turbo", "mini", "nano", "large", "small", "medium",
	"flash", "latest", "model", "test", "sonnet", "opus", "haiku", "maverick", "scout", "reasoner", "thinking", "online", "pro"}

// namesOf matches the name of a model and those of its parts that are not ordinary words.
func namesOf(m *Model) *regexp.Regexp {
	parts := []string{`\z.`} // matches nothing
	for _, name := range []string{m.Name, m.Model} {
		if len(name) >= 4 || strings.ContainsAny(name, "0123456789") {
			parts = append(parts, regexp.QuoteMeta(name))
		}
	}
	for _, part := range strings.FieldsFunc(m.Name+" "+m.Model, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(part) >= 4 && !slices.Contains(commonParts, strings.ToLower(part)) {
			parts = append(parts, regexp.QuoteMeta(part))
		}
	}
	return regexp.MustCompile(`(?i)(^|[^\p{L}\p{N}])(` + strings.Join(parts, "|") + `)($|[^\p{L}\p{N}])`)
}
