package cluster

import (
	"fmt"
	"strings"
	"testing"
)

// everyone casts the same vote for each of n people on m statements.
func everybody(n, m int, vote func(i, j int) Vote) []cell {
	var cells []cell
	for i := range n {
		for j := range m {
			cells = append(cells, cell{fmt.Sprint(i), fmt.Sprint(j), vote(i, j)})
		}
	}
	return cells
}

func TestSmallAndDegenerateMatrices(t *testing.T) {
	t.Parallel()
	unseen := NewBuilder()
	for _, c := range everybody(20, 8, func(i, j int) Vote { return Vote(1 - 2*(i%2)) }) {
		unseen.Vote(c.participant, c.statement, c.vote)
	}
	unseen.Statement(StatementInfo{ID: "nobody"})
	unseen.Participant("silent")
	for name, c := range map[string]struct {
		m               *Matrix
		k, grouped, out int
	}{
		"nothing":                  {build(nil), 0, 0, 0},
		"one participant":          {build(everybody(1, 9, func(_, j int) Vote { return Vote(j%3 - 1) })), 1, 1, 0},
		"one statement, two views": {build(everybody(30, 1, func(i, _ int) Vote { return Vote(1 - 2*(i%2)) })), 2, 30, 0},
		"all alike":                {build(everybody(20, 9, func(_, j int) Vote { return Vote(j%3 - 1) })), 1, 20, 0},
		"all neutral":              {build(everybody(20, 9, func(int, int) Vote { return Neutral })), 1, 20, 0},
		"two distinct rows":        {build(everybody(20, 9, func(i, j int) Vote { return Vote(1 - 2*((i+j)%2)) })), 2, 20, 0},
		"fourteen participants":    {build(everybody(14, 9, func(i, j int) Vote { return Vote(1 - 2*((i%2+j)%2)) })), 2, 14, 0},
		"a statement nobody saw":   {unseen.Matrix(), 2, 20, 1},
	} {
		for _, method := range Methods() {
			o := DefaultOptions()
			o.Method = method
			k := c.k
			if method == Block && name == "one statement, two views" {
				k = 1 // one vote each tells nothing that the votes themselves do not
			}
			t.Run(string(method)+"/"+name, func(t *testing.T) { check(t, run(t, c.m, o), k, c.grouped, c.out) })
		}
	}
}

func check(t *testing.T, res *Result, k, grouped, out int) {
	t.Helper()
	if res.K != k || len(res.Participants) != grouped || len(res.LeftOut) != out || len(res.Groups) != k {
		t.Errorf("k %d, %d groups, %d grouped, %d left out; want %d, %d, %d",
			res.K, len(res.Groups), len(res.Participants), len(res.LeftOut), k, grouped, out)
	}
	if s := encode(t, res); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
		t.Error(s)
	}
	total := 0
	for _, g := range res.Groups {
		total += g.Size
	}
	if total != grouped {
		t.Errorf("sizes add up to %d, want %d", total, grouped)
	}
}
