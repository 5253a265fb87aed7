package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"overton/internal/store"
)

func newPages() *cobra.Command {
	var m measurement
	cmd := &cobra.Command{
		Use:   "pages --server SERVER --db FILE",
		Short: "Measure a server's pages and exports",
		Long: `Measure a server on a database such as scale makes: the time of each admin page,
and of each export the time to its first byte, the whole time and how much the
server's memory grows.

	go build -o server ./cmd/server
	go run ./bench/load pages --server ./server --db FILE --slug scale

Pages are found by following links from the list of studies; of pages of one
kind, such as the windows of questions, two are measured. The database gets an
account for the visit. Memory is the resident set of the server's process as
/proc tells it, so this runs on Linux.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return m.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&m.server, "server", "./server", "the server's binary")
	f.StringVar(&m.db, "db", "", "the database")
	f.StringVar(&m.slug, "slug", "scale", "the study's slug")
	f.IntVar(&m.times, "times", 5, "how often each page is loaded")
	f.StringSliceVar(&m.exports, "exports", []string{"csv.zip", "jsonl.zip", "parquet.zip", "overtonbench.zip", "polis.zip",
		"everything.zip", "bundle.zip"}, "downloads to measure")
	return cmd
}

type measurement struct {
	server, db, slug string
	times            int
	exports          []string

	base    string
	cookie  string
	process *os.Process
}

func (m *measurement) run(ctx context.Context) (err error) {
	if m.cookie, err = m.signIn(ctx); err != nil {
		return err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	addr := free.Addr().String()
	free.Close()
	m.base = "http://" + addr
	cmd := exec.Command(m.server, "--addr", addr, "--db", m.db)
	if err := cmd.Start(); err != nil {
		return err
	}
	m.process = cmd.Process
	defer func() {
		m.process.Signal(syscall.SIGTERM)
		cmd.Wait()
	}()
	for range 300 {
		if r, err := http.Get(m.base + "/healthz"); err == nil {
			r.Body.Close()
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err := m.pages(); err != nil {
		return err
	}
	return m.downloads()
}

// signIn makes an account for the visit and returns the cookie of its sign-in.
func (m *measurement) signIn(ctx context.Context) (string, error) {
	db, err := store.Open(ctx, m.db)
	if err != nil {
		return "", err
	}
	defer db.Close()
	id, err := db.CreateAccount(ctx, store.Account{Email: fmt.Sprintf("pages-%d@example.org", time.Now().UnixNano()), Role: "admin"}, 0)
	if err != nil {
		return "", err
	}
	token, err := db.SignIn(ctx, id, 24*time.Hour)
	return "overton_admin=" + token, err
}

func (m *measurement) get(path string) (*http.Response, error) {
	r, err := http.NewRequest(http.MethodGet, m.base+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Cookie", m.cookie)
	return http.DefaultClient.Do(r)
}

var (
	links  = regexp.MustCompile(`href="(/admin[^"#]*)"`)
	number = regexp.MustCompile(`[0-9]+`)
)

// kind puts pages together that differ in what they are about.
func (m *measurement) kind(path string) string {
	path, query, _ := strings.Cut(path, "?")
	rest, ofStudy := strings.CutPrefix(path, "/admin/studies/"+m.slug)
	if !ofStudy {
		return number.ReplaceAllString(path, "N")
	}
	parts := strings.Split(rest, "/")
	for i := range parts {
		if i >= 2 && parts[i] != "figures" {
			parts[i] = "…"
		}
	}
	var keys []string
	for _, pair := range strings.Split(query, "&") {
		key, _, _ := strings.Cut(pair, "=")
		keys = append(keys, key)
	}
	return ":study" + strings.Join(parts, "/") + " " + strings.Join(keys, "&")
}

// pages follows links and measures each kind of page at most twice.
func (m *measurement) pages() error {
	type timed struct {
		path  string
		bytes int
		all   []time.Duration
	}
	var found []timed
	seen, kinds := map[string]bool{}, map[string]int{}
	queue := []string{"/admin", "/admin/studies/" + m.slug}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		file := strings.Contains(path[strings.LastIndexByte(path, '/'):], ".")
		if seen[path] || file || strings.HasSuffix(path, "/live") || kinds[m.kind(path)] == 2 {
			continue
		}
		seen[path] = true
		kinds[m.kind(path)]++
		t := timed{path: path}
		for range m.times {
			began := time.Now()
			r, err := m.get(path)
			if err != nil {
				return err
			}
			body, err := io.ReadAll(r.Body)
			r.Body.Close()
			if err != nil {
				return err
			}
			t.all, t.bytes = append(t.all, time.Since(began)), len(body)
			if r.StatusCode != http.StatusOK {
				return fmt.Errorf("%s: status %d", path, r.StatusCode)
			}
			if len(t.all) == 1 {
				for _, link := range links.FindAllStringSubmatch(string(body), -1) {
					queue = append(queue, strings.ReplaceAll(link[1], "&amp;", "&"))
				}
			}
		}
		slices.Sort(t.all)
		found = append(found, t)
	}
	slices.SortFunc(found, func(a, b timed) int { return cmp.Compare(b.all[len(b.all)/2], a.all[len(a.all)/2]) })
	fmt.Printf("%8s %8s %9s  page\n", "median", "slowest", "bytes")
	for _, t := range found {
		fmt.Printf("%5d ms %5d ms %9d  %s\n", t.all[len(t.all)/2].Milliseconds(), t.all[len(t.all)-1].Milliseconds(), t.bytes, t.path)
	}
	return nil
}

// downloads measures each export once.
func (m *measurement) downloads() error {
	fmt.Printf("\n%10s %9s %10s %10s %8s  export\n", "first byte", "whole", "bytes", "before", "growth")
	for _, name := range m.exports {
		before, err := m.resident()
		if err != nil {
			return err
		}
		var most atomic.Int64
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				if now, err := m.resident(); err == nil && now > most.Load() {
					most.Store(now)
				}
				select {
				case <-stop:
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		}()
		began := time.Now()
		r, err := m.get("/admin/studies/" + m.slug + "/data/" + name)
		if err != nil {
			return err
		}
		n, err := io.ReadFull(r.Body, make([]byte, 1))
		first := time.Since(began)
		if err != nil || r.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: status %d: %w", name, r.StatusCode, err)
		}
		rest, err := io.Copy(io.Discard, r.Body)
		r.Body.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		whole := time.Since(began)
		close(stop)
		<-stopped
		fmt.Printf("%7d ms %7.1f s %7.1f MB %7.1f MB %5.1f MB  %s\n", first.Milliseconds(), whole.Seconds(), mega(rest+int64(n)), mega(before), mega(most.Load()-before), name)
	}
	return nil
}

func mega(bytes int64) float64 { return float64(bytes) / 1e6 }

// resident is the server's memory in bytes.
func (m *measurement) resident() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, fmt.Errorf("no VmRSS in the status of process %d", m.process.Pid)
	}
	kilo, err := strconv.ParseInt(fields[0], 10, 64)
	return kilo * 1024, err
}
