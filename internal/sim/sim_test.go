package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overton/internal/sim/demo"
	"overton/internal/study"
)

func options(url string) Options {
	return Options{URL: url, Study: "fake", Participants: 20, Seed: 7, Groups: 3, Concurrency: 5, Noise: 0.1,
		Parameters: study.ParameterNames{Participant: "PROLIFIC_PID", Study: "STUDY_ID", Submission: "SESSION_ID"},
		ServerWait: 5 * time.Second, PlaceWait: 5 * time.Second}
}

func mustRun(t *testing.T, o Options) *Truth {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	truth, err := Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	return truth
}

// noDifference fails unless the site holds exactly what but acknowledged.
func noDifference(t *testing.T, truth *Truth, f *fakeSite) Comparison {
	t.Helper()
	c := Compare(truth, f.stored())
	for i, d := range c.Differences {
		if i == 5 {
			t.Errorf("and %d more", len(c.Differences)-5)
			break
		}
		t.Errorf("%+v", d)
	}
	if c.Equal[study.KindRating] == 0 || c.Equal[study.KindVote] == 0 || c.Equal[study.KindView] == 0 {
		t.Errorf("compared only %v", c.Equal)
	}
	return c
}

func TestPeopleFinishAndTheSiteHoldsWhatTheySent(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	o := options(f.serve(t))
	o.DropOut, o.Decline = 0.2, 0.1
	truth := mustRun(t, o)
	s := truth.Summary
	if s.Finished != 20 || s.Failed != 0 || s.DroppedOut == 0 || s.Declined == 0 {
		t.Errorf("finished %d, failed %d, dropped out %d, declined %d", s.Finished, s.Failed, s.DroppedOut, s.Declined)
	}
	if s.DoubleClick == 0 || s.Reloaded == 0 || s.Changed == 0 || s.Browsers == 0 || s.Returned == 0 || s.TooEarly == 0 {
		t.Errorf("people did not do all that people do: %+v", s)
	}
	noDifference(t, truth, f)
	sizes := 0
	for _, g := range truth.Groups {
		sizes += g.Size
	}
	if sizes != len(truth.People) || len(truth.Means) != 6 {
		t.Errorf("groups of %d people out of %d, %d means", sizes, len(truth.People), len(truth.Means))
	}
	for id, p := range f.people {
		if a := p.progress.Answers[study.Key{Kind: study.KindCheck, Subject: "1"}]; a != "" && a != "2" {
			t.Errorf("%s answered the check with %s", id, a)
		}
	}
}

func TestTheSameSeedGivesTheSameAnswers(t *testing.T) {
	t.Parallel()
	answers := func(seed uint64) []Person {
		f := newFake(t)
		o := options(f.serve(t))
		o.Seed, o.Concurrency, o.Participants, o.DropOut = seed, 1, 8, 0.2
		people := mustRun(t, o).People
		for i := range people {
			for j := range people[i].Answers {
				people[i].Answers[j].At = time.Time{}
			}
		}
		return people
	}
	first := answers(3)
	if !reflect.DeepEqual(first, answers(3)) {
		t.Error("two runs with one seed differ")
	}
	if reflect.DeepEqual(first, answers(4)) {
		t.Error("another seed gives the same people")
	}
}

// A site that is killed at any moment loses requests, and answers to them.
func TestLostRequestsAndLostAnswersLoseNothing(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.trouble = func(n int, r *http.Request) (bool, bool) { return n > 1 && n%7 == 0, n > 1 && n%5 == 0 }
	o := options(f.serve(t))
	o.Participants, o.Concurrency = 10, 10
	truth := mustRun(t, o)
	if truth.Summary.Finished != 10 || truth.Summary.Retried < 100 {
		t.Errorf("finished %d with %d retries", truth.Summary.Finished, truth.Summary.Retried)
	}
	noDifference(t, truth, f)
	changed := 0
	for _, p := range f.people {
		for k, n := range p.revisions {
			if changed += n - 1; n > 2 {
				t.Errorf("%v was answered %d times", k, n)
			}
		}
	}
	if changed > 2*truth.Summary.Changed {
		t.Errorf("%d answers were sent twice with another value; %d people changed their mind", changed, truth.Summary.Changed)
	}
}

func TestACookieThatNoLongerWorksIsReplaced(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.forget = true
	truth := mustRun(t, options(f.serve(t)))
	if truth.Summary.Finished != 20 || f.era != 1 {
		t.Errorf("finished %d, cookies forgotten %d times", truth.Summary.Finished, f.era)
	}
	noDifference(t, truth, f)
}

func TestPeopleWaitForAPlace(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.busy = 12
	truth := mustRun(t, options(f.serve(t)))
	if truth.Summary.Finished != 20 || truth.Summary.NotNow != 12 {
		t.Errorf("finished %d, told to wait %d times", truth.Summary.Finished, truth.Summary.NotNow)
	}
	f = newFake(t)
	f.busy = 1000
	o := options(f.serve(t))
	o.Participants, o.PlaceWait = 2, 300*time.Millisecond
	if _, err := Run(context.Background(), o); !errors.Is(err, errNotNow) && (err == nil || !strings.Contains(err.Error(), "none became free")) {
		t.Errorf("waited for ever: %v", err)
	}
}

func TestAFullStudyEndsTheRun(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.places = 9
	truth := mustRun(t, options(f.serve(t)))
	s := truth.Summary
	if s.Finished != 9 || s.TurnedAway == 0 || s.TurnedAway > 5 || s.Failed != 0 {
		t.Errorf("finished %d, turned away %d, failed %d", s.Finished, s.TurnedAway, s.Failed)
	}
	noDifference(t, truth, f)
}

func TestASiteThatGoesAwayEndsTheRun(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.trouble = func(n int, r *http.Request) (bool, bool) { return n > 300, false }
	o := options(f.serve(t))
	o.ServerWait = 200 * time.Millisecond
	truth, err := Run(context.Background(), o)
	if err == nil || !errors.Is(err, errUnreachable) || truth.Summary.Failed == 0 {
		t.Errorf("%v", err)
	}
	noDifference(t, truth, f)
}

func TestACancelledRunStopsAtOnce(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	ctx, cancel := context.WithCancel(context.Background())
	f.trouble = func(n int, r *http.Request) (bool, bool) {
		if n == 300 {
			cancel()
		}
		return false, false
	}
	began := time.Now()
	truth, err := Run(ctx, options(f.serve(t)))
	if !errors.Is(err, context.Canceled) || time.Since(began) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	noDifference(t, truth, f)
}

func TestForgottenAndFalseAnswersAreFound(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.corrupt = func(k study.Key, v string) string {
		if k.Kind == study.KindRating && v == "4" {
			return "5"
		}
		return v
	}
	truth, err := Run(context.Background(), options(f.serve(t)))
	if err != nil && !strings.Contains(err.Error(), "where “4”") && !strings.Contains(err.Error(), "but acknowledged") {
		t.Fatal(err)
	}
	c := Compare(truth, f.stored())
	fours := 0
	var foursOf []int
	for _, p := range truth.People {
		n := 0
		for _, a := range p.Answers {
			if a.Kind == study.KindRating && a.Value == "4" {
				n++
			}
		}
		fours += n
		foursOf = append(foursOf, n)
	}
	if fours == 0 || len(c.Differences) != fours {
		t.Fatalf("%d differences; want %d", len(c.Differences), fours)
	}
	if d := c.Differences[0]; d.Kind != study.KindRating || d.Sent != "4" || d.Stored != "5" || d.Participant == "" || d.Name == "" || !strings.HasPrefix(d.Shown, "Response") {
		t.Errorf("%+v", d)
	}
	// One stored consent is lost, then all that is stored of one person.
	stored := f.stored()
	stored[0].Answers = slices.DeleteFunc(stored[0].Answers, func(a StoredAnswer) bool { return a.Kind == study.KindConsent })
	if c := Compare(truth, stored); len(c.Differences) != fours+1 {
		t.Errorf("%d differences after one answer was lost; want %d", len(c.Differences), fours+1)
	}
	lost := c.Joined[stored[0].Name]
	sent := 0
	for _, a := range truth.People[lost].Answers {
		if a.Page != "start" {
			sent++
		}
	}
	if c, want := Compare(truth, stored[1:]), fours-foursOf[lost]+sent; len(c.Joined) != len(stored)-1 || len(c.Differences) != want {
		t.Errorf("%d joined and %d differences after one person was lost; want %d", len(c.Joined), len(c.Differences), want)
	}
}

func TestVotesAndRatingsFollowTheGroups(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	o := options(f.serve(t))
	o.Participants, o.Noise = 60, 0
	truth := mustRun(t, o)
	agree, votes := map[bool]int{}, map[bool]int{}
	group := map[string]int{} // of what was said
	for _, p := range truth.People {
		for _, a := range p.Answers {
			if a.Kind == study.KindView {
				group[fold(a.Value)] = p.Group
			}
		}
	}
	for _, p := range truth.People {
		for _, a := range p.Answers {
			if author, known := group[truth.Texts[a.Shown]]; known && a.Kind == study.KindVote && !p.Careless {
				votes[author == p.Group]++
				if a.Value == study.Agree {
					agree[author == p.Group]++
				}
			}
		}
	}
	own, others := float64(agree[true])/float64(votes[true]), float64(agree[false])/float64(votes[false])
	if own < 0.8 || others > 0.2 || votes[true] < 50 || votes[false] < 50 {
		t.Errorf("agreed with %.2f of %d of the own group and %.2f of %d others", own, votes[true], others, votes[false])
	}
	for _, m := range truth.Means {
		for g, mean := range m.ByGroup {
			sum, n := 0.0, 0
			for _, p := range truth.People {
				for _, a := range p.Answers {
					if a.Kind == study.KindRating && a.Question == m.Question && a.Shown == m.Response && p.Group == g && !p.Careless {
						x, _ := strconv.ParseFloat(a.Value, 64)
						sum, n = sum+x, n+1
					}
				}
			}
			if got := sum / float64(n); n > 5 && (got < mean-0.8 || got > mean+0.8) {
				t.Errorf("group %d rated %.2f; planted %.2f", g, got, mean)
			}
		}
	}
}

func TestRecoveryComparesGroupsHoweverTheyAreNumbered(t *testing.T) {
	t.Parallel()
	truth := &Truth{People: []Person{{Group: 0}, {Group: 0}, {Group: 1}, {Group: 1}, {Group: 2, Careless: true}}}
	joined := map[string]int{"a": 0, "b": 1, "c": 2, "d": 3, "e": 4}
	if index, n := truth.Recovery(joined, map[string]int{"a": 5, "b": 5, "c": 0, "d": 0, "e": 0}); index != 1 || n != 4 {
		t.Errorf("%g of %d", index, n)
	}
	if index, _ := truth.Recovery(joined, map[string]int{"a": 1, "b": 0, "c": 1, "d": 0}); index >= 0.1 {
		t.Errorf("unlike groups have an index of %g", index)
	}
}

func TestBeliefsOfTheDemoAreRead(t *testing.T) {
	t.Parallel()
	b, err := ReadBeliefs(demo.Files())
	if err != nil {
		t.Fatal(err)
	}
	if b.groups != 3 || len(b.views) != 8 || len(b.means) != 32 || len(b.stances) != 8 {
		t.Errorf("%d groups, %d questions, %d means, %d stances", b.groups, len(b.views), len(b.means), len(b.stances))
	}
	p := &population{seed: 1, groups: 3, beliefs: b}
	for question, groups := range b.views {
		for g := range groups {
			who := person{number: 9, group: g}
			if author, known := p.author(question, fold(p.view(who, question, 0, 0))); !known || author != g {
				t.Errorf("group %d's words are taken for group %d's", g, author)
			}
		}
	}
	if _, err := b.forGroups(2); err == nil {
		t.Error("three viewpoints were dealt to two groups")
	}
}

func TestOpinionsAreDealtToGroups(t *testing.T) {
	t.Parallel()
	var table bytes.Buffer
	table.WriteString("question,freeresponse\n")
	for i := range 30 {
		table.WriteString("Q" + strconv.Itoa(i%2) + "?,\"Opinion " + strconv.Itoa(i) + ", said\nin two lines\"\n")
	}
	b, err := ReadOpinions("opinions.csv", table.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	dealt, err := b.forGroups(3)
	if err != nil {
		t.Fatal(err)
	}
	p := &population{seed: 1, groups: 3, beliefs: dealt}
	for _, question := range []string{"Q0?", "Something else?"} {
		for g := range 3 {
			said := p.view(person{number: 4, group: g}, question, 0, 0)
			if author, known := p.author(question, fold(said)); !strings.HasPrefix(said, "Opinion") || !known || author != g {
				t.Errorf("%q of group %d is taken for group %d's (%v)", said, g, author, known)
			}
		}
	}
	if _, err := ReadOpinions("opinions.csv", []byte("question,text\na,b\n")); err == nil || !strings.Contains(err.Error(), "freeresponse") {
		t.Errorf("a missing column: %v", err)
	}
}

func TestWrongOptionsAreRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Options){
		"participants": func(o *Options) { o.Participants = 0 },
		"groups":       func(o *Options) { o.Groups = 11 },
		"concurrency":  func(o *Options) { o.Concurrency = 0 },
		"drop-out":     func(o *Options) { o.DropOut = 1 },
		"noise":        func(o *Options) { o.Noise = -1 },
		"address":      func(o *Options) { o.URL = "nowhere" },
		"no study":     func(o *Options) { o.Study = "other" },
		"parameters":   func(o *Options) { o.Parameters.Submission = "" },
	} {
		o := options(newFake(t).serve(t))
		change(&o)
		if _, err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestASeedIsNotUsedTwiceOnAStudy(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	o := options(f.serve(t))
	o.Participants = 2
	mustRun(t, o)
	if _, err := Run(context.Background(), o); !errors.Is(err, errUsed) {
		t.Errorf("%v", err)
	}
}

func TestTheTruthSurvivesItsFile(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	o := options("http://in.process")
	o.Participants, o.Concurrency, o.Transport = 3, 1, InProcess(f)
	truth := mustRun(t, o)
	file, err := json.Marshal(truth)
	if err != nil {
		t.Fatal(err)
	}
	var read Truth
	if err := json.Unmarshal(file, &read); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*truth, read) {
		t.Error("the truth read back is another")
	}
	noDifference(t, &read, f)
}
