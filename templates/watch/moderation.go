package watch

import (
	"fmt"
	"slices"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// MostStatements is how many statements a page of moderation shows.
const MostStatements = 25

// ModerationPage lists statements to accept or reject.
type ModerationPage struct {
	Page
	Mode       study.Moderation // what happens to new statements; "" in a study without any
	Shown      store.ModerationQuery
	Waiting    store.Waiting
	Statements []store.Moderated
	Pager      Pager
	Query      string // that leads back to this list
	Done       string // what was just decided; "" for nothing
	Batch      string // of it, to undo it; "" if it cannot be undone
}

// ModerationModes are the modes, and what they mean.
var ModerationModes = []struct {
	Mode        study.Moderation
	Name, Means string
}{
	{study.ModerationBefore, "Before", "A new statement is shown to other people only after someone accepts it."},
	{study.ModerationAfter, "After", "A new statement is shown to other people at once, until someone rejects it."},
	{study.ModerationOff, "Off",
		"A new statement is shown at once and does not wait to be checked. You can still reject it."},
}

// ModerationLists are the lists, and what is said of one that is empty.
var ModerationLists = []struct {
	List        store.ModerationList
	Name, Empty string
}{
	{store.ListPending, "Waiting", "No statement is waiting."},
	{store.ListUnseen, "Shown, not checked", "Every statement that people can see has been checked."},
	{store.ListRejected, "Rejected", "No statement has been rejected."},
	{store.ListAccepted, "Accepted", "No statement has been accepted yet."},
	{store.ListAll, "All", "No one has written anything yet."},
}

// reasonWords are the reasons to reject.
var reasonWords = map[study.RejectReason]string{
	study.RejectPersonal: "personal data", study.RejectEmpty: "says nothing", study.RejectOffTopic: "off topic",
	study.RejectOffensive: "offensive", study.RejectCopied: "not their own words",
}

// hintWords say what a part of a text may be.
var hintWords = map[study.HintKind]string{
	study.HintMail: "email address?", study.HintPhone: "phone number?", study.HintLink: "link?",
	study.HintID: "recruiter's id?", study.HintHandle: "account name?", study.HintEmpty: "looks empty",
}

// hintKinds are the kinds of hints in a text, each once.
func hintKinds(text string) (kinds []study.HintKind) {
	for _, h := range study.Hints(text) {
		if !slices.Contains(kinds, h.Kind) {
			kinds = append(kinds, h.Kind)
		}
	}
	return kinds
}

// tab leads to one of the lists.
func (p ModerationPage) tab(list store.ModerationList, name string) templates.Tab {
	counts := map[store.ModerationList]int{
		store.ListPending: p.Waiting.Pending, store.ListUnseen: p.Waiting.Unseen,
		store.ListRejected: p.Waiting.Rejected, store.ListAccepted: p.Waiting.Accepted,
	}
	return templates.Tab{
		Name: name, Path: p.Home + "/moderation?view=" + string(list), Count: counts[list], Here: list == p.Shown.List,
	}
}

// fields are those of the form above the list. A long question set is searched
// by id.
func (p ModerationPage) fields() []templates.Field {
	const mostChoices = 100
	questions := p.Of.Questions.Questions
	question := templates.Field{
		ID: "question", Name: "question", Label: "Question id", Kind: "search", Value: p.Shown.Question,
	}
	if len(questions) <= mostChoices {
		question.Kind, question.Label, question.Options = "choice", "Question", []templates.Option{{Label: "All"}}
		for _, q := range questions {
			option := templates.Option{Value: q.ID, Label: q.ID + ": " + templates.Shorten(q.Text, 60)}
			question.Options = append(question.Options, option)
		}
	}
	hints := []templates.Option{{Label: "With or without"}, {Value: string(store.HintAny), Label: "Any"}}
	hints = options(hints, study.HintKinds, func(k study.HintKind) string { return hintWords[k] })
	return []templates.Field{
		{ID: "text", Name: "text", Label: "Words in the statement", Kind: "search", Value: p.Shown.Text},
		question,
		{ID: "hint", Name: "hint", Label: "Marked passages", Kind: "choice", Value: string(p.Shown.Hint), Options: hints},
	}
}

// reasons are the choices of a reason to reject.
func reasons(none string) []templates.Option {
	name := func(r study.RejectReason) string { return reasonWords[r] }
	return options([]templates.Option{{Label: none}}, study.RejectReasons, name)
}

// verdictWords say what was decided, why and by whom.
func verdictWords(v store.Verdict) string {
	words := "Accepted"
	if !v.Accepted {
		words = "Rejected"
		if reason := reasonWords[v.Reason]; reason != "" {
			words += " (" + reason + ")"
		}
	}
	if v.By != "" {
		words += " by " + v.By
	}
	return words
}

// Decided says what was just done to n statements: accept, reject or undo.
func Decided(n int, what string) string {
	done, known := map[string]string{"accept": "accepted", "reject": "rejected", "undo": "put back"}[what]
	switch {
	case !known:
		return ""
	case n == 0:
		return "No statement was marked."
	case n == 1:
		return "One statement was " + done + "."
	}
	return fmt.Sprintf("%d statements were %s.", n, done)
}
