//go:build race

package webtest

const underRace = true
