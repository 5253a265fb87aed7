package setup

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/instrument"
	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
	pages "overton/templates/setup"
	"overton/web/site"
)

// draft is a study while it is changed: its setup, and the other files.
type draft struct {
	*dataset.Setup
	files       dataset.Files
	instruments map[string]instrument.Instrument // as they were read
}

func draftOf(h *site.Hosted) *draft { return &draft{h.Setup(), maps.Clone(h.Files), h.Instruments} }

// written are the draft's files with its setup as study.yaml.
func (d *draft) written() dataset.Files {
	files := maps.Clone(d.files)
	files[dataset.StudyFile] = d.YAML()
	return files
}

// asks names an item by its id and what it asks.
func (d *draft) asks(in, id string) string {
	if it, ok := d.instruments[in].Item(id); ok && it.Text != "" {
		return id + " · " + templates.Shorten(it.Text, 80)
	}
	return id
}

// add puts a block in its usual place. Files that it needs and the draft lacks
// are copied from the example, to be replaced.
func (d *draft) add(kind string) error {
	var block study.Block
	var needs []string
	end := len(d.Flow)
	if end > 0 && d.Flow[end-1].Feedback != nil {
		end--
	}
	switch kind {
	case "consent":
		end, block.Consent = 0, &study.Consent{}
		d.Consent = "consent.md"
		needs = []string{d.Consent}
	case "feedback":
		end, block.Feedback = len(d.Flow), &study.Feedback{}
	case "overton":
		block.Overton = &study.Overton{QuestionsPerParticipant: 2, ParticipantsPerQuestion: 60, VotesPerQuestion: 15,
			Moderation: study.ModerationAfter, Stance: true, Importance: true, MinWords: 1}
		d.Questions, d.Responses, d.Seeds = "questions.csv", "responses.csv", "seeds.csv"
		needs = []string{d.Questions, d.Responses, d.Seeds}
	default:
		_, builtIn := instrument.BuiltIn(kind)
		if _, there := d.files[kind]; !there && !builtIn {
			return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
		}
		block.Survey = &study.Survey{Instrument: kind, PerPage: 4}
	}
	for _, name := range needs {
		if _, there := d.files[name]; there {
			continue
		}
		content, err := fs.ReadFile(dataset.Example(), name)
		if err != nil {
			return fmt.Errorf("reading the example's %s: %w", name, err)
		}
		d.files[name] = content
	}
	d.Flow = slices.Insert(d.Flow, end, block)
	return nil
}

// keep checks a draft's changed files and saves them, if the draft still has
// the hash before. The error may be dataset.Faults, store.ErrConflict or
// store.ErrTaken; again shows them.
func (s *Room) keep(c echo.Context, h *site.Hosted, files dataset.Files, before string) (store.Study, error) {
	st, err := dataset.ReadStudy(files)
	if err != nil {
		return store.Study{}, err
	}
	changed := store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files}
	return s.Store.ChangeDraft(c.Request().Context(), h.Row.ID, before, changed, site.ActorOf(c))
}

// again shows a page again, with why what it sent was not saved. Errors that
// are no refusal pass.
func again(c echo.Context, h *site.Hosted, err error, show view) error {
	var faults dataset.Faults
	var unusable *site.UploadError
	r := pages.Refused{Status: http.StatusUnprocessableEntity}
	switch {
	case errors.As(err, &faults):
		r.Faults = faults
	case errors.As(err, &unusable):
		r.Problem = unusable.Error()
	case errors.Is(err, store.ErrTaken):
		r.Faults = dataset.Faults{{File: dataset.StudyFile, Column: "slug",
			Message: "is another study's, or this study had it in another version"}}
	case errors.Is(err, store.ErrConflict):
		r.Status, r.Changed = http.StatusConflict, true
	default:
		return err
	}
	return show(c, h, r)
}

// view shows a page about a study, with why what it sent was not saved.
type view func(echo.Context, *site.Hosted, pages.Refused) error

// fresh shows a page to which nothing was sent.
func fresh(show view) func(echo.Context, *site.Hosted) error {
	return func(c echo.Context, h *site.Hosted) error { return show(c, h, pages.Refused{}) }
}

// show renders one of a room's pages, with the status of a refusal.
func (s *Room) show(c echo.Context, r pages.Refused, page templ.Component) error {
	return s.Show(c, cmp.Or(r.Status, http.StatusOK), page)
}

// studyPage is what all pages about one study have. tab is the tab they are on.
func (s *Room) studyPage(
	c echo.Context, h *site.Hosted, title, tab string, r pages.Refused,
) (pages.StudyPage, error) {
	frame, err := s.AdminStudyFrame(c, h, title, tab)
	frame.Wrong = r.Status != 0
	return pages.StudyPage{
		Admin: frame, Refused: r, Row: h.Row, Path: h.Href(""), LosesComments: h.OwnRemarks(),
		MaySee: site.Allows(frame.Role, site.Researcher), MayChange: site.Allows(frame.Role, site.Admin),
	}, err
}

// changed refuses what the study's state does not allow any more.
func changed(h *site.Hosted, back string) error {
	return &site.Refusal{Status: http.StatusConflict, Name: "changed", Try: h.AdminPath(back)}
}

// unreadable refuses a request that no page of ours sends.
func unreadable(h *site.Hosted, back string) error {
	return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request", Try: h.AdminPath(back)}
}

// renamed is where a draft's pages are, now that it may have another slug.
func renamed(h *site.Hosted, row store.Study) string {
	if h.Row.Slug == row.Slug {
		return h.AdminPath("")
	}
	return "/admin/studies/" + row.Slug
}
