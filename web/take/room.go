// Package take is what participants see: how they arrive, the pages of the
// flow, what becomes of their answers, and the endings.
package take

import (
	"errors"
	"sync/atomic"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/web/site"
)

// Room holds the pages of participants, of the site or of one preview.
type Room struct {
	*site.Site
	keys    atomic.Pointer[keyfunc.Keyfunc] // of signed links; nil until a fetch has succeeded
	preview *preview                        // nil on the real site
}

// New opens the room.
func New(s *site.Site) *Room {
	return &Room{Site: s}
}

// Routes are the room's lines of the route table.
func (s *Room) Routes() []site.Route {
	return []site.Route{
		site.Get("/s/:slug", site.Public, s.arrive),
		site.Get("/s/:slug/start", site.Public, s.welcome),
		site.Post("/s/:slug/start", site.Public, s.start),

		site.Get("/s/:slug/resume", site.Participant, s.visited(s.resume)),
		site.Post("/s/:slug/resume", site.Participant, s.visited(s.goOn)),
		site.Get("/s/:slug/p/:path", site.Participant, s.visited(s.step)),
		site.Post("/s/:slug/p/:path", site.Participant, s.visited(s.submit)),
		site.Post("/s/:slug/draft/:path", site.Participant, s.visited(s.draft)),
		site.Get("/s/:slug/end", site.Participant, s.visited(s.end)),
		site.Post("/s/:slug/reconsider", site.Participant, s.visited(s.reconsider)),
		site.Post("/s/:slug/second-round", site.Participant, s.visited(s.secondRound)),
		site.Get("/s/:slug/withdraw", site.Participant, s.visited(s.askToWithdraw)),
		site.Post("/s/:slug/withdraw", site.Participant, s.visited(s.withdraw)),
	}
}

// visited hands a handler the visit of the participant that a request is from.
// Those who have not begun are sent to the start, those who withdrew are told.
func (s *Room) visited(handler func(echo.Context, *visit) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := s.visit(c)
		switch {
		case errors.Is(err, store.ErrWithdrawn):
			return s.gone(c, v)
		case errors.Is(err, store.ErrNotFound):
			return s.To(c, v.Path("/start"))
		case err != nil:
			return err
		}
		return handler(c, v)
	}
}
