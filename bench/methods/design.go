package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"overton/internal/cluster"
)

// design is one kind of planted question: people who each write one statement
// and vote on some of the others'.
type design struct {
	Groups   int
	Contrast contrast
	People   int
	Votes    int     // each person's
	Unequal  bool    // sizes in proportion to 1, 2, ... rather than equal
	Scatter  float64 // standard deviation of a statement's leanings, in logits
	Liked    float64 // share of statements that all groups like
	Careless float64 // share of people whose votes have nothing to do with the statement
}

func (d design) String() string {
	text := fmt.Sprintf("%d groups", d.Groups)
	if d.Groups == 1 {
		text = "1 group"
	}
	if d.Unequal {
		text += ", unequal"
	}
	if d.Contrast == blurred {
		text += ", blurred"
	} else {
		text += ", crisp"
	}
	text += fmt.Sprintf(", %d votes", d.Votes)
	if d.Scatter > 0 {
		text += ", scattered"
	}
	if d.Liked > 0 {
		text += fmt.Sprintf(", %.0f %% liked by all", 100*d.Liked)
	}
	if d.Careless > 0 {
		text += fmt.Sprintf(", %.0f %% careless", 100*d.Careless)
	}
	return text
}

// designs are the kinds of question compared, at the size of the benchmark's:
// 60 people and as many statements.
func designs() []design {
	var all []design
	for _, groups := range []int{1, 2, 3, 5, 8} {
		for _, votes := range []int{8, 15, 25} {
			all = append(all, design{Groups: groups, Contrast: crisp, Votes: votes})
		}
		all = append(all, design{Groups: groups, Contrast: blurred, Votes: 15})
	}
	for _, groups := range []int{1, 2, 3} {
		all = append(all,
			design{Groups: groups, Contrast: crisp, Votes: 15, Scatter: 0.8},
			design{Groups: groups, Contrast: crisp, Votes: 15, Liked: 0.3},
			design{Groups: groups, Contrast: crisp, Votes: 15, Careless: 0.2})
		if groups > 1 {
			all = append(all,
				design{Groups: groups, Contrast: crisp, Votes: 15, Unequal: true},
				design{Groups: groups, Contrast: blurred, Votes: 15, Unequal: true, Scatter: 0.8, Liked: 0.3})
		}
	}
	for i := range all {
		all[i].People = 60
	}
	return all
}

// neutralRate is the share of neutral votes; it is 0.20 in the eight real
// conversations together (0.10 to 0.28).
const neutralRate = 0.20

// contrast says how differently groups take to statements: the rates of
// agreement, among votes that are not neutral.
type contrast struct {
	own         float64 // on statements of one's group
	least, most float64 // on those of another group, drawn evenly between these for each pair
}

// Of real votes that are not neutral, 0.73 agree (0.57 to 0.78). Crisp groups
// agree less than that, blurred ones come near it.
var (
	crisp   = contrast{0.95, 0.02, 0.30}
	blurred = contrast{0.88, 0.05, 0.55}
)

// commonLike is the rate of agreement on statements that all like.
const commonLike = 0.90

// make draws a question. truth is each participant's group; the careless have
// the group that they would have had, and careless says who they are.
func (d design) make(rng *rand.Rand) (m *cluster.Matrix, truth map[string]int, careless map[string]bool) {
	group := make([]int, d.People)
	for i := range group {
		group[i] = i % d.Groups
		if d.Unequal {
			// sizes 1 : 2 : ... : Groups
			at := (float64(i) + 0.5) / float64(d.People) * float64(d.Groups*(d.Groups+1)) / 2
			g := 0
			for at > float64(g+1) {
				at -= float64(g + 1)
				g++
			}
			group[i] = g
		}
	}
	// How each group takes to the statements of each: like its own, and the
	// others' anywhere from hardly to rather.
	liking := make([][]float64, d.Groups)
	for g := range liking {
		liking[g] = make([]float64, d.Groups)
		for h := range liking[g] {
			liking[g][h] = d.Contrast.least + (d.Contrast.most-d.Contrast.least)*rng.Float64()
		}
		liking[g][g] = d.Contrast.own
	}
	chance := make([][]float64, d.People) // by statement and group of voter
	for j := range chance {
		chance[j] = make([]float64, d.Groups)
		common := rng.Float64() < d.Liked
		for g := range chance[j] {
			p := liking[g][group[j]]
			if common {
				p = commonLike
			}
			chance[j][g] = 1 / (1 + math.Exp(-math.Log(p/(1-p))-d.Scatter*rng.NormFloat64()))
		}
	}
	truth, careless = map[string]int{}, map[string]bool{}
	b := cluster.NewBuilder()
	for j := range d.People {
		b.Statement(cluster.StatementInfo{ID: fmt.Sprint("s", j), Author: fmt.Sprint(j)})
	}
	for i := range d.People {
		id := fmt.Sprint(i)
		truth[id] = group[i]
		careless[id] = rng.Float64() < d.Careless
		habit := rng.Float64() // a careless person's rate of agreement
		seen := 0
		for _, j := range rng.Perm(d.People) {
			if j == i || seen == d.Votes {
				continue
			}
			seen++
			p := chance[j][group[i]]
			if careless[id] {
				p = habit
			}
			v := cluster.Disagree
			switch {
			case rng.Float64() < neutralRate:
				v = cluster.Neutral
			case rng.Float64() < p:
				v = cluster.Agree
			}
			b.Vote(id, fmt.Sprint("s", j), v)
		}
	}
	return b.Matrix(), truth, careless
}

// agreement is the adjusted Rand index of a result with the planted groups, on
// those who vote in earnest. Who was left out of them counts as found in a group
// of the left out.
func agreement(res *cluster.Result, truth map[string]int, careless map[string]bool) float64 {
	var found, planted []int
	for _, p := range res.Participants {
		if !careless[p.ID] {
			found, planted = append(found, p.Group), append(planted, truth[p.ID])
		}
	}
	for _, p := range res.LeftOut {
		if !careless[p.ID] {
			found, planted = append(found, -1), append(planted, truth[p.ID])
		}
	}
	return cluster.AdjustedRand(found, planted)
}
