package web

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/dataset"
	"overton/internal/dataset/studyfile"
	"overton/internal/instrument"
	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
)

// draft is a study while it is changed: its setup, and the files beside it.
type draft struct {
	*studyfile.Setup
	files       studyfile.Files
	instruments map[string]instrument.Instrument // as they were read
}

func (h *hosted) draft() *draft { return &draft{h.Setup(), maps.Clone(h.Files), h.Instruments} }

// asks names an item by its id and what it asks.
func (d *draft) asks(in, id string) string {
	if it, ok := d.instruments[in].Item(id); ok && it.Text != "" {
		return id + " · " + shorten(it.Text, 80)
	}
	return id
}

// written are the draft's files with its setup as study.yaml.
func (d *draft) written() studyfile.Files {
	files := maps.Clone(d.files)
	files[studyfile.FileName] = d.YAML()
	return files
}

// setting is one thing that a form sets. Its path is where it stands in
// study.yaml; it is the name of its field, too, so that a fault finds it.
type setting struct {
	path, label, hint string
	kind              string // text, number, flag, choice or markdown
	options           []templates.Option
	get               func() string
	set               func(string) (problem string)
}

func textSetting(path, label, hint string, v *string) setting {
	return setting{path, label, hint, "text", nil, func() string { return *v }, func(typed string) string {
		*v = strings.TrimSpace(typed)
		return ""
	}}
}

func numberSetting(path, label, hint string, v *int) setting {
	return setting{path, label, hint, "number", nil, func() string { return strconv.Itoa(*v) }, func(typed string) string { return readNumber(typed, v) }}
}

func readNumber(typed string, v *int) string {
	n, err := strconv.Atoi(strings.TrimSpace(typed))
	if err != nil {
		return "is no whole number"
	}
	*v = n
	return ""
}

// wordOrNumber is a number for which a word stands that is stored as 0.
func wordOrNumber(path, label, hint, word string, v *int) setting {
	return setting{path, label, hint, "text", nil, func() string {
		if *v == 0 {
			return word
		}
		return strconv.Itoa(*v)
	}, func(typed string) string {
		if typed = strings.TrimSpace(typed); typed == word || typed == "" {
			*v = 0
			return ""
		}
		if problem := readNumber(typed, v); problem != "" || *v == 0 {
			return "is neither “" + word + "” nor a whole number from 1"
		}
		return ""
	}}
}

func flagSetting(path, label, hint string, v *bool) setting {
	return setting{path, label, hint, "flag", nil, func() string { return yesIf(*v) }, func(typed string) string {
		*v = typed != ""
		return ""
	}}
}

func yesIf(v bool) string {
	if v {
		return study.Yes
	}
	return ""
}

func choiceSetting[T ~string](path, label, hint string, v *T, options []templates.Option) setting {
	return setting{path, label, hint, "choice", options, func() string { return string(*v) }, func(typed string) string {
		*v = T(typed)
		return ""
	}}
}

// part is one page of the editor.
type part struct {
	title, lead string
	groups      []group
	live        string // what changes while one types: plan, text or nothing
	do          func(action string, at int)
}

// group is settings that belong together.
type group struct {
	title, hint string
	hidden      map[string]string
	settings    []setting
	buttons     []templates.SetupButton
}

// part builds a page of the editor for a draft. form is what was typed, where
// the page's groups depend on it.
func (d *draft) part(name string, form url.Values) (part, bool) {
	switch name {
	case "study":
		return d.studyPart(), true
	case "recruitment":
		return d.recruitmentPart(), true
	case "numbers":
		return d.numbersPart(), true
	case "checks":
		return d.checksPart(), true
	case "quotas":
		return d.quotasPart(form), true
	}
	if n, ok := strings.CutPrefix(name, "block-"); ok {
		if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < len(d.Flow) {
			return d.blockPart(i), true
		}
	}
	return part{}, false
}

func (d *draft) studyPart() part {
	return part{title: "The study", groups: []group{{settings: []setting{
		textSetting("title", "Title", "What participants see as the study's name.", &d.Title),
		textSetting("slug", "Slug", "How the study's link ends: /s/slug. 1 to 63 of a–z, 0–9 and -.", &d.Slug),
		textSetting("language", "Language of your texts", "As a tag, such as en or pt-BR.", &d.Language),
		textSetting("contact", "Contact", "Whom participants may write to. Shown where a page cannot help them on.", &d.Contact),
		flagSetting("second_round", "Second round of votes", "People who finished with fewer votes than asked, because there was too little to vote on yet, may come back by the same link.", &d.SecondRound),
	}}}}
}

func (d *draft) recruitmentPart() part {
	r := &d.Recruitment
	codes := group{title: "Completion codes", hint: "Copy them from your study on Prolific, one for each way that a submission can end. A person is sent back with the one that fits."}
	for _, o := range outcomeNames[:5] {
		outcome := o.outcome
		codes.settings = append(codes.settings, setting{"recruitment.prolific.codes." + string(outcome), o.name, "", "text", nil,
			func() string { return r.Codes[outcome] }, func(typed string) string {
				if delete(r.Codes, outcome); strings.TrimSpace(typed) != "" {
					r.Codes[outcome] = strings.TrimSpace(typed)
				}
				return ""
			}})
	}
	const names = "recruitment.prolific.parameters."
	return part{title: "Recruitment", groups: []group{
		{title: "Time", settings: []setting{
			numberSetting("recruitment.minutes", "Minutes", "What people are told the whole study takes.", &r.Minutes),
			numberSetting("recruitment.reservation_minutes", "Minutes that a place stays reserved", "After a person's last answer. Then it is free for somebody else.", &r.ReservationMinutes),
			flagSetting("recruitment.resubmission", "People may take part again", "With a new submission, once they have finished one.", &r.Resubmission),
		}},
		codes,
		{title: "The link", hint: "Names of the three ids in the study's link, as the recruiter sends them.", settings: []setting{
			textSetting(names+"participant", "Participant", "", &r.Parameters.Participant),
			textSetting(names+"study", "Study", "", &r.Parameters.Study),
			textSetting(names+"submission", "Submission", "", &r.Parameters.Submission),
			flagSetting("recruitment.prolific.signed_links", "Signed links only", "Lets in only whom Prolific sent. Switch on “Secured URL” there, too.", &r.SignedLinks),
		}},
	}}
}

func (d *draft) numbersPart() part {
	p := part{title: "Numbers", live: "plan", lead: "What each number leads to stands beside it, computed as you type."}
	for i, b := range d.Flow {
		if o := b.Overton; o != nil {
			at := fmt.Sprintf("flow[%d].overton.", i)
			p.groups = append(p.groups, group{settings: []setting{
				numberSetting(at+"questions_per_participant", "Questions a person", "", &o.QuestionsPerParticipant),
				numberSetting(at+"participants_per_question", "People on each question", "Who finish.", &o.ParticipantsPerQuestion),
				wordOrNumber(at+"responses_per_question", "Model responses that a person rates on each question", "“all”, or a number: that many are drawn for each person.", "all", &o.ResponsesPerQuestion),
				numberSetting(at+"votes_per_question", "Votes of a person on each question", "On what other people wrote; 0 for none.", &o.VotesPerQuestion),
			}})
		}
	}
	p.groups = append(p.groups, group{settings: []setting{
		numberSetting("recruitment.minutes", "Minutes that people are told", "", &d.Recruitment.Minutes),
	}})
	return p
}

func (d *draft) checksPart() part {
	p := part{title: "Checks", lead: "Each asks in plain words for one point of the rating scale. In a study of five minutes or more it takes two failed checks to fail. Say in your study's description that there are some."}
	for i := range d.Checks {
		check, at := &d.Checks[i], fmt.Sprintf("checks[%d].instructed.", i)
		p.groups = append(p.groups, group{title: fmt.Sprintf("Check %d", i+1), settings: []setting{
			textSetting(at+"text", "Instruction", "What people read.", &check.Text),
			numberSetting(at+"after", "After question", "Number of the person's question behind which it stands.", &check.After),
			choiceSetting(at+"answer", "Right answer", "", &check.Answer, points),
		}, buttons: []templates.SetupButton{{Do: fmt.Sprintf("remove:%d", i), Label: "Remove", About: fmt.Sprintf("check %d", i+1), Danger: true}}})
	}
	p.groups = append(p.groups, group{buttons: []templates.SetupButton{{Do: "add", Label: "Add a check"}}})
	p.do = func(action string, i int) {
		switch {
		case action == "add":
			n := len(d.Checks)
			answer := []string{"2", "4"}[n%2]
			after := n + 1
			if o := d.Overton(); o != nil {
				after = max(1, min(after, o.QuestionsPerParticipant))
			}
			d.Checks = append(d.Checks, study.Check{After: after, Text: "This line shows that you are reading. Please choose " + answer + " here.", Answer: answer})
		case action == "remove" && i < len(d.Checks):
			d.Checks = slices.Delete(d.Checks, i, i+1)
		}
	}
	return p
}

var points = []templates.Option{{Value: "1", Label: "1"}, {Value: "2", Label: "2"}, {Value: "3", Label: "3"}, {Value: "4", Label: "4"}, {Value: "5", Label: "5"}}

// quotasPart has the quotas that the form names, so that one can be added and
// filled in before anything is saved.
func (d *draft) quotasPart(form url.Values) part {
	if form != nil {
		var quotas []study.Quota
		for _, variable := range form["variable"] {
			q := study.Quota{Variable: variable, Targets: map[string]int{}}
			if i := slices.IndexFunc(d.Quotas, func(q study.Quota) bool { return q.Variable == variable }); i >= 0 {
				q.Targets = d.Quotas[i].Targets
			}
			quotas = append(quotas, q)
		}
		d.Quotas = quotas
	}
	p := part{title: "Quotas", lead: "How many people with each answer to a survey item may take part. Whoever comes later goes back with the code for over quota. An empty field is no limit."}
	var free []templates.Option
	for _, b := range d.Flow {
		if b.Survey == nil {
			continue
		}
		for _, it := range b.Survey.Items {
			i := slices.IndexFunc(d.Quotas, func(q study.Quota) bool { return q.Variable == it.ID })
			if i < 0 {
				free = append(free, templates.Option{Value: it.ID, Label: d.asks(b.Survey.Instrument, it.ID)})
				continue
			}
			g := group{title: d.asks(b.Survey.Instrument, it.ID), hidden: map[string]string{"variable": it.ID},
				buttons: []templates.SetupButton{{Do: fmt.Sprintf("remove:%d", i), Label: "Remove", About: "the quota on " + it.ID, Danger: true}}}
			targets := d.Quotas[i].Targets
			for _, option := range it.Options {
				g.settings = append(g.settings, setting{fmt.Sprintf("quotas[%d].targets.%s", i, option), option, "", "number", nil,
					func() string {
						if n, ok := targets[option]; ok {
							return strconv.Itoa(n)
						}
						return ""
					}, func(typed string) string {
						if delete(targets, option); strings.TrimSpace(typed) == "" {
							return ""
						}
						n := 0
						problem := readNumber(typed, &n)
						targets[option] = n
						return problem
					}})
			}
			p.groups = append(p.groups, g)
		}
	}
	if len(free) > 0 {
		chosen := free[0].Value
		p.groups = append(p.groups, group{title: "Another quota", settings: []setting{choiceSetting("item", "Survey item", "", &chosen, free)},
			buttons: []templates.SetupButton{{Do: "show:0", Label: "Add a quota"}}})
	} else if len(p.groups) == 0 {
		p.lead = "Quotas limit the people with each answer to a survey item. This study asks no survey, so there is nothing to limit."
	}
	p.do = func(action string, i int) {
		if action == "remove" && i < len(d.Quotas) {
			d.Quotas = slices.Delete(d.Quotas, i, i+1)
		}
	}
	return p
}

// blockPart is the page of one block of the flow.
func (d *draft) blockPart(i int) part {
	b, at := d.Flow[i], fmt.Sprintf("flow[%d].", i)
	switch {
	case b.Consent != nil:
		return part{title: "Consent", live: "text", lead: "The text that people must accept to go on, in Markdown. It should say what the study is about, what people do and for how long, its risks, what becomes of their data, that they can stop at any time, and whom to write to.",
			groups: []group{{settings: []setting{{at + "consent.file", "Text", "# makes a heading, - a list, **bold**, an empty line a new paragraph.", "markdown", nil,
				func() string { return string(d.files[d.Consent]) }, func(typed string) string {
					d.files[d.Consent] = []byte(strings.TrimRight(strings.ReplaceAll(typed, "\r\n", "\n"), "\n") + "\n")
					return ""
				}}}}}}
	case b.Survey != nil:
		v := b.Survey
		at += "survey."
		title := d.Titles[v.Instrument]
		order := "as_given"
		if v.ReverseHalf {
			order = "reversed_half"
		}
		return part{title: "Survey " + v.Instrument, groups: []group{{settings: []setting{
			{at + "title", "Heading of its pages", "The instrument's own where this is empty.", "text", nil, func() string { return title }, func(typed string) string {
				if delete(d.Titles, v.Instrument); strings.TrimSpace(typed) != "" {
					d.Titles[v.Instrument] = strings.TrimSpace(typed)
				}
				return ""
			}},
			wordOrNumber(at+"items_per_page", "Items on a page", "A number, or “topic”: all items of a topic on one page.", "topic", &v.PerPage),
			wordOrNumber(at+"topics_per_participant", "Topics a person", "“all”, or a number: that many are drawn for each person.", "all", &v.Topics),
			wordOrNumber(at+"items_per_participant", "Items a person", "“all”, or a number: that many are drawn for each person, with the items that depend on them.", "all", &v.Sample),
			{at + "order", "Order of the options", "", "choice", []templates.Option{{Value: "as_given", Label: "As given"}, {Value: "reversed_half", Label: "Reversed for half of the people"}},
				func() string { return order }, func(typed string) string { v.ReverseHalf = typed == "reversed_half"; return "" }},
			numberSetting(at+"repeat", "Items asked a second time", "At the end of the block, to tell how reliable answers are.", &v.Repeat),
		}}}}
	case b.Overton != nil:
		o := b.Overton
		at += "overton."
		return part{title: "Views, ratings and votes", lead: "For each question: one's own view, ratings of the model responses, then votes on what other people wrote. How many of each is on the page for numbers.", groups: []group{{settings: []setting{
			choiceSetting(at+"moderation", "When other people see a statement", "", &o.Moderation, []templates.Option{
				{Value: "after", Label: "At once, until you reject it"}, {Value: "before", Label: "Once you have accepted it"}, {Value: "off", Label: "At once, and nobody is asked to look"}}),
			flagSetting(at+"stance", "Ask which endpoint is closer", "Where a question has two.", &o.Stance),
			flagSetting(at+"importance", "Ask how important the question is", "", &o.Importance),
			numberSetting(at+"min_words", "Words of a view, at least", "", &o.MinWords),
		}}}}
	}
	return part{title: "Comment", lead: "An optional comment before the end. There is nothing to set."}
}

// apply puts what was typed into the draft. What cannot be is listed by path.
func (p part) apply(form url.Values) map[string]string {
	problems := map[string]string{}
	for _, g := range p.groups {
		for _, st := range g.settings {
			if _, sent := form[st.path]; !sent && st.kind != "flag" {
				continue
			}
			if problem := st.set(form.Get(st.path)); problem != "" {
				problems[st.path] = problem
			}
		}
	}
	return problems
}

// view is a part's fields as its page shows them: as typed, where form has
// them, else as they stand.
func (p part) view(form url.Values, problems map[string]string) []templates.SetupGroup {
	var groups []templates.SetupGroup
	n := 0
	for _, g := range p.groups {
		view := templates.SetupGroup{Title: g.title, Hint: g.hint, Hidden: g.hidden, Buttons: g.buttons}
		for _, st := range g.settings {
			n++
			f := templates.SetupField{ID: fmt.Sprint("s", n), Name: st.path, Label: st.label, Hint: st.hint, Kind: st.kind, Options: st.options, Value: st.get(), Problem: problems[st.path]}
			if typed, ok := form[st.path]; ok {
				f.Value = typed[0]
			}
			view.Fields = append(view.Fields, f)
		}
		groups = append(groups, view)
	}
	return groups
}

// setupFrame is the frame of one of the editor's pages.
func (s *site) setupFrame(c echo.Context, h *hosted, title string) (templates.SetupFrame, error) {
	frame, err := s.adminStudyFrame(c, h, title, "/setup")
	return templates.SetupFrame{
		Admin: frame, Draft: h.row.Status == store.Draft, Editable: h.row.Status == store.Draft && adminRoles[frame.Role] >= admin,
		Hash: h.row.Hash, Back: s.base + h.adminPath("/setup"), OwnRemarks: h.OwnRemarks(), Text: s.base + h.adminPath("/setup/text"),
	}, err
}

// setupPart shows a page of the editor.
func (s *site) setupPart(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	d := h.draft()
	p, ok := d.part(c.Param("part"), nil)
	if !ok {
		return echo.ErrNotFound
	}
	return s.showPart(c, http.StatusOK, h, d, p, edit{})
}

// edit is what somebody typed into a page of the editor, and what came of it.
type edit struct {
	form     url.Values // nil: nothing was typed
	problems map[string]string
	faults   dataset.Faults // that belong to no field
	changed  bool           // somebody else has changed the draft meanwhile
}

func (s *site) showPart(c echo.Context, status int, h *hosted, d *draft, p part, e edit) error {
	frame, err := s.setupFrame(c, h, p.title)
	if err != nil {
		return err
	}
	name := c.Param("part")
	frame.Wrong = status != http.StatusOK
	page := templates.SetupPartPage{
		SetupFrame: frame, Lead: p.lead, Action: s.base + h.adminPath("/setup/"+name), Groups: p.view(e.form, e.problems), Changed: e.changed,
	}
	page.Faults, page.More = faultLines(e.faults)
	switch p.live {
	case "plan":
		plan, err := s.plan(c, h, d)
		if err != nil {
			return err
		}
		page.Live, page.Plan = page.Action+"/live", &plan
		page.Terms = termFields(c)
	case "text":
		text, err := markdown(string(d.files[d.Consent]))
		if err != nil {
			return fmt.Errorf("rendering the consent text: %w", err)
		}
		page.Live, page.Preview = page.Action+"/live", &text
	}
	return s.show(c, status, templates.SetupPart(page))
}

// savePart takes what was typed on a page of the editor.
func (s *site) savePart(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	form := c.Request().PostForm
	d := h.draft()
	p, ok := d.part(c.Param("part"), form)
	if !ok {
		return &refusal{status: http.StatusConflict, name: "changed", try: h.adminPath("/setup")}
	}
	e := edit{form: form, problems: p.apply(form)}
	action, at := doing(form)
	if action == "show" {
		if item := form.Get("item"); item != "" && at == 0 && c.Param("part") == "quotas" {
			form.Add("variable", item)
			p, _ = d.part("quotas", form)
		}
		return s.showPart(c, http.StatusOK, h, d, p, e)
	}
	if p.do != nil {
		p.do(action, at)
	}
	again := func() error { return s.showPart(c, http.StatusUnprocessableEntity, h, d, p, e) }
	if len(e.problems) > 0 {
		return again()
	}
	row, err := s.keep(c, h, d.written(), form.Get("hash"))
	var faults dataset.Faults
	switch {
	case errors.As(err, &faults):
		e.problems, e.faults = p.sort(faults)
		return again()
	case errors.Is(err, store.ErrTaken):
		e.problems["slug"] = "is another study's, or the version's study has it already"
		return again()
	case errors.Is(err, store.ErrConflict):
		e.changed = true
		return s.showPart(c, http.StatusConflict, h, d, p, e)
	case err != nil:
		return err
	}
	to := "/setup?saved=" + url.QueryEscape(p.title)
	if action == "add" || action == "remove" {
		to = "/setup/" + c.Param("part")
	}
	return s.to(c, renamedPath(h, row)+to)
}

// doing reads which button was pressed: an action, and the number that it is about.
func doing(form url.Values) (action string, at int) {
	action, number, _ := strings.Cut(form.Get("do"), ":")
	at, err := strconv.Atoi(number)
	if err != nil || at < 0 {
		return action, 0
	}
	return action, at
}

// renamedPath is where a draft's pages are, now that it may have another slug.
func renamedPath(h *hosted, row store.Study) string {
	if h.row.Slug == row.Slug {
		return h.adminPath("")
	}
	return "/admin/studies/" + row.Slug
}

// sort gives faults in study.yaml to the fields that they are about.
func (p part) sort(faults dataset.Faults) (problems map[string]string, rest dataset.Faults) {
	problems = map[string]string{}
	for _, f := range faults {
		found := false
		for _, g := range p.groups {
			for _, st := range g.settings {
				if f.File == studyfile.FileName && f.Column == st.path {
					problems[st.path], found = f.Message, true
				}
			}
		}
		if !found {
			rest = append(rest, f)
		}
	}
	return problems, rest
}

// keep checks a draft's changed files and saves them, if the draft still is as
// before. The error may be dataset.Faults, store.ErrConflict or store.ErrTaken.
func (s *site) keep(c echo.Context, h *hosted, files studyfile.Files, before string) (store.Study, error) {
	st, err := studyfile.Read(files)
	if err != nil {
		return store.Study{}, err
	}
	ctx := c.Request().Context()
	row, err := s.Store.ChangeDraft(ctx, h.row.ID, before, store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files})
	if err != nil {
		return row, err
	}
	if row.Hash == before {
		return row, nil
	}
	return row, s.Store.Note(ctx, actorOf(c), row.ID, "draft changed", row.Hash)
}

// setup is the overview of a study's parts.
func (s *site) setup(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	return s.showSetup(c, http.StatusOK, h, nil, "")
}

func (s *site) showSetup(c echo.Context, status int, h *hosted, faults dataset.Faults, problem string) error {
	frame, err := s.setupFrame(c, h, "Set up")
	if err != nil {
		return err
	}
	frame.Wrong = status != http.StatusOK
	d := h.draft()
	plan, err := s.plan(c, h, d)
	if err != nil {
		return err
	}
	page := templates.SetupPage{SetupFrame: frame, Version: h.row.Version, Saved: c.QueryParam("saved"), Problem: problem, Plan: plan, Facts: h.facts(), Doubts: len(h.Doubts())}
	page.Faults, page.More = faultLines(faults)
	for _, gap := range h.Gaps() {
		page.Gaps = append(page.Gaps, gap.Text)
	}
	may := adminRoles[frame.Role]
	if may < researcher {
		return s.show(c, status, templates.Setup(page))
	}
	path := func(rest string) string { return s.base + h.adminPath(rest) }
	page.Preview, page.Files = path("/preview"), path("/files.zip")
	page.Flow, page.Instrument, page.Launch = path("/setup/flow"), path("/setup/instrument"), path("/launch")
	checks := "none"
	if n := len(d.Checks); n > 0 {
		checks = fmt.Sprint(n)
	}
	page.Parts = []templates.SetupLine{
		{Name: "The study", Path: path("/setup/study"), Detail: fmt.Sprintf("/s/%s · language %s", h.row.Slug, d.Language)},
		{Name: "Recruitment", Path: path("/setup/recruitment"), Detail: fmt.Sprintf("%d of 5 completion codes · %d minutes", len(d.Recruitment.Codes), d.Recruitment.Minutes)},
		{Name: "Checks", Path: path("/setup/checks"), Detail: checks},
		{Name: "Quotas", Path: path("/setup/quotas"), Detail: quotaWords(d.Quotas)},
		{Name: "Study file as text", Path: path("/setup/text"), Detail: "study.yaml, for those who know it"},
	}
	if d.Overton() != nil {
		page.Parts = slices.Insert(page.Parts, 2,
			templates.SetupLine{Name: "Question set", Path: path("/setup/questions"), Detail: fmt.Sprintf("%d questions, %d responses, %d seeds", len(h.Questions.Questions), len(h.Questions.Responses), len(h.Questions.Seeds))},
			templates.SetupLine{Name: "Numbers", Path: path("/setup/numbers"), Detail: fmt.Sprintf("%d people, about %d minutes", plan.People, plan.Minutes)})
	}
	for i, b := range d.Flow {
		page.Blocks = append(page.Blocks, templates.SetupBlock{
			SetupLine: templates.SetupLine{Name: blockName(b), Detail: h.blockDetail(b), Path: path(fmt.Sprintf("/setup/block-%d", i))},
			Number:    i, First: i == 0, Last: i == len(d.Flow)-1, Plain: b.Feedback != nil,
		})
		page.HasConsent = page.HasConsent || b.Consent != nil
		page.HasOverton = page.HasOverton || b.Overton != nil
		page.HasFeedback = page.HasFeedback || b.Feedback != nil
		page.HasDemographics = page.HasDemographics || b.Survey != nil && b.Survey.Instrument == demographics
	}
	return s.show(c, status, templates.Setup(page))
}

const demographics = "us-demographics"

func quotaWords(quotas []study.Quota) string {
	var names []string
	for _, q := range quotas {
		names = append(names, q.Variable)
	}
	if len(names) == 0 {
		return "none"
	}
	return "on " + strings.Join(names, ", ")
}

func blockName(b study.Block) string {
	switch {
	case b.Consent != nil:
		return "Consent"
	case b.Survey != nil:
		return "Survey"
	case b.Overton != nil:
		return "Views, ratings and votes"
	}
	return "Comment"
}

func (h *hosted) blockDetail(b study.Block) string {
	switch {
	case b.Survey != nil:
		in := h.Instruments[b.Survey.Instrument]
		return fmt.Sprintf("%s · %d items, at most %d a person on %d pages", b.Survey.Instrument, len(in.Items), b.Survey.MostItems(), b.Survey.MostPages())
	case b.Overton != nil:
		o := b.Overton
		responses := "all responses"
		if o.ResponsesPerQuestion > 0 {
			responses = fmt.Sprintf("%d responses", o.ResponsesPerQuestion)
		}
		return fmt.Sprintf("%d questions a person; %s and %d votes on each · moderation %s", o.QuestionsPerParticipant, responses, o.VotesPerQuestion, o.Moderation)
	}
	return ""
}

// changeFlow adds, removes and moves blocks.
func (s *site) changeFlow(c echo.Context) error {
	h, err := s.adminStudy(c)
	if err != nil {
		return err
	}
	form := c.Request().PostForm
	d := h.draft()
	action, at := doing(form)
	if action != "add" && at >= len(d.Flow) {
		return &refusal{status: http.StatusConflict, name: "changed", try: h.adminPath("/setup")}
	}
	switch action {
	case "up", "down", "move":
		to := at + map[string]int{"up": -1, "down": 1}[action]
		if action == "move" {
			if to, err = strconv.Atoi(form.Get("to")); err != nil {
				return &refusal{status: http.StatusBadRequest, name: "bad_request", try: h.adminPath("/setup")}
			}
		}
		block := d.Flow[at]
		d.Flow = slices.Delete(d.Flow, at, at+1)
		d.Flow = slices.Insert(d.Flow, max(0, min(to, len(d.Flow))), block)
	case "remove":
		d.Flow = slices.Delete(d.Flow, at, at+1)
	case "add":
		if err := d.add(form.Get("block")); err != nil {
			return err
		}
	default:
		return &refusal{status: http.StatusBadRequest, name: "bad_request", try: h.adminPath("/setup")}
	}
	return s.keepFlow(c, h, d.written(), form.Get("hash"))
}

// keepFlow saves a change that has no page of its own, and goes to the overview.
func (s *site) keepFlow(c echo.Context, h *hosted, files studyfile.Files, before string) error {
	_, err := s.keep(c, h, files, before)
	var faults dataset.Faults
	switch {
	case errors.As(err, &faults):
		return s.showSetup(c, http.StatusUnprocessableEntity, h, faults, "This cannot be done as things stand. Nothing was changed.")
	case errors.Is(err, store.ErrConflict):
		return s.showSetup(c, http.StatusConflict, h, nil, "Somebody else has changed this draft meanwhile. Nothing was changed; look at it as it is now.")
	case err != nil:
		return err
	}
	return s.to(c, h.adminPath("/setup"))
}

// add puts a block where it usually stands. Files that it needs and that the
// draft lacks are the example's, to be replaced.
func (d *draft) add(kind string) error {
	example := func(name string) error {
		if _, there := d.files[name]; there {
			return nil
		}
		content, err := fs.ReadFile(studyfile.Example(), name)
		d.files[name] = content
		return err
	}
	end := len(d.Flow)
	if end > 0 && d.Flow[end-1].Feedback != nil {
		end--
	}
	var block study.Block
	var err error
	switch kind {
	case "consent":
		d.Consent, end, block.Consent = "consent.md", 0, &study.Consent{}
		err = example(d.Consent)
	case "feedback":
		end, block.Feedback = len(d.Flow), &study.Feedback{}
	case "overton":
		block.Overton = &study.Overton{QuestionsPerParticipant: 2, ParticipantsPerQuestion: 60, VotesPerQuestion: 15, Moderation: study.ModerationAfter, Stance: true, Importance: true, MinWords: 1}
		d.Questions, d.Responses, d.Seeds = "questions.csv", "responses.csv", "seeds.csv"
		for _, name := range []string{d.Questions, d.Responses, d.Seeds} {
			err = errors.Join(err, example(name))
		}
	default:
		if _, known := instrument.BuiltIn(kind); !known {
			if _, there := d.files[kind]; !there {
				return &refusal{status: http.StatusBadRequest, name: "bad_request"}
			}
		}
		block.Survey = &study.Survey{Instrument: kind, PerPage: 4}
	}
	d.Flow = slices.Insert(d.Flow, end, block)
	return err
}
