package sim

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"overton/internal/study"
)

// fakeSite is a study in memory with the forms that people get, to see how
// walkers do when a site misbehaves in ways that a real one should not.
type fakeSite struct {
	study study.Study

	mu       sync.Mutex
	people   map[string]*fakePerson // by submission id
	said     map[string]string      // statements by id: submission, question and version
	places   int                    // for people to begin in; 0: no limit
	requests int

	// trouble, if not nil, is asked about each request by its number. It may
	// lose the request, or lose the answer to it after all is done.
	trouble func(n int, r *http.Request) (loseRequest, loseAnswer bool)
	busy    int  // how many times to answer that there is no place now
	forget  bool // once: all cookies so far are worthless
	era     int
	corrupt func(study.Key, string) string // what is stored instead of a value
}

type fakePerson struct {
	submission string
	order      int
	progress   study.Progress
	revisions  map[study.Key]int
	full       bool
}

const fakeQuestions = 2

func newFake(t *testing.T) *fakeSite {
	t.Helper()
	f := &fakeSite{people: map[string]*fakePerson{}, said: map[string]string{}}
	f.study.Slug = "fake"
	f.study.Flow = []study.Block{
		{Consent: &study.Consent{Markdown: "Yes?"}},
		{Survey: &study.Survey{Instrument: "about", PerPage: 1, Items: []study.Item{{ID: "AGE", Options: []string{"young", "old"}}, {ID: "SEX", Options: []string{"f", "m", "x"}}}}},
		{Overton: &study.Overton{QuestionsPerParticipant: fakeQuestions, ParticipantsPerQuestion: 1000, VotesPerQuestion: 5, Moderation: study.ModerationOff, Stance: true, Importance: true, MinWords: 1}},
		{Feedback: &study.Feedback{}},
	}
	f.study.Checks = []study.Check{{After: 1, Text: "Please choose 2 here.", Answer: "2"}}
	for q := range fakeQuestions {
		id := strconv.Itoa(q)
		f.study.Questions.Questions = append(f.study.Questions.Questions, study.Question{ID: id, Text: "What about  matter " + id + "?", Option1: "For it", Option2: "Against it"})
		for m := range 3 {
			f.study.Questions.Responses = append(f.study.Questions.Responses, study.ModelResponse{Question: id, Model: fmt.Sprintf("m%d", m), Text: fmt.Sprintf("Response %d\nto <%s>.", m, id)})
		}
	}
	return f
}

func (f *fakeSite) serve(t *testing.T) string {
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

func (f *fakeSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.requests++
	n := f.requests
	f.mu.Unlock()
	var loseAnswer bool
	if f.trouble != nil {
		var loseRequest bool
		if loseRequest, loseAnswer = f.trouble(n, r); loseRequest {
			panic(http.ErrAbortHandler)
		}
	}
	rec := httptest.NewRecorder()
	f.mu.Lock()
	f.handle(rec, r)
	f.mu.Unlock()
	if loseAnswer {
		panic(http.ErrAbortHandler)
	}
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(rec.Code)
	w.Write(rec.Body.Bytes())
}

func (f *fakeSite) handle(w http.ResponseWriter, r *http.Request) {
	place, ok := strings.CutPrefix(r.URL.Path, "/s/fake")
	place = strings.Trim(place, "/")
	if !ok {
		f.show(w, http.StatusNotFound, "", "<h1>There is nothing here</h1>")
		return
	}
	if place == "" {
		q := r.URL.Query()
		if q.Get("SESSION_ID") == "" {
			f.show(w, http.StatusBadRequest, "", "<h1>This link is not complete</h1>")
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "who", Value: fmt.Sprintf("%d/%s/%s", f.era, q.Get("PROLIFIC_PID"), q.Get("SESSION_ID")), Path: "/"})
		f.to(w, "start")
		return
	}
	cookie, _ := r.Cookie("who")
	if cookie == nil || !strings.HasPrefix(cookie.Value, fmt.Sprint(f.era, "/")) {
		f.show(w, http.StatusForbidden, "", "<h1>We cannot recognise you</h1>")
		return
	}
	who := strings.Split(cookie.Value, "/")
	p := f.people[who[2]]
	switch {
	case place == "start" && p != nil:
		f.to(w, f.stands(p))
	case place == "start" && r.Method == http.MethodGet:
		f.show(w, http.StatusOK, "", `<h1>Welcome</h1><form method="post" action="/s/fake/start"><button type="submit">Start</button></form>`)
	case place == "start" && f.busy > 0:
		f.busy--
		f.show(w, http.StatusServiceUnavailable, "", "<h1>All places are taken for now</h1>")
	case place == "start":
		p := &fakePerson{submission: who[2], order: len(f.people), revisions: map[study.Key]int{}}
		p.progress.Answers = map[study.Key]string{}
		for q := range fakeQuestions {
			p.progress.Slots = append(p.progress.Slots, study.Slot{Question: strconv.Itoa(q), Models: []string{"m2", "m0", "m1"}, VotesWanted: study.VotesUnknown})
		}
		p.full = f.places > 0 && len(f.people) >= f.places
		f.people[who[2]] = p
		f.to(w, f.stands(p))
	case p == nil:
		f.to(w, "start")
	case place == "end" && f.stands(p) == "end":
		percent := ""
		if !p.full && p.progress.Answers[study.Key{Kind: study.KindConsent}] == study.Yes {
			percent = "100"
		}
		f.show(w, http.StatusOK, percent, `<h1>The end</h1><code>CODE</code>`)
	case strings.HasPrefix(place, "p/"):
		f.step(w, r, p, strings.TrimPrefix(place, "p/"))
	default:
		f.to(w, f.stands(p))
	}
}

func (f *fakeSite) to(w http.ResponseWriter, place string) {
	w.Header().Set("Location", "/s/fake/"+place)
	w.WriteHeader(http.StatusSeeOther)
}

func (f *fakeSite) show(w http.ResponseWriter, status int, percent, main string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if percent != "" {
		percent = `<progress max="100" value="` + percent + `"></progress>`
	}
	fmt.Fprint(w, "<!DOCTYPE html><html><body>", percent, "<main>", main, "</main></body></html>")
}

// next is where a person stands. Statements are drawn as they are needed.
func (f *fakeSite) next(p *fakePerson) study.Step {
	for {
		step := f.study.Next(p.progress)
		if step.Kind != study.NeedBallot {
			return step
		}
		slot := &p.progress.Slots[step.Slot]
		var candidates []string
		for _, other := range f.people {
			view := study.Key{Kind: study.KindView, Scope: slot.Question}
			id := statement(other, view)
			if _, said := other.progress.Answers[view]; said && other != p &&
				!slices.ContainsFunc(slot.Ballots, func(b study.Ballot) bool { return b.Statement == id }) {
				candidates = append(candidates, id)
			}
		}
		slices.Sort(candidates)
		if slot.VotesWanted = study.VotesWanted(f.study.Overton().VotesPerQuestion, slot.Votes(p.progress.Answers), len(candidates)); len(candidates) > 0 {
			slot.Ballots = append(slot.Ballots, study.Ballot{Statement: candidates[p.order%len(candidates)]})
		}
	}
}

// statement is the id of a person's free response as it is now.
func statement(p *fakePerson, view study.Key) string {
	return fmt.Sprintf("%s/%s/%d", p.submission, view.Scope, p.revisions[view])
}

func (f *fakeSite) stands(p *fakePerson) string {
	if p.full || p.progress.Answers[study.Key{Kind: study.KindConsent}] == study.No {
		return "end"
	}
	if step := f.next(p); step.Kind != study.StepEnd {
		return "p/" + step.Path
	}
	return "end"
}

func (f *fakeSite) step(w http.ResponseWriter, r *http.Request, p *fakePerson, path string) {
	step, ok := f.study.Find(p.progress, path)
	if !ok || step.Kind == study.StepEnd || step.Kind == study.NeedBallot || f.stands(p) == "end" {
		f.to(w, f.stands(p))
		return
	}
	status := http.StatusOK
	if r.Method == http.MethodPost {
		if r.PostFormValue("token") != "for "+path {
			f.show(w, http.StatusBadRequest, "", "<h1>The hidden field is missing</h1>")
			return
		}
		answers, problems := step.Read(r.PostFormValue)
		if problems == nil {
			for k, v := range answers {
				if f.corrupt != nil {
					v = f.corrupt(k, v)
				}
				if before, had := p.progress.Answers[k]; !had || before != v {
					p.revisions[k]++
				}
				p.progress.Answers[k] = v
				if k.Kind == study.KindView {
					f.said[statement(p, k)] = v
				}
			}
			if f.forget && len(p.progress.Answers) > 5 {
				f.forget = false
				f.era++
			}
			f.to(w, f.stands(p))
			return
		}
		status = http.StatusUnprocessableEntity
	}
	f.show(w, status, strconv.Itoa(int(100*f.study.Share(p.progress, step))), f.form(p, step))
}

func (f *fakeSite) form(p *fakePerson, step study.Step) string {
	var b strings.Builder
	title, exhibit := string(step.Kind), ""
	if step.Slot >= 0 && step.Kind != study.StepCheck {
		q, _ := f.study.Questions.Question(p.progress.Slots[step.Slot].Question)
		title = q.Text
		switch key := step.Fields[0].Key; step.Kind {
		case study.StepRating:
			response, _ := f.study.Questions.Response(q.ID, key.Subject)
			exhibit = response.Text
		case study.StepVote:
			exhibit = f.said[key.Subject]
		}
	}
	if step.Kind == study.StepCheck {
		fmt.Fprintf(&b, "<p>%s</p>", f.study.Checks[step.Number-1].Text)
	}
	fmt.Fprintf(&b, "<h1>%s</h1>", html.EscapeString(title))
	if exhibit != "" {
		fmt.Fprintf(&b, "<blockquote>%s</blockquote>", html.EscapeString(exhibit))
	}
	fmt.Fprintf(&b, `<form method="post" action="/s/fake/withdraw"><button>Stop</button></form>`)
	fmt.Fprintf(&b, `<form method="post" action="/s/fake/p/%s"><input type="hidden" name="token" value="for %s">`, step.Path, step.Path)
	button := "<button>Continue</button>"
	for _, field := range step.Fields {
		switch {
		case field.Options == nil:
			fmt.Fprintf(&b, "<textarea name=%q>\n%s</textarea>", field.Name, html.EscapeString(p.progress.Answers[field.Key]))
		case step.Kind == study.StepConsent || step.Kind == study.StepVote || step.Kind == study.StepInstructions:
			button = ""
			for _, o := range field.Options {
				fmt.Fprintf(&b, `<button type="submit" name=%q value=%q>%s</button>`, field.Name, o, o)
			}
		default:
			for _, o := range field.Options {
				checked := ""
				if p.progress.Answers[field.Key] == o {
					checked = "checked"
				}
				fmt.Fprintf(&b, `<label><input type="radio" name=%q value=%q %s>%s</label>`, field.Name, o, checked, o)
			}
		}
	}
	return b.String() + button + "</form>"
}

// stored is what the site holds, as records tell it.
func (f *fakeSite) stored() []Stored {
	var all []Stored
	statements := map[string]study.Statement{}
	for id, text := range f.said {
		statements[id] = study.Statement{Text: text}
	}
	for _, id := range slices.Sorted(maps.Keys(f.people)) {
		r := study.Record{Pseudonym: "p-" + id}
		for k, v := range f.people[id].progress.Answers {
			r.Answers = append(r.Answers, study.Answer{Key: k, Value: v})
		}
		all = append(all, FromRecord(r, &f.study.Questions, statements))
	}
	return all
}
