package main

import (
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
	path := writeFile(t, "r.csv", fewRatings)
	code, out, errs := overtonCmd("score", "overton", path, "--group", "view", "--by", "topic", "--json", "-")
	if code != 0 {
		t.Fatal(errs)
	}
	var got struct {
		Program program
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
	code, out, errs := overtonCmd("score", "overton", writeFile(t, "r.csv", fewRatings), "--group", "view")
	if code != 0 {
		t.Fatal(errs)
	}
	for _, want := range []string{"6 ratings of 2 participants on 2 questions", "left out: 1 ratings without a group", "0.750"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestScoreOvertonExitStatus(t *testing.T) {
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
	} {
		code, _, errs := overtonCmd(c.args...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: status %d, %s; want %d, %s", c.args, code, errs, c.code, c.want)
		}
	}
}
