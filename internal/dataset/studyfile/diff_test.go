package studyfile

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// sides gives the two sides of a change.
func sides(all []LineChange) (before, after []string) {
	for _, l := range all {
		if l.Op != '+' {
			before = append(before, l.Text)
		}
		if l.Op != '-' {
			after = append(after, l.Text)
		}
	}
	return before, after
}

func TestAChangeLeadsFromOneVersionToTheOther(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	lines := func() []string {
		var list []string
		for range rng.IntN(12) {
			list = append(list, fmt.Sprint("line ", rng.IntN(5)))
		}
		return list
	}
	for range 3000 {
		a, b := lines(), lines()
		all := compareLines(a, b)
		before, after := sides(all)
		if strings.Join(before, "\n") != strings.Join(a, "\n") || strings.Join(after, "\n") != strings.Join(b, "\n") {
			t.Fatalf("from %q to %q it says %v", a, b, all)
		}
		kept := 0
		for _, l := range all {
			if l.Op == ' ' {
				kept++
			}
		}
		if want := longestCommon(a, b); kept != want {
			t.Fatalf("from %q to %q it keeps %d lines of %d", a, b, kept, want)
		}
	}
}

// longestCommon is how many lines can stay, by the plain recursion.
func longestCommon(a, b []string) int {
	table := make([][]int, len(a)+1)
	table[0] = make([]int, len(b)+1)
	for i := range a {
		table[i+1] = make([]int, len(b)+1)
		for j := range b {
			if table[i+1][j+1] = max(table[i][j+1], table[i+1][j]); a[i] == b[j] {
				table[i+1][j+1] = table[i][j] + 1
			}
		}
	}
	return table[len(a)][len(b)]
}

func TestChangesNameTheFilesAndFoldTheRest(t *testing.T) {
	long := strings.Repeat("same\n", 50)
	got := Changes(
		Files{"a": []byte("x"), "gone": []byte("x"), "long": []byte(long + "old\n" + long), "same": []byte("s")},
		Files{"a": []byte("x\r\ny\r\n"), "new": []byte("x"), "long": []byte(long + "new\n" + long), "same": []byte("s")})
	var said []string
	for _, c := range got {
		said = append(said, fmt.Sprintf("%s %v %v +%d -%d %d lines", c.File, c.Added, c.Removed, c.Plus, c.Minus, len(c.Lines)))
	}
	want := "a false false +1 -0 2 lines\ngone false true +0 -0 0 lines\nlong false false +1 -1 8 lines\nnew true false +0 -0 0 lines"
	if strings.Join(said, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(said, "\n"), want)
	}
}

func TestFilesWithNothingInCommonAreComparedInTime(t *testing.T) {
	var a, b []string
	for i := range 20_000 {
		a, b = append(a, fmt.Sprint("a", i)), append(b, fmt.Sprint("b", i))
	}
	if all := compareLines(a, b); len(all) != 40_000 {
		t.Errorf("%d lines", len(all))
	}
}
