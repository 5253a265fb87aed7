package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"overton/internal/cluster"
	"overton/internal/study"
)

// plan is one way to run a study.
type plan struct {
	people, votes, groups int
	noise                 float64 // share of votes against the own group's line
	mixing                float64
}

func newRouting() *cobra.Command {
	var p plan
	var studies int
	cmd := &cobra.Command{
		Use:   "routing",
		Short: "Show what the drawing of statements does to the groups that can be found",
		Long: `Show what the drawing of statements does to the groups that can be found
afterwards. People of planted groups come one after another to one question, as
in a study: each votes on statements of those before them, drawn with different
shares of mixing. Then the clustering methods look for the groups.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return routing(cmd.Context(), p, studies) },
	}
	f := cmd.Flags()
	f.IntVar(&studies, "studies", 30, "studies of each kind")
	f.IntVar(&p.people, "people", 60, "people a question")
	f.IntVar(&p.votes, "votes", 15, "votes a person")
	f.IntVar(&p.groups, "groups", 3, "planted groups of equal size")
	return cmd
}

func routing(ctx context.Context, p plan, studies int) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "noise\tmixing\tmethod\tmedian ARI\tworst ARI\tright k\tfewest votes on a statement\t")
	for _, p.noise = range []float64{0.1, 0.2} {
		for _, p.mixing = range []float64{0, 0.25, 0.5, 0.75, 1} {
			for _, method := range []cluster.Method{cluster.Overton, cluster.Block} {
				median, worst, right, fewest, err := p.try(ctx, method, studies)
				if err != nil {
					return err
				}
				fmt.Fprintf(table, "%.1f\t%.2f\t%s\t%.2f\t%.2f\t%d of %d\t%.1f\t\n",
					p.noise, p.mixing, method, median, worst, right, studies, fewest)
			}
		}
	}
	return table.Flush()
}

// try runs studies with seeds 1, 2, … and measures how well the planted groups
// are found, as the adjusted Rand index. fewest is the mean over studies of the
// fewest votes on any statement of the first five sixths of the people.
func (p plan) try(ctx context.Context, method cluster.Method, studies int) (median, worst float64, right int, fewest float64, err error) {
	var found []float64
	for seed := range studies {
		votes, group, counts := p.walk(uint64(seed + 1))
		o := cluster.DefaultOptions()
		o.Method = method
		result, err := cluster.Run(ctx, votes, o)
		if err != nil {
			return 0, 0, 0, 0, err
		}
		var got, planted []int
		for _, person := range result.Participants {
			i, err := strconv.Atoi(person.ID)
			if err != nil {
				return 0, 0, 0, 0, err
			}
			got, planted = append(got, person.Group), append(planted, group[i])
		}
		found = append(found, cluster.AdjustedRand(got, planted))
		if result.K == p.groups {
			right++
		}
		fewest += float64(slices.Min(counts[:p.people*5/6])) / float64(studies)
	}
	slices.Sort(found)
	return found[len(found)/2], found[0], right, fewest, nil
}

// walk lets the people of one question come and vote. Person i writes
// statement i; the votes follow from the groups of voter and author.
func (p plan) walk(seed uint64) (votes *cluster.Matrix, group, counts []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := cluster.NewBuilder()
	for i := range p.people {
		id := strconv.Itoa(i)
		b.Participant(id)
		b.Statement(cluster.StatementInfo{ID: id, Author: id})
		group = append(group, rng.IntN(p.groups))
		seen := make([]bool, i)
		for range min(p.votes, i) {
			var candidates []study.Candidate
			for j := range i {
				if !seen[j] {
					candidates = append(candidates, study.Candidate{Statement: strconv.Itoa(j), Votes: counts[j]})
				}
			}
			drawn, _ := study.ChooseStatement(candidates, p.mixing, rng)
			j, _ := strconv.Atoi(candidates[drawn].Statement)
			seen[j] = true
			counts[j]++
			b.Vote(id, strconv.Itoa(j), p.vote(group[i] == group[j], rng))
		}
		counts = append(counts, 0)
	}
	return b.Matrix(), group, counts
}

func (p plan) vote(same bool, rng *rand.Rand) cluster.Vote {
	switch {
	case rng.Float64() < 0.1:
		return cluster.Neutral
	case same == (rng.Float64() >= p.noise):
		return cluster.Agree
	}
	return cluster.Disagree
}
