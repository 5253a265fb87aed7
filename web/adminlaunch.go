package web

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/templates"
)

// askToLaunch shows what is missing and what looks wrong before a launch.
func (s *site) askToLaunch(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	return s.showLaunch(c, http.StatusOK, h, "")
}

func (s *site) showLaunch(c echo.Context, status int, h *hosted, problem string) error {
	frame, err := s.adminStudyFrame(c, h, "Check and launch", "/launch")
	if err != nil {
		return err
	}
	frame.Wrong = problem != ""
	plan, err := s.plan(c, h, h.draft())
	if err != nil {
		return err
	}
	page := templates.LaunchPage{
		Admin: frame, Problem: problem, Draft: h.row.Status == store.Draft, Hash: h.row.Hash, Version: h.row.Version, Doubts: h.Doubts(), Plan: plan,
		Link: s.arrivalLink(c.Request(), h), Action: s.base + h.adminPath("/launch"), Preview: s.base + h.adminPath("/preview"), Setup: s.base + h.adminPath("/setup"), Versions: s.base + h.adminPath("/versions"),
		Monitor: s.base + h.adminPath(""),
	}
	ticked := c.Request().PostForm["accept"]
	for i, gap := range h.Gaps() {
		name := fmt.Sprintf("%s-%d", gap.Name, i)
		page.Gaps = append(page.Gaps, templates.Tick{Name: name, Text: gap.Text, Ticked: slices.Contains(ticked, name)})
	}
	page.Seen = slices.Contains(ticked, "doubts")
	return s.show(c, status, templates.Launch(page))
}

// launch freezes a draft and opens it, once everything that is missing or
// looks wrong was ticked.
func (s *site) launch(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	if h.row.Status != store.Draft {
		return &refusal{status: http.StatusConflict, name: "changed", try: h.adminPath("")}
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
	err = s.Store.LaunchDraft(c.Request().Context(), h.row.Slug, c.FormValue("hash"), h.Questions.Seeds, actorOf(c))
	if errors.Is(err, store.ErrConflict) {
		return s.showLaunch(c, http.StatusConflict, h, "It was not launched: somebody has changed the draft since you opened this page. Look at it as it is now.")
	}
	if err != nil {
		return err
	}
	return s.to(c, "/admin/studies/"+h.row.Slug)
}

// versions lists a study's versions, and what changed from each to the next.
func (s *site) versions(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	frame, err := s.adminStudyFrame(c, h, "Versions", "/versions")
	if err != nil {
		return err
	}
	rows, err := s.Store.Versions(ctx, h.row.Slug)
	if err != nil {
		return err
	}
	page := templates.VersionsPage{Admin: frame, Slug: h.row.Slug, Action: s.base + h.adminPath("/versions"), Codes: adminRoles[frame.Role] >= researcher}
	page.May = adminRoles[frame.Role] >= admin
	page.CanAdd = page.May && rows[0].Status != store.Draft
	for i, row := range rows {
		v := templates.VersionLine{
			Number: row.Version, Name: row.Name(), Title: row.Title, Status: string(row.Status), Hash: row.Hash, Created: moment(row.CreatedAt), Launched: moment(row.LaunchedAt), Closed: moment(row.ClosedAt),
			Path: s.base + "/admin/studies/" + row.Name(), Here: row.ID == h.row.ID, Discard: page.May && row.Status == store.Draft, ID: strconv.FormatInt(row.ID, 10),
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
	return s.show(c, http.StatusOK, templates.Versions(page))
}

// mostLines is how many lines of a file's changes are shown.
const mostLines = 300

func (s *site) changesBetween(c echo.Context, from, to store.Study) ([]templates.FileChange, error) {
	before, err := s.Store.StudyFiles(c.Request().Context(), from.ID)
	if err != nil {
		return nil, err
	}
	after, err := s.Store.StudyFiles(c.Request().Context(), to.ID)
	if err != nil {
		return nil, err
	}
	var list []templates.FileChange
	for _, change := range studyfile.Changes(before, after) {
		f := templates.FileChange{File: change.File}
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
			f.Lines = append(f.Lines, templates.LineChange{Op: string(l.Op), Text: shorten(l.Text, 400)})
		}
		list = append(list, f)
	}
	return list, nil
}

// changeVersions makes a draft of a study's next version, or discards one.
func (s *site) changeVersions(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	changed := &refusal{status: http.StatusConflict, name: "changed", try: h.adminPath("/versions")}
	switch c.FormValue("do") {
	case "new":
		row, err := s.Store.NextVersion(ctx, h.row.Slug, actorOf(c))
		if errors.Is(err, store.ErrConflict) {
			return changed
		}
		if err != nil {
			return err
		}
		return s.to(c, "/admin/studies/"+row.Name()+"/setup")
	case "discard":
		if h.row.Status != store.Draft {
			return changed
		}
		if err := s.Store.DiscardDraft(ctx, h.row.ID, actorOf(c)); errors.Is(err, store.ErrConflict) {
			return changed
		} else if err != nil {
			return err
		}
		if h.row.Version == 1 {
			return s.to(c, "/admin")
		}
		return s.to(c, "/admin/studies/"+h.row.Slug+"/versions")
	}
	return &refusal{status: http.StatusBadRequest, name: "bad_request", try: h.adminPath("/versions")}
}
