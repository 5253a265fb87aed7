package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"overton/internal/llm/llmtest"
	"overton/internal/study"
)

// pilotRow is a rating of the pilot with what the test plants: a group, and the
// answers of a judge with a known error.
type pilotRow struct {
	user, question, model, group string
	human                        float64
	answers                      [2]string
	judge                        float64 // mean of the answers that can be read; NaN
}

// chance draws a whole number below n, always the same for the same names.
func chance(n uint64, names ...string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(names, "\x00")))
	return (h.Sum64() >> 17) % n
}

// pilot reads the pilot's ratings. The judge gives the rating with an error of
// -1, 0 or 1 each time, and now and then something that is not a rating.
func pilot(t *testing.T) (rows []pilotRow) {
	for _, cells := range readRows(t, sharedFolder(t, "data", "overton", "pilot_ratings.csv")) {
		r := pilotRow{user: cells["user"], question: cells["question_id"], model: cells["model"]}
		r.human, _ = strconv.ParseFloat(cells["representation_rating"], 64)
		r.group = fmt.Sprint("g", chance(2, "group", r.user, r.question))
		sum, n := 0.0, 0.0
		for sample := range r.answers {
			id := fmt.Sprint(sample)
			v := min(5, max(1, r.human+float64(chance(3, "error", r.user, r.question, r.model, id))-1))
			r.answers[sample] = fmt.Sprint(v)
			if chance(25, "odd", r.user, r.question, r.model, id) == 0 {
				r.answers[sample] = "hard to say"
				continue
			}
			sum += v
			n++
		}
		r.judge = sum / n
		if n == 0 {
			r.judge = math.NaN()
		}
		rows = append(rows, r)
	}
	return rows
}

func TestASimulatedJudgeOnThePilotIsMeasuredAsByHand(t *testing.T) {
	t.Parallel()
	rows := pilot(t)
	// A badge is all that the judge is told about a participant, so the endpoint
	// knows by it, the question and the response whose rating it is to predict.
	texts := map[[2]string]string{}
	for _, cells := range readRows(t, sharedFolder(t, "data", "overton", "responses.csv")) {
		texts[[2]string{cells["question_id"], cells["model"]}] = cells["llm_response"]
	}
	var table strings.Builder
	table.WriteString("user,question_id,model,representation_rating,cluster_kmeans,Badge\n")
	answers := map[[3]string][2]string{}
	for _, r := range rows {
		badge := "badge " + r.user
		fmt.Fprintf(&table, "%s,%s,%s,%g,%s,%s\n", r.user, r.question, r.model, r.human, r.group, badge)
		key := [3]string{jsonText(t, badge), jsonText(t, texts[[2]string{r.question, r.model}]), r.question}
		answers[key] = r.answers
	}
	questions := map[string]string{}
	for _, cells := range readRows(t, sharedFolder(t, "data", "overton", "questions.csv")) {
		questions[jsonText(t, cells["question"])] = cells["question_id"]
	}
	after := func(text, label string) string {
		_, rest, ok := strings.Cut(text, label)
		if !ok {
			t.Errorf("the prompt lacks %q", label)
		}
		line, _, _ := strings.Cut(rest, "\n")
		return line
	}
	s := llmtest.New(llmtest.Flaky(func(r llmtest.Request, _ int) llmtest.Reply {
		text := r.Messages[1].Content
		reply, ok := answers[[3]string{after(text, "Badge: "), after(text, "rating for: "), questions[after(text, "The question: ")]}]
		if !ok {
			t.Errorf("asked for a rating that nobody gave:\n%s", text)
		}
		return llmtest.Reply{Text: reply[*r.Seed-1]}
	}))
	defer s.Close()
	dir := filepath.Join(t.TempDir(), "run")
	ratings := writeFile(t, "ratings.csv", table.String())
	models := writeFile(t, "models.yaml", fmt.Sprintf("models:\n- {name: judge, base_url: %s, idle_timeout: 200ms, limits: {concurrency: 16}, retries: {attempts: 9, first_wait: 1ms, max_wait: 5ms}}\n", s.BaseURL()))
	args := []string{"llm", "judge", "--ratings", ratings, "--models", models, "--out", dir, "--strategy", "demog", "--demographics", "Badge", "--samples", "2", "--bootstrap", "0",
		"--questions", sharedFolder(t, "data", "overton", "questions.csv"), "--responses", sharedFolder(t, "data", "overton", "responses.csv")}
	if code, _, errs := overtonCmd(args...); code != 1 || !strings.Contains(errs, "--consented") || s.Requests() != 0 {
		t.Fatalf("without a word on consent it ends with %d after %d requests: %s", code, s.Requests(), errs)
	}
	code, out, errs := overtonCmd(append(args, "--consented")...)
	if code != 0 {
		t.Fatal(errs, out)
	}
	code, out, errs = overtonCmd("score", "judge", "--ratings", ratings, "--predictions", filepath.Join(dir, "predictions.csv"), "--by", "Badge", "--bootstrap", "0", "--json", "-")
	if code != 0 {
		t.Fatal(errs)
	}
	var got judgeResult
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	byHand(t, rows, got)
}

func jsonText(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// byHand computes what "score judge" tells, each figure from its definition and
// the plain rows.
func byHand(t *testing.T, rows []pilotRow, got judgeResult) {
	t.Helper()
	check := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) < 1e-9) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s is %v; by hand %v", what, got, want)
		}
	}
	var human, judge, absolute []float64
	var counts [5][5]int
	seats := map[[2]string][]int{}
	errorsBy := map[string]map[string][]float64{"Badge": {}, "model": {}}
	for i, r := range rows {
		key := [2]string{r.user, r.question}
		seats[key] = append(seats[key], i)
		if math.IsNaN(r.judge) {
			continue
		}
		human, judge = append(human, r.human), append(judge, r.judge)
		e := math.Abs(r.judge - r.human)
		absolute = append(absolute, e)
		counts[int(r.human)-1][int(math.Round(r.judge))-1]++
		errorsBy["Badge"][r.user] = append(errorsBy["Badge"][r.user], e)
		errorsBy["model"][r.model] = append(errorsBy["model"][r.model], e)
	}
	n := float64(len(human))
	squares, bias, humanHigh, judgeHigh := 0.0, 0.0, 0.0, 0.0
	for i := range human {
		d := judge[i] - human[i]
		squares, bias = squares+d*d, bias+d
		if human[i] >= 4 {
			humanHigh++
		}
		if judge[i] >= 4 {
			judgeHigh++
		}
	}
	a := got.Judge.Judge
	check("n", float64(a.N), n)
	check("dropped", float64(a.Dropped), float64(len(rows))-n)
	check("MAE", float64(a.MAE), average(absolute))
	check("RMSE", float64(a.RMSE), math.Sqrt(squares/n))
	check("bias", float64(a.Bias), bias/n)
	check("Spearman", float64(a.Spearman), correlation(ranks(human), ranks(judge)))
	check("Pearson", float64(a.Pearson), correlation(human, judge))
	check("people's share of 4 and more", float64(a.HumanHigh), humanHigh/n)
	check("the judge's share of 4 and more", float64(a.JudgeHigh), judgeHigh/n)
	if got.Counts != counts {
		t.Errorf("counts %v; by hand %v", got.Counts, counts)
	}

	var within, others, rated []float64
	for _, seat := range seats {
		var x, y []float64
		for _, i := range seat {
			if !math.IsNaN(rows[i].judge) {
				x, y = append(x, rows[i].human), append(y, rows[i].judge)
			}
			sum, m := 0.0, 0.0
			for _, k := range seat {
				if k != i {
					sum, m = sum+rows[k].human, m+1
				}
			}
			if m > 0 {
				others, rated = append(others, sum/m), append(rated, rows[i].human)
			}
		}
		if rho := correlation(ranks(x), ranks(y)); !math.IsNaN(rho) {
			within = append(within, rho)
		}
	}
	check("within person", float64(a.WithinPerson), average(within))
	off := 0.0
	for i := range others {
		off += math.Abs(others[i] - rated[i])
	}
	check("MAE of the mean of the others", float64(got.MeanOfOthers.MAE), off/float64(len(others)))
	check("Spearman of the mean of the others", float64(got.MeanOfOthers.Spearman), correlation(ranks(rated), ranks(others)))

	if len(got.Subgroups) != 2 {
		t.Fatalf("%d attributes of the error; want 2", len(got.Subgroups))
	}
	for _, s := range got.Subgroups {
		between, total, grand := 0.0, 0.0, average(absolute)
		groups := errorsBy[s.Attribute]
		for _, list := range groups {
			between += float64(len(list)) * math.Pow(average(list)-grand, 2)
		}
		for _, e := range absolute {
			total += math.Pow(e-grand, 2)
		}
		k := float64(len(groups))
		f := between / (k - 1) / ((total - between) / (n - k))
		check("eta² of "+s.Attribute, float64(s.Eta2), between/total)
		check("F of "+s.Attribute, float64(s.F), f)
		check("p of "+s.Attribute, float64(s.P), distuv.F{D1: k - 1, D2: n - k}.Survival(f))
	}
	leftOutByHand(t, rows, got, check)
}

// leftOutByHand scores each model from the judge while the others keep people's
// ratings.
func leftOutByHand(t *testing.T, rows []pilotRow, got judgeResult, check func(string, float64, float64)) {
	t.Helper()
	if got.LeaveOneModelOut == nil {
		t.Fatal("no model is left out")
	}
	byPeople := func(r pilotRow) float64 { return r.human }
	raw, adjusted := scores(rows, byPeople)
	var humanRaw, judgeRaw, humanAdjusted, judgeAdjusted []float64
	for _, m := range got.LeaveOneModelOut.Models {
		outRaw, outAdjusted := scores(rows, func(r pilotRow) float64 {
			if r.model == m.Model {
				return r.judge
			}
			return r.human
		})
		check(m.Model+" raw by people", float64(m.HumanRaw), raw[m.Model])
		check(m.Model+" raw by the judge", float64(m.JudgeRaw), outRaw[m.Model])
		check(m.Model+" raw shift", float64(m.DeltaRaw), outRaw[m.Model]-raw[m.Model])
		check(m.Model+" adjusted by people", float64(m.HumanAdjusted), adjusted[m.Model])
		check(m.Model+" adjusted by the judge", float64(m.JudgeAdjusted), outAdjusted[m.Model])
		check(m.Model+" adjusted shift", float64(m.DeltaAdjusted), outAdjusted[m.Model]-adjusted[m.Model])
		humanRaw, judgeRaw = append(humanRaw, raw[m.Model]), append(judgeRaw, outRaw[m.Model])
		humanAdjusted, judgeAdjusted = append(humanAdjusted, adjusted[m.Model]), append(judgeAdjusted, outAdjusted[m.Model])
	}
	if len(humanRaw) != 8 {
		t.Errorf("%d models are left out; want 8", len(humanRaw))
	}
	check("Spearman of raw scores", float64(got.LeaveOneModelOut.SpearmanRaw), correlation(ranks(humanRaw), ranks(judgeRaw)))
	check("Spearman of adjusted scores", float64(got.LeaveOneModelOut.SpearmanAdjusted), correlation(ranks(humanAdjusted), ranks(judgeAdjusted)))
}

// scores are the raw and adjusted OvertonScores of the models: mean coverage of
// the questions, and least squares of covered on models and questions over
// question × group.
func scores(rows []pilotRow, rating func(pilotRow) float64) (raw, adjusted map[string]float64) {
	type at struct{ question, group, model string }
	sums, ns := map[at]float64{}, map[at]float64{}
	groups := map[string][]string{}
	var questions, models []string
	note := func(list []string, name string) []string {
		if !slices.Contains(list, name) {
			return append(list, name)
		}
		return list
	}
	for _, r := range rows {
		questions, models = note(questions, r.question), note(models, r.model)
		groups[r.question] = note(groups[r.question], r.group)
		if v := rating(r); !math.IsNaN(v) {
			cell := at{r.question, r.group, r.model}
			sums[cell], ns[cell] = sums[cell]+v, ns[cell]+1
		}
	}
	raw, adjusted = map[string]float64{}, map[string]float64{}
	var design [][]float64
	var outcome []float64
	for _, q := range questions {
		for m, model := range models {
			share := 0.0
			for _, g := range groups[q] {
				covered := 0.0
				if cell := (at{q, g, model}); ns[cell] > 0 && sums[cell]/ns[cell] >= 4-1e-9 {
					covered = 1
				}
				share += covered / float64(len(groups[q]))
				row := make([]float64, len(models)+len(questions)-1)
				row[m] = 1
				if i := slices.Index(questions, q); i > 0 {
					row[len(models)+i-1] = 1
				}
				design, outcome = append(design, row), append(outcome, covered)
			}
			raw[model] += share / float64(len(questions))
		}
	}
	x := mat.NewDense(len(design), len(design[0]), slices.Concat(design...))
	var beta mat.VecDense
	if err := beta.SolveVec(x, mat.NewVecDense(len(outcome), outcome)); err != nil {
		panic(err)
	}
	shift := 0.0
	for i := 1; i < len(questions); i++ {
		shift += beta.AtVec(len(models)+i-1) / float64(len(questions))
	}
	for m, model := range models {
		adjusted[model] = beta.AtVec(m) + shift
	}
	return raw, adjusted
}

func average(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func correlation(x, y []float64) float64 {
	mx, my := average(x), average(y)
	sxy, sxx, syy := 0.0, 0.0, 0.0
	for i := range x {
		sxy += (x[i] - mx) * (y[i] - my)
		sxx += (x[i] - mx) * (x[i] - mx)
		syy += (y[i] - my) * (y[i] - my)
	}
	return sxy / math.Sqrt(sxx*syy)
}

// ranks gives ties their mean rank; values that differ by rounding are tied.
func ranks(v []float64) []float64 {
	r := make([]float64, len(v))
	for i := range v {
		for k := range v {
			switch d := v[k] - v[i]; {
			case math.Abs(d) < 1e-9:
				r[i] += 0.5
			case d < 0:
				r[i]++
			}
		}
		r[i] += 0.5
	}
	return r
}

// judgeExport writes an export's folder: its ratings, and a manifest that
// allows what is named.
func judgeExport(t *testing.T, sent ...string) string {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("user,question_id,question,model,llm_response,freeresponse,representation_rating,SEX,cluster_kmeans\n")
	for p := range 10 {
		for m := range 4 {
			fmt.Fprintf(&b, "p%d,q,Are parks good?,m%d,response %d,view %d,%d,Female,%d\n", p, m, m, p, 1+(p%2*3+m)%5, p%2)
		}
	}
	path := filepath.Join(dir, "ratings.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	_, in, err := readInput(path)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := json.Marshal(map[string]any{"study": map[string]any{"slug": "parks", "models_may_be_sent": sent}, "files": []any{map[string]any{"name": "ratings.csv", "sha256": in.SHA256}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOnlyWhatTheStudyAllowsIsSent(t *testing.T) {
	t.Parallel()
	s := llmtest.New(func(llmtest.Request, int) llmtest.Reply { return llmtest.Reply{Text: "3"} })
	defer s.Close()
	models := modelsFile(t, s, "judge")
	dir := judgeExport(t, "ratings", "demographics")
	for strategy, missing := range map[string]string{"fr": "free responses", "fs+fr": "free responses", "demog+fr": "free responses", "fs": "", "demog": ""} {
		before := s.Requests()
		// The flag stands for a consent that no file tells of; a study's word goes before it.
		code, _, errs := overtonCmd("llm", "judge", "--consented", "--ratings", dir, "--models", models, "--strategy", strategy, "--bootstrap", "0", "--out", filepath.Join(t.TempDir(), "run"))
		switch {
		case missing == "" && code != 0:
			t.Errorf("%s ends with %d: %s", strategy, code, errs)
		case missing != "" && (code != 1 || s.Requests() != before || !strings.Contains(errs, `"parks" does not allow language models to be sent its participants' `+missing+";")):
			t.Errorf("%s ends with %d after %d requests: %s", strategy, code, s.Requests()-before, errs)
		}
	}
}

func TestJudgeScoresNewModelsAndWarnsWhenShy(t *testing.T) {
	t.Parallel()
	s := llmtest.New(func(r llmtest.Request, _ int) llmtest.Reply {
		if strings.Contains(r.Text(), `rating for: "praise"`) {
			return llmtest.Reply{Text: "5"}
		}
		return llmtest.Reply{Text: "2"}
	})
	defer s.Close()
	dir := filepath.Join(t.TempDir(), "run")
	responses := writeFile(t, "new.csv", "question_id,model,llm_response\nq,fresh,praise\nq,stale,blame\nelsewhere,fresh,x\n")
	args := []string{"llm", "judge", "--ratings", judgeExport(t, "free_responses", "ratings"), "--responses", responses, "--models", modelsFile(t, s, "judge"), "--bootstrap", "0", "--out", dir}
	code, out, errs := overtonCmd(args...)
	if code != 0 || !strings.Contains(out, "WARNING: the judge gives 4 or 5 in 0 % of its ratings") {
		t.Fatalf("it ends with %d: %s%s", code, out, errs)
	}
	if rows := readRows(t, filepath.Join(dir, "new.csv")); len(rows) != 20 {
		t.Errorf("%d ratings of new models; want 20", len(rows))
	}
	before := s.Requests()
	code, out, errs = overtonCmd(append(args, "--calibrate", "isotonic", "--json", "-")...)
	if code != 0 || s.Requests() != before {
		t.Fatalf("with calibration it ends with %d after %d more requests: %s", code, s.Requests()-before, errs)
	}
	var got llmJudgeResult
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Predictions != 60 || got.People == nil || got.People.Calibrated == nil || math.Abs(float64(got.People.Calibrated.Result.Judge.Bias)) > 0.2 || got.People.Judge.Judge.Bias > -0.5 {
		t.Errorf("got %d predictions, %+v", got.Predictions, got.People)
	}
	code, out, errs = overtonCmd(append(args, "--json", "-")...)
	if code != 0 {
		t.Fatal(errs)
	}
	got = llmJudgeResult{}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.New == nil {
		t.Fatal("the new models have no score")
	}
	raw := map[string]float64{}
	for _, m := range got.New.Models {
		raw[m.Model] = float64(m.Raw)
	}
	if len(raw) != 6 || raw["fresh"] != 1 || raw["stale"] != 0 {
		t.Errorf("scores %v; want fresh 1 and stale 0 among six", raw)
	}
	if code, out, errs := overtonCmd("score", "overton", filepath.Join(dir, "new.csv"), "--bootstrap", "0"); code != 0 {
		t.Errorf("the new models' file is no file of ratings: %s%s", out, errs)
	}
}

func TestAnExportIsJudgedIfItsStudyAllows(t *testing.T) {
	t.Parallel()
	db, sent := walked(t)
	dir := filepath.Join(t.TempDir(), "export")
	if code, _, errs := overtonCmd("export", "--db", db, "--study", "example", "--out", dir); code != 0 {
		t.Fatal(errs)
	}
	s := llmtest.New(func(r llmtest.Request, _ int) llmtest.Reply {
		for _, secret := range []string{prolificID, submissionID} {
			if strings.Contains(r.Body, secret) {
				t.Errorf("%s is sent", secret)
			}
		}
		return llmtest.Reply{Text: "4"}
	})
	defer s.Close()
	args := []string{"llm", "judge", "--ratings", dir, "--models", modelsFile(t, s, "judge"), "--bootstrap", "0", "--out", filepath.Join(t.TempDir(), "run")}
	if code, _, errs := overtonCmd(args...); code != 1 || s.Requests() > 0 || !strings.Contains(errs, `the study "example" does not allow language models to be sent its participants' free responses, ratings;`) {
		t.Fatalf("it ends with %d after %d requests: %s", code, s.Requests(), errs)
	}
	manifest := filepath.Join(dir, "manifest.json")
	content, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	allowing := strings.Replace(string(content), `"models_may_be_sent": []`, `"models_may_be_sent": ["free_responses", "ratings"]`, 1)
	if err := os.WriteFile(manifest, []byte(allowing), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := overtonCmd(args...); code != 0 {
		t.Fatal(errs)
	}
	ratings := 0
	for key := range sent {
		if key.Kind == study.KindRating {
			ratings++
		}
	}
	if s.Requests() != ratings || ratings == 0 {
		t.Errorf("%d requests for %d ratings", s.Requests(), ratings)
	}
}
