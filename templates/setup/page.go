// Package setup shows the pages on which admins set up studies, from values of the study, the draft and the plan.
package setup

import (
	"overton/internal/dataset"
	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// StudiesPage lists all studies.
type StudiesPage struct {
	templates.Admin
	Query, Status string // what the list is narrowed to
	Any           bool   // there are studies, whatever it is narrowed to
	Studies       []StudyLine
	MayChange     bool // the reader may make a new one
}

// StudyLine is one study: the version that people enter, or the draft.
type StudyLine struct {
	store.Study
	Total store.Total
	Next  string // name of a draft of the next version; "": none
}

// NewStudyPage offers the ways to a new study. It comes back with what is wrong.
type NewStudyPage struct {
	templates.Admin
	Refused
	From              string // which way was taken: example, copy or files
	Title, Slug, Copy string // as typed
	Others            []store.Study
}

// Refused is why a change was not saved. The zero value is no refusal.
type Refused struct {
	Status  int // of HTTP, to answer with
	Problem string
	Changed bool // somebody else has changed the draft since the reader opened it
	Faults  dataset.Faults
	Sent    dataset.Files // the files that were sent: tables show their rows with faults
}

// StudyPage is what all pages about one study have.
type StudyPage struct {
	templates.Admin
	Refused
	Row               store.Study
	Path              string // address of the study's pages; each page adds its own part
	MaySee, MayChange bool   // the reader may see the study's files, and change a draft
	LosesComments     bool   // study.yaml has comments that a form would lose
}

// Draft says whether the study is not launched, and so can be changed.
func (p StudyPage) Draft() bool { return p.Row.Status == store.Draft }

// Editable says whether the reader can change the study.
func (p StudyPage) Editable() bool { return p.Draft() && p.MayChange }

// SetupPage is the overview of a study.
type SetupPage struct {
	StudyPage
	Study *dataset.Study
	Saved string // name of the page that was just saved
	Plan  study.Plan
	Facts []templates.Fact
}

// Form is one page of the editor.
type Form struct {
	Title, Lead string
	Beside      string // id of what is shown next to the fields: plan, text-preview or ""
	Groups      []Group
}

// Group is fields that belong together.
type Group struct {
	Title, Hint string
	Variable    string // survey item that a quota is on, sent back with the form
	Fields      []templates.Field
	Button      Button
}

// Button does something with a group. About says with which, for people who
// cannot see where it is. The zero value is no button.
type Button struct {
	Do, Label, About string
	Danger           bool
}

// FormPage is one page of the editor, with what is shown next to its fields.
type FormPage struct {
	StudyPage
	Form
	Part  string // its name in addresses
	Plan  study.Plan
	Told  int // minutes that people are told
	Terms []templates.Field
	Text  string // HTML of the consent text
}

// QuestionsPage shows the question set and takes its files.
type QuestionsPage struct {
	StudyPage
	Study *dataset.Study
}

// TextPage is study.yaml as text.
type TextPage struct {
	StudyPage
	Text string
}

// LaunchPage is what an admin checks before a launch.
type LaunchPage struct {
	StudyPage
	Study  *dataset.Study
	Link   string   // for the recruiter
	Ticked []string // boxes: see GapBox
	Plan   study.Plan
}

// VersionsPage lists a study's versions, the newest first.
type VersionsPage struct {
	StudyPage
	Versions []Version
}

// Version is one version, with what changed from the one before.
type Version struct {
	store.Study
	Changes []dataset.FileChange
}
