package score

import "math"

// Join is one step of a hierarchical clustering: two clusters become one.
// Clusters below the number of leaves are the leaves, the others are numbered
// in the order of their joins.
type Join struct {
	A      int     `json:"a"`
	B      int     `json:"b"`
	Height float64 `json:"height"`
	Size   int     `json:"size"`
}

// ward clusters rows by Ward's minimum variance on Euclidean distances (Ward 1963), with the update of Lance
// and Williams. At each step the closest pair joins; among equally close pairs, the one with the lowest
// numbers.
func ward(rows [][]float64) []Join {
	n := len(rows)
	apart := map[[2]int]float64{}
	for a := range rows {
		for b := range a {
			sum := 0.0
			for k := range rows[a] {
				sum += (rows[a][k] - rows[b][k]) * (rows[a][k] - rows[b][k])
			}
			apart[[2]int{b, a}] = math.Sqrt(sum)
		}
	}
	distance := func(a, b int) float64 { return apart[[2]int{min(a, b), max(a, b)}] }
	size := make([]float64, n, 2*n)
	var live []int
	for i := range n {
		size[i] = 1
		live = append(live, i)
	}
	var joins []Join
	for len(live) > 1 {
		x, y := 0, 1
		for i := range live {
			for k := i + 1; k < len(live); k++ {
				if distance(live[i], live[k]) < distance(live[x], live[y]) {
					x, y = i, k
				}
			}
		}
		a, b, made := live[x], live[y], len(size)
		for _, c := range live {
			if c == a || c == b {
				continue
			}
			total := size[a] + size[b] + size[c]
			square := (size[a]+size[c])/total*math.Pow(distance(a, c), 2) +
				(size[b]+size[c])/total*math.Pow(distance(b, c), 2) - size[c]/total*math.Pow(distance(a, b), 2)
			apart[[2]int{c, made}] = math.Sqrt(math.Max(0, square))
		}
		joins = append(joins, Join{a, b, distance(a, b), int(size[a] + size[b])})
		size = append(size, size[a]+size[b])
		live = append(live[:y], live[y+1:]...)
		live = append(live[:x], live[x+1:]...)
		live = append(live, made)
	}
	return joins
}

// leafOrder lists the leaves from one side of the tree to the other.
func leafOrder(n int, joins []Join) []int {
	if n == 0 {
		return nil
	}
	var order []int
	var walk func(cluster int)
	walk = func(cluster int) {
		if cluster < n {
			order = append(order, cluster)
			return
		}
		walk(joins[cluster-n].A)
		walk(joins[cluster-n].B)
	}
	walk(n + len(joins) - 1)
	return order
}
