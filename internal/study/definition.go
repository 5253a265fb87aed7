package study

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Definition is everything an admin decides about a study, except the question set. It does not change after
// launch.
type Definition struct {
	Title    string
	Slug     string // names the study in links: /s/{slug}
	Language string // BCP 47, for the pages' lang attribute and catalogue
	Contact  string // contact for participants; shown on pages that cannot continue

	Recruitment Recruitment
	Flow        []Block
	Checks      []Check
	Quotas      []Quota

	// SecondRound lets a person who finished with fewer votes than asked for return by the same link once
	// there are statements to vote on.
	SecondRound bool

	// Sent says which of the participants' answers may be sent to language models, which usually run on other
	// people's servers. The consent must say so. Participants' identities are never sent.
	Sent []Sent
}

// Sent is a kind of answer that may be sent to a language model.
type Sent string

const (
	SendFreeResponses Sent = "free_responses"
	SendDemographics  Sent = "demographics"
	SendRatings       Sent = "ratings"
)

// SentKinds lists all kinds.
var SentKinds = []Sent{SendFreeResponses, SendDemographics, SendRatings}

// Recruitment says how people arrive, how long they may take and how they return to the recruiter.
type Recruitment struct {
	Parameters ParameterNames
	Codes      map[Outcome]string // completion code for each outcome
	Minutes    int                // estimated time for the whole study

	// ReservationMinutes is how long an assignment stays reserved after the
	// person's last answer.
	ReservationMinutes int

	// SignedLinks admits only people whose link Prolific has signed.
	SignedLinks bool

	// Resubmission allows another submission by a person who has already finished one.
	Resubmission bool
}

// ParameterNames are the query parameters that carry the recruiter's ids.
type ParameterNames struct{ Participant, Study, Submission string }

// Block is one part of the flow; exactly one of the pointers is set.
type Block struct {
	Consent  *Consent
	Survey   *Survey
	Overton  *Overton
	Feedback *Feedback
}

// Consent is the text that a person must accept to continue.
type Consent struct{ Markdown string }

// Overton is the block in which people give their view, rate the model
// responses and vote on each other's statements.
type Overton struct {
	QuestionsPerParticipant int
	ParticipantsPerQuestion int // target of complete submissions for each question
	ResponsesPerQuestion    int // 0: all
	VotesPerQuestion        int
	Moderation              Moderation
	Stance                  bool // ask which endpoint is closer, where a question has two
	Importance              bool
	MinWords                int // of a free response; 1 requires only that there is one
}

// Feedback asks for an optional comment before the end.
type Feedback struct{}

// Moderation says when other people may see a statement.
type Moderation string

const (
	ModerationBefore Moderation = "before" // after someone accepted it
	ModerationAfter  Moderation = "after"  // at once, until someone rejects it
	ModerationOff    Moderation = "off"    // at once; nobody is asked to review it
)

// Check is an instructed-response item: the person is asked in plain words to choose one point of the rating
// scale. It comes after the participant's After-th question.
type Check struct {
	After  int
	Text   string
	Answer string // "1" to "5"
}

// Quota limits how many people with each answer to a survey item take part.
type Quota struct {
	Variable string // item id
	Targets  map[string]int
}

// Outcome is how a submission ended. The zero value means that it has not.
type Outcome string

const (
	InProgress   Outcome = ""
	Completed    Outcome = "completed"
	NoConsent    Outcome = "no_consent"
	ScreenedOut  Outcome = "screened_out"
	FailedChecks Outcome = "failed_checks"
	OverQuota    Outcome = "over_quota"
	TimedOut     Outcome = "timed_out" // the reservation expired and went to someone else
	Returned     Outcome = "returned"  // left, and came back with another submission
	Withdrawn    Outcome = "withdrawn"
)

// Code is the completion code to show for an outcome. An outcome without a code of its own uses the nearest
// one: a person whose place went to someone else is over quota, one who withdrew did not consent.
func (r Recruitment) Code(o Outcome) string {
	switch o {
	case TimedOut:
		o = OverQuota
	case Withdrawn:
		o = NoConsent
	}
	return r.Codes[o]
}

// Overton returns the study's overton block, or nil if it has none.
func (d *Definition) Overton() *Overton {
	for _, b := range d.Flow {
		if b.Overton != nil {
			return b.Overton
		}
	}
	return nil
}

// Survey returns the survey that asks an instrument, or nil.
func (d *Definition) Survey(instrument string) *Survey {
	for _, b := range d.Flow {
		if b.Survey != nil && b.Survey.Instrument == instrument {
			return b.Survey
		}
	}
	return nil
}

// item finds a survey item by its id alone, as quotas name items.
func (d *Definition) item(id string) (instrument string, it Item, ok bool) {
	for _, b := range d.Flow {
		if b.Survey == nil {
			continue
		}
		for _, it := range b.Survey.Items {
			if it.ID == id {
				return b.Survey.Instrument, it, true
			}
		}
	}
	return "", Item{}, false
}

// Fault is one thing wrong in a definition. Path is its location in study.yaml, such as
// "flow[2].overton.votes_per_question".
type Fault struct{ Path, Message string }

var slugPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Faults lists everything wrong with a definition for a set of n questions.
func (d *Definition) Faults(questions int) []Fault {
	var faults []Fault
	fault := func(path, format string, args ...any) {
		faults = append(faults, Fault{path, fmt.Sprintf(format, args...)})
	}
	if strings.TrimSpace(d.Title) == "" {
		fault("title", "is missing; expected the study's name as participants see it")
	}
	if !slugPattern.MatchString(d.Slug) {
		fault("slug", "is %q; expected 1 to 63 of a-z, 0-9 and -, not starting with -", d.Slug)
	}
	d.recruitmentFaults(fault)
	d.flowFaults(questions, fault)
	d.checkFaults(fault)
	d.quotaFaults(fault)
	return faults
}

// tellFault notes that what is at a path cannot stand.
type tellFault func(path, format string, args ...any)

func (fault tellFault) atLeast(path string, got, least int) {
	if got < least {
		fault(path, "is %d; expected %d or more", got, least)
	}
}

func (d *Definition) recruitmentFaults(fault tellFault) {
	fault.atLeast("recruitment.minutes", d.Recruitment.Minutes, 1)
	fault.atLeast("recruitment.reservation_minutes", d.Recruitment.ReservationMinutes, 1)
	seen := map[string]Outcome{}
	for _, o := range []Outcome{Completed, NoConsent, ScreenedOut, FailedChecks, OverQuota} {
		code := d.Recruitment.Codes[o]
		if code == "" {
			continue
		}
		if twin, twice := seen[code]; twice {
			fault("recruitment.prolific.codes."+string(o), "is %q, the same as %s; expected one code for each outcome", code, twin)
		}
		seen[code] = o
	}
	for o := range d.Recruitment.Codes {
		if !slices.Contains([]Outcome{Completed, NoConsent, ScreenedOut, FailedChecks, OverQuota}, o) {
			fault("recruitment.prolific.codes."+string(o), "is not an outcome; expected completed, no_consent, "+
				"screened_out, failed_checks or over_quota")
		}
	}
	if d.Recruitment.Codes[Completed] == "" {
		fault("recruitment.prolific.codes.completed", "is missing; expected the completion code from the recruiter")
	}
}

func (d *Definition) flowFaults(questions int, fault tellFault) {
	if len(d.Flow) == 0 {
		fault("flow", "is empty; expected blocks such as consent, survey, overton, feedback")
	}
	overtons := 0
	instruments := map[string]bool{}
	var earlier []*Survey
	for i, b := range d.Flow {
		at := fmt.Sprintf("flow[%d]", i)
		switch {
		case b.Consent != nil:
			if i != 0 {
				fault(at+".consent", "comes after another block; expected consent to come first")
			}
			if strings.TrimSpace(b.Consent.Markdown) == "" {
				fault(at+".consent.file", "has no text; expected the text that people are asked to accept")
			}
		case b.Survey != nil:
			if instruments[b.Survey.Instrument] {
				fault(at+".survey.instrument", "is %q again; expected each instrument once", b.Survey.Instrument)
			}
			instruments[b.Survey.Instrument] = true
			b.Survey.faults(at+".survey", earlier, fault)
			b.Survey.screenFaults(at+".survey", d.Recruitment.Codes, fault)
			earlier = append(earlier, b.Survey)
		case b.Overton != nil:
			if overtons++; overtons > 1 {
				fault(at+".overton", "is the second overton block; expected at most one")
			}
			at += ".overton."
			o := b.Overton
			fault.atLeast(at+"questions_per_participant", o.QuestionsPerParticipant, 1)
			if o.QuestionsPerParticipant > questions {
				fault(at+"questions_per_participant", "is %d, but the question set has %d", o.QuestionsPerParticipant, questions)
			}
			fault.atLeast(at+"participants_per_question", o.ParticipantsPerQuestion, 1)
			fault.atLeast(at+"responses_per_question", o.ResponsesPerQuestion, 0)
			fault.atLeast(at+"votes_per_question", o.VotesPerQuestion, 0)
			fault.atLeast(at+"min_words", o.MinWords, 1)
			if !slices.Contains([]Moderation{ModerationBefore, ModerationAfter, ModerationOff}, o.Moderation) {
				fault(at+"moderation", "is %q; expected before, after or off", o.Moderation)
			}
		}
	}
}

func (d *Definition) checkFaults(fault tellFault) {
	for i, c := range d.Checks {
		at := fmt.Sprintf("checks[%d].instructed.", i)
		o := d.Overton()
		switch {
		case o == nil:
			fault(at+"after", "needs an overton block")
		case c.After < 1 || c.After > o.QuestionsPerParticipant:
			fault(at+"after", "is %d; expected the number of a participant's question, 1 to %d", c.After, o.QuestionsPerParticipant)
		}
		if strings.TrimSpace(c.Text) == "" {
			fault(at+"text", "is missing; expected the instruction to show to people")
		}
		if !slices.Contains(scale, c.Answer) {
			fault(at+"answer", "is %q; expected 1 to 5", c.Answer)
		}
	}
}

func (d *Definition) quotaFaults(fault tellFault) {
	for i, q := range d.Quotas {
		at := fmt.Sprintf("quotas[%d]", i)
		_, item, ok := d.item(q.Variable)
		if !ok {
			fault(at+".variable", "is %q, which no survey in this study asks", q.Variable)
			continue
		}
		for _, value := range sortedKeys(q.Targets) {
			if !slices.Contains(item.Options, value) {
				fault(at+".targets."+value, "is not an option of %s; expected one of %s", q.Variable, strings.Join(item.Options, ", "))
			}
			fault.atLeast(at+".targets."+value, q.Targets[value], 0)
		}
	}
}

// formFields are the hidden fields of every page's form; no item can have these names.
var formFields = []string{"token", "active", "trail"}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
