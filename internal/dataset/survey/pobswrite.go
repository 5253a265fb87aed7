package survey

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"overton/internal/instrument"
	"overton/internal/score"
)

// POBsReply is what one model answered to one item in one repetition.
type POBsReply struct {
	Prompt, Response string

	// Reconsideration is the answer when asked to look at Response again; nil
	// where that was not done.
	Reconsideration *POBsReply
}

// pobsAnswered is a question of a response file, with the keys of the released
// ones in their order.
type pobsAnswered struct {
	ID              json.Number `json:"id"`
	Question        string      `json:"question"`
	Options         []string    `json:"options"`
	OptionsPolarity []*float64  `json:"options_polarity,omitempty"`

	Prompt         string   `json:"prompt"`
	Response       string   `json:"response"`
	Selected       *string  `json:"selected"`
	Choice         *string  `json:"choice"`
	Reasoning      *string  `json:"reasoning"`
	AnswerPolarity *float64 `json:"answer_polarity"`

	*pobsReconsidered
}

// pobsReconsidered are the keys that only files with reasoning have. Their being
// there tells the mode, so they are written, as null, even where nothing was
// reconsidered.
type pobsReconsidered struct {
	Prompt    *string  `json:"reconsideration_prompt"`
	Response  *string  `json:"reconsideration_response"`
	Selection *string  `json:"reconsidered_selection"`
	Choice    *string  `json:"reconsidered_choice"`
	Reasoning *string  `json:"reconsidered_reasoning"`
	Polarity  *float64 `json:"reconsidered_polarity"`
}

type pobsAnsweredTopic struct {
	Name      string         `json:"name"`
	Category  string         `json:"category"`
	Questions []pobsAnswered `json:"questions"`
}

// WritePOBsResponses writes one repetition of one model to a POBs survey in the
// layout of the released response files: replies by the position of the
// survey's items, mode direct or reasoning. Letters are read strictly from the
// texts; answers in topics without sides get numbers of the Likert kind.
func WritePOBsResponses(survey instrument.Instrument, model, mode string, replies []POBsReply) ([]byte, error) {
	if len(replies) != len(survey.Items) {
		return nil, fmt.Errorf("there are %d replies to the %d questions of %s; expected one for each", len(replies), len(survey.Items), survey.Name)
	}
	opinions := OpinionSurvey(survey)
	topics := make([]pobsAnsweredTopic, len(survey.Topics))
	at := map[string]int{}
	for t, topic := range survey.Topics {
		topics[t] = pobsAnsweredTopic{Name: topic.Name, Category: topic.Category}
		at[topic.Name] = t
	}
	for i, it := range survey.Items {
		if _, err := strconv.Atoi(it.ID); err != nil || len(it.Topics) != 1 {
			return nil, fmt.Errorf("question %s of %s has no place in a POBs survey; expected a whole number as its id, and one topic", it.ID, survey.Name)
		}
		q := pobsAnswered{ID: json.Number(it.ID), Question: it.Text, Prompt: replies[i].Prompt, Response: replies[i].Response}
		for _, o := range it.Options {
			q.Options = append(q.Options, o.Label)
			if it.Polar() {
				q.OptionsPolarity = append(q.OptionsPolarity, o.Polarity)
			}
		}
		item := &opinions.Items[i]
		q.Selected, q.Choice, q.AnswerPolarity = pobsSelected(it, item, q.Response, "answer")
		if mode == score.ModeReasoning {
			q.Reasoning = pobsThought(q.Response, "think")
			q.pobsReconsidered = &pobsReconsidered{}
		}
		if again := replies[i].Reconsideration; again != nil && q.pobsReconsidered != nil {
			r := q.pobsReconsidered
			r.Prompt, r.Response = &again.Prompt, &again.Response
			r.Selection, r.Choice, r.Polarity = pobsSelected(it, item, again.Response, "reconsidered_answer")
			r.Reasoning = pobsThought(again.Response, "rethink")
		}
		t := at[it.Topics[0]]
		topics[t].Questions = append(topics[t].Questions, q)
	}
	file := struct {
		Survey struct {
			Title  string              `json:"title"`
			Topics []pobsAnsweredTopic `json:"topics"`
		} `json:"survey"`
		Model string `json:"model"`
	}{Model: model}
	file.Survey.Title, file.Survey.Topics = survey.Title, topics
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(file); err != nil {
		return nil, fmt.Errorf("writing responses: %w", err)
	}
	return asciiJSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// pobsSelected are a response's letter, label and number, nil where it has none.
func pobsSelected(it instrument.Item, item *score.OpinionItem, response, tag string) (selected, choice *string, polarity *float64) {
	k := it.Tagged(response, tag)
	if k == instrument.NoOption {
		return nil, nil, nil
	}
	if v, refused := item.Value(k, score.Likert); !refused {
		polarity = &v
	}
	return new(instrument.Letter(k)), new(it.Options[k].Label), polarity
}

// pobsThought is what stands in a tag, nil where there is none.
func pobsThought(response, tag string) *string {
	if thought := instrument.Between(response, tag); thought != "" {
		return &thought
	}
	return nil
}

// asciiJSON escapes what is not ASCII, as the released files have it.
func asciiJSON(text []byte) []byte {
	var b []byte
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r < utf8.RuneSelf:
			b = append(b, byte(r))
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
		text = text[size:]
	}
	return b
}
