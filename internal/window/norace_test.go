//go:build !race

package window

// underRace says whether the race detector watches, under which 300 people take
// minutes.
const underRace = false
