// Package site is the kernel of the web platform: the routes' table and who may
// use a route, cookies, error pages, uploads, and the studies that the site
// hosts. The rooms (take, setup, watch, analyse, accounts) hold the
// pages, by who uses them.
//
// Only POST requests change anything, and what the next page needs is prepared
// by the request before it, so that a page can be loaded as often as one likes.
package site

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/singleflight"

	"overton/internal/store"
	"overton/templates"
)

// CookieLife is how long a browser is remembered, and how old a form may be.
const CookieLife = 30 * 24 * time.Hour

// Config is what the site needs from outside.
type Config struct {
	Store *store.Store
	Log   *slog.Logger
	Now   func() time.Time

	// BaseURL is where people reach the site, such as
	// https://example.org/studies; nil if only by the address it listens on.
	// Its scheme decides about secure cookies, its path is put before all links.
	BaseURL *url.URL

	// TrustProxy believes X-Forwarded-Proto and, from a proxy on a private
	// address, X-Forwarded-For.
	TrustProxy bool

	// Runs is the folder that holds run folders of language models; "" for none.
	Runs string

	// ProlificKeys is where the keys of signed links are; "" for Prolific's own address.
	ProlificKeys string

	// Patience is how long a page waits for numbers before it shows older ones,
	// or none; 0 for 200 ms. Only the first look at a large study after a start
	// takes longer.
	Patience time.Duration
}

// Site is the kernel that all rooms share: the store, the clock and the log,
// and how a request becomes a page.
type Site struct {
	Config
	Base    string // path of BaseURL without a slash at its end; "" at the root
	Cookies *sessions.CookieStore
	Life    context.Context // ends work that outlives its request

	// Bar is what a preview shows above its pages; nil outside of previews.
	Bar func(h *Hosted) *templates.PreviewBar

	// attempts are failed sign-ins and failed tokens.
	Attempts attempts

	origins *http.CrossOriginProtection
	metrics *metrics
	outer   *Site // that a preview belongs to; nil for the real site

	mu    sync.RWMutex
	files map[string]*Prepared // studies read, by hash

	reading singleflight.Group                         // of studies that are being parsed, by hash
	prepare func(map[string][]byte) (*Prepared, error) // parses
}

// New builds the kernel. What it works on after a request has ended, such as
// an analysis, stops when ctx ends.
func New(ctx context.Context, config Config) (*Site, error) {
	s := &Site{Config: config, origins: http.NewCrossOriginProtection(), metrics: newMetrics(),
		prepare: prepare, files: map[string]*Prepared{}, Life: ctx}
	if b := s.BaseURL; b != nil {
		s.Base = strings.TrimRight(b.Path, "/")
		if err := s.origins.AddTrustedOrigin(b.Scheme + "://" + b.Host); err != nil {
			return nil, fmt.Errorf("base URL %s: %w", b, err)
		}
	}
	sign, err := s.Store.Secret(ctx, "cookie-signature", 64)
	if err != nil {
		return nil, err
	}
	encrypt, err := s.Store.Secret(ctx, "cookie-encryption", 32)
	if err != nil {
		return nil, err
	}
	s.Cookies = sessions.NewCookieStore(sign, encrypt)
	s.Cookies.MaxAge(int(CookieLife.Seconds()))
	return s, nil
}

// Within is a site of one study on a store of its own, whose pages are below a
// path of this one. Its cookies are unreadable to every other site.
func (s *Site) Within(path string, db *store.Store, of *Prepared, life time.Duration) *Site {
	inner := &Site{Config: s.Config, Base: s.Base + path, origins: s.origins, metrics: s.metrics,
		prepare: prepare, files: map[string]*Prepared{of.Hash: of}, Life: s.Life, outer: s}
	inner.Store, inner.BaseURL = db, nil
	inner.Cookies = sessions.NewCookieStore(securecookie.GenerateRandomKey(64), securecookie.GenerateRandomKey(32))
	inner.Cookies.MaxAge(int(life.Seconds()))
	return inner
}

// Handler serves a table of routes behind the middleware.
func (s *Site) Handler(routes []Route) http.Handler {
	e := s.router()
	if s.TrustProxy {
		e.IPExtractor = echo.ExtractIPFromXFFHeader()
	}
	e.Pre(s.belowBase)
	e.Use(s.identify, s.protect)
	for _, r := range append(routes, s.operations()...) {
		methods := []string{r.Method}
		if r.Method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
		e.Match(methods, r.Path, s.guard(r.Role, r.Handler))
	}
	return e
}

// Inner serves a table of routes to requests that another site's middleware
// has let through.
func (s *Site) Inner(routes []Route) http.Handler {
	e := s.router()
	for _, r := range append(routes, s.assets()) {
		e.Add(r.Method, r.Path, s.guard(r.Role, r.Handler))
	}
	return e
}

func (s *Site) router() *echo.Echo {
	e := echo.New()
	e.HTTPErrorHandler = func(err error, c echo.Context) { s.fail(c, err) }
	return e
}

// Show renders a page whole before anything of it is sent.
func (s *Site) Show(c echo.Context, status int, page templ.Component) error {
	var b bytes.Buffer
	if err := page.Render(c.Request().Context(), &b); err != nil {
		return fmt.Errorf("rendering a page: %w", err)
	}
	return c.HTMLBlob(status, b.Bytes())
}

// To sends the browser to another page of the site. The page's script asks
// with a header of its own and goes there itself.
func (s *Site) To(c echo.Context, path string) error {
	if c.Request().Header.Get("Overton-Script") != "" {
		c.Response().Header().Set("Overton-Location", s.Base+path)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, s.Base+path)
}

// Secure says whether the browser talks to the site over https.
func (s *Site) Secure(r *http.Request) bool {
	switch {
	case s.outer != nil:
		return s.outer.Secure(r)
	case s.BaseURL != nil:
		return s.BaseURL.Scheme == "https"
	case s.TrustProxy:
		return strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
	}
	return r.TLS != nil
}

// Origin is how the world reaches the site, without a slash at the end.
func (s *Site) Origin(r *http.Request) string {
	if s.BaseURL != nil {
		return s.BaseURL.Scheme + "://" + s.BaseURL.Host + s.Base
	}
	scheme := "http"
	if s.Secure(r) {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
