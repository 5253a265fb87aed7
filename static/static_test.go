package static

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(name string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	Serve(rec, httptest.NewRequest(http.MethodGet, "/static/"+name, nil), name)
	return rec
}

func TestEveryFileIsServedUnderAHashedName(t *testing.T) {
	t.Parallel()
	for name, wantType := range map[string]string{
		"overton.css": "text/css; charset=utf-8",
		"overton.js":  "text/javascript; charset=utf-8",
		"tables.js":   "text/javascript; charset=utf-8",
		"icon.svg":    "image/svg+xml",
	} {
		p := Path(name)
		if !regexp.MustCompile(`^/static/[a-z]+\.[0-9a-f]{12}\.[a-z]+$`).MatchString(p) {
			t.Errorf("Path(%q) = %q, want a hashed name", name, p)
		}
		rec := get(strings.TrimPrefix(p, "/static/"))
		if rec.Code != http.StatusOK || rec.Body.Len() == 0 {
			t.Errorf("%s: status %d, %d bytes", p, rec.Code, rec.Body.Len())
		}
		if got := rec.Header().Get("Content-Type"); got != wantType {
			t.Errorf("%s: content type %q, want %q", p, got, wantType)
		}
		if got := rec.Header().Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: cache control %q, want immutable", p, got)
		}
	}
}

func TestOtherNamesAreNotFound(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"overton.css", "overton.000000000000.css", "../go.mod", ""} {
		if rec := get(name); rec.Code != http.StatusNotFound {
			t.Errorf("%q: status %d, want 404", name, rec.Code)
		}
	}
}

func TestNothingIsLoadedFromAnotherHost(t *testing.T) {
	t.Parallel()
	for _, a := range assets {
		text := strings.ReplaceAll(string(a.body), `xmlns="http://www.w3.org/2000/svg"`, "")
		if m := regexp.MustCompile(`(?i)(https?:)?//[a-z0-9-]+\.[a-z]|@import|url\(`).FindString(text); m != "" {
			t.Errorf("%s refers to %q", a.name, m)
		}
	}
}
