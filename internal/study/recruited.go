package study

import "time"

// Recruited is what the recruiter says of a submission, as its export has it.
type Recruited struct {
	Status     string        // as Prolific writes it, such as "AWAITING REVIEW"
	Code       string        // that the person came back with; whatever they typed
	Taken      time.Duration // by the recruiter's clock, from start to return; 0: not told
	Attributes map[string]string
}

// RecruitedRow is what the recruiter says of one submission, under its ids.
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

// HandedIn says whether a submission of a status waits for money or has got it.
func HandedIn(status string) bool {
	return status == ProlificAwaitingReview || status == ProlificApproved || status == ProlificPartiallyApproved
}

// Disagreement says what does not fit between how a submission stands here and
// what the recruiter says of it, and what to do; "" where both fit. Nobody is
// ever called paid or unpaid by what we know alone.
func (r Recruitment) Disagreement(here Outcome, there Recruited) string {
	finished := here == Completed
	handedIn := there.Code != "" && there.Code == r.Code(Completed)
	switch there.Status {
	case ProlificAwaitingReview, ProlificApproved, ProlificPartiallyApproved: // HandedIn
		paid := there.Status != ProlificAwaitingReview
		switch {
		case finished && there.Code != "" && !handedIn:
			return "finished here, and came back with another code: the answers are whole, so approve by them"
		case finished, there.Code != "" && there.Code == r.Code(here) && !handedIn:
			return ""
		case paid && handedIn:
			return "is approved with the completion code, and did not finish here: the code may have been passed on"
		case paid:
			return "is approved, and did not finish here"
		case handedIn:
			return "came back with the completion code, and did not finish here: look before you approve, the code may have been passed on"
		case here == Withdrawn:
			return "stopped here and handed in there: ask for a return"
		}
		return "handed in there, and did not finish here: ask for a return, or look at what was answered"
	case ProlificReturned:
		if finished {
			return "finished here and returned there, so is not paid: ask whether that was a mistake, and leave the answers out if the person wants it"
		}
	case ProlificTimedOut:
		if finished {
			return "finished here, and ran out of Prolific's time: approve by hand, the answers are whole"
		}
	case ProlificRejected:
		if finished {
			return "finished here and is rejected there: see that the reason is one that Prolific accepts"
		}
	case ProlificScreenedOut:
		if here != ScreenedOut {
			return "was screened out there, and not here"
		}
	case ProlificReserved, ProlificActive:
		if finished {
			return "finished here and has not gone back: if this lasts, send a message with the completion code"
		}
	default:
		return "has a status that is not known here"
	}
	return ""
}
