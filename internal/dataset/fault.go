package dataset

import (
	"fmt"
	"strings"
)

// Fault is one thing wrong in a file, with what a person needs to mend it.
type Fault struct {
	File   string
	Line   int    // 1 is the first line, or the row of a Parquet file; 0: the file as a whole
	Column string // "" when the fault is not in one column
	Value  string
	// Expected says in words what should stand there.
	Expected string
}

// longestValue is how much of a faulty value an error shows.
const longestValue = 60

func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ", line %d", f.Line)
	}
	if f.Column != "" {
		value := f.Value
		if runes := []rune(value); len(runes) > longestValue {
			value = string(runes[:longestValue]) + "…"
		}
		fmt.Fprintf(&b, ", column %s: %q", f.Column, value)
	}
	return b.String() + ": expected " + f.Expected
}

// Faults is all that is wrong in one input; its message lists the first ones
// and counts the rest.
type Faults []Fault

// mostFaults is how many faults a message lists.
const mostFaults = 20

func (fs Faults) Error() string {
	lines := make([]string, 0, mostFaults+1)
	for i, f := range fs {
		if i == mostFaults {
			lines = append(lines, fmt.Sprintf("and %d more", len(fs)-mostFaults))
			break
		}
		lines = append(lines, f.Error())
	}
	return strings.Join(lines, "\n")
}

// orNil returns nil for no faults, so that the result is a nil error.
func (fs Faults) orNil() error {
	if len(fs) == 0 {
		return nil
	}
	return fs
}
