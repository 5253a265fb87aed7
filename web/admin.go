package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/window"
	"overton/templates"
	"overton/templates/catalogue"
)

// accountCookie holds a sign-in's token. A study's slug has no underscore, so
// no participant's cookie is called the same.
const accountCookie = "overton_admin"

// signInLife is how long a sign-in lasts.
const signInLife = 7 * 24 * time.Hour

const (
	accountKey  = "account"  // with the role that counts for the request
	siteRoleKey = "siteRole" // the account's role on the whole server
)

// adminRoles are the roles of accounts. Each may do what those before it may.
var adminRoles = map[string]role{"member": member, "viewer": viewer, "moderator": moderator, "researcher": researcher, "admin": admin}

// adminRoutes are the pages behind the sign-in, and the way in.
func (s *site) adminRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/admin/sign-in", public, s.askToSignIn},
		{post, "/admin/sign-in", public, s.signIn},
		{post, "/admin/sign-out", public, s.signOut},
		{get, "/admin/link/:token", public, s.showLink},
		{post, "/admin/link/:token", public, s.followLink},
		{get, "/admin/password", member, s.askForPassword},
		{post, "/admin/password", member, s.setPassword},
		{get, "/admin/account", member, s.ownAccount},
		{post, "/admin/account/tokens", member, s.createToken},
		{post, "/admin/account/tokens/revoke", member, s.revokeToken},
		{post, "/admin/account/sign-ins/end", member, s.endSignIns},

		{get, "/admin", member, s.studies},
		{get, "/admin/studies/new", admin, s.newStudy},
		{post, newStudyPath, admin, s.saveStudy},
		{get, "/admin/studies/:slug", viewer, s.monitor},
		{get, livePath, viewer, s.liveMonitor},
		{post, "/admin/studies/:slug/reward", researcher, s.setReward},
		{get, "/admin/studies/:slug/progress", viewer, s.allQuestions},
		{get, "/admin/studies/:slug/submissions", researcher, s.submissions},
		{get, "/admin/studies/:slug/submissions/:pseudonym", researcher, s.submission},
		{post, "/admin/studies/:slug/status", admin, s.changeStatus},
		{get, "/admin/studies/:slug/setup", viewer, s.setup},
		{post, "/admin/studies/:slug/setup/flow", admin, s.changeFlow},
		{get, "/admin/studies/:slug/setup/questions", researcher, s.setupQuestions},
		{post, "/admin/studies/:slug/setup/questions", admin, s.saveQuestions},
		{post, "/admin/studies/:slug/setup/instrument", admin, s.saveInstrument},
		{get, "/admin/studies/:slug/setup/text", researcher, s.setupText},
		{post, "/admin/studies/:slug/setup/text", admin, s.saveText},
		{get, "/admin/studies/:slug/setup/:part", researcher, s.setupPart},
		{post, "/admin/studies/:slug/setup/:part", admin, s.savePart},
		{post, "/admin/studies/:slug/setup/:part/live", researcher, s.live},
		{get, "/admin/studies/:slug/launch", admin, s.askToLaunch},
		{post, "/admin/studies/:slug/launch", admin, s.launch},
		{get, "/admin/studies/:slug/versions", viewer, s.versions},
		{post, "/admin/studies/:slug/versions", admin, s.changeVersions},
		{post, "/admin/studies/:slug/preview", researcher, s.beginPreview},
		{get, "/admin/preview/:preview/*", member, s.inPreview}, // is its own account's alone
		{post, "/admin/preview/:preview/*", member, s.inPreview},
		{get, "/admin/studies/:slug/moderation", moderator, s.moderation},
		{post, "/admin/studies/:slug/moderation", moderator, s.moderate},
		{post, "/admin/studies/:slug/moderation/undo", moderator, s.undoModeration},
		{post, "/admin/studies/:slug/moderation/mode", admin, s.setModeration},
		{get, "/admin/studies/:slug/analysis", viewer, s.analysis},
		{post, "/admin/studies/:slug/analysis", researcher, s.analyse},
		{get, judgePath, viewer, s.judge},
		{post, judgePath, researcher, s.compareJudge},
		{get, surveysPath, viewer, s.surveys},
		{post, surveysPath, researcher, s.analyseSurveys},
		{get, "/admin/studies/:slug/surveys/*", viewer, s.surveyItem},       // * is an instrument and an item
		{get, "/admin/studies/:slug/questions/*", viewer, s.latestQuestion}, // * is a question id, whatever is in it
		{get, "/admin/studies/:slug/runs", viewer, s.runs},
		{get, "/admin/studies/:slug/runs/new", researcher, s.newRun},
		{get, "/admin/studies/:slug/runs/compare", viewer, s.compareRuns},
		{get, "/admin/studies/:slug/runs/:id", viewer, s.showRun},
		{get, "/admin/studies/:slug/runs/:id/progress", viewer, s.progress},
		{get, "/admin/studies/:slug/runs/:id/questions/*", viewer, s.question},
		{get, "/admin/studies/:slug/runs/:id/figures/:file", viewer, s.figure},
		{get, "/admin/studies/:slug/runs/:id/result.json", researcher, s.runJSON},
		{get, "/admin/studies/:slug/runs/:id/report.html", researcher, s.runReport},
		{post, "/admin/studies/:slug/runs/:id/cancel", researcher, s.cancelRun},
		{post, "/admin/studies/:slug/runs/:id/again", researcher, s.runAgain},
		{post, "/admin/studies/:slug/runs/:id/name", researcher, s.renameRun},
		{post, "/admin/studies/:slug/runs/:id/delete", admin, s.deleteRun},
		{get, "/admin/studies/:slug/recruitment", admin, s.recruitment},
		{post, "/admin/studies/:slug/recruitment", admin, s.readRecruitment},
		{get, "/admin/studies/:slug/download", researcher, s.downloadPage},
		{get, "/admin/studies/:slug/data/:file", researcher, s.data},
		{get, "/admin/studies/:slug/files.zip", researcher, s.downloadFiles},
		{get, "/admin/studies/:slug/people", admin, s.people},
		{post, "/admin/studies/:slug/people", admin, s.invite},
		{post, "/admin/studies/:slug/people/change", admin, s.changeMember},
		{get, "/admin/studies/:slug/log", admin, s.log},
		{get, "/admin/studies/:slug/log.csv", admin, s.logCSV},

		{get, "/admin/models", viewer, s.modelRunsPage},
		{get, modelRunPath, viewer, s.modelRunPage},
		{post, modelRunPath, researcher, s.decide},
		{get, modelRunPath + "/responses.csv", researcher, s.acceptedResponses},

		{get, "/admin/log", admin, s.log},
		{get, "/admin/log.csv", admin, s.logCSV},
		{get, "/admin/accounts", admin, s.accounts},
		{post, "/admin/accounts", admin, s.createAccount},
		{post, "/admin/accounts/change", admin, s.changeAccount},
	}
}

// guardAccount lets a request through if its sender is signed in with the role
// or a higher one. A study that somebody has no role on is to them as one that
// is not there.
func (s *site) guardAccount(needed role, handler echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		account, err := s.sender(c)
		switch {
		case errors.Is(err, store.ErrNotFound) && c.Request().Method == http.MethodPost:
			return s.to(c, "/admin/sign-in")
		case errors.Is(err, store.ErrNotFound):
			return s.to(c, "/admin/sign-in?"+url.Values{"to": {c.Request().URL.Path}}.Encode())
		case err != nil:
			return err
		}
		c.Set(siteRoleKey, account.Role)
		slug := slugOf(c)
		if slug != "" {
			here, err := s.Store.MemberRole(c.Request().Context(), slug, account.ID)
			if err != nil {
				return err
			}
			if adminRoles[here] > adminRoles[account.Role] {
				account.Role = here
			}
		}
		c.Set(accountKey, account)
		switch held := adminRoles[account.Role]; {
		case slug != "" && held < viewer:
			return &refusal{status: http.StatusNotFound, name: "unknown_study"}
		case held < needed:
			return &refusal{status: http.StatusForbidden, name: "role"}
		}
		return handler(c)
	}
}

// slugOf is the slug of the study that an admin page is about, whichever of its
// versions.
func slugOf(c echo.Context) string {
	slug, _, _ := strings.Cut(c.Param("slug"), "@")
	return slug
}

// sender is the account that a request is from: by its token, or signed in.
func (s *site) sender(c echo.Context) (store.Account, error) {
	if given := c.Request().Header.Get(echo.HeaderAuthorization); given != "" {
		return s.byToken(c, given)
	}
	return s.signedIn(c)
}

// signedIn returns the account that a request is from.
func (s *site) signedIn(c echo.Context) (store.Account, error) {
	cookie, err := c.Cookie(s.accountCookieName(c.Request()))
	if err != nil {
		return store.Account{}, store.ErrNotFound
	}
	return s.Store.SignedIn(c.Request().Context(), cookie.Value)
}

// accountOf is the account that guardAccount has let through.
func accountOf(c echo.Context) store.Account { return c.Get(accountKey).(store.Account) }

func actorOf(c echo.Context) store.Actor { return store.Actor(accountOf(c).ID) }

func (s *site) accountCookieName(r *http.Request) string {
	if s.secure(r) {
		return "__Host-" + accountCookie
	}
	return accountCookie
}

// setAccountCookie sends a sign-in's token to the browser; an empty one takes
// the cookie away.
func (s *site) setAccountCookie(c echo.Context, token string) {
	life := int(signInLife.Seconds())
	if token == "" {
		life = -1
	}
	c.SetCookie(&http.Cookie{
		Name: s.accountCookieName(c.Request()), Value: token, Path: "/", MaxAge: life,
		HttpOnly: true, Secure: s.secure(c.Request()), SameSite: http.SameSiteLaxMode,
	})
}

// adminFrame is what stands around an admin page. Whoever is not signed in
// sees no way to further pages.
func (s *site) adminFrame(c echo.Context, title string) templates.Admin {
	f := templates.Admin{Frame: templates.Frame{Words: catalogue.For("en"), Base: s.base, Title: title, StudyTitle: "overton"}, Here: "studies"}
	if account, ok := c.Get(accountKey).(store.Account); ok {
		f.Email, f.Role = account.Email, account.Role
		siteRole, _ := c.Get(siteRoleKey).(string)
		f.Accounts = adminRoles[siteRole] >= admin
		f.Models = s.Runs != "" && adminRoles[siteRole] >= viewer
	}
	return f
}

// adminStudyFrame is the frame of one of a study's pages. here is the last
// part of its path.
func (s *site) adminStudyFrame(c echo.Context, h *hosted, title, here string) (templates.Admin, error) {
	f := s.adminFrame(c, title)
	f.Frame.StudyTitle = h.Title
	f.Study = &templates.AdminStudy{Title: h.Title, Status: string(h.row.Status)}
	for _, t := range []struct {
		name, path string
		role       role
	}{
		{"Monitor", "", viewer},
		{"Moderation", "/moderation", moderator},
		{"Analysis", "/analysis", viewer},
		{"Download", "/download", researcher},
		{"Set up", "/setup", viewer},
		{"Check and launch", "/launch", admin},
		{"Versions", "/versions", viewer},
		{"Surveys", "/surveys", viewer},
		{"Judge", "/judge", viewer},
		{"Prolific", "/recruitment", admin},
		{"People", "/people", admin},
		{"Log", "/log", admin},
	} {
		if adminRoles[f.Role] < t.role || !hasTab(t.path, h.row.Status == store.Draft) ||
			t.path == "/surveys" && len(window.Instruments(h.Study)) == 0 || t.path == "/judge" && h.Overton() == nil {
			continue
		}
		tab := templates.Tab{Name: t.name, Path: h.adminPath(t.path), Here: t.path == here, Rare: rare(t.path) && h.row.Status != store.Draft}
		if t.path == "/moderation" {
			waiting, err := s.Store.Waiting(c.Request().Context(), h.row.ID)
			if err != nil {
				return f, err
			}
			tab.Count = waiting.Pending
		}
		f.Study.Tabs = append(f.Study.Tabs, tab)
	}
	return f, nil
}

// rare says whether a page of a launched study is seldom looked at.
func rare(path string) bool {
	return slices.Contains([]string{"/versions", "/surveys", "/judge", "/recruitment", "/people", "/log"}, path)
}

// hasTab says whether a draft, or a launched study, has a page.
func hasTab(path string, draft bool) bool {
	switch path {
	case "/setup", "/versions":
		return true
	case "/launch":
		return draft
	}
	return !draft
}

// adminPath is the path of one of a study's admin pages within the site.
func (h *hosted) adminPath(rest string) string { return "/admin/studies/" + h.name + rest }

// questionPath is the path of a question's window in a run.
func (h *hosted) questionPath(run int64, id string) string {
	return h.runPath(run) + "/questions/" + url.PathEscape(id)
}

// isAdmin says whether a request is for a page behind the sign-in.
func isAdmin(r *http.Request) bool {
	return r.URL.Path == "/admin" || strings.HasPrefix(r.URL.Path, "/admin/")
}

// adminNotices are the words of the error pages behind the sign-in, by the
// name of the refusal: a title and a text.
var adminNotices = map[string][2]string{
	"token":         {"This token does not work", "It was revoked, it has expired, or it is not whole. Make a new one on the page of your account."},
	"token_use":     {"A token does not open this", "Tokens are for downloading files, by GET. Sign in for everything else."},
	"slow_down":     {"Too many attempts", "Wait a quarter of an hour."},
	"role":          {"Your role does not allow this", "Ask an admin if you need this page."},
	"not_found":     {"There is no such page", "The address does not lead to a page here."},
	"unknown_study": {"There is no such study", "It may have been a draft that was replaced under another name."},
	"no_preview":    {"This preview is over", "A preview lasts an hour, and ends when the server starts anew. Begin another from the study's page."},
	"changed":       {"Somebody was faster", "The study changed meanwhile, and what you asked for is not possible any more. Look at it as it is now."},
	"no_run":        {"There is no such run", "It may have been deleted. The list of runs has all that are kept."},
	"no_result":     {"There is nothing of this kind", "The run has no such result. Its page says what there is."},
	"run_ended":     {"The run has ended already", "There is nothing to cancel any more. Its page says what came of it."},
	"run_runs":      {"The run has not ended", "Cancel it before you delete it."},
	"run_name":      {"That is too long", "A name may have 100 characters, a note 2,000. Nothing was changed."},
	"link":          {"This link does not work", "It was used already, it has expired, or it is not whole. Ask an admin for a new one."},
	"forbidden":     {"This is not allowed", "The request came from another site."},
	"method":        {"This does not work that way", "Go back and use the buttons of the page."},
	"too_large":     {"That was too much", "What was sent is larger than the server takes."},
	"bad_request":   {"The page could not be read", "What your browser sent could not be understood. Go back and try again."},
	"internal":      {"Something went wrong here", "Nothing was changed. Try again in a moment."},

	"moderated":          {"Nothing was left to decide", "The statement was taken back by its author, or somebody else has decided meanwhile. Look at the list as it is now."},
	"unknown_submission": {"Nobody is called so here", "The person may have withdrawn: then nothing is left of them."},
	"reward":             {"That is no reward", "Expected an amount such as 4.50, and a currency of the list."},
}

// adminNotice shows an error behind the sign-in.
func (s *site) adminNotice(c echo.Context, r *refusal) templates.AdminNoticePage {
	words, ok := adminNotices[r.name]
	if !ok {
		words = adminNotices["bad_request"]
	}
	p := templates.AdminNoticePage{Admin: s.adminFrame(c, words[0]), Text: words[1], Link: "To the studies", To: "/admin"}
	if r.try != "" {
		p.Link, p.To = "To the study", r.try
	}
	if p.Email == "" {
		p.Link, p.To = "To the sign-in", "/admin/sign-in"
	}
	if r.name == "internal" {
		p.ID, _ = c.Get(requestKey).(string)
	}
	return p
}

// moment tells a time that the store gave.
func moment(ms int64) templates.Moment {
	if ms == 0 {
		return templates.Moment{}
	}
	return momentOf(time.UnixMilli(ms))
}

func momentOf(t time.Time) templates.Moment {
	t = t.UTC()
	return templates.Moment{Text: t.Format("2006-01-02 15:04") + " UTC", RFC3339: t.Format(time.RFC3339)}
}

// adminStudy is the study that an admin page is about.
func (s *site) adminStudy(c echo.Context) (*hosted, error) {
	return s.hosted(c.Request().Context(), c.Param("slug"))
}

// origin is how the world reaches the site, without a slash at the end.
func (s *site) origin(r *http.Request) string {
	if s.BaseURL != nil {
		return s.BaseURL.Scheme + "://" + s.BaseURL.Host + s.base
	}
	scheme := "http"
	if s.secure(r) {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
