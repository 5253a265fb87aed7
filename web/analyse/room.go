// Package analyse is what comes out: runs and their results, surveys, judges, and the
// runs of language models.
package analyse

import (
	"overton/internal/jobs"
	"overton/web/site"
)

// Room holds the pages of this package.
type Room struct {
	*site.Site
	jobs    *jobs.Queue // what is computed in the background
	glances glances
}

// New opens the room, and starts the runs that were waiting when the server
// stopped.
func New(s *site.Site) (*Room, error) {
	r := &Room{Site: s}
	var err error
	r.jobs, err = jobs.New(s.Life, s.Store, s.Log, s.Now, r.works())
	return r, err
}

// Routes are the room's lines of the route table.
func (s *Room) Routes() []site.Route {
	return []site.Route{
		site.Get("/admin/studies/:slug/analysis", site.Viewer, s.InStudy(s.analysis)),
		site.Post("/admin/studies/:slug/analysis", site.Researcher, s.InStudy(s.analyse)),
		site.Get(judgePath, site.Viewer, s.InStudy(s.judge)),
		site.Post(judgePath, site.Researcher, s.InStudy(s.compareJudge)),
		site.Get(surveysPath, site.Viewer, s.InStudy(s.surveys)),
		site.Post(surveysPath, site.Researcher, s.InStudy(s.analyseSurveys)),
		site.Get("/admin/studies/:slug/surveys/*", site.Viewer, s.InStudy(s.surveyItem)),       // * is an instrument and an item
		site.Get("/admin/studies/:slug/questions/*", site.Viewer, s.InStudy(s.latestQuestion)), // * is a question id, whatever is in it
		site.Get("/admin/studies/:slug/runs", site.Viewer, s.InStudy(s.runs)),
		site.Get("/admin/studies/:slug/runs/new", site.Researcher, s.InStudy(s.newRun)),
		site.Get("/admin/studies/:slug/runs/compare", site.Viewer, s.InStudy(s.compareRuns)),
		site.Get("/admin/studies/:slug/runs/:id", site.Viewer, s.inRun(s.showRun)),
		site.Get("/admin/studies/:slug/runs/:id/progress", site.Viewer, s.InStudy(s.progress)),
		site.Get("/admin/studies/:slug/runs/:id/questions/*", site.Viewer, s.inResult(s.question)),
		site.Get("/admin/studies/:slug/runs/:id/figures/:file", site.Viewer, s.inResult(s.figure)),
		site.Get("/admin/studies/:slug/runs/:id/result.json", site.Researcher, s.inRun(s.runJSON)),
		site.Get("/admin/studies/:slug/runs/:id/report.html", site.Researcher, s.inResult(s.runReport)),
		site.Post("/admin/studies/:slug/runs/:id/cancel", site.Researcher, s.InStudy(s.cancelRun)),
		site.Post("/admin/studies/:slug/runs/:id/again", site.Researcher, s.inRun(s.runAgain)),
		site.Post("/admin/studies/:slug/runs/:id/name", site.Researcher, s.inRun(s.renameRun)),
		site.Post("/admin/studies/:slug/runs/:id/delete", site.Admin, s.inRun(s.deleteRun)),
		site.Get("/admin/models", site.Viewer, s.modelRunsPage),
		site.Get(modelRunPath, site.Viewer, s.modelRunPage),
		site.Post(modelRunPath, site.Researcher, s.decide),
		site.Get(modelRunPath+"/responses.csv", site.Researcher, s.acceptedResponses),
	}
}
