package llm

import (
	"fmt"
	"iter"
	"net/url"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"overton/internal/instrument"
)

// Translation is an item in another language.
type Translation struct {
	Model    string // that is asked in these words; "" for all
	Language string // BCP 47
	Item     string
	Wording  instrument.Wording
}

// wordings are translations by model, language and item.
type wordings map[[3]string]instrument.Wording

func (ws wordings) of(it instrument.Item, model, language string) (instrument.Wording, bool) {
	for _, name := range []string{model, ""} {
		if w, ok := ws[[3]string{name, language, it.ID}]; ok {
			return w, true
		}
	}
	w, ok := it.Translations[language]
	return w, ok
}

// known are the translations that need not be made.
func (q *Questionnaire) known() wordings {
	ws := wordings{}
	for _, t := range q.Translations {
		ws[[3]string{t.Model, t.Language, t.Item}] = t.Wording
	}
	return ws
}

// translateTokens limits a translation.
const translateTokens = 2048

func translationID(model, language, item string) string {
	return strings.Join([]string{"translate", language, url.PathEscape(item), url.PathEscape(model)}, "/")
}

// missing lists the translations that models have to make themselves.
func (q *Questionnaire) missing(models Models) iter.Seq2[Translation, instrument.Item] {
	known := q.known()
	return func(yield func(Translation, instrument.Item) bool) {
		for _, mode := range q.Modes {
			if mode.Steered != ByLanguage {
				continue
			}
			for _, m := range models {
				for _, tongue := range q.Languages {
					for _, it := range q.Instrument.Items {
						if _, ok := known.of(it, m.Name, tongue); !ok && !yield(Translation{Model: m.Name, Language: tongue, Item: it.ID}, it) {
							return
						}
					}
				}
			}
		}
	}
}

// translating writes the requests for the missing translations.
func (q *Questionnaire) translating(models Models) iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		for t, it := range q.missing(models) {
			fill := show(it.In(""), InOrder.shown(it, 0))
			fill.Target = t.Language
			fill.Language = languageName(t.Language)
			messages, err := q.Prompts.messages("translate", fill, false)
			r := Request{ID: translationID(t.Model, t.Language, t.Item), Model: t.Model, Messages: messages}
			r.Temperature, r.MaxTokens = new(0.0), translateTokens
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// languageName is the English name of a language.
func languageName(tag string) string {
	if t, err := language.Parse(tag); err == nil {
		return display.English.Tags().Name(t)
	}
	return tag
}

// translation reads the numbered lines requested from a model: line 0 the question, then each option.
// Anything else is not a translation.
func translation(text string, options int) (w instrument.Wording, ok bool) {
	next := 0
	seen := map[string]bool{}
	for line := range strings.Lines(afterThought(text)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		words, numbered := strings.CutPrefix(line, fmt.Sprintf("%d.", next))
		words = inert(words)
		if !numbered || words == "" || next > options {
			return w, false
		}
		if next == 0 {
			w.Text = words
		} else {
			w.Labels = append(w.Labels, words)
			if seen[words] {
				return w, false
			}
			seen[words] = true
		}
		next++
	}
	return w, next == options+1
}
