package setup

import (
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	pages "overton/templates/setup"
	"overton/web/site"
)

// beforeLaunch shows what is missing and what looks wrong before a launch.
func (s *Room) beforeLaunch(c echo.Context, h *site.Hosted, r pages.Refused) error {
	page, err := s.studyPage(c, h, "Check and launch", "/launch", r)
	if err != nil {
		return err
	}
	plan, err := s.plan(c, h, draftOf(h))
	if err != nil {
		return err
	}
	return s.show(c, r, pages.Launch(pages.LaunchPage{
		StudyPage: page, Study: h.Study, Plan: plan, Link: s.ArrivalLink(c.Request(), h), Ticked: c.Request().PostForm["accept"],
	}))
}

// launch freezes a draft and opens it, if everything that is missing or looks
// wrong was ticked.
func (s *Room) launch(c echo.Context, h *site.Hosted) error {
	if h.Row.Status != store.Draft {
		return changed(h, "")
	}
	ticked := c.Request().PostForm["accept"]
	not := func(status int, why string) error {
		return s.beforeLaunch(c, h, pages.Refused{Status: status, Problem: "The study was not launched. " + why})
	}
	for i, gap := range h.Gaps() {
		if !slices.Contains(ticked, pages.GapBox(gap, i)) {
			return not(http.StatusUnprocessableEntity, "Fix what is missing, or confirm that it is intended.")
		}
	}
	if len(h.Doubts()) > 0 && !slices.Contains(ticked, "doubts") {
		return not(http.StatusUnprocessableEntity, "Confirm that you have checked what looks wrong.")
	}
	err := s.Store.LaunchDraft(c.Request().Context(), h.Row.Slug, c.FormValue("hash"), h.Questions.Seeds, site.ActorOf(c))
	if errors.Is(err, store.ErrConflict) {
		return not(http.StatusConflict, "Somebody changed the draft after you opened this page. This is the draft as it is now.")
	}
	if err != nil {
		return err
	}
	return s.To(c, "/admin/studies/"+h.Row.Slug)
}

// changeStatus pauses, resumes or closes a launched study.
func (s *Room) changeStatus(c echo.Context, h *site.Hosted) error {
	to := store.Status(c.FormValue("to"))
	if to != store.Running && to != store.Paused && to != store.Closed {
		return unreadable(h, "")
	}
	err := s.Store.SetStatus(c.Request().Context(), h.Row.Name(), to, site.ActorOf(c))
	if errors.Is(err, store.ErrConflict) {
		return changed(h, "")
	}
	if err != nil {
		return err
	}
	return s.To(c, h.AdminPath(""))
}
