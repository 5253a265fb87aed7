package accounts

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	pages "overton/templates/accounts"
	"overton/web/site"
)

// tokenLives are for how many days an access token can work.
var tokenLives = []int{30, 90, 365}

// longestTokenName bounds the name of an access token, in characters.
const longestTokenName = 60

func (s *Room) ownAccount(c echo.Context) error {
	return s.accountPage(c, http.StatusOK, pages.NewToken{})
}

// accountPage shows people their own account.
func (s *Room) accountPage(c echo.Context, status int, token pages.NewToken) error {
	ctx := c.Request().Context()
	account := site.AccountOf(c)
	page := pages.AccountPage{Admin: s.AdminFrame(c, "Your account"), Account: account, NewToken: token, Now: s.Now(),
		Origin: s.Origin(c.Request())}
	page.Here, page.Wrong, page.NewToken.Lives = "account", token.Problem != "", tokenLives
	var err error
	if page.Roles, err = s.Store.Memberships(ctx, account.ID); err != nil {
		return err
	}
	if page.Studies, err = s.Store.Studies(ctx); err != nil {
		return err
	}
	listed := map[string]bool{} // one line for all versions
	page.Studies = slices.DeleteFunc(page.Studies, func(row store.Study) bool {
		skip := page.Roles[row.Slug] == "" || listed[row.Slug]
		listed[row.Slug] = true
		return skip
	})
	cookie, err := c.Cookie(s.AccountCookieName(c.Request()))
	if err != nil {
		return err
	}
	if page.SignIns, err = s.Store.SignIns(ctx, account.ID, cookie.Value); err != nil {
		return err
	}
	if page.Tokens, err = s.Store.AccessTokens(ctx, account.ID); err != nil {
		return err
	}
	return s.Show(c, status, pages.Account(page))
}

// createToken makes an access token and shows it, this once.
func (s *Room) createToken(c echo.Context) error {
	form := pages.NewToken{Name: strings.TrimSpace(c.FormValue("name"))}
	days, _ := strconv.Atoi(c.FormValue("days"))
	switch {
	case form.Name == "" || len([]rune(form.Name)) > longestTokenName:
		form.Problem = fmt.Sprintf(
			"Give the token a name of up to %d characters, such as “nightly backup”.", longestTokenName)
	case days < 1 || days > tokenLives[len(tokenLives)-1]:
		form.Problem = "Choose how long the token works."
	}
	if form.Problem != "" {
		return s.accountPage(c, http.StatusUnprocessableEntity, form)
	}
	var err error
	life := time.Duration(days) * 24 * time.Hour
	form.Token, err = s.Store.NewAccessToken(c.Request().Context(), site.AccountOf(c).ID, form.Name, life)
	if err != nil {
		return err
	}
	return s.accountPage(c, http.StatusOK, form)
}

func (s *Room) revokeToken(c echo.Context) error {
	id, err := strconv.ParseInt(c.FormValue("token"), 10, 64)
	if err != nil {
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	}
	if err := s.Store.RevokeAccessToken(c.Request().Context(), site.AccountOf(c).ID, id); err != nil {
		return err
	}
	return s.To(c, "/admin/account")
}

func (s *Room) endSignIns(c echo.Context) error {
	cookie, err := c.Cookie(s.AccountCookieName(c.Request()))
	if err != nil {
		return err
	}
	if err := s.Store.EndOtherSignIns(c.Request().Context(), site.AccountOf(c).ID, cookie.Value); err != nil {
		return err
	}
	return s.To(c, "/admin/account")
}
