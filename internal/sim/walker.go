package sim

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"overton/internal/study"
)

// walker takes one person through the study.
type walker struct {
	*run
	who     person
	link    *url.URL // the person's arrival link
	browser *browser

	began   bool // the start button was pressed
	answers []Answer
	index   map[[2]string]int // of answers, by page and field
	version map[string]int    // of a page's answers: how often changed
	sent    []string          // pages acknowledged, in order
	pending []Answer          // sent, but not known to have arrived
	counts  Summary
	done    map[string]bool // what is done once only, and has been
	first   map[string]said // first answers to survey items, by instrument and item
}

// said is an answer with the page on which it was given.
type said struct{ page, answer string }

func (r *run) walker(who person) *walker {
	w := &walker{run: r, who: who, index: map[[2]string]int{}, version: map[string]int{}, done: map[string]bool{}, first: map[string]said{}}
	w.link = r.study.JoinPath() // a copy
	q := url.Values{}
	q.Set(r.Parameters.Participant, who.participant)
	q.Set(r.Parameters.Submission, who.submission)
	if r.Parameters.Study != "" {
		q.Set(r.Parameters.Study, "virtual-study")
	}
	w.link.RawQuery = q.Encode()
	w.browser = r.newBrowser()
	return w
}

// page is the address of a page of the study.
func (r *run) page(place string) *url.URL { return r.study.JoinPath(place) }

// mostPages limits a visit: no study is longer.
const mostPages = 5000

// walk goes from the link to where the person stops.
func (w *walker) walk(ctx context.Context) (Ending, string, error) {
	p, err := w.browser.open(ctx, w.link, w.patience)
	if err != nil {
		return Failed, "", err
	}
	if p.place != "start" && p.status == http.StatusOK {
		return Failed, "", errUsed
	}
	for range mostPages {
		if p.place == "end" && p.status == http.StatusOK {
			return w.ending(p), p.code, nil
		}
		if w.now("leaves", w.who.leaves, p) {
			return DroppedOut, "", nil
		}
		switch p, err = w.step(ctx, p); {
		case errors.Is(err, errClosed):
			return TurnedAway, "", nil
		case err != nil:
			return Failed, "", err
		}
	}
	return Failed, "", fmt.Errorf("no end after %d pages", mostPages)
}

// errUsed says that a person of this run has been on the site before it.
var errUsed = errors.New("virtual participants with this seed have already been in this study; choose another seed")

// ending says how a visit that reached the end page ended. Only the end of the complete study shows a
// progress of 100 %.
func (w *walker) ending(p *page) Ending {
	judged := slices.ContainsFunc(w.answers, func(a Answer) bool { return a.Kind != study.KindConsent && a.Kind != study.KindSurvey })
	switch {
	case p.progress >= 100:
		return Finished
	case w.who.declines && len(w.answers) > 0 && w.answers[len(w.answers)-1].Value == study.No:
		return Declined
	case !judged:
		return TurnedAway
	}
	return Failed
}

// now says, once, that the person has reached a point.
func (w *walker) now(what string, point float64, p *page) bool {
	if w.done[what] || !w.began || p.progress < point {
		return false
	}
	w.done[what] = true
	return true
}

// step does what a person does on one page and returns the page after it.
func (w *walker) step(ctx context.Context, p *page) (*page, error) {
	switch {
	case p.status == http.StatusForbidden || p.status == http.StatusConflict:
		return w.reopen(ctx, p)
	case p.status == http.StatusGone && !w.began:
		return nil, errClosed
	case p.status != http.StatusOK && p.status != http.StatusUnprocessableEntity:
		return nil, p.unexpected("is not a page to continue from")
	case p.place == "start" || p.place == "resume":
		w.began = true
		return w.press(ctx, p)
	case !strings.HasPrefix(p.place, "p/"):
		return nil, p.unexpected("is not a known page of the study")
	case slices.Contains(w.sent, p.place):
		return nil, p.unexpected("asks again for what it acknowledged")
	}
	switch {
	case w.now("reload", w.who.reloads, p):
		w.counts.Reloaded++
		return w.browser.open(ctx, p.url, w.patience)
	case w.now("return", w.who.comesBack, p):
		w.counts.Returned++
		return w.browser.open(ctx, w.link, w.patience)
	case w.now("browser", w.who.changesBrowser, p):
		w.counts.Browsers++
		w.browser = w.newBrowser()
		return w.browser.open(ctx, w.link, w.patience)
	case w.revisable() != nil && w.now("change", w.who.changesMind, p):
		return w.change(ctx, p)
	case p.asks() && w.now("early", w.who.tooEarly, p):
		return w.sendEarly(ctx, p)
	}
	return w.answer(ctx, p, w.now("double", w.who.doubleClicks, p))
}

// errClosed says that the study takes nobody any more.
var errClosed = errors.New("the study is closed")

// reopen opens the link again in a new browser after the site did not recognise the person. It helps only
// once per page.
func (w *walker) reopen(ctx context.Context, p *page) (*page, error) {
	if w.done["reopen "+p.place] {
		return nil, p.unexpected("does not let the person in")
	}
	w.done["reopen "+p.place] = true
	w.browser = w.newBrowser()
	return w.browser.open(ctx, w.link, w.patience)
}

func (p *page) unexpected(what string) error {
	return fmt.Errorf("%s %s (status %d, “%s”)", p.url.Path, what, p.status, p.title)
}

// typed says whether the page asks for something that a button does not say.
func (p *page) typed() bool { return p.form != nil && len(p.form.choices)+len(p.form.texts) > 0 }

// press sends a page that has a button and nothing to fill in.
func (w *walker) press(ctx context.Context, p *page) (*page, error) {
	return w.post(ctx, p, nil, false)
}

// answer fills in a page and sends it. Where the site wants more words, the
// person writes more.
func (w *walker) answer(ctx context.Context, p *page, twice bool) (*page, error) {
	for longer := range 4 {
		if p.form == nil {
			return nil, p.unexpected("has no form")
		}
		next, err := w.post(ctx, p, w.compose(p, longer), twice)
		if err != nil || next.status != http.StatusUnprocessableEntity {
			return next, err
		}
		p = next
	}
	return nil, p.unexpected("does not accept the answers: " + shorten(fold(p.text)))
}

func shorten(text string) string {
	if r := []rune(text); len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return text
}

// compose makes a person's answers to a page, by field name.
func (w *walker) compose(p *page, longer int) map[string]string {
	answers := map[string]string{}
	version := w.version[p.place]
	for _, name := range p.form.order {
		options := p.form.options(name)
		var v string
		switch kindOf(p.place, name) {
		case study.KindConsent:
			if v = study.Yes; w.who.declines {
				v = study.No
			}
		case study.KindInstructions:
			v = study.Yes
		case study.KindStance:
			v = w.population.stance(w.who, p.title, version)
		case study.KindView:
			v = w.population.view(w.who, p.title, version, longer)
		case study.KindImportance:
			v = w.population.importance(w.who, p.title, version)
		case study.KindRating:
			v = w.population.rating(w.who, p.title, p.exhibit, version)
		case study.KindVote:
			v = w.population.vote(w.who, p.title, p.exhibit, version)
		case study.KindCheck:
			v = obey(p.text, options)
		case study.KindFeedback:
			v = fmt.Sprintf("Walked by %s.", w.who.participant)
		default:
			v = w.opinion(p.place, name, options, version)
		}
		answers[name] = v
	}
	if version > 0 {
		w.differ(p, answers)
	}
	return answers
}

// opinion is the person's answer to an item of a survey: from their planted opinions, or any of the options
// if none are planted.
func (w *walker) opinion(place, field string, options []string, version int) string {
	if w.population.surveys == nil {
		return w.population.pick(w.who, place, field, options, version)
	}
	name, it, ok := w.population.surveys.item(place, field)
	if !ok {
		return w.population.pick(w.who, place, field, options, version)
	}
	key, before := name+"\x00"+field, ""
	if first := w.first[key]; first.page != "" && first.page != place {
		before = first.answer
	}
	v := w.population.surveys.answer(it, w.who.group, w.who.place, before,
		w.population.rand("opinion on", w.who.number, place, field, version))
	if before == "" {
		w.first[key] = said{place, v}
	}
	return v
}

// differ makes sure that someone who changes an answer changes it.
func (w *walker) differ(p *page, answers map[string]string) {
	for name, v := range answers {
		if i, ok := w.index[[2]string{p.place, name}]; !ok || w.answers[i].Value != v {
			return
		}
	}
	for _, name := range p.form.order {
		if options := p.form.options(name); len(options) > 1 {
			answers[name] = options[(slices.Index(options, answers[name])+1)%len(options)]
			return
		}
	}
}

// kindOf tells what a field asks for, from its page and name.
func kindOf(place, field string) study.Kind {
	switch field {
	case "consent":
		return study.KindConsent
	case "read":
		return study.KindInstructions
	case "stance":
		return study.KindStance
	case "view":
		return study.KindView
	case "importance":
		return study.KindImportance
	case "rating":
		if strings.HasPrefix(place, "p/check") {
			return study.KindCheck
		}
		return study.KindRating
	case "vote":
		return study.KindVote
	case "comment":
		return study.KindFeedback
	}
	return study.KindSurvey
}

// asks says whether there is a field that cannot be left empty.
func (p *page) asks() bool {
	if p.form == nil {
		return false
	}
	_, view := p.form.texts["view"]
	return view || len(p.form.choices) > 0
}

// sendEarly sends a page with nothing filled in, and expects to get it back.
func (w *walker) sendEarly(ctx context.Context, p *page) (*page, error) {
	w.counts.TooEarly++
	next, to, err := w.browser.send(ctx, http.MethodPost, p.form.action, p.form.hidden)
	switch {
	case err != nil || to == nil && next.status >= 500:
		return w.browser.open(ctx, w.link, w.patience) // as after any lost request
	case to != nil || next.status != http.StatusUnprocessableEntity:
		return nil, p.unexpected("was accepted without an answer")
	}
	return next, nil
}

// revisable lists pages whose answers a person may change later.
func (w *walker) revisable() []string {
	var pages []string
	for _, a := range w.answers {
		switch a.Kind {
		case study.KindStance, study.KindView, study.KindRating, study.KindVote, study.KindSurvey:
			pages = append(pages, a.Page)
		}
	}
	return slices.Compact(pages)
}

// change goes back to an earlier page, answers it differently, and returns to
// where the person stood.
func (w *walker) change(ctx context.Context, p *page) (*page, error) {
	pages := w.revisable()
	back := pages[w.population.rand("change", w.who.number).IntN(len(pages))]
	earlier, err := w.browser.open(ctx, w.page(back), w.patience)
	if err != nil {
		return nil, err
	}
	if earlier.place != back {
		return nil, earlier.unexpected("came instead of the earlier page " + back)
	}
	if earlier.form == nil {
		return nil, earlier.unexpected("has no form")
	}
	if earlier.typed() {
		if err := w.stillThere(earlier); err != nil {
			return nil, err
		}
	}
	w.counts.Changed++
	w.version[back]++
	w.sent = slices.DeleteFunc(w.sent, func(place string) bool { return place == back })
	return w.answer(ctx, earlier, false)
}

// stillThere checks that a page shows what was answered on it.
func (w *walker) stillThere(p *page) error {
	for _, name := range p.form.order {
		i, ok := w.index[[2]string{p.place, name}]
		if !ok {
			continue
		}
		got, isText := p.form.texts[name]
		if !isText {
			got = p.form.chosen[name]
		}
		if got != w.answers[i].Value {
			return p.unexpected(fmt.Sprintf("shows %q for %s, but acknowledged %q", shorten(got), name, shorten(w.answers[i].Value)))
		}
	}
	return nil
}

// post sends a page's form and follows the answer. If the answer is lost, the person opens their link again:
// if the site is then at another page, the form had arrived; if not, it is sent again.
func (w *walker) post(ctx context.Context, p *page, answers map[string]string, twice bool) (*page, error) {
	waits := newWaits(w.patience)
	again := false
	for {
		if p.form == nil {
			return nil, p.unexpected("has no form")
		}
		values, err := p.form.fill(answers)
		if err != nil {
			return nil, p.unexpected(err.Error())
		}
		w.pending = w.note(p, answers)
		wait := func() {}
		if twice {
			w.counts.DoubleClick++
			wait = w.click(ctx, p.form.action, values)
			twice = false
		}
		next, to, err := w.browser.send(ctx, http.MethodPost, p.form.action, values)
		wait()
		switch {
		case err == nil && to != nil:
			w.acknowledge(p, answers)
			return w.browser.open(ctx, to, w.patience)
		case err == nil && next.status == http.StatusUnprocessableEntity:
			w.pending = nil
			return next, nil
		case err == nil && next.status < 500 && next.status != http.StatusForbidden && next.status != http.StatusConflict:
			return nil, next.unexpected("is the answer to a form")
		}
		if err == nil && next.status < 500 {
			// The cookie no longer works.
			if again {
				return nil, next.unexpected("does not let the person in")
			}
			again = true
			w.browser = w.newBrowser()
		} else if err := waits.pause(ctx, next, err); err != nil {
			return nil, err
		}
		stands, err := w.browser.open(ctx, w.link, w.patience)
		if err != nil {
			return nil, err
		}
		if w.version[p.place] > 0 {
			// A change to an earlier answer: nothing shows whether it arrived, and sending it again changes
			// nothing if it did.
			if stands, err = w.browser.open(ctx, p.url, w.patience); err != nil {
				return nil, err
			}
		}
		if stands.place != p.place {
			w.acknowledge(p, answers)
			return stands, nil
		}
		p = stands
	}
}

// click sends a form a second time while the first request is under way, as a double click does. The returned
// function waits for it.
func (w *walker) click(ctx context.Context, action *url.URL, values url.Values) (wait func()) {
	b, done := w.browser, make(chan struct{})
	go func() {
		defer close(done)
		_, _, _ = b.send(ctx, http.MethodPost, action, values) // whatever happens to it: the other one counts
	}()
	return func() { <-done }
}

// note makes entries of answers to a page.
func (w *walker) note(p *page, answers map[string]string) []Answer {
	var list []Answer
	if p.form == nil {
		return nil
	}
	for _, name := range p.form.order {
		v, ok := answers[name]
		if !ok {
			continue
		}
		a := Answer{Page: p.place, Field: name, Kind: kindOf(p.place, name), Value: v, At: time.Now().UTC()}
		switch a.Kind {
		case study.KindStance, study.KindView, study.KindImportance, study.KindRating, study.KindVote:
			a.Question, a.Shown = w.text(p.title), w.text(p.exhibit)
		}
		list = append(list, a)
	}
	return list
}

// acknowledge records answers that the site has accepted.
func (w *walker) acknowledge(p *page, answers map[string]string) {
	w.pending = nil
	w.counts.Pages++
	for _, a := range w.note(p, answers) {
		key := [2]string{a.Page, a.Field}
		i, ok := w.index[key]
		if !ok {
			w.index[key] = len(w.answers)
			w.answers = append(w.answers, a)
			continue
		}
		a.Changed = w.answers[i].Changed
		if a.Value != w.answers[i].Value {
			a.Changed++
		}
		w.answers[i] = a
	}
	if strings.HasPrefix(p.place, "p/") {
		w.sent = append(w.sent, p.place)
	}
}
