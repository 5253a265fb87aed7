// Package take is what participants see: how they arrive, the pages of the
// flow, what becomes of their answers, and the endings.
package take

import (
	"errors"
	"net/http"
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
	const get, post = http.MethodGet, http.MethodPost
	return []site.Route{
		{get, "/s/:slug", site.Public, s.arrive},
		{get, "/s/:slug/start", site.Public, s.welcome},
		{post, "/s/:slug/start", site.Public, s.start},

		{get, "/s/:slug/resume", site.Participant, s.visited(s.resume)},
		{post, "/s/:slug/resume", site.Participant, s.visited(s.goOn)},
		{get, "/s/:slug/p/:path", site.Participant, s.visited(s.step)},
		{post, "/s/:slug/p/:path", site.Participant, s.visited(s.submit)},
		{post, "/s/:slug/draft/:path", site.Participant, s.visited(s.draft)},
		{get, "/s/:slug/end", site.Participant, s.visited(s.end)},
		{post, "/s/:slug/reconsider", site.Participant, s.visited(s.reconsider)},
		{post, "/s/:slug/second-round", site.Participant, s.visited(s.secondRound)},
		{get, "/s/:slug/withdraw", site.Participant, s.visited(s.askToWithdraw)},
		{post, "/s/:slug/withdraw", site.Participant, s.visited(s.withdraw)},
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
