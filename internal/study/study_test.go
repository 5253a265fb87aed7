package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sample is a study with every kind of block: n questions, every second one
// without endpoints.
func sample(n int) *Study {
	st := &Study{Definition: Definition{
		Title: "Sample", Slug: "sample",
		Recruitment: Recruitment{Minutes: 10, ReservationMinutes: 30, Codes: map[Outcome]string{Completed: "C1"}},
		Flow: []Block{
			{Consent: &Consent{Markdown: "Agree?"}},
			{Survey: &Survey{Instrument: "about", PerPage: 2, Items: []Item{
				{ID: "AGE", Options: []string{"young", "old"}}, {ID: "SEX", Options: []string{"m", "f"}}, {ID: "PARTY", Options: []string{"A", "B"}}}}},
			{Overton: &Overton{QuestionsPerParticipant: 2, ParticipantsPerQuestion: 10, VotesPerQuestion: 3, Moderation: ModerationAfter, Stance: true, Importance: true, MinWords: 2}},
			{Feedback: &Feedback{}},
		},
		Checks: []Check{{After: 1, Text: "Please choose 2.", Answer: "2"}},
	}}
	for i := range n {
		q := Question{ID: fmt.Sprint(i), Text: "What?"}
		if i%2 == 0 {
			q.Option1, q.Option2 = "for", "against"
		}
		st.Questions.Questions = append(st.Questions.Questions, q)
		for _, m := range []string{"m1", "m2", "m3"} {
			st.Questions.Responses = append(st.Questions.Responses, ModelResponse{Question: q.ID, Model: m, Text: "so"})
		}
	}
	return st
}

func started(st *Study) Progress {
	p := Progress{Answers: map[Key]string{}, Round: 1}
	for i := range st.Overton().QuestionsPerParticipant {
		p.Slots = append(p.Slots, Slot{Question: fmt.Sprint(i), Models: []string{"m2", "m3", "m1"}, VotesWanted: VotesUnknown})
	}
	return p
}

func fill(p Progress, s Step) {
	for _, f := range s.Fields {
		p.Answers[f.Key] = "two words"
		if f.Options != nil {
			p.Answers[f.Key] = f.Options[0]
		}
	}
}

// drawFor does what the caller of Next does when a statement is needed.
func drawFor(st *Study, p Progress, slot, pool int) {
	s := &p.Slots[slot]
	available := pool - len(s.Ballots)
	wanted := VotesWanted(st.Overton().VotesPerQuestion, s.Votes(p.Answers), available)
	if s.VotesWanted == VotesUnknown || wanted < s.VotesWanted {
		s.VotesWanted = wanted
	}
	if s.Votes(p.Answers) < s.VotesWanted {
		s.Ballots = append(s.Ballots, Ballot{Statement: fmt.Sprint("s", slot, "-", len(s.Ballots))})
	}
}

func TestTheFlowAsksEverythingInItsOrder(t *testing.T) {
	t.Parallel()
	st, p := sample(4), Progress{}
	p = started(st)
	var paths []string
	last := -1.0
	for {
		step := st.Next(p)
		if step.Kind == NeedBallot {
			drawFor(st, p, step.Slot, 5)
			continue
		}
		paths = append(paths, step.Path)
		if share := st.Share(p, step); share < last || share > 1 {
			t.Errorf("share falls from %.3f to %.3f at %s", last, share, step.Path)
		} else {
			last = share
		}
		if step.Kind == StepEnd {
			break
		}
		fill(p, step)
	}
	want := strings.Fields(`consent survey1-1 survey1-2 instructions
		q1-view q1-response1 q1-response2 q1-response3 q1-statement1 q1-statement2 q1-statement3 check1
		q2-view q2-response1 q2-response2 q2-response3 q2-statement1 q2-statement2 q2-statement3 feedback end`)
	if !slices.Equal(paths, want) {
		t.Errorf("pages\n%v, want\n%v", paths, want)
	}
	if last != 1 {
		t.Errorf("the share at the end is %g", last)
	}
}

func TestNoPathSaysWhichModelOrStatementItIs(t *testing.T) {
	t.Parallel()
	st := sample(2)
	p := started(st)
	p.Slots[0].Ballots = []Ballot{{Statement: "991"}}
	for _, step := range st.steps(p) {
		for _, secret := range []string{"m1", "m2", "m3", "991"} {
			if strings.Contains(step.Path, secret) {
				t.Errorf("path %q holds %q", step.Path, secret)
			}
		}
	}
}

// Whatever answers are there or missing, in any combination, the end is never
// reached while a required one is missing.
func TestTheEndIsNeverReachedWhileAnAnswerIsMissing(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		st := sample(4)
		p := started(st)
		for {
			step := st.Next(p)
			if step.Kind == NeedBallot {
				drawFor(st, p, step.Slot, rng.IntN(6))
				continue
			}
			if step.Kind == StepEnd {
				break
			}
			fill(p, step)
		}
		keys := make([]Key, 0, len(p.Answers))
		for k := range p.Answers {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(a.String(), b.String()) })
		gone := keys[rng.IntN(len(keys))]
		delete(p.Answers, gone)
		if step := st.Next(p); step.Kind == StepEnd {
			t.Fatalf("trial %d: the end without %s", trial, gone)
		}
		if _, ok := st.Find(p, "end"); ok {
			t.Fatalf("trial %d: the end can be found without %s", trial, gone)
		}
	}
}

func TestDecliningIsNoWayOn(t *testing.T) {
	t.Parallel()
	st := sample(2)
	p := started(st)
	p.Answers[Key{Kind: KindConsent}] = No
	if step := st.Next(p); step.Kind != StepConsent {
		t.Errorf("after declining comes %s", step.Kind)
	}
}

func TestTheWayBackIsThePageBefore(t *testing.T) {
	t.Parallel()
	st := sample(2)
	p := started(st)
	for range 6 {
		fill(p, st.Next(p))
	}
	for path, want := range map[string]string{"q1-response1": "q1-view", "q1-view": "instructions", "survey1-1": "consent"} {
		if before, ok := st.Before(p, path); !ok || before.Path != want {
			t.Errorf("before %s comes %q (%v), want %s", path, before.Path, ok, want)
		}
	}
	if _, ok := st.Before(p, "consent"); ok {
		t.Error("there is a page before the first")
	}
}

func TestAStatementTakenBackLeavesNoGapInTheVotes(t *testing.T) {
	t.Parallel()
	st := sample(2)
	p := started(st)
	step := st.Next(p)
	for step.Kind != NeedBallot {
		fill(p, step)
		step = st.Next(p)
	}
	drawFor(st, p, 0, 5)
	p.Slots[0].Ballots[0].Held = true
	if step := st.Next(p); step.Kind != NeedBallot {
		t.Errorf("a held statement is followed by %s, want another draw", step.Kind)
	}
}

func TestEndpointsDecideAboutTheStance(t *testing.T) {
	t.Parallel()
	st := sample(2)
	p := started(st)
	has := func(path string) bool {
		for _, s := range st.steps(Progress{Answers: p.Answers, Slots: []Slot{{Question: path, VotesWanted: 0}}}) {
			if s.Kind == StepView {
				return s.Fields[0].Key.Kind == KindStance
			}
		}
		return false
	}
	if !has("0") || has("1") {
		t.Errorf("stance asked with endpoints %v, without %v", has("0"), has("1"))
	}
	st.Overton().Stance = false
	if has("0") {
		t.Error("stance asked though it is switched off")
	}
}

func TestReadAcceptsOrSaysWhy(t *testing.T) {
	t.Parallel()
	step := Step{Fields: []Field{
		{Key: Key{Kind: KindView}, Name: "view", MinWords: 2},
		{Key: Key{Kind: KindImportance}, Name: "importance", Options: scale},
		{Key: Key{Kind: KindFeedback}, Name: "comment"},
	}}
	cases := []struct {
		view, importance string
		want             string
	}{
		{"two words", "3", ""},
		{"", "3", "view missing"},
		{" \n\t ", "3", "view missing"},
		{"\u200b \u2060\ufeff", "3", "view missing"}, // nothing to be seen
		{"one \u200b", "3", "view too_short"},
		{"ما می\u200cخواهیم", "3", ""},
		{"👩‍👧 🙂", "3", ""},
		{"one", "3", "view too_short"},
		{strings.Repeat("a b ", maxText), "3", "view too_long"},
		{"two words", "", "importance missing"},
		{"two words", "6", "importance unknown"},
		{"two words", "3 ", "importance unknown"},
		{"", "", "view missing importance missing"},
	}
	for _, c := range cases {
		answers, problems := step.Read(func(name string) string { return map[string]string{"view": c.view, "importance": c.importance}[name] })
		var got []string
		for _, p := range problems {
			got = append(got, p.Field+" "+string(p.Reason))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("view %.10q, importance %q: %v, want %q", c.view, c.importance, got, c.want)
		}
		if (answers == nil) != (problems != nil) {
			t.Errorf("view %.10q: answers %v with problems %v", c.view, answers, problems)
		}
	}
}

// noText are the characters that a text loses: controls, and overrides of the direction of writing.
var noText = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)

func FuzzReadKeepsWhatWasTyped(f *testing.F) {
	f.Add("a\r\nb", "x")
	f.Add("\xff\x00=1+1", "  ")
	step := Step{Fields: []Field{{Key: Key{Kind: KindView}, Name: "view", MinWords: 1}}}
	f.Fuzz(func(t *testing.T, a, b string) {
		typed := a + "\n" + b
		answers, problems := step.Read(func(string) string { return typed })
		if problems != nil {
			return
		}
		got := answers[Key{Kind: KindView}]
		want := strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(typed), "\uFFFD")
		want = noText.ReplaceAllString(want, "")
		if got != want {
			t.Errorf("typed %q, kept %q", typed, got)
		}
	})
}

func TestAssignmentTakesTheLeastFilledAndNeverAFullOne(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		questions, n, target := 1+rng.IntN(12), 1+rng.IntN(4), 1+rng.IntN(6)
		loads := make([]Load, questions)
		byID := map[string]Load{}
		open, unfilled := 0, 0
		for i := range loads {
			loads[i] = Load{fmt.Sprint(i), rng.IntN(target + 1), rng.IntN(3)}
			byID[loads[i].Question] = loads[i]
			if loads[i].Done < target {
				unfilled++
			}
			if loads[i].Done+loads[i].Live < target {
				open++
			}
		}
		chosen, err := ChooseQuestions(loads, n, target, rng)
		switch {
		case open >= n && err != nil:
			t.Fatalf("%d open of %d wanted: %v", open, n, err)
		case unfilled == 0 && err != ErrFull, unfilled > 0 && open == 0 && err != ErrBusy, open < n && unfilled >= n && err != ErrBusy:
			t.Fatalf("%d open, %d unfilled of %d wanted: %v", open, unfilled, n, err)
		case err == nil && len(chosen) != min(n, open):
			t.Fatalf("%d open of %d wanted: chose %v", open, n, chosen)
		case err != nil:
			continue
		}
		most := 0
		seen := map[string]bool{}
		for _, q := range chosen {
			l := byID[q]
			if seen[q] || l.Done+l.Live >= target {
				t.Fatalf("chose %v from %v with target %d", chosen, loads, target)
			}
			seen[q] = true
			most = max(most, l.Done+l.Live)
		}
		for _, l := range loads {
			if !seen[l.Question] && l.Done+l.Live < most {
				t.Fatalf("chose %v and left %v", chosen, l)
			}
		}
	}
}

func TestAssignmentDoesNotDependOnTheOrderOfItsInput(t *testing.T) {
	t.Parallel()
	loads := []Load{{"a", 1, 0}, {"b", 0, 1}, {"c", 1, 0}, {"d", 1, 0}, {"e", 2, 0}}
	want, _ := ChooseQuestions(loads, 3, 5, Rand(7, "questions"))
	slices.Reverse(loads)
	got, _ := ChooseQuestions(loads, 3, 5, Rand(7, "questions"))
	if !slices.Equal(got, want) {
		t.Errorf("%v and %v", want, got)
	}
}

func TestTheRecordedProbabilityIsTheRealOne(t *testing.T) {
	t.Parallel()
	candidates := []Candidate{{"a", 3}, {"b", 1}, {"c", 1}, {"d", 7}, {"e", 2}}
	rng := rand.New(rand.NewPCG(5, 6))
	const draws = 200_000
	drawn := make([]int, len(candidates))
	claimed := make([]float64, len(candidates))
	for range draws {
		i, p := ChooseStatement(candidates, Mixing, rng)
		drawn[i]++
		claimed[i] = p
	}
	sum := 0.0
	for i := range candidates {
		got := float64(drawn[i]) / draws
		if math.Abs(got-claimed[i]) > 4*math.Sqrt(claimed[i]*(1-claimed[i])/draws) {
			t.Errorf("statement %s was drawn with %.4f, recorded %.4f", candidates[i].Statement, got, claimed[i])
		}
		sum += claimed[i]
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the probabilities sum to %g", sum)
	}
}

func TestResponsesAreShownInEveryOrderAlike(t *testing.T) {
	t.Parallel()
	models := []string{"m1", "m2", "m3", "m4"}
	first := map[string]int{}
	const people = 8000
	for seed := range uint64(people) {
		drawn := ChooseModels(models, 0, Rand(seed, "responses/q"))
		first[drawn[0]]++
	}
	for _, m := range models {
		if n := first[m]; math.Abs(float64(n)-people/4) > 4*math.Sqrt(people*3.0/16) {
			t.Errorf("%s stands first %d times of %d", m, n, people)
		}
	}
	if got := ChooseModels(models, 2, Rand(1, "x")); len(got) != 2 || got[0] == got[1] {
		t.Errorf("two of four: %v", got)
	}
}

func TestFailedChecksEndByProlificsRule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		minutes, failed int
		enough          bool
	}{{4, 0, false}, {4, 1, true}, {5, 1, false}, {25, 2, true}, {25, 3, true}} {
		d := Definition{Recruitment: Recruitment{Minutes: c.minutes}, Checks: []Check{{Answer: "2"}, {Answer: "2"}, {Answer: "2"}}}
		answers := map[Key]string{}
		for i := range d.Checks {
			answers[checkKey(i)] = "2"
			if i < c.failed {
				answers[checkKey(i)] = "5"
			}
		}
		if n, enough := d.FailedChecks(answers); n != c.failed || enough != c.enough {
			t.Errorf("%d minutes, %d failed: %d, %v", c.minutes, c.failed, n, enough)
		}
	}
}

func TestFaultsNameTheirPlace(t *testing.T) {
	t.Parallel()
	cases := []struct {
		change func(*Study)
		path   string
	}{
		{func(s *Study) { s.Title = " " }, "title"},
		{func(s *Study) { s.Slug = "My Study" }, "slug"},
		{func(s *Study) { s.Recruitment.Minutes = 0 }, "recruitment.minutes"},
		{func(s *Study) { s.Recruitment.Codes = nil }, "recruitment.prolific.codes.completed"},
		{func(s *Study) { s.Recruitment.Codes[NoConsent] = "C1" }, "recruitment.prolific.codes.no_consent"},
		{func(s *Study) { s.Recruitment.Codes["wrong"] = "X" }, "recruitment.prolific.codes.wrong"},
		{func(s *Study) { s.Flow = nil }, "flow"},
		{func(s *Study) { s.Flow[0], s.Flow[3] = s.Flow[3], s.Flow[0] }, "flow[3].consent"},
		{func(s *Study) { s.Flow[1].Survey.Items[0].ID = "token" }, "flow[1].survey.instrument"},
		{func(s *Study) { s.Flow[2].Overton.QuestionsPerParticipant = 9 }, "flow[2].overton.questions_per_participant"},
		{func(s *Study) { s.Flow[2].Overton.Moderation = "never" }, "flow[2].overton.moderation"},
		{func(s *Study) { s.Flow = append(s.Flow, s.Flow[2]) }, "flow[4].overton"},
		{func(s *Study) { s.Checks[0].After = 3 }, "checks[0].instructed.after"},
		{func(s *Study) { s.Checks[0].Answer = "9" }, "checks[0].instructed.answer"},
		{func(s *Study) { s.Quotas = []Quota{{Variable: "HEIGHT"}} }, "quotas[0].variable"},
		{func(s *Study) { s.Quotas = []Quota{{Variable: "PARTY", Targets: map[string]int{"C": 1}}} }, "quotas[0].targets.C"},
	}
	if faults := sample(4).Faults(4); len(faults) > 0 {
		t.Fatalf("the sample has faults: %v", faults)
	}
	for _, c := range cases {
		st := sample(4)
		c.change(st)
		faults := st.Faults(4)
		if !slices.ContainsFunc(faults, func(f Fault) bool { return f.Path == c.path }) {
			t.Errorf("no fault at %s, but %v", c.path, faults)
		}
	}
}

func TestTheHashKnowsTheContentOnly(t *testing.T) {
	t.Parallel()
	a, b := sample(3).Questions, sample(3).Questions
	if a.Hash() != b.Hash() {
		t.Error("equal sets have different hashes")
	}
	b.Responses[1].Text += "."
	if a.Hash() == b.Hash() {
		t.Error("a changed response does not change the hash")
	}
}
