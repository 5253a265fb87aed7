package web

import (
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
)

// judgePath is where a judge is held against a study's people.
const judgePath = "/admin/studies/:slug/judge"

// predictionsFile is what a judge's run writes when it has ended.
const predictionsFile = "predictions.csv"

// judge shows the latest judge against the people of a study.
func (s *site) judge(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	page, err := s.judgePage(c, h)
	if err != nil {
		return err
	}
	return s.show(c, http.StatusOK, templates.Judge(*page))
}

func (s *site) judgePage(c echo.Context, h *hosted) (*templates.JudgePage, error) {
	frame, err := s.adminStudyFrame(c, h, "Judge", "/judge")
	if err != nil {
		return nil, err
	}
	page := &templates.JudgePage{Admin: frame}
	if adminRoles[frame.Role] >= researcher {
		page.Post = s.base + h.adminPath("/judge")
		if page.Runs, err = s.judgeRuns(); err != nil {
			return nil, err
		}
	}
	result, run, err := window.LatestJudged(c.Request().Context(), s.Store, h.row)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return page, nil
	case err != nil:
		return nil, err
	}
	page.Made = moment(run.CreatedAt)
	fillJudge(page, h, result)
	return page, nil
}

// judgeRuns are the names of runs that hold predictions.
func (s *site) judgeRuns() ([]string, error) {
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

// compareJudge sets predictions against people, keeps the numbers and shows them.
func (s *site) compareJudge(c echo.Context) error {
	ctx := c.Request().Context()
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	page, err := s.judgePage(c, h)
	if err != nil {
		return err
	}
	file, content, err := s.predictions(c.Request(), page.Runs)
	var result *window.Judged
	if err == nil {
		result, err = window.CompareJudge(ctx, s.Store, h.row, h.Study, file, content, score.DefaultParameters())
	}
	var problem *uploadError
	var faults dataset.Faults
	var fault dataset.Fault
	switch {
	case errors.As(err, &problem):
		page.Problem = problem.Error()
	case errors.As(err, &faults):
		page.Faults, page.More = faultLines(faults)
	case errors.As(err, &fault):
		page.Faults, page.More = faultLines(dataset.Faults{fault})
	case errors.Is(err, window.ErrNobody):
		page.Problem = "Nobody has finished the study yet, so there is nobody to hold a judge against."
	case err != nil:
		return err
	case result.Judge.Judge.N == 0:
		page.Problem = "The file predicts none of the ratings that people gave."
	}
	if page.Wrong = page.Problem != "" || len(page.Faults) > 0; page.Wrong {
		return s.show(c, http.StatusUnprocessableEntity, templates.Judge(*page))
	}
	if err := window.RecordJudged(ctx, s.Store, h.row, result); err != nil {
		return err
	}
	if err := s.Store.Note(ctx, actorOf(c), h.row.ID, "judge compared", file.File); err != nil {
		return err
	}
	return s.to(c, h.adminPath("/judge"))
}

// predictions are those of the run or the file that somebody chose.
func (s *site) predictions(r *http.Request, runs []string) (file window.JudgeFile, content []byte, err error) {
	var large *http.MaxBytesError
	switch err := r.ParseMultipartForm(maxBody); {
	case errors.As(err, &large):
		return file, nil, unusable("The file is larger than %d MB.", maxUpload>>20)
	case err != nil:
		return file, nil, unusable("The file did not arrive whole. Send it again.")
	}
	defer r.MultipartForm.RemoveAll()
	file.Column = votes.DefaultRatingColumn
	if r.PostFormValue("calibrated") != "" {
		file.Column = votes.CalibratedColumn
	}
	if run := r.PostFormValue("run"); run != "" {
		if !slices.Contains(runs, run) {
			return file, nil, unusable("There is no such run of a judge any more.")
		}
		file.File = run + "/" + predictionsFile
		if content, err = os.ReadFile(filepath.Join(s.Runs, run, predictionsFile)); err != nil {
			return file, nil, fmt.Errorf("reading predictions: %w", err)
		}
		return file, content, nil
	}
	sent := r.MultipartForm.File["file"]
	if len(sent) == 0 {
		return file, nil, unusable("Choose a file of predictions.")
	}
	file.File = sent[0].Filename
	content, err = readPart(sent[0])
	return file, content, err
}

// shunsHigh is the share of people's high ratings below which a judge's own
// share is worth a warning.
const shunsHigh = 0.5

// fillJudge words a comparison.
func fillJudge(page *templates.JudgePage, h *hosted, r *window.Judged) {
	page.Virtual = r.People.Virtual
	page.People, page.LeftOut = countedPeople(r.People)
	j := r.Judge
	if j.Judge.Dropped > 0 {
		page.LeftOut = append(page.LeftOut, counted(j.Judge.Dropped, "rating without a prediction", "ratings without a prediction"))
	}
	page.HumanHigh = share(j.Judge.HumanHigh)
	if float64(j.Judge.JudgeHigh) < shunsHigh*float64(j.Judge.HumanHigh) {
		page.Warning = fmt.Sprintf("The judge says 4 or 5 in %s of its ratings, people in %s. A judge that shuns high ratings lowers coverage, and with it every score.", share(j.Judge.JudgeHigh), share(j.Judge.HumanHigh))
	}
	for _, l := range []struct {
		name string
		p    score.Predictor
	}{{"The judge", j.Judge}, {"Mean of the person's other ratings", j.MeanOfOthers}} {
		page.Predictors = append(page.Predictors, templates.PredictorLine{Name: l.name, N: l.p.N, MAE: estimatedOf(l.p.MAE, l.p.CI.MAE), Spearman: estimatedOf(l.p.Spearman, l.p.CI.Spearman),
			WithinPerson: estimatedOf(l.p.WithinPerson, l.p.CI.WithinPerson), Bias: decimals(l.p.Bias), JudgeHigh: share(l.p.JudgeHigh)})
	}
	d := drawing(func(width float64) *figure.Figure { return figure.Judge(j, width) })
	page.Figure = &d
	if l := j.LeaveOneModelOut; l != nil {
		page.Agreement = "Each model's adjusted OvertonScore from people, and with this model's ratings left to the judge."
		if l.SpearmanAdjusted.Defined() {
			page.Agreement += fmt.Sprintf(" Rank correlation of the two over models: %s (%s).", decimals(l.SpearmanAdjusted), interval(l.SpearmanAdjustedCI))
		}
		for _, m := range l.Models {
			page.Models = append(page.Models, templates.JudgedModelLine{Model: m.Model, People: decimals(m.HumanAdjusted), Judge: decimals(m.JudgeAdjusted), Shift: estimatedOf(m.DeltaAdjusted, m.DeltaAdjustedCI)})
		}
	}
	for _, q := range r.Questions {
		text, path := "", h.adminPath("/questions/"+url.PathEscape(q.Question))
		if r.Analysis != 0 {
			path = h.questionPath(r.Analysis, q.Question)
		}
		if known, ok := h.Questions.Question(q.Question); ok {
			text = shorten(known.Text, 100)
		}
		page.Questions = append(page.Questions, templates.JudgedQuestionLine{ID: q.Question, Text: text, Path: path, N: q.N, Without: q.Dropped,
			MAE: estimatedOf(q.MAE, q.CI.MAE), WithinPerson: estimatedOf(q.WithinPerson, q.CI.WithinPerson), Bias: decimals(q.Bias), PeopleHigh: share(q.HumanHigh), JudgesHigh: share(q.JudgeHigh)})
	}
	groups := "none: the study was not analysed, so models have no scores"
	if r.Analysis != 0 {
		groups = fmt.Sprintf("of run %d", r.Analysis)
	}
	page.Facts = []templates.Fact{
		{Name: "Predictions", Value: r.Predictions.File + ", column " + r.Predictions.Column},
		{Name: "Viewpoint groups", Value: groups},
		{Name: "Intervals", Value: fmt.Sprintf("95 %%, from %d resamples of people; of models' scores of questions", r.Parameters.Bootstrap)},
		{Name: "Seed", Value: strconv.FormatUint(r.Parameters.Seed, 10)},
		{Name: "Program", Value: r.Program.Name + " " + r.Program.Version},
		{Name: "Hash of the predictions", Value: r.Predictions.SHA256, Code: true},
		{Name: "Hash of the people's data", Value: r.Input.SHA256, Code: true},
	}
}
