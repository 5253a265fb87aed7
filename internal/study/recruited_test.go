package study

import (
	"strings"
	"testing"
)

func TestWhatTheRecruiterSaysIsHeldAgainstWhatHappened(t *testing.T) {
	t.Parallel()
	r := Recruitment{Codes: map[Outcome]string{Completed: "DONE", NoConsent: "NO", ScreenedOut: "OUT", FailedChecks: "CHECK", OverQuota: "FULL"}}
	for _, c := range []struct {
		here         Outcome
		status, code string
		want         string // a part of it; "" for no disagreement
	}{
		{Completed, "APPROVED", "DONE", ""},
		{Completed, "AWAITING REVIEW", "DONE", ""},
		{Completed, "APPROVED", "", ""}, // approved by hand, no code
		{NoConsent, "RETURNED", "", ""},
		{NoConsent, "AWAITING REVIEW", "NO", ""},
		{Withdrawn, "AWAITING REVIEW", "NO", ""}, // borrows the code
		{TimedOut, "AWAITING REVIEW", "FULL", ""},
		{InProgress, "ACTIVE", "", ""},
		{InProgress, "RETURNED", "", ""},
		{InProgress, "TIMED-OUT", "", ""},
		{FailedChecks, "REJECTED", "CHECK", ""},
		{ScreenedOut, "SCREENED OUT", "OUT", ""},

		{Completed, "TIMED-OUT", "", "approve it by hand"},
		{Completed, "RETURNED", "", "returned on Prolific"},
		{Completed, "REJECTED", "DONE", "is rejected on Prolific"},
		{Completed, "ACTIVE", "", "has not gone back"},
		{Completed, "AWAITING REVIEW", "done please", "another code"},
		{InProgress, "AWAITING REVIEW", "DONE", "the code may have been shared"},
		{FailedChecks, "APPROVED", "DONE", "the code may have been shared"},
		{InProgress, "AWAITING REVIEW", "NOCODE", "did not finish here"},
		{NoConsent, "APPROVED", "", "is approved, but did not finish"},
		{Withdrawn, "AWAITING REVIEW", "x", "ask the person to return it"},
		{Completed, "SCREENED OUT", "OUT", "screened out on Prolific, but not here"},
		{Completed, "SLEEPING", "", "that this program does not know"},
	} {
		got := r.Disagreement(c.here, Recruited{Status: c.status, Code: c.code})
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q here, %s with code %q there: %q, want %q", c.here, c.status, c.code, got, c.want)
		}
	}
	// A study without codes: nobody can be caught by an empty one.
	if got := (Recruitment{}).Disagreement(InProgress, Recruited{Status: "AWAITING REVIEW"}); strings.Contains(got, "completion code") {
		t.Errorf("without codes: %q", got)
	}
}
