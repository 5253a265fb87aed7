package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overton/internal/dataset/studyfile"
)

func TestStudyFromNewToClosed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	db := filepath.Join(t.TempDir(), "o.db")
	changed := filepath.Join(t.TempDir(), "changed")
	if err := studyfile.WriteExample(changed); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(changed, "consent.md"), []byte("Another text."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args []string
		code int
		want string // a pattern of standard output, or of standard error after a failure
	}{
		{[]string{"new", dir}, 0, `study\.yaml in it explains every key`},
		{[]string{"new", dir}, 1, `is not empty`},
		{[]string{"check", dir}, 0, `(?s)questions +3, 2 with two endpoints\nmodels +2\nresponses +6\nseeds +9\nplaces +36 people: 3 questions × 24 people ÷ 2 questions a person\npages +at most \d+ a person`},
		{[]string{"list", "--db", db}, 1, `there is no database`},
		{[]string{"launch", dir, "--db", db, "--new-version"}, 1, `no study was launched as "example", so this cannot be its next version`},
		{[]string{"launch", dir, "--db", db}, 0, `/s/example\?PROLIFIC_PID=\{\{%PROLIFIC_PID%\}\}&STUDY_ID=\{\{%STUDY_ID%\}\}&SESSION_ID=\{\{%SESSION_ID%\}\}`},
		{[]string{"launch", dir, "--db", db}, 1, `launched already`},
		{[]string{"launch", dir, "--db", db, "--new-version"}, 1, `launched already`},
		{[]string{"list", "--db", db}, 0, `example +1 +running +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ +[0-9a-f]{12} +Small questions of daily life`},
		{[]string{"resume", "example", "--db", db}, 1, `it is running and cannot become running`},
		{[]string{"pause", "example", "--db", db}, 0, `example is paused`},
		{[]string{"resume", "example", "--db", db}, 0, `example is running`},
		{[]string{"close", "example", "--db", db}, 0, `example is closed`},
		{[]string{"resume", "example", "--db", db}, 1, `it is closed`},
		{[]string{"pause", "other", "--db", db}, 1, `not found`},
		{[]string{"launch", changed, "--db", db}, 1, `give this one a slug of its own, or make it the next version`},
		{[]string{"launch", changed, "--db", db, "--new-version"}, 0, `example, version 2`},
		{[]string{"list", "--db", db}, 0, `(?s)example +2 +running.*example +1 +closed`},
		{[]string{"pause", "example@2", "--db", db}, 0, `example@2 is paused`},
		{[]string{"check"}, 2, `accepts 1 arg`},
		{[]string{"lunch", dir}, 2, `did you mean "launch"`},
		{[]string{"check", dir + "x"}, 1, `no such file`},
	} {
		code, out, errs := overtonCmd(append([]string{"study"}, step.args...)...)
		told := out
		if step.code != 0 {
			told = errs
		}
		if code != step.code || !regexp.MustCompile(step.want).MatchString(told) {
			t.Errorf("study %v: status %d\n%s%s\nwant %d, %s", step.args, code, out, errs, step.code, step.want)
		}
	}
}

func TestAFaultyStudyIsNotLaunched(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	if code, _, errs := overtonCmd("study", "new", dir); code != 0 {
		t.Fatal(errs)
	}
	seeds := filepath.Join(dir, "seeds.csv")
	if err := os.WriteFile(seeds, []byte("question_id,statement\n9,Why not?\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(t.TempDir(), "o.db")
	code, _, errs := overtonCmd("study", "launch", dir, "--db", db)
	if code != 1 || !strings.Contains(errs, "faults found: 1\nseeds.csv:2: question_id \"9\" is no question of questions.csv") {
		t.Errorf("status %d, %s", code, errs)
	}
	if _, err := os.Stat(db); !os.IsNotExist(err) {
		t.Errorf("a database was made: %v", err)
	}
}
