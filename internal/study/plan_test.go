package study

import (
	"math"
	"testing"
)

// The pilot as its report describes it: 300 items of 30 topics, 3 a person,
// 8 responses each, 20 survey items, no votes.
var pilot = Design{Questions: 30, QuestionsPerParticipant: 3, ParticipantsPerQuestion: 10, Models: 8, Responses: 8, SurveyItems: 20, Consents: 1}

func near(a, b, within float64) bool { return math.Abs(a-b) <= within }

func TestAPlanFindsThePilotAsItWas(t *testing.T) {
	t.Parallel()
	paces := DefaultPaces()
	paces[StepInstructions] = Pace{} // were not timed
	p := pilot.Plan(paces, DefaultTerms(7))
	if p.Participants != 100 || p.Ratings != 2400 || p.RatingsPerResponse != 10 {
		t.Errorf("%d people, %d ratings, %g a response; want 100, 2400, 10", p.Participants, p.Ratings, p.RatingsPerResponse)
	}
	// Medians of the pilot: 29.4 minutes on screen.
	if !near(p.Screen, 29.4, 0.2) {
		t.Errorf("%.2f minutes on screen, want 29.4", p.Screen)
	}
	// 119 began; the order for 100 makes up for 3 of 103, and 16 of 119 return.
	if p.Places != 103 || p.Starts != 119 {
		t.Errorf("%d places, %d starts; want 103, 119", p.Places, p.Starts)
	}
	if p.Votes != 0 || p.VotesPerStatement != 0 {
		t.Errorf("votes %d, %g", p.Votes, p.VotesPerStatement)
	}
}

func TestAPlanCountsVotesAsPeopleComeOneByOne(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		seeds, people, votes int
		total, early         int
		perStatement         float64
	}{
		{0, 4, 2, 0 + 1 + 2 + 2, 4, 5.0 / 4},
		{3, 4, 9, 3 + 4 + 5 + 6, 4, 18.0 / 7},
		{7, 3, 9, 7 + 8 + 9, 0, 24.0 / 10},
		{0, 10, 8, 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 8, 7, 44.0 / 10},
		{20, 10, 6, 60, 10, 2},
		{0, 0, 5, 0, 0, 0},
		{3, 5, 0, 0, 0, 0}, // without votes there is nothing to be early for
	} {
		d := Design{Questions: 2, QuestionsPerParticipant: 1, ParticipantsPerQuestion: tt.people, Votes: tt.votes, Seeds: tt.seeds}
		p := d.Plan(DefaultPaces(), DefaultTerms(7))
		if p.Votes != 2*tt.total || p.EarlyPeople != tt.early || !near(p.VotesPerStatement, tt.perStatement, 1e-12) {
			t.Errorf("%+v: %d votes, %d early, %g a statement", tt, p.Votes, p.EarlyPeople, p.VotesPerStatement)
		}
	}
}

func TestAPlanCosts(t *testing.T) {
	t.Parallel()
	d := Design{Questions: 10, QuestionsPerParticipant: 2, ParticipantsPerQuestion: 21, Consents: 1}
	p := d.Plan(map[StepKind]Pace{StepConsent: {Seconds: 60}, StepView: {Seconds: 300}}, Terms{HourlyPay: 9, Fee: 0.5})
	// 11 minutes of medians × 1.3 + 2.2 = 16.5, so 17; 17/60 of 9 is 2.55.
	if p.Participants != 105 || p.Places != 105 || p.Minutes != 17 || !near(p.Reward, 2.55, 1e-9) || !near(p.Pay, 267.75, 1e-9) || !near(p.Cost, 401.625, 1e-9) {
		t.Errorf("%+v", p)
	}
	if len(p.Work) != 3 { // consent, instructions, views
		t.Errorf("work %+v", p.Work)
	}
}

func TestAPlanOfNonsenseIsNoNonsense(t *testing.T) {
	t.Parallel()
	for _, d := range []Design{{}, {Questions: 5}, {Questions: -1, QuestionsPerParticipant: -2, ParticipantsPerQuestion: -3, Votes: -1, Seeds: -4, Models: -1, Responses: 4}} {
		p := d.Plan(nil, Terms{Fee: math.Inf(1), Returned: 1, Unfinished: 2})
		for name, x := range map[string]float64{"margin": p.Margin, "screen": p.Screen, "votes": p.VotesPerStatement, "reward": p.Reward} {
			if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
				t.Errorf("%+v: %s is %g", d, name, x)
			}
		}
		if p.Participants < 0 || p.Places < 0 || p.Votes < 0 {
			t.Errorf("%+v: %+v", d, p)
		}
	}
}

func TestAMarginSaysHowManyPeople(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 24, 60, 97, 385} {
		d := Design{Questions: 1, QuestionsPerParticipant: 1, ParticipantsPerQuestion: n}
		if got := PeopleForMargin(d.Plan(nil, Terms{}).Margin + 1e-12); got != n {
			t.Errorf("%d people lead to a margin that %d have", n, got)
		}
	}
}

func TestADesignIsReadOffAStudy(t *testing.T) {
	t.Parallel()
	s := sample(4)
	s.Questions.Seeds = []Seed{{"q1", "a"}, {"q1", "b"}}
	d := s.Design()
	o := s.Overton()
	if d.Questions != 4 || d.QuestionsPerParticipant != o.QuestionsPerParticipant || d.Votes != o.VotesPerQuestion || d.Consents != 1 || d.SurveyItems != 3 || d.Seeds != 0 ||
		d.Models != len(s.Questions.Models(s.Questions.Questions[0].ID)) {
		t.Errorf("%+v", d)
	}
	o.ResponsesPerQuestion = 1
	if d := s.Design(); d.Responses != 1 {
		t.Errorf("%d responses to rate, want 1", d.Responses)
	}
}
