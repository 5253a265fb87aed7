package studyfile

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"overton/internal/study"
)

// texts that a writer of YAML may trip over.
var nasty = []string{
	"plain", "two words", "ends with: colon:", "a: b", "# no comment", "tail # remark", "- dash", "no", "Yes", "null", "~", "0011", "1e5", "1_000", "0x1F", "12:30",
	`quote " and \ backslash`, "it's", "'single'", "{brace}", "[list]", "*star", "&and", "!tag", "|", ">", "%", "@at", "`tick`", "?", ", comma", "trailing blank ", " leading",
	"line\nbreak", "tab\tinside", "äöü – “quoted”", "日本語", "🙂 emoji", "\u2028 separator", "\u200f right to left", "NaN", ".inf", "<b>&amp;</b>", "=1+1", "2026-11-30", "true", "off",
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// anySetup makes a setup that is in order, for the files of folder.
func anySetup(t *testing.T, rng *rand.Rand) (*Setup, Files) {
	t.Helper()
	files := folder()
	files["views.csv"] = []byte("item,text,label,topics\nA,One?,yes,t1\n,,no,\nB,Two?,yes,t2\n,,no,\nC,Three?,yes,t2\n,,no,\n")
	s := read(t, files).Setup()
	s.Title, s.Contact = pick(rng, nasty), pick(rng, nasty)
	if strings.TrimSpace(s.Title) == "" || rng.IntN(9) == 0 {
		s.Title = "A title"
	}
	if rng.IntN(3) == 0 {
		s.Contact = ""
	}
	s.Slug = pick(rng, []string{"a", "no", "0", "null", "123", "true", "parks-2", "1e5", "0x1f"})
	s.Language = pick(rng, []string{"en", "no", "pt-BR", "es-419", "on"}) // no is Norwegian
	coin := func() bool { return rng.IntN(2) == 1 }
	s.SecondRound = coin()
	s.Sent = nil
	for _, kind := range study.SentKinds {
		if coin() {
			s.Sent = append(s.Sent, kind)
		}
	}
	r := &s.Recruitment
	r.Minutes, r.ReservationMinutes, r.Resubmission, r.SignedLinks = 1+rng.IntN(90), 1+rng.IntN(90), coin(), coin()
	r.Parameters = study.ParameterNames{Participant: pick(rng, []string{"PROLIFIC_PID", "no", "007"}), Study: pick(rng, []string{"STUDY_ID", "1e3", "-"}), Submission: pick(rng, []string{"SESSION_ID", "null", "s.1"})}
	r.Codes = map[study.Outcome]string{}
	for i, o := range []study.Outcome{study.Completed, study.NoConsent, study.ScreenedOut, study.FailedChecks, study.OverQuota} {
		if o == study.Completed || coin() {
			r.Codes[o] = fmt.Sprint(i) + pick(rng, nasty)
		}
	}
	rename := func(into *string, name string) {
		old := *into
		*into = name
		files[name] = files[old]
	}
	rename(&s.Consent, pick(rng, []string{"consent.md", "no", "texts/my consent: v2.md", "#1.md", "ä b.md"}))
	rename(&s.Questions, pick(rng, []string{"questions.csv", "007", "q: 1.csv"}))
	rename(&s.Seeds, pick(rng, []string{"seeds.csv", "true", "{s}.csv"}))
	if coin() {
		s.Seeds = ""
	}
	for i, b := range s.Flow {
		switch {
		case b.Survey != nil:
			b.Survey.PerPage, b.Survey.ReverseHalf, b.Survey.Repeat = 1+rng.IntN(9), coin(), rng.IntN(3)
			if coin() {
				b.Survey.Sample = 3 + rng.IntN(3)
			}
			b.Survey.ScreenOut = nil
			if coin() && b.Survey.Instrument == "us-demographics" && s.Recruitment.Codes[study.ScreenedOut] != "" {
				b.Survey.ScreenOut = []study.Condition{{Instrument: "us-demographics", Item: "CITIZEN", Values: []string{"No"}}, {Instrument: "us-demographics", Item: "INCOME", Values: []string{"Less than $30,000", "$100,000 or more"}}}
			}
			if coin() {
				s.Titles[b.Survey.Instrument] = "x" + pick(rng, nasty)
			}
		case b.Overton != nil:
			*b.Overton = study.Overton{
				QuestionsPerParticipant: 2 + rng.IntN(2), ParticipantsPerQuestion: 1 + rng.IntN(99), ResponsesPerQuestion: rng.IntN(2), VotesPerQuestion: rng.IntN(20),
				Moderation: pick(rng, []study.Moderation{study.ModerationBefore, study.ModerationAfter, study.ModerationOff}), Stance: coin(), Importance: coin(), MinWords: 1 + rng.IntN(9),
			}
			if coin() {
				s.Responses, b.Overton.ResponsesPerQuestion = "none", 0
			}
		case b.Feedback != nil && coin():
			s.Flow[i] = study.Block{Survey: &study.Survey{Instrument: "views.csv", PerPage: rng.IntN(2), Topics: rng.IntN(3)}}
		}
	}
	s.Checks = nil
	for range rng.IntN(3) {
		s.Checks = append(s.Checks, study.Check{After: 1 + rng.IntN(2), Text: "x" + pick(rng, nasty), Answer: fmt.Sprint(1 + rng.IntN(5))})
	}
	s.Quotas = nil
	if coin() {
		s.Quotas = []study.Quota{{Variable: "INCOME", Targets: map[string]int{"Less than $30,000": rng.IntN(50), "$100,000 or more": rng.IntN(50)}}, {Variable: "CITIZEN", Targets: map[string]int{"Yes": 3, "No": 0}}}
	}
	return s, files
}

func TestASetupIsReadAsItWasWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		want, files := anySetup(t, rng)
		yaml := want.YAML()
		files[FileName] = yaml
		st, err := Read(files)
		if err != nil {
			t.Fatalf("%v\nin\n%s", err, yaml)
		}
		got := st.Setup()
		for i, b := range want.Flow { // items come from the files
			if b.Survey != nil {
				b.Survey.Items = got.Flow[i].Survey.Items
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("read\n%+v\nwant\n%+v\nfrom\n%s", got, want, yaml)
		}
		if again := got.YAML(); !bytes.Equal(again, yaml) {
			t.Fatalf("written again it is\n%s\nwas\n%s", again, yaml)
		}
		if st.OwnRemarks() {
			t.Fatalf("it takes its own remarks for somebody's:\n%s", yaml)
		}
		as := st.WithSlug("other")
		if other, err := Read(as); err != nil || other.Slug != "other" || other.Title != st.Title {
			t.Fatalf("under another slug: %v\n%s", err, as[FileName])
		}
	}
}

func TestChangingASetupLeavesItsStudyAlone(t *testing.T) {
	st := read(t, folder())
	want := string(st.Setup().YAML())
	s := st.Setup()
	s.Recruitment.Codes[study.Completed] = "X"
	s.Flow[1].Survey.PerPage = 9
	s.Flow[2].Overton.MinWords = 9
	s.Flow[0], s.Flow[3] = s.Flow[3], s.Flow[0]
	s.Checks[0].Text = "X"
	s.Quotas[0].Targets["Democrat"] = 1
	s.Titles["us-demographics"] = "X"
	if got := string(st.Setup().YAML()); got != want {
		t.Errorf("it became\n%s", got)
	}
}

func TestRemarksOfOnesOwnAreNoticed(t *testing.T) {
	example, err := Read(Example())
	if err != nil {
		t.Fatal(err)
	}
	if !example.OwnRemarks() {
		t.Error("those of the example are not")
	}
	if read(t, folder()).OwnRemarks() {
		t.Error("there are none, and one is seen")
	}
	example.Files = maps.Clone(example.Files)
	example.Files[FileName] = example.Setup().YAML()
	if again := read(t, example.Files); again.OwnRemarks() {
		t.Error("what was written anew has one")
	}
}

func TestAnotherSlugChangesOneLine(t *testing.T) {
	example, err := Read(Example())
	if err != nil {
		t.Fatal(err)
	}
	files := example.WithSlug("mine")
	before, err := fs.ReadFile(Example(), FileName)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(files[FileName]), strings.Replace(string(before), "\nslug: example", "\nslug: mine", 1); got != want {
		t.Errorf("study.yaml became\n%s", got)
	}
	there := read(t, files)
	if back := read(t, there.WithSlug("example")); back.Hash != example.Hash {
		t.Error("there and back the study is another")
	}
}
