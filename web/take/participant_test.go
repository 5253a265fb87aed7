package take_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/internal/study"
	"overton/web"
	"overton/web/webtest"
)

func TestTheWholeJourneyByFormsAlone(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	if p.Path() != "p/consent" {
		t.Fatalf("after start: %s", p.URL.Path)
	}
	var pages []string
	for p.Path() != "end" {
		pages = append(pages, p.Path())
		if p.Status != http.StatusOK || len(pages) > 60 {
			t.Fatalf("%s: status %d", p.URL.Path, p.Status)
		}
		if len(pages) > 1 && !strings.Contains(p.Body, `">Back</a>`) {
			t.Errorf("%s has no way back", p.Path())
		}
		for _, always := range []string{"Stop taking part", "team@example.org", " % done"} {
			if !strings.Contains(p.Says(), always) {
				t.Errorf("%s does not say %q", p.Path(), always)
			}
		}
		if strings.Contains(p.Body, "PROLIFIC") || strings.Contains(p.URL.String(), "SESSION_ID") {
			t.Errorf("%s carries an identity", p.Path())
		}
		p = b.Send(p, p.Answers("My view\nin two lines"))
	}
	want := "p/instructions p/q1-view p/q1-response1 p/q1-response2 p/q1-statement1 p/q1-statement2 p/check1 " +
		"p/q2-view p/q2-response1 p/q2-response2 p/q2-statement1 p/q2-statement2 p/feedback"
	if got := strings.Join(pages, " "); !strings.HasSuffix(got, want) || !strings.HasPrefix(got, "p/consent p/survey1-1 ") {
		t.Errorf("walked %s\nwant … %s", got, want)
	}
	for _, part := range []string{"DONE1", `href="https://app.prolific.com/submissions/complete?cc=DONE1"`, "Copy the code"} {
		if !strings.Contains(p.Body, part) {
			t.Errorf("the end page lacks %s", part)
		}
	}
	if again := b.Get("/s/small/end"); !strings.Contains(again.Body, "DONE1") {
		t.Error("the end page does not stay")
	}
	r := ts.Records()
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
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	for range 60 {
		if p.Path() == "p/feedback" || p.Path() == "end" {
			break
		}
		before := p.Path()
		empty := b.Send(p, map[string]string{"view": "  \n "})
		if empty.Status != http.StatusUnprocessableEntity || empty.Path() != before {
			t.Errorf("%s sent empty: status %d on %s", before, empty.Status, empty.Path())
		}
		if !strings.Contains(empty.Body, `id="problems"`) || !strings.Contains(empty.Body, "<title>Problem: ") {
			t.Errorf("%s sent empty: nothing says what is missing", before)
		}
		junk := p.Answers("x")
		for name := range junk {
			junk[name] = "no such option"
		}
		if name := before; !strings.Contains(name, "view") {
			if got := b.Send(p, junk); got.Status != http.StatusUnprocessableEntity {
				t.Errorf("%s sent with junk: status %d", before, got.Status)
			}
		}
		p = b.Send(p, p.Answers("A view"))
	}
	if p.Path() != "p/feedback" {
		t.Errorf("ended at %s", p.Path())
	}
}

func TestAHalfFilledPageKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	p = b.Walk(p, "p/q1-view")
	p = b.Send(p, map[string]string{"view": "Only this\n\nso far", "importance": "4", "active": "1234", "trail": "importance=4@900"})
	if p.Status != http.StatusUnprocessableEntity {
		t.Fatalf("status %d", p.Status)
	}
	_, fields := p.Form()
	for name, want := range map[string]string{"view": "Only this\n\nso far", "importance": "4", "stance": "", "active": "1234", "trail": "importance=4@900"} {
		if got := fields.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	// It is there in another browser, too, though it was never accepted.
	other, p := ts.Arrive(1)
	if _, fields := p.Form(); p.Path() != "p/q1-view" || fields.Get("view") != "Only this\n\nso far" {
		t.Errorf("another browser shows %s with %q", p.Path(), fields.Get("view"))
	}
	other.Walk(p, "end")
}

func TestGoingBackShowsTheAnswersAndAChangeIsARevision(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	b.Walk(p, "p/q1-response2")
	back := b.Get("/s/small/p/q1-response1")
	if _, fields := back.Form(); fields.Get("rating") != "2" {
		t.Errorf("going back shows %q, want the 2 that was chosen", fields.Get("rating"))
	}
	if p = b.Send(back, map[string]string{"rating": "5"}); p.Path() != "p/q1-response2" {
		t.Errorf("after the change: %s, want where the person stands", p.Path())
	}
	b.Walk(p, "p/q1-statement2")
	vote := b.Get("/s/small/p/q1-statement1")
	if !strings.Contains(vote.Says(), "You chose: agree.") {
		t.Error("going back to a vote does not show it")
	}
	b.Walk(b.Send(vote, map[string]string{"vote": "skip"}), "end")
	var first study.Answer
	for _, a := range ts.Records()[0].Answers {
		if a.Key.Kind == study.KindRating && a.Revision == 2 {
			first = a
		}
	}
	if first.Value != "5" {
		t.Errorf("the changed rating is %+v, want 5 in revision 2", first)
	}
}

func TestSendingAPageFiveTimesStoresOneAnswer(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	p = b.Walk(p, "p/q1-response1")
	var wait sync.WaitGroup
	for range 5 {
		wait.Go(func() {
			if next := b.Send(p, map[string]string{"rating": "3"}); next.Path() != "p/q1-response2" {
				t.Errorf("went to %s", next.Path())
			}
		})
	}
	wait.Wait()
	ratings := 0
	for _, a := range ts.Records()[0].Answers {
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
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	p = b.Walk(p, "p/q1-response1")
	old := p // stays open in the other tab
	b.Walk(p, "p/q2-view")
	if next := b.Send(old, map[string]string{"rating": "4"}); next.Path() != "p/q2-view" {
		t.Errorf("the old tab went to %s, want where the person stands", next.Path())
	}
	if n := len(ts.Records()); n != 1 {
		t.Errorf("%d submissions, want 1", n)
	}
}

func TestNobodySkipsAhead(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	p = b.Walk(p, "p/q1-response1")
	for _, path := range []string{"p/q1-response2", "p/q1-statement1", "p/q2-view", "p/feedback", "end", "p/end", "p/q9-view", "p/nonsense"} {
		if got := b.Get("/s/small/" + path); got.Path() != "p/q1-response1" {
			t.Errorf("GET %s leads to %s", path, got.Path())
		}
		_, fields := p.Form()
		for name, value := range map[string]string{"rating": "3", "vote": "agree", "comment": "x", "view": "x", "stance": "1", "importance": "1"} {
			fields.Set(name, value)
		}
		if got := b.Post("/s/small/"+path, fields); strings.HasPrefix(path, "p/") && got.Path() != "p/q1-response1" {
			t.Errorf("POST %s leads to %s", path, got.Path())
		}
	}
	if r := ts.Records()[0]; r.Outcome != study.InProgress {
		t.Errorf("outcome %q", r.Outcome)
	}
}

func TestAnotherPersonsIdShowsNothingOfTheirs(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	b.Send(b.Walk(p, "p/q1-view"), map[string]string{"view": "my secret thought"})
	// The id of the participant alone, with a submission of one's own.
	thief := ts.Browser()
	p = thief.Get(fmt.Sprintf("/s/small?PROLIFIC_PID=%024x&STUDY_ID=%024x&SESSION_ID=%024x", 1, 99, 7777))
	if p.Path() != "start" || strings.Contains(p.Body, "secret") {
		t.Errorf("another submission leads to %s", p.Path())
	}
	// Somebody else's submission under one's own id.
	p = ts.Browser().Get(fmt.Sprintf("/s/small?PROLIFIC_PID=%024x&STUDY_ID=%024x&SESSION_ID=%024x", 2, 99, 1001))
	if p.Status != http.StatusForbidden || !strings.Contains(p.Says(), "belongs to another person") {
		t.Errorf("another person's submission: status %d: %s", p.Status, p.Says())
	}
	// Pages without a cookie show nothing, whatever is in the address.
	p = ts.Browser().Get("/s/small/p/q1-view?SESSION_ID=" + fmt.Sprintf("%024x", 1001))
	if p.Status != http.StatusForbidden || strings.Contains(p.Body, "secret") {
		t.Errorf("without a cookie: status %d", p.Status)
	}
}

func TestTheSameLinkResumesInAnotherBrowserAndAfterARestart(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	p = b.Walk(p, "p/q1-response2")
	if other, p := ts.Arrive(1); p.Path() != "p/q1-response2" {
		t.Errorf("another browser came to %s", p.Path())
	} else if p := other.Get("/s/small/start"); p.Path() != "p/q1-response2" {
		t.Errorf("the start page of somebody on the way is %s", p.Path())
	}
	ts.HTTP.Close()
	if err := ts.Store.Close(); err != nil {
		t.Fatal(err)
	}
	old := ts.HTTP.URL
	ts.Open(web.Config{})
	if ts.HTTP.URL == old {
		t.Log("the restarted server took the same port")
	}
	// The old cookie is still good: its keys are in the database. Cookies know
	// no ports, so the jar sends it to the new address.
	if p := b.Get("/s/small/resume"); p.Path() != "p/q1-response2" {
		t.Errorf("after the restart: %s", p.Path())
	}
	// So is a page that was open during the restart.
	if next := b.Send(p, map[string]string{"rating": "1"}); next.Path() != "p/q1-statement1" {
		t.Errorf("the page open during the restart went to %s", next.Path())
	}
	if n := len(ts.Records()); n != 1 {
		t.Errorf("%d submissions, want 1", n)
	}
}

func TestAFormOfAnotherPersonIsNotSaved(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	mine := b.Walk(p, "p/q1-view")
	// The next person opens their link in the same browser and comes as far.
	p = b.Send(b.Get(webtest.Arrival(2)), nil)
	b.Walk(p, "p/q1-view")
	got := b.Send(mine, map[string]string{"view": "typed in the first window", "stance": "1", "importance": "3"})
	if got.Status != http.StatusConflict || !strings.Contains(got.Says(), "typed in the first window") {
		t.Errorf("status %d: %s", got.Status, got.Says())
	}
	for _, r := range ts.Records() {
		for _, a := range r.Answers {
			if a.Key.Kind == study.KindView {
				t.Errorf("it was saved for %s", r.Pseudonym)
			}
		}
	}
	// A start page left open by the first person starts nothing for the second.
	early := ts.Browser()
	start := early.Get(webtest.Arrival(3))
	early.Get(webtest.Arrival(4))
	if got := early.Send(start, nil); got.Status != http.StatusConflict {
		t.Errorf("a start page of another person: status %d", got.Status)
	}
}

func TestAFormWithoutAGoodTokenLosesNoText(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	p = b.Walk(p, "p/q1-view")
	for _, token := range []string{"", "nonsense", strings.Repeat("x", 5000)} {
		got := b.Send(p, map[string]string{"token": token, "view": "kept text", "stance": "1", "importance": "3"})
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Says(), "send this page again") {
			t.Errorf("token %.10q: status %d", token, got.Status)
		}
		_, fields := got.Form()
		if fields.Get("view") != "kept text" || fields.Get("importance") != "3" {
			t.Errorf("token %.10q: the page has %v", token, fields)
		}
		if next := b.Send(got, nil); next.Path() != "p/q1-response1" {
			t.Errorf("sent once more: %s", next.Path())
		}
	}
	// A form that outlived its cookie.
	got := ts.Browser().Send(p, map[string]string{"view": "also kept"})
	if got.Status != http.StatusForbidden || !strings.Contains(got.Says(), "also kept") {
		t.Errorf("without a cookie: status %d: %s", got.Status, got.Says())
	}
}

func TestDraftsAreKeptAndShown(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	p = b.Walk(p, "p/q1-view")
	_, fields := p.Form()
	fields.Set("view", "half a th")
	if got := b.Post("/s/small/draft/q1-view", fields); got.Status != http.StatusNoContent {
		t.Fatalf("saving a draft: status %d", got.Status)
	}
	_, again := ts.Arrive(1)
	if _, fields := again.Form(); fields.Get("view") != "half a th" {
		t.Errorf("the draft is %q", fields.Get("view"))
	}
	if got := b.Post("/s/small/draft/q2-view", fields); got.Status < 400 {
		t.Errorf("a draft for a page that is not reachable yet: status %d", got.Status)
	}
	fields.Set("token", "")
	if got := b.Post("/s/small/draft/q1-view", fields); got.Status != http.StatusBadRequest {
		t.Errorf("a draft without a token: status %d", got.Status)
	}
}

func TestParticipantTextIsInert(t *testing.T) {
	t.Parallel()
	hostile := "<img src=x onerror=alert(1)> {{7*7}} &amp; <b>"
	ts := webtest.New(t, webtest.StudyFolder(func(y string) string {
		return strings.Replace(webtest.NoChecks(y), "      seeds: seeds.csv\n", "", 1)
	}))
	checked := 0
	for n := 1; n <= 3; n++ {
		b, p := ts.Begin(n)
		for p.Path() != "end" {
			webtest.ForEach(p.Doc, "img", func(*html.Node) { t.Errorf("%s shows an image", p.Path()) })
			webtest.ForEach(p.Doc, "script", func(s *html.Node) {
				if s.FirstChild != nil {
					t.Errorf("%s holds a script", p.Path())
				}
			})
			if strings.Contains(p.Body, "javascript:") {
				t.Errorf("%s links to a script", p.Path())
			}
			if strings.Contains(p.Says(), hostile) {
				checked++
			}
			p = b.Send(p, p.Answers(hostile))
		}
	}
	// Own view beside two responses of two questions for each of three people,
	// and other people's as statements.
	if checked < 12+2 {
		t.Errorf("the text was shown %d times, want at least 14", checked)
	}
}

// Two studies of one recruiter can be open in one browser under one submission id.
func TestAFormIsGoodForItsOwnStudyOnly(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	other, err := studyfile.Read(webtest.StudyFolder(func(yaml string) string { return strings.Replace(yaml, "slug: small", "slug: other", 1) }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ts.Store.SaveStudy(context.Background(), store.NewStudy{Slug: "other", Title: other.Title, Hash: other.Hash, Files: other.Files}, 0); err != nil {
		t.Fatal(err)
	}
	if err := ts.Store.Launch(context.Background(), "other", other.Questions.Seeds, 0); err != nil {
		t.Fatal(err)
	}
	b, p := ts.Arrive(1)
	b.Get(strings.Replace(webtest.Arrival(1), "/s/small", "/s/other", 1))
	_, fields := p.Form()
	if got := b.Post("/s/other/start", fields); got.Path() != "start" || got.Status != http.StatusOK {
		t.Errorf("the other study's form led to %s, status %d; want its welcome again", got.URL.Path, got.Status)
	}
}

func TestDecliningHasItsCodeAndAWayBack(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	p = b.Send(p, map[string]string{"consent": "no"})
	if p.Path() != "end" || !strings.Contains(p.Body, "cc=NOCONSENT2") {
		t.Fatalf("declined: %s\n%s", p.Path(), p.Says())
	}
	if p = b.Get(webtest.Arrival(1)); p.Path() != "end" {
		t.Errorf("coming back: %s", p.Path())
	}
	if p = b.Send(p, nil); p.Path() != "p/consent" {
		t.Errorf("reconsidered: %s", p.Path())
	}
	if p = b.Walk(p, "end"); !strings.Contains(p.Body, "cc=DONE1") {
		t.Errorf("after all: %s", p.Says())
	}
}

func TestWithdrawingRemovesTheAnswersAndSaysHowToGoBack(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	p = b.Walk(p, "p/q2-view")
	ask := b.Get("/s/small/withdraw")
	if !strings.Contains(ask.Says(), "cannot undo this") || len(ts.Records()) != 1 {
		t.Fatalf("asking: %s", ask.Says())
	}
	if done := b.Send(ask, nil); done.Path() != "end" || !strings.Contains(done.Says(), "have removed your answers") || !strings.Contains(done.Body, "cc=NOCONSENT2") {
		t.Errorf("withdrawn: %s: %s", done.Path(), done.Says())
	}
	if n := len(ts.Records()); n != 0 {
		t.Errorf("%d submissions are left", n)
	}
	for _, path := range []string{"/s/small/p/q1-view", webtest.Arrival(1), "/s/small/withdraw"} {
		if got := b.Get(path); strings.Contains(got.Says(), "My view") {
			t.Errorf("%s still shows answers", path)
		}
	}
	if got := b.Send(p, map[string]string{"view": "late"}); !strings.Contains(got.Says(), "have removed your answers") || len(ts.Records()) != 0 {
		t.Errorf("a late form: %s", got.Says())
	}
	if _, p := ts.Arrive(1); !strings.Contains(p.Says(), "have removed your answers") || len(ts.Records()) != 0 {
		t.Errorf("the same link in another browser: %s", p.Says())
	}
}

func TestFailedCheckHasItsCode(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(func(y string) string { return strings.Replace(y, "minutes: 12", "minutes: 4", 1) }))
	b, p := ts.Begin(1)
	p = b.Send(b.Walk(p, "p/check1"), map[string]string{"rating": "5"})
	if p = b.Walk(p, "end"); !strings.Contains(p.Body, "cc=CHECKS4") {
		t.Errorf("the end says %s", p.Says())
	}
}

func TestPeopleWhoCannotEnterAreToldWhy(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ts := webtest.New(t, webtest.StudyFolder(func(y string) string {
		return strings.Replace(y, "participants_per_question: 20", "participants_per_question: 1", 1)
	}))
	expect := func(what string, p webtest.Page, status int, says string) {
		t.Helper()
		if p.Status != status || !strings.Contains(p.Says(), says) {
			t.Errorf("%s: status %d, want %d with %q:\n%s", what, p.Status, status, says, p.Says())
		}
	}
	expect("an unknown study", ts.Browser().Get("/s/nothing?PROLIFIC_PID=1&STUDY_ID=s&SESSION_ID=1"), http.StatusNotFound, "cannot find this study")
	expect("an unknown page", ts.Browser().Get("/nothing"), http.StatusNotFound, "Page not found")
	expect("a page without a cookie", ts.Browser().Get("/s/small/start"), http.StatusForbidden, "cannot recognise you")

	first, p := ts.Begin(1) // takes two of the three single places
	second, wait := ts.Begin(2)
	expect("all places reserved", wait, http.StatusServiceUnavailable, "taken for now")
	if !strings.Contains(wait.Body, `href="/s/small/start">Try again`) {
		t.Error("there is no button to try again")
	}
	first.Walk(p, "end")
	last, p := ts.Begin(3) // gets the odd place
	last.Walk(p, "end")
	_, full := ts.Begin(4)
	expect("all places filled", full, http.StatusOK, "FULL5")
	if !strings.Contains(full.Body, "cc=FULL5") {
		t.Error("over quota has not its code")
	}
	again := ts.Browser()
	expect("a second submission of one person",
		again.Send(again.Get(fmt.Sprintf("/s/small?PROLIFIC_PID=%024x&STUDY_ID=s&SESSION_ID=%024x", 1, 5555)), nil), http.StatusForbidden, "already taken part")

	if err := ts.Store.SetStatus(ctx, "small", store.Paused, 0); err != nil {
		t.Fatal(err)
	}
	_, p = ts.Arrive(5)
	expect("a paused study", p, http.StatusServiceUnavailable, "is paused")
	if err := ts.Store.SetStatus(ctx, "small", store.Closed, 0); err != nil {
		t.Fatal(err)
	}
	_, p = ts.Arrive(5)
	expect("a closed study", p, http.StatusGone, "ended")
	expect("a closed study, somebody who waited", second.Get("/s/small/start"), http.StatusGone, "ended")
	expect("a closed study, somebody who finished", first.Get("/s/small/end"), http.StatusOK, "DONE1")
}

func TestSomebodyWhoStaysAwayIsToldWhatBecameOfThePlace(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(func(y string) string {
		return strings.Replace(y, "participants_per_question: 20", "participants_per_question: 1", 1)
	}))
	slow, p := ts.Begin(1)
	p = slow.Walk(p, "p/q1-view")
	if !strings.Contains(p.Body, `data-warn-after="2100"`) { // 40 minutes, less 5
		t.Error("the page does not warn before the place is lost")
	}
	ts.Pass(41 * time.Minute)
	quick, q := ts.Begin(2)
	quick.Walk(q, "end")
	p = slow.Send(p, p.Answers("too late"))
	if p.Path() != "end" || !strings.Contains(p.Says(), "given to another person") || !strings.Contains(p.Body, "cc=FULL5") {
		t.Errorf("%s: %s", p.Path(), p.Says())
	}
}

func TestASecondRoundBringsPeopleBackForVotes(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(func(y string) string {
		y = strings.Replace(webtest.NoChecks(y), "      seeds: seeds.csv\n", "", 1)
		y = strings.Replace(y, "questions_per_participant: 2", "questions_per_participant: 3", 1)
		return y + "second_round: true\n"
	}))
	first, p := ts.Begin(1)
	p = first.Walk(p, "end")
	if !strings.Contains(p.Says(), "open the same link again") {
		t.Errorf("the first to come is not told of a second round: %s", p.Says())
	}
	second, q := ts.Begin(2)
	second.Walk(q, "end")
	p = first.Get(webtest.Arrival(1))
	if !strings.Contains(p.Says(), "vote on them now") {
		t.Fatalf("coming back: %s", p.Says())
	}
	p = first.Send(p, nil)
	votes := 0
	for strings.Contains(p.Path(), "statement") {
		votes++
		p = first.Send(p, map[string]string{"vote": "agree"})
	}
	if votes != 3 || p.Path() != "end" {
		t.Errorf("%d votes, then %s; want 3 and the end", votes, p.Path())
	}
	if got := first.Get("/s/small/p/q1-view"); got.Path() != "end" {
		t.Errorf("a finished view can be opened again: %s", got.Path())
	}
}

func TestAStatementTakenBackMakesRoomForTheNext(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	b.Walk(p, "p/q1-statement1")
	row, err := ts.Store.Study(context.Background(), "small")
	if err != nil {
		t.Fatal(err)
	}
	shown := ts.Records()[0].Ballots[0].Statement
	if _, _, err := ts.Store.Moderate(context.Background(), row.ID, []string{shown}, store.Decision{}, 0); err != nil {
		t.Fatal(err)
	}
	moved := b.Get("/s/small/p/q1-statement1")
	if moved.Path() != "resume" || !strings.Contains(moved.Says(), "no longer shown") {
		t.Fatalf("the page is %s: %s", moved.Path(), moved.Says())
	}
	if p = b.Send(moved, nil); p.Path() != "p/q1-statement2" {
		t.Errorf("going on leads to %s", p.Path())
	}
	b.Walk(p, "end")
}

func TestAnEmptiedTextStaysEmptyWhenThePageComesBack(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	b.Walk(p, "p/q1-response1")
	p = b.Send(b.Get("/s/small/p/q1-view"), map[string]string{"view": ""})
	if _, fields := p.Form(); p.Status != http.StatusUnprocessableEntity || fields.Get("view") != "" || fields.Get("stance") == "" {
		t.Errorf("status %d, fields %v", p.Status, fields)
	}
}

func TestTheScriptIsToldWhereToGo(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	action, fields := p.Form()
	fields.Set("consent", "yes")
	r, err := http.NewRequest(http.MethodPost, ts.HTTP.URL+action, strings.NewReader(fields.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Overton-Script", "1")
	if got := b.Do(r); got.Status != http.StatusNoContent || got.Header.Get("Overton-Location") != "/s/small/p/survey1-1" {
		t.Errorf("status %d, location %q", got.Status, got.Header.Get("Overton-Location"))
	}
}
