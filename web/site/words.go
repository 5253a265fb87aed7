package site

import (
	"fmt"

	"overton/templates"
)

func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Sentence makes a sentence of a message that begins with a small letter.
func Sentence(text string) string { return templates.Sentence(text) }

// Shorten cuts a text to n characters.
func Shorten(text string, n int) string { return templates.Shorten(text, n) }
