// Package analyse is what comes out: runs and their results, surveys, judges, and the
// runs of language models.
package analyse

import (
	"net/http"

	"overton/web/site"
)

// Room holds the pages of this package.
type Room struct {
	*site.Site
	analyses       analyses
	surveyAnalyses surveyJobs // which take little
	glances        glances
}

// New opens the room.
func New(s *site.Site) *Room { return &Room{Site: s} }

// Routes are the room's lines of the route table.
func (s *Room) Routes() []site.Route {
	const get, post = http.MethodGet, http.MethodPost
	return []site.Route{
		{get, "/admin/studies/:slug/analysis", site.Viewer, s.InStudy(s.analysis)},
		{post, "/admin/studies/:slug/analysis", site.Researcher, s.InStudy(s.analyse)},
		{get, judgePath, site.Viewer, s.InStudy(s.judge)},
		{post, judgePath, site.Researcher, s.InStudy(s.compareJudge)},
		{get, surveysPath, site.Viewer, s.InStudy(s.surveys)},
		{post, surveysPath, site.Researcher, s.InStudy(s.analyseSurveys)},
		{get, "/admin/studies/:slug/surveys/*", site.Viewer, s.InStudy(s.surveyItem)},       // * is an instrument and an item
		{get, "/admin/studies/:slug/questions/*", site.Viewer, s.InStudy(s.latestQuestion)}, // * is a question id, whatever is in it
		{get, "/admin/studies/:slug/runs", site.Viewer, s.InStudy(s.runs)},
		{get, "/admin/studies/:slug/runs/new", site.Researcher, s.InStudy(s.newRun)},
		{get, "/admin/studies/:slug/runs/compare", site.Viewer, s.InStudy(s.compareRuns)},
		{get, "/admin/studies/:slug/runs/:id", site.Viewer, s.inRun(s.showRun)},
		{get, "/admin/studies/:slug/runs/:id/progress", site.Viewer, s.inRun(s.progress)},
		{get, "/admin/studies/:slug/runs/:id/questions/*", site.Viewer, s.inResult(s.question)},
		{get, "/admin/studies/:slug/runs/:id/figures/:file", site.Viewer, s.inResult(s.figure)},
		{get, "/admin/studies/:slug/runs/:id/result.json", site.Researcher, s.inRun(s.runJSON)},
		{get, "/admin/studies/:slug/runs/:id/report.html", site.Researcher, s.inResult(s.runReport)},
		{post, "/admin/studies/:slug/runs/:id/cancel", site.Researcher, s.inRun(s.cancelRun)},
		{post, "/admin/studies/:slug/runs/:id/again", site.Researcher, s.inRun(s.runAgain)},
		{post, "/admin/studies/:slug/runs/:id/name", site.Researcher, s.inRun(s.renameRun)},
		{post, "/admin/studies/:slug/runs/:id/delete", site.Admin, s.inRun(s.deleteRun)},
		{get, "/admin/models", site.Viewer, s.modelRunsPage},
		{get, modelRunPath, site.Viewer, s.modelRunPage},
		{post, modelRunPath, site.Researcher, s.decide},
		{get, modelRunPath + "/responses.csv", site.Researcher, s.acceptedResponses},
	}
}
