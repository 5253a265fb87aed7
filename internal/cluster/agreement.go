package cluster

import "fmt"

// AdjustedRand returns the adjusted Rand index of two partitions of the same
// things (Hubert and Arabie, 1985): 1 for equal partitions, 0 on average for
// unrelated ones. Labels are arbitrary. Two partitions that are both trivial,
// all in one group or each alone, count as equal when they are equal. It
// panics when the lengths differ.
func AdjustedRand(a, b []int) float64 {
	if len(a) != len(b) {
		panic(fmt.Sprintf("cluster: AdjustedRand of %d and %d labels", len(a), len(b)))
	}
	type pair struct{ a, b int }
	cells := map[pair]int{}
	rows, cols := map[int]int{}, map[int]int{}
	for i := range a {
		cells[pair{a[i], b[i]}]++
		rows[a[i]]++
		cols[b[i]]++
	}
	// Pairs are counted in whole numbers, so the order of the maps is irrelevant.
	pairs := func(n int) int { return n * (n - 1) / 2 }
	var both, inA, inB int
	for _, n := range cells {
		both += pairs(n)
	}
	for _, n := range rows {
		inA += pairs(n)
	}
	for _, n := range cols {
		inB += pairs(n)
	}
	total := pairs(len(a))
	if total == 0 || 2*both == inA+inB {
		return 1
	}
	expected := float64(inA) * float64(inB) / float64(total)
	mean := float64(inA+inB) / 2
	return (float64(both) - expected) / (mean - expected)
}
