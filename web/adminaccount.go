package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/templates"
)

// tokenLives are the days for which an access token can be made.
var tokenLives = []int{30, 90, 365}

// longestTokenName bounds the name of an access token, in characters.
const longestTokenName = 60

// byToken finds the account of an Authorization header. A token opens files
// only: it is for scripts that download.
func (s *site) byToken(c echo.Context, header string) (store.Account, error) {
	limits := map[string]int{"token " + c.RealIP(): attemptsPerClient}
	if !s.attempts.try(s.Now(), limits) {
		c.Response().Header().Set("Retry-After", "900")
		return store.Account{}, &refusal{status: http.StatusTooManyRequests, name: "slow_down"}
	}
	kind, token, _ := strings.Cut(header, " ")
	account, err := s.Store.ByAccessToken(c.Request().Context(), strings.TrimSpace(token))
	switch {
	case errors.Is(err, store.ErrNotFound) || !strings.EqualFold(kind, "Bearer"):
		c.Response().Header().Set(echo.HeaderWWWAuthenticate, `Bearer realm="overton"`)
		return store.Account{}, &refusal{status: http.StatusUnauthorized, name: "token"}
	case err != nil:
		return store.Account{}, err
	}
	s.attempts.forgive(limits)
	if method := c.Request().Method; method != http.MethodGet && method != http.MethodHead || !isFile(c.Path()) {
		return store.Account{}, &refusal{status: http.StatusForbidden, name: "token_use"}
	}
	return account, nil
}

// isFile says whether a route answers with a file. Such routes are named like
// one, data.zip or :file.
func isFile(route string) bool {
	last := route[strings.LastIndexByte(route, '/')+1:]
	return strings.Contains(last, ".") || last == ":file"
}

func (s *site) ownAccount(c echo.Context) error {
	return s.accountPage(c, http.StatusOK, templates.AccountPage{})
}

// accountPage shows somebody their own account. page holds what making a token
// left to say.
func (s *site) accountPage(c echo.Context, status int, page templates.AccountPage) error {
	ctx := c.Request().Context()
	account := accountOf(c)
	page.Admin = s.adminFrame(c, "Your account")
	page.Here, page.Wrong = "account", page.Problem != ""
	page.Password, page.Lives, page.Origin = account.Password != "", tokenLives, s.origin(c.Request())
	roles, err := s.Store.Memberships(ctx, account.ID)
	if err != nil {
		return err
	}
	rows, err := s.Store.Studies(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if role, ok := roles[row.Slug]; ok {
			page.Studies = append(page.Studies, templates.MembershipLine{Title: row.Title, Slug: row.Slug, Role: role})
			delete(roles, row.Slug) // one line for all versions
		}
	}
	cookie, err := c.Cookie(s.accountCookieName(c.Request()))
	if err != nil {
		return err
	}
	signIns, err := s.Store.SignIns(ctx, account.ID, cookie.Value)
	if err != nil {
		return err
	}
	for _, i := range signIns {
		page.SignIns = append(page.SignIns, templates.SignInLine{Since: moment(i.Created), Until: moment(i.Expires), Here: i.Here})
	}
	tokens, err := s.Store.AccessTokens(ctx, account.ID)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		page.Tokens = append(page.Tokens, templates.TokenLine{
			ID: t.ID, Name: t.Name, Created: moment(t.Created), Expires: moment(t.Expires), Used: moment(t.UsedAt), Over: t.Expires <= s.Now().UnixMilli(),
		})
	}
	return s.show(c, status, templates.Account(page))
}

// createToken makes an access token and shows it, this once.
func (s *site) createToken(c echo.Context) error {
	page := templates.AccountPage{Name: strings.TrimSpace(c.FormValue("name"))}
	days, _ := strconv.Atoi(c.FormValue("days"))
	switch {
	case page.Name == "" || len([]rune(page.Name)) > longestTokenName:
		page.Problem = "Give the token a name of at most " + strconv.Itoa(longestTokenName) + " characters, by which you will know it."
	case days < 1 || days > tokenLives[len(tokenLives)-1]:
		page.Problem = "Choose for how long the token works."
	}
	if page.Problem != "" {
		return s.accountPage(c, http.StatusUnprocessableEntity, page)
	}
	token, err := s.Store.NewAccessToken(c.Request().Context(), accountOf(c).ID, page.Name, time.Duration(days)*24*time.Hour)
	if err != nil {
		return err
	}
	return s.accountPage(c, http.StatusOK, templates.AccountPage{Token: token, TokenName: page.Name})
}

func (s *site) revokeToken(c echo.Context) error {
	id, err := strconv.ParseInt(c.FormValue("token"), 10, 64)
	if err != nil {
		return &refusal{status: http.StatusBadRequest, name: "bad_request"}
	}
	if err := s.Store.RevokeAccessToken(c.Request().Context(), accountOf(c).ID, id); err != nil {
		return err
	}
	return s.to(c, "/admin/account")
}

func (s *site) endSignIns(c echo.Context) error {
	cookie, err := c.Cookie(s.accountCookieName(c.Request()))
	if err != nil {
		return err
	}
	if err := s.Store.EndOtherSignIns(c.Request().Context(), accountOf(c).ID, cookie.Value); err != nil {
		return err
	}
	return s.to(c, "/admin/account")
}
