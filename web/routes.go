package web

import (
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/static"
)

// role is who may use a route. The zero value is nobody, so that a route whose
// role was forgotten is closed.
type role int

const (
	nobody role = iota
	public
	participant // somebody whose submission has begun, known by their cookie

	// Roles of accounts, each with the rights of those before it. On the pages of
	// a study the higher of an account's role and its role in the study counts.
	member     // has an account, and whatever rights its studies give
	viewer     // sees where studies stand and what came out
	moderator  // accepts and rejects statements
	researcher // analyses and downloads
	admin      // launches and closes studies, makes accounts
)

// route is one line of the table that all routes come from.
type route struct {
	method, path string
	role         role
	handler      echo.HandlerFunc
}

func (s *site) routes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return slices.Concat(s.adminRoutes(), s.participantRoutes(), []route{
		{get, "/", public, s.front},
		{get, "/healthz", public, s.healthy},
		{get, "/readyz", public, s.ready},
		{get, "/metrics", public, s.metricsPage},
	})
}

// participantRoutes are the pages of those who take part, or who preview a study.
func (s *site) participantRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/static/:file", public, s.static},
		{get, "/s/:slug", public, s.arrive},
		{get, "/s/:slug/start", public, s.welcome},
		{post, "/s/:slug/start", public, s.start},

		{get, "/s/:slug/resume", participant, s.resume},
		{post, "/s/:slug/resume", participant, s.goOn},
		{get, "/s/:slug/p/:path", participant, s.step},
		{post, "/s/:slug/p/:path", participant, s.submit},
		{post, "/s/:slug/draft/:path", participant, s.draft},
		{get, "/s/:slug/end", participant, s.end},
		{post, "/s/:slug/reconsider", participant, s.reconsider},
		{post, "/s/:slug/second-round", participant, s.secondRound},
		{get, "/s/:slug/withdraw", participant, s.askToWithdraw},
		{post, "/s/:slug/withdraw", participant, s.withdraw},
	}
}

// guard lets a request through to a handler if its sender has the role.
func (s *site) guard(needed role, handler echo.HandlerFunc) echo.HandlerFunc {
	switch needed {
	case public:
		return handler
	case participant:
		return func(c echo.Context) error {
			v, err := s.visit(c)
			switch {
			case errors.Is(err, store.ErrWithdrawn):
				return s.gone(c, v)
			case errors.Is(err, store.ErrNotFound):
				return s.to(c, v.path("/start"))
			case err != nil:
				return err
			}
			c.Set(visitKey, v)
			return handler(c)
		}
	case member, viewer, moderator, researcher, admin:
		return s.guardAccount(needed, handler)
	}
	return func(echo.Context) error { return echo.ErrForbidden }
}

// front is the bare address. Participants have links of their own, so whoever
// types it looks after studies.
func (s *site) front(c echo.Context) error { return s.to(c, "/admin") }

func (s *site) static(c echo.Context) error {
	static.Serve(c.Response(), c.Request(), c.Param("file"))
	return nil
}

// healthy says that the program runs.
func (s *site) healthy(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// ready says that the program can read and write its database.
func (s *site) ready(c echo.Context) error {
	if err := s.Store.Ping(c.Request().Context()); err != nil {
		s.Log.Error("not ready", "error", err)
		return c.String(http.StatusServiceUnavailable, "the database does not answer\n")
	}
	return c.String(http.StatusOK, "ok\n")
}
