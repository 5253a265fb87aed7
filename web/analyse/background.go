package analyse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"overton/internal/jobs"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/window"
	pages "overton/templates/analyse"
	"overton/web/site"
)

// regroupCost is how long resampling the people takes, where finding the groups
// of all questions is 1.
const regroupCost = 0.07

// works say how runs are computed, by their kinds.
func (s *Room) works() map[string]jobs.Work {
	return map[string]jobs.Work{
		window.RunKind: s.work(func(ctx context.Context, h *site.Hosted, t jobs.Task) ([]byte, error) {
			o, err := window.Parameters(t.Run)
			if err != nil {
				return nil, err
			}
			questions := len(o.Questions)
			if o.Questions == nil {
				questions = len(h.Questions.Questions)
			}
			t.Plan(jobs.Stage{Words: "finding groups, question %d of %d", Steps: questions, Cost: 1},
				jobs.Stage{Words: "resampling people, %d of %d", Steps: o.Regroupings, Cost: regroupCost * float64(questions)})
			return window.Compute(ctx, s.Store, h.Row, h.Study, o, t.Step)
		}),
		window.SurveyRunKind: s.work(func(ctx context.Context, h *site.Hosted, t jobs.Task) ([]byte, error) {
			var o window.SurveyOptions
			var files []window.ModelFile
			if err := errors.Join(json.Unmarshal(t.Parameters, &o), json.Unmarshal(t.Sent, &files)); err != nil {
				return nil, fmt.Errorf("reading what was asked for: %w", err)
			}
			t.Plan(jobs.Stage{Words: "survey %d of %d", Steps: len(window.Instruments(h.Study)), Cost: 1})
			result, err := window.AnalyseSurveys(ctx, s.Store, h.Row, h.Study, o, files, t.Step)
			if err != nil {
				return nil, err
			}
			return json.Marshal(result)
		}),
		window.JudgeRunKind: s.work(func(ctx context.Context, h *site.Hosted, t jobs.Task) ([]byte, error) {
			var file window.JudgeFile
			if err := json.Unmarshal(t.Parameters, &file); err != nil {
				return nil, fmt.Errorf("reading what was asked for: %w", err)
			}
			judging, err := window.ReadJudge(ctx, s.Store, h.Row, h.Study, file, t.Sent)
			if err != nil {
				return nil, err
			}
			t.Plan(jobs.Stage{Words: "comparing ratings", Steps: 1, Cost: 1})
			result, err := judging.Compare(score.DefaultParameters())
			if err != nil {
				return nil, err
			}
			return json.Marshal(result)
		}),
	}
}

// work finds the study of a run before it is computed, and says in words what
// is nobody's fault.
func (s *Room) work(compute func(context.Context, *site.Hosted, jobs.Task) ([]byte, error)) jobs.Work {
	return func(ctx context.Context, t jobs.Task) ([]byte, error) {
		row, err := s.Store.StudyByID(ctx, t.StudyID)
		if err != nil {
			return nil, err
		}
		h, err := s.Read(ctx, row, row.Name())
		if err != nil {
			return nil, err
		}
		result, err := compute(ctx, h, t)
		if errors.Is(err, window.ErrNobody) || errors.Is(err, window.ErrUnpredicted) {
			err = jobs.Failure(site.Sentence(err.Error()))
		}
		return result, err
	}
}

// progressOf words how far a run is. One that is known to the store alone is
// about to begin.
func (s *Room) progressOf(run store.Run) pages.RunProgress {
	p := pages.RunProgress{Ended: run.State.Ended()}
	at, known := s.jobs.At(run.ID)
	switch {
	case !known:
		p.Stage = "about to begin"
		return p
	case at.Ahead > 0:
		p.Stage = "waits for " + site.Counted(at.Ahead, "run before it", "runs before it")
	default:
		p.Stage = at.Words
	}
	p.Done, p.Of = at.Done, at.Of
	if at.Left > 0 {
		p.Left = "about " + inWords(at.Left)
	}
	return p
}

// inWords tells a duration to people.
func inWords(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 1.5:
		return "a second"
	case s < 100:
		return fmt.Sprintf("%.0f seconds", s)
	case s < 100*60:
		return fmt.Sprintf("%.0f minutes", s/60)
	default:
		return fmt.Sprintf("%.1f hours", s/3600)
	}
}

// viewJob words a run that has no result, for a reader with a role.
func (s *Room) viewJob(h *site.Hosted, r store.Run, who site.Role) pages.RunView {
	v := pages.RunView{
		ID: r.ID, Title: runTitle(r), Name: r.Name, Note: r.Note, State: string(r.State), Who: r.Email,
		Asked: site.Moment(r.CreatedAt), Ended: site.Moment(r.EndedAt), Failure: r.Failure, Done: r.State == store.RunDone,
	}
	if !r.State.Ended() {
		p := s.progressOf(r)
		if at, known := s.jobs.At(r.ID); known && at.Ahead == 0 {
			v.State = string(store.RunRunning) // or in a moment
		}
		p.Path = h.Href("/runs/"+strconv.FormatInt(r.ID, 10)) + "/progress"
		v.Progress = &p
		if who >= site.Researcher {
			v.Cancel = h.Href("/runs/"+strconv.FormatInt(r.ID, 10)) + "/cancel"
		}
	}
	return v
}

// standingOf words where the runs of a kind stand: those that have not ended,
// in the order in which they are computed, and the newest if nothing came of
// it.
func (s *Room) standingOf(c echo.Context, h *site.Hosted, kind string) (j pages.Jobs, err error) {
	runs, err := s.Store.Runs(c.Request().Context(), h.Row.ID, kind)
	for i, r := range runs {
		switch v := s.viewJob(h, r, roleOf(c)); {
		case v.Progress != nil:
			j.Unfinished = append([]pages.RunView{v}, j.Unfinished...)
		case i == 0 && !v.Done:
			j.Broken = &v
		}
	}
	return j, err
}
