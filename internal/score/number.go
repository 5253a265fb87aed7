package score

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Number is a float64 that may be undefined: NaN in Go, null in JSON.
type Number float64

// Undefined returns the Number that stands for "no value".
func Undefined() Number { return Number(math.NaN()) }

// Defined tells whether n is a finite value.
func (n Number) Defined() bool {
	return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0)
}

// Text formats n for people with this many decimals: a dash if it is undefined, and no sign if it rounds to
// zero.
func (n Number) Text(decimals int) string {
	if !n.Defined() {
		return "–"
	}
	text := strconv.FormatFloat(float64(n), 'f', decimals, 64)
	if zero := strings.TrimPrefix(text, "-"); strings.Trim(zero, "0.") == "" {
		return zero
	}
	return text
}

// SignedText is Text with a plus sign if n is not negative.
func (n Number) SignedText(decimals int) string {
	text := n.Text(decimals)
	if n.Defined() && !strings.HasPrefix(text, "-") {
		return "+" + text
	}
	return text
}

// PText writes a p-value for people.
func (n Number) PText() string {
	if n < 0.0001 {
		return "<0.0001"
	}
	return n.Text(4)
}

// Descending orders numbers from high to low, undefined ones last.
func Descending(a, b Number) int {
	switch {
	case a.Defined() && b.Defined():
		return cmp.Compare(b, a)
	case a.Defined():
		return -1
	case b.Defined():
		return 1
	}
	return 0
}

// MarshalJSON writes full precision, or null where n is undefined.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Defined() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads a JSON number or null.
func (n *Number) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		*n = Undefined()
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// Interval is a closed interval, [low, high] in JSON, null if either end is undefined.
type Interval struct{ Low, High Number }

// UndefinedInterval returns the Interval that stands for "no interval".
func UndefinedInterval() Interval { return Interval{Undefined(), Undefined()} }

// Text writes the interval for people, with so many decimals.
func (i Interval) Text(decimals int) string {
	if !i.Defined() {
		return "–"
	}
	return i.Low.Text(decimals) + " to " + i.High.Text(decimals)
}

// Defined tells whether both ends are.
func (i Interval) Defined() bool { return i.Low.Defined() && i.High.Defined() }

// MarshalJSON writes [low, high] or null.
func (i Interval) MarshalJSON() ([]byte, error) {
	if !i.Defined() {
		return []byte("null"), nil
	}
	return json.Marshal([2]Number{i.Low, i.High})
}

// UnmarshalJSON reads [low, high] or null.
func (i *Interval) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		*i = UndefinedInterval()
		return nil
	}
	var ends [2]Number
	if err := json.Unmarshal(b, &ends); err != nil {
		return err
	}
	*i = Interval{ends[0], ends[1]}
	return nil
}

// mean is the plain mean of the defined values, undefined if there are none.
func mean(values []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// compareIDs orders identifiers as people do: whole numbers first, by value, then words by bytes.
func compareIDs(a, b string) int {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	switch {
	case errX == nil && errY == nil && x != y:
		return cmp.Compare(x, y)
	case errX == nil && errY != nil:
		return -1
	case errX != nil && errY == nil:
		return 1
	}
	return cmp.Compare(a, b)
}

// sortedIDs returns the keys of a set in the order of compareIDs.
func sortedIDs[V any](set map[string]V) []string {
	ids := make([]string, 0, len(set))
	for id := range set {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, compareIDs)
	return ids
}
