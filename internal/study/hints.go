package study

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// HintKind says what a part of a free text may be.
type HintKind string

const (
	HintMail   HintKind = "mail"   // an email address
	HintPhone  HintKind = "phone"  // a telephone number
	HintLink   HintKind = "link"   // a web address
	HintID     HintKind = "id"     // a recruiter's id: 24 hexadecimal digits
	HintHandle HintKind = "handle" // a user name on some network
	HintEmpty  HintKind = "empty"  // the text as a whole says nothing
)

// HintKinds lists all kinds, those of personal data first.
var HintKinds = []HintKind{HintMail, HintPhone, HintLink, HintID, HintHandle, HintEmpty}

// Hint points moderators to a part of a text: text[From:To].
type Hint struct {
	Kind     HintKind
	From, To int // bytes
}

// Hints finds what may be personal data in a text, and says whether the text looks empty. The parts are in
// order and do not overlap. There are false positives and false negatives, so nothing follows from a hint
// alone: someone has to look.
func Hints(text string) []Hint {
	var found []Hint
	add := func(h Hint) {
		if !slices.ContainsFunc(found, func(o Hint) bool { return h.From < o.To && o.From < h.To }) {
			found = append(found, h)
		}
	}
	for _, p := range patterns {
		for _, at := range p.find.FindAllStringSubmatchIndex(text, -1) {
			from, to := at[2], at[3] // the part in parentheses
			to = from + len(strings.TrimRight(text[from:to], ".,;:!?)]}'\"…"))
			if p.holds == nil || p.holds(text, from, to) {
				add(Hint{p.kind, from, to})
			}
		}
	}
	if len(found) == 0 && looksEmpty(text) {
		from := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
		to := len(strings.TrimRightFunc(text, unicode.IsSpace))
		return []Hint{{HintEmpty, min(from, to), to}}
	}
	slices.SortFunc(found, func(a, b Hint) int { return cmp.Compare(a.From, b.From) })
	return found
}

// patterns are tried in this order; a later one never takes a part that an earlier one has. The first pair of
// parentheses marks the part to point out.
var patterns = []struct {
	kind  HintKind
	find  *regexp.Regexp
	holds func(text string, from, to int) bool
}{
	{kind: HintMail, find: regexp.MustCompile(`([\p{L}\p{N}._%+\-]+@[\p{L}\p{N}\-]+(?:\.[\p{L}\p{N}\-]+)+)`)},
	{kind: HintMail, find: regexp.MustCompile(`(?i)([\p{L}\p{N}._%+\-]+\s*[\[({]\s*(?:at|@)\s*[\])}]\s*[\p{L}\p{N}\-]+\s*(?:\.|[\[({]\s*(?:dot|\.)\s*[\])}]|\sdot\s)\s*\p{L}{2,})`)},
	{kind: HintMail, find: regexp.MustCompile(`(?i)([\p{L}\p{N}._%+\-]+ (?:at|@) ?(?:gmail|googlemail|yahoo|hotmail|outlook|icloud|proton|protonmail|gmx|aol)\b(?:(?: dot |\.)[a-z]{2,3})?)`)},
	{kind: HintLink, find: regexp.MustCompile(`(?i)((?:https?://|www\.)[^\s<>"]+)`)},
	{kind: HintLink, find: regexp.MustCompile(`(?i)\b((?:[a-z0-9\-]+\.)+(?:com|org|net|edu|gov|co\.uk)\b(?:/[^\s<>"]*)?)`)},
	{kind: HintLink, find: regexp.MustCompile(`(?i)\b([a-z0-9\-]+(?:\.[a-z0-9\-]+)*\.[a-z]{2}/[^\s<>"]+)`)},
	{kind: HintID, find: regexp.MustCompile(`\b([0-9a-fA-F]{24})\b`), holds: func(text string, from, to int) bool {
		return strings.ContainsAny(text[from:to], "0123456789")
	}},
	// +44 20 7946 0958, 0049 30 123456
	{kind: HintPhone, find: regexp.MustCompile(`(?:^|[^\p{N}\p{L}])((?:\+|00)\s?\(?\p{Nd}[\p{Nd}\s().\-/]{5,22}\p{Nd})`), holds: digits(8, 15)},
	// (212) 555-0134, 212-555-0134, 2125550134
	{kind: HintPhone, find: regexp.MustCompile(`(?:^|[^\p{N}\p{L}.,$€£\-])(\(?[2-9]\d{2}\)?[\s.\-]?[2-9]\d{2}[\s.\-]?\d{4})(?:$|[^\p{N}\-])`), holds: notANumber},
	// 07911 123456, 030 1234567, 06 12 34 56 78
	{kind: HintPhone, find: regexp.MustCompile(`(?:^|[^\p{N}\p{L}.,$€£\-])(\(?0\d[\d\s().\-/]{6,16}\d)`), holds: nationalNumber},
	// tel: 555-0134
	{kind: HintPhone, find: regexp.MustCompile(`(?i)(?:phone|call me|text me|whatsapp|mobile|cell|telefon|tel|tél|handy|móvil|celular|телефон)[^\p{N}\n]{0,12}(\(?\+?\d[\d\s().\-/]{4,18}\d)`), holds: digits(6, 15)},
	{kind: HintHandle, find: regexp.MustCompile(`(?:^|[\s("'])(@[\p{L}\p{N}_][\p{L}\p{N}_.]{1,29})`)},
	{kind: HintHandle, find: regexp.MustCompile(`(?:^|\s)([\p{L}\p{N}_.]{2,32}#\d{4})\b`)},
	{kind: HintHandle, find: regexp.MustCompile(`(?i)\b((?:instagram|insta|snapchat|telegram|whatsapp|discord|facebook|tiktok)\s?[:=]\s?[\p{L}\p{N}_.]{2,32})`)},
}

func digits(least, most int) func(string, int, int) bool {
	return func(text string, from, to int) bool {
		n := countDigits(text[from:to])
		return n >= least && n <= most
	}
}

func countDigits(text string) (n int) {
	for _, r := range text {
		if unicode.Is(unicode.Nd, r) {
			n++
		}
	}
	return n
}

// notANumber refuses what reads as an amount: with a unit of money or a
// percent sign beside it.
func notANumber(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text[:from], " "))
	after, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[to:], " "))
	return !strings.ContainsRune("$€£¥", before) && !strings.ContainsRune("$€£¥%", after)
}

var date = regexp.MustCompile(`^0\d[./\-]\d{1,2}[./\-]\d{2,4}`)

// nationalNumber takes 9 to 12 digits that begin with a zero and are no date.
func nationalNumber(text string, from, to int) bool {
	n := countDigits(text[from:to])
	return n >= 9 && n <= 12 && !date.MatchString(text[from:to]) && notANumber(text, from, to)
}

// nothings are answers that say nothing, without their punctuation, in the
// languages that come up most.
var nothings = strings.Split(`idk|i dont know|dont know|dunno|no idea|not sure|im not sure|no comment|no opinion|nothing|none|nope|no|yes|yep|yeah|ok|okay|na|n a|n/a|nil|null|test|testing|good|nice|same|same as above|see above|hmm|hm|meh|whatever|lol|blah|blah blah|
weiß nicht|weiss nicht|ich weiß nicht|ich weiss nicht|keine ahnung|keine meinung|nichts|nein|ja|keine|
je ne sais pas|sais pas|jsp|aucune idée|aucun|rien|non|oui|ras|
no sé|no se|no lo sé|ni idea|nada|ninguno|ninguna|sí|si|
não sei|nao sei|nenhum|nenhuma|não|sim|
non so|non lo so|boh|niente|nessuno|nessuna|
weet niet|ik weet het niet|geen idee|niets|nee|geen|
nie wiem|nic|brak|nie|tak|
не знаю|незнаю|хз|ничего|нет|да|
bilmiyorum|hayır|evet|hiçbir şey|yok|
لا أعرف|لا اعرف|لا شيء|لا|نعم|
不知道|没有|無|无|わからない|分からない|特になし|なし|모름|모르겠다|없음`, "|")

var isNothing = func() map[string]bool {
	all := map[string]bool{}
	for _, n := range nothings {
		all[strings.TrimSpace(n)] = true
	}
	return all
}()

// looksEmpty says whether a free text says nothing: no letters at all, one character repeated, keys next to
// each other, or an answer such as "idk". A short text that means something in any language must not be
// called empty, so single words pass unless they cannot be words.
func looksEmpty(text string) bool {
	bare := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.Is(unicode.Nd, r), r == '/':
			return unicode.ToLower(r)
		case r == '\'', r == '’':
			return -1
		}
		return ' '
	}, text)
	words := strings.Fields(bare)
	if !strings.ContainsFunc(bare, unicode.IsLetter) {
		return true
	}
	if isNothing[strings.Join(words, " ")] {
		return true
	}
	if oneCharacter(strings.Join(words, "")) {
		return true
	}
	for _, w := range words {
		if !isMash(w) {
			return false
		}
	}
	return true
}

// oneCharacter says whether a text is a single letter, or one letter repeated. A single ideograph can be a
// word.
func oneCharacter(text string) bool {
	first, size := utf8.DecodeRuneInString(text)
	if unicode.In(first, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
		return utf8.RuneCountInString(text) > 2 && strings.Trim(text, string(first)) == ""
	}
	return strings.Trim(text[size:], string(first)) == ""
}

var keyRows = []string{"qwertyuiop", "asdfghjklöä", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop", "йцукенгшщзхъ", "фывапролджэ"}

// vowels in languages written in Latin letters; r and l can act as vowels, as in krk and vlk.
const vowels = "aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœąęıőűůěāēīōūărl"

// isMash says whether a lower-case word can only come from random typing: a run along a row of keys, a short
// piece repeated, or four or more Latin letters without a vowel.
func isMash(word string) bool {
	n := utf8.RuneCountInString(word)
	if n < 3 {
		return false
	}
	for _, row := range keyRows {
		if n >= 4 && (strings.Contains(row, word) || strings.Contains(reversed(row), word)) {
			return true
		}
	}
	runes := []rune(word)
	for size := 1; size <= 4 && 2*size <= n; size++ {
		again := true
		for i := range runes {
			again = again && runes[i] == runes[i%size]
		}
		// "bonbon" and "papa" are words; "asdasd" runs along the keys.
		piece := string(runes[:size])
		alongKeys := size >= 3 && slices.ContainsFunc(keyRows, func(row string) bool { return strings.Contains(row, piece) })
		if again && (size == 1 || alongKeys || size <= 2 && n >= 6) {
			return true
		}
	}
	if n < 4 || strings.ContainsFunc(word, func(r rune) bool { return !unicode.Is(unicode.Latin, r) }) {
		return false
	}
	return !strings.ContainsAny(word, vowels)
}

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}
