package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestSettingsComeFromFlagsThenTheEnvironment(t *testing.T) {
	t.Parallel()
	env := map[string]string{"OVERTON_ADDR": "127.0.0.1:1", "OVERTON_BASE_URL": "https://example.org/studies", "OVERTON_TRUST_PROXY": "true"}
	s, err := readSettings([]string{"--addr", "127.0.0.1:2"}, func(name string) string { return env[name] }, io.Discard)
	if err != nil || s.addr != "127.0.0.1:2" || s.baseURL.Path != "/studies" || !s.trustProxy {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestUnusableSettingsAreRefusedInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ flag, want string }{
		{"--addr=8080", "host:port"},
		{"--base-url=example.org", "http(s)://host/path"},
		{"--base-url=https://example.org/s", "which the site itself uses"},
		{"--base-url=https://example.org/admin/x", "which the site itself uses"},
		{"--log-format=xml", "text or json"},
		{"surplus", "unknown command"},
	} {
		var said bytes.Buffer
		if code := run(context.Background(), []string{c.flag}, func(string) string { return "" }, io.Discard, &said); code != 2 || !strings.Contains(said.String(), c.want) {
			t.Errorf("%s: status %d, %q", c.flag, code, said.String())
		}
	}
}

// lines is output that can be read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestTheServerAnswersAndStopsWhenTold(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	out, errs := &lines{}, &lines{}
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"--addr", addr, "--db", filepath.Join(t.TempDir(), "o.db")}, func(string) string { return "" }, out, errs)
	}()
	for range 100 {
		if strings.Contains(out.String(), addr) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/"} {
		response, err := http.Get("http://" + addr + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, response.Status)
		}
	}
	if code := run(ctx, []string{"healthcheck", fmt.Sprintf("http://%s/healthz", addr)}, func(string) string { return "" }, io.Discard, errs); code != 0 {
		t.Errorf("healthcheck of a running server: %d", code)
	}
	stop()
	select {
	case code := <-ended:
		if code != 0 {
			t.Errorf("status %d, %s", code, errs)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the server does not stop")
	}
	if code := run(context.Background(), []string{"healthcheck", fmt.Sprintf("http://%s/healthz", addr)}, func(string) string { return "" }, io.Discard, errs); code != 1 {
		t.Errorf("healthcheck of a stopped server: %d", code)
	}
}

func TestASecondServerOfADatabaseIsRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path, other := filepath.Join(folder, "o.db"), filepath.Join(folder, "other.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, other); err != nil {
		t.Fatal(err)
	}
	lock, err := lockDatabase(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, other} {
		var said bytes.Buffer
		code := run(context.Background(), []string{"--addr=127.0.0.1:0", "--db", name}, func(string) string { return "" }, io.Discard, &said)
		if code != 1 || !strings.Contains(said.String(), "another server has the database") {
			t.Errorf("%s: status %d, %q", name, code, said.String())
		}
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := lockDatabase(other)
	if err != nil {
		t.Fatalf("after the first has stopped: %v", err)
	}
	again.Close()
}

func TestABaseURLWithoutATrustedProxyIsWarnedOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want bool
	}{
		{nil, false},
		{[]string{"--base-url=https://example.org"}, true},
		{[]string{"--base-url=https://example.org", "--trust-proxy"}, false},
		{[]string{"--tls-domain=example.org"}, false},
	} {
		s, err := readSettings(c.args, func(string) string { return "" }, io.Discard)
		if got := s.proxyWarning() != ""; got != c.want || err != nil {
			t.Errorf("%v: warned %v, %v", c.args, got, err)
		}
	}
}
