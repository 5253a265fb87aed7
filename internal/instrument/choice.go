package instrument

import "strings"

// How a text names an option. A model is shown an item's options with letters and answers in words; what
// counts as an answer is defined here, once, both for asking models and for reading published files.

// NoOption is the position if a text names no option.
const NoOption = -1

// Letter is the name of the option at a position when an item is shown with lettered options: A for the
// first.
func Letter(option int) string { return string(rune('A' + option)) }

// Lettered is the position of the option that a text names by its letter and nothing else, in either case;
// NoOption if there is none.
func (it Item) Lettered(text string) int {
	if len(text) != 1 || !isLetter(text[0]) {
		return NoOption
	}
	if k := int(text[0]|0x20) - 'a'; k < len(it.Options) {
		return k
	}
	return NoOption
}

// Tagged reads the first <tag> that contains one letter and nothing else, not even a space; case does not
// matter. A letter beyond the options is not an answer. All selections in the released files of POBs follow
// this rule (Kour et al. 2025).
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

// TaggedLoosely reads answers that break the form Tagged requires but are unambiguous: spaces in the tag, a
// letter followed by a bracket, full stop or its label, the label alone, or an answer without any tag that is
// one of these and nothing else.
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
	if k >= 0 && (after == "" || len(inner) > 1 && strings.ContainsRune(").:", rune(inner[1])) &&
		(found || strings.EqualFold(after, it.Options[k].Label))) {
		return k
	}
	return NoOption
}

// Led reads an answer that begins with a letter, as after “Answer:”: the letter alone or followed by a
// bracket, full stop, colon or line break, whatever comes next; or a label and nothing else. A bracket may
// precede the letter.
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

// Between is the text between the first <tag> and its closing tag, or the end of the text; "" if there is no
// such tag.
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
