package watch

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
	pages "overton/templates/watch"
	"overton/web/site"
)

// mostStatements is how many statements are shown at a time.
const mostStatements = 25

// mostChoices is how many questions a list to choose from can have.
const mostChoices = 100

// longestNote is how long a note on a decision may be, in characters.
const longestNote = 500

var moderationModes = []struct {
	mode        study.Moderation
	name, means string
}{
	{study.ModerationBefore, "Before", "A new statement is shown to other people only after somebody has accepted it."},
	{study.ModerationAfter, "After", "A new statement is shown to other people at once, until somebody rejects it."},
	{study.ModerationOff, "Off", "A new statement is shown at once and nobody is asked to look at it. It can still be rejected."},
}

// reasonWords are the reasons to reject, by what they are called.
var reasonWords = map[study.RejectReason]string{
	study.RejectPersonal: "personal data", study.RejectEmpty: "says nothing", study.RejectOffTopic: "off topic",
	study.RejectOffensive: "offensive", study.RejectCopied: "not their own words",
}

// moderation lists statements to accept or reject.
func (s *Room) moderation(c echo.Context, h *site.Hosted) error {
	ctx := c.Request().Context()
	frame, err := s.AdminStudyFrame(c, h, "Moderation", "/moderation")
	if err != nil {
		return err
	}
	path := h.AdminPath("/moderation")
	page := pages.ModerationPage{Admin: frame, View: c.QueryParam("view"), Text: strings.TrimSpace(c.QueryParam("text")), Draft: h.Row.Status == store.Draft,
		Action: s.Base + path, Post: s.Base + path, Undo: s.Base + path + "/undo"}
	mode, err := s.Store.ModerationMode(ctx, &h.Study.Study, h.Row.ID)
	if err != nil {
		return err
	}
	page.Mode = string(mode)
	for _, m := range moderationModes {
		page.Modes = append(page.Modes, pages.ModeLine{Value: string(m.mode), Name: m.name, Means: m.means, Chosen: m.mode == mode})
	}
	if site.Allows(frame.Role, site.Admin) && !page.Draft && mode != "" {
		page.ModePost = s.Base + path + "/mode"
	}
	waiting, err := s.Store.Waiting(ctx, h.Row.ID)
	if err != nil {
		return err
	}
	views := []struct {
		list store.ModerationList
		name string
		n    int
	}{
		{store.ListPending, "Waiting", waiting.Pending}, {store.ListUnseen, "Shown and not looked at", waiting.Unseen},
		{store.ListRejected, "Rejected", waiting.Rejected}, {store.ListAccepted, "Accepted", waiting.Accepted}, {store.ListAll, "All", 0},
	}
	if !slices.ContainsFunc(views, func(v struct {
		list store.ModerationList
		name string
		n    int
	}) bool {
		return string(v.list) == page.View
	}) {
		page.View = string(store.ListUnseen)
		if mode == study.ModerationBefore || waiting.Pending > 0 {
			page.View = string(store.ListPending)
		}
	}
	for _, v := range views {
		page.Views = append(page.Views, templates.Tab{Name: v.name, Path: path + "?view=" + string(v.list), Count: v.n, Here: string(v.list) == page.View})
	}

	question, hint := c.QueryParam("question"), study.HintKind(c.QueryParam("hint"))
	page.Filtered = question != "" || hint != "" || page.Text != ""
	page.Question = question
	if len(h.Questions.Questions) <= mostChoices {
		page.Questions = append(page.Questions, pages.Choosable{Name: "All", Chosen: question == ""})
		for _, q := range h.Questions.Questions {
			page.Questions = append(page.Questions, pages.Choosable{Value: q.ID, Name: q.ID + ": " + site.Shorten(q.Text, 60), Chosen: q.ID == question})
		}
	}
	page.Hints = []pages.Choosable{{Name: "Anything or nothing", Chosen: hint == ""}, {Value: string(store.HintAny), Name: "Anything", Chosen: hint == store.HintAny}}
	for _, kind := range study.HintKinds {
		page.Hints = append(page.Hints, pages.Choosable{Value: string(kind), Name: hintWords[kind], Chosen: kind == hint})
	}
	for i, reason := range study.RejectReasons {
		page.Reasons = append(page.Reasons, pages.ReasonLine{Value: string(reason), Name: reasonWords[reason], Key: strconv.Itoa(i + 1)})
	}

	query := store.ModerationQuery{List: store.ModerationList(page.View), Question: question, Hint: hint, Text: page.Text, Limit: mostStatements}
	number, _ := strconv.Atoi(c.QueryParam("page")) // what is no number is the first page
	query.Offset = max(0, number-1) * mostStatements
	list, total, err := s.Store.Moderation(ctx, h.Row.ID, query)
	if err == nil && len(list) == 0 && total > 0 { // the list became shorter meanwhile
		query.Offset = (total - 1) / mostStatements * mostStatements
		list, total, err = s.Store.Moderation(ctx, h.Row.ID, query)
	}
	if err != nil {
		return err
	}
	page.Pages = listPages(c, path, total, mostStatements)
	keep := url.Values{"view": {page.View}}
	for name, value := range map[string]string{"question": question, "hint": string(hint), "text": page.Text} {
		if value != "" {
			keep.Set(name, value)
		}
	}
	if query.Offset > 0 {
		keep.Set("page", strconv.Itoa(query.Offset/mostStatements+1))
	}
	page.Query = keep.Encode()
	for _, m := range list {
		page.Statements = append(page.Statements, statementView(h, m, site.Allows(frame.Role, site.Researcher)))
	}
	if n, err := strconv.Atoi(c.QueryParam("done")); err == nil {
		page.Done = statementsWere(n, c.QueryParam("what"))
		page.Batch = c.QueryParam("batch")
	}
	return s.Show(c, http.StatusOK, pages.Moderation(page))
}

// statementsWere says what was just done.
func statementsWere(n int, what string) string {
	verb, known := map[string]string{"accept": "accepted", "reject": "rejected", "undo": "put back where it was"}[what]
	switch {
	case !known:
		return ""
	case n == 0:
		return "Nothing was marked."
	case n == 1:
		return "One statement was " + verb + "."
	case what == "undo":
		verb = "put back where they were"
	}
	return fmt.Sprintf("%d statements were %s.", n, verb)
}

// statementView words one statement.
func statementView(h *site.Hosted, m store.Moderated, mayFollow bool) pages.StatementView {
	q, _ := h.Questions.Question(m.Question)
	v := pages.StatementView{
		ID: m.ID, Question: q.Text, QuestionID: q.ID, Virtual: m.Virtual, Author: m.Author, Written: site.MomentOf(m.Created), Parts: textParts(m.Text),
		Votes:  fmt.Sprintf("%d agree, %d disagree, %d neutral", m.Agree, m.Disagree, m.Neutral),
		Accept: m.State != study.StatementServed || !m.Seen, Reject: m.State != study.StatementRejected,
	}
	if m.Author == "" {
		v.Author = "seed"
	} else if mayFollow {
		v.AuthorTo = submissionPath(h, m.Author)
	}
	for _, part := range v.Parts {
		if part.Hint != "" && !slices.Contains(v.Hints, part.Hint) {
			v.Hints = append(v.Hints, part.Hint)
		}
	}
	if d := m.Verdict; d != nil && m.Seen {
		if v.Verdict = "Accepted"; !d.Accepted {
			v.Verdict = "Rejected"
			if words := reasonWords[d.Reason]; words != "" {
				v.Verdict += " (" + words + ")"
			}
		}
		if d.By != "" {
			v.Verdict += " by " + d.By
		}
		v.VerdictAt, v.Note = site.Moment(d.At), d.Note
	}
	return v
}

// moderate accepts or rejects statements and goes back to the list.
func (s *Room) moderate(c echo.Context, h *site.Hosted) error {
	form, err := c.FormParams()
	if err != nil {
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	}
	var d store.Decision
	var statements []string
	one := func(name string) bool { return form.Get(name) != "" }
	reason := form.Get("reason")
	switch do := form.Get("do"); {
	case one("accept"):
		d.Accept, statements = true, []string{form.Get("accept")}
	case one("reject"):
		statements = []string{form.Get("reject")}
		reason = form.Get("reason-" + statements[0])
	case do == "accept-marked":
		d.Accept, statements = true, form["statement"]
	case do == "accept-shown":
		d.Accept, statements = true, form["shown"]
	case do == "reject-marked":
		statements = form["statement"]
	default:
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	}
	if !d.Accept {
		d.Reason = study.RejectReason(reason)
		if reason != "" && !slices.Contains(study.RejectReasons, d.Reason) {
			return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
		}
		if !one("reject") {
			d.Note = site.Shorten(strings.TrimSpace(form.Get("note")), longestNote)
		}
	}
	what := map[bool]string{true: "accept", false: "reject"}[d.Accept]
	if len(statements) == 0 {
		return s.toModeration(c, h, 0, what, 0)
	}
	if len(statements) > mostStatements {
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	}
	batch, n, err := s.Store.Moderate(c.Request().Context(), h.Row.ID, statements, d, site.ActorOf(c))
	if errors.Is(err, store.ErrNotFound) { // withdrawn, replaced or decided meanwhile
		return &site.Refusal{Status: http.StatusConflict, Name: "moderated", Try: h.AdminPath("/moderation")}
	}
	if err != nil {
		return err
	}
	return s.toModeration(c, h, n, what, batch)
}

// toModeration goes back to the list that a form came from, to say what was
// done.
func (s *Room) toModeration(c echo.Context, h *site.Hosted, n int, what string, batch int64) error {
	query, err := url.ParseQuery(c.FormValue("query"))
	if err != nil {
		query = url.Values{}
	}
	back := url.Values{"done": {strconv.Itoa(n)}, "what": {what}}
	for _, name := range []string{"view", "question", "hint", "text", "page"} {
		if value := query.Get(name); value != "" {
			back.Set(name, value)
		}
	}
	if batch != 0 {
		back.Set("batch", strconv.FormatInt(batch, 10))
	}
	return s.To(c, h.AdminPath("/moderation?"+back.Encode()))
}

// undoModeration takes the decisions of one press back.
func (s *Room) undoModeration(c echo.Context, h *site.Hosted) error {
	batch, err := strconv.ParseInt(c.FormValue("batch"), 10, 64)
	if err != nil {
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	}
	n, err := s.Store.UndoModeration(c.Request().Context(), h.Row.ID, batch, site.ActorOf(c))
	if errors.Is(err, store.ErrNotFound) {
		return &site.Refusal{Status: http.StatusConflict, Name: "moderated", Try: h.AdminPath("/moderation")}
	}
	if err != nil {
		return err
	}
	return s.toModeration(c, h, n, "undo", 0)
}

// setModeration decides what happens to what is written from now on.
func (s *Room) setModeration(c echo.Context, h *site.Hosted) error {
	mode := study.Moderation(c.FormValue("mode"))
	known := false
	for _, m := range moderationModes {
		known = known || m.mode == mode
	}
	if !known || h.Overton() == nil {
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
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
