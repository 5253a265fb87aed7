package score

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Variance is a one-way analysis of variance: how much of the spread of some values is between groups. Eta2
// is SSB/SST; Omega2 corrects it for chance, (SSB - dfb·MSW)/(SST + MSW). Undefined with fewer than two
// groups or without spread; F and P also without residual degrees of freedom or variance.
type Variance struct {
	Eta2   Number `json:"eta2"`
	Omega2 Number `json:"omega2"`
	F      Number `json:"f"`
	P      Number `json:"p"`
	DF     [2]int `json:"df"`
}

// groupSums are the sums that the analysis needs of one group.
type groupSums struct{ n, sum, squares float64 }

func (g *groupSums) add(x, weight float64) {
	g.n += weight
	g.sum += weight * x
	g.squares += weight * x * x
}

// analyseVariance needs sums of values around a common center near their mean, which keeps rounding errors
// small. Empty groups are left out.
func analyseVariance(groups []groupSums) Variance {
	var all groupSums
	used := 0
	for _, g := range groups {
		if g.n > 0 {
			used++
			all.n += g.n
			all.sum += g.sum
			all.squares += g.squares
		}
	}
	none := Undefined()
	v := Variance{none, none, none, none, [2]int{max(used-1, 0), max(int(all.n)-used, 0)}}
	mean := all.sum / all.n
	within := 0.0
	between := 0.0
	for _, g := range groups {
		if g.n > 0 {
			m := g.sum / g.n
			between += g.n * (m - mean) * (m - mean)
			within += math.Max(0, g.squares-g.n*m*m)
		}
	}
	whole := between + within
	if used < 2 || whole <= 1e-24*all.n {
		return v
	}
	v.Eta2 = Number(between / whole)
	if v.DF[1] == 0 {
		return v
	}
	meanWithin := within / float64(v.DF[1])
	v.Omega2 = Number((between - float64(v.DF[0])*meanWithin) / (whole + meanWithin))
	if within <= 1e-24*all.n {
		return v
	}
	f := between / float64(v.DF[0]) / meanWithin
	v.F = Number(f)
	v.P = Number(distuv.F{D1: float64(v.DF[0]), D2: float64(v.DF[1])}.Survival(f))
	return v
}
