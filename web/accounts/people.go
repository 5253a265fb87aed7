package accounts

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	pages "overton/templates/accounts"
	"overton/web/site"
)

func (s *Room) people(c echo.Context, h *site.Hosted) error {
	return s.peoplePage(c, h, http.StatusOK, pages.Typed{}, nil)
}

// peoplePage shows who can see a study.
func (s *Room) peoplePage(c echo.Context, h *site.Hosted, status int, typed pages.Typed, link *pages.Link) error {
	ctx := c.Request().Context()
	frame, err := s.AdminStudyFrame(c, h, "People", "/people")
	if err != nil {
		return err
	}
	page := pages.PeoplePage{Admin: frame, Action: h.Href("/people"), Self: site.AccountOf(c).ID, Typed: typed, Link: link}
	page.Wrong = typed.Problem != ""
	if page.Members, err = s.Store.Members(ctx, h.Row.Slug); err != nil {
		return err
	}
	if page.Everywhere, err = s.Store.Accounts(ctx); err != nil {
		return err
	}
	page.Everywhere = slices.DeleteFunc(page.Everywhere, func(a store.Account) bool {
		return a.Disabled || !site.Allows(a.Role, site.Viewer)
	})
	return s.Show(c, status, pages.People(page))
}

// invite gives somebody a role on a study. If they have no account yet, it makes
// one, and a link that sets a password.
func (s *Room) invite(c echo.Context, h *site.Hosted) error {
	form := typed(c, site.Viewer)
	if form.Problem != "" {
		return s.peoplePage(c, h, http.StatusUnprocessableEntity, form, nil)
	}
	link, err := s.Store.Invite(c.Request().Context(), h.Row.Slug, form.Email, form.Role, linkLife, site.ActorOf(c))
	if err != nil {
		return err
	}
	if link == "" {
		return s.To(c, h.AdminPath("/people"))
	}
	return s.showInvitation(c, h, link, form.Email)
}

func (s *Room) showInvitation(c echo.Context, h *site.Hosted, link, email string) error {
	shown := &pages.Link{For: email, Address: s.linkAddress(c, link, h.AdminPath(""))}
	return s.peoplePage(c, h, http.StatusOK, pages.Typed{}, shown)
}

// linkAddress is a sign-in link as it is sent to somebody. It leads to a path,
// if one is given, once a password is set.
func (s *Room) linkAddress(c echo.Context, link, to string) string {
	address := s.Origin(c.Request()) + "/admin/link/" + url.PathEscape(link)
	if to != "" {
		address += "?to=/admin/password?to=" + to // a query can hold / and ? as they are
	}
	return address
}

// changeMember gives members another role, removes them, or makes a new link for
// those who have not set a password yet.
func (s *Room) changeMember(c echo.Context, h *site.Hosted) error {
	ctx := c.Request().Context()
	id, err := strconv.ParseInt(c.FormValue("account"), 10, 64)
	if err != nil {
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	}
	switch change, role := c.FormValue("change"), c.FormValue("role"); {
	case change == "link":
		link, err := s.Store.Reinvite(ctx, h.Row.Slug, id, linkLife, site.ActorOf(c))
		if err != nil {
			return memberRefusal(h, err)
		}
		return s.showInvitation(c, h, link, "the person you invited")
	case change == "remove":
		err = s.Store.SetMember(ctx, h.Row.Slug, id, "", site.ActorOf(c))
	case change == "role" && site.Allows(role, site.Viewer):
		err = s.Store.SetMember(ctx, h.Row.Slug, id, role, site.ActorOf(c))
	default:
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	}
	if err != nil {
		return memberRefusal(h, err)
	}
	if id == site.AccountOf(c).ID { // they may not see the study any more
		return s.To(c, "/admin")
	}
	return s.To(c, h.AdminPath("/people"))
}

func memberRefusal(h *site.Hosted, err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &site.Refusal{Status: http.StatusNotFound, Name: "not_found", Try: h.AdminPath("/people")}
	case errors.Is(err, store.ErrConflict):
		return &site.Refusal{Status: http.StatusConflict, Name: "changed", Try: h.AdminPath("/people")}
	}
	return fmt.Errorf("changing who can see %q: %w", h.Row.Slug, err)
}
