package analyse

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset/studyfile"
	"overton/internal/llm"
	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
	pages "overton/templates/analyse"
	"overton/web/site"
)

// Commands that make run folders.
const (
	kindGenerate = "generate"
	kindJudge    = "judge"
)

// modelRunPath is where a run is shown and its responses get their verdicts.
const modelRunPath = "/admin/models/:run"

// glances are the run folders that were looked at, so that only what they have
// grown by is read. The zero value is ready.
type glances struct {
	mu    sync.Mutex
	known map[string]*llm.Glance
}

// at looks at a run folder. The result is the caller's.
func (g *glances) at(dir string) (llm.Glance, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	glance := g.known[dir]
	if glance == nil || glance.Refresh() != nil { // another run may stand there now
		delete(g.known, dir)
		var err error
		if glance, err = llm.NewGlance(dir); err != nil {
			return llm.Glance{}, err
		}
		if g.known == nil {
			g.known = map[string]*llm.Glance{}
		}
		g.known[dir] = glance
	}
	seen := *glance
	seen.Finish = maps.Clone(glance.Finish)
	return seen, nil
}

// modelRun is a run folder by its name.
type modelRun struct {
	name string
	llm.Glance
}

// modelRuns lists the runs, the one that answered last at the top, and says
// which folders could not be read.
func (s *Room) modelRuns() (runs []modelRun, broken []string, err error) {
	entries, err := os.ReadDir(s.Runs)
	if err != nil {
		return nil, nil, fmt.Errorf("listing the runs: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		glance, err := s.glances.at(filepath.Join(s.Runs, e.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			s.Log.Warn("a run folder cannot be read", "folder", e.Name(), "error", err)
			broken = append(broken, e.Name()+" cannot be read. The server's log has the reason.")
		default:
			runs = append(runs, modelRun{e.Name(), glance})
		}
	}
	slices.SortStableFunc(runs, func(a, b modelRun) int { return b.Last.Compare(a.Last) })
	return runs, broken, nil
}

// modelRun finds the run that a page is about.
func (s *Room) modelRun(c echo.Context) (modelRun, error) {
	none := &site.Refusal{Status: http.StatusNotFound, Name: "not_found"}
	if s.Runs == "" {
		return modelRun{}, none
	}
	runs, _, err := s.modelRuns()
	if err != nil {
		return modelRun{}, err
	}
	at := slices.IndexFunc(runs, func(r modelRun) bool { return r.name == c.Param("run") })
	if at < 0 {
		return modelRun{}, none
	}
	return runs[at], nil
}

func (r modelRun) path() string { return "/admin/models/" + url.PathEscape(r.name) }

func (r modelRun) models() string {
	var names []string
	for _, m := range r.Settings.Models {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

func (r modelRun) progress() pages.ModelRunProgress {
	return pages.ModelRunProgress{Done: r.Answered, Of: r.Planned.Requests}
}

// expected is what the run will have cost at the end, judged by its answers.
func (r modelRun) expected() float64 {
	if left := r.Planned.Requests - r.Answered; r.Answered > 0 && left >= 0 {
		return r.Cost / float64(r.Answered) * float64(r.Planned.Requests)
	}
	return max(r.Cost, r.Planned.Cost)
}

// modelRunsPage lists the runs of language models.
func (s *Room) modelRunsPage(c echo.Context) error {
	if s.Runs == "" {
		return &site.Refusal{Status: http.StatusNotFound, Name: "not_found"}
	}
	runs, broken, err := s.modelRuns()
	if err != nil {
		return err
	}
	page := pages.ModelRunsPage{Admin: s.modelsFrame(c, "Models"), Folder: s.Runs, Broken: broken}
	for _, r := range runs {
		line := pages.ModelRunLine{Name: r.name, Path: r.path(), Kind: r.Settings.Command, Models: site.Shorten(r.models(), 80), Progress: r.progress(), Cost: money(r.Cost), Expected: money(r.expected())}
		if !r.Last.IsZero() {
			line.Last = site.MomentOf(r.Last)
		}
		page.Runs = append(page.Runs, line)
	}
	return s.Show(c, http.StatusOK, pages.ModelRuns(page))
}

func (s *Room) modelsFrame(c echo.Context, title string) templates.Admin {
	frame := s.AdminFrame(c, title)
	frame.Here = "models"
	return frame
}

// money shows an amount in the currency of the models file's prices.
func money(v float64) string {
	if v > 0 && v < 1 {
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// modelRunPage shows one run.
func (s *Room) modelRunPage(c echo.Context) error {
	r, err := s.modelRun(c)
	if err != nil {
		return err
	}
	page := pages.ModelRunPage{Admin: s.modelsFrame(c, r.name), Back: s.Base + "/admin/models", Name: r.name, Kind: r.Settings.Command, Progress: r.progress(), Failed: site.Shorten(r.Failed, 300)}
	if !r.Last.IsZero() {
		page.Last = site.MomentOf(r.Last)
	}
	tokens := fmt.Sprintf("%d of prompts, %d of answers", r.Usage.Prompt, r.Usage.Completion)
	if r.Usage.Estimated {
		tokens += ", partly estimated"
	}
	page.Facts = []templates.Fact{
		{Name: "Kind", Value: r.Settings.Command},
		{Name: "Sent", Value: site.Counted(r.Requests, "request", "requests")},
		{Name: "Without an answer so far", Value: strconv.Itoa(max(0, r.Requests-r.Answered))},
		{Name: "Refused permanently", Value: strconv.Itoa(r.Refused)},
		{Name: "Failed attempts", Value: strconv.Itoa(r.Failures)},
		{Name: "Ended by", Value: finishes(r.Finish)},
		{Name: "Tokens", Value: tokens},
		{Name: "Cost so far", Value: money(r.Cost)},
		{Name: "Expected at the end", Value: money(r.expected())},
	}
	page.Settings = settingFacts(r.Settings)
	if r.Settings.Command == kindGenerate {
		if page.Review, err = s.review(c, r, site.Allows(page.Role, site.Researcher)); err != nil {
			return err
		}
	}
	return s.Show(c, http.StatusOK, pages.ModelRun(page))
}

// finishes counts why answers ended.
func finishes(finish map[string]int) string {
	var said []string
	for reason, n := range finish {
		said = append(said, fmt.Sprintf("%s %d", cmp.Or(reason, "no reason given"), n))
	}
	slices.Sort(said)
	return cmp.Or(strings.Join(said, ", "), "–")
}

func settingFacts(s llm.Settings) []templates.Fact {
	facts := []templates.Fact{{Name: "Program", Value: s.Program}}
	for _, m := range s.Models {
		facts = append(facts, templates.Fact{Name: m.Name, Value: fmt.Sprintf("%s at %s (%s)", m.Model, m.BaseURL, m.Endpoint)})
	}
	sorted := func(values map[string]string, what string) {
		var names []string
		for name := range values {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			facts = append(facts, templates.Fact{Name: what + name, Value: values[name], Code: true})
		}
	}
	parameters := map[string]string{}
	for name, v := range s.Parameters {
		parameters[name] = fmt.Sprint(v)
	}
	sorted(parameters, "")
	sorted(s.Prompts, "prompt ")
	sorted(s.Inputs, "input ")
	return facts
}

// samplesFile is what a command that generates writes when it has ended.
const samplesFile = "samples.csv"

// sampled is a response of a run with what was decided about it.
type sampled struct {
	studyfile.Sample
	store.Sampled
	verdict store.ResponseVerdict
	decided bool
}

// key names a response in a form.
func (r sampled) key() string {
	return strings.Join([]string{url.QueryEscape(r.Sampled.Question), url.QueryEscape(r.Sampled.Model), strconv.Itoa(r.Number), hex.EncodeToString(r.Sampled.Text[:])}, "/")
}

// samples are the responses of a run; nil where it has written none yet.
func (s *Room) samples(c echo.Context, r modelRun) ([]sampled, error) {
	content, err := os.ReadFile(filepath.Join(s.Runs, r.name, samplesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading responses: %w", err)
	}
	list, err := studyfile.ReadSamples(samplesFile, content)
	if err != nil {
		return nil, fmt.Errorf("reading the responses of run %s: %w", r.name, err)
	}
	verdicts, err := s.Store.ResponseVerdicts(c.Request().Context(), r.name)
	if err != nil {
		return nil, err
	}
	all := make([]sampled, len(list))
	for i, sample := range list {
		name := store.Sampled{Question: sample.Question, Model: sample.Model, Sample: sample.Number, Text: sha256.Sum256([]byte(sample.Text))}
		verdict, decided := verdicts[name]
		all[i] = sampled{sample, name, verdict, decided}
	}
	return all, nil
}

// state is the list that a response stands in.
func (r sampled) state() string {
	switch {
	case !r.decided:
		return "waiting"
	case r.verdict.Accepted:
		return "accepted"
	}
	return "rejected"
}

// mostResponses is how many responses are shown at a time.
const mostResponses = 20

// review lists a run's responses, those with flags first.
func (s *Room) review(c echo.Context, r modelRun, mayDecide bool) (*pages.ReviewView, error) {
	all, err := s.samples(c, r)
	if err != nil || all == nil {
		return nil, err
	}
	view := &pages.ReviewView{View: c.QueryParam("view")}
	if view.View != "accepted" && view.View != "rejected" {
		view.View = "waiting"
	}
	counts := map[string]int{}
	var shown []sampled
	for _, sample := range all {
		counts[sample.state()]++
		if sample.state() == "waiting" && len(sample.Flags) == 0 {
			view.Unflagged++
		}
		if sample.state() == view.View {
			shown = append(shown, sample)
		}
	}
	view.Accepted = counts["accepted"]
	view.Double = view.Accepted - len(accepted(all))
	if mayDecide {
		view.Post = s.Base + r.path()
		if view.Accepted > 0 {
			view.Download = s.Base + r.path() + "/responses.csv"
		}
	}
	for _, t := range []struct{ view, name string }{{"waiting", "Waiting"}, {"accepted", "Accepted"}, {"rejected", "Rejected"}} {
		view.Views = append(view.Views, templates.Tab{Name: t.name, Path: r.path() + "?view=" + t.view + "#responses", Count: counts[t.view], Here: t.view == view.View})
	}
	slices.SortStableFunc(shown, func(a, b sampled) int { return cmp.Compare(min(1, len(b.Flags)), min(1, len(a.Flags))) })
	if len(shown) > mostResponses {
		view.More = len(shown) - mostResponses
		shown = shown[:mostResponses]
	}
	for i, sample := range shown {
		line := pages.ReviewedResponse{ID: fmt.Sprintf("response-%d", i+1), Key: sample.key(), Question: cmp.Or(sample.QuestionText, sample.Sample.Question), Model: sample.Sample.Model, Text: sample.Sample.Text,
			Note: fmt.Sprintf("sample %d, %s, ended by %s", sample.Number, site.Counted(sample.Words, "word", "words"), cmp.Or(sample.FinishReason, "no reason given")), Flags: sample.Flags}
		if sample.decided {
			line.Verdict, line.By, line.At = sample.state(), sample.verdict.Email, site.Moment(sample.verdict.At)
		}
		view.Responses = append(view.Responses, line)
	}
	return view, nil
}

// accepted are the responses for a question set: of each model to each question
// the first that is accepted.
func accepted(all []sampled) []study.ModelResponse {
	var responses []study.ModelResponse
	taken := map[[2]string]bool{}
	for _, r := range all {
		place := [2]string{r.Sampled.Question, r.Sampled.Model}
		if r.state() == "accepted" && !taken[place] {
			taken[place] = true
			responses = append(responses, r.ModelResponse)
		}
	}
	return responses
}

// decide accepts or rejects responses of a run.
func (s *Room) decide(c echo.Context) error {
	r, err := s.modelRun(c)
	if err != nil {
		return err
	}
	all, err := s.samples(c, r)
	if err != nil {
		return err
	}
	var about []store.Sampled
	verdict := c.FormValue("verdict")
	for _, sample := range all {
		if verdict == "accept-unflagged" && !sample.decided && len(sample.Flags) == 0 || sample.key() == c.FormValue("response") {
			about = append(about, sample.Sampled)
		}
	}
	if !slices.Contains([]string{"accept", "reject", "accept-unflagged"}, verdict) {
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request"}
	}
	if len(about) == 0 { // the run has since written other responses
		return &site.Refusal{Status: http.StatusConflict, Name: "bad_request"}
	}
	if err := s.Store.JudgeResponses(c.Request().Context(), site.ActorOf(c), r.name, about, verdict != "reject"); err != nil {
		return err
	}
	back := r.path()
	if view := c.FormValue("view"); view != "" {
		back += "?" + url.Values{"view": {view}}.Encode()
	}
	return s.To(c, back+"#responses")
}

// acceptedResponses sends the accepted responses as a study reads them.
func (s *Room) acceptedResponses(c echo.Context) error {
	r, err := s.modelRun(c)
	if err != nil {
		return err
	}
	all, err := s.samples(c, r)
	if err != nil {
		return err
	}
	if err := s.Store.Note(c.Request().Context(), site.ActorOf(c), 0, store.ResponsesReceived, "run "+r.name); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="responses.csv"`)
	return c.Blob(http.StatusOK, "text/csv; charset=utf-8", studyfile.WriteResponses(accepted(all)))
}
