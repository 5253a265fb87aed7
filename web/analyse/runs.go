package analyse

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"overton/internal/cluster"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/window"
	"overton/templates"
	pages "overton/templates/analyse"
	"overton/web/site"
)

// startRun queues a run and returns its id.
func (s *Room) startRun(ctx context.Context, h *site.Hosted, name, note string, o window.Options, by store.Actor) (int64, error) {
	asked, err := window.Asked(name, note, o)
	if err != nil {
		return 0, err
	}
	return s.jobs.Ask(ctx, h.Row.ID, asked, by)
}

// Longest name and note of a run, in characters.
const (
	longestRunName = 100
	longestRunNote = 2000
)

// runNames reads a run's name and note out of a form.
func runNames(c echo.Context) (name, note, problem string) {
	name, note = strings.TrimSpace(c.FormValue("name")), strings.TrimSpace(c.FormValue("note"))
	switch {
	case utf8.RuneCountInString(name) > longestRunName:
		problem = fmt.Sprintf("Enter a name of at most %d characters.", longestRunName)
	case utf8.RuneCountInString(note) > longestRunNote:
		problem = fmt.Sprintf("Enter a note of at most %d characters.", longestRunNote)
	}
	return name, note, problem
}

// newRun asks for a run; with ?like=ID it starts from another's parameters.
func (s *Room) newRun(c echo.Context, h *site.Hosted) error {
	o := window.DefaultOptions()
	page := pages.NewRunPage{}
	if c.QueryParam("like") != "" {
		run, err := s.run(c, h, c.QueryParam("like"))
		if err != nil {
			return err
		}
		if o, err = window.Parameters(run); err != nil {
			return err
		}
		page.Like, page.Name, page.Note = runTitle(run), run.Name, run.Note
	}
	return s.askForRun(c, h, http.StatusOK, page, o, nil)
}

// analyse starts a run from the form, all of whose fields may be missing.
func (s *Room) analyse(c echo.Context, h *site.Hosted) error {
	o, problem := runOptions(c)
	name, note, wrong := runNames(c)
	if problem == "" {
		problem = wrong
	}
	if o.Questions != nil { // in the order of the study, each once
		var ids []string
		for _, q := range h.Questions.Questions {
			if slices.Contains(o.Questions, q.ID) {
				ids = append(ids, q.ID)
			}
		}
		if o.Questions = ids; ids == nil && problem == "" {
			problem = "Choose at least one question of the study, or all."
		}
	}
	if problem == "" {
		if err := o.Check(); err != nil {
			problem = site.Sentence(err.Error())
		}
	}
	if problem != "" {
		return s.askForRun(c, h, http.StatusUnprocessableEntity, pages.NewRunPage{Problem: problem, Name: name, Note: note}, o, c.Request().PostForm)
	}
	id, err := s.startRun(c.Request().Context(), h, name, note, o, site.ActorOf(c))
	if err != nil {
		return err
	}
	return s.To(c, h.RunPath(id))
}

// runOptions reads the parameters of a run out of a form. A field that is
// missing has its default.
func runOptions(c echo.Context) (o window.Options, problem string) {
	o = window.DefaultOptions()
	text := func(name string, set func(string)) {
		if v := strings.TrimSpace(c.FormValue(name)); v != "" {
			set(v)
		}
	}
	wrong := func(name, value, expected string) {
		if problem == "" {
			problem = fmt.Sprintf("%s is %q; expected %s.", runLabels[name], site.Shorten(value, 40), expected)
		}
	}
	whole := func(name string, into *int) {
		text(name, func(v string) {
			n, err := strconv.Atoi(v)
			if err != nil {
				wrong(name, v, "a whole number")
			}
			*into = n
		})
	}
	text("method", func(v string) { o.Cluster.Method = cluster.Method(v) })
	text("missing", func(v string) { o.Score.Missing = score.Missing(v) })
	text("people", func(v string) { o.People = window.People(v) })
	text("k", func(v string) {
		if v == "auto" {
			return
		}
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			wrong("k", v, "a number from 1 on, or auto")
		}
		o.Cluster.K = n
	})
	whole("kmax", &o.Cluster.KMax)
	whole("min_votes", &o.Cluster.MinVotes)
	whole("bootstrap", &o.Score.Bootstrap)
	whole("regroupings", &o.Regroupings)
	text("seed", func(v string) {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			wrong("seed", v, "a whole number of 0 or more")
		}
		o.Cluster.Seed = n
	})
	o.Score.Seed = o.Cluster.Seed
	text("tau", func(v string) {
		x, err := strconv.ParseFloat(strings.Replace(v, ",", ".", 1), 64)
		if err != nil || !(x >= 1 && x <= 5) {
			wrong("tau", v, "a rating from 1 to 5")
		}
		o.Score.Tau = x
	})
	if c.FormValue("scope") == "some" {
		o.Questions = append([]string{}, c.Request().PostForm["question"]...)
	}
	return o, problem
}

// runLabels name the fields of the form, also in problems.
var runLabels = map[string]string{
	"method": "How groups are found", "k": "Number of groups", "kmax": "Most groups tried", "min_votes": "Fewest votes", "people": "Whose answers",
	"tau": "Threshold", "missing": "Groups without a rating", "bootstrap": "Resamples of questions", "regroupings": "Resamples of people", "seed": "Seed",
}

// askForRun shows the form with parameters in it. typed is what came with the
// form before, where something was wrong with it.
func (s *Room) askForRun(c echo.Context, h *site.Hosted, status int, page pages.NewRunPage, o window.Options, typed map[string][]string) error {
	frame, err := s.AdminStudyFrame(c, h, "New run", "/analysis")
	if err != nil {
		return err
	}
	people, virtual, err := s.Store.Complete(c.Request().Context(), h.Row.ID)
	if err != nil {
		return err
	}
	page.Admin, page.Post, page.Back = frame, h.Href("/analysis"), h.Href("/analysis")
	page.Wrong = page.Problem != ""
	taken := people
	if o.People == window.Virtual || o.People == window.Auto && people == 0 {
		taken = virtual
	}
	questions := len(h.Questions.Questions)
	each := 0
	if b := h.Overton(); b != nil && questions > 0 {
		each = taken * min(b.QuestionsPerParticipant, questions) / questions
	}
	d := window.DefaultOptions()
	withoutDrawing := d
	withoutDrawing.Regroupings = 0
	page.Expect = fmt.Sprintf("With the values below it takes about %s on two cores, for the %s so far. It waits while another run is in progress. You do not have to stay on this page.",
		inWords(o.Expect(questions, each)), site.Counted(taken, "submission that is complete", "submissions that are complete"))
	value := func(name, now string) string {
		if v := typed[name]; len(v) > 0 {
			return v[0]
		}
		return now
	}
	number := func(name, now, min, max, step, hint string) {
		page.Fields = append(page.Fields, pages.RunField{Name: name, Label: runLabels[name], Hint: hint, Value: value(name, now), Min: min, Max: max, Step: step})
	}
	choice := func(name, now, hint string, choices ...[2]string) {
		f := pages.RunField{Name: name, Label: runLabels[name], Hint: hint}
		for _, v := range choices {
			f.Choices = append(f.Choices, pages.RunChoice{Value: v[0], Label: v[1], Chosen: v[0] == value(name, now)})
		}
		page.Fields = append(page.Fields, f)
	}
	k := "auto"
	if o.Cluster.K > 0 {
		k = strconv.Itoa(o.Cluster.K)
	}
	choice("people", string(o.People), "Only complete submissions count. People and virtual participants are never mixed.",
		[2]string{"auto", "people, or virtual participants if nobody has finished"}, [2]string{"real", "people"}, [2]string{"virtual", "virtual participants"})
	choice("method", string(o.Cluster.Method), "Block also uses who wrote each statement. It finds planted groups best if people cast about 15 votes each, and takes ten times as long.",
		[2]string{"block", "block: votes and authorship"}, [2]string{"overton", "overton: projection and k-means, one group possible"},
		[2]string{"paper", "paper: as published, never one group"}, [2]string{"polis", "polis: the steps of Polis"})
	number("k", k, "", "", "", "Enter auto to let the votes decide. A number gives every question that many groups, even if the data do not show them.")
	number("kmax", strconv.Itoa(o.Cluster.KMax), "1", "100", "1", "If the votes decide, no question gets more groups than this.")
	number("min_votes", strconv.Itoa(o.Cluster.MinVotes), "0", "1000", "1", "People with fewer votes on a question are left out of its groups. A lower number keeps more people in, but makes groups less certain.")
	number("tau", strconv.FormatFloat(o.Score.Tau, 'g', -1, 64), "1", "5", "any", "A group is covered if its mean rating is at or above this. The paper uses 4; a lower number covers more groups.")
	choice("missing", string(o.Score.Missing), "What to do with a group in which nobody rated a model.", [2]string{"uncovered", "counts as not covered"}, [2]string{"drop", "is left out for that model"})
	number("bootstrap", strconv.Itoa(o.Score.Bootstrap), "0", "10000", "1", "For the published interval: how scores vary with other questions. Enter 0 for none. This takes almost no time.")
	number("regroupings", strconv.Itoa(o.Regroupings), "0", "10000", "1",
		fmt.Sprintf("For the interval for other people: the groups are found again in each resample. This takes most of the time; without it the run takes about %s. With fewer than 100, intervals are unstable.", inWords(withoutDrawing.Expect(questions, each))))
	number("seed", strconv.FormatUint(o.Cluster.Seed, 10), "0", "", "1", "The start of every random choice. The same data, parameters and seed give exactly the same result.")
	page.All = o.Questions == nil
	for _, q := range h.Questions.Questions {
		page.Questions = append(page.Questions, pages.RunChoice{Value: q.ID, Label: site.Shorten(q.Text, 120), Chosen: slices.Contains(o.Questions, q.ID)})
	}
	return s.Show(c, status, pages.NewRun(page))
}

// run finds one of a study's analyses by the id in an address.
func (s *Room) run(c echo.Context, h *site.Hosted, id string) (store.Run, error) {
	run, err := s.anyRun(c, h, id)
	if err == nil && run.Kind != window.RunKind {
		err = &site.Refusal{Status: http.StatusNotFound, Name: "no_run", Try: h.AdminPath("/runs")}
	}
	return run, err
}

// anyRun finds one of a study's runs, of whatever kind.
func (s *Room) anyRun(c echo.Context, h *site.Hosted, id string) (store.Run, error) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return store.Run{}, &site.Refusal{Status: http.StatusNotFound, Name: "no_run", Try: h.AdminPath("/runs")}
	}
	run, err := s.Store.Run(c.Request().Context(), h.Row.ID, n)
	if errors.Is(err, store.ErrNotFound) {
		err = &site.Refusal{Status: http.StatusNotFound, Name: "no_run", Try: h.AdminPath("/runs")}
	}
	return run, err
}

// inRun hands a handler the study and the run that its path names.
func (s *Room) inRun(handler func(echo.Context, *site.Hosted, store.Run) error) echo.HandlerFunc {
	return s.InStudy(func(c echo.Context, h *site.Hosted) error {
		run, err := s.run(c, h, c.Param("id"))
		if err != nil {
			return err
		}
		return handler(c, h, run)
	})
}

// inResult hands a handler the result of the run, too.
func (s *Room) inResult(handler func(echo.Context, *site.Hosted, store.Run, *window.Result) error) echo.HandlerFunc {
	return s.inRun(func(c echo.Context, h *site.Hosted, run store.Run) error {
		if run.State != store.RunDone {
			return &site.Refusal{Status: http.StatusNotFound, Name: "no_result", Try: h.RunPath(run.ID)}
		}
		result, err := window.ReadResult(run)
		if err != nil {
			return err
		}
		return handler(c, h, run, result)
	})
}

// runTitle is how pages call a run.
func runTitle(r store.Run) string {
	if r.Name != "" {
		return r.Name
	}
	return fmt.Sprintf("Run %d", r.ID)
}

// viewRun words a run for a reader with a role. complete are the submissions
// that could be taken now: of people, and of virtual participants.
func (s *Room) viewRun(h *site.Hosted, r store.Run, who site.Role, people, virtual int) (pages.RunView, error) {
	o, err := window.Parameters(r)
	if err != nil {
		return pages.RunView{}, err
	}
	v := s.viewJob(h, r, who)
	v.Path, v.Method, v.Groups = s.Base+h.RunPath(r.ID), string(o.Cluster.Method), "auto"
	if o.Cluster.K > 0 {
		v.Groups = strconv.Itoa(o.Cluster.K)
	}
	if r.EndedAt > r.StartedAt && r.StartedAt > 0 {
		v.Took = inWords(time.Duration(r.EndedAt-r.StartedAt) * time.Millisecond)
	}
	if r.State == store.RunDone {
		v.People = strconv.Itoa(r.Complete)
		if r.Virtual {
			v.People += " virtual"
		}
		v.Changed = changedSince(r, o, people, virtual)
	}
	if who >= site.Researcher {
		if r.State.Ended() {
			v.Again = v.Path + "/again"
		}
		v.Edit = v.Path + "/name"
	}
	if who >= site.Admin && r.State.Ended() {
		v.Delete = v.Path + "/delete"
	}
	return v, nil
}

// changedSince says what became of the data that a run took.
func changedSince(r store.Run, o window.Options, people, virtual int) string {
	now, one, many := people, "more person finished since", "more people finished since"
	if r.Virtual {
		if o.People == window.Auto && people > 0 {
			return site.Counted(people, "person", "people") + " finished since; the run took virtual participants"
		}
		now, one, many = virtual, "more virtual participant finished since", "more virtual participants finished since"
	}
	switch {
	case now > r.Complete:
		return site.Counted(now-r.Complete, one, many)
	case now < r.Complete:
		return site.Counted(r.Complete-now, "of its submissions no longer exists", "of its submissions no longer exist")
	}
	return ""
}

// viewRuns words all runs of a study, the newest first.
func (s *Room) viewRuns(c echo.Context, h *site.Hosted) ([]pages.RunView, error) {
	ctx := c.Request().Context()
	runs, err := s.Store.Runs(ctx, h.Row.ID, window.RunKind)
	if err != nil {
		return nil, err
	}
	people, virtual, err := s.Store.Complete(ctx, h.Row.ID)
	if err != nil {
		return nil, err
	}
	var views []pages.RunView
	for _, r := range runs {
		v, err := s.viewRun(h, r, roleOf(c), people, virtual)
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

// roleOf is the role of who is signed in.
func roleOf(c echo.Context) site.Role { return site.AdminRoles[site.AccountOf(c).Role] }

// runs lists the runs of a study.
func (s *Room) runs(c echo.Context, h *site.Hosted) error {
	frame, err := s.AdminStudyFrame(c, h, "Runs", "/analysis")
	if err != nil {
		return err
	}
	page := pages.RunsPage{Admin: frame, Compare: h.Href("/runs/compare")}
	if roleOf(c) >= site.Researcher {
		page.New = h.Href("/runs/new")
	}
	if page.Runs, err = s.viewRuns(c, h); err != nil {
		return err
	}
	for _, r := range page.Runs {
		if r.Done {
			page.Comparable++
		}
	}
	return s.Show(c, http.StatusOK, pages.Runs(page))
}

// showRun shows one run, and what came out of it.
func (s *Room) showRun(c echo.Context, h *site.Hosted, run store.Run) error {
	ctx := c.Request().Context()
	frame, err := s.AdminStudyFrame(c, h, runTitle(run), "/analysis")
	if err != nil {
		return err
	}
	page := pages.RunPage{Admin: frame, Back: h.Href("/runs"), Compare: h.Href("/runs/compare"), Most: longestRunNote}
	all, err := s.viewRuns(c, h)
	if err != nil {
		return err
	}
	for _, v := range all {
		switch {
		case v.ID == run.ID:
			page.Run = v
		case v.Done:
			page.Others = append(page.Others, v)
		}
	}
	if run.State != store.RunDone {
		o, err := window.Parameters(run)
		if err != nil {
			return err
		}
		page.Facts = optionFacts(o)
		return s.Show(c, http.StatusOK, pages.Run(page))
	}
	if err := s.sameAs(ctx, h, &page.Run); err != nil {
		return err
	}
	result, err := window.ReadResult(run)
	if err != nil {
		return err
	}
	page.Result = s.viewResult(h, run, result)
	if page.Download = roleOf(c) >= site.Researcher; page.Download {
		page.JSON = page.Run.Path + "/result.json"
		if result.Score != nil {
			page.Report = page.Run.Path + "/report.html"
		}
	}
	return s.Show(c, http.StatusOK, pages.Run(page))
}

// sameAs points to an earlier run with the same result.
func (s *Room) sameAs(ctx context.Context, h *site.Hosted, v *pages.RunView) error {
	first, err := s.Store.SameResult(ctx, h.Row.ID, v.ID)
	if first != 0 {
		v.Same = &templates.Tab{Name: fmt.Sprintf("run %d", first), Path: s.Base + h.RunPath(first)}
	}
	return err
}

// progress tells the page's script how far a run of any kind is.
func (s *Room) progress(c echo.Context, h *site.Hosted) error {
	run, err := s.anyRun(c, h, c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s.progressOf(run))
}

// cancelRun ends a run of any kind, and goes to the page that shows it.
func (s *Room) cancelRun(c echo.Context, h *site.Hosted) error {
	run, err := s.anyRun(c, h, c.Param("id"))
	if err != nil {
		return err
	}
	page := h.RunPath(run.ID)
	switch run.Kind {
	case window.SurveyRunKind:
		page = h.AdminPath("/surveys")
	case window.JudgeRunKind:
		page = h.AdminPath("/judge")
	}
	err = s.jobs.Cancel(c.Request().Context(), h.Row.ID, run.ID, site.ActorOf(c))
	if errors.Is(err, store.ErrConflict) {
		return &site.Refusal{Status: http.StatusConflict, Name: "run_ended", Try: page}
	}
	if err != nil {
		return err
	}
	return s.To(c, page)
}

// runAgain starts a run with the same parameters.
func (s *Room) runAgain(c echo.Context, h *site.Hosted, run store.Run) error {
	o, err := window.Parameters(run)
	if err != nil {
		return err
	}
	id, err := s.startRun(c.Request().Context(), h, run.Name, run.Note, o, site.ActorOf(c))
	if err != nil {
		return err
	}
	return s.To(c, h.RunPath(id))
}

// renameRun gives a run another name and note.
func (s *Room) renameRun(c echo.Context, h *site.Hosted, run store.Run) error {
	name, note, problem := runNames(c)
	if problem != "" {
		return &site.Refusal{Status: http.StatusUnprocessableEntity, Name: "run_name", Try: h.RunPath(run.ID)}
	}
	if err := s.Store.RenameRun(c.Request().Context(), h.Row.ID, run.ID, name, note, site.ActorOf(c)); err != nil {
		return err
	}
	return s.To(c, h.RunPath(run.ID))
}

// deleteRun removes a run permanently.
func (s *Room) deleteRun(c echo.Context, h *site.Hosted, run store.Run) error {
	err := s.Store.DeleteRun(c.Request().Context(), h.Row.ID, run.ID, site.ActorOf(c))
	if errors.Is(err, store.ErrNotFound) { // it is computed
		return &site.Refusal{Status: http.StatusConflict, Name: "run_runs", Try: h.RunPath(run.ID)}
	}
	if err != nil {
		return err
	}
	return s.To(c, h.AdminPath("/runs"))
}
