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
	People   int
	Votes    int     // each person's
	Unequal  bool    // sizes in proportion to 1, 2, ... rather than equal
	Scatter  float64 // standard deviation of a statement's leanings, in logits
	Liked    float64 // share of statements that all groups like
	Careless float64 // share of people whose votes have nothing to do with the statement
}

func (d design) String() string {
	sizes := "equal"
	if d.Unequal {
		sizes = "unequal"
	}
	return fmt.Sprintf("%d %s, %d votes, scatter %.1f, liked %.0f %%, careless %.0f %%",
		d.Groups, sizes, d.Votes, d.Scatter, 100*d.Liked, 100*d.Careless)
}

// The rates below were set so that planted questions have the shares of votes
// of the real conversations (agree 0.62, neutral 0.17, disagree 0.21 over the
// eight; between them 0.46 to 0.66, 0.10 to 0.28, 0.18 to 0.37).
const (
	neutralRate = 0.15 // of all votes
	ownLiking   = 0.88 // of votes that are not neutral, on statements of one's group
	commonLike  = 0.90 // the same, on statements that all like
)

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
			liking[g][h] = 0.05 + 0.5*rng.Float64()
		}
		liking[g][g] = ownLiking
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
// those who were grouped and vote in earnest.
func agreement(res *cluster.Result, truth map[string]int, careless map[string]bool) float64 {
	var found, planted []int
	for _, p := range res.Participants {
		if !careless[p.ID] {
			found, planted = append(found, p.Group), append(planted, truth[p.ID])
		}
	}
	return cluster.AdjustedRand(found, planted)
}
