package main

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReportOfARatingsFile(t *testing.T) {
	t.Parallel()
	ratings := writeFile(t, "r.csv", fewTexts)
	outside := writeFile(t, "o.csv", "model,score\nm1,0.1\nm2,0.2\nm3,0.5\n")
	margins := writeFile(t, "m.csv", "variable,value,share\nSex,F,1\nSex,M,2\n")
	pages := make([][]byte, 2)
	for i := range pages {
		dir := filepath.Join(t.TempDir(), "deep", "report")
		code, out, errs := overtonCmd("report", ratings, "--out", dir, "--bootstrap", "20", "--by", "Sex", "--subgroup", "Sex", "--min-cell", "1",
			"--outside", outside, "--outside-name", "<Slant>", "--margins", margins)
		if code != 0 {
			t.Fatal(errs)
		}
		if !strings.Contains(out, "report.html") {
			t.Errorf("said %q", out)
		}
		var err error
		if pages[i], err = os.ReadFile(filepath.Join(dir, "report.html")); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"result.json", "figures/leaderboard.svg", "figures/leaderboard.png", "figures/outside.svg", "figures/question-1-ratings.png"} {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if !bytes.Equal(pages[0], pages[1]) {
		t.Error("the same report has other bytes the second time")
	}
	page := string(pages[0])
	for _, want := range []string{"6 ratings by 2 participants", "Compared with &lt;Slant&gt;", "Weighted to the population", "Who feels represented", "Parts of the questions", "Left out"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"NaN", "http://", "https://", "<script", "<no value>"} {
		if strings.Contains(strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, ""), never) {
			t.Errorf("the page holds %q", never)
		}
	}
	figures := strings.Split(page, "<svg")
	for _, f := range figures[1:] {
		svg, _, _ := strings.Cut(f, "</svg>")
		if err := xml.Unmarshal([]byte("<svg"+svg+"</svg>"), new(struct{})); err != nil {
			t.Errorf("a figure is not well formed: %v", err)
		}
	}
}

func TestReportNeedsOneSourceAndAFolder(t *testing.T) {
	t.Parallel()
	ratings := writeFile(t, "r.csv", fewTexts)
	for _, args := range [][]string{
		{"report", ratings},
		{"report", "--out", t.TempDir()},
		{"report", ratings, "--study", "s", "--out", t.TempDir()},
	} {
		if code, _, errs := overtonCmd(args...); code != 2 {
			t.Errorf("%v: status %d, %s", args, code, errs)
		}
	}
	if code, _, errs := overtonCmd("report", "--db", filepath.Join(t.TempDir(), "no.db"), "--study", "s", "--out", t.TempDir()); code != 1 || !strings.Contains(errs, "no database") {
		t.Errorf("status %d, %s", code, errs)
	}
}

func TestReportOfAStudyOfSurveysAlone(t *testing.T) {
	t.Parallel()
	survey, _ := pobsFolder(t)
	db := surveyDatabase(t, survey)
	model := writeFile(t, "model.csv", "model,question,option,probability\n<m>,1,A,1\n<m>,1,C,3\n<m>,2,A,1\n")
	dir := t.TempDir()
	code, _, errs := overtonCmd("report", "--db", db, "--study", "drinks", "--survey-model", "survey.json="+model, "--bootstrap", "20", "--out", dir)
	if code != 0 {
		t.Fatal(errs)
	}
	content, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(content)
	for _, want := range []string{"Surveys that 10 participants finished", "Made up 1?", "People and models", "&lt;m&gt;", "80 %", "refused, of all answers", "10 answers", "Wilson"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"NaN", "<no value>", "Leaderboard", "<m>"} {
		if strings.Contains(page, never) {
			t.Errorf("the page holds %q", never)
		}
	}
	for _, name := range []string{"result.json", "figures/survey-survey.json-neutrality.svg", "figures/survey-survey.json-item-1.png", "figures/survey-survey.json-item-1.csv"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if code, _, errs := overtonCmd("report", "--db", db, "--study", "drinks", "--survey-model", "other.csv="+model, "--out", dir); code != 2 || !strings.Contains(errs, "INSTRUMENT=FILE") {
		t.Errorf("another instrument: status %d, %s", code, errs)
	}
}
