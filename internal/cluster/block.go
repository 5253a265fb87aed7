package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// The latent block model: voters belong to groups, statements to classes, and each pair of group and class
// has one distribution over agree, neutral and disagree. The class of a statement depends on its author's
// group. All parameters have Dirichlet priors and are integrated out, which leaves the exact integrated
// complete-data likelihood (ICL) of the labels alone (Wyse, Friel and Latouche, 2017). The search maximises
// it, over the numbers of groups and classes as well.
const (
	sizePrior  = 1.0 // Dirichlet weight of each group
	classPrior = 1.0 // of each class, for the statements of one author group
	votePrior  = 0.5 // of each kind of vote in a block
)

// blockVotes are the votes of the grouped participants on the statements that count, by voter and by
// statement.
type blockVotes struct {
	byVoter     [][]blockVote
	byStatement [][]blockVote
	column      []int   // of the matrix, by statement
	author      []int   // voter who wrote the statement, -1 if unknown
	written     [][]int // statements by voter
	empty       float64 // contribution of a block without votes
	votes       *logGamma
	total       *logGamma
	size        *logGamma
	class       *logGamma
	classes     []*logGamma // of a number of statements, by number of classes
}

// blockVote is a vote seen from one side: the index of the other side.
type blockVote struct {
	other int32
	kind  int8 // 0 disagree, 1 neutral, 2 agree
}

// logGamma holds log Γ(n + offset) for whole n.
type logGamma struct {
	offset float64
	table  []float64
}

func newLogGamma(offset float64, n int) *logGamma {
	g := &logGamma{offset: offset, table: make([]float64, min(n, 1<<16)+1)}
	for i := range g.table {
		g.table[i], _ = math.Lgamma(float64(i) + offset)
	}
	return g
}

func (g *logGamma) at(n int) float64 {
	if n < len(g.table) {
		return g.table[n]
	}
	v, _ := math.Lgamma(float64(n) + g.offset)
	return v
}

// newBlockVotes picks the votes of some rows of r.
func newBlockVotes(r *ratings, rows []int) *blockVotes {
	b := &blockVotes{byVoter: make([][]blockVote, len(rows)), written: make([][]int, len(rows))}
	place := make([]int, len(r.statements)) // statement by column, -1 if no voter here voted on it
	for j := range place {
		place[j] = -1
	}
	voter := make(map[string]int, len(rows))
	cast := 0
	for n, i := range rows {
		voter[r.participants[i]] = n
		cols, votes := r.Row(i)
		for k, j := range cols {
			if place[j] < 0 {
				place[j] = len(b.column)
				b.column = append(b.column, int(j))
				b.byStatement = append(b.byStatement, nil)
			}
			s := place[j]
			b.byVoter[n] = append(b.byVoter[n], blockVote{int32(s), int8(votes[k] + 1)})
			b.byStatement[s] = append(b.byStatement[s], blockVote{int32(n), int8(votes[k] + 1)})
			cast++
		}
	}
	for s, j := range b.column {
		a, ok := voter[r.statements[j].Author]
		if ok {
			b.written[a] = append(b.written[a], s)
		} else {
			a = -1
		}
		b.author = append(b.author, a)
	}
	b.votes, b.total = newLogGamma(votePrior, cast), newLogGamma(3*votePrior, cast)
	b.empty = 3*b.votes.at(0) - b.total.at(0)
	b.size, b.class = newLogGamma(sizePrior, len(rows)), newLogGamma(classPrior, len(b.column))
	b.classes = []*logGamma{nil} // there is no labelling without classes
	for l := 1; l <= min(blockClasses, len(b.column))+1; l++ {
		b.classes = append(b.classes, newLogGamma(float64(l)*classPrior, len(b.column)))
	}
	return b
}

// blockCount counts the votes in one block.
type blockCount [3]int32

func (c blockCount) total() int { return int(c[0] + c[1] + c[2]) }

// blockState is one labelling with all its counts. Group k of stride classes
// starts at k*stride; the extra author row after maxK holds the statements whose
// author is unknown.
type blockState struct {
	*blockVotes
	k, l         int
	maxK, maxL   int
	fixed        bool // k may not change
	group, class []int
	size         []int        // voters by group
	count        []blockCount // votes by group and class
	value        []float64    // log marginal likelihood of each block, by the same index
	wrote        []int        // statements by author's group and class
	wroteAll     []int        // statements by author's group
}

// newBlockState counts the votes under the given labels.
func newBlockState(b *blockVotes, group, class []int, k, l, maxK, maxL int, fixed bool) *blockState {
	s := &blockState{
		blockVotes: b, k: k, l: l, maxK: maxK, maxL: maxL, fixed: fixed, group: group, class: class,
		size: make([]int, maxK), count: make([]blockCount, maxK*maxL), value: make([]float64, maxK*maxL),
		wrote: make([]int, (maxK+1)*maxL), wroteAll: make([]int, maxK+1),
	}
	for i, g := range group {
		s.size[g]++
		for _, v := range b.byVoter[i] {
			s.count[g*maxL+class[v.other]][v.kind]++
		}
	}
	for j, c := range class {
		row := s.authorRow(j)
		s.wrote[row*maxL+c]++
		s.wroteAll[row]++
	}
	for at, c := range s.count {
		s.value[at] = s.block(c)
	}
	return s
}

func (s *blockState) authorRow(j int) int {
	if a := s.author[j]; a >= 0 {
		return s.group[a]
	}
	return s.maxK
}

// block is the log marginal likelihood of one block's votes.
func (s *blockState) block(c blockCount) float64 {
	n := c.total()
	if n == 0 {
		return 0
	}
	return s.votes.at(int(c[0])) + s.votes.at(int(c[1])) + s.votes.at(int(c[2])) - s.total.at(n) - s.empty
}

// sizes is the part of the likelihood that depends on the number of groups, for
// n voters, without the groups' own terms.
func (s *blockState) sizes(k int) float64 {
	a, _ := math.Lgamma(float64(k) * sizePrior)
	b, _ := math.Lgamma(float64(len(s.group)) + float64(k)*sizePrior)
	return a - b - float64(k)*s.size0()
}

func (s *blockState) size0() float64 { return s.blockVotes.size.at(0) }

// rowTotal is the part of an author row that depends on its number of
// statements and on the number of classes.
func (b *blockVotes) rowTotal(n, l int) float64 {
	if n == 0 {
		return 0
	}
	return b.classes[l].at(0) - b.classes[l].at(n)
}

// classTerm is one entry of an author row.
func (s *blockState) classTerm(n int) float64 {
	return s.blockVotes.class.at(n) - s.blockVotes.class.at(0)
}

// icl is the integrated complete-data log likelihood.
func (s *blockState) icl() float64 {
	sum := s.sizes(s.k)
	for g := range s.k {
		sum += s.blockVotes.size.at(s.size[g])
		for c := range s.l {
			sum += s.value[g*s.maxL+c]
		}
	}
	for row := range s.maxK + 1 {
		sum += s.rowTotal(s.wroteAll[row], s.l)
		for c := range s.l {
			sum += s.classTerm(s.wrote[row*s.maxL+c])
		}
	}
	return sum
}

// voterScores sets out[g] to the gain in likelihood from placing voter i in group g compared with no group,
// for each group and, if allowed, a new one at index k. The voter must have been removed first. votes is the
// voter's votes by class.
func (s *blockState) voterScores(i int, votes []blockCount, out []float64) []float64 {
	rows := s.k
	if !s.fixed && s.k < s.maxK {
		rows++
	}
	out = out[:rows]
	for g := range out {
		gain := s.blockVotes.size.at(s.size[g]+1) - s.blockVotes.size.at(s.size[g])
		if g == s.k {
			gain = s.blockVotes.size.at(1) + s.sizes(s.k+1) - s.sizes(s.k)
		}
		for c, v := range votes {
			if v.total() == 0 {
				continue
			}
			at := g*s.maxL + c
			gain += s.block(plus(s.count[at], v)) - s.value[at]
		}
		if written := s.written[i]; len(written) > 0 {
			n := s.wroteAll[g]
			gain += s.rowTotal(n+len(written), s.l) - s.rowTotal(n, s.l)
			for at, j := range written {
				// Earlier ones of the same class are already included.
				have := s.wrote[g*s.maxL+s.class[j]]
				for _, e := range written[:at] {
					if s.class[e] == s.class[j] {
						have++
					}
				}
				gain += s.classTerm(have+1) - s.classTerm(have)
			}
		}
		out[g] = gain
	}
	return out
}

// votesByClass counts voter i's votes.
func (s *blockState) votesByClass(i int, out []blockCount) []blockCount {
	out = out[:s.l]
	clear(out)
	for _, v := range s.byVoter[i] {
		out[s.class[v.other]][v.kind]++
	}
	return out
}

// addVotes adds votes to a block (by = 1) or removes them (by = -1).
func (s *blockState) addVotes(at int, v blockCount, by int) {
	if v.total() == 0 {
		return
	}
	have := &s.count[at]
	for kind := range have {
		have[kind] += int32(by) * v[kind]
	}
	s.value[at] = s.block(*have)
}

// placeVoter adds (by = 1) or removes (by = -1) voter i in group g.
func (s *blockState) placeVoter(i, g, by int, votes []blockCount) {
	s.size[g] += by
	for c, v := range votes {
		s.addVotes(g*s.maxL+c, v, by)
	}
	for _, j := range s.written[i] {
		s.wrote[g*s.maxL+s.class[j]] += by
	}
	s.wroteAll[g] += by * len(s.written[i])
	s.group[i] = g
}

// dropGroup removes the empty group g by giving its number to the last one.
func (s *blockState) dropGroup(g int) {
	s.k--
	last := s.k
	if g != last {
		s.size[g] = s.size[last]
		copy(s.count[g*s.maxL:(g+1)*s.maxL], s.count[last*s.maxL:(last+1)*s.maxL])
		copy(s.value[g*s.maxL:(g+1)*s.maxL], s.value[last*s.maxL:(last+1)*s.maxL])
		copy(s.wrote[g*s.maxL:(g+1)*s.maxL], s.wrote[last*s.maxL:(last+1)*s.maxL])
		s.wroteAll[g] = s.wroteAll[last]
		for i := range s.group {
			if s.group[i] == last {
				s.group[i] = g
			}
		}
	}
	s.size[last], s.wroteAll[last] = 0, 0
	clear(s.count[last*s.maxL : (last+1)*s.maxL])
	clear(s.value[last*s.maxL : (last+1)*s.maxL])
	clear(s.wrote[last*s.maxL : (last+1)*s.maxL])
}

// statementScores is voterScores for statement j: classes instead of groups.
func (s *blockState) statementScores(j int, votes []blockCount, out []float64) []float64 {
	classes := s.l
	if s.l < s.maxL {
		classes++
	}
	out = out[:classes]
	row := s.authorRow(j)
	for c := range out {
		have := s.wrote[row*s.maxL+c]
		gain := s.classTerm(have+1) - s.classTerm(have)
		l := s.l
		if c == s.l {
			l++
			for r, n := range s.wroteAll {
				if r != row {
					gain += s.rowTotal(n, l) - s.rowTotal(n, s.l)
				}
			}
		}
		gain += s.rowTotal(s.wroteAll[row]+1, l) - s.rowTotal(s.wroteAll[row], s.l)
		for g, v := range votes {
			if v.total() == 0 {
				continue
			}
			at := g*s.maxL + c
			gain += s.block(plus(s.count[at], v)) - s.value[at]
		}
		out[c] = gain
	}
	return out
}

// votesByGroup counts the votes on statement j.
func (s *blockState) votesByGroup(j int, out []blockCount) []blockCount {
	out = out[:s.k]
	clear(out)
	for _, v := range s.byStatement[j] {
		out[s.group[v.other]][v.kind]++
	}
	return out
}

// placeStatement adds or takes out statement j at class c.
func (s *blockState) placeStatement(j, c, by int, votes []blockCount) {
	row := s.authorRow(j)
	s.wrote[row*s.maxL+c] += by
	s.wroteAll[row] += by
	for g, v := range votes {
		s.addVotes(g*s.maxL+c, v, by)
	}
	s.class[j] = c
}

// classSize counts the statements of class c.
func (s *blockState) classSize(c int) int {
	n := 0
	for row := range s.maxK + 1 {
		n += s.wrote[row*s.maxL+c]
	}
	return n
}

// dropClass removes the empty class c by giving its number to the last one.
func (s *blockState) dropClass(c int) {
	s.l--
	last := s.l
	for g := range s.maxK + 1 {
		if g < s.maxK {
			s.count[g*s.maxL+c], s.value[g*s.maxL+c] = s.count[g*s.maxL+last], s.value[g*s.maxL+last]
			s.count[g*s.maxL+last], s.value[g*s.maxL+last] = blockCount{}, 0
		}
		s.wrote[g*s.maxL+c] = s.wrote[g*s.maxL+last]
		s.wrote[g*s.maxL+last] = 0
	}
	for j := range s.class {
		if s.class[j] == last {
			s.class[j] = c
		}
	}
}

// choose picks an index by score: if cold the largest, the first of equals; otherwise one drawn with
// probability proportional to exp(score).
func choose(scores []float64, rng *rand.Rand, cold bool) int {
	best := 0
	for g, x := range scores {
		if x > scores[best]+1e-9 {
			best = g
		}
	}
	if cold {
		return best
	}
	var total float64
	for _, x := range scores {
		total += math.Exp(x - scores[best])
	}
	at := rng.Float64() * total
	for g, x := range scores {
		if at -= math.Exp(x - scores[best]); at < 0 {
			return g
		}
	}
	return best
}

// blockScratch is working space for one search.
type blockScratch struct {
	votes  []blockCount
	scores []float64
}

func (s *blockState) scratch() blockScratch {
	n := max(s.maxK, s.maxL) + 1
	return blockScratch{make([]blockCount, n), make([]float64, n)}
}

// sweepVoters visits each voter once, in random order, and moves the voter to a better group (cold) or draws
// a group (not cold). It reports whether any voter moved. visit, if not nil, is called with each voter's
// scores.
func (s *blockState) sweepVoters(rng *rand.Rand, cold bool, space blockScratch, visit func(i int, scores []float64)) bool {
	moved := false
	for _, i := range rng.Perm(len(s.group)) {
		was := s.group[i]
		if s.size[was] == 1 && s.fixed {
			if visit != nil {
				visit(i, nil)
			}
			continue
		}
		votes := s.votesByClass(i, space.votes)
		s.placeVoter(i, was, -1, votes)
		alone := s.size[was] == 0
		if alone {
			// The voter's own group is empty now, so it is the new one.
			s.dropGroup(was)
			was = s.k
		}
		scores := s.voterScores(i, votes, space.scores)
		if visit != nil {
			visit(i, scores)
		}
		to := choose(scores, rng, cold)
		if cold && was < len(scores) && scores[to] <= scores[was]+1e-9 {
			to = was
		}
		if to == s.k {
			s.k++
		}
		s.placeVoter(i, to, 1, votes)
		moved = moved || to != was
	}
	return moved
}

// sweepStatements is sweepVoters for statements and classes.
func (s *blockState) sweepStatements(rng *rand.Rand, cold bool, space blockScratch) bool {
	moved := false
	for _, j := range rng.Perm(len(s.class)) {
		was := s.class[j]
		votes := s.votesByGroup(j, space.votes)
		s.placeStatement(j, was, -1, votes)
		if s.classSize(was) == 0 {
			s.dropClass(was)
			was = s.l
		}
		scores := s.statementScores(j, votes, space.scores)
		to := choose(scores, rng, cold)
		if cold && scores[to] <= scores[was]+1e-9 {
			to = was
		}
		if to == s.l {
			s.l++
		}
		s.placeStatement(j, to, 1, votes)
		moved = moved || to != was
	}
	return moved
}

// merge joins the two groups or classes whose merger gains most, and reports whether any merger gains.
func (s *blockState) merge() bool {
	best, a, b, classes := 1e-9, -1, -1, false
	if !s.fixed {
		for h := range s.k {
			for g := range h {
				if gain := s.groupMergeGain(g, h); gain > best {
					best, a, b = gain, g, h
				}
			}
		}
	}
	for d := range s.l {
		for c := range d {
			if gain := s.classMergeGain(c, d); gain > best {
				best, a, b, classes = gain, c, d, true
			}
		}
	}
	switch {
	case a < 0:
		return false
	case classes:
		for j := range s.class {
			if s.class[j] == b {
				s.class[j] = a
			}
		}
		for g := range s.maxK + 1 {
			if g < s.maxK {
				s.addVotes(g*s.maxL+a, s.count[g*s.maxL+b], 1)
			}
			s.wrote[g*s.maxL+a] += s.wrote[g*s.maxL+b]
		}
		s.dropClass(b)
	default:
		for i := range s.group {
			if s.group[i] == b {
				s.group[i] = a
			}
		}
		s.size[a] += s.size[b]
		s.wroteAll[a] += s.wroteAll[b]
		for c := range s.l {
			s.addVotes(a*s.maxL+c, s.count[b*s.maxL+c], 1)
			s.wrote[a*s.maxL+c] += s.wrote[b*s.maxL+c]
		}
		s.dropGroup(b)
	}
	return true
}

func plus(a, b blockCount) blockCount { return blockCount{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

func (s *blockState) groupMergeGain(g, h int) float64 {
	size := s.blockVotes.size
	gain := s.sizes(s.k-1) - s.sizes(s.k) + size.at(s.size[g]+s.size[h]) - size.at(s.size[g]) - size.at(s.size[h])
	gain += s.rowTotal(s.wroteAll[g]+s.wroteAll[h], s.l) - s.rowTotal(s.wroteAll[g], s.l) - s.rowTotal(s.wroteAll[h], s.l)
	for c := range s.l {
		x, y := g*s.maxL+c, h*s.maxL+c
		gain += s.block(plus(s.count[x], s.count[y])) - s.value[x] - s.value[y]
		n, m := s.wrote[g*s.maxL+c], s.wrote[h*s.maxL+c]
		gain += s.classTerm(n+m) - s.classTerm(n) - s.classTerm(m)
	}
	return gain
}

func (s *blockState) classMergeGain(c, d int) float64 {
	var gain float64
	for row, n := range s.wroteAll {
		gain += s.rowTotal(n, s.l-1) - s.rowTotal(n, s.l)
		x, y := s.wrote[row*s.maxL+c], s.wrote[row*s.maxL+d]
		gain += s.classTerm(x+y) - s.classTerm(x) - s.classTerm(y)
	}
	for g := range s.k {
		x, y := g*s.maxL+c, g*s.maxL+d
		gain += s.block(plus(s.count[x], s.count[y])) - s.value[x] - s.value[y]
	}
	return gain
}

const (
	blockClasses = 12  // most classes of statements
	warmSweeps   = 10  // drawn sweeps before the greedy ones
	maxSweeps    = 200 // greedy sweeps of one start
	doubtSweeps  = 60  // drawn sweeps that measure membership
)

// climb increases the likelihood by single moves and merges as far as possible.
func (s *blockState) climb(ctx context.Context, rng *rand.Rand) {
	space := s.scratch()
	for n := 0; n < maxSweeps && ctx.Err() == nil; n++ {
		moved := s.sweepStatements(rng, true, space)
		moved = s.sweepVoters(rng, true, space, nil) || moved
		if !moved && !s.merge() {
			return
		}
	}
}

// fitBlock returns the best labelling from several starts. Starts begin with different numbers of groups,
// from a k-means partition of the points; then come some random sweeps, then greedy ones.
func fitBlock(ctx context.Context, b *blockVotes, points []point, kmax, given, starts int, seed uint64) (*blockState, error) {
	n, m := len(b.byVoter), len(b.byStatement)
	maxK, maxL := min(kmax, n), min(blockClasses, m)
	if given > 0 {
		maxK = min(given, n)
	}
	runs := make([]*blockState, starts)
	likelihood := make([]float64, starts)
	err := parallel(ctx, starts, func(at int) {
		rng := stream(seed, streamBlock, uint64(at))
		k := maxK
		if given == 0 {
			k = min(maxK, 2+at%max(1, maxK-1))
		}
		group := startGroups(points, k, given > 0, rng)
		k = slices.Max(group) + 1
		class := make([]int, m)
		l := min(maxL, 2+rng.IntN(5))
		for c, j := range rng.Perm(m) {
			class[j] = c % l
		}
		s := newBlockState(b, group, class, k, l, maxK, maxL, given > 0)
		space := s.scratch()
		s.sweepStatements(rng, true, space)
		for range warmSweeps {
			s.sweepVoters(rng, false, space, nil)
			s.sweepStatements(rng, false, space)
		}
		s.climb(ctx, rng)
		runs[at], likelihood[at] = s, s.icl()
	})
	if err != nil {
		return nil, err
	}
	best := 0
	for at := range runs {
		if likelihood[at] > likelihood[best]+1e-9 {
			best = at
		}
	}
	return runs[best], nil
}

// startGroups labels the points with up to k groups by k-means; with exactly k if all are wanted, putting the
// last points in groups of one if k-means finds fewer.
func startGroups(points []point, k int, all bool, rng *rand.Rand) []int {
	p := kmeans(points, k, rng)
	if all {
		size := make([]int, k)
		for _, g := range p.label {
			size[g]++
		}
		for i := len(p.label) - 1; p.k < k; i-- {
			if size[p.label[i]] > 1 {
				size[p.label[i]]--
				p.label[i] = p.k
				size[p.k]++
				p.k++
			}
		}
	}
	return p.label
}

// membership returns, for each voter, the probability of their own group and by how much it exceeds that of
// the next, averaged over sweeps drawn from the posterior around the best labelling, with the numbers of
// groups and classes fixed.
func (s *blockState) membership(ctx context.Context, rng *rand.Rand) (own, margin []float64, err error) {
	n := len(s.group)
	best := slices.Clone(s.group)
	held := newBlockState(s.blockVotes, slices.Clone(s.group), slices.Clone(s.class), s.k, s.l, s.k, s.l, true)
	sum := make([]float64, n*s.k)
	space := held.scratch()
	visit := func(i int, scores []float64) {
		mine := sum[i*s.k : (i+1)*s.k]
		if scores == nil { // alone in the group, which must remain
			mine[held.group[i]]++
			return
		}
		top := slices.Max(scores)
		var total float64
		for _, x := range scores {
			total += math.Exp(x - top)
		}
		for g, x := range scores {
			mine[g] += math.Exp(x-top) / total
		}
	}
	for range doubtSweeps {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		held.sweepVoters(rng, false, space, visit)
		held.sweepHeldStatements(rng, space)
	}
	own, margin = make([]float64, n), make([]float64, n)
	for i := range n {
		mine := sum[i*s.k : (i+1)*s.k]
		next := 0.0
		for g, x := range mine {
			if g != best[i] {
				next = max(next, x)
			}
		}
		own[i] = mine[best[i]] / doubtSweeps
		margin[i] = own[i] - next/doubtSweeps
	}
	return own, margin, nil
}

// sweepHeldStatements draws the class of each statement that is not the last of
// its class.
func (s *blockState) sweepHeldStatements(rng *rand.Rand, space blockScratch) {
	for _, j := range rng.Perm(len(s.class)) {
		was := s.class[j]
		if s.classSize(was) == 1 {
			continue
		}
		votes := s.votesByGroup(j, space.votes)
		s.placeStatement(j, was, -1, votes)
		s.placeStatement(j, choose(s.statementScores(j, votes, space.scores), rng, false), 1, votes)
	}
}

// Class is a class of statements to which the groups respond alike, with each group's votes on them, in the
// order of groups.
type Class struct {
	Statements []string `json:"statements"`
	Votes      []Tally  `json:"votes"`
}

// With up to blockSmall participants, one start in the options means blockStartsPer starts of the block
// model, with different numbers of groups; with more participants, for which a start takes longer and depends
// less on its beginning, it means one.
const (
	blockSmall     = 250
	blockStartsPer = 4
)

// Indifferent is the reason why Block leaves someone out whose votes do not
// depend on the statements.
const Indifferent = "votes that do not depend on the statements"

// fitAttentive fits the model to the rows, and again without the members of indifferent groups, until there
// are none; reason says so for those left out. People who agree, disagree or pass at random regardless of the
// statement share no viewpoint with others who do. If the number of groups is given, everyone stays.
func fitAttentive(ctx context.Context, r *ratings, rows []int, points []point, reason []string, o Options) (*blockState, []int, error) {
	for {
		starts := o.Starts
		if len(rows) <= blockSmall {
			starts *= blockStartsPer
		}
		s, err := fitBlock(ctx, newBlockVotes(r, rows), points, o.KMax, o.K, starts, o.Seed)
		if err != nil {
			return nil, nil, err
		}
		s.canonical()
		var stay []int // of rows
		for n, g := range s.group {
			if !s.indifferent(g) {
				stay = append(stay, n)
			}
		}
		if o.K > 0 || len(stay) == 0 || len(stay) == len(rows) {
			return s, rows, nil
		}
		for n, i := range rows {
			if s.indifferent(s.group[n]) {
				reason[i] = Indifferent
			}
		}
		was, at := rows, points
		rows, points = make([]int, len(stay)), make([]point, len(stay))
		for n, from := range stay {
			rows[n], points[n] = was[from], at[from]
		}
	}
}

// warnOfIndifference reports who may have voted without reading.
func (s *blockState) warnOfIndifference(res *Result, reason []string) {
	out := 0
	for _, why := range reason {
		if why == Indifferent {
			out++
		}
	}
	if out > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf("%d participants are left out because their votes do not "+
			"depend on the statements; with a number of groups given they stay", out))
	}
	if s.k > 1 && s.l == 1 {
		res.Warnings = append(res.Warnings, "no statement tells the groups apart more than another: they differ "+
			"in how much they agree with everything, which may be no viewpoint")
	}
	for g := range s.k {
		if s.indifferent(g) {
			res.Warnings = append(res.Warnings, fmt.Sprintf("the votes of group %d do not depend on the statements; it may be no viewpoint", g))
		}
	}
}

// runBlock groups by the latent block model. The plane is that of the default method and is only used to show
// the groups.
func runBlock(ctx context.Context, m *Matrix, o Options) (*Result, error) {
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
	label := make([]int, len(m.participants))
	for i := range label {
		label[i] = -1
	}
	if len(rows) == 0 {
		res := describe(m, r, a, all, label, 0, reason)
		warn(res, o.Method, m, label)
		return res, nil
	}
	s, rows, err := fitAttentive(ctx, r, rows, points, reason, o)
	if err != nil {
		return nil, err
	}
	for n, i := range rows {
		label[i] = s.group[n]
	}
	res := describe(m, r, a, all, label, s.k, reason)
	if err := doubt(ctx, res, r, a, all, label, blockAgain, o); err != nil {
		return nil, err
	}
	if s.k > 1 {
		own := make([]float64, len(rows))
		for n := range rows {
			own[n] = float64(res.Participants[n].Silhouette)
		}
		res.Silhouette[s.k] = Number(mean(own))
	}
	if o.Resamples > 0 {
		own, margin, err := s.membership(ctx, stream(o.Seed, streamMembership))
		if err != nil {
			return nil, err
		}
		for n := range rows {
			p := Number(own[n])
			res.Participants[n].Probability, res.Participants[n].Margin = &p, Number(margin[n])
		}
	} else {
		for n := range rows {
			res.Participants[n].Margin = Number(math.NaN())
		}
	}
	s.warnOfIndifference(res, reason)
	icl := Number(s.icl())
	res.LogLikelihood = &icl
	res.Classes = s.classes(m)
	return res, nil
}

// indifferent reports whether the votes of group g are likelier if they do not depend on the classes of
// statements than if they do, with parameters integrated out in both cases. With only one class this cannot
// be decided.
func (s *blockState) indifferent(g int) bool {
	var byClass float64
	var all blockCount
	for c := range s.l {
		byClass += s.value[g*s.maxL+c]
		all = plus(all, s.count[g*s.maxL+c])
	}
	return s.block(all) > byClass+1e-9
}

// canonical renumbers groups by falling size, equal sizes by first member, and
// classes likewise.
func (s *blockState) canonical() {
	g, c := partition{k: s.k, label: s.group}, partition{k: s.l, label: s.class}
	bySize(&g)
	bySize(&c)
	*s = *newBlockState(s.blockVotes, g.label, c.label, s.k, s.l, s.maxK, s.maxL, s.fixed)
}

// classes describes the classes of statements.
func (s *blockState) classes(m *Matrix) []Class {
	classes := make([]Class, s.l)
	for j, c := range s.class {
		classes[c].Statements = append(classes[c].Statements, m.statements[s.column[j]].ID)
	}
	for c := range classes {
		slices.SortFunc(classes[c].Statements, CompareIDs)
		for g := range s.k {
			n := s.count[g*s.maxL+c]
			classes[c].Votes = append(classes[c].Votes, Tally{Agree: int(n[2]), Disagree: int(n[0]), Neutral: int(n[1])})
		}
	}
	return classes
}

// blockAgain is how a resample is grouped, with fewer starts.
func blockAgain(ctx context.Context, r *ratings, rows []int, points []point, k int, rng *rand.Rand) ([]int, error) {
	starts := 1
	if len(rows) <= blockSmall {
		starts = blockStartsPer
	}
	s, err := fitBlock(ctx, newBlockVotes(r, rows), points, k, k, starts, rng.Uint64())
	if err != nil {
		return nil, err
	}
	return s.group, nil
}
