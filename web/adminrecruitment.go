package web

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/dataset/survey"
	"overton/internal/store"
	"overton/templates"
)

// recruitment shows how submissions stand here and on Prolific. It names
// submissions by Prolific's ids, without which nobody could act on them there;
// so it is for admins.
func (s *site) recruitment(c echo.Context) error {
	page, h, err := s.recruitmentPage(c)
	if err != nil {
		return err
	}
	return s.showRecruitment(c, h, page, http.StatusOK, nil)
}

func (s *site) recruitmentPage(c echo.Context) (templates.RecruitmentPage, *hosted, error) {
	h, err := s.adminStudy(c)
	if err != nil {
		return templates.RecruitmentPage{}, nil, err
	}
	frame, err := s.adminStudyFrame(c, h, "Prolific", "/recruitment")
	return templates.RecruitmentPage{Admin: frame, Post: s.base + h.adminPath("/recruitment")}, h, err
}

func (s *site) showRecruitment(c echo.Context, h *hosted, page templates.RecruitmentPage, status int, strangers []store.Stranger) error {
	standings, err := s.Store.Standings(c.Request().Context(), h.row.Slug)
	if err != nil {
		return err
	}
	for _, st := range standings {
		count := templates.StandingCount{Here: "Not finished", There: "not in a file", N: 1}
		for _, o := range outcomeNames {
			if o.outcome == st.Outcome {
				count.Here = o.name
			}
		}
		if st.Recruited != nil {
			count.There = st.Recruited.Status
			if d := h.Recruitment.Disagreement(st.Outcome, *st.Recruited); d != "" {
				page.Odd = append(page.Odd, templates.OddSubmission{Submission: st.Submission, Pseudonym: st.Pseudonym, There: count.There, What: sentence(d)})
			}
		}
		page.Counts = addStanding(page.Counts, count)
	}
	for _, row := range strangers {
		page.Odd = append(page.Odd, templates.OddSubmission{Submission: row.Submission, There: row.Status, What: sentence(row.What)})
	}
	return s.show(c, status, templates.Recruitment(page))
}

func addStanding(counts []templates.StandingCount, one templates.StandingCount) []templates.StandingCount {
	for i := range counts {
		if counts[i].Here == one.Here && counts[i].There == one.There {
			counts[i].N++
			return counts
		}
	}
	return append(counts, one)
}

// readRecruitment takes Prolific's export of a study.
func (s *site) readRecruitment(c echo.Context) error {
	page, h, err := s.recruitmentPage(c)
	if err != nil {
		return err
	}
	again := func(problem string) error {
		page.Problem, page.Wrong = problem, true
		return s.showRecruitment(c, h, page, http.StatusUnprocessableEntity, nil)
	}
	files, err := uploaded(c.Request())
	var unusable *uploadError
	switch {
	case errors.As(err, &unusable):
		return again(unusable.Error())
	case err != nil:
		return err
	case len(files) != 1:
		return again(fmt.Sprintf("%d files were sent. Expected the one that Prolific exports of this study.", len(files)))
	}
	for name, content := range files {
		rows, err := survey.ReadProlific(name, content)
		if err != nil {
			var fault dataset.Fault
			var faults dataset.Faults
			if errors.As(err, &fault) {
				faults = dataset.Faults{fault}
			} else if !errors.As(err, &faults) {
				return err
			}
			page.Faults, page.More = faultLines(faults)
			return again("")
		}
		kept, strangers, err := s.Store.SaveRecruited(c.Request().Context(), h.row.Slug, rows, actorOf(c))
		if err != nil {
			return err
		}
		page.Read = fmt.Sprintf("%d of %s in the file began here.", kept, counted(len(rows), "submission", "submissions"))
		return s.showRecruitment(c, h, page, http.StatusOK, strangers)
	}
	return nil
}
