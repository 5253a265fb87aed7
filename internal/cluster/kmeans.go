package cluster

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// partition is one grouping of points: a label for each, 0..k-1, no label
// without a point.
type partition struct {
	k       int
	label   []int
	inertia float64 // sum of squared distances to the centers
}

// maxLloyd limits the rounds of one k-means run.
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
				chosen = i // the last one is used when rounding runs past the end
				if at -= d; at < 0 {
					break
				}
			}
		}
		centers = append(centers, points[chosen])
	}
	return centers
}

// lloyd runs k-means rounds from the given centers. A point is measured again only when the centers have
// moved so far since the last time that another may be nearer (after Hamerly, 2010); the labels are the same
// as if every point were measured in every round.
func lloyd(points []point, centers []point) partition {
	p := partition{k: len(centers), label: make([]int, len(points))}
	for i := range p.label {
		p.label[i] = -1
	}
	// How far its own and the nearest other center may move in total before the point is measured again;
	// drift is how far they have moved, by own center.
	slack := make([]float64, len(points))
	drift := make([]float64, p.k)
	centers = slices.Clone(centers)
	sum, size := make([]point, p.k), make([]int, p.k)
	for range maxLloyd {
		changed := false
		for i, q := range points {
			was := p.label[i]
			if was >= 0 && slack[i] > drift[was] {
				continue
			}
			best, nearest, next := 0, math.Inf(1), math.Inf(1)
			for c := range centers {
				if d := q.distance2(centers[c]); d < nearest {
					best, nearest, next = c, d, nearest
				} else if d < next {
					next = d
				}
			}
			slack[i] = drift[best] + math.Sqrt(next) - math.Sqrt(nearest)*(1+1e-9) // less than rounding could hide
			if was == best {
				continue
			}
			changed = true
			if was >= 0 {
				sum[was] = point{sum[was].x - q.x, sum[was].y - q.y}
				size[was]--
			}
			p.label[i] = best
			sum[best] = point{sum[best].x + q.x, sum[best].y + q.y}
			size[best]++
		}
		if !changed {
			break
		}
		if slices.Contains(size, 0) {
			centers = p.compact(points, p.k)
			p.k = len(centers)
			sum, size, drift = make([]point, p.k), make([]int, p.k), make([]float64, p.k)
			for i, c := range p.label {
				sum[c] = point{sum[c].x + points[i].x, sum[c].y + points[i].y}
				size[c]++
				slack[i] = 0
			}
			continue
		}
		moved := make([]float64, p.k)
		for c, s := range sum {
			now := point{s.x / float64(size[c]), s.y / float64(size[c])}
			moved[c], centers[c] = now.distance(centers[c]), now
		}
		for c := range drift {
			others := 0.0
			for o, d := range moved {
				if o != c {
					others = max(others, d)
				}
			}
			drift[c] += moved[c] + others
		}
	}
	centers = p.compact(points, p.k)
	p.k = len(centers)
	for i, c := range p.label {
		p.inertia += points[i].distance2(centers[c])
	}
	return p
}

// compact removes labels without points and returns the centers.
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

// kmeansSample is the largest number of points used for all starts. If there are more, the starts compete on
// a seeded sample, and only the best of each k continues with all points.
const kmeansSample = 10_000

// bestOfStarts returns, for each k of ks, the partition of lowest inertia from several seeded starts, ties to
// the lower start.
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
