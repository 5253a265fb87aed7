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
