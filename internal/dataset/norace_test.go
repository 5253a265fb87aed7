//go:build !race

package dataset

// underRace says whether the race detector watches, which makes arithmetic some
// ten times slower.
const underRace = false
