package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"overton/internal/cluster"
)

func main() {
	ctx := context.Background()
	for _, d := range []design{
		{Groups: 1, Votes: 15},
		{Groups: 1, Votes: 15, Scatter: 1},
		{Groups: 1, Votes: 15, Careless: .2},
		{Groups: 2, Votes: 8},
		{Groups: 2, Votes: 15},
		{Groups: 2, Votes: 15, Unequal: true, Scatter: .8, Liked: .3},
		{Groups: 3, Votes: 10},
		{Groups: 3, Votes: 15},
		{Groups: 3, Votes: 15, Unequal: true, Scatter: .8, Liked: .3},
		{Groups: 3, Votes: 15, Careless: .2},
		{Groups: 3, Votes: 25},
		{Groups: 5, Votes: 15},
		{Groups: 5, Votes: 25},
		{Groups: 8, Votes: 25},
	} {
		d.People = 60
		const N = 30
		one, right := 0, 0
		var ari, ariK, rel, relT float64
		var took time.Duration
		for seed := range N {
			m, truth, careless := d.make(rand.New(rand.NewPCG(1, uint64(seed))))
			o := cluster.DefaultOptions()
			t0 := time.Now()
			res, err := cluster.Run(ctx, m, o)
			took += time.Since(t0)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			if res.K == 1 {
				one++
			}
			if res.K == d.Groups {
				right++
			}
			ari += agreement(res, truth, careless) / N
			rel += float64(res.Stability.Reliability) / N
			relT += float64(res.Stability.Statements) / N
			o.K = d.Groups
			o.Resamples = 0
			res, _ = cluster.Run(ctx, m, o)
			ariK += agreement(res, truth, careless) / N
		}
		fmt.Printf("%-70v one %2d right %2d of %d ari %.2f (k given %.2f) reliability %.2f stab %.2f  %v\n", d, one, right, N, ari, ariK, rel, relT, took/N)
	}
}
