package score

import (
	"math"
)

// Agreement of predicted with human ratings. MAE and RMSE are mean absolute and root mean square error, Bias
// the mean of predicted minus human. Spearman and Pearson pool all rows. WithinPerson is Spearman among the
// ratings that one participant gave to the models' responses on one question, averaged over the participants
// and questions for which it is defined: unlike pooled correlations, it does not depend on how generous a
// person is.
type Agreement struct {
	N       int `json:"n"`
	Dropped int `json:"n_dropped"` // rows without a prediction or a human rating

	MAE          Number `json:"mae"`
	RMSE         Number `json:"rmse"`
	Bias         Number `json:"bias"`
	Spearman     Number `json:"spearman"`
	Pearson      Number `json:"pearson"`
	WithinPerson Number `json:"within_person"`
	// HumanHigh and JudgeHigh are the shares of ratings of 4 or more: a judge who avoids high ratings lowers
	// coverage.
	HumanHigh Number `json:"human_high"`
	JudgeHigh Number `json:"judge_high"`
}

// highRating is what counts as high in HumanHigh and JudgeHigh.
const highRating = 4

// pairs are rows that have both a human and a predicted rating.
type pairs struct {
	human, judge           []float64
	person                 []int // number of the participant
	dropped                int
	orderHuman, orderJudge []int     // rows from small to large
	within                 []float64 // Spearman in each participant × question, NaN if undefined
	withinPerson           []int     // whose pair it is
}

// pairUp keeps the rows in which neither is NaN. seat and person number the row's participant × question and
// participant.
func pairUp(human, judge []float64, seat, person []int) *pairs {
	p := &pairs{}
	at := map[int]int{}
	var seats [][]int
	for i := range human {
		if math.IsNaN(human[i]) || math.IsNaN(judge[i]) {
			p.dropped++
			continue
		}
		if _, ok := at[seat[i]]; !ok {
			at[seat[i]] = len(seats)
			seats = append(seats, nil)
			p.withinPerson = append(p.withinPerson, person[i])
		}
		s := at[seat[i]]
		seats[s] = append(seats[s], len(p.human))
		p.human = append(p.human, human[i])
		p.judge = append(p.judge, judge[i])
		p.person = append(p.person, person[i])
	}
	for _, rows := range seats {
		x, y := make([]float64, len(rows)), make([]float64, len(rows))
		for i, row := range rows {
			x[i], y[i] = p.human[row], p.judge[row]
		}
		p.within = append(p.within, spearman(x, y))
	}
	p.orderHuman, p.orderJudge = order(p.human), order(p.judge)
	return p
}

// agreement measures the rows, with each participant in the sample times[person] times (nil: once).
func (p *pairs) agreement(times []int) Agreement {
	weights := make([]float64, len(p.human))
	var n, absolute, squares, bias, humanHigh, judgeHigh float64
	for i := range p.human {
		w := float64(count(times, p.person[i]))
		weights[i] = w
		d := p.judge[i] - p.human[i]
		n += w
		absolute += w * math.Abs(d)
		squares += w * d * d
		bias += w * d
		if p.human[i] >= highRating {
			humanHigh += w
		}
		if p.judge[i] >= highRating {
			judgeHigh += w
		}
	}
	within, seats := 0.0, 0.0
	for s, rho := range p.within {
		if !math.IsNaN(rho) {
			w := float64(count(times, p.withinPerson[s]))
			within += w * rho
			seats += w
		}
	}
	return Agreement{
		N: len(p.human), Dropped: p.dropped,
		MAE:  Number(absolute / n),
		RMSE: Number(math.Sqrt(squares / n)),
		Bias: Number(bias / n),
		Spearman: Number(pearson(
			averageRanks(p.human, weights, p.orderHuman, make([]float64, len(weights))),
			averageRanks(p.judge, weights, p.orderJudge, make([]float64, len(weights))), weights)),
		Pearson:      Number(pearson(p.human, p.judge, weights)),
		WithinPerson: Number(within / seats),
		HumanHigh:    Number(humanHigh / n),
		JudgeHigh:    Number(judgeHigh / n),
	}
}

// AgreementIntervals are 95 % percentile intervals of an Agreement when
// participants are drawn with replacement.
type AgreementIntervals struct {
	MAE          Interval `json:"mae"`
	RMSE         Interval `json:"rmse"`
	Bias         Interval `json:"bias"`
	Spearman     Interval `json:"spearman"`
	Pearson      Interval `json:"pearson"`
	WithinPerson Interval `json:"within_person"`
	HumanHigh    Interval `json:"human_high"`
	JudgeHigh    Interval `json:"judge_high"`
}

func agreementIntervals(replicates []Agreement) AgreementIntervals {
	of := func(value func(Agreement) Number) Interval {
		values := make([]float64, len(replicates))
		for b, a := range replicates {
			values[b] = float64(value(a))
		}
		ci, _ := percentileInterval(values)
		return ci
	}
	return AgreementIntervals{
		MAE:          of(func(a Agreement) Number { return a.MAE }),
		RMSE:         of(func(a Agreement) Number { return a.RMSE }),
		Bias:         of(func(a Agreement) Number { return a.Bias }),
		Spearman:     of(func(a Agreement) Number { return a.Spearman }),
		Pearson:      of(func(a Agreement) Number { return a.Pearson }),
		WithinPerson: of(func(a Agreement) Number { return a.WithinPerson }),
		HumanHigh:    of(func(a Agreement) Number { return a.HumanHigh }),
		JudgeHigh:    of(func(a Agreement) Number { return a.JudgeHigh }),
	}
}
