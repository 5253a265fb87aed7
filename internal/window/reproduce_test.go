package window

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overton/internal/dataset/export"
	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/internal/study"
)

func bundleOf(t *testing.T, db *store.Store, row store.Study, st *studyfile.Study) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := WriteBundle(t.Context(), db, row, st, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// edited packs a bundle anew with one of its files changed; an edit that gives
// nil takes the file out.
func edited(t *testing.T, bundle []byte, name string, edit func([]byte) []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(bundle), int64(len(bundle)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	found := false
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, "/"+name) {
			found = true
			if content = edit(content); content == nil {
				continue
			}
		}
		to, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		to.Write(content)
	}
	if err := w.Close(); err != nil || !found {
		t.Fatalf("%s was not found, or %v", name, err)
	}
	return out.Bytes()
}

func reproduced(t *testing.T, bundle []byte) *Reproduction {
	t.Helper()
	b, err := export.ReadBundle("bundle.zip", bytes.NewReader(bundle), int64(len(bundle)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Reproduce(t.Context(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// otherVote turns the first vote of agreement on a question into its opposite.
func otherVote(question string) func([]byte) []byte {
	return func(content []byte) []byte {
		lines := strings.SplitAfter(string(content), "\n")
		for i, line := range lines {
			if strings.Contains(line, `"question_id":"`+question+`"`) && strings.Contains(line, `"vote":"agree"`) {
				lines[i] = strings.Replace(line, `"vote":"agree"`, `"vote":"disagree"`, 1)
				break
			}
		}
		return []byte(strings.Join(lines, ""))
	}
}

func TestABundleReproducesItsResults(t *testing.T) {
	db, row, st, _ := filled(t, 24, false)
	all := analyse(t, db, row, st, quick())
	one := quick()
	one.Questions, one.Cluster.Method = []string{"8"}, "paper"
	for _, r := range []*Result{all, analyse(t, db, row, st, one)} {
		if err := Record(t.Context(), db, row, r); err != nil {
			t.Fatal(err)
		}
	}
	stale := *all
	stale.Input.SHA256 = "of fewer people"
	if err := Record(t.Context(), db, row, &stale); err != nil {
		t.Fatal(err)
	}
	bundle := bundleOf(t, db, row, st)
	if again := bundleOf(t, db, row, st); !bytes.Equal(bundle, again) {
		t.Error("the same data give other bytes")
	}
	r := reproduced(t, bundle)
	if !r.Same || len(r.Runs) != 2 || !r.Runs[0].Same || !r.Runs[0].SameInput || r.Runs[0].Different != 0 || len(r.Changed) != 0 {
		t.Errorf("%+v", r)
	}
	if len(r.LeftOut) != 1 || !strings.Contains(r.LeftOut[0].Reason, "other data") {
		t.Errorf("left out: %+v", r.LeftOut)
	}

	// One vote is changed: the results of its question differ, and only those
	// that took it.
	r = reproduced(t, edited(t, bundle, "data/votes.jsonl", otherVote("7")))
	if r.Same || r.Runs[0].Same || r.Runs[0].SameInput || r.Runs[0].Different == 0 || len(r.Runs[0].Differences) == 0 || strings.Join(r.Runs[0].Questions, " ") != "7" {
		t.Errorf("after one vote: %+v", r.Runs[0])
	}
	if d := r.Runs[0].Differences[0]; d.Question != "7" || d.Where == "" || d.Recorded == d.Computed {
		t.Errorf("the first difference is %+v", d)
	}
	if !r.Runs[1].Same {
		t.Errorf("the analysis of the other question differs: %+v", r.Runs[1])
	}
	if changed := strings.Join(r.Changed, "\n"); !strings.Contains(changed, "data/votes.jsonl was changed") || !strings.Contains(changed, `says "disagree" where answers.jsonl says "agree"`) {
		t.Errorf("what was changed: %s", changed)
	}

	// The same vote, changed in the long form.
	r = reproduced(t, edited(t, bundle, "data/answers.jsonl", func(content []byte) []byte {
		at := regexp.MustCompile(`"kind":"vote","scope":"7","subject":"[0-9]+","value":"agree"`).FindIndex(content)
		vote := bytes.Replace(content[at[0]:at[1]], []byte("agree"), []byte("disagree"), 1)
		return slices.Concat(content[:at[0]], vote, content[at[1]:])
	}))
	if r.Runs[0].Same {
		t.Error("a vote that was changed in answers is not noticed")
	}

	// A result is changed.
	r = reproduced(t, edited(t, bundle, "runs/1-window.json", func(content []byte) []byte {
		return bytes.Replace(content, []byte(`"k": 2`), []byte(`"k": 3`), 1)
	}))
	if r.Same || r.Runs[0].Different != 1 || !r.Runs[0].SameInput || !strings.HasSuffix(r.Runs[0].Differences[0].Where, ".k") || r.Runs[0].Differences[0].Recorded != "3" || r.Runs[0].Differences[0].Computed != "2" {
		t.Errorf("a changed result: %+v", r.Runs[0])
	}
	if r := reproduced(t, edited(t, bundle, "README.md", func([]byte) []byte { return nil })); r.Same || !r.Runs[0].Same || !strings.Contains(strings.Join(r.Changed, ""), "README.md is missing") {
		t.Errorf("a missing file: %+v", r.Changed)
	}
}

func TestABundleHoldsNothingThatIsNotForEverybody(t *testing.T) {
	db, row, st, _ := filled(t, 8, false)
	statements, err := db.Statements(t.Context(), row.ID)
	if err != nil {
		t.Fatal(err)
	}
	rejected := statements[2]
	if _, _, err := db.Moderate(t.Context(), row.ID, []string{rejected.ID}, store.Decision{}, 0); err != nil {
		t.Fatal(err)
	}
	bundle := bundleOf(t, db, row, st)
	z, err := zip.NewReader(bytes.NewReader(bundle), int64(len(bundle)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{`"` + rejected.Text + `"`, "DONE", "vperson1"} {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s holds %s", f.Name, secret)
			}
		}
	}
	b, err := export.ReadBundle("b", bytes.NewReader(bundle), int64(len(bundle)))
	if err != nil {
		t.Fatal(err)
	}
	if b.Study.Hash != st.Hash || b.Study.Questions.Hash() != st.Questions.Hash() {
		t.Error("the study is another one")
	}
	// What is read back is what the store has.
	at := 0
	if err := db.Records(t.Context(), row.ID, func(want study.Record) error {
		got := b.Records[at]
		at++
		want.Live = false
		for i := range want.Answers {
			if want.Answers[i].Value == rejected.Text {
				want.Answers[i].Value = ""
			}
		}
		one, _ := json.Marshal(got)
		two, _ := json.Marshal(want)
		if !bytes.Equal(one, two) {
			t.Errorf("read back\n%s\nwant\n%s", one, two)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNoBundleIsRefused(t *testing.T) {
	db, row, st, _ := filled(t, 4, false)
	bundle := bundleOf(t, db, row, st)
	for want, content := range map[string][]byte{
		"not a whole .zip": bundle[:len(bundle)/2],
		"no manifest.json": edited(t, bundle, "manifest.json", func([]byte) []byte { return nil }),
		"data/votes.jsonl: line 3": edited(t, bundle, "data/votes.jsonl", func(content []byte) []byte {
			lines := bytes.SplitAfter(content, []byte("\n"))
			lines[2] = []byte("{\n")
			return bytes.Join(lines, nil)
		}),
		"has no submission 9": edited(t, bundle, "data/assignments.jsonl", func(content []byte) []byte {
			return bytes.Replace(content, []byte(`"submission":1`), []byte(`"submission":9`), 1)
		}),
		"larger than 64 MB": edited(t, bundle, "study/consent.md", func([]byte) []byte { return make([]byte, 65<<20) }),
	} {
		if _, err := export.ReadBundle("b.zip", bytes.NewReader(content), int64(len(content))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
