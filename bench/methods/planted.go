package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/spf13/cobra"

	"overton/internal/cluster"
)

func newPlanted() *cobra.Command {
	var draws int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "planted",
		Short: "Compare the ways to find groups on planted groups",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return planted(cmd.Context(), os.Stdout, draws, seed) },
	}
	cmd.Flags().IntVar(&draws, "draws", 30, "draws of each kind")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the draws")
	return cmd
}

// interval is a mean with half the width of its 95 % interval.
type interval struct{ mean, half float64 }

func estimate(v []float64) interval {
	var sum, squares float64
	for _, x := range v {
		sum += x
	}
	m := sum / float64(len(v))
	for _, x := range v {
		squares += (x - m) * (x - m)
	}
	return interval{m, 1.96 * math.Sqrt(squares/float64(len(v)-1)/float64(len(v)))}
}

func (i interval) String() string { return fmt.Sprintf("%.3f ± %.3f", i.mean, i.half) }

// contender is one way to group a planted question.
type contender struct {
	name   string
	method cluster.Method
	given  bool // k is given
	linked bool // authors are known
}

func contenders() []contender {
	return []contender{
		{"overton", cluster.Overton, false, true},
		{"overton, k given", cluster.Overton, true, true},
		{"polis", cluster.Polis, false, true},
		{"block", cluster.Block, false, true},
		{"block, k given", cluster.Block, true, true},
		{"block, no authors", cluster.Block, false, false},
	}
}

// planted groups planted questions of each design and writes how well and how
// fast each contender finds what was planted.
func planted(ctx context.Context, w io.Writer, draws int, seed uint64) error {
	fmt.Fprint(w, "| planted |")
	rule := "|---|"
	for _, c := range contenders() {
		fmt.Fprintf(w, " %s |", c.name)
		rule += "---|"
	}
	fmt.Fprintf(w, "\n%s\n", rule)
	times := make([]time.Duration, len(contenders()))
	for _, d := range designs() {
		fmt.Fprintf(w, "| %s |", d)
		for n, c := range contenders() {
			var found []float64
			right := 0
			for draw := range draws {
				m, truth, careless := d.make(rand.New(rand.NewPCG(seed, uint64(draw))))
				if !c.linked {
					m = anonymous(m)
				}
				o := cluster.DefaultOptions()
				o.Method, o.Resamples = c.method, 1
				if c.given {
					o.K = d.Groups
				}
				began := time.Now()
				res, err := cluster.Run(ctx, m, o)
				if err != nil {
					return err
				}
				times[n] += time.Since(began)
				found = append(found, agreement(res, truth, careless))
				if res.K == d.Groups {
					right++
				}
			}
			e := estimate(found)
			fmt.Fprintf(w, " %.2f ± %.2f", e.mean, e.half)
			if !c.given {
				fmt.Fprintf(w, ", %d", right)
			}
			fmt.Fprint(w, " |")
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| mean time |")
	for n := range contenders() {
		fmt.Fprintf(w, " %v |", (times[n] / time.Duration(draws*len(designs()))).Round(time.Millisecond))
	}
	fmt.Fprintln(w)
	return nil
}

// anonymous returns the matrix without authors.
func anonymous(m *cluster.Matrix) *cluster.Matrix {
	b := cluster.NewBuilder()
	participants, statements := m.Dims()
	for j := range statements {
		s := m.Statement(j)
		s.Author = ""
		b.Statement(s)
	}
	for i := range participants {
		columns, votes := m.Row(i)
		for n, j := range columns {
			b.Vote(m.Participant(i), m.Statement(int(j)).ID, votes[n])
		}
	}
	return b.Matrix()
}
