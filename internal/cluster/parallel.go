package cluster

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls f(0..n-1) from as many goroutines as there are cores. Each call must write only to its own
// places, so that the outcome does not depend on scheduling. It stops early with the context's error.
func parallel(ctx context.Context, n int, f func(i int)) error {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := 0; i < n && ctx.Err() == nil; i++ {
			f(i)
		}
		return ctx.Err()
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}
