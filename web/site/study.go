package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	mdtext "github.com/yuin/goldmark/text"

	"overton/internal/dataset"
	"overton/internal/store"
	"overton/templates"
	"overton/templates/catalogue"
)

// ArrivalLink is what a recruiter is given, with its placeholders as they are.
func (s *Site) ArrivalLink(r *http.Request, h *Hosted) string {
	p := h.Recruitment.Parameters
	return fmt.Sprintf("%s%s?%s={{%%PROLIFIC_PID%%}}&%s={{%%STUDY_ID%%}}&%s={{%%SESSION_ID%%}}", s.Origin(r), h.Path(""), p.Participant, p.Study, p.Submission)
}

// OutcomeNames are the outcomes, and what pages call them.
var OutcomeNames = templates.Outcomes

// Facts sums a study up.
func (h *Hosted) Facts() []templates.Fact {
	var facts []templates.Fact
	fact := func(name, format string, args ...any) {
		facts = append(facts, templates.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	facts = append(facts, templates.Fact{Name: "Hash of the files", Value: h.Row.Hash, Code: true})
	fact("Created", "%s", Moment(h.Row.CreatedAt).Text)
	if h.Row.LaunchedAt != 0 {
		fact("Launched", "%s", Moment(h.Row.LaunchedAt).Text)
	}
	if h.Row.ClosedAt != 0 {
		fact("Closed", "%s", Moment(h.Row.ClosedAt).Text)
	}
	fact("Language", "%s", h.Language)
	if h.Contact != "" {
		fact("Contact", "%s", h.Contact)
	}
	fact("Time", "about %d minutes; a place is kept for %d minutes after an answer", h.Recruitment.Minutes, h.Recruitment.ReservationMinutes)
	fact("Pages", "at most %d a person", h.Pages())
	if o := h.Overton(); o != nil {
		responses := "all"
		if o.ResponsesPerQuestion > 0 {
			responses = strconv.Itoa(o.ResponsesPerQuestion)
		}
		fact("Questions", "%d in the set, %d a person, %d people on each", len(h.Questions.Questions), o.QuestionsPerParticipant, o.ParticipantsPerQuestion)
		fact("Places", "%d people fill every question", h.Places())
		fact("On each question", "%s responses to rate, %d votes", responses, o.VotesPerQuestion)
		fact("Moderation", "%s", o.Moderation)
		facts = append(facts, templates.Fact{Name: "Question set", Value: h.setHash(), Code: true})
	}
	for _, q := range h.Quotas {
		fact("Quota", "on %s, %d cells", q.Variable, len(q.Targets))
	}
	return facts
}

// RunPath is the path of a run's page.
func (h *Hosted) RunPath(id int64) string { return h.AdminPath("/runs/" + strconv.FormatInt(id, 10)) }

// Changes are the steps that an admin can take from each status. A launch has
// a page of its own.
var Changes = map[store.Status][]templates.Change{
	store.Running: {
		{To: string(store.Paused), Verb: "Pause", Explanation: "While it is paused nobody can start; whoever has started can go on."},
		closing,
	},
	store.Paused: {
		{To: string(store.Running), Verb: "Resume", Explanation: "People can start again."},
		closing,
	},
}

var closing = templates.Change{To: string(store.Closed), Verb: "Close", Sure: true, Danger: true,
	Explanation: "Nobody can start any more, for good; whoever has started can go on. All data stay."}

// Prepared is a study read from its files, with what its pages need made once.
// It never changes.
type Prepared struct {
	*dataset.Study
	Words       catalogue.Words
	ConsentHTML map[int]string // HTML of the consent texts, by block
	setHash     func() string  // of the question set; computed once
}

// Hosted is a study as it stands now: its files, and its row in the store.
type Hosted struct {
	*Prepared
	Row     store.Study
	base    string // of the site
	AskedAs string // by which it was asked for: its slug, or slug@version
}

// Path is a page's path within the site.
func (h *Hosted) Path(rest string) string { return "/s/" + h.Row.Slug + rest }

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
		return &Hosted{Prepared: p, Row: row, AskedAs: name, base: s.Base}, nil
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
	return &Hosted{Prepared: v.(*Prepared), Row: row, AskedAs: name, base: s.Base}, nil
}

func prepare(files map[string][]byte) (*Prepared, error) {
	st, err := dataset.ReadStudy(dataset.Files(files))
	if err != nil {
		return nil, err
	}
	p := &Prepared{Study: st, Words: catalogue.For(st.Language), ConsentHTML: map[int]string{}, setHash: sync.OnceValue(st.Questions.Hash)}
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

// Markdown renders a text that stands below a page's own heading. Without its
// "unsafe" option, goldmark drops raw HTML and links that run code. Pages load
// nothing from elsewhere, so that an image becomes a link to it.
func Markdown(text string) (string, error) {
	source := []byte(text)
	md := goldmark.New()
	doc := md.Parser().Parse(mdtext.NewReader(source))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			h.Level = min(h.Level+1, 6)
		}
	}
	for _, image := range images(doc) {
		link := ast.NewLink()
		link.Destination, link.Title = image.Destination, image.Title
		for n := image.FirstChild(); n != nil; n = image.FirstChild() {
			link.AppendChild(link, n)
		}
		image.Parent().ReplaceChild(image.Parent(), image, link)
	}
	var b bytes.Buffer
	err := md.Renderer().Render(&b, source, doc)
	return b.String(), err
}

func images(doc ast.Node) (all []*ast.Image) {
	// The walk's function gives no error.
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if image, ok := n.(*ast.Image); ok && entering {
			all = append(all, image)
		}
		return ast.WalkContinue, nil
	})
	return all
}

// StudyFrame is what stands around a page of a study.
func (s *Site) StudyFrame(h *Hosted, title string) templates.Frame {
	f := templates.Frame{Words: h.Words, Base: s.Base, Title: title, StudyTitle: h.Title, StudyLang: h.Language, Contact: h.Contact}
	if s.Bar != nil {
		f.Preview = s.Bar(h)
	}
	return f
}
