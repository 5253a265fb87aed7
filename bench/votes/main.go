// Command votes writes a made matrix of votes as a long CSV file, to measure how
// reading and grouping grow with size:
//
//	go run ./bench/votes -participants 100000 -statements 1000 -votes 100 > FILE
//
// Participants belong to one of some groups of different sizes, each with its
// own leaning on each statement, and vote on statements drawn at random.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
)

func main() {
	participants := flag.Int("participants", 100_000, "number of participants")
	statements := flag.Int("statements", 1000, "number of statements")
	votes := flag.Int("votes", 100, "votes of each participant")
	groups := flag.Int("groups", 4, "planted groups")
	seed := flag.Uint64("seed", 1, "seed")
	flag.Parse()
	if err := write(*participants, *statements, *votes, *groups, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "votes:", err)
		os.Exit(1)
	}
}

func write(participants, statements, votes, groups int, seed uint64) error {
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
