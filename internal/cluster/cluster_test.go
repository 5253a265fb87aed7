package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// cell is one vote of a test's matrix.
type cell struct {
	participant, statement string
	vote                   Vote
}

// planted makes votes of people in k groups of equal size: each group has its
// own leaning on each statement, and each person votes on some of them.
func planted(rng *rand.Rand, people, statements, votes, k int) (cells []cell, truth map[string]int) {
	leaning := make([][]float64, k)
	for g := range leaning {
		leaning[g] = make([]float64, statements)
		for j := range leaning[g] {
			leaning[g][j] = 0.05 + 0.9*float64(rng.IntN(2))
		}
	}
	truth = map[string]int{}
	for i := range people {
		id, g := fmt.Sprint(i), i%k
		truth[id] = g
		for _, j := range rng.Perm(statements)[:votes] {
			v := Disagree
			if rng.Float64() < leaning[g][j] {
				v = Agree
			}
			cells = append(cells, cell{id, fmt.Sprint(j), v})
		}
	}
	return cells, truth
}

func build(cells []cell) *Matrix {
	b := NewBuilder()
	for _, c := range cells {
		b.Vote(c.participant, c.statement, c.vote)
	}
	return b.Matrix()
}

func run(t *testing.T, m *Matrix, o Options) *Result {
	t.Helper()
	res, err := Run(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// agreement is the adjusted Rand index of a result with the planted groups.
func agreement(res *Result, truth map[string]int) float64 {
	var a, b []int
	for _, p := range res.Participants {
		a, b = append(a, p.Group), append(b, truth[p.ID])
	}
	return AdjustedRand(a, b)
}

func TestGroupsAreNamedByLetters(t *testing.T) {
	for n, want := range map[int]string{-1: "", 0: "A", 1: "B", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"} {
		if got := GroupName(n); got != want {
			t.Errorf("group %d is called %q, want %q", n, got, want)
		}
	}
}

func TestPlantedGroupsAreFound(t *testing.T) {
	t.Parallel()
	for _, k := range []int{2, 3} {
		cells, truth := planted(rand.New(rand.NewPCG(7, uint64(k))), 60, 60, 25, k)
		res := run(t, build(cells), DefaultOptions())
		if res.K != k || agreement(res, truth) < 0.95 {
			t.Errorf("%d planted groups: k %d, adjusted Rand index %.2f", k, res.K, agreement(res, truth))
		}
	}
}

func TestOrderAndCoresDoNotMatter(t *testing.T) {
	cells, _ := planted(rand.New(rand.NewPCG(3, 3)), 80, 40, 12, 3)
	want := encode(t, run(t, build(cells), DefaultOptions()))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for try := range 20 {
		runtime.GOMAXPROCS(1 + try%3)
		rand.New(rand.NewPCG(1, uint64(try))).Shuffle(len(cells), func(a, b int) { cells[a], cells[b] = cells[b], cells[a] })
		if got := encode(t, run(t, build(cells), DefaultOptions())); got != want {
			t.Fatalf("shuffle %d changed the result\n%s\n%s", try, want, got)
		}
	}
}

func TestLaterVoteReplacesEarlier(t *testing.T) {
	t.Parallel()
	m := build([]cell{{"a", "2", Agree}, {"a", "1", Agree}, {"b", "1", Neutral}, {"a", "2", Disagree}})
	if m.Votes() != 3 {
		t.Fatalf("%d votes stored, want 3", m.Votes())
	}
	columns, votes := m.Row(0)
	if m.Statement(int(columns[0])).ID != "2" || votes[0] != Disagree {
		t.Errorf("row of a is %v %v", columns, votes)
	}
}

func TestIDsAreOrderedByValue(t *testing.T) {
	t.Parallel()
	ordered := []string{"0", "2", "10", "010", "99999999999999999999", "100000000000000000000", "", "-1", "a10", "a2"}
	for i, a := range ordered {
		for j, b := range ordered {
			got := CompareIDs(a, b)
			if i == j && got != 0 || i < j && !(got < 0) && a != "10" && a != "010" || i > j && !(got > 0) && a != "10" && a != "010" {
				t.Errorf("CompareIDs(%q, %q) = %d", a, b, got)
			}
			if got != -CompareIDs(b, a) {
				t.Errorf("CompareIDs(%q, %q) is not antisymmetric", a, b)
			}
		}
	}
}

func TestAdjustedRand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b []int
		want float64
	}{
		{nil, nil, 1},
		{[]int{4}, []int{9}, 1},
		{[]int{0, 0, 1, 1}, []int{1, 1, 0, 0}, 1},
		{[]int{0, 0, 1, 1}, []int{0, 0, 1, 2}, 4.0 / 7},
		{[]int{0, 0, 1, 1}, []int{0, 1, 0, 1}, -0.5},
		{[]int{0, 0, 0, 0}, []int{0, 0, 1, 1}, 0},
		{[]int{0, 0, 0}, []int{5, 5, 5}, 1},
	} {
		if got := AdjustedRand(c.a, c.b); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("AdjustedRand(%v, %v) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestOptionsOutOfRangeAreRefused(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*Options){
		func(o *Options) { o.Method = "magic" },
		func(o *Options) { o.K = -1 },
		func(o *Options) { o.KMax = 0 },
		func(o *Options) { o.MinVotes = -1 },
		func(o *Options) { o.Starts = 0 },
	} {
		o := DefaultOptions()
		change(&o)
		if _, err := Run(context.Background(), build(nil), o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

func TestOptionsRecordAutoK(t *testing.T) {
	t.Parallel()
	if s := encode(t, DefaultOptions()); !strings.Contains(s, `"k":"auto"`) || strings.Count(s, `"k":`) != 1 {
		t.Error(s)
	}
}

func TestCancelledRunStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	cells, _ := planted(rand.New(rand.NewPCG(3, 3)), 30, 20, 10, 2)
	if _, err := Run(ctx, build(cells), DefaultOptions()); err == nil {
		t.Error("no error")
	}
}

func TestTheSameWordsTellAGroupApartOnce(t *testing.T) {
	t.Parallel()
	g := Group{Representative: []Representative{
		{Statement: "1", Direction: "agree"}, {Statement: "2", Direction: "agree"}, {Statement: "3", Direction: "agree"},
		{Statement: "2", Direction: "disagree"}, {Statement: "8", Direction: "agree"}, {Statement: "9", Direction: "agree"},
	}}
	var got []string
	for _, r := range g.Telling(map[string]string{"1": "Yes.", "2": "Yes.", "3": "Perhaps."}) {
		got = append(got, r.Statement+" "+r.Direction)
	}
	// What the texts of 8 and 9 are is not known, so they may differ.
	if want := "1 agree, 3 agree, 2 disagree, 8 agree, 9 agree"; strings.Join(got, ", ") != want {
		t.Errorf("%s; want %s", strings.Join(got, ", "), want)
	}
}
