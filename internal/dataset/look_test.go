package dataset

import (
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, f Files) *Study {
	t.Helper()
	s, err := ReadStudy(f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPlacesFillEveryQuestion(t *testing.T) {
	for _, tt := range []struct {
		settings string
		want     int
	}{
		{"questions_per_participant: 2", 90},
		{"questions_per_participant: 2\n      participants_per_question: 1", 2},
		{"questions_per_participant: 3\n      participants_per_question: 7", 7},
	} {
		s := read(t, with("study.yaml", "questions_per_participant: 2", tt.settings))
		if got := s.Places(); got != tt.want {
			t.Errorf("%s: %d places, want %d", tt.settings, got, tt.want)
		}
	}
}

func TestPagesCountEveryStep(t *testing.T) {
	// consent, 3 of survey, instructions, 2 × (view, 2 responses, 15 votes),
	// feedback, a check, the end
	if got := read(t, folder()).Pages(); got != 1+3+1+2*18+1+1+1 {
		t.Errorf("%d pages", got)
	}
	s := read(t, with("study.yaml", "questions_per_participant: 2", "votes_per_question: 0\n      responses_per_question: 1\n      questions_per_participant: 1"))
	if got := s.Pages(); got != 1+3+1+2+1+1+1 {
		t.Errorf("%d pages", got)
	}
}

func TestDoubtsAreWhatLooksWrong(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files Files
		want  string
	}{
		{"no consent", with("study.yaml", "  - consent: {file: consent.md}\n", ""), "nobody is asked for consent: the flow has no consent block"},
		{"no word on data", folder(), "the consent text has no privacy note: it does not say what happens to people's data"},
		{"a wrong estimate", with("study.yaml", "minutes: 10", "minutes: 90"), "people are told that the study takes 90 minutes, but its pages are likely to take about 20"},
		{"a quota without bounds", folder(), `the quota on POLPARTY admits 400 people who are "Democrat", but there are only 90 places`},
		{"no contact", with("study.yaml", "contact: parks@example.org\n", ""), "no contact is given, so people who cannot continue do not know whom to write to"},
		{"no code", folder(), "there is no code failed_checks, so people who fail the checks return without a code"},
		{"a short reservation", with("study.yaml", "minutes: 10", "minutes: 50"),
			"a place is released 40 minutes after the last answer, which is less than the 50 minutes that the study is estimated to take"},
		{"a narrow quota", with("study.yaml", "{variable: POLPARTY, targets: {Democrat: 400, Republican: 300}}", "{variable: SEX, targets: {Male: 10, Female: 10, Prefer not to say: 1}}"),
			"the quota on SEX admits 21 people, but filling every question takes 90"},
		{"a check that fails nobody", folder(), "nobody can fail the checks: a study of 10 minutes needs 2 failed checks, but has 1"},
		{"too few votes for groups", with("study.yaml", "questions_per_participant: 2", "votes_per_question: 5"),
			"5 votes are asked for on each question, but by default an analysis leaves out people with fewer than 7"},
		{"questions without seeds", folder(), "without a seed, the first participants have nothing to vote on: question 2, 3"},
		{"too few to vote on", with("study.yaml", "questions_per_participant: 2", "participants_per_question: 10"),
			"15 votes are asked for on each question, but even the last person finds only 9 statements"},
		{"the same question", with("questions.csv", "Night opening?", "Dogs in parks?"), "questions 1 and 3 are the same"},
		{"the same response", with("responses.csv", "Two says.", "One says."), "the responses of m1 and m2 to question 1 are the same"},
		{"a wrong encoding", with("responses.csv", "Third.", "The parkâ€™s third."), `the response of n1 to question 3 was garbled by a wrong encoding: "The parkâ€™s third."`},
		{"a model that says its name", Files{
			"study.yaml": folder()["study.yaml"], "consent.md": folder()["consent.md"], "seeds.csv": folder()["seeds.csv"], "questions.csv": folder()["questions.csv"],
			"responses.csv": []byte(strings.ReplaceAll(strings.Replace(string(folder()["responses.csv"]), "Third.", `"As Claude, I cannot say."`, 1), "n1", "claude-3")),
		}, `the response of claude-3 to question 3 says "claude", which may reveal which model wrote it`},
	} {
		st := read(t, tt.files)
		got := st.Doubts()
		for _, gap := range st.Gaps() {
			got = append(got, gap.Text)
		}
		if !slices.Contains(got, tt.want) {
			t.Errorf("%s: %q is not among\n%s", tt.name, tt.want, strings.Join(got, "\n"))
		}
	}
}

func TestAStudyInOrderRaisesNoDoubt(t *testing.T) {
	f := folder()
	f["study.yaml"] = []byte(strings.Replace(string(f["study.yaml"]), "no_consent: NOPE", "no_consent: NOPE, failed_checks: F, over_quota: Q", 1))
	f["study.yaml"] = []byte(strings.Replace(string(f["study.yaml"]), "checks:\n", "checks:\n  - instructed: {after: 2, text: Please choose 4 here., answer: 4}\n", 1))
	f["study.yaml"] = []byte(strings.NewReplacer("minutes: 10", "minutes: 20", "400", "40", "300", "30").Replace(string(f["study.yaml"])))
	f["seeds.csv"] = []byte("question_id,statement\n1,One.\n2,Two.\n3,Three.\n")
	f["consent.md"] = []byte("We keep your answers under a random number.")
	if got := read(t, f).Doubts(); len(got) > 0 {
		t.Errorf("doubts:\n%s", strings.Join(got, "\n"))
	}
	if got := read(t, f).Gaps(); len(got) > 0 {
		t.Errorf("gaps: %q", got)
	}
}

func TestTheExamplesOwnTextsAreGaps(t *testing.T) {
	s, err := ReadStudy(Example())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, gap := range s.Gaps() {
		names = append(names, gap.Name)
	}
	if got := strings.Join(names, " "); got != "consent contact codes" {
		t.Errorf("gaps: %s", got)
	}
	if got := s.Doubts(); len(got) > 0 {
		t.Errorf("doubts: %q", got)
	}
}
