package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// A preview is gone after previewLife, or when mostPreviews are newer.
const (
	previewLife  = time.Hour
	mostPreviews = 20
)

// preview is a study launched in a store of its own, for one account to walk
// through. It goes with its store, so that it leaves no trace in any data.
type preview struct {
	id      string
	account int64
	began   time.Time
	folder  string // of the store's file
	inner   *site
	handler http.Handler
	leave   string // path of the study's admin page
}

func (p *preview) close() error {
	return errors.Join(p.inner.Store.Close(), os.RemoveAll(p.folder))
}

// previews are those that are alive, the oldest first.
type previews struct {
	mu   sync.Mutex
	list []*preview
}

// add takes a preview in, and returns those that it takes the place of.
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

// visitor is who walks a preview: a virtual participant, who needs no
// signature and takes no place.
var visitor = store.Arrival{Participant: "virtual-preview", Submission: "preview", Study: "preview"}

// beginPreview launches a study in a store of its own and leads there.
func (s *site) beginPreview(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	return s.startPreview(c, h.prepared, h.adminPath("/setup"))
}

func (s *site) startPreview(c echo.Context, of *prepared, leave string) error {
	p, err := s.newPreview(c.Request().Context(), of, accountOf(c).ID, leave)
	if err != nil {
		return fmt.Errorf("making a preview: %w", err)
	}
	for _, old := range s.previews.add(p, s.Now()) {
		if err := old.close(); err != nil {
			s.Log.Error("closing a preview", "error", err)
		}
	}
	names := of.Recruitment.Parameters
	query := url.Values{names.Participant: {visitor.Participant}, names.Submission: {visitor.Submission}, names.Study: {visitor.Study}}
	return s.to(c, "/admin/preview/"+p.id+"/s/"+of.Slug+"?"+query.Encode())
}

func (s *site) newPreview(ctx context.Context, of *prepared, account int64, leave string) (*preview, error) {
	folder, err := os.MkdirTemp("", "overton-preview-*")
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, filepath.Join(folder, "preview.db"), store.WithClock(s.Now))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	p := &preview{id: strings.ToLower(rand.Text()), account: account, began: s.Now(), folder: folder, leave: s.base + leave}
	p.inner = &site{Config: s.Config, base: s.base + "/admin/preview/" + p.id, origins: s.origins, metrics: s.metrics, prepare: prepare, files: map[string]*prepared{of.Hash: of}, life: s.life, preview: p}
	p.inner.Store, p.inner.BaseURL = db, nil
	p.inner.cookies = sessions.NewCookieStore(securecookie.GenerateRandomKey(64), securecookie.GenerateRandomKey(32))
	p.inner.cookies.MaxAge(int(previewLife.Seconds()))
	p.handler = p.inner.previewHandler(s.secure)
	_, err = db.SaveStudy(ctx, store.NewStudy{Slug: of.Slug, Title: of.Title, Hash: of.Hash, Files: of.Files}, 0)
	if err == nil {
		err = db.Launch(ctx, of.Slug, of.previewSeeds(), 0)
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// previewSeeds are the study's seeds, and as many made-up statements as it
// takes to see all votes.
func (p *prepared) previewSeeds() []study.Seed {
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
			seeds = append(seeds, study.Seed{Question: q.ID, Text: fmt.Sprintf("Made-up statement %d. Here stands what another participant wrote.", i+1)})
		}
	}
	return seeds
}

// previewHandler serves participants' pages alone, on this site's store.
func (s *site) previewHandler(secure func(*http.Request) bool) http.Handler {
	s.isSecure = secure
	e := echo.New()
	e.HTTPErrorHandler = func(err error, c echo.Context) { s.fail(c, err) }
	for _, r := range s.participantRoutes() {
		e.Add(r.method, r.path, s.guard(r.role, r.handler))
	}
	e.POST("/jump", s.guard(public, s.jump))
	return e
}

// inPreview passes a request on to the preview that it is for.
func (s *site) inPreview(c echo.Context) error {
	p, ok := s.previews.of(c.Param("preview"), accountOf(c).ID, s.Now())
	if !ok {
		return &refusal{status: http.StatusNotFound, name: "no_preview"}
	}
	r := c.Request().Clone(c.Request().Context())
	r.URL.Path, r.URL.RawPath = "/"+c.Param("*"), ""
	if r.Method == http.MethodPost && r.URL.Path == "/again" {
		return s.startPreview(c, p.inner.only(), strings.TrimPrefix(p.leave, s.base))
	}
	p.handler.ServeHTTP(c.Response(), r)
	return nil
}

// only is the one study of a preview's site.
func (s *site) only() *prepared {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, p := range s.files {
		return p
	}
	panic("web: a preview without its study") // newPreview puts it in
}

// bar is what stands above a preview's pages.
func (s *site) bar(h *hosted, here string) *templates.PreviewBar {
	b := &templates.PreviewBar{Leave: s.preview.leave, Again: s.base + "/again", Jump: s.base + "/jump", Here: here}
	for _, st := range h.outline() {
		b.Steps = append(b.Steps, templates.Option{Value: st.Path, Label: st.name})
	}
	return b
}

// outlined is a page that a participant is likely to come to.
type outlined struct {
	study.Step
	name string
}

// outline lists the pages of a study as far as they can be told before anybody
// walks it.
func (p *prepared) outline() []outlined {
	var list []outlined
	add := func(path string, kind study.StepKind, block, slot, number int, name string, args ...any) {
		list = append(list, outlined{study.Step{Path: path, Kind: kind, Block: block, Slot: slot, Number: number}, fmt.Sprintf(name, args...)})
	}
	for i, b := range p.Flow {
		switch {
		case b.Consent != nil:
			add("consent", study.StepConsent, i, -1, 1, "Consent")
		case b.Survey != nil:
			for n := range b.Survey.MostPages() {
				add(fmt.Sprintf("survey%d-%d", i, n+1), study.StepSurvey, i, -1, n+1, "Survey %s, page %d", b.Survey.Instrument, n+1)
			}
		case b.Overton != nil:
			add("instructions", study.StepInstructions, i, -1, 1, "Instructions")
			responses := p.Study.Study.Design().Responses
			for q := range b.Overton.QuestionsPerParticipant {
				add(fmt.Sprintf("q%d-view", q+1), study.StepView, i, q, 1, "Question %d: own view", q+1)
				for n := range responses {
					add(fmt.Sprintf("q%d-response%d", q+1, n+1), study.StepRating, i, q, n+1, "Question %d: response %d", q+1, n+1)
				}
				for n := range b.Overton.VotesPerQuestion {
					add(fmt.Sprintf("q%d-statement%d", q+1, n+1), study.StepVote, i, q, n+1, "Question %d: vote %d", q+1, n+1)
				}
				for n, check := range p.Checks {
					if check.After == q+1 {
						add(fmt.Sprintf("check%d", n+1), study.StepCheck, i, q, n+1, "Check %d", n+1)
					}
				}
			}
		case b.Feedback != nil:
			add("feedback", study.StepFeedback, i, -1, 1, "Comment")
		}
	}
	add("end", study.StepEnd, len(p.Flow), -1, 1, "End")
	return list
}

// behind says whether a step comes before another in the flow.
func behind(a, b study.Step) bool {
	rank := func(kind study.StepKind) int {
		return slices.Index([]study.StepKind{study.StepInstructions, study.StepView, study.StepRating, study.NeedBallot, study.StepVote, study.StepCheck}, kind)
	}
	return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Slot, b.Slot), cmp.Compare(rank(a.Kind), rank(b.Kind)), cmp.Compare(a.Number, b.Number)) < 0
}

// jump answers what lies before a page in any way that is accepted, and goes
// there.
func (s *site) jump(c echo.Context) error {
	p := s.only()
	ctx := c.Request().Context()
	h, err := s.hosted(ctx, p.Slug)
	if err != nil {
		return err
	}
	path := c.FormValue("step")
	steps := p.outline()
	at := slices.IndexFunc(steps, func(o outlined) bool { return o.Path == path })
	if at < 0 {
		return &refusal{status: http.StatusBadRequest, name: "bad_request", study: h}
	}
	v := &visit{hosted: h, pass: pass{Arrival: visitor}}
	if v.pass.Token, err = s.Store.Start(ctx, &p.Study.Study, h.row.ID, visitor); err != nil {
		return s.refuse(h, err)
	}
	if err := s.savePass(c, h, v.pass); err != nil {
		return err
	}
	if v.pos, err = s.Store.Position(ctx, &p.Study.Study, v.pass.Token); err != nil {
		return err
	}
	for v.pos.Outcome == study.InProgress && behind(v.pos.Step, steps[at].Step) {
		step := v.pos.Step
		var problems []study.Problem
		v.pos, problems, err = s.Store.Submit(ctx, &p.Study.Study, v.pass.Token, step.Path, p.madeUp(step), store.Timing{Shown: s.Now()})
		if err != nil || problems != nil {
			return errors.Join(err, fmt.Errorf("a made-up answer to %s was not accepted: %v", step.Path, problems))
		}
	}
	if _, ok := v.find(path); ok {
		return s.to(c, v.path("/p/"+path))
	}
	return s.to(c, v.stands(v.pos))
}

// madeUp answers a step so that it is accepted.
func (p *prepared) madeUp(step study.Step) func(field string) string {
	return func(name string) string {
		for _, f := range step.Fields {
			switch {
			case f.Name != name:
			case step.Kind == study.StepCheck:
				return p.Checks[step.Number-1].Answer
			case f.Options != nil:
				return f.Options[0]
			default:
				return strings.TrimSpace("A made-up view. " + strings.Repeat("word ", f.MinWords))
			}
		}
		return ""
	}
}

// cookie names the cookie of a preview, so that it stands beside the
// one of somebody who takes part.
func (p *preview) cookie() string { return "overton_preview_" + p.id }
