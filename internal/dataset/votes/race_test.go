//go:build race

package votes

const underRace = true
