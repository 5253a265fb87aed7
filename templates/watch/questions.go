package watch

import (
	"overton/internal/dataset"
	"overton/internal/study"
)

// QuestionsPage lists all questions of a study.
type QuestionsPage struct {
	Page
	Counted   bool // the numbers are there
	Questions []QuestionProgress
	Pager     Pager
	Sort      string // behind, votes, waiting or file
	Text      string // that was searched for
}

// QuestionProgress is how far one question is: its people, and its statements.
type QuestionProgress struct {
	study.Question
	study.QuestionCount
	Coverage study.Coverage
}

// ByQuestion is how far each question is, in the order of the question set.
func (s Sample) ByQuestion(of *dataset.Study) []QuestionProgress {
	if of.Overton() == nil {
		return nil
	}
	list := make([]QuestionProgress, len(s.Questions))
	for i, count := range s.Questions {
		list[i] = QuestionProgress{of.Questions.Questions[i], count, s.Coverage[i]}
	}
	return list
}
