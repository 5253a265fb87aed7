package setup

import (
	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	pages "overton/templates/setup"
	"overton/web/site"
)

// questions shows the question set, and takes its files.
func (s *Room) questions(c echo.Context, h *site.Hosted, r pages.Refused) error {
	page, err := s.studyPage(c, h, "Question set", "/setup", r)
	if err != nil {
		return err
	}
	return s.show(c, r, pages.Questions(pages.QuestionsPage{StudyPage: page, Study: h.Study}))
}

// saveQuestions replaces files of a question set.
func (s *Room) saveQuestions(c echo.Context, h *site.Hosted) error {
	sent, err := site.ReadUpload(c.Request())
	if err != nil {
		return again(c, h, err, s.questions)
	}
	d := draftOf(h)
	if d.Overton() == nil {
		return changed(h, "/setup")
	}
	uploaded := dataset.Files{}
	for field, name := range map[string]*string{"questions": &d.Questions, "responses": &d.Responses, "seeds": &d.Seeds} {
		if content, there := sent.Slots[field]; there {
			if *name == "" || *name == "none" {
				*name = field + ".csv"
			}
			d.files[*name], uploaded[*name] = content, content
		}
	}
	noResponses, noSeeds := sent.Values.Get("no_responses") != "", sent.Values.Get("no_seeds") != ""
	if noResponses {
		d.Responses, d.Overton().ResponsesPerQuestion = "none", 0
	}
	if noSeeds {
		d.Seeds = ""
	}
	if len(uploaded) == 0 && !noResponses && !noSeeds {
		return again(c, h, site.Unusable("Choose a file."), s.questions)
	}
	if _, err := s.keep(c, h, d.written(), sent.Values.Get("hash")); err != nil {
		return again(c, h, err, func(c echo.Context, h *site.Hosted, r pages.Refused) error {
			r.Sent = uploaded
			return s.questions(c, h, r)
		})
	}
	return s.To(c, h.AdminPath("/setup/questions"))
}
