package cluster

import (
	"context"
	"math"
	"slices"
)

const (
	// silhouetteExact is the largest number of participants whose silhouettes are computed from all
	// distances. If there are more, the mean is taken over a seeded sample of this size, and each
	// participant's own silhouette is computed against silhouetteReference members of the sample.
	silhouetteExact     = 5000
	silhouetteReference = 1000
)

// silhouettes returns, for some points, their silhouettes under each partition: (b-a) / max(a,b), with a the
// mean distance to the others of the same group and b the smallest mean distance to another group (Rousseeuw,
// 1987); 0 for a group of one and if all distances are zero. at are the points in question; reference,
// ascending, those that represent the groups; nil means all. Partitions share one pass over the pairs.
func silhouettes(ctx context.Context, points []point, parts []partition, at, reference []int) ([][]float64, error) {
	n := len(points)
	if at == nil {
		at = sampleRows(n, n, nil)
	}
	if reference == nil {
		reference = sampleRows(n, n, nil)
	}
	s := make([][]float64, len(parts))
	sizes := make([][]int, len(parts))
	width := 0
	for p, part := range parts {
		s[p] = make([]float64, len(at))
		sizes[p] = make([]int, part.k)
		for _, j := range reference {
			sizes[p][part.label[j]]++
		}
		width += part.k
	}
	// The sums that each reference point's distance goes into, one a partition.
	into := make([]int32, 0, len(reference)*len(parts))
	places := make([]point, len(reference))
	for n, j := range reference {
		places[n] = points[j]
		base := 0
		for _, part := range parts {
			into = append(into, int32(base+part.label[j]))
			base += part.k
		}
	}
	const chunk = 64
	err := parallel(ctx, (len(at)+chunk-1)/chunk, func(block int) {
		sums := make([]float64, width)
		for q := block * chunk; q < min(len(at), (block+1)*chunk); q++ {
			i := at[q]
			clear(sums)
			rest := into
			for _, place := range places {
				d := points[i].distance(place)
				for _, at := range rest[:len(parts)] {
					sums[at] += d
				}
				rest = rest[len(parts):]
			}
			_, among := slices.BinarySearch(reference, i)
			base := 0
			for p, part := range parts {
				s[p][q] = silhouette(sums[base:base+part.k], sizes[p], part.label[i], among)
				base += part.k
			}
		}
	})
	return s, err
}

// silhouette is one point's value from its summed distances to each group.
// among says whether the point itself is one of those summed.
func silhouette(sums []float64, sizes []int, own int, among bool) float64 {
	others := sizes[own]
	if among {
		others--
	}
	if others < 1 {
		return 0
	}
	a := sums[own] / float64(others)
	b := math.Inf(1)
	for c, sum := range sums {
		if c != own && sizes[c] > 0 {
			b = min(b, sum/float64(sizes[c]))
		}
	}
	if math.IsInf(b, 1) || max(a, b) == 0 {
		return 0
	}
	return (b - a) / max(a, b)
}

// meanSilhouette is the mean of the points' silhouettes. It is undefined, NaN,
// for one group and for as many groups as there are points.
func meanSilhouette(values []float64, k, points int) float64 {
	if k < 2 || k >= points {
		return math.NaN()
	}
	return mean(values)
}

// chooseK returns the index of the largest mean silhouette, of equals that of the smaller k, then the
// earlier; -1 if all are undefined.
func chooseK(means []float64, ks []int) int {
	best := -1
	for n, s := range means {
		if math.IsNaN(s) {
			continue
		}
		if best < 0 || s > means[best] || s == means[best] && ks[n] < ks[best] {
			best = n
		}
	}
	return best
}

func mean(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}
