package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"overton/internal/dataset/studyfile"
	"overton/internal/instrument"
	"overton/internal/study"
)

// kind is the type of an exported column.
type kind string

const (
	kindText    kind = "text"
	kindInteger kind = "integer"
	kindNumber  kind = "number"
	kindFlag    kind = "true or false"
	kindMoment  kind = "time" // in UTC; as text RFC 3339 with milliseconds
)

// column is a column of an export: what the data dictionary says about it, and its value in a row. A value is
// a string, int, float64, bool or time.Time, as the kind requires, or nil if there is none.
type column struct {
	Name    string
	Kind    kind
	Unit    string // empty if the kind says everything
	Meaning string

	value func(*tableRow) any
}

// table is one table of an export.
type table struct {
	Name    string // of its files, without the extension
	Meaning string
	Columns []column

	// rows writes the rows for a submission. It is nil for statements, which do not belong to a submission.
	rows    func(v *visit, counts ManifestCounts, write func(*tableRow) error) error
	formats []Format
}

// tableRow is what the columns of a row are computed from. Each table fills the part that its columns need.
type tableRow struct {
	*visit
	answer    study.Answer
	question  study.Question
	slot      int    // position of the question, from 0
	at        int    // position of the response, from 0
	votes     string // on the question, as JSON
	ballot    study.RecordBallot
	statement study.Statement
	asked     study.Asked
	item      instrument.Item

	instrument string // of which something was drawn
}

// visit is one submission while it is exported.
type visit struct {
	study.Record
	number  int // among the participant's submissions, from 1
	answers map[study.Key]study.Answer
	export  *Data
}

// status says how a submission ended, or that it is in progress.
func (v *visit) status() string {
	switch {
	case v.Outcome != study.InProgress:
		return string(v.Outcome)
	case v.Live:
		return "in_progress"
	}
	return "left"
}

// value is an answer's value, or nil.
func (v *visit) value(kind study.Kind, scope, subject string) any {
	if a, ok := v.answers[study.Key{Kind: kind, Scope: scope, Subject: subject}]; ok {
		return a.Value
	}
	return nil
}

// tablesOf is the only description of the exports of a study: files, dictionary and documentation are
// made from it.
func tablesOf(s *studyfile.Study) []table {
	return []table{
		{Name: "ratings", Columns: ratingColumns(s), rows: ratingRows,
			Meaning: "One row for each rating of a model response. Columns of OvertonBench keep their names, so that you can use this file in its place."},
		{Name: "votes", Columns: voteColumns(), rows: voteRows, Meaning: "One row for each statement drawn for a person's vote, voted on or not."},
		{Name: "statements", Columns: statementColumns(), Meaning: "One row for each statement: free responses as peers see them, and seeds."},
		{Name: "participants", Columns: participantColumns(s), rows: participantRows, Meaning: "One row for each submission, finished or not."},
		{Name: "surveys", Columns: surveyAnswerColumns(), rows: surveyRows,
			Meaning: "One row for each answer to an item of a survey, as it was shown. Answers to items whose condition is no longer true are only in answers."},
		{Name: "answers", Columns: answerColumns(), rows: answerRows, Meaning: "The long form: one row for each answer of any kind, with its current value."},
		{Name: "assignments", Columns: assignmentColumns(), rows: assignmentRows, Meaning: "One row for each question that a submission was given, answered or not."},
		{Name: "draws", Columns: drawColumns(), rows: drawRows, Meaning: "One row for each survey in which something was drawn at random for a submission: topics, items, their repetition or the order of the options."},
		{Name: "wide", Columns: wideColumns(s), rows: participantRows, Meaning: "The wide form: one row for each submission, with all of its answers side by side. Questions are in the order in which the participant saw them."},
	}
}

var (
	userColumn = column{"user", kindText, "", "Pseudonym of the participant: random, and the same in all files",
		func(r *tableRow) any { return r.Pseudonym }}
	submissionColumn = column{"submission", kindInteger, "", "Which of the participant's submissions it belongs to, from 1",
		func(r *tableRow) any { return r.number }}
	statusColumn = column{"status", kindText, "", "How the submission ended: completed, no_consent, screened_out, failed_checks, over_quota, timed_out or withdrawn; or in_progress; or left, if no answer came before the reservation expired",
		func(r *tableRow) any { return r.status() }}
	virtualColumn = column{"virtual", kindFlag, "", "Whether a program took part, in a rehearsal, and not a person",
		func(r *tableRow) any { return r.Virtual }}
	seedColumn = column{"seed", kindText, "", "Seed of every random choice made for the submission, an unsigned 64-bit number",
		func(r *tableRow) any { return strconv.FormatUint(r.Seed, 10) }}
	roundColumn = column{"round", kindInteger, "", "1, or 2 if the participant had come back for more votes",
		func(r *tableRow) any { return r.answer.Round }}
)

func ratingColumns(s *studyfile.Study) []column {
	stance := func(r *tableRow) any { return r.value(study.KindStance, r.question.ID, "") }
	return slices.Concat([]column{
		userColumn,
		{"question_id", kindText, "", "The question, as in the study's question set", func(r *tableRow) any { return r.question.ID }},
		{"question", kindText, "", "Its text", func(r *tableRow) any { return r.question.Text }},
		{"model", kindText, "", "The model whose response was rated; participants do not see its name", func(r *tableRow) any { return r.answer.Key.Subject }},
		{"llm_response", kindText, "", "The response as participants read it", func(r *tableRow) any {
			response, _ := r.export.Study.Questions.Response(r.question.ID, r.answer.Key.Subject)
			return response.Text
		}},
		{"freeresponse", kindText, "", "The participant's own view on the question, in their words", func(r *tableRow) any { return r.value(study.KindView, r.question.ID, "") }},
		{"representation_rating", kindInteger, "1 to 5", "How far the response represents the participant's view: 1 not at all, 5 fully", func(r *tableRow) any { return whole(r.answer.Value) }},
		{"freeresponse_state", kindText, "", "What became of the free response as a statement: served, pending, rejected by moderation or replaced; empty where it became none", func(r *tableRow) any { return r.viewState(r.question.ID) }},
		{"selection_text", kindText, "", "The endpoint that the participant is closer to, or Neutral", func(r *tableRow) any { return r.selection(r.question) }},
		{"selection_position", kindText, "", "The same as 1, 2 or neutral; empty where the question has no endpoints or the study did not ask", stance},
		{"importance", kindInteger, "1 to 5", "How much the question matters to the participant", func(r *tableRow) any { return whole(r.value(study.KindImportance, r.question.ID, "")) }},
	}, surveyColumns(s), []column{
		{"votes", kindText, "JSON", "The participant's votes on this question: statement_id to agree, disagree or neutral, in the order shown", func(r *tableRow) any { return r.votes }},
		{"cluster_kmeans", kindText, "", "Viewpoint group of the participant on this question in the latest analysis, by number: 0 is Group A on pages and in reports, 1 is Group B and so on; not comparable across questions", func(r *tableRow) any {
			if group, ok := r.export.Groups[r.question.ID][r.Pseudonym]; ok {
				return group
			}
			return nil
		}},
		{"source", kindText, "", "Collection that the question comes from", func(r *tableRow) any { return orNil(r.question.Source) }},
		{"topic", kindText, "", "Topic of the question", func(r *tableRow) any { return orNil(r.question.Topic) }},
		{"question_position", kindInteger, "", "Which of the participant's questions it was, from 1", func(r *tableRow) any { return r.slot + 1 }},
		{"response_position", kindInteger, "", "Which of the responses to the question it was in the order shown, from 1", func(r *tableRow) any { return r.at + 1 }},
	}, timeColumns(), []column{
		submissionColumn, statusColumn, virtualColumn, seedColumn,
		{"study", kindText, "", "The study, as in its link", func(r *tableRow) any { return r.export.Study.Slug }},
		{"study_version", kindInteger, "", "Version of the study that the submission belongs to", func(r *tableRow) any { return r.export.Version }},
		{"study_hash", kindText, "", "SHA-256 of the study's files", func(r *tableRow) any { return r.export.Study.Hash }},
	})
}

// selection is the endpoint that a participant chose on a question, in words.
func (v *visit) selection(q study.Question) any {
	switch v.value(study.KindStance, q.ID, "") {
	case study.StanceFirst:
		return q.Option1
	case study.StanceSecond:
		return q.Option2
	case study.StanceNeutral:
		return "Neutral"
	}
	return nil
}

// viewState is what became of a participant's free response, or nil.
func (v *visit) viewState(question string) any {
	text, ok := v.value(study.KindView, question, "").(string)
	if !ok {
		return nil
	}
	return orNil(string(v.export.viewState(v.Pseudonym, question, text)))
}

func assignmentColumns() []column {
	return []column{
		userColumn, submissionColumn,
		{"question_id", kindText, "", "The question", func(r *tableRow) any { return r.Slots[r.slot].Question }},
		{"question_position", kindInteger, "", "Which of the participant's questions it is, from 1", func(r *tableRow) any { return r.slot + 1 }},
		{"state", kindText, "", "done; reserved: started and not finished; or released, so that another person can have the place", func(r *tableRow) any { return r.Slots[r.slot].State }},
		{"models", kindText, "JSON", "The models whose responses are rated, in the order shown", func(r *tableRow) any { return jsonOf(r.Slots[r.slot].Models) }},
		statusColumn, virtualColumn,
	}
}

func drawColumns() []column {
	return []column{
		userColumn, submissionColumn,
		{"instrument", kindText, "", "The instrument, as the study's flow names it", func(r *tableRow) any { return r.instrument }},
		{"items", kindText, "JSON", "The items asked, in their order", func(r *tableRow) any { return jsonOf(r.Surveys[r.instrument].Items) }},
		{"repeated", kindText, "JSON", "The items asked again at the end", func(r *tableRow) any { return jsonOf(r.Surveys[r.instrument].Repeated) }},
		{"reversed", kindFlag, "", "Whether the options were shown in reverse", func(r *tableRow) any { return r.Surveys[r.instrument].Reversed }},
		statusColumn, virtualColumn,
	}
}

// wideColumns are those of a participant, followed by all answers except single votes: question by question
// in the participant's order, then the surveys that draw items, checks and feedback.
func wideColumns(s *studyfile.Study) []column {
	columns := participantColumns(s)
	add := func(name, unit, meaning string, kind kind, value func(*tableRow) any) {
		if slices.ContainsFunc(columns, func(c column) bool { return c.Name == name }) {
			name += "_2"
		}
		columns = append(columns, column{name, kind, unit, meaning, value})
	}
	if o := s.Overton(); o != nil {
		var models []string
		for _, r := range s.Questions.Responses {
			if !slices.Contains(models, r.Model) {
				models = append(models, r.Model)
			}
		}
		for n := range o.QuestionsPerParticipant {
			// on gives the value of a column, or nil if there is no such question.
			on := func(value func(r *tableRow, question string) any) func(*tableRow) any {
				return func(r *tableRow) any {
					if n >= len(r.Slots) {
						return nil
					}
					return value(r, r.Slots[n].Question)
				}
			}
			at := fmt.Sprintf("q%d_", n+1)
			which := fmt.Sprintf(", on the participant's question %d", n+1)
			add(at+"question_id", "", fmt.Sprintf("The participant's question %d", n+1), kindText, on(func(_ *tableRow, q string) any { return q }))
			add(at+"selection_text", "", "The endpoint chosen"+which, kindText, on(func(r *tableRow, q string) any {
				question, _ := s.Questions.Question(q)
				return r.selection(question)
			}))
			add(at+"importance", "1 to 5", "How much the question matters"+which, kindInteger, on(func(r *tableRow, q string) any { return whole(r.value(study.KindImportance, q, "")) }))
			add(at+"freeresponse", "", "The free response"+which, kindText, on(func(r *tableRow, q string) any { return r.value(study.KindView, q, "") }))
			add(at+"freeresponse_state", "", "What became of it as a statement"+which, kindText, on(func(r *tableRow, q string) any { return r.viewState(q) }))
			for _, model := range models {
				add(at+"rating_"+model, "1 to 5", "The rating of "+model+which, kindInteger, on(func(r *tableRow, q string) any { return whole(r.value(study.KindRating, q, model)) }))
			}
			add(at+"votes", "JSON", "The votes"+which+": statement_id to agree, disagree or neutral, in the order shown", kindText, on(func(r *tableRow, q string) any { return r.votesOn(q) }))
		}
	}
	for _, b := range s.Flow {
		if b.Survey == nil || !b.Survey.Draws() {
			continue
		}
		in := s.Instruments[b.Survey.Instrument]
		partial := b.Survey.Topics > 0 || b.Survey.Sample > 0 // otherwise the first answers are among a participant's columns
		for _, it := range in.Items {
			if partial {
				add(in.Name+"."+it.ID, "", "Answer to “"+it.Text+"”; empty if it was not asked", kindText, func(r *tableRow) any { return r.value(study.KindSurvey, in.Name, it.ID) })
			}
			if b.Survey.Repeat > 0 {
				again := study.SurveyKey(in.Name, it.ID, true)
				add(in.Name+"."+it.ID+".again", "", "Second answer to “"+it.Text+"”", kindText, func(r *tableRow) any { return r.value(again.Kind, again.Scope, again.Subject) })
			}
		}
	}
	for n := range s.Checks {
		subject := strconv.Itoa(n + 1)
		add("check_"+subject, "", "Answer to check "+subject, kindText, func(r *tableRow) any { return r.value(study.KindCheck, "", subject) })
	}
	add("feedback", "", "What the participant said at the end", kindText, func(r *tableRow) any { return r.value(study.KindFeedback, "", "") })
	return columns
}

// OvertonBench is the layout of the published data set: its columns with their names, order and types, for
// people who finished.
const OvertonBench Format = "overtonbench"

// overtonBenchTable is OvertonBench's table. Demographics are the answers to the survey on demographics or,
// without one, what the recruiter's file says.
func overtonBenchTable(s *studyfile.Study) table {
	published := map[string]column{}
	for _, c := range ratingColumns(s) {
		published[c.Name] = c
	}
	question, group := published["question_id"], published["cluster_kmeans"]
	if !slices.ContainsFunc(s.Questions.Questions, func(q study.Question) bool { return whole(q.ID) == nil }) {
		question.Kind, question.value = kindInteger, func(r *tableRow) any { return whole(r.question.ID) }
	}
	text := group.value
	group.Kind, group.value = kindInteger, func(r *tableRow) any { return whole(text(r)) }
	free := published["freeresponse"]
	free.Meaning += "; empty where moderation rejected it"
	own := free.value
	free.value = func(r *tableRow) any {
		if r.viewState(r.question.ID) == string(study.StatementRejected) {
			return nil
		}
		return own(r)
	}
	demographics := instrument.USDemographics().Name
	person := func(name, item string) column {
		return column{name, kindText, "", "Answer to " + item + " of " + demographics + "; where the study does not ask it, the column of that name in the recruiter's file", func(r *tableRow) any {
			if answer := r.value(study.KindSurvey, demographics, item); answer != nil {
				return answer
			}
			if r.Recruited != nil {
				return orNil(r.Recruited.Attributes[name])
			}
			return nil
		}}
	}
	return table{Name: "overtonbench/overtonbench", rows: completeRatingRows,
		Meaning: "The layout of the published OvertonBench data: one row for each rating by a person who finished.",
		Columns: []column{
			published["user"], question, published["question"], published["model"], published["llm_response"], free, published["representation_rating"],
			published["selection_text"], published["selection_position"],
			person("Age", "AGE"), person("Sex", "SEX"), person("Ethnicity simplified", "RACE"), person("U.s. political affiliation", "POLPARTY"),
			published["votes"], group,
		}}
}

func voteColumns() []column {
	return slices.Concat([]column{
		userColumn, submissionColumn,
		{"question_id", kindText, "", "The question", func(r *tableRow) any { return r.ballot.Question }},
		{"statement_id", kindText, "", "The statement, as in the file of statements", func(r *tableRow) any { return r.ballot.Statement }},
		{"author", kindText, "", "Pseudonym of the statement's author; empty for a seed, and after a withdrawal", func(r *tableRow) any { return orNil(r.export.author[r.ballot.Statement]) }},
		{"vote", kindText, "", "agree, disagree or neutral; skip if the participant saw the statement and did not vote on it; empty if no vote came", func(r *tableRow) any { return orNil(r.answer.Value) }},
		{"position", kindInteger, "", "Which of the question's statements it was in the order shown, from 1", func(r *tableRow) any { return r.ballot.Position }},
		{"probability", kindNumber, "", "Probability with which the statement was drawn", func(r *tableRow) any { return r.ballot.Probability }},
		{"candidates", kindInteger, "", "Number of statements it was drawn from", func(r *tableRow) any { return r.ballot.Candidates }},
		{"round", kindInteger, "", "1, or 2 if the participant had come back for more votes", func(r *tableRow) any { return r.ballot.Round }},
		{"drawn_at", kindMoment, "", "When the statement was drawn", func(r *tableRow) any { return r.ballot.Drawn }},
	}, timeColumns(), []column{statusColumn, virtualColumn})
}

func statementColumns() []column {
	return []column{
		{"statement_id", kindText, "", "Names the statement in this study", func(r *tableRow) any { return r.statement.ID }},
		{"question_id", kindText, "", "The question", func(r *tableRow) any { return r.statement.Question }},
		{"author", kindText, "", "Pseudonym of the author; empty for a seed, and after a withdrawal", func(r *tableRow) any { return orNil(r.statement.Author) }},
		{"seed_statement", kindFlag, "", "Whether the researcher wrote it, for the first people to vote on", func(r *tableRow) any { return r.statement.Seed }},
		{"virtual", kindFlag, "", "Whether a virtual participant wrote it; such statements are shown only to virtual participants", func(r *tableRow) any { return r.statement.Virtual }},
		{"statement", kindText, "", "Its text; empty after a withdrawal", func(r *tableRow) any { return orNil(r.statement.Text) }},
		{"state", kindText, "", "served: peers can see it; pending: moderation has not looked yet; rejected by moderation; replaced by another version of its author; withdrawn", func(r *tableRow) any { return string(r.statement.State) }},
		{"created_at", kindMoment, "", "When it was written", func(r *tableRow) any { return r.statement.Created }},
		{"drawn", kindInteger, "", "How often it was drawn for a vote", func(r *tableRow) any { return r.statement.Drawn }},
		{"agree", kindInteger, "", "Votes of agreement", func(r *tableRow) any { return r.statement.Agree }},
		{"disagree", kindInteger, "", "Votes of disagreement", func(r *tableRow) any { return r.statement.Disagree }},
		{"neutral", kindInteger, "", "Neutral votes", func(r *tableRow) any { return r.statement.Neutral }},
		{"skip", kindInteger, "", "How often it was seen without a vote on it", func(r *tableRow) any { return r.statement.Skip }},
	}
}

func participantColumns(s *studyfile.Study) []column {
	count := func(kind study.Kind, counts func(value string) bool) func(*tableRow) any {
		return func(r *tableRow) any {
			n := 0
			for k, a := range r.answers {
				if k.Kind == kind && counts(a.Value) {
					n++
				}
			}
			return n
		}
	}
	return slices.Concat([]column{
		userColumn, submissionColumn, statusColumn, virtualColumn,
		{"round", kindInteger, "", "1, or 2 after the participant came back for more votes", func(r *tableRow) any { return r.Round }},
		seedColumn,
		{"started_at", kindMoment, "", "When the submission began", func(r *tableRow) any { return r.Started }},
		{"consented_at", kindMoment, "", "When consent was given", func(r *tableRow) any { return r.Consented }},
		{"last_answer_at", kindMoment, "", "When the last answer came", func(r *tableRow) any { return r.Last }},
		{"ended_at", kindMoment, "", "When the submission ended", func(r *tableRow) any { return r.Ended }},
		{"seconds", kindNumber, "seconds", "From the beginning to the end, pauses included", func(r *tableRow) any { return seconds(r.Started, r.Ended) }},
		{"questions", kindInteger, "", "Questions assigned", func(r *tableRow) any { return len(r.Slots) }},
		{"ratings", kindInteger, "", "Ratings given", count(study.KindRating, func(string) bool { return true })},
		{"votes", kindInteger, "", "Votes cast; skipped statements do not count", count(study.KindVote, func(v string) bool { return v != study.Skip })},
		{"checks_failed", kindInteger, "", "Instructed checks answered against the instruction", func(r *tableRow) any {
			failed, _ := r.export.Study.FailedChecks(r.Answered())
			return failed
		}},
		{"recruiter_status", kindText, "", "Status of the submission in the recruiter's file; empty if none was read", func(r *tableRow) any {
			if r.Recruited == nil {
				return nil
			}
			return r.Recruited.Status
		}},
		{"recruiter_seconds", kindNumber, "seconds", "From start to return by the recruiter's clock", func(r *tableRow) any {
			if r.Recruited == nil || r.Recruited.Taken == 0 {
				return nil
			}
			return r.Recruited.Taken.Seconds()
		}},
		{"recruiter_attributes", kindText, "JSON", "Further columns of the recruiter's file, such as demographics, by their names", func(r *tableRow) any {
			if r.Recruited == nil {
				return nil
			}
			return jsonOf(r.Recruited.Attributes)
		}},
	}, surveyColumns(s))
}

func answerColumns() []column {
	return slices.Concat([]column{
		userColumn, submissionColumn,
		{"kind", kindText, "", "consent, survey, stance, view (the free response), importance, rating, vote, instructions, check or feedback", func(r *tableRow) any { return string(r.answer.Key.Kind) }},
		{"scope", kindText, "", "The question; of a survey the instrument; of instructions the number of the block", func(r *tableRow) any { return orNil(r.answer.Key.Scope) }},
		{"subject", kindText, "", "Of a rating the model, of a vote the statement, of a survey the item, of a check its number", func(r *tableRow) any { return orNil(r.answer.Key.Subject) }},
		{"value", kindText, "", "The answer", func(r *tableRow) any { return r.answer.Value }},
		roundColumn,
	}, timeColumns(), []column{statusColumn, virtualColumn})
}

// timeColumns say when and how an answer was given.
func timeColumns() []column {
	return []column{
		{"shown_at", kindMoment, "", "When the page was sent to the participant", func(r *tableRow) any { return r.answer.Shown }},
		{"answered_at", kindMoment, "", "When the answer arrived", func(r *tableRow) any { return r.answer.Answered }},
		{"seconds", kindNumber, "seconds", "From shown to answered, pauses included", func(r *tableRow) any { return seconds(r.answer.Shown, r.answer.Answered) }},
		{"active_ms", kindInteger, "milliseconds", "Time for which the page was in front; empty if the browser did not report it", func(r *tableRow) any {
			if r.answer.Active == 0 {
				return nil
			}
			return int(r.answer.Active.Milliseconds())
		}},
		{"revisions", kindInteger, "", "How often the answer was changed; 0: never", func(r *tableRow) any {
			if r.answer.Revision == 0 {
				return nil
			}
			return r.answer.Revision - 1
		}},
	}
}

// surveyColumns are the items of the surveys that everyone is asked, each named by its id, or by instrument
// and id if two items share an id.
func surveyColumns(s *studyfile.Study) []column {
	var columns []column
	for _, b := range s.Flow {
		if b.Survey == nil || b.Survey.Topics > 0 || b.Survey.Sample > 0 {
			continue
		}
		in := s.Instruments[b.Survey.Instrument]
		for _, it := range in.Items {
			name := it.ID
			if slices.ContainsFunc(columns, func(c column) bool { return c.Name == name }) {
				name = in.Name + "." + it.ID
			}
			columns = append(columns, column{name, kindText, "", "Answer to “" + it.Text + "” (" + in.Name + ")",
				func(r *tableRow) any { return r.value(study.KindSurvey, in.Name, it.ID) }})
		}
	}
	return columns
}

// surveyAnswerColumns describe an answer together with its item.
func surveyAnswerColumns() []column {
	option := func(r *tableRow) instrument.Option {
		o, _ := r.item.Option(r.answer.Value)
		return o
	}
	defined := func(v *float64) any {
		if v == nil {
			return nil
		}
		return *v
	}
	return slices.Concat([]column{
		userColumn, submissionColumn,
		{"instrument", kindText, "", "The instrument, as the study's flow names it", func(r *tableRow) any { return r.answer.Key.Scope }},
		{"item", kindText, "", "The item's id in the instrument", func(r *tableRow) any { return r.item.ID }},
		{"text", kindText, "", "What the item asks", func(r *tableRow) any { return r.item.Text }},
		{"topics", kindText, "", "Its topics, separated by semicolons", func(r *tableRow) any { return orNil(strings.Join(r.item.Topics, ";")) }},
		{"repetition", kindInteger, "", "1, or 2 if the item was asked again", func(r *tableRow) any {
			if r.asked.Again {
				return 2
			}
			return 1
		}},
		{"position", kindInteger, "", "Position of the item in the survey, from 1; repeated items go on counting", func(r *tableRow) any { return r.asked.Position }},
		{"answer", kindText, "", "Code of the option chosen", func(r *tableRow) any { return r.answer.Value }},
		{"label", kindText, "", "Its label", func(r *tableRow) any { return orNil(option(r).Label) }},
		{"refusal", kindFlag, "", "Whether the option is a refusal: neither a neutral opinion nor a missing answer", func(r *tableRow) any { return option(r).Refusal }},
		{"ordinal", kindNumber, "", "The option's place on the item's scale; empty for refusals", func(r *tableRow) any {
			places, at := r.item.Ordinals(), 0
			for _, o := range r.item.Options {
				switch {
				case o.Refusal:
				case o.Code == r.answer.Value:
					return places[at]
				default:
					at++
				}
			}
			return nil
		}},
		{"polarity", kindNumber, "", "The side that the option takes, from -1 to 1; empty if the instrument gives none", func(r *tableRow) any { return defined(option(r).Polarity) }},
		{"reversed", kindFlag, "", "Whether the options were shown in reverse", func(r *tableRow) any { return r.asked.Reversed }},
		{"shown", kindText, "", "Codes of the options in the order shown, as a JSON list", func(r *tableRow) any { return jsonOf(r.asked.Shown) }},
	}, timeColumns(), []column{statusColumn, virtualColumn})
}

// jsonOf writes texts as JSON without escapes for HTML. Encoding them cannot fail.
func jsonOf[T string | []string | map[string]string](texts T) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(texts); err != nil {
		panic("export: encoding texts: " + err.Error())
	}
	return strings.TrimSpace(b.String())
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// whole is a value on a scale as a number, or nil.
func whole(value any) any {
	text, _ := value.(string)
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return nil
}

// seconds is the time between two moments, or nil where one is missing. It is 0 if the clock went back.
func seconds(from, to time.Time) any {
	if from.IsZero() || to.IsZero() {
		return nil
	}
	return max(0, to.Sub(from).Seconds())
}
