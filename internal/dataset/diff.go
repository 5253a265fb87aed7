package dataset

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// FileChange is how one file differs between two versions of a study.
type FileChange struct {
	File           string
	Added, Removed bool         // the file as a whole
	Lines          []LineChange // what changed, with some context
	Plus, Minus    int          // lines added and removed
}

// LineChange is one line of a change. Op is ' ' for an unchanged line, '+',
// '-', or '…' where lines that stayed are left out.
type LineChange struct {
	Op   rune
	Text string
}

// aroundChange is how many unchanged lines are shown around a change.
const aroundChange = 2

// Changes lists what changed from one study's files to another's, file by file.
func Changes(from, to Files) []FileChange {
	var list []FileChange
	both := map[string]bool{}
	for name := range from {
		both[name] = true
	}
	for name := range to {
		both[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(both)) {
		before, was := from[name]
		after, is := to[name]
		if was && is && bytes.Equal(before, after) {
			continue
		}
		c := FileChange{File: name, Added: !was, Removed: !is}
		var all []LineChange
		if was && is {
			all = compareLines(splitLines(before), splitLines(after))
		}
		for _, l := range all {
			switch l.Op {
			case '+':
				c.Plus++
			case '-':
				c.Minus++
			}
		}
		c.Lines = folded(all)
		list = append(list, c)
	}
	return list
}

func splitLines(content []byte) []string {
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// maxEdits limits the work of comparing two files. Beyond it, everything between their common ends counts as
// replaced.
const maxEdits = 1000

// compareLines finds the fewest lines to remove and add (Myers 1986, “An
// O(ND) difference algorithm”, section 2).
func compareLines(a, b []string) []LineChange {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var list []LineChange
	add := func(op rune, lines []string) {
		for _, l := range lines {
			list = append(list, LineChange{op, l})
		}
	}
	add(' ', a[:head])
	list = append(list, shortestEdit(a[head:len(a)-tail], b[head:len(b)-tail])...)
	add(' ', a[len(a)-tail:])
	return list
}

func shortestEdit(a, b []string) []LineChange {
	n, m := len(a), len(b)
	most := min(n+m, maxEdits)
	reach := make([]int, 2*most+3) // by diagonal: how far along a
	mid := most + 1
	var trace [][]int
	for d := 0; d <= most; d++ {
		trace = append(trace, slices.Clone(reach[mid-d-1:mid+d+2]))
		for k := -d; k <= d; k += 2 {
			x := reach[mid+k-1] + 1
			if k == -d || k != d && reach[mid+k-1] < reach[mid+k+1] {
				x = reach[mid+k+1]
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			if reach[mid+k] = x; x >= n && x-k >= m {
				return walkBack(a, b, trace)
			}
		}
	}
	var list []LineChange
	for _, l := range a {
		list = append(list, LineChange{'-', l})
	}
	for _, l := range b {
		list = append(list, LineChange{'+', l})
	}
	return list
}

// walkBack follows the traces of how far each number of edits reached, from the end to the beginning.
func walkBack(a, b []string, trace [][]int) []LineChange {
	var list []LineChange
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		at := func(k int) int { return trace[d][d+1+k] }
		k := x - y
		before := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			before = k + 1
		}
		fromX := at(before)
		fromY := fromX - before
		for x > fromX && y > fromY && x > 0 && y > 0 {
			x--
			y--
			list = append(list, LineChange{' ', a[x]})
		}
		if d == 0 {
			break
		}
		if x == fromX {
			y--
			list = append(list, LineChange{'+', b[y]})
		} else {
			x--
			list = append(list, LineChange{'-', a[x]})
		}
	}
	slices.Reverse(list)
	return list
}

// folded leaves out unchanged lines that are far from any change.
func folded(all []LineChange) []LineChange {
	var list []LineChange
	for i, l := range all {
		near := slices.ContainsFunc(all[max(0, i-aroundChange):min(len(all), i+aroundChange+1)], func(l LineChange) bool { return l.Op != ' ' })
		switch {
		case near:
			list = append(list, l)
		case len(list) > 0 && list[len(list)-1].Op != '…' || len(list) == 0:
			list = append(list, LineChange{Op: '…'})
		}
	}
	return list
}
