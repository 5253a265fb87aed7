package analyse

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/dataset/studyfile"
	"overton/internal/dataset/votes"
	"overton/internal/instrument"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/window"
	"overton/templates"
	pages "overton/templates/analyse"
	"overton/web/site"
)

// surveysPath is where an analysis of surveys is shown, and started with files.
const surveysPath = "/admin/studies/:slug/surveys"

// surveys shows what people answered to a study's surveys.
func (s *Room) surveys(c echo.Context, h *site.Hosted) error {
	page, _, err := s.surveysPage(c, h)
	if err != nil {
		return err
	}
	return s.Show(c, http.StatusOK, pages.Surveys(*page))
}

// surveysPage is the page of the latest analysis, with that analysis: nil
// where there is none.
func (s *Room) surveysPage(c echo.Context, h *site.Hosted) (*pages.SurveysPage, *window.Surveys, error) {
	frame, err := s.AdminStudyFrame(c, h, "Surveys", "/surveys")
	if err != nil {
		return nil, nil, err
	}
	page := &pages.SurveysPage{Admin: frame}
	if site.Allows(frame.Role, site.Researcher) {
		page.Post = h.Href("/surveys")
	}
	if page.Jobs, err = s.standingOf(c, h, window.SurveyRunKind); err != nil {
		return nil, nil, err
	}
	result, run, err := window.LatestSurveys(c.Request().Context(), s.Store, h.Row)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return nil, nil, err
	default:
		page.Made = site.Moment(run.CreatedAt)
		s.fillSurveys(page, h, result)
	}
	for i, name := range window.Instruments(h.Study) {
		input := pages.SurveyInput{Field: fmt.Sprintf("models-%d", i+1), Title: instrumentTitle(h.Instruments[name])}
		if result != nil {
			for _, f := range result.Files {
				if f.Instrument == name {
					input.Kept = append(input.Kept, pages.KeptFile{Value: keptValue(f), Name: f.File})
				}
			}
		}
		page.Inputs = append(page.Inputs, input)
	}
	return page, result, nil
}

// keptValue names a file of models' answers in a form.
func keptValue(f window.ModelFile) string { return f.Instrument + "/" + f.File }

func instrumentTitle(in instrument.Instrument) string {
	if in.Title == "" {
		return in.Name
	}
	return in.Title
}

// analyseSurveys starts an analysis with the files sent and those kept of the
// latest one, and goes to the page that shows how it stands.
func (s *Room) analyseSurveys(c echo.Context, h *site.Hosted) error {
	page, latest, err := s.surveysPage(c, h)
	if err != nil {
		return err
	}
	o, files, err := surveyRequest(c.Request(), h, latest)
	var problem *site.UploadError
	var faults dataset.Faults
	var fault dataset.Fault
	switch {
	case errors.As(err, &problem):
		page.Problem = problem.Error()
	case errors.As(err, &faults):
		page.Faults, page.More = site.FaultLines(faults)
	case errors.As(err, &fault):
		page.Faults, page.More = site.FaultLines(dataset.Faults{fault})
	case err != nil:
		return err
	}
	if err != nil {
		page.Wrong = true
		return s.Show(c, http.StatusUnprocessableEntity, pages.Surveys(*page))
	}
	if len(page.Unfinished) == 0 { // else it was sent twice
		parameters, err := json.Marshal(o)
		if err != nil {
			return err
		}
		sent, err := json.Marshal(files)
		if err != nil {
			return err
		}
		asked := store.NewRun{Kind: window.SurveyRunKind, Parameters: parameters, Sent: sent}
		if _, err := s.jobs.Ask(c.Request().Context(), h.Row.ID, asked, site.ActorOf(c)); err != nil {
			return err
		}
	}
	return s.To(c, h.AdminPath("/surveys"))
}

// surveyRequest reads what an analysis is asked to take.
func surveyRequest(r *http.Request, h *site.Hosted, latest *window.Surveys) (window.SurveyOptions, []window.ModelFile, error) {
	o := window.DefaultSurveyOptions()
	var large *http.MaxBytesError
	switch err := r.ParseMultipartForm(site.MaxBody); {
	case errors.As(err, &large):
		return o, nil, site.Unusable("The files are larger than %d MB together.", site.MaxUpload>>20)
	case errors.Is(err, http.ErrNotMultipart):
		return o, nil, nil // nothing but the button
	case err != nil:
		return o, nil, site.Unusable("The files did not arrive complete. Send them again.")
	}
	defer r.MultipartForm.RemoveAll()
	if latest != nil && r.PostFormValue("weigh") != "" {
		o.Margins = latest.Parameters.Margins
	}
	sent := r.MultipartForm.File
	for _, header := range sent["margins"] {
		content, err := readPart(header)
		if err != nil {
			return o, nil, err
		}
		if o.Margins, err = votes.ReadMargins(header.Filename, content); err != nil {
			return o, nil, err
		}
		if err := known(header.Filename, o.Margins, h.Study); err != nil {
			return o, nil, err
		}
	}
	var files []window.ModelFile
	var faults dataset.Faults
	for i, name := range window.Instruments(h.Study) {
		for _, header := range sent[fmt.Sprintf("models-%d", i+1)] {
			content, err := readPart(header)
			if err != nil {
				return o, nil, err
			}
			f, err := window.ReadModelFile(header.Filename, content, h.Instruments[name])
			switch err := err.(type) {
			case nil:
				files = append(files, f)
			case dataset.Faults:
				faults = append(faults, err...)
			case dataset.Fault:
				faults = append(faults, err)
			default:
				return o, nil, err
			}
		}
	}
	if len(faults) > 0 {
		return o, nil, faults
	}
	if latest != nil {
		for _, f := range latest.Files {
			replaced := slices.ContainsFunc(files, func(sent window.ModelFile) bool { return keptValue(sent) == keptValue(f) })
			if slices.Contains(r.PostForm["keep"], keptValue(f)) && !replaced {
				files = append(files, f)
			}
		}
	}
	for _, name := range window.Instruments(h.Study) {
		if _, err := window.JoinModels(window.FilesOf(files, name)); err != nil {
			return o, nil, site.Unusable("%s", site.Sentence(err.Error()))
		}
	}
	return o, files, nil
}

// known says which variables of margins no survey of the study asks.
func known(file string, margins []score.Margin, st *studyfile.Study) error {
	var faults dataset.Faults
	for _, m := range margins {
		asked := false
		for _, in := range st.Instruments {
			_, has := in.Item(m.Variable)
			asked = asked || has
		}
		if !asked {
			faults = append(faults, dataset.Fault{File: file, Column: "variable", Value: m.Variable, Message: "is not an item of the study's surveys"})
		}
	}
	if len(faults) > 0 {
		return faults
	}
	return nil
}

func readPart(header *multipart.FileHeader) ([]byte, error) {
	f, err := header.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// fillSurveys words a result.
func (s *Room) fillSurveys(page *pages.SurveysPage, h *site.Hosted, r *window.Surveys) {
	page.Virtual = r.People.Virtual
	page.People, page.LeftOut = countedPeople(r.People)
	page.Margins = marginsInWords(r.Parameters.Margins)
	page.Facts = []templates.Fact{
		{Name: "Intervals", Value: fmt.Sprintf("95 %%: for shares, Wilson's at the effective number of people; for everything else, from %d resamples of people", r.Parameters.Bootstrap)},
		{Name: "Seed", Value: strconv.FormatUint(r.Parameters.Seed, 10)},
		{Name: "Program", Value: r.Program.Name + " " + r.Program.Version},
		{Name: "Hash of the input", Value: r.Input.SHA256, Code: true},
		{Name: "Hash of the study", Value: r.Study.Hash, Code: true},
	}
	for _, f := range r.Files {
		page.Facts = append(page.Facts, templates.Fact{Name: f.File, Value: f.SHA256, Code: true})
	}
	for i, in := range r.Instruments {
		view := pages.SurveyView{ID: fmt.Sprintf("survey-%d", i+1), Title: instrumentTitle(h.Instruments[in.Instrument]), Instrument: in.Instrument}
		if k := in.Raking; k != nil {
			view.Warnings = k.Warnings
			view.Weights = []templates.Fact{{Name: "Weighted to", Value: page.Margins},
				{Name: "Effective number of people", Value: fmt.Sprintf("%.0f of %d", float64(k.EffectiveN), r.People.Complete)},
				{Name: "Weights", Value: decimals(k.Smallest) + " to " + decimals(k.Largest)}}
		}
		for _, f := range in.Figures() {
			view.Figures = append(view.Figures, s.surveyDrawing(h, in.Instrument, f))
		}
		view.Opinions, view.OpinionsNote = opinionLines(in)
		if in.Polls != nil {
			view.Polls = pollLines(in.Polls)
		}
		view.Topics = topicViews(h, in)
		page.Instruments = append(page.Instruments, view)
	}
}

// countedPeople says whose data an analysis took, and what it left out.
func countedPeople(p window.Counted) (people string, leftOut []string) {
	people, other := site.Counted(p.Complete, "person who finished", "people who finished"), site.Counted(p.OtherKind, "virtual participant who finished", "virtual participants who finished")
	if p.Virtual {
		people, other = site.Counted(p.Complete, "virtual participant who finished", "virtual participants who finished"), site.Counted(p.OtherKind, "person who finished", "people who finished")
	}
	if p.Incomplete > 0 {
		leftOut = append(leftOut, site.Counted(p.Incomplete, "submission that is not complete", "submissions that are not complete"))
	}
	if p.OtherKind > 0 {
		leftOut = append(leftOut, other)
	}
	return people, leftOut
}

func marginsInWords(margins []score.Margin) string {
	var said []string
	for _, m := range margins {
		total := 0.0
		for _, share := range m.Shares {
			total += share
		}
		var shares []string
		for i, c := range m.Categories {
			shares = append(shares, fmt.Sprintf("%s %.3g %%", c, 100*m.Shares[i]/total))
		}
		said = append(said, m.Variable+": "+strings.Join(shares, ", "))
	}
	return strings.Join(said, "; ")
}

// surveyDrawing is a figure of an instrument with its caption and the ways to
// its files.
func (s *Room) surveyDrawing(h *site.Hosted, instrument string, f window.Tabled) pages.Drawing {
	d := drawing(f.Draw)
	d.Caption = f.Caption
	for _, format := range window.FigureFormats {
		d.Files = append(d.Files, templates.Tab{Name: strings.ToUpper(format), Path: h.Href("/surveys/figures/" + url.PathEscape(instrument) + "/" + f.Name + "." + format)})
	}
	return d
}

// surveyFigure sends a figure of the latest analysis, by the end of its path.
func (s *Room) surveyFigure(c echo.Context, h *site.Hosted, file string) error {
	format := strings.TrimPrefix(path.Ext(file), ".")
	result, _, err := window.LatestSurveys(c.Request().Context(), s.Store, h.Row)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil && figureTypes[format] != "" {
		for _, in := range result.Instruments {
			figures := in.Figures()
			for i := range in.Items {
				figures = append(figures, in.Items[i].Figure())
			}
			for _, f := range figures {
				if in.Instrument+"/"+f.Name+"."+format != file {
					continue
				}
				content, err := f.Content(format, figureScale)
				if err != nil {
					return err
				}
				return s.send(c, h, h.Row.Slug+"-"+f.Name+"."+format, figureTypes[format], content)
			}
		}
	}
	return &site.Refusal{Status: http.StatusNotFound, Name: "not_found"}
}

// opinionLines are the numbers of POBs of people, and of the models asked.
func opinionLines(r *window.InstrumentResult) (lines []pages.OpinionLine, note string) {
	p := r.Opinions
	if p == nil {
		return nil, ""
	}
	lines = append(lines, pages.OpinionLine{Name: "people", People: true, Reliability: estimate(p.Reliability), NNI: estimate(p.NNI), TCI: estimate(p.TCI),
		Individualism: estimate(p.Individualism), Progressivism: estimate(p.Progressivism), Refused: estimate(p.RefusedPct), Neutral: estimate(p.NeutralPct)})
	for _, model := range window.Folded(r.Models) {
		for _, mode := range window.Folded(r.Models[model]) {
			m := r.Models[model][mode]
			lines = append(lines, pages.OpinionLine{Name: model + ", " + mode, Reliability: estimatedOf(m.Reliability[score.Likert], m.CI.Reliability[score.Likert]),
				NNI: estimatedOf(m.NNI, m.CI.NNI), TCI: estimatedOf(m.TCI, m.CI.TCI), Individualism: number(m.Axes.Individualism), Progressivism: number(m.Axes.Progressivism),
				Refused: number(m.RefusedPct), Neutral: number(m.NeutralPct[score.Likert])})
		}
	}
	return lines, fmt.Sprintf("Each number is computed for each person and then averaged. Reliability is from %s asked items twice; consistency of all people taken as one respondent is %s (%s).",
		site.Counted(p.Reliability.N, "person who was", "people who were"), decimals(p.TCITogether.Value), interval(p.TCITogether.CI))
}

func estimate(e score.Estimate) pages.Estimated { return estimatedOf(e.Value, e.CI) }

func estimatedOf(n score.Number, ci score.Interval) pages.Estimated {
	e := number(n)
	if ci.Defined() {
		e.CI = interval(ci)
	}
	return e
}

func number(n score.Number) pages.Estimated { return pages.Estimated{Value: decimals(n)} }

// mostGroups is how many groups are named as the nearest or the farthest.
const mostGroups = 3

func pollLines(o *score.OpinionQA) []pages.PollLine {
	var lines []pages.PollLine
	for _, model := range window.Folded(o.Models) {
		m := o.Models[model]
		line := pages.PollLine{Model: model, N: m.N, Overall: estimatedOf(m.Overall, m.CI), Nearest: "–", Farthest: "–"}
		if groups := window.Nearest(m); len(groups) > 0 {
			name := func(list []string) string {
				var said []string
				for _, g := range list {
					said = append(said, fmt.Sprintf("%s %s", g, decimals(m.Group[g])))
				}
				return strings.Join(said, "; ")
			}
			n := min(mostGroups, (len(groups)+1)/2)
			line.Nearest = name(groups[:n])
			farthest := slices.Clone(groups[max(n, len(groups)-n):])
			slices.Reverse(farthest)
			line.Farthest = name(farthest)
		}
		lines = append(lines, line)
	}
	return lines
}

// openItems is up to how many items stand on the page without being unfolded.
const openItems = 45

// topicViews are an instrument's items by their first topic.
func topicViews(h *site.Hosted, r *window.InstrumentResult) []pages.TopicView {
	var views []pages.TopicView
	for i := range r.Items {
		name := ""
		if len(r.Items[i].Topics) > 0 {
			name = r.Items[i].Topics[0]
		}
		at := slices.IndexFunc(views, func(v pages.TopicView) bool { return v.Name == name })
		if at < 0 {
			at = len(views)
			views = append(views, pages.TopicView{Name: name, Open: len(r.Items) <= openItems})
		}
		item := itemView(&r.Items[i], false)
		item.Path = itemPath(h, r.Instrument, item.ID)
		views[at].Items = append(views[at].Items, item)
	}
	return views
}

// itemPath is the path of an item's page.
func itemPath(h *site.Hosted, instrument, item string) string {
	return h.AdminPath("/surveys/" + url.PathEscape(instrument) + "/" + url.PathEscape(item))
}

// itemView words the answers to an item, models' beside them where asked for.
func itemView(it *window.SurveyItem, models bool) pages.SurveyItemView {
	view := pages.SurveyItemView{ID: it.Item, Text: it.Text, Asked: it.Asked, Counts: askedCounts(it),
		Refused: answerLine("Refused", it.Refused, it.Refusal)}
	if models {
		view.Models = window.Folded(it.Models)
	}
	for k, o := range it.Options {
		line := answerLine(o.Label, o.Count, o.Share)
		for _, m := range view.Models {
			line.Models = append(line.Models, share(it.Models[m][k]))
		}
		view.Options = append(view.Options, line)
	}
	for _, m := range view.Models {
		view.Refused.Models = append(view.Refused.Models, share(it.ModelRefusals[m]))
	}
	return view
}

// askedCounts says how many answered an item, and of how many there is no
// answer.
func askedCounts(it *window.SurveyItem) string {
	said := site.Counted(it.Asked, "answer", "answers")
	if it.NotAsked > 0 {
		said += fmt.Sprintf("; not asked: %d", it.NotAsked)
	}
	if it.NoAnswer > 0 {
		said += fmt.Sprintf("; without an answer: %d", it.NoAnswer)
	}
	return said
}

func answerLine(label string, n int, e score.Estimate) pages.AnswerLine {
	line := pages.AnswerLine{Label: label, Count: n, Share: pages.Estimated{Value: share(e.Value), CI: "–"}, Percent: "0"}
	if e.Value.Defined() {
		line.Percent = strconv.FormatFloat(math.Round(1000*float64(e.Value))/10, 'f', -1, 64)
	}
	if e.CI.Defined() {
		line.Share.CI = fmt.Sprintf("%.0f to %.0f %%", 100*float64(e.CI.Low), 100*float64(e.CI.High))
	}
	return line
}

func share(n score.Number) string {
	if !n.Defined() {
		return "–"
	}
	return percent(n)
}

// surveyItem shows one item.
func (s *Room) surveyItem(c echo.Context, h *site.Hosted) error {
	if file, ok := strings.CutPrefix(c.Param("*"), "figures/"); ok {
		return s.surveyFigure(c, h, file)
	}
	in, at, ok := surveyItem(h, c.Param("*"))
	if !ok {
		return &site.Refusal{Status: http.StatusNotFound, Name: "not_found"}
	}
	it := in.Items[at]
	frame, err := s.AdminStudyFrame(c, h, "Item "+it.ID, "/surveys")
	if err != nil {
		return err
	}
	page := pages.SurveyItemPage{Admin: frame, Back: h.Href("/surveys"), Instrument: instrumentTitle(in),
		Item: pages.SurveyItemView{ID: it.ID, Text: it.Text}}
	if at > 0 {
		page.EarlierID = in.Items[at-1].ID
		page.Earlier = s.Base + itemPath(h, in.Name, page.EarlierID)
	}
	if at+1 < len(in.Items) {
		page.LaterID = in.Items[at+1].ID
		page.Later = s.Base + itemPath(h, in.Name, page.LaterID)
	}
	result, _, err := window.LatestSurveys(c.Request().Context(), s.Store, h.Row)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil {
		s.fillItem(h, &page, in.Name, result)
	}
	return s.Show(c, http.StatusOK, pages.SurveyItem(page))
}

// surveyItem finds an item by the end of its page's path.
func surveyItem(h *site.Hosted, rest string) (in instrument.Instrument, at int, ok bool) {
	for _, name := range window.Instruments(h.Study) {
		in := h.Instruments[name]
		if at := slices.IndexFunc(in.Items, func(it instrument.Item) bool { return name+"/"+it.ID == rest }); at >= 0 {
			return in, at, true
		}
	}
	return in, 0, false
}

// fillItem words the answers to the page's item.
func (s *Room) fillItem(h *site.Hosted, page *pages.SurveyItemPage, name string, r *window.Surveys) {
	for _, in := range r.Instruments {
		at := slices.IndexFunc(in.Items, func(it window.SurveyItem) bool { return in.Instrument == name && it.Item == page.Item.ID })
		if at < 0 || in.Items[at].Asked == 0 {
			continue
		}
		it := &in.Items[at]
		page.Virtual, page.Weighted = r.People.Virtual, in.Raking != nil
		page.Item, page.Figure = itemView(it, true), s.surveyDrawing(h, name, it.Figure())
		page.Facts = []templates.Fact{
			{Name: "Answered", Value: site.Counted(it.Asked, "person", "people")},
			{Name: "Not asked", Value: strconv.Itoa(it.NotAsked)},
			{Name: "No answer", Value: strconv.Itoa(it.NoAnswer)},
			{Name: "Spread (entropy, 0 to 1)", Value: decimals(it.Entropy)},
		}
		if it.Order != nil {
			page.Facts = append(page.Facts, templates.Fact{Name: "Options in reverse", Value: fmt.Sprintf("people answer %s (%s) points higher on the scale", decimals(it.Order.Value), interval(it.Order.CI))})
		}
	}
}
