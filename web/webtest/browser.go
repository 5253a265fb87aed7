package webtest

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// Browser keeps cookies and follows redirects, as people's do.
type Browser struct {
	*Site
	Client *http.Client
}

// Browser is a new browser, without cookies.
func (ts *Site) Browser() *Browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		ts.T.Fatal(err)
	}
	return &Browser{ts, &http.Client{Jar: jar, Timeout: 3 * time.Minute}} // a slow machine is no fault
}

// secrets are names that must never reach a participant's browser.
var secrets = []string{"model-alpha", "model-beta", "qid-1", "qid-2", "qid-3"}

// Page is what a browser shows.
type Page struct {
	Status int
	URL    *url.URL
	Body   string
	Doc    *html.Node
	Header http.Header
}

// Do sends a request and reads the page that comes back. A page of participants
// must not name a model or a question.
func (b *Browser) Do(r *http.Request) Page {
	b.T.Helper()
	resp, err := b.Client.Do(r)
	if err != nil {
		b.T.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.T.Fatal(err)
	}
	doc, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		b.T.Fatal(err)
	}
	p := Page{resp.StatusCode, resp.Request.URL, string(body), doc, resp.Header}
	for _, secret := range secrets {
		if strings.Contains(p.Body, secret) && !strings.Contains(p.URL.Path, "/admin") {
			b.T.Errorf("%s shows %q", p.URL.Path, secret)
		}
	}
	return p
}

// Path is below the study.
func (p Page) Path() string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(p.URL.Path, "/s/"), "/")
	return rest
}

// Get opens a path of the site.
func (b *Browser) Get(path string) Page {
	b.T.Helper()
	r, err := http.NewRequest(http.MethodGet, b.HTTP.URL+path, nil)
	if err != nil {
		b.T.Fatal(err)
	}
	return b.Do(r)
}

// Post sends a form to a path, as the site's own pages do.
func (b *Browser) Post(path string, form url.Values) Page {
	b.T.Helper()
	r, err := http.NewRequest(http.MethodPost, b.HTTP.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.T.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.Do(r)
}

// Form collects the fields of a page's form as a browser without a script
// would send them, and where to.
func (p Page) Form() (action string, fields url.Values) {
	fields = url.Values{}
	ForEach(p.Doc, "form", func(form *html.Node) {
		if action != "" {
			return
		}
		action = Attribute(form, "action")
		ForEach(form, "input", func(n *html.Node) {
			_, checked := Has(n, "checked")
			if kind := Attribute(n, "type"); kind == "hidden" || kind == "radio" && checked {
				fields.Set(Attribute(n, "name"), Attribute(n, "value"))
			}
		})
		ForEach(form, "textarea", func(n *html.Node) { fields.Set(Attribute(n, "name"), Text(n)) })
	})
	return action, fields
}

// Send fills the page's form with the answers given and posts it.
func (b *Browser) Send(p Page, answers map[string]string) Page {
	b.T.Helper()
	action, fields := p.Form()
	if action == "" {
		b.T.Fatalf("there is no form on %s:\n%s", p.URL.Path, p.Body)
	}
	for name, value := range answers {
		fields.Set(name, value)
	}
	return b.Post(action, fields)
}

// Answers makes acceptable answers for whatever a page asks.
func (p Page) Answers(view string) map[string]string {
	all := map[string]string{}
	ForEach(p.Doc, "input", func(n *html.Node) {
		if name := Attribute(n, "name"); Attribute(n, "type") == "radio" && (all[name] == "" || Attribute(n, "value") == "2") {
			all[name] = Attribute(n, "value")
		}
	})
	ForEach(p.Doc, "textarea", func(n *html.Node) { all[Attribute(n, "name")] = view })
	ForEach(p.Doc, "button", func(n *html.Node) {
		if name := Attribute(n, "name"); name != "" && all[name] == "" {
			all[name] = Attribute(n, "value")
		}
	})
	return all
}

// Walk answers pages until one whose path matches until, and returns that.
func (b *Browser) Walk(p Page, until string) Page {
	b.T.Helper()
	stop := regexp.MustCompile("^" + until + "$")
	for range 60 {
		if stop.MatchString(p.Path()) {
			return p
		}
		if p.Status != http.StatusOK {
			b.T.Fatalf("%s: status %d:\n%s", p.URL.Path, p.Status, p.Body)
		}
		p = b.Send(p, p.Answers("My view\nin two lines"))
	}
	b.T.Fatalf("no page %s within 60", until)
	return Page{}
}

// Says is the text of the page, spaces folded.
func (p Page) Says() string { return strings.Join(strings.Fields(Text(p.Doc)), " ") }

// Analysed waits until a page such as /admin/studies/small/surveys says no more
// that an analysis is running.
func (b *Browser) Analysed(path string) Page {
	b.T.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if p := b.Get(path); !strings.Contains(p.Body, "An analysis is running") {
			return p
		}
	}
	b.T.Fatal("the analysis takes too long")
	return Page{}
}

// Staying is a browser that does not follow redirects.
func (b *Browser) Staying() *Browser {
	client := *b.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Browser{b.Site, &client}
}

// UploadTo posts files to a page of the site.
func (b *Browser) UploadTo(path string, files map[string][]byte) Page {
	b.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := form.CreateFormFile("files", name)
		if err != nil {
			b.T.Fatal(err)
		}
		w.Write(files[name])
	}
	form.Close()
	r, err := http.NewRequest(http.MethodPost, b.HTTP.URL+path, &body)
	if err != nil {
		b.T.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	return b.Do(r)
}

// Rows reads the tables of a page, their cells one blank apart.
func (p Page) Rows() string {
	var all []string
	ForEach(p.Doc, "tr", func(tr *html.Node) {
		var cells []string
		for n := tr.FirstChild; n != nil; n = n.NextSibling {
			cells = append(cells, strings.Join(strings.Fields(Text(n)), " "))
		}
		all = append(all, strings.Join(strings.Fields(strings.Join(cells, " ")), " "))
	})
	return strings.Join(all, "\n")
}

// Unpack reads a downloaded .zip.
func (p Page) Unpack(t *testing.T) map[string]string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(p.Body), int64(len(p.Body)))
	if err != nil {
		t.Fatalf("status %d, %s: %v", p.Status, p.Header.Get("Content-Type"), err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return files
}
