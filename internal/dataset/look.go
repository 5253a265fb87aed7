package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"overton/internal/cluster"
	"overton/internal/study"
)

// Places is how many people a study needs: enough to fill every question.
func (s *Study) Places() int {
	o := s.Overton()
	if o == nil {
		return 0
	}
	return (len(s.Questions.Questions)*o.ParticipantsPerQuestion + o.QuestionsPerParticipant - 1) / o.QuestionsPerParticipant
}

// Pages is the largest number of pages that one person sees, including the end page. There are fewer if
// statements run out or questions have different numbers of responses.
func (s *Study) Pages() int {
	pages := len(s.Checks) + 1
	for _, b := range s.Flow {
		switch {
		case b.Survey != nil:
			pages += b.Survey.MostPages()
		case b.Overton != nil:
			responses := b.Overton.ResponsesPerQuestion
			if responses == 0 {
				for _, n := range s.responsesPerQuestion() {
					responses = max(responses, n)
				}
			}
			pages += 1 + b.Overton.QuestionsPerParticipant*(1+responses+b.Overton.VotesPerQuestion)
		default:
			pages++
		}
	}
	return pages
}

// responsesPerQuestion counts the responses to each question.
func (s *Study) responsesPerQuestion() map[string]int {
	n := map[string]int{}
	for _, r := range s.Questions.Responses {
		n[r.Question]++
	}
	return n
}

// Gap is something that should be fixed before people take part. The study can still be launched, for a
// rehearsal.
type Gap struct {
	Name string // what is missing: consent, privacy, contact, codes or texts
	Text string
}

// Gaps lists what is missing, or still the example's.
func (s *Study) Gaps() (gaps []Gap) {
	gap := func(name, format string, args ...any) { gaps = append(gaps, Gap{name, fmt.Sprintf(format, args...)}) }
	consent := ""
	for _, b := range s.Flow {
		if b.Consent != nil {
			consent = b.Consent.Markdown
		}
	}
	english := s.Language == "en" || strings.HasPrefix(s.Language, "en-")
	switch {
	case consent == "":
		gap("consent", "nobody is asked for consent: the flow has no consent block")
	case strings.Contains(consent, exampleConsent):
		gap("consent", "the consent text is still the example's; use the one that your ethics board approved")
	case english && !privacyWords.MatchString(consent):
		gap("privacy", "the consent text has no privacy note: it does not say what happens to people's data")
	}
	switch s.Contact {
	case "":
		gap("contact", "no contact is given, so people who cannot continue do not know whom to write to")
	case exampleContact:
		gap("contact", "the contact is still the example's")
	}
	for _, need := range []struct {
		outcome study.Outcome
		when    bool
		who     string
	}{
		{study.NoConsent, consent != "", "people who decline"},
		{study.FailedChecks, len(s.Checks) > 0, "people who fail the checks"},
		{study.OverQuota, s.Overton() != nil || len(s.Quotas) > 0, "people who arrive when all places are taken"},
	} {
		if need.when && s.Recruitment.Codes[need.outcome] == "" {
			gap("codes", "there is no code %s, so %s return without a code", need.outcome, need.who)
		}
	}
	if strings.HasPrefix(s.Recruitment.Codes[study.Completed], exampleCode) {
		gap("codes", "the completion codes are still the example's, which no recruiter knows")
	}
	return gaps
}

// What distinguishes the example's texts from an admin's own.
const (
	exampleConsent = "Replace this text with the one that your ethics board approved"
	exampleContact = "you@example.org"
	exampleCode    = "EXAMPLE"
)

// privacyWords: any English text about people's data has at least one of them.
var privacyWords = regexp.MustCompile(`(?i)privacy|confidential|anonym|pseudonym|\bdata\b|your (answers|responses|name)|personal information`)

// Doubts lists what looks wrong in a study but does not prevent its launch.
func (s *Study) Doubts() []string {
	return slices.Concat(s.doubtfulRecruitment(), s.doubtfulNumbers(), s.doubtfulTexts())
}

func (s *Study) doubtfulRecruitment() (doubts []string) {
	if r := s.Recruitment; r.ReservationMinutes < r.Minutes {
		doubts = append(doubts, fmt.Sprintf("a place is released %d minutes after the last answer, which is less than the %d minutes that the study is estimated to take", r.ReservationMinutes, r.Minutes))
	}
	return doubts
}

func (s *Study) doubtfulNumbers() (doubts []string) {
	if n, needed := len(s.Checks), s.ChecksToFail(); n > 0 && n < needed {
		doubts = append(doubts, fmt.Sprintf("nobody can fail the checks: a study of %d minutes needs %d failed checks, but has %d", s.Recruitment.Minutes, needed, n))
	}
	if plan := s.Design().Plan(study.DefaultPaces(), study.Terms{}); s.Recruitment.Minutes*3 < plan.Minutes*2 || s.Recruitment.Minutes > 2*plan.Minutes {
		doubts = append(doubts, fmt.Sprintf("people are told that the study takes %d minutes, but its pages are likely to take about %d", s.Recruitment.Minutes, plan.Minutes))
	}
	for _, q := range s.Quotas {
		most := 0
		for _, value := range slices.Sorted(maps.Keys(q.Targets)) {
			n := q.Targets[value]
			most += n
			if places := s.Places(); places > 0 && n > places {
				doubts = append(doubts, fmt.Sprintf("the quota on %s admits %d people who are %q, but there are only %d places", q.Variable, n, value, places))
			}
		}
		if everyone := len(q.Targets) == s.options(q.Variable); everyone && most < s.Places() {
			doubts = append(doubts, fmt.Sprintf("the quota on %s admits %d people, but filling every question takes %d", q.Variable, most, s.Places()))
		}
	}
	o := s.Overton()
	if o == nil || o.VotesPerQuestion == 0 {
		return doubts
	}
	seeds := map[string]int{}
	for _, seed := range s.Questions.Seeds {
		seeds[seed.Question]++
	}
	var without []string
	fewest := -1
	for _, q := range s.Questions.Questions {
		if seeds[q.ID] == 0 {
			without = append(without, q.ID)
		}
		if fewest < 0 || seeds[q.ID] < fewest {
			fewest = seeds[q.ID]
		}
	}
	if len(without) > 0 && !s.SecondRound {
		doubts = append(doubts, fmt.Sprintf("without a seed, the first participants have nothing to vote on: question %s", list(without)))
	}
	if there := o.ParticipantsPerQuestion - 1 + fewest; there < o.VotesPerQuestion {
		doubts = append(doubts, fmt.Sprintf("%d votes are asked for on each question, but even the last person finds only %d statements", o.VotesPerQuestion, there))
	}
	if needed := cluster.DefaultOptions().MinVotes; o.VotesPerQuestion < needed {
		doubts = append(doubts, fmt.Sprintf("%d votes are asked for on each question, but by default an analysis leaves out people with fewer than %d", o.VotesPerQuestion, needed))
	}
	return doubts
}

// options is how many options a survey item has.
func (s *Study) options(item string) int {
	for _, in := range s.Instruments {
		if it, ok := in.Item(item); ok {
			return len(it.Options)
		}
	}
	return 0
}

func (s *Study) doubtfulTexts() (doubts []string) {
	look := func(what, text string) {
		if garbled(text) {
			doubts = append(doubts, what+" was garbled by a wrong encoding: "+fmt.Sprintf("%q", around(text)))
		}
	}
	twin := map[string]string{}
	for _, q := range s.Questions.Questions {
		look("question "+q.ID, q.Text+"\n"+q.Option1+"\n"+q.Option2)
		if first, twice := twin[q.Text]; twice {
			doubts = append(doubts, fmt.Sprintf("questions %s and %s are the same", first, q.ID))
		}
		twin[q.Text] = cmp.Or(twin[q.Text], q.ID)
	}
	type said struct{ question, text string }
	same := map[said]string{}
	tells := s.tells()
	for _, r := range s.Questions.Responses {
		look(fmt.Sprintf("the response of %s to question %s", r.Model, r.Question), r.Text)
		at := said{r.Question, r.Text}
		if first, twice := same[at]; twice {
			doubts = append(doubts, fmt.Sprintf("the responses of %s and %s to question %s are the same", first, r.Model, r.Question))
		}
		same[at] = cmp.Or(same[at], r.Model)
		for _, word := range words(r.Text) {
			if tells[word] {
				doubts = append(doubts, fmt.Sprintf("the response of %s to question %s says %q, which may reveal which model wrote it", r.Model, r.Question, word))
				break
			}
		}
	}
	for _, seed := range s.Questions.Seeds {
		look("a seed of question "+seed.Question, seed.Text)
	}
	return doubts
}

// tells are words that reveal a model: the first word of each model's name, such as claude or gpt.
func (s *Study) tells() map[string]bool {
	tells := map[string]bool{}
	for _, r := range s.Questions.Responses {
		if name := words(r.Model); len(name) > 0 && len(name[0]) >= 3 && name[0] != "model" {
			tells[name[0]] = true
		}
	}
	return tells
}

// words splits a text into its words in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
}

// garbles are what UTF-8 looks like after being read as Windows-1252, and the replacement character.
var garbles = []string{"\uFFFD", "â€", "Ã¡", "Ã©", "Ã¨", "Ã¼", "Ã¶", "Ã¤", "Ã±", "Â "}

func garbled(text string) bool {
	return slices.ContainsFunc(garbles, func(g string) bool { return strings.Contains(text, g) })
}

// around cuts out the text around what is garbled.
func around(text string) string {
	for _, g := range garbles {
		if at := strings.Index(text, g); at >= 0 {
			before := []rune(text[:at])
			return string(before[max(0, len(before)-20):]) + shorten(text[at:], 20)
		}
	}
	return ""
}

// list joins names, and counts those beyond the eighth.
func list(names []string) string {
	if len(names) > 8 {
		return strings.Join(names[:8], ", ") + fmt.Sprintf(" and %d more", len(names)-8)
	}
	return strings.Join(names, ", ")
}
