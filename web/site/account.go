package site

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

// SignInLife is how long a sign-in lasts.
const SignInLife = 7 * 24 * time.Hour

const (
	accountKey  = "account"  // with the role that counts for the request
	siteRoleKey = "siteRole" // the account's role on the whole server
)

// AdminRoles are the roles of accounts. Each may do what those before it may.
var AdminRoles = map[string]Role{"member": Member, "viewer": Viewer, "moderator": Moderator, "researcher": Researcher, "admin": Admin}

// Allows says whether an account's role has the rights of another.
func Allows(held string, needed Role) bool { return AdminRoles[held] >= needed }

// guardAccount lets a request through if its sender is signed in with the role
// or a higher one. A study that somebody has no role on is to them as one that
// is not there.
func (s *Site) guardAccount(needed Role, handler echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		account, err := s.sender(c)
		switch {
		case errors.Is(err, store.ErrNotFound) && c.Request().Method == http.MethodPost:
			return s.To(c, "/admin/sign-in")
		case errors.Is(err, store.ErrNotFound):
			return s.To(c, "/admin/sign-in?"+url.Values{"to": {c.Request().URL.Path}}.Encode())
		case err != nil:
			return err
		}
		c.Set(siteRoleKey, account.Role)
		slug := SlugOf(c)
		if slug != "" {
			here, err := s.Store.MemberRole(c.Request().Context(), slug, account.ID)
			if err != nil {
				return err
			}
			if AdminRoles[here] > AdminRoles[account.Role] {
				account.Role = here
			}
		}
		c.Set(accountKey, account)
		switch held := AdminRoles[account.Role]; {
		case slug != "" && held < Viewer:
			return &Refusal{Status: http.StatusNotFound, Name: "unknown_study"}
		case held < needed:
			return &Refusal{Status: http.StatusForbidden, Name: "role"}
		}
		return handler(c)
	}
}

// SlugOf is the slug of the study that an admin page is about, whichever of its
// versions.
func SlugOf(c echo.Context) string {
	slug, _, _ := strings.Cut(c.Param("slug"), "@")
	return slug
}

// sender is the account that a request is from: by its token, or signed in.
func (s *Site) sender(c echo.Context) (store.Account, error) {
	if given := c.Request().Header.Get(echo.HeaderAuthorization); given != "" {
		return s.byToken(c, given)
	}
	return s.SignedIn(c)
}

// SignedIn returns the account that a request is from.
func (s *Site) SignedIn(c echo.Context) (store.Account, error) {
	cookie, err := c.Cookie(s.AccountCookieName(c.Request()))
	if err != nil {
		return store.Account{}, store.ErrNotFound
	}
	return s.Store.SignedIn(c.Request().Context(), cookie.Value)
}

// AccountOf is the account that guardAccount has let through.
func AccountOf(c echo.Context) store.Account { return c.Get(accountKey).(store.Account) }

func ActorOf(c echo.Context) store.Actor { return store.Actor(AccountOf(c).ID) }

func (s *Site) AccountCookieName(r *http.Request) string {
	if s.Secure(r) {
		return "__Host-" + accountCookie
	}
	return accountCookie
}

// SetAccountCookie sends a sign-in's token to the browser; an empty one takes
// the cookie away.
func (s *Site) SetAccountCookie(c echo.Context, token string) {
	life := int(SignInLife.Seconds())
	if token == "" {
		life = -1
	}
	c.SetCookie(&http.Cookie{
		Name: s.AccountCookieName(c.Request()), Value: token, Path: "/", MaxAge: life,
		HttpOnly: true, Secure: s.Secure(c.Request()), SameSite: http.SameSiteLaxMode,
	})
}

// AdminFrame is what stands around an admin page. Whoever is not signed in
// sees no way to further pages.
func (s *Site) AdminFrame(c echo.Context, title string) templates.Admin {
	f := templates.Admin{Frame: templates.Frame{Words: catalogue.For("en"), Base: s.Base, Title: title, StudyTitle: "overton"}, Here: "studies"}
	if account, ok := c.Get(accountKey).(store.Account); ok {
		f.Email, f.Role = account.Email, account.Role
		siteRole, _ := c.Get(siteRoleKey).(string)
		f.Accounts = Allows(siteRole, Admin)
		f.Models = s.Runs != "" && Allows(siteRole, Viewer)
	}
	return f
}

// AdminStudyFrame is the frame of one of a study's pages. here is the last
// part of its path.
func (s *Site) AdminStudyFrame(c echo.Context, h *Hosted, title, here string) (templates.Admin, error) {
	f := s.AdminFrame(c, title)
	f.Frame.StudyTitle = h.Title
	f.Study = &templates.AdminStudy{Title: h.Title, Status: string(h.Row.Status)}
	for _, t := range []struct {
		name, path string
		role       Role
	}{
		{"Monitor", "", Viewer},
		{"Moderation", "/moderation", Moderator},
		{"Analysis", "/analysis", Viewer},
		{"Download", "/download", Researcher},
		{"Set up", "/setup", Viewer},
		{"Check and launch", "/launch", Admin},
		{"Versions", "/versions", Viewer},
		{"Surveys", "/surveys", Viewer},
		{"Judge", "/judge", Viewer},
		{"Prolific", "/recruitment", Admin},
		{"People", "/people", Admin},
		{"Log", "/log", Admin},
	} {
		if !Allows(f.Role, t.role) || !hasTab(t.path, h.Row.Status == store.Draft) ||
			t.path == "/surveys" && len(window.Instruments(h.Study)) == 0 || t.path == "/judge" && h.Overton() == nil {
			continue
		}
		tab := templates.Tab{Name: t.name, Path: h.AdminPath(t.path), Here: t.path == here, Rare: rare(t.path) && h.Row.Status != store.Draft}
		if t.path == "/moderation" {
			waiting, err := s.Store.Waiting(c.Request().Context(), h.Row.ID)
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

// AdminPath is the path of one of a study's admin pages within the site.
func (h *Hosted) AdminPath(rest string) string { return "/admin/studies/" + h.AskedAs + rest }

// Href is the address of one of a study's admin pages in links and forms.
func (h *Hosted) Href(rest string) string { return h.base + h.AdminPath(rest) }

// QuestionPath is the path of a question's window in a run.
func (h *Hosted) QuestionPath(run int64, id string) string {
	return h.RunPath(run) + "/questions/" + url.PathEscape(id)
}

// IsAdmin says whether a request is for a page behind the sign-in.
func IsAdmin(r *http.Request) bool {
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
func (s *Site) adminNotice(c echo.Context, r *Refusal) templates.AdminNoticePage {
	words, ok := adminNotices[r.Name]
	if !ok {
		words = adminNotices["bad_request"]
	}
	p := templates.AdminNoticePage{Admin: s.AdminFrame(c, words[0]), Text: words[1], Link: "To the studies", To: "/admin"}
	if r.Try != "" {
		p.Link, p.To = "To the study", r.Try
	}
	if p.Email == "" {
		p.Link, p.To = "To the sign-in", "/admin/sign-in"
	}
	if r.Name == "internal" {
		p.ID, _ = c.Get(RequestKey).(string)
	}
	return p
}

// Moment tells a time that the store gave.
func Moment(ms int64) templates.Moment {
	if ms == 0 {
		return templates.Moment{}
	}
	return MomentOf(time.UnixMilli(ms))
}

// MomentOf is a time as pages show it, in UTC.
func MomentOf(t time.Time) templates.Moment { return templates.At(t) }

// Named is the study that a request's path names.
func (s *Site) Named(c echo.Context) (*Hosted, error) {
	return s.Hosted(c.Request().Context(), c.Param("slug"))
}

// InStudy hands a handler the study that its path names.
func (s *Site) InStudy(handler func(echo.Context, *Hosted) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		h, err := s.Named(c)
		if err != nil {
			return err
		}
		return handler(c, h)
	}
}

// Origin is how the world reaches the site, without a slash at the end.
func (s *Site) Origin(r *http.Request) string {
	if s.BaseURL != nil {
		return s.BaseURL.Scheme + "://" + s.BaseURL.Host + s.Base
	}
	scheme := "http"
	if s.Secure(r) {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

// byToken finds the account of an Authorization header. A token opens files
// only: it is for scripts that download.
func (s *Site) byToken(c echo.Context, header string) (store.Account, error) {
	limits := map[string]int{"token " + c.RealIP(): AttemptsPerClient}
	if !s.Attempts.Try(s.Now(), limits) {
		c.Response().Header().Set("Retry-After", "900")
		return store.Account{}, &Refusal{Status: http.StatusTooManyRequests, Name: "slow_down"}
	}
	kind, token, _ := strings.Cut(header, " ")
	account, err := s.Store.ByAccessToken(c.Request().Context(), strings.TrimSpace(token))
	switch {
	case errors.Is(err, store.ErrNotFound) || !strings.EqualFold(kind, "Bearer"):
		c.Response().Header().Set(echo.HeaderWWWAuthenticate, `Bearer realm="overton"`)
		return store.Account{}, &Refusal{Status: http.StatusUnauthorized, Name: "token"}
	case err != nil:
		return store.Account{}, err
	}
	s.Attempts.Forgive(limits)
	if method := c.Request().Method; method != http.MethodGet && method != http.MethodHead || !isFile(c.Path()) {
		return store.Account{}, &Refusal{Status: http.StatusForbidden, Name: "token_use"}
	}
	return account, nil
}

// isFile says whether a route answers with a file. Such routes are named like
// one, data.zip or :file.
func isFile(route string) bool {
	last := route[strings.LastIndexByte(route, '/')+1:]
	return strings.Contains(last, ".") || last == ":file"
}

// Downloaded notes that somebody takes a file away. studyID is 0 for one of no
// study.
func (s *Site) Downloaded(c echo.Context, studyID int64, file string) error {
	if c.Request().Method == http.MethodHead {
		return nil
	}
	return s.Store.Note(c.Request().Context(), ActorOf(c), studyID, store.DataDownloaded, file)
}
