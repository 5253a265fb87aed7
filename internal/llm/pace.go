package llm

import (
	"context"
	"sync"
	"time"
)

// pace lets a number of units per minute pass, evenly. A nil pace lets everything pass.
type pace struct {
	each time.Duration // for one unit
	mu   sync.Mutex
	next time.Time // when the next unit may pass
}

func newPace(perMinute int) *pace {
	if perMinute == 0 {
		return nil
	}
	return &pace{each: time.Minute / time.Duration(perMinute)}
}

// wait takes n units and returns when they may pass.
func (p *pace) wait(ctx context.Context, n int) error {
	if p == nil {
		return ctx.Err()
	}
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	at := p.next
	p.next = p.next.Add(time.Duration(n) * p.each)
	p.mu.Unlock()
	return sleep(ctx, at.Sub(now))
}

// correct takes n more units, or gives back -n, without waiting.
func (p *pace) correct(n int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.next = p.next.Add(time.Duration(n) * p.each)
	p.mu.Unlock()
}

// sleep waits, or returns when the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
