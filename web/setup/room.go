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
	return []site.Route{
		site.Get("/admin", site.Member, s.studies),
		site.Get("/admin/studies/new", site.Admin, s.newStudy),
		site.Post(newStudyPath, site.Admin, s.saveStudy),
		site.Post("/admin/studies/:slug/status", site.Admin, s.InStudy(s.changeStatus)),
		site.Get("/admin/studies/:slug/setup", site.Viewer, s.InStudy(fresh(s.setup))),
		site.Post("/admin/studies/:slug/setup/flow", site.Admin, s.InStudy(s.changeFlow)),
		site.Get("/admin/studies/:slug/setup/questions", site.Researcher, s.InStudy(fresh(s.questions))),
		site.Post("/admin/studies/:slug/setup/questions", site.Admin, s.InStudy(s.saveQuestions)),
		site.Post("/admin/studies/:slug/setup/instrument", site.Admin, s.InStudy(s.saveInstrument)),
		site.Get("/admin/studies/:slug/setup/text", site.Researcher, s.InStudy(fresh(s.text))),
		site.Post("/admin/studies/:slug/setup/text", site.Admin, s.InStudy(s.saveText)),
		site.Get("/admin/studies/:slug/setup/:part", site.Researcher, s.InStudy(s.setupForm)),
		site.Post("/admin/studies/:slug/setup/:part", site.Admin, s.InStudy(s.saveForm)),
		site.Post("/admin/studies/:slug/setup/:part/live", site.Researcher, s.InStudy(s.live)),
		site.Get("/admin/studies/:slug/launch", site.Admin, s.InStudy(fresh(s.beforeLaunch))),
		site.Post("/admin/studies/:slug/launch", site.Admin, s.InStudy(s.launch)),
		site.Get("/admin/studies/:slug/versions", site.Viewer, s.InStudy(s.versions)),
		site.Post("/admin/studies/:slug/versions", site.Admin, s.InStudy(s.changeVersions)),
		site.Post("/admin/studies/:slug/preview", site.Researcher, s.InStudy(s.beginPreview)),
		site.Get("/admin/preview/:preview/*", site.Member, s.inPreview), // only for the account that began it
		site.Post("/admin/preview/:preview/*", site.Member, s.inPreview),
	}
}
