package setup

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"overton/internal/study"
	pages "overton/templates/setup"
)

// parseDecimal reads a number that people type, with a comma or a point.
func parseDecimal(typed string) (float64, error) {
	v, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(typed), ",", "."), 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = strconv.ErrRange
	}
	return v, err
}

// shortDecimal writes a number with one decimal, and a whole one without.
func shortDecimal(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

// planView words a plan. told is how many minutes people are told.
func planView(p study.Plan, told int) pages.PlanView {
	v := pages.PlanView{People: p.Participants, Minutes: p.Minutes}
	d := p.Design
	fact := func(name, value, format string, args ...any) {
		v.Lines = append(v.Lines, pages.PlanLine{Name: name, Value: value, Detail: fmt.Sprintf(format, args...)})
	}
	if d.Questions > 0 {
		fact("People who finish", strconv.Itoa(p.Participants), "%d questions × %d people ÷ %d questions a person", d.Questions, d.ParticipantsPerQuestion, d.QuestionsPerParticipant)
		fact("Places to order", strconv.Itoa(p.Places), "%s %% more, for those who do not finish; about %d people start, since %s %% give their place back", shortDecimal(100*p.Terms.Unfinished), p.Starts, shortDecimal(100*p.Terms.Returned))
		fact("Ratings of each response", shortDecimal(p.RatingsPerResponse), "%d ratings in all", p.Ratings)
		if d.Votes > 0 {
			fact("Votes on each statement", shortDecimal(p.VotesPerStatement), "in the mean; at most %d votes in all", p.Votes)
		}
		fact("A group's share", fmt.Sprintf("± %.0f points", 100*p.Margin), "95 %% interval of a group of half the people on a question")
	}
	fact("Minutes", strconv.Itoa(p.Minutes), "until the code is back; %s of them on screen", shortDecimal(p.Screen))
	if d.Questions > 0 {
		fact("Cost", fmt.Sprintf("%.2f", p.Cost), "%.2f a person, %.2f for all places, and the fee", p.Reward, p.Pay)
	}
	if d.Votes > 0 && p.EarlyPeople > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("The first %d people on each question find fewer than %d statements to vote on, so that they cannot be grouped unless they come back. %d seeds on each question would do.", p.EarlyPeople, p.Terms.MinVotes, p.Terms.MinVotes))
	}
	if told*3 < p.Minutes*2 || told > 2*p.Minutes {
		v.Notes = append(v.Notes, fmt.Sprintf("People are told %d minutes.", told))
	}
	for _, w := range p.Work {
		v.Work = append(v.Work, pages.WorkLine{Name: workNames[w.Kind], Count: w.Count, Seconds: shortDecimal(w.Seconds), Minutes: shortDecimal(w.Minutes), Source: w.Source})
	}
	return v
}

var workNames = map[study.StepKind]string{
	study.StepConsent: "Consent", study.StepSurvey: "Survey items", study.StepInstructions: "Instructions", study.StepView: "Own views",
	study.StepRating: "Ratings", study.StepVote: "Votes", study.StepCheck: "Checks", study.StepFeedback: "Comment",
}
