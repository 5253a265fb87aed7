package watch

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	pages "overton/templates/watch"
	"overton/web/site"
)

// longestNote is how long a note on a decision may be, in characters.
const longestNote = 500

// moderation lists statements to accept or reject.
func (s *Room) moderation(c echo.Context, h *site.Hosted, p pages.Page) (err error) {
	ctx := c.Request().Context()
	page := pages.ModerationPage{Page: p}
	if page.Mode, err = s.Store.ModerationMode(ctx, &h.Study.Study, h.Row.ID); err != nil {
		return err
	}
	if page.Waiting, err = s.Store.Waiting(ctx, h.Row.ID); err != nil {
		return err
	}
	number, _ := strconv.Atoi(c.QueryParam("page")) // anything else is the first page
	page.Shown = store.ModerationQuery{
		List:     listOf(c.QueryParam("view"), page.Mode, page.Waiting),
		Question: c.QueryParam("question"), Hint: study.HintKind(c.QueryParam("hint")),
		Text: strings.TrimSpace(c.QueryParam("text")), Limit: pages.MostStatements, Offset: max(0, number-1) * pages.MostStatements,
	}
	list, total, err := s.Store.Moderation(ctx, h.Row.ID, page.Shown)
	if err == nil && len(list) == 0 && total > 0 { // the list has become shorter
		page.Shown.Offset = (total - 1) / pages.MostStatements * pages.MostStatements
		list, total, err = s.Store.Moderation(ctx, h.Row.ID, page.Shown)
	}
	if err != nil {
		return err
	}
	page.Statements, page.Pager = list, pagerOf(c, h.Href("/moderation"), total, pages.MostStatements)
	back := kept(url.Values{
		"view": {string(page.Shown.List)}, "question": {page.Shown.Question},
		"hint": {string(page.Shown.Hint)}, "text": {page.Shown.Text},
	})
	if page.Shown.Offset > 0 {
		back.Set("page", strconv.Itoa(page.Shown.Offset/pages.MostStatements+1))
	}
	page.Query = back.Encode()
	if n, err := strconv.Atoi(c.QueryParam("done")); err == nil {
		page.Done, page.Batch = pages.Decided(n, c.QueryParam("what")), c.QueryParam("batch")
	}
	return s.Show(c, http.StatusOK, pages.Moderation(page))
}

// listOf is the list that was asked for, or else the one that has work to do.
func listOf(view string, mode study.Moderation, waiting store.Waiting) store.ModerationList {
	for _, l := range pages.ModerationLists {
		if string(l.List) == view {
			return l.List
		}
	}
	if mode == study.ModerationBefore || waiting.Pending > 0 {
		return store.ListPending
	}
	return store.ListUnseen
}

// kept is what of a query leads back to a list.
func kept(query url.Values) url.Values {
	back := url.Values{}
	for _, name := range []string{"view", "question", "hint", "text", "page"} {
		if value := query.Get(name); value != "" {
			back.Set(name, value)
		}
	}
	return back
}

// decisionOf reads what a form decides, and on which statements.
func decisionOf(form url.Values) (d store.Decision, statements []string, err error) {
	do, reason := form.Get("do"), form.Get("reason")
	switch {
	case form.Get("accept") != "":
		d.Accept, statements = true, []string{form.Get("accept")}
	case form.Get("reject") != "":
		statements = []string{form.Get("reject")}
		reason = form.Get("reason-" + statements[0])
	case do == "accept-marked":
		d.Accept, statements = true, form["statement"]
	case do == "accept-shown":
		d.Accept, statements = true, form["shown"]
	case do == "reject-marked":
		statements = form["statement"]
		d.Note = site.Shorten(strings.TrimSpace(form.Get("note")), longestNote)
	default:
		return d, nil, badRequest()
	}
	if !d.Accept {
		d.Reason = study.RejectReason(reason)
	}
	if d.Reason != "" && !slices.Contains(study.RejectReasons, d.Reason) || len(statements) > pages.MostStatements {
		return d, nil, badRequest()
	}
	return d, statements, nil
}

func badRequest() error { return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"} }

// decided gives the store's refusal of a decision its page: the statement was
// withdrawn or replaced, or somebody else has decided.
func decided(h *site.Hosted, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return &site.Refusal{Status: http.StatusConflict, Name: "moderated", Try: h.AdminPath("/moderation")}
	}
	return err
}

// moderate accepts or rejects statements and goes back to the list.
func (s *Room) moderate(c echo.Context, h *site.Hosted) error {
	form, err := c.FormParams()
	if err != nil {
		return badRequest()
	}
	d, statements, err := decisionOf(form)
	if err != nil {
		return err
	}
	what := "reject"
	if d.Accept {
		what = "accept"
	}
	if len(statements) == 0 {
		return s.toModeration(c, h, 0, what, 0)
	}
	batch, n, err := s.Store.Moderate(c.Request().Context(), h.Row.ID, statements, d, site.ActorOf(c))
	if err != nil {
		return decided(h, err)
	}
	return s.toModeration(c, h, n, what, batch)
}

// undoModeration takes the decisions of one press back.
func (s *Room) undoModeration(c echo.Context, h *site.Hosted) error {
	batch, err := strconv.ParseInt(c.FormValue("batch"), 10, 64)
	if err != nil {
		return badRequest()
	}
	n, err := s.Store.UndoModeration(c.Request().Context(), h.Row.ID, batch, site.ActorOf(c))
	if err != nil {
		return decided(h, err)
	}
	return s.toModeration(c, h, n, "undo", 0)
}

// toModeration goes back to the list that a form came from, to say what was done
// to n statements. A batch of 0 cannot be undone.
func (s *Room) toModeration(c echo.Context, h *site.Hosted, n int, what string, batch int64) error {
	query, _ := url.ParseQuery(c.FormValue("query")) // a broken one leads to the first list
	back := kept(query)
	back.Set("done", strconv.Itoa(n))
	back.Set("what", what)
	if batch != 0 {
		back.Set("batch", strconv.FormatInt(batch, 10))
	}
	return s.To(c, h.AdminPath("/moderation?"+back.Encode()))
}

// setModeration decides what happens to what is written from now on.
func (s *Room) setModeration(c echo.Context, h *site.Hosted) error {
	mode := study.Moderation(c.FormValue("mode"))
	known := false
	for _, m := range pages.ModerationModes {
		known = known || m.Mode == mode
	}
	if !known || h.Overton() == nil {
		return badRequest()
	}
	err := s.Store.SetModeration(c.Request().Context(), h.Row.ID, mode, site.ActorOf(c))
	if errors.Is(err, store.ErrConflict) {
		return &site.Refusal{Status: http.StatusConflict, Name: "changed", Try: h.AdminPath("")}
	}
	if err != nil {
		return err
	}
	return s.To(c, h.AdminPath("/moderation"))
}
