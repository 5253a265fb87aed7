package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"overton/internal/study"
)

// testStudy is a study of n questions with two models, three votes a question
// and a quota on one survey item.
func testStudy(n, perParticipant, target int) *study.Study {
	st := &study.Study{Definition: study.Definition{
		Title: "Test", Slug: "test", Language: "en",
		Recruitment: study.Recruitment{Minutes: 10, ReservationMinutes: 30, Codes: map[study.Outcome]string{study.Completed: "C1", study.OverQuota: "C5"}},
		Flow: []study.Block{
			{Consent: &study.Consent{Markdown: "Please agree."}},
			{Survey: &study.Survey{Instrument: "about", Items: []study.Item{{ID: "PARTY", Options: []string{"A", "B"}}}, PerPage: 4}},
			{Overton: &study.Overton{QuestionsPerParticipant: perParticipant, ParticipantsPerQuestion: target, VotesPerQuestion: 3,
				Moderation: study.ModerationAfter, Stance: true, Importance: true, MinWords: 1}},
			{Feedback: &study.Feedback{}},
		},
	}}
	for i := range n {
		id := fmt.Sprint("q", i+1)
		st.Questions.Questions = append(st.Questions.Questions, study.Question{ID: id, Text: "What about " + id + "?", Option1: "for", Option2: "against"})
		for _, model := range []string{"m1", "m2"} {
			st.Questions.Responses = append(st.Questions.Responses, study.ModelResponse{Question: id, Model: model, Text: model + " says so"})
		}
		for s := range 2 {
			st.Questions.Seeds = append(st.Questions.Seeds, study.Seed{Question: id, Text: fmt.Sprint("seed ", s, " on ", id)})
		}
	}
	return st
}

// bench is a store with a launched study and a clock that tests move.
type bench struct {
	*Store
	t    *testing.T
	st   *study.Study
	row  Study
	path string
	mu   sync.Mutex
	at   time.Time
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = b.at.Add(d)
}

func newBench(t *testing.T, st *study.Study) *bench {
	t.Helper()
	if faults := st.Faults(len(st.Questions.Questions)); len(faults) > 0 {
		t.Fatalf("the test's study has faults: %v", faults)
	}
	b := &bench{t: t, st: st, path: filepath.Join(t.TempDir(), "overton.db"), at: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}
	empty, err := template()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.path, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	b.reopen()
	ctx := context.Background()
	row, err := b.SaveStudy(ctx, NewStudy{Slug: st.Slug, Title: st.Title, Hash: "h", Files: map[string][]byte{"study.yaml": []byte("title: Test")}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Launch(ctx, st.Slug, st.Questions.Seeds, 0); err != nil {
		t.Fatal(err)
	}
	b.row = row
	return b
}

// template is the file of an empty database, as package storetest has it, which
// imports this package.
var template = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "overton-template")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "template.db")
	s, err := Open(context.Background(), path, WithoutSync())
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func (b *bench) reopen() {
	b.t.Helper()
	if b.Store != nil {
		b.Store.Close()
	}
	s, err := Open(context.Background(), b.path, WithClock(b.clock), WithoutSync())
	if err != nil {
		b.t.Fatal(err)
	}
	b.Store = s
	b.t.Cleanup(func() { s.Close() })
}

func (b *bench) start(person string) string {
	b.t.Helper()
	token, err := b.Start(context.Background(), b.st, b.row.ID, Arrival{Participant: person, Submission: "visit of " + person})
	if err != nil {
		b.t.Fatalf("starting %s: %v", person, err)
	}
	return token
}

func (b *bench) position(token string) Position {
	b.t.Helper()
	pos, err := b.Position(context.Background(), b.st, token)
	if err != nil {
		b.t.Fatal(err)
	}
	return pos
}

// answer fills each field of a step with something acceptable.
func answer(step study.Step, chosen map[string]string) func(string) string {
	return func(name string) string {
		if v, ok := chosen[name]; ok {
			return v
		}
		for _, f := range step.Fields {
			if f.Name == name && f.Options != nil {
				return f.Options[0]
			}
		}
		return "I think " + step.Path
	}
}

func (b *bench) submit(token string, step study.Step, chosen map[string]string) Position {
	b.t.Helper()
	pos, problems, err := b.Submit(context.Background(), b.st, token, step.Path, answer(step, chosen), Timing{Shown: b.clock()})
	if err != nil || problems != nil {
		b.t.Fatalf("submitting %s: %v %v", step.Path, problems, err)
	}
	return pos
}

// walk goes on from where the person stands until a step of the given kind.
func (b *bench) walk(token string, until study.StepKind, chosen map[string]string) Position {
	b.t.Helper()
	pos := b.position(token)
	for pos.Step.Kind != until {
		if pos.Step.Kind == study.StepEnd {
			b.t.Fatalf("the study ended (%q) before a %s step", pos.Outcome, until)
		}
		pos = b.submit(token, pos.Step, chosen)
	}
	return pos
}

func (b *bench) records() []study.Record {
	b.t.Helper()
	var all []study.Record
	if err := b.Records(context.Background(), b.row.ID, func(r study.Record) error { all = append(all, r); return nil }); err != nil {
		b.t.Fatal(err)
	}
	return all
}

// summary counts a study's people.
func (b *bench) summary(studyID int64) study.Summary {
	b.t.Helper()
	var traces []*study.Trace
	_, err := b.Follow(context.Background(), studyID, func(Mark) bool { return false }, func(m Mark, r study.Record) error {
		trace := b.st.Trace(&r)
		traces = append(traces, &trace)
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.st.Summarise(traces, b.clock())
}

func TestWalkingTheWholeFlowCompletesIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(3, 2, 5))
	token := b.start("ann")
	pos := b.walk(token, study.StepEnd, nil)
	if pos.Outcome != study.Completed {
		t.Fatalf("outcome %q, want completed", pos.Outcome)
	}
	r := b.records()[0]
	if len(r.Slots) != 2 || r.Slots[0].State != "done" || r.Slots[1].State != "done" {
		t.Errorf("slots %+v, want two done", r.Slots)
	}
	kinds := map[study.Kind]int{}
	for _, a := range r.Answers {
		kinds[a.Key.Kind]++
	}
	// Two seeds a question are all there is to vote on.
	want := map[study.Kind]int{study.KindConsent: 1, study.KindSurvey: 1, study.KindInstructions: 1, study.KindStance: 2, study.KindView: 2,
		study.KindImportance: 2, study.KindRating: 4, study.KindVote: 4, study.KindFeedback: 1}
	for k, n := range want {
		if kinds[k] != n {
			t.Errorf("%d answers of kind %s, want %d", kinds[k], k, n)
		}
	}
}

func TestNobodyReachesAPageBeyondTheFirstIncompleteOne(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(2, 1, 5))
	token := b.start("ann")
	for _, path := range []string{"feedback", "end", "q1-view", "q1-response2", "q2-view", "nonsense", ""} {
		_, _, err := b.Submit(context.Background(), b.st, token, path, func(string) string { return "1" }, Timing{})
		if !errors.Is(err, ErrNotHere) {
			t.Errorf("submitting %q at the consent: %v, want ErrNotHere", path, err)
		}
	}
	if n := len(b.records()[0].Answers); n != 0 {
		t.Errorf("%d answers were stored", n)
	}
}

func TestResendingAFormStoresOneAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(2, 1, 5))
	token := b.start("ann")
	view := b.walk(token, study.StepView, nil).Step
	for range 5 {
		b.submit(token, view, map[string]string{"view": "my own view"})
	}
	var rows int
	if err := b.read.QueryRow(`SELECT count(*) FROM revision WHERE kind = 'view'`).Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d revisions of the view (%v), want 1", rows, err)
	}
	statements, _ := b.Statements(context.Background(), b.row.ID)
	own := 0
	for _, s := range statements {
		if s.Text == "my own view" {
			own++
		}
	}
	if own != 1 {
		t.Errorf("%d statements were made of one view", own)
	}
}

func TestChangingAnAnswerKeepsTheEarlierValue(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(2, 1, 5))
	token := b.start("ann")
	rating := b.walk(token, study.StepRating, nil).Step
	for _, v := range []string{"5", "4", "5", "1"} {
		b.submit(token, rating, map[string]string{"rating": v})
	}
	pos := b.position(token)
	if got := pos.Progress.Answers[rating.Fields[0].Key]; got != "1" {
		t.Errorf("current rating %s, want 1", got)
	}
	rows, _ := b.read.Query(`SELECT value FROM revision WHERE kind = 'rating' ORDER BY revision`)
	values, _ := scanAll(rows, func(row scanner) (v string, err error) { err = row.Scan(&v); return v, err })
	if strings.Join(values, "") != "5451" {
		t.Errorf("revisions %v, want 5 4 5 1", values)
	}
}

func TestAnAnswerCannotBeRewrittenWithoutEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(2, 1, 5))
	token := b.start("ann")
	view := b.walk(token, study.StepView, nil).Step
	for i := range 3 * study.MaxRevisions {
		form := answer(view, map[string]string{"view": fmt.Sprintf("my view, number %d", i)})
		_, problems, err := b.Submit(context.Background(), b.st, token, view.Path, form, Timing{})
		refused := len(problems) == 1 && problems[0] == study.Problem{Field: "view", Reason: study.TooOften, Limit: study.MaxRevisions}
		if err != nil || refused != (i >= study.MaxRevisions) {
			t.Fatalf("rewrite %d: problems %v, %v", i, problems, err)
		}
	}
	var rows int
	if err := b.read.QueryRow(`SELECT count(*) FROM revision WHERE kind = 'view'`).Scan(&rows); err != nil || rows != study.MaxRevisions {
		t.Errorf("%d revisions of the view (%v), want %d", rows, err, study.MaxRevisions)
	}
}

func TestWhatWasTypedSurvivesARefusalAndARestart(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(2, 1, 5))
	token := b.start("ann")
	view := b.walk(token, study.StepView, nil).Step
	typed := "line one\n\n  = line two \U0001F642 \u202Eabc"
	form := func(name string) string {
		return map[string]string{"view": strings.ReplaceAll(typed, "\n", "\r\n")}[name]
	}
	_, problems, err := b.Submit(context.Background(), b.st, token, view.Path, form, Timing{})
	if err != nil || len(problems) != 2 {
		t.Fatalf("problems %v, %v; want stance and importance missing", problems, err)
	}
	b.reopen()
	draft, err := b.Draft(context.Background(), token, view.Path)
	if err != nil || strings.ReplaceAll(draft["view"], "\r\n", "\n") != typed {
		t.Errorf("draft %q, %v; want %q", draft["view"], err, typed)
	}
	b.submit(token, view, map[string]string{"view": form("view")})
	if got := b.records()[0].Answered()[study.Key{Kind: study.KindView, Scope: b.position(token).Progress.Slots[0].Question}]; got != strings.ReplaceAll(typed, "\u202E", "") {
		t.Errorf("stored %q, want %q without the override of direction", got, typed)
	}
}

func TestOneArrivalIsOneSubmission(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(2, 1, 5))
	var wg sync.WaitGroup
	tokens := make([]string, 20)
	for i := range tokens {
		wg.Go(func() {
			tokens[i], _ = b.Start(context.Background(), b.st, b.row.ID, Arrival{Participant: "ann", Submission: "v1"})
		})
	}
	wg.Wait()
	for _, tok := range tokens {
		if tok != tokens[0] || tok == "" {
			t.Fatalf("tokens differ: %v", tokens)
		}
	}
	if n := len(b.records()); n != 1 {
		t.Errorf("%d submissions, want 1", n)
	}
}

func TestAnotherPersonsSubmissionStaysClosed(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(2, 1, 5))
	b.start("ann")
	_, err := b.Resume(context.Background(), "test", Arrival{Participant: "bob", Submission: "visit of ann"})
	if !errors.Is(err, ErrMismatch) {
		t.Errorf("resuming another's submission: %v, want ErrMismatch", err)
	}
	token, err := b.Start(context.Background(), b.st, b.row.ID, Arrival{Participant: "ann", Submission: "made up"})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(b.position(token).Progress.Answers); n != 0 {
		t.Errorf("a typed participant id shows %d answers", n)
	}
}

func TestFinishedPeopleComeAgainOnlyWhereAllowed(t *testing.T) {
	t.Parallel()
	for _, allowed := range []bool{false, true} {
		st := testStudy(4, 1, 5)
		st.Recruitment.Resubmission = allowed
		b := newBench(t, st)
		b.walk(b.start("ann"), study.StepEnd, nil)
		first := b.records()[0].Slots[0].Question
		token, err := b.Start(context.Background(), b.st, b.row.ID, Arrival{Participant: "ann", Submission: "v2"})
		if allowed {
			if err != nil || b.position(token).Progress.Slots[0].Question == first {
				t.Errorf("allowed: %v, or the same question again", err)
			}
		} else if !errors.Is(err, ErrAlready) {
			t.Errorf("refused: %v, want ErrAlready", err)
		}
	}
}

func TestTheLastOddPlaceIsGivenOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(3, 2, 1))
	b.walk(b.start("ann"), study.StepEnd, nil)
	token := b.start("ben")
	if slots := b.position(token).Progress.Slots; len(slots) != 1 {
		t.Fatalf("the second person got %v, want the one place that is left", slots)
	}
	b.walk(token, study.StepEnd, nil)
	for _, r := range b.records() {
		if r.Outcome != study.Completed {
			t.Errorf("%s: %q, want everybody complete", r.Pseudonym, r.Outcome)
		}
	}
	if pos := b.position(b.start("cid")); pos.Outcome != study.OverQuota {
		t.Errorf("the third person: %q, want over quota", pos.Outcome)
	}
}

func TestTheLastPlaceHasOneHolder(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 1))
	var wg sync.WaitGroup
	var mu sync.Mutex
	holders, busy := 0, 0
	for i := range 50 {
		wg.Go(func() {
			_, err := b.Start(context.Background(), b.st, b.row.ID, Arrival{Participant: fmt.Sprint("p", i), Submission: fmt.Sprint("v", i)})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				holders++
			case errors.Is(err, study.ErrBusy):
				busy++
			}
		})
	}
	wg.Wait()
	if holders != 1 || busy != 49 {
		t.Errorf("%d holders, %d told to come back; want 1 and 49", holders, busy)
	}
}

func TestAnExpiredReservationFreesItsPlace(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 1))
	late := b.start("late")
	view := b.walk(late, study.StepView, nil).Step
	if _, err := b.Start(context.Background(), b.st, b.row.ID, Arrival{Participant: "bob", Submission: "v"}); !errors.Is(err, study.ErrBusy) {
		t.Fatalf("while it is live: %v, want ErrBusy", err)
	}
	b.pass(31 * time.Minute)
	b.reopen() // expiry needs neither traffic nor a process that was awake
	bob, err := b.Start(context.Background(), b.st, b.row.ID, Arrival{Participant: "bob", Submission: "v"})
	if err != nil {
		t.Fatalf("after it expired: %v", err)
	}
	pos := b.submit(late, view, map[string]string{"view": "too late, but typed"})
	if pos.Outcome != study.TimedOut {
		t.Errorf("the late submission is %q, want timed_out", pos.Outcome)
	}
	for _, r := range b.records() {
		if r.Outcome == study.TimedOut {
			if r.Answered()[study.Key{Kind: study.KindView, Scope: "q1"}] != "too late, but typed" {
				t.Error("the late answer is gone")
			}
			if r.Slots[0].State != "released" {
				t.Errorf("the late slot is %s", r.Slots[0].State)
			}
		}
	}
	if pos := b.walk(bob, study.StepEnd, nil); pos.Outcome != study.Completed {
		t.Errorf("the new holder ends as %q", pos.Outcome)
	}
	token, err := b.Start(context.Background(), b.st, b.row.ID, Arrival{Participant: "cat", Submission: "w"})
	if err != nil || b.position(token).Outcome != study.OverQuota {
		t.Errorf("when all is full: %v, %q; want over_quota", err, b.position(token).Outcome)
	}
}

func TestALateAnswerGoesOnWhereThePlaceIsStillFree(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 1))
	token := b.start("slow")
	b.walk(token, study.StepView, nil)
	b.pass(3 * time.Hour)
	if pos := b.walk(token, study.StepEnd, nil); pos.Outcome != study.Completed {
		t.Errorf("outcome %q, want completed", pos.Outcome)
	}
}

func TestDecliningReleasesThePlaceAndCanBeTakenBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 1))
	token := b.start("ann")
	pos := b.submit(token, b.position(token).Step, map[string]string{"consent": "no"})
	if pos.Outcome != study.NoConsent || pos.Step.Kind != study.StepEnd {
		t.Fatalf("after declining: %q at %s", pos.Outcome, pos.Step.Kind)
	}
	pos, err := b.Reconsider(context.Background(), b.st, token)
	if err != nil || pos.Step.Kind != study.StepConsent {
		t.Fatalf("after reconsidering: at %s, %v", pos.Step.Kind, err)
	}
	b.submit(token, pos.Step, map[string]string{"consent": "no"})
	bob := b.start("bob")
	if got := b.position(bob).Outcome; got != study.InProgress {
		t.Errorf("the freed place gives %q", got)
	}
	if _, err = b.Reconsider(context.Background(), b.st, token); !errors.Is(err, study.ErrBusy) {
		t.Errorf("reconsidering when the place is taken: %v, want ErrBusy", err)
	}
}

// Someone can go back to the consent after a while and change their mind.
func TestConsentTakenBackLaterLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(4, 1, 1))
	ann := b.start("ann")
	consent := b.position(ann).Step
	b.walk(ann, study.StepFeedback, map[string]string{"view": "ann's secret view"})
	b.submit(ann, consent, map[string]string{"consent": "no"})
	statements, err := b.Statements(context.Background(), b.row.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if s.Text == "ann's secret view" || s.Agree+s.Disagree+s.Neutral+s.Skip != 0 {
			t.Errorf("left behind: %+v", s)
		}
	}
	if r := b.records()[0]; len(r.Answers) != 1 || len(r.Ballots) != 0 || r.Answers[0].Key.Kind != study.KindConsent {
		t.Errorf("left behind: %+v, %+v", r.Answers, r.Ballots)
	}

	for range 4 { // whatever question comes next, nothing of the earlier one is in its way
		pos, err := b.Reconsider(context.Background(), b.st, ann)
		if err != nil || pos.Step.Kind != study.StepConsent {
			t.Fatalf("after reconsidering: at %s, %v", pos.Step.Kind, err)
		}
		b.walk(ann, study.StepVote, nil)
		b.submit(ann, consent, map[string]string{"consent": "no"})
	}
	for _, person := range []string{"bob", "cat", "dan", "eve"} {
		b.walk(b.start(person), study.StepEnd, nil)
	}
	if pos, err := b.Reconsider(context.Background(), b.st, ann); err != nil || pos.Outcome != study.OverQuota {
		t.Errorf("reconsidering when all is full: %q, %v; want over_quota", pos.Outcome, err)
	}
	if err := b.Withdraw(context.Background(), b.st, ann); err != nil {
		t.Errorf("withdrawing then: %v", err)
	}
}

func TestSomebodyWhoStayedAwayTakesNoQuotaFromWhoeverCame(t *testing.T) {
	t.Parallel()
	st := testStudy(4, 1, 5)
	st.Quotas = []study.Quota{{Variable: "PARTY", Targets: map[string]int{"A": 1}}}
	b := newBench(t, st)
	slow := b.start("slow")
	view := b.walk(slow, study.StepView, map[string]string{"PARTY": "A"}).Step
	b.pass(31 * time.Minute)
	if pos := b.walk(b.start("bob"), study.StepEnd, map[string]string{"PARTY": "A"}); pos.Outcome != study.Completed {
		t.Fatalf("bob ends as %q", pos.Outcome)
	}
	if pos := b.submit(slow, view, nil); pos.Outcome != study.TimedOut {
		t.Errorf("back when the cell of one is full: %q, want timed_out", pos.Outcome)
	}
}

func TestAFullQuotaCellTurnsTheSecondAway(t *testing.T) {
	t.Parallel()
	st := testStudy(4, 1, 5)
	st.Quotas = []study.Quota{{Variable: "PARTY", Targets: map[string]int{"A": 1}}}
	b := newBench(t, st)
	b.walk(b.start("ann"), study.StepEnd, nil)
	bob := b.start("bob")
	b.submit(bob, b.position(bob).Step, nil)
	if pos := b.submit(bob, b.position(bob).Step, map[string]string{"PARTY": "A"}); pos.Outcome != study.OverQuota {
		t.Errorf("the second in a cell of one is %q, want over_quota", pos.Outcome)
	}
	cat := b.start("cat")
	if pos := b.walk(cat, study.StepEnd, map[string]string{"PARTY": "B"}); pos.Outcome != study.Completed {
		t.Errorf("another cell: %q", pos.Outcome)
	}
}

func TestVotesAreOnOtherPeoplesStatementsOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 40))
	for i := range 12 {
		b.walk(b.start(fmt.Sprint("p", i)), study.StepEnd, map[string]string{"view": fmt.Sprint("view of p", i)})
	}
	statements, err := b.Statements(context.Background(), b.row.ID)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]study.Statement{}
	votes := map[string]int{}
	for _, s := range statements {
		byID[s.ID] = s
	}
	for i, r := range b.records() {
		seen := map[string]bool{}
		for _, ballot := range r.Ballots {
			s := byID[ballot.Statement]
			if s.Author == r.Pseudonym {
				t.Errorf("%s votes on their own statement", r.Pseudonym)
			}
			if seen[ballot.Statement] {
				t.Errorf("%s sees statement %s twice", r.Pseudonym, ballot.Statement)
			}
			seen[ballot.Statement] = true
			votes[ballot.Statement]++
			if ballot.Probability <= 0 || ballot.Probability > 1 {
				t.Errorf("probability %g", ballot.Probability)
			}
		}
		if want := min(3, 2+i); len(r.Ballots) != want {
			t.Errorf("person %d voted on %d statements, want %d", i, len(r.Ballots), want)
		}
	}
	for id, n := range votes {
		if s := byID[id]; s.Agree+s.Disagree+s.Neutral != n || s.Drawn != n {
			t.Errorf("statement %s counts %d votes of %d", id, s.Agree+s.Disagree+s.Neutral, n)
		}
	}
}

func TestARejectedStatementLeavesServingAtOnce(t *testing.T) {
	t.Parallel()
	st := testStudy(1, 1, 40)
	st.Questions.Seeds = nil
	b := newBench(t, st)
	b.walk(b.start("ann"), study.StepEnd, map[string]string{"view": "call me at 555"})
	bob := b.start("bob")
	pos := b.walk(bob, study.StepVote, nil) // ann's statement waits for bob's vote
	statement := pos.Step.Fields[0].Key.Subject
	if _, _, err := b.Moderate(context.Background(), b.row.ID, []string{statement}, Decision{}, 0); err != nil {
		t.Fatal(err)
	}
	pos = b.position(bob)
	if pos.Step.Kind == study.StepVote {
		t.Error("the rejected statement still waits for a vote")
	}
	pos, err := b.Continue(context.Background(), b.st, bob)
	if err != nil || pos.Step.Kind != study.StepFeedback {
		t.Errorf("bob goes on to %s, %v; want feedback", pos.Step.Kind, err)
	}
}

func TestModerationBeforeHoldsStatementsBack(t *testing.T) {
	t.Parallel()
	st := testStudy(1, 1, 40)
	st.Questions.Seeds = nil
	st.Overton().Moderation = study.ModerationBefore
	b := newBench(t, st)
	b.walk(b.start("ann"), study.StepEnd, nil)
	if pos := b.walk(b.start("bob"), study.StepEnd, nil); len(pos.Progress.Slots[0].Ballots) != 0 {
		t.Error("bob saw a statement that nobody accepted")
	}
	queue, _, err := b.Moderation(context.Background(), b.row.ID, ModerationQuery{List: ListPending, Limit: 10})
	if err != nil || len(queue) != 2 {
		t.Fatalf("queue %v, %v", queue, err)
	}
	if _, _, err := b.Moderate(context.Background(), b.row.ID, []string{queue[0].ID}, Decision{Accept: true}, 0); err != nil {
		t.Fatal(err)
	}
	if pos := b.walk(b.start("cat"), study.StepEnd, nil); len(pos.Progress.Slots[0].Ballots) != 1 {
		t.Errorf("cat saw %d statements, want the accepted one", len(pos.Progress.Slots[0].Ballots))
	}
}

func TestASkippedStatementIsNoVote(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 40))
	pos := b.walk(b.start("ann"), study.StepEnd, map[string]string{"vote": study.Skip})
	if pos.Outcome != study.Completed || pos.Progress.Slots[0].VotesWanted != 0 {
		t.Errorf("after skipping all: %q with %d votes wanted", pos.Outcome, pos.Progress.Slots[0].VotesWanted)
	}
	statements, _ := b.Statements(context.Background(), b.row.ID)
	for _, s := range statements {
		if s.Agree+s.Disagree+s.Neutral != 0 {
			t.Errorf("a skip was counted: %+v", s)
		}
	}
}

func TestAViewChangedAfterItWasSeenBecomesANewStatement(t *testing.T) {
	t.Parallel()
	st := testStudy(1, 1, 40)
	st.Questions.Seeds = nil
	b := newBench(t, st)
	ann := b.start("ann")
	view := b.walk(ann, study.StepView, nil).Step
	b.walk(ann, study.StepRating, map[string]string{"view": "first version"})
	b.submit(ann, view, map[string]string{"view": "second version"}) // nobody saw the first
	bob := b.walk(b.start("bob"), study.StepEnd, nil)
	b.submit(ann, view, map[string]string{"view": "third version"})
	var got []string
	statements, _ := b.Statements(context.Background(), b.row.ID)
	for _, s := range statements {
		if strings.HasSuffix(s.Text, "version") {
			got = append(got, s.Text+" "+string(s.State))
		}
	}
	if strings.Join(got, ", ") != "second version replaced, third version served" {
		t.Errorf("statements %v", got)
	}
	if id := bob.Progress.Slots[0].Ballots[0].Statement; bob.Texts[id] != "second version" {
		t.Errorf("bob's ballot reads %q", bob.Texts[id])
	}
}

func TestARejectedStatementStaysHeldWhenItsAuthorRewritesIt(t *testing.T) {
	t.Parallel()
	st := testStudy(1, 1, 40)
	st.Questions.Seeds = nil
	b := newBench(t, st)
	ctx := context.Background()
	ann := b.start("ann")
	view := b.walk(ann, study.StepView, nil).Step
	b.submit(ann, view, map[string]string{"view": "call me at 555"})
	bob := b.start("bob")
	rejected := b.walk(bob, study.StepVote, nil).Step.Fields[0].Key.Subject
	if _, _, err := b.Moderate(ctx, b.row.ID, []string{rejected}, Decision{}, 0); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a view", "a better view"} {
		b.submit(ann, view, map[string]string{"view": text})
	}
	if pos := b.position(bob); pos.Step.Kind == study.StepVote {
		t.Errorf("bob is shown %q again", pos.Texts[pos.Step.Fields[0].Key.Subject])
	}
	pos, err := b.Continue(ctx, b.st, bob)
	if err != nil || pos.Step.Kind != study.StepVote || pos.Texts[pos.Step.Fields[0].Key.Subject] != "a better view" {
		t.Errorf("bob goes on to %s, %v, texts %v; want the better view", pos.Step.Kind, err, pos.Texts)
	}
	if _, _, err := b.Moderate(ctx, b.row.ID, []string{rejected}, Decision{Accept: true}, 0); !errors.Is(err, ErrNotFound) {
		t.Errorf("accepting what its author replaced: %v, want ErrNotFound", err)
	}
}

func TestTheSecondRoundAsksForTheMissingVotes(t *testing.T) {
	t.Parallel()
	st := testStudy(1, 1, 40)
	st.SecondRound = true
	b := newBench(t, st)
	ann := b.start("ann")
	b.walk(ann, study.StepEnd, nil) // two seeds, three votes asked
	if open, err := b.SecondRoundOpen(context.Background(), st, ann); err != nil || open {
		t.Fatalf("before anybody else: open %v, %v", open, err)
	}
	b.walk(b.start("bob"), study.StepEnd, nil)
	if open, err := b.SecondRoundOpen(context.Background(), st, ann); err != nil || !open {
		t.Fatalf("with bob's statement: open %v, %v", open, err)
	}
	pos, err := b.SecondRound(context.Background(), st, ann)
	if err != nil || pos.Step.Kind != study.StepVote || pos.Outcome != study.Completed {
		t.Fatalf("second round stands at %s with %q, %v", pos.Step.Kind, pos.Outcome, err)
	}
	pos = b.submit(ann, pos.Step, map[string]string{"vote": study.Disagree})
	if pos.Step.Kind != study.StepEnd || pos.Progress.Slots[0].Votes(pos.Progress.Answers) != 3 {
		t.Errorf("ends at %s with %d votes", pos.Step.Kind, pos.Progress.Slots[0].Votes(pos.Progress.Answers))
	}
	r := b.records()[0]
	if last := r.Answers[len(r.Answers)-1]; last.Round != 2 || last.Value != study.Disagree {
		t.Errorf("the last answer is %+v, want a vote of round 2", last)
	}
}

func TestWithdrawingRemovesThePersonEverywhere(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 40))
	ann := b.start("ann")
	b.walk(ann, study.StepEnd, map[string]string{"view": "ann's secret view"})
	bob := b.start("bob")
	b.walk(bob, study.StepEnd, nil)
	if err := b.Withdraw(context.Background(), b.st, ann); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"answer", "revision", "draft", "statement", "identity", "participant", "submission", "ballot"} {
		rows, err := b.read.Query(`SELECT * FROM ` + table)
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := rows.Columns()
		all, _ := scanAll(rows, func(row scanner) ([]any, error) {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			return values, row.Scan(values...)
		})
		for _, row := range all {
			for _, v := range row {
				if s := fmt.Sprint(*v.(*any)); strings.Contains(s, "ann") {
					t.Errorf("%s still holds %q", table, s)
				}
			}
		}
	}
	if _, err := b.Start(context.Background(), b.st, b.row.ID, Arrival{Participant: "ann", Submission: "visit of ann"}); !errors.Is(err, ErrWithdrawn) {
		t.Errorf("the same link afterwards: %v, want ErrWithdrawn", err)
	}
	if n := len(b.records()); n != 1 {
		t.Errorf("%d records are left, want bob's", n)
	}
	if c := b.summary(b.row.ID); c.Questions[0].Done != 1 {
		t.Errorf("places done %+v; want bob's", c.Questions[0])
	}
}

func TestVirtualParticipantsTakeNoPlacesFromPeople(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 1))
	b.walk(b.start("virtual-1"), study.StepEnd, map[string]string{"view": "made up by a program"})
	pos := b.walk(b.start("ann"), study.StepEnd, nil)
	if pos.Outcome != study.Completed {
		t.Errorf("a person after a rehearsal: %q", pos.Outcome)
	}
	for _, text := range pos.Texts {
		if text == "made up by a program" {
			t.Error("a person voted on a virtual participant's statement")
		}
	}
}

func TestCompletesStayBalanced(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(10, 3, 6))
	for i := range 20 { // 10 questions × 6 places = 20 people × 3
		if pos := b.walk(b.start(fmt.Sprint("p", i)), study.StepEnd, nil); pos.Outcome != study.Completed {
			t.Fatalf("person %d: %q", i, pos.Outcome)
		}
		c := b.summary(b.row.ID)
		least, most := 99, 0
		for _, q := range c.Questions {
			least, most = min(least, q.Done), max(most, q.Done)
		}
		if most-least > 1 {
			t.Fatalf("after %d people completes run from %d to %d", i+1, least, most)
		}
	}
}

func TestConcurrentSaversLoseNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(10, 3, 60))
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			token := b.start(fmt.Sprint("p", i))
			pos := b.position(token)
			for pos.Step.Kind != study.StepEnd {
				var problems []study.Problem
				var err error
				step := pos.Step
				pos, problems, err = b.Submit(context.Background(), b.st, token, step.Path, answer(step, nil), Timing{Shown: b.clock()})
				if err != nil || problems != nil {
					t.Errorf("person %d at %s: %v %v", i, step.Path, problems, err)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, r := range b.records() {
		if r.Outcome != study.Completed {
			t.Errorf("%s is %q", r.Pseudonym, r.Outcome)
		}
	}
}

func TestALaunchedStudyIsFrozen(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 1))
	ctx := context.Background()
	if _, err := b.SaveStudy(ctx, NewStudy{Slug: "test", Title: "Other", Hash: "other"}, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("saving another study over it: %v, want ErrConflict", err)
	}
	if err := b.update(ctx, func(tx *tx) error { _, err := tx.exec(`UPDATE study_file SET content = x'00'`); return err }); err == nil || !strings.Contains(err.Error(), "frozen") {
		t.Errorf("changing a file: %v", err)
	}
	for _, to := range []Status{Paused, Running, Closed} {
		if err := b.SetStatus(ctx, "test", to, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.SetStatus(ctx, "test", Running, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("reopening a closed study: %v, want ErrConflict", err)
	}
	if _, err := b.Start(ctx, b.st, b.row.ID, Arrival{Participant: "x", Submission: "y"}); !errors.Is(err, ErrNotOpen) {
		t.Errorf("starting in a closed study: %v, want ErrNotOpen", err)
	}
}

func TestCommitsAreSyncedExceptInTests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options []Option
		want    int // SQLite's synchronous: 0 is OFF, 2 is FULL
	}{"a server's": {nil, 2}, "a test's": {[]Option{WithoutSync()}, 0}} {
		s, err := Open(t.Context(), filepath.Join(t.TempDir(), "overton.db"), c.options...)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var got int
		if err := s.update(t.Context(), func(tx *tx) error { return tx.row(`PRAGMA synchronous`).Scan(&got) }); err != nil || got != c.want {
			t.Errorf("synchronous of %s database is %d, %v; want %d", name, got, err, c.want)
		}
	}
}

func TestAClosedStoreIsOneFile(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 5))
	b.walk(b.start("ann"), study.StepEnd, nil)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if files, err := filepath.Glob(b.path + "*"); err != nil || len(files) != 1 {
		t.Errorf("after closing there are %v, %v", files, err)
	}
}

func TestAPanickingWriteHarmsNobodyElse(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 5))
	err := b.update(context.Background(), func(tx *tx) error { panic("boom") })
	if err == nil {
		t.Error("a panic was taken for success")
	}
	b.start("ann")
}

func BenchmarkSubmit(bm *testing.B) {
	st := testStudy(30, 3, 1<<30)
	path := filepath.Join(bm.TempDir(), "overton.db")
	s, err := Open(context.Background(), path)
	if err != nil {
		bm.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	row, _ := s.SaveStudy(ctx, NewStudy{Slug: "test", Title: "t", Hash: "h"}, 0)
	if err := s.Launch(ctx, "test", st.Questions.Seeds, 0); err != nil {
		bm.Fatal(err)
	}
	people := 0
	var mu sync.Mutex
	next := func() int { mu.Lock(); defer mu.Unlock(); people++; return people }
	bm.SetParallelism(16)
	bm.RunParallel(func(pb *testing.PB) {
		var token string
		var pos Position
		for pb.Next() {
			if token == "" || pos.Step.Kind == study.StepEnd {
				i := next()
				if token, err = s.Start(ctx, st, row.ID, Arrival{Participant: fmt.Sprint("p", i), Submission: fmt.Sprint("v", i)}); err != nil {
					bm.Error(err)
					return
				}
				pos, _ = s.Position(ctx, st, token)
			}
			pos, _, _ = s.Submit(ctx, st, token, pos.Step.Path, answer(pos.Step, nil), Timing{})
		}
	})
}

func TestFillingAddsSubmissionsAsIfTheyHadBeenWalked(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(2, 2, 5))
	token := b.start("ann")
	b.walk(token, study.StepEnd, nil)
	half := b.start("ben")
	b.walk(half, study.StepVote, nil)
	records := b.records()
	var statements []study.Statement
	all, err := b.Statements(context.Background(), b.row.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if !s.Seed {
			s.ID, s.Author = "copy of "+s.ID, "another "+s.Author
			statements = append(statements, s)
		}
	}
	for i := range records {
		r := &records[i]
		r.Pseudonym = "another " + r.Pseudonym
		for n := range r.Ballots {
			if r.Ballots[n].Statement > "4" { // beyond the four seeds: somebody's
				r.Ballots[n].Statement = "copy of " + r.Ballots[n].Statement
			}
		}
		for n := range r.Answers {
			if a := &r.Answers[n]; a.Key.Kind == study.KindVote && a.Key.Subject > "4" {
				a.Key.Subject = "copy of " + a.Key.Subject
			}
		}
	}
	if err := b.Fill(context.Background(), b.st, b.row.ID, records, statements); err != nil {
		t.Fatal(err)
	}
	counts := b.summary(b.row.ID)
	if counts.Arrived != 4 || counts.InProgress != 2 || counts.Outcomes[study.Completed] != 2 {
		t.Errorf("counts %+v, want everybody twice", counts)
	}
	for _, stage := range counts.Stages {
		if want := map[bool]int{true: 2}[stage.Kind == study.StepVote && stage.Slot == 0]; stage.Here != want {
			t.Errorf("%d stand at %+v, want %d", stage.Here, stage.Stage, want)
		}
	}
	again := b.records()
	for i, r := range again[:2] {
		if len(again[i+2].Answers) != len(r.Answers) || len(again[i+2].Ballots) != len(r.Ballots) {
			t.Errorf("%s has %d answers and %d ballots, want %d and %d", again[i+2].Pseudonym, len(again[i+2].Answers), len(again[i+2].Ballots), len(r.Answers), len(r.Ballots))
		}
	}
}
