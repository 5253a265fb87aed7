// Command intervals plants studies whose truth is known and counts how often
// each 95 % interval of the OvertonScore holds it.
//
//	go run ./bench/intervals -studies 200
//
// A study has the size of OvertonBench unless flags say otherwise. Its
// questions are drawn from a population of questions, its participants from a
// population of people; see plant for both. The truth of a model is the share
// of the planted groups whose expected rating reaches the threshold: on the
// study's own questions, and on average over the population of questions.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"text/tabwriter"
	"time"

	"overton/internal/cluster"
	"overton/internal/score"
	"overton/internal/window"
)

type settings struct {
	studies, participants, questions, each, models, votes int
	resamples, regroup, starts                            int
	seed                                                  uint64
}

func main() {
	var s settings
	flag.IntVar(&s.studies, "studies", 200, "studies to plant")
	flag.IntVar(&s.participants, "participants", 1208, "participants of a study")
	flag.IntVar(&s.questions, "questions", 60, "questions of a study")
	flag.IntVar(&s.each, "each", 3, "questions of a participant")
	flag.IntVar(&s.models, "models", 8, "models")
	flag.IntVar(&s.votes, "votes", 15, "votes of a participant on a question")
	flag.IntVar(&s.resamples, "resamples", 1000, "resamples of questions")
	flag.IntVar(&s.regroup, "regroup", 100, "resamples of participants")
	flag.IntVar(&s.starts, "starts", 3, "starts of k-means")
	flag.Uint64Var(&s.seed, "seed", 1, "seed")
	flag.Parse()
	if err := run(context.Background(), s); err != nil {
		log.Fatal(err)
	}
}

// tau is the threshold of all studies.
const tau = 4

// held counts how often an interval held what it should, and how wide and how
// far off center it was.
type held struct {
	n, hits    int
	width, off float64
}

func (h *held) count(ci score.Interval, estimate, truth float64) {
	if !ci.Defined() {
		return
	}
	h.n++
	if float64(ci.Low) <= truth && truth <= float64(ci.High) {
		h.hits++
	}
	h.width += float64(ci.High - ci.Low)
	h.off += estimate - truth
}

func run(ctx context.Context, s settings) error {
	started := time.Now()
	average := populationTruth(s)
	counts := map[string]*held{}
	var names []string
	count := func(name string, ci score.Interval, estimate, truth float64) {
		if counts[name] == nil {
			counts[name] = &held{}
			names = append(names, name)
		}
		counts[name].count(ci, estimate, truth)
	}
	groups := map[string]float64{}
	for i := range s.studies {
		st := plant(s, uint64(i))
		for _, kind := range []string{"planted groups", "found groups"} {
			o, err := st.score(ctx, s, kind == "found groups")
			if err != nil {
				return err
			}
			for _, q := range o.Questions {
				groups[kind] += float64(len(q.Groups)) / float64(len(o.Questions)*s.studies)
			}
			for m, model := range o.Models {
				own := st.truth[m]
				meanAverage := mean(average)
				raw, adjusted := float64(model.Raw), float64(model.Adjusted)
				qs, ps, both := model.Intervals.Questions, *model.Intervals.Participants, *model.Intervals.Both
				count(kind+"; raw; questions; population", qs.Raw, raw, average[m])
				count(kind+"; adjusted; questions; population", qs.Adjusted, adjusted, average[m])
				count(kind+"; raw; participants; own questions", ps.Raw, raw, own)
				count(kind+"; adjusted; participants; own questions", ps.Adjusted, adjusted, own)
				count(kind+"; raw; both; population", both.Raw, raw, average[m])
				count(kind+"; adjusted; both; population", both.Adjusted, adjusted, average[m])
				d := model.Difference
				count(kind+"; difference; normal; population", d.CINormal, float64(d.Estimate), average[m]-meanAverage)
				count(kind+"; difference; t; population", d.CIT, float64(d.Estimate), average[m]-meanAverage)
				count(kind+"; difference; t; own questions", d.CIT, float64(d.Estimate), own-mean(st.truth))
			}
		}
		fmt.Fprintf(os.Stderr, "%d of %d studies, %s\n", i+1, s.studies, time.Since(started).Round(time.Second))
	}
	fmt.Printf("%+v\nmean true score %.3f, groups by question: planted and met %.2f, found %.2f\n\n",
		s, mean(average), groups["planted groups"], groups["found groups"])
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "groups; score; interval; truth\tholds\tof\tmean width\tmean estimate less truth")
	for _, name := range names {
		h := counts[name]
		n := float64(h.n)
		fmt.Fprintf(t, "%s\t%.1f %%\t%d\t%.3f\t%+.3f\n", name, 100*float64(h.hits)/n, h.n, h.width/n, h.off/n)
	}
	return t.Flush()
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// question is one question of the population.
type question struct {
	share  []float64    // of each group in the population of people
	at     [][2]float64 // where each group stands in the plane of opinions
	rating [][]float64  // [group][model] latent mean rating
}

// drawQuestion draws a question from the population: 4 to 9 groups, each
// 0.6 times as frequent as the one before; group means of latent ratings vary
// by model, question, and most by group and model.
func drawQuestion(models int, rng *rand.Rand) question {
	var q question
	groups := 4 + rng.IntN(6)
	general := 3.6 + 0.3*rng.NormFloat64()
	sum := 0.0
	for g := range groups {
		q.share = append(q.share, math.Pow(0.6, float64(g)))
		sum += q.share[g]
		q.at = append(q.at, [2]float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()})
		row := make([]float64, models)
		for m := range row {
			quality := 0.6 * (float64(m)/float64(max(models-1, 1)) - 0.5)
			row[m] = general + quality + 0.9*rng.NormFloat64()
		}
		q.rating = append(q.rating, row)
	}
	for g := range q.share {
		q.share[g] /= sum
	}
	return q
}

// spread is the standard deviation of a latent rating around its group's mean.
const spread = 0.9

// observed rounds a latent rating to the scale.
func observed(latent float64) float64 { return math.Max(1, math.Min(5, math.Round(latent))) }

// expected is the mean observed rating of a group with this latent mean.
func expected(latent float64) float64 {
	below := func(x float64) float64 { return 0.5 * math.Erfc((latent-x)/(spread*math.Sqrt2)) }
	e := 5.0
	for cut := 1.5; cut < 5; cut++ {
		e -= below(cut)
	}
	return e
}

// truth is the share of the question's groups that each model covers.
func (q question) truth(models int) []float64 {
	t := make([]float64, models)
	for m := range t {
		for g := range q.share {
			if expected(q.rating[g][m]) >= tau {
				t[m] += 1 / float64(len(q.share))
			}
		}
	}
	return t
}

// populationTruth averages the truth over the population of questions.
func populationTruth(s settings) []float64 {
	const draws = 200000
	rng := rand.New(rand.NewPCG(s.seed, math.MaxUint64))
	sum := make([]float64, s.models)
	for range draws {
		for m, t := range drawQuestion(s.models, rng).truth(s.models) {
			sum[m] += t / draws
		}
	}
	return sum
}

// planted is one study and its truth.
type planted struct {
	ratings score.Ratings // with the planted groups
	votes   map[string]*cluster.Matrix
	truth   []float64 // on the study's questions
}

func plant(s settings, study uint64) *planted {
	rng := rand.New(rand.NewPCG(s.seed, study))
	p := &planted{votes: map[string]*cluster.Matrix{}, truth: make([]float64, s.models)}
	questions := make([]question, s.questions)
	seats := make([][]string, s.questions)
	for i := range s.participants * s.each {
		q := i % s.questions
		seats[q] = append(seats[q], strconv.Itoa(i/s.each))
	}
	for i := range questions {
		q := drawQuestion(s.models, rng)
		for m, t := range q.truth(s.models) {
			p.truth[m] += t / float64(s.questions)
		}
		name := strconv.Itoa(i)
		groups := make([]int, len(seats[i]))
		for k, who := range seats[i] {
			groups[k] = drawFrom(q.share, rng)
			for m := range s.models {
				p.ratings.Rows = append(p.ratings.Rows, score.Rating{
					Participant: who, Question: name, Model: strconv.Itoa(m),
					Value: observed(q.rating[groups[k]][m] + spread*rng.NormFloat64()),
					Group: strconv.Itoa(groups[k]),
				})
			}
		}
		p.votes[name] = votes(s, q, seats[i], groups, rng)
	}
	return p
}

func drawFrom(shares []float64, rng *rand.Rand) int {
	x := rng.Float64()
	for g, share := range shares {
		if x -= share; x < 0 {
			return g
		}
	}
	return len(shares) - 1
}

// votes lets everybody vote on some statements of others. A statement is where
// its author's group is, a little off; people agree the more, the more it
// points their way, and a seventh of the votes is neutral.
func votes(s settings, q question, who []string, groups []int, rng *rand.Rand) *cluster.Matrix {
	statement := make([][2]float64, len(who))
	for j, g := range groups {
		statement[j] = [2]float64{q.at[g][0] + 0.5*rng.NormFloat64(), q.at[g][1] + 0.5*rng.NormFloat64()}
	}
	b := cluster.NewBuilder()
	for i, g := range groups {
		asked := 0
		for _, j := range rng.Perm(len(who)) {
			if j == i || asked == s.votes {
				continue
			}
			asked++
			dot := q.at[g][0]*statement[j][0] + q.at[g][1]*statement[j][1]
			v := cluster.Disagree
			switch {
			case rng.IntN(7) == 0:
				v = cluster.Neutral
			case rng.Float64() < 1/(1+math.Exp(-dot)):
				v = cluster.Agree
			}
			b.Vote(who[i], strconv.Itoa(j), v)
		}
	}
	return b.Matrix()
}

// score scores the study with its planted groups or with those found in the
// votes, which the intervals then find anew.
func (p *planted) score(ctx context.Context, s settings, find bool) (*score.Overton, error) {
	r := p.ratings
	var regroup score.Regroup
	if find {
		options := cluster.DefaultOptions()
		options.Starts = s.starts
		found, groups, err := p.found(ctx, options)
		if err != nil {
			return nil, err
		}
		r, regroup = found, window.Regroup(p.votes, groups, options)
	}
	params := score.Parameters{Tau: tau, Missing: score.Uncovered, Bootstrap: s.resamples, Seed: s.seed}
	o, err := score.OvertonScore(r, params)
	if err != nil {
		return nil, err
	}
	o.Parameters.Bootstrap = s.regroup
	err = o.BootstrapParticipants(ctx, r, regroup, func() {})
	runtime.GC()
	return o, err
}

// found replaces the planted groups by those found in the votes.
func (p *planted) found(ctx context.Context, o cluster.Options) (score.Ratings, error) {
	group := map[[2]string]string{}
	for name, m := range p.votes {
		result, err := cluster.Run(ctx, m, o)
		if err != nil {
			return score.Ratings{}, err
		}
		for _, who := range result.Participants {
			group[[2]string{who.ID, name}] = strconv.Itoa(who.Group)
		}
	}
	r := score.Ratings{Rows: make([]score.Rating, len(p.ratings.Rows))}
	for i, row := range p.ratings.Rows {
		row.Group = group[[2]string{row.Participant, row.Question}]
		r.Rows[i] = row
	}
	return r, nil
}
