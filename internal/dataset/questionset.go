package dataset

import (
	"fmt"
	"slices"
	"strings"

	"overton/internal/study"
)

var (
	questionColumns = []column{
		{"question_id", true}, {"source", false}, {"topic", false}, {"question", true}, {"option_1", false}, {"option_2", false},
	}
	responseColumns = []column{{"question_id", true}, {"model", true}, {"llm_response", true}}
	seedColumns     = []column{{"question_id", true}, {"statement", true}}
)

// file is one file as it was given: its name for messages, and its bytes.
type file struct {
	name string
	data []byte
}

// readQuestionSet reads the files of a question set and checks each by itself
// and against the others. The names of responses and seeds are empty where
// there are none. count is how many questions there are, or -1 where that
// cannot be known.
func readQuestionSet(questions, responses, seeds file, faults *Faults) (set study.QuestionSet, count int) {
	qs, qok := readSheet(questions.name, questions.data, questionColumns, faults)
	var rs, ss sheet
	rok, sok := false, false
	if responses.name != "" {
		rs, rok = readSheet(responses.name, responses.data, responseColumns, faults)
	}
	if seeds.name != "" {
		ss, sok = readSheet(seeds.name, seeds.data, seedColumns, faults)
	}
	count = -1
	var known map[string]bool
	if qok {
		set.Questions, known = readQuestions(&qs)
		count = len(known)
	}
	if rok {
		set.Responses = readResponses(&rs, known, questions.name)
	}
	if sok {
		set.Seeds = readSeeds(&ss, known, questions.name)
	}
	if qok && rok {
		checkModels(&qs, &rs, set)
	}
	return set, count
}

// readQuestions reads the table of questions. known holds every id in it, also of
// rows that have a fault.
func readQuestions(s *sheet) (list []study.Question, known map[string]bool) {
	known = map[string]bool{}
	first := map[string]int{}
	for r := range s.Rows {
		id, ok := s.id(r, "question_id", "a different id for every question")
		if id != "" {
			known[id] = true
		}
		if line, twice := first[id]; ok && twice {
			s.refuse(r, "question_id", id, "is used again; it is already on line %d", line)
		} else if ok {
			first[id] = s.lineOf(r, "question_id")
		}
		q := study.Question{
			ID: id, Source: s.cell(r, "source"), Topic: s.cell(r, "topic"), Text: s.text(r, "question", "the question that people are asked"),
			Option1: s.cell(r, "option_1"), Option2: s.cell(r, "option_2"), Extra: s.others(r),
		}
		if !s.ragged(r) {
			checkEndpoints(s, r, q)
		}
		list = append(list, q)
	}
	return list, known
}

func checkEndpoints(s *sheet, r int, q study.Question) {
	one, two := strings.TrimSpace(q.Option1), strings.TrimSpace(q.Option2)
	switch {
	case one == "" && q.Option1 != "":
		s.refuse(r, "option_1", q.Option1, "contains only spaces; expected an endpoint, or nothing")
	case two == "" && q.Option2 != "":
		s.refuse(r, "option_2", q.Option2, "contains only spaces; expected an endpoint, or nothing")
	case one == "" && two != "":
		s.refuse(r, "option_1", "", "is empty, but option_2 is not; expected both endpoints or neither")
	case one != "" && two == "":
		s.refuse(r, "option_2", "", "is empty, but option_1 is not; expected both endpoints or neither")
	case one != "" && one == two:
		s.refuse(r, "option_2", q.Option2, "is the same as option_1; expected two opposed endpoints")
	}
}

// readResponses reads the table of model responses. known is nil where the
// questions could not be read, and then none is held to be unknown.
func readResponses(s *sheet, known map[string]bool, questionsFile string) []study.ModelResponse {
	var list []study.ModelResponse
	type pair struct{ question, model string }
	first := map[pair]int{}
	for r := range s.Rows {
		question, okQuestion := readQuestionID(s, r, known, questionsFile)
		model, okModel := s.id(r, "model", "the model's name")
		at := pair{question, model}
		if line, twice := first[at]; okQuestion && okModel && twice {
			s.refuse(r, "model", model, "responds to question %q again; its response is on line %d", question, line)
		} else if okQuestion && okModel {
			first[at] = s.lineOf(r, "question_id")
		}
		list = append(list, study.ModelResponse{
			Question: question, Model: model, Text: s.text(r, "llm_response", "the model's response"), Extra: s.others(r),
		})
	}
	return list
}

func readSeeds(s *sheet, known map[string]bool, questionsFile string) []study.Seed {
	var list []study.Seed
	first := map[study.Seed]int{}
	for r := range s.Rows {
		question, ok := readQuestionID(s, r, known, questionsFile)
		seed := study.Seed{Question: question, Text: s.text(r, "statement", "a statement to vote on")}
		if line, twice := first[seed]; ok && twice && strings.TrimSpace(seed.Text) != "" {
			s.refuse(r, "statement", seed.Text, "is the same as on line %d", line)
		} else if ok {
			first[seed] = s.lineOf(r, "statement")
		}
		list = append(list, seed)
	}
	return list
}

// readQuestionID reads the id of a question that must be known.
func readQuestionID(s *sheet, r int, known map[string]bool, questionsFile string) (string, bool) {
	id, ok := s.id(r, "question_id", "the id of a question in "+questionsFile)
	if ok && known != nil && !known[id] {
		s.refuse(r, "question_id", id, "is not a question of %s", questionsFile)
		return id, false
	}
	return id, ok
}

// panel is the questions of one source with the models that respond to them.
type panel struct {
	source    string
	questions []int    // rows of the questions
	models    []string // in file order
	first     map[string]int
	answered  map[string]map[string]bool // by model, by question id
}

// common is the models that respond to at least half of the panel's questions.
func (p *panel) common() []string {
	return slices.DeleteFunc(slices.Clone(p.models), func(model string) bool {
		return 2*len(p.answered[model]) < len(p.questions)
	})
}

// panels groups a question set by source. Rows without a usable id are left out.
func panels(set study.QuestionSet) []*panel {
	var list []*panel
	of := map[string]*panel{} // by question id
	bySource := map[string]*panel{}
	for row, q := range set.Questions {
		if q.ID == "" || of[q.ID] != nil {
			continue
		}
		p := bySource[q.Source]
		if p == nil {
			p = &panel{source: q.Source, first: map[string]int{}, answered: map[string]map[string]bool{}}
			bySource[q.Source] = p
			list = append(list, p)
		}
		p.questions = append(p.questions, row)
		of[q.ID] = p
	}
	for row, r := range set.Responses {
		p := of[r.Question]
		if p == nil || r.Model == "" {
			continue
		}
		if p.answered[r.Model] == nil {
			p.answered[r.Model] = map[string]bool{}
			p.first[r.Model] = row
			p.models = append(p.models, r.Model)
		}
		p.answered[r.Model][r.Question] = true
	}
	return list
}

// checkModels checks that every question is answered by the same models as the other questions of its source.
// Sources may have different models: a set can combine collections that were answered at different times. A
// model that responds to less than half of a source's questions is taken for a misspelt name and reported
// once; any other is reported at each question it lacks.
func checkModels(questions, responses *sheet, set study.QuestionSet) {
	for _, p := range panels(set) {
		common := p.common()
		for _, model := range p.models {
			if slices.Contains(common, model) {
				continue
			}
			meant := ""
			if name := near(model, common); name != "" {
				meant = fmt.Sprintf(", or did you mean %q?", name)
			}
			responses.refuse(p.first[model], "model", model, "responds to %d of the %d questions%s; expected all of them%s",
				len(p.answered[model]), len(p.questions), ofSource(p.source), meant)
		}
		for _, row := range p.questions {
			id := set.Questions[row].ID
			var missing []string
			for _, model := range common {
				if !p.answered[model][id] {
					missing = append(missing, model)
				}
			}
			answered := slices.ContainsFunc(p.models, func(model string) bool { return p.answered[model][id] })
			switch {
			case !answered:
				questions.refuse(row, "question_id", id, "has no response in %s", responses.File)
			case len(missing) > 0:
				questions.refuse(row, "question_id", id, "has no response by %s in %s; other questions%s have one", strings.Join(missing, ", "), responses.File, ofSource(p.source))
			}
		}
	}
}

func ofSource(source string) string {
	if source == "" {
		return ""
	}
	return fmt.Sprintf(" of source %q", source)
}
