package sim

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"

	"overton/internal/study"
)

// What people are like, in addition to Options.
const (
	careless  = 0.04 // share of people who rate and vote without reading
	liked     = 0.10 // share of statements that every group agrees with
	hesitates = 0.10 // share of votes that are neutral regardless of the group
	skips     = 0.02 // share of statements left without a vote
	spread    = 0.6  // standard deviation of a person's ratings around their group's mean

	// Shares of people who do each of these once.
	changesMind     = 0.15 // goes back and changes an answer
	changesBrowser  = 0.07 // opens the link in another browser and goes on there
	comesBack       = 0.10 // leaves and opens the link again
	reloadsAPage    = 0.25
	doubleClicks    = 0.25
	pressesTooEarly = 0.10 // sends a page without an answer
)

// population is the planted truth: who belongs to which group, and what each group believes. Every draw has
// its own generator, named by its purpose, so that nothing depends on the order in which pages come.
type population struct {
	seed    uint64
	groups  int
	noise   float64
	dropOut float64
	decline float64
	beliefs *Beliefs // may be nil
	surveys *Surveys // may be nil
}

func (p *population) rand(purpose string, about ...any) *rand.Rand {
	for _, a := range about {
		purpose += fmt.Sprintf("\x00%v", a)
	}
	return study.Rand(p.seed, purpose)
}

// shares are the groups' sizes: the first is the largest, each next one smaller by the same step.
func (p *population) shares() []float64 {
	shares := make([]float64, p.groups)
	for g := range shares {
		shares[g] = float64(p.groups-g) / float64(p.groups*(p.groups+1)/2)
	}
	return shares
}

// never is a point that nobody reaches.
const never = 101

// person is what a virtual participant is and will do. Points are percentages of the flow; never if they do
// not do it.
type person struct {
	number         int // from 1
	participant    string
	submission     string
	group          int
	place          float64 // on the line of the surveys' opinions
	careless       bool
	declines       bool
	leaves         float64
	changesMind    float64
	changesBrowser float64
	comesBack      float64
	reloads        float64
	doubleClicks   float64
	tooEarly       float64
}

func (p *population) person(n int) person {
	r := p.rand("person", n)
	id := fmt.Sprintf("virtual-%d-%d", p.seed, n)
	who := person{number: n, participant: id, submission: id + "-1"}
	at := r.Float64()
	for g, share := range p.shares() {
		who.group = g
		if at -= share; at < 0 {
			break
		}
	}
	sometime := func(share float64) float64 {
		does, when := r.Float64() < share, 90*r.Float64()
		if !does {
			return never
		}
		return when
	}
	who.careless = r.Float64() < careless
	who.declines = r.Float64() < p.decline
	who.leaves = sometime(p.dropOut)
	who.changesMind = sometime(changesMind)
	who.changesBrowser = sometime(changesBrowser)
	who.comesBack = sometime(comesBack)
	who.reloads = sometime(reloadsAPage)
	who.doubleClicks = sometime(doubleClicks)
	who.tooEarly = sometime(pressesTooEarly)
	if p.surveys != nil {
		who.place = p.surveys.place(who.group, p.rand("place", n))
	}
	return who
}

// stays says whether the person means to finish.
func (who person) stays() bool { return !who.declines && who.leaves == never }

// mean is a group's planted mean rating of a response.
func (p *population) mean(question, response string, group int) float64 {
	if p.beliefs != nil {
		if means, ok := p.beliefs.means[[2]string{question, response}]; ok {
			return means[group]
		}
	}
	return 1.2 + 3.6*p.rand("mean", question, response, group).Float64()
}

// rating is a person's answer to a response. version counts changes of mind.
func (p *population) rating(who person, question, response string, version int) string {
	r := p.rand("rating", who.number, question, response, version)
	if who.careless || r.Float64() < p.noise {
		return strconv.Itoa(1 + r.IntN(5))
	}
	return onScale(p.mean(question, response, who.group) + spread*r.NormFloat64())
}

func onScale(x float64) string { return strconv.Itoa(int(min(max(x+.5, 1), 5))) }

var stances = []string{study.StanceFirst, study.StanceSecond, study.StanceNeutral}

// stance is the endpoint that a person is closer to.
func (p *population) stance(who person, question string, version int) string {
	r := p.rand("stance", who.number, question, version)
	if r.Float64() < p.noise {
		return stances[r.IntN(3)]
	}
	if p.beliefs != nil && p.beliefs.stances[question] != nil && p.beliefs.stances[question][who.group] != "" {
		return p.beliefs.stances[question][who.group]
	}
	order := p.rand("stances", question).Perm(3)
	return stances[order[who.group%3]]
}

// importance is how much a question matters to a person.
func (p *population) importance(who person, question string, version int) string {
	mean := 2 + 3*p.rand("importance", question, who.group).Float64()
	return onScale(mean + p.rand("importance", who.number, question, version).NormFloat64())
}

// The sentences of people for whom there is no file. Each group has its own core on each question.
var (
	openers = []string{"To my mind", "As I see it", "After some thought I would say that", "Where I live, most would say that",
		"I have changed my view once, and now", "For my family", "Looking at the last ten years", "I am quite sure that"}
	cores = []string{
		"change has to come, and rather soon", "things had better stay as they are", "each town should decide for itself",
		"what counts is the cost in the end", "fairness has to come first", "people should be left free to choose",
		"those who know the matter should be asked first", "nobody should be forced into anything",
		"we should try it on a small scale before all else", "the young should have the last word",
	}
	closers = []string{"even if that takes time", "and I have seen it work", "whatever the papers say", "since nothing else has helped",
		"because somebody has to pay for it", "as my parents already held", "though I see the other side", "and that will not change"}
)

// tokens identify the group, the person and the version in a sentence made here, so that a reader can tell
// whose it is.
var tokens = regexp.MustCompile(`\(view (\d+)-\d+-\d+\)`)

// view is a person's free response. longer asks for more words than before.
func (p *population) view(who person, question string, version, longer int) string {
	r := p.rand("view", who.number, question, version)
	token := fmt.Sprintf("(view %d-%d-%d)", who.group, who.number, version)
	text := ""
	if p.beliefs != nil {
		texts := p.beliefs.views[question]
		if texts == nil || len(texts[who.group]) == 0 {
			texts = p.beliefs.any
		}
		if texts != nil {
			text = texts[who.group][r.IntN(len(texts[who.group]))]
		}
	}
	if text == "" {
		order := p.rand("cores", question).Perm(len(cores))
		text = fmt.Sprintf("%s %s, %s %s.", openers[r.IntN(len(openers))], cores[order[who.group]], closers[r.IntN(len(closers))], token)
	}
	for range longer {
		text += fmt.Sprintf(" %s there is more to it, %s %s.", openers[r.IntN(len(openers))], closers[r.IntN(len(closers))], token)
	}
	return text
}

// author is the group that a statement comes from, if its text tells.
func (p *population) author(question, statement string) (group int, known bool) {
	if m := tokens.FindStringSubmatch(statement); m != nil {
		group, err := strconv.Atoi(m[1])
		return group, err == nil && group < p.groups
	}
	if p.beliefs != nil {
		if group, known = p.beliefs.author[[2]string{question, statement}]; !known {
			group, known = p.beliefs.author[[2]string{"", statement}]
		}
	}
	return group, known
}

var votes = []string{study.Agree, study.Disagree, study.Neutral}

// vote is a person's vote on a statement: agreement with their own group, disagreement with others. If the
// author is not known (a seed, a real person), each group has a planted opinion about it.
func (p *population) vote(who person, question, statement string, version int) string {
	r := p.rand("vote", who.number, question, statement, version)
	switch {
	case r.Float64() < skips:
		return study.Skip
	case who.careless || r.Float64() < p.noise:
		return votes[r.IntN(3)]
	case r.Float64() < hesitates:
		return study.Neutral
	case p.rand("liked", question, statement).Float64() < liked:
		return study.Agree
	}
	author, known := p.author(question, statement)
	if !known {
		return votes[p.rand("opinion", question, statement, who.group).IntN(2)]
	}
	if author == who.group {
		return study.Agree
	}
	return study.Disagree
}

// pick is an answer to anything else: a random option, and another one for each version.
func (p *population) pick(who person, page, field string, options []string, version int) string {
	order := p.rand("pick", who.number, page, field).Perm(len(options))
	return options[order[version%len(options)]]
}

var digit = regexp.MustCompile(`\b[1-5]\b`)

// obey is the answer to an instructed check: the number named in its text.
func obey(instruction string, options []string) string {
	if n := digit.FindString(instruction); slices.Contains(options, n) {
		return n
	}
	return options[0]
}
