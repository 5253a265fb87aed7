package site

import (
	"sync"
	"time"
)

// Failed sign-ins that are allowed for one address, and from one client,
// within attemptSpan.
const (
	AttemptsPerAddress = 10
	AttemptsPerClient  = 30
	attemptSpan        = 15 * time.Minute
)

// attempts counts failed sign-ins by address and by client. The zero value is
// ready. A restart forgets them.
type attempts struct {
	mu    sync.Mutex
	since time.Time // start of the span that is counted
	n     map[string]int
}

// Try takes an attempt for all of the keys, unless one of them has none left.
// limits are by key.
func (a *attempts) Try(now time.Time, limits map[string]int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Sub(a.since) >= attemptSpan {
		a.since, a.n = now, map[string]int{}
	}
	for key, limit := range limits {
		if a.n[key] >= limit {
			return false
		}
	}
	for key := range limits {
		a.n[key]++
	}
	return true
}

// Forgive gives an attempt back, after it was none.
func (a *attempts) Forgive(limits map[string]int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key := range limits {
		a.n[key] = max(0, a.n[key]-1)
	}
}
