package cluster

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// parallel calls f(0..n-1) from as many goroutines as there are cores. Each
// call must write only to places of its own, so that the outcome does not
// depend on how the calls fall. It stops early with the context's error. A
// panic in a call comes up in the caller, who can recover from it: left in a
// goroutine of its own, it would end the program.
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
	var broken atomic.Value // the first panic, with its stack
	for range workers {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					broken.CompareAndSwap(nil, fmt.Sprintf("%v\n%s", p, debug.Stack()))
				}
			}()
			for broken.Load() == nil && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	wg.Wait()
	if p := broken.Load(); p != nil {
		panic(p)
	}
	return ctx.Err()
}
