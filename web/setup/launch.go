package setup

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/store"
	pages "overton/templates/setup"
	"overton/web/site"
)

// askToLaunch shows what is missing and what looks wrong before a launch.
func (s *Room) askToLaunch(c echo.Context, h *site.Hosted) error {
	return s.showLaunch(c, http.StatusOK, h, "")
}

func (s *Room) showLaunch(c echo.Context, status int, h *site.Hosted, problem string) error {
	frame, err := s.AdminStudyFrame(c, h, "Check and launch", "/launch")
	if err != nil {
		return err
	}
	frame.Wrong = problem != ""
	plan, err := s.plan(c, h, draftOf(h))
	if err != nil {
		return err
	}
	page := pages.LaunchPage{
		Admin: frame, Problem: problem, Draft: h.Row.Status == store.Draft, Hash: h.Row.Hash, Version: h.Row.Version, Doubts: h.Doubts(), Plan: plan,
		Link: s.ArrivalLink(c.Request(), h), Action: h.Href("/launch"), Preview: h.Href("/preview"), Setup: h.Href("/setup"), Versions: h.Href("/versions"),
		Monitor: h.Href(""),
	}
	ticked := c.Request().PostForm["accept"]
	for i, gap := range h.Gaps() {
		name := fmt.Sprintf("%s-%d", gap.Name, i)
		page.Gaps = append(page.Gaps, pages.Tick{Name: name, Text: gap.Text, Ticked: slices.Contains(ticked, name)})
	}
	page.Seen = slices.Contains(ticked, "doubts")
	return s.Show(c, status, pages.Launch(page))
}

// launch freezes a draft and opens it, once everything that is missing or
// looks wrong was ticked.
func (s *Room) launch(c echo.Context, h *site.Hosted) error {
	if h.Row.Status != store.Draft {
		return &site.Refusal{Status: http.StatusConflict, Name: "changed", Try: h.AdminPath("")}
	}
	ticked := c.Request().PostForm["accept"]
	for i, gap := range h.Gaps() {
		if !slices.Contains(ticked, fmt.Sprintf("%s-%d", gap.Name, i)) {
			return s.showLaunch(c, http.StatusUnprocessableEntity, h, "It was not launched. Mend what is missing, or tick it if it shall be so.")
		}
	}
	if len(h.Doubts()) > 0 && !slices.Contains(ticked, "doubts") {
		return s.showLaunch(c, http.StatusUnprocessableEntity, h, "It was not launched. Tick that you have looked at what looks wrong.")
	}
	err := s.Store.LaunchDraft(c.Request().Context(), h.Row.Slug, c.FormValue("hash"), h.Questions.Seeds, site.ActorOf(c))
	if errors.Is(err, store.ErrConflict) {
		return s.showLaunch(c, http.StatusConflict, h, "It was not launched: somebody has changed the draft since you opened this page. Look at it as it is now.")
	}
	if err != nil {
		return err
	}
	return s.To(c, "/admin/studies/"+h.Row.Slug)
}

// versions lists a study's versions, and what changed from each to the next.
func (s *Room) versions(c echo.Context, h *site.Hosted) error {
	ctx := c.Request().Context()
	frame, err := s.AdminStudyFrame(c, h, "Versions", "/versions")
	if err != nil {
		return err
	}
	rows, err := s.Store.Versions(ctx, h.Row.Slug)
	if err != nil {
		return err
	}
	page := pages.VersionsPage{Admin: frame, Slug: h.Row.Slug, Action: h.Href("/versions"), Codes: site.Allows(frame.Role, site.Researcher)}
	page.May = site.Allows(frame.Role, site.Admin)
	page.CanAdd = page.May && rows[0].Status != store.Draft
	for i, row := range rows {
		v := pages.VersionLine{
			Number: row.Version, Name: row.Name(), Title: row.Title, Status: string(row.Status), Hash: row.Hash, Created: site.Moment(row.CreatedAt), Launched: site.Moment(row.LaunchedAt), Closed: site.Moment(row.ClosedAt),
			Path: s.Base + "/admin/studies/" + row.Name(), Here: row.ID == h.Row.ID, Discard: page.May && row.Status == store.Draft, ID: strconv.FormatInt(row.ID, 10),
		}
		if i+1 < len(rows) {
			v.First = false
			if v.Changes, err = s.changesBetween(c, rows[i+1], row); err != nil {
				return err
			}
		} else {
			v.First = true
		}
		page.Versions = append(page.Versions, v)
	}
	return s.Show(c, http.StatusOK, pages.Versions(page))
}

// mostLines is how many lines of a file's changes are shown.
const mostLines = 300

func (s *Room) changesBetween(c echo.Context, from, to store.Study) ([]pages.FileChange, error) {
	before, err := s.Store.StudyFiles(c.Request().Context(), from.ID)
	if err != nil {
		return nil, err
	}
	after, err := s.Store.StudyFiles(c.Request().Context(), to.ID)
	if err != nil {
		return nil, err
	}
	var list []pages.FileChange
	for _, change := range dataset.Changes(before, after) {
		f := pages.FileChange{File: change.File}
		switch {
		case change.Added:
			f.What = "added"
		case change.Removed:
			f.What = "removed"
		default:
			f.What = fmt.Sprintf("%d lines added, %d removed", change.Plus, change.Minus)
		}
		for i, l := range change.Lines {
			if i == mostLines {
				f.More = len(change.Lines) - mostLines
				break
			}
			f.Lines = append(f.Lines, pages.LineChange{Op: string(l.Op), Text: site.Shorten(l.Text, 400)})
		}
		list = append(list, f)
	}
	return list, nil
}

// changeVersions makes a draft of a study's next version, or discards one.
func (s *Room) changeVersions(c echo.Context, h *site.Hosted) error {
	ctx := c.Request().Context()
	changed := &site.Refusal{Status: http.StatusConflict, Name: "changed", Try: h.AdminPath("/versions")}
	switch c.FormValue("do") {
	case "new":
		row, err := s.Store.NextVersion(ctx, h.Row.Slug, site.ActorOf(c))
		if errors.Is(err, store.ErrConflict) {
			return changed
		}
		if err != nil {
			return err
		}
		return s.To(c, "/admin/studies/"+row.Name()+"/setup")
	case "discard":
		if h.Row.Status != store.Draft {
			return changed
		}
		if err := s.Store.DiscardDraft(ctx, h.Row.ID, site.ActorOf(c)); errors.Is(err, store.ErrConflict) {
			return changed
		} else if err != nil {
			return err
		}
		if h.Row.Version == 1 {
			return s.To(c, "/admin")
		}
		return s.To(c, "/admin/studies/"+h.Row.Slug+"/versions")
	}
	return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request", Try: h.AdminPath("/versions")}
}
