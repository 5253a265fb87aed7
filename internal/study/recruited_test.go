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

		{Completed, "TIMED-OUT", "", "approve by hand"},
		{Completed, "RETURNED", "", "returned there"},
		{Completed, "REJECTED", "DONE", "is rejected there"},
		{Completed, "ACTIVE", "", "has not gone back"},
		{Completed, "AWAITING REVIEW", "done please", "another code"},
		{InProgress, "AWAITING REVIEW", "DONE", "passed on"},
		{FailedChecks, "APPROVED", "DONE", "passed on"},
		{InProgress, "AWAITING REVIEW", "NOCODE", "did not finish here"},
		{NoConsent, "APPROVED", "", "is approved, and did not finish"},
		{Withdrawn, "AWAITING REVIEW", "x", "ask for a return"},
		{Completed, "SCREENED OUT", "OUT", "screened out there"},
		{Completed, "SLEEPING", "", "not known here"},
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
