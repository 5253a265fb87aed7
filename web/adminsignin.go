package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"overton/internal/password"
	"overton/internal/store"
	"overton/templates"
)

// Failed sign-ins that are allowed for one address, and from one client,
// within attemptSpan.
const (
	attemptsPerAddress = 10
	attemptsPerClient  = 30
	attemptSpan        = 15 * time.Minute
)

// longestAddress bounds a mail address, in bytes (RFC 5321).
const longestAddress = 254

// hashingWait is how long a sign-in waits for its turn.
const hashingWait = 10 * time.Second

// attempts counts failed sign-ins by address and by client. The zero value is
// ready. A restart forgets them.
type attempts struct {
	mu    sync.Mutex
	since time.Time // start of the span that is counted
	n     map[string]int
}

// try takes an attempt for all of the keys, unless one of them has none left.
// limits are by key.
func (a *attempts) try(now time.Time, limits map[string]int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Sub(a.since) >= attemptSpan {
		a.since, a.n = now, map[string]int{}
	}
	for key, limit := range limits {
		if a.n[key] >= limit {
			return false
		}
	}
	for key := range limits {
		a.n[key]++
	}
	return true
}

// forgive gives an attempt back, after it was none.
func (a *attempts) forgive(limits map[string]int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key := range limits {
		a.n[key] = max(0, a.n[key]-1)
	}
}

func (s *site) askToSignIn(c echo.Context) error {
	if _, err := s.signedIn(c); err == nil {
		return s.to(c, safePath(c.QueryParam("to")))
	}
	return s.show(c, http.StatusOK, templates.SignIn(templates.SignInPage{Admin: s.adminFrame(c, "Sign in"), To: c.QueryParam("to")}))
}

// signIn checks an address and a password. A wrong address takes as long as a
// wrong password, and the answer does not tell them apart.
func (s *site) signIn(c echo.Context) error {
	email, given := strings.TrimSpace(c.FormValue("email")), c.FormValue("password")
	email = email[:min(len(email), longestAddress)]
	again := func(status int, problem string) error {
		page := templates.SignInPage{Admin: s.adminFrame(c, "Sign in"), Email: email, To: c.FormValue("to"), Problem: problem}
		page.Wrong = true
		return s.show(c, status, templates.SignIn(page))
	}
	limits := map[string]int{"address " + strings.ToLower(email): attemptsPerAddress, "client " + c.RealIP(): attemptsPerClient}
	if !s.attempts.try(s.Now(), limits) {
		c.Response().Header().Set("Retry-After", "900")
		return again(http.StatusTooManyRequests, "There were too many attempts. Wait a quarter of an hour, or ask an admin for a link.")
	}
	account, err := s.Store.AccountByEmail(c.Request().Context(), email)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if account.Disabled {
		account.Password = ""
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), hashingWait)
	defer cancel()
	ok, err := password.Check(ctx, account.Password, given)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		s.attempts.forgive(limits)
		return again(http.StatusServiceUnavailable, "Many people are signing in just now. Try again in a moment.")
	case err != nil:
		return err
	case !ok: // what was typed is not noted: it may be a password in the wrong field
		if err := s.Store.Note(ctx, store.Actor(account.ID), 0, store.SignInFailed, ""); err != nil {
			return err
		}
		return again(http.StatusUnprocessableEntity, "The address or the password is not right.")
	}
	s.attempts.forgive(limits)
	return s.enter(c, account, safePath(c.FormValue("to")))
}

// enter opens a sign-in and goes on to a path.
func (s *site) enter(c echo.Context, account store.Account, path string) error {
	token, err := s.Store.SignIn(c.Request().Context(), account.ID, signInLife)
	if err != nil {
		return err
	}
	s.setAccountCookie(c, token)
	return s.to(c, path)
}

// safePath accepts a path of the admin pages, and nothing that leads elsewhere.
func safePath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !isAdmin(&http.Request{URL: u}) || strings.Contains(path, "\\") {
		return "/admin"
	}
	if u.RawQuery != "" {
		return u.EscapedPath() + "?" + u.RawQuery
	}
	return u.EscapedPath()
}

func (s *site) signOut(c echo.Context) error {
	if cookie, err := c.Cookie(s.accountCookieName(c.Request())); err == nil {
		if err := s.Store.SignOut(c.Request().Context(), cookie.Value); err != nil {
			return err
		}
	}
	s.setAccountCookie(c, "")
	return s.to(c, "/admin/sign-in")
}

// showLink does not look at the link: whoever opens it learns nothing and uses
// nothing up.
func (s *site) showLink(c echo.Context) error {
	return s.show(c, http.StatusOK, templates.SignInLink(templates.LinkPage{
		Admin: s.adminFrame(c, "Sign in by link"), Action: s.base + "/admin/link/" + url.PathEscape(c.Param("token")), To: c.QueryParam("to"),
	}))
}

// followLink signs in by a link. Whoever has no password yet is asked to set
// one, unless the link leads somewhere.
func (s *site) followLink(c echo.Context) error {
	account, err := s.Store.UseLink(c.Request().Context(), c.Param("token"))
	if errors.Is(err, store.ErrNotFound) {
		return &refusal{status: http.StatusNotFound, name: "link"}
	}
	if err != nil {
		return err
	}
	to := c.FormValue("to")
	if to == "" && account.Password == "" {
		to = "/admin/password"
	}
	return s.enter(c, account, safePath(to))
}

func (s *site) passwordPage(c echo.Context, status int, problem string) error {
	account := accountOf(c)
	title := "Set a password"
	if account.Password != "" {
		title = "Change your password"
	}
	page := templates.PasswordPage{Admin: s.adminFrame(c, title), Current: account.Password != "", Shortest: password.Shortest, Problem: problem, To: c.FormValue("to")}
	page.Here, page.Wrong = "account", problem != ""
	return s.show(c, status, templates.Password(page))
}

func (s *site) askForPassword(c echo.Context) error { return s.passwordPage(c, http.StatusOK, "") }

// setPassword sets a password; a first one, or one in exchange for the
// current, so that a sign-in left open does not lose the account.
func (s *site) setPassword(c echo.Context) error {
	account := accountOf(c)
	fresh := c.FormValue("new")
	ctx, cancel := context.WithTimeout(c.Request().Context(), hashingWait)
	defer cancel()
	if account.Password != "" {
		limits := map[string]int{"address " + strings.ToLower(account.Email): attemptsPerAddress}
		if !s.attempts.try(s.Now(), limits) {
			return s.passwordPage(c, http.StatusTooManyRequests, "There were too many attempts. Wait a quarter of an hour.")
		}
		ok, err := password.Check(ctx, account.Password, c.FormValue("current"))
		if err != nil {
			return err
		}
		if !ok {
			return s.passwordPage(c, http.StatusUnprocessableEntity, "The current password is not right.")
		}
		s.attempts.forgive(limits)
	}
	if err := password.Acceptable(fresh); err != nil {
		return s.passwordPage(c, http.StatusUnprocessableEntity, sentence(err.Error()))
	}
	if fresh != c.FormValue("again") {
		return s.passwordPage(c, http.StatusUnprocessableEntity, "The two new passwords are not the same.")
	}
	hash, err := password.Hash(ctx, fresh)
	if err != nil {
		return err
	}
	if err := s.Store.SetPassword(c.Request().Context(), account.ID, hash); err != nil {
		return err
	}
	return s.enter(c, account, safePath(c.FormValue("to")))
}

// sentence makes a sentence of a message that begins small.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}
