package score

import (
	"math/rand/v2"
)

// QuestionAgreement is how well a judge agrees with people on one question.
type QuestionAgreement struct {
	Question string `json:"question"`
	Predictor
}

// AgreementByQuestion compares predictions with ratings as JudgeAgreement does, separately for each question.
// The intervals come from resampling the question's participants.
func AgreementByQuestion(r Ratings, predictions []float64, p Parameters) []QuestionAgreement {
	at := r.order()
	r, predictions = r.arranged(at), arrange(predictions, at)
	rows := map[string][]int{}
	for i, row := range r.Rows {
		rows[row.Question] = append(rows[row.Question], i)
	}
	var list []QuestionAgreement
	for k, question := range sortedIDs(rows) {
		part := Ratings{Attributes: r.Attributes}
		var human, judge []float64
		for _, i := range rows[question] {
			part.Rows = append(part.Rows, r.Rows[i])
			human, judge = append(human, r.Rows[i].Value), append(judge, predictions[i])
		}
		seats, people, n := part.number()
		rng := rand.New(rand.NewPCG(p.Seed, streamAgreement+uint64(k)<<32))
		draws := make([][]int, p.Bootstrap)
		for b := range draws {
			draws[b] = drawTimes(n, rng)
		}
		list = append(list, QuestionAgreement{question, predictor(pairUp(human, judge, seats, people), draws)})
	}
	return list
}
