package web

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// mostStatements is how many statements are shown at a time.
const mostStatements = 25

// moderationViews are the lists of statements to look at, by name.
var moderationViews = map[string]study.StatementState{
	"pending": study.StatementPending, "served": study.StatementServed, "rejected": study.StatementRejected,
}

// moderation lists statements to accept or reject.
func (s *site) moderation(c echo.Context) error {
	ctx := c.Request().Context()
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	frame, err := s.adminStudyFrame(c, h, "Moderation", "/moderation")
	if err != nil {
		return err
	}
	page := templates.ModerationPage{Admin: frame, Post: s.base + h.adminPath("/moderation"), View: c.QueryParam("view")}
	if o := h.Overton(); o != nil {
		page.Mode = string(o.Moderation)
	}
	state, ok := moderationViews[page.View]
	if !ok {
		page.View = "served"
		if page.Mode == string(study.ModerationBefore) {
			page.View = "pending"
		}
		state = moderationViews[page.View]
	}
	waiting, err := s.Store.Waiting(ctx, h.row.ID)
	if err != nil {
		return err
	}
	for _, v := range []struct {
		view, name string
		n          int
	}{{"pending", "Waiting", waiting.Pending}, {"served", "Shown and not looked at", waiting.Unseen}, {"rejected", "Rejected", waiting.Rejected}} {
		page.Views = append(page.Views, templates.Tab{Name: v.name, Path: h.adminPath("/moderation?view=" + v.view), Count: v.n, Here: v.view == page.View})
	}
	statements, err := s.Store.Queue(ctx, h.row.ID, state, mostStatements+1)
	if err != nil {
		return err
	}
	if page.More = len(statements) > mostStatements; page.More {
		statements = statements[:mostStatements]
	}
	for _, st := range statements {
		q, _ := h.Questions.Question(st.Question)
		page.Statements = append(page.Statements, templates.Moderated{
			ID: st.ID, Question: q.Text, Text: st.Text, Virtual: st.Virtual, Written: momentOf(st.Created),
			Votes:  fmt.Sprintf("%d agree, %d disagree, %d neutral", st.Agree, st.Disagree, st.Neutral),
			Accept: true, Reject: st.State != study.StatementRejected,
		})
	}
	return s.show(c, http.StatusOK, templates.Moderation(page))
}

// moderate accepts or rejects one statement and goes back to the list.
func (s *site) moderate(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	verdict := c.FormValue("verdict")
	if verdict != "accept" && verdict != "reject" {
		return &refusal{status: http.StatusBadRequest, name: "bad_request"}
	}
	err = s.Store.Moderate(c.Request().Context(), h.row.ID, c.FormValue("statement"), verdict == "accept", actorOf(c))
	if errors.Is(err, store.ErrNotFound) { // withdrawn or replaced meanwhile
		return &refusal{status: http.StatusConflict, name: "changed", try: h.adminPath("/moderation")}
	}
	if err != nil {
		return err
	}
	view := c.FormValue("view")
	if _, ok := moderationViews[view]; !ok {
		return s.to(c, h.adminPath("/moderation"))
	}
	return s.to(c, h.adminPath("/moderation?view="+view))
}
