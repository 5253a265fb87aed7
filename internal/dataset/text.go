package dataset

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

var (
	utf8Mark = []byte("\xef\xbb\xbf")

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

// plainText returns a file's UTF-8 text without its byte-order mark, or adds to faults why it is not text.
func plainText(file string, data []byte, faults *Faults) (text []byte, ok bool) {
	for _, f := range foreign {
		if bytes.HasPrefix(data, []byte(f.start)) {
			*faults = append(*faults, Fault{File: file, Message: f.advice})
			return nil, false
		}
	}
	text = bytes.TrimPrefix(data, utf8Mark)
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
