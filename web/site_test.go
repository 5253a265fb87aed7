package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/internal/study"
)

// Names that must never reach a participant's browser.
var secrets = []string{"model-alpha", "model-beta", "qid-1", "qid-2", "qid-3"}

const studyYAML = `
title: Small test
slug: small
language: en
contact: team@example.org
recruitment:
  minutes: 12
  reservation_minutes: 40
  prolific:
    codes: {completed: DONE1, no_consent: NOCONSENT2, screened_out: OUT3, failed_checks: CHECKS4, over_quota: FULL5}
flow:
  - consent: {file: consent.md}
  - survey: {instrument: us-demographics}
  - overton:
      questions: questions.csv
      responses: responses.csv
      seeds: seeds.csv
      questions_per_participant: 2
      participants_per_question: 20
      votes_per_question: 2
  - feedback: {}
checks:
  - instructed: {after: 1, text: "Please choose 2 here.", answer: 2}
`

// studyFolder is a small study. edit may change its study.yaml.
func studyFolder(edit func(string) string) studyfile.Files {
	questions, responses, seeds := "question_id,source,topic,question,option_1,option_2\n", "question_id,model,llm_response\n", "question_id,statement\n"
	for q := 1; q <= 3; q++ {
		questions += fmt.Sprintf("qid-%d,own,topic,What about matter %d?,All for it %d,All against it %d\n", q, q, q, q)
		for _, model := range []string{"alpha", "beta"} {
			responses += fmt.Sprintf("qid-%d,model-%s,\"Some say one thing,\nothers <b>another</b> (%d).\"\n", q, model, q)
		}
		for n := 1; n <= 3; n++ {
			seeds += fmt.Sprintf("qid-%d,Seed %d on matter %d\n", q, n, q)
		}
	}
	yaml := studyYAML
	if edit != nil {
		yaml = edit(yaml)
	}
	return studyfile.Files{
		"study.yaml":    []byte(yaml),
		"consent.md":    []byte("# About\n\nYou may **stop** at any time. <script>alert(1)</script> [bad](javascript:alert(1))\n"),
		"questions.csv": []byte(questions), "responses.csv": []byte(responses), "seeds.csv": []byte(seeds),
	}
}

func noChecks(yaml string) string { return yaml[:strings.Index(yaml, "\nchecks:")+1] }

// testSite is a running site on a real store.
type testSite struct {
	t     *testing.T
	path  string // of the database
	store *store.Store
	st    *studyfile.Study
	log   *lockedBuffer
	http  *httptest.Server
	stop  context.CancelFunc // ends what outlives its request

	mu  sync.Mutex
	now time.Time
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newSite(t *testing.T, folder studyfile.Files) *testSite {
	t.Helper()
	ts := &testSite{t: t, path: filepath.Join(t.TempDir(), "test.db"), log: &lockedBuffer{}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	ts.open(Config{})
	st, err := studyfile.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	ts.st = st
	ctx := context.Background()
	if _, err := ts.store.SaveStudy(ctx, store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files}); err != nil {
		t.Fatal(err)
	}
	if err := ts.store.Launch(ctx, st.Slug, st.Questions.Seeds, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ts.close)
	return ts
}

func (ts *testSite) clock() time.Time {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.now
}

func (ts *testSite) pass(d time.Duration) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.now = ts.now.Add(d)
}

func (ts *testSite) open(config Config) {
	ts.t.Helper()
	var err error
	if ts.store, err = store.Open(context.Background(), ts.path, store.WithClock(ts.clock)); err != nil {
		ts.t.Fatal(err)
	}
	config.Store, config.Now = ts.store, ts.clock
	config.Log = slog.New(slog.NewTextHandler(ts.log, nil))
	var life context.Context
	life, ts.stop = context.WithCancel(context.Background())
	handler, err := New(life, config)
	if err != nil {
		ts.t.Fatal(err)
	}
	ts.http = httptest.NewServer(handler)
}

func (ts *testSite) close() {
	ts.http.Close()
	ts.stop()
	if err := ts.store.Close(); err != nil {
		ts.t.Error(err)
	}
}

// records returns all submissions.
func (ts *testSite) records() []study.Record {
	ts.t.Helper()
	row, err := ts.store.Study(context.Background(), ts.st.Slug)
	if err != nil {
		ts.t.Fatal(err)
	}
	var all []study.Record
	if err := ts.store.Records(context.Background(), row.ID, func(r study.Record) error { all = append(all, r); return nil }); err != nil {
		ts.t.Fatal(err)
	}
	return all
}

// browser keeps cookies and follows redirects, as people's do.
type browser struct {
	*testSite
	client *http.Client
}

func (ts *testSite) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		ts.t.Fatal(err)
	}
	return &browser{ts, &http.Client{Jar: jar, Timeout: 3 * time.Minute}} // a slow machine is no fault
}

// page is what a browser shows.
type page struct {
	status int
	url    *url.URL
	body   string
	doc    *html.Node
	header http.Header
}

func (b *browser) do(r *http.Request) page {
	b.t.Helper()
	resp, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	doc, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	p := page{resp.StatusCode, resp.Request.URL, string(body), doc, resp.Header}
	for _, secret := range secrets {
		if strings.Contains(p.body, secret) && !isAdmin(resp.Request) {
			b.t.Errorf("%s shows %q", p.url.Path, secret)
		}
	}
	return p
}

// path is below the study.
func (p page) path() string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(p.url.Path, "/s/"), "/")
	return rest
}

func (b *browser) get(path string) page {
	b.t.Helper()
	r, err := http.NewRequest(http.MethodGet, b.http.URL+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(r)
}

func (b *browser) post(path string, form url.Values) page {
	b.t.Helper()
	r, err := http.NewRequest(http.MethodPost, b.http.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

func arrival(n int) string {
	return fmt.Sprintf("/s/small?PROLIFIC_PID=%024x&STUDY_ID=%024x&SESSION_ID=%024x", n, 99, 1000+n)
}

// arrive opens the link of participant n.
func (ts *testSite) arrive(n int) (*browser, page) {
	b := ts.browser()
	return b, b.get(arrival(n))
}

// begin arrives and presses start.
func (ts *testSite) begin(n int) (*browser, page) {
	b, p := ts.arrive(n)
	return b, b.send(p, nil)
}

// form collects the fields of a page's form as a browser without a script
// would send them, and where to.
func (p page) form() (action string, fields url.Values) {
	fields = url.Values{}
	forEach(p.doc, "form", func(form *html.Node) {
		if action != "" {
			return
		}
		action = attribute(form, "action")
		forEach(form, "input", func(n *html.Node) {
			_, checked := has(n, "checked")
			if kind := attribute(n, "type"); kind == "hidden" || kind == "radio" && checked {
				fields.Set(attribute(n, "name"), attribute(n, "value"))
			}
		})
		forEach(form, "textarea", func(n *html.Node) { fields.Set(attribute(n, "name"), text(n)) })
	})
	return action, fields
}

// send fills the page's form with the answers given and posts it.
func (b *browser) send(p page, answers map[string]string) page {
	b.t.Helper()
	action, fields := p.form()
	if action == "" {
		b.t.Fatalf("there is no form on %s:\n%s", p.url.Path, p.body)
	}
	for name, value := range answers {
		fields.Set(name, value)
	}
	return b.post(action, fields)
}

// answers makes acceptable answers for whatever a page asks.
func (p page) answers(view string) map[string]string {
	all := map[string]string{}
	forEach(p.doc, "input", func(n *html.Node) {
		if name := attribute(n, "name"); attribute(n, "type") == "radio" && (all[name] == "" || attribute(n, "value") == "2") {
			all[name] = attribute(n, "value")
		}
	})
	forEach(p.doc, "textarea", func(n *html.Node) { all[attribute(n, "name")] = view })
	forEach(p.doc, "button", func(n *html.Node) {
		if name := attribute(n, "name"); name != "" && all[name] == "" {
			all[name] = attribute(n, "value")
		}
	})
	return all
}

// walk answers pages until one whose path matches until, and returns that.
func (b *browser) walk(p page, until string) page {
	b.t.Helper()
	stop := regexp.MustCompile("^" + until + "$")
	for range 60 {
		if stop.MatchString(p.path()) {
			return p
		}
		if p.status != http.StatusOK {
			b.t.Fatalf("%s: status %d:\n%s", p.url.Path, p.status, p.body)
		}
		p = b.send(p, p.answers("My view\nin two lines"))
	}
	b.t.Fatalf("no page %s within 60", until)
	return page{}
}

func forEach(n *html.Node, tag string, do func(*html.Node)) {
	if n.Type == html.ElementNode && n.Data == tag {
		do(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		forEach(c, tag, do)
	}
}

func has(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func attribute(n *html.Node, name string) string { v, _ := has(n, name); return v }

func text(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(text(c))
	}
	return b.String()
}

// says is the text of the page, spaces folded.
func (p page) says() string { return strings.Join(strings.Fields(text(p.doc)), " ") }
