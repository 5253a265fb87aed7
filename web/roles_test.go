package web_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"overton/web"
	"overton/web/site"
	"overton/web/webtest"
)

// routes are those of all rooms.
func routes(ts *webtest.Site) []site.Route {
	ts.T.Helper()
	s, err := site.New(ts.T.Context(), web.Config{Store: ts.Store, Now: ts.Clock, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		ts.T.Fatal(err)
	}
	all, err := web.Routes(s)
	if err != nil {
		ts.T.Fatal(err)
	}
	return all
}

func adminRoutes(ts *webtest.Site) []site.Route {
	ts.T.Helper()
	return slices.DeleteFunc(routes(ts), func(r site.Route) bool { return !strings.HasPrefix(r.Path, "/admin") })
}

// sample is a path of a route for a study that has what the others of the tests
// have.
func sample(ts *webtest.Site, r site.Route, slug, run string) string {
	return strings.NewReplacer(":slug", slug, ":part", "study", ":pseudonym", ts.Records()[0].Pseudonym, "surveys/*", "surveys/us-demographics/SEX", "*", "qid-1", ":id", run, ":run", "first run",
		"figures/:file", "figures/leaderboard.svg", ":file", "csv.zip").Replace(r.Path)
}

func TestEveryAdminPageAsksForItsRole(t *testing.T) {
	t.Parallel()
	ts, _ := webtest.ModelsSite(t, webtest.StudyFolder(nil))
	ts.Finish(1)
	walker, _ := ts.Begin(77)
	run := fmt.Sprint(ts.Planted())
	visitors := []struct {
		name string
		role site.Role
		*webtest.Browser
	}{
		{"guest", site.Nobody, ts.Browser()}, {"participant", site.Participant, walker}, {"viewer", site.Viewer, ts.SignedIn("viewer")},
		{"moderator", site.Moderator, ts.SignedIn("moderator")}, {"researcher", site.Researcher, ts.SignedIn("researcher")}, {"admin", site.Admin, ts.SignedIn("admin")},
	}
	for _, r := range adminRoutes(ts) {
		if r.Role == site.Public {
			continue
		}
		path := sample(ts, r, "small", run)
		for _, v := range visitors {
			b := v.Staying()
			var p webtest.Page
			if r.Path == "/admin/studies/:slug/live" && v.role >= r.Role {
				continue // it does not end
			}
			if r.Method == http.MethodGet {
				p = b.Get(path)
			} else {
				p = b.Post(path, nil)
			}
			at := fmt.Sprintf("%s %s as %s: status %d", r.Method, r.Path, v.name, p.Status)
			switch {
			case v.role < site.Viewer:
				if to := p.Header.Get("Location"); p.Status != http.StatusSeeOther || !strings.HasPrefix(to, "/admin/sign-in") {
					t.Errorf("%s, to %q; want the sign-in", at, to)
				}
			case v.role < r.Role:
				if p.Status != http.StatusForbidden {
					t.Errorf("%s, want 403", at)
				}
			case strings.HasPrefix(r.Path, "/admin/preview/"): // each is one account's own
				if p.Status != http.StatusNotFound {
					t.Errorf("%s, want 404", at)
				}
			case r.Method == http.MethodGet && p.Status != http.StatusOK:
				t.Errorf("%s, want 200", at)
			case p.Status == http.StatusForbidden || strings.HasPrefix(p.Header.Get("Location"), "/admin/sign-in"):
				t.Errorf("%s, but the role is high enough", at)
			}
			if v.role < r.Role {
				for _, secret := range []string{"DONE1", "My view", "Small test", "qid-1", "model-alpha", "@example.org</th>"} {
					if strings.Contains(p.Body, secret) {
						t.Errorf("%s shows %q", at, secret)
					}
				}
			}
		}
	}
}

func TestPagesShowNobodyWhatTheirRoleMayNotUse(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.Finish(1)
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
		b := ts.SignedIn(c.role)
		p := b.Get(c.path)
		for _, s := range c.has {
			if !strings.Contains(p.Body, s) {
				t.Errorf("%s as %s lacks %q", c.path, c.role, s)
			}
		}
		for _, s := range append(c.lacks, "000000000000000000000001") {
			if strings.Contains(p.Body, s) {
				t.Errorf("%s as %s shows %q", c.path, c.role, s)
			}
		}
	}
}

func TestAStudysMembersSeeThatStudyAlone(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.AddStudy("other")
	ts.Finish(1)
	for _, name := range []string{"viewer", "moderator", "researcher", "admin"} {
		b := ts.MemberOf("small", name).Staying()
		run := fmt.Sprint(ts.Planted())
		if home := b.Get("/admin"); !strings.Contains(home.Body, "/studies/small") || strings.Contains(home.Body, "/studies/other") || strings.Contains(home.Body, "New study") {
			t.Errorf("%s: the list of studies shows %s", name, home.Says())
		}
		for _, r := range adminRoutes(ts) {
			if r.Role == site.Public {
				continue
			}
			send := func(slug string) webtest.Page {
				path := sample(ts, r, slug, run)
				if r.Method == http.MethodGet {
					return b.Get(path)
				}
				return b.Post(path, nil)
			}
			at := fmt.Sprintf("%s %s as %s of small", r.Method, r.Path, name)
			if !strings.Contains(r.Path, ":slug") {
				// "small" stands in for whatever else a path asks for.
				if p := send("small"); (p.Status == http.StatusForbidden) != (r.Role > site.Member) {
					t.Errorf("%s: status %d", at, p.Status)
				}
				continue
			}
			p := send("other")
			if p.Status != http.StatusNotFound {
				t.Errorf("%s, asked for another study: status %d, want 404", at, p.Status)
			}
			if nothing := send("nothing"); nothing.Status != http.StatusNotFound || nothing.Says() != p.Says() {
				t.Errorf("%s: a study that is hidden and one that is not there can be told apart", at)
			}
			for _, secret := range []string{"DONE1", "Small test", "qid-1", "model-alpha"} {
				if strings.Contains(p.Body, secret) {
					t.Errorf("%s: the page of another study shows %q", at, secret)
				}
			}
			if name == "admin" && r.Method == http.MethodPost || r.Path == "/admin/studies/:slug/live" {
				continue // would change the study that is looked at here, or does not end
			}
			if p := send("small"); (p.Status == http.StatusForbidden) != (r.Role > site.AdminRoles[name]) || p.Status == http.StatusNotFound {
				t.Errorf("%s: status %d", at, p.Status)
			}
		}
	}
}

func TestTheHigherRoleCounts(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	ts.AddStudy("other")
	viewer := ts.SignedIn("viewer")
	if _, err := ts.Store.Invite(t.Context(), "small", "viewer@example.org", "researcher", time.Hour, 0); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/admin/studies/small/download": 200, "/admin/studies/other/download": 403, "/admin/studies/other": 200, "/admin/accounts": 403} {
		if p := viewer.Get(path); p.Status != want {
			t.Errorf("a viewer who is a researcher on one study gets %d at %s, want %d", p.Status, path, want)
		}
	}
	admin := ts.SignedIn("admin")
	if _, err := ts.Store.Invite(t.Context(), "small", "admin@example.org", "viewer", time.Hour, 0); err != nil {
		t.Fatal(err)
	}
	if p := admin.Get("/admin/studies/small/people"); p.Status != http.StatusOK {
		t.Errorf("being a viewer of one study takes an admin's rights away: %d", p.Status)
	}
}

func TestEveryRouteSaysWhoMayUseIt(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range routes(webtest.New(t, webtest.StudyFolder(nil))) {
		if r.Role == site.Nobody {
			t.Errorf("%s %s has no role", r.Method, r.Path)
		}
		if r.Handler == nil {
			t.Errorf("%s %s has no handler", r.Method, r.Path)
		}
		if key := r.Method + " " + r.Path; seen[key] {
			t.Errorf("%s stands twice", key)
		} else {
			seen[key] = true
		}
	}
}

func TestParticipantRoutesWantACookie(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	for _, r := range routes(ts) {
		if r.Role != site.Participant {
			continue
		}
		path := strings.NewReplacer(":slug", "small", ":path", "consent").Replace(r.Path)
		var p webtest.Page
		if r.Method == http.MethodGet {
			p = ts.Browser().Get(path)
		} else {
			p = ts.Browser().Post(path, url.Values{"consent": {"yes"}})
		}
		if p.Status != http.StatusForbidden {
			t.Errorf("%s %s without a cookie: status %d", r.Method, r.Path, p.Status)
		}
	}
}
