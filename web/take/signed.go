package take

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

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
	keyTimeout  = 10 * time.Second // of a fetch
	keyPause    = time.Minute      // between two fetches for unknown keys, whatever links claim
	keyWait     = 5 * time.Second  // of a link with an unknown key, for another fetch
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
		keys, err := s.signingKeys()
		if err != nil {
			return nil, err
		}
		return keys.KeyfuncCtx(context.WithoutCancel(r.Context()))(t)
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
	for name, value := range map[string]string{
		names.Participant: a.Participant, names.Study: a.Study, names.Submission: a.Submission,
	} {
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

// errNoKeys is that the keys could not be fetched, and none is known.
var errNoKeys = errors.New("no keys to check signed links with")

// signingKeys finds the keys of signed links. They are fetched with the first
// such link, so that a server without signed links never asks Prolific; then
// once a day in the background, and when a link names an unknown key. As long
// as there are none, each arrival asks for itself and none waits for another.
func (s *Room) signingKeys() (keyfunc.Keyfunc, error) {
	if known := s.keys.Load(); known != nil {
		return *known, nil
	}
	kept, firstMayFail := false, false
	ctx, stop := context.WithCancel(s.Life)
	defer func() {
		if !kept {
			stop()
		}
	}()
	keys, err := keyfunc.NewDefaultOverrideCtx(ctx, []string{cmp.Or(s.ProlificKeys, ProlificKeys)}, keyfunc.Override{
		HTTPTimeout: keyTimeout, RefreshInterval: keyLife, NoErrorReturnFirstHTTPReq: &firstMayFail,
		RefreshUnknownKID: rate.NewLimiter(rate.Every(keyPause), 1), RateLimitWaitMax: keyWait,
		RefreshErrorHandlerFunc: func(string) func(context.Context, error) {
			return func(_ context.Context, err error) {
				s.Log.Warn("fetching the keys of signed links again", "error", err)
			}
		},
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoKeys, err)
	}
	if kept = s.keys.CompareAndSwap(nil, &keys); !kept { // another arrival was faster
		keys = *s.keys.Load()
	}
	return keys, nil
}
