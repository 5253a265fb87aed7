package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// MonitorPage shows where a launched study stands.
type MonitorPage struct {
	Page
	Now     *Snapshot // nil while it is counted for the first time
	Alarms  []study.Alarm
	Space   int64  // bytes left on a disk that is nearly full; 0: there is enough
	Link    string // by which people arrive
	Facts   []templates.Fact
	Changes []templates.Change // of the study's status, that the reader can make now
}

// Snapshot is where a study stood at one moment. It never changes.
type Snapshot struct {
	At              time.Time
	Traces          []*study.Trace // of all submissions, in the order they began
	People, Virtual Sample
}

// Sample is the people of a study, or its virtual participants.
type Sample struct {
	study.Summary
	store.Watched
	Coverage []study.Coverage // by question, in the order of the question set
	virtual  bool
}

// SampleOf joins what is known of people or of virtual participants.
func SampleOf(sum study.Summary, watched store.Watched, coverage []study.Coverage, virtual bool) Sample {
	return Sample{sum, watched, coverage, virtual}
}

// Section is a part of the monitor that changes while people take part. Its
// content is one element with the id, by which live.js puts a newer one in place.
type Section struct {
	ID      string
	Content templ.Component
}

// Sections are those of a monitor, in the order of the page. Before anything is
// counted most of them are empty.
func (p MonitorPage) Sections() []Section {
	var people Sample
	if p.Now != nil {
		people = p.Now.People
	}
	list := append([]Section{{"live-alarms", alarms(p)}}, p.of(people)...)
	return append(list, Section{"live-virtual", virtualSections(p)})
}

// of are the sections about people, or about virtual participants.
func (p MonitorPage) of(s Sample) []Section {
	list := []Section{
		{"people", people(p, s)}, {"funnel", funnel(p, s)}, {"times", times(s)},
		{"filling", filling(p, s)}, {"flags", flags(p, s)},
	}
	for i := range list {
		id := "live-" + list[i].ID
		if s.virtual {
			id = "live-virtual-" + list[i].ID
		}
		list[i] = Section{id, section(id, p.Now != nil, list[i].Content)}
	}
	return list
}

// label names a table, and tells apart that of people from that of virtual
// participants.
func (s Sample) label(name string) string {
	if s.virtual {
		return name + ", virtual participants"
	}
	return name
}

// bar is how wide n of all is in a bar that is 1000 wide.
func bar(n, of int) string { return strconv.Itoa(min(1000, n*1000/of)) }

// shownQuestions are the questions that a monitor shows: all of a few, else those
// that are furthest behind.
func (p MonitorPage) shownQuestions(s Sample) []QuestionProgress {
	const most = 20
	list := s.ByQuestion(p.Of)
	if len(list) <= most+5 {
		return list
	}
	slices.SortStableFunc(list, FurthestBehind)
	return list[:most]
}

// FurthestBehind compares questions by how many people are done with them, or
// on the way.
func FurthestBehind(a, b QuestionProgress) int {
	return cmp.Or(cmp.Compare(a.Done, b.Done), cmp.Compare(a.Live, b.Live))
}

// pay is what the reward comes to an hour, in words, and the least that the
// recruiter asks for; "" where they are not known. low says that it is less.
func (s Sample) pay() (pay, least string, low bool) {
	hourly := study.HourlyPay(s.Reward.Amount, s.Total.Median)
	if hourly <= 0 {
		return "", "", false
	}
	if l := study.LeastPay(s.Reward.Currency); l > 0 {
		least, low = fmt.Sprintf("%.2f", l), hourly < l
	}
	return fmt.Sprintf("%.2f %s", hourly, s.Reward.Currency), least, low
}

// Currencies are those of a reward.
var Currencies = []string{"GBP", "USD", "EUR"}

// amount is a reward as it is typed; "" where there is none.
func amount(r store.Reward) string {
	if r.Amount <= 0 {
		return ""
	}
	return strconv.FormatFloat(r.Amount, 'f', 2, 64)
}

// minor are the alarms that can wait until somebody next looks.
var minor = []study.AlarmKind{
	study.AlarmCellsFull, study.AlarmTimedOut, study.AlarmNoConsent, study.AlarmChecks, study.AlarmSlow, study.AlarmQuiet,
}

// alarmWords say what is wrong, and what to do.
func alarmWords(r study.Recruitment, a study.Alarm) (what, do string) {
	lately := fmt.Sprintf("%d of %d people who ended within a day ", a.N, a.Of)
	switch a.Kind {
	case study.AlarmFilled:
		return "Every place is filled, but people can still enter", "People who come now are sent back as over quota " +
			"and must be paid or return. Stop the study at the recruiter, then close it here."
	case study.AlarmNoPlaces:
		return "All places are taken for now", fmt.Sprintf("%d people hold the places that are not filled yet. Anyone else "+
			"is asked to try again later. Pause the study at the recruiter until some people finish. "+
			"Places also become free after %d minutes without an answer.", a.N, r.ReservationMinutes)
	case study.AlarmNoCode:
		outcome := strings.ToLower(templates.OutcomeName(a.Outcome))
		return fmt.Sprintf("%d people ended without a completion code (%s)", a.N, outcome),
			"The study has no code for this outcome, so these people cannot be sent back. " +
				"Tell them at the recruiter what to do. You can add a code in the next version of the study."
	case study.AlarmQueue:
		return fmt.Sprintf("%d statements are waiting for moderation, the oldest for %s", a.N, duration(a.Time)),
			fmt.Sprintf("%d people are taking part and have less to vote on until you decide.", a.Of)
	case study.AlarmCellsFull:
		return lately + "were over quota", "The recruiter sends people whose quota cells are full. " +
			"Restrict its screening to cells that still have places, or pause it."
	case study.AlarmTimedOut:
		return lately + "did not reach the end", "They left, came back too late, or came back with another submission. " +
			"See below where they leave: a page may be broken, or too long for its pay."
	case study.AlarmNoConsent:
		return lately + "did not consent", "Read the consent text as a newcomer would: something in it may put people off."
	case study.AlarmChecks:
		return lately + "failed the checks",
			"A check may be unclear or hard to see. Take the study yourself before you reject anyone."
	case study.AlarmSlow:
		return fmt.Sprintf("The study takes %s, but people are told %d minutes", duration(a.Time), r.Minutes),
			"Raise the reward at the recruiter so that people earn the hourly pay they were promised. " +
				"Correct the estimate there too."
	case study.AlarmPay:
		return fmt.Sprintf("People earn %.2f %s an hour, less than the %.2f that Prolific asks for",
				a.Pay, a.Currency, a.Least),
			"Raise the reward, or pay the difference as a bonus."
	case study.AlarmQuiet:
		return "No one has come for " + duration(a.Time),
			"Check that the study is active at the recruiter, and that its link is the one below."
	}
	return string(a.Kind), ""
}
