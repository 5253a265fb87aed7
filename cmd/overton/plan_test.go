package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"overton/internal/dataset/studyfile"
	"overton/internal/study"
)

func TestPlanOfAFolderAndOfNumbers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	if err := studyfile.WriteExample(dir); err != nil {
		t.Fatal(err)
	}
	plan := func(args ...string) study.Plan {
		t.Helper()
		code, out, errs := overtonCmd(append([]string{"plan", "--json", "-"}, args...)...)
		var p study.Plan
		if err := json.Unmarshal([]byte(out), &p); code != 0 || err != nil {
			t.Fatalf("%v: status %d, %v, %s", args, code, err, errs)
		}
		return p
	}
	if p := plan(dir); p.Participants != 36 || p.Design.SurveyItems != 12 || p.Design.Seeds != 3 {
		t.Errorf("the example: %+v", p)
	}
	if p := plan(dir, "--participants-per-question", "60", "--votes", "0"); p.Participants != 90 || p.Votes != 0 || p.Design.Responses != 2 {
		t.Errorf("the example with other numbers: %+v", p)
	}
	if p := plan("--margin", "0.1", "--pay", "9"); p.Design.ParticipantsPerQuestion != 97 || p.Terms.HourlyPay != 9 || p.Design.Consents != 1 {
		t.Errorf("numbers alone: %+v", p)
	}
	if code, out, _ := overtonCmd("plan", dir); code != 0 || !strings.Contains(out, "people        36 finish: 3 questions × 24 people ÷ 2 questions a person") {
		t.Errorf("status %d\n%s", code, out)
	}
	for _, args := range [][]string{{"--votes", "-1"}, {"--margin", "2"}, {"--fee", "NaN"}, {"--returned", "1"}, {dir, dir}} {
		if code, _, errs := overtonCmd(append([]string{"plan"}, args...)...); code != 2 {
			t.Errorf("%v: status %d, %s", args, code, errs)
		}
	}
	if code, _, _ := overtonCmd("plan", dir+"x"); code != 1 {
		t.Error("a folder that is not there is accepted")
	}
}
