package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	mdtext "github.com/yuin/goldmark/text"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/templates"
	"overton/templates/catalogue"
)

// prepared is a study read from its files, with what its pages need made once.
// It never changes.
type prepared struct {
	*studyfile.Study
	words   catalogue.Words
	consent map[int]string // HTML of the consent texts, by block
	setHash func() string  // of the question set; computed once
}

// hosted is a study as it stands now: its files, and its row in the store.
type hosted struct {
	*prepared
	row  store.Study
	name string // by which it was asked for: its slug, or slug@version
}

// path is a page's path within the site.
func (h *hosted) path(rest string) string { return "/s/" + h.row.Slug + rest }

// hosted finds a study by its name, as store.Study does.
func (s *site) hosted(ctx context.Context, name string) (*hosted, error) {
	row, err := s.Store.Study(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, &refusal{status: http.StatusNotFound, name: "unknown_study"}
	}
	if err != nil {
		return nil, err
	}
	return s.read(ctx, row, name)
}

// entered finds the study that a participant's link leads to. Its other
// versions have names that are no links.
func (s *site) entered(ctx context.Context, slug string) (*hosted, error) {
	if strings.Contains(slug, "@") {
		return nil, &refusal{status: http.StatusNotFound, name: "unknown_study"}
	}
	return s.hosted(ctx, slug)
}

// read reads a study's files. Its status is read anew each time; its files are
// known by their hash and read once.
func (s *site) read(ctx context.Context, row store.Study, name string) (*hosted, error) {
	s.mu.RLock()
	p := s.files[row.Hash]
	s.mu.RUnlock()
	if p != nil {
		return &hosted{p, row, name}, nil
	}
	files, err := s.Store.StudyFiles(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	if p, err = prepare(files); err != nil {
		return nil, fmt.Errorf("reading study %q from the database: %w", row.Name(), err)
	}
	if row.Status != store.Draft { // drafts come and go
		s.mu.Lock()
		s.files[row.Hash] = p
		s.mu.Unlock()
	}
	return &hosted{p, row, name}, nil
}

func prepare(files map[string][]byte) (*prepared, error) {
	st, err := studyfile.Read(studyfile.Files(files))
	if err != nil {
		return nil, err
	}
	p := &prepared{Study: st, words: catalogue.For(st.Language), consent: map[int]string{}, setHash: sync.OnceValue(st.Questions.Hash)}
	for i, block := range st.Flow {
		if block.Consent == nil {
			continue
		}
		if p.consent[i], err = markdown(block.Consent.Markdown); err != nil {
			return nil, fmt.Errorf("rendering the consent text: %w", err)
		}
	}
	return p, nil
}

// markdown renders a text that stands below a page's own heading. Without its
// "unsafe" option, goldmark drops raw HTML and links that run code. Pages load
// nothing from elsewhere, so that an image becomes a link to it.
func markdown(text string) (string, error) {
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

// studyFrame is what stands around a page of a study.
func (s *site) studyFrame(h *hosted, title string) templates.Frame {
	f := templates.Frame{Words: h.words, Base: s.base, Title: title, StudyTitle: h.Title, StudyLang: h.Language, Contact: h.Contact}
	if s.preview != nil {
		f.Preview = s.bar(h, "")
	}
	return f
}
