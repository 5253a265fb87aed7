package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"overton/internal/study"
)

func TestModerationTakesAStatementBack(t *testing.T) {
	const nasty = `<img src=x onerror=alert(1)> & "quotes"` + "\n\u202esecond line"
	ts := newSite(t, studyFolder(nil))
	person, p := ts.begin(1)
	p = person.walk(p, "p/q1-view")
	person.send(p, func() map[string]string { a := p.answers(nasty); a["view"] = nasty; return a }())
	b := ts.signedIn("moderator")
	p = b.get("/admin/studies/small/moderation")
	if !strings.Contains(text(p.doc), nasty) || strings.Contains(p.body, "<img") {
		t.Fatalf("the statement is not shown as text: %s", p.body)
	}
	statement := func() study.Statement {
		t.Helper()
		all, err := ts.store.Statements(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return all[len(all)-1]
	}
	id := statement().ID
	form := url.Values{"reject": {id}, "reason-" + id: {"personal"}, "query": {"view=served"}}
	if p = b.post("/admin/studies/small/moderation", form); p.status != http.StatusOK || p.url.Query().Get("view") != "served" || strings.Contains(text(p.doc), nasty) || !strings.Contains(p.says(), "One statement was rejected.") {
		t.Errorf("after rejecting: %s, status %d", p.url, p.status)
	}
	if st := statement(); st.State != study.StatementRejected {
		t.Errorf("it is %s", st.State)
	}
	if p = b.get("/admin/studies/small/moderation?view=rejected"); !strings.Contains(text(p.doc), nasty) || !strings.Contains(p.says(), "Rejected (personal data) by moderator@example.org") {
		t.Errorf("it is not among the rejected: %s", p.says())
	}
	b.post("/admin/studies/small/moderation", url.Values{"accept": {id}})
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
		"more than a page shows":           {url.Values{"do": {"accept-marked"}, "statement": make([]string, mostStatements+1)}, http.StatusBadRequest},
		"the same verdict again":           {url.Values{"accept": {id}}, http.StatusConflict},
		"nothing marked":                   {url.Values{"do": {"reject-marked"}}, http.StatusOK},
		"a list that leads somewhere else": {url.Values{"do": {"reject-marked"}, "query": {"view=%zz&to=//example.org"}}, http.StatusOK},
	} {
		if p := b.post("/admin/studies/small/moderation", c.form); p.status != c.status || isAdmin(&http.Request{URL: p.url}) == false {
			t.Errorf("%s: %d at %s, want %d", name, p.status, p.url, c.status)
		}
	}
}
