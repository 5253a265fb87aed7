package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"overton/internal/dataset/studyfile"
	"overton/internal/study"
)

// Options say whom to send where.
type Options struct {
	URL   string // of the site, such as https://example.org/studies
	Study string // its slug

	// Participants is how many should finish. Those who drop out or decline are extra.
	Participants int
	Seed         uint64
	Groups       int // planted; at most MostGroups
	Concurrency  int // people at the same time

	DropOut float64 // share of people who leave before the end
	Decline float64 // share of people who do not consent
	Noise   float64 // share of ratings, votes and stances that do not depend on the person's group

	Parameters study.ParameterNames // of the arrival link

	// Beliefs are what the groups say and think; nil makes them up.
	Beliefs *Beliefs

	// Surveyed is the study as in its files, whose surveys people answer from planted opinions; nil lets them
	// choose any answer.
	Surveyed *studyfile.Study

	Transport http.RoundTripper // nil: the network

	// ServerWait is how long to keep trying a site that does not answer, PlaceWait how long a person waits
	// who is told that all places are taken for now.
	ServerWait, PlaceWait time.Duration

	// Progress, if not nil, is called each time someone has finished.
	Progress func(finished int)
}

// mostGroups is how many groups can be distinguished by what they say.
const mostGroups = 10

func (o *Options) check() error {
	share := func(name string, x float64) error {
		if !(x >= 0 && x < 1) {
			return fmt.Errorf("%s is %g; expected a share from 0 to below 1", name, x)
		}
		return nil
	}
	switch {
	case o.Participants < 1:
		return fmt.Errorf("participants is %d; expected 1 or more", o.Participants)
	case o.Groups < 1 || o.Groups > mostGroups:
		return fmt.Errorf("groups is %d; expected 1 to %d", o.Groups, mostGroups)
	case o.Concurrency < 1:
		return fmt.Errorf("concurrency is %d; expected 1 or more", o.Concurrency)
	case o.Parameters.Participant == "" || o.Parameters.Submission == "":
		return errors.New("the arrival link needs names for its participant and submission parameters")
	}
	return cmp.Or(share("drop-out", o.DropOut), share("decline", o.Decline), share("noise", o.Noise),
		share("drop-out and decline together", o.DropOut+o.Decline))
}

// run is one run of Run.
type run struct {
	Options
	population *population
	study      *url.URL // of the study's pages
	transport  http.RoundTripper
	meter      meter
	patience   patience

	mu       sync.Mutex
	next     int   // number of the next person
	staying  int   // people who mean to finish, and have not been turned away
	inARow   int   // turned away one after another
	stop     error // why nobody else is sent
	finished int
	people   []Person
	summary  Summary
	texts    []string
	known    map[string]int // index of each text
}

// text is the index of a text in the truth.
func (r *run) text(s string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, ok := r.known[s]
	if !ok {
		i = len(r.texts)
		r.known[s] = i
		r.texts = append(r.texts, s)
	}
	return i
}

// Run sends virtual participants through a study until as many as requested have finished, or no place is
// left. The truth is also returned with an error: when people who meant to finish could not, the site cannot
// be reached, or the context ended.
func Run(ctx context.Context, o Options) (*Truth, error) {
	r, err := newRun(o)
	if err != nil {
		return nil, fmt.Errorf("simulating: %w", err)
	}
	if err := r.look(ctx); err != nil {
		return nil, fmt.Errorf("simulating: %w", err)
	}
	began := time.Now()
	var all sync.WaitGroup
	for range min(o.Concurrency, o.Participants) {
		all.Go(func() {
			for {
				who, ok := r.take(ctx)
				if !ok {
					return
				}
				r.send(ctx, who)
			}
		})
	}
	all.Wait()
	truth := r.truth(began, time.Now())
	switch failed := truth.Summary.Failed; {
	case ctx.Err() != nil:
		err = ctx.Err()
	case r.stop != nil:
		err = r.stop
	case failed > 0:
		err = fmt.Errorf("people who meant to finish but could not: %d; the first: %s", failed, r.firstFailure())
	case truth.Summary.Finished == 0:
		err = errors.New("nobody could finish: all places are taken")
	}
	if err != nil {
		err = fmt.Errorf("simulating: %w", err)
	}
	return truth, err
}

func newRun(o Options) (*run, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	base, err := url.Parse(strings.TrimRight(o.URL, "/") + "/")
	if err != nil {
		return nil, err
	}
	if base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("%q is not an address of a site; expected one such as http://127.0.0.1:8080", o.URL)
	}
	r := &run{Options: o, study: base.JoinPath("s", o.Study), transport: o.Transport, next: 1, texts: []string{""},
		known:      map[string]int{"": 0},
		patience:   patience{o.ServerWait, o.PlaceWait},
		population: &population{seed: o.Seed, groups: o.Groups, noise: o.Noise, dropOut: o.DropOut, decline: o.Decline}}
	if o.Beliefs != nil {
		if r.population.beliefs, err = o.Beliefs.forGroups(o.Groups); err != nil {
			return nil, err
		}
	}
	if o.Surveyed != nil {
		r.population.surveys = PlantSurveys(o.Surveyed, o.Groups, o.Seed)
	}
	if r.transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 2*o.Concurrency
		r.transport = t
	}
	return r, nil
}

func (r *run) newBrowser() *browser {
	return newBrowser(r.transport, r.study.Path+"/", &r.meter)
}

// look makes sure that the study exists before anyone is sent.
func (r *run) look(ctx context.Context) error {
	p, _, err := r.newBrowser().send(ctx, http.MethodGet, r.study, nil)
	if err != nil {
		return err
	}
	if p != nil && p.status == http.StatusNotFound {
		return fmt.Errorf("there is no study at %s", r.study)
	}
	return nil
}

// mostInARow is how many people in a row may be turned away because of their answers before nobody else is
// sent.
const mostInARow = 100

// take returns the next person to send.
func (r *run) take(ctx context.Context) (person, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil || r.stop != nil || r.staying >= r.Participants || r.inARow >= mostInARow {
		return person{}, false
	}
	who := r.population.person(r.next)
	r.next++
	if who.stays() {
		r.staying++
	}
	return who, true
}

// send takes one person through the study and records how it went.
func (r *run) send(ctx context.Context, who person) {
	w := r.walker(who)
	ending, code, err := w.walk(ctx)
	p := Person{Participant: who.participant, Submission: who.submission, Group: who.group, Place: who.place, Careless: who.careless,
		Ending: ending, Code: code, Pages: w.counts.Pages, Answers: w.answers, Unsettled: w.pending}
	if err != nil {
		p.Why = err.Error()
	} else if ending == Failed {
		p.Why = "the study ended early, after " + w.sent[len(w.sent)-1]
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if !who.stays() && ending == Failed && err == nil {
		p.Ending = DroppedOut // would not have finished anyway
	}
	r.people = append(r.people, p)
	r.summary.add(w.counts)
	r.summary.count(p.Ending)
	r.inARow++
	switch p.Ending {
	case TurnedAway:
		if who.stays() {
			r.staying--
		}
		if len(w.answers) == 0 {
			r.inARow = mostInARow // at the start: all places are full
		}
	case Finished:
		r.inARow = 0
		r.finished++
		if r.Progress != nil {
			r.Progress(r.finished)
		}
	}
	if errors.Is(err, errUnreachable) || errors.Is(err, errUsed) {
		r.stop = cmp.Or(r.stop, err)
	}
}

func (s *Summary) add(t Summary) {
	s.Pages += t.Pages
	s.DoubleClick += t.DoubleClick
	s.Reloaded += t.Reloaded
	s.Changed += t.Changed
	s.Browsers += t.Browsers
	s.Returned += t.Returned
	s.TooEarly += t.TooEarly
}

func (r *run) firstFailure() string {
	for _, p := range r.people {
		if p.Ending == Failed {
			return p.Participant + ": " + p.Why
		}
	}
	return ""
}

// truth combines what was planted and what was sent.
func (r *run) truth(began, ended time.Time) *Truth {
	number := func(p Person) (n int) {
		fmt.Sscanf(p.Participant, fmt.Sprintf("virtual-%d-%%d", r.Seed), &n)
		return n
	}
	slices.SortFunc(r.people, func(a, b Person) int { return cmp.Compare(number(a), number(b)) })
	t := &Truth{Study: r.Study, Seed: r.Seed, Texts: r.texts, People: r.people, Summary: r.summary, Began: began.UTC(), Finished: ended.UTC()}
	for _, share := range r.population.shares() {
		t.Groups = append(t.Groups, Group{Share: share})
	}
	if r.population.surveys != nil {
		t.Surveys = r.population.surveys.truth()
	}
	rated := map[[2]int]bool{}
	for _, p := range r.people {
		t.Groups[p.Group].Size++
		for _, a := range p.Answers {
			if key := [2]int{a.Question, a.Shown}; a.Kind == study.KindRating && !rated[key] {
				rated[key] = true
				m := Mean{Question: a.Question, Response: a.Shown}
				for g := range r.Groups {
					m.ByGroup = append(m.ByGroup, r.population.mean(r.texts[a.Question], r.texts[a.Shown], g))
				}
				t.Means = append(t.Means, m)
			}
		}
	}
	s, ms := &t.Summary, func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	s.P50, s.P99, s.Slowest = ms(r.meter.quantile(.5)), ms(r.meter.quantile(.99)), ms(r.meter.quantile(1))
	s.Requests, s.Retried, s.NotNow = len(r.meter.took), r.meter.failed, r.meter.waits
	s.Seconds = ended.Sub(began).Seconds()
	s.PerSecond = float64(s.Requests) / s.Seconds
	return t
}
