package take

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/store"
	"overton/internal/study"
	"overton/templates"
	"overton/web/site"
)

// visitor is who goes through a preview: a virtual participant, who needs no
// signature and takes no place.
var visitor = store.Arrival{Participant: "virtual-preview", Submission: "preview", Study: "preview"}

// preview is what differs where somebody tries a study out.
type preview struct {
	of     *site.Prepared
	cookie string
	leave  string // address of the study's admin page
}

// Preview serves participants' pages of one study on a site of its own. id
// names its cookie; leave is where the bar above the pages leads back to. enter
// is the path, with a query, at which the visitor comes in.
func Preview(s *site.Site, of *site.Prepared, id, leave string) (pages http.Handler, enter string) {
	r := New(s)
	r.preview = &preview{of: of, cookie: "overton_preview_" + id, leave: leave}
	s.Bar = r.bar
	names := of.Recruitment.Parameters
	query := url.Values{
		names.Participant: {visitor.Participant}, names.Submission: {visitor.Submission}, names.Study: {visitor.Study},
	}
	routes := append(r.Routes(), site.Route{Method: http.MethodPost, Path: "/jump", Role: site.Public, Handler: r.jump})
	return s.Inner(routes), "/s/" + of.Slug + "?" + query.Encode()
}

// bar is what is shown above a preview's pages.
func (s *Room) bar(h *site.Hosted) *templates.PreviewBar {
	b := &templates.PreviewBar{Leave: s.preview.leave, Again: s.Base + "/again", Jump: s.Base + "/jump"}
	for _, st := range outline(h.Prepared) {
		b.Steps = append(b.Steps, templates.Option{Value: st.Path, Label: st.name})
	}
	return b
}

// outlined is a page that a participant is likely to come to.
type outlined struct {
	study.Step
	name string
}

// outline lists the pages of a study as far as they can be told before anybody
// goes through it.
func outline(p *site.Prepared) []outlined {
	var list []outlined
	add := func(path string, kind study.StepKind, block, slot, number int, name string, args ...any) {
		step := study.Step{Path: path, Kind: kind, Block: block, Slot: slot, Number: number}
		list = append(list, outlined{step, fmt.Sprintf(name, args...)})
	}
	for i, b := range p.Flow {
		switch {
		case b.Consent != nil:
			add("consent", study.StepConsent, i, -1, 1, "Consent")
		case b.Survey != nil:
			for n := range b.Survey.MostPages() {
				add(fmt.Sprintf("survey%d-%d", i, n+1), study.StepSurvey, i, -1, n+1,
					"Survey %s, page %d", b.Survey.Instrument, n+1)
			}
		case b.Overton != nil:
			add("instructions", study.StepInstructions, i, -1, 1, "Instructions")
			responses := p.Study.Study.Design().Responses
			for q := range b.Overton.QuestionsPerParticipant {
				add(fmt.Sprintf("q%d-view", q+1), study.StepView, i, q, 1, "Question %d: own view", q+1)
				for n := range responses {
					add(fmt.Sprintf("q%d-response%d", q+1, n+1), study.StepRating, i, q, n+1, "Question %d: response %d", q+1, n+1)
				}
				for n := range b.Overton.VotesPerQuestion {
					add(fmt.Sprintf("q%d-statement%d", q+1, n+1), study.StepVote, i, q, n+1, "Question %d: vote %d", q+1, n+1)
				}
				for n, check := range p.Checks {
					if check.After == q+1 {
						add(fmt.Sprintf("check%d", n+1), study.StepCheck, i, q, n+1, "Check %d", n+1)
					}
				}
			}
		case b.Feedback != nil:
			add("feedback", study.StepFeedback, i, -1, 1, "Comment")
		}
	}
	add("end", study.StepEnd, len(p.Flow), -1, 1, "End")
	return list
}

// behind says whether a step comes before another in the flow.
func behind(a, b study.Step) bool {
	rank := func(kind study.StepKind) int {
		return slices.Index([]study.StepKind{
			study.StepInstructions, study.StepView, study.StepRating, study.NeedBallot, study.StepVote, study.StepCheck,
		}, kind)
	}
	return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Slot, b.Slot),
		cmp.Compare(rank(a.Kind), rank(b.Kind)), cmp.Compare(a.Number, b.Number)) < 0
}

// jump answers what lies before a page in any way that is accepted, and goes
// there.
func (s *Room) jump(c echo.Context) error {
	p := s.preview.of
	ctx := c.Request().Context()
	h, err := s.Hosted(ctx, p.Slug)
	if err != nil {
		return err
	}
	path := c.FormValue("step")
	steps := outline(p)
	at := slices.IndexFunc(steps, func(o outlined) bool { return o.Path == path })
	if at < 0 {
		return &site.Refusal{Status: http.StatusBadRequest, Name: "bad_request", Study: h}
	}
	v := &visit{Hosted: h, pass: pass{Arrival: visitor}}
	if v.pass.Token, err = s.Store.Start(ctx, &p.Study.Study, h.Row.ID, visitor); err != nil {
		return s.Refuse(h, err)
	}
	if err := s.savePass(c, h, v.pass); err != nil {
		return err
	}
	if v.pos, err = s.Store.Position(ctx, &p.Study.Study, v.pass.Token); err != nil {
		return err
	}
	for v.pos.Outcome == study.InProgress && behind(v.pos.Step, steps[at].Step) {
		step := v.pos.Step
		var problems []study.Problem
		v.pos, problems, err = s.Store.Submit(ctx, &p.Study.Study, v.pass.Token, step.Path, madeUp(p, step),
			store.Timing{Shown: s.Now()})
		if err != nil || problems != nil {
			return errors.Join(err, fmt.Errorf("a made-up answer to %s was not accepted: %v", step.Path, problems))
		}
	}
	if _, ok := v.find(path); ok {
		return s.To(c, v.Path("/p/"+path))
	}
	return s.To(c, v.stands(v.pos))
}

// madeUp answers a step so that it is accepted.
func madeUp(p *site.Prepared, step study.Step) func(field string) string {
	return func(name string) string {
		for _, f := range step.Fields {
			switch {
			case f.Name != name:
			case step.Kind == study.StepCheck:
				return p.Checks[step.Number-1].Answer
			case f.Options != nil:
				return f.Options[0]
			default:
				return strings.TrimSpace("A made-up view. " + strings.Repeat("word ", f.MinWords))
			}
		}
		return ""
	}
}
