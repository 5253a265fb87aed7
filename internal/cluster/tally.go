package cluster

import (
	"cmp"
	"math"
	"slices"
)

// Tally counts votes.
type Tally struct {
	Agree    int `json:"agree"`
	Disagree int `json:"disagree"`
	Neutral  int `json:"neutral"`
}

// Votes is the number of votes of any kind.
func (t Tally) Votes() int { return t.Agree + t.Disagree + t.Neutral }

func (t *Tally) add(v Vote) {
	switch v {
	case Agree:
		t.Agree++
	case Disagree:
		t.Disagree++
	default:
		t.Neutral++
	}
}

// tallies counts the votes of each group on each statement, and of everyone.
// label is -1 for participants in no group.
func tallies(m *Matrix, label []int, k int) (groups [][]Tally, all []Tally) {
	all = make([]Tally, len(m.statements))
	groups = make([][]Tally, k)
	for g := range groups {
		groups[g] = make([]Tally, len(m.statements))
	}
	for i := range m.participants {
		columns, votes := m.Row(i)
		for n, j := range columns {
			all[j].add(votes[n])
			if label[i] >= 0 {
				groups[label[i]][j].add(votes[n])
			}
		}
	}
	return groups, all
}

// groupConsensus is the group-aware consensus on statement j.
func groupConsensus(groups [][]Tally, j int) float64 {
	c := 1.0
	for _, g := range groups {
		c *= float64(g[j].Agree+1) / float64(g[j].Votes()+2)
	}
	return c
}

// priority is the weight of a statement when the next one to show is drawn: high for statements that were
// seen little, that people agree with and do not pass on, and that are far from the middle (Polis; t are the
// votes of grouped participants, extremity as in a result). Meta statements have a fixed 49.
func priority(t Tally, extremity float64, meta bool) float64 {
	if meta {
		return 49
	}
	s := float64(t.Votes())
	known := 1 - float64(t.Neutral+1)/(s+2)
	p := known * (extremity + 1) * float64(t.Agree+1) / (s + 2) * (1 + 8*math.Exp2(-s/5))
	return p * p
}

// significant is the one-tailed 90 % point of the normal distribution, as
// Polis rounds it.
const significant = 1.2816

// Representative is a statement that distinguishes a group, or unites everyone.
type Representative struct {
	Statement string `json:"statement"`
	Direction string `json:"direction"` // agree or disagree
	// Count of the group's Votes went in this direction.
	Count int `json:"count"`
	Votes int `json:"votes"`
	// Probability is (count+1)/(votes+2), and ProbabilityZ tests it against 1/2.
	Probability  Number `json:"probability"`
	ProbabilityZ Number `json:"probability_z"`
	// Ratio is Probability over that of all other groups, and Z the
	// two-proportion test of the difference.
	Ratio Number `json:"ratio"`
	Z     Number `json:"z"`
	// Best marks the group's strongest agreement.
	Best bool `json:"best,omitempty"`
}

// Consensus lists the statements that participants as a whole agree or disagree on, strongest first; ratio
// and z, which need groups, are null.
type Consensus struct {
	Agree    []Representative `json:"agree"`
	Disagree []Representative `json:"disagree"`
}

// proportionZ tests a count against one half, every count plus one.
func proportionZ(count, n int) float64 {
	s, t := float64(count+1), float64(n+1)
	return 2 * math.Sqrt(t) * (s/t - 0.5)
}

// twoProportionZ tests the difference of two proportions, every count plus one.
func twoProportionZ(count1, count2, n1, n2 int) float64 {
	s1, s2 := float64(count1+1), float64(count2+1)
	t1, t2 := float64(n1+1), float64(n2+1)
	p := (s1 + s2) / (t1 + t2)
	if p == 1 {
		return 0
	}
	return (s1/t1 - s2/t2) / math.Sqrt(p*(1-p)*(1/t1+1/t2))
}

// sides is the evidence on one statement in both directions.
type sides struct{ agree, disagree Representative }

// compareSides compares a group's votes on a statement with the other groups'.
func compareSides(id string, own, rest Tally) sides {
	side := func(direction string, count, other int) Representative {
		p := float64(count+1) / float64(own.Votes()+2)
		return Representative{
			Statement: id, Direction: direction, Count: count, Votes: own.Votes(),
			Probability:  Number(p),
			ProbabilityZ: Number(proportionZ(count, own.Votes())),
			Ratio:        Number(p / (float64(other+1) / float64(rest.Votes()+2))),
			Z:            Number(twoProportionZ(count, other, own.Votes(), rest.Votes())),
		}
	}
	return sides{side("agree", own.Agree, rest.Agree), side("disagree", own.Disagree, rest.Disagree)}
}

// stronger is the side that distinguishes the group more, ties to disagree.
func (s sides) stronger() Representative {
	if s.agree.Z > s.disagree.Z {
		return s.agree
	}
	return s.disagree
}

func (r Representative) telling() bool {
	return r.Z > significant && r.ProbabilityZ > significant
}

// metric orders representative statements.
func (r Representative) metric() float64 {
	return float64(r.Ratio) * float64(r.Z) * float64(r.Probability) * float64(r.ProbabilityZ)
}

// maxRepresentative is the largest number of statements that represent a group.
const maxRepresentative = 5

// representatives picks, for each group, the statements that distinguish it from the other groups: those
// significant at 90 % both within the group and against the rest, at most five, the group's strongest
// agreement first, agreements before disagreements; if none is significant, the best one (Small et al., 2021,
// in the form that Polis runs).
func representatives(m *Matrix, groups [][]Tally) [][]Representative {
	chosen := make([][]Representative, len(groups))
	for g := range groups {
		chosen[g] = representative(m, groups, g)
	}
	return chosen
}

func representative(m *Matrix, groups [][]Tally, g int) []Representative {
	var sufficient []Representative
	var best, bestAgree sides
	found, foundAgree := false, false
	for j, info := range m.statements {
		if info.excluded() {
			continue
		}
		own, rest := groups[g][j], Tally{}
		for h := range groups {
			if h != g {
				rest.Agree += groups[h][j].Agree
				rest.Disagree += groups[h][j].Disagree
				rest.Neutral += groups[h][j].Neutral
			}
		}
		s := compareSides(info.ID, own, rest)
		if s.agree.telling() || s.disagree.telling() {
			sufficient = append(sufficient, s.stronger())
		}
		if len(sufficient) == 0 && (!found || max(s.agree.Z, s.disagree.Z) > best.stronger().Z) {
			best, found = s, true
		}
		if own.Agree == 0 && own.Disagree == 0 {
			continue
		}
		a := s.agree
		switch {
		case foundAgree && bestAgree.agree.Ratio > 1:
			if a.metric() > bestAgree.agree.metric() {
				bestAgree = s
			}
		case foundAgree:
			if a.Probability*a.ProbabilityZ > bestAgree.agree.Probability*bestAgree.agree.ProbabilityZ {
				bestAgree = s
			}
		case a.ProbabilityZ > significant || a.Ratio > 1 && a.Probability > 0.5:
			bestAgree, foundAgree = s, true
		}
	}
	var list []Representative
	if foundAgree {
		r := bestAgree.stronger()
		r.Best = true
		list = append(list, r)
	}
	switch {
	case len(sufficient) > 0:
		slices.SortStableFunc(sufficient, func(a, b Representative) int { return cmp.Compare(b.metric(), a.metric()) })
		for _, r := range sufficient {
			if !foundAgree || r.Statement != list[0].Statement {
				list = append(list, r)
			}
		}
		list = list[:min(len(list), maxRepresentative)]
		slices.SortStableFunc(list, func(a, b Representative) int {
			return cmp.Compare(a.Direction, b.Direction) // agree sorts before disagree
		})
	case !foundAgree && found:
		list = append(list, best.stronger())
	}
	return list
}

// consensusOf lists the statements that all participants together agree or
// disagree on.
func consensusOf(m *Matrix, all []Tally) Consensus {
	pick := func(direction string, count func(Tally) int) []Representative {
		list := []Representative{}
		for j, info := range m.statements {
			t := all[j]
			r := Representative{
				Statement: info.ID, Direction: direction, Count: count(t), Votes: t.Votes(),
				Probability:  Number(float64(count(t)+1) / float64(t.Votes()+2)),
				ProbabilityZ: Number(proportionZ(count(t), t.Votes())),
				Ratio:        Number(math.NaN()),
				Z:            Number(math.NaN()),
			}
			if !info.excluded() && r.Probability > 0.5 && r.ProbabilityZ > significant {
				list = append(list, r)
			}
		}
		slices.SortStableFunc(list, func(a, b Representative) int {
			return cmp.Compare(b.Probability*b.ProbabilityZ, a.Probability*a.ProbabilityZ)
		})
		return list[:min(len(list), maxRepresentative)]
	}
	return Consensus{
		Agree:    pick("agree", func(t Tally) int { return t.Agree }),
		Disagree: pick("disagree", func(t Tally) int { return t.Disagree }),
	}
}
