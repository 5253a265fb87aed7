package watch_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"overton/internal/store"
	"overton/internal/study"
	"overton/web"
	"overton/web/webtest"
)

func TestModerationTakesAStatementBack(t *testing.T) {
	t.Parallel()
	const nasty = `<img src=x onerror=alert(1)> & "quotes"` + "\nsecond line"
	ts := webtest.New(t, webtest.StudyFolder(nil))
	person, p := ts.Begin(1)
	p = person.Walk(p, "p/q1-view")
	person.Send(p, func() map[string]string {
		a := p.Answers(nasty)
		a["view"] = strings.Replace(nasty, "\n", "\n\u202e", 1)
		return a
	}())
	b := ts.SignedIn("moderator")
	p = b.Get("/admin/studies/small/moderation")
	if !strings.Contains(webtest.Text(p.Doc), nasty) || strings.Contains(p.Body, "<img") {
		t.Fatalf("the statement is not shown as text: %s", p.Body)
	}
	statement := func() study.Statement {
		t.Helper()
		all, err := ts.Store.Statements(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return all[len(all)-1]
	}
	id := statement().ID
	form := url.Values{"reject": {id}, "reason-" + id: {"personal"}, "query": {"view=served"}}
	if p = b.Post("/admin/studies/small/moderation", form); p.Status != http.StatusOK || p.URL.Query().Get("view") != "served" || strings.Contains(webtest.Text(p.Doc), nasty) || !strings.Contains(p.Says(), "One statement was rejected.") {
		t.Errorf("after rejecting: %s, status %d", p.URL, p.Status)
	}
	if st := statement(); st.State != study.StatementRejected {
		t.Errorf("it is %s", st.State)
	}
	if p = b.Get("/admin/studies/small/moderation?view=rejected"); !strings.Contains(webtest.Text(p.Doc), nasty) || !strings.Contains(p.Says(), "Rejected (personal data) by moderator@example.org") {
		t.Errorf("it is not among the rejected: %s", p.Says())
	}
	b.Post("/admin/studies/small/moderation", url.Values{"accept": {id}})
	if st := statement(); st.State != study.StatementServed {
		t.Errorf("accepted again it is %s", st.State)
	}
	for name, c := range map[string]struct {
		form   url.Values
		status int
	}{
		"nothing to do":                    {url.Values{"statement": {id}}, http.StatusBadRequest},
		"an unknown reason":                {url.Values{"reject": {id}, "reason-" + id: {"because"}}, http.StatusBadRequest},
		"a statement that is not there":    {url.Values{"reject": {"99999"}}, http.StatusConflict},
		"more than a page shows":           {url.Values{"do": {"accept-marked"}, "statement": make([]string, 25+1)}, http.StatusBadRequest},
		"the same verdict again":           {url.Values{"accept": {id}}, http.StatusConflict},
		"nothing marked":                   {url.Values{"do": {"reject-marked"}}, http.StatusOK},
		"a list that leads somewhere else": {url.Values{"do": {"reject-marked"}, "query": {"view=%zz&to=//example.org"}}, http.StatusOK},
	} {
		if p := b.Post("/admin/studies/small/moderation", c.form); p.Status != c.status || !strings.HasPrefix(p.URL.Path, "/admin/") {
			t.Errorf("%s: %d at %s, want %d", name, p.Status, p.URL, c.status)
		}
	}
}

// Somebody looks at a list, decides on many at once, and takes it back.
func TestManyAreDecidedOnAtOnceAndTakenBack(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(func(yaml string) string {
		return strings.Replace(webtest.NoChecks(yaml), "votes_per_question: 2", "votes_per_question: 2\n      moderation: before", 1)
	}))
	for n := range 25 + 5 {
		b, p := ts.Begin(n + 1)
		p = b.Walk(p, "p/q1-view")
		view := fmt.Sprintf("View number %d", n)
		if n%10 == 0 {
			view += ", and write to someone@example.org"
		}
		b.Send(p, p.Answers(view))
	}
	b := ts.SignedIn("moderator")
	const path = "/admin/studies/small/moderation"
	count := func() (w store.Waiting) {
		t.Helper()
		w, err := ts.Store.Waiting(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	shown := func(p webtest.Page) (ids []string) {
		webtest.ForEach(p.Doc, "input", func(n *html.Node) {
			if webtest.Attribute(n, "name") == "shown" {
				ids = append(ids, webtest.Attribute(n, "value"))
			}
		})
		return ids
	}
	p := b.Get(path)
	if ids := shown(p); len(ids) != 25 || !strings.Contains(p.Says(), "1 to 25 of 30") {
		t.Fatalf("%d are shown: %s", len(ids), p.Says())
	}
	if p := b.Get(path + "?page=2"); len(shown(p)) != 5 {
		t.Errorf("%d on the second page", len(shown(p)))
	}
	if p := b.Get(path + "?page=99"); len(shown(p)) != 5 {
		t.Errorf("%d on a page beyond the last", len(shown(p)))
	}
	if p := b.Get(path + "?hint=mail"); len(shown(p)) != 3 || !strings.Contains(p.Says(), "someone@example.org (email address?)") {
		t.Errorf("%d with a mail address: %s", len(shown(p)), p.Says())
	}
	if p := b.Get(path + "?text=number+1&view=pending"); len(shown(p)) != 11 {
		t.Errorf("%d with the words", len(shown(p)))
	}
	if p := b.Get(path + "?text=%25"); len(shown(p)) != 0 {
		t.Errorf("%d with a percent sign", len(shown(p)))
	}
	if p := b.Get(path + "?question=qid-1"); len(shown(p)) == 0 || len(shown(p)) == 30 {
		t.Errorf("%d on one question", len(shown(p)))
	}

	marked := shown(p)[:3]
	p = b.Post(path, url.Values{"do": {"reject-marked"}, "statement": marked, "reason": {"off_topic"}, "note": {"about the weather"}, "query": {"view=pending&page=1"}})
	if w := count(); w.Rejected != 3 || w.Pending != 27 || !strings.Contains(p.Says(), "3 statements were rejected.") {
		t.Fatalf("%+v: %s", w, p.Says())
	}
	if r := b.Get(path + "?view=rejected"); strings.Count(r.Says(), "Rejected (off topic) by moderator@example.org") != 3 || strings.Count(r.Says(), "about the weather") != 3 {
		t.Errorf("the rejected: %s", r.Says())
	}
	p = b.Post(path, url.Values{"do": {"accept-shown"}, "shown": shown(p), "query": {"view=pending"}})
	if w := count(); w.Accepted != 25 || w.Pending != 2 {
		t.Errorf("after accepting all shown: %+v", w)
	}
	_, undo := p.Form()
	webtest.ForEach(p.Doc, "button", func(n *html.Node) {
		if webtest.Attribute(n, "name") == "batch" {
			undo.Set("batch", webtest.Attribute(n, "value"))
		}
	})
	if p = b.Post(path+"/undo", undo); p.Status != http.StatusOK || !strings.Contains(p.Says(), "25 statements were put back.") {
		t.Errorf("undoing: %d %s", p.Status, p.Says())
	}
	if w := count(); w.Accepted != 0 || w.Pending != 27 || w.Rejected != 3 {
		t.Errorf("after undoing: %+v", w)
	}
	if p := b.Post(path+"/undo", undo); p.Status != http.StatusConflict {
		t.Errorf("undoing twice: %d", p.Status)
	}
}

// The mode is what the admin set last, across a launch and a restart, and what
// is written goes to the list that it says.
func TestTheModeOfModerationIsWhatWasSetLast(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(webtest.NoChecks))
	write := func(n int) study.StatementState {
		t.Helper()
		b, p := ts.Begin(n)
		p = b.Walk(p, "p/q1-view")
		b.Send(p, p.Answers("A view of mine"))
		all, err := ts.Store.Statements(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return all[len(all)-1].State
	}
	set := func(role, mode string) int {
		t.Helper()
		return ts.SignedIn(role).Post("/admin/studies/small/moderation/mode", url.Values{"mode": {mode}}).Status
	}
	if got := write(1); got != study.StatementServed {
		t.Errorf("as launched: %s", got)
	}
	if got := set("researcher", "before"); got != http.StatusForbidden {
		t.Errorf("a researcher sets it: %d", got)
	}
	if got := set("admin", "sometimes"); got != http.StatusBadRequest {
		t.Errorf("a mode that there is not: %d", got)
	}
	for i, want := range []struct {
		mode  string
		state study.StatementState
	}{{"before", study.StatementPending}, {"after", study.StatementServed}, {"before", study.StatementPending}, {"off", study.StatementServed}, {"before", study.StatementPending}} {
		if got := set("admin", want.mode); got != http.StatusOK {
			t.Fatalf("setting %s: %d", want.mode, got)
		}
		ts.Close()
		ts.Open(web.Config{})
		if got := write(10 + i); got != want.state {
			t.Errorf("with %s what is written is %s", want.mode, got)
		}
	}
	if p := ts.SignedIn("moderator").Get("/admin/studies/small/moderation"); !strings.Contains(p.Says(), "only after someone accepts it") {
		t.Errorf("the page says: %s", p.Says())
	}
	if p := ts.SignedIn("admin").Get("/admin/studies/small/log"); strings.Count(p.Says(), "moderation mode") < 5 && !strings.Contains(p.Says(), "off") {
		t.Errorf("the log lacks the changes: %s", p.Says())
	}
}

// Nobody sees their own statement, or one that nobody has accepted.
func TestNobodyVotesOnTheirOwnOrAnUnapprovedStatement(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(func(yaml string) string {
		return strings.NewReplacer("votes_per_question: 2", "votes_per_question: 9\n      moderation: before").Replace(webtest.NoChecks(yaml))
	}))
	seen := func(n int) (all string) {
		b, p := ts.Begin(n)
		for p.Path() != "end" {
			if strings.Contains(p.Path(), "-statement") {
				all += p.Says()
			}
			p = b.Send(p, p.Answers(fmt.Sprintf("Only person %d says this", n)))
		}
		return all
	}
	if got := seen(1) + seen(2); strings.Contains(got, "says this") || !strings.Contains(got, "Seed") {
		t.Errorf("before anything is accepted people see %s", got)
	}
	list, _, err := ts.Store.Moderation(t.Context(), 1, store.ModerationQuery{List: store.ListPending, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range list {
		all = append(all, m.ID)
	}
	ts.SignedIn("moderator").Post("/admin/studies/small/moderation", url.Values{"do": {"accept-marked"}, "statement": all})
	if got := seen(3); !strings.Contains(got, "Only person") || strings.Contains(got, "Only person 3") {
		t.Errorf("person 3 sees %s", got)
	}
}
