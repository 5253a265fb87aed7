package setup

import (
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	pages "overton/templates/setup"
	"overton/web/site"
)

// text shows study.yaml as text.
func (s *Room) text(c echo.Context, h *site.Hosted, r pages.Refused) error {
	text := string(h.Files[dataset.StudyFile])
	if r.Status != 0 {
		text = typedText(c)
	}
	lines := strings.Split(text, "\n")
	for i, f := range r.Faults {
		if f.File == dataset.StudyFile && 0 < f.Line && f.Line <= len(lines) {
			r.Faults[i].Value = strings.TrimSpace(lines[f.Line-1])
		}
	}
	page, err := s.studyPage(c, h, "Study file as text", "/setup", r)
	if err != nil {
		return err
	}
	page.LosesComments = false
	return s.show(c, r, pages.Text(pages.TextPage{StudyPage: page, Text: text}))
}

func typedText(c echo.Context) string { return strings.ReplaceAll(c.FormValue("text"), "\r\n", "\n") }

// saveText takes study.yaml as text, with its comments.
func (s *Room) saveText(c echo.Context, h *site.Hosted) error {
	files := draftOf(h).files
	files[dataset.StudyFile] = []byte(typedText(c))
	row, err := s.keep(c, h, files, c.FormValue("hash"))
	if err != nil {
		return again(c, h, err, s.text)
	}
	return s.To(c, renamed(h, row)+"/setup?saved=Study+file")
}
