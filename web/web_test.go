package web

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"golang.org/x/net/html"
)

func mustURL(t *testing.T, base, query string) *url.URL {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	u.RawQuery = strings.TrimPrefix(query, "?")
	return u
}

func TestEveryRouteSaysWhoMayUseIt(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range (&site{}).routes() {
		if r.role == nobody {
			t.Errorf("%s %s has no role", r.method, r.path)
		}
		if r.handler == nil {
			t.Errorf("%s %s has no handler", r.method, r.path)
		}
		if key := r.method + " " + r.path; seen[key] {
			t.Errorf("%s stands twice", key)
		} else {
			seen[key] = true
		}
	}
}

func TestARouteWithoutARoleIsClosed(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	s := &site{Config: Config{Store: ts.store, Log: logTo(io.Discard)}, origins: http.NewCrossOriginProtection(), metrics: newMetrics()}
	h := s.handler([]route{{method: http.MethodGet, path: "/forgotten", handler: func(c echo.Context) error { return c.String(http.StatusOK, "open") }}})
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/forgotten", nil))
	if rec.Code != http.StatusForbidden || strings.Contains(rec.Body.String(), "open") {
		t.Errorf("status %d: %s", rec.Code, rec.Body)
	}
}

func TestParticipantRoutesWantACookie(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	for _, r := range (&site{}).routes() {
		if r.role != participant {
			continue
		}
		path := strings.NewReplacer(":slug", "small", ":path", "consent").Replace(r.path)
		var p page
		if r.method == http.MethodGet {
			p = ts.browser().get(path)
		} else {
			p = ts.browser().post(path, url.Values{"consent": {"yes"}})
		}
		if p.status != http.StatusForbidden {
			t.Errorf("%s %s without a cookie: status %d", r.method, r.path, p.status)
		}
	}
}

func TestPagesCarryProtectiveHeaders(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	_, p := ts.arrive(1)
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
		"X-Content-Type-Options":  "nosniff",
		"Referrer-Policy":         "no-referrer",
		"Cache-Control":           "no-store",
		"Content-Type":            "text/html; charset=UTF-8",
	} {
		if got := p.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestOtherSitesCannotPost(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.arrive(1)
	action, fields := p.form()
	for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"} {
		r, err := http.NewRequest(http.MethodPost, ts.http.URL+action, strings.NewReader(fields.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set(name, value)
		if got := b.do(r); got.status != http.StatusForbidden || !strings.Contains(got.says(), "not allowed") {
			t.Errorf("%s: %s: status %d", name, value, got.status)
		}
	}
	if n := len(ts.records()); n != 0 {
		t.Errorf("%d submissions were created", n)
	}
}

func TestCookiesAreHiddenFromScriptsAndOtherSites(t *testing.T) {
	for _, c := range []struct {
		base, forwarded, name string
		trust                 bool
		secure                bool
	}{
		{"", "", "overton-small", false, false},
		{"", "https", "overton-small", false, false}, // anybody can send the header
		{"", "https", "__Host-overton-small", true, true},
		{"https://example.org/studies", "", "__Host-overton-small", false, true},
	} {
		ts := newSite(t, studyFolder(nil))
		config := Config{Store: ts.store, Now: ts.clock, Log: logTo(io.Discard), TrustProxy: c.trust}
		if c.base != "" {
			config.BaseURL = mustURL(t, c.base, "")
		}
		h, err := New(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodGet, arrival(1), nil)
		r.Header.Set("X-Forwarded-Proto", c.forwarded)
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
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
	ts := newSite(t, studyFolder(nil))
	h, err := New(t.Context(), Config{Store: ts.store, Now: ts.clock, Log: logTo(io.Discard), BaseURL: mustURL(t, "http://127.0.0.1/studies/x/", "")})
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
		b := ts.browser()
		b.http = front
		p := b.send(b.get("/studies/x"+arrival(n+1)), nil)
		for range 40 {
			if strings.HasSuffix(p.url.Path, "/end") {
				break
			}
			p = b.send(p, p.answers("A view"))
		}
		if p.url.Path != "/studies/x/s/small/end" || p.status != http.StatusOK {
			t.Errorf("proxy strips the path: %v: ended at %s with %d", strips, p.url.Path, p.status)
		}
		forEach(p.doc, "link", func(n *html.Node) {
			if got := b.get(attribute(n, "href")); got.status != http.StatusOK {
				t.Errorf("%s: status %d", attribute(n, "href"), got.status)
			}
		})
		front.Close()
	}
}

func TestTheLogNamesNobody(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	b.walk(p, "p/q1-response1")
	b.get("/s/small/end?PROLIFIC_PID=aaaaaaaaaaaaaaaaaaaaaaaa")
	b.get("/no/such/5f0000000000000000000001")
	log := ts.log.String()
	if !strings.Contains(log, "route=/s/:slug/p/:path") || !strings.Contains(log, "status=303") {
		t.Errorf("the log lacks routes or statuses:\n%s", log)
	}
	token := ts.records()[0].Pseudonym
	for _, secret := range []string{"small", "PROLIFIC", "SESSION", "00000001", "aaaaaaaa", "q1-view", token, "My view"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log shows %q:\n%s", secret, log)
		}
	}
}

func TestAPanicBecomesAPageWithANumber(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	log := &lockedBuffer{}
	s := &site{Config: Config{Store: ts.store, Log: logTo(log)}, origins: http.NewCrossOriginProtection(), metrics: newMetrics()}
	h := s.handler([]route{{http.MethodGet, "/broken", public, func(echo.Context) error { panic("boom") }}})
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/broken", nil))
	id := rec.Header().Get("X-Request-Id")
	if rec.Code != http.StatusInternalServerError || id == "" || !strings.Contains(rec.Body.String(), id) || strings.Contains(rec.Body.String(), "boom") {
		t.Errorf("status %d, id %q: %s", rec.Code, id, rec.Body)
	}
	if !strings.Contains(log.String(), "boom") || !strings.Contains(log.String(), id) {
		t.Errorf("the log lacks the cause or the number: %s", log)
	}
}

func TestRequestsThatMakeNoSenseGetAPage(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b, p := ts.begin(1)
	action, fields := p.form()
	fields.Set("view", strings.Repeat("ä", maxBody))
	if got := b.post(action, fields); got.status != http.StatusRequestEntityTooLarge || !strings.Contains(got.says(), "too long") {
		t.Errorf("a huge form: status %d", got.status)
	}
	r, err := http.NewRequest(http.MethodPost, ts.http.URL+action, strings.NewReader("token=%zz"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if got := b.do(r); got.status != http.StatusBadRequest {
		t.Errorf("a broken form: status %d", got.status)
	}
	r, err = http.NewRequest(http.MethodDelete, ts.http.URL+action, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.do(r); got.status != http.StatusMethodNotAllowed {
		t.Errorf("DELETE: status %d", got.status)
	}
}

func TestHealthIsReported(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := ts.browser().get(path); got.status != http.StatusOK {
			t.Errorf("%s: status %d", path, got.status)
		}
	}
}

func logTo(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }
