package take_test

import (
	"net/http"
	"strings"
	"testing"

	"overton/internal/store"
	"overton/internal/study"
	"overton/web/take"
	"overton/web/webtest"
)

const (
	pid, sid, ssn = "5f0000000000000000000001", "5f0000000000000000000002", "5f0000000000000000000003"
)

var prolificNames = study.ParameterNames{Participant: "PROLIFIC_PID", Study: "STUDY_ID", Submission: "SESSION_ID"}

func TestLinksThatReallyArrive(t *testing.T) {
	t.Parallel()
	good := store.Arrival{Participant: pid, Study: sid, Submission: ssn}
	for _, c := range []struct {
		name, query string
		want        store.Arrival
		wrong       string
	}{
		{"as sent", "PROLIFIC_PID=" + pid + "&STUDY_ID=" + sid + "&SESSION_ID=" + ssn, good, ""},
		{"with further parameters", "utm=x&PROLIFIC_PID=" + pid + "&STUDY_ID=" + sid + "&SESSION_ID=" + ssn + "&x", good, ""},
		{"names in other case", "prolific_pid=" + pid + "&Study_Id=" + sid + "&session_ID=" + ssn, good, ""},
		{"spaces around the values", "PROLIFIC_PID=" + pid + "%20&STUDY_ID=+" + sid + "&SESSION_ID=" + ssn + "%0A", good, ""},
		{"doubled, the same", "PROLIFIC_PID=" + pid + "&PROLIFIC_PID=" + pid + "&STUDY_ID=" + sid + "&SESSION_ID=" + ssn, good, ""},
		{"doubled, once empty", "PROLIFIC_PID=&PROLIFIC_PID=" + pid + "&STUDY_ID=" + sid + "&SESSION_ID=" + ssn, good, ""},
		{"copied out of HTML", "PROLIFIC_PID=" + pid + "&amp;STUDY_ID=" + sid + "&amp;SESSION_ID=" + ssn, good, ""},
		{"no study", "PROLIFIC_PID=" + pid + "&SESSION_ID=" + ssn, store.Arrival{}, "missing_ids"},
		{"a virtual participant", "PROLIFIC_PID=virtual-7&STUDY_ID=s&SESSION_ID=virtual-7-1", store.Arrival{Participant: "virtual-7", Study: "s", Submission: "virtual-7-1"}, ""},

		{"nothing", "", store.Arrival{}, "missing_ids"},
		{"no participant", "STUDY_ID=" + sid + "&SESSION_ID=" + ssn, store.Arrival{}, "missing_ids"},
		{"no submission", "PROLIFIC_PID=" + pid + "&STUDY_ID=" + sid, store.Arrival{}, "missing_ids"},
		{"empty values", "PROLIFIC_PID=&STUDY_ID=&SESSION_ID=", store.Arrival{}, "missing_ids"},
		{"doubled, different", "PROLIFIC_PID=" + pid + "&PROLIFIC_PID=" + sid + "&STUDY_ID=" + sid + "&SESSION_ID=" + ssn, store.Arrival{}, "bad_ids"},
		{"a template", "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}", store.Arrival{}, "template_ids"},
		{"a template, encoded", "PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D&SESSION_ID=%7B%7B%25SESSION_ID%25%7D%7D", store.Arrival{}, "template_ids"},
		{"a template, encoded in part", "PROLIFIC_PID=%7B%7B%PROLIFIC_PID%%7D%7D&SESSION_ID=x", store.Arrival{}, "template_ids"},
		{"a template, encoded twice", "PROLIFIC_PID=%257B%257B%2525PROLIFIC_PID%2525%257D%257D&SESSION_ID=x", store.Arrival{}, "template_ids"},
		{"a template without its braces", "PROLIFIC_PID=PROLIFIC_PID&SESSION_ID=SESSION_ID", store.Arrival{}, "template_ids"},
		{"one template only", "PROLIFIC_PID=" + pid + "&SESSION_ID={{%SESSION_ID%}}", store.Arrival{}, "template_ids"},
		{"a template wins over a missing one", "SESSION_ID={{%SESSION_ID%}}", store.Arrival{}, "template_ids"},
		{"code in an id", "PROLIFIC_PID=<script>&STUDY_ID=s&SESSION_ID=" + ssn, store.Arrival{}, "bad_ids"},
		{"a path in an id", "PROLIFIC_PID=../../etc&STUDY_ID=s&SESSION_ID=" + ssn, store.Arrival{}, "bad_ids"},
		{"an id of 65 characters", "PROLIFIC_PID=" + strings.Repeat("a", 65) + "&STUDY_ID=s&SESSION_ID=" + ssn, store.Arrival{}, "bad_ids"},
		{"a space inside", "PROLIFIC_PID=5f00%2000&STUDY_ID=s&SESSION_ID=" + ssn, store.Arrival{}, "bad_ids"},
	} {
		a, wrong := take.ReadArrival(c.query, prolificNames)
		if wrong != c.wrong || wrong == "" && a != c.want {
			t.Errorf("%s: %+v and %q, want %+v and %q", c.name, a, wrong, c.want, c.wrong)
		}
	}
}

func TestParameterNamesAreTheStudysOwn(t *testing.T) {
	t.Parallel()
	a, wrong := take.ReadArrival("participant="+pid+"&study="+sid+"&visit="+ssn, study.ParameterNames{Participant: "participant", Study: "study", Submission: "visit"})
	if wrong != "" || a.Participant != pid || a.Submission != ssn {
		t.Errorf("%+v, %q", a, wrong)
	}
}

func TestLookingAtALinkCreatesNothing(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	for range 3 {
		b := ts.Browser()
		r, err := http.NewRequest(http.MethodHead, ts.HTTP.URL+webtest.Arrival(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		if p := b.Do(r); p.Status != http.StatusOK || p.Body != "" {
			t.Errorf("HEAD: status %d with %d bytes", p.Status, len(p.Body))
		}
		_, p := ts.Arrive(1)
		if p.Path() != "start" || !strings.Contains(p.Says(), "about 12 minutes") {
			t.Errorf("GET leads to %s: %s", p.Path(), p.Says())
		}
	}
	if n := len(ts.Records()); n != 0 {
		t.Errorf("%d submissions, want none", n)
	}
}

func TestBadLinksGetAPageThatExplains(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	for query, says := range map[string]string{
		"": "not complete", "?SESSION_ID=x": "not complete", "?PROLIFIC_PID=a&SESSION_ID=x": "not complete",
		"?PROLIFIC_PID={{%PROLIFIC_PID%}}&SESSION_ID={{%SESSION_ID%}}": "placeholder",
		"?PROLIFIC_PID=a.b&STUDY_ID=s&SESSION_ID=x":                    "cannot read this link",
	} {
		p := ts.Browser().Get("/s/small" + query)
		if p.Status != http.StatusBadRequest || !strings.Contains(p.Says(), says) {
			t.Errorf("%s: status %d: %s", query, p.Status, p.Says())
		}
	}
}

func TestStartPressedTwiceTakesOnePlace(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(nil))
	b, p := ts.Arrive(1)
	other, q := ts.Arrive(1)
	b.Send(p, nil)
	b.Send(p, nil)
	if got := other.Send(q, nil); got.Path() != "p/consent" {
		t.Errorf("the other browser came to %s", got.Path())
	}
	if n := len(ts.Records()); n != 1 {
		t.Errorf("%d submissions, want 1", n)
	}
	if got := b.Get("/s/small"); got.Path() != "p/consent" {
		t.Errorf("the bare address leads to %s", got.Path())
	}
}
