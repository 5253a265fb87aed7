package take

import "overton/templates"

// Gallery is every page of this package in its states, with made-up values. text
// is shown wherever a study or a person can put text.
func Gallery(frame templates.Frame, text string) []templates.Example {
	frame.Withdraw, frame.Progress = "/s/x/withdraw", &templates.Progress{Percent: 41, Where: text}
	form := Form{Action: "/s/x/p/a", Draft: "/s/x/draft/a", Back: "/s/x/p/b", Token: "t", Active: text, Trail: text,
		Resend: true, Problems: []Problem{{"f1", text}}, PlaceEnd: &PlaceEnd{60, 5}}
	problemAt := func(id string) Form { f := form; f.Problems = []Problem{{id, text}}; return f }
	choice := Choice{"f1", "a", text, []templates.Option{{Value: "1", Label: text, Lang: "fr"}, {Value: "2", Label: text, Lang: ""}}, "2", text, "fr"}
	scale := Scale{"f2", "rating", text, "low", "high", "3", text}
	box := Text{"f3", "view", "label", "hint", text, text}
	all := []templates.Example{
		{Name: "start", Content: Start(StartPage{frame, "/s/x/start", "t", 25})},
		{Name: "consent", Content: Consent(ConsentPage{frame, form, "f1", "<p>checked</p>", "yes"})},
		{Name: "survey", Content: Survey(SurveyPage{frame, form, []Choice{choice}, true})},
		{Name: "instructions", Content: Instructions(InstructionsPage{frame, form, "f1", 3, 8, 15})},
		{Name: "view", Content: View(ViewPage{frame, form, text, &choice, box, &scale})},
		{Name: "rating", Content: Rating(RatingPage{frame, problemAt("f2"), text, text, text, scale})},
		{Name: "vote", Content: Vote(VotePage{frame, form, "f1", text, text, "agree"})},
		{Name: "check", Content: Check(CheckPage{frame, problemAt("f2"), text, scale})},
		{Name: "feedback", Content: Feedback(FeedbackPage{frame, problemAt("f3"), box})},
		{Name: "next", Content: Next(NextPage{frame, "/s/x/resume", "t"})},
		{Name: "withdraw", Content: Withdraw(WithdrawPage{frame, "/s/x/withdraw", "/s/x/resume", "t", true})},
	}
	for _, o := range Outcomes {
		all = append(all, templates.Example{Name: "end " + o, Content: End(EndPage{Frame: frame, Outcome: o, Prolific: true, Code: text, Reconsider: "/r", SecondRound: "/2"})})
	}
	return all
}

// Outcomes are the ways in which a submission can end.
var Outcomes = []string{"completed", "no_consent", "screened_out", "failed_checks", "over_quota", "timed_out", "returned", "withdrawn"}
