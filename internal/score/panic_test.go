package score

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestAPanicOnAnotherCoreComesUpInTheCaller(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer func() {
		if p := fmt.Sprint(recover()); !strings.HasPrefix(p, "mat: dimension mismatch\n") || !strings.Contains(p, "panic_test.go") {
			t.Errorf("recovered %q", p)
		}
	}()
	work := func(i int) {
		if i == 7 {
			panic("mat: dimension mismatch")
		}
	}
	inParallel(100, work)
	t.Error("it came back as if nothing had happened")
}
