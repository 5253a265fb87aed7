package dataset

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"overton/internal/study"
)

// folder is a small study that is in order.
func folder() Files {
	f := Files{}
	for _, name := range []string{"study.yaml", "consent.md", "questions.csv", "responses.csv", "seeds.csv"} {
		content, err := os.ReadFile(filepath.Join("testdata", "parks", name))
		if err != nil {
			panic(err)
		}
		f[name] = content
	}
	return f
}

// with returns the small study with one file changed.
func with(name, old, new string) Files {
	f := maps.Clone(folder())
	if old == "" {
		f[name] = []byte(new)
		return f
	}
	if !strings.Contains(string(f[name]), old) {
		panic(name + " does not hold " + old)
	}
	f[name] = []byte(strings.Replace(string(f[name]), old, new, 1))
	return f
}

func TestReadStudyFillsEveryPart(t *testing.T) {
	s, err := ReadStudy(folder())
	if err != nil {
		t.Fatal(err)
	}
	d := s.Definition
	if d.Language != "en" || d.Contact != "parks@example.org" || d.SecondRound {
		t.Errorf("language %q, contact %q, second round %v", d.Language, d.Contact, d.SecondRound)
	}
	wantRecruitment := study.Recruitment{
		Parameters: study.ParameterNames{Participant: "PROLIFIC_PID", Study: "STUDY_ID", Submission: "SESSION_ID"},
		Codes:      map[study.Outcome]string{study.Completed: "0011", study.NoConsent: "NOPE"},
		Minutes:    10, ReservationMinutes: 40,
	}
	if !reflect.DeepEqual(d.Recruitment, wantRecruitment) {
		t.Errorf("recruitment\n got %+v\nwant %+v", d.Recruitment, wantRecruitment)
	}
	wantOverton := study.Overton{QuestionsPerParticipant: 2, ParticipantsPerQuestion: 60, VotesPerQuestion: 15,
		Moderation: study.ModerationAfter, Stance: true, Importance: true, MinWords: 1}
	if got := d.Overton(); got == nil || *got != wantOverton {
		t.Errorf("overton\n got %+v\nwant %+v", got, wantOverton)
	}
	if got := d.Flow[0].Consent.Markdown; got != "You may stop at any time.\n" {
		t.Errorf("consent %q", got)
	}
	if v := d.Survey("us-demographics"); v == nil || len(v.Items) != 12 || v.PerPage != 4 {
		t.Errorf("survey %+v", v)
	}
	if _, ok := s.Instruments["us-demographics"]; !ok {
		t.Error("the instrument is not with the study")
	}
	if len(d.Checks) != 1 || d.Checks[0] != (study.Check{After: 1, Text: "Please choose 2 here.", Answer: "2"}) {
		t.Errorf("checks %+v", d.Checks)
	}
	if len(d.Quotas) != 1 || d.Quotas[0].Targets["Republican"] != 300 {
		t.Errorf("quotas %+v", d.Quotas)
	}
	wantSet := study.QuestionSet{
		Questions: []study.Question{
			{ID: "1", Source: "a", Text: "Dogs in parks?", Option1: "Yes", Option2: "No", Extra: map[string]string{"note": "x"}},
			{ID: "2", Source: "a", Text: "Cars,\nin parks?", Extra: map[string]string{"note": ""}},
			{ID: "3", Source: "b", Text: "Night opening?", Extra: map[string]string{"note": "y"}},
		},
		Responses: []study.ModelResponse{
			{Question: "1", Model: "m1", Text: "One says."}, {Question: "1", Model: "m2", Text: "Two says."},
			{Question: "2", Model: "m1", Text: "One more."}, {Question: "2", Model: "m2", Text: `Two "more".`},
			{Question: "3", Model: "n1", Text: "Third."},
		},
		Seeds: []study.Seed{{Question: "1", Text: "Dogs need room."}},
	}
	wantSet.Index()
	if !reflect.DeepEqual(s.Questions, wantSet) {
		t.Errorf("question set\n got %+v\nwant %+v", s.Questions, wantSet)
	}
	if !reflect.DeepEqual(s.Files, folder()) {
		t.Error("the files are not kept byte for byte")
	}
}

func TestEveryKeyOfAStudyIsRead(t *testing.T) {
	f := folder()
	f["study.yaml"] = []byte(`title: Views on parks
slug: parks
language: pt-BR
second_round: true
models: {send: [free_responses, ratings]}
recruitment:
  minutes: 25
  reservation_minutes: 50
  resubmission: true
  prolific:
    parameters: {participant: who, study: what, submission: which}
    codes: {completed: A, no_consent: B, screened_out: C, failed_checks: D, over_quota: E}
    signed_links: false
flow:
  - survey: {instrument: us-demographics, items_per_page: 1}
  - overton:
      questions: questions.csv
      responses: responses.csv
      questions_per_participant: 1
      participants_per_question: 7
      responses_per_question: 1
      votes_per_question: 0
      moderation: before
      stance: false
      importance: false
      min_words: 5
`)
	s, err := ReadStudy(f)
	if err != nil {
		t.Fatal(err)
	}
	want := study.Overton{QuestionsPerParticipant: 1, ParticipantsPerQuestion: 7, ResponsesPerQuestion: 1, Moderation: study.ModerationBefore, MinWords: 5}
	if got := s.Overton(); *got != want {
		t.Errorf("overton\n got %+v\nwant %+v", *got, want)
	}
	if s.Survey("us-demographics").PerPage != 1 || s.Language != "pt-BR" || !s.SecondRound || !reflect.DeepEqual(s.Sent, []study.Sent{study.SendFreeResponses, study.SendRatings}) {
		t.Errorf("got %+v", s.Definition)
	}
	r := s.Recruitment
	if r.Minutes != 25 || r.ReservationMinutes != 50 || !r.Resubmission || len(r.Codes) != 5 || r.Parameters != (study.ParameterNames{Participant: "who", Study: "what", Submission: "which"}) {
		t.Errorf("got %+v", r)
	}
	if _, kept := s.Files["consent.md"]; kept {
		t.Error("a file that the study does not name is kept")
	}
}

func TestHashKnowsEveryByte(t *testing.T) {
	one, err := ReadStudy(folder())
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadStudy(one.Files)
	if err != nil {
		t.Fatal(err)
	}
	if one.Hash != again.Hash || len(one.Hash) != 64 {
		t.Errorf("hash %q, then %q", one.Hash, again.Hash)
	}
	other, err := ReadStudy(with("consent.md", "stop", "leave"))
	if err != nil {
		t.Fatal(err)
	}
	if one.Hash == other.Hash {
		t.Error("another consent, the same hash")
	}
	crlf, err := ReadStudy(with("questions.csv", "\n1,", "\r\n1,"))
	if err != nil {
		t.Fatal(err)
	}
	if crlf.Hash == one.Hash {
		t.Error("other bytes, the same hash")
	}
	if crlf.Questions.Hash() != one.Questions.Hash() {
		t.Error("line ends change the question set")
	}
}

func TestTablesAreReadHoweverTheyAreWritten(t *testing.T) {
	plain, err := ReadStudy(folder())
	if err != nil {
		t.Fatal(err)
	}
	questions := string(folder()["questions.csv"])
	for name, written := range map[string]string{
		"byte-order mark":   "\ufeff" + questions,
		"CR LF":             strings.ReplaceAll(questions, "\n", "\r\n"),
		"no last line end":  strings.TrimSuffix(questions, "\n"),
		"blank lines":       strings.ReplaceAll(questions, "\n3,", "\n\n,,,,,\n3,"),
		"everything quoted": strings.ReplaceAll(questions, "3,b,Night opening?,,,y", `"3","b","Night opening?","","","y"`),
	} {
		s, err := ReadStudy(with("questions.csv", "", written))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if s.Questions.Hash() != plain.Questions.Hash() {
			t.Errorf("%s: another question set", name)
		}
	}
}

func TestFaultsSayWhereAndWhatWasExpected(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files Files
		want  string
	}{
		{"no study.yaml", Files{}, `study.yaml: is not in the study's folder`},
		{"not YAML", with("study.yaml", "slug: parks", "slug: [parks"), `study.yaml:3: is not YAML: ',' or ']' must be specified`},
		{"a tab", with("study.yaml", "  minutes", "\tminutes"), `study.yaml:5: has a tab at the beginning; expected spaces`},
		{"a key twice", with("study.yaml", "slug: parks", "title: Parks"), `study.yaml:2: is not YAML: mapping key "title" already defined at [1:1]`},
		{"a list", with("study.yaml", "", "- title: x\n"), `study.yaml: is not one mapping; expected lines such as “title: …”`},
		{"empty", with("study.yaml", "", ""), `study.yaml: is not one mapping; expected lines such as “title: …”`},
		{"nested without end", with("study.yaml", "", "title: "+strings.Repeat("[{a: ", 600)), `study.yaml: has 1200 opening brackets; expected at most 1000`},
		{"lists in lists without end", with("study.yaml", "", "title:\n"+strings.Repeat("- ", 20000)), `study.yaml:2: has 20000 dashes; expected at most 100 in a line`},
		{"far too long", with("study.yaml", "", strings.Repeat("# nothing\n", 7000)), `study.yaml: has 70000 bytes; expected at most 65536`},
		{"wrong keys", with("study.yaml", "      questions_per_participant: 2", "      question_per_participant: 2\n      shuffle: true"),
			`study.yaml:15: flow[2].overton.question_per_participant is not a key of a study; did you mean "questions_per_participant"?
study.yaml:16: flow[2].overton.shuffle is not a key of a study; expected one of questions_per_participant, participants_per_question, votes_per_question, moderation, stance, importance, min_words, responses_per_question, questions, responses, seeds`},
		{"wrong kinds of value", with("study.yaml", "  minutes: 10", "  minutes: ten\n  resubmission: maybe\n  reservation_minutes: [1]"),
			`study.yaml:5: recruitment.minutes "ten" is not understood; expected a whole number
study.yaml:6: recruitment.resubmission "maybe" is not understood; expected true or false
study.yaml:7: recruitment.reservation_minutes "[1]" is not understood; expected a whole number`},
		{"a fault of the definition", with("study.yaml", "questions_per_participant: 2", "questions_per_participant: 9\n      moderation: later\n      votes_per_question: -1"),
			`study.yaml:15: flow[2].overton.questions_per_participant is 9, but the question set has 3
study.yaml:16: flow[2].overton.moderation is "later"; expected before, after or off
study.yaml:17: flow[2].overton.votes_per_question is -1; expected 0 or more`},
		{"what is missing", with("study.yaml", "    codes: {completed: 0011, no_consent: NOPE}\n", ""),
			`study.yaml:6: recruitment.prolific.codes.completed is missing; expected the completion code from the recruiter`},
		{"a quota for nobody", with("study.yaml", "{Democrat: 400", "{Democrats: 400"),
			`study.yaml:20: quotas[0].targets.Democrats is not an option of POLPARTY; expected one of Republican, Democrat, Independent, Other, Prefer not to say`},
		{"more responses than there are", with("study.yaml", "questions_per_participant: 2", "responses_per_question: 2"),
			`study.yaml:15: flow[2].overton.responses_per_question is 2, but question "3" has 1 responses; expected all, or 1 or fewer`},
		{"signed links", with("study.yaml", "    codes:", "    signed_links: perhaps\n    codes:"),
			`study.yaml:7: recruitment.prolific.signed_links "perhaps" is not understood; expected true or false`},
		{"what cannot be sent to models", with("study.yaml", "slug: parks", "slug: parks\nmodels: {send: [names, ratings, {a: b}]}"),
			`study.yaml:3: models.send[2] "{a: b}" is not understood; expected a text
study.yaml:3: models.send[0] "names" cannot be sent to models; expected free_responses, demographics or ratings`},
		{"no list of what is sent", with("study.yaml", "slug: parks", "slug: parks\nmodels: {send: true}"), `study.yaml:3: models.send "true" is not understood; expected a list such as [a, b]`},
		{"another instrument", with("study.yaml", "  - feedback", "  - survey: {instrument: pobs.json}\n  - feedback"),
			`study.yaml:16: flow[3].survey.instrument "pobs.json" is not in the study's folder`},
		{"another block", with("study.yaml", "feedback:", "quiz:"), `study.yaml:16: flow[3].quiz is not a block; expected one of consent, survey, overton, feedback`},
		{"a file that is not there", with("study.yaml", "file: consent.md", "file: agree.md"), `study.yaml:9: flow[0].consent.file "agree.md" is not in the study's folder`},
		{"a file elsewhere", with("study.yaml", "seeds: seeds.csv", "seeds: ../seeds.csv"),
			`study.yaml:14: flow[2].overton.seeds "../seeds.csv" is outside the study's folder; expected the name of a file in it`},
		{"one name for two parameters", with("study.yaml", "    codes:", "    parameters: {study: SESSION_ID}\n    codes:"),
			`study.yaml:7: recruitment.prolific.parameters.submission "SESSION_ID" is used for two parameters; expected three different names`},

		{"ids missing and doubled", with("questions.csv", "3,b,", "1,b,"),
			`questions.csv:5: question_id "1" is used again; it is already on line 2
responses.csv:6: question_id "3" is not a question of questions.csv`},
		{"an empty id and an empty question", with("questions.csv", "2,a,\"Cars,\nin parks?\"", ",a,\"  \n\""),
			`questions.csv:3: question_id is empty; expected a different id for every question
questions.csv:3: question "  \n" is empty; expected the question that people are asked
responses.csv:4: question_id "2" is not a question of questions.csv
responses.csv:5: question_id "2" is not a question of questions.csv`},
		{"blanks around an id", with("responses.csv", "3,n1", "3 ,n1"), `responses.csv:6: question_id "3 " has spaces around it; expected "3"`},
		{"one endpoint without the other", with("questions.csv", "Yes,No", "Yes,"), `questions.csv:2: option_2 is empty, but option_1 is not; expected both endpoints or neither`},
		{"the same endpoint twice", with("questions.csv", "Yes,No", "Yes,Yes"), `questions.csv:2: option_2 "Yes" is the same as option_1; expected two opposed endpoints`},
		{"a model missing", with("responses.csv", "2,m2,\"Two \"\"more\"\".\"\n", ""), `questions.csv:3: question_id "2" has no response by m2 in responses.csv; other questions of source "a" have one`},
		{"a response twice", with("responses.csv", "2,m2", "2,m1"),
			`questions.csv:3: question_id "2" has no response by m2 in responses.csv; other questions of source "a" have one
responses.csv:5: model "m1" responds to question "2" again; its response is on line 4`},
		{"no response at all", with("responses.csv", "3,n1,Third.\n", ""), `questions.csv:5: question_id "3" has no response in responses.csv`},
		{"an empty response", with("responses.csv", "Third.", " "), `responses.csv:6: llm_response " " is empty; expected the model's response`},
		{"wrong column names", with("responses.csv", "question_id,model,llm_response", "Question ID,models,response"),
			`responses.csv:1: Question ID is not a known column; did you mean "question_id"?
responses.csv:1: models is not a known column; did you mean "model"?
responses.csv:1: response is not a known column; did you mean "llm_response"?`},
		{"an optional column misnamed", with("questions.csv", "option_1,option_2", "Option 1,option2"),
			`questions.csv:1: Option 1 is not a known column; did you mean "option_1"?
questions.csv:1: option2 is not a known column; did you mean "option_2"?`},
		{"a column missing", with("seeds.csv", "question_id,statement", "question_id,words"), `seeds.csv:1: statement is missing; the columns are question_id, words`},
		{"a column twice", with("questions.csv", "option_2,note", "option_2,source"), `questions.csv:1: source is the name of columns 2 and 6; expected each name once`},
		{"a column without a name", with("questions.csv", "option_2,note", "option_2,"), `questions.csv:1: has no name for column 6; expected one in the header`},
		{"ragged rows", with("responses.csv", "One says.", "One says, and more"),
			`responses.csv:2: has 4 cells; expected 3 as in the header (question_id, model, llm_response); a text with commas or line breaks needs quotes around it`},
		{"a line after a cell with a line break", with("questions.csv", "in parks?\",,", "in parks?\",Both,"),
			`questions.csv:4: option_2 is empty, but option_1 is not; expected both endpoints or neither`},
		{"not UTF-8", with("responses.csv", "Third.", "Caf\xe9 third."),
			`responses.csv:6: is not UTF-8 at its byte 9 (0xE9, after "3,n1,Caf"); expected UTF-8 (in a spreadsheet program, save as “CSV UTF-8”)`},
		{"UTF-16", with("responses.csv", "", "\xff\xfeq\x00"), `responses.csv: is encoded as UTF-16; expected UTF-8 (in a spreadsheet program, save as “CSV UTF-8”)`},
		{"a workbook", with("responses.csv", "", "PK\x03\x04\x14\x00"), `responses.csv: is a spreadsheet workbook or a zip archive; expected a text file, so save it as “CSV UTF-8”`},
		{"semicolons", with("seeds.csv", "", "question_id;statement\n1;Dogs\n"), `seeds.csv:1: is separated by semicolons; expected commas (in a spreadsheet program, choose the comma when saving as CSV)`},
		{"tabs", with("seeds.csv", "", "question_id\tstatement\n1\tDogs\n"), `seeds.csv:1: is separated by tabs; expected commas (in a spreadsheet program, choose the comma when saving as CSV)`},
		{"CR alone", with("seeds.csv", "", "question_id,statement\r1,Dogs\r"), `seeds.csv: ends its lines with CR alone; expected LF or CR LF, so save it with Unix or Windows line endings`},
		{"a quote in the wrong place", with("responses.csv", "One says.", `One "says".`),
			`responses.csv:2: has a quote inside a cell that does not start with one; expected the whole cell in quotes, and the inner quote doubled ("")`},
		{"a quote left open", with("responses.csv", "One more.", `"One more.`),
			`responses.csv:4: starts a row with a quoted cell that is not closed well; expected a quote at its end, and quotes inside it doubled ("")`},
		{"an empty table", with("seeds.csv", "", ""), `seeds.csv: is empty; expected a header and rows`},
		{"a header alone", with("seeds.csv", "", "question_id,statement\n"), `seeds.csv: has a header but no rows`},
		{"a NUL", with("seeds.csv", "Dogs", "D\x00gs"), `seeds.csv:2: contains a NUL character; expected text`},
		{"an unknown question", with("seeds.csv", "1,", "7,"), `seeds.csv:2: question_id "7" is not a question of questions.csv`},
		{"a seed twice", with("seeds.csv", "1,Dogs need room.\n", "1,Dogs.\n1,Dogs.\n"), `seeds.csv:3: statement "Dogs." is the same as on line 2`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := ReadStudy(tt.files)
			var faults Faults
			if !errors.As(err, &faults) {
				t.Fatalf("got %v, want Faults", err)
			}
			if s != nil {
				t.Error("a faulty study came through in part")
			}
			if err.Error() != tt.want {
				t.Errorf("got\n%s\nwant\n%s", err, tt.want)
			}
		})
	}
}

func TestAModelNamedWronglyOnceIsToldOnce(t *testing.T) {
	var questions, responses strings.Builder
	questions.WriteString("question_id,question\n")
	responses.WriteString("question_id,model,llm_response\n")
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		questions.WriteString(id + ",What?\n")
		model := "gpt-4.1"
		if id == "4" {
			model = "gpt4.1"
		}
		responses.WriteString(id + ",claude,Well.\n" + id + "," + model + ",So.\n")
	}
	f := folder()
	f["questions.csv"], f["responses.csv"] = []byte(questions.String()), []byte(responses.String())
	_, err := ReadStudy(f)
	want := `questions.csv:5: question_id "4" has no response by gpt-4.1 in responses.csv; other questions have one
responses.csv:9: model "gpt4.1" responds to 1 of the 5 questions; expected all of them, or did you mean "gpt-4.1"?`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestTwentyFaultsAreToldAndTheRestCounted(t *testing.T) {
	rows := "question_id,statement\n" + strings.Repeat("9,\n", 15)
	_, err := ReadStudy(with("seeds.csv", "", rows))
	var faults Faults
	if !errors.As(err, &faults) || len(faults) != 30 {
		t.Fatalf("%d faults, want 30", len(faults))
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || lines[20] != "and 10 more" {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
}

// shared is the folder with conformance data.
func shared(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("OVERTON_SHARED")
	if dir == "" {
		dir = "../../../shared"
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
		t.Skip("no conformance data: set OVERTON_SHARED")
	}
	return dir
}

func TestTheRealQuestionSetIsReadWhole(t *testing.T) {
	dir := filepath.Join(shared(t), "data", "overton")
	f := folder()
	delete(f, "seeds.csv")
	f["study.yaml"] = []byte(strings.Replace(string(f["study.yaml"]), "      seeds: seeds.csv\n", "", 1))
	for _, name := range []string{"questions.csv", "responses.csv"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		f[name] = content
	}
	s, err := ReadStudy(f)
	if err != nil {
		t.Fatal(err)
	}
	endpoints := 0
	for _, q := range s.Questions.Questions {
		if q.HasEndpoints() {
			endpoints++
		}
	}
	if q, r := len(s.Questions.Questions), len(s.Questions.Responses); q != 48 || r != 348 || endpoints != 30 {
		t.Errorf("%d questions, %d responses, %d with endpoints; want 48, 348, 30", q, r, endpoints)
	}
}

func FuzzReadQuestionSet(f *testing.F) {
	for _, seed := range []string{"question_id,question\n1,\"a\nb\"\n", "\ufeffquestion_id;question\r\n", "a,b\n\"", "question,question\n", "\"\"\"\n\xff\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var faults Faults
		set, count := readQuestionSet(file{"questions.csv", data}, file{"responses.csv", data}, file{"seeds.csv", data}, &faults)
		lines := strings.Count(string(data), "\n") + 1
		for _, fault := range faults {
			if fault.Message == "" || fault.Line < 0 || fault.Line > lines {
				t.Errorf("fault %+v of a file with %d lines", fault, lines)
			}
		}
		if len(faults) == 0 && count != len(set.Questions) {
			t.Errorf("%d questions counted, %d read", count, len(set.Questions))
		}
	})
}

func FuzzReadStudy(f *testing.F) {
	f.Add(folder()["study.yaml"])
	for _, seed := range []string{"title: x\nflow: [consent, {survey: 1}]\n", "a: &a [*a]\n", "? {a: b}\n: |-\n  c\n", "<<: {title: x}\n", "checks: [{instructed: {after: -1}}]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadStudy(with("study.yaml", "", string(data)))
		var faults Faults
		if (s == nil) == (err == nil) || err != nil && !errors.As(err, &faults) {
			t.Errorf("got %v, %v", s, err)
		}
	})
}
