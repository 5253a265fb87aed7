package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"overton/internal/cluster"
	"overton/internal/store"
	"overton/internal/study"
)

func newPlan() *cobra.Command {
	var d study.Design
	terms := study.DefaultTerms(cluster.DefaultOptions().MinVotes)
	var margin float64
	var json, db string
	cmd := &cobra.Command{
		Use:   "plan [DIR]",
		Short: "Work out how many people, votes and minutes a study needs, and what it costs",
		Long: `Work out how many people, votes and minutes a study needs, and what it costs: for the
study in a folder, for the numbers given, or for a folder with some numbers changed.

Times are medians for each kind of page. With --db they are measured in the studies of
that database in which at least twenty people finished.`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
	}
	flags := cmd.Flags()
	numbers := []struct {
		name  string
		into  *int
		value int
		usage string
	}{
		{"questions", &d.Questions, 30, "`N` questions in the set"},
		{"questions-per-participant", &d.QuestionsPerParticipant, 3, "`N` questions that each person answers"},
		{"participants-per-question", &d.ParticipantsPerQuestion, 60, "`N` people on each question"},
		{"models", &d.Models, 8, "`N` model responses to each question"},
		{"responses", &d.Responses, 0, "`N` of these that each person rates; by default, all"},
		{"votes", &d.Votes, 15, "`N` votes by each person on each question"},
		{"seeds", &d.Seeds, 0, "`N` seed statements for each question"},
		{"survey-items", &d.SurveyItems, 0, "`N` survey items that each person answers"},
		{"checks", &d.Checks, 0, "`N` attention checks"},
	}
	given := make([]int, len(numbers))
	for i, n := range numbers {
		flags.IntVar(&given[i], n.name, n.value, n.usage)
	}
	flags.Float64Var(&margin, "margin", 0, "enough people on each question for a 95 % interval of a group's share "+
		"of at most plus or minus `SHARE`, such as 0.1")
	flags.Float64Var(&terms.HourlyPay, "pay", terms.HourlyPay, "pay per hour")
	flags.Float64Var(&terms.Fee, "fee", terms.Fee, "the recruiter's fee as a `SHARE` of the pay; check what yours charges")
	flags.Float64Var(&terms.Returned, "returned", terms.Returned, "`SHARE` of those who start and return their place")
	flags.Float64Var(&terms.Unfinished, "unfinished", terms.Unfinished, "`SHARE` of the others who do not finish")
	flags.StringVar(&db, "db", "", "the database `FILE` to take times from")
	flags.StringVar(&json, "json", "", "write JSON to `FILE`, or - for standard output")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, share := range []struct {
			name  string
			value float64
			below float64
		}{{"returned", terms.Returned, 1}, {"unfinished", terms.Unfinished, 1}, {"fee", terms.Fee, 1e6}, {"pay", terms.HourlyPay, 1e6}} {
			if !(share.value >= 0 && share.value < share.below) {
				return usagef("--%s is %g; expected 0 or more, and less than %g", share.name, share.value, share.below)
			}
		}
		if flags.Changed("margin") && !(margin > 0 && margin < 0.5) {
			return usagef("--margin is %g; expected more than 0 and less than 0.5", margin)
		}
		slug := ""
		if len(args) == 1 {
			s, err := readStudy(args[0])
			if err != nil {
				return err
			}
			d, slug = s.Design(), s.Slug
		}
		for i, n := range numbers {
			if given[i] < 0 {
				return usagef("--%s is %d; expected 0 or more", n.name, given[i])
			}
			if len(args) == 0 || flags.Changed(n.name) {
				*n.into = given[i]
			}
		}
		if margin > 0 {
			d.ParticipantsPerQuestion = study.PeopleForMargin(margin)
		}
		if len(args) == 0 {
			d.Consents, d.Feedbacks = 1, 1
		}
		if d.Responses == 0 && !flags.Changed("responses") || d.Responses > d.Models {
			d.Responses = d.Models
		}
		paces := study.DefaultPaces()
		if db != "" {
			err := withStore(cmd.Context(), db, func(db *store.Store) (err error) {
				paces, err = db.Paces(cmd.Context(), slug)
				return err
			})
			if err != nil {
				return err
			}
		}
		plan := d.Plan(paces, terms)
		if json != "" {
			return writeJSON(cmd.OutOrStdout(), json, plan)
		}
		return printPlan(cmd.OutOrStdout(), plan)
	}
	return cmd
}

var workNames = map[study.StepKind]string{
	study.StepConsent: "consent", study.StepSurvey: "survey items", study.StepInstructions: "instructions", study.StepView: "own views",
	study.StepRating: "ratings", study.StepVote: "votes", study.StepCheck: "checks", study.StepFeedback: "comment",
}

func printPlan(w io.Writer, p study.Plan) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	d := p.Design
	line("people", "%d finish: %d questions × %d people ÷ %d questions per person", p.Participants, d.Questions,
		d.ParticipantsPerQuestion, d.QuestionsPerParticipant)
	line("places", "%d to recruit: %.1f %% more, for those who do not finish", p.Places, 100*p.Terms.Unfinished)
	line("starts", "%d people start, if %.1f %% return their place", p.Starts, 100*p.Terms.Returned)
	line("ratings", "%d, %.1f for each model response", p.Ratings, p.RatingsPerResponse)
	line("votes", "at most %d, on average %.1f on each statement", p.Votes, p.VotesPerStatement)
	if p.EarlyPeople > 0 {
		line("early people", "%d on each question arrive before there are %d statements, and cannot be grouped", p.EarlyPeople, p.Terms.MinVotes)
	}
	line("margin", "the share of a group of half the people: ± %.0f points (95 %%)", 100*p.Margin)
	line("minutes", "%d until the code is entered, %.1f of them on screen", p.Minutes, p.Screen)
	line("reward", "%.2f per person at %.2f per hour", p.Reward, p.Terms.HourlyPay)
	line("cost", "%.2f: %.2f plus a fee of %.1f %%", p.Cost, p.Pay, 100*p.Terms.Fee)
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	table = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "one person\tnumber\tseconds each\tminutes\tmeasured in")
	for _, work := range p.Work {
		fmt.Fprintf(table, "%s\t%d\t%.1f\t%.1f\t%s\n", workNames[work.Kind], work.Count, work.Seconds, work.Minutes, work.Source)
	}
	return table.Flush()
}
