package setup

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"overton/internal/dataset"
	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// moment is a time of the store's, in milliseconds; 0 is none.
func moment(ms int64) templates.Moment {
	if ms == 0 {
		return templates.Moment{}
	}
	return templates.At(time.UnixMilli(ms))
}

// Decimal writes a number with one decimal, and a whole one without.
func Decimal(x float64) string { return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0") }

// BlockName is what pages call a block of the flow.
func BlockName(b study.Block) string {
	switch {
	case b.Consent != nil:
		return "Consent"
	case b.Survey != nil:
		return "Survey"
	case b.Overton != nil:
		return "Views, ratings and votes"
	}
	return "Comment"
}

// missing are the blocks that can still be added to a flow, by their kind.
func missing(flow []study.Block) []templates.Option {
	return slices.DeleteFunc([]templates.Option{
		{Value: "consent", Label: "Consent"}, {Value: "us-demographics", Label: "Survey of US demographics"},
		{Value: "overton", Label: "Views, ratings and votes"}, {Value: "feedback", Label: "Comment"},
	}, func(o templates.Option) bool {
		return slices.ContainsFunc(flow, func(b study.Block) bool {
			return o.Label == BlockName(b) || b.Survey != nil && b.Survey.Instrument == o.Value
		})
	})
}

// quotaItems lists the survey items that a study has quotas on.
func quotaItems(quotas []study.Quota) string {
	var items []string
	for _, q := range quotas {
		items = append(items, q.Variable)
	}
	if len(items) == 0 {
		return "none"
	}
	return "on " + strings.Join(items, ", ")
}

// setSize counts what is in a question set.
func setSize(set study.QuestionSet) string {
	return templates.Plural(len(set.Questions), "question", "questions") + ", " +
		templates.Plural(len(set.Responses), "response", "responses") + ", " + templates.Plural(len(set.Seeds), "seed", "seeds")
}

// blockDetail sums up what a block asks of people.
func blockDetail(st *dataset.Study, b study.Block) string {
	switch {
	case b.Survey != nil:
		items := len(st.Instruments[b.Survey.Instrument].Items)
		return fmt.Sprintf("%s · %s, at most %d per person on %s", b.Survey.Instrument,
			templates.Plural(items, "item", "items"), b.Survey.MostItems(), templates.Plural(b.Survey.MostPages(), "page", "pages"))
	case b.Overton != nil:
		o := b.Overton
		responses := "all responses"
		if o.ResponsesPerQuestion > 0 {
			responses = fmt.Sprintf("%d responses", o.ResponsesPerQuestion)
		}
		return fmt.Sprintf("%d questions per person; %s and %d votes on each · moderation %s",
			o.QuestionsPerParticipant, responses, o.VotesPerQuestion, o.Moderation)
	}
	return ""
}

var workNames = map[study.StepKind]string{
	study.StepConsent: "Consent", study.StepSurvey: "Survey items", study.StepInstructions: "Instructions",
	study.StepView: "Own views", study.StepRating: "Ratings", study.StepVote: "Votes", study.StepCheck: "Checks",
	study.StepFeedback: "Comment",
}

// GapBox names the box that accepts the i-th gap of a study.
func GapBox(gap dataset.Gap, i int) string { return fmt.Sprintf("%s-%d", gap.Name, i) }

// changed says how a file differs from the version before.
func changed(c dataset.FileChange) string {
	switch {
	case c.Added:
		return "added"
	case c.Removed:
		return "removed"
	}
	return templates.Plural(c.Plus, "line", "lines") + " added, " + strconv.Itoa(c.Minus) + " removed"
}

// file is a field that takes one CSV file of a question set.
func file(name, label, hint string) templates.Field {
	return templates.Field{ID: name, Name: name, Label: label, Hint: hint, Kind: "file",
		More: templ.Attributes{"accept": ".csv,text/csv"}}
}

// flag is a box to tick.
func flag(name, label string) templates.Field {
	return templates.Field{ID: name, Name: name, Label: label, Kind: "flag"}
}

// typed is a text field of the form for one way to a new study. It shows again
// what was typed, if that form was the one that was sent.
func (p NewStudyPage) typed(from, name, label, hint, value string, more templ.Attributes) templates.Field {
	if p.From != from {
		value = ""
	}
	all := templ.Attributes{"autocomplete": "off"}
	maps.Copy(all, more)
	return templates.Field{ID: from + "-" + name, Name: name, Label: label, Hint: hint, Kind: "text", Value: value, More: all}
}

// others are the studies to copy.
func (p NewStudyPage) others() templates.Field {
	f := templates.Field{ID: "copy", Name: "copy", Label: "Study", Kind: "choice", Value: p.Copy}
	for _, o := range p.Others {
		f.Options = append(f.Options, templates.Option{
			Value: o.Name(), Label: fmt.Sprintf("%s (%s, %s)", o.Title, o.Name(), o.Status)})
	}
	return f
}

var required = templ.Attributes{"required": true}

// byStatus narrows the list of studies.
func (p StudiesPage) byStatus() templates.Field {
	return templates.Field{ID: "status", Name: "status", Label: "Status", Kind: "choice", Value: p.Status,
		Options: []templates.Option{{Label: "any"}, {Value: "draft", Label: "draft"}, {Value: "running", Label: "running"},
			{Value: "paused", Label: "paused"}, {Value: "closed", Label: "closed"}}}
}

// Matches says whether the list, as it is narrowed down, has a study.
func (p StudiesPage) Matches(st store.Study) bool {
	return strings.Contains(strings.ToLower(st.Title+" "+st.Slug), strings.ToLower(p.Query)) &&
		(p.Status == "" || p.Status == string(st.Status))
}
