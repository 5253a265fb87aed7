package accounts

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	pages "overton/templates/accounts"
	"overton/web/site"
)

// tokenLives are the days for which an access token can be made.
var tokenLives = []int{30, 90, 365}

// longestTokenName bounds the name of an access token, in characters.
const longestTokenName = 60

func (s *Room) ownAccount(c echo.Context) error {
	return s.accountPage(c, http.StatusOK, pages.AccountPage{})
}

// accountPage shows somebody their own account. page holds what making a token
// left to say.
func (s *Room) accountPage(c echo.Context, status int, page pages.AccountPage) error {
	ctx := c.Request().Context()
	account := site.AccountOf(c)
	page.Admin = s.AdminFrame(c, "Your account")
	page.Here, page.Wrong = "account", page.Problem != ""
	page.Password, page.Lives, page.Origin = account.Password != "", tokenLives, s.Origin(c.Request())
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
			page.Studies = append(page.Studies, pages.MembershipLine{Title: row.Title, Slug: row.Slug, Role: role})
			delete(roles, row.Slug) // one line for all versions
		}
	}
	cookie, err := c.Cookie(s.AccountCookieName(c.Request()))
	if err != nil {
		return err
	}
	signIns, err := s.Store.SignIns(ctx, account.ID, cookie.Value)
	if err != nil {
		return err
	}
	for _, i := range signIns {
		page.SignIns = append(page.SignIns, pages.SignInLine{Since: site.Moment(i.Created), Until: site.Moment(i.Expires), Here: i.Here})
	}
	tokens, err := s.Store.AccessTokens(ctx, account.ID)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		page.Tokens = append(page.Tokens, pages.TokenLine{
			ID: t.ID, Name: t.Name, Created: site.Moment(t.Created), Expires: site.Moment(t.Expires), Used: site.Moment(t.UsedAt), Over: t.Expires <= s.Now().UnixMilli(),
		})
	}
	return s.Show(c, status, pages.Account(page))
}

// createToken makes an access token and shows it, this once.
func (s *Room) createToken(c echo.Context) error {
	page := pages.AccountPage{Name: strings.TrimSpace(c.FormValue("name"))}
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
	token, err := s.Store.NewAccessToken(c.Request().Context(), site.AccountOf(c).ID, page.Name, time.Duration(days)*24*time.Hour)
	if err != nil {
		return err
	}
	return s.accountPage(c, http.StatusOK, pages.AccountPage{Token: token, TokenName: page.Name})
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
