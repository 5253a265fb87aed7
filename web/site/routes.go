package site

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"overton/static"
)

// Role is who may use a route. The zero value is nobody, so that a route whose
// role was forgotten is closed.
type Role int

const (
	Nobody Role = iota
	Public
	Participant // somebody whose submission has begun, known by their cookie

	// Roles of accounts, each with the rights of those before it. On the pages of
	// a study the higher of an account's role and its role in the study counts.
	Member     // has an account, and whatever rights its studies give
	Viewer     // sees the progress and results of studies
	Moderator  // accepts and rejects statements
	Researcher // analyses and downloads
	Admin      // launches and closes studies, makes accounts
)

// Route is one line of the table that all routes come from.
type Route struct {
	Method, Path string
	Role         Role
	Handler      echo.HandlerFunc
}

// Get is a line for a page or a file; HEAD comes with it.
func Get(path string, role Role, handler echo.HandlerFunc) Route {
	return Route{Method: http.MethodGet, Path: path, Role: role, Handler: handler}
}

// Post is a line for what changes something.
func Post(path string, role Role, handler echo.HandlerFunc) Route {
	return Route{Method: http.MethodPost, Path: path, Role: role, Handler: handler}
}

// operations are the routes of those who run the server, and the bare address.
func (s *Site) operations() []Route {
	return []Route{
		Get("/", Public, s.front),
		s.assets(),
		Get("/healthz", Public, s.healthy),
		Get("/readyz", Public, s.ready),
		Get("/metrics", Public, s.metricsPage),
	}
}

// assets are the style sheet, the scripts and the icon that every page asks for.
func (s *Site) assets() Route {
	return Get("/static/:file", Public, s.static)
}

// guard lets a request through to a handler if its sender has the role.
func (s *Site) guard(needed Role, handler echo.HandlerFunc) echo.HandlerFunc {
	switch needed {
	case Public, Participant: // a participant is found by their page
		return handler
	case Member, Viewer, Moderator, Researcher, Admin:
		return s.guardAccount(needed, handler)
	}
	return func(echo.Context) error { return echo.ErrForbidden }
}

// front is the bare address. Participants have links of their own, so people who
// type it run studies.
func (s *Site) front(c echo.Context) error { return s.To(c, "/admin") }

func (s *Site) static(c echo.Context) error {
	static.Serve(c.Response(), c.Request(), c.Param("file"))
	return nil
}

// healthy says that the program runs.
func (s *Site) healthy(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// ready says that the program can read and write its database.
func (s *Site) ready(c echo.Context) error {
	if err := s.Store.Ping(c.Request().Context()); err != nil {
		s.Log.Error("not ready", "error", err)
		return c.String(http.StatusServiceUnavailable, "the database does not answer\n")
	}
	return c.String(http.StatusOK, "ok\n")
}
