package setup

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"overton/internal/study"
	"overton/templates"
	pages "overton/templates/setup"
)

// form is the page of the editor that a name in an address means. typed is what
// was sent, where the fields depend on it.
func (d *draft) form(part string, typed url.Values) (*form, bool) {
	switch part {
	case "study":
		return d.studyForm(), true
	case "recruitment":
		return d.recruitmentForm(), true
	case "numbers":
		return d.numbersForm(), true
	case "checks":
		return d.checksForm(), true
	case "quotas":
		return d.quotasForm(typed), true
	}
	if n, ok := strings.CutPrefix(part, "block-"); ok {
		if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < len(d.Flow) {
			return d.blockForm(i), true
		}
	}
	return nil, false
}

func (d *draft) studyForm() *form {
	f := newForm("The study", "")
	f.add("title", "Title", "What participants see as the study's name.", text(&d.Title))
	f.add("slug", "Slug", "The end of the study's link: /s/slug. 1 to 63 of a–z, 0–9 and -.", text(&d.Slug))
	f.add("language", "Language of your texts", "A language tag, such as en or pt-BR.", text(&d.Language))
	f.add("contact", "Contact", "An address that participants can write to. Pages that cannot help them show it.",
		text(&d.Contact))
	f.add("second_round", "Second round of votes", "People who finished with too few votes, because there were too few "+
		"statements, can come back by the same link.", flag(&d.SecondRound))
	return f
}

func (d *draft) recruitmentForm() *form {
	r := &d.Recruitment
	f := newForm("Recruitment", "")
	f.group("Time", "")
	f.add("recruitment.minutes", "Minutes", "How long participants are told that the study takes.", number(&r.Minutes))
	f.add("recruitment.reservation_minutes", "Minutes that a place stays reserved",
		"Counted from a person's last answer. After that, somebody else can take the place.", number(&r.ReservationMinutes))
	f.add("recruitment.resubmission", "People can take part again",
		"With a new submission, after they have finished one.", flag(&r.Resubmission))
	f.group("Completion codes", "Copy one code from your study on Prolific for each way that a submission can end. "+
		"People are sent back with the code that fits.")
	for _, o := range templates.Outcomes[:5] {
		f.add("recruitment.prolific.codes."+string(o.Outcome), o.Name, "", entry(r.Codes, o.Outcome))
	}
	f.group("The link", "The names that the recruiter gives to the three ids in the study's link.")
	const names = "recruitment.prolific.parameters."
	f.add(names+"participant", "Participant", "", text(&r.Parameters.Participant))
	f.add(names+"study", "Study", "", text(&r.Parameters.Study))
	f.add(names+"submission", "Submission", "", text(&r.Parameters.Submission))
	f.add("recruitment.prolific.signed_links", "Signed links only",
		"Only people sent by Prolific can enter. Switch on “Secured URL” on Prolific too.", flag(&r.SignedLinks))
	return f
}

func (d *draft) numbersForm() *form {
	f := newForm("Numbers", "What to expect is shown next to the numbers and follows what you type.")
	f.Beside = "plan"
	for i, b := range d.Flow {
		if o := b.Overton; o != nil {
			at := fmt.Sprintf("flow[%d].overton.", i)
			f.group("", "")
			f.add(at+"questions_per_participant", "Questions per person", "", number(&o.QuestionsPerParticipant))
			f.add(at+"participants_per_question", "People on each question", "Counting only people who finish.",
				number(&o.ParticipantsPerQuestion))
			f.add(at+"responses_per_question", "Model responses that a person rates on each question",
				"Enter “all”, or how many to draw for each person.", numberOr("all", &o.ResponsesPerQuestion))
			f.add(at+"votes_per_question", "Votes of a person on each question",
				"On statements of other people. Enter 0 for no votes.", number(&o.VotesPerQuestion))
		}
	}
	f.group("", "")
	f.add("recruitment.minutes", "Minutes that people are told", "", number(&d.Recruitment.Minutes))
	return f
}

func (d *draft) checksForm() *form {
	f := newForm("Checks", "A check asks people in plain words to choose one point of the rating scale. In a study of five "+
		"minutes or more, people fail if they miss two checks. Say in your study's description that it has checks.")
	for i := range d.Checks {
		check, at := &d.Checks[i], fmt.Sprintf("checks[%d].instructed.", i)
		g := f.group(fmt.Sprintf("Check %d", i+1), "")
		g.Button = pages.Button{Do: fmt.Sprint("remove:", i), Label: "Remove", About: fmt.Sprintf("check %d", i+1), Danger: true}
		f.add(at+"text", "Instruction", "What people read.", text(&check.Text))
		f.add(at+"after", "After question", "The check follows this one of the person's questions.", number(&check.After))
		var points []templates.Option
		for _, n := range []string{"1", "2", "3", "4", "5"} {
			points = append(points, templates.Option{Value: n, Label: n})
		}
		f.add(at+"answer", "Right answer", "", choice(&check.Answer, points...))
	}
	f.group("", "").Button = pages.Button{Do: "add", Label: "Add a check"}
	f.act = func(action string, i int) {
		switch {
		case action == "add":
			n := len(d.Checks)
			answer, after := []string{"2", "4"}[n%2], n+1
			if o := d.Overton(); o != nil {
				after = max(1, min(after, o.QuestionsPerParticipant))
			}
			d.Checks = append(d.Checks, study.Check{After: after, Answer: answer,
				Text: "This line shows that you are reading. Please choose " + answer + " here."})
		case action == "remove" && i < len(d.Checks):
			d.Checks = slices.Delete(d.Checks, i, i+1)
		}
	}
	return f
}

// quotasForm has the quotas whose items were sent, so that you can add one and
// fill it in before anything is saved.
func (d *draft) quotasForm(typed url.Values) *form {
	quotaOn := func(variable string) int {
		return slices.IndexFunc(d.Quotas, func(q study.Quota) bool { return q.Variable == variable })
	}
	if typed != nil {
		var quotas []study.Quota
		for _, variable := range typed["variable"] {
			q := study.Quota{Variable: variable, Targets: map[string]int{}}
			if i := quotaOn(variable); i >= 0 {
				q = d.Quotas[i]
			}
			quotas = append(quotas, q)
		}
		d.Quotas = quotas
	}
	f := newForm("Quotas", "The most people who can take part with each answer to a survey item. People who come later "+
		"are sent back with the code for over quota. An empty field sets no limit.")
	f.act = func(action string, i int) {
		if action == "remove" && i < len(d.Quotas) {
			d.Quotas = slices.Delete(d.Quotas, i, i+1)
		}
	}
	var free []templates.Option
	for _, b := range d.Flow {
		if b.Survey == nil {
			continue
		}
		for _, it := range b.Survey.Items {
			name, i := d.asks(b.Survey.Instrument, it.ID), quotaOn(it.ID)
			if i < 0 {
				free = append(free, templates.Option{Value: it.ID, Label: name})
				continue
			}
			g := f.group(name, "")
			g.Variable = it.ID
			g.Button = pages.Button{Do: fmt.Sprint("remove:", i), Label: "Remove", About: "the quota on " + it.ID, Danger: true}
			for _, option := range it.Options {
				f.add(fmt.Sprintf("quotas[%d].targets.%s", i, option), option, "", limit(d.Quotas[i].Targets, option))
			}
		}
	}
	if len(free) > 0 {
		f.group("Another quota", "").Button = pages.Button{Do: "show:0", Label: "Add a quota"}
		chosen := free[0].Value
		f.add("item", "Survey item", "", choice(&chosen, free...))
	} else if len(f.Groups) == 0 {
		f.Lead = "Quotas limit how many people give each answer to a survey item. This study has no survey."
	}
	return f
}

// blockForm is the page of one block of the flow.
func (d *draft) blockForm(i int) *form {
	b, at := d.Flow[i], fmt.Sprintf("flow[%d].", i)
	switch {
	case b.Consent != nil:
		return d.consentForm(at + "consent.")
	case b.Survey != nil:
		return d.surveyForm(at+"survey.", b.Survey)
	case b.Overton != nil:
		return overtonForm(at+"overton.", b.Overton)
	}
	return newForm("Comment", "Asks for an optional comment before the end. There is nothing to set.")
}

func (d *draft) consentForm(at string) *form {
	f := newForm("Consent", "The text that people must accept to go on, in Markdown. Say what the study is about, what "+
		"people do and for how long, what the risks are, what happens to their data, that they can stop at any time, "+
		"and who they can write to.")
	f.Beside = "text-preview"
	f.add(at+"file", "Text", "Start a heading with # and a list item with -. Write **bold**. An empty line starts a paragraph.",
		value{"markdown", string(d.files[d.Consent]), nil, func(typed string) string {
			d.files[d.Consent] = []byte(strings.TrimRight(strings.ReplaceAll(typed, "\r\n", "\n"), "\n") + "\n")
			return ""
		}})
	return f
}

func (d *draft) surveyForm(at string, v *study.Survey) *form {
	const asGiven, reversed = "as_given", "reversed_half"
	order := asGiven
	if v.ReverseHalf {
		order = reversed
	}
	f := newForm("Survey "+v.Instrument, "")
	f.add(at+"title", "Heading of its pages", "Leave this empty to use the instrument's own.", entry(d.Titles, v.Instrument))
	f.add(at+"items_per_page", "Items on a page", "Enter a number, or “topic” to show all items of a topic on one page.",
		numberOr("topic", &v.PerPage))
	f.add(at+"topics_per_participant", "Topics per person", "Enter “all”, or how many to draw for each person.",
		numberOr("all", &v.Topics))
	f.add(at+"items_per_participant", "Items per person",
		"Enter “all”, or how many to draw for each person. Items that depend on these are added.", numberOr("all", &v.Sample))
	options := choice(&order, templates.Option{Value: asGiven, Label: "As given"},
		templates.Option{Value: reversed, Label: "Reversed for half of the people"})
	options.set = func(typed string) string {
		v.ReverseHalf = typed == reversed
		return ""
	}
	f.add(at+"order", "Order of the options", "", options)
	f.add(at+"repeat", "Items asked a second time", "At the end of the block, to measure how reliable answers are.",
		number(&v.Repeat))
	return f
}

func overtonForm(at string, o *study.Overton) *form {
	f := newForm("Views, ratings and votes", "On each question, people write their own view, rate the model responses, then "+
		"vote on statements of other people. Set how many of each on the page “Numbers”.")
	f.add(at+"moderation", "When other people see a statement", "", choice(&o.Moderation,
		templates.Option{Value: string(study.ModerationAfter), Label: "At once, until you reject it"},
		templates.Option{Value: string(study.ModerationBefore), Label: "After you accept it"},
		templates.Option{Value: string(study.ModerationOff), Label: "At once, without moderation"}))
	f.add(at+"stance", "Ask which endpoint is closer", "On questions that have two endpoints.", flag(&o.Stance))
	f.add(at+"importance", "Ask how important the question is", "", flag(&o.Importance))
	f.add(at+"min_words", "Fewest words of a view", "", number(&o.MinWords))
	return f
}
