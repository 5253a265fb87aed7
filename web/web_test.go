package web_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"overton/web"
	"overton/web/webtest"
)

func TestPagesCarryProtectiveHeaders(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	_, p := ts.Arrive(1)
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
		"X-Content-Type-Options":  "nosniff",
		"Referrer-Policy":         "no-referrer",
		"Cache-Control":           "no-store",
		"Content-Type":            "text/html; charset=UTF-8",
	} {
		if got := p.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestOtherSitesCannotPost(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Arrive(1)
	action, fields := p.Form()
	for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"} {
		r, err := http.NewRequest(http.MethodPost, ts.HTTP.URL+action, strings.NewReader(fields.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set(name, value)
		if got := b.Do(r); got.Status != http.StatusForbidden || !strings.Contains(got.Says(), "not allowed") {
			t.Errorf("%s: %s: status %d", name, value, got.Status)
		}
	}
	if n := len(ts.Records()); n != 0 {
		t.Errorf("%d submissions were created", n)
	}
}

func TestCookiesAreHiddenFromScriptsAndOtherSites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base, forwarded, name string
		trust                 bool
		secure                bool
	}{
		{"", "", "overton-small", false, false},
		{"", "https", "overton-small", false, false}, // anybody can send the header
		{"", "https", "__Host-overton-small", true, true},
		{"", "HTTPS", "__Host-overton-small", true, true},
		{"https://example.org/studies", "", "__Host-overton-small", false, true},
	} {
		ts := webtest.New(t, webtest.StudyFolder(nil))
		config := web.Config{Store: ts.Store, Now: ts.Clock, Log: slog.New(slog.DiscardHandler), TrustProxy: c.trust}
		if c.base != "" {
			config.BaseURL = webtest.MustURL(t, c.base)
		}
		h, err := web.New(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodGet, webtest.Arrival(1), nil)
		r.Header.Set("X-Forwarded-Proto", c.forwarded)
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		head := rec.Result().Header
		if got := head.Get("Strict-Transport-Security") != ""; got != c.secure {
			t.Errorf("%+v: Strict-Transport-Security sent: %v", c, got)
		}
		if head.Get("Permissions-Policy") == "" || head.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%+v: headers %v", c, head)
		}
		cookies := rec.Result().Cookies()
		if len(cookies) != 1 {
			t.Fatalf("%+v: %d cookies", c, len(cookies))
		}
		k := cookies[0]
		if k.Name != c.name || k.Secure != c.secure || !k.HttpOnly || k.SameSite != http.SameSiteLaxMode || k.Path != "/" || k.Domain != "" {
			t.Errorf("%+v: cookie %v", c, k)
		}
		if strings.Contains(k.Value, "00000001") || len(k.Value) < 50 {
			t.Errorf("the cookie shows an id: %s", k.Value)
		}
	}
}

func TestTheSiteWorksBelowAPath(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	h, err := web.New(t.Context(), web.Config{Store: ts.Store, Now: ts.Clock, Log: slog.New(slog.DiscardHandler), BaseURL: webtest.MustURL(t, "http://127.0.0.1/studies/x/")})
	if err != nil {
		t.Fatal(err)
	}
	for n, strips := range []bool{true, false} {
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rest, ok := strings.CutPrefix(r.URL.Path, "/studies/x")
			if !ok {
				t.Errorf("a request went to %s, outside the mount", r.URL.Path)
			}
			if strips {
				r.URL.Path = rest
			}
			h.ServeHTTP(w, r)
		}))
		b := ts.Browser()
		b.HTTP = front
		p := b.Send(b.Get("/studies/x"+webtest.Arrival(n+1)), nil)
		for range 40 {
			if strings.HasSuffix(p.URL.Path, "/end") {
				break
			}
			p = b.Send(p, p.Answers("A view"))
		}
		if p.URL.Path != "/studies/x/s/small/end" || p.Status != http.StatusOK {
			t.Errorf("proxy strips the path: %v: ended at %s with %d", strips, p.URL.Path, p.Status)
		}
		webtest.ForEach(p.Doc, "link", func(n *html.Node) {
			if got := b.Get(webtest.Attribute(n, "href")); got.Status != http.StatusOK {
				t.Errorf("%s: status %d", webtest.Attribute(n, "href"), got.Status)
			}
		})
		front.Close()
	}
}

func TestTheLogNamesNobody(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	b.Walk(p, "p/q1-response1")
	b.Get("/s/small/end?PROLIFIC_PID=aaaaaaaaaaaaaaaaaaaaaaaa")
	b.Get("/no/such/5f0000000000000000000001")
	log := ts.Log.String()
	if !strings.Contains(log, "route=/s/:slug/p/:path") || !strings.Contains(log, "status=303") {
		t.Errorf("the log lacks routes or statuses:\n%s", log)
	}
	token := ts.Records()[0].Pseudonym
	for _, secret := range []string{"small", "PROLIFIC", "SESSION", "00000001", "aaaaaaaa", "q1-view", token, "My view"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log shows %q:\n%s", secret, log)
		}
	}
}
