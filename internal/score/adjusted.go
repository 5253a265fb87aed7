package score

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// sums are the sufficient statistics of the rows that one model has on one
// question in the regression of coverage on models and questions: the total
// weight of the rows and their weighted total of the outcome.
type sums struct{ weight, total float64 }

// Three ways to lay out the rows of the regression (see fitAdjusted).

// groupRows: one row for each question × group × model, with equal weights, so that a question with more
// groups weighs more. The paper's adjusted score.
func groupRows(o outcome) sums { return sums{float64(o.rows), float64(o.covered)} }

// questionRows: one row for each question × model, its coverage.
func questionRows(o outcome) sums {
	if o.rows == 0 {
		return sums{}
	}
	return sums{1, o.coverage()}
}

// sizeRows: rows as groupRows, each weighted by the group's share of the
// question's participants, so that every question weighs the same. The
// paper's adjusted weighted score.
func sizeRows(o outcome) sums {
	if o.rows == 0 {
		return sums{}
	}
	return sums{1, o.weighted}
}

// fit is a least-squares fit of covered (0 or 1) on model and question
// effects.
type fit struct {
	// adjusted is each model's fitted value averaged over the questions, each
	// once; NaN for a model without rows.
	adjusted []float64
	// deviation is the model's effect minus the mean of all models' effects.
	deviation []float64
	// grand is the mean of adjusted.
	grand float64
	// models and questions with rows.
	models, questions int

	// scores[question][model] sums the weighted residuals; bread inverts the
	// normal equations of the model effects with the question effects
	// absorbed. Both cover the present models only.
	scores  [][]float64
	present []int
	bread   *mat.SymDense
}

// singular is the condition number at or above which the normal equations count as having no unique solution:
// some models share no question, not even through other models.
const singular = 1e12

// fitAdjusted fits the additive model by least squares. cells[question][model]
// are the sufficient statistics of the rows, times[question] how often the
// question is in the sample (nil: once each). It returns nil when no unique
// fit exists.
//
// The question effects are absorbed: with w and t the weight and total of a
// cell, the model effects e solve
//
//	sum over q of (diag(w_q) - w_q w_q' / |w_q|) e = sum over q of (t_q - w_q |t_q| / |w_q|)
//
// which is as many equations as there are models, whatever the number of
// rows. The matrix is singular along the constant vector; adding a multiple
// of 11' fixes the mean of e at zero.
func fitAdjusted(cells [][]sums, times []int) *fit {
	if len(cells) == 0 {
		return nil
	}
	f := &fit{adjusted: make([]float64, len(cells[0])), deviation: make([]float64, len(cells[0]))}
	position := make([]int, len(cells[0]))
	for m := range cells[0] {
		position[m] = -1
		f.adjusted[m], f.deviation[m] = math.NaN(), math.NaN()
		for q := range cells {
			if count(times, q) > 0 && cells[q][m].weight > 0 {
				position[m] = len(f.present)
				f.present = append(f.present, m)
				break
			}
		}
	}
	f.models = len(f.present)
	if f.models == 0 {
		return nil
	}

	normal := mat.NewSymDense(f.models, nil)
	right := mat.NewVecDense(f.models, nil)
	for q, row := range cells {
		n := float64(count(times, q))
		whole := total(row)
		if n == 0 || whole.weight == 0 {
			continue
		}
		for i, m := range f.present {
			w := row[m].weight
			if w == 0 {
				continue
			}
			normal.SetSym(i, i, normal.At(i, i)+n*w)
			right.SetVec(i, right.AtVec(i)+n*(row[m].total-w*whole.total/whole.weight))
			for j := i; j < f.models; j++ {
				normal.SetSym(i, j, normal.At(i, j)-n*w*row[f.present[j]].weight/whole.weight)
			}
		}
	}
	scale := math.Max(mat.Trace(normal)/float64(f.models), 1)
	for i := range f.models {
		for j := i; j < f.models; j++ {
			normal.SetSym(i, j, normal.At(i, j)+scale/float64(f.models))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(normal) || chol.Cond() > singular {
		return nil
	}
	var effects mat.VecDense
	if err := chol.SolveVecTo(&effects, right); err != nil {
		return nil
	}
	f.bread = mat.NewSymDense(f.models, nil)
	if err := chol.InverseTo(f.bread); err != nil {
		return nil
	}

	level, drawn := 0.0, 0.0
	for q, row := range cells {
		n := float64(count(times, q))
		whole := total(row)
		if n == 0 || whole.weight == 0 {
			continue
		}
		questionEffect := whole.total
		for i, m := range f.present {
			questionEffect -= row[m].weight * effects.AtVec(i)
		}
		questionEffect /= whole.weight
		level += n * questionEffect
		drawn += n
		scores := make([]float64, f.models)
		for i, m := range f.present {
			scores[i] = row[m].total - row[m].weight*(questionEffect+effects.AtVec(i))
		}
		f.scores = append(f.scores, scores)
	}
	f.questions = len(f.scores)
	center := mat.Sum(&effects) / float64(f.models)
	for i, m := range f.present {
		f.deviation[m] = effects.AtVec(i) - center
		f.adjusted[m] = effects.AtVec(i) + level/drawn
	}
	f.grand = mean(f.adjusted)
	return f
}

func count(times []int, q int) int {
	if times == nil {
		return 1
	}
	return times[q]
}

func total(row []sums) sums {
	var t sums
	for _, c := range row {
		t.weight += c.weight
		t.total += c.total
	}
	return t
}

// Difference tests one model's adjusted score against the mean of all models.
//
// The standard error is robust to dependence within a question (sandwich,
// clustered by question) with the correction G/(G-1)·(N-1)/(N-P): G questions,
// N rows, P = models + questions - 1 coefficients. PNormal refers Z to the
// normal distribution, as the published p-values do; PT to Student's t with
// G-1 degrees of freedom, which is the safer of the two when questions are
// few. All but the estimate are undefined for one question, one model, no
// residual degrees of freedom, or an exact fit.
type Difference struct {
	Estimate Number   `json:"estimate"`
	SE       Number   `json:"se"`
	Z        Number   `json:"z"`
	PNormal  Number   `json:"p_normal"`
	PT       Number   `json:"p_t"`
	CINormal Interval `json:"ci_normal"`
	CIT      Interval `json:"ci_t"`
}

// exactFit is the standard error below which residuals are only rounding.
const exactFit = 1e-12

// correction is the small-sample factor for a fit to this many rows, NaN if undefined.
func (f *fit) correction(rows int) float64 {
	g, n, p := float64(f.questions), float64(rows), float64(f.models+f.questions-1)
	if g < 2 || n <= p {
		return math.NaN()
	}
	return g / (g - 1) * (n - 1) / (n - p)
}

// difference tests model m in a fit to this many rows; everything is undefined if there is no fit.
func (f *fit) difference(m, rows int) Difference {
	none := Undefined()
	d := Difference{none, none, none, none, none, UndefinedInterval(), UndefinedInterval()}
	if f == nil {
		return d
	}
	d.Estimate = Number(f.deviation[m])
	if !d.Estimate.Defined() || f.models < 2 {
		return d
	}
	contrast := mat.NewVecDense(f.models, nil)
	for i, present := range f.present {
		c := -1 / float64(f.models)
		if present == m {
			c++
		}
		contrast.SetVec(i, c)
	}
	var loading mat.VecDense
	loading.MulVec(f.bread, contrast)
	variance := 0.0
	for _, scores := range f.scores {
		s := mat.Dot(&loading, mat.NewVecDense(f.models, scores))
		variance += s * s
	}
	se := math.Sqrt(variance * f.correction(rows))
	if !(se > exactFit) {
		return d
	}
	z := f.deviation[m] / se
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(f.questions - 1)}
	around := func(width float64) Interval {
		return Interval{Number(f.deviation[m] - width), Number(f.deviation[m] + width)}
	}
	d.SE, d.Z = Number(se), Number(z)
	d.PNormal = Number(2 * distuv.UnitNormal.Survival(math.Abs(z)))
	d.PT = Number(2 * student.Survival(math.Abs(z)))
	d.CINormal = around(se * distuv.UnitNormal.Quantile(0.975))
	d.CIT = around(se * student.Quantile(0.975))
	return d
}
