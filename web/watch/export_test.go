package watch

import (
	"context"
	"time"

	"overton/web/site"
)

const LiveEvery = liveEvery

type Standing = snapshot

func StandingOf(s *Room, ctx context.Context, h *site.Hosted, age time.Duration) (*Standing, bool, error) {
	now, err := s.snapshot(ctx, h, age)
	return now, now != nil, err
}
