package study

import "math"

// Design is the numbers of a study from which a plan follows.
type Design struct {
	Questions               int `json:"questions"`
	QuestionsPerParticipant int `json:"questions_per_participant"`
	ParticipantsPerQuestion int `json:"participants_per_question"`
	Models                  int `json:"models"`    // models that respond to a question
	Responses               int `json:"responses"` // of them rated by each person
	Votes                   int `json:"votes_per_question"`
	Seeds                   int `json:"seeds"`        // on the question with the fewest
	SurveyItems             int `json:"survey_items"` // most that one person is asked
	Consents                int `json:"consents"`     // pages of consent
	Checks                  int `json:"checks"`
	Feedbacks               int `json:"feedbacks"` // pages that ask for a comment
}

// Design reads the numbers from a study.
func (s *Study) Design() Design {
	d := Design{Questions: len(s.Questions.Questions), Checks: len(s.Checks)}
	for _, b := range s.Flow {
		switch {
		case b.Consent != nil:
			d.Consents++
		case b.Survey != nil:
			d.SurveyItems += b.Survey.MostItems()
		case b.Feedback != nil:
			d.Feedbacks++
		}
	}
	o := s.Overton()
	if o == nil {
		d.Questions = 0
		return d
	}
	d.QuestionsPerParticipant, d.ParticipantsPerQuestion, d.Votes = o.QuestionsPerParticipant, o.ParticipantsPerQuestion, o.VotesPerQuestion
	responses, seeds := map[string]int{}, map[string]int{}
	for _, r := range s.Questions.Responses {
		responses[r.Question]++
		d.Models = max(d.Models, responses[r.Question])
	}
	for _, seed := range s.Questions.Seeds {
		seeds[seed.Question]++
	}
	d.Seeds = len(s.Questions.Seeds)
	for _, q := range s.Questions.Questions {
		d.Seeds = min(d.Seeds, seeds[q.ID])
	}
	d.Responses = d.Models
	if o.ResponsesPerQuestion > 0 {
		d.Responses = min(d.Models, o.ResponsesPerQuestion)
	}
	return d
}

// Pace is how long people take for one page of a kind, or for one item of a survey.
type Pace struct {
	Seconds float64 `json:"seconds"` // the median
	Source  string  `json:"source"`  // source of the number
}

// Sources of DefaultPaces.
const (
	fromPilot = "OvertonBench pilot, June 2025, 100 people"
	assumed   = "assumed, not measured"
)

// DefaultPaces are the medians of the OvertonBench pilot if it had such a page: consent 7 s; stance 19 s and
// view with importance 78 s, one page here; a rating 35 s, including highlighting; 219 s for 20 survey items.
// It had no votes, checks or comments.
func DefaultPaces() map[StepKind]Pace {
	return map[StepKind]Pace{
		StepConsent:      {7, fromPilot},
		StepSurvey:       {11, fromPilot},
		StepInstructions: {20, assumed},
		StepView:         {97, fromPilot},
		StepRating:       {35, fromPilot},
		StepVote:         {10, assumed},
		StepCheck:        {8, assumed},
		StepFeedback:     {15, assumed},
	}
}

// In the pilot the median of a person's whole time on screen was 29.4 minutes, 1.3 times the sum of the
// pages' medians (22.6): times are skewed, and a few long pages make up the difference. The median time until
// the code reached the recruiter was another 2.2 minutes.
const (
	skew       = 1.3
	aroundMins = 2.2
)

// Terms are what recruiting costs, and how many people drop out.
type Terms struct {
	HourlyPay float64 `json:"hourly_pay"`
	Fee       float64 `json:"fee"` // the recruiter's, as a share of the pay

	// Returned is the share of those who start and return their place, which the recruiter then offers to
	// someone else. Unfinished is the share of the others who neither finish nor return.
	Returned   float64 `json:"returned"`
	Unfinished float64 `json:"unfinished"`

	// MinVotes is how many votes an analysis needs from a person.
	MinVotes int `json:"min_votes"`
}

// DefaultTerms have the pilot's losses: of 119 submissions 16 were returned, and 3 of the other 103 timed
// out. The pay is the minimum that Prolific recommends, in dollars. The researcher has to look up the fee.
func DefaultTerms(minVotes int) Terms {
	return Terms{HourlyPay: 12, Fee: 1.0 / 3, Returned: 16.0 / 119, Unfinished: 3.0 / 103, MinVotes: minVotes}
}

// Plan is what follows from a study's numbers.
type Plan struct {
	Design Design `json:"design"`
	Terms  Terms  `json:"terms"`

	Participants int `json:"participants"` // people who must finish to fill every question
	Places       int `json:"places"`       // people to recruit, allowing for those who do not finish
	Starts       int `json:"starts"`       // people who start, including those who return their place

	Ratings            int     `json:"ratings"`              // collected in all
	RatingsPerResponse float64 `json:"ratings_per_response"` // people who rate each model response
	Votes              int     `json:"votes"`                // collected in all, if nobody skips
	VotesPerStatement  float64 `json:"votes_per_statement"`  // on average
	EarlyPeople        int     `json:"early_people"`         // on each question, who arrive first and find fewer statements than MinVotes
	Margin             float64 `json:"margin"`               // half width of the 95 % interval of a group's share of one half

	Work    []Work  `json:"work"`
	Screen  float64 `json:"screen_minutes"` // median, on screen
	Minutes int     `json:"minutes"`        // until the recruiter has the code

	Reward float64 `json:"reward"` // of one person
	Pay    float64 `json:"pay"`    // of all places
	Cost   float64 `json:"cost"`   // with the fee
}

// Work is the pages of one kind that a person sees, and their time.
type Work struct {
	Kind  StepKind `json:"kind"`
	Count int      `json:"count"` // pages; of a survey, items
	Pace
	Minutes float64 `json:"minutes"`
}

// Plan computes what follows from the numbers of a design. Numbers that make no sense, such as no questions
// per person, count as no work.
func (d Design) Plan(paces map[StepKind]Pace, t Terms) Plan {
	p := Plan{Design: d, Terms: t}
	perPerson := max(0, d.QuestionsPerParticipant)
	if perPerson > 0 {
		p.Participants = (max(0, d.Questions)*max(0, d.ParticipantsPerQuestion) + perPerson - 1) / perPerson
	}
	p.Places = inflated(p.Participants, t.Unfinished)
	p.Starts = inflated(p.Places, t.Returned)

	p.Ratings = p.Participants * perPerson * d.Responses
	if d.Models > 0 {
		p.RatingsPerResponse = float64(d.ParticipantsPerQuestion) * float64(d.Responses) / float64(d.Models)
	}
	people := d.ParticipantsPerQuestion
	onQuestion := 0
	for j := range people { // a person who arrives after j others finds their statements and the seeds
		found := min(d.Votes, d.Seeds+j)
		onQuestion += found
		if d.Votes > 0 && found < t.MinVotes {
			p.EarlyPeople++
		}
	}
	p.Votes = d.Questions * onQuestion
	if statements := d.Seeds + people; statements > 0 {
		p.VotesPerStatement = float64(onQuestion) / float64(statements)
	}
	if people > 0 {
		p.Margin = 1.96 * math.Sqrt(0.25/float64(people))
	}

	instructions := min(1, perPerson)
	for _, w := range []Work{
		{Kind: StepConsent, Count: d.Consents}, {Kind: StepSurvey, Count: d.SurveyItems}, {Kind: StepInstructions, Count: instructions},
		{Kind: StepView, Count: perPerson}, {Kind: StepRating, Count: perPerson * d.Responses}, {Kind: StepVote, Count: perPerson * d.Votes},
		{Kind: StepCheck, Count: d.Checks}, {Kind: StepFeedback, Count: d.Feedbacks},
	} {
		if w.Count <= 0 {
			continue
		}
		w.Pace = paces[w.Kind]
		w.Minutes = float64(w.Count) * w.Seconds * skew / 60
		p.Screen += w.Minutes
		p.Work = append(p.Work, w)
	}
	p.Minutes = int(math.Ceil(p.Screen + aroundMins))
	p.Reward = t.HourlyPay * float64(p.Minutes) / 60
	p.Pay = p.Reward * float64(p.Places)
	p.Cost = p.Pay * (1 + t.Fee)
	return p
}

// inflated is how many must start for n to remain when a share of them is lost.
func inflated(n int, lost float64) int {
	if !(lost > 0 && lost < 1) {
		return n
	}
	return int(math.Ceil(float64(n)/(1-lost) - 1e-9))
}

// PeopleForMargin is how many people a question needs for the 95 % interval of a group's share, at one half,
// to extend at most margin on either side.
func PeopleForMargin(margin float64) int {
	return int(math.Ceil(1.96 * 1.96 * 0.25 / (margin * margin)))
}
