package accounts

import (
	"errors"
	"net/http"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	pages "overton/templates/accounts"
	"overton/web/site"
)

// linkLife is how long a link that sets a password waits to be used.
const linkLife = pages.LinkDays * 24 * time.Hour

func (s *Room) accounts(c echo.Context) error {
	return s.accountsPage(c, http.StatusOK, pages.Typed{}, nil)
}

func (s *Room) accountsPage(c echo.Context, status int, typed pages.Typed, link *pages.Link) error {
	page := pages.AccountsPage{Admin: s.AdminFrame(c, "Accounts"), Self: site.AccountOf(c).ID, Typed: typed, Link: link}
	page.Here, page.Wrong = "accounts", typed.Problem != ""
	var err error
	if page.Accounts, err = s.Store.Accounts(c.Request().Context()); err != nil {
		return err
	}
	return s.Show(c, status, pages.Accounts(page))
}

// typed reads the form that adds an account or a member, for one of the roles
// from the lowest given.
func typed(c echo.Context, lowest site.Role) pages.Typed {
	t := pages.Typed{Email: strings.TrimSpace(c.FormValue("email")), Role: c.FormValue("role")}
	at, err := mail.ParseAddress(t.Email)
	switch {
	case err != nil || at.Address != t.Email || len(t.Email) > longestAddress:
		t.Problem = "Enter an email address, such as name@example.org."
	case !site.Allows(t.Role, lowest):
		t.Problem = "Choose a role."
	}
	return t
}

// createAccount makes an account and shows the link with which its owner sets a
// password.
func (s *Room) createAccount(c echo.Context) error {
	ctx := c.Request().Context()
	form := typed(c, site.Member)
	if form.Problem != "" {
		return s.accountsPage(c, http.StatusUnprocessableEntity, form, nil)
	}
	id, err := s.Store.CreateAccount(ctx, store.Account{Email: form.Email, Role: form.Role}, site.ActorOf(c))
	if errors.Is(err, store.ErrConflict) {
		form.Problem = "An account with this email address already exists."
		return s.accountsPage(c, http.StatusUnprocessableEntity, form, nil)
	}
	if err != nil {
		return err
	}
	return s.showLinkFor(c, id, form.Email)
}

// showLinkFor makes a link for an account and shows it.
func (s *Room) showLinkFor(c echo.Context, id int64, email string) error {
	link, err := s.Store.ResetAccount(c.Request().Context(), id, linkLife, site.ActorOf(c))
	if err != nil {
		return err
	}
	return s.accountsPage(c, http.StatusOK, pages.Typed{}, &pages.Link{For: email, Address: s.linkAddress(c, link, "")})
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
	at := slices.IndexFunc(accounts, func(a store.Account) bool { return a.ID == id })
	switch change := c.FormValue("change"); {
	case at < 0:
		return &site.Refusal{Status: http.StatusNotFound, Name: "not_found"}
	case id == site.AccountOf(c).ID: // people cannot shut themselves out
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	case change == "link":
		return s.showLinkFor(c, id, accounts[at].Email)
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
