package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const fewTexts = `user,question_id,model,representation_rating,cluster_kmeans,llm_response,freeresponse,Sex
a,1,m1,5,x,roads need taxes,more roads,F
a,1,m2,2,x,cats sleep,more roads,F
a,1,m3,4,x,roads need money,more roads,F
b,1,m1,3,y,roads need taxes,no taxes,M
b,1,m2,4,y,cats sleep,no taxes,M
b,1,m3,1,y,roads need money,no taxes,M
`

const fewPredictions = `user,question_id,model,gpt_fr_avg
a,1,m1,5
a,1,m2,1.5
a,1,m3,4
b,1,m1,3
b,1,m2,4
`

func TestScoreJudge(t *testing.T) {
	t.Parallel()
	ratings, predictions := writeFile(t, "r.csv", fewTexts), writeFile(t, "p.csv", fewPredictions)
	args := []string{"score", "judge", "--ratings", ratings, "--predictions", predictions, "--column", "gpt_fr_avg", "--by", "Sex", "--bootstrap", "50"}
	code, out, errs := overtonCmd(append(args, "--json", "-")...)
	if code != 0 {
		t.Fatal(errs)
	}
	var got judgeResult
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Judge.Judge.N != 5 || got.Judge.Judge.Dropped != 1 || got.Judge.Judge.MAE != 0.1 {
		t.Errorf("agreement %+v", got.Judge.Judge.Agreement)
	}
	if len(got.Similarity) != 3 || len(got.Subgroups) != 2 || got.LeaveOneModelOut == nil {
		t.Errorf("%d readings of the similarity, %d subgroups, left out %v", len(got.Similarity), len(got.Subgroups), got.LeaveOneModelOut)
	}
	for name, begins := range map[string]string{"judge.svg": "<svg", "judge.png": "\x89PNG"} {
		drawn := filepath.Join(t.TempDir(), name)
		if code, _, errs := overtonCmd(append(args, "--figure", drawn)...); code != 0 {
			t.Fatal(errs)
		}
		if content, err := os.ReadFile(drawn); err != nil || !strings.HasPrefix(string(content), begins) {
			t.Errorf("%s begins %.20q, %v", name, content, err)
		}
	}
	code, out, errs = overtonCmd(append(args, "--calibrate", "isotonic", "--folds", "2", "--json", "-")...)
	got = judgeResult{}
	if err := json.Unmarshal([]byte(out), &got); code != 0 || err != nil {
		t.Fatal(errs, err)
	}
	// On the question everyone's rating is calibrated by the other one's.
	if c := got.Calibrated; c == nil || c.Method != "isotonic" || len(c.Curves) != 1 || c.Curves[0].Ratings != 5 || c.Result.Judge.N != 5 || got.Judge.Judge.MAE != 0.1 {
		t.Errorf("calibrated %+v", got.Calibrated)
	}
	if _, out, _ = overtonCmd(append(args, "--calibrate", "ordinal", "--folds", "2")...); !strings.Contains(out, "judge, ordinal") || !strings.Contains(out, "replaced by the judge's, calibrated") {
		t.Errorf("the table lacks the calibrated judge:\n%s", out)
	}
	if code, _, errs := overtonCmd(append(args, "--calibrate", "magic")...); code != 1 || !strings.Contains(errs, `"magic"; expected isotonic or ordinal`) {
		t.Errorf("another method ends with %d: %s", code, errs)
	}
	if code, _, _ := overtonCmd(append(args, "--figure", "judge.gif")...); code != 2 {
		t.Errorf("an unknown format ends with %d, want 2", code)
	}
	code, out, errs = overtonCmd(args...)
	if code != 0 {
		t.Fatal(errs)
	}
	for _, want := range []string{"5 ratings with a prediction, 1 without", "mean of the others", "similarity, linear", "Sex"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestScoreJudgeRefusesStrangePredictions(t *testing.T) {
	t.Parallel()
	ratings := writeFile(t, "r.csv", fewTexts)
	for want, content := range map[string]string{
		`p.csv:2: model "m9" has no human rating`: "user,question_id,model,representation_rating\na,1,m9,3\n",
		`p.csv:3: model "m1" is predicted again`:  "user,question_id,model,representation_rating\na,1,m1,3\na,1,m1,3\n",
		"has no predictions":                      "user,question_id,model,representation_rating\n",
	} {
		code, _, errs := overtonCmd("score", "judge", "--ratings", ratings, "--predictions", writeFile(t, "p.csv", content))
		if code != 1 || !strings.Contains(errs, want) {
			t.Errorf("status %d, %s; want %s", code, errs, want)
		}
	}
	if code, _, errs := overtonCmd("score", "judge", "--ratings", ratings); code != 2 {
		t.Errorf("status %d without predictions: %s", code, errs)
	}
}
