package take

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	pages "overton/templates/take"
	"overton/web/site"
)

// idPattern is what an id from a recruiter may look like.
var idPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// readArrival finds a recruiter's ids in a query, however mangled the link
// came. Parameter names match in any case; a doubled parameter is accepted if
// it says the same twice. wrong names the page that explains what is wrong;
// it is empty if the ids are good.
func readArrival(rawQuery string, names study.ParameterNames) (a store.Arrival, wrong string) {
	given := map[string][]string{}
	for pair := range strings.SplitSeq(rawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name = strings.ToLower(strings.TrimPrefix(unescape(name), "amp;")) // a link copied out of HTML
		given[name] = append(given[name], strings.TrimSpace(unescape(value)))
	}
	for _, p := range []struct {
		name string
		into *string
	}{{names.Participant, &a.Participant}, {names.Submission, &a.Submission}, {names.Study, &a.Study}} {
		var values []string
		for _, v := range given[strings.ToLower(p.name)] {
			if v != "" {
				values = append(values, v)
			}
		}
		switch {
		case len(values) == 0:
			wrong = cmp.Or(wrong, "missing_ids")
		case isTemplate(values[0]):
			wrong = "template_ids" // explains everything else
		case len(slices.Compact(values)) > 1 || !idPattern.MatchString(values[0]):
			wrong = cmp.Or(wrong, "bad_ids")
		default:
			*p.into = values[0]
		}
	}
	return a, wrong
}

// unescape undoes percent-encoding where it is one; "{{%PROLIFIC_PID%}}" is not.
func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// isTemplate says whether a value is a placeholder that was not replaced,
// perhaps with its braces lost or encoded twice.
func isTemplate(v string) bool {
	switch strings.ToUpper(strings.Trim(v, "{}% ")) {
	case "PROLIFIC_PID", "STUDY_ID", "SESSION_ID":
		return true
	}
	return strings.ContainsAny(v, "{}%")
}

// arrive takes the recruiter's ids out of the link and into a cookie, so that
// they leave the address bar. It creates nothing: link scanners come here, too.
func (s *Room) arrive(c echo.Context) error {
	ctx := c.Request().Context()
	h, err := s.Entered(ctx, c.Param("slug"))
	if err != nil {
		return err
	}
	if c.Request().URL.RawQuery == "" {
		if _, ok := s.pass(c, h); ok { // the bare address, typed by somebody on the way
			return s.To(c, h.Path("/start"))
		}
	}
	a, wrong := readArrival(c.Request().URL.RawQuery, h.Recruitment.Parameters)
	if wrong != "" {
		return &site.Refusal{Status: http.StatusBadRequest, Name: wrong, Study: h}
	}
	if h.Recruitment.SignedLinks && !a.Virtual() {
		// A page that is loaded again carries a dead token, but a cookie, too.
		if known, ok := s.pass(c, h); !ok || known.Arrival != a {
			if err := s.checkSigned(c, h.Recruitment.Parameters, a); err != nil {
				return s.refuseUnsigned(c, h, err)
			}
		}
	}
	p := pass{Arrival: a}
	p.Token, err = s.Store.Resume(ctx, h.Row.Slug, a)
	if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrWithdrawn) {
		return s.Refuse(h, err)
	}
	if err := s.savePass(c, h, p); err != nil {
		return err
	}
	return s.To(c, h.Path("/start"))
}

// welcome greets somebody who has not begun, and sends others where they stand.
func (s *Room) welcome(c echo.Context) error {
	h, err := s.Entered(c.Request().Context(), c.Param("slug"))
	if err != nil {
		return err
	}
	p, ok := s.pass(c, h)
	switch {
	case !ok:
		return s.unknown(c, h)
	case p.Token != "":
		return s.To(c, h.Path("/resume"))
	}
	switch _, err := s.Store.Resume(c.Request().Context(), h.Row.Slug, p.Arrival); {
	case errors.Is(err, store.ErrWithdrawn):
		return s.To(c, h.Path("/end"))
	case err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrMismatch): // starting tells a mismatch
		return err
	}
	if h.Row.Status != store.Running {
		return s.Refuse(h, store.ErrNotOpen)
	}
	button, err := s.button(h, p, "/", "start")
	if err != nil {
		return err
	}
	frame := s.StudyFrame(h, h.Words.Say("start.welcome"))
	return s.Show(c, http.StatusOK, pages.Start(frame, button, h.Recruitment.Minutes))
}

// start begins a submission, or finds the one that the arrival has begun.
func (s *Room) start(c echo.Context) error {
	h, err := s.Entered(c.Request().Context(), c.Param("slug"))
	if err != nil {
		return err
	}
	p, ok := s.pass(c, h)
	if !ok {
		return s.unknown(c, h)
	}
	if _, ok, err := s.readFormToken(c, h, p, "start"); err != nil {
		return err
	} else if !ok {
		return s.To(c, h.Path("/start"))
	}
	p.Token, err = s.Store.Start(c.Request().Context(), &h.Study.Study, h.Row.ID, p.Arrival)
	if errors.Is(err, store.ErrWithdrawn) {
		return s.To(c, h.Path("/end"))
	}
	if err != nil {
		return s.Refuse(h, err)
	}
	if err := s.savePass(c, h, p); err != nil {
		return err
	}
	return s.To(c, h.Path("/resume"))
}
