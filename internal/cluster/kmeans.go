package cluster

import (
	"context"
	"math"
	"math/rand/v2"
)

// partition is one grouping of points: a label for each, 0..k-1, no label
// without a point.
type partition struct {
	k       int
	label   []int
	inertia float64 // sum of squared distances to the centers
}

// maxLloyd bounds the rounds of one k-means run.
const maxLloyd = 100

// stream returns a random source for one purpose within one seed.
func stream(seed uint64, purpose ...uint64) *rand.Rand {
	h := uint64(0x9e3779b97f4a7c15)
	for _, p := range purpose {
		h = (h ^ p) * 0xbf58476d1ce4e5b9
		h ^= h >> 29
	}
	return rand.New(rand.NewPCG(seed, h))
}

// kmeans groups points by Lloyd's rounds from a k-means++ start, until no label
// changes. With fewer than k distinct points there are fewer groups.
func kmeans(points []point, k int, rng *rand.Rand) partition {
	return lloyd(points, plusPlus(points, k, rng))
}

// plusPlus draws up to k starting centers, each with probability proportional
// to the squared distance from those drawn before (Arthur and Vassilvitskii,
// 2007).
func plusPlus(points []point, k int, rng *rand.Rand) []point {
	centers := []point{points[rng.IntN(len(points))]}
	nearest := make([]float64, len(points))
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	for len(centers) < k {
		var total float64
		for i, p := range points {
			nearest[i] = min(nearest[i], p.distance2(centers[len(centers)-1]))
			total += nearest[i]
		}
		if total == 0 {
			break
		}
		at, chosen := rng.Float64()*total, -1
		for i, d := range nearest {
			if d > 0 {
				chosen = i // the last one stands in when rounding runs past the end
				if at -= d; at < 0 {
					break
				}
			}
		}
		centers = append(centers, points[chosen])
	}
	return centers
}

// lloyd runs k-means rounds from the given centers.
func lloyd(points []point, centers []point) partition {
	p := partition{label: make([]int, len(points))}
	for i := range p.label {
		p.label[i] = -1
	}
	for range maxLloyd {
		changed := false
		p.inertia = 0
		for i, q := range points {
			best, nearest := 0, math.Inf(1)
			for c := range centers {
				if d := q.distance2(centers[c]); d < nearest {
					best, nearest = c, d
				}
			}
			p.inertia += nearest
			if p.label[i] != best {
				p.label[i], changed = best, true
			}
		}
		centers = p.compact(points, len(centers))
		if !changed {
			break
		}
	}
	p.k = len(centers)
	return p
}

// compact drops labels without points and returns the centers.
func (p *partition) compact(points []point, k int) []point {
	centers := make([]point, k)
	size := make([]int, k)
	for i, c := range p.label {
		centers[c].x += points[i].x
		centers[c].y += points[i].y
		size[c]++
	}
	to := make([]int, k)
	n := 0
	for c := range centers {
		if size[c] > 0 {
			to[c] = n
			centers[n] = point{centers[c].x / float64(size[c]), centers[c].y / float64(size[c])}
			n++
		}
	}
	if n < k {
		for i, c := range p.label {
			p.label[i] = to[c]
		}
	}
	return centers[:n]
}

// kmeansSample is the largest number of points that all starts work on. Of
// more, the starts compete on a seeded sample, and only the best of each k goes
// on with all points.
const kmeansSample = 10_000

// bestOfStarts returns, for each k of ks, the partition of lowest inertia of
// several seeded starts, ties to the lower start.
func bestOfStarts(ctx context.Context, points []point, ks []int, starts int, seed uint64) ([]partition, error) {
	contest := points
	if len(points) > kmeansSample {
		contest = make([]point, kmeansSample)
		for n, i := range sampleRows(len(points), kmeansSample, stream(seed, streamSample)) {
			contest[n] = points[i]
		}
	}
	runs := make([]partition, len(ks)*starts)
	err := parallel(ctx, len(runs), func(r int) {
		k, start := ks[r/starts], r%starts
		runs[r] = kmeans(contest, k, stream(seed, streamStart, uint64(k), uint64(start)))
	})
	if err != nil {
		return nil, err
	}
	best := make([]partition, len(ks))
	err = parallel(ctx, len(ks), func(i int) {
		best[i] = runs[i*starts]
		for _, r := range runs[i*starts+1 : (i+1)*starts] {
			if r.inertia < best[i].inertia {
				best[i] = r
			}
		}
		if len(contest) < len(points) {
			best[i] = lloyd(points, best[i].compact(contest, best[i].k))
		}
	})
	return best, err
}

// Purposes of random streams.
const (
	streamAxes uint64 = iota + 1
	streamStart
	streamNull
	streamStatements
	streamParticipants
	streamSeeds
	streamHalves
	streamSample
	streamBlock
	streamMembership
)
