package accounts_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"overton/internal/password/passwordtest"
	"overton/web"
	"overton/web/site"
	"overton/web/webtest"
)

func setPassword(ts *webtest.Site, id int64) {
	ts.T.Helper()
	hash := passwordtest.Hash(ts.T, webtest.GoodPassword)
	if err := ts.Store.SetPassword(context.Background(), id, hash); err != nil {
		ts.T.Fatal(err)
	}
}

func TestSigningInAndOut(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	setPassword(ts, ts.Account("anna@example.org", "viewer"))
	shut := ts.Account("shut@example.org", "viewer")
	setPassword(ts, shut)
	if err := ts.Store.DisableAccount(t.Context(), shut, true, 0); err != nil {
		t.Fatal(err)
	}
	ts.Account("new@example.org", "viewer") // has no password yet

	var said string
	for name, form := range map[string]url.Values{
		"a wrong password":   {"email": {"anna@example.org"}, "password": {webtest.GoodPassword + "!"}},
		"no password":        {"email": {"anna@example.org"}, "password": {""}},
		"an unknown address": {"email": {"nobody@example.org"}, "password": {webtest.GoodPassword}},
		"shut out":           {"email": {"shut@example.org"}, "password": {webtest.GoodPassword}},
		"never set":          {"email": {"new@example.org"}, "password": {""}},
	} {
		p := ts.Browser().Post("/admin/sign-in", form)
		problem := webtest.Text(webtest.Find(p.Doc, "problems"))
		if p.Status != http.StatusUnprocessableEntity || problem == "" || said != "" && problem != said {
			t.Errorf("%s: status %d, %q; others were told %q", name, p.Status, problem, said)
		}
		said = problem
		if !strings.Contains(p.Body, form.Get("email")) {
			t.Errorf("%s: the address typed is gone", name)
		}
	}

	b := ts.Browser()
	p := b.Get("/admin/studies/small")
	if p.URL.Path != "/admin/sign-in" {
		t.Fatalf("a guest came to %s", p.URL)
	}
	p = b.Send(p, map[string]string{"email": "Anna@example.org ", "password": webtest.GoodPassword})
	if p.Status != http.StatusOK || p.URL.Path != "/admin/studies/small" || !strings.Contains(p.Body, "anna@example.org") {
		t.Fatalf("after the sign-in: %s, status %d", p.URL, p.Status)
	}
	if p := b.Get("/admin/sign-out"); p.Status != http.StatusMethodNotAllowed {
		t.Errorf("signing out by a mere link: status %d", p.Status)
	}
	if p := b.Get("/admin"); p.URL.Path != "/admin" {
		t.Fatalf("signed out by a GET: %s", p.URL)
	}
	kept := cookies(b)
	b.Post("/admin/sign-out", nil)
	if p := b.Get("/admin"); p.URL.Path != "/admin/sign-in" {
		t.Errorf("after signing out: %s", p.URL)
	}
	u, _ := url.Parse(ts.HTTP.URL)
	b.Client.Jar.SetCookies(u, kept)
	if p := b.Get("/admin"); p.URL.Path != "/admin/sign-in" {
		t.Errorf("the old cookie still opens %s", p.URL)
	}
}

func cookies(b *webtest.Browser) []*http.Cookie {
	u, _ := url.Parse(b.HTTP.URL)
	return b.Client.Jar.Cookies(u)
}

func TestGuessingPasswordsIsSlowedDown(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	setPassword(ts, ts.Account("anna@example.org", "viewer"))
	wrong, right := url.Values{"email": {"anna@example.org"}, "password": {"wrong"}}, url.Values{"email": {"anna@example.org"}, "password": {webtest.GoodPassword}}
	for range site.AttemptsPerAddress {
		if p := ts.Browser().Post("/admin/sign-in", wrong); p.Status != http.StatusUnprocessableEntity {
			t.Fatalf("status %d", p.Status)
		}
	}
	if p := ts.Browser().Post("/admin/sign-in", right); p.Status != http.StatusTooManyRequests || p.Header.Get("Retry-After") == "" {
		t.Errorf("after %d failures: status %d", site.AttemptsPerAddress, p.Status)
	}
	ts.Pass(15 * time.Minute)
	for range site.AttemptsPerAddress + 1 { // what succeeds is not counted
		if p := ts.Browser().Post("/admin/sign-in", right); p.URL.Path != "/admin" {
			t.Fatalf("a right password was refused: %d", p.Status)
		}
	}
}

func TestTheAccountCookieIsHidden(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	id := ts.Account("anna@example.org", "viewer")
	for _, c := range []struct {
		base, name string
		secure     bool
	}{{"", "overton_admin", false}, {"https://example.org/x", "__Host-overton_admin", true}} {
		link, err := ts.Store.NewLink(t.Context(), id, time.Hour, false)
		if err != nil {
			t.Fatal(err)
		}
		config := web.Config{Store: ts.Store, Now: ts.Clock, Log: slog.New(slog.DiscardHandler)}
		if c.base != "" {
			config.BaseURL = webtest.MustURL(t, c.base)
		}
		h, err := web.New(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/admin/link/"+link, nil))
		cookies := rec.Result().Cookies()
		if len(cookies) != 1 {
			t.Fatalf("%d cookies, status %d", len(cookies), rec.Code)
		}
		if k := cookies[0]; k.Name != c.name || k.Secure != c.secure || !k.HttpOnly || k.SameSite != http.SameSiteLaxMode || k.Path != "/" || k.Domain != "" || len(k.Value) < 20 {
			t.Errorf("%q: cookie %v", c.base, k)
		}
	}
}

func TestALinkLeadsToAPassword(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	id := ts.Account("anna@example.org", "admin")
	link, err := ts.Store.NewLink(t.Context(), id, time.Hour, false)
	if err != nil {
		t.Fatal(err)
	}
	b := ts.Browser()
	for range 3 { // looking uses nothing up
		if p := b.Get("/admin/link/" + link); p.Status != http.StatusOK || strings.Contains(p.Body, "anna") {
			t.Fatalf("status %d: %s", p.Status, p.Says())
		}
	}
	p := b.Send(b.Get("/admin/link/"+link), nil)
	if p.URL.Path != "/admin/password" {
		t.Fatalf("the link led to %s, status %d", p.URL, p.Status)
	}
	if used := ts.Browser().Post("/admin/link/"+link, nil); used.Status != http.StatusNotFound || !strings.Contains(used.Says(), "It has been used") {
		t.Errorf("a used link: status %d", used.Status)
	}
	for want, form := range map[string]url.Values{
		"shorter than 12": {"new": {"short"}, "again": {"short"}},
		"not the same":    {"new": {webtest.GoodPassword}, "again": {webtest.GoodPassword + "x"}},
	} {
		if p := b.Post("/admin/password", form); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says(), want) {
			t.Errorf("%q: status %d: %s", want, p.Status, p.Says())
		}
	}
	other := ts.SignedIn("viewer")
	if p := b.Post("/admin/password", url.Values{"new": {webtest.GoodPassword}, "again": {webtest.GoodPassword}}); p.URL.Path != "/admin" || p.Status != http.StatusOK {
		t.Fatalf("setting the password led to %s, %d", p.URL, p.Status)
	}
	if p := b.Get("/admin"); p.URL.Path != "/admin" {
		t.Error("a new password ends the sign-in that set it")
	}
	if p := other.Get("/admin"); p.URL.Path != "/admin" {
		t.Error("a new password ends somebody else's sign-in")
	}
	if p := b.Post("/admin/password", url.Values{"current": {"not this"}, "new": {webtest.GoodPassword + "2"}, "again": {webtest.GoodPassword + "2"}}); p.Status != http.StatusUnprocessableEntity {
		t.Errorf("changed without the current password: status %d", p.Status)
	}
	elsewhere := ts.Browser()
	if p := elsewhere.Post("/admin/sign-in", url.Values{"email": {"anna@example.org"}, "password": {webtest.GoodPassword}}); p.URL.Path != "/admin" {
		t.Fatalf("the new password does not open the account: %s", p.Says())
	}
	if p := b.Post("/admin/password", url.Values{"current": {webtest.GoodPassword}, "new": {webtest.GoodPassword + "2"}, "again": {webtest.GoodPassword + "2"}}); p.URL.Path != "/admin" {
		t.Errorf("changing it: %s", p.Says())
	}
	if p := elsewhere.Get("/admin"); p.URL.Path != "/admin/sign-in" {
		t.Error("the sign-in by the old password goes on")
	}
}

func TestALinkCanLeadToAPage(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	link, err := ts.Store.NewLink(t.Context(), ts.Account("demo@example.org", "researcher"), time.Hour, true)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		b := ts.Browser()
		if p := b.Send(b.Get("/admin/link/"+link+"?to=/admin/studies/small"), nil); p.URL.Path != "/admin/studies/small" {
			t.Errorf("came to %s, status %d", p.URL, p.Status)
		}
	}
}

func TestAdminsMakeAccounts(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	for want, form := range map[string]url.Values{
		"Enter an email address": {"email": {"nobody"}, "role": {"viewer"}},
		"Choose a role":          {"email": {"ben@example.org"}, "role": {"boss"}},
		"already exists":         {"email": {"Admin@example.org"}, "role": {"viewer"}},
	} {
		if p := b.Post("/admin/accounts", form); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says(), want) {
			t.Errorf("%q: status %d: %s", want, p.Status, p.Says())
		}
	}
	linkOf := func(p webtest.Page) string {
		t.Helper()
		link := webtest.Text(webtest.Find(p.Doc, "link"))
		if !strings.HasPrefix(link, ts.HTTP.URL+"/admin/link/") {
			t.Fatalf("the link is %q: %s", link, p.Says())
		}
		return strings.TrimPrefix(link, ts.HTTP.URL)
	}
	first := linkOf(b.Post("/admin/accounts", url.Values{"email": {"ben@example.org"}, "role": {"moderator"}}))
	ben, err := ts.Store.AccountByEmail(t.Context(), "ben@example.org")
	if err != nil || ben.Role != "moderator" {
		t.Fatalf("%+v, %v", ben, err)
	}
	change := func(id int64, what string) webtest.Page {
		return b.Post("/admin/accounts/change", url.Values{"account": {fmt.Sprint(id)}, "change": {what}})
	}
	second := linkOf(change(ben.ID, "link"))
	other := ts.Browser()
	if p := other.Post(first, nil); p.Status != http.StatusNotFound {
		t.Errorf("the first link still works: %d", p.Status)
	}
	if p := other.Post(second, nil); p.URL.Path != "/admin/password" {
		t.Errorf("the second link led to %s", p.URL)
	}
	if p := change(ben.ID, "disable"); p.Status != http.StatusOK || !strings.Contains(p.Says(), "shut out") {
		t.Errorf("shutting out: %d", p.Status)
	}
	if p := other.Get("/admin"); p.URL.Path != "/admin/sign-in" {
		t.Errorf("somebody who is shut out sees %s", p.URL)
	}
	change(ben.ID, "enable")
	if ben, err = ts.Store.AccountByEmail(t.Context(), "ben@example.org"); err != nil || ben.Disabled {
		t.Errorf("let in again: %+v, %v", ben, err)
	}
	self, err := ts.Store.AccountByEmail(t.Context(), "admin@example.org")
	if err != nil {
		t.Fatal(err)
	}
	for what, want := range map[int64]int{self.ID: http.StatusBadRequest, 999: http.StatusNotFound} {
		if p := change(what, "disable"); p.Status != want {
			t.Errorf("account %d: status %d, want %d", what, p.Status, want)
		}
	}
}
