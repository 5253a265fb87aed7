package study

import "time"

// Recruited is what the recruiter's export says about a submission.
type Recruited struct {
	Status     string        // as Prolific writes it, such as "AWAITING REVIEW"
	Code       string        // that the person returned with; may be anything they typed
	Taken      time.Duration // by the recruiter's clock, from start to return; 0: not given
	Attributes map[string]string
}

// RecruitedRow is what the recruiter says about one submission, with its ids.
type RecruitedRow struct {
	Submission, Participant string
	Recruited
}

// Statuses of a submission on Prolific, exactly as its files spell them.
const (
	ProlificReserved          = "RESERVED"
	ProlificActive            = "ACTIVE"
	ProlificTimedOut          = "TIMED-OUT"
	ProlificAwaitingReview    = "AWAITING REVIEW"
	ProlificApproved          = "APPROVED"
	ProlificPartiallyApproved = "PARTIALLY APPROVED"
	ProlificReturned          = "RETURNED"
	ProlificRejected          = "REJECTED"
	ProlificScreenedOut       = "SCREENED OUT"
)

// HandedIn says whether a submission with a status is waiting for payment or has been paid.
func HandedIn(status string) bool {
	return status == ProlificAwaitingReview || status == ProlificApproved || status == ProlificPartiallyApproved
}

// Disagreement says how a submission's state here differs from what the recruiter says, and what to do; "" if
// they agree. Nobody is ever called paid or unpaid based on our own records alone.
func (r Recruitment) Disagreement(here Outcome, there Recruited) string {
	finished := here == Completed
	handedIn := there.Code != "" && there.Code == r.Code(Completed)
	switch there.Status {
	case ProlificAwaitingReview, ProlificApproved, ProlificPartiallyApproved: // HandedIn
		paid := there.Status != ProlificAwaitingReview
		switch {
		case finished && there.Code != "" && !handedIn:
			return "finished here, but came back with another code: the answers are complete, so you can approve it"
		case finished, there.Code != "" && there.Code == r.Code(here) && !handedIn:
			return ""
		case paid && handedIn:
			return "is approved with the completion code, but did not finish here: the code may have been shared"
		case paid:
			return "is approved, but did not finish here"
		case handedIn:
			return "came back with the completion code, but did not finish here: check before you approve, the code may have been shared"
		case here == Withdrawn:
			return "stopped here but submitted on Prolific: ask the person to return it"
		}
		return "submitted on Prolific, but did not finish here: check the answers, or ask the person to return it"
	case ProlificReturned:
		if finished {
			return "finished here but returned on Prolific, so is not paid: ask whether that was a mistake, and " +
				"leave the answers out if the person wants that"
		}
	case ProlificTimedOut:
		if finished {
			return "finished here, but ran out of time on Prolific: approve it by hand, the answers are complete"
		}
	case ProlificRejected:
		if finished {
			return "finished here but is rejected on Prolific: check that the reason is one that Prolific accepts"
		}
	case ProlificScreenedOut:
		if here != ScreenedOut {
			return "was screened out on Prolific, but not here"
		}
	case ProlificReserved, ProlificActive:
		if finished {
			return "finished here but has not gone back to Prolific: if this does not change, send a message with the completion code"
		}
	default:
		return "has a status that this program does not know"
	}
	return ""
}
