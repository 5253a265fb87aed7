package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
)

// launch adds a running study of another slug.
func (ts *testSite) launch(slug string) {
	ts.t.Helper()
	st, err := studyfile.Read(renamed(slug))
	if err != nil {
		ts.t.Fatal(err)
	}
	if _, err := ts.store.SaveStudy(ts.t.Context(), store.NewStudy{Slug: slug, Title: st.Title + " " + slug, Hash: st.Hash, Files: st.Files}); err != nil {
		ts.t.Fatal(err)
	}
	if err := ts.store.Launch(ts.t.Context(), slug, st.Questions.Seeds, 0); err != nil {
		ts.t.Fatal(err)
	}
}

// memberOf signs in an account that has a role on one study alone.
func (ts *testSite) memberOf(slug, role string) *browser {
	ts.t.Helper()
	email := role + "-of-" + slug + "@example.org"
	if _, err := ts.store.Invite(ts.t.Context(), slug, email, role, time.Hour, 0); err != nil {
		ts.t.Fatal(err)
	}
	account, err := ts.store.AccountByEmail(ts.t.Context(), email)
	if err != nil {
		ts.t.Fatal(err)
	}
	token, err := ts.store.SignIn(ts.t.Context(), account.ID, signInLife)
	if err != nil {
		ts.t.Fatal(err)
	}
	b := ts.browser()
	u, _ := url.Parse(ts.http.URL)
	b.client.Jar.SetCookies(u, []*http.Cookie{{Name: accountCookie, Value: token, Path: "/"}})
	return b
}

func TestAStudysMembersSeeThatStudyAlone(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.launch("other")
	ts.finish(1)
	for _, name := range []string{"viewer", "moderator", "researcher", "admin"} {
		b := ts.memberOf("small", name).staying()
		run := fmt.Sprint(ts.planted())
		if home := b.get("/admin"); !strings.Contains(home.body, "/studies/small") || strings.Contains(home.body, "/studies/other") || strings.Contains(home.body, "New study") {
			t.Errorf("%s: the list of studies shows %s", name, home.says())
		}
		for _, r := range (&site{}).adminRoutes() {
			if r.role == public {
				continue
			}
			send := func(slug string) page {
				path := ts.sample(r, slug, run)
				if r.method == http.MethodGet {
					return b.get(path)
				}
				return b.post(path, nil)
			}
			at := fmt.Sprintf("%s %s as %s of small", r.method, r.path, name)
			if !strings.Contains(r.path, ":slug") {
				// "small" stands in for whatever else a path asks for.
				if p := send("small"); (p.status == http.StatusForbidden) != (r.role > member) {
					t.Errorf("%s: status %d", at, p.status)
				}
				continue
			}
			p := send("other")
			if p.status != http.StatusNotFound {
				t.Errorf("%s, asked for another study: status %d, want 404", at, p.status)
			}
			if nothing := send("nothing"); nothing.status != http.StatusNotFound || nothing.says() != p.says() {
				t.Errorf("%s: a study that is hidden and one that is not there can be told apart", at)
			}
			for _, secret := range []string{"DONE1", "Small test", "qid-1", "model-alpha"} {
				if strings.Contains(p.body, secret) {
					t.Errorf("%s: the page of another study shows %q", at, secret)
				}
			}
			if name == "admin" && r.method == http.MethodPost || r.path == livePath {
				continue // would change the study that is looked at here, or does not end
			}
			if p := send("small"); (p.status == http.StatusForbidden) != (r.role > adminRoles[name]) || p.status == http.StatusNotFound {
				t.Errorf("%s: status %d", at, p.status)
			}
		}
	}
}

func TestTheHigherRoleCounts(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.launch("other")
	viewer := ts.signedIn("viewer")
	if _, err := ts.store.Invite(t.Context(), "small", "viewer@example.org", "researcher", time.Hour, 0); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/admin/studies/small/download": 200, "/admin/studies/other/download": 403, "/admin/studies/other": 200, "/admin/accounts": 403} {
		if p := viewer.get(path); p.status != want {
			t.Errorf("a viewer who is a researcher on one study gets %d at %s, want %d", p.status, path, want)
		}
	}
	admin := ts.signedIn("admin")
	if _, err := ts.store.Invite(t.Context(), "small", "admin@example.org", "viewer", time.Hour, 0); err != nil {
		t.Fatal(err)
	}
	if p := admin.get("/admin/studies/small/people"); p.status != http.StatusOK {
		t.Errorf("being a viewer of one study takes an admin's rights away: %d", p.status)
	}
}

func TestPeopleAreInvitedToAStudyByLink(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.launch("other")
	b := ts.memberOf("small", "admin") // need not be an admin of the server
	const path = "/admin/studies/small/people"
	for want, form := range map[string]url.Values{
		"no mail address": {"email": {"nobody"}, "role": {"viewer"}},
		"Choose a role":   {"email": {"ben@example.org"}, "role": {"member"}},
	} {
		if p := b.post(path, form); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says(), want) || !strings.Contains(p.body, form.Get("email")) {
			t.Errorf("%q: status %d: %s", want, p.status, p.says())
		}
	}
	linkOf := func(p page) string { return strings.TrimPrefix(text(find(p.doc, "link")), ts.http.URL) }
	link := linkOf(b.post(path, url.Values{"email": {"ben@example.org"}, "role": {"moderator"}}))
	ben, err := ts.store.AccountByEmail(t.Context(), "ben@example.org")
	if err != nil || ben.Role != "member" {
		t.Fatalf("%+v, %v", ben, err)
	}
	change := func(what, role string, id int64) page {
		return b.post(path+"/change", url.Values{"account": {fmt.Sprint(id)}, "change": {what}, "role": {role}})
	}
	again := linkOf(change("link", "", ben.ID))
	if used := ts.browser().post(link, nil); used.status != http.StatusNotFound {
		t.Errorf("the first link still works: %d", used.status)
	}
	guest := ts.browser()
	p := guest.send(guest.get(again), nil)
	if p.url.Path != "/admin/password" {
		t.Fatalf("the link leads to %s", p.url)
	}
	to := ""
	forEach(p.doc, "input", func(n *html.Node) {
		if attribute(n, "name") == "to" {
			to = attribute(n, "value")
		}
	})
	if p = guest.post("/admin/password", url.Values{"new": {goodPassword}, "again": {goodPassword}, "to": {to}}); p.url.Path != "/admin/studies/small" || p.status != http.StatusOK {
		t.Fatalf("the password leads to %s, %d", p.url, p.status)
	}
	if p := guest.get("/admin/studies/small/moderation"); p.status != http.StatusOK {
		t.Errorf("the moderator sees no queue: %d", p.status)
	}
	// From now on the account is its owner's.
	if p := change("link", "", ben.ID); p.status != http.StatusConflict {
		t.Errorf("an admin of a study can take an account over: %d", p.status)
	}
	site := ts.account("site@example.org", "admin")
	if p := change("link", "", site); p.status != http.StatusNotFound {
		t.Errorf("a link for somebody who is no member: %d", p.status)
	}
	if p := b.post(path, url.Values{"email": {"site@example.org"}, "role": {"viewer"}}); linkOf(p) != "" || p.url.Path != path {
		t.Errorf("inviting somebody who has an account made a link for it")
	}
	if p := change("link", "", site); p.status != http.StatusConflict {
		t.Errorf("an admin of a study can take an admin's account over: %d", p.status)
	}
	// Somebody who waits in two studies is neither's to give away.
	b.post(path, url.Values{"email": {"both@example.org"}, "role": {"viewer"}})
	both, err := ts.store.AccountByEmail(t.Context(), "both@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ts.store.Invite(t.Context(), "other", "both@example.org", "admin", time.Hour, 0); err != nil {
		t.Fatal(err)
	}
	if p := change("link", "", both.ID); p.status != http.StatusConflict {
		t.Errorf("through one study one can get into another: %d", p.status)
	}

	change("role", "researcher", ben.ID)
	if p := guest.get("/admin/studies/small/download"); p.status != http.StatusOK {
		t.Errorf("made a researcher: %d", p.status)
	}
	if p := change("role", "boss", ben.ID); p.status != http.StatusBadRequest {
		t.Errorf("a role that is none: %d", p.status)
	}
	change("remove", "", ben.ID)
	if p := guest.get("/admin/studies/small"); p.status != http.StatusNotFound {
		t.Errorf("removed: %d", p.status)
	}
	if p := guest.get("/admin"); p.status != http.StatusOK || strings.Contains(p.body, "Small test") {
		t.Errorf("removed, the list of studies: %d %s", p.status, p.says())
	}
}

// withToken sends a request as a script does.
func (ts *testSite) withToken(method, path, token string) page {
	ts.t.Helper()
	r, err := http.NewRequest(method, ts.http.URL+path, nil)
	if err != nil {
		ts.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return ts.browser().staying().do(r)
}

func TestTokensDownloadInSomebodysName(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.launch("other")
	b := ts.memberOf("small", "researcher")
	for want, form := range map[string]url.Values{"Give the token a name": {"days": {"90"}}, "for how long": {"name": {"laptop"}, "days": {"4000"}}} {
		if p := b.post("/admin/account/tokens", form); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says(), want) {
			t.Errorf("%q: %d", want, p.status)
		}
	}
	p := b.post("/admin/account/tokens", url.Values{"name": {"laptop"}, "days": {"30"}})
	token := text(find(p.doc, "token"))
	if !strings.HasPrefix(token, "overton_") || len(token) < 30 {
		t.Fatalf("the token is %q", token)
	}
	if again := b.get("/admin/account"); strings.Contains(again.body, token) || !strings.Contains(again.rows(), "laptop") || !strings.Contains(again.rows(), "never") {
		t.Errorf("the account page afterwards: %s", again.rows())
	}
	const files = "/admin/studies/small/files.zip"
	if p := ts.withToken(http.MethodGet, files, token); p.status != http.StatusOK || len(p.unpack(t)) == 0 {
		t.Errorf("downloading: %d", p.status)
	}
	if p := b.get("/admin/account"); strings.Contains(p.rows(), "never") {
		t.Errorf("the use is not noted: %s", p.rows())
	}
	for _, c := range []struct {
		method, path, token string
		want                int
	}{
		{http.MethodGet, "/admin/studies/other/files.zip", token, http.StatusNotFound},
		{http.MethodGet, "/admin/studies/small", token, http.StatusForbidden},
		{http.MethodGet, "/admin/account", token, http.StatusForbidden},
		{http.MethodPost, "/admin/studies/small/analysis", token, http.StatusForbidden},
		{http.MethodGet, "/admin/studies/small/data/csv.zip", token, http.StatusOK},
		{http.MethodPost, "/admin/account/tokens", token, http.StatusForbidden},
		{http.MethodGet, "/admin/log.csv", token, http.StatusForbidden},
		{http.MethodGet, files, token + "x", http.StatusUnauthorized},
		{http.MethodGet, files, "", http.StatusUnauthorized},
	} {
		p := ts.withToken(c.method, c.path, c.token)
		if p.status != c.want || c.want != http.StatusOK && strings.Contains(p.body, "<") || strings.Contains(p.body, "DONE1") {
			t.Errorf("%s %s: status %d, want %d: %s", c.method, c.path, p.status, c.want, p.body)
		}
	}
	if p := ts.withToken(http.MethodGet, files, "x"); p.header.Get("WWW-Authenticate") == "" {
		t.Error("the refusal does not say how to come in")
	}
	for range attemptsPerClient {
		ts.withToken(http.MethodGet, files, "guess")
	}
	if p := ts.withToken(http.MethodGet, files, token); p.status != http.StatusTooManyRequests {
		t.Errorf("after many failures: %d", p.status)
	}
	ts.pass(attemptSpan)
	for range attemptsPerClient + 1 { // what succeeds is not counted
		if p := ts.withToken(http.MethodGet, files, token); p.status != http.StatusOK {
			t.Fatalf("a right token: %d", p.status)
		}
	}
	ts.pass(31 * 24 * time.Hour)
	if p := ts.withToken(http.MethodGet, files, token); p.status != http.StatusUnauthorized {
		t.Errorf("expired: %d", p.status)
	}
}

func TestATokenEndsWithItsAccount(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("researcher")
	account, err := ts.store.AccountByEmail(t.Context(), "researcher@example.org")
	if err != nil {
		t.Fatal(err)
	}
	make := func() string {
		token, err := ts.store.NewAccessToken(t.Context(), account.ID, "x", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if p := ts.withToken(http.MethodGet, "/admin/studies/small/files.zip", token); p.status != http.StatusOK {
			t.Fatalf("a new token: %d", p.status)
		}
		return token
	}
	revoked, reset := make(), make()
	tokens, err := ts.store.AccessTokens(t.Context(), account.ID)
	if err != nil {
		t.Fatal(err)
	}
	ts.browserOf("viewer").post("/admin/account/tokens/revoke", url.Values{"token": {fmt.Sprint(tokens[1].ID)}}) // not theirs
	if p := ts.withToken(http.MethodGet, "/admin/studies/small/files.zip", revoked); p.status != http.StatusOK {
		t.Error("somebody else can revoke a token")
	}
	b.post("/admin/account/tokens/revoke", url.Values{"token": {fmt.Sprint(tokens[1].ID)}})
	if _, err := ts.store.ResetAccount(t.Context(), account.ID, time.Hour, 0); err != nil {
		t.Fatal(err)
	}
	for what, token := range map[string]string{"revoked": revoked, "its account was reset": reset} {
		if p := ts.withToken(http.MethodGet, "/admin/studies/small/files.zip", token); p.status != http.StatusUnauthorized {
			t.Errorf("%s: %d", what, p.status)
		}
	}
}

func TestSomebodySignsOutEverywhereElse(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	here, there := ts.signedIn("viewer"), ts.browserOf("viewer")
	if p := here.get("/admin/account"); strings.Count(p.rows(), "another one") != 1 {
		t.Errorf("sign-ins: %s", p.rows())
	}
	here.post("/admin/account/sign-ins/end", nil)
	if p := there.get("/admin"); p.url.Path != "/admin/sign-in" {
		t.Error("the other sign-in goes on")
	}
	if p := here.get("/admin"); p.url.Path != "/admin" {
		t.Error("this sign-in ended, too")
	}
}

func TestTheLogSaysWhoDidWhat(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.launch("other")
	ts.finish(2)
	b := ts.signedIn("admin")
	b.post("/admin/studies/small/status", url.Values{"to": {"paused"}})
	b.post("/admin/accounts", url.Values{"email": {"=ben@example.org"}, "role": {"viewer"}})
	ts.memberOf("small", "viewer")
	all := b.get("/admin/log")
	for _, want := range []string{"admin@example.org paused the study", "made an account", "command line gave a role on the study viewer-of-small@example.org, viewer small"} {
		if !strings.Contains(all.rows(), want) {
			t.Errorf("%q is missing in %s", want, all.rows())
		}
	}
	if rows := b.get("/admin/log?what=study+paused&who=admin%40example.org").rows(); strings.Count(rows, "\n") != 1 || !strings.Contains(rows, "paused the study") {
		t.Errorf("filtered: %s", rows)
	}
	if says := b.get("/admin/log?what=study+paused&who=nobody").says(); !strings.Contains(says, "Nothing of this kind happened") {
		t.Errorf("filtered by somebody who is not there: %s", says)
	}
	own := ts.memberOf("small", "admin").get("/admin/studies/small/log")
	if rows := own.rows(); !strings.Contains(rows, "paused the study") || strings.Contains(rows, "made an account") || strings.Contains(rows, "other") {
		t.Errorf("a study's log: %s", rows)
	}
	table := b.get("/admin/log.csv")
	if !strings.HasPrefix(table.header.Get("Content-Type"), "text/csv") || !strings.Contains(table.body, "paused the study") || strings.Contains(table.body, ",=ben") {
		t.Errorf("as a table: %s", table.body)
	}
	for _, secret := range []string{"My view", fmt.Sprintf("%024x", 1), fmt.Sprintf("%024x", 1001)} {
		if strings.Contains(all.body+own.body+table.body, secret) {
			t.Errorf("the log shows %s", secret)
		}
	}
	for range logLength {
		if err := ts.store.Note(t.Context(), 0, 0, "data downloaded", ""); err != nil {
			t.Fatal(err)
		}
	}
	first := b.get("/admin/log")
	older := ""
	for _, link := range first.links() {
		if strings.Contains(link, "before=") {
			older = link
		}
	}
	if p := b.get(older); older == "" || strings.Count(first.rows(), "\n") != logLength || !strings.Contains(p.rows(), "paused the study") {
		t.Errorf("older events are not reached by %q", older)
	}
}

// links are where a page leads to.
func (p page) links() []string {
	var all []string
	forEach(p.doc, "a", func(n *html.Node) { all = append(all, attribute(n, "href")) })
	return all
}

func TestADraftThatWasNotedCanBeReplaced(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	for range 2 {
		if p := b.upload(renamed("draft")); p.url.Path != "/admin/studies/draft" {
			t.Fatalf("saving the draft: %d %s", p.status, p.says())
		}
	}
	if rows := b.get("/admin/studies/draft/log").rows(); strings.Count(rows, "saved a draft") != 2 {
		t.Errorf("the log of the draft: %s", rows)
	}
}
