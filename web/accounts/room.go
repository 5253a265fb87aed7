// Package accounts is who may do what: sign-in, links, passwords, tokens, the
// people of a study, accounts and the log.
package accounts

import (
	"net/http"

	"overton/web/site"
)

// Room holds the pages of this package.
type Room struct {
	*site.Site
}

// New opens the room.
func New(s *site.Site) *Room { return &Room{Site: s} }

// Routes are the room's lines of the route table.
func (s *Room) Routes() []site.Route {
	const get, post = http.MethodGet, http.MethodPost
	return []site.Route{
		{get, "/admin/sign-in", site.Public, s.askToSignIn},
		{post, "/admin/sign-in", site.Public, s.signIn},
		{post, "/admin/sign-out", site.Public, s.signOut},
		{get, "/admin/link/:token", site.Public, s.showLink},
		{post, "/admin/link/:token", site.Public, s.followLink},
		{get, "/admin/password", site.Member, s.askForPassword},
		{post, "/admin/password", site.Member, s.setPassword},
		{get, "/admin/account", site.Member, s.ownAccount},
		{post, "/admin/account/tokens", site.Member, s.createToken},
		{post, "/admin/account/tokens/revoke", site.Member, s.revokeToken},
		{post, "/admin/account/sign-ins/end", site.Member, s.endSignIns},
		{get, "/admin/studies/:slug/people", site.Admin, s.InStudy(s.people)},
		{post, "/admin/studies/:slug/people", site.Admin, s.InStudy(s.invite)},
		{post, "/admin/studies/:slug/people/change", site.Admin, s.InStudy(s.changeMember)},
		{get, "/admin/studies/:slug/log", site.Admin, s.log},
		{get, "/admin/studies/:slug/log.csv", site.Admin, s.logCSV},
		{get, "/admin/log", site.Admin, s.log},
		{get, "/admin/log.csv", site.Admin, s.logCSV},
		{get, "/admin/accounts", site.Admin, s.accounts},
		{post, "/admin/accounts", site.Admin, s.createAccount},
		{post, "/admin/accounts/change", site.Admin, s.changeAccount},
	}
}
