package site_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"overton/web/site"
	"overton/web/webtest"
)

// kernel is one without rooms, on the database of a site.
func kernel(ts *webtest.Site, log io.Writer) *site.Site {
	ts.T.Helper()
	s, err := site.New(ts.T.Context(), site.Config{Store: ts.Store, Now: ts.Clock, Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		ts.T.Fatal(err)
	}
	return s
}

func TestARouteWithoutARoleIsClosed(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	s := kernel(ts, io.Discard)
	h := s.Handler([]site.Route{{Method: http.MethodGet, Path: "/forgotten", Handler: func(c echo.Context) error { return c.String(http.StatusOK, "open") }}})
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/forgotten", nil))
	if rec.Code != http.StatusForbidden || strings.Contains(rec.Body.String(), "open") {
		t.Errorf("status %d: %s", rec.Code, rec.Body)
	}
}

func TestAPanicBecomesAPageWithANumber(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	log := &webtest.Log{}
	s := kernel(ts, log)
	h := s.Handler([]site.Route{{Method: http.MethodGet, Path: "/broken", Role: site.Public, Handler: func(echo.Context) error { panic("boom") }}})
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
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Begin(1)
	action, fields := p.Form()
	fields.Set("view", strings.Repeat("ä", site.MaxBody))
	if got := b.Post(action, fields); got.Status != http.StatusRequestEntityTooLarge || !strings.Contains(got.Says(), "too long") {
		t.Errorf("a huge form: status %d", got.Status)
	}
	r, err := http.NewRequest(http.MethodPost, ts.HTTP.URL+action, strings.NewReader("token=%zz"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if got := b.Do(r); got.Status != http.StatusBadRequest {
		t.Errorf("a broken form: status %d", got.Status)
	}
	r, err = http.NewRequest(http.MethodDelete, ts.HTTP.URL+action, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Do(r); got.Status != http.StatusMethodNotAllowed {
		t.Errorf("DELETE: status %d", got.Status)
	}
}

func TestHealthIsReported(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := ts.Browser().Get(path); got.Status != http.StatusOK {
			t.Errorf("%s: status %d", path, got.Status)
		}
	}
}
