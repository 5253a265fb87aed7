package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/templates"
	"overton/templates/catalogue"
)

// Prepared is a study read from its files, with what its pages need made once.
// It never changes.
type Prepared struct {
	*studyfile.Study
	Words       catalogue.Words
	ConsentHTML map[int]string // HTML of the consent texts, by block
	setHash     func() string  // of the question set; computed once
}

// Hosted is a study as it stands now: its files, and its row in the store.
type Hosted struct {
	*Prepared
	Row     store.Study
	base    string // of the site
	askedAs string // by which it was asked for: its slug, or slug@version
}

// Path is a page's path within the site.
func (h *Hosted) Path(rest string) string { return "/s/" + h.Row.Slug + rest }

// AdminPath is the path of one of a study's admin pages within the site.
func (h *Hosted) AdminPath(rest string) string { return "/admin/studies/" + h.askedAs + rest }

// Href is the address of one of a study's admin pages in links and forms.
func (h *Hosted) Href(rest string) string { return h.base + h.AdminPath(rest) }

// Facts sums the study up.
func (h *Hosted) Facts() []templates.Fact { return templates.StudyFacts(h.Row, h.Study, h.setHash) }

// QuestionPath is the path of a question's window in a run.
func (h *Hosted) QuestionPath(run int64, id string) string {
	return h.RunPath(run) + "/questions/" + url.PathEscape(id)
}

// RunPath is the path of a run's page.
func (h *Hosted) RunPath(id int64) string { return h.AdminPath("/runs/" + strconv.FormatInt(id, 10)) }

// ArrivalLink is what a recruiter is given, with its placeholders as they are.
func (s *Site) ArrivalLink(r *http.Request, h *Hosted) string {
	p := h.Recruitment.Parameters
	return fmt.Sprintf("%s%s?%s={{%%PROLIFIC_PID%%}}&%s={{%%STUDY_ID%%}}&%s={{%%SESSION_ID%%}}",
		s.Origin(r), h.Path(""), p.Participant, p.Study, p.Submission)
}

// Hosted finds a study by its name, as store.Study does.
func (s *Site) Hosted(ctx context.Context, name string) (*Hosted, error) {
	row, err := s.Store.Study(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, &Refusal{Status: http.StatusNotFound, Name: "unknown_study"}
	}
	if err != nil {
		return nil, err
	}
	return s.Read(ctx, row, name)
}

// Entered finds the study that a participant's link leads to. Its other
// versions have names that are no links. A draft is refused before its files
// are parsed, which anybody could ask for: the page is in the words of the site.
func (s *Site) Entered(ctx context.Context, slug string) (*Hosted, error) {
	if strings.Contains(slug, "@") {
		return nil, &Refusal{Status: http.StatusNotFound, Name: "unknown_study"}
	}
	row, err := s.Store.Study(ctx, slug)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, &Refusal{Status: http.StatusNotFound, Name: "unknown_study"}
	case err != nil:
		return nil, err
	case row.Status == store.Draft:
		return nil, &Refusal{Status: http.StatusForbidden, Name: "not_open"}
	}
	return s.Read(ctx, row, slug)
}

// Read reads a study's files. Its status is read each time; its files are known
// by their hash and parsed once, however many requests wait for them.
func (s *Site) Read(ctx context.Context, row store.Study, name string) (*Hosted, error) {
	s.mu.RLock()
	p := s.files[row.Hash]
	s.mu.RUnlock()
	if p != nil {
		return &Hosted{Prepared: p, Row: row, askedAs: name, base: s.Base}, nil
	}
	v, err, _ := s.reading.Do(row.Hash, func() (any, error) {
		s.mu.RLock()
		p := s.files[row.Hash] // parsed since by those before
		s.mu.RUnlock()
		if p != nil {
			return p, nil
		}
		files, err := s.Store.StudyFiles(context.WithoutCancel(ctx), row.ID) // others wait for it, too
		if err != nil {
			return nil, err
		}
		if p, err = s.prepare(files); err != nil {
			return nil, fmt.Errorf("reading study %q from the database: %w", row.Name(), err)
		}
		if row.Status != store.Draft { // drafts come and go
			s.mu.Lock()
			s.files[row.Hash] = p
			s.mu.Unlock()
		}
		return p, nil
	})
	if err != nil {
		return nil, err
	}
	return &Hosted{Prepared: v.(*Prepared), Row: row, askedAs: name, base: s.Base}, nil
}

func prepare(files map[string][]byte) (*Prepared, error) {
	st, err := studyfile.Read(studyfile.Files(files))
	if err != nil {
		return nil, err
	}
	p := &Prepared{Study: st, Words: catalogue.For(st.Language), ConsentHTML: map[int]string{},
		setHash: sync.OnceValue(st.Questions.Hash)}
	for i, block := range st.Flow {
		if block.Consent == nil {
			continue
		}
		if p.ConsentHTML[i], err = Markdown(block.Consent.Markdown); err != nil {
			return nil, fmt.Errorf("rendering the consent text: %w", err)
		}
	}
	return p, nil
}

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
