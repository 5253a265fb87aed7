// Package web is the site: routes, who may use them, cookies, and handlers
// that parse a request, call the store and show a page. What a page looks like
// is in templates; what happens next in a study is decided in study.
//
// Only POST requests change anything, and what the next page needs is prepared
// by the request before it, so that a page can be loaded as often as one likes.
package web

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/singleflight"

	"overton/internal/jobs"
	"overton/internal/store"
	"overton/templates"
	"overton/templates/catalogue"
)

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

	// ProlificKeys is where the keys of signed links are; "" for ProlificKeys.
	ProlificKeys string
}

// site is the state that all requests share.
type site struct {
	Config
	base    string // path of BaseURL without a slash at its end; "" at the root
	cookies *sessions.CookieStore
	origins *http.CrossOriginProtection
	metrics *metrics

	mu    sync.RWMutex
	files map[string]*prepared // studies read, by hash

	reading singleflight.Group                         // of studies that are being parsed, by hash
	prepare func(map[string][]byte) (*prepared, error) // parses

	keys     keyring  // of signed links
	attempts attempts // to sign in
	watches  watches
	jobs     *jobs.Queue          // what is computed in the background
	kinds    map[string]jobs.Work // how
	glances  glances
	life     context.Context // ends work that outlives its request

	previews previews
	preview  *preview                 // that this site is; nil for the real one
	isSecure func(*http.Request) bool // of a preview: as the site around it says
}

// New builds the site. What it works on after a request has ended, such as an
// analysis, stops when ctx ends.
func New(ctx context.Context, config Config) (http.Handler, error) {
	s, err := openSite(ctx, config)
	if err != nil {
		return nil, err
	}
	return s.handler(s.routes()), nil
}

func openSite(ctx context.Context, config Config) (*site, error) {
	s := &site{Config: config, origins: http.NewCrossOriginProtection(), metrics: newMetrics(), prepare: prepare, files: map[string]*prepared{}, watches: watches{byStudy: map[int64]*watch{}}, life: ctx}
	s.keys.url = cmp.Or(config.ProlificKeys, ProlificKeys)
	if b := s.BaseURL; b != nil {
		s.base = strings.TrimRight(b.Path, "/")
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
	context.AfterFunc(ctx, func() {
		if err := s.previews.closeAll(); err != nil {
			s.Log.Error("closing the previews", "error", err)
		}
	})
	s.cookies = sessions.NewCookieStore(sign, encrypt)
	s.cookies.MaxAge(int(cookieLife.Seconds()))
	s.kinds = s.works()
	if s.jobs, err = jobs.New(ctx, s.Store, s.Log, s.Now, s.kinds); err != nil {
		return nil, err
	}
	return s, nil
}

// handler registers a table of routes behind the middleware.
func (s *site) handler(routes []route) http.Handler {
	e := echo.New()
	e.HTTPErrorHandler = func(err error, c echo.Context) { s.fail(c, err) }
	if s.TrustProxy {
		e.IPExtractor = echo.ExtractIPFromXFFHeader()
	}
	e.Pre(s.belowBase)
	e.Use(s.identify, s.protect)
	for _, r := range routes {
		methods := []string{r.method}
		if r.method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
		e.Match(methods, r.path, s.guard(r.role, r.handler))
	}
	return e
}

// show renders a page whole before anything of it is sent.
func (s *site) show(c echo.Context, status int, page templ.Component) error {
	var b bytes.Buffer
	if err := page.Render(c.Request().Context(), &b); err != nil {
		return fmt.Errorf("rendering a page: %w", err)
	}
	return c.HTMLBlob(status, b.Bytes())
}

// to sends the browser to another page of the site. The page's script asks
// with a header of its own and goes there itself.
func (s *site) to(c echo.Context, path string) error {
	if c.Request().Header.Get("Overton-Script") != "" {
		c.Response().Header().Set("Overton-Location", s.base+path)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, s.base+path)
}

// frame is what stands around a page outside any study.
func (s *site) frame(title string) templates.Frame {
	return templates.Frame{Words: catalogue.For("en"), Base: s.base, Title: title}
}

// secure says whether the browser talks to the site over https.
func (s *site) secure(r *http.Request) bool {
	switch {
	case s.isSecure != nil:
		return s.isSecure(r)
	case s.BaseURL != nil:
		return s.BaseURL.Scheme == "https"
	case s.TrustProxy:
		return r.Header.Get("X-Forwarded-Proto") == "https"
	}
	return r.TLS != nil
}
