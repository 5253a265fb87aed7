package web

import (
	"bytes"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/internal/study"
)

// draftOf makes a draft of the small study in the browser's site.
func (ts *testSite) draftOf(b *browser, slug string) {
	ts.t.Helper()
	if p := b.upload(renamed(slug)); p.status != http.StatusOK {
		ts.t.Fatalf("no draft: status %d: %s", p.status, p.says())
	}
}

// fill sends the editor's form on a page as it stands, but for some fields.
func (b *browser) fill(p page, changed map[string]string) page {
	b.t.Helper()
	var action string
	fields := url.Values{}
	forEach(p.doc, "form", func(form *html.Node) {
		named := false
		forEach(form, "input", func(n *html.Node) { named = named || attribute(n, "name") == "hash" })
		if action != "" || !named {
			return
		}
		action = attribute(form, "action")
		forEach(form, "input", func(n *html.Node) {
			_, checked := has(n, "checked")
			if kind := attribute(n, "type"); kind == "hidden" || kind == "text" || checked {
				fields.Add(attribute(n, "name"), attribute(n, "value"))
			}
		})
		forEach(form, "textarea", func(n *html.Node) {
			fields.Set(attribute(n, "name"), strings.TrimPrefix(text(n), "\n"))
		})
		forEach(form, "select", func(n *html.Node) {
			forEach(n, "option", func(o *html.Node) {
				if _, selected := has(o, "selected"); selected {
					fields.Set(attribute(n, "name"), attribute(o, "value"))
				}
			})
		})
	})
	if action == "" {
		b.t.Fatalf("there is no form on %s: %s", p.url, p.says())
	}
	for name, value := range changed {
		if value == "-" {
			fields.Del(name)
			continue
		}
		fields.Set(name, value)
	}
	return b.post(action, fields)
}

func (ts *testSite) draft(name string) *studyfile.Study {
	ts.t.Helper()
	row, err := ts.store.Study(ts.t.Context(), name)
	if err != nil {
		ts.t.Fatal(err)
	}
	files, err := ts.store.StudyFiles(ts.t.Context(), row.ID)
	if err != nil {
		ts.t.Fatal(err)
	}
	st, err := studyfile.Read(studyfile.Files(files))
	if err != nil {
		ts.t.Fatal(err)
	}
	return st
}

func TestEveryPageOfTheEditorKeepsWhatItShows(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	ts.draftOf(b, "mine")
	before := ts.draft("mine").Setup().YAML()
	for _, part := range []string{"study", "recruitment", "numbers", "checks", "quotas", "block-0", "block-1", "block-2", "block-3"} {
		p := b.get("/admin/studies/mine/setup/" + part)
		if p.status != http.StatusOK {
			t.Fatalf("%s: status %d", part, p.status)
		}
		if p = b.fill(p, nil); p.status != http.StatusOK || !strings.HasSuffix(p.url.Path, "/setup") {
			t.Errorf("%s saved as it was: status %d at %s: %s", part, p.status, p.url, p.says())
		}
		if got := ts.draft("mine").Setup().YAML(); !bytes.Equal(got, before) {
			t.Errorf("%s saved as it was changed the study to\n%s", part, got)
		}
	}
}

func TestTheEditorChangesADraft(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	ts.draftOf(b, "mine")
	const mine = "/admin/studies/mine"
	edit := func(part string, changed map[string]string) page {
		t.Helper()
		return b.fill(b.get(mine+"/setup/"+part), changed)
	}
	edit("recruitment", map[string]string{"recruitment.minutes": "21", "recruitment.prolific.codes.over_quota": "", "recruitment.resubmission": "yes"})
	edit("numbers", map[string]string{"flow[2].overton.participants_per_question": "33", "flow[2].overton.responses_per_question": "1"})
	edit("block-0", map[string]string{"flow[0].consent.file": "# New\r\n\r\nWe keep your data."})
	edit("block-1", map[string]string{"flow[1].survey.items_per_page": "6", "flow[1].survey.title": "About: you"})
	edit("block-2", map[string]string{"flow[2].overton.moderation": "before", "flow[2].overton.stance": "-"})
	edit("checks", map[string]string{"do": "add"})
	st := ts.draft("mine")
	o := st.Overton()
	if r := st.Recruitment; r.Minutes != 21 || r.Codes[study.OverQuota] != "" || r.Codes[study.Completed] != "DONE1" || !r.Resubmission {
		t.Errorf("recruitment is %+v", r)
	}
	if o.ParticipantsPerQuestion != 33 || o.ResponsesPerQuestion != 1 || o.Moderation != study.ModerationBefore || o.Stance || !o.Importance {
		t.Errorf("overton is %+v", o)
	}
	if got := string(st.Files["consent.md"]); got != "# New\n\nWe keep your data.\n" {
		t.Errorf("the consent text is %q", got)
	}
	if v := st.Survey("us-demographics"); v.PerPage != 6 || st.Instruments["us-demographics"].Title != "About: you" {
		t.Errorf("the survey is %+v, %q", v, st.Instruments["us-demographics"].Title)
	}
	if len(st.Checks) != 2 || st.Checks[1].After != 2 {
		t.Errorf("checks are %+v", st.Checks)
	}

	// A quota is filled in before it is saved, and taken away again.
	p := edit("quotas", map[string]string{"item": "SEX", "do": "show:0"})
	if len(ts.draft("mine").Quotas) != 0 || !strings.Contains(p.body, "quotas[0].targets.Male") {
		t.Errorf("asking for a quota: %s", p.says())
	}
	b.fill(p, map[string]string{"quotas[0].targets.Male": "8", "quotas[0].targets.Female": " 9 "})
	if q := ts.draft("mine").Quotas; len(q) != 1 || !maps.Equal(q[0].Targets, map[string]int{"Male": 8, "Female": 9}) {
		t.Errorf("quotas are %+v", q)
	}
	edit("quotas", map[string]string{"do": "remove:0"})
	if q := ts.draft("mine").Quotas; len(q) != 0 {
		t.Errorf("quotas are %+v", q)
	}

	// Blocks move, go and come.
	flow := func() string {
		var names []string
		for _, b := range ts.draft("mine").Flow {
			names = append(names, blockName(b))
		}
		return strings.Join(names, ", ")
	}
	for _, step := range []struct {
		form url.Values
		want string
	}{
		{url.Values{"do": {"down:1"}}, "Consent, Views, ratings and votes, Survey, Comment"},
		{url.Values{"do": {"up:2"}}, "Consent, Survey, Views, ratings and votes, Comment"},
		{url.Values{"do": {"move:3"}, "to": {"1"}}, "Consent, Comment, Survey, Views, ratings and votes"},
		{url.Values{"do": {"remove:1"}}, "Consent, Survey, Views, ratings and votes"},
		{url.Values{"do": {"remove:1"}}, "Consent, Views, ratings and votes"},
		{url.Values{"do": {"remove:0"}}, "Views, ratings and votes"},
		{url.Values{"do": {"add"}, "block": {"feedback"}}, "Views, ratings and votes, Comment"},
		{url.Values{"do": {"add"}, "block": {"us-demographics"}}, "Views, ratings and votes, Survey, Comment"},
		{url.Values{"do": {"add"}, "block": {"consent"}}, "Consent, Views, ratings and votes, Survey, Comment"},
		{url.Values{"do": {"up:1"}}, "Consent, Views, ratings and votes, Survey, Comment"}, // nothing stands before consent
	} {
		row, _ := ts.store.Study(t.Context(), "mine")
		step.form.Set("hash", row.Hash)
		if p := b.post(mine+"/setup/flow", step.form); flow() != step.want {
			t.Errorf("%v: status %d, flow is %s, want %s", step.form, p.status, flow(), step.want)
		}
	}
	p = edit("study", map[string]string{"slug": "ours", "title": "Our study"})
	if p.url.Path != "/admin/studies/ours/setup" || ts.draft("ours").Title != "Our study" {
		t.Errorf("under another slug the draft is at %s: %s", p.url, p.says())
	}
}

func TestWhatCannotBeIsSaidBesideItsField(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	ts.draftOf(b, "mine")
	before := ts.draft("mine").Hash
	for _, c := range []struct{ part, field, typed, want string }{
		{"study", "title", " ", "is missing; expected the study's name"},
		{"study", "slug", "My study", "expected 1 to 63 of a-z"},
		{"study", "slug", "small", "is another study's"},
		{"study", "language", "english, of course", "is no language tag"},
		{"recruitment", "recruitment.minutes", "soon", "is no whole number"},
		{"recruitment", "recruitment.minutes", "0", "expected 1 or more"},
		{"recruitment", "recruitment.prolific.codes.no_consent", "DONE1", "the same as"},
		{"recruitment", "recruitment.prolific.parameters.study", "a b", "is no name of a query parameter"},
		{"numbers", "flow[2].overton.questions_per_participant", "4", "but the question set has 3"},
		{"numbers", "flow[2].overton.responses_per_question", "0", "is neither “all” nor"},
		{"block-1", "flow[1].survey.items_per_page", "topic", "the instrument has no topics"},
		{"checks", "checks[0].instructed.after", "9", "expected the number of a participant"},
	} {
		p := b.fill(b.get("/admin/studies/mine/setup/"+c.part), map[string]string{c.field: c.typed})
		if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says(), c.want) || c.typed != " " && !strings.Contains(p.body, `value="`+c.typed+`"`) {
			t.Errorf("%s %q: status %d, lacks %q or what was typed:\n%s", c.field, c.typed, p.status, c.want, p.says())
		}
	}
	row, _ := ts.store.Study(t.Context(), "mine")
	p := b.post("/admin/studies/mine/setup/flow", url.Values{"do": {"remove:2"}, "hash": {row.Hash}})
	if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says(), "needs an overton block to stand in") {
		t.Errorf("taking away what a check needs: status %d: %s", p.status, p.says())
	}
	if ts.draft("mine").Hash != before {
		t.Error("something was saved")
	}
}

func TestNobodyOverwritesWhatSomebodyElseSaved(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	anna := ts.signedIn("admin")
	ts.draftOf(anna, "mine")
	mine := anna.get("/admin/studies/mine/setup/study")
	text := anna.get("/admin/studies/mine/setup/text")
	launch := anna.get("/admin/studies/mine/launch")
	ben := ts.browserOf("admin")
	ben.fill(ben.get("/admin/studies/mine/setup/study"), map[string]string{"contact": "ben@example.org"})
	p := anna.fill(mine, map[string]string{"title": "What Anna typed"})
	if p.status != http.StatusConflict || !strings.Contains(p.says(), "somebody else has changed this draft") || !strings.Contains(p.body, "What Anna typed") || ts.draft("mine").Title != "Small test" {
		t.Errorf("status %d: %s", p.status, p.says())
	}
	if p := anna.fill(p, nil); p.status != http.StatusOK || ts.draft("mine").Title != "What Anna typed" {
		t.Errorf("saving it again: status %d: %s", p.status, p.says())
	}
	if p := anna.fill(text, map[string]string{"text": "title: mine"}); p.status != http.StatusUnprocessableEntity && p.status != http.StatusConflict {
		t.Errorf("an old text: status %d", p.status)
	}
	form := url.Values{}
	forEach(launch.doc, "input", func(n *html.Node) {
		if field := attribute(n, "name"); field == "accept" || field == "hash" {
			form.Add(field, attribute(n, "value"))
		}
	})
	if p := anna.post("/admin/studies/mine/launch", form); p.status != http.StatusConflict || ts.row("mine").Status != store.Draft {
		t.Errorf("launching what somebody changed: status %d: %s", p.status, p.says())
	}
}

func (ts *testSite) row(name string) store.Study {
	ts.t.Helper()
	row, err := ts.store.Study(ts.t.Context(), name)
	if err != nil {
		ts.t.Fatal(err)
	}
	return row
}

func TestTheTextOfAStudyKeepsItsComments(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	ts.draftOf(b, "mine")
	p := b.get("/admin/studies/mine/setup/text")
	yaml := "# my own remark\n" + string(ts.draft("mine").Files["study.yaml"])
	if p = b.fill(p, map[string]string{"text": strings.ReplaceAll(yaml, "\n", "\r\n")}); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.says())
	}
	if got := string(ts.draft("mine").Files["study.yaml"]); got != yaml {
		t.Errorf("the text became\n%s", got)
	}
	if says := b.get("/admin/studies/mine/setup/study").says(); !strings.Contains(says, "study.yaml has comments of its own") {
		t.Errorf("no warning that a form loses them: %s", says)
	}
	p = b.fill(b.get("/admin/studies/mine/setup/text"), map[string]string{"text": strings.Replace(yaml, "minutes: 12", "minutes: soon", 1)})
	if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.rows(), "study.yaml 8 recruitment.minutes minutes: soon") || !strings.Contains(p.body, "minutes: soon") {
		t.Errorf("status %d: %s", p.status, p.rows())
	}
}

// give posts files in fields of their own.
func (b *browser) give(path string, files, values map[string]string) page {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range values {
		form.WriteField(name, value)
	}
	for _, field := range slices.Sorted(maps.Keys(files)) {
		slot, name, _ := strings.Cut(field, ":")
		w, err := form.CreateFormFile(slot, name)
		if err != nil {
			b.t.Fatal(err)
		}
		w.Write([]byte(files[field]))
	}
	form.Close()
	r, err := http.NewRequest(http.MethodPost, b.http.URL+path, &body)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	return b.do(r)
}

func TestQuestionSetsAreReplacedWholeOrNotAtAll(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	ts.draftOf(b, "mine")
	const path = "/admin/studies/mine/setup/questions"
	hash := func() map[string]string { return map[string]string{"hash": ts.row("mine").Hash} }
	before := ts.draft("mine").Hash

	p := b.give(path, map[string]string{"questions:new.csv": "question_id,question,option_1,option_2\na,Why?,A,\nb,\"Two\nlines\",A,B\nc,Fine?,,\n"}, hash())
	if p.status != http.StatusUnprocessableEntity || ts.draft("mine").Hash != before {
		t.Fatalf("a faulty file: status %d", p.status)
	}
	for _, want := range []string{"2 a Why? A empty", "option_2 is empty, but option_1 is not"} {
		if !strings.Contains(p.rows(), want) {
			t.Errorf("%q is not shown:\n%s", want, p.rows())
		}
	}
	all := map[string]string{
		"questions:new.csv": "question_id,question\na,Why?\nb,Two?\n", "responses:r.csv": "question_id,model,llm_response\na,m,One.\nb,m,Two.\n", "seeds:s.csv": "question_id,statement\na,Because.\n"}
	if p = b.give(path, all, hash()); p.status != http.StatusOK || len(ts.draft("mine").Questions.Questions) != 2 {
		t.Fatalf("status %d: %s", p.status, p.says())
	}
	if p = b.give(path, nil, map[string]string{"hash": ts.row("mine").Hash, "no_seeds": "yes", "no_responses": "yes"}); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.says())
	}
	if q := ts.draft("mine").Questions; len(q.Responses) != 0 || len(q.Seeds) != 0 || len(q.Questions) != 2 {
		t.Errorf("%+v", q)
	}
	if p = b.give(path, map[string]string{"seeds:s.csv": "question_id,statement\nb,So.\n"}, hash()); len(ts.draft("mine").Questions.Seeds) != 1 {
		t.Errorf("seeds given again: status %d: %s", p.status, p.says())
	}
	if p = b.give(path, all, map[string]string{"hash": before}); p.status != http.StatusConflict {
		t.Errorf("over what somebody else saved: status %d", p.status)
	}
	if p = b.give(path, nil, hash()); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says(), "No file was chosen") {
		t.Errorf("nothing: status %d", p.status)
	}

	// An instrument brings its block.
	const items = "item,text,label\nTEA,Tea?,yes\n,,no\n"
	p = b.give("/admin/studies/mine/setup/instrument", map[string]string{`instrument:tea.csv`: items}, hash())
	if v := ts.draft("mine").Survey("tea.csv"); p.status != http.StatusOK || v == nil || len(v.Items) != 1 {
		t.Errorf("an instrument: status %d: %s", p.status, p.says())
	}
	p = b.give("/admin/studies/mine/setup/instrument", map[string]string{`instrument:tea.csv`: items + "MILK,Milk?,yes\n,,no\n"}, hash())
	if v := ts.draft("mine").Survey("tea.csv"); p.status != http.StatusOK || v == nil || len(v.Items) != 2 {
		t.Errorf("its file replaced: status %d: %s", p.status, p.says())
	}
	p = b.give("/admin/studies/mine/setup/instrument", map[string]string{`instrument:consent.md`: items}, hash())
	if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says(), "another file called consent.md") {
		t.Errorf("over another file: status %d: %s", p.status, p.says())
	}
}

func TestNumbersAndTextsAreShownWhileTheyAreTyped(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	ts.draftOf(b, "mine")
	before := ts.draft("mine").Hash
	p := b.post("/admin/studies/mine/setup/numbers/live", url.Values{"flow[2].overton.participants_per_question": {"40"}, "flow[2].overton.votes_per_question": {"x"}, "pay": {"9,50"}})
	if says := p.says(); p.status != http.StatusOK || !strings.Contains(says, "60 3 questions × 40 people ÷ 2 questions a person") || strings.Contains(says, "Skip to") {
		t.Errorf("status %d: %s", p.status, says)
	}
	p = b.post("/admin/studies/mine/setup/block-0/live", url.Values{"flow[0].consent.file": {"# Hello <script>alert(1)</script>"}})
	if p.status != http.StatusOK || !strings.Contains(p.body, "<h2>Hello") || strings.Contains(p.body, "<script") {
		t.Errorf("status %d: %s", p.status, p.body)
	}
	p = b.fill(b.get("/admin/studies/mine/setup/numbers"), map[string]string{"flow[2].overton.participants_per_question": "40", "do": "show"})
	if p.status != http.StatusOK || !strings.Contains(p.says(), "3 questions × 40 people") || !strings.Contains(p.body, `value="40"`) {
		t.Errorf("without a script: status %d: %s", p.status, p.says())
	}
	if ts.draft("mine").Hash != before {
		t.Error("something was saved")
	}
}

func TestAStudyGoesDownAndUpUnchanged(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	files := map[string][]byte{}
	for name, content := range b.get("/admin/studies/small/files.zip").unpack(t) {
		files[strings.TrimPrefix(name, "small/")] = []byte(content)
	}
	if p := b.give(newStudyPath, map[string]string{"files:study.zip": string(packed(t, "small/", files))}, map[string]string{"slug": "again"}); p.url.Path != "/admin/studies/again" {
		t.Fatalf("came to %s, status %d: %s", p.url, p.status, p.says())
	}
	if back, err := studyfile.Read(ts.draft("again").WithSlug("small")); err != nil || back.Hash != ts.st.Hash {
		t.Errorf("another hash than before, %v", err)
	}
	if p := b.post(newStudyPath, url.Values{"from": {"copy"}, "copy": {"small@1"}, "slug": {"copied"}}); p.url.Path != "/admin/studies/copied" {
		t.Fatalf("a copy: %s, status %d: %s", p.url, p.status, p.says())
	}
	if ts.draft("copied").Hash == ts.st.Hash || ts.draft("copied").Questions.Hash() != ts.st.Questions.Hash() {
		t.Error("the copy is none")
	}
	for _, c := range []struct {
		form url.Values
		want string
	}{
		{url.Values{"from": {"copy"}, "copy": {"small"}, "slug": {"copied"}}, "There is a study with the slug"},
		{url.Values{"from": {"copy"}, "copy": {"nothing"}, "slug": {"x"}}, "Choose the study to copy"},
		{url.Values{"from": {"copy"}, "copy": {"small"}}, "a slug of its own"},
		{url.Values{"from": {"example"}, "title": {""}, "slug": {"X Y"}}, "is missing; expected the study's name"},
		{url.Values{"from": {"example"}, "title": {"T"}, "slug": {"small"}}, "There is a study with the slug"},
	} {
		if p := b.post(newStudyPath, c.form); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.says()+p.rows(), c.want) {
			t.Errorf("%v: status %d lacks %q: %s", c.form, p.status, c.want, p.says())
		}
	}
	if p := b.post(newStudyPath, url.Values{"from": {"example"}, "title": {"Mine: a test"}, "slug": {"mine"}}); p.url.Path != "/admin/studies/mine" || ts.draft("mine").Title != "Mine: a test" {
		t.Errorf("the example: status %d: %s", p.status, p.says())
	}
	if says := b.get("/admin?status=draft&q=MINE").rows(); !strings.Contains(says, "Mine: a test") || strings.Contains(says, "copied") {
		t.Errorf("the list narrowed down: %s", says)
	}
	if says := b.get("/admin?q=zzz").says(); !strings.Contains(says, "No study fits") {
		t.Errorf("the list narrowed to nothing: %s", says)
	}
}

func TestALaunchAsksForWhatIsMissing(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	b.post(newStudyPath, url.Values{"from": {"example"}, "title": {"Mine"}, "slug": {"mine"}})
	p := b.get("/admin/studies/mine/launch")
	for _, want := range []string{"the consent text is the example's", "the contact is the example's", "the completion codes are the example's", "/s/mine?PROLIFIC_PID="} {
		if !strings.Contains(p.says(), want) {
			t.Errorf("%q is not said: %s", want, p.says())
		}
	}
	if p = b.fill(p, nil); p.status != http.StatusUnprocessableEntity || ts.row("mine").Status != store.Draft {
		t.Errorf("without a tick: status %d", p.status)
	}
	if p = b.launch("mine"); p.status != http.StatusOK || ts.row("mine").Status != store.Running {
		t.Errorf("with all ticks: status %d: %s", p.status, p.says())
	}
	p = b.get("/admin/studies/mine/setup/study")
	if strings.Contains(p.body, ">Save<") || !strings.Contains(p.says(), "launched and frozen") {
		t.Errorf("a launched study can be changed: %s", p.says())
	}
	row := ts.row("mine")
	if p := b.post("/admin/studies/mine/setup/study", url.Values{"hash": {row.Hash}, "title": {"Other"}}); p.status != http.StatusConflict || ts.draft("mine").Title != "Mine" {
		t.Errorf("a form of before: status %d", p.status)
	}
}

func TestVersionsFollowOneAnother(t *testing.T) {
	ts := newSite(t, studyFolder(nil))
	b := ts.signedIn("admin")
	half, on := ts.begin(1)
	on = half.walk(on, "p/q1-view")
	ts.walkOne(2)

	p := b.post("/admin/studies/small/versions", url.Values{"do": {"new"}})
	if p.url.Path != "/admin/studies/small@2/setup" || !strings.Contains(p.says(), "This is a draft of version 2") {
		t.Fatalf("came to %s: %s", p.url, p.says())
	}
	if p := b.post("/admin/studies/small/versions", url.Values{"do": {"new"}}); p.status != http.StatusConflict {
		t.Errorf("a second draft: status %d", p.status)
	}
	p = b.fill(b.get("/admin/studies/small@2/setup/block-0"), map[string]string{"flow[0].consent.file": "Version two of the text. We keep your data."})
	if p.url.Path != "/admin/studies/small@2/setup" {
		t.Fatalf("came to %s, status %d: %s", p.url, p.status, p.says())
	}
	for path, status := range map[string]int{"/s/small@2?PROLIFIC_PID=a&SESSION_ID=b": 404, "/s/small@1?PROLIFIC_PID=a&SESSION_ID=b": 404, "/admin/studies/small": 200, "/admin/studies/small@1": 200, "/admin/studies/small@3": 404} {
		if p := b.get(path); p.status != status {
			t.Errorf("%s: status %d, want %d", path, p.status, status)
		}
	}
	if says := b.get("/admin/studies/small").says(); !strings.Contains(says, "Monitor") || !strings.Contains(says, "running") {
		t.Errorf("the monitor shows a draft: %s", says)
	}
	if _, p := ts.begin(3); strings.Contains(p.says(), "Version two") {
		t.Error("people get a draft")
	}
	if p := b.launch("small@2"); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.says())
	}
	if _, p := ts.begin(4); !strings.Contains(p.says(), "Version two") {
		t.Errorf("who arrives now gets the version before: %s", p.says())
	}
	// Who is on the way finishes on theirs, also by the link again.
	again := half.get(arrival(1))
	if !strings.HasSuffix(again.url.Path, "/p/q1-view") {
		t.Errorf("the link again leads to %s", again.url)
	}
	if p := half.walk(on, "end"); !strings.Contains(p.body, "DONE1") {
		t.Errorf("the end: %s", p.says())
	}
	back, _ := ts.arrive(1)
	if p := back.get(strings.Replace(arrival(1), "SESSION_ID=", "SESSION_ID=f", 1)); true {
		if p = back.send(p, nil); p.status != http.StatusForbidden {
			t.Errorf("a second submission after version 1: status %d: %s", p.status, p.says())
		}
	}
	one, two := ts.outcomes("small@1"), ts.outcomes("small@2")
	if len(one) != 3 || one[0] != study.Completed || one[1] != study.Completed || len(two) != 1 {
		t.Errorf("version 1 has submissions %q, version 2 %q", one, two)
	}
	if ts.row("small@1").Status != store.Closed || ts.row("small").Version != 2 {
		t.Errorf("%+v, %+v", ts.row("small@1"), ts.row("small"))
	}
	p = b.get("/admin/studies/small/versions")
	if says := p.says() + p.rows(); !strings.Contains(says, "consent.md") || !strings.Contains(says, "+ Version two of the text.") || !strings.Contains(says, "- You may **stop**") {
		t.Errorf("what changed: %s", says)
	}
	if p := ts.browserOf("viewer").get("/admin/studies/small/versions"); strings.Contains(p.body, "Version two of") {
		t.Error("a viewer sees the files")
	}
	files := b.get("/admin/studies/small@1/data/csv.zip")
	if files.status != http.StatusOK {
		t.Errorf("the data of version 1: status %d", files.status)
	}
	b.post("/admin/studies/small/versions", url.Values{"do": {"new"}})
	if p := b.post("/admin/studies/small@3/versions", url.Values{"do": {"discard"}}); p.url.Path != "/admin/studies/small/versions" {
		t.Errorf("discarding leads to %s, status %d", p.url, p.status)
	}
	if _, err := ts.store.Study(t.Context(), "small@3"); err == nil {
		t.Error("the draft is still there")
	}
}

// outcomes are those of all submissions to one version of a study.
func (ts *testSite) outcomes(name string) (all []study.Outcome) {
	ts.t.Helper()
	if err := ts.store.Records(ts.t.Context(), ts.row(name).ID, func(r study.Record) error {
		all = append(all, r.Outcome)
		return nil
	}); err != nil {
		ts.t.Fatal(err)
	}
	return all
}

// walkOne walks participant n to the end.
func (ts *testSite) walkOne(n int) {
	ts.t.Helper()
	b, p := ts.begin(n)
	b.walk(p, "end")
}

func TestAPreviewLeavesNoTrace(t *testing.T) {
	ts := newSite(t, studyFolder(func(yaml string) string {
		return strings.Replace(yaml, "participants_per_question: 20", "participants_per_question: 1", 1)
	}))
	admin := ts.signedIn("admin")
	ts.draftOf(admin, "mine")
	b := ts.signedIn("researcher")
	for n := range 5 {
		slug := []string{"mine", "small"}[n%2]
		p := b.post("/admin/studies/"+slug+"/preview", nil)
		if p.status != http.StatusOK || !strings.HasSuffix(p.url.Path, "/s/"+slug+"/start") || !strings.Contains(p.says(), "nothing is kept") {
			t.Fatalf("the preview is at %s, status %d: %s", p.url, p.status, p.says())
		}
		base := p.url.Path[:strings.Index(p.url.Path, "/s/")]
		for _, step := range []string{"q2-statement1", "q1-response2", "consent", "feedback", "end"} {
			p = b.post(base+"/jump", url.Values{"step": {step}})
			if p.status != http.StatusOK || !strings.HasSuffix(p.url.Path, "/"+step) {
				t.Errorf("%s: jumping to %s led to %s, status %d", slug, step, p.url, p.status)
			}
		}
		if !strings.Contains(p.body, "DONE1") {
			t.Errorf("the end: %s", p.says())
		}
		p = b.post(base+"/again", nil)
		p = b.walkPreview(p)
		if !strings.Contains(p.body, "DONE1") {
			t.Errorf("walked by hand the end is %s", p.says())
		}
		if p := admin.get(base + "/s/" + slug + "/start"); p.status != http.StatusNotFound {
			t.Errorf("somebody else's preview: status %d", p.status)
		}
	}
	if n := ts.outcomes("small"); len(n) != 0 {
		t.Errorf("submissions were recorded: %q", n)
	}
	if _, p := ts.begin(9); !strings.Contains(p.url.Path, "/p/consent") || strings.Contains(p.says(), "nothing is kept") {
		t.Errorf("somebody who really comes: %s", p.url)
	}
	p := b.post("/admin/studies/mine/preview", nil)
	ts.pass(previewLife + time.Minute)
	if p := b.get(p.url.Path); p.status != http.StatusNotFound || !strings.Contains(p.says(), "This preview is over") {
		t.Errorf("after its time: status %d: %s", p.status, p.says())
	}
}

// walkPreview answers the pages of a preview, whose own forms stand above.
func (b *browser) walkPreview(p page) page {
	b.t.Helper()
	for range 60 {
		if strings.HasSuffix(p.url.Path, "/end") {
			return p
		}
		answers := p.answers("My view is long enough")
		delete(answers, "step")
		var action string
		fields := url.Values{}
		forEach(p.doc, "form", func(form *html.Node) {
			forEach(form, "input", func(n *html.Node) {
				if attribute(n, "name") == "token" {
					action = attribute(form, "action")
					fields.Set("token", attribute(n, "value"))
				}
			})
		})
		for name, value := range answers {
			fields.Set(name, value)
		}
		if p = b.post(action, fields); p.status != http.StatusOK {
			b.t.Fatalf("%s: status %d: %s", p.url, p.status, p.says())
		}
	}
	b.t.Fatal("no end")
	return p
}

func TestPreviewsGiveWayToNewerOnes(t *testing.T) {
	var ps previews
	now := time.Now()
	for i := range mostPreviews + 2 {
		gone := ps.add(&preview{id: fmt.Sprint(i), account: 1, began: now}, now)
		if want := max(0, min(1, i-mostPreviews+1)); len(gone) != want {
			t.Errorf("preview %d: %d gone, want %d", i, len(gone), want)
		}
	}
	if _, ok := ps.of("1", 1, now); ok {
		t.Error("the oldest are still there")
	}
	if _, ok := ps.of("5", 2, now); ok {
		t.Error("a preview is another account's, too")
	}
	if _, ok := ps.of("5", 1, now); !ok {
		t.Error("a newer one is gone")
	}
}
