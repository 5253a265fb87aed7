package webtest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"overton/internal/cluster"
	"overton/internal/dataset"
	"overton/internal/score"
	"overton/internal/window"
)

// CampFolder is a study whose people can be grouped by their votes.
func CampFolder(t *testing.T) dataset.Files {
	t.Helper()
	folder := StudyFolder(func(yaml string) string {
		return strings.Replace(NoChecks(yaml), "votes_per_question: 2", "votes_per_question: 8", 1)
	})
	for _, name := range []string{"questions.csv", "responses.csv", "seeds.csv"} {
		folder[name] = bytes.ReplaceAll(folder[name], []byte("qid-3"), []byte("qid 3/ä?"))
	}
	// The responses of one model are bright, those of the other dark.
	folder["responses.csv"] = bytes.ReplaceAll(folder["responses.csv"], []byte("model-alpha,\"Some say"),
		[]byte("model-alpha,\"Some bright people say"))
	return folder
}

// Renamed is a study like the others, of another name.
func Renamed(slug string) dataset.Files {
	return StudyFolder(func(yaml string) string { return strings.Replace(yaml, "slug: small", "slug: "+slug, 1) })
}

// ProlificExport is what Prolific exports of participants 1, 2, … with these
// statuses; see arrival.
func ProlificExport(statuses ...string) []byte {
	var b strings.Builder
	b.WriteString("Submission id,Participant id,Status,Time taken,Completion code,Age\n")
	for i, status := range statuses {
		fmt.Fprintf(&b, "%024x,%024x,%s,600,DONE1,DATA_EXPIRED\n", 1001+i, 1+i, status)
	}
	return []byte(b.String())
}

func PlantedResult(t *testing.T) *window.Result {
	t.Helper()
	b := cluster.NewBuilder()
	ratings := score.Ratings{}
	for who := range 12 {
		for statement := range 8 {
			v := cluster.Agree
			if who%2 != statement%2 {
				v = cluster.Disagree
			}
			b.Vote(fmt.Sprint("p", who), fmt.Sprint(statement+1), v)
		}
	}
	o := window.DefaultOptions()
	o.Cluster.K, o.Cluster.MinVotes = 2, 2
	found, err := cluster.Run(t.Context(), b.Matrix(), o.Cluster)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found.Participants {
		for m, model := range []string{"model-alpha", "model-beta"} {
			value := 2.0
			if p.Group == m {
				value = 5
			}
			ratings.Rows = append(ratings.Rows, score.Rating{
				Participant: p.ID, Question: "qid-1", Model: model, Value: value, Group: fmt.Sprint(p.Group),
			})
		}
	}
	r := &window.Result{
		Program: window.Program{Name: "overton", Version: "test"}, Input: window.Input{SHA256: "abc"},
		Parameters: o, People: window.Counted{Complete: 12},
		Questions: []window.Question{{
			Question: "qid-1", Text: "What about matter 1?", Parameters: o.Cluster, Result: found,
			Ratings: score.Distribution(ratings, "qid-1"),
		}},
	}
	if r.Score, err = score.OvertonScore(ratings, score.Parameters{Tau: 4, Missing: score.Uncovered}); err != nil {
		t.Fatal(err)
	}
	return r
}

// viewsCSV is an instrument of the topics that make the ideological axes.
func viewsCSV() []byte {
	var b strings.Builder
	b.WriteString("item,text,topics,option,label,polarity,mark,ask_if\n")
	for t, topic := range []string{"Individualism vs. Collectivism", "Socialism vs. Capitalism", "Environmentalism vs. Industrialism"} {
		for i := range 3 {
			id := fmt.Sprintf("V%d%c", t+1, 'a'+i)
			ask := ""
			if i == 2 { // the last of a topic is asked only after one of two answers
				ask = fmt.Sprintf("V%da = yes | some", t+1)
			}
			fmt.Fprintf(&b, "%s,Should the town care for matter %d.%d more than it does?,%s,yes,Yes and soon,%d,,%s\n",
				id, t+1, i+1, topic, 1-2*(i%2), ask)
			fmt.Fprintf(&b, ",,,some,To some extent,0,,\n,,,no,\"No, not at all\",%d,,\n,,,refused,Refused,,refusal,\n", 2*(i%2)-1)
		}
	}
	return []byte(b.String())
}

const studyYAML = `
title: Small test
slug: small
language: en
contact: team@example.org
recruitment:
  minutes: 12
  reservation_minutes: 40
  prolific:
    codes: {completed: DONE1, no_consent: NOCONSENT2, screened_out: OUT3, failed_checks: CHECKS4, over_quota: FULL5}
flow:
  - consent: {file: consent.md}
  - survey: {instrument: us-demographics}
  - overton:
      questions: questions.csv
      responses: responses.csv
      seeds: seeds.csv
      questions_per_participant: 2
      participants_per_question: 20
      votes_per_question: 2
  - feedback: {}
checks:
  - instructed: {after: 1, text: "Please choose 2 here.", answer: 2}
`

// StudyFolder is a small study. edit may change its study.yaml.
func StudyFolder(edit func(string) string) dataset.Files {
	questions := "question_id,source,topic,question,option_1,option_2\n"
	responses, seeds := "question_id,model,llm_response\n", "question_id,statement\n"
	for q := 1; q <= 3; q++ {
		questions += fmt.Sprintf("qid-%d,own,topic,What about matter %d?,All for it %d,All against it %d\n", q, q, q, q)
		for _, model := range []string{"alpha", "beta"} {
			responses += fmt.Sprintf("qid-%d,model-%s,\"Some say one thing,\nothers <b>another</b> (%d).\"\n", q, model, q)
		}
		for n := 1; n <= 3; n++ {
			seeds += fmt.Sprintf("qid-%d,Seed %d on matter %d\n", q, n, q)
		}
	}
	yaml := studyYAML
	if edit != nil {
		yaml = edit(yaml)
	}
	return dataset.Files{
		"study.yaml":    []byte(yaml),
		"consent.md":    []byte("# About\n\nYou may **stop** at any time. <script>alert(1)</script> [bad](javascript:alert(1))\n"),
		"questions.csv": []byte(questions), "responses.csv": []byte(responses), "seeds.csv": []byte(seeds),
	}
}

// NoChecks takes the attention check out of a study.yaml; see StudyFolder.
func NoChecks(yaml string) string { return yaml[:strings.Index(yaml, "\nchecks:")+1] }

// ViewsSite is a study that asks demographics and views, some of them again.
func ViewsSite(t *testing.T) *Site {
	folder := StudyFolder(func(yaml string) string {
		const first = "  - survey: {instrument: us-demographics}\n"
		yaml = strings.Replace(NoChecks(yaml), first, first+"  - survey: {instrument: views.csv, title: Views of the town, "+
			"items_per_page: topic, repeat: 2, order: reversed_half}\n", 1)
		from, to := strings.Index(yaml, "  - overton:"), strings.Index(yaml, "  - feedback")
		return yaml[:from] + yaml[to:]
	})
	folder["views.csv"] = viewsCSV()
	for _, name := range []string{"questions.csv", "responses.csv", "seeds.csv"} {
		delete(folder, name)
	}
	return New(t, folder)
}
