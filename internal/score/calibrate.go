package score

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// CalibrationMethod is a way of turning a judge's ratings into what people gave in the same cases.
type CalibrationMethod string

const (
	// Isotonic is the mean human rating as a non-decreasing function of the prediction (pool adjacent
	// violators), linear between predictions.
	Isotonic CalibrationMethod = "isotonic"

	// Ordinal is the expected human rating under a proportional-odds model,
	// P(rating ≤ k) = logistic(θ_k - β·prediction) with β ≥ 0 (McCullagh 1980).
	Ordinal CalibrationMethod = "ordinal"
)

// Calibration is a judge whose ratings were calibrated to people's, separately for each question.
type Calibration struct {
	Method CalibrationMethod `json:"method"`
	Folds  int               `json:"folds"`
	Seed   uint64            `json:"seed"`

	// Curves[i] is what predictions of 1, 2, 3, 4 and 5 become on a question.
	Curves []CalibrationCurve `json:"curves"`

	// Predictions are the calibrated ratings, one for each row: each by a function fitted without any rating
	// of its participant. NaN if there was no prediction, or nobody else on the question to learn from.
	Predictions []float64 `json:"-"`

	whole map[string]func(float64) float64 // by question, fitted to all its rows
}

// CalibrationCurve is the calibration of one question from all its ratings.
type CalibrationCurve struct {
	Question string    `json:"question"`
	Ratings  int       `json:"ratings"`
	Becomes  [5]Number `json:"becomes"`
}

// Calibrate fits the people's ratings on a question to the judge's predictions for the same rows. Each
// participant's predictions are calibrated with the ratings of others on the same question: the question's
// participants are divided into folds.
func Calibrate(r Ratings, predictions []float64, method CalibrationMethod, folds int, seed uint64) (*Calibration, error) {
	fit := map[CalibrationMethod]func([]calibrationPair) func(float64) float64{Isotonic: fitIsotonic, Ordinal: fitOrdinal}[method]
	switch {
	case fit == nil:
		return nil, fmt.Errorf("calibrating: there is no method %q; expected isotonic or ordinal", method)
	case folds < 2:
		return nil, fmt.Errorf("calibrating: %d folds; expected 2 or more", folds)
	case len(predictions) != len(r.Rows):
		return nil, fmt.Errorf("calibrating: %d predictions for %d ratings", len(predictions), len(r.Rows))
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("calibrating: %w", err)
	}
	c := &Calibration{Method: method, Folds: folds, Seed: seed,
		Predictions: slices.Repeat([]float64{math.NaN()}, len(r.Rows)), whole: map[string]func(float64) float64{}}
	at := r.order()
	rng := rand.New(rand.NewPCG(seed, streamCalibration))
	for len(at) > 0 {
		question := r.Rows[at[0]].Question
		n := slices.IndexFunc(at, func(i int) bool { return r.Rows[i].Question != question })
		if n < 0 {
			n = len(at)
		}
		c.question(r, predictions, at[:n], fit, rng)
		at = at[n:]
	}
	return c, nil
}

// Apply calibrates a prediction on a question by all ratings of the question,
// for responses that nobody rated. NaN on a question that has none.
func (c *Calibration) Apply(question string, prediction float64) float64 {
	if f := c.whole[question]; f != nil && !math.IsNaN(prediction) {
		return f(prediction)
	}
	return math.NaN()
}

// calibrationPair is a rating with its prediction.
type calibrationPair struct{ predicted, human float64 }

// question calibrates the rows of one question, which are in the order of their participants.
func (c *Calibration) question(r Ratings, predictions []float64, rows []int,
	fit func([]calibrationPair) func(float64) float64, rng *rand.Rand) {
	fold := map[string]int{}
	var people []string
	for _, i := range rows {
		if id := r.Rows[i].Participant; len(people) == 0 || people[len(people)-1] != id {
			people = append(people, id)
		}
	}
	for place, person := range rng.Perm(len(people)) {
		fold[people[person]] = place % c.Folds
	}
	pairs := func(use func(i int) bool) (list []calibrationPair) {
		for _, i := range rows {
			if !math.IsNaN(predictions[i]) && !math.IsNaN(r.Rows[i].Value) && use(i) {
				list = append(list, calibrationPair{predictions[i], r.Rows[i].Value})
			}
		}
		return list
	}
	for f := range c.Folds {
		others := pairs(func(i int) bool { return fold[r.Rows[i].Participant] != f })
		if len(others) == 0 {
			continue
		}
		calibrated := fit(others)
		for _, i := range rows {
			if fold[r.Rows[i].Participant] == f && !math.IsNaN(predictions[i]) {
				c.Predictions[i] = calibrated(predictions[i])
			}
		}
	}
	all := pairs(func(int) bool { return true })
	if len(all) == 0 {
		return
	}
	question := r.Rows[rows[0]].Question
	c.whole[question] = fit(all)
	curve := CalibrationCurve{Question: question, Ratings: len(all)}
	for k := range curve.Becomes {
		curve.Becomes[k] = Number(c.whole[question](float64(k + 1)))
	}
	c.Curves = append(c.Curves, curve)
}

// fitIsotonic pools adjacent violators (Barlow and others 1972).
func fitIsotonic(pairs []calibrationPair) func(float64) float64 {
	pairs = slices.Clone(pairs)
	slices.SortStableFunc(pairs, func(a, b calibrationPair) int { return cmp.Compare(a.predicted, b.predicted) })
	type block struct {
		sum, n float64
		x      []float64 // the predictions in it
	}
	var blocks []block
	for i := 0; i < len(pairs); {
		b := block{x: []float64{pairs[i].predicted}}
		for ; i < len(pairs) && pairs[i].predicted == b.x[0]; i++ {
			b.sum += pairs[i].human
			b.n++
		}
		blocks = append(blocks, b)
		for n := len(blocks); n > 1 && blocks[n-2].sum/blocks[n-2].n >= blocks[n-1].sum/blocks[n-1].n; n = len(blocks) {
			last := blocks[n-1]
			blocks = blocks[:n-1]
			into := &blocks[n-2]
			into.sum, into.n, into.x = into.sum+last.sum, into.n+last.n, append(into.x, last.x...)
		}
	}
	var xs, ys []float64
	for _, b := range blocks {
		for _, x := range b.x {
			xs, ys = append(xs, x), append(ys, b.sum/b.n)
		}
	}
	return func(x float64) float64 {
		i, found := slices.BinarySearch(xs, x)
		switch {
		case found:
			return ys[i]
		case i == 0:
			return ys[0]
		case i == len(xs):
			return ys[len(ys)-1]
		}
		share := (x - xs[i-1]) / (xs[i] - xs[i-1])
		return ys[i-1] + share*(ys[i]-ys[i-1])
	}
}

// ordinalRidge limits the slope when predictions separate the ratings without error, in which case the
// likelihood has no maximum.
const ordinalRidge = 1e-3

// fitOrdinal fits the proportional-odds model by maximum likelihood, with a
// little ridge on the slope. Ratings that nobody gave have no threshold.
func fitOrdinal(pairs []calibrationPair) func(float64) float64 {
	var given [6]bool
	for _, p := range pairs {
		given[wholeRating(p.human)] = true
	}
	var ratings []float64 // given, ascending
	var class [6]int
	for k := 1; k <= 5; k++ {
		if given[k] {
			class[k] = len(ratings)
			ratings = append(ratings, float64(k))
		}
	}
	if len(ratings) == 1 {
		return func(float64) float64 { return ratings[0] }
	}
	model := ordinalModel{ratings: ratings}
	cells := map[ordinalCell]int{} // place in model.cells
	for _, p := range pairs {
		cell := ordinalCell{p.predicted, class[wholeRating(p.human)]}
		at, ok := cells[cell]
		if !ok {
			at = len(model.cells)
			cells[cell] = at
			model.cells, model.counts = append(model.cells, cell), append(model.counts, 0)
		}
		model.counts[at]++
	}
	start := make([]float64, len(ratings)) // thresholds as steps, then the slope
	result, err := optimize.Minimize(optimize.Problem{Func: model.loss, Grad: model.gradient}, start,
		&optimize.Settings{GradientThreshold: 1e-8, MajorIterations: 1000}, &optimize.BFGS{})
	best := start
	if result != nil && (err == nil || result.F < model.loss(start)) {
		best = result.X // also where the line search ends at the limit of precision
	}
	if best[len(best)-1] < 0 { // the likeliest slope of those allowed is 0: everyone's shares
		model.flat = true
		model.setShares()
	}
	return func(x float64) float64 { return model.expected(best, x) }
}

type ordinalCell struct {
	x     float64
	class int
}

// ordinalModel is the likelihood of ratings in classes. Its parameters are the
// first threshold, the logarithms of the steps to each next one, and the slope.
type ordinalModel struct {
	ratings []float64
	cells   []ordinalCell
	counts  []float64

	flat   bool
	shares []float64 // of the classes, if flat
}

func (m *ordinalModel) setShares() {
	m.shares = make([]float64, len(m.ratings))
	total := 0.0
	for i, c := range m.cells {
		m.shares[c.class] += m.counts[i]
		total += m.counts[i]
	}
	for k := range m.shares {
		m.shares[k] /= total
	}
}

func (m *ordinalModel) thresholds(p []float64) []float64 {
	t := make([]float64, len(p)-1)
	for k := range t {
		if k == 0 {
			t[k] = p[0]
		} else {
			t[k] = t[k-1] + math.Exp(p[k])
		}
	}
	return t
}

// bounds are the logits above and below a class at x.
func (m *ordinalModel) bounds(thresholds []float64, class int, shift float64) (upper, lower float64) {
	upper, lower = math.Inf(1), math.Inf(-1)
	if class < len(thresholds) {
		upper = thresholds[class] - shift
	}
	if class > 0 {
		lower = thresholds[class-1] - shift
	}
	return upper, lower
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// between is logistic(upper) - logistic(lower), without cancellation.
func between(upper, lower float64) float64 {
	if lower > 0 {
		upper, lower = -lower, -upper
	}
	return max(logistic(upper)-logistic(lower), 1e-300)
}

func (m *ordinalModel) loss(p []float64) float64 {
	slope := p[len(p)-1]
	thresholds := m.thresholds(p)
	loss := ordinalRidge / 2 * slope * slope
	for i, c := range m.cells {
		loss -= m.counts[i] * math.Log(between(m.bounds(thresholds, c.class, slope*(c.x-3))))
	}
	return loss
}

func (m *ordinalModel) gradient(g, p []float64) {
	clear(g)
	slope := p[len(p)-1]
	thresholds := m.thresholds(p)
	byThreshold := make([]float64, len(thresholds))
	last := len(p) - 1
	for i, c := range m.cells {
		upper, lower := m.bounds(thresholds, c.class, slope*(c.x-3))
		share := between(upper, lower)
		if c.class < len(thresholds) {
			d := m.counts[i] * logistic(upper) * logistic(-upper) / share
			byThreshold[c.class] -= d
			g[last] += d * (c.x - 3)
		}
		if c.class > 0 {
			d := m.counts[i] * logistic(lower) * logistic(-lower) / share
			byThreshold[c.class-1] += d
			g[last] -= d * (c.x - 3)
		}
	}
	g[last] += ordinalRidge * slope
	above := 0.0 // a step moves its own threshold and all above
	for k := len(thresholds) - 1; k >= 0; k-- {
		above += byThreshold[k]
		if k == 0 {
			g[0] = above
		} else {
			g[k] = above * math.Exp(p[k])
		}
	}
}

// expected is the mean rating at a prediction.
func (m *ordinalModel) expected(p []float64, x float64) float64 {
	mean := 0.0
	thresholds := m.thresholds(p)
	for k, rating := range m.ratings {
		share := between(m.bounds(thresholds, k, p[len(p)-1]*(x-3)))
		if m.flat {
			share = m.shares[k]
		}
		mean += share * rating
	}
	return mean
}
