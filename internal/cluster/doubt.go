package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Separation says whether votes are more correlated than expected by chance. First each participant's own
// straight line in the mean vote of each statement, with a slope from 0 to 1, is subtracted, so that
// agreeing with everything, or voting without reading, is not mistaken for a viewpoint. Chance is then
// simulated by shuffling the votes on each statement among those who cast them: what the statements are like
// and who saw them stays the same, what a person's votes have in common is lost.
type Separation struct {
	// Variance is that of the participants along the first component, summed
	// over participants, and Chance its mean when votes are shuffled.
	Variance Number `json:"variance"`
	Chance   Number `json:"chance"`
	// P is the share of shuffles, including the actual votes, that reach the variance.
	P        Number `json:"p"`
	Shuffles int    `json:"shuffles"`
	// Separated is P <= 0.05, or a mean silhouette of at least 0.9 among 10 or more participants: camps so
	// far apart that their cause does not matter. If it is false and k is not given, k is 1.
	Separated bool `json:"separated"`
}

// Stability is how much of a partition is found again when something is left to chance: mean adjusted Rand
// indices with the reported partition, at the same k, null if k is below 2.
type Stability struct {
	// Statements: from a random 80 % of the statements; Participants: from a random 80 % of the participants;
	// Seeds: from other seeds or, for Polis, which has none, from other orders of the rows.
	Statements   Number `json:"statements"`
	Participants Number `json:"participants"`
	Seeds        Number `json:"seeds"`
	// Reliability, 0 to 1, is that of a participant's place on the first
	// component: the correlation of places from two random halves of the
	// statements, raised to the full number of votes (Spearman, 1910; Brown,
	// 1910), mean over splits.
	Reliability Number `json:"reliability"`
	Resamples   int    `json:"resamples"`
	// Sample is the number of participants drawn to measure this, 0 when all
	// were used.
	Sample int `json:"sample"`
}

const (
	// separationLevel is the share of shuffles that may look as separated as the votes.
	separationLevel = 0.05
	// strongSilhouette separates without a test.
	strongSilhouette = 0.9
	// keptShare is the share of statements or participants that a resample keeps.
	keptShare = 0.8
	// doubtSample is the largest number of participants on which doubt is measured; if there are more, a
	// seeded sample is used.
	doubtSample = 5000
	// wantedReliability and stable are the limits below which there is a warning.
	wantedReliability = 0.8
	stable            = 0.6
)

// peculiarities are what is left of each vote after subtracting the participant's own straight line in the
// mean votes of the statements: someone who agrees with everything, or votes without reading, is not
// peculiar.
type peculiarities struct {
	*ratings
	value []float64 // in the order of the matrix's votes
}

// residuals fits each participant's line to the given votes, which are those of
// r or a shuffle of them.
func (r *ratings) residuals(votes []Vote) peculiarities {
	p := peculiarities{r, make([]float64, len(votes))}
	for i := range r.participants {
		a, b := r.start[i], r.start[i+1]
		var n, sx, sy, sxx, sxy float64
		for k := a; k < b; k++ {
			x, y := r.center[r.column[k]], float64(votes[k])
			n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
		}
		if n < 3 {
			continue // a line explains everything
		}
		slope := 0.0
		if v := n*sxx - sx*sx; v > 1e-9*n*n {
			// From 0, not reading, to 1, as people do on average. If camps are unequal, the mean is the
			// larger one's vote: a steeper or falling line is a viewpoint and stays.
			slope = min(max((n*sxy-sx*sy)/v, 0), 1)
		}
		for k := a; k < b; k++ {
			p.value[k] = float64(votes[k]) - sy/n - slope*(r.center[r.column[k]]-sx/n)
		}
	}
	return p
}

// gram sets out to XᵀX v for the matrix X of peculiarities, in one piece.
func (p peculiarities) gram(ctx context.Context, out, v []float64, _ [][]float64) error {
	clear(out)
	for i := range p.participants {
		a, b := p.start[i], p.start[i+1]
		var t float64
		for k := a; k < b; k++ {
			t += p.value[k] * v[p.column[k]]
		}
		for k := a; k < b; k++ {
			out[p.column[k]] += p.value[k] * t
		}
	}
	return ctx.Err()
}

// variance is the variance along the first component.
func (p peculiarities) variance(ctx context.Context, rng *rand.Rand) (float64, error) {
	a, err := leading(ctx, p.gram, 1, 0, freshDirection(nil, len(p.center), rng), rng, sketch)
	return a.variance[0], err
}

// shuffled returns the votes with those on each statement dealt out again among the people who cast them.
func (m *Matrix) shuffled(cells [][]int32, rng *rand.Rand) []Vote {
	votes := slices.Clone(m.vote)
	for _, at := range cells {
		for n := len(at) - 1; n > 0; n-- {
			k := rng.IntN(n + 1)
			votes[at[n]], votes[at[k]] = votes[at[k]], votes[at[n]]
		}
	}
	return votes
}

// cellsByColumn lists, for each statement, the positions of its votes.
func (m *Matrix) cellsByColumn() [][]int32 {
	cells := make([][]int32, len(m.statements))
	for at, j := range m.column {
		cells[j] = append(cells[j], int32(at))
	}
	return cells
}

// separation compares the leading variance of peculiarities with that of shuffled votes.
func (r *ratings) separation(ctx context.Context, shuffles int, seed uint64) (*Separation, error) {
	own, err := r.residuals(r.vote).variance(ctx, stream(seed, streamNull))
	if err != nil {
		return nil, err
	}
	cells := r.cellsByColumn()
	chance := make([]float64, shuffles)
	err = parallel(ctx, shuffles, func(n int) {
		rng := stream(seed, streamNull, uint64(n)+1)
		chance[n], _ = r.residuals(r.shuffled(cells, rng)).variance(ctx, rng) // fails only with ctx
	})
	if err != nil {
		return nil, err
	}
	reached := 1
	for _, v := range chance {
		if v >= own*(1-1e-9) {
			reached++
		}
	}
	return &Separation{
		Variance: Number(own), Chance: Number(mean(chance)),
		P: Number(float64(reached) / float64(shuffles+1)), Shuffles: shuffles,
	}, nil
}

// restrict returns the ratings of some rows and columns. keepColumn nil keeps all; columns keep their
// numbers. An excluded statement that was kept still counts as one that everyone has voted on.
func (r *ratings) restrict(rows []int, keepColumn []bool) *ratings {
	most := 0
	for _, i := range rows {
		most += r.start[i+1] - r.start[i]
	}
	m := &Matrix{
		participants: make([]string, len(rows)),
		statements:   r.statements,
		start:        make([]int, len(rows)+1),
		column:       make([]int32, most),
		vote:         make([]Vote, most),
	}
	count, sum := make([]int, len(r.statements)), make([]int, len(r.statements))
	at := 0
	for n, i := range rows {
		m.participants[n] = r.participants[i]
		columns, votes := r.Row(i)
		for k, j := range columns {
			if keepColumn == nil || keepColumn[j] {
				m.column[at], m.vote[at] = j, votes[k]
				at++
				count[j]++
				sum[j] += int(votes[k])
			}
		}
		m.start[n+1] = at
	}
	m.column, m.vote = m.column[:at], m.vote[:at]
	s := &ratings{Matrix: m, all: m, neutral: r.neutral, center: make([]float64, len(r.center))}
	for j, n := range count {
		switch {
		case n > 0:
			s.center[j] = float64(sum[j]) / float64(n)
			s.columns++
		case r.neutral[j] && (keepColumn == nil || keepColumn[j]):
			s.excluded++
			s.columns++
		}
	}
	return s
}

// pick draws a share of n things, as a mask.
func pick(n int, share float64, rng *rand.Rand) []bool {
	mask := make([]bool, n)
	for _, i := range rng.Perm(n)[:int(math.Round(share*float64(n)))] {
		mask[i] = true
	}
	return mask
}

// sampleRows draws at most limit of n rows, ascending; all when they are fewer.
func sampleRows(n, limit int, rng *rand.Rand) []int {
	rows := order(n, func(a, b int) int { return a - b })
	if n <= limit {
		return rows
	}
	rng.Shuffle(n, func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
	rows = rows[:limit]
	slices.Sort(rows)
	return rows
}

// regroup groups some rows of r, whose places are the points, into k groups again.
type regroup func(ctx context.Context, r *ratings, rows []int, points []point, k int, rng *rand.Rand) ([]int, error)

// placed is a resample: some rows of the matrix and some statements, projected.
type placed struct {
	*ratings
	rows   []int   // those to be grouped who have a vote left
	points []point // their places
	at     []int   // their rows in the whole matrix
}

// blend is a unit vector near both axes, to start from.
func (a axes) blend(rng *rand.Rand) []float64 {
	v := freshDirection(nil, len(a.loading[0]), rng)
	floats.Scale(0.01, v) // so that nothing is entirely left out
	floats.Add(v, a.loading[0])
	floats.Add(v, a.loading[1])
	floats.Scale(1/floats.Norm(v, 2), v)
	return v
}

// place projects some rows of r from the votes on some statements. label is the
// group of each row of r, -1 for those left out; whole are the axes of all of r.
func place(ctx context.Context, r *ratings, whole axes, label, rows []int, keepColumn []bool, rng *rand.Rand) (placed, error) {
	p := placed{ratings: r.restrict(rows, keepColumn)}
	a, err := leading(ctx, p.gram, 2, 1, whole.blend(rng), rng, rough)
	if err != nil {
		return p, err
	}
	all := p.project(a)
	for n, i := range rows {
		if columns, _ := p.Row(n); label[i] >= 0 && len(columns) > 0 {
			p.rows = append(p.rows, n)
			p.points = append(p.points, all[n])
			p.at = append(p.at, i)
		}
	}
	return p, nil
}

// stability measures how much of the partition is found again. label is the group of each row of r, -1 for
// those left out; whole are the axes and points the places of all rows.
func stability(ctx context.Context, r *ratings, whole axes, points []point, label []int, k int, group regroup,
	o Options) (*Stability, error) {
	s := &Stability{
		Statements: Number(math.NaN()), Participants: Number(math.NaN()), Seeds: Number(math.NaN()),
		Reliability: Number(math.NaN()), Resamples: o.Resamples,
	}
	rows := sampleRows(len(r.participants), doubtSample, stream(o.Seed, streamSample))
	if len(rows) < len(r.participants) {
		s.Sample = len(rows)
	}
	// compare groups the placed ones again; again places some rows first, by the
	// votes on some statements.
	compare := func(p placed, rng *rand.Rand) (float64, error) {
		if len(p.rows) == 0 {
			return math.NaN(), nil
		}
		now, err := group(ctx, p.ratings, p.rows, p.points, k, rng)
		if err != nil {
			return math.NaN(), err
		}
		was := make([]int, len(p.at))
		for n, i := range p.at {
			was[n] = label[i]
		}
		return AdjustedRand(was, now), nil
	}
	again := func(rows []int, keepColumn []bool, rng *rand.Rand) (float64, error) {
		p, err := place(ctx, r, whole, label, rows, keepColumn, rng)
		if err != nil {
			return 0, err
		}
		return compare(p, rng)
	}
	measure := func(purpose uint64, f func(rng *rand.Rand) (float64, error)) (Number, error) {
		values := make([]float64, o.Resamples)
		err := parallel(ctx, o.Resamples, func(n int) {
			values[n], _ = f(stream(o.Seed, purpose, uint64(n))) // fails only with ctx
		})
		values = slices.DeleteFunc(values, math.IsNaN)
		return Number(mean(values)), err
	}
	var err error
	if k > 1 {
		s.Statements, err = measure(streamStatements, func(rng *rand.Rand) (float64, error) {
			return again(rows, pick(len(r.statements), keptShare, rng), rng)
		})
		if err != nil {
			return nil, err
		}
		s.Participants, err = measure(streamParticipants, func(rng *rand.Rand) (float64, error) {
			mask := pick(len(rows), keptShare, rng)
			var kept []int
			for n, i := range rows {
				if mask[n] {
					kept = append(kept, i)
				}
			}
			return again(kept, nil, rng)
		})
		if err != nil {
			return nil, err
		}
		same := placed{ratings: r.restrict(rows, nil)}
		for n, i := range rows {
			if label[i] >= 0 {
				same.rows, same.at, same.points = append(same.rows, n), append(same.at, i), append(same.points, points[i])
			}
		}
		s.Seeds, err = measure(streamSeeds, func(rng *rand.Rand) (float64, error) { return compare(same, rng) })
		if err != nil {
			return nil, err
		}
	}
	s.Reliability, err = measure(streamHalves, func(rng *rand.Rand) (float64, error) {
		half := pick(len(r.statements), 0.5, rng)
		other := make([]bool, len(half))
		for j := range half {
			other[j] = !half[j]
		}
		a, err := place(ctx, r, whole, label, rows, half, rng)
		if err != nil {
			return 0, err
		}
		b, err := place(ctx, r, whole, label, rows, other, rng)
		if err != nil {
			return 0, err
		}
		c := math.Abs(correlation(a, b))
		return 2 * c / (1 + c), nil
	})
	return s, err
}

// correlation is that of the first coordinates of the participants in both resamples; 0 if one of them does
// not vary.
func correlation(a, b placed) float64 {
	var n, sx, sy, sxx, syy, sxy float64
	for i, j := 0, 0; i < len(a.at) && j < len(b.at); {
		switch {
		case a.at[i] < b.at[j]:
			i++
		case a.at[i] > b.at[j]:
			j++
		default:
			x, y := a.points[i].x, b.points[j].x
			n, sx, sy, sxx, syy, sxy = n+1, sx+x, sy+y, sxx+x*x, syy+y*y, sxy+x*y
			i++
			j++
		}
	}
	vx, vy := n*sxx-sx*sx, n*syy-sy*sy
	if vx <= 0 || vy <= 0 {
		return 0
	}
	return (n*sxy - sx*sy) / math.Sqrt(vx*vy)
}

// margins computes how clear each participant's group is.
func margins(res *Result, points []point) {
	for n := range res.Participants {
		who := &res.Participants[n]
		own, next := 0.0, math.Inf(1)
		for g := range res.Groups {
			c := res.Groups[g].Center
			d := points[n].distance(point{float64(c[0]), float64(c[1])})
			if g == who.Group {
				own = d
			} else {
				next = min(next, d)
			}
		}
		who.Margin = Number((next - own) / (next + own)) // null if there is one group, or all are in one place
	}
}

// warn says why a reader should be cautious.
func warn(res *Result, method Method, m *Matrix, label []int) {
	say := func(format string, args ...any) { res.Warnings = append(res.Warnings, fmt.Sprintf(format, args...)) }
	votes, neutral := 0, 0
	for i := range m.participants {
		if label[i] < 0 {
			continue
		}
		_, cast := m.Row(i)
		votes += len(cast)
		if !slices.ContainsFunc(cast, func(v Vote) bool { return v != Neutral }) {
			neutral++
		}
	}
	people := len(res.Participants)
	if people == 0 {
		say("nobody cast enough votes to be grouped")
		return
	}
	each := float64(votes) / float64(people)
	if people < 15 {
		say("only %d participants are grouped; groups of so few are hardly more than an impression", people)
	}
	if votedStatements(m) == 1 {
		say("all votes are on one statement; a group is no more than those who voted alike on it")
	}
	if s := res.Separation; s != nil && !s.Separated {
		say("votes hang together no more than shuffled votes do (p %.2g): nothing shows more than one group", float64(s.P))
	}
	if s := res.Stability; s != nil && s.Reliability < wantedReliability {
		if r := float64(s.Reliability); r > 0.2 {
			needed := each * wantedReliability * (1 - r) / (r * (1 - wantedReliability))
			say("with %.0f votes each, places are %.0f %% reliable; for %.0f %% it takes about %.0f votes each", each,
				100*r, 100*wantedReliability, math.Ceil(needed))
		} else {
			say("with %.0f votes each, places are next to random; it takes several times as many votes", each)
		}
	}
	if s := res.Stability; s != nil {
		on := ""
		if s.Sample > 0 {
			on = fmt.Sprintf(", measured on %d participants", s.Sample)
		}
		for _, part := range []struct {
			what string
			ari  Number
		}{{"statements", s.Statements}, {"participants", s.Participants}} {
			if part.ari < stable {
				say("four fifths of the %s give rather different groups (mean adjusted Rand index %.2f%s)", part.what, float64(part.ari), on)
			}
		}
		switch {
		case s.Seeds >= 0.95 || math.IsNaN(float64(s.Seeds)):
		case method == Polis:
			say("other orders of the participants give other groups (mean adjusted Rand index %.2f)", float64(s.Seeds))
		default:
			say("other seeds give other groups (mean adjusted Rand index %.2f); more starts may help", float64(s.Seeds))
		}
	}
	if neutral > 0 {
		say("%d grouped participants voted neutral throughout; where they stand says little", neutral)
	}
}
