package setup_test

import (
	"archive/zip"
	"bytes"
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
	"overton/web/setup"
	"overton/web/webtest"
)

// packed makes a .zip of files within a folder.
func packed(t *testing.T, folder string, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range files {
		w, err := z.Create(folder + name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(content)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// launch ticks whatever the page before a launch wants ticked, and launches.
func launch(b *webtest.Browser, name string) webtest.Page {
	b.T.Helper()
	p := b.Get("/admin/studies/" + name + "/launch")
	form := url.Values{}
	webtest.ForEach(p.Doc, "input", func(n *html.Node) {
		if field := webtest.Attribute(n, "name"); field == "accept" || field == "hash" {
			form.Add(field, webtest.Attribute(n, "value"))
		}
	})
	return b.Post("/admin/studies/"+name+"/launch", form)
}

// draftOf makes a draft of the small study in the browser's site.
func draftOf(ts *webtest.Site, b *webtest.Browser, slug string) {
	ts.T.Helper()
	if p := upload(b, webtest.Renamed(slug)); p.Status != http.StatusOK {
		ts.T.Fatalf("no draft: status %d: %s", p.Status, p.Says())
	}
}

// fill sends the editor's form on a page as it stands, but for some fields.
func fill(b *webtest.Browser, p webtest.Page, changed map[string]string) webtest.Page {
	b.T.Helper()
	var action string
	fields := url.Values{}
	webtest.ForEach(p.Doc, "form", func(form *html.Node) {
		named := false
		webtest.ForEach(form, "input", func(n *html.Node) { named = named || webtest.Attribute(n, "name") == "hash" })
		if action != "" || !named {
			return
		}
		action = webtest.Attribute(form, "action")
		webtest.ForEach(form, "input", func(n *html.Node) {
			_, checked := webtest.Has(n, "checked")
			if kind := webtest.Attribute(n, "type"); kind == "hidden" || kind == "text" || checked {
				fields.Add(webtest.Attribute(n, "name"), webtest.Attribute(n, "value"))
			}
		})
		webtest.ForEach(form, "textarea", func(n *html.Node) {
			fields.Set(webtest.Attribute(n, "name"), strings.TrimPrefix(webtest.Text(n), "\n"))
		})
		webtest.ForEach(form, "select", func(n *html.Node) {
			webtest.ForEach(n, "option", func(o *html.Node) {
				if _, selected := webtest.Has(o, "selected"); selected {
					fields.Set(webtest.Attribute(n, "name"), webtest.Attribute(o, "value"))
				}
			})
		})
	})
	if action == "" {
		b.T.Fatalf("there is no form on %s: %s", p.URL, p.Says())
	}
	for name, value := range changed {
		if value == "-" {
			fields.Del(name)
			continue
		}
		fields.Set(name, value)
	}
	return b.Post(action, fields)
}

func draft(ts *webtest.Site, name string) *studyfile.Study {
	ts.T.Helper()
	row, err := ts.Store.Study(ts.T.Context(), name)
	if err != nil {
		ts.T.Fatal(err)
	}
	files, err := ts.Store.StudyFiles(ts.T.Context(), row.ID)
	if err != nil {
		ts.T.Fatal(err)
	}
	st, err := studyfile.Read(studyfile.Files(files))
	if err != nil {
		ts.T.Fatal(err)
	}
	return st
}

func TestEveryPageOfTheEditorKeepsWhatItShows(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	draftOf(ts, b, "mine")
	before := draft(ts, "mine").Setup().YAML()
	for _, part := range []string{"study", "recruitment", "numbers", "checks", "quotas", "block-0", "block-1", "block-2", "block-3"} {
		p := b.Get("/admin/studies/mine/setup/" + part)
		if p.Status != http.StatusOK {
			t.Fatalf("%s: status %d", part, p.Status)
		}
		if p = fill(b, p, nil); p.Status != http.StatusOK || !strings.HasSuffix(p.URL.Path, "/setup") {
			t.Errorf("%s saved as it was: status %d at %s: %s", part, p.Status, p.URL, p.Says())
		}
		if got := draft(ts, "mine").Setup().YAML(); !bytes.Equal(got, before) {
			t.Errorf("%s saved as it was changed the study to\n%s", part, got)
		}
	}
}

func TestTheEditorChangesADraft(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	draftOf(ts, b, "mine")
	const mine = "/admin/studies/mine"
	edit := func(part string, changed map[string]string) webtest.Page {
		t.Helper()
		return fill(b, b.Get(mine+"/setup/"+part), changed)
	}
	edit("recruitment", map[string]string{"recruitment.minutes": "21", "recruitment.prolific.codes.over_quota": "", "recruitment.resubmission": "yes"})
	edit("numbers", map[string]string{"flow[2].overton.participants_per_question": "33", "flow[2].overton.responses_per_question": "1"})
	edit("block-0", map[string]string{"flow[0].consent.file": "# New\r\n\r\nWe keep your data."})
	edit("block-1", map[string]string{"flow[1].survey.items_per_page": "6", "flow[1].survey.title": "About: you"})
	edit("block-2", map[string]string{"flow[2].overton.moderation": "before", "flow[2].overton.stance": "-"})
	edit("checks", map[string]string{"do": "add"})
	st := draft(ts, "mine")
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
	if len(draft(ts, "mine").Quotas) != 0 || !strings.Contains(p.Body, "quotas[0].targets.Male") {
		t.Errorf("asking for a quota: %s", p.Says())
	}
	fill(b, p, map[string]string{"quotas[0].targets.Male": "8", "quotas[0].targets.Female": " 9 "})
	if q := draft(ts, "mine").Quotas; len(q) != 1 || !maps.Equal(q[0].Targets, map[string]int{"Male": 8, "Female": 9}) {
		t.Errorf("quotas are %+v", q)
	}
	edit("quotas", map[string]string{"do": "remove:0"})
	if q := draft(ts, "mine").Quotas; len(q) != 0 {
		t.Errorf("quotas are %+v", q)
	}

	// Blocks move, go and come.
	flow := func() string {
		var names []string
		for _, b := range draft(ts, "mine").Flow {
			names = append(names, setup.BlockName(b))
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
		row, _ := ts.Store.Study(t.Context(), "mine")
		step.form.Set("hash", row.Hash)
		if p := b.Post(mine+"/setup/flow", step.form); flow() != step.want {
			t.Errorf("%v: status %d, flow is %s, want %s", step.form, p.Status, flow(), step.want)
		}
	}
	p = edit("study", map[string]string{"slug": "ours", "title": "Our study"})
	if p.URL.Path != "/admin/studies/ours/setup" || draft(ts, "ours").Title != "Our study" {
		t.Errorf("under another slug the draft is at %s: %s", p.URL, p.Says())
	}
}

func TestWhatCannotBeIsSaidBesideItsField(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	draftOf(ts, b, "mine")
	before := draft(ts, "mine").Hash
	for _, c := range []struct{ part, field, typed, want string }{
		{"study", "title", " ", "is missing; expected the study's name"},
		{"study", "slug", "My study", "expected 1 to 63 of a-z"},
		{"study", "slug", "small", "is another study's"},
		{"study", "language", "english, of course", "is not a language tag"},
		{"recruitment", "recruitment.minutes", "soon", "Enter a whole number"},
		{"recruitment", "recruitment.minutes", "0", "expected 1 or more"},
		{"recruitment", "recruitment.prolific.codes.no_consent", "DONE1", "the same as"},
		{"recruitment", "recruitment.prolific.parameters.study", "a b", "is not a name of a query parameter"},
		{"numbers", "flow[2].overton.questions_per_participant", "4", "but the question set has 3"},
		{"numbers", "flow[2].overton.responses_per_question", "0", "Enter “all” or"},
		{"block-1", "flow[1].survey.items_per_page", "topic", "the instrument has no topics"},
		{"checks", "checks[0].instructed.after", "9", "expected the number of a participant"},
	} {
		p := fill(b, b.Get("/admin/studies/mine/setup/"+c.part), map[string]string{c.field: c.typed})
		if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says(), c.want) || c.typed != " " && !strings.Contains(p.Body, `value="`+c.typed+`"`) {
			t.Errorf("%s %q: status %d, lacks %q or what was typed:\n%s", c.field, c.typed, p.Status, c.want, p.Says())
		}
	}
	row, _ := ts.Store.Study(t.Context(), "mine")
	p := b.Post("/admin/studies/mine/setup/flow", url.Values{"do": {"remove:2"}, "hash": {row.Hash}})
	if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says(), "needs an overton block") {
		t.Errorf("taking away what a check needs: status %d: %s", p.Status, p.Says())
	}
	if draft(ts, "mine").Hash != before {
		t.Error("something was saved")
	}
}

func TestNobodyOverwritesWhatSomebodyElseSaved(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	anna := ts.SignedIn("admin")
	draftOf(ts, anna, "mine")
	mine := anna.Get("/admin/studies/mine/setup/study")
	text := anna.Get("/admin/studies/mine/setup/text")
	launch := anna.Get("/admin/studies/mine/launch")
	ben := ts.SignedIn("admin")
	fill(ben, ben.Get("/admin/studies/mine/setup/study"), map[string]string{"contact": "ben@example.org"})
	p := fill(anna, mine, map[string]string{"title": "What Anna typed"})
	if p.Status != http.StatusConflict || !strings.Contains(p.Says(), "somebody else has changed this draft") || !strings.Contains(p.Body, "What Anna typed") || draft(ts, "mine").Title != "Small test" {
		t.Errorf("status %d: %s", p.Status, p.Says())
	}
	if p := fill(anna, p, nil); p.Status != http.StatusOK || draft(ts, "mine").Title != "What Anna typed" {
		t.Errorf("saving it again: status %d: %s", p.Status, p.Says())
	}
	if p := fill(anna, text, map[string]string{"text": "title: mine"}); p.Status != http.StatusUnprocessableEntity && p.Status != http.StatusConflict {
		t.Errorf("an old text: status %d", p.Status)
	}
	form := url.Values{}
	webtest.ForEach(launch.Doc, "input", func(n *html.Node) {
		if field := webtest.Attribute(n, "name"); field == "accept" || field == "hash" {
			form.Add(field, webtest.Attribute(n, "value"))
		}
	})
	if p := anna.Post("/admin/studies/mine/launch", form); p.Status != http.StatusConflict || row(ts, "mine").Status != store.Draft {
		t.Errorf("launching what somebody changed: status %d: %s", p.Status, p.Says())
	}
}

func row(ts *webtest.Site, name string) store.Study {
	ts.T.Helper()
	row, err := ts.Store.Study(ts.T.Context(), name)
	if err != nil {
		ts.T.Fatal(err)
	}
	return row
}

func TestTheTextOfAStudyKeepsItsComments(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	draftOf(ts, b, "mine")
	p := b.Get("/admin/studies/mine/setup/text")
	yaml := "# my own remark\n" + string(draft(ts, "mine").Files["study.yaml"])
	if p = fill(b, p, map[string]string{"text": strings.ReplaceAll(yaml, "\n", "\r\n")}); p.Status != http.StatusOK {
		t.Fatalf("status %d: %s", p.Status, p.Says())
	}
	if got := string(draft(ts, "mine").Files["study.yaml"]); got != yaml {
		t.Errorf("the text became\n%s", got)
	}
	if says := b.Get("/admin/studies/mine/setup/study").Says(); !strings.Contains(says, "study.yaml has comments of its own") {
		t.Errorf("no warning that a form loses them: %s", says)
	}
	p = fill(b, b.Get("/admin/studies/mine/setup/text"), map[string]string{"text": strings.Replace(yaml, "minutes: 12", "minutes: soon", 1)})
	if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Rows(), "study.yaml 8 recruitment.minutes minutes: soon") || !strings.Contains(p.Body, "minutes: soon") {
		t.Errorf("status %d: %s", p.Status, p.Rows())
	}
}

// give posts files in fields of their own.
func give(b *webtest.Browser, path string, files, values map[string]string) webtest.Page {
	b.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range values {
		form.WriteField(name, value)
	}
	for _, field := range slices.Sorted(maps.Keys(files)) {
		slot, name, _ := strings.Cut(field, ":")
		w, err := form.CreateFormFile(slot, name)
		if err != nil {
			b.T.Fatal(err)
		}
		w.Write([]byte(files[field]))
	}
	form.Close()
	r, err := http.NewRequest(http.MethodPost, b.HTTP.URL+path, &body)
	if err != nil {
		b.T.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	return b.Do(r)
}

func TestQuestionSetsAreReplacedWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	draftOf(ts, b, "mine")
	const path = "/admin/studies/mine/setup/questions"
	hash := func() map[string]string { return map[string]string{"hash": row(ts, "mine").Hash} }
	before := draft(ts, "mine").Hash

	p := give(b, path, map[string]string{"questions:new.csv": "question_id,question,option_1,option_2\na,Why?,A,\nb,\"Two\nlines\",A,B\nc,Fine?,,\n"}, hash())
	if p.Status != http.StatusUnprocessableEntity || draft(ts, "mine").Hash != before {
		t.Fatalf("a faulty file: status %d", p.Status)
	}
	for _, want := range []string{"2 a Why? A empty", "option_2 is empty, but option_1 is not"} {
		if !strings.Contains(p.Rows(), want) {
			t.Errorf("%q is not shown:\n%s", want, p.Rows())
		}
	}
	all := map[string]string{
		"questions:new.csv": "question_id,question\na,Why?\nb,Two?\n", "responses:r.csv": "question_id,model,llm_response\na,m,One.\nb,m,Two.\n", "seeds:s.csv": "question_id,statement\na,Because.\n"}
	if p = give(b, path, all, hash()); p.Status != http.StatusOK || len(draft(ts, "mine").Questions.Questions) != 2 {
		t.Fatalf("status %d: %s", p.Status, p.Says())
	}
	if p = give(b, path, nil, map[string]string{"hash": row(ts, "mine").Hash, "no_seeds": "yes", "no_responses": "yes"}); p.Status != http.StatusOK {
		t.Fatalf("status %d: %s", p.Status, p.Says())
	}
	if q := draft(ts, "mine").Questions; len(q.Responses) != 0 || len(q.Seeds) != 0 || len(q.Questions) != 2 {
		t.Errorf("%+v", q)
	}
	if p = give(b, path, map[string]string{"seeds:s.csv": "question_id,statement\nb,So.\n"}, hash()); len(draft(ts, "mine").Questions.Seeds) != 1 {
		t.Errorf("seeds given again: status %d: %s", p.Status, p.Says())
	}
	if p = give(b, path, all, map[string]string{"hash": before}); p.Status != http.StatusConflict {
		t.Errorf("over what somebody else saved: status %d", p.Status)
	}
	if p = give(b, path, nil, hash()); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says(), "Choose a file") {
		t.Errorf("nothing: status %d", p.Status)
	}

	// An instrument brings its block.
	const items = "item,text,label\nTEA,Tea?,yes\n,,no\n"
	p = give(b, "/admin/studies/mine/setup/instrument", map[string]string{`instrument:tea.csv`: items}, hash())
	if v := draft(ts, "mine").Survey("tea.csv"); p.Status != http.StatusOK || v == nil || len(v.Items) != 1 {
		t.Errorf("an instrument: status %d: %s", p.Status, p.Says())
	}
	p = give(b, "/admin/studies/mine/setup/instrument", map[string]string{`instrument:tea.csv`: items + "MILK,Milk?,yes\n,,no\n"}, hash())
	if v := draft(ts, "mine").Survey("tea.csv"); p.Status != http.StatusOK || v == nil || len(v.Items) != 2 {
		t.Errorf("its file replaced: status %d: %s", p.Status, p.Says())
	}
	p = give(b, "/admin/studies/mine/setup/instrument", map[string]string{`instrument:consent.md`: items}, hash())
	if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says(), "another file called consent.md") {
		t.Errorf("over another file: status %d: %s", p.Status, p.Says())
	}
}

func TestNumbersAndTextsAreShownWhileTheyAreTyped(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	draftOf(ts, b, "mine")
	before := draft(ts, "mine").Hash
	p := b.Post("/admin/studies/mine/setup/numbers/live", url.Values{"flow[2].overton.participants_per_question": {"40"}, "flow[2].overton.votes_per_question": {"x"}, "pay": {"9,50"}})
	if says := p.Says(); p.Status != http.StatusOK || !strings.Contains(says, "60 3 questions × 40 people ÷ 2 questions per person") || strings.Contains(says, "Skip to") {
		t.Errorf("status %d: %s", p.Status, says)
	}
	p = b.Post("/admin/studies/mine/setup/block-0/live", url.Values{"flow[0].consent.file": {"# Hello <script>alert(1)</script>"}})
	if p.Status != http.StatusOK || !strings.Contains(p.Body, "<h2>Hello") || strings.Contains(p.Body, "<script") {
		t.Errorf("status %d: %s", p.Status, p.Body)
	}
	p = fill(b, b.Get("/admin/studies/mine/setup/numbers"), map[string]string{"flow[2].overton.participants_per_question": "40", "do": "show"})
	if p.Status != http.StatusOK || !strings.Contains(p.Says(), "3 questions × 40 people") || !strings.Contains(p.Body, `value="40"`) {
		t.Errorf("without a script: status %d: %s", p.Status, p.Says())
	}
	if draft(ts, "mine").Hash != before {
		t.Error("something was saved")
	}
}

func TestAStudyGoesDownAndUpUnchanged(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	files := map[string][]byte{}
	for name, content := range b.Get("/admin/studies/small/files.zip").Unpack(t) {
		files[strings.TrimPrefix(name, "small/")] = []byte(content)
	}
	if p := give(b, "/admin/studies/new", map[string]string{"files:study.zip": string(packed(t, "small/", files))}, map[string]string{"slug": "again"}); p.URL.Path != "/admin/studies/again/setup" {
		t.Fatalf("came to %s, status %d: %s", p.URL, p.Status, p.Says())
	}
	if back, err := studyfile.Read(draft(ts, "again").WithSlug("small")); err != nil || back.Hash != ts.Study.Hash {
		t.Errorf("another hash than before, %v", err)
	}
	if p := b.Post("/admin/studies/new", url.Values{"from": {"copy"}, "copy": {"small@1"}, "slug": {"copied"}}); p.URL.Path != "/admin/studies/copied/setup" {
		t.Fatalf("a copy: %s, status %d: %s", p.URL, p.Status, p.Says())
	}
	if draft(ts, "copied").Hash == ts.Study.Hash || draft(ts, "copied").Questions.Hash() != ts.Study.Questions.Hash() {
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
		if p := b.Post("/admin/studies/new", c.form); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Says()+p.Rows(), c.want) {
			t.Errorf("%v: status %d lacks %q: %s", c.form, p.Status, c.want, p.Says())
		}
	}
	if p := b.Post("/admin/studies/new", url.Values{"from": {"example"}, "title": {"Mine: a test"}, "slug": {"mine"}}); p.URL.Path != "/admin/studies/mine/setup" || draft(ts, "mine").Title != "Mine: a test" {
		t.Errorf("the example: status %d: %s", p.Status, p.Says())
	}
	if says := b.Get("/admin?status=draft&q=MINE").Rows(); !strings.Contains(says, "Mine: a test") || strings.Contains(says, "copied") {
		t.Errorf("the list narrowed down: %s", says)
	}
	if says := b.Get("/admin?q=zzz").Says(); !strings.Contains(says, "No study matches") {
		t.Errorf("the list narrowed to nothing: %s", says)
	}
}

func TestALaunchAsksForWhatIsMissing(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	b.Post("/admin/studies/new", url.Values{"from": {"example"}, "title": {"Mine"}, "slug": {"mine"}})
	p := b.Get("/admin/studies/mine/launch")
	for _, want := range []string{"the consent text is still the example's", "the contact is still the example's", "the completion codes are still the example's", "/s/mine?PROLIFIC_PID="} {
		if !strings.Contains(p.Says(), want) {
			t.Errorf("%q is not said: %s", want, p.Says())
		}
	}
	if p = fill(b, p, nil); p.Status != http.StatusUnprocessableEntity || row(ts, "mine").Status != store.Draft {
		t.Errorf("without a tick: status %d", p.Status)
	}
	if p = launch(b, "mine"); p.Status != http.StatusOK || row(ts, "mine").Status != store.Running {
		t.Errorf("with all ticks: status %d: %s", p.Status, p.Says())
	}
	p = b.Get("/admin/studies/mine/setup/study")
	if strings.Contains(p.Body, ">Save<") || !strings.Contains(p.Says(), "launched and frozen") {
		t.Errorf("a launched study can be changed: %s", p.Says())
	}
	row := row(ts, "mine")
	if p := b.Post("/admin/studies/mine/setup/study", url.Values{"hash": {row.Hash}, "title": {"Other"}}); p.Status != http.StatusConflict || draft(ts, "mine").Title != "Mine" {
		t.Errorf("a form of before: status %d", p.Status)
	}
}

func TestVersionsFollowOneAnother(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b := ts.SignedIn("admin")
	half, on := ts.Begin(1)
	on = half.Walk(on, "p/q1-view")
	walkOne(ts, 2)

	p := b.Post("/admin/studies/small/versions", url.Values{"do": {"new"}})
	if p.URL.Path != "/admin/studies/small@2/setup" || !strings.Contains(p.Says(), "This is a draft of version 2") {
		t.Fatalf("came to %s: %s", p.URL, p.Says())
	}
	if p := b.Post("/admin/studies/small/versions", url.Values{"do": {"new"}}); p.Status != http.StatusConflict {
		t.Errorf("a second draft: status %d", p.Status)
	}
	p = fill(b, b.Get("/admin/studies/small@2/setup/block-0"), map[string]string{"flow[0].consent.file": "Version two of the text. We keep your data."})
	if p.URL.Path != "/admin/studies/small@2/setup" {
		t.Fatalf("came to %s, status %d: %s", p.URL, p.Status, p.Says())
	}
	for path, status := range map[string]int{"/s/small@2?PROLIFIC_PID=a&STUDY_ID=s&SESSION_ID=b": 404, "/s/small@1?PROLIFIC_PID=a&STUDY_ID=s&SESSION_ID=b": 404, "/admin/studies/small": 200, "/admin/studies/small@1": 200, "/admin/studies/small@3": 404} {
		if p := b.Get(path); p.Status != status {
			t.Errorf("%s: status %d, want %d", path, p.Status, status)
		}
	}
	if says := b.Get("/admin/studies/small").Says(); !strings.Contains(says, "Monitor") || !strings.Contains(says, "running") {
		t.Errorf("the monitor shows a draft: %s", says)
	}
	if _, p := ts.Begin(3); strings.Contains(p.Says(), "Version two") {
		t.Error("people get a draft")
	}
	if p := launch(b, "small@2"); p.Status != http.StatusOK {
		t.Fatalf("status %d: %s", p.Status, p.Says())
	}
	if _, p := ts.Begin(4); !strings.Contains(p.Says(), "Version two") {
		t.Errorf("who arrives now gets the version before: %s", p.Says())
	}
	// Who is on the way finishes on theirs, also by the link again.
	again := half.Get(webtest.Arrival(1))
	if !strings.HasSuffix(again.URL.Path, "/p/q1-view") {
		t.Errorf("the link again leads to %s", again.URL)
	}
	if p := half.Walk(on, "end"); !strings.Contains(p.Body, "DONE1") {
		t.Errorf("the end: %s", p.Says())
	}
	back, _ := ts.Arrive(1)
	if p := back.Get(strings.Replace(webtest.Arrival(1), "SESSION_ID=", "SESSION_ID=f", 1)); true {
		if p = back.Send(p, nil); p.Status != http.StatusForbidden {
			t.Errorf("a second submission after version 1: status %d: %s", p.Status, p.Says())
		}
	}
	one, two := outcomes(ts, "small@1"), outcomes(ts, "small@2")
	if len(one) != 3 || one[0] != study.Completed || one[1] != study.Completed || len(two) != 1 {
		t.Errorf("version 1 has submissions %q, version 2 %q", one, two)
	}
	if row(ts, "small@1").Status != store.Closed || row(ts, "small").Version != 2 {
		t.Errorf("%+v, %+v", row(ts, "small@1"), row(ts, "small"))
	}
	p = b.Get("/admin/studies/small/versions")
	if says := p.Says() + p.Rows(); !strings.Contains(says, "consent.md") || !strings.Contains(says, "+ Version two of the text.") || !strings.Contains(says, "- You may **stop**") {
		t.Errorf("what changed: %s", says)
	}
	if p := ts.SignedIn("viewer").Get("/admin/studies/small/versions"); strings.Contains(p.Body, "Version two of") {
		t.Error("a viewer sees the files")
	}
	files := b.Get("/admin/studies/small@1/data/csv.zip")
	if files.Status != http.StatusOK {
		t.Errorf("the data of version 1: status %d", files.Status)
	}
	b.Post("/admin/studies/small/versions", url.Values{"do": {"new"}})
	if p := b.Post("/admin/studies/small@3/versions", url.Values{"do": {"discard"}}); p.URL.Path != "/admin/studies/small/versions" {
		t.Errorf("discarding leads to %s, status %d", p.URL, p.Status)
	}
	if _, err := ts.Store.Study(t.Context(), "small@3"); err == nil {
		t.Error("the draft is still there")
	}
}

// outcomes are those of all submissions to one version of a study.
func outcomes(ts *webtest.Site, name string) (all []study.Outcome) {
	ts.T.Helper()
	if err := ts.Store.Records(ts.T.Context(), row(ts, name).ID, func(r study.Record) error {
		all = append(all, r.Outcome)
		return nil
	}); err != nil {
		ts.T.Fatal(err)
	}
	return all
}

// walkOne walks participant n to the end.
func walkOne(ts *webtest.Site, n int) {
	ts.T.Helper()
	b, p := ts.Begin(n)
	b.Walk(p, "end")
}

func TestAPreviewLeavesNoTrace(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(func(yaml string) string {
		return strings.Replace(yaml, "participants_per_question: 20", "participants_per_question: 1", 1)
	}))
	admin := ts.SignedIn("admin")
	draftOf(ts, admin, "mine")
	b := ts.SignedIn("researcher")
	for n := range 5 {
		slug := []string{"mine", "small"}[n%2]
		p := b.Post("/admin/studies/"+slug+"/preview", nil)
		if p.Status != http.StatusOK || !strings.HasSuffix(p.URL.Path, "/s/"+slug+"/start") || !strings.Contains(p.Says(), "nothing is kept") {
			t.Fatalf("the preview is at %s, status %d: %s", p.URL, p.Status, p.Says())
		}
		base := p.URL.Path[:strings.Index(p.URL.Path, "/s/")]
		webtest.ForEach(p.Doc, "link", func(link *html.Node) {
			if file := b.Get(webtest.Attribute(link, "href")); file.Status != http.StatusOK {
				t.Errorf("%s: status %d", webtest.Attribute(link, "href"), file.Status)
			}
		})
		for _, step := range []string{"q2-statement1", "q1-response2", "consent", "feedback", "end"} {
			p = b.Post(base+"/jump", url.Values{"step": {step}})
			if p.Status != http.StatusOK || !strings.HasSuffix(p.URL.Path, "/"+step) {
				t.Errorf("%s: jumping to %s led to %s, status %d", slug, step, p.URL, p.Status)
			}
		}
		if !strings.Contains(p.Body, "DONE1") {
			t.Errorf("the end: %s", p.Says())
		}
		p = b.Post(base+"/again", nil)
		p = walkPreview(b, p)
		if !strings.Contains(p.Body, "DONE1") {
			t.Errorf("walked by hand the end is %s", p.Says())
		}
		if p := admin.Get(base + "/s/" + slug + "/start"); p.Status != http.StatusNotFound {
			t.Errorf("somebody else's preview: status %d", p.Status)
		}
	}
	if n := outcomes(ts, "small"); len(n) != 0 {
		t.Errorf("submissions were recorded: %q", n)
	}
	if _, p := ts.Begin(9); !strings.Contains(p.URL.Path, "/p/consent") || strings.Contains(p.Says(), "nothing is kept") {
		t.Errorf("somebody who really comes: %s", p.URL)
	}
	p := b.Post("/admin/studies/mine/preview", nil)
	ts.Pass(61 * time.Minute)
	if p := b.Get(p.URL.Path); p.Status != http.StatusNotFound || !strings.Contains(p.Says(), "This preview has ended") {
		t.Errorf("after its time: status %d: %s", p.Status, p.Says())
	}
}

// walkPreview answers the pages of a preview, whose own forms stand above.
func walkPreview(b *webtest.Browser, p webtest.Page) webtest.Page {
	b.T.Helper()
	for range 60 {
		if strings.HasSuffix(p.URL.Path, "/end") {
			return p
		}
		answers := p.Answers("My view is long enough")
		delete(answers, "step")
		var action string
		fields := url.Values{}
		webtest.ForEach(p.Doc, "form", func(form *html.Node) {
			webtest.ForEach(form, "input", func(n *html.Node) {
				if webtest.Attribute(n, "name") == "token" {
					action = webtest.Attribute(form, "action")
					fields.Set("token", webtest.Attribute(n, "value"))
				}
			})
		})
		for name, value := range answers {
			fields.Set(name, value)
		}
		if p = b.Post(action, fields); p.Status != http.StatusOK {
			b.T.Fatalf("%s: status %d: %s", p.URL, p.Status, p.Says())
		}
	}
	b.T.Fatal("no end")
	return p
}
