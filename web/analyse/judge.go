package analyse

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/dataset/votes"
	"overton/internal/figure"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/window"
	"overton/templates"
	pages "overton/templates/analyse"
	"overton/web/site"
)

// judgePath is where a judge is held against a study's people.
const judgePath = "/admin/studies/:slug/judge"

// predictionsFile is what a judge's run writes when it has ended.
const predictionsFile = "predictions.csv"

// judge shows the latest judge against the people of a study.
func (s *Room) judge(c echo.Context, h *site.Hosted) error {
	page, err := s.judgePage(c, h)
	if err != nil {
		return err
	}
	return s.Show(c, http.StatusOK, pages.Judge(*page))
}

func (s *Room) judgePage(c echo.Context, h *site.Hosted) (*pages.JudgePage, error) {
	frame, err := s.AdminStudyFrame(c, h, "Judge", "/judge")
	if err != nil {
		return nil, err
	}
	page := &pages.JudgePage{Admin: frame}
	if site.Allows(frame.Role, site.Researcher) {
		page.Post = h.Href("/judge")
		if page.Runs, err = s.judgeRuns(); err != nil {
			return nil, err
		}
	}
	if page.Jobs, err = s.standingOf(c, h, window.JudgeRunKind); err != nil {
		return nil, err
	}
	result, run, err := window.LatestJudged(c.Request().Context(), s.Store, h.Row)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return page, nil
	case err != nil:
		return nil, err
	}
	page.Made = site.Moment(run.CreatedAt)
	fillJudge(page, h, result)
	return page, nil
}

// judgeRuns are the names of runs that hold predictions.
func (s *Room) judgeRuns() ([]string, error) {
	if s.Runs == "" {
		return nil, nil
	}
	runs, _, err := s.modelRuns()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, r := range runs {
		if _, err := os.Stat(filepath.Join(s.Runs, r.name, predictionsFile)); r.Settings.Command == kindJudge && err == nil {
			names = append(names, r.name)
		}
	}
	return names, nil
}

// compareJudge reads predictions and asks for a run that compares them with
// people. What is wrong with the file is shown at once.
func (s *Room) compareJudge(c echo.Context, h *site.Hosted) error {
	ctx := c.Request().Context()
	page, err := s.judgePage(c, h)
	if err != nil {
		return err
	}
	if len(page.Unfinished) > 0 { // it was sent twice
		return s.To(c, h.AdminPath("/judge"))
	}
	file, content, err := s.predictions(c.Request(), page.Runs)
	if err == nil {
		_, err = window.ReadJudge(ctx, s.Store, h.Row, h.Study, file, content)
	}
	var problem *site.UploadError
	var faults dataset.Faults
	var fault dataset.Fault
	switch {
	case errors.As(err, &problem):
		page.Problem = problem.Error()
	case errors.As(err, &faults):
		page.Faults, page.More = site.FaultLines(faults)
	case errors.As(err, &fault):
		page.Faults, page.More = site.FaultLines(dataset.Faults{fault})
	case errors.Is(err, window.ErrNobody):
		page.Problem = "Nobody has finished the study yet, so there is nobody to compare a judge with."
	case errors.Is(err, window.ErrUnpredicted):
		page.Problem = site.Sentence(err.Error())
	case err != nil:
		return err
	}
	if page.Wrong = page.Problem != "" || len(page.Faults) > 0; page.Wrong {
		return s.Show(c, http.StatusUnprocessableEntity, pages.Judge(*page))
	}
	parameters, err := json.Marshal(file)
	if err != nil {
		return err
	}
	asked := store.NewRun{Kind: window.JudgeRunKind, Name: site.Shorten(file.File, longestRunName), Parameters: parameters, Sent: content}
	if _, err := s.jobs.Ask(ctx, h.Row.ID, asked, site.ActorOf(c)); err != nil {
		return err
	}
	return s.To(c, h.AdminPath("/judge"))
}

// predictions are those of the run or the file that somebody chose.
func (s *Room) predictions(r *http.Request, runs []string) (file window.JudgeFile, content []byte, err error) {
	var large *http.MaxBytesError
	switch err := r.ParseMultipartForm(site.MaxBody); {
	case errors.As(err, &large):
		return file, nil, site.Unusable("The file is larger than %d MB.", site.MaxUpload>>20)
	case err != nil:
		return file, nil, site.Unusable("The file did not arrive complete. Send it again.")
	}
	defer r.MultipartForm.RemoveAll()
	file.Column = votes.DefaultRatingColumn
	if r.PostFormValue("calibrated") != "" {
		file.Column = votes.CalibratedColumn
	}
	if run := r.PostFormValue("run"); run != "" {
		if !slices.Contains(runs, run) {
			return file, nil, site.Unusable("This run of a judge no longer exists.")
		}
		file.File = run + "/" + predictionsFile
		if content, err = os.ReadFile(filepath.Join(s.Runs, run, predictionsFile)); err != nil {
			return file, nil, fmt.Errorf("reading predictions: %w", err)
		}
		return file, content, nil
	}
	sent := r.MultipartForm.File["file"]
	if len(sent) == 0 {
		return file, nil, site.Unusable("Choose a file of predictions.")
	}
	file.File = sent[0].Filename
	content, err = readPart(sent[0])
	return file, content, err
}

// shunsHigh is the share of people's high ratings below which a judge's own
// share is worth a warning.
const shunsHigh = 0.5

// fillJudge words a comparison.
func fillJudge(page *pages.JudgePage, h *site.Hosted, r *window.Judged) {
	page.Virtual = r.People.Virtual
	page.People, page.LeftOut = countedPeople(r.People)
	j := r.Judge
	if j.Judge.Dropped > 0 {
		page.LeftOut = append(page.LeftOut, site.Counted(j.Judge.Dropped, "rating without a prediction", "ratings without a prediction"))
	}
	page.HumanHigh = share(j.Judge.HumanHigh)
	if float64(j.Judge.JudgeHigh) < shunsHigh*float64(j.Judge.HumanHigh) {
		page.Warning = fmt.Sprintf("The judge says 4 or 5 in %s of its ratings, people in %s. A judge that avoids high ratings lowers coverage and every score.", share(j.Judge.JudgeHigh), share(j.Judge.HumanHigh))
	}
	for _, l := range []struct {
		name string
		p    score.Predictor
	}{{"The judge", j.Judge}, {"Average of the person's other ratings", j.MeanOfOthers}} {
		page.Predictors = append(page.Predictors, pages.PredictorLine{Name: l.name, N: l.p.N, MAE: estimatedOf(l.p.MAE, l.p.CI.MAE), Spearman: estimatedOf(l.p.Spearman, l.p.CI.Spearman),
			WithinPerson: estimatedOf(l.p.WithinPerson, l.p.CI.WithinPerson), Bias: decimals(l.p.Bias), JudgeHigh: share(l.p.JudgeHigh)})
	}
	d := drawing(func(width float64) *figure.Figure { return figure.Judge(j, width) })
	page.Figure = &d
	if l := j.LeaveOneModelOut; l != nil {
		page.Agreement = "Each model's adjusted OvertonScore from people, and the same score if the judge rates that model instead."
		if l.SpearmanAdjusted.Defined() {
			page.Agreement += fmt.Sprintf(" Rank correlation of the two scores across models: %s (%s).", decimals(l.SpearmanAdjusted), interval(l.SpearmanAdjustedCI))
		}
		for _, m := range l.Models {
			page.Models = append(page.Models, pages.JudgedModelLine{Model: m.Model, People: decimals(m.HumanAdjusted), Judge: decimals(m.JudgeAdjusted), Shift: estimatedOf(m.DeltaAdjusted, m.DeltaAdjustedCI)})
		}
	}
	for _, q := range r.Questions {
		text, path := "", h.AdminPath("/questions/"+url.PathEscape(q.Question))
		if r.Analysis != 0 {
			path = h.QuestionPath(r.Analysis, q.Question)
		}
		if known, ok := h.Questions.Question(q.Question); ok {
			text = site.Shorten(known.Text, 100)
		}
		page.Questions = append(page.Questions, pages.JudgedQuestionLine{ID: q.Question, Text: text, Path: path, N: q.N, Without: q.Dropped,
			MAE: estimatedOf(q.MAE, q.CI.MAE), WithinPerson: estimatedOf(q.WithinPerson, q.CI.WithinPerson), Bias: decimals(q.Bias), PeopleHigh: share(q.HumanHigh), JudgesHigh: share(q.JudgeHigh)})
	}
	groups := "none: the study has not been analysed, so models have no scores"
	if r.Analysis != 0 {
		groups = fmt.Sprintf("of run %d", r.Analysis)
	}
	page.Facts = []templates.Fact{
		{Name: "Predictions", Value: r.Predictions.File + ", column " + r.Predictions.Column},
		{Name: "Viewpoint groups", Value: groups},
		{Name: "Intervals", Value: fmt.Sprintf("95 %%, from %d resamples of people; for models' scores, of questions", r.Parameters.Bootstrap)},
		{Name: "Seed", Value: strconv.FormatUint(r.Parameters.Seed, 10)},
		{Name: "Program", Value: r.Program.Name + " " + r.Program.Version},
		{Name: "Hash of the predictions", Value: r.Predictions.SHA256, Code: true},
		{Name: "Hash of the people's data", Value: r.Input.SHA256, Code: true},
	}
}
