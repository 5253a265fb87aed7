package instrument

import "strings"

// How a text names an option. A model is shown an item's options with letters
// and answers in words; what counts as an answer is fixed here, once, for
// those who ask and for those who read published files.

// NoOption is the position of an option that a text does not name.
const NoOption = -1

// Letter is what the option at a position is called when an item is shown with
// lettered options: A for the first.
func Letter(option int) string { return string(rune('A' + option)) }

// Lettered is the position of the option that a text names by its letter and
// nothing else, whatever the letter's case; NoOption where there is none.
func (it Item) Lettered(text string) int {
	if len(text) != 1 || !isLetter(text[0]) {
		return NoOption
	}
	if k := int(text[0]|0x20) - 'a'; k < len(it.Options) {
		return k
	}
	return NoOption
}

// Tagged reads the first <tag> with one letter in it and nothing else, not even
// a blank; case does not matter. A letter beyond the options is no answer. By
// this rule all selections in the released files of POBs were made (Kour et al.
// 2025).
func (it Item) Tagged(text, tag string) int {
	for {
		inner, rest, found := afterTag(text, tag)
		if !found {
			return NoOption
		}
		if len(inner) > 0 && isLetter(inner[0]) && closes(inner[1:], tag) {
			return it.Lettered(inner[:1])
		}
		text = rest
	}
}

// TaggedLoosely reads what breaks the form that Tagged demands and yet leaves
// no doubt: blanks in the tag, a letter with a bracket, full stop or its label
// after it, the label alone, or an answer without any tag that is one of these
// and nothing else.
func (it Item) TaggedLoosely(text, tag string) int {
	inner, _, found := afterTag(text, tag)
	if !found {
		inner = text
	} else if end := strings.Index(inner, "<"); end >= 0 {
		inner = inner[:end]
	}
	inner = strings.TrimSpace(inner)
	for k, o := range it.Options {
		if strings.EqualFold(inner, o.Label) {
			return k
		}
	}
	if len(inner) == 0 {
		return NoOption
	}
	k := it.Lettered(inner[:1])
	after := strings.TrimSpace(strings.TrimLeft(inner[1:], ").:"))
	if k >= 0 && (after == "" || len(inner) > 1 && strings.ContainsRune(").:", rune(inner[1])) && (found || strings.EqualFold(after, it.Options[k].Label))) {
		return k
	}
	return NoOption
}

// Led reads an answer that begins with a letter, as after “Answer:”: the letter
// alone or with a bracket, full stop, colon or line break after it, whatever
// follows; or a label and nothing else. A bracket may stand before the letter.
func (it Item) Led(text string) int {
	text = strings.TrimSpace(text)
	for k, o := range it.Options {
		if strings.EqualFold(text, o.Label) {
			return k
		}
	}
	text = strings.TrimLeft(text, "(*\" \t\r\n")
	if text == "" || len(text) > 1 && !strings.ContainsRune(").:*\"\r\n", rune(text[1])) {
		return NoOption
	}
	return it.Lettered(text[:1])
}

// Between is the text between the first <tag> and its closing tag, or the
// text's end; "" where there is no such tag.
func Between(text, tag string) string {
	inner, _, _ := afterTag(text, tag)
	for at := range len(inner) {
		if closes(inner[at:], tag) {
			return inner[:at]
		}
	}
	return inner
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// afterTag finds the next opening tag. rest is where to look for another.
func afterTag(text, tag string) (inner, rest string, found bool) {
	for {
		at := strings.IndexByte(text, '<')
		if at < 0 {
			return "", "", false
		}
		text = text[at+1:]
		if len(text) > len(tag) && text[len(tag)] == '>' && asciiEqualFold(text[:len(tag)], tag) {
			return text[len(tag)+1:], text, true
		}
	}
}

// closes says whether a text begins with the closing tag.
func closes(text, tag string) bool {
	return len(text) >= len(tag)+3 && text[:2] == "</" && text[len(tag)+2] == '>' && asciiEqualFold(text[2:2+len(tag)], tag)
}

// asciiEqualFold compares with a lower-case ASCII word.
func asciiEqualFold(text, lower string) bool {
	for i := range len(lower) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
