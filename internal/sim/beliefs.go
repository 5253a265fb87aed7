package sim

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"overton/internal/dataset"
	"overton/internal/dataset/studyfile"
	"overton/internal/study"
)

// Beliefs are what planted groups say and think, where files tell. Texts are
// known as a reader sees them: with spaces folded.
type Beliefs struct {
	groups  int                     // viewpoints of each question; 0: texts without a viewpoint
	views   map[string][][]string   // by question and group
	any     [][]string              // by group, for questions that views does not have
	author  map[[2]string]int       // group by question and text
	stances map[string][]string     // by question and group
	means   map[[2]string][]float64 // by question and response: each group's rating
}

// ReadOpinions reads texts to say from a table with the columns question and
// freeresponse. Each text belongs to one group, decided by the text alone. On
// a question that the table does not have, people say any of the texts.
func ReadOpinions(file string, content []byte) (*Beliefs, error) {
	table, err := dataset.ReadTable(file, content)
	if err != nil {
		return nil, fmt.Errorf("reading opinions: %w", err)
	}
	at, err := columns(table, "question", "freeresponse")
	if err != nil {
		return nil, fmt.Errorf("reading opinions: %w", err)
	}
	b := &Beliefs{views: map[string][][]string{}}
	all := make([][]string, 1)
	for _, row := range table.Rows {
		question, text := fold(row[at[0]]), strings.TrimSpace(row[at[1]])
		if text == "" || slices.Contains(all[0], text) {
			continue
		}
		all[0] = append(all[0], text)
		if b.views[question] == nil {
			b.views[question] = make([][]string, 1)
		}
		b.views[question][0] = append(b.views[question][0], text)
	}
	if len(all[0]) == 0 {
		return nil, fmt.Errorf("reading opinions: %s has no free responses", file)
	}
	b.any = all
	return b, nil
}

// ReadBeliefs reads a study's folder with two further files: opinions.csv
// (question_id, viewpoint, free_response) and stances.csv (question_id,
// viewpoint, model, represents, stance). Every question has the same number of
// viewpoints, one for each group in the order of the files; if it has as many
// seeds, they voice the viewpoints in that order.
func ReadBeliefs(folder fs.FS) (*Beliefs, error) {
	b, err := readBeliefs(folder)
	if err != nil {
		return nil, fmt.Errorf("reading beliefs: %w", err)
	}
	return b, nil
}

func readBeliefs(folder fs.FS) (*Beliefs, error) {
	st, err := studyfile.Read(folder)
	if err != nil {
		return nil, err
	}
	set := &st.Questions
	b := &Beliefs{views: map[string][][]string{}, author: map[[2]string]int{}, stances: map[string][]string{}, means: map[[2]string][]float64{}}
	viewpoints := map[string][]string{} // by question text, in order of appearance

	opinions, at, err := open(folder, "opinions.csv", "question_id", "viewpoint", "free_response")
	if err != nil {
		return nil, err
	}
	for i, row := range opinions.Rows {
		q, ok := set.Question(row[at[0]])
		if !ok {
			return nil, fault(opinions, i, at[0], "is not in the question set")
		}
		question, text := fold(q.Text), strings.TrimSpace(row[at[2]])
		if text == "" {
			return nil, fault(opinions, i, at[2], "is empty; expected what somebody says")
		}
		group := slices.Index(viewpoints[question], row[at[1]])
		if group < 0 {
			group = len(viewpoints[question])
			viewpoints[question] = append(viewpoints[question], row[at[1]])
			b.views[question] = append(b.views[question], nil)
		}
		b.views[question][group] = append(b.views[question][group], text)
		b.author[[2]string{question, fold(text)}] = group
	}
	for _, q := range set.Questions {
		n := len(viewpoints[fold(q.Text)])
		if b.groups == 0 {
			b.groups = n
		}
		if n == 0 || n != b.groups {
			return nil, fmt.Errorf("opinions.csv: question %s has %d viewpoints; expected as many as every other question, %d", q.ID, n, max(b.groups, 1))
		}
		b.voiceSeeds(set.Seeds, q)
	}

	stances, at, err := open(folder, "stances.csv", "question_id", "viewpoint", "model", "represents", "stance")
	if err != nil {
		return nil, err
	}
	for i, row := range stances.Rows {
		q, _ := set.Question(row[at[0]])
		question := fold(q.Text)
		group := slices.Index(viewpoints[question], row[at[1]])
		if group < 0 {
			return nil, fault(stances, i, at[1], "has no opinion on this question in opinions.csv")
		}
		response, ok := set.Response(q.ID, row[at[2]])
		if !ok {
			return nil, fault(stances, i, at[2], "does not respond to this question")
		}
		share, err := strconv.ParseFloat(row[at[3]], 64)
		if err != nil || !(share >= 0 && share <= 1) {
			return nil, fault(stances, i, at[3], "is no share; expected 0 to 1")
		}
		key := [2]string{question, fold(response.Text)}
		if b.means[key] == nil {
			b.means[key] = slices.Repeat([]float64{3}, b.groups)
		}
		b.means[key][group] = 1 + 4*share
		if !slices.Contains([]string{"", study.StanceFirst, study.StanceSecond, study.StanceNeutral}, row[at[4]]) {
			return nil, fault(stances, i, at[4], "is no stance; expected 1, 2, neutral or nothing")
		}
		if b.stances[question] == nil {
			b.stances[question] = make([]string, b.groups)
		}
		b.stances[question][group] = row[at[4]]
	}
	return b, nil
}

// voiceSeeds gives a question's seeds to its groups, where there is one each.
func (b *Beliefs) voiceSeeds(seeds []study.Seed, q study.Question) {
	var texts []string
	for _, s := range seeds {
		if s.Question == q.ID {
			texts = append(texts, s.Text)
		}
	}
	if len(texts) == b.groups {
		for group, text := range texts {
			b.author[[2]string{fold(q.Text), fold(text)}] = group
		}
	}
}

// forGroups deals texts without a viewpoint out to n groups.
func (b *Beliefs) forGroups(n int) (*Beliefs, error) {
	if b.groups > 0 {
		if n != b.groups {
			return nil, fmt.Errorf("the opinions are those of %d groups, not %d", b.groups, n)
		}
		return b, nil
	}
	dealt := &Beliefs{groups: n, views: map[string][][]string{}, author: map[[2]string]int{}}
	deal := func(texts []string) [][]string {
		groups := make([][]string, n)
		for _, text := range texts {
			g := groupOf(text, n)
			groups[g] = append(groups[g], text)
		}
		return groups
	}
	dealt.any = deal(b.any[0])
	for g, texts := range dealt.any {
		if len(texts) == 0 {
			return nil, fmt.Errorf("%d opinions leave group %d of %d with nothing to say", len(b.any[0]), g+1, n)
		}
		for _, text := range texts {
			dealt.author[[2]string{"", fold(text)}] = g
		}
	}
	for question, texts := range b.views {
		dealt.views[question] = deal(texts[0])
	}
	return dealt, nil
}

// groupOf is the group that a text without a viewpoint belongs to.
func groupOf(text string, n int) int {
	h := fnv.New64a()
	h.Write([]byte(fold(text)))
	return int(h.Sum64() % uint64(n))
}

// fold makes of a text what a page shows of it.
func fold(text string) string { return strings.Join(strings.Fields(text), " ") }

func open(folder fs.FS, name string, names ...string) (*dataset.Table, []int, error) {
	content, err := fs.ReadFile(folder, name)
	if err != nil {
		return nil, nil, err
	}
	table, err := dataset.ReadTable(name, content)
	if err != nil {
		return nil, nil, err
	}
	at, err := columns(table, names...)
	return table, at, err
}

// columns finds the columns of a table.
func columns(t *dataset.Table, names ...string) ([]int, error) {
	at := make([]int, len(names))
	var faults []error
	for i, name := range names {
		if at[i] = slices.Index(t.Columns, name); at[i] < 0 {
			faults = append(faults, dataset.Fault{File: t.File, Line: 1, Column: name, Message: "is missing; the columns are " + strings.Join(t.Columns, ", ")})
		}
	}
	return at, errors.Join(faults...)
}

func fault(t *dataset.Table, row, column int, message string) error {
	return dataset.Fault{File: t.File, Line: t.Lines[row], Column: t.Columns[column], Value: t.Rows[row][column], Message: message}
}
