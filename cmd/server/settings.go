package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"

	"overton/web"
)

// settings are the values of the flags or their environment variables.
type settings struct {
	addr       string
	db         string
	baseURL    *url.URL // nil: the address it listens on
	trustProxy bool
	tlsDomain  string
	logFormat  string
	demo       bool
	gallery    bool

	runs         string
	prolificKeys string
}

// readSettings reads the flags; a flag that is not given takes its value from the environment.
func readSettings(args []string, env func(string) string, stderr io.Writer) (settings, error) {
	var s settings
	var base string
	f := flag.NewFlagSet("server", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&s.addr, "addr", "127.0.0.1:8080", "`ADDRESS` to listen on")
	f.StringVar(&s.db, "db", "overton.db", "the database `FILE`; created if it does not exist")
	f.StringVar(&base, "base-url", "", "`URL` at which people reach the server, including any path it is mounted "+
		"at, such as https://example.org/studies")
	f.BoolVar(&s.trustProxy, "trust-proxy", false, "trust X-Forwarded-Proto; use only behind a proxy that sets it")
	f.StringVar(&s.tlsDomain, "tls-domain", "", "serve HTTPS for this `DOMAIN` on port 443, with a certificate "+
		"from Let's Encrypt; --addr is ignored")
	f.StringVar(&s.logFormat, "log-format", "text", "text or json")
	f.StringVar(&s.runs, "runs", "", "`FOLDER` that contains run folders of language models, to show on the admin pages")
	f.StringVar(&s.prolificKeys, "prolific-keys", web.ProlificKeys, "`URL` of the keys with which Prolific signs links")
	f.BoolVar(&s.demo, "demo", false, "serve a demo study from a temporary database")
	f.BoolVar(&s.gallery, "gallery", false, "serve every page with made-up values, without a database, "+
		"for people who work on the pages")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if f.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	given := map[string]bool{}
	f.Visit(func(set *flag.Flag) { given[set.Name] = true })
	var err error
	f.VisitAll(func(set *flag.Flag) {
		twin := "OVERTON_" + strings.ToUpper(strings.ReplaceAll(set.Name, "-", "_"))
		if v := env(twin); v != "" && !given[set.Name] {
			if e := f.Set(set.Name, v); e != nil {
				err = errors.Join(err, fmt.Errorf("%s: %w", twin, e))
			}
		}
	})
	if err != nil {
		return s, err
	}
	if s.logFormat != "text" && s.logFormat != "json" {
		return s, fmt.Errorf("--log-format is %q; expected text or json", s.logFormat)
	}
	if _, _, err := net.SplitHostPort(s.addr); err != nil {
		return s, fmt.Errorf("--addr is %q; expected host:port or :port", s.addr)
	}
	if base != "" {
		s.baseURL, err = url.Parse(base)
		if err != nil || s.baseURL.Host == "" || s.baseURL.Scheme != "http" && s.baseURL.Scheme != "https" || s.baseURL.RawQuery != "" {
			return s, fmt.Errorf("--base-url is %q; expected http(s)://host/path", base)
		}
	}
	if s.baseURL != nil {
		// Such a path could not be distinguished from the site's own.
		if first, _, _ := strings.Cut(strings.TrimPrefix(s.baseURL.Path, "/"), "/"); slices.Contains([]string{"s", "admin", "static"}, first) {
			return s, fmt.Errorf("--base-url is %q; its path begins with /%s, which the site itself uses", base, first)
		}
	}
	if s.tlsDomain != "" && s.baseURL == nil {
		s.baseURL = &url.URL{Scheme: "https", Host: s.tlsDomain}
	}
	return s, nil
}
