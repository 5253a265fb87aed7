package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what an answer answers.
type Kind string

const (
	KindConsent    Kind = "consent"    // "yes" or "no"
	KindSurvey     Kind = "survey"     // scope: instrument, subject: item; an option code
	KindStance     Kind = "stance"     // scope: question; "1", "2" or "neutral"
	KindView       Kind = "view"       // scope: question; the free response
	KindImportance Kind = "importance" // scope: question; "1" to "5"
	KindRating     Kind = "rating"     // scope: question, subject: model; "1" to "5"
	KindVote       Kind = "vote"       // scope: question, subject: statement; agree, disagree, neutral or skip
	// KindInstructions marks the instructions as read; scope: the block's index.
	KindInstructions Kind = "instructions"
	KindCheck        Kind = "check"    // subject: number of the check, from 1; "1" to "5"
	KindFeedback     Kind = "feedback" // free text, may be empty
)

// Key names one answer of a submission.
type Key struct {
	Kind    Kind
	Scope   string
	Subject string
}

// Values that choices take.
const (
	Yes = "yes"
	No  = "no"

	StanceFirst   = "1"
	StanceSecond  = "2"
	StanceNeutral = "neutral"

	Agree    = "agree"
	Disagree = "disagree"
	Neutral  = "neutral"
	Skip     = "skip" // seen, but not voted on; never counted as neutral
)

var scale = []string{"1", "2", "3", "4", "5"}

// MaxRevisions is how many values one answer can have had. All are kept, so a program that rewrites one without
// end would fill the disk.
const MaxRevisions = 50

// maxText is the longest free text accepted, in characters. No person types more.
const maxText = 10_000

// Field is one input of a step's form.
type Field struct {
	Key      Key
	Name     string   // of the form field; reveals no models or internal ids
	Options  []string // the values accepted; nil for free text
	MinWords int      // of free text; 0: may be empty
}

// Problem is why a field was not accepted. Pages have the wording for each reason.
type Problem struct {
	Field  string // name in the form
	Reason Reason
	Limit  int // for TooShort and TooLong: words or characters; for TooOften: values
}

// Reason is why an answer is not accepted.
type Reason string

const (
	Missing  Reason = "missing"
	Unknown  Reason = "unknown" // not one of the options
	TooShort Reason = "too_short"
	TooLong  Reason = "too_long"
	TooOften Reason = "too_often" // the answer has been changed MaxRevisions times
)

// Read takes a step's answers from a submitted form, or returns the problems that prevent the form from being
// accepted.
func (s Step) Read(value func(name string) string) (map[Key]string, []Problem) {
	answers := make(map[Key]string, len(s.Fields))
	var problems []Problem
	for _, f := range s.Fields {
		got := normalise(value(f.Name))
		if reason, limit := f.refuse(got); reason != "" {
			problems = append(problems, Problem{f.Name, reason, limit})
			continue
		}
		answers[f.Key] = got
	}
	if problems != nil {
		return nil, problems
	}
	return answers, nil
}

// refuse says why a value is not acceptable; an empty reason means that it is.
func (f Field) refuse(got string) (Reason, int) {
	if f.Options != nil {
		switch {
		case got == "":
			return Missing, 0
		case !slices.Contains(f.Options, got):
			return Unknown, 0
		}
		return "", 0
	}
	if n := utf8.RuneCountInString(got); n > maxText {
		return TooLong, maxText
	}
	switch words := CountWords(got); {
	case f.MinWords > 0 && words == 0:
		return Missing, 0
	case words < f.MinWords:
		return TooShort, f.MinWords
	}
	return "", 0
}

// CountWords counts words that can be seen: invisible characters alone are not words.
func CountWords(text string) (n int) {
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, unicode.IsGraphic) {
			n++
		}
	}
	return n
}

// normalise undoes what browsers do to line endings and drops characters that cannot be text: controls
// other than tab and line end, and overrides of the direction of writing, which change how the text around
// them reads. Everything else is kept exactly as typed.
func normalise(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), '\u202A' <= r && r <= '\u202E', '\u2066' <= r && r <= '\u2069':
			return -1
		}
		return r
	}, s)
}

// Fails says whether a check was answered contrary to its instruction.
func (c Check) Fails(answer string) bool { return answer != c.Answer }

// ChecksToFail is how many failed checks end a submission as failed. Prolific allows one to be enough in a
// study under five minutes, and requires two in longer studies.
func (d *Definition) ChecksToFail() int {
	if d.Recruitment.Minutes < 5 {
		return 1
	}
	return 2
}

// FailedChecks counts the failed checks among a submission's answers and says whether there are enough to end
// it as failed.
func (d *Definition) FailedChecks(answers map[Key]string) (failed int, enough bool) {
	for i, c := range d.Checks {
		if a, ok := answers[checkKey(i)]; ok && c.Fails(a) {
			failed++
		}
	}
	return failed, failed > 0 && failed >= d.ChecksToFail()
}

func checkKey(i int) Key { return Key{Kind: KindCheck, Subject: strconv.Itoa(i + 1)} }

// Cell is a quota cell: the people who gave one answer to one survey item.
type Cell struct {
	Key    Key
	Value  string
	Target int
}

// Cells returns the quota cells that a submission's answers belong to.
func (d *Definition) Cells(answers map[Key]string) []Cell {
	var cells []Cell
	for _, q := range d.Quotas {
		instrument, _, ok := d.item(q.Variable)
		if !ok {
			continue
		}
		key := Key{Kind: KindSurvey, Scope: instrument, Subject: q.Variable}
		if target, limited := q.Targets[answers[key]]; limited {
			cells = append(cells, Cell{key, answers[key], target})
		}
	}
	return cells
}

func (k Key) String() string { return fmt.Sprintf("%s/%s/%s", k.Kind, k.Scope, k.Subject) }
