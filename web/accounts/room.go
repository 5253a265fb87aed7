// Package accounts is who may do what: sign-in, links, passwords, tokens, the
// people of a study, accounts and the log.
package accounts

import (
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
	return []site.Route{
		site.Get("/admin/sign-in", site.Public, s.askToSignIn),
		site.Post("/admin/sign-in", site.Public, s.signIn),
		site.Post("/admin/sign-out", site.Public, s.signOut),
		site.Get("/admin/link/:token", site.Public, s.showLink),
		site.Post("/admin/link/:token", site.Public, s.followLink),
		site.Get("/admin/password", site.Member, s.askForPassword),
		site.Post("/admin/password", site.Member, s.setPassword),
		site.Get("/admin/account", site.Member, s.ownAccount),
		site.Post("/admin/account/tokens", site.Member, s.createToken),
		site.Post("/admin/account/tokens/revoke", site.Member, s.revokeToken),
		site.Post("/admin/account/sign-ins/end", site.Member, s.endSignIns),
		site.Get("/admin/studies/:slug/people", site.Admin, s.InStudy(s.people)),
		site.Post("/admin/studies/:slug/people", site.Admin, s.InStudy(s.invite)),
		site.Post("/admin/studies/:slug/people/change", site.Admin, s.InStudy(s.changeMember)),
		site.Get("/admin/studies/:slug/log", site.Admin, s.log),
		site.Get("/admin/studies/:slug/log.csv", site.Admin, s.logCSV),
		site.Get("/admin/log", site.Admin, s.log),
		site.Get("/admin/log.csv", site.Admin, s.logCSV),
		site.Get("/admin/accounts", site.Admin, s.accounts),
		site.Post("/admin/accounts", site.Admin, s.createAccount),
		site.Post("/admin/accounts/change", site.Admin, s.changeAccount),
	}
}
