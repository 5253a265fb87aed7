package site_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"overton/web/webtest"
)

func TestMetricsNameRoutesAndAreForThisMachineOnly(t *testing.T) {
	t.Parallel()
	s := webtest.New(t, webtest.StudyFolder(nil))
	get := func(remote, forwarded string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.RemoteAddr = remote
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		w := httptest.NewRecorder()
		s.HTTP.Config.Handler.ServeHTTP(w, r)
		return w
	}
	secret := httptest.NewRequest(http.MethodGet, "/s/nobody-should-see-this", nil)
	s.HTTP.Config.Handler.ServeHTTP(httptest.NewRecorder(), secret)

	w := get("127.0.0.1:5000", "")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `route="/s/:slug"`) {
		t.Errorf("from this machine: %d\n%s", w.Code, w.Body)
	}
	if strings.Contains(w.Body.String(), "nobody-should-see-this") {
		t.Error("the metrics hold a path")
	}
	for _, from := range [][2]string{{"203.0.113.9:5000", ""}, {"127.0.0.1:5000", "203.0.113.9"}} {
		if w := get(from[0], from[1]); w.Code != http.StatusForbidden {
			t.Errorf("from %v: %d, want 403", from, w.Code)
		}
	}
}

func TestAMadeUpMethodIsNeitherALabelNorInTheLog(t *testing.T) {
	t.Parallel()
	s := webtest.New(t, webtest.StudyFolder(nil))
	made := strings.Repeat("MADEUP", 1000)
	w := httptest.NewRecorder()
	s.HTTP.Config.Handler.ServeHTTP(w, httptest.NewRequest(made, "/healthz", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("status %d", w.Code)
	}
	metrics := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	metrics.RemoteAddr = "127.0.0.1:5000"
	w = httptest.NewRecorder()
	s.HTTP.Config.Handler.ServeHTTP(w, metrics)
	if !strings.Contains(w.Body.String(), `method="other"`) || strings.Contains(w.Body.String(), "MADEUP") {
		t.Errorf("the metrics name the method or count nothing:\n%s", w.Body)
	}
	if strings.Contains(s.Log.String(), "MADEUP") {
		t.Error("the log names the method")
	}
}
