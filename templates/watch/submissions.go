package watch

import (
	"strings"

	"overton/internal/study"
	"overton/templates"
)

// SubmissionsPage lists submissions.
type SubmissionsPage struct {
	Page
	Counted     bool // the submissions have been read
	Submissions []study.Trace
	Pager       Pager
	Filter      SubmissionFilter
}

// SubmissionFilter says which submissions to list.
type SubmissionFilter struct {
	Pseudonym string // or a part of it
	Outcome   string // an outcome, in_progress or left; "": all
	Flag      string // a kind of flag, or any; "": with and without
	Virtual   string // "virtual": of virtual participants; "": of people
}

// Fits says whether a submission is to be listed.
func (f SubmissionFilter) Fits(t *study.Trace) bool {
	flagged := f.Flag == ""
	for _, flag := range t.Flags {
		flagged = flagged || f.Flag == "any" || f.Flag == string(flag.Kind)
	}
	ended := f.Outcome == "" || f.Outcome == string(t.Outcome)
	if f.Outcome == "in_progress" || f.Outcome == "left" {
		ended = t.Outcome == study.InProgress && t.Live == (f.Outcome == "in_progress")
	}
	return flagged && ended && t.Virtual == (f.Virtual == "virtual") && strings.Contains(t.Pseudonym, f.Pseudonym)
}

// fields are those of the form above the list.
func (f SubmissionFilter) fields() []templates.Field {
	outcomes := []templates.Option{
		{Label: "All"}, {Value: "in_progress", Label: "In progress"}, {Value: "left", Label: "Left"},
	}
	for _, o := range templates.Outcomes[:len(templates.Outcomes)-1] { // nothing is left of people who withdrew
		outcomes = append(outcomes, templates.Option{Value: string(o.Outcome), Label: o.Name})
	}
	flags := []templates.Option{{Label: "With or without"}, {Value: "any", Label: "Any flag"}}
	people := []templates.Option{{Label: "People"}, {Value: "virtual", Label: "Virtual participants"}}
	return []templates.Field{
		{ID: "find", Name: "find", Label: "Pseudonym", Kind: "search", Value: f.Pseudonym},
		{ID: "outcome", Name: "outcome", Label: "Outcome", Kind: "choice", Value: f.Outcome, Options: outcomes},
		{ID: "flag", Name: "flag", Label: "Flag", Kind: "choice", Value: f.Flag,
			Options: options(flags, study.FlagKinds, flagName)},
		{ID: "people", Name: "people", Label: "Who", Kind: "choice", Value: f.Virtual, Options: people},
	}
}

// ending says how a submission ended, or whether somebody is still there.
func ending(t study.Trace) string {
	switch {
	case t.Outcome != study.InProgress:
		return templates.OutcomeName(t.Outcome)
	case t.Live:
		return "In progress"
	}
	return "Left"
}
