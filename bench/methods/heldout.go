package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"overton/internal/cluster"
	"overton/internal/dataset"
)

func newHeldOut() *cobra.Command {
	var draws int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "heldout FOLDER",
		Short: "Compare the ways to find groups by votes held out of real conversations",
		Long:  "FOLDER holds Polis export folders.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return heldOut(cmd.Context(), os.Stdout, args[0], draws, seed)
		},
	}
	cmd.Flags().IntVar(&draws, "draws", 30, "draws of each conversation")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the draws")
	return cmd
}

// shrink is the number of votes that the shares of all participants count for
// in the shares of one group.
const shrink = 4

// hidden is a vote that a method does not see.
type hidden struct {
	participant, statement string
	vote                   cluster.Vote
}

// hide takes a tenth of the cast votes out of the matrix.
func hide(m *cluster.Matrix, rng *rand.Rand) (*cluster.Matrix, []hidden) {
	b := cluster.NewBuilder()
	var out []hidden
	participants, statements := m.Dims()
	for j := range statements {
		b.Statement(m.Statement(j))
	}
	for i := range participants {
		id := m.Participant(i)
		b.Participant(id)
		columns, votes := m.Row(i)
		for n, j := range columns {
			s := m.Statement(int(j))
			if rng.IntN(10) > 0 {
				b.Vote(id, s.ID, votes[n])
			} else if !s.Rejected && !s.Meta {
				out = append(out, hidden{id, s.ID, votes[n]})
			}
		}
	}
	return b.Matrix(), out
}

// shares are the shares of disagree, neutral and agree.
type shares [3]float64

func of(t cluster.Tally) shares {
	return shares{float64(t.Disagree), float64(t.Neutral), float64(t.Agree)}
}

// towards adds weight votes divided as in prior, and divides by the sum.
func (s shares) towards(prior shares, weight float64) shares {
	total := s[0] + s[1] + s[2] + weight
	for v := range s {
		s[v] = (s[v] + weight*prior[v]) / total
	}
	return s
}

// losses returns the mean negative log probability of the hidden votes: by the
// shares of all, of the participant's group, and, for a block model, of the
// group on the statement's class. Those who do not heed the statements have
// shares of their own, whatever the statement; others outside every group have
// the shares of all.
func losses(res *cluster.Result, m *cluster.Matrix, votes []hidden) (all, group, class float64) {
	var sum cluster.Tally
	overall := map[string]shares{}
	for _, s := range res.Statements {
		sum.Agree += s.Agree
		sum.Disagree += s.Disagree
		sum.Neutral += s.Neutral
	}
	base := of(sum).towards(shares{1. / 3, 1. / 3, 1. / 3}, 1)
	for _, s := range res.Statements {
		overall[s.ID] = of(s.Tally).towards(base, 1)
	}
	member, at := map[string]int{}, map[int]int{}
	for n, g := range res.Groups {
		at[g.Group] = n
	}
	for _, p := range res.Participants {
		member[p.ID] = at[p.Group]
	}
	byGroup := make([]map[string]cluster.Tally, len(res.Groups))
	for n, g := range res.Groups {
		byGroup[n] = map[string]cluster.Tally{}
		for _, v := range g.Votes {
			byGroup[n][v.Statement] = v.Tally
		}
	}
	classOf := map[string]int{}
	for c, list := range res.Classes {
		for _, id := range list.Statements {
			classOf[id] = c
		}
	}
	heedless := map[string]shares{}
	for _, l := range res.LeftOut {
		if l.Reason == cluster.Indifferent {
			heedless[l.ID] = shares{}
		}
	}
	participants, _ := m.Dims()
	for i := range participants {
		own, ok := heedless[m.Participant(i)]
		if !ok {
			continue
		}
		_, cast := m.Row(i)
		for _, v := range cast {
			own[v+1]++
		}
		heedless[m.Participant(i)] = own.towards(shares{1. / 3, 1. / 3, 1. / 3}, 1.5)
	}
	for _, v := range votes {
		p := overall[v.statement]
		all -= math.Log(p[v.vote+1])
		q, r := p, p
		if g, ok := member[v.participant]; ok {
			q = of(byGroup[g][v.statement]).towards(p, shrink)
			if c, ok := classOf[v.statement]; ok {
				r = of(res.Classes[c].Votes[g]).towards(shares{1. / 3, 1. / 3, 1. / 3}, 1.5)
			}
		} else if own, ok := heedless[v.participant]; ok {
			q, r = own, own
		}
		group -= math.Log(q[v.vote+1])
		class -= math.Log(r[v.vote+1])
	}
	n := float64(len(votes))
	return all / n, group / n, class / n
}

// heldOut hides a tenth of the votes of each conversation, draws times, and
// writes how well groups predict them.
func heldOut(ctx context.Context, w io.Writer, folder string, draws int, seed uint64) error {
	dirs, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(dirs) == 0 {
		return fmt.Errorf("no conversations in %s: %w", folder, err)
	}
	fmt.Fprintln(w, "| conversation | statements' shares | overton, k | polis, k | block, k | block by class |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	var gains [4][]float64 // of overton, polis, block, block by class, over all conversations
	for _, dir := range dirs {
		votes, err := dataset.ReadPolis(os.DirFS(dir), 0)
		if err != nil {
			return err
		}
		var base []float64
		var gain [4][]float64
		var ks [3]string
		for draw := range draws {
			m, out := hide(votes.Matrix, rand.New(rand.NewPCG(seed, uint64(draw))))
			for n, method := range []cluster.Method{cluster.Overton, cluster.Polis, cluster.Block} {
				o := cluster.DefaultOptions()
				o.Method, o.Resamples = method, 1
				res, err := cluster.Run(ctx, m, o)
				if err != nil {
					return err
				}
				all, group, class := losses(res, m, out)
				if n == 0 {
					base = append(base, all)
				}
				gain[n] = append(gain[n], all-group)
				if method == cluster.Block {
					gain[3] = append(gain[3], all-class)
				}
				if draw > 0 {
					ks[n] += " "
				}
				ks[n] += fmt.Sprint(res.K)
			}
		}
		fmt.Fprintf(w, "| %s | %.3f | %s, %s | %s, %s | %s, %s | %s |\n", filepath.Base(dir), estimate(base).mean,
			estimate(gain[0]), ks[0], estimate(gain[1]), ks[1], estimate(gain[2]), ks[2], estimate(gain[3]))
		for n := range gains {
			gains[n] = append(gains[n], estimate(gain[n]).mean)
		}
	}
	fmt.Fprintf(w, "| mean of the conversations | | %s | %s | %s | %s |\n", estimate(gains[0]), estimate(gains[1]), estimate(gains[2]), estimate(gains[3]))
	return nil
}
