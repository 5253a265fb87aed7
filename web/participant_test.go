package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/internal/study"
)

func TestTheWholeJourneyByFormsAlone(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	if p.path() != "p/consent" {
		t.Fatalf("after start: %s", p.url.Path)
	}
	var pages []string
	for p.path() != "end" {
		pages = append(pages, p.path())
		if p.status != http.StatusOK || len(pages) > 60 {
			t.Fatalf("%s: status %d", p.url.Path, p.status)
		}
		if len(pages) > 1 && !strings.Contains(p.body, `">Back</a>`) {
			t.Errorf("%s has no way back", p.path())
		}
		for _, always := range []string{"Stop taking part", "team@example.org", " % done"} {
			if !strings.Contains(p.says(), always) {
				t.Errorf("%s does not say %q", p.path(), always)
			}
		}
		if strings.Contains(p.body, "PROLIFIC") || strings.Contains(p.url.String(), "SESSION_ID") {
			t.Errorf("%s carries an identity", p.path())
		}
		p = b.send(p, p.answers("My view\nin two lines"))
	}
	want := "p/instructions p/q1-view p/q1-response1 p/q1-response2 p/q1-statement1 p/q1-statement2 p/check1 " +
		"p/q2-view p/q2-response1 p/q2-response2 p/q2-statement1 p/q2-statement2 p/feedback"
	if got := strings.Join(pages, " "); !strings.HasSuffix(got, want) || !strings.HasPrefix(got, "p/consent p/survey1-1 ") {
		t.Errorf("walked %s\nwant … %s", got, want)
	}
	for _, part := range []string{"DONE1", `href="https://app.prolific.com/submissions/complete?cc=DONE1"`, "Copy the code"} {
		if !strings.Contains(p.body, part) {
			t.Errorf("the end page lacks %s", part)
		}
	}
	if again := b.get("/s/small/end"); !strings.Contains(again.body, "DONE1") {
		t.Error("the end page does not stay")
	}
	r := ts.records()
	if len(r) != 1 || r[0].Outcome != study.Completed {
		t.Fatalf("records %+v, want one that is completed", r)
	}
	for _, a := range r[0].Answers {
		if a.Key.Kind == study.KindView && a.Value != "My view\nin two lines" {
			t.Errorf("the view arrived as %q", a.Value)
		}
		if a.Revision != 1 || a.Shown.IsZero() {
			t.Errorf("%v: revision %d, shown at %v", a.Key, a.Revision, a.Shown)
		}
	}
}

func TestNothingIsAcceptedWithoutTheAnswersAsked(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	for range 60 {
		if p.path() == "p/feedback" || p.path() == "end" {
			break
		}
		before := p.path()
		empty := b.send(p, map[string]string{"view": "  \n "})
		if empty.status != http.StatusUnprocessableEntity || empty.path() != before {
			t.Errorf("%s sent empty: status %d on %s", before, empty.status, empty.path())
		}
		if !strings.Contains(empty.body, `id="problems"`) || !strings.Contains(empty.body, "<title>Problem: ") {
			t.Errorf("%s sent empty: nothing says what is missing", before)
		}
		junk := p.answers("x")
		for name := range junk {
			junk[name] = "no such option"
		}
		if name := before; !strings.Contains(name, "view") {
			if got := b.send(p, junk); got.status != http.StatusUnprocessableEntity {
				t.Errorf("%s sent with junk: status %d", before, got.status)
			}
		}
		p = b.send(p, p.answers("A view"))
	}
	if p.path() != "p/feedback" {
		t.Errorf("ended at %s", p.path())
	}
}

func TestAHalfFilledPageKeepsWhatWasTyped(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	p = b.walk(p, "p/q1-view")
	p = b.send(p, map[string]string{"view": "Only this\n\nso far", "importance": "4", "active": "1234", "trail": "importance=4@900"})
	if p.status != http.StatusUnprocessableEntity {
		t.Fatalf("status %d", p.status)
	}
	_, fields := p.form()
	for name, want := range map[string]string{"view": "Only this\n\nso far", "importance": "4", "stance": "", "active": "1234", "trail": "importance=4@900"} {
		if got := fields.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	// It is there in another browser, too, though it was never accepted.
	other, p := ts.arrive(1)
	if _, fields := p.form(); p.path() != "p/q1-view" || fields.Get("view") != "Only this\n\nso far" {
		t.Errorf("another browser shows %s with %q", p.path(), fields.Get("view"))
	}
	other.walk(p, "end")
}

func TestGoingBackShowsTheAnswersAndAChangeIsARevision(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	b.walk(p, "p/q1-response2")
	back := b.get("/s/small/p/q1-response1")
	if _, fields := back.form(); fields.Get("rating") != "2" {
		t.Errorf("going back shows %q, want the 2 that was chosen", fields.Get("rating"))
	}
	if p = b.send(back, map[string]string{"rating": "5"}); p.path() != "p/q1-response2" {
		t.Errorf("after the change: %s, want where the person stands", p.path())
	}
	b.walk(p, "p/q1-statement2")
	vote := b.get("/s/small/p/q1-statement1")
	if !strings.Contains(vote.says(), "You chose: agree.") {
		t.Error("going back to a vote does not show it")
	}
	b.walk(b.send(vote, map[string]string{"vote": "skip"}), "end")
	var first study.Answer
	for _, a := range ts.records()[0].Answers {
		if a.Key.Kind == study.KindRating && a.Revision == 2 {
			first = a
		}
	}
	if first.Value != "5" {
		t.Errorf("the changed rating is %+v, want 5 in revision 2", first)
	}
}

func TestSendingAPageFiveTimesStoresOneAnswer(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	p = b.walk(p, "p/q1-response1")
	var wait sync.WaitGroup
	for range 5 {
		wait.Go(func() {
			if next := b.send(p, map[string]string{"rating": "3"}); next.path() != "p/q1-response2" {
				t.Errorf("went to %s", next.path())
			}
		})
	}
	wait.Wait()
	ratings := 0
	for _, a := range ts.records()[0].Answers {
		if a.Key.Kind == study.KindRating {
			ratings++
			if a.Revision != 1 {
				t.Errorf("revision %d, want 1", a.Revision)
			}
		}
	}
	if ratings != 1 {
		t.Errorf("%d ratings, want 1", ratings)
	}
}

func TestTwoTabsOfOnePersonWalkTheSameWay(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	p = b.walk(p, "p/q1-response1")
	old := p // stays open in the other tab
	b.walk(p, "p/q2-view")
	if next := b.send(old, map[string]string{"rating": "4"}); next.path() != "p/q2-view" {
		t.Errorf("the old tab went to %s, want where the person stands", next.path())
	}
	if n := len(ts.records()); n != 1 {
		t.Errorf("%d submissions, want 1", n)
	}
}

func TestNobodySkipsAhead(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	p = b.walk(p, "p/q1-response1")
	for _, path := range []string{"p/q1-response2", "p/q1-statement1", "p/q2-view", "p/feedback", "end", "p/end", "p/q9-view", "p/nonsense"} {
		if got := b.get("/s/small/" + path); got.path() != "p/q1-response1" {
			t.Errorf("GET %s leads to %s", path, got.path())
		}
		_, fields := p.form()
		for name, value := range map[string]string{"rating": "3", "vote": "agree", "comment": "x", "view": "x", "stance": "1", "importance": "1"} {
			fields.Set(name, value)
		}
		if got := b.post("/s/small/"+path, fields); strings.HasPrefix(path, "p/") && got.path() != "p/q1-response1" {
			t.Errorf("POST %s leads to %s", path, got.path())
		}
	}
	if r := ts.records()[0]; r.Outcome != study.InProgress {
		t.Errorf("outcome %q", r.Outcome)
	}
}

func TestAnotherPersonsIdShowsNothingOfTheirs(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	b.send(b.walk(p, "p/q1-view"), map[string]string{"view": "my secret thought"})
	// The id of the participant alone, with a submission of one's own.
	thief := ts.browser()
	p = thief.get(fmt.Sprintf("/s/small?PROLIFIC_PID=%024x&STUDY_ID=%024x&SESSION_ID=%024x", 1, 99, 7777))
	if p.path() != "start" || strings.Contains(p.body, "secret") {
		t.Errorf("another submission leads to %s", p.path())
	}
	// Somebody else's submission under one's own id.
	p = ts.browser().get(fmt.Sprintf("/s/small?PROLIFIC_PID=%024x&STUDY_ID=%024x&SESSION_ID=%024x", 2, 99, 1001))
	if p.status != http.StatusForbidden || !strings.Contains(p.says(), "belongs to somebody else") {
		t.Errorf("another person's submission: status %d: %s", p.status, p.says())
	}
	// Pages without a cookie show nothing, whatever is in the address.
	p = ts.browser().get("/s/small/p/q1-view?SESSION_ID=" + fmt.Sprintf("%024x", 1001))
	if p.status != http.StatusForbidden || strings.Contains(p.body, "secret") {
		t.Errorf("without a cookie: status %d", p.status)
	}
}

func TestTheSameLinkResumesInAnotherBrowserAndAfterARestart(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	p = b.walk(p, "p/q1-response2")
	if other, p := ts.arrive(1); p.path() != "p/q1-response2" {
		t.Errorf("another browser came to %s", p.path())
	} else if p := other.get("/s/small/start"); p.path() != "p/q1-response2" {
		t.Errorf("the start page of somebody on the way is %s", p.path())
	}
	ts.http.Close()
	if err := ts.store.Close(); err != nil {
		t.Fatal(err)
	}
	old := ts.http.URL
	ts.open(Config{})
	if ts.http.URL == old {
		t.Log("the restarted server took the same port")
	}
	// The old cookie is still good: its keys are in the database. Cookies know
	// no ports, so the jar sends it to the new address.
	if p := b.get("/s/small/resume"); p.path() != "p/q1-response2" {
		t.Errorf("after the restart: %s", p.path())
	}
	// So is a page that was open during the restart.
	if next := b.send(p, map[string]string{"rating": "1"}); next.path() != "p/q1-statement1" {
		t.Errorf("the page open during the restart went to %s", next.path())
	}
	if n := len(ts.records()); n != 1 {
		t.Errorf("%d submissions, want 1", n)
	}
}

func TestAFormOfAnotherPersonIsNotSaved(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	mine := b.walk(p, "p/q1-view")
	// The next person opens their link in the same browser and comes as far.
	p = b.send(b.get(arrival(2)), nil)
	b.walk(p, "p/q1-view")
	got := b.send(mine, map[string]string{"view": "typed in the first window", "stance": "1", "importance": "3"})
	if got.status != http.StatusConflict || !strings.Contains(got.says(), "typed in the first window") {
		t.Errorf("status %d: %s", got.status, got.says())
	}
	for _, r := range ts.records() {
		for _, a := range r.Answers {
			if a.Key.Kind == study.KindView {
				t.Errorf("it was saved for %s", r.Pseudonym)
			}
		}
	}
	// A start page left open by the first person starts nothing for the second.
	early := ts.browser()
	start := early.get(arrival(3))
	early.get(arrival(4))
	if got := early.send(start, nil); got.status != http.StatusConflict {
		t.Errorf("a start page of another person: status %d", got.status)
	}
}

func TestAFormWithoutAGoodTokenLosesNoText(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	p = b.walk(p, "p/q1-view")
	for _, token := range []string{"", "nonsense", strings.Repeat("x", 5000)} {
		got := b.send(p, map[string]string{"token": token, "view": "kept text", "stance": "1", "importance": "3"})
		if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.says(), "once more") {
			t.Errorf("token %.10q: status %d", token, got.status)
		}
		_, fields := got.form()
		if fields.Get("view") != "kept text" || fields.Get("importance") != "3" {
			t.Errorf("token %.10q: the page has %v", token, fields)
		}
		if next := b.send(got, nil); next.path() != "p/q1-response1" {
			t.Errorf("sent once more: %s", next.path())
		}
	}
	// A form that outlived its cookie.
	got := ts.browser().send(p, map[string]string{"view": "also kept"})
	if got.status != http.StatusForbidden || !strings.Contains(got.says(), "also kept") {
		t.Errorf("without a cookie: status %d: %s", got.status, got.says())
	}
}

func TestDraftsAreKeptAndShown(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	p = b.walk(p, "p/q1-view")
	_, fields := p.form()
	fields.Set("view", "half a th")
	if got := b.post("/s/small/draft/q1-view", fields); got.status != http.StatusNoContent {
		t.Fatalf("saving a draft: status %d", got.status)
	}
	_, again := ts.arrive(1)
	if _, fields := again.form(); fields.Get("view") != "half a th" {
		t.Errorf("the draft is %q", fields.Get("view"))
	}
	if got := b.post("/s/small/draft/q2-view", fields); got.status < 400 {
		t.Errorf("a draft for a page that is not reachable yet: status %d", got.status)
	}
	fields.Set("token", "")
	if got := b.post("/s/small/draft/q1-view", fields); got.status != http.StatusBadRequest {
		t.Errorf("a draft without a token: status %d", got.status)
	}
}

func TestParticipantTextIsInert(t *testing.T) {
	hostile := "<img src=x onerror=alert(1)> {{7*7}} &amp; <b>"
	ts := newSite(t, studyFolder(func(y string) string {
		return strings.Replace(noChecks(y), "      seeds: seeds.csv\n", "", 1)
	}))
	checked := 0
	for n := 1; n <= 3; n++ {
		b, p := ts.begin(n)
		for p.path() != "end" {
			forEach(p.doc, "img", func(*html.Node) { t.Errorf("%s shows an image", p.path()) })
			forEach(p.doc, "script", func(s *html.Node) {
				if s.FirstChild != nil {
					t.Errorf("%s holds a script", p.path())
				}
			})
			if strings.Contains(p.body, "javascript:") {
				t.Errorf("%s links to a script", p.path())
			}
			if strings.Contains(p.says(), hostile) {
				checked++
			}
			p = b.send(p, p.answers(hostile))
		}
	}
	// Own view beside two responses of two questions for each of three people,
	// and other people's as statements.
	if checked < 12+2 {
		t.Errorf("the text was shown %d times, want at least 14", checked)
	}
}

func TestConsentTextIsRenderedBelowThePagesHeading(t *testing.T) {
	got, err := markdown("# One\n\n## Two\n\nSome *text*, <b>raw</b> and [a link](javascript:alert(1)).\n\n![Our *logo*](https://example.org/logo.png)\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<h2>One</h2>", "<h3>Two</h3>", "<em>text</em>", `<a href="https://example.org/logo.png">Our <em>logo</em></a>`} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in %s", part, got)
		}
	}
	for _, part := range []string{"<b>", "javascript:", "<img"} {
		if strings.Contains(got, part) {
			t.Errorf("%q is in %s", part, got)
		}
	}
}

// Two studies of one recruiter can be open in one browser under one submission id.
func TestAFormIsGoodForItsOwnStudyOnly(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	other, err := studyfile.Read(studyFolder(func(yaml string) string { return strings.Replace(yaml, "slug: small", "slug: other", 1) }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ts.store.SaveStudy(context.Background(), store.NewStudy{Slug: "other", Title: other.Title, Hash: other.Hash, Files: other.Files}); err != nil {
		t.Fatal(err)
	}
	if err := ts.store.Launch(context.Background(), "other", other.Questions.Seeds, 0); err != nil {
		t.Fatal(err)
	}
	b, p := ts.arrive(1)
	b.get(strings.Replace(arrival(1), "/s/small", "/s/other", 1))
	_, fields := p.form()
	if got := b.post("/s/other/start", fields); got.path() != "start" || got.status != http.StatusOK {
		t.Errorf("the other study's form led to %s, status %d; want its welcome again", got.url.Path, got.status)
	}
}

func TestDecliningHasItsCodeAndAWayBack(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	p = b.send(p, map[string]string{"consent": "no"})
	if p.path() != "end" || !strings.Contains(p.body, "cc=NOCONSENT2") {
		t.Fatalf("declined: %s\n%s", p.path(), p.says())
	}
	if p = b.get(arrival(1)); p.path() != "end" {
		t.Errorf("coming back: %s", p.path())
	}
	if p = b.send(p, nil); p.path() != "p/consent" {
		t.Errorf("reconsidered: %s", p.path())
	}
	if p = b.walk(p, "end"); !strings.Contains(p.body, "cc=DONE1") {
		t.Errorf("after all: %s", p.says())
	}
}

func TestWithdrawingRemovesTheAnswersAndSaysHowToGoBack(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	p = b.walk(p, "p/q2-view")
	ask := b.get("/s/small/withdraw")
	if !strings.Contains(ask.says(), "cannot be undone") || len(ts.records()) != 1 {
		t.Fatalf("asking: %s", ask.says())
	}
	if done := b.send(ask, nil); done.path() != "end" || !strings.Contains(done.says(), "have been removed") || !strings.Contains(done.body, "cc=NOCONSENT2") {
		t.Errorf("withdrawn: %s: %s", done.path(), done.says())
	}
	if n := len(ts.records()); n != 0 {
		t.Errorf("%d submissions are left", n)
	}
	for _, path := range []string{"/s/small/p/q1-view", arrival(1), "/s/small/withdraw"} {
		if got := b.get(path); strings.Contains(got.says(), "My view") {
			t.Errorf("%s still shows answers", path)
		}
	}
	if got := b.send(p, map[string]string{"view": "late"}); !strings.Contains(got.says(), "have been removed") || len(ts.records()) != 0 {
		t.Errorf("a late form: %s", got.says())
	}
	if _, p := ts.arrive(1); !strings.Contains(p.says(), "have been removed") || len(ts.records()) != 0 {
		t.Errorf("the same link in another browser: %s", p.says())
	}
}

func TestFailedCheckHasItsCode(t *testing.T) {
	ts := newSite(t, studyFolder(func(y string) string { return strings.Replace(y, "minutes: 12", "minutes: 4", 1) }))
	b, p := ts.begin(1)
	p = b.send(b.walk(p, "p/check1"), map[string]string{"rating": "5"})
	if p = b.walk(p, "end"); !strings.Contains(p.body, "cc=CHECKS4") {
		t.Errorf("the end says %s", p.says())
	}
}

func TestPeopleWhoCannotEnterAreToldWhy(t *testing.T) {
	ctx := context.Background()
	ts := newSite(t, studyFolder(func(y string) string {
		return strings.Replace(y, "participants_per_question: 20", "participants_per_question: 1", 1)
	}))
	expect := func(what string, p page, status int, says string) {
		t.Helper()
		if p.status != status || !strings.Contains(p.says(), says) {
			t.Errorf("%s: status %d, want %d with %q:\n%s", what, p.status, status, says, p.says())
		}
	}
	expect("an unknown study", ts.browser().get("/s/nothing?PROLIFIC_PID=1&SESSION_ID=1"), http.StatusNotFound, "no such study")
	expect("an unknown page", ts.browser().get("/nothing"), http.StatusNotFound, "no such page")
	expect("a page without a cookie", ts.browser().get("/s/small/start"), http.StatusForbidden, "cannot tell who you are")

	first, p := ts.begin(1) // takes two of the three single places
	second, wait := ts.begin(2)
	expect("all places reserved", wait, http.StatusServiceUnavailable, "taken for now")
	if !strings.Contains(wait.body, `href="/s/small/start">Try again`) {
		t.Error("there is no button to try again")
	}
	first.walk(p, "end")
	_, full := ts.begin(3)
	expect("all places filled", full, http.StatusOK, "FULL5")
	if !strings.Contains(full.body, "cc=FULL5") {
		t.Error("over quota has not its code")
	}
	again := ts.browser()
	expect("a second submission of one person",
		again.send(again.get(fmt.Sprintf("/s/small?PROLIFIC_PID=%024x&SESSION_ID=%024x", 1, 5555)), nil), http.StatusForbidden, "already taken part")

	if err := ts.store.SetStatus(ctx, "small", store.Paused, 0); err != nil {
		t.Fatal(err)
	}
	_, p = ts.arrive(4)
	expect("a paused study", p, http.StatusServiceUnavailable, "break")
	if err := ts.store.SetStatus(ctx, "small", store.Closed, 0); err != nil {
		t.Fatal(err)
	}
	_, p = ts.arrive(4)
	expect("a closed study", p, http.StatusGone, "ended")
	expect("a closed study, somebody who waited", second.get("/s/small/start"), http.StatusGone, "ended")
	expect("a closed study, somebody who finished", first.get("/s/small/end"), http.StatusOK, "DONE1")
}

func TestSomebodyWhoStaysAwayIsToldWhatBecameOfThePlace(t *testing.T) {
	ts := newSite(t, studyFolder(func(y string) string {
		return strings.Replace(y, "participants_per_question: 20", "participants_per_question: 1", 1)
	}))
	slow, p := ts.begin(1)
	p = slow.walk(p, "p/q1-view")
	if !strings.Contains(p.body, `data-warn-after="2100"`) { // 40 minutes, less 5
		t.Error("the page does not warn before the place is lost")
	}
	ts.pass(41 * time.Minute)
	quick, q := ts.begin(2)
	quick.walk(q, "end")
	p = slow.send(p, p.answers("too late"))
	if p.path() != "end" || !strings.Contains(p.says(), "gone to somebody else") || !strings.Contains(p.body, "cc=FULL5") {
		t.Errorf("%s: %s", p.path(), p.says())
	}
}

func TestASecondRoundBringsPeopleBackForVotes(t *testing.T) {
	ts := newSite(t, studyFolder(func(y string) string {
		y = strings.Replace(noChecks(y), "      seeds: seeds.csv\n", "", 1)
		y = strings.Replace(y, "questions_per_participant: 2", "questions_per_participant: 3", 1)
		return y + "second_round: true\n"
	}))
	first, p := ts.begin(1)
	p = first.walk(p, "end")
	if !strings.Contains(p.says(), "open the same link again") {
		t.Errorf("the first to come is not told of a second round: %s", p.says())
	}
	second, q := ts.begin(2)
	second.walk(q, "end")
	p = first.get(arrival(1))
	if !strings.Contains(p.says(), "vote on them now") {
		t.Fatalf("coming back: %s", p.says())
	}
	p = first.send(p, nil)
	votes := 0
	for strings.Contains(p.path(), "statement") {
		votes++
		p = first.send(p, map[string]string{"vote": "agree"})
	}
	if votes != 3 || p.path() != "end" {
		t.Errorf("%d votes, then %s; want 3 and the end", votes, p.path())
	}
	if got := first.get("/s/small/p/q1-view"); got.path() != "end" {
		t.Errorf("a finished view can be opened again: %s", got.path())
	}
}

func TestAStatementTakenBackMakesRoomForTheNext(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	b.walk(p, "p/q1-statement1")
	row, err := ts.store.Study(context.Background(), "small")
	if err != nil {
		t.Fatal(err)
	}
	shown := ts.records()[0].Ballots[0].Statement
	if _, _, err := ts.store.Moderate(context.Background(), row.ID, []string{shown}, store.Decision{}, 0); err != nil {
		t.Fatal(err)
	}
	moved := b.get("/s/small/p/q1-statement1")
	if moved.path() != "resume" || !strings.Contains(moved.says(), "not shown any more") {
		t.Fatalf("the page is %s: %s", moved.path(), moved.says())
	}
	if p = b.send(moved, nil); p.path() != "p/q1-statement2" {
		t.Errorf("going on leads to %s", p.path())
	}
	b.walk(p, "end")
}

func TestAnEmptiedTextStaysEmptyWhenThePageComesBack(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	b.walk(p, "p/q1-response1")
	p = b.send(b.get("/s/small/p/q1-view"), map[string]string{"view": ""})
	if _, fields := p.form(); p.status != http.StatusUnprocessableEntity || fields.Get("view") != "" || fields.Get("stance") == "" {
		t.Errorf("status %d, fields %v", p.status, fields)
	}
}

func TestTheScriptIsToldWhereToGo(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	action, fields := p.form()
	fields.Set("consent", "yes")
	r, err := http.NewRequest(http.MethodPost, ts.http.URL+action, strings.NewReader(fields.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Overton-Script", "1")
	if got := b.do(r); got.status != http.StatusNoContent || got.header.Get("Overton-Location") != "/s/small/p/survey1-1" {
		t.Errorf("status %d, location %q", got.status, got.header.Get("Overton-Location"))
	}
}

func TestTimesAndTrailsArriveAndAreBounded(t *testing.T) {
	for _, c := range []struct {
		active string
		want   time.Duration
	}{{"", 0}, {"-5", 0}, {"x", 0}, {"1500", 1500 * time.Millisecond}, {"99999999999999", cookieLife}} {
		if got := timing(sent{active: c.active}, time.Time{}).Active; got != c.want && c.active != "99999999999999" || got < 0 || got > cookieLife {
			t.Errorf("active %q is read as %v", c.active, got)
		}
	}
	if got := timing(sent{trail: strings.Repeat("x", 9999)}, time.Time{}).Trail; len(got) != maxTrail {
		t.Errorf("a trail of %d bytes was kept", len(got))
	}
	if got := timing(sent{trail: "a" + strings.Repeat("é", maxTrail/2) + "\xff\x00"}, time.Time{}).Trail; !utf8.ValidString(got) || len(got) != maxTrail-1 {
		t.Errorf("a trail cut within a character ends in %q", got[len(got)-3:])
	}
}
