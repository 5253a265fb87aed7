// Package setup is the room in which admins set up studies: the list of studies,
// drafts and uploads, the editor, the plan, the preview, the launch and versions.
package setup

import (
	"context"
	"net/http"

	"overton/web/site"
)

// Pages serves participants' pages of one study on a site of its own: a
// preview's. id names its cookie, leave is the address to go back to, and enter
// the path of the first page.
type Pages func(inner *site.Site, of *site.Prepared, id, leave string) (pages http.Handler, enter string)

// Room holds the pages of this package.
type Room struct {
	*site.Site
	previews previews
	pages    Pages // of previews
}

// New opens the room. It closes its previews when the site's life ends.
func New(s *site.Site, pages Pages) *Room {
	r := &Room{Site: s, pages: pages}
	context.AfterFunc(s.Life, func() {
		if err := r.previews.closeAll(); err != nil {
			s.Log.Error("closing the previews", "error", err)
		}
	})
	return r
}

// Routes are the room's lines of the route table.
func (s *Room) Routes() []site.Route {
	const get, post = http.MethodGet, http.MethodPost
	return []site.Route{
		{get, "/admin", site.Member, s.studies},
		{get, "/admin/studies/new", site.Admin, s.newStudy},
		{post, newStudyPath, site.Admin, s.saveStudy},
		{post, "/admin/studies/:slug/status", site.Admin, s.InStudy(s.changeStatus)},
		{get, "/admin/studies/:slug/setup", site.Viewer, s.InStudy(fresh(s.setup))},
		{post, "/admin/studies/:slug/setup/flow", site.Admin, s.InStudy(s.changeFlow)},
		{get, "/admin/studies/:slug/setup/questions", site.Researcher, s.InStudy(fresh(s.questions))},
		{post, "/admin/studies/:slug/setup/questions", site.Admin, s.InStudy(s.saveQuestions)},
		{post, "/admin/studies/:slug/setup/instrument", site.Admin, s.InStudy(s.saveInstrument)},
		{get, "/admin/studies/:slug/setup/text", site.Researcher, s.InStudy(fresh(s.text))},
		{post, "/admin/studies/:slug/setup/text", site.Admin, s.InStudy(s.saveText)},
		{get, "/admin/studies/:slug/setup/:part", site.Researcher, s.InStudy(s.setupForm)},
		{post, "/admin/studies/:slug/setup/:part", site.Admin, s.InStudy(s.saveForm)},
		{post, "/admin/studies/:slug/setup/:part/live", site.Researcher, s.InStudy(s.live)},
		{get, "/admin/studies/:slug/launch", site.Admin, s.InStudy(fresh(s.beforeLaunch))},
		{post, "/admin/studies/:slug/launch", site.Admin, s.InStudy(s.launch)},
		{get, "/admin/studies/:slug/versions", site.Viewer, s.InStudy(s.versions)},
		{post, "/admin/studies/:slug/versions", site.Admin, s.InStudy(s.changeVersions)},
		{post, "/admin/studies/:slug/preview", site.Researcher, s.InStudy(s.beginPreview)},
		{get, "/admin/preview/:preview/*", site.Member, s.inPreview}, // only for the account that began it
		{post, "/admin/preview/:preview/*", site.Member, s.inPreview},
	}
}
