package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// inConversation decides which rows are grouped, and why the others are not. reason is empty for those that
// are.
func inConversation(m *Matrix, o Options) (rows []int, reason []string) {
	reason = make([]string, len(m.participants))
	threshold := o.MinVotes
	if voted := votedStatements(m); voted < threshold {
		threshold = voted
	}
	named := make(map[string]bool, len(o.Participants))
	for _, id := range o.Participants {
		named[id] = true
	}
	for i, id := range m.participants {
		columns, _ := m.Row(i)
		switch {
		case len(columns) == 0:
			reason[i] = "no votes"
		case o.Participants != nil && !named[id]:
			reason[i] = "not among the participants named"
		case o.Participants == nil && len(columns) < threshold:
			reason[i] = fmt.Sprintf("fewer than %d votes", threshold)
		default:
			rows = append(rows, i)
		}
	}
	return rows, reason
}

// votedStatements counts the statements with at least one vote.
func votedStatements(m *Matrix) int {
	seen := make([]bool, len(m.statements))
	n := 0
	for _, j := range m.column {
		if !seen[j] {
			seen[j] = true
			n++
		}
	}
	return n
}

// runOverton is the default method: project, group by k-means for each k, keep
// the k of the largest mean silhouette, or one group when nothing separates.
func runOverton(ctx context.Context, m *Matrix, o Options) (*Result, error) {
	m = m.sorted()
	r := newRatings(m)
	a, err := r.principalAxes(ctx, stream(o.Seed, streamAxes))
	if err != nil {
		return nil, err
	}
	all := r.project(a)
	rows, reason := inConversation(m, o)
	points := make([]point, len(rows))
	for n, i := range rows {
		points[n] = all[i]
	}
	apart, err := separated(ctx, r, o)
	if err != nil {
		return nil, err
	}
	best, scores, err := bestPartition(ctx, points, o)
	if err != nil {
		return nil, err
	}
	if apart != nil {
		apart.Separated = apart.P <= separationLevel || len(points) >= 10 && scores[best.k] >= strongSilhouette
		if o.K == 0 && o.Method == Overton && !apart.Separated {
			best = oneGroup(len(points))
		}
	}
	label := make([]int, len(m.participants))
	for i := range label {
		label[i] = -1
	}
	bySize(&best)
	for n, i := range rows {
		label[i] = best.label[n]
	}
	res := describe(m, r, a, all, label, best.k, reason)
	res.Silhouette, res.Separation = scores, apart
	if err := doubt(ctx, res, r, a, all, label, kmeansAgain(min(o.Starts, 5)), o); err != nil {
		return nil, err
	}
	return res, nil
}

// separated tests the votes against shuffled ones. It is nil when no resamples are wanted or when there are
// fewer than two statements, whose votes could not be correlated.
func separated(ctx context.Context, r *ratings, o Options) (*Separation, error) {
	if o.Resamples == 0 || votedStatements(r.Matrix) < 2 {
		return nil, nil
	}
	rows := sampleRows(len(r.participants), doubtSample, stream(o.Seed, streamSample))
	if len(rows) < len(r.participants) {
		r = r.restrict(rows, nil)
	}
	return r.separation(ctx, max(o.Resamples, 19), o.Seed)
}

// oneGroup puts n points into one group; without points there is no group.
func oneGroup(n int) partition { return partition{k: min(1, n), label: make([]int, n)} }

// bestPartition groups points for each k in question and returns the partition
// of the largest mean silhouette, ties to the smaller k, with all silhouettes.
func bestPartition(ctx context.Context, points []point, o Options) (partition, map[int]Number, error) {
	best := oneGroup(len(points))
	scores := map[int]Number{}
	places := distinct(points, max(o.K, o.KMax))
	low, high := 2, min(o.KMax, places)
	if o.K > 0 {
		high = min(o.K, places)
		low = high
	}
	var ks []int
	for k := max(2, low); k <= high; k++ {
		ks = append(ks, k)
	}
	if len(ks) == 0 {
		return best, scores, nil
	}
	parts, err := bestOfStarts(ctx, points, ks, o.Starts, o.Seed)
	if err != nil {
		return best, nil, err
	}
	var sample []int
	if len(points) > silhouetteExact {
		sample = sampleRows(len(points), silhouetteExact, stream(o.Seed, streamSample))
	}
	values, err := silhouettes(ctx, points, parts, sample, sample)
	if err != nil {
		return best, nil, err
	}
	means := make([]float64, len(parts))
	found := make([]int, len(parts))
	for n, part := range parts {
		means[n], found[n] = meanSilhouette(values[n], part.k, len(points)), part.k
		if _, known := scores[part.k]; !known {
			scores[part.k] = Number(means[n])
		}
	}
	if n := chooseK(means, found); n >= 0 {
		best = parts[n]
	} else if o.K > 0 {
		best = parts[0]
	}
	return best, scores, nil
}

// doubt computes how certain a projected result is: own silhouettes, margins, stability, warnings.
func doubt(ctx context.Context, res *Result, r *ratings, a axes, all []point, label []int, group regroup, o Options) error {
	points := make([]point, len(res.Participants))
	for n, who := range res.Participants {
		points[n] = point{float64(who.X), float64(who.Y)}
	}
	if err := ownSilhouettes(ctx, res, points, o.Seed); err != nil {
		return err
	}
	margins(res, points)
	if o.Resamples > 0 && len(points) > 0 {
		var err error
		if res.Stability, err = stability(ctx, r, a, all, label, res.K, group, o); err != nil {
			return err
		}
	}
	if o.K > res.K && len(points) > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf("%d groups were asked for, and the participants stand in only %d places", o.K, res.K))
	}
	warn(res, o.Method, r.all, label)
	return nil
}

// ownSilhouettes computes each participant's silhouette among all grouped participants. Group numbers must
// still be 0..k-1.
func ownSilhouettes(ctx context.Context, res *Result, points []point, seed uint64) error {
	p := partition{k: res.K, label: make([]int, len(points))}
	for n, who := range res.Participants {
		p.label[n] = who.Group
		res.Participants[n].Silhouette = Number(math.NaN())
	}
	if p.k < 2 {
		return nil
	}
	var reference []int
	if len(points) > silhouetteExact {
		res.SilhouetteSample = silhouetteExact
		reference = sampleRows(len(points), silhouetteReference, stream(seed, streamSample))
	}
	values, err := silhouettes(ctx, points, []partition{p}, nil, reference)
	for n := range points {
		res.Participants[n].Silhouette = Number(values[0][n])
	}
	return err
}

// kmeansAgain is how the default method groups a resample.
func kmeansAgain(starts int) regroup {
	return func(_ context.Context, _ *ratings, _ []int, points []point, k int, rng *rand.Rand) ([]int, error) {
		best := kmeans(points, k, rng)
		for range starts - 1 {
			if p := kmeans(points, k, rng); p.inertia < best.inertia {
				best = p
			}
		}
		return best.label, nil
	}
}

// distinct counts the different points, up to a limit.
func distinct(points []point, limit int) int {
	seen := map[point]struct{}{}
	for _, p := range points {
		if len(seen) == limit {
			break
		}
		seen[p] = struct{}{}
	}
	return len(seen)
}

// bySize renumbers the groups by falling size, equal sizes by first member.
func bySize(p *partition) {
	size := make([]int, p.k)
	first := make([]int, p.k)
	for i := len(p.label) - 1; i >= 0; i-- {
		size[p.label[i]]++
		first[p.label[i]] = i
	}
	old := order(p.k, func(a, b int) int {
		return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(first[a], first[b]))
	})
	to := make([]int, p.k)
	for now, was := range old {
		to[was] = now
	}
	for i, c := range p.label {
		p.label[i] = to[c]
	}
}

// describe writes down a grouping: label is the group of each row of m, 0..k-1
// or -1, and reason says why for the latter.
func describe(m *Matrix, r *ratings, a axes, points []point, label []int, k int, reason []string) *Result {
	res := &Result{
		K:            k,
		Silhouette:   map[int]Number{},
		Participants: []Participant{},
		LeftOut:      []LeftOut{},
		Groups:       []Group{},
		Statements:   []Statement{},
		Warnings:     []string{},
	}
	size := make([]int, k)
	center := make([]point, k)
	for i, id := range m.participants {
		g := label[i]
		if g < 0 {
			res.LeftOut = append(res.LeftOut, LeftOut{id, reason[i]})
			continue
		}
		columns, _ := m.Row(i)
		res.Participants = append(res.Participants, Participant{
			ID: id, Group: g, X: Number(points[i].x), Y: Number(points[i].y), Votes: len(columns),
		})
		size[g]++
		center[g].x += points[i].x
		center[g].y += points[i].y
	}
	groups, all := tallies(m, label, k)
	chosen := representatives(m, groups)
	for g := range k {
		n := float64(size[g])
		group := Group{
			Group: g, Size: size[g], Share: Number(n / float64(len(res.Participants))),
			Center:         [2]Number{Number(center[g].x / n), Number(center[g].y / n)},
			Representative: slices.Concat([]Representative{}, chosen[g]),
			Votes:          []StatementTally{},
		}
		for j, t := range groups[g] {
			if t.Votes() > 0 {
				group.Votes = append(group.Votes, StatementTally{m.statements[j].ID, t})
			}
		}
		res.Groups = append(res.Groups, group)
	}
	res.Consensus = consensusOf(m, all)
	extremity := r.extremities(a)
	for j, info := range m.statements {
		var grouped Tally
		for g := range groups {
			grouped.Agree += groups[g][j].Agree
			grouped.Disagree += groups[g][j].Disagree
			grouped.Neutral += groups[g][j].Neutral
		}
		res.Statements = append(res.Statements, Statement{
			ID: info.ID, Tally: all[j],
			Consensus: Number(groupConsensus(groups, j)),
			Extremity: Number(extremity[j]),
			Priority:  Number(priority(grouped, extremity[j], info.Meta)),
			Excluded:  info.excluded(),
		})
	}
	return res
}
