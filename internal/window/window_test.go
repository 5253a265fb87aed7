package window

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"overton/internal/cluster"
	"overton/internal/dataset"
	"overton/internal/store"
	"overton/internal/store/storetest"
	"overton/internal/study"
)

// folder is a small study: two questions, two models, everyone answers both.
var folder = fstest.MapFS{
	"study.yaml": {Data: []byte(`title: Two questions
slug: two
recruitment:
  prolific:
    codes: {completed: DONE}
  minutes: 10
flow:
  - consent: {file: consent.md}
  - overton:
      questions: questions.csv
      responses: responses.csv
      questions_per_participant: 2
      participants_per_question: 60
      votes_per_question: 15
`)},
	"consent.md":    {Data: []byte("Please agree.")},
	"questions.csv": {Data: []byte("question_id,source,topic,question,option_1,option_2\n7,ours,tea,Is tea better than coffee?,yes,no\n8,ours,cats,Are cats better than dogs?,,\n")},
	"responses.csv": {Data: []byte("question_id,model,llm_response\n7,alder,Tea.\n7,beech,Coffee.\n8,alder,Cats.\n8,beech,Dogs.\n")},
}

// filled is a store with the study walked by n people of two camps; camp 0
// likes alder, camp 1 beech. Tests that ask for the same get copies of one walk.
func filled(t *testing.T, n int, virtual bool) (*store.Store, store.Study, *dataset.Study, map[string]int) {
	t.Helper()
	st, err := dataset.ReadStudy(folder)
	if err != nil {
		t.Fatal(err)
	}
	walks.Lock()
	defer walks.Unlock()
	key := fmt.Sprint(n, virtual)
	w, done := walks.by[key]
	if !done {
		w = walk(t, st, n, virtual)
		walks.by[key] = w
	}
	path := filepath.Join(t.TempDir(), "overton.db")
	if err := os.WriteFile(path, w.file, 0o600); err != nil {
		t.Fatal(err)
	}
	return storetest.Reopen(t, path), w.row, st, maps.Clone(w.camps)
}

// walked is a study that people went through.
type walked struct {
	file  []byte // the database
	row   store.Study
	camps map[string]int // by pseudonym
}

var walks = struct {
	sync.Mutex
	by map[string]walked
}{by: map[string]walked{}}

func walk(t *testing.T, st *dataset.Study, n int, virtual bool) walked {
	t.Helper()
	ctx := context.Background()
	path := storetest.New(t)
	db := storetest.Reopen(t, path)
	row, err := db.SaveStudy(ctx, store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Launch(ctx, st.Slug, nil, 0); err != nil {
		t.Fatal(err)
	}
	camps := map[string]int{} // by pseudonym
	wrote := map[string]int{} // camp by free response
	for i := range n {
		id := fmt.Sprint("person", i)
		if virtual {
			id = fmt.Sprint("virtual-", i)
		}
		token, err := db.Start(ctx, &st.Study, row.ID, store.Arrival{Participant: id, Submission: "v" + id})
		if err != nil {
			t.Fatal(err)
		}
		camp := 0 // three of five people
		if i%5 > 2 {
			camp = 1
		}
		pos, err := db.Position(ctx, &st.Study, token)
		for err == nil && pos.Step.Kind != study.StepEnd {
			step := pos.Step
			var problems []study.Problem
			pos, problems, err = db.Submit(ctx, &st.Study, token, step.Path, func(name string) string {
				switch name {
				case "consent", "read":
					return "yes"
				case "stance":
					return "neutral"
				case "view":
					text := fmt.Sprintf("view of %s on %s", id, pos.Progress.Slots[step.Slot].Question)
					wrote[text] = camp
					return text
				case "vote":
					switch author := wrote[pos.Texts[step.Fields[0].Key.Subject]]; {
					case i%7 == 0 && step.Number%5 == 0:
						return study.Neutral
					case author == camp:
						return study.Agree
					}
					return study.Disagree
				case "rating":
					if (step.Fields[0].Key.Subject == "alder") == (camp == 0) {
						return "5"
					}
					return "2"
				}
				return "3" // how important the question is
			}, store.Timing{Shown: time.Now()})
			if problems != nil {
				t.Fatalf("%s: %v", step.Path, problems)
			}
			camps[pos.Pseudonym] = camp
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return walked{file, row, camps}
}

func analyse(t *testing.T, db *store.Store, row store.Study, st *dataset.Study, o Options) *Result {
	t.Helper()
	data, err := Collect(context.Background(), db, row, st, o.People, o.Questions)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Analyse(context.Background(), st, data, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func quick() Options {
	o := DefaultOptions()
	o.Score.Bootstrap, o.Regroupings = 50, 5
	return o
}

func TestPlantedCampsAreFoundAndScored(t *testing.T) {
	t.Parallel()
	db, row, st, camps := filled(t, 50, false)
	r := analyse(t, db, row, st, quick())
	if r.People.Complete != 50 || r.People.Virtual {
		t.Errorf("people %+v", r.People)
	}
	for _, q := range r.Questions {
		var found, planted []int
		for _, p := range q.Result.Participants {
			found, planted = append(found, p.Group), append(planted, camps[p.ID])
		}
		// The first few came before there was anything to vote on.
		if ari := cluster.AdjustedRand(found, planted); ari < 0.8 || len(found) < 40 || len(found)+len(q.LeftOut) != 50 {
			t.Errorf("question %s: %d grouped, %d left out, adjusted Rand index %.2f", q.Question, len(found), len(q.LeftOut), ari)
		}
	}
	if r.Score == nil || len(r.Score.Models) != 2 {
		t.Fatalf("score %+v", r.Score)
	}
	for _, m := range r.Score.Models {
		if m.Raw != 0.5 {
			t.Errorf("%s covers %g of the groups, want one of two", m.Model, m.Raw)
		}
		if m.Intervals.Participants == nil {
			t.Errorf("%s has no interval from resampling people", m.Model)
		}
	}
	if best := r.Score.Reference.BestAcross; best != 1 {
		t.Errorf("both models together cover %g", best)
	}
}

func TestAnAnalysisGivesTheSameBytesAgain(t *testing.T) {
	t.Parallel()
	db, row, st, _ := filled(t, 30, false)
	var first []byte
	for range 2 {
		text, err := json.Marshal(analyse(t, db, row, st, quick()))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = text
		} else if !bytes.Equal(first, text) {
			t.Error("two analyses of the same data differ")
		}
	}
}

func TestARecordedResultReadsBack(t *testing.T) {
	t.Parallel()
	db, row, st, _ := filled(t, 20, true)
	r := analyse(t, db, row, st, quick())
	if !r.People.Virtual {
		t.Error("where only virtual participants finished, they are taken, and it is said")
	}
	if err := Record(context.Background(), db, row, r); err != nil {
		t.Fatal(err)
	}
	back, _, err := Latest(context.Background(), db, row)
	if err != nil {
		t.Fatal(err)
	}
	if err := Export(context.Background(), db, row, st, func(e *dataset.Export) error {
		if e.Analysis == nil || e.Analysis.Method != "block" || e.Analysis.Input != r.Input.SHA256 {
			t.Errorf("an export names the analysis %+v", e.Analysis)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(r)
	got, _ := json.Marshal(back)
	if !bytes.Equal(want, got) {
		t.Errorf("recorded\n%s\nread\n%s", want, got)
	}
}

func TestJSONHasTheFieldsThatOthersCallByName(t *testing.T) {
	t.Parallel()
	db, row, st, _ := filled(t, 30, false)
	text, err := json.Marshal(analyse(t, db, row, st, quick()))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Questions []map[string]json.RawMessage
		Score     map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"question", "program", "input", "parameters", "k", "silhouette", "participants", "left_out", "groups", "statements"} {
		if got.Questions[0][name] == nil {
			t.Errorf("a question has no %q", name)
		}
	}
	for _, name := range []string{"models", "reference", "questions", "left_out", "parameters"} {
		if got.Score[name] == nil {
			t.Errorf("the score has no %q", name)
		}
	}
}

func TestWithoutAnybodyThereIsNoScoreAndNoError(t *testing.T) {
	t.Parallel()
	db, row, st, _ := filled(t, 0, false)
	if r := analyse(t, db, row, st, quick()); r.Score != nil || len(r.Questions) != 2 {
		t.Errorf("score %v, %s questions", r.Score, strconv.Itoa(len(r.Questions)))
	}
}

func TestGroupsWithoutRatingsHaveNoScore(t *testing.T) {
	t.Parallel()
	db, row, st, _ := filled(t, 30, false)
	data, err := Collect(context.Background(), db, row, st, Auto, nil)
	if err != nil {
		t.Fatal(err)
	}
	data.Ratings.Rows = nil // as of an imported conversation
	r, err := Analyse(context.Background(), st, data, quick(), nil)
	if err != nil || r.Score != nil || r.Questions[0].K < 2 {
		t.Errorf("score %v with %d groups, %v", r.Score, r.Questions[0].K, err)
	}
}
