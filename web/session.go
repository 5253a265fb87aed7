package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/templates"
)

// cookieLife is how long a browser is remembered, and how old a form may be.
const cookieLife = 30 * 24 * time.Hour

// pass is what a participant's cookie holds, encrypted and signed: how the
// recruiter names the visit, and the submission once it has begun.
type pass struct {
	store.Arrival
	Token string
}

// cookieName keeps one cookie a study, so that a person can take part in two.
func (s *site) cookieName(r *http.Request, h *hosted) string {
	if s.preview != nil {
		return s.preview.cookie()
	}
	if s.secure(r) {
		return "__Host-overton-" + h.row.Slug
	}
	return "overton-" + h.row.Slug
}

// pass reads the cookie. One that cannot be read is as good as none.
func (s *site) pass(c echo.Context, h *hosted) (p pass, ok bool) {
	session, err := s.cookies.Get(c.Request(), s.cookieName(c.Request(), h))
	if err != nil {
		return pass{}, false
	}
	for name, into := range p.values() {
		*into, _ = session.Values[name].(string)
	}
	return p, p.Submission != ""
}

func (s *site) savePass(c echo.Context, h *hosted, p pass) error {
	// A cookie that cannot be read gives an error beside a usable new session.
	session, _ := s.cookies.Get(c.Request(), s.cookieName(c.Request(), h))
	for name, from := range p.values() {
		session.Values[name] = *from
	}
	session.Options.Path = "/"
	if s.preview != nil {
		session.Options.Path = s.base
	}
	session.Options.HttpOnly = true
	session.Options.Secure = s.secure(c.Request())
	session.Options.SameSite = http.SameSiteLaxMode
	return session.Save(c.Request(), c.Response())
}

func (p *pass) values() map[string]*string {
	return map[string]*string{"participant": &p.Participant, "submission": &p.Submission, "study": &p.Study, "token": &p.Token}
}

// visit is a participant's request: the study, who they are, where they stand.
type visit struct {
	*hosted
	pass pass
	pos  store.Position
}

func visitOf(c echo.Context) *visit { return c.Get(visitKey).(*visit) }

// visit finds out who a request is from and where they stand. The visit is
// known but for its position if the error is store.ErrWithdrawn, or
// store.ErrNotFound for somebody who has not begun.
func (s *site) visit(c echo.Context) (*visit, error) {
	ctx := c.Request().Context()
	h, err := s.entered(ctx, c.Param("slug"))
	if err != nil {
		return nil, err
	}
	v := &visit{hosted: h}
	var ok bool
	if v.pass, ok = s.pass(c, h); !ok {
		return nil, s.unknown(c, h)
	}
	if v.pass.Token != "" {
		if err := s.locate(ctx, v); !errors.Is(err, store.ErrNotFound) {
			return v, err
		}
	}
	// Not begun, begun in another browser since, or withdrawn.
	if v.pass.Token, err = s.Store.Resume(ctx, h.row.Slug, v.pass.Arrival); err != nil {
		return v, s.refuse(h, err)
	}
	return v, s.locate(ctx, v)
}

// locate finds where a submission stands, in the version of the study that it
// began in.
func (s *site) locate(ctx context.Context, v *visit) error {
	if v.row.Version > 1 {
		row, err := s.Store.StudyOf(ctx, v.pass.Token)
		if err != nil {
			return err
		}
		if row.ID != v.row.ID {
			if v.hosted, err = s.read(ctx, row, row.Name()); err != nil {
				return err
			}
		}
	}
	var err error
	v.pos, err = s.Store.Position(ctx, &v.Study.Study, v.pass.Token)
	return err
}

// unknown refuses a request without a readable cookie.
func (s *site) unknown(c echo.Context, h *hosted) error {
	return &refusal{status: http.StatusForbidden, name: "no_cookie", study: h, kept: kept(c, h)}
}

// kept collects the free texts of a form that could not be saved.
func kept(c echo.Context, h *hosted) []templates.Kept {
	var all []templates.Kept
	for name, label := range map[string]string{"view": "view.label", "comment": "feedback.label"} {
		if v := c.Request().PostFormValue(name); v != "" {
			all = append(all, templates.Kept{ID: "kept-" + name, Label: h.words.Say(label), Value: v})
		}
	}
	return all
}

// formToken is what each form carries: whose it is, of which study and page,
// and when it was sent out.
type formToken struct {
	Slug, Submission, Path string
	At                     int64 // Unix milliseconds
}

const formTokenName = "form"

func (s *site) formToken(h *hosted, p pass, path string) (string, error) {
	return securecookie.EncodeMulti(formTokenName, formToken{h.row.Slug, p.Submission, path, s.Now().UnixMilli()}, s.cookies.Codecs...)
}

// sender says what a form's token tells about who sent it.
type sender int

const (
	unclear      sender = iota // no token, or one that is too old, broken or for another page
	oneself                    // the participant of this browser's cookie
	somebodyElse               // the form was opened by another participant
)

// readFormToken checks the token of a posted form. shown is when the page was
// sent out.
func (s *site) readFormToken(c echo.Context, h *hosted, p pass, path string) (shown time.Time, from sender) {
	var t formToken
	if err := securecookie.DecodeMulti(formTokenName, c.Request().PostFormValue("token"), &t, s.cookies.Codecs...); err != nil {
		return time.Time{}, unclear
	}
	switch {
	case t.Submission != p.Submission:
		return time.Time{}, somebodyElse
	case t.Slug != h.row.Slug || t.Path != path:
		return time.Time{}, unclear
	}
	return time.UnixMilli(t.At), oneself
}
