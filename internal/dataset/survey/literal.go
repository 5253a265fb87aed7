package survey

import (
	"fmt"
	"math"
	"overton/internal/dataset"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Some published tables hold Python values as text in their cells: lists of
// options, mappings of codes to labels, shares by country. This reads that
// text; nothing is ever run.

// literalItem is an element of a list of options.
type literalItem struct {
	// kindText is the element as Python would print it: 4.0 stays 4.0.
	Text string
	// kindNumber is its value if it is one; Missing marks None and a bare nan.
	Number   float64
	IsNumber bool
	Missing  bool
}

// parseList reads a list such as ['A lot', 'A little', 3].
func parseList(text string) ([]literalItem, error) {
	value, err := parseLiteral(text)
	if err != nil {
		return nil, err
	}
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("expected a list such as ['A lot', 'A little']")
	}
	items := make([]literalItem, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case string:
			items[i] = literalItem{Text: v}
		case int64:
			items[i] = literalItem{Text: strconv.FormatInt(v, 10), Number: float64(v), IsNumber: true}
		case float64:
			items[i] = literalItem{Text: pythonFloat(v), Number: v, IsNumber: true}
		case nil:
			items[i] = literalItem{Missing: true}
		default:
			return nil, fmt.Errorf("element %d: expected a text or a number", i+1)
		}
	}
	return items, nil
}

// countryShares are the shares of a question's options in one country; NaN
// where missing.
type countryShares struct {
	Country string
	Shares  []float64
}

// parseSelections reads shares by country, in the order of the text, from
// {'Country': [0.4, 0.6]} or the same inside defaultdict(<class 'list'>, …).
func parseSelections(text string) ([]countryShares, error) {
	value, err := parseLiteral(text)
	if err != nil {
		return nil, err
	}
	dict, ok := value.([]literalPair)
	if !ok {
		return nil, fmt.Errorf("expected shares by country such as {'Peru': [0.4, 0.6]}")
	}
	countries := make([]countryShares, len(dict))
	for i, pair := range dict {
		name, okName := pair.key.(string)
		list, okList := pair.value.([]any)
		if !okName || !okList {
			return nil, fmt.Errorf("entry %d: expected a country and a list of shares", i+1)
		}
		countries[i].Country = name
		for _, v := range list {
			share, ok := literalNumber(v)
			if !ok {
				return nil, fmt.Errorf("%s: expected shares, found %v", name, v)
			}
			countries[i].Shares = append(countries[i].Shares, share)
		}
	}
	return countries, nil
}

// codeLabel is a code of an answer and its label.
type codeLabel struct {
	Code  float64
	Label string
}

// parseMapping reads labels by code, in the order of the text, from
// {1.0: 'A lot', 99.0: 'Refused'}.
func parseMapping(text string) ([]codeLabel, error) {
	value, err := parseLiteral(text)
	if err != nil {
		return nil, err
	}
	dict, ok := value.([]literalPair)
	if !ok {
		return nil, fmt.Errorf("expected labels by code such as {1.0: 'A lot'}")
	}
	labels := make([]codeLabel, len(dict))
	for i, pair := range dict {
		code, okCode := literalNumber(pair.key)
		label, okLabel := pair.value.(string)
		if !okCode || !okLabel {
			return nil, fmt.Errorf("entry %d: expected a code and a label", i+1)
		}
		labels[i] = codeLabel{code, label}
	}
	return labels, nil
}

// literalNumber is a number, NaN for a missing one.
func literalNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case nil:
		return math.NaN(), true
	}
	return 0, false
}

// pythonFloat prints a float as Python's str does.
func pythonFloat(x float64) string {
	if x != 0 && (math.Abs(x) < 1e-4 || math.Abs(x) >= 1e16) {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// literalPair is an entry of a dictionary.
type literalPair struct{ key, value any }

// literal reads one Python value: string, int64, float64, bool, nil (None and
// nan), []any for lists and tuples, []literalPair for dictionaries.
type literal struct {
	text  string
	at    int
	depth int
}

// deepestLiteral bounds nesting, so that no text can exhaust the stack.
const deepestLiteral = 50

func parseLiteral(text string) (any, error) {
	l := &literal{text: text}
	v, err := l.value()
	if err != nil {
		return nil, err
	}
	if l.blanks(); l.at < len(l.text) {
		return nil, l.expected("the end")
	}
	return v, nil
}

func (l *literal) expected(what string) error {
	found := "the end"
	if l.at < len(l.text) {
		found = strconv.Quote(dataset.Shorten(l.text[l.at:], 20))
	}
	return fmt.Errorf("expected %s at character %d, found %s", what, utf8.RuneCountInString(l.text[:l.at])+1, found)
}

func (l *literal) blanks() {
	for l.at < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.at]) >= 0 {
		l.at++
	}
}

// take passes over s, after blanks, if it comes next.
func (l *literal) take(s string) bool {
	l.blanks()
	if !strings.HasPrefix(l.text[l.at:], s) {
		return false
	}
	l.at += len(s)
	return true
}

// names are the words that stand for a value.
var literalNames = []struct {
	name  string
	value any
}{{"None", nil}, {"nan", nil}, {"True", true}, {"False", false}}

func (l *literal) value() (any, error) {
	if l.depth++; l.depth > deepestLiteral {
		return nil, fmt.Errorf("nested more than %d deep", deepestLiteral)
	}
	defer func() { l.depth-- }()
	switch {
	case l.take("defaultdict("):
		if !l.take("<class 'list'>") || !l.take(",") {
			return nil, l.expected("<class 'list'>, ")
		}
		v, err := l.value()
		if err == nil && !l.take(")") {
			err = l.expected(")")
		}
		return v, err
	case l.take("["):
		return l.list("]")
	case l.take("("):
		return l.list(")")
	case l.take("{"):
		return l.dict()
	case l.take("'"):
		return l.quoted('\'')
	case l.take(`"`):
		return l.quoted('"')
	}
	for _, n := range literalNames {
		if l.take(n.name) {
			return n.value, nil
		}
	}
	return l.number()
}

func (l *literal) list(end string) (any, error) {
	list := []any{}
	for !l.take(end) {
		if len(list) > 0 && !l.take(",") {
			return nil, l.expected(", or " + end)
		}
		if l.take(end) { // a comma before the end
			break
		}
		v, err := l.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func (l *literal) dict() (any, error) {
	dict := []literalPair{}
	for !l.take("}") {
		if len(dict) > 0 && !l.take(",") {
			return nil, l.expected(", or }")
		}
		if l.take("}") {
			break
		}
		key, err := l.value()
		if err != nil {
			return nil, err
		}
		if !l.take(":") {
			return nil, l.expected(":")
		}
		v, err := l.value()
		if err != nil {
			return nil, err
		}
		dict = append(dict, literalPair{key, v})
	}
	return dict, nil
}

// escapes of one character.
var literalEscapes = map[byte]string{
	'\\': `\`, '\'': `'`, '"': `"`, 'n': "\n", 't': "\t", 'r': "\r", 'a': "\a", 'b': "\b", 'f': "\f", 'v': "\v", '\n': "",
}

func (l *literal) quoted(quote byte) (any, error) {
	var s strings.Builder
	for l.at < len(l.text) {
		c := l.text[l.at]
		l.at++
		switch {
		case c == quote:
			return s.String(), nil
		case c != '\\':
			s.WriteByte(c)
		default:
			if err := l.escape(&s); err != nil {
				return nil, err
			}
		}
	}
	return nil, l.expected("a closing " + string(quote))
}

func (l *literal) escape(s *strings.Builder) error {
	if l.at == len(l.text) {
		return l.expected("a character after the backslash")
	}
	c := l.text[l.at]
	if plain, ok := literalEscapes[c]; ok {
		l.at++
		s.WriteString(plain)
		return nil
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	if digits == 0 {
		s.WriteByte('\\') // as Python does with an escape it does not know
		return nil
	}
	end := l.at + 1 + digits
	if end > len(l.text) {
		return l.expected("an escape")
	}
	code, err := strconv.ParseUint(l.text[l.at+1:end], 16, 32)
	if err != nil || code > utf8.MaxRune {
		return l.expected("an escape")
	}
	l.at = end
	s.WriteRune(rune(code))
	return nil
}

func (l *literal) number() (any, error) {
	start := l.at
	for l.at < len(l.text) && strings.IndexByte("+-.0123456789eE", l.text[l.at]) >= 0 {
		l.at++
	}
	word := l.text[start:l.at]
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return n, nil
	}
	x, err := strconv.ParseFloat(word, 64)
	if err != nil {
		l.at = start
		return nil, l.expected("a value")
	}
	return x, nil
}
