//go:build !race

package votes

// underRace says whether the race detector watches, which makes arithmetic some
// ten times slower.
const underRace = false
