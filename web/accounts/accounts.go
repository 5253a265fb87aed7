package accounts

import (
	"errors"
	"net/http"
	"net/mail"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	pages "overton/templates/accounts"
	"overton/web/site"
)

// linkLife is how long a link for a new password waits for its use.
const linkLife = 7 * 24 * time.Hour

var roleLines = []pages.RoleLine{
	{Name: "member", May: "sees only studies with a role of their own there"},
	{Name: "viewer", May: "sees where all studies stand"},
	{Name: "moderator", May: "also accepts and rejects statements"},
	{Name: "researcher", May: "also analyses and downloads data"},
	{Name: "admin", May: "also launches and closes studies, and makes accounts"},
}

const notAnAddress = "That is no mail address. Expected one such as anna@example.org."

func isAddress(text string) bool {
	at, err := mail.ParseAddress(text)
	return err == nil && at.Address == text && len(text) <= longestAddress
}

func (s *Room) accountsPage(c echo.Context) pages.AccountsPage {
	page := pages.AccountsPage{Admin: s.AdminFrame(c, "Accounts"), Roles: roleLines, Days: int(linkLife.Hours() / 24)}
	page.Here = "accounts"
	return page
}

func (s *Room) showAccounts(c echo.Context, status int, page pages.AccountsPage) error {
	accounts, err := s.Store.Accounts(c.Request().Context())
	if err != nil {
		return err
	}
	for _, a := range accounts {
		page.Accounts = append(page.Accounts, pages.AccountLine{
			ID: a.ID, Email: a.Email, Role: a.Role, Disabled: a.Disabled, Password: a.Password != "", Self: a.ID == site.AccountOf(c).ID,
		})
	}
	page.Wrong = page.Problem != ""
	return s.Show(c, status, pages.Accounts(page))
}

func (s *Room) accounts(c echo.Context) error {
	return s.showAccounts(c, http.StatusOK, s.accountsPage(c))
}

// createAccount makes an account and shows the link by which its owner sets a
// password.
func (s *Room) createAccount(c echo.Context) error {
	ctx := c.Request().Context()
	page := s.accountsPage(c)
	page.Email, page.Chosen = strings.TrimSpace(c.FormValue("email")), c.FormValue("role")
	_, known := site.AdminRoles[page.Chosen]
	switch {
	case !isAddress(page.Email):
		page.Problem = notAnAddress
	case !known:
		page.Problem = "Choose a role."
	}
	if page.Problem != "" {
		return s.showAccounts(c, http.StatusUnprocessableEntity, page)
	}
	id, err := s.Store.CreateAccount(ctx, store.Account{Email: page.Email, Role: page.Chosen}, site.ActorOf(c))
	if errors.Is(err, store.ErrConflict) {
		page.Problem = "There is an account for this address already."
		return s.showAccounts(c, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	return s.showLinkFor(c, id, page.Email)
}

// showLinkFor makes a link for an account and shows it.
func (s *Room) showLinkFor(c echo.Context, id int64, email string) error {
	link, err := s.Store.ResetAccount(c.Request().Context(), id, linkLife, site.ActorOf(c))
	if err != nil {
		return err
	}
	page := s.accountsPage(c)
	page.Link, page.LinkFor = s.linkAddress(c, link, ""), email
	return s.showAccounts(c, http.StatusOK, page)
}

// changeAccount shuts an account out, lets it in, gives it another role, or
// makes a new link for it.
func (s *Room) changeAccount(c echo.Context) error {
	ctx := c.Request().Context()
	id, err := strconv.ParseInt(c.FormValue("account"), 10, 64)
	if err != nil {
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	}
	accounts, err := s.Store.Accounts(ctx)
	if err != nil {
		return err
	}
	var email string
	for _, a := range accounts {
		if a.ID == id {
			email = a.Email
		}
	}
	switch change := c.FormValue("change"); {
	case email == "":
		return &site.Refusal{Status: http.StatusNotFound, Name: "not_found"}
	case id == site.AccountOf(c).ID: // nobody shuts themselves out
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	case change == "link":
		return s.showLinkFor(c, id, email)
	case change == "role" && site.Allows(c.FormValue("role"), site.Member):
		err = s.Store.SetRole(ctx, id, c.FormValue("role"), site.ActorOf(c))
	case change == "enable", change == "disable":
		err = s.Store.DisableAccount(ctx, id, change == "disable", site.ActorOf(c))
	default:
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	}
	if err != nil {
		return err
	}
	return s.To(c, "/admin/accounts")
}
