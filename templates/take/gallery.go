package take

import (
	"strings"

	"overton/templates"
)

// Gallery is every page of this package in its states, with made-up values. text
// is shown wherever a study or a person can put text.
func Gallery(frame templates.Frame, text string) []templates.Example {
	say := frame.Words.Say
	at := func(percent int, where string) Step {
		f := frame
		f.StudyTitle, f.Contact, f.Withdraw = text, "team@example.org", "/s/x/withdraw"
		f.Progress = &templates.Progress{Percent: percent, Where: where}
		return Step{Frame: f, Button: Button{"/s/x/p/q1-view", "t"}, Draft: "/s/x/draft/q1-view", Back: "/s/x/p/instructions"}
	}
	asking := func(s Step, fields ...Field) Step { s.Fields = fields; return s }
	wrong := func(s Step, problem string) Step {
		s.Wrong, s.Fields = true, append([]Field(nil), s.Fields...)
		for i := range s.Fields {
			s.Fields[i].Problem = problem
		}
		return s
	}

	consent := Field{ID: "f1", Name: "consent", Label: say("consent.question")}
	agreed := consent
	agreed.Value = "yes"
	item := Field{ID: "f1", Name: "a", Label: text, Lang: "fr", Options: []templates.Option{
		{Value: "1", Label: text}, {Value: "2", Label: "Somewhat"}, {Value: "3", Label: say("survey.refuse")}}}
	answered := item
	answered.ID, answered.Name, answered.Value = "f2", "b", "2"
	stance := Field{ID: "f1", Name: "stance", Label: say("view.stance"), Options: []templates.Option{
		{Value: "1", Label: text, Lang: "fr"}, {Value: "neutral", Label: say("view.neutral")}, {Value: "2", Label: "Against", Lang: "fr"}}}
	view := Field{ID: "f2", Name: "view", Label: say("view.label"), Hint: say("view.hint")}
	written := view
	written.Value = text
	importance := Field{ID: "f3", Name: "importance", Label: say("view.importance"),
		Low: say("view.importance_low"), High: say("view.importance_high")}
	rating := Field{ID: "f1", Name: "rating", Label: say("rating.legend"), Low: say("rating.low"), High: say("rating.high")}
	rated := rating
	rated.Value = "4"
	vote := Field{ID: "f1", Name: "vote", Label: say("vote.legend")}
	voted := vote
	voted.Value = "agree"
	comment := Field{ID: "f1", Name: "comment", Label: say("feedback.label"), Hint: say("feedback.hint")}

	instructions := asking(at(8, ""), Field{ID: "f1", Name: "read", Label: say("instructions.title")})
	late := at(41, "Question 1 of 3")
	late.PlaceEnd, late.Resend = &PlaceEnd{60, 5}, true
	preview := at(41, "Question 1 of 3")
	preview.Preview = &templates.PreviewBar{Leave: "/l", Again: "/a", Jump: "/j", Here: "q1-view",
		Steps: []templates.Option{{Value: "consent", Label: "Consent"}, {Value: "q1-view", Label: "Question 1: own view"}}}
	long := strings.Repeat(text+" Buses and trams would need the space that cars take now. ", 12)

	all := []templates.Example{
		{Name: "start", Content: Start(at(0, "").Frame, Button{"/s/x/start", "t"}, 25)},
		{Name: "consent", Content: Consent(asking(at(0, ""), consent), "<p>We ask for your views. You can stop at any time.</p>")},
		{Name: "consent again", Content: Consent(asking(at(0, ""), agreed), "<p>We ask for your views.</p>")},
		{Name: "survey", Content: Survey(asking(at(4, "Page 1 of 2"), item, answered), false)},
		{Name: "survey again", Content: Survey(asking(at(90, ""), answered), true)},
		{Name: "survey wrong", Content: Survey(wrong(asking(at(4, ""), item), say("problem.missing_choice")), false)},
		{Name: "instructions", Content: Instructions(instructions, 3, 8, 15)},
		{Name: "instructions of views alone", Content: Instructions(instructions, 1, 0, 0)},
		{Name: "view", Content: View(asking(at(12, "Question 1 of 3"), stance, view, importance), text)},
		{Name: "view of a question without endpoints", Content: View(asking(late, written), text)},
		{Name: "view wrong", Content: View(wrong(asking(at(12, "Question 1 of 3"), stance, written, importance), text), text)},
		{Name: "view in a preview", Content: View(asking(preview, stance, view), text)},
		{Name: "rating", Content: Rating(asking(at(20, "Question 1 of 3 · Response 2 of 8"), rating), text, long, text)},
		{Name: "rating wrong", Content: Rating(wrong(asking(at(20, ""), rated), text), text, text, text)},
		{Name: "vote", Content: Vote(asking(at(60, "Question 1 of 3 · Statement 4 of 15"), vote), text, text)},
		{Name: "vote again", Content: Vote(asking(at(60, ""), voted), text, long)},
		{Name: "check", Content: Check(asking(at(33, ""), rating), text)},
		{Name: "check wrong", Content: Check(wrong(asking(at(33, ""), rating), text), text)},
		{Name: "feedback", Content: Feedback(asking(at(99, ""), comment))},
		{Name: "feedback wrong", Content: Feedback(wrong(asking(at(99, ""), comment), text))},
		{Name: "next", Content: Next(at(60, "").Frame, Button{"/s/x/resume", "t"})},
		{Name: "withdraw", Content: Withdraw(at(60, "").Frame, Button{"/s/x/withdraw", "t"}, "/s/x/resume", true)},
		{Name: "end without a code", Content: End(EndPage{Frame: at(100, "").Frame, Outcome: "completed", SecondRoundLater: true})},
	}
	for _, o := range Outcomes {
		end := EndPage{Frame: at(100, "").Frame, Outcome: o, Prolific: true}
		switch o {
		case "completed":
			end.Code, end.SecondRound = text, &Button{"/s/x/second-round", "t"}
		case "no_consent":
			end.Code, end.Reconsider = text, &Button{"/s/x/reconsider", "t"}
		case "screened_out", "failed_checks", "over_quota":
			end.Code = text
		}
		all = append(all, templates.Example{Name: "end " + o, Content: End(end)})
	}
	return all
}

// Outcomes are the ways in which a submission can end.
var Outcomes = []string{"completed", "no_consent", "screened_out", "failed_checks", "over_quota", "timed_out", "returned", "withdrawn"}
