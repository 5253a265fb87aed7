package site

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// MaxBody is the largest request accepted, in bytes: more than the longest
// text that an answer may have, with every character written as %XX.
const MaxBody = 256 << 10

const (
	RequestKey = "request" // the request's id, for the log and for error pages
	brokenKey  = "broken"  // set where an error came after the answer had begun
)

// belowBase takes the path that the site is mounted at off a request, whether
// or not the proxy in front has done so already, and a slash at the end.
func (s *Site) belowBase(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		u := c.Request().URL
		if rest, ok := strings.CutPrefix(u.Path, s.Base); ok && (rest == "" || rest[0] == '/') {
			u.Path = rest
		}
		u.Path, u.RawPath = "/"+strings.Trim(u.Path, "/"), ""
		return next(c)
	}
}

// identify gives each request an id, turns a panic into an error page and
// writes one line of log. The line names the route's pattern and never the
// path, the query or an id out of them: those would tell who took part.
func (s *Site) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		began := time.Now()
		id := rand.Text()[:12]
		c.Set(RequestKey, id)
		c.Response().Header().Set("X-Request-Id", id)
		if err := recovered(next, c); err != nil {
			s.fail(c, err)
		}
		took := time.Since(began)
		s.metrics.observe(c, took)
		s.Log.Info("request", "id", id, "method", methodOf(c.Request()), "route", c.Path(),
			"status", c.Response().Status, "bytes", c.Response().Size, "ms", took.Milliseconds())
		if c.Get(brokenKey) != nil {
			panic(http.ErrAbortHandler) // closes the connection, so that nobody takes what was sent for whole
		}
		return nil
	}
}

func recovered(next echo.HandlerFunc, c echo.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return next(c)
}

// contentPolicy allows our own style sheet, script, images and forms, and
// nothing else.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// protect sets the headers that limit what a page may do, refuses what other
// sites send in a participant's name, and bounds the body.
func (s *Site) protect(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, h := c.Request(), c.Response().Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()")
		if s.Secure(r) {
			h.Set("Strict-Transport-Security", "max-age=31536000") // a year
		}
		h.Set("Cache-Control", "no-store")
		if err := s.origins.Check(r); err != nil {
			return &Refusal{Status: http.StatusForbidden, Name: "forbidden"}
		}
		most := int64(MaxBody)
		if IsAdmin(r) && strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") { // read only once the sender is known
			most = MaxUpload
		}
		r.Body = http.MaxBytesReader(c.Response(), r.Body, most)
		if err := r.ParseForm(); err != nil && r.Method == http.MethodPost {
			var large *http.MaxBytesError
			if errors.As(err, &large) {
				return &Refusal{Status: http.StatusRequestEntityTooLarge, Name: "too_large"}
			}
			return &Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
		}
		return next(c)
	}
}
