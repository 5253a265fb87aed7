package templates

import (
	"time"
	"unicode"
	"unicode/utf8"

	"overton/internal/study"
)

// Outcomes are the ways in which a submission can end, in the order in which
// pages list them, and what pages call them. The first five can have a
// completion code.
var Outcomes = []struct {
	Outcome study.Outcome
	Name    string
}{
	{study.Completed, "Complete"}, {study.NoConsent, "Did not consent"}, {study.ScreenedOut, "Screened out"},
	{study.FailedChecks, "Failed the checks"}, {study.OverQuota, "Over quota"}, {study.TimedOut, "Too late"},
	{study.Returned, "Came back with another submission"}, {study.Withdrawn, "Withdrew"},
}

// OutcomeName is what pages call an outcome.
func OutcomeName(o study.Outcome) string {
	for _, known := range Outcomes {
		if known.Outcome == o {
			return known.Name
		}
	}
	return string(o)
}

// At is a time as pages show it, in UTC.
func At(t time.Time) Moment {
	t = t.UTC()
	return Moment{Text: t.Format("2006-01-02 15:04") + " UTC", RFC3339: t.Format(time.RFC3339)}
}

// Sentence makes a sentence of a message that begins with a small letter.
func Sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// Shorten cuts a text to n characters.
func Shorten(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
