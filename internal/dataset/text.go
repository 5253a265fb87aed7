package dataset

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	UTF8Mark = []byte("\xef\xbb\xbf")

	// foreign are the beginnings of files that people give instead of plain text.
	foreign = []struct {
		start  string
		advice string
	}{
		{"PK\x03\x04", "is a spreadsheet workbook or a zip archive; expected a text file, so save it as “CSV UTF-8”"},
		{"\xd0\xcf\x11\xe0", "is an old Excel workbook; expected a text file, so save it as “CSV UTF-8”"},
		{"\xff\xfe", "is encoded as UTF-16; expected UTF-8 (in a spreadsheet program, save as “CSV UTF-8”)"},
		{"\xfe\xff", "is encoded as UTF-16; expected UTF-8 (in a spreadsheet program, save as “CSV UTF-8”)"},
		{"%PDF", "is a PDF; expected a text file"},
		{"\x1f\x8b", "is gzip-compressed; expected a text file, so unpack it first"},
	}
)

// ForeignFormat tells a file that is no plain text by how it begins, and says
// what to do about it.
func ForeignFormat(start []byte) (advice string, is bool) {
	for _, f := range foreign {
		if bytes.HasPrefix(start, []byte(f.start)) {
			return f.advice, true
		}
	}
	return "", false
}

// PlainText returns a file's UTF-8 text without its byte-order mark, or adds to faults why it is not text.
func PlainText(file string, data []byte, faults *Faults) (text []byte, ok bool) {
	if advice, is := ForeignFormat(data); is {
		*faults = append(*faults, Fault{File: file, Message: advice})
		return nil, false
	}
	text = bytes.TrimPrefix(data, UTF8Mark)
	ok = true
	line := 0
	for row := range bytes.Lines(text) {
		line++
		switch at, size := badRune(row); {
		case size > 0:
			ok = false
			*faults = append(*faults, Fault{File: file, Line: line,
				Message: fmt.Sprintf("is not UTF-8 at its byte %d (0x%X, after %q); expected UTF-8 (in a spreadsheet program, save as “CSV UTF-8”)", at+1, row[at], tail(row[:at], 20))})
		case bytes.IndexByte(row, 0) >= 0:
			ok = false
			*faults = append(*faults, Fault{File: file, Line: line, Message: "contains a NUL character; expected text"})
		}
	}
	if ok && bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') >= 0 {
		*faults = append(*faults, Fault{File: file, Message: "ends its lines with CR alone; expected LF or CR LF, so save it with Unix or Windows line endings"})
		return nil, false
	}
	return text, ok
}

// badRune is where a line stops being UTF-8; size 0 if it does not.
func badRune(row []byte) (at, size int) {
	for at < len(row) {
		r, n := utf8.DecodeRune(row[at:])
		if r == utf8.RuneError && n == 1 {
			return at, n
		}
		at += n
	}
	return 0, 0
}

// tail is the last n characters of a valid text.
func tail(b []byte, n int) string {
	r := []rune(string(b))
	return string(r[max(0, len(r)-n):])
}

// Harmless keeps spreadsheet programs from converting a text: an apostrophe in front makes it text. They take
// text that begins with = + - @ (after blanks, too) or a control character for a formula, and anything that looks like a number,
// date or truth value in any country for one. Plain whole numbers, such as most ids, are not changed because
// they survive. Tabs become spaces, because LibreOffice drops them and joins the words on either side.
func Harmless(text string) string {
	if text == "" {
		return text
	}
	harmful := strings.HasPrefix(text, "\t")
	text = strings.ReplaceAll(text, "\t", " ")
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " \u00A0\u3000"))
	if harmful || strings.ContainsRune("=+-@\r\n＝＋－＠", first) || looksConverted.MatchString(text) && !plainNumber.MatchString(text) {
		return "'" + text
	}
	return text
}

var (
	// plainNumber is a whole number that comes back as the same digits.
	plainNumber = regexp.MustCompile(`^(0|[1-9][0-9]{0,14})$`)

	// looksConverted is a number, amount, share, date, time or truth value.
	looksConverted = regexp.MustCompile(`(?i)^\s*(true|false|[\p{Sc}\s]*[0-9.,][0-9\s.,:/%()'’°\p{Sc}-]*(e[+-]?[0-9]+)?(\s*[ap]\.?m\.?)?` +
		`|[0-9\s.,:/-]*(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-zé]*[0-9\s.,:/-]*)\s*$`)
)

// LanguageTag is what a language tag looks like, such as en or pt-BR.
var LanguageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)
