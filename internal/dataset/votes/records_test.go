package votes

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// readWhole lists rows with their lines, and the error that ended them.
func readWhole(next func() ([]string, error), line func() int) string {
	var b strings.Builder
	for {
		row, err := next()
		if err != nil {
			fmt.Fprintf(&b, "%v", err)
			return b.String()
		}
		fmt.Fprintf(&b, "%d %q\n", line(), row)
	}
}

// sameAsCSV holds records against encoding/csv, strict and loose.
func sameAsCSV(t *testing.T, text string) {
	t.Helper()
	for _, loose := range []bool{false, true} {
		theirs := csv.NewReader(strings.NewReader(text))
		ours := newRecords(strings.NewReader(text))
		if loose {
			theirs.FieldsPerRecord, theirs.LazyQuotes = -1, true
			ours.loosen()
		}
		want := readWhole(theirs.Read, func() int { line, _ := theirs.FieldPos(0); return line })
		got := readWhole(ours.next, ours.line)
		if got != want {
			t.Errorf("%.80q, loose %v: got\n%s\nwant\n%s", text, loose, got, want)
		}
	}
}

func TestRecordsReadWhatCSVReads(t *testing.T) {
	long := strings.Repeat("0123456789,", 20_000)
	for _, text := range []string{
		"", "\n", "\n\n\r\n", "a", "a,b\n1,2", "a,b\r\n1,2\r\n\r\n3,4\r", "a,b\n\n1,2\n1\n3,4\n", "a,b\n1,2,3\n", ",\n,\n",
		"a,b\n1,2\n\"x\ny\",3\n4\n", "a\n1\n\"x\"y\n", "a\n1\nx\"y\n", "\"a\",b\n1\n", "a\n\"", "a\r\rb\r\n", "a,\x00\n\xff,é\n",
		long + "z\n" + long + "\"z\"\n" + long + "z", long + "\n1,2\n",
	} {
		sameAsCSV(t, text)
	}
}

func FuzzRecords(f *testing.F) {
	f.Add("a,b\n1,2\r\n\"x\ny\",3\n4\"\n")
	f.Fuzz(sameAsCSV)
}

func TestRecordsReportAFailingSource(t *testing.T) {
	broken := errors.New("the disk is gone")
	r := newRecords(io.MultiReader(strings.NewReader("a,b\n1,2\n3"), iotest.ErrReader(broken)))
	for _, want := range [][]string{{"a", "b"}, {"1", "2"}} {
		row, err := r.next()
		if err != nil && errors.Is(err, broken) {
			return // told as soon as it is met
		}
		if err != nil || !reflect.DeepEqual(row, want) {
			t.Fatalf("%q, %v", row, err)
		}
	}
	if _, err := r.next(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
