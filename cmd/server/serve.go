package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/crypto/acme/autocert"

	"overton/internal/store"
	"overton/web"
)

// drain is how long requests in progress may take to finish at shutdown.
const drain = 20 * time.Second

// serve runs the server until ctx ends, and finishes requests in progress.
func serve(ctx context.Context, s settings, stdout, stderr io.Writer) (err error) {
	log := slog.New(slog.NewTextHandler(stderr, s.logOptions()))
	if s.logFormat == "json" {
		log = slog.New(slog.NewJSONHandler(stderr, s.logOptions()))
	}
	if s.gallery {
		return serveGallery(ctx, s.addr, stdout)
	}
	if s.demo {
		dir, err := os.MkdirTemp("", "overton-demo-")
		if err != nil {
			return fmt.Errorf("making a folder for the demo: %w", err)
		}
		defer os.RemoveAll(dir)
		s.db = filepath.Join(dir, "demo.db")
	}
	lock, err := lockDatabase(s.db)
	if err != nil {
		return err
	}
	defer lock.Close()
	db, err := store.Open(ctx, s.db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	site, err := web.New(ctx, web.Config{Store: db, Log: log, Now: time.Now, BaseURL: s.baseURL,
		TrustProxy: s.trustProxy, Runs: s.runs, ProlificKeys: s.prolificKeys})
	if err != nil {
		return err
	}
	if warning := s.proxyWarning(); warning != "" {
		log.Warn(warning)
	}
	listener, err := listen(s)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           site,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(listener) }()

	address := "http://" + listener.Addr().String()
	if s.baseURL != nil {
		address = s.baseURL.String()
	}
	if s.demo {
		err = showDemo(ctx, db, address, stdout)
	} else {
		fmt.Fprintf(stdout, "overton serves %s from %s; stop it with Ctrl-C\nadmin pages: %s/admin\n", address, s.db,
			strings.TrimRight(address, "/"))
	}
	if err == nil {
		select {
		case err = <-stopped:
			return fmt.Errorf("serving: %w", err)
		case <-ctx.Done():
		}
	}
	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if e := server.Shutdown(finish); e != nil {
		return errors.Join(err, fmt.Errorf("finishing requests in progress: %w", e))
	}
	return err
}

// lockDatabase makes this process the only server of a database: a second one would take the first's running
// analyses for cut off. The command line does not need the lock. It ends with the process, however that ends.
func lockDatabase(path string) (*flock.Flock, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	lock := flock.New(path + ".lock")
	ours, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking the database %s: %w", path, err)
	}
	if !ours {
		return nil, fmt.Errorf("another server has the database %s open; stop it first, or give this one another file with --db", path)
	}
	return lock, nil
}

// proxyWarning says what is wrong with settings that only work without a proxy
// although the public address suggests one; "" if nothing is.
func (s settings) proxyWarning() string {
	if s.baseURL == nil || s.trustProxy || s.tlsDomain != "" {
		return ""
	}
	return "--base-url is set without --trust-proxy: behind a proxy all clients look like one, so 30 failed sign-ins " +
		"from anywhere stop everybody from signing in for 15 minutes; set --trust-proxy if a proxy passes requests on"
}

// logOptions keeps the demo's log away from its links on the terminal.
func (s settings) logOptions() *slog.HandlerOptions {
	if s.demo {
		return &slog.HandlerOptions{Level: slog.LevelWarn}
	}
	return nil
}

func listen(s settings) (net.Listener, error) {
	if s.tlsDomain != "" {
		certificates := &autocert.Manager{
			Prompt:     autocert.AcceptTOS,
			HostPolicy: autocert.HostWhitelist(s.tlsDomain),
			Cache:      autocert.DirCache(filepath.Join(filepath.Dir(s.db), "certificates")),
		}
		return certificates.Listener(), nil
	}
	l, err := net.Listen("tcp", s.addr)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", s.addr, err)
	}
	return l, nil
}

// serveGallery shows every page with made-up values until ctx ends.
func serveGallery(ctx context.Context, addr string, stdout io.Writer) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listening on %s: %w", addr, err)
	}
	server := &http.Server{Handler: web.Gallery(), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	fmt.Fprintf(stdout, "every page, with made-up values: http://%s\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving the gallery: %w", err)
	}
	return nil
}
