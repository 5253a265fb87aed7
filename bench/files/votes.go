package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/spf13/cobra"
)

func newVotes() *cobra.Command {
	var participants, statements, votes, groups int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "votes",
		Short: "Write a made matrix of votes as a long CSV file to standard output",
		Long: `Write a made matrix of votes as a long CSV file to standard output, to measure how
reading and grouping grow with size. Participants belong to groups of different
sizes, each with its own leaning on each statement, and vote on statements drawn
at random.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return writeVotes(participants, statements, votes, groups, seed)
		},
	}
	f := cmd.Flags()
	f.IntVar(&participants, "participants", 100_000, "number of participants")
	f.IntVar(&statements, "statements", 1000, "number of statements")
	f.IntVar(&votes, "votes", 100, "votes of each participant")
	f.IntVar(&groups, "groups", 4, "planted groups")
	f.Uint64Var(&seed, "seed", 1, "seed")
	return cmd
}

func writeVotes(participants, statements, votes, groups int, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	agree := make([][]float64, groups)
	for g := range agree {
		agree[g] = make([]float64, statements)
		for j := range agree[g] {
			agree[g][j] = 0.2 + 0.6*rng.Float64()
		}
	}
	w := bufio.NewWriterSize(os.Stdout, 1<<20)
	fmt.Fprintln(w, "participant,statement,vote")
	seen := make([]int, statements) // the participant that last saw it, from 1
	var line []byte
	for i := range participants {
		g := min(rng.IntN(groups), rng.IntN(groups))
		for range min(votes, statements) {
			j := rng.IntN(statements)
			for seen[j] == i+1 {
				j = rng.IntN(statements)
			}
			seen[j] = i + 1
			vote := ",-1\n"
			switch {
			case rng.Float64() < 0.15:
				vote = ",0\n"
			case rng.Float64() < agree[g][j]:
				vote = ",1\n"
			}
			line = strconv.AppendInt(line[:0], int64(i), 10)
			line = append(line, ',')
			line = strconv.AppendInt(line, int64(j), 10)
			if _, err := w.Write(append(line, vote...)); err != nil {
				return fmt.Errorf("writing votes: %w", err)
			}
		}
	}
	return w.Flush()
}
