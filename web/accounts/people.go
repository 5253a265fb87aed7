package accounts

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	pages "overton/templates/accounts"
	"overton/web/site"
)

// studyRoleLines are the roles that somebody can have on a single study.
var studyRoleLines = []pages.RoleLine{
	{Name: "viewer", May: "sees where the study stands and what came out"},
	{Name: "moderator", May: "also accepts and rejects statements"},
	{Name: "researcher", May: "also analyses and downloads data"},
	{Name: "admin", May: "also launches and closes it, and says who else sees it"},
}

func isStudyRole(name string) bool { return site.Allows(name, site.Viewer) }

func (s *Room) people(c echo.Context, h *site.Hosted) error {
	return s.peoplePage(c, h, http.StatusOK, pages.PeoplePage{})
}

// peoplePage shows who sees a study. page holds what an invitation left to say.
func (s *Room) peoplePage(c echo.Context, h *site.Hosted, status int, page pages.PeoplePage) error {
	ctx := c.Request().Context()
	var err error
	if page.Admin, err = s.AdminStudyFrame(c, h, "People", "/people"); err != nil {
		return err
	}
	page.Wrong = page.Problem != ""
	page.Post, page.Roles, page.Days = h.Href("/people"), studyRoleLines, int(linkLife.Hours()/24)
	members, err := s.Store.Members(ctx, h.Row.Slug)
	if err != nil {
		return err
	}
	for _, m := range members {
		page.Members = append(page.Members, pages.MemberLine{
			ID: m.ID, Email: m.Email, Role: m.StudyRole, Since: site.Moment(m.Since), Disabled: m.Disabled, Password: m.Password != "", Waits: m.Waits,
			Self: m.ID == site.AccountOf(c).ID, Everywhere: m.Role,
		})
	}
	accounts, err := s.Store.Accounts(ctx)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if site.Allows(a.Role, site.Viewer) && !a.Disabled {
			page.Everywhere = append(page.Everywhere, pages.AccountLine{Email: a.Email, Role: a.Role})
		}
	}
	return s.Show(c, status, pages.People(page))
}

// invite gives somebody a role on a study. Whoever has no account yet gets one,
// and a link to set a password by.
func (s *Room) invite(c echo.Context, h *site.Hosted) error {
	page := pages.PeoplePage{Email: strings.TrimSpace(c.FormValue("email")), Chosen: c.FormValue("role")}
	switch {
	case !isAddress(page.Email):
		page.Problem = notAnAddress
	case !isStudyRole(page.Chosen):
		page.Problem = "Choose a role."
	}
	if page.Problem != "" {
		return s.peoplePage(c, h, http.StatusUnprocessableEntity, page)
	}
	link, err := s.Store.Invite(c.Request().Context(), h.Row.Slug, page.Email, page.Chosen, linkLife, site.ActorOf(c))
	if err != nil {
		return err
	}
	if link == "" {
		return s.To(c, h.AdminPath("/people"))
	}
	return s.peoplePage(c, h, http.StatusOK, pages.PeoplePage{Link: s.linkAddress(c, link, h.AdminPath("")), LinkFor: page.Email})
}

// linkAddress is a sign-in link as it is sent to somebody. Where it leads to a
// path, it does so once a password is set.
func (s *Room) linkAddress(c echo.Context, link, to string) string {
	address := s.Origin(c.Request()) + "/admin/link/" + url.PathEscape(link)
	if to != "" {
		address += "?to=/admin/password?to=" + to // a query can hold / and ? as they are
	}
	return address
}

// changeMember gives a member another role, ends the membership, or makes a new
// link for one who never had a password.
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
		return s.peoplePage(c, h, http.StatusOK, pages.PeoplePage{Link: s.linkAddress(c, link, h.AdminPath("")), LinkFor: "who was invited"})
	case change == "remove":
		err = s.Store.SetMember(ctx, h.Row.Slug, id, "", site.ActorOf(c))
	case change == "role" && isStudyRole(role):
		err = s.Store.SetMember(ctx, h.Row.Slug, id, role, site.ActorOf(c))
	default:
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	}
	if err != nil {
		return memberRefusal(h, err)
	}
	if id == site.AccountOf(c).ID { // who may see no more than before
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
	return fmt.Errorf("changing who sees %q: %w", h.Row.Slug, err)
}
