package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// authored is a planted matrix in which everyone also wrote a statement.
func authored(seed uint64, people, votes, k int) (*Matrix, map[string]int) {
	cells, truth := planted(rand.New(rand.NewPCG(seed, 1)), people, people, votes, k)
	b := NewBuilder()
	for i := range people {
		b.Statement(StatementInfo{ID: build(cells).statements[i].ID, Author: build(cells).statements[(i+k)%people].ID})
	}
	for _, c := range cells {
		b.Vote(c.participant, c.statement, c.vote)
	}
	return b.Matrix(), truth
}

func randomState(t *testing.T, seed uint64) (*blockState, *rand.Rand) {
	t.Helper()
	m, _ := authored(seed, 24, 9, 3)
	r := newRatings(m.sorted())
	rows := sampleRows(20, 20, nil) // some authors are outside
	b := newBlockVotes(r, rows)
	rng := rand.New(rand.NewPCG(seed, 5))
	group, class := make([]int, len(b.byVoter)), make([]int, len(b.byStatement))
	for i := range group {
		group[i] = i % 4
	}
	for j := range class {
		class[j] = j % 3
	}
	return newBlockState(b, group, class, 4, 3, 6, 5, false), rng
}

// Each score must be the difference that the move makes to the likelihood as
// computed from nothing.
func TestBlockScoresAreLikelihoodDifferences(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		s, rng := randomState(t, seed)
		fresh := func(group, class []int) float64 {
			return newBlockState(s.blockVotes, group, class, slices.Max(group)+1, slices.Max(class)+1, s.maxK, s.maxL, false).icl()
		}
		space := s.scratch()
		for range 3 {
			s.sweepVoters(rng, false, space, func(i int, scores []float64) {
				var want []float64
				for g := range scores {
					group := slices.Clone(s.group)
					group[i] = g
					if g < s.k || slices.Max(group) == g {
						want = append(want, fresh(group, s.class))
					}
				}
				for g := range want {
					if got := scores[g] - scores[0]; math.Abs(got-(want[g]-want[0])) > 1e-8 {
						t.Fatalf("voter %d to group %d of %d: %v, want %v", i, g, s.k, got, want[g]-want[0])
					}
				}
			})
			s.sweepStatements(rng, false, space)
			if got, want := s.icl(), fresh(s.group, s.class); math.Abs(got-want) > 1e-8 {
				t.Fatalf("counts went astray: likelihood %v, from nothing %v", got, want)
			}
		}
		for j := range s.class {
			votes := s.votesByGroup(j, space.votes)
			was := s.class[j]
			s.placeStatement(j, was, -1, votes)
			if s.classSize(was) > 0 {
				scores := s.statementScores(j, votes, space.scores)
				for c := range scores {
					class := slices.Clone(s.class)
					class[j] = c
					want := fresh(s.group, class)
					class[j] = 0
					if got := scores[c] - scores[0]; math.Abs(got-(want-fresh(s.group, class))) > 1e-8 {
						t.Fatalf("statement %d to class %d: %v", j, c, got)
					}
				}
			}
			s.placeStatement(j, was, 1, votes)
		}
	}
}

func TestBlockMergesGainWhatTheySay(t *testing.T) {
	t.Parallel()
	s, _ := randomState(t, 3)
	for {
		before, k, l := s.icl(), s.k, s.l
		best := 0.0
		for h := range s.k {
			for g := range h {
				best = max(best, s.groupMergeGain(g, h))
			}
		}
		for d := range s.l {
			for c := range d {
				best = max(best, s.classMergeGain(c, d))
			}
		}
		if !s.merge() {
			break
		}
		if got := s.icl() - before; math.Abs(got-best) > 1e-8 || s.k+s.l != k+l-1 {
			t.Fatalf("the merge gained %v, said %v", got, best)
		}
	}
	if s.k != 1 && s.l != 1 {
		t.Logf("ended with %d groups and %d classes", s.k, s.l)
	}
}

func TestBlockFindsPlantedGroups(t *testing.T) {
	t.Parallel()
	for _, k := range []int{1, 2, 3} {
		m, truth := authored(uint64(k), 60, 25, k)
		o := DefaultOptions()
		o.Method = Block
		res := run(t, m, o)
		if res.K != k || agreement(res, truth) < 0.95 {
			t.Errorf("%d planted groups: k %d, adjusted Rand index %.2f", k, res.K, agreement(res, truth))
		}
		for _, p := range res.Participants {
			if *p.Probability < 0 || *p.Probability > 1+1e-12 || p.Margin > *p.Probability {
				t.Errorf("participant %s: probability %v, margin %v", p.ID, *p.Probability, p.Margin)
			}
		}
		o.K = 4
		if res := run(t, m, o); res.K != 4 {
			t.Errorf("4 groups were asked for, %d given", res.K)
		}
	}
}

// inattentive adds people who vote by a habit of their own, whatever is said.
func inattentive(m *Matrix, people int, rng *rand.Rand) *Matrix {
	b := NewBuilder()
	for j := range m.statements {
		b.Statement(m.statements[j])
	}
	for i := range m.participants {
		columns, votes := m.Row(i)
		for k, j := range columns {
			b.Cell(b.Participant(m.participants[i]), int(j), votes[k])
		}
	}
	for n := range people {
		row := b.Participant(fmt.Sprint("careless", n))
		for _, j := range rng.Perm(len(m.statements))[:25] {
			v := Disagree
			if rng.Float64() < 0.1 {
				v = Agree
			}
			b.Cell(row, j, v)
		}
	}
	return b.Matrix()
}

func TestBlockLeavesOutWhoDoesNotHeedTheStatements(t *testing.T) {
	t.Parallel()
	m, truth := authored(2, 60, 25, 3)
	m = inattentive(m, 8, rand.New(rand.NewPCG(2, 8)))
	o := DefaultOptions()
	o.Method = Block
	res := run(t, m, o)
	if res.K != 3 || len(res.LeftOut) != 8 || agreement(res, truth) < 0.95 {
		t.Errorf("k %d, left out %v, adjusted Rand index %.2f", res.K, res.LeftOut, agreement(res, truth))
	}
	for _, l := range res.LeftOut {
		if !strings.HasPrefix(l.ID, "careless") || l.Reason != Indifferent {
			t.Errorf("left out %v", l)
		}
	}
	o.K = 4
	res = run(t, m, o)
	if res.K != 4 || len(res.LeftOut) != 0 || !strings.Contains(strings.Join(res.Warnings, "\n"), "the votes of group 3 do not depend on the statements") {
		t.Errorf("of 4 groups asked for: k %d, left out %v, warnings %q", res.K, res.LeftOut, res.Warnings)
	}
}

// Without classes of statements nobody can be told not to use them.
func TestBlockSaysThatGroupsDifferOnlyInHowMuchTheyAgree(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	var cells []cell
	for i := range 40 {
		for j := range 12 {
			v := Vote(1 - 2*(i%2))
			if rng.Float64() < 0.1 {
				v = -v
			}
			cells = append(cells, cell{fmt.Sprint(i), fmt.Sprint(j), v})
		}
	}
	o := DefaultOptions()
	o.Method = Block
	res := run(t, build(cells), o)
	if res.K != 2 || len(res.LeftOut) != 0 || !strings.Contains(strings.Join(res.Warnings, "\n"), "how much they agree with everything") {
		t.Errorf("k %d, left out %v, warnings %q", res.K, res.LeftOut, res.Warnings)
	}
}

func TestBlockStopsWhenCancelled(t *testing.T) {
	t.Parallel()
	m, _ := authored(1, 30, 10, 2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o := DefaultOptions()
	o.Method = Block
	if _, err := Run(ctx, m, o); err == nil {
		t.Error("no error")
	}
}
