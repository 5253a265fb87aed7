package cluster

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// The numbers of the Polis pipeline.
const (
	polisBaseClusters = 100 // most base clusters
	polisBaseRounds   = 100
	polisGroupRounds  = 20 // upstream, a configured value of 100 has no effect
	polisMaxGroups    = 5
	polisPerGroup     = 12   // base clusters for each k beyond 2
	polisMinPeople    = 15   // filled up to this number with those who voted most
	polisStill        = 0.01 // centers that moved less than this have settled
)

// kcluster is one cluster of the Polis k-means. Ids are not always contiguous: a cluster that loses its last
// member takes its id with it.
type kcluster struct {
	id      int
	members []int // indices of the points, ascending
	center  point
}

// polisKMeans is k-means as Polis runs it from a cold start: the first k different points are the centers; a
// point equally near to two centers goes to the later one; the rounds end when no center moves by polisStill,
// or after rounds+1 of them. weights nil counts every point once.
func polisKMeans(points []point, weights []int, k, rounds int) []kcluster {
	var clusters []kcluster
	seen := map[point]bool{}
	for _, p := range points {
		if len(clusters) == k {
			break
		}
		if !seen[p] {
			seen[p] = true
			clusters = append(clusters, kcluster{id: len(clusters), center: p})
		}
	}
	for range rounds + 1 {
		next := make([]kcluster, len(clusters))
		for c := range clusters {
			next[c].id = clusters[c].id
		}
		for i, p := range points {
			// Distances are compared, not their squares: values that are equal once rounded are ties. Squares
			// are only used to avoid roots.
			nearest, nearest2, best := math.Inf(1), math.Inf(1), 0
			for c := range clusters {
				d2 := p.distance2(clusters[c].center)
				if d2 > nearest2*(1+1e-15) {
					continue
				}
				if d := math.Sqrt(d2); d <= nearest {
					nearest, nearest2, best = d, d2, c
				}
			}
			next[best].members = append(next[best].members, i)
		}
		next = slices.DeleteFunc(next, func(c kcluster) bool { return len(c.members) == 0 })
		for c := range next {
			next[c].center = weightedMean(points, weights, next[c].members)
		}
		settled := centersSettled(clusters, next)
		clusters = next
		if settled {
			break
		}
	}
	return clusters
}

func weightedMean(points []point, weights []int, members []int) point {
	var sum point
	total := 0.0
	for _, i := range members {
		w := 1.0
		if weights != nil {
			w = float64(weights[i])
		}
		sum.x += w * points[i].x
		sum.y += w * points[i].y
		total += w
	}
	return point{sum.x / total, sum.y / total}
}

// centersSettled pairs the old and new centers in lexicographic order, up to
// the shorter list, and reports whether none is polisStill or more from its
// partner.
func centersSettled(old, now []kcluster) bool {
	sorted := func(clusters []kcluster) []point {
		centers := make([]point, len(clusters))
		for c := range clusters {
			centers[c] = clusters[c].center
		}
		slices.SortFunc(centers, func(a, b point) int {
			return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y))
		})
		return centers
	}
	a, b := sorted(old), sorted(now)
	for i := range min(len(a), len(b)) {
		if a[i].distance(b[i]) >= polisStill {
			return false
		}
	}
	return true
}

// polisConversation decides who is grouped: people with min(7, statements) votes and, if there are fewer than
// 15 of them, also those of the rest with the most votes, earlier rows first.
func polisConversation(m *Matrix, o Options) (rows []int, reason []string) {
	rows, reason = inConversation(m, o)
	if o.Participants != nil || len(rows) >= polisMinPeople {
		return rows, reason
	}
	rest := order(len(m.participants), func(a, b int) int {
		return cmp.Or(cmp.Compare(m.start[b+1]-m.start[b], m.start[a+1]-m.start[a]), cmp.Compare(a, b))
	})
	for _, i := range rest {
		if columns, _ := m.Row(i); reason[i] != "" && len(columns) > 0 && len(rows) < polisMinPeople {
			reason[i] = ""
			rows = append(rows, i)
		}
	}
	slices.Sort(rows)
	return rows, reason
}

// polisGroups groups base clusters: for each k a weighted k-means over their centers in id order, then the k
// with the largest mean silhouette over base clusters, unweighted, ties to the larger k. With given > 0 only
// that k is tried. It also returns the silhouette for each k.
func polisGroups(ctx context.Context, centers []point, weights []int, kmax, given int) ([]kcluster, map[int]Number, error) {
	low, high := 2, min(polisMaxGroups, kmax, 2+len(centers)/polisPerGroup)
	if given > 0 {
		low, high = given, given
	}
	scores := map[int]Number{}
	best, top := []kcluster(nil), math.Inf(-1)
	for k := low; k <= high; k++ {
		groups := polisKMeans(centers, weights, k, polisGroupRounds)
		values, err := silhouettes(ctx, centers, []partition{partitionOf(groups, len(centers))}, nil, nil)
		if err != nil {
			return nil, nil, err
		}
		score := mean(values[0])
		scores[k] = Number(score)
		if len(groups) < 2 {
			scores[k] = Number(math.NaN())
		}
		if score >= top {
			best, top = groups, score
		}
	}
	return best, scores, nil
}

// polisBase makes the base clusters of the points, with centers and sizes.
func polisBase(points []point) (base []kcluster, centers []point, weights []int) {
	base = polisKMeans(points, nil, polisBaseClusters, polisBaseRounds)
	for _, b := range base {
		centers = append(centers, b.center)
		weights = append(weights, len(b.members))
	}
	return base, centers, weights
}

// polisAgain is how Polis groups a resample whose rows are in another order.
func polisAgain(ctx context.Context, _ *ratings, _ []int, points []point, k int, rng *rand.Rand) ([]int, error) {
	from := rng.Perm(len(points))
	shuffled := make([]point, len(points))
	for n, i := range from {
		shuffled[n] = points[i]
	}
	base, centers, weights := polisBase(shuffled)
	groups, _, err := polisGroups(ctx, centers, weights, k, k)
	label := make([]int, len(points))
	for g := range groups {
		for _, b := range groups[g].members {
			for _, n := range base[b].members {
				label[from[n]] = g
			}
		}
	}
	return label, err
}

// partitionOf labels each of n points with the index of its cluster.
func partitionOf(clusters []kcluster, n int) partition {
	p := partition{k: len(clusters), label: make([]int, n)}
	for c := range clusters {
		for _, i := range clusters[c].members {
			p.label[i] = c
		}
	}
	return p
}

// runPolis is one full computation of the whole conversation as Polis does it. Polis itself also carries
// clusterings and a smoothed k from one update to the next, but forgets them at each restart, so a run from
// nothing is what can be repeated.
func runPolis(ctx context.Context, m *Matrix, o Options) (*Result, error) {
	r := newRatings(m)
	a, err := r.principalAxes(ctx, stream(o.Seed, streamAxes))
	if err != nil {
		return nil, err
	}
	all := r.project(a)
	rows, reason := polisConversation(m, o)
	points := make([]point, len(rows))
	for n, i := range rows {
		points[n] = all[i]
	}
	base, centers, weights := polisBase(points)
	var groups []kcluster
	scores := map[int]Number{}
	if len(rows) > 0 {
		if groups, scores, err = polisGroups(ctx, centers, weights, o.KMax, o.K); err != nil {
			return nil, err
		}
	}
	label := make([]int, len(m.participants))
	for i := range label {
		label[i] = -1
	}
	for g := range groups {
		for _, b := range groups[g].members {
			for _, n := range base[b].members {
				label[rows[n]] = g
			}
		}
	}
	res := describe(m, r, a, all, label, len(groups), reason)
	res.Silhouette = scores
	if err := doubt(ctx, res, r, a, all, label, polisAgain, o); err != nil {
		return nil, err
	}
	standings(res, all)
	for b := range base {
		c := BaseCluster{ID: base[b].id, X: Number(centers[b].x), Y: Number(centers[b].y)}
		for _, n := range base[b].members {
			c.Participants = append(c.Participants, m.participants[rows[n]])
		}
		slices.SortFunc(c.Participants, CompareIDs)
		res.BaseClusters = append(res.BaseClusters, c)
	}
	for n := range res.Participants {
		res.Participants[n].Group = groups[res.Participants[n].Group].id
	}
	for g := range groups {
		res.Groups[g].Group = groups[g].id
	}
	sortByID(res)
	return res, nil
}

// sortByID puts a result's lists into id order.
func sortByID(res *Result) {
	slices.SortFunc(res.Participants, func(a, b Participant) int { return CompareIDs(a.ID, b.ID) })
	slices.SortFunc(res.LeftOut, func(a, b LeftOut) int { return CompareIDs(a.ID, b.ID) })
	slices.SortFunc(res.Statements, func(a, b Statement) int { return CompareIDs(a.ID, b.ID) })
	for _, g := range res.Groups {
		slices.SortFunc(g.Votes, func(a, b StatementTally) int { return CompareIDs(a.Statement, b.Statement) })
	}
}

// BaseCluster is one of the at most 100 small clusters that Polis groups instead of participants.
type BaseCluster struct {
	ID           int      `json:"id"`
	X            Number   `json:"x"`
	Y            Number   `json:"y"`
	Participants []string `json:"participants"`
}

// Standing describes a participant's position: Centricness is 1 minus the distance from the mean of all
// participants, Coreness 1 minus that from the mean of their own group, Extremeness how far beyond the
// group's mean they are, seen from the middle.
type Standing struct {
	Centricness Number `json:"centricness"`
	Coreness    Number `json:"coreness"`
	Extremeness Number `json:"extremeness"`
}

// standings computes each participant's standing; all are the projections of everyone, grouped or not.
func standings(res *Result, all []point) {
	var middle point
	for _, p := range all {
		middle.x += p.x / float64(len(all))
		middle.y += p.y / float64(len(all))
	}
	for n := range res.Participants {
		who := &res.Participants[n]
		p := point{float64(who.X), float64(who.Y)}
		c := res.Groups[who.Group].Center
		g := point{float64(c[0]), float64(c[1])}
		s := &Standing{
			Centricness: Number(1 - p.distance(middle)),
			Coreness:    Number(1 - p.distance(g)),
			Extremeness: Number(math.NaN()), // a group in the very middle has no outside
		}
		if d := g.distance(middle); d > 0 {
			s.Extremeness = Number(((p.x-g.x)*(g.x-middle.x) + (p.y-g.y)*(g.y-middle.y)) / d)
		}
		who.Standing = s
	}
}
