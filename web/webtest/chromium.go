package webtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// mostBrowsing is how many tests use Chromium at the same time: each tab works
// hard, and one that has to wait for long looks as one that hangs.
const mostBrowsing = 2

var browsing = make(chan struct{}, mostBrowsing)

// chromium is the one process that all tests of a package use. The first test
// that needs it starts it, and Main ends it.
var chromium struct {
	once sync.Once
	ctx  context.Context // of the process; nil: none was started
	stop func()
	err  error
}

// Main runs the tests of a package that opens tabs:
//
//	func TestMain(m *testing.M) { webtest.Main(m) }
func Main(m *testing.M) {
	code := m.Run()
	if chromium.stop != nil {
		chromium.stop()
	}
	os.Exit(code)
}

// browse waits until a test may use Chromium, for as long as it runs, and
// returns the context of the process. Without Chromium it skips the test;
// CHROMIUM names its executable.
func (ts *Site) browse() context.Context {
	ts.T.Helper()
	path := executable(ts.T)
	if !ts.browses {
		ts.browses = true
		browsing <- struct{}{}
		ts.T.Cleanup(func() { <-browsing })
	}
	chromium.once.Do(func() { chromium.err = start(path) })
	if chromium.err != nil {
		ts.T.Fatal(chromium.err)
	}
	return chromium.ctx
}

func executable(t *testing.T) string {
	t.Helper()
	if underRace {
		t.Skip("browser tests run without the race detector")
	}
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skip("no Chromium on this machine")
	return ""
}

func start(path string) error {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("force-prefers-reduced-motion", true))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	chromium.ctx = ctx
	chromium.stop = func() {
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		chromedp.Cancel(limited)
		end()
	}
	// The first call starts the process, which lives as long as its context.
	if err := chromedp.Do(ctx); err != nil {
		return fmt.Errorf("starting Chromium: %w", err)
	}
	return nil
}
