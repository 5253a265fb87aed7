package cluster

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
)

// ratings are the votes that count for the projection. An excluded statement counts as a neutral vote by
// everyone: it has no weight on the axes, but it is one of the statements and everyone has voted on it
// (section 2 of the Polis mathematics).
type ratings struct {
	*Matrix            // votes on statements that count
	all      *Matrix   // all votes
	columns  int       // all statements that have a vote, the excluded ones too
	excluded int       // those among them whose votes do not count
	neutral  []bool    // whether a statement is one of these
	center   []float64 // mean vote of each statement, 0 where it has none
}

// newRatings picks the votes of m that count and their column means.
func newRatings(m *Matrix) *ratings {
	r := &ratings{Matrix: m, all: m, neutral: make([]bool, len(m.statements)), center: make([]float64, len(m.statements))}
	count := make([]int, len(m.statements))
	sum := make([]int, len(m.statements))
	for k, j := range m.column {
		count[j]++
		sum[j] += int(m.vote[k])
	}
	dropped := 0
	for j, s := range m.statements {
		if count[j] == 0 {
			continue
		}
		r.columns++
		if s.excluded() {
			r.excluded++
			r.neutral[j] = true
			dropped += count[j]
		} else {
			r.center[j] = float64(sum[j]) / float64(count[j])
		}
	}
	if dropped == 0 {
		return r
	}
	kept := &Matrix{
		participants: m.participants,
		statements:   m.statements,
		start:        make([]int, len(m.start)),
		column:       make([]int32, 0, len(m.column)-dropped),
		vote:         make([]Vote, 0, len(m.column)-dropped),
	}
	for i := range m.participants {
		columns, votes := m.Row(i)
		for k, j := range columns {
			if !m.statements[j].excluded() {
				kept.column = append(kept.column, j)
				kept.vote = append(kept.vote, votes[k])
			}
		}
		kept.start[i+1] = len(kept.column)
	}
	r.Matrix = kept
	return r
}

// axes are the two leading principal components of the mean-filled matrix, one
// loading a statement. A component without variance is zero.
type axes struct {
	loading  [2][]float64
	variance [2]float64 // eigenvalues of XᵀX, not divided by the number of rows
}

// gramChunks is the number of pieces in which rows are summed. It is fixed, so
// that sums are rounded the same on any number of cores.
const gramChunks = 32

// gram sets out to XᵀX v for the centred, mean-filled matrix X. Filled cells
// are zero after centring, so only cast votes take part.
func (r *ratings) gram(ctx context.Context, out, v []float64, partial [][]float64) error {
	n := len(r.participants)
	chunks := len(partial)
	err := parallel(ctx, chunks, func(c int) {
		y := partial[c]
		clear(y)
		for i := n * c / chunks; i < n*(c+1)/chunks; i++ {
			columns, votes := r.Row(i)
			var t float64
			for k, j := range columns {
				t += (float64(votes[k]) - r.center[j]) * v[j]
			}
			for k, j := range columns {
				y[j] += (float64(votes[k]) - r.center[j]) * t
			}
		}
	})
	clear(out)
	for _, y := range partial {
		floats.Add(out, y)
	}
	return err
}

// maxKrylov bounds the Lanczos basis, and with it memory; convergence to
// rounding error takes some 30 to 100 steps on real votes.
const maxKrylov = 400

// Tolerances of leading: residuals relative to the largest eigenvalue. A rough component is for comparison
// with others of its kind. If only the eigenvalue counts, whose error is the square, a sketch is enough.
const (
	exact  = 1e-14
	rough  = 1e-3
	sketch = 1e-2
)

// principalAxes computes the two leading components exactly, to rounding error, for any size.
func (r *ratings) principalAxes(ctx context.Context, rng *rand.Rand) (axes, error) {
	return leading(ctx, r.gram, 2, r.chunks(), freshDirection(nil, len(r.center), rng), rng, exact)
}

// chunks is the number of pieces in which the rows of r are summed.
func (r *ratings) chunks() int {
	if len(r.vote) < 1<<15 {
		return 1 // too little work to share
	}
	return gramChunks
}

// gramFunc sets out to XᵀX v for some matrix X, given space for partial sums.
type gramFunc func(ctx context.Context, out, v []float64, partial [][]float64) error

// leading computes the 1 or 2 leading components by Lanczos steps on XᵀX with full reorthogonalisation, until
// their residuals are within the tolerance. start is a unit vector, the nearer to the components the better.
// The sign of a component makes its largest loading (the first of equals) positive.
func leading(ctx context.Context, gram gramFunc, wanted, chunks int, start []float64, rng *rand.Rand, tolerance float64) (axes, error) {
	m := len(start)
	a := axes{loading: [2][]float64{make([]float64, m), make([]float64, m)}}
	partial := make([][]float64, chunks)
	for c := range partial {
		partial[c] = make([]float64, m)
	}
	var basis [][]float64
	var alpha, beta []float64 // diagonal and subdiagonal of the projected matrix
	largest := 0.0            // diagonal entry so far
	closed := 0               // times that the basis spanned an invariant space
	w := make([]float64, m)
	next := start
	if m == 0 {
		next = nil
	}
	for next != nil {
		basis = append(basis, next)
		k := len(basis) - 1
		if err := gram(ctx, w, next, partial); err != nil {
			return a, err
		}
		alpha = append(alpha, floats.Dot(w, next))
		largest = max(largest, alpha[k])
		orthogonalise(w, basis)
		b := floats.Norm(w, 2)
		if b <= 1e-13*largest {
			// The space is closed under XᵀX. It holds one vector of each
			// eigenvalue; a direction outside it leads to the second of a pair.
			b = 0
			closed++
			next = freshDirection(basis, m, rng)
		} else {
			next = make([]float64, m)
			floats.ScaleTo(next, 1/b, w)
		}
		beta = append(beta, b)
		full := next == nil || closed == 2 || len(basis) == maxKrylov
		if !full && k%2 == 0 {
			continue
		}
		values, vectors := tridiagonal(alpha, beta)
		n := len(alpha)
		converged := b > 0
		for c := range min(wanted, n) {
			residual := math.Abs(b * vectors[(n-1)*n+n-1-c])
			converged = converged && residual <= tolerance*math.Abs(values[n-1])
		}
		if !converged && !full {
			continue
		}
		for c := range min(wanted, n) {
			lambda := values[n-1-c]
			if lambda <= 1e-12*values[n-1] || lambda <= 1e-14 {
				break
			}
			a.variance[c] = lambda
			for q, u := range basis {
				floats.AddScaled(a.loading[c], vectors[q*n+n-1-c], u)
			}
			orient(a.loading[c])
		}
		return a, nil
	}
	return a, nil
}

// freshDirection returns a random unit vector orthogonal to the basis, or nil
// when the basis spans everything.
func freshDirection(basis [][]float64, m int, rng *rand.Rand) []float64 {
	if len(basis) >= m {
		return nil
	}
	v := make([]float64, m)
	for j := range v {
		v[j] = rng.NormFloat64()
	}
	orthogonalise(v, basis)
	floats.Scale(1/floats.Norm(v, 2), v)
	return v
}

// orthogonalise removes from w its part in the span of the basis, twice, which
// is enough to rounding error.
func orthogonalise(w []float64, basis [][]float64) {
	for range 2 {
		for _, u := range basis {
			floats.AddScaled(w, -floats.Dot(w, u), u)
		}
	}
}

// tridiagonal returns the eigenvalues of a symmetric tridiagonal matrix,
// ascending, and its eigenvectors as the columns of an n x n row-major matrix.
func tridiagonal(diagonal, sub []float64) (values, vectors []float64) {
	n := len(diagonal)
	values = append([]float64(nil), diagonal...)
	e := append([]float64(nil), sub[:n-1]...)
	vectors = make([]float64, n*n)
	lapackgonum.Implementation{}.Dsteqr(lapack.EVTridiag, n, values, e, vectors, n, make([]float64, max(1, 2*n-2)))
	return values, vectors
}

// orient flips v so that its largest entry in absolute value is positive.
func orient(v []float64) {
	best := 0
	for j := range v {
		if math.Abs(v[j]) > math.Abs(v[best]) {
			best = j
		}
	}
	if v[best] < 0 {
		floats.Scale(-1, v)
	}
}

// point is a place in the plane of the two components.
type point struct{ x, y float64 }

func (p point) distance2(q point) float64 {
	dx, dy := p.x-q.x, p.y-q.y
	return dx*dx + dy*dy
}

func (p point) distance(q point) float64 { return math.Sqrt(p.distance2(q)) }

// project places every participant: the sum over their votes of (vote - mean) times the loadings, scaled by
// sqrt(statements / votes) so that people with few votes are not drawn to the middle.
func (r *ratings) project(a axes) []point {
	points := make([]point, len(r.participants))
	for i := range points {
		columns, votes := r.Row(i)
		var p point
		for k, j := range columns {
			d := float64(votes[k]) - r.center[j]
			p.x += d * a.loading[0][j]
			p.y += d * a.loading[1][j]
		}
		s := math.Sqrt(float64(r.columns) / float64(max(1, len(columns)+r.excluded)))
		points[i] = point{p.x * s, p.y * s}
	}
	return points
}

// extremities returns, for each statement, how far from the middle someone is whose only vote is to agree
// with it.
func (r *ratings) extremities(a axes) []float64 {
	e := make([]float64, len(r.center))
	s := math.Sqrt(float64(r.columns))
	for j := range e {
		d := s * (float64(Agree) - r.center[j])
		e[j] = math.Hypot(d*a.loading[0][j], d*a.loading[1][j])
	}
	return e
}
