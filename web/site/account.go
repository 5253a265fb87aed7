package site

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
)

// accountCookie holds a sign-in's token. A study's slug has no underscore, so
// no participant's cookie is called the same.
const accountCookie = "overton_admin"

// SignInLife is how long a sign-in lasts.
const SignInLife = 7 * 24 * time.Hour

const (
	accountKey  = "account"  // with the role that counts for the request
	siteRoleKey = "siteRole" // the account's role on the whole server
)

// AdminRoles are the roles of accounts. Each may do what those before it may.
var AdminRoles = map[string]Role{
	"member": Member, "viewer": Viewer, "moderator": Moderator, "researcher": Researcher, "admin": Admin,
}

// Allows says whether an account's role has the rights of another.
func Allows(held string, needed Role) bool { return AdminRoles[held] >= needed }

// guardAccount lets a request through if its sender is signed in with the role
// or a higher one. A study that somebody has no role on is to them as one that
// is not there.
func (s *Site) guardAccount(needed Role, handler echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		account, err := s.sender(c)
		switch {
		case errors.Is(err, store.ErrNotFound) && c.Request().Method == http.MethodPost:
			return s.To(c, "/admin/sign-in")
		case errors.Is(err, store.ErrNotFound):
			return s.To(c, "/admin/sign-in?"+url.Values{"to": {c.Request().URL.Path}}.Encode())
		case err != nil:
			return err
		}
		c.Set(siteRoleKey, account.Role)
		slug := SlugOf(c)
		if slug != "" {
			here, err := s.Store.MemberRole(c.Request().Context(), slug, account.ID)
			if err != nil {
				return err
			}
			if AdminRoles[here] > AdminRoles[account.Role] {
				account.Role = here
			}
		}
		c.Set(accountKey, account)
		switch held := AdminRoles[account.Role]; {
		case slug != "" && held < Viewer:
			return &Refusal{Status: http.StatusNotFound, Name: "unknown_study"}
		case held < needed:
			return &Refusal{Status: http.StatusForbidden, Name: "role"}
		}
		return handler(c)
	}
}

// SlugOf is the slug of the study that an admin page is about, whichever of its
// versions.
func SlugOf(c echo.Context) string {
	slug, _, _ := strings.Cut(c.Param("slug"), "@")
	return slug
}

// sender is the account that a request is from: by its token, or signed in.
func (s *Site) sender(c echo.Context) (store.Account, error) {
	if given := c.Request().Header.Get(echo.HeaderAuthorization); given != "" {
		return s.byToken(c, given)
	}
	return s.SignedIn(c)
}

// SignedIn returns the account that a request is from.
func (s *Site) SignedIn(c echo.Context) (store.Account, error) {
	cookie, err := c.Cookie(s.AccountCookieName(c.Request()))
	if err != nil {
		return store.Account{}, store.ErrNotFound
	}
	return s.Store.SignedIn(c.Request().Context(), cookie.Value)
}

// AccountOf is the account that guardAccount has let through.
func AccountOf(c echo.Context) store.Account { return c.Get(accountKey).(store.Account) }

// ActorOf is that account, as the store's log names it.
func ActorOf(c echo.Context) store.Actor { return store.Actor(AccountOf(c).ID) }

// AccountCookieName is the name of the cookie that holds a sign-in.
func (s *Site) AccountCookieName(r *http.Request) string {
	if s.Secure(r) {
		return "__Host-" + accountCookie
	}
	return accountCookie
}

// SetAccountCookie sends a sign-in's token to the browser; an empty one takes
// the cookie away.
func (s *Site) SetAccountCookie(c echo.Context, token string) {
	life := int(SignInLife.Seconds())
	if token == "" {
		life = -1
	}
	c.SetCookie(&http.Cookie{
		Name: s.AccountCookieName(c.Request()), Value: token, Path: "/", MaxAge: life,
		HttpOnly: true, Secure: s.Secure(c.Request()), SameSite: http.SameSiteLaxMode,
	})
}

// IsAdmin says whether a request is for a page behind the sign-in.
func IsAdmin(r *http.Request) bool {
	return r.URL.Path == "/admin" || strings.HasPrefix(r.URL.Path, "/admin/")
}

// byToken finds the account of an Authorization header. A token opens files
// only: it is for scripts that download.
func (s *Site) byToken(c echo.Context, header string) (store.Account, error) {
	limits := map[string]int{"token " + c.RealIP(): AttemptsPerClient}
	if !s.Attempts.Try(s.Now(), limits) {
		c.Response().Header().Set("Retry-After", "900")
		return store.Account{}, &Refusal{Status: http.StatusTooManyRequests, Name: "slow_down"}
	}
	kind, token, _ := strings.Cut(header, " ")
	account, err := s.Store.ByAccessToken(c.Request().Context(), strings.TrimSpace(token))
	switch {
	case errors.Is(err, store.ErrNotFound) || !strings.EqualFold(kind, "Bearer"):
		c.Response().Header().Set(echo.HeaderWWWAuthenticate, `Bearer realm="overton"`)
		return store.Account{}, &Refusal{Status: http.StatusUnauthorized, Name: "token"}
	case err != nil:
		return store.Account{}, err
	}
	s.Attempts.Forgive(limits)
	if method := c.Request().Method; method != http.MethodGet && method != http.MethodHead || !isFile(c.Path()) {
		return store.Account{}, &Refusal{Status: http.StatusForbidden, Name: "token_use"}
	}
	return account, nil
}

// isFile says whether a route answers with a file. Such routes are named like
// one, data.zip or :file.
func isFile(route string) bool {
	last := route[strings.LastIndexByte(route, '/')+1:]
	return strings.Contains(last, ".") || last == ":file"
}

// Downloaded notes that somebody takes a file away. studyID is 0 for one of no
// study.
func (s *Site) Downloaded(c echo.Context, studyID int64, file string) error {
	if c.Request().Method == http.MethodHead {
		return nil
	}
	return s.Store.Note(c.Request().Context(), ActorOf(c), studyID, store.DataDownloaded, file)
}
