// Package watch shows the pages of the field phase: monitor, submissions,
// moderation, Prolific and download.
package watch

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"

	"overton/internal/dataset"
	"overton/internal/study"
	"overton/templates"
)

// Page is what each page of the field phase has: its frame, its study, and what
// the reader may do there.
type Page struct {
	templates.Admin
	Of            *dataset.Study
	Home          string // address of the study's pages
	Researcher    bool   // the reader may see single submissions and set the reward
	Administrator bool   // the reader may change the study's status and how it is moderated
}

// To is the address of another page of the study.
func (p Page) To(rest string) templ.SafeURL { return templ.URL(p.Home + rest) }

// submission is the address of the page of a pseudonym.
func (p Page) submission(pseudonym string) templ.SafeURL {
	return p.To("/submissions/" + url.PathEscape(pseudonym))
}

// Pager is the part of a long list that a page shows.
type Pager struct {
	Of, From, To int    // entries in all; the first and the last one shown, from 1
	Before, Next string // addresses; empty at the ends
}

// options are the choices of a field: what stands for all comes first.
func options[T ~string](first []templates.Option, values []T, name func(T) string) []templates.Option {
	first = slices.Clip(first)
	for _, v := range values {
		first = append(first, templates.Option{Value: string(v), Label: name(v)})
	}
	return first
}

// stepNames are what the monitor calls the pages that participants see.
var stepNames = map[study.StepKind]string{
	study.StepConsent: "Consent", study.StepSurvey: "Survey", study.StepInstructions: "Instructions",
	study.StepView: "Own view", study.StepRating: "Rating", study.StepVote: "Vote", study.StepCheck: "Check",
	study.StepFeedback: "Feedback", study.StepEnd: "End",
}

// stageName names a stage of the flow.
func (p Page) stageName(stage study.Stage) string {
	if stage.Kind == study.StepSurvey {
		name := p.Of.Flow[stage.Block].Survey.Instrument
		if title := p.Of.Instruments[name].Title; title != "" {
			name = title
		}
		return "Survey: " + name
	}
	if stage.Slot < 0 {
		return stepNames[stage.Kind]
	}
	within := map[study.StepKind]string{
		study.StepView: "own view", study.StepRating: "ratings", study.StepVote: "votes", study.StepCheck: "check",
	}
	return fmt.Sprintf("Question %d: %s", stage.Slot+1, within[stage.Kind])
}

// flagWords say what each flag is called and what it rests on.
var flagWords = map[study.FlagKind]struct{ name, why string }{
	study.FlagFast: {"Too fast",
		"At least half of the model responses were rated faster than they can be read, at 600 words a minute."},
	study.FlagRatings: {"Same rating each time", "There were at least six model responses, and all got the same rating."},
	study.FlagVotes: {"Same vote each time",
		"There were at least eight statements, and all got the same vote or all were skipped."},
	study.FlagChecks: {"Failed a check", "At least one check was not answered as instructed."},
	study.FlagEmpty: {"Empty free response",
		"A free response says nothing: no words, one letter repeated, neighbouring keys, or something like “idk”."},
	study.FlagCopied: {"Copied free response", "At least half of a free response is copied from the question or a " +
		"model response, or two questions have the same free response."},
}

func flagName(kind study.FlagKind) string { return flagWords[kind].name }

// duration writes how long something took, as exactly as it matters.
func duration(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 100*time.Minute:
		return fmt.Sprintf("%.1f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
