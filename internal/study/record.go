package study

import "time"

// Record is everything collected in one submission, as analyses and exports read it. It contains no identity:
// Pseudonym is random.
type Record struct {
	Pseudonym string // of the participant; the same in their other submissions
	Virtual   bool   // of a virtual participant
	Seed      uint64 // of every random choice made for this submission
	Outcome   Outcome
	Live      bool // in progress, with reservations that have not expired
	Round     int
	Started   time.Time
	Consented time.Time // zero: not yet
	Last      time.Time // last answer
	Ended     time.Time // zero: not yet

	Recruited *Recruited // what the recruiter says about it; nil: nothing known

	Slots   []RecordSlot
	Answers []Answer // in the order first answered
	Ballots []RecordBallot
	Surveys map[string]Drawn // by instrument, for surveys that draw items
}

// RecordSlot is one assigned question.
type RecordSlot struct {
	Question string
	Models   []string // in the order shown
	State    string   // reserved, done or released
}

// Answer is the current value of one answer and its history.
type Answer struct {
	Key      Key
	Value    string
	Round    int
	Shown    time.Time     // when the page was sent
	Answered time.Time     // when the answer arrived
	Active   time.Duration // time the page was visible; 0: not reported by the browser
	Revision int           // 1: never changed
}

// RecordBallot is one statement drawn for a vote; the vote is among the answers.
type RecordBallot struct {
	Statement   string
	Question    string
	Position    int     // within the question, from 1
	Probability float64 // with which it was drawn
	Candidates  int     // among how many
	Round       int
	Drawn       time.Time
}

// Statement is a free response or a seed as peers see it.
type Statement struct {
	ID       string
	Question string
	Author   string // pseudonym; empty for a seed and after a withdrawal
	Seed     bool
	Virtual  bool
	Text     string
	State    StatementState
	Created  time.Time
	Drawn    int // ballots made with it
	Agree    int
	Disagree int
	Neutral  int
	Skip     int
}

// StatementState says whether peers may see a statement.
type StatementState string

const (
	StatementPending   StatementState = "pending"   // not moderated yet
	StatementServed    StatementState = "served"    // can be drawn for votes
	StatementRejected  StatementState = "rejected"  // by moderation
	StatementReplaced  StatementState = "replaced"  // its author wrote a new version after it had been drawn
	StatementWithdrawn StatementState = "withdrawn" // its author withdrew: no text, no author
)

// Answered returns the answers by key.
func (r *Record) Answered() map[Key]string {
	byKey := make(map[Key]string, len(r.Answers))
	for _, a := range r.Answers {
		byKey[a.Key] = a.Value
	}
	return byKey
}

// Progress is how far the submission had come: what Steps needs to list its pages. A record does not say
// which statements moderation withdrew; a ballot without a vote counts as withdrawn, unless the person is at
// it now.
func (r *Record) Progress() Progress {
	p := Progress{Answers: r.Answered(), Surveys: r.Surveys, Outcome: r.Outcome, Round: r.Round}
	at := map[string]int{}
	for i, slot := range r.Slots {
		p.Slots = append(p.Slots, Slot{Question: slot.Question, Models: slot.Models})
		at[slot.Question] = i
	}
	for _, b := range r.Ballots {
		if i, ok := at[b.Question]; ok {
			p.Slots[i].Ballots = append(p.Slots[i].Ballots, Ballot{Statement: b.Statement})
		}
	}
	voted := func(i, n int) bool {
		_, ok := p.Answers[Key{KindVote, p.Slots[i].Question, p.Slots[i].Ballots[n].Statement}]
		return ok
	}
	for i := range p.Slots {
		slot := &p.Slots[i]
		slot.VotesWanted = slot.Votes(p.Answers)
		next := i+1 < len(p.Slots) && p.Answers[Key{Kind: KindView, Scope: p.Slots[i+1].Question}] != ""
		for n := range slot.Ballots {
			stands := r.Outcome == InProgress && !next && n == len(slot.Ballots)-1
			slot.Ballots[n].Held = !voted(i, n) && !stands
		}
	}
	return p
}
