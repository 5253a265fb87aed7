package take_test

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"overton/internal/study"
	"overton/web/webtest"
)

const teaCSV = `item,text,option,label,mark,ask_if
TEA,Is tea good?,yes,Yes indeed,,
,,no,Not at all,,
,,,Refused,refusal,
CUPS,How many cups?,one,Just one,,TEA = yes
,,two,Two or more,,
,,,Refused,refusal,
MILK,Milk in it?,with,With milk,,
,,none,Without milk,,
,,,Refused,refusal,
`

func teaSite(t *testing.T) *webtest.Site {
	folder := webtest.StudyFolder(func(yaml string) string {
		return strings.Replace(webtest.NoChecks(yaml), "  - survey: {instrument: us-demographics}\n", "  - survey: {instrument: tea.csv, title: Tea, items_per_page: 1, order: reversed_half, repeat: 1}\n", 1)
	})
	folder["tea.csv"] = []byte(teaCSV)
	return webtest.New(t, folder)
}

// options are the values of a page's radio buttons, in their order.
func options(p webtest.Page) []string {
	var values []string
	webtest.ForEach(p.Doc, "input", func(n *html.Node) {
		if webtest.Attribute(n, "type") == "radio" {
			values = append(values, webtest.Attribute(n, "value"))
		}
	})
	return values
}

func TestASurveyFromAFileIsAskedAsDrawn(t *testing.T) {
	t.Parallel()
	ts := teaSite(t)
	for n := 1; n <= 2; n++ { // one of two sees the options in reverse
		b, p := ts.Begin(n)
		p = b.Send(p, map[string]string{"consent": "yes"})
		for _, want := range []string{"Tea", "Is tea good?", "Yes indeed", "Prefer not to say", "Page 1 of 3"} {
			if !strings.Contains(p.Says(), want) {
				t.Errorf("the first page does not say %q: %s", want, p.Says())
			}
		}
		if strings.Contains(p.Says(), "Refused") {
			t.Error("people are offered “Refused”")
		}
		if empty := b.Send(p, nil); empty.Status != http.StatusUnprocessableEntity {
			t.Errorf("without an answer: status %d", empty.Status)
		}
		// No: the cups are passed over.
		if p = b.Send(p, map[string]string{"TEA": "no"}); p.Path() != "p/survey1-3" {
			t.Fatalf("after no: %s", p.Path())
		}
		// Back, and yes: they are asked after all.
		p = b.Send(b.Get("/s/small/p/survey1-1"), map[string]string{"TEA": "yes"})
		if p.Path() != "p/survey1-2" || !strings.Contains(p.Says(), "How many cups?") {
			t.Fatalf("after yes: %s", p.Path())
		}
		// Another browser comes back to the same page, with the same order.
		_, elsewhere := ts.Arrive(n)
		if elsewhere.Path() != p.Path() || strings.Join(options(elsewhere), " ") != strings.Join(options(p), " ") {
			t.Errorf("elsewhere %s with %q, here %q", elsewhere.Path(), options(elsewhere), options(p))
		}
		p = b.Send(p, map[string]string{"CUPS": "Refused"})
		p = b.Send(p, map[string]string{"MILK": "with"})
		if p.Path() != "p/survey1-4" || !strings.Contains(p.Says(), "some of the questions again") {
			t.Fatalf("after all items: %s: %s", p.Path(), p.Says())
		}
		if got := b.Walk(p, "end"); got.Status != http.StatusOK {
			t.Errorf("the end has status %d", got.Status)
		}
	}
	reversed := 0
	for _, r := range ts.Records() {
		if r.Outcome != study.Completed {
			t.Errorf("outcome %q", r.Outcome)
		}
		for _, asked := range ts.Study.AskedItems(r.Answered(), r.Surveys) {
			if asked.Item.ID == "TEA" && !asked.Again && asked.Shown[0] == "no" {
				reversed++
			}
		}
		if got := r.Answered()[study.SurveyKey("tea.csv", "CUPS", false)]; got != "Refused" {
			t.Errorf("the refusal is kept as %q", got)
		}
	}
	if reversed != 1 {
		t.Errorf("%d of 2 saw the options in reverse", reversed)
	}
}

func TestAnAnswerCanScreenPeopleOut(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(func(yaml string) string { // one person fills all places
		yaml = strings.Replace(webtest.NoChecks(yaml), "{instrument: us-demographics}", `{instrument: us-demographics, screen_out: {CITIZEN: ["No"], AGE: [65+, 50-64]}}`, 1)
		yaml = strings.Replace(yaml, "questions_per_participant: 2", "questions_per_participant: 3", 1)
		return strings.Replace(yaml, "participants_per_question: 20", "participants_per_question: 1", 1)
	}))
	b, p := ts.Begin(1)
	p = b.Walk(p, "p/survey1-[0-9]+")
	for p.Path() != "end" {
		answers := p.Answers("")
		if answers["AGE"] != "" {
			answers["AGE"] = "18-29"
		}
		if answers["CITIZEN"] != "" {
			answers["CITIZEN"] = "No"
		}
		p = b.Send(p, answers)
		if strings.HasPrefix(p.Path(), "p/instructions") {
			t.Fatal("somebody was let in who is screened out")
		}
	}
	if says := p.Says(); !strings.Contains(says, "OUT3") || !strings.Contains(says, "cannot take part in this study") {
		t.Errorf("the end says %s", says)
	}
	if back := b.Get("/s/small/p/survey1-1"); back.Path() != "end" {
		t.Errorf("on the way back stands %s", back.Path())
	}
	// The places are free for the next.
	b, p = ts.Begin(2)
	if p = b.Walk(p, "end"); !strings.Contains(p.Says(), "DONE1") {
		t.Errorf("the second person's end says %s", p.Says())
	}
	outcomes := map[study.Outcome]int{}
	for _, r := range ts.Records() {
		outcomes[r.Outcome]++
	}
	if outcomes[study.ScreenedOut] != 1 || outcomes[study.Completed] != 1 {
		t.Errorf("outcomes %v", outcomes)
	}
}
