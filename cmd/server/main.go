// Command server is the web platform: participants answer, admins and
// researchers look after their studies. Everything is in one binary and one
// SQLite file.
//
//	server [flags]            serve until SIGTERM or SIGINT
//	server --demo             serve a throw-away demo study
//	server --gallery          serve every page with made-up values, without a database
//	server healthcheck [URL]  exit 0 if a server answers, for container probes
//	server version            print the version
//
// Every flag can also be set in the environment: --base-url is OVERTON_BASE_URL.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"overton/internal/window"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program: it returns the exit status, 2 for wrong usage.
func run(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) int {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "healthcheck":
			return healthcheck(ctx, args[1:], stderr)
		case "version":
			fmt.Fprintln(stdout, "overton", window.ThisProgram().Version)
			return 0
		}
		fmt.Fprintf(stderr, "server: unknown command %q; expected flags, healthcheck or version\n", args[0])
		return 2
	}
	s, err := readSettings(args, env, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "server:", err)
		return 2
	}
	if err := serve(ctx, s, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "server:", err)
		return 1
	}
	return 0
}

// healthcheck asks a server on this machine whether it is running properly.
func healthcheck(ctx context.Context, args []string, stderr io.Writer) int {
	url := "http://127.0.0.1:8080/healthz"
	if len(args) > 0 {
		url = args[0]
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		fmt.Fprintln(stderr, "healthcheck:", err)
		return 2
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Fprintln(stderr, "healthcheck:", err)
		return 1
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		fmt.Fprintln(stderr, "healthcheck:", response.Status)
		return 1
	}
	return 0
}
