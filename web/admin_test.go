package web

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"overton/internal/dataset/studyfile"
	"overton/internal/password"
	"overton/internal/store"
)

const goodPassword = "a long enough password"

// account makes an account without a password.
func (ts *testSite) account(email, role string) int64 {
	ts.t.Helper()
	id, err := ts.store.CreateAccount(context.Background(), store.Account{Email: email, Role: role})
	if err != nil {
		ts.t.Fatal(err)
	}
	return id
}

// signedIn is the browser of somebody with a role.
func (ts *testSite) signedIn(role string) *browser {
	ts.t.Helper()
	token, err := ts.store.SignIn(context.Background(), ts.account(role+"@example.org", role), signInLife)
	if err != nil {
		ts.t.Fatal(err)
	}
	b := ts.browser()
	u, err := url.Parse(ts.http.URL)
	if err != nil {
		ts.t.Fatal(err)
	}
	b.client.Jar.SetCookies(u, []*http.Cookie{{Name: accountCookie, Value: token, Path: "/"}})
	return b
}

// staying is a browser that does not follow redirects.
func (b *browser) staying() *browser {
	client := *b.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{b.testSite, &client}
}

// finish walks n people to the end.
func (ts *testSite) finish(n int) {
	ts.t.Helper()
	for i := range n {
		b, p := ts.begin(i + 1)
		b.walk(p, "end")
	}
}

// sample is a path of a route for a study that has what the others of the tests
// have.
func (ts *testSite) sample(r route, slug, run string) string {
	return strings.NewReplacer(":slug", slug, ":part", "study", ":pseudonym", ts.records()[0].Pseudonym, "surveys/*", "surveys/us-demographics/SEX", "*", "qid-1", ":id", run, ":run", "first run",
		"figures/:file", "figures/leaderboard.svg", ":file", "csv.zip").Replace(r.path)
}

func TestEveryAdminPageAsksForItsRole(t *testing.T) {
	ts, _ := modelsSite(t, studyFolder(nil))
	ts.finish(1)
	walker, _ := ts.begin(77)
	run := fmt.Sprint(ts.planted())
	visitors := []struct {
		name string
		role role
		*browser
	}{
		{"guest", nobody, ts.browser()}, {"participant", participant, walker}, {"viewer", viewer, ts.signedIn("viewer")},
		{"moderator", moderator, ts.signedIn("moderator")}, {"researcher", researcher, ts.signedIn("researcher")}, {"admin", admin, ts.signedIn("admin")},
	}
	for _, r := range (&site{}).adminRoutes() {
		if r.role == public {
			continue
		}
		path := ts.sample(r, "small", run)
		for _, v := range visitors {
			b := v.staying()
			var p page
			if r.path == livePath && v.role >= r.role {
				continue // it does not end
			}
			if r.method == http.MethodGet {
				p = b.get(path)
			} else {
				p = b.post(path, nil)
			}
			at := fmt.Sprintf("%s %s as %s: status %d", r.method, r.path, v.name, p.status)
			switch {
			case v.role < viewer:
				if to := p.header.Get("Location"); p.status != http.StatusSeeOther || !strings.HasPrefix(to, "/admin/sign-in") {
					t.Errorf("%s, to %q; want the sign-in", at, to)
				}
			case v.role < r.role:
				if p.status != http.StatusForbidden {
					t.Errorf("%s, want 403", at)
				}
			case strings.HasPrefix(r.path, "/admin/preview/"): // each is one account's own
				if p.status != http.StatusNotFound {
					t.Errorf("%s, want 404", at)
				}
			case r.method == http.MethodGet && p.status != http.StatusOK:
				t.Errorf("%s, want 200", at)
			case p.status == http.StatusForbidden || strings.HasPrefix(p.header.Get("Location"), "/admin/sign-in"):
				t.Errorf("%s, but the role is high enough", at)
			}
			if v.role < r.role {
				for _, secret := range []string{"DONE1", "My view", "Small test", "qid-1", "model-alpha", "@example.org</th>"} {
					if strings.Contains(p.body, secret) {
						t.Errorf("%s shows %q", at, secret)
					}
				}
			}
		}
	}
}

func TestPagesShowNobodyWhatTheirRoleMayNotUse(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.finish(1)
	const home, monitor = "/admin", "/admin/studies/small"
	for _, c := range []struct {
		role, path string
		has, lacks []string
	}{
		{"viewer", home, []string{"Small test"}, []string{"New study", "Accounts"}},
		{"viewer", monitor, []string{"PROLIFIC_PID"}, []string{"DONE1", "Close…", "Pause", "/moderation", "/download", "My view"}},
		{"moderator", monitor, []string{"/moderation"}, []string{"DONE1", "Close…", "/download"}},
		{"moderator", monitor + "/moderation", []string{"My view"}, []string{"DONE1", "model-alpha"}},
		{"researcher", monitor, []string{"DONE1", "/download"}, []string{"Close…", "Accounts"}},
		{"admin", monitor, []string{"DONE1", "Close…", "Pause", "Accounts"}, nil},
		{"admin", home, []string{"New study", "Accounts"}, nil},
	} {
		b := ts.browserOf(c.role)
		p := b.get(c.path)
		for _, s := range c.has {
			if !strings.Contains(p.body, s) {
				t.Errorf("%s as %s lacks %q", c.path, c.role, s)
			}
		}
		for _, s := range append(c.lacks, "000000000000000000000001") {
			if strings.Contains(p.body, s) {
				t.Errorf("%s as %s shows %q", c.path, c.role, s)
			}
		}
	}
}

// browserOf signs an account of a role in, making it where there is none.
func (ts *testSite) browserOf(role string) *browser {
	ts.t.Helper()
	account, err := ts.store.AccountByEmail(context.Background(), role+"@example.org")
	if err != nil {
		return ts.signedIn(role)
	}
	token, err := ts.store.SignIn(context.Background(), account.ID, signInLife)
	if err != nil {
		ts.t.Fatal(err)
	}
	b := ts.browser()
	u, _ := url.Parse(ts.http.URL)
	b.client.Jar.SetCookies(u, []*http.Cookie{{Name: accountCookie, Value: token, Path: "/"}})
	return b
}

func (ts *testSite) setPassword(id int64) {
	ts.t.Helper()
	hash, err := password.Hash(context.Background(), goodPassword)
	if err != nil {
		ts.t.Fatal(err)
	}
	if err := ts.store.SetPassword(context.Background(), id, hash); err != nil {
		ts.t.Fatal(err)
	}
}

func TestSigningInAndOut(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.setPassword(ts.account("anna@example.org", "viewer"))
	shut := ts.account("shut@example.org", "viewer")
	ts.setPassword(shut)
	if err := ts.store.DisableAccount(t.Context(), shut, true, 0); err != nil {
		t.Fatal(err)
	}
	ts.account("new@example.org", "viewer") // has no password yet

	var said string
	for name, form := range map[string]url.Values{
		"a wrong password":   {"email": {"anna@example.org"}, "password": {goodPassword + "!"}},
		"no password":        {"email": {"anna@example.org"}, "password": {""}},
		"an unknown address": {"email": {"nobody@example.org"}, "password": {goodPassword}},
		"shut out":           {"email": {"shut@example.org"}, "password": {goodPassword}},
		"never set":          {"email": {"new@example.org"}, "password": {""}},
	} {
		p := ts.browser().post("/admin/sign-in", form)
		problem := text(find(p.doc, "problems"))
		if p.status != http.StatusUnprocessableEntity || problem == "" || said != "" && problem != said {
			t.Errorf("%s: status %d, %q; others were told %q", name, p.status, problem, said)
		}
		said = problem
		if !strings.Contains(p.body, form.Get("email")) {
			t.Errorf("%s: the address typed is gone", name)
		}
	}

	b := ts.browser()
	p := b.get("/admin/studies/small")
	if p.url.Path != "/admin/sign-in" {
		t.Fatalf("a guest came to %s", p.url)
	}
	p = b.send(p, map[string]string{"email": "Anna@example.org ", "password": goodPassword})
	if p.status != http.StatusOK || p.url.Path != "/admin/studies/small" || !strings.Contains(p.body, "anna@example.org") {
		t.Fatalf("after the sign-in: %s, status %d", p.url, p.status)
	}
	if p := b.get("/admin/sign-out"); p.status != http.StatusMethodNotAllowed {
		t.Errorf("signing out by a mere link: status %d", p.status)
	}
	if p := b.get("/admin"); p.url.Path != "/admin" {
		t.Fatalf("signed out by a GET: %s", p.url)
	}
	kept := b.cookies()
	b.post("/admin/sign-out", nil)
	if p := b.get("/admin"); p.url.Path != "/admin/sign-in" {
		t.Errorf("after signing out: %s", p.url)
	}
	u, _ := url.Parse(ts.http.URL)
	b.client.Jar.SetCookies(u, kept)
	if p := b.get("/admin"); p.url.Path != "/admin/sign-in" {
		t.Errorf("the old cookie still opens %s", p.url)
	}
}

func (b *browser) cookies() []*http.Cookie {
	u, _ := url.Parse(b.http.URL)
	return b.client.Jar.Cookies(u)
}

// find returns the element with an id, or an empty one.
func find(n *html.Node, id string) *html.Node {
	if n.Type == html.ElementNode && attribute(n, "id") == id {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if got := find(c, id); got.Type != html.ErrorNode {
			return got
		}
	}
	return &html.Node{}
}

func TestGuessingPasswordsIsSlowedDown(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	var a attempts
	limits := func(address string) map[string]int {
		return map[string]int{"address " + address: attemptsPerAddress, "client 1": attemptsPerClient}
	}
	for i := range attemptsPerAddress {
		if !a.try(ts.clock(), limits("a")) {
			t.Fatalf("attempt %d was refused", i+1)
		}
	}
	if a.try(ts.clock(), limits("a")) {
		t.Error("one address can be tried for ever")
	}
	for i := range attemptsPerClient - attemptsPerAddress {
		if !a.try(ts.clock(), limits(fmt.Sprint("b", i))) {
			t.Fatalf("attempt %d of the client was refused", attemptsPerAddress+i+1)
		}
	}
	if a.try(ts.clock(), limits("c")) {
		t.Error("one client can try for ever")
	}
	if !a.try(ts.clock(), map[string]int{"address a2": 1, "client 2": 1}) {
		t.Error("others are refused, too")
	}
	ts.pass(attemptSpan)
	if !a.try(ts.clock(), limits("a")) {
		t.Error("a quarter of an hour later it is still refused")
	}

	ts.setPassword(ts.account("anna@example.org", "viewer"))
	wrong, right := url.Values{"email": {"anna@example.org"}, "password": {"wrong"}}, url.Values{"email": {"anna@example.org"}, "password": {goodPassword}}
	for range attemptsPerAddress {
		if p := ts.browser().post("/admin/sign-in", wrong); p.status != http.StatusUnprocessableEntity {
			t.Fatalf("status %d", p.status)
		}
	}
	if p := ts.browser().post("/admin/sign-in", right); p.status != http.StatusTooManyRequests || p.header.Get("Retry-After") == "" {
		t.Errorf("after %d failures: status %d", attemptsPerAddress, p.status)
	}
	ts.pass(attemptSpan)
	for range attemptsPerAddress + 1 { // what succeeds is not counted
		if p := ts.browser().post("/admin/sign-in", right); p.url.Path != "/admin" {
			t.Fatalf("a right password was refused: %d", p.status)
		}
	}
}

func TestTheSignInLeadsNowhereElse(t *testing.T) {
	for given, want := range map[string]string{
		"": "/admin", "/admin/studies/x": "/admin/studies/x", "/admin": "/admin", "/administrator": "/admin", "//evil.example/admin/": "/admin",
		"https://evil.example/admin/": "/admin", "/s/small": "/admin", "javascript:alert(1)": "/admin", `/admin/\evil`: "/admin", "/admin/%zz": "/admin", "/admin/password?to=/admin/studies/x": "/admin/password?to=/admin/studies/x",
	} {
		if got := safePath(given); got != want {
			t.Errorf("%q leads to %q, want %q", given, got, want)
		}
	}
}

func TestTheAccountCookieIsHidden(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	id := ts.account("anna@example.org", "viewer")
	for _, c := range []struct {
		base, name string
		secure     bool
	}{{"", "overton_admin", false}, {"https://example.org/x", "__Host-overton_admin", true}} {
		link, err := ts.store.NewLink(t.Context(), id, time.Hour, false)
		if err != nil {
			t.Fatal(err)
		}
		config := Config{Store: ts.store, Now: ts.clock, Log: logTo(io.Discard)}
		if c.base != "" {
			config.BaseURL = mustURL(t, c.base, "")
		}
		h, err := New(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/admin/link/"+link, nil))
		cookies := rec.Result().Cookies()
		if len(cookies) != 1 {
			t.Fatalf("%d cookies, status %d", len(cookies), rec.Code)
		}
		if k := cookies[0]; k.Name != c.name || k.Secure != c.secure || !k.HttpOnly || k.SameSite != http.SameSiteLaxMode || k.Path != "/" || k.Domain != "" || len(k.Value) < 20 {
			t.Errorf("%q: cookie %v", c.base, k)
		}
	}
}

func TestALinkLeadsToAPassword(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	id := ts.account("anna@example.org", "admin")
	link, err := ts.store.NewLink(t.Context(), id, time.Hour, false)
	if err != nil {
		t.Fatal(err)
	}
	b := ts.browser()
	for range 3 { // looking uses nothing up
		if p := b.get("/admin/link/" + link); p.status != http.StatusOK || strings.Contains(p.body, "anna") {
			t.Fatalf("status %d: %s", p.status, p.says())
		}
	}
	p := b.send(b.get("/admin/link/"+link), nil)
	if p.url.Path != "/admin/password" {
		t.Fatalf("the link led to %s, status %d", p.url, p.status)
	}
	if used := ts.browser().post("/admin/link/"+link, nil); used.status != http.StatusNotFound || !strings.Contains(used.says(), "used already") {
		t.Errorf("a used link: status %d", used.status)
	}
	for want, form := range map[string]url.Values{
		"shorter than 12": {"new": {"short"}, "again": {"short"}},
		"not the same":    {"new": {goodPassword}, "again": {goodPassword + "x"}},
	} {
		if p := b.post("/admin/password", form); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says(), want) {
			t.Errorf("%q: status %d: %s", want, p.status, p.says())
		}
	}
	other := ts.browserOf("viewer")
	if p := b.post("/admin/password", url.Values{"new": {goodPassword}, "again": {goodPassword}}); p.url.Path != "/admin" || p.status != http.StatusOK {
		t.Fatalf("setting the password led to %s, %d", p.url, p.status)
	}
	if p := b.get("/admin"); p.url.Path != "/admin" {
		t.Error("a new password ends the sign-in that set it")
	}
	if p := other.get("/admin"); p.url.Path != "/admin" {
		t.Error("a new password ends somebody else's sign-in")
	}
	if p := b.post("/admin/password", url.Values{"current": {"not this"}, "new": {goodPassword + "2"}, "again": {goodPassword + "2"}}); p.status != http.StatusUnprocessableEntity {
		t.Errorf("changed without the current password: status %d", p.status)
	}
	elsewhere := ts.browser()
	if p := elsewhere.post("/admin/sign-in", url.Values{"email": {"anna@example.org"}, "password": {goodPassword}}); p.url.Path != "/admin" {
		t.Fatalf("the new password does not open the account: %s", p.says())
	}
	if p := b.post("/admin/password", url.Values{"current": {goodPassword}, "new": {goodPassword + "2"}, "again": {goodPassword + "2"}}); p.url.Path != "/admin" {
		t.Errorf("changing it: %s", p.says())
	}
	if p := elsewhere.get("/admin"); p.url.Path != "/admin/sign-in" {
		t.Error("the sign-in by the old password goes on")
	}
}

func TestALinkCanLeadToAPage(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	link, err := ts.store.NewLink(t.Context(), ts.account("demo@example.org", "researcher"), time.Hour, true)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		b := ts.browser()
		if p := b.send(b.get("/admin/link/"+link+"?to=/admin/studies/small"), nil); p.url.Path != "/admin/studies/small" {
			t.Errorf("came to %s, status %d", p.url, p.status)
		}
	}
}

// upload posts files to the page for a new study.
func (b *browser) upload(files map[string][]byte) page { return b.uploadTo(newStudyPath, files) }

// uploadTo posts files to a page of the site.
func (b *browser) uploadTo(path string, files map[string][]byte) page {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := form.CreateFormFile("files", name)
		if err != nil {
			b.t.Fatal(err)
		}
		w.Write(files[name])
	}
	form.Close()
	r, err := http.NewRequest(http.MethodPost, b.http.URL+path, &body)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	return b.do(r)
}

// packed makes a .zip of files within a folder.
func packed(t *testing.T, folder string, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range files {
		w, err := z.Create(folder + name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(content)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// renamed is a study like the others, of another name.
func renamed(slug string) studyfile.Files {
	return studyFolder(func(yaml string) string { return strings.Replace(yaml, "slug: small", "slug: "+slug, 1) })
}

func TestAStudyIsMadeFromItsFiles(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	withScraps := renamed("packed")
	withScraps["../__MACOSX/._study.yaml"] = []byte("scrap")
	for slug, files := range map[string]map[string][]byte{
		"loose":  renamed("loose"),
		"packed": {"study.zip": packed(t, "", renamed("packed"))},
		"nested": {"Study.ZIP": packed(t, "my study/", renamed("nested"))},
		"mac":    {"study.zip": packed(t, "mac/", map[string][]byte{".DS_Store": {1}, "study.yaml": renamed("mac")["study.yaml"], "consent.md": []byte("Yes?"), "questions.csv": renamed("mac")["questions.csv"], "responses.csv": renamed("mac")["responses.csv"], "seeds.csv": renamed("mac")["seeds.csv"]})},
	} {
		p := b.upload(files)
		if p.status != http.StatusOK || p.url.Path != "/admin/studies/"+slug || !strings.Contains(p.says(), "This is a draft") {
			t.Errorf("%s: came to %s, status %d: %s", slug, p.url, p.status, p.says())
			continue
		}
		row, err := ts.store.Study(t.Context(), slug)
		if err != nil || row.Status != store.Draft {
			t.Errorf("%s: %+v, %v", slug, row, err)
		}
	}
	want, err := studyfile.Read(renamed("nested"))
	if err != nil {
		t.Fatal(err)
	}
	if row, err := ts.store.Study(t.Context(), "nested"); err != nil || row.Hash != want.Hash {
		t.Errorf("the files changed on the way: %s, want %s, %v", row.Hash, want.Hash, err)
	}
}

func TestEveryFaultOfAnUploadIsShown(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	files := renamed("faulty")
	files["questions.csv"] = []byte("question_id,source,topic,question,option1,option_2\nqid-1,own,topic,<b>Why?</b>,A,B\n")
	files["study.yaml"] = bytes.Replace(files["study.yaml"], []byte("minutes: 12"), []byte("minutes: soon"), 1)
	p := b.upload(files)
	says := p.says() + p.rows()
	if p.status != http.StatusUnprocessableEntity {
		t.Errorf("status %d", p.status)
	}
	for _, want := range []string{"Nothing was saved", "study.yaml 7 recruitment.minutes soon", "questions.csv 1", "option1", "option_1"} {
		if !strings.Contains(says, want) {
			t.Errorf("%q is not said: %s", want, says)
		}
	}
	if _, err := ts.store.Study(t.Context(), "faulty"); err == nil {
		t.Error("a faulty study was saved")
	}

	many := renamed("many")
	rows := "question_id,statement\n"
	for i := range 2 * mostFaults {
		rows += fmt.Sprintf("none-%d,text\n", i)
	}
	many["seeds.csv"] = []byte(rows)
	if says := b.upload(many).says(); !strings.Contains(says, fmt.Sprintf("%d faults", 2*mostFaults)) || !strings.Contains(says, fmt.Sprintf("%d more rows of seeds.csv have faults", 2*mostFaults-mostFaultyRows)) {
		t.Errorf("many faults: %.300s", says)
	}
}

func TestUploadsThatCannotBeReadSayWhy(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	for want, files := range map[string]map[string][]byte{
		"No file was sent":                {},
		"is not a .zip file that can":     {"study.zip": []byte("PK no")},
		"study.yaml is not in the study":  nil,
		"There are two files called":      {"a.zip": packed(t, "", map[string][]byte{"study.yaml": []byte("x")}), "study.yaml": []byte("x")},
		"There is a launched study with":  studyFolder(nil),
		"larger than 64 MB together":      {"responses.csv": bytes.Repeat([]byte("x"), maxUpload+1)},
		"larger than 256 MB once unpacke": {"study.zip": packed(t, "", map[string][]byte{"study.yaml": make([]byte, maxUnpacked+1)})},
	} {
		if files == nil {
			files = map[string][]byte{"consent.md": []byte("Yes?")}
			want = "study.yaml"
		}
		p := b.upload(files)
		if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says(), want) {
			t.Errorf("%q: status %d: %.400s", want, p.status, p.says())
		}
	}
	if p := b.post(newStudyPath, nil); p.status != http.StatusUnprocessableEntity {
		t.Errorf("an ordinary form: status %d", p.status)
	}
}

// launch ticks whatever the page before a launch wants ticked, and launches.
func (b *browser) launch(name string) page {
	b.t.Helper()
	p := b.get("/admin/studies/" + name + "/launch")
	form := url.Values{}
	forEach(p.doc, "input", func(n *html.Node) {
		if field := attribute(n, "name"); field == "accept" || field == "hash" {
			form.Add(field, attribute(n, "value"))
		}
	})
	return b.post("/admin/studies/"+name+"/launch", form)
}

func TestAStudysLife(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	b.upload(renamed("other"))
	status := func() store.Status {
		t.Helper()
		row, err := ts.store.Study(t.Context(), "other")
		if err != nil {
			t.Fatal(err)
		}
		return row.Status
	}
	for _, c := range []struct {
		to    store.Status
		http  int
		after store.Status
	}{
		{store.Closed, http.StatusConflict, store.Draft}, {"draft", http.StatusBadRequest, store.Draft}, {store.Running, http.StatusConflict, store.Draft},
		{"launch", http.StatusOK, store.Running}, {store.Running, http.StatusConflict, store.Running},
		{store.Paused, http.StatusOK, store.Paused}, {store.Running, http.StatusOK, store.Running},
		{store.Closed, http.StatusOK, store.Closed}, {store.Running, http.StatusConflict, store.Closed},
	} {
		p := page{}
		if c.to == "launch" {
			p = b.launch("other")
		} else {
			p = b.post("/admin/studies/other/status", url.Values{"to": {string(c.to)}})
		}
		if p.status != c.http || status() != c.after {
			t.Errorf("to %s: status %d, study is %s; want %d, %s", c.to, p.status, status(), c.http, c.after)
		}
	}
	if statements, err := ts.store.Statements(t.Context(), 2); err != nil || len(statements) != 9 {
		t.Errorf("%d seeds, %v", len(statements), err)
	}
	if p := b.get("/admin/studies/nothing"); p.status != http.StatusNotFound || !strings.Contains(p.says(), "no such study") || !strings.Contains(p.body, "Sign out") {
		t.Errorf("a study that is not there: %d %s", p.status, p.says())
	}
}

// rows reads the tables of a page, their cells one blank apart.
func (p page) rows() string {
	var all []string
	forEach(p.doc, "tr", func(tr *html.Node) {
		var cells []string
		for n := tr.FirstChild; n != nil; n = n.NextSibling {
			cells = append(cells, strings.Join(strings.Fields(text(n)), " "))
		}
		all = append(all, strings.Join(strings.Fields(strings.Join(cells, " ")), " "))
	})
	return strings.Join(all, "\n")
}

// figures reads the large numbers of a monitor page.
func (p page) figures() []map[string]string {
	var all []map[string]string
	forEach(p.doc, "dl", func(dl *html.Node) {
		if attribute(dl, "class") != "figures" {
			return
		}
		these := map[string]string{}
		forEach(dl, "div", func(n *html.Node) {
			forEach(n, "dt", func(dt *html.Node) {
				forEach(n, "dd", func(dd *html.Node) { these[text(dt)] = strings.Join(strings.Fields(text(dd)), " ") })
			})
		})
		all = append(all, these)
	})
	return all
}

func TestTheMonitorCountsPeopleAndVirtualParticipantsApart(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.finish(2)
	b, p := ts.begin(3)
	b.walk(p, "p/q1-response1")
	b, p = ts.begin(4)
	b.send(p, map[string]string{"consent": "no"})
	virtual := ts.browser()
	virtual.walk(virtual.send(virtual.get("/s/small?PROLIFIC_PID=virtual-1&SESSION_ID=v1"), nil), "end")
	ts.pass(41 * time.Minute)
	ts.begin(5)

	p = ts.signedIn("viewer").get("/admin/studies/small")
	got := p.figures()
	want := []map[string]string{
		{"Arrived": "5", "Consented": "3", "In progress": "1", "Complete": "2", "Left on the way": "1"},
		{"Arrived": "1", "Consented": "1", "In progress": "0", "Complete": "1", "Left on the way": "0"},
	}
	if len(got) != 2 || !maps.Equal(got[0], want[0]) || !maps.Equal(got[1], want[1]) {
		t.Errorf("%v, want %v", got, want)
	}
	says := p.says() + p.rows()
	for _, s := range []string{"2 filled 1 reserved 27 open of 30 places", "Did not consent 1", "Question 1: ratings 3 60 % 0 1 0", "Consent 5 100 % 1 0 1", "1 virtual participant, not people",
		"/s/small?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"} {
		if !strings.Contains(says, s) {
			t.Errorf("%q is not said: %s", s, says)
		}
	}
	done := 0
	forEach(find(p.doc, "live-filling"), "progress", func(n *html.Node) {
		var n1 int
		fmt.Sscan(attribute(n, "value"), &n1)
		done += n1
	})
	if done != 4 { // two people with two questions each
		t.Errorf("%d places are done", done)
	}
}

// unpack reads a downloaded .zip.
func (p page) unpack(t *testing.T) map[string]string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(p.body), int64(len(p.body)))
	if err != nil {
		t.Fatalf("status %d, %s: %v", p.status, p.header.Get("Content-Type"), err)
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

func TestTheDownloadHoldsTheDataAndNobodysIdentity(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	ts.finish(2)
	b := ts.signedIn("researcher")
	if p := b.get("/admin/studies/small/data/csv"); p.status != http.StatusNotFound {
		t.Errorf("no such form: status %d", p.status)
	}
	p := b.get("/admin/studies/small/data/everything.zip")
	if got := p.header.Get("Content-Disposition"); got != `attachment; filename="small-2026-03-01-everything.zip"` {
		t.Errorf("it is offered as %s", got)
	}
	files := p.unpack(t)
	if !strings.Contains(files["small/manifest.json"], `"completed": 2`) {
		t.Errorf("the manifest says %s", files["small/manifest.json"])
	}
	for file, want := range map[string]string{"csv.zip": "small/ratings.csv", "jsonl.zip": "small/answers.jsonl", "parquet.zip": "small/wide.parquet",
		"polis.zip": "small/polis/qid-1/comments.csv", "overtonbench.zip": "small/overtonbench/overtonbench.csv"} {
		some := b.get("/admin/studies/small/data/" + file).unpack(t)
		if some[want] == "" || len(some) >= len(files) || files[want] != some[want] {
			t.Errorf("%s holds %d files, of %s %d bytes", file, len(some), want, len(some[want]))
		}
	}
	files["bundle.zip"] = fmt.Sprint(b.get("/admin/studies/small/data/bundle.zip").unpack(t))
	all := ""
	for _, content := range files {
		all += content
	}
	if !strings.Contains(all, "My view\nin two lines") {
		t.Error("the free responses are missing")
	}
	for _, secret := range []string{fmt.Sprintf("%024x", 1), fmt.Sprintf("%024x", 1001)} {
		if strings.Contains(all, secret) {
			t.Errorf("it holds %s", secret)
		}
	}
	if strings.Contains(files["bundle.zip"], "DONE1") {
		t.Error("the bundle holds a completion code")
	}

	own := studyfile.Files{}
	for name, content := range b.get("/admin/studies/small/files.zip").unpack(t) {
		own[strings.TrimPrefix(name, "small/")] = []byte(content)
	}
	if st, err := studyfile.Read(own); err != nil || st.Hash != ts.st.Hash {
		t.Errorf("the study's own files are not what was launched: %v", err)
	}
}

func TestAdminsMakeAccounts(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	for want, form := range map[string]url.Values{
		"no mail address":     {"email": {"nobody"}, "role": {"viewer"}},
		"Choose a role":       {"email": {"ben@example.org"}, "role": {"boss"}},
		"account for this ad": {"email": {"Admin@example.org"}, "role": {"viewer"}},
	} {
		if p := b.post("/admin/accounts", form); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says(), want) {
			t.Errorf("%q: status %d: %s", want, p.status, p.says())
		}
	}
	linkOf := func(p page) string {
		t.Helper()
		link := text(find(p.doc, "link"))
		if !strings.HasPrefix(link, ts.http.URL+"/admin/link/") {
			t.Fatalf("the link is %q: %s", link, p.says())
		}
		return strings.TrimPrefix(link, ts.http.URL)
	}
	first := linkOf(b.post("/admin/accounts", url.Values{"email": {"ben@example.org"}, "role": {"moderator"}}))
	ben, err := ts.store.AccountByEmail(t.Context(), "ben@example.org")
	if err != nil || ben.Role != "moderator" {
		t.Fatalf("%+v, %v", ben, err)
	}
	change := func(id int64, what string) page {
		return b.post("/admin/accounts/change", url.Values{"account": {fmt.Sprint(id)}, "change": {what}})
	}
	second := linkOf(change(ben.ID, "link"))
	other := ts.browser()
	if p := other.post(first, nil); p.status != http.StatusNotFound {
		t.Errorf("the first link still works: %d", p.status)
	}
	if p := other.post(second, nil); p.url.Path != "/admin/password" {
		t.Errorf("the second link led to %s", p.url)
	}
	if p := change(ben.ID, "disable"); p.status != http.StatusOK || !strings.Contains(p.says(), "shut out") {
		t.Errorf("shutting out: %d", p.status)
	}
	if p := other.get("/admin"); p.url.Path != "/admin/sign-in" {
		t.Errorf("somebody who is shut out sees %s", p.url)
	}
	change(ben.ID, "enable")
	if ben, err = ts.store.AccountByEmail(t.Context(), "ben@example.org"); err != nil || ben.Disabled {
		t.Errorf("let in again: %+v, %v", ben, err)
	}
	self, err := ts.store.AccountByEmail(t.Context(), "admin@example.org")
	if err != nil {
		t.Fatal(err)
	}
	for what, want := range map[int64]int{self.ID: http.StatusBadRequest, 999: http.StatusNotFound} {
		if p := change(what, "disable"); p.status != want {
			t.Errorf("account %d: status %d, want %d", what, p.status, want)
		}
	}
}
