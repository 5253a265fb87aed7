package accounts

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/password"
	"overton/internal/store"
	"overton/templates"
	pages "overton/templates/accounts"
	"overton/web/site"
)

// longestAddress bounds an email address, in bytes (RFC 5321).
const longestAddress = 254

// hashingWait is how long a sign-in waits for its turn.
const hashingWait = 10 * time.Second

func (s *Room) askToSignIn(c echo.Context) error {
	if _, err := s.SignedIn(c); err == nil {
		return s.To(c, safePath(c.QueryParam("to")))
	}
	page := pages.SignInPage{Admin: s.AdminFrame(c, "Sign in"), To: c.QueryParam("to")}
	return s.Show(c, http.StatusOK, pages.SignIn(page))
}

// signIn checks an address and a password. A wrong address takes as long as a
// wrong password, and the answer does not tell them apart.
func (s *Room) signIn(c echo.Context) error {
	email, given := strings.TrimSpace(c.FormValue("email")), c.FormValue("password")
	email = email[:min(len(email), longestAddress)]
	again := func(status int, problem string) error {
		page := pages.SignInPage{Admin: s.AdminFrame(c, "Sign in"), Email: email, To: c.FormValue("to"), Problem: problem}
		page.Wrong = true
		return s.Show(c, status, pages.SignIn(page))
	}
	limits := map[string]int{
		"address " + strings.ToLower(email): site.AttemptsPerAddress,
		"client " + c.RealIP():              site.AttemptsPerClient,
	}
	if !s.Attempts.Try(s.Now(), limits) {
		c.Response().Header().Set("Retry-After", "900")
		return again(http.StatusTooManyRequests, "Too many attempts. Try again in 15 minutes, or ask an admin for a link.")
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
		s.Attempts.Forgive(limits)
		return again(http.StatusServiceUnavailable, "Many people are signing in at the moment. Try again shortly.")
	case err != nil:
		return err
	case !ok: // what was typed is not noted: it may be a password in the wrong field
		if err := s.Store.Note(ctx, store.Actor(account.ID), 0, store.SignInFailed, ""); err != nil {
			return err
		}
		return again(http.StatusUnprocessableEntity, "The email address or the password is not right.")
	}
	s.Attempts.Forgive(limits)
	return s.enter(c, account, safePath(c.FormValue("to")))
}

// enter opens a sign-in and goes on to a path.
func (s *Room) enter(c echo.Context, account store.Account, path string) error {
	token, err := s.Store.SignIn(c.Request().Context(), account.ID, site.SignInLife)
	if err != nil {
		return err
	}
	s.SetAccountCookie(c, token)
	return s.To(c, path)
}

// safePath accepts a path of the admin pages, and nothing that leads elsewhere.
func safePath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !site.IsAdmin(&http.Request{URL: u}) || strings.Contains(path, "\\") {
		return "/admin"
	}
	if u.RawQuery != "" {
		return u.EscapedPath() + "?" + u.RawQuery
	}
	return u.EscapedPath()
}

func (s *Room) signOut(c echo.Context) error {
	if cookie, err := c.Cookie(s.AccountCookieName(c.Request())); err == nil {
		if err := s.Store.SignOut(c.Request().Context(), cookie.Value); err != nil {
			return err
		}
	}
	s.SetAccountCookie(c, "")
	return s.To(c, "/admin/sign-in")
}

// showLink does not look at the link, so opening it tells nothing and does not use
// it up.
func (s *Room) showLink(c echo.Context) error {
	return s.Show(c, http.StatusOK, pages.SignInLink(s.AdminFrame(c, "Sign in by link"),
		s.Base+"/admin/link/"+url.PathEscape(c.Param("token")), c.QueryParam("to")))
}

// followLink signs in by a link. People without a password are asked to set one,
// unless the link leads somewhere.
func (s *Room) followLink(c echo.Context) error {
	account, err := s.Store.UseLink(c.Request().Context(), c.Param("token"))
	if errors.Is(err, store.ErrNotFound) {
		return &site.Refusal{Status: http.StatusNotFound, Name: "link"}
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

func (s *Room) passwordPage(c echo.Context, status int, problem string) error {
	account := site.AccountOf(c)
	title := "Set a password"
	if account.Password != "" {
		title = "Change your password"
	}
	page := pages.PasswordPage{Admin: s.AdminFrame(c, title), Current: account.Password != "",
		Problem: problem, To: c.FormValue("to")}
	page.Here, page.Wrong = "account", problem != ""
	return s.Show(c, status, pages.Password(page))
}

func (s *Room) askForPassword(c echo.Context) error { return s.passwordPage(c, http.StatusOK, "") }

// setPassword sets a password. It asks for the current one, if there is one, so
// that a browser left signed in does not give the account away.
func (s *Room) setPassword(c echo.Context) error {
	account := site.AccountOf(c)
	fresh := c.FormValue("new")
	ctx, cancel := context.WithTimeout(c.Request().Context(), hashingWait)
	defer cancel()
	if account.Password != "" {
		limits := map[string]int{"address " + strings.ToLower(account.Email): site.AttemptsPerAddress}
		if !s.Attempts.Try(s.Now(), limits) {
			return s.passwordPage(c, http.StatusTooManyRequests, "Too many attempts. Try again in 15 minutes.")
		}
		ok, err := password.Check(ctx, account.Password, c.FormValue("current"))
		if err != nil {
			return err
		}
		if !ok {
			return s.passwordPage(c, http.StatusUnprocessableEntity, "The current password is not right.")
		}
		s.Attempts.Forgive(limits)
	}
	if err := password.Acceptable(fresh); err != nil {
		return s.passwordPage(c, http.StatusUnprocessableEntity, templates.Sentence(err.Error()))
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
