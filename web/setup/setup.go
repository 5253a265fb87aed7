package setup

import (
	"bytes"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	pages "overton/templates/setup"
	"overton/web/site"
)

// setup is the overview of a study.
func (s *Room) setup(c echo.Context, h *site.Hosted, r pages.Refused) error {
	switch { // nothing is typed here, so there is nothing to save again
	case r.Changed:
		r.Changed = false
		r.Problem = "Nothing was changed, because somebody else has changed this draft. This is the draft as it is now."
	case len(r.Faults) > 0:
		r.Problem = "Nothing was changed. Fix these faults first."
	}
	page, err := s.studyPage(c, h, "Set up", "/setup", r)
	if err != nil {
		return err
	}
	plan, err := s.plan(c, h, draftOf(h))
	if err != nil {
		return err
	}
	return s.show(c, r, pages.Setup(pages.SetupPage{
		StudyPage: page, Study: h.Study, Saved: c.QueryParam("saved"), Plan: plan, Facts: h.Facts()}))
}

// changeFlow adds, removes and moves blocks.
func (s *Room) changeFlow(c echo.Context, h *site.Hosted) error {
	form := c.Request().PostForm
	d := draftOf(h)
	action, at := button(form)
	if action != "add" && at >= len(d.Flow) {
		return changed(h, "/setup")
	}
	to := at
	switch action {
	case "up":
		to--
	case "down":
		to++
	case "move":
		var err error
		if to, err = strconv.Atoi(form.Get("to")); err != nil {
			return unreadable(h, "/setup")
		}
	case "remove":
		d.Flow = slices.Delete(d.Flow, at, at+1)
	case "add":
		if err := d.add(form.Get("block")); err != nil {
			return err
		}
	default:
		return unreadable(h, "/setup")
	}
	if to != at {
		block := d.Flow[at]
		d.Flow = slices.Delete(d.Flow, at, at+1)
		d.Flow = slices.Insert(d.Flow, max(0, min(to, len(d.Flow))), block)
	}
	return s.keepFlow(c, h, d.written(), form.Get("hash"))
}

// keepFlow saves a change that has no page of its own, and goes to the overview.
func (s *Room) keepFlow(c echo.Context, h *site.Hosted, files dataset.Files, before string) error {
	if _, err := s.keep(c, h, files, before); err != nil {
		return again(c, h, err, s.setup)
	}
	return s.To(c, h.AdminPath("/setup"))
}

// button reads which button was pressed: an action, and the number that it is about.
func button(form url.Values) (action string, at int) {
	action, number, _ := strings.Cut(form.Get("do"), ":")
	at, err := strconv.Atoi(number)
	if err != nil || at < 0 {
		return action, 0
	}
	return action, at
}

// saveInstrument takes the file of an instrument. It adds a survey of it, or
// replaces the instrument of the same name.
func (s *Room) saveInstrument(c echo.Context, h *site.Hosted) error {
	sent, err := site.ReadUpload(c.Request())
	if err == nil && sent.Slots["instrument"] == nil {
		err = site.Unusable("Choose a file.")
	}
	if err != nil {
		return again(c, h, err, s.setup)
	}
	content := sent.Slots["instrument"]
	name := path.Base(strings.ReplaceAll(sent.Names["instrument"], `\`, "/"))
	d := draftOf(h)
	before, taken := d.files[name]
	asked := d.Survey(name) != nil
	if taken && !asked && !bytes.Equal(before, content) {
		return again(c, h, site.Unusable("The study has another file called %s. Rename yours.", name), s.setup)
	}
	d.files[name] = content
	if !asked {
		if err := d.add(name); err != nil {
			return err
		}
	}
	return s.keepFlow(c, h, d.written(), sent.Values.Get("hash"))
}

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
