package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Errors when patience has run out.
var (
	errUnreachable = errors.New("the site does not answer")
	errNotNow      = errors.New("waited for a place, but none became free")
)

// InProcess carries requests straight to a handler, without a socket.
func InProcess(h http.Handler) http.RoundTripper { return inProcess{h} }

type inProcess struct{ handler http.Handler }

func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.RequestURI, r.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:0"
	r.Host = r.URL.Host
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := &answer{header: http.Header{}}
	t.handler.ServeHTTP(w, r)
	w.WriteHeader(http.StatusOK) // if the handler said nothing
	return &http.Response{StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.sent,
		Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r}, nil
}

// answer collects what a handler answers.
type answer struct {
	header, sent http.Header
	status       int
	body         bytes.Buffer
}

func (w *answer) Header() http.Header { return w.header }

func (w *answer) WriteHeader(status int) {
	if w.status == 0 {
		w.status, w.sent = status, w.header.Clone()
	}
}

func (w *answer) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// meter counts requests and times them.
type meter struct {
	mu     sync.Mutex
	took   []time.Duration
	failed int // without an answer, or with a status of 500 or above other than 503
	waits  int // 503: not now
}

func (m *meter) note(took time.Duration, status int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.took = append(m.took, took)
	switch {
	case err != nil, status >= 500 && status != http.StatusServiceUnavailable:
		m.failed++
	case status == http.StatusServiceUnavailable:
		m.waits++
	}
}

// quantile is the p-quantile of the times, by the nearest rank.
func (m *meter) quantile(p float64) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.took) == 0 {
		return 0
	}
	slices.Sort(m.took)
	return m.took[min(int(p*float64(len(m.took))), len(m.took)-1)]
}

// browser keeps a person's cookies. It does not follow redirects itself: the walker does, so that it knows
// which of its requests was answered.
type browser struct {
	client *http.Client
	base   string // path of the study's pages: /s/{slug}/
	meter  *meter
}

func newBrowser(transport http.RoundTripper, base string, m *meter) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic("sim: " + err.Error()) // only from options, and there are none
	}
	return &browser{base: base, meter: m, client: &http.Client{Transport: transport, Jar: jar, Timeout: 30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// send makes one request. It returns a page or, if the answer redirects, its target.
func (b *browser) send(ctx context.Context, method string, to *url.URL, fields url.Values) (p *page, next *url.URL, err error) {
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(fields.Encode())
	}
	r, err := http.NewRequestWithContext(ctx, method, to.String(), body)
	if err != nil {
		return nil, nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	began := time.Now()
	resp, err := b.client.Do(r)
	if err != nil {
		b.meter.note(time.Since(began), 0, err)
		return nil, nil, err
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	b.meter.note(time.Since(began), resp.StatusCode, err)
	if err != nil {
		return nil, nil, err
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		next, err := resp.Location()
		return nil, next, err
	}
	p, err = readPage(resp.StatusCode, to, b.base, bytes.NewReader(content))
	return p, nil, err
}

// patience is how long to wait for the site.
type patience struct {
	server time.Duration // while it does not answer
	place  time.Duration // while it says that it is not possible now
}

// open loads a page, following redirects, and waits if it must.
func (b *browser) open(ctx context.Context, to *url.URL, patience patience) (*page, error) {
	waits := newWaits(patience)
	hops := 0
	for {
		p, next, err := b.send(ctx, http.MethodGet, to, nil)
		switch {
		case err == nil && next != nil:
			if hops++; hops > 10 {
				return nil, fmt.Errorf("%s redirects in a circle", to.Path)
			}
			to = next
		case err == nil && p.status < 500:
			return p, nil
		default:
			if err := waits.pause(ctx, p, err); err != nil {
				return nil, err
			}
		}
	}
}

// waits are bounded waits with growing pauses.
type waits struct {
	began  time.Time
	next   time.Duration
	limits patience
}

func newWaits(limits patience) *waits {
	return &waits{began: time.Now(), next: 50 * time.Millisecond, limits: limits}
}

// pause sleeps before another try after a request that failed or got a status of 500 or above, or says that
// patience has run out.
func (w *waits) pause(ctx context.Context, p *page, err error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limit, gaveUp := w.limits.server, errUnreachable
	if err == nil {
		err = fmt.Errorf("status %d: %s", p.status, p.title)
		if p.status == http.StatusServiceUnavailable {
			limit, gaveUp = w.limits.place, errNotNow
		}
	}
	if time.Since(w.began)+w.next > limit {
		return fmt.Errorf("%w: %w", gaveUp, err)
	}
	timer := time.NewTimer(w.next)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	w.next = min(2*w.next, 2*time.Second)
	return nil
}
