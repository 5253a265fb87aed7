package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The components must be those of a dense eigendecomposition of the mean-filled,
// centred matrix.
func TestAxesAreEigenvectorsOfTheFilledMatrix(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n, m := 3+rng.IntN(40), 2+rng.IntN(60)
		b := NewBuilder()
		for i := range n {
			for j := range m {
				if rng.Float64() < 0.4 {
					b.Vote(fmt.Sprint(i), fmt.Sprint(j), Vote(rng.IntN(3)-1))
				}
			}
		}
		r := newRatings(b.Matrix())
		a, err := r.principalAxes(context.Background(), stream(seed, streamAxes))
		if err != nil {
			t.Fatal(err)
		}
		cols := len(r.center)
		gram := mat.NewSymDense(cols, nil)
		for i := range r.participants {
			columns, votes := r.Row(i)
			for k, j := range columns {
				for l, h := range columns[:k+1] {
					x := (float64(votes[k]) - r.center[j]) * (float64(votes[l]) - r.center[h])
					gram.SetSym(int(j), int(h), gram.At(int(j), int(h))+x)
				}
			}
		}
		var eigen mat.EigenSym
		eigen.Factorize(gram, true)
		values := eigen.Values(nil)
		var vectors mat.Dense
		eigen.VectorsTo(&vectors)
		for c := range min(2, cols) {
			want := values[cols-1-c]
			if math.Abs(a.variance[c]-want) > 1e-9*values[cols-1] {
				t.Errorf("seed %d, component %d: variance %v, want %v", seed, c, a.variance[c], want)
			}
			if cols-2-c >= 0 && want-values[cols-2-c] < 1e-6*want || want < 1e-9 {
				continue // any vector of the plane will do
			}
			var dot float64
			for j := range cols {
				dot += a.loading[c][j] * vectors.At(j, cols-1-c)
			}
			if math.Abs(dot) < 1-1e-9 {
				t.Errorf("seed %d, component %d: |cos| %.12f", seed, c, math.Abs(dot))
			}
		}
	}
}

func TestAxesWithoutVarianceAreZero(t *testing.T) {
	t.Parallel()
	m := build(everybody(6, 5, func(i, j int) Vote { return Vote(1 - 2*(i%2)) }))
	r := newRatings(m)
	a, err := r.principalAxes(context.Background(), stream(1, streamAxes))
	if err != nil {
		t.Fatal(err)
	}
	if a.variance[0] < 29.999 || a.variance[1] != 0 || slices.Max(a.loading[1]) != 0 {
		t.Errorf("variances %v, second component %v", a.variance, a.loading[1])
	}
}

func TestExcludedStatementsCountAsNeutralVotesOfAll(t *testing.T) {
	t.Parallel()
	cells, _ := planted(rand.New(rand.NewPCG(2, 2)), 30, 12, 8, 2)
	b := NewBuilder()
	for _, c := range cells {
		b.Vote(c.participant, c.statement, c.vote)
	}
	b.Statement(StatementInfo{ID: "3", Rejected: true})
	b.Statement(StatementInfo{ID: "5", Meta: true})
	b.Statement(StatementInfo{ID: "unseen", Rejected: true})
	r := newRatings(b.Matrix())
	if r.columns != 12 || r.excluded != 2 {
		t.Errorf("%d columns, %d excluded", r.columns, r.excluded)
	}
	res := run(t, b.Matrix(), DefaultOptions())
	for _, s := range res.Statements {
		if s.Excluded != (s.ID == "3" || s.ID == "5" || s.ID == "unseen") {
			t.Errorf("statement %s: excluded %v", s.ID, s.Excluded)
		}
		if s.Excluded && s.ID != "unseen" && s.Votes() == 0 {
			t.Errorf("statement %s lost its votes", s.ID)
		}
	}
	for _, g := range res.Groups {
		for _, s := range g.Representative {
			if s.Statement == "3" || s.Statement == "5" {
				t.Errorf("excluded statement %s speaks for group %d", s.Statement, g.Group)
			}
		}
	}
}

func TestPolisKMeansRules(t *testing.T) {
	t.Parallel()
	line := func(x ...float64) []point {
		var points []point
		for _, v := range x {
			points = append(points, point{v, 0})
		}
		return points
	}
	for name, c := range map[string]struct {
		points  []point
		weights []int
		k       int
		ids     []int
		members [][]int
		x       []float64
	}{
		"starts from the first distinct":   {line(0, 0, 1, 10, 11), nil, 2, []int{0, 1}, [][]int{{0, 1, 2}, {3, 4}}, []float64{1. / 3, 10.5}},
		"a tie goes to the later":          {line(0, 2, 1), nil, 2, []int{0, 1}, [][]int{{0}, {1, 2}}, []float64{0, 1.5}},
		"fewer clusters than asked":        {line(4, 4, 4), nil, 3, []int{0}, [][]int{{0, 1, 2}}, []float64{4}},
		"weights move centers":             {line(0, 10, 2), []int{1, 1, 3}, 2, []int{0, 1}, [][]int{{0, 2}, {1}}, []float64{1.5, 10}},
		"nothing":                          {nil, nil, 2, nil, nil, nil},
		"movement below the limit ends it": {line(0, 0.02, 0.015), nil, 2, []int{0, 1}, [][]int{{0}, {1, 2}}, []float64{0, 0.0175}},
	} {
		got := polisKMeans(c.points, c.weights, c.k, 20)
		var ids []int
		var members [][]int
		for n, g := range got {
			ids = append(ids, g.id)
			members = append(members, g.members)
			if n < len(c.x) && math.Abs(g.center.x-c.x[n]) > 1e-12 {
				t.Errorf("%s: center %d at %v, want %v", name, n, g.center.x, c.x[n])
			}
		}
		if !slices.Equal(ids, c.ids) || fmt.Sprint(members) != fmt.Sprint(c.members) {
			t.Errorf("%s: ids %v, members %v; want %v, %v", name, ids, members, c.ids, c.members)
		}
	}
}

func TestPolisFillsUpSmallConversations(t *testing.T) {
	t.Parallel()
	b := NewBuilder()
	for i := range 20 {
		for j := range 2 + i/2 {
			b.Vote(fmt.Sprint(i), fmt.Sprint(j), Agree)
		}
	}
	rows, reason := polisConversation(b.Matrix(), DefaultOptions())
	// Ten have 7 votes or more; of the rest the five with most come in, of equals the earlier.
	if fmt.Sprint(rows) != "[4 6 7 8 9 10 11 12 13 14 15 16 17 18 19]" {
		t.Errorf("grouped rows %v", rows)
	}
	if reason[0] != "fewer than 7 votes" || reason[19] != "" {
		t.Errorf("reasons %q", reason)
	}
}

func TestPolisPrefersTheLargerOfEqualK(t *testing.T) {
	t.Parallel()
	// Two places: every k gives the same two groups.
	var centers []point
	weights := make([]int, 24)
	for i := range weights {
		centers = append(centers, point{float64(i % 2), 0})
		weights[i] = 1
	}
	groups, scores, err := polisGroups(context.Background(), centers, weights, 10, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(groups) != 2 || len(scores) != 3 || scores[2] != scores[4] {
		t.Errorf("%d groups, scores %v", len(groups), scores)
	}
}

func TestHandVectorsOfTests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want float64 }{
		{proportionZ(30, 50), 2 * math.Sqrt(51) * (31.0/51 - 0.5)},
		{proportionZ(0, 0), 1},
		{twoProportionZ(0, 0, 0, 0), 0},
		{priority(Tally{}, 0, false), 2.25 * 2.25},
		{priority(Tally{}, 1, false), 4.5 * 4.5},
		{priority(Tally{Agree: 9}, 3, true), 49},
		{silhouette([]float64{1, 7}, []int{2, 2}, 0, true), 2.5 / 3.5},
		{silhouette([]float64{0, 7}, []int{1, 2}, 0, true), 0},
		{silhouette([]float64{0, 0}, []int{2, 2}, 0, true), 0},
		{silhouette([]float64{2, 7}, []int{2, 2}, 0, false), 2.5 / 3.5},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

func TestNoiseIsOneGroup(t *testing.T) {
	t.Parallel()
	one := 0
	for seed := range uint64(20) {
		cells, _ := planted(rand.New(rand.NewPCG(seed, 9)), 60, 60, 15, 1)
		res := run(t, build(cells), DefaultOptions())
		if res.K == 1 {
			one++
			if res.Separation.Separated || len(res.Groups) != 1 || len(res.Silhouette) == 0 {
				t.Errorf("seed %d: %+v", seed, res.Separation)
			}
		}
	}
	if one < 17 {
		t.Errorf("one group was found in %d of 20 draws of noise", one)
	}
}

func TestPeopleWhoAgreeWithEverythingAreNoGroup(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	var cells []cell
	for i := range 60 {
		for _, j := range rng.Perm(60)[:15] {
			v, like := Disagree, 0.3+0.4*float64(j%2)
			if i%4 == 0 {
				like = 0.95
			}
			if rng.Float64() < like {
				v = Agree
			}
			cells = append(cells, cell{fmt.Sprint(i), fmt.Sprint(j), v})
		}
	}
	if res := run(t, build(cells), DefaultOptions()); res.K != 1 {
		t.Errorf("k %d, %+v", res.K, res.Separation)
	}
}

func TestDoubtIsReported(t *testing.T) {
	t.Parallel()
	cells, _ := planted(rand.New(rand.NewPCG(7, 2)), 60, 60, 25, 2)
	cells = append(cells, cell{"few", "1", Agree})
	for j := range 9 {
		cells = append(cells, cell{"shrug", fmt.Sprint(j), Neutral})
	}
	for _, method := range Methods() {
		o := DefaultOptions()
		o.Method = method
		res := run(t, build(cells), o)
		s := res.Stability
		if s == nil || !(s.Statements > 0.8 && s.Statements <= 1 && s.Participants > 0.8 && s.Seeds > 0.8 && s.Reliability > 0.8) {
			t.Errorf("%s: %+v", method, s)
		}
		out, said := []LeftOut{{"few", "fewer than 7 votes"}}, "1 grouped participants voted neutral throughout"
		if method == Block {
			out, said = append(out, LeftOut{"shrug", Indifferent}), "1 participants are left out because their votes do not depend on the statements"
		}
		if !slices.Equal(res.LeftOut, out) {
			t.Errorf("%s: left out %v", method, res.LeftOut)
		}
		if !strings.Contains(strings.Join(res.Warnings, "\n"), said) {
			t.Errorf("%s: warnings %q", method, res.Warnings)
		}
		for _, p := range res.Participants {
			if !(p.Silhouette >= -1 && p.Silhouette <= 1 && p.Margin >= -1 && p.Margin <= 1) {
				t.Errorf("%s: %+v", method, p)
			}
		}
	}
	few, _ := planted(rand.New(rand.NewPCG(1, 2)), 60, 60, 9, 3)
	said := strings.Join(run(t, build(few), DefaultOptions()).Warnings, "\n")
	if !strings.Contains(said, "votes each") {
		t.Errorf("warnings %q", said)
	}
}

func TestLargeMatricesAreSampledAndStillOrderFree(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("makes 12,000 participants")
	}
	cells, truth := planted(rand.New(rand.NewPCG(1, 1)), 12_000, 30, 10, 3)
	o := DefaultOptions()
	o.KMax, o.Starts, o.Resamples = 4, 3, 2
	res := run(t, build(cells), o)
	if res.K != 3 || agreement(res, truth) < 0.8 {
		t.Errorf("k %d, adjusted Rand index %.2f", res.K, agreement(res, truth))
	}
	if res.SilhouetteSample != silhouetteExact || res.Stability.Sample != doubtSample {
		t.Errorf("samples of %d and %d", res.SilhouetteSample, res.Stability.Sample)
	}
	want := encode(t, res)
	rand.New(rand.NewPCG(8, 8)).Shuffle(len(cells), func(a, b int) { cells[a], cells[b] = cells[b], cells[a] })
	if encode(t, run(t, build(cells), o)) != want {
		t.Error("another order of the votes changed the result")
	}
}

func BenchmarkQuestion(b *testing.B) {
	m, _ := authored(1, 60, 15, 3)
	for _, method := range Methods() {
		b.Run(string(method), func(b *testing.B) {
			o := DefaultOptions()
			o.Method = method
			for b.Loop() {
				if _, err := Run(context.Background(), m, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
