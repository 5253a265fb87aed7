package webtest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"

	"overton/internal/store"
	"overton/internal/window"
)

// Arrival is the link of participant n of the small study.
func Arrival(n int) string {
	return fmt.Sprintf("/s/small?PROLIFIC_PID=%024x&STUDY_ID=%024x&SESSION_ID=%024x", n, 99, 1000+n)
}

// VirtualArrival is the link of virtual participant n.
func VirtualArrival(slug string, n int) string {
	return fmt.Sprintf("/s/%s?PROLIFIC_PID=virtual-%d&STUDY_ID=s&SESSION_ID=virtual-%d", slug, n, n)
}

// Arrive opens the link of participant n.
func (ts *Site) Arrive(n int) (*Browser, Page) {
	b := ts.Browser()
	return b, b.Get(Arrival(n))
}

// Begin arrives and presses start.
func (ts *Site) Begin(n int) (*Browser, Page) {
	b, p := ts.Arrive(n)
	return b, b.Send(p, nil)
}

// Finish walks n people to the end.
func (ts *Site) Finish(n int) {
	ts.T.Helper()
	for i := range n {
		b, p := ts.Begin(i + 1)
		b.Walk(p, "end")
	}
}

// Camps walks people of two minds from the first to the last.
func (ts *Site) Camps(from, to int, virtual bool) {
	ts.T.Helper()
	for n := from; n <= to; n++ {
		link := Arrival(n)
		if virtual {
			link = VirtualArrival("small", n)
		}
		ts.TakeSides(link, n)
	}
}

// TakeSides walks person n to the end: of two minds by turns, it agrees with
// what those of the same mind wrote, and rates one model high.
func (ts *Site) TakeSides(link string, n int) {
	ts.T.Helper()
	camp := []string{"bright", "dark"}[n%2]
	b := ts.Browser()
	p := b.Send(b.Get(link), nil)
	for p.Path() != "end" {
		a := p.Answers("Everything is " + camp + " to somebody like me, number " + fmt.Sprint(n) + ".")
		says := p.Says()
		if _, ok := a["rating"]; ok {
			a["rating"] = map[bool]string{true: "5", false: "2"}[strings.Contains(says, "Some bright people") == (camp == "bright")]
		}
		if _, answer, ok := strings.Cut(says, "lease choose "); ok { // a check
			a["rating"] = answer[:1]
		}
		if _, ok := a["vote"]; ok {
			statement := ""
			ForEach(p.Doc, "blockquote", func(n *html.Node) { statement = Text(n) })
			switch {
			case strings.Contains(statement, camp):
				a["vote"] = "agree"
			case strings.Contains(statement, "Seed"):
				a["vote"] = "neutral"
			default:
				a["vote"] = "disagree"
			}
		}
		if p.Status != http.StatusOK {
			ts.T.Fatalf("%s: status %d: %s", p.URL.Path, p.Status, says)
		}
		p = b.Send(p, a)
	}
}

// GoodPassword is long enough for an account.
const GoodPassword = "a long enough password"

// Account makes an account without a password.
func (ts *Site) Account(email, role string) int64 {
	ts.T.Helper()
	id, err := ts.Store.CreateAccount(ts.T.Context(), store.Account{Email: email, Role: role}, 0)
	if err != nil {
		ts.T.Fatal(err)
	}
	return id
}

// SignedIn is the browser of somebody with a role on the whole site, which has
// one account, such as viewer@example.org. Every call is a sign-in of its own.
func (ts *Site) SignedIn(role string) *Browser {
	ts.T.Helper()
	return ts.signIn(ts.holder(role))
}

// holder is the account with a role on the whole site.
func (ts *Site) holder(role string) int64 {
	ts.T.Helper()
	email := role + "@example.org"
	if account, err := ts.Store.AccountByEmail(ts.T.Context(), email); err == nil {
		return account.ID
	}
	return ts.Account(email, role)
}

// MemberOf is the browser of somebody who has a role on one study alone.
func (ts *Site) MemberOf(slug, role string) *Browser {
	ts.T.Helper()
	email := role + "-of-" + slug + "@example.org"
	if _, err := ts.Store.Invite(ts.T.Context(), slug, email, role, time.Hour, 0); err != nil {
		ts.T.Fatal(err)
	}
	account, err := ts.Store.AccountByEmail(ts.T.Context(), email)
	if err != nil {
		ts.T.Fatal(err)
	}
	return ts.signIn(account.ID)
}

func (ts *Site) signIn(account int64) *Browser {
	ts.T.Helper()
	token, err := ts.Store.SignIn(ts.T.Context(), account, 7*24*time.Hour)
	if err != nil {
		ts.T.Fatal(err)
	}
	b := ts.Browser()
	u, err := url.Parse(ts.HTTP.URL)
	if err != nil {
		ts.T.Fatal(err)
	}
	b.Client.Jar.SetCookies(u, []*http.Cookie{{Name: "overton_admin", Value: token, Path: "/"}})
	return b
}

// Planted records a result of two groups that each like one model, and returns
// its run.
func (ts *Site) Planted() int64 {
	ts.T.Helper()
	r := PlantedResult(ts.T)
	row, err := ts.Store.Study(ts.T.Context(), "small")
	if err != nil {
		ts.T.Fatal(err)
	}
	if err := window.Record(ts.T.Context(), ts.Store, row, r); err != nil {
		ts.T.Fatal(err)
	}
	run, err := ts.Store.LatestRun(ts.T.Context(), row.ID, window.RunKind)
	if err != nil {
		ts.T.Fatal(err)
	}
	return run.ID
}
