//go:build !race

package webtest

// underRace says whether the race detector watches. It slows the server so much
// that a browser's patience ends.
const underRace = false
