package setup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	"overton/web/site"
)

// A preview is gone after previewLife, or when mostPreviews are newer.
const (
	previewLife  = time.Hour
	mostPreviews = 20
)

// preview is a study launched in a store of its own, for one account to go
// through. It is deleted with its store, so it leaves no trace in any data.
type preview struct {
	id      string
	account int64
	began   time.Time
	folder  string // of the store's file
	of      *site.Prepared
	store   *store.Store
	handler http.Handler
	enter   string // path of its first page
	leave   string // path to go back to
}

func (p *preview) close() error {
	return errors.Join(p.store.Close(), os.RemoveAll(p.folder))
}

// previews are the open ones, the oldest first.
type previews struct {
	mu   sync.Mutex
	list []*preview
}

// add adds a preview, and returns those that have to close for it.
func (ps *previews) add(p *preview, now time.Time) (gone []*preview) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.list = append(ps.list, p)
	for len(ps.list) > 1 && (len(ps.list) > mostPreviews || now.Sub(ps.list[0].began) > previewLife) {
		gone = append(gone, ps.list[0])
		ps.list = ps.list[1:]
	}
	return gone
}

// of finds an account's preview.
func (ps *previews) of(id string, account int64, now time.Time) (*preview, bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, p := range ps.list {
		if p.id == id && p.account == account && now.Sub(p.began) <= previewLife {
			return p, true
		}
	}
	return nil, false
}

// closeAll ends all previews.
func (ps *previews) closeAll() (err error) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, p := range ps.list {
		err = errors.Join(err, p.close())
	}
	ps.list = nil
	return err
}

// beginPreview launches a study in a store of its own and goes there.
func (s *Room) beginPreview(c echo.Context, h *site.Hosted) error {
	return s.startPreview(c, h.Prepared, h.AdminPath("/setup"))
}

func (s *Room) startPreview(c echo.Context, of *site.Prepared, leave string) error {
	p, err := s.newPreview(c.Request().Context(), of, site.AccountOf(c).ID, leave)
	if err != nil {
		return fmt.Errorf("making a preview: %w", err)
	}
	for _, old := range s.previews.add(p, s.Now()) {
		if err := old.close(); err != nil {
			s.Log.Error("closing a preview", "error", err)
		}
	}
	return s.To(c, p.enter)
}

func (s *Room) newPreview(ctx context.Context, of *site.Prepared, account int64, leave string) (*preview, error) {
	folder, err := os.MkdirTemp("", "overton-preview-*")
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, filepath.Join(folder, "preview.db"), store.WithClock(s.Now))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	p := &preview{id: strings.ToLower(rand.Text()), account: account, began: s.Now(), folder: folder, of: of, store: db, leave: leave}
	path := "/admin/preview/" + p.id
	pages, enter := s.pages(s.Within(path, db, of, previewLife), of, p.id, s.Base+leave)
	p.handler, p.enter = pages, path+enter
	_, err = db.SaveStudy(ctx, store.NewStudy{Slug: of.Slug, Title: of.Title, Hash: of.Hash, Files: of.Files}, 0)
	if err == nil {
		err = db.Launch(ctx, of.Slug, previewSeeds(of), 0)
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// previewSeeds are the study's seeds, and as many made-up statements as it
// takes to see all votes.
func previewSeeds(p *site.Prepared) []study.Seed {
	seeds := slices.Clone(p.Questions.Seeds)
	o := p.Overton()
	if o == nil {
		return seeds
	}
	n := map[string]int{}
	for _, seed := range seeds {
		n[seed.Question]++
	}
	for _, q := range p.Questions.Questions {
		for i := n[q.ID]; i < o.VotesPerQuestion; i++ {
			seeds = append(seeds, study.Seed{Question: q.ID,
				Text: fmt.Sprintf("Made-up statement %d. In the study, this is what another participant wrote.", i+1)})
		}
	}
	return seeds
}

// inPreview passes a request on to the preview that it is for.
func (s *Room) inPreview(c echo.Context) error {
	p, ok := s.previews.of(c.Param("preview"), site.AccountOf(c).ID, s.Now())
	if !ok {
		return &site.Refusal{Status: http.StatusNotFound, Name: "no_preview"}
	}
	r := c.Request().Clone(c.Request().Context())
	r.URL.Path, r.URL.RawPath = "/"+c.Param("*"), ""
	if r.Method == http.MethodPost && r.URL.Path == "/again" {
		return s.startPreview(c, p.of, p.leave)
	}
	p.handler.ServeHTTP(c.Response(), r)
	return nil
}
