// Package web is the site: it opens the rooms on one kernel and serves them.
// Package site is the kernel; take, setup, watch, analyse and accounts are the
// rooms, each with the pages of those who use it. A room imports the kernel and
// no other room; what one needs of another is handed in here.
package web

import (
	"context"
	"net/http"
	"slices"

	"overton/web/accounts"
	"overton/web/analyse"
	"overton/web/setup"
	"overton/web/site"
	"overton/web/take"
	"overton/web/watch"
)

// ProlificKeys is where Prolific publishes the keys that it signs links with.
const ProlificKeys = take.ProlificKeys

// Config is what the site needs from outside.
type Config = site.Config

// New builds the site. What it works on after a request has ended, such as an
// analysis, stops when ctx ends.
func New(ctx context.Context, config Config) (http.Handler, error) {
	s, err := site.New(ctx, config)
	if err != nil {
		return nil, err
	}
	routes, err := routes(s)
	if err != nil {
		return nil, err
	}
	return s.Handler(routes), nil
}

// routes are those of all rooms.
func routes(s *site.Site) ([]site.Route, error) {
	analyse, err := analyse.New(s)
	if err != nil {
		return nil, err
	}
	return slices.Concat(
		take.New(s).Routes(),
		setup.New(s, take.Preview).Routes(),
		watch.New(s).Routes(),
		analyse.Routes(),
		accounts.New(s).Routes(),
	), nil
}
