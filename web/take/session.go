package take

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/templates"
	pages "overton/templates/take"
	"overton/web/site"
)

// pass is what a participant's cookie holds, encrypted and signed: how the
// recruiter names the visit, and the submission once it has begun.
type pass struct {
	store.Arrival
	Token string
}

// cookieName keeps one cookie a study, so that a person can take part in two.
func (s *Room) cookieName(r *http.Request, h *site.Hosted) string {
	if s.preview != nil {
		return s.preview.cookie
	}
	if s.Secure(r) {
		return "__Host-overton-" + h.Row.Slug
	}
	return "overton-" + h.Row.Slug
}

// pass reads the cookie. One that cannot be read is as good as none.
func (s *Room) pass(c echo.Context, h *site.Hosted) (p pass, ok bool) {
	session, err := s.Cookies.Get(c.Request(), s.cookieName(c.Request(), h))
	if err != nil {
		return pass{}, false
	}
	for name, into := range p.values() {
		*into, _ = session.Values[name].(string)
	}
	return p, p.Submission != ""
}

func (s *Room) savePass(c echo.Context, h *site.Hosted, p pass) error {
	// A cookie that cannot be read gives an error together with a usable new session.
	session, _ := s.Cookies.Get(c.Request(), s.cookieName(c.Request(), h))
	for name, from := range p.values() {
		session.Values[name] = *from
	}
	session.Options.Path = "/"
	if s.preview != nil {
		session.Options.Path = s.Base
	}
	session.Options.HttpOnly = true
	session.Options.Secure = s.Secure(c.Request())
	session.Options.SameSite = http.SameSiteLaxMode
	return session.Save(c.Request(), c.Response())
}

func (p *pass) values() map[string]*string {
	return map[string]*string{
		"participant": &p.Participant, "submission": &p.Submission, "study": &p.Study, "token": &p.Token,
	}
}

// visit is a participant's request: the study, who they are, where they stand.
type visit struct {
	*site.Hosted
	pass pass
	pos  store.Position
}

// visit finds out who a request is from and where they stand. The visit is
// known but for its position if the error is store.ErrWithdrawn, or
// store.ErrNotFound for somebody who has not begun.
func (s *Room) visit(c echo.Context) (*visit, error) {
	ctx := c.Request().Context()
	h, err := s.Entered(ctx, c.Param("slug"))
	if err != nil {
		return nil, err
	}
	v := &visit{Hosted: h}
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
	if v.pass.Token, err = s.Store.Resume(ctx, h.Row.Slug, v.pass.Arrival); err != nil {
		return v, s.Refuse(h, err)
	}
	return v, s.locate(ctx, v)
}

// locate finds where a submission stands, in the version of the study that it
// began in.
func (s *Room) locate(ctx context.Context, v *visit) error {
	if v.Row.Version > 1 {
		row, err := s.Store.StudyOf(ctx, v.pass.Token)
		if err != nil {
			return err
		}
		if row.ID != v.Row.ID {
			if v.Hosted, err = s.Read(ctx, row, row.Name()); err != nil {
				return err
			}
		}
	}
	var err error
	v.pos, err = s.Store.Position(ctx, &v.Study.Study, v.pass.Token)
	return err
}

// unknown refuses a request without a readable cookie.
func (s *Room) unknown(c echo.Context, h *site.Hosted) error {
	return &site.Refusal{Status: http.StatusForbidden, Name: "no_cookie", Study: h, Kept: kept(c, h)}
}

// kept collects the free texts of a form that could not be saved.
func kept(c echo.Context, h *site.Hosted) []templates.Kept {
	var all []templates.Kept
	for name, label := range map[string]string{"view": "view.label", "comment": "feedback.label"} {
		if v := c.Request().PostFormValue(name); v != "" {
			all = append(all, templates.Kept{ID: "kept-" + name, Label: h.Words.Say(label), Value: v})
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

func (s *Room) formToken(h *site.Hosted, p pass, path string) (string, error) {
	t := formToken{h.Row.Slug, p.Submission, path, s.Now().UnixMilli()}
	return securecookie.EncodeMulti(formTokenName, t, s.Cookies.Codecs...)
}

// button is a form that is posted to a page below a folder of the study, with
// the token for that page.
func (s *Room) button(h *site.Hosted, p pass, folder, path string) (pages.Button, error) {
	token, err := s.formToken(h, p, path)
	return pages.Button{Action: s.Base + h.Path(folder+path), Token: token}, err
}

// readFormToken checks the token of a posted form, and says when its page was
// sent out. ok is false if there is no token, or one that is too old, broken or
// for another page. The error is the refusal of a form that another participant
// opened.
func (s *Room) readFormToken(c echo.Context, h *site.Hosted, p pass, path string) (shown time.Time, ok bool, err error) {
	var t formToken
	err = securecookie.DecodeMulti(formTokenName, c.Request().PostFormValue("token"), &t, s.Cookies.Codecs...)
	if err != nil {
		return time.Time{}, false, nil
	}
	if t.Submission != p.Submission {
		return time.Time{}, false, &site.Refusal{
			Status: http.StatusConflict, Name: "other_window", Study: h, Kept: kept(c, h)}
	}
	return time.UnixMilli(t.At), t.Slug == h.Row.Slug && t.Path == path, nil
}
