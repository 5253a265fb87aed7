package web

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"overton/internal/study"
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

func teaSite(t *testing.T) *testSite {
	folder := studyFolder(func(yaml string) string {
		return strings.Replace(noChecks(yaml), "  - survey: {instrument: us-demographics}\n", "  - survey: {instrument: tea.csv, title: Tea, items_per_page: 1, order: reversed_half, repeat: 1}\n", 1)
	})
	folder["tea.csv"] = []byte(teaCSV)
	return newSite(t, folder)
}

// options are the values of a page's radio buttons, in their order.
func (p page) options() []string {
	var values []string
	forEach(p.doc, "input", func(n *html.Node) {
		if attribute(n, "type") == "radio" {
			values = append(values, attribute(n, "value"))
		}
	})
	return values
}

func TestASurveyFromAFileIsAskedAsDrawn(t *testing.T) {
	ts := teaSite(t)
	for n := 1; n <= 2; n++ { // one of two sees the options in reverse
		b, p := ts.begin(n)
		p = b.send(p, map[string]string{"consent": "yes"})
		for _, want := range []string{"Tea", "Is tea good?", "Yes indeed", "Prefer not to say", "Page 1 of 3"} {
			if !strings.Contains(p.says(), want) {
				t.Errorf("the first page does not say %q: %s", want, p.says())
			}
		}
		if strings.Contains(p.says(), "Refused") {
			t.Error("people are offered “Refused”")
		}
		if empty := b.send(p, nil); empty.status != http.StatusUnprocessableEntity {
			t.Errorf("without an answer: status %d", empty.status)
		}
		// No: the cups are passed over.
		if p = b.send(p, map[string]string{"TEA": "no"}); p.path() != "p/survey1-3" {
			t.Fatalf("after no: %s", p.path())
		}
		// Back, and yes: they are asked after all.
		p = b.send(b.get("/s/small/p/survey1-1"), map[string]string{"TEA": "yes"})
		if p.path() != "p/survey1-2" || !strings.Contains(p.says(), "How many cups?") {
			t.Fatalf("after yes: %s", p.path())
		}
		// Another browser comes back to the same page, with the same order.
		_, elsewhere := ts.arrive(n)
		if elsewhere.path() != p.path() || strings.Join(elsewhere.options(), " ") != strings.Join(p.options(), " ") {
			t.Errorf("elsewhere %s with %q, here %q", elsewhere.path(), elsewhere.options(), p.options())
		}
		p = b.send(p, map[string]string{"CUPS": "Refused"})
		p = b.send(p, map[string]string{"MILK": "with"})
		if p.path() != "p/survey1-4" || !strings.Contains(p.says(), "some of the questions again") {
			t.Fatalf("after all items: %s: %s", p.path(), p.says())
		}
		if got := b.walk(p, "end"); got.status != http.StatusOK {
			t.Errorf("the end has status %d", got.status)
		}
	}
	reversed := 0
	for _, r := range ts.records() {
		if r.Outcome != study.Completed {
			t.Errorf("outcome %q", r.Outcome)
		}
		for _, asked := range ts.st.AskedItems(r.Answered(), r.Surveys) {
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
	ts := newSite(t, studyFolder(func(yaml string) string { // one person fills all places
		yaml = strings.Replace(noChecks(yaml), "{instrument: us-demographics}", `{instrument: us-demographics, screen_out: {CITIZEN: ["No"], AGE: [65+, 50-64]}}`, 1)
		yaml = strings.Replace(yaml, "questions_per_participant: 2", "questions_per_participant: 3", 1)
		return strings.Replace(yaml, "participants_per_question: 20", "participants_per_question: 1", 1)
	}))
	b, p := ts.begin(1)
	p = b.walk(p, "p/survey1-[0-9]+")
	for p.path() != "end" {
		answers := p.answers("")
		if answers["AGE"] != "" {
			answers["AGE"] = "18-29"
		}
		if answers["CITIZEN"] != "" {
			answers["CITIZEN"] = "No"
		}
		p = b.send(p, answers)
		if strings.HasPrefix(p.path(), "p/instructions") {
			t.Fatal("somebody was let in who is screened out")
		}
	}
	if says := p.says(); !strings.Contains(says, "OUT3") || !strings.Contains(says, "cannot take part in this study") {
		t.Errorf("the end says %s", says)
	}
	if back := b.get("/s/small/p/survey1-1"); back.path() != "end" {
		t.Errorf("on the way back stands %s", back.path())
	}
	// The places are free for the next.
	b, p = ts.begin(2)
	if p = b.walk(p, "end"); !strings.Contains(p.says(), "DONE1") {
		t.Errorf("the second person's end says %s", p.says())
	}
	outcomes := map[study.Outcome]int{}
	for _, r := range ts.records() {
		outcomes[r.Outcome]++
	}
	if outcomes[study.ScreenedOut] != 1 || outcomes[study.Completed] != 1 {
		t.Errorf("outcomes %v", outcomes)
	}
}
