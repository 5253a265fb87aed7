package take_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"overton/web"
	"overton/web/webtest"
)

// prolificSigner signs links as Prolific does, and publishes its keys.
type prolificSigner struct {
	*httptest.Server
	key     *rsa.PrivateKey
	down    atomic.Bool
	fetches atomic.Int32
}

func newSigner(t *testing.T) *prolificSigner {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &prolificSigner{key: key}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.fetches.Add(1)
		if p.down.Load() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		encode := base64.RawURLEncoding.EncodeToString
		json.NewEncoder(w).Encode(map[string]any{"keys": []map[string]string{
			{"kty": "AKP", "kid": "other"},
			{"kty": "RSA", "kid": "k1", "n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes())},
		}})
	}))
	t.Cleanup(p.Close)
	return p
}

// claims are those of a link for the test's site, with an edit.
func (p *prolificSigner) token(t *testing.T, at time.Time, edit func(jwt.MapClaims, map[string]any)) string {
	t.Helper()
	claims := jwt.MapClaims{
		"iss": "https://www.prolific.com", "iat": at.Unix(), "exp": at.Add(2 * time.Minute).Unix(), "sub": ssn,
		"aud":      "http://127.0.0.1/s/small?PROLIFIC_PID={{%PROLIFIC_PID%}}",
		"prolific": map[string]any{"PROLIFIC_PID": pid, "STUDY_ID": sid, "SESSION_ID": ssn, "workspace_id": "w"},
	}
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	token.Header["kid"] = "k1"
	if edit != nil {
		edit(claims, token.Header)
	}
	signed, err := token.SignedString(p.key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// signedSite is a site whose study takes signed links only.
func signedSite(t *testing.T) (*webtest.Site, *prolificSigner) {
	t.Helper()
	p := newSigner(t)
	ts := webtest.New(t, webtest.StudyFolder(func(yaml string) string {
		return strings.Replace(yaml, "    codes:", "    signed_links: true\n    codes:", 1)
	}))
	ts.HTTP.Close()
	if err := ts.Store.Close(); err != nil {
		t.Fatal(err)
	}
	ts.Open(web.Config{ProlificKeys: p.URL})
	return ts, p
}

func signedLink(token string) string {
	return "/s/small?" + url.Values{"PROLIFIC_PID": {pid}, "STUDY_ID": {sid}, "SESSION_ID": {ssn}, "prolific_token": {token}}.Encode()
}

func TestOnlySignedLinksLetIn(t *testing.T) {
	t.Parallel()
	ts, p := signedSite(t)
	foreign, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	parameters := func(name, value string) func(jwt.MapClaims, map[string]any) {
		return func(c jwt.MapClaims, _ map[string]any) { c["prolific"].(map[string]any)[name] = value }
	}
	set := func(name string, value any) func(jwt.MapClaims, map[string]any) {
		return func(c jwt.MapClaims, _ map[string]any) { c[name] = value }
	}
	for _, c := range []struct {
		name, token string
		want        int
	}{
		{"as Prolific signs it", p.token(t, ts.Clock(), nil), 200},
		{"no token", "", 403},
		{"two minutes and a half old", p.token(t, ts.Clock().Add(-151*time.Second), nil), 403},
		{"from the future", p.token(t, ts.Clock().Add(time.Hour), nil), 403},
		{"for another submission", p.token(t, ts.Clock(), set("sub", pid)), 403},
		{"from another issuer", p.token(t, ts.Clock(), set("iss", "https://example.org")), 403},
		{"for another site", p.token(t, ts.Clock(), set("aud", "https://example.org/s/small")), 403},
		{"without an expiry", p.token(t, ts.Clock(), func(c jwt.MapClaims, _ map[string]any) { delete(c, "exp") }), 403},
		{"for another person", p.token(t, ts.Clock(), parameters("PROLIFIC_PID", ssn)), 403},
		{"for another study there", p.token(t, ts.Clock(), parameters("STUDY_ID", ssn)), 403},
		{"by an unknown key", p.token(t, ts.Clock(), func(_ jwt.MapClaims, h map[string]any) { h["kid"] = "k2" }), 403},
		{"by somebody else's key", (&prolificSigner{key: foreign}).token(t, ts.Clock(), nil), 403},
		{"with the signature cut off", strings.TrimRight(p.token(t, ts.Clock(), nil), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"), 403},
	} {
		if got := ts.Browser().Get(signedLink(c.token)); got.Status != c.want {
			t.Errorf("%s: status %d, want %d", c.name, got.Status, c.want)
		}
	}
	none := jwt.NewWithClaims(jwt.SigningMethodNone, jwt.MapClaims{"sub": ssn})
	unsigned, err := none.SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	if got := ts.Browser().Get(signedLink(unsigned)); got.Status != 403 {
		t.Errorf("alg none: status %d", got.Status)
	}
	if n := len(ts.Records()); n != 0 {
		t.Errorf("%d submissions were made by loading links", n)
	}
	if n := p.fetches.Load(); n > 2 {
		t.Errorf("the keys were fetched %d times for 14 links within a second", n)
	}
	if log := ts.Log.String(); strings.Contains(log, "eyJ") || strings.Contains(log, pid) {
		t.Error("the log has a token or an id")
	}
}

// A page that is loaded again two minutes later carries a dead token.
func TestADeadTokenStillResumesInTheSameBrowser(t *testing.T) {
	t.Parallel()
	ts, p := signedSite(t)
	b := ts.Browser()
	link := signedLink(p.token(t, ts.Clock(), nil))
	b.Get(link)
	ts.Pass(time.Hour)
	if got := b.Get(link); got.Status != 200 {
		t.Errorf("the same browser: status %d", got.Status)
	}
	if got := ts.Browser().Get(link); got.Status != 403 {
		t.Errorf("another browser: status %d, want 403", got.Status)
	}
	if got := ts.Browser().Get("/s/small?PROLIFIC_PID=virtual-1&STUDY_ID=s&SESSION_ID=virtual-1-1"); got.Status != 200 {
		t.Errorf("a virtual participant: status %d", got.Status)
	}
}

func TestWithoutKeysNobodyEntersAndAllCanComeBack(t *testing.T) {
	t.Parallel()
	ts, p := signedSite(t)
	p.down.Store(true)
	if got := ts.Browser().Get(signedLink(p.token(t, ts.Clock(), nil))); got.Status != 503 || !strings.Contains(got.Body, "Prolific did not answer") {
		t.Fatalf("status %d: %s", got.Status, got.Body)
	}
	p.down.Store(false)
	if got := ts.Browser().Get(signedLink(p.token(t, ts.Clock(), nil))); got.Status != 200 {
		t.Errorf("once the keys are there: status %d", got.Status)
	}
	p.down.Store(true)
	ts.Pass(25 * time.Hour)
	if got := ts.Browser().Get(signedLink(p.token(t, ts.Clock(), nil))); got.Status != 200 {
		t.Errorf("a day later, with the keys of yesterday: status %d", got.Status)
	}
}
