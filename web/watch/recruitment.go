package watch

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/store"
	pages "overton/templates/watch"
	"overton/web/site"
)

// recruitment shows how submissions stand here and on Prolific. It names
// submissions by Prolific's ids, without which nobody could act on them there;
// so it is for admins.
func (s *Room) recruitment(c echo.Context, h *site.Hosted) error {
	page, err := s.recruitmentPage(c, h)
	if err != nil {
		return err
	}
	return s.showRecruitment(c, h, page, http.StatusOK, nil)
}

func (s *Room) recruitmentPage(c echo.Context, h *site.Hosted) (pages.RecruitmentPage, error) {
	frame, err := s.AdminStudyFrame(c, h, "Prolific", "/recruitment")
	return pages.RecruitmentPage{Admin: frame, Post: h.Href("/recruitment")}, err
}

func (s *Room) showRecruitment(c echo.Context, h *site.Hosted, page pages.RecruitmentPage, status int, strangers []store.Stranger) error {
	standings, err := s.Store.Standings(c.Request().Context(), h.Row.Slug)
	if err != nil {
		return err
	}
	for _, st := range standings {
		count := pages.StandingCount{Here: "Not finished", There: "not in a file", N: 1}
		for _, o := range site.OutcomeNames {
			if o.Outcome == st.Outcome {
				count.Here = o.Name
			}
		}
		if st.Recruited != nil {
			count.There = st.Recruited.Status
			if d := h.Recruitment.Disagreement(st.Outcome, *st.Recruited); d != "" {
				page.Odd = append(page.Odd, pages.OddSubmission{Submission: st.Submission, Pseudonym: st.Pseudonym, There: count.There, What: site.Sentence(d)})
			}
		}
		page.Counts = addStanding(page.Counts, count)
	}
	for _, row := range strangers {
		page.Odd = append(page.Odd, pages.OddSubmission{Submission: row.Submission, There: row.Status, What: site.Sentence(row.What)})
	}
	return s.Show(c, status, pages.Recruitment(page))
}

func addStanding(counts []pages.StandingCount, one pages.StandingCount) []pages.StandingCount {
	for i := range counts {
		if counts[i].Here == one.Here && counts[i].There == one.There {
			counts[i].N++
			return counts
		}
	}
	return append(counts, one)
}

// readRecruitment takes Prolific's export of a study.
func (s *Room) readRecruitment(c echo.Context, h *site.Hosted) error {
	page, err := s.recruitmentPage(c, h)
	if err != nil {
		return err
	}
	again := func(problem string) error {
		page.Problem, page.Wrong = problem, true
		return s.showRecruitment(c, h, page, http.StatusUnprocessableEntity, nil)
	}
	files, err := site.UploadedFolder(c.Request())
	var unusable *site.UploadError
	switch {
	case errors.As(err, &unusable):
		return again(unusable.Error())
	case err != nil:
		return err
	case len(files) != 1:
		return again(fmt.Sprintf("%d files were sent. Expected the one that Prolific exports of this study.", len(files)))
	}
	for name, content := range files {
		rows, err := dataset.ReadProlific(name, content)
		if err != nil {
			var fault dataset.Fault
			var faults dataset.Faults
			if errors.As(err, &fault) {
				faults = dataset.Faults{fault}
			} else if !errors.As(err, &faults) {
				return err
			}
			page.Faults, page.More = site.FaultLines(faults)
			return again("")
		}
		kept, strangers, err := s.Store.SaveRecruited(c.Request().Context(), h.Row.Slug, rows, site.ActorOf(c))
		if err != nil {
			return err
		}
		page.Read = fmt.Sprintf("%d of %s in the file began here.", kept, site.Counted(len(rows), "submission", "submissions"))
		return s.showRecruitment(c, h, page, http.StatusOK, strangers)
	}
	return nil
}
