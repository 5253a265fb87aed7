package main

import (
	"overton/internal/window"

	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overton/internal/score"
)

// overtonCmd runs the command line and returns status and both outputs.
func overtonCmd(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

const fewRatings = `user,question_id,topic,model,representation_rating,view
a,1,tax,m1,5,x
a,1,tax,m2,2,x
b,1,tax,m1,3,y
b,1,tax,m2,4,y
a,2,war,m1,4,x
a,2,war,m2,4,x
c,2,war,m1,1,
`

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestScoreOvertonWritesJSON(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "r.csv", fewRatings)
	code, out, errs := overtonCmd("score", "overton", path, "--group", "view", "--by", "topic", "--json", "-")
	if code != 0 {
		t.Fatal(errs)
	}
	var got struct {
		Program window.Program
		Input   input
		score.Overton
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if got.Program.Name != "overton" || len(got.Input.SHA256) != 64 || got.Input.File != "r.csv" {
		t.Errorf("program %+v, input %+v", got.Program, got.Input)
	}
	if got.Models[0].Raw != 0.75 || got.Models[1].Raw != 0.75 {
		t.Errorf("raw %v and %v, want 0.75 for both", got.Models[0].Raw, got.Models[1].Raw)
	}
	if got.LeftOut.RatingsWithoutGroup != 1 || len(got.Subsets) != 2 {
		t.Errorf("left out %+v, %d subsets", got.LeftOut, len(got.Subsets))
	}
	again, _, _ := overtonCmd("score", "overton", path, "--group", "view", "--by", "topic", "--json", filepath.Join(t.TempDir(), "o.json"))
	if again != 0 {
		t.Error("writing to a file failed")
	}
}

func TestScoreOvertonPrintsATable(t *testing.T) {
	t.Parallel()
	code, out, errs := overtonCmd("score", "overton", writeFile(t, "r.csv", fewRatings), "--group", "view")
	if code != 0 {
		t.Fatal(errs)
	}
	for _, want := range []string{"6 ratings of 2 participants on 2 questions", "left out: 1 rating without a group", "0.750"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestScoreOvertonExitStatus(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "r.csv", fewRatings)
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{2, []string{"score", "overton"}, "accepts 1 arg"},
		{2, []string{"score", "overtone", path}, `unknown command "overtone"`},
		{1, []string{"score", "overton", path}, "cluster_kmeans is missing"},
		{1, []string{"score", "overton", path, "--group", "view", "--missing", "ignore"}, `not "ignore"`},
		{1, []string{"score", "overton", path, "--group", "view", "--by", "colour"}, `no attribute "colour"`},
		{1, []string{"score", "overton", path + "x"}, "no such file"},
		{1, []string{"score", "overton", writeFile(t, "r.csv", "user,question_id,model,representation_rating,cluster_kmeans\nann,1,m,5,\n")},
			`column "cluster_kmeans" is empty in all 1 rows, so nobody is in a viewpoint group; analyse the study before you export it, or choose another column with --group`},
	} {
		code, _, errs := overtonCmd(c.args...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: status %d, %s; want %d, %s", c.args, code, errs, c.code, c.want)
		}
	}
}

func TestScoreOvertonWithEverything(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "r.csv", fewTexts)
	margins := writeFile(t, "m.csv", "variable,value,share\nSex,F,30\nSex,M,60\nSex,X,10\n")
	outside := writeFile(t, "o.csv", "model,score\nm1,0.1\nm2,0.2\nm4,1\n")
	votes := writeFile(t, "v.csv", "question_id,user,statement_id,vote\n1,a,s1,agree\n1,b,s1,disagree\n1,a,s2,1\n1,b,s2,pass\n1,a,s3,skip\n1,b,s3,\n")
	args := []string{"score", "overton", path, "--subgroup", "Sex", "--min-cell", "1", "--margins", margins, "--outside", outside, "--votes", votes, "--bootstrap", "20"}
	code, out, errs := overtonCmd(append(args, "--json", "-")...)
	if code != 0 {
		t.Fatal(errs)
	}
	var got overtonResult
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Subgroups) != 2 || got.Subgroups[0].Models[0].Mean != 5 {
		t.Errorf("subgroups %+v", got.Subgroups)
	}
	if got.Raked == nil || len(got.Raked.Raking.Warnings) != 1 || got.Raked.Models[0].Weighted >= got.Models[0].Weighted {
		t.Errorf("raked %+v", got.Raked)
	}
	if got.Outside == nil || got.Outside.ByScore["raw"].N != 2 || got.Outside.WithoutScore[0] != "m4" {
		t.Errorf("outside %+v", got.Outside)
	}
	if !got.Regrouped || got.Models[0].Intervals.Participants == nil || len(got.Inputs) != 3 {
		t.Errorf("regrouped %v, inputs %v", got.Regrouped, got.Inputs)
	}
	again, out2, _ := overtonCmd(append(args, "--json", "-")...)
	if again != 0 || out2 != out {
		t.Error("the same command gives another result")
	}
	if code, out, errs = overtonCmd(args...); code != 0 || !strings.Contains(out, "Sex = F, 1 participant\n") || !strings.Contains(out, "outside score and adjusted score, 2 models") {
		t.Errorf("%d %s %s", code, errs, out)
	}
}

func TestScoreOvertonRefusesFaultyHelpers(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "r.csv", fewTexts)
	for _, c := range []struct{ flag, content, want string }{
		{"--margins", "variable,value,share\nSex,F,-1\n", `x.csv:2: share "-1" is not a share`},
		{"--margins", "variable,value,share\nSex,F,1\nSex,F,1\n", "already has a share of Sex"},
		{"--margins", "variable,value,share\nAge,18-29,1\n", `no attribute "Age"`},
		{"--outside", "model,score\nm1,high\n", `x.csv:2: score "high" is not a number`},
		{"--outside", "model,score\nm1,1\nm1,1\n", "already has a score"},
		{"--votes", "question_id,user,statement_id,vote\n1,a,s1,maybe\n", `x.csv:2: vote "maybe" is not a vote`},
		{"--votes", "question_id,user,statement_id,vote\n2,a,s1,agree\n", "no votes on question 1"},
	} {
		code, _, errs := overtonCmd("score", "overton", path, c.flag, writeFile(t, "x.csv", c.content))
		if code != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: status %d, %s; want %s", c.flag, code, errs, c.want)
		}
	}
}

func TestRoundedZeroHasNoSign(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{-0.0004: "0.000", 0: "0.000", -0.0006: "-0.001", 1.2: "1.200"} {
		if got := decimals(score.Number(v)); got != want {
			t.Errorf("%g is written %s, want %s", v, got, want)
		}
	}
}

func TestDifferencesThatRoundToZeroHaveNoMinus(t *testing.T) {
	t.Parallel()
	for n, want := range map[score.Number]string{-1e-17: "+0.000", -0.0006: "-0.001", 0.25: "+0.250"} {
		if got := signed(n); got != want {
			t.Errorf("%v is written %s, want %s", float64(n), got, want)
		}
	}
}

func TestRatingsAreWrittenAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "r.csv", "user,question_id,model,representation_rating,cluster_kmeans\na,1,m,0x1p2,g\n")
	if code, _, errs := overtonCmd("score", "overton", path); code != 1 || !strings.Contains(errs, `representation_rating "0x1p2" is not a rating`) {
		t.Errorf("status %d, %s", code, errs)
	}
}

func TestWrongFlagsAreSaidBeforeAnyWork(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"score", "overton", "no such file", "--min-cell", "-1"},
		{"report", "no such file", "--out", t.TempDir(), "--min-cell", "0"},
		{"score", "judge", "--ratings", "no such file", "--predictions", "none either", "--figure", "x.pdf"},
	} {
		if code, _, errs := overtonCmd(args...); code != 2 || !strings.Contains(errs, "expected") {
			t.Errorf("%v: status %d, %s", args, code, errs)
		}
	}
}
