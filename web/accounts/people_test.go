package accounts_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"overton/internal/store"
	"overton/web/site"
	"overton/web/webtest"
)

func TestPeopleAreInvitedToAStudyByLink(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.AddStudy("other")
	b := ts.MemberOf("small", "admin") // need not be an admin of the server
	const path = "/admin/studies/small/people"
	for want, form := range map[string]url.Values{
		"Enter an email address": {"email": {"nobody"}, "role": {"viewer"}},
		"Choose a role":          {"email": {"ben@example.org"}, "role": {"member"}},
	} {
		if p := b.Post(path, form); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says(), want) || !strings.Contains(p.Body, form.Get("email")) {
			t.Errorf("%q: status %d: %s", want, p.Status, p.Says())
		}
	}
	linkOf := func(p webtest.Page) string {
		return strings.TrimPrefix(webtest.Text(webtest.Find(p.Doc, "link")), ts.HTTP.URL)
	}
	link := linkOf(b.Post(path, url.Values{"email": {"ben@example.org"}, "role": {"moderator"}}))
	ben, err := ts.Store.AccountByEmail(t.Context(), "ben@example.org")
	if err != nil || ben.Role != "member" {
		t.Fatalf("%+v, %v", ben, err)
	}
	change := func(what, role string, id int64) webtest.Page {
		return b.Post(path+"/change", url.Values{"account": {fmt.Sprint(id)}, "change": {what}, "role": {role}})
	}
	again := linkOf(change("link", "", ben.ID))
	if used := ts.Browser().Post(link, nil); used.Status != http.StatusNotFound {
		t.Errorf("the first link still works: %d", used.Status)
	}
	guest := ts.Browser()
	p := guest.Send(guest.Get(again), nil)
	if p.URL.Path != "/admin/password" {
		t.Fatalf("the link leads to %s", p.URL)
	}
	to := ""
	webtest.ForEach(p.Doc, "input", func(n *html.Node) {
		if webtest.Attribute(n, "name") == "to" {
			to = webtest.Attribute(n, "value")
		}
	})
	if p = guest.Post("/admin/password", url.Values{"new": {webtest.GoodPassword}, "again": {webtest.GoodPassword}, "to": {to}}); p.URL.Path != "/admin/studies/small" || p.Status != http.StatusOK {
		t.Fatalf("the password leads to %s, %d", p.URL, p.Status)
	}
	if p := guest.Get("/admin/studies/small/moderation"); p.Status != http.StatusOK {
		t.Errorf("the moderator sees no queue: %d", p.Status)
	}
	// From now on the account is its owner's.
	if p := change("link", "", ben.ID); p.Status != http.StatusConflict {
		t.Errorf("an admin of a study can take an account over: %d", p.Status)
	}
	site := ts.Account("site@example.org", "admin")
	if p := change("link", "", site); p.Status != http.StatusNotFound {
		t.Errorf("a link for somebody who is no member: %d", p.Status)
	}
	if p := b.Post(path, url.Values{"email": {"site@example.org"}, "role": {"viewer"}}); linkOf(p) != "" || p.URL.Path != path {
		t.Errorf("inviting somebody who has an account made a link for it")
	}
	if p := change("link", "", site); p.Status != http.StatusConflict {
		t.Errorf("an admin of a study can take an admin's account over: %d", p.Status)
	}
	// Somebody who waits in two studies is neither's to give away.
	b.Post(path, url.Values{"email": {"both@example.org"}, "role": {"viewer"}})
	both, err := ts.Store.AccountByEmail(t.Context(), "both@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ts.Store.Invite(t.Context(), "other", "both@example.org", "admin", time.Hour, 0); err != nil {
		t.Fatal(err)
	}
	if p := change("link", "", both.ID); p.Status != http.StatusConflict {
		t.Errorf("through one study one can get into another: %d", p.Status)
	}

	change("role", "researcher", ben.ID)
	if p := guest.Get("/admin/studies/small/download"); p.Status != http.StatusOK {
		t.Errorf("made a researcher: %d", p.Status)
	}
	if p := change("role", "boss", ben.ID); p.Status != http.StatusBadRequest {
		t.Errorf("a role that is none: %d", p.Status)
	}
	change("remove", "", ben.ID)
	if p := guest.Get("/admin/studies/small"); p.Status != http.StatusNotFound {
		t.Errorf("removed: %d", p.Status)
	}
	if p := guest.Get("/admin"); p.Status != http.StatusOK || strings.Contains(p.Body, "Small test") {
		t.Errorf("removed, the list of studies: %d %s", p.Status, p.Says())
	}
}

// withToken sends a request as a script does.
func withToken(ts *webtest.Site, method, path, token string) webtest.Page {
	ts.T.Helper()
	r, err := http.NewRequest(method, ts.HTTP.URL+path, nil)
	if err != nil {
		ts.T.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return ts.Browser().Staying().Do(r)
}

func TestTokensDownloadInSomebodysName(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.AddStudy("other")
	b := ts.MemberOf("small", "researcher")
	for want, form := range map[string]url.Values{"Give the token a name": {"days": {"90"}}, "how long the token works": {"name": {"laptop"}, "days": {"4000"}}} {
		if p := b.Post("/admin/account/tokens", form); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says(), want) {
			t.Errorf("%q: %d", want, p.Status)
		}
	}
	p := b.Post("/admin/account/tokens", url.Values{"name": {"laptop"}, "days": {"30"}})
	token := webtest.Text(webtest.Find(p.Doc, "token"))
	if !strings.HasPrefix(token, "overton_") || len(token) < 30 {
		t.Fatalf("the token is %q", token)
	}
	if again := b.Get("/admin/account"); strings.Contains(again.Body, token) || !strings.Contains(again.Rows(), "laptop") || !strings.Contains(again.Rows(), "never") {
		t.Errorf("the account page afterwards: %s", again.Rows())
	}
	const files = "/admin/studies/small/files.zip"
	if p := withToken(ts, http.MethodGet, files, token); p.Status != http.StatusOK || len(p.Unpack(t)) == 0 {
		t.Errorf("downloading: %d", p.Status)
	}
	if p := b.Get("/admin/account"); strings.Contains(p.Rows(), "never") {
		t.Errorf("the use is not noted: %s", p.Rows())
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
		p := withToken(ts, c.method, c.path, c.token)
		if p.Status != c.want || c.want != http.StatusOK && strings.Contains(p.Body, "<") || strings.Contains(p.Body, "DONE1") {
			t.Errorf("%s %s: status %d, want %d: %s", c.method, c.path, p.Status, c.want, p.Body)
		}
	}
	if p := withToken(ts, http.MethodGet, files, "x"); p.Header.Get("WWW-Authenticate") == "" {
		t.Error("the refusal does not say how to come in")
	}
	for range site.AttemptsPerClient {
		withToken(ts, http.MethodGet, files, "guess")
	}
	if p := withToken(ts, http.MethodGet, files, token); p.Status != http.StatusTooManyRequests {
		t.Errorf("after many failures: %d", p.Status)
	}
	ts.Pass(15 * time.Minute)
	for range site.AttemptsPerClient + 1 { // what succeeds is not counted
		if p := withToken(ts, http.MethodGet, files, token); p.Status != http.StatusOK {
			t.Fatalf("a right token: %d", p.Status)
		}
	}
	ts.Pass(31 * 24 * time.Hour)
	if p := withToken(ts, http.MethodGet, files, token); p.Status != http.StatusUnauthorized {
		t.Errorf("expired: %d", p.Status)
	}
}

func TestATokenEndsWithItsAccount(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("researcher")
	account, err := ts.Store.AccountByEmail(t.Context(), "researcher@example.org")
	if err != nil {
		t.Fatal(err)
	}
	make := func() string {
		token, err := ts.Store.NewAccessToken(t.Context(), account.ID, "x", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if p := withToken(ts, http.MethodGet, "/admin/studies/small/files.zip", token); p.Status != http.StatusOK {
			t.Fatalf("a new token: %d", p.Status)
		}
		return token
	}
	revoked, reset := make(), make()
	tokens, err := ts.Store.AccessTokens(t.Context(), account.ID)
	if err != nil {
		t.Fatal(err)
	}
	ts.SignedIn("viewer").Post("/admin/account/tokens/revoke", url.Values{"token": {fmt.Sprint(tokens[1].ID)}}) // not theirs
	if p := withToken(ts, http.MethodGet, "/admin/studies/small/files.zip", revoked); p.Status != http.StatusOK {
		t.Error("somebody else can revoke a token")
	}
	b.Post("/admin/account/tokens/revoke", url.Values{"token": {fmt.Sprint(tokens[1].ID)}})
	if _, err := ts.Store.ResetAccount(t.Context(), account.ID, time.Hour, 0); err != nil {
		t.Fatal(err)
	}
	for what, token := range map[string]string{"revoked": revoked, "its account was reset": reset} {
		if p := withToken(ts, http.MethodGet, "/admin/studies/small/files.zip", token); p.Status != http.StatusUnauthorized {
			t.Errorf("%s: %d", what, p.Status)
		}
	}
}

func TestSomebodySignsOutEverywhereElse(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	here, there := ts.SignedIn("viewer"), ts.SignedIn("viewer")
	if p := here.Get("/admin/account"); strings.Count(p.Rows(), "another browser") != 1 {
		t.Errorf("sign-ins: %s", p.Rows())
	}
	here.Post("/admin/account/sign-ins/end", nil)
	if p := there.Get("/admin"); p.URL.Path != "/admin/sign-in" {
		t.Error("the other sign-in goes on")
	}
	if p := here.Get("/admin"); p.URL.Path != "/admin" {
		t.Error("this sign-in ended, too")
	}
}

func TestTheLogSaysWhoDidWhat(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.AddStudy("other")
	ts.Finish(2)
	b := ts.SignedIn("admin")
	b.Post("/admin/studies/small/status", url.Values{"to": {"paused"}})
	b.Post("/admin/accounts", url.Values{"email": {"=ben@example.org"}, "role": {"viewer"}})
	ts.MemberOf("small", "viewer")
	all := b.Get("/admin/log")
	for _, want := range []string{"admin@example.org paused the study", "made an account", "command line gave a role on the study viewer-of-small@example.org, viewer small"} {
		if !strings.Contains(all.Rows(), want) {
			t.Errorf("%q is missing in %s", want, all.Rows())
		}
	}
	if rows := b.Get("/admin/log?what=study+paused&who=admin%40example.org").Rows(); strings.Count(rows, "\n") != 1 || !strings.Contains(rows, "paused the study") {
		t.Errorf("filtered: %s", rows)
	}
	if says := b.Get("/admin/log?what=study+paused&who=nobody").Says(); !strings.Contains(says, "Nothing in the log matches") {
		t.Errorf("filtered by somebody who is not there: %s", says)
	}
	own := ts.MemberOf("small", "admin").Get("/admin/studies/small/log")
	if rows := own.Rows(); !strings.Contains(rows, "paused the study") || strings.Contains(rows, "made an account") || strings.Contains(rows, "other") {
		t.Errorf("a study's log: %s", rows)
	}
	table := b.Get("/admin/log.csv")
	if !strings.HasPrefix(table.Header.Get("Content-Type"), "text/csv") || !strings.Contains(table.Body, "paused the study") || strings.Contains(table.Body, ",=ben") {
		t.Errorf("as a table: %s", table.Body)
	}
	for _, secret := range []string{"My view", fmt.Sprintf("%024x", 1), fmt.Sprintf("%024x", 1001)} {
		if strings.Contains(all.Body+own.Body+table.Body, secret) {
			t.Errorf("the log shows %s", secret)
		}
	}
	for range 100 {
		if err := ts.Store.Note(t.Context(), 0, 0, store.DataDownloaded, ""); err != nil {
			t.Fatal(err)
		}
	}
	first := b.Get("/admin/log")
	older := ""
	for _, link := range links(first) {
		if strings.Contains(link, "before=") {
			older = link
		}
	}
	if p := b.Get(older); older == "" || strings.Count(first.Rows(), "\n") != 100 || !strings.Contains(p.Rows(), "paused the study") {
		t.Errorf("older events are not reached by %q", older)
	}
}

// links are where a page leads to.
func links(p webtest.Page) []string {
	var all []string
	webtest.ForEach(p.Doc, "a", func(n *html.Node) { all = append(all, webtest.Attribute(n, "href")) })
	return all
}
