package take

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
	pages "overton/templates/take"
	"overton/web/site"
)

// saving bounds how long an answer may take to reach the disk. It does not end
// when the browser goes away: what was sent is saved.
func saving(c echo.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.Request().Context()), 30*time.Second)
}

// stands is the path of the page where a position stands.
func (v *visit) stands(pos store.Position) string {
	switch pos.Step.Kind {
	case study.StepEnd:
		return v.Path("/end")
	case study.NeedBallot:
		return v.Path("/resume")
	}
	return v.Path("/p/" + pos.Step.Path)
}

// find returns a step that the person may see now.
func (v *visit) find(path string) (study.Step, bool) {
	step, ok := v.Find(v.pos.Progress, path)
	switch {
	case !ok || step.Kind == study.StepEnd || step.Kind == study.NeedBallot:
		return study.Step{}, false
	case v.pos.Outcome == study.InProgress:
		return step, true
	}
	// People who are back for a second round of votes can change nothing else.
	return step, v.secondRound() && step.Kind == study.StepVote
}

func (v *visit) secondRound() bool {
	return v.pos.Outcome == study.Completed && v.pos.Progress.Round == 2
}

// resume sends a person where they stand. If the page prepared for them has
// gone, it offers a button that prepares another.
func (s *Room) resume(c echo.Context, v *visit) error {
	if v.pos.Step.Kind != study.NeedBallot {
		return s.To(c, v.stands(v.pos))
	}
	button, err := s.button(v.Hosted, v.pass, "/", "resume")
	if err != nil {
		return err
	}
	return s.Show(c, http.StatusOK, pages.Next(s.visitFrame(v, v.Words.Say("next.title")), button))
}

func (s *Room) goOn(c echo.Context, v *visit) error {
	return s.change(c, v, "resume", s.Store.Continue)
}

func (s *Room) reconsider(c echo.Context, v *visit) error {
	return s.change(c, v, "reconsider", s.Store.Reconsider)
}

func (s *Room) secondRound(c echo.Context, v *visit) error {
	return s.change(c, v, "second-round", s.Store.SecondRound)
}

// change does what a button without fields asks for, and goes where that leads.
func (s *Room) change(c echo.Context, v *visit, path string,
	do func(context.Context, *study.Study, string) (store.Position, error)) error {
	if _, ok, err := s.readFormToken(c, v.Hosted, v.pass, path); err != nil {
		return err
	} else if !ok {
		return s.To(c, v.stands(v.pos))
	}
	ctx, cancel := saving(c)
	defer cancel()
	pos, err := do(ctx, &v.Study.Study, v.pass.Token)
	if err != nil {
		return s.Refuse(v.Hosted, err)
	}
	return s.To(c, v.stands(pos))
}

// step shows a page of the flow. Nobody gets to a page before they have
// answered those ahead of it.
func (s *Room) step(c echo.Context, v *visit) error {
	step, ok := v.find(c.Param("path"))
	if !ok {
		return s.To(c, v.stands(v.pos))
	}
	draft, err := s.Store.Draft(c.Request().Context(), v.pass.Token, step.Path)
	if err != nil {
		return err
	}
	return s.showStep(c, v, http.StatusOK, step, sent{values: draft})
}

// submit takes the answers of a page.
func (s *Room) submit(c echo.Context, v *visit) error {
	step, ok := v.find(c.Param("path"))
	if !ok {
		return s.To(c, v.stands(v.pos))
	}
	form := c.Request().PostForm
	typed := sent{values: map[string]string{}, active: form.Get("active"), trail: form.Get("trail")}
	for _, f := range step.Fields {
		typed.values[f.Name] = form.Get(f.Name)
	}
	shown, ok, err := s.readFormToken(c, v.Hosted, v.pass, step.Path)
	switch {
	case err != nil:
		return err
	case !ok:
		typed.resend = true
		return s.showStep(c, v, http.StatusUnprocessableEntity, step, typed)
	}
	ctx, cancel := saving(c)
	defer cancel()
	pos, problems, err := s.Store.Submit(ctx, &v.Study.Study, v.pass.Token, step.Path, form.Get, timing(typed, shown))
	switch {
	case errors.Is(err, store.ErrNotHere), errors.Is(err, store.ErrEnded):
		return s.To(c, v.stands(pos)) // another tab was faster
	case err != nil:
		return err
	case problems != nil:
		v.pos = pos
		typed.problems = problems
		return s.showStep(c, v, http.StatusUnprocessableEntity, step, typed)
	}
	return s.To(c, v.stands(pos))
}

// maxTrail is the longest trail kept, in bytes.
const maxTrail = 4000

// timing reads what the page's script noted. Without a script there is none.
func timing(typed sent, shown time.Time) store.Timing {
	t := store.Timing{Shown: shown, Trail: strings.ToValidUTF8(typed.trail[:min(len(typed.trail), maxTrail)], "")}
	if ms, err := strconv.Atoi(typed.active); err == nil && ms > 0 {
		t.Active = min(time.Duration(ms)*time.Millisecond, site.CookieLife)
	}
	return t
}

// draft saves what is typed and not sent yet.
func (s *Room) draft(c echo.Context, v *visit) error {
	path := c.Param("path")
	if _, ok, err := s.readFormToken(c, v.Hosted, v.pass, path); err != nil {
		return err
	} else if !ok {
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request", Study: v.Hosted}
	}
	ctx, cancel := saving(c)
	defer cancel()
	err := s.Store.SaveDraft(ctx, &v.Study.Study, v.pass.Token, path, c.Request().PostForm.Get)
	if errors.Is(err, store.ErrNotHere) {
		return &site.Refusal{Status: http.StatusConflict, Name: "bad_request", Study: v.Hosted}
	}
	if err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// end shows how a submission ended. Its page stays reachable, so that a code
// can be read again.
func (s *Room) end(c echo.Context, v *visit) error {
	if v.pos.Step.Kind != study.StepEnd {
		return s.To(c, v.stands(v.pos))
	}
	page := s.endPage(v, v.pos.Outcome)
	page.Frame = s.visitFrame(v, page.Title)
	if page.Preview != nil {
		page.Preview.Here = "end"
	}
	switch v.pos.Outcome {
	case study.NoConsent:
		button, err := s.button(v.Hosted, v.pass, "/", "reconsider")
		if err != nil {
			return err
		}
		page.Reconsider = &button
	case study.Completed:
		page.Progress = &templates.Progress{Percent: 100}
		open, err := s.Store.SecondRoundOpen(c.Request().Context(), &v.Study.Study, v.pass.Token)
		if err != nil {
			return err
		}
		page.SecondRoundLater = !open && v.votesMissing()
		if open {
			button, err := s.button(v.Hosted, v.pass, "/", "second-round")
			if err != nil {
				return err
			}
			page.SecondRound = &button
		}
	}
	return s.Show(c, http.StatusOK, pages.End(page))
}

func (s *Room) endPage(v *visit, o study.Outcome) pages.EndPage {
	return pages.EndPage{
		Frame:    s.StudyFrame(v.Hosted, v.Words.Say("end."+string(o)+".title")),
		Outcome:  string(o),
		Prolific: len(v.Recruitment.Codes) > 0,
		Code:     v.Recruitment.Code(o),
	}
}

// votesMissing says whether a second round may come for a finished person.
func (v *visit) votesMissing() bool {
	if !v.Definition.SecondRound || v.pos.Progress.Round != 1 {
		return false
	}
	for _, slot := range v.pos.Progress.Slots {
		if slot.Votes(v.pos.Progress.Answers) < v.Overton().VotesPerQuestion {
			return true
		}
	}
	return false
}

// askToWithdraw asks before anything is removed.
func (s *Room) askToWithdraw(c echo.Context, v *visit) error {
	button, err := s.button(v.Hosted, v.pass, "/", "withdraw")
	if err != nil {
		return err
	}
	frame := s.visitFrame(v, v.Words.Say("withdraw.title"))
	frame.Withdraw = ""
	return s.Show(c, http.StatusOK, pages.Withdraw(frame, button, s.Base+v.Path("/resume"), len(v.Recruitment.Codes) > 0))
}

// withdraw removes the person's submission.
func (s *Room) withdraw(c echo.Context, v *visit) error {
	if _, ok, err := s.readFormToken(c, v.Hosted, v.pass, "withdraw"); err != nil {
		return err
	} else if !ok {
		return s.To(c, v.Path("/withdraw"))
	}
	ctx, cancel := saving(c)
	defer cancel()
	if err := s.Store.Withdraw(ctx, &v.Study.Study, v.pass.Token); err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return s.To(c, v.Path("/end"))
}

// gone is every page of somebody who withdrew.
func (s *Room) gone(c echo.Context, v *visit) error {
	return s.Show(c, http.StatusOK, pages.End(s.endPage(v, study.Withdrawn)))
}
