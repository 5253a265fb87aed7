package take

import (
	"context"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	"overton/web/site"
)

// ProlificKeys is where Prolific publishes the keys that it signs links with.
const ProlificKeys = "https://api.prolific.com/.well-known/study/jwks.json"

const (
	prolificIssuer = "https://www.prolific.com"
	signedName     = "prolific_token" // the query parameter that carries the signature

	clockLeeway = 30 * time.Second // how far the two clocks may differ
	keyLife     = 24 * time.Hour   // then keys are fetched again
	keyPause    = time.Minute      // between two fetches, whatever links claim
)

// signedClaims are what a signed link says. Parameters holds each of the
// link's query parameters as Prolific filled it in.
type signedClaims struct {
	jwt.RegisteredClaims
	Parameters map[string]any `json:"prolific"`
}

// errUnsigned is a link whose signature is absent, dead or for something else.
var errUnsigned = errors.New("the link is not signed by Prolific")

// checkSigned sees that Prolific signed a link less than two minutes ago, for
// this site and for this arrival. The error is errUnsigned, or that the keys
// could not be had.
func (s *Room) checkSigned(c echo.Context, names study.ParameterNames, a store.Arrival) error {
	r := c.Request()
	var claims signedClaims
	_, err := jwt.NewParser(
		jwt.WithValidMethods([]string{"RS256"}), jwt.WithIssuer(prolificIssuer), jwt.WithSubject(a.Submission),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithTimeFunc(s.Now), jwt.WithLeeway(clockLeeway),
	).ParseWithClaims(r.URL.Query().Get(signedName), &claims, func(t *jwt.Token) (any, error) {
		id, _ := t.Header["kid"].(string)
		return s.keys.get(r.Context(), id, s.Now())
	})
	switch {
	case errors.Is(err, errNoKeys):
		return err
	case err != nil:
		return fmt.Errorf("%w: %w", errUnsigned, err)
	}
	own, err := url.Parse(s.Origin(r))
	if err != nil {
		return fmt.Errorf("reading the site's own address: %w", err)
	}
	forUs := false
	for _, audience := range claims.Audience {
		u, err := url.Parse(audience)
		forUs = forUs || err == nil && strings.EqualFold(u.Hostname(), own.Hostname())
	}
	if !forUs {
		return fmt.Errorf("%w: it was made for another site", errUnsigned)
	}
	for name, value := range map[string]string{names.Participant: a.Participant, names.Study: a.Study, names.Submission: a.Submission} {
		if claimed, given := claims.Parameters[name]; (given || value != "") && claimed != value {
			return fmt.Errorf("%w: %s is not the one that was signed", errUnsigned, name)
		}
	}
	return nil
}

// refuseUnsigned gives an arrival that could not be checked its page.
func (s *Room) refuseUnsigned(c echo.Context, h *site.Hosted, err error) error {
	switch {
	case errors.Is(err, errNoKeys):
		s.Log.Error("signed links cannot be checked", "id", c.Get(site.RequestKey), "error", err)
		return &site.Refusal{Status: http.StatusServiceUnavailable, Name: "keys", Study: h}
	case errors.Is(err, errUnsigned):
		return &site.Refusal{Status: http.StatusForbidden, Name: "unsigned", Study: h}
	}
	return err
}

// keyring holds the public keys that links are signed with, fetched at first
// use, again after a day, and when a link names a key that is not known.
type keyring struct {
	url string

	mu      sync.Mutex
	keys    map[string]*rsa.PublicKey
	fetched time.Time // successfully
	tried   time.Time
}

// errNoKeys is that the keys could not be fetched, and none is known.
var errNoKeys = errors.New("no keys to check signed links with")

func (k *keyring) get(ctx context.Context, id string, now time.Time) (*rsa.PublicKey, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := k.keys[id]
	if (key == nil || now.Sub(k.fetched) > keyLife) && now.Sub(k.tried) > keyPause {
		k.tried = now
		keys, err := fetchKeys(ctx, k.url)
		if err != nil && len(k.keys) == 0 {
			k.tried = time.Time{} // nobody can enter until they are here
			return nil, fmt.Errorf("%w: %w", errNoKeys, err)
		}
		if err == nil {
			k.keys, k.fetched = keys, now
		}
		key = k.keys[id]
	}
	if key == nil {
		return nil, fmt.Errorf("it names the key %q, which Prolific does not publish", id)
	}
	return key, nil
}

// fetchKeys reads a JSON Web Key Set (RFC 7517); keys that are not RSA are
// passed over.
func fetchKeys(ctx context.Context, from string) (map[string]*rsa.PublicKey, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, fmt.Errorf("fetching keys: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("fetching keys: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetching keys from %s: the answer is %s", from, response.Status)
	}
	var set struct {
		Keys []struct{ Kty, Kid, N, E string }
	}
	if err := json.NewDecoder(http.MaxBytesReader(nil, response.Body, 1<<20)).Decode(&set); err != nil {
		return nil, fmt.Errorf("reading the keys of %s: %w", from, err)
	}
	keys := map[string]*rsa.PublicKey{}
	for _, k := range set.Keys {
		if k.Kty != "RSA" {
			continue
		}
		n, errN := base64.RawURLEncoding.DecodeString(k.N)
		e, errE := base64.RawURLEncoding.DecodeString(k.E)
		exponent := new(big.Int).SetBytes(e)
		if errN != nil || errE != nil || !exponent.IsInt64() || exponent.Int64() >= 1<<31 {
			return nil, fmt.Errorf("reading the keys of %s: key %q is not an RSA key", from, k.Kid)
		}
		keys[k.Kid] = &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(exponent.Int64())}
	}
	return keys, nil
}
