package score

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// pearson is the product-moment correlation, NaN when a side is constant or
// there are fewer than two points. weights may be nil.
func pearson(x, y, weights []float64) float64 {
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	var n, mx, my float64
	for i := range x {
		w := weight(i)
		n += w
		mx += w * x[i]
		my += w * y[i]
	}
	mx, my = mx/n, my/n
	var sxx, syy, sxy float64
	for i := range x {
		w, dx, dy := weight(i), x[i]-mx, y[i]-my
		sxx += w * dx * dx
		syy += w * dy * dy
		sxy += w * dx * dy
	}
	// Sums of squares this small against the values are rounding alone.
	if sxx <= 1e-24*n*(1+mx*mx) || syy <= 1e-24*n*(1+my*my) {
		return math.NaN()
	}
	return math.Max(-1, math.Min(1, sxy/math.Sqrt(sxx*syy)))
}

// order lists the positions of values from small to large.
func order(values []float64) []int {
	at := make([]int, len(values))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return a - b
	})
	return at
}

// averageRanks ranks the values, each in the sample weights[i] times (nil: once); ties share the mean of
// their ranks. at is order(values). The ranks are written to ranks, which is returned.
func averageRanks(values, weights []float64, at []int, ranks []float64) []float64 {
	before := 0.0
	for i := 0; i < len(at); {
		j, tied := i, 0.0
		for ; j < len(at) && values[at[j]] == values[at[i]]; j++ {
			if weights == nil {
				tied++
			} else {
				tied += weights[at[j]]
			}
		}
		for ; i < j; i++ {
			ranks[at[i]] = before + (tied+1)/2
		}
		before += tied
	}
	return ranks
}

// spearman is Pearson's correlation of average ranks.
func spearman(x, y []float64) float64 {
	rx := averageRanks(x, nil, order(x), make([]float64, len(x)))
	ry := averageRanks(y, nil, order(y), make([]float64, len(y)))
	return pearson(rx, ry, nil)
}

// Correlation of two lists of numbers, with 95 % intervals on Fisher's z
// scale: standard error 1/sqrt(n-3) for Pearson (Fisher 1921) and
// sqrt((1+r²/2)/(n-3)) for Spearman (Bonett and Wright 2000). Undefined for
// constant lists; no interval below four points or at ±1.
type Correlation struct {
	N          int      `json:"n"`
	Pearson    Number   `json:"pearson"`
	PearsonCI  Interval `json:"pearson_ci"`
	Spearman   Number   `json:"spearman"`
	SpearmanCI Interval `json:"spearman_ci"`
}

func correlate(x, y []float64) Correlation {
	r, rho := pearson(x, y, nil), spearman(x, y)
	n := float64(len(x))
	return Correlation{
		N:       len(x),
		Pearson: Number(r), PearsonCI: fisherInterval(r, 1/math.Sqrt(n-3)),
		Spearman: Number(rho), SpearmanCI: fisherInterval(rho, math.Sqrt((1+rho*rho/2)/(n-3))),
	}
}

func fisherInterval(r, se float64) Interval {
	z := math.Atanh(r)
	width := distuv.UnitNormal.Quantile(0.975) * se
	return Interval{Number(math.Tanh(z - width)), Number(math.Tanh(z + width))}.orUndefined(z, width)
}

// orUndefined drops an interval computed from meaningless values.
func (i Interval) orUndefined(values ...float64) Interval {
	for _, v := range values {
		if !Number(v).Defined() {
			return UndefinedInterval()
		}
	}
	return i
}
