package cluster

import (
	"context"
	"math"
)

// silhouettes returns each point's silhouette under each partition: (b-a) /
// max(a,b), with a the mean distance to the others of the own group and b the
// smallest mean distance to another group (Rousseeuw, 1987); 0 for a group of
// one and where all distances vanish. Partitions share one walk over the pairs.
func silhouettes(ctx context.Context, points []point, parts []partition) ([][]float64, error) {
	n := len(points)
	s := make([][]float64, len(parts))
	sizes := make([][]int, len(parts))
	width := 0
	for p, part := range parts {
		s[p] = make([]float64, n)
		sizes[p] = make([]int, part.k)
		for _, c := range part.label {
			sizes[p][c]++
		}
		width += part.k
	}
	const chunk = 64
	err := parallel(ctx, (n+chunk-1)/chunk, func(at int) {
		sums := make([]float64, width)
		for i := at * chunk; i < min(n, (at+1)*chunk); i++ {
			clear(sums)
			for j := range points {
				d := points[i].distance(points[j])
				base := 0
				for p := range parts {
					sums[base+parts[p].label[j]] += d
					base += parts[p].k
				}
			}
			base := 0
			for p, part := range parts {
				s[p][i] = silhouette(sums[base:base+part.k], sizes[p], part.label[i])
				base += part.k
			}
		}
	})
	return s, err
}

// silhouette is one point's value from its summed distances to each group.
func silhouette(sums []float64, sizes []int, own int) float64 {
	if sizes[own] < 2 {
		return 0
	}
	a := sums[own] / float64(sizes[own]-1)
	b := math.Inf(1)
	for c, sum := range sums {
		if c != own {
			b = min(b, sum/float64(sizes[c]))
		}
	}
	if math.IsInf(b, 1) || max(a, b) == 0 {
		return 0
	}
	return (b - a) / max(a, b)
}

func mean(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}
