package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"overton/internal/cluster"
	"overton/internal/score"
	"overton/internal/window"
)

type settings struct {
	studies, participants, questions, each, models, votes int
	resamples, regroup, starts                            int
	seed                                                  uint64
}

func newIntervals() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "intervals",
		Short: "Count how often the intervals of the OvertonScore hold the truth of planted studies",
		Long: `Plant studies whose truth is known and count how often each 95 % interval of the
OvertonScore holds it.

A study has the size of OvertonBench unless flags say otherwise. Its questions
are drawn from a population of questions, its participants from a population of
people. The truth of a model is the share of the planted groups whose expected
rating reaches the threshold: on the study's own questions, and on average over
the population of questions. Ctrl-C ends early and writes what there is.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return intervals(cmd.Context(), s) },
	}
	f := cmd.Flags()
	f.IntVar(&s.studies, "studies", 200, "studies to plant")
	f.IntVar(&s.participants, "participants", 1208, "participants of a study")
	f.IntVar(&s.questions, "questions", 60, "questions of a study")
	f.IntVar(&s.each, "each", 3, "questions of a participant")
	f.IntVar(&s.models, "models", 8, "models")
	f.IntVar(&s.votes, "votes", 15, "votes of a participant on a question")
	f.IntVar(&s.resamples, "resamples", 1000, "resamples of questions")
	f.IntVar(&s.regroup, "regroup", 60, "resamples of participants")
	f.IntVar(&s.starts, "starts", 3, "starts of k-means")
	f.Uint64Var(&s.seed, "seed", 1, "seed")
	return cmd
}

// tau is the threshold of all studies.
const tau = 4

// claim is one interval of one model in one study, and the true value.
type claim struct {
	ci              score.Interval
	estimate, truth float64
}

// ledger keeps claims by name and model.
type ledger struct {
	names  []string
	claims map[string][][]claim // [model][study]
}

func (l *ledger) add(name string, model, models int, c claim) {
	if l.claims[name] == nil {
		l.names = append(l.names, name)
		l.claims[name] = make([][]claim, models)
	}
	l.claims[name][model] = append(l.claims[name][model], c)
}

// reflected turns a percentile interval into the basic bootstrap interval,
// which takes the resamples' shift away from the estimate for the estimate's
// own shift away from the truth.
func reflected(ci score.Interval, estimate float64) score.Interval {
	return score.Interval{Low: score.Number(2*estimate) - ci.High, High: score.Number(2*estimate) - ci.Low}
}

// centered moves a percentile interval so that its middle is the estimate: the
// resamples' shift away from the estimate is taken out.
func centered(ci score.Interval, estimate float64) score.Interval {
	half := (ci.High - ci.Low) / 2
	return score.Interval{Low: score.Number(estimate) - half, High: score.Number(estimate) + half}
}

// print says of every kind of interval how often it held the truth, and how
// often the mean of the estimates over all studies: what a study of this size
// gives on average, however far that is from the truth.
func (l *ledger) print() error {
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "interval\tholds truth\tholds mean estimate\tof\tmean width\tmean estimate less truth")
	for _, name := range l.names {
		n, truth, average, width, off := 0.0, 0, 0, 0.0, 0.0
		for _, claims := range l.claims[name] {
			center := 0.0
			for _, c := range claims {
				center += c.estimate / float64(len(claims))
			}
			for _, c := range claims {
				if !c.ci.Defined() {
					continue
				}
				n++
				low, high := float64(c.ci.Low), float64(c.ci.High)
				if low <= c.truth && c.truth <= high {
					truth++
				}
				if low <= center && center <= high {
					average++
				}
				width += high - low
				off += c.estimate - c.truth
			}
		}
		fmt.Fprintf(t, "%s\t%.1f %%\t%.1f %%\t%.0f\t%.3f\t%+.3f\n", name, 100*float64(truth)/n, 100*float64(average)/n, n, width/n, off/n)
	}
	return t.Flush()
}

func intervals(ctx context.Context, s settings) error {
	started := time.Now()
	average := populationTruth(s)
	l := &ledger{claims: map[string][][]claim{}}
	groups := map[string]float64{}
	for i := range s.studies {
		if ctx.Err() != nil {
			s.studies = i // interrupted: say what there is
			break
		}
		for _, fixed := range []bool{false, true} {
			st := plant(s, uint64(i), fixed)
			for _, kind := range []string{"planted groups", "found groups"} {
				o, err := st.score(context.WithoutCancel(ctx), s, kind == "found groups")
				if err != nil {
					return err
				}
				for _, q := range o.Questions {
					groups[kind] += float64(len(q.Groups)) / float64(2*len(o.Questions))
				}
				if fixed {
					l.fixed(kind, o, st.truth)
				} else {
					l.redrawn(kind, o, average)
				}
			}
		}
		fmt.Fprintf(os.Stderr, "%d of %d studies, %s\n", i+1, s.studies, time.Since(started).Round(time.Second))
	}
	fmt.Printf("%+v\nmean true score %.3f, groups by question: planted and met %.2f, found %.2f\n\n",
		s, mean(average), groups["planted groups"]/float64(s.studies), groups["found groups"]/float64(s.studies))
	return l.print()
}

// redrawn records the intervals of a study whose questions and participants
// were drawn anew; the truth is that of the population of questions.
func (l *ledger) redrawn(kind string, o *score.Overton, truth []float64) {
	for m, model := range o.Models {
		add := func(name string, ci score.Interval, estimate, truth float64) {
			l.add(kind+", "+name, m, len(o.Models), claim{ci, estimate, truth})
		}
		raw, adjusted, d := float64(model.Raw), float64(model.Adjusted), model.Difference
		add("raw, questions", model.Intervals.Questions.Raw, raw, truth[m])
		add("adjusted, questions", model.Intervals.Questions.Adjusted, adjusted, truth[m])
		add("raw, both", model.Intervals.Both.Raw, raw, truth[m])
		add("adjusted, both", model.Intervals.Both.Adjusted, adjusted, truth[m])
		add("adjusted, both, reflected", reflected(model.Intervals.Both.Adjusted, adjusted), adjusted, truth[m])
		add("adjusted, both, centered", centered(model.Intervals.Both.Adjusted, adjusted), adjusted, truth[m])
		add("difference, normal", d.CINormal, float64(d.Estimate), truth[m]-mean(truth))
		add("difference, t", d.CIT, float64(d.Estimate), truth[m]-mean(truth))
	}
}

// fixed records the intervals of a study on questions that stay the same, with
// participants drawn anew; the truth is that of these questions.
func (l *ledger) fixed(kind string, o *score.Overton, truth []float64) {
	for m, model := range o.Models {
		add := func(name string, ci score.Interval, estimate float64) {
			l.add(kind+", same questions, "+name, m, len(o.Models), claim{ci, estimate, truth[m]})
		}
		raw, adjusted := float64(model.Raw), float64(model.Adjusted)
		add("raw, participants", model.Intervals.Participants.Raw, raw)
		add("adjusted, participants", model.Intervals.Participants.Adjusted, adjusted)
		add("raw, participants, centered", centered(model.Intervals.Participants.Raw, raw), raw)
		add("adjusted, participants, centered", centered(model.Intervals.Participants.Adjusted, adjusted), adjusted)
		add("adjusted, participants, reflected", reflected(model.Intervals.Participants.Adjusted, adjusted), adjusted)
	}
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

// plantedStudy is one study and its truth.
type plantedStudy struct {
	ratings score.Ratings // with the planted groups
	votes   map[string]*cluster.Matrix
	truth   []float64 // on the study's questions
}

// plant draws a study. With fixed questions every study has the same ones.
func plant(s settings, study uint64, fixed bool) *plantedStudy {
	rng := rand.New(rand.NewPCG(s.seed, study))
	questionRNG := rng
	if fixed {
		rng = rand.New(rand.NewPCG(s.seed+1, study))
		questionRNG = rand.New(rand.NewPCG(s.seed, math.MaxUint64-1))
	}
	p := &plantedStudy{votes: map[string]*cluster.Matrix{}, truth: make([]float64, s.models)}
	questions := make([]question, s.questions)
	seats := make([][]string, s.questions)
	for i := range s.participants * s.each {
		q := i % s.questions
		seats[q] = append(seats[q], strconv.Itoa(i/s.each))
	}
	for i := range questions {
		q := drawQuestion(s.models, questionRNG)
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
func (p *plantedStudy) score(ctx context.Context, s settings, find bool) (*score.Overton, error) {
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
	return o, o.BootstrapParticipants(ctx, r, regroup, func() {})
}

// found replaces the planted groups by those found in the votes.
func (p *plantedStudy) found(ctx context.Context, o cluster.Options) (score.Ratings, map[string]*cluster.Result, error) {
	group := map[[2]string]string{}
	results := map[string]*cluster.Result{}
	for name, m := range p.votes {
		result, err := cluster.Run(ctx, m, o)
		if err != nil {
			return score.Ratings{}, nil, err
		}
		results[name] = result
		for _, who := range result.Participants {
			group[[2]string{who.ID, name}] = strconv.Itoa(who.Group)
		}
	}
	r := score.Ratings{Rows: make([]score.Rating, len(p.ratings.Rows))}
	for i, row := range p.ratings.Rows {
		row.Group = group[[2]string{row.Participant, row.Question}]
		r.Rows[i] = row
	}
	return r, results, nil
}
