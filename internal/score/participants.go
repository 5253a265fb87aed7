package score

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
)

// Regroup finds the viewpoint groups among participants drawn with replacement. drawn lists the draws of one
// question, in which a participant drawn twice appears twice; the result has a group number for each draw, 0
// or more, or -1 for a draw in no group. It is called from several goroutines at once and must depend only on
// its arguments.
type Regroup func(ctx context.Context, question string, drawn []string, seed uint64) ([]int, error)

// BootstrapParticipants computes the intervals of o that come from resampling participants: every resample
// draws each question's participants with replacement, finds the groups among them with regroup, and scores
// the models (Intervals.Participants); on the same draws it also resamples the questions (Intervals.Both).
// With a nil regroup everyone keeps the group of the ratings. o must be the score of r. Subsets get intervals
// as if they were scored alone.
//
// step is called after each resample, from several goroutines: Resamplings
// times.
func (o *Overton) BootstrapParticipants(ctx context.Context, r Ratings, regroup Regroup, step func()) error {
	if o.Parameters.Bootstrap == 0 {
		return nil
	}
	for i := range o.Subsets {
		s := &o.Subsets[i]
		part, err := r.where(s.Attribute, s.Value)
		if err != nil {
			return fmt.Errorf("resampling the participants: %w", err)
		}
		alone := &Overton{Models: s.Models, Questions: s.scored, Parameters: o.Parameters}
		if err := alone.BootstrapParticipants(ctx, part, regroup, step); err != nil {
			return fmt.Errorf("%s = %s: %w", s.Attribute, s.Value, err)
		}
	}
	pools := poolParticipants(r, o, regroup == nil)
	people := make([]estimates, o.Parameters.Bootstrap)
	both := make([]estimates, o.Parameters.Bootstrap)
	faults := make([]error, o.Parameters.Bootstrap)
	var failed atomic.Bool
	inParallel(o.Parameters.Bootstrap, func(b int) {
		if failed.Load() {
			return
		}
		people[b], both[b], faults[b] = resamplePools(ctx, pools, b, regroup, o.Parameters)
		if faults[b] != nil {
			failed.Store(true)
			return
		}
		step()
	})
	for b, err := range faults {
		if err != nil {
			return fmt.Errorf("resample %d of the participants: %w", b+1, err)
		}
	}
	for m := range o.Models {
		p, b := scoreIntervals(people, m), scoreIntervals(both, m)
		o.Models[m].Intervals.Participants, o.Models[m].Intervals.Both = &p, &b
	}
	o.Regrouped = regroup != nil
	return nil
}

// Resamplings is how often BootstrapParticipants calls step.
func (o *Overton) Resamplings() int { return o.Parameters.Bootstrap * (1 + len(o.Subsets)) }

// resamplePools scores resample b. Every resample has its own stream of random numbers, so that it does not
// matter which goroutine computes it, or when.
func resamplePools(ctx context.Context, pools []pool, b int, regroup Regroup, params Parameters) (people, both estimates, err error) {
	rng := rand.New(rand.NewPCG(params.Seed, streamParticipants<<32|uint64(b)))
	outcomes := make([][]outcome, len(pools))
	for q, pool := range pools {
		if err := ctx.Err(); err != nil {
			return people, both, err
		}
		if outcomes[q], err = pool.resample(ctx, rng, regroup, params); err != nil {
			return people, both, fmt.Errorf("question %s: %w", pool.question, err)
		}
	}
	return estimate(outcomes, nil), estimate(outcomes, drawTimes(len(outcomes), rng)), nil
}

// pool is one question's participants, from whom resamples are drawn.
type pool struct {
	question string
	ids      []string
	group    []int // as in the ratings, -1 for none
	weight   []float64
	values   [][]float64 // [participant][model], NaN: not rated
}

// poolParticipants lists the participants of every scored question in the order of their identifiers. Those
// without a group are in a pool only if groups are recomputed.
func poolParticipants(r Ratings, o *Overton, grouped bool) []pool {
	models := map[string]int{}
	for m := range o.Models {
		models[o.Models[m].Model] = m
	}
	rows := map[string]map[string][]Rating{}
	for _, row := range r.Rows {
		if math.IsNaN(row.Value) || grouped && row.Group == "" {
			continue
		}
		if rows[row.Question] == nil {
			rows[row.Question] = map[string][]Rating{}
		}
		rows[row.Question][row.Participant] = append(rows[row.Question][row.Participant], row)
	}
	pools := make([]pool, len(o.Questions))
	for q, question := range o.Questions {
		people := rows[question.Question]
		p := pool{question: question.Question, ids: sortedIDs(people)}
		for _, id := range p.ids {
			values := make([]float64, len(models))
			for m := range values {
				values[m] = math.NaN()
			}
			for _, row := range people[id] {
				values[models[row.Model]] = row.Value
			}
			label := people[id][0].Group
			p.values = append(p.values, values)
			p.group = append(p.group, slices.IndexFunc(question.Groups, func(g Group) bool { return g.Group == label }))
			p.weight = append(p.weight, o.Parameters.weight(id))
		}
		pools[q] = p
	}
	return pools
}

// resample draws as many participants as there are and scores every model on
// their groups.
func (p pool) resample(ctx context.Context, rng *rand.Rand, regroup Regroup, params Parameters) ([]outcome, error) {
	drawn := make([]int, len(p.ids))
	labels := make([]int, len(p.ids))
	for i := range drawn {
		drawn[i] = rng.IntN(len(p.ids))
		labels[i] = p.group[drawn[i]]
	}
	if regroup != nil {
		ids := make([]string, len(drawn))
		for i, d := range drawn {
			ids[i] = p.ids[d]
		}
		var err error
		if labels, err = regroup(ctx, p.question, ids, rng.Uint64()); err != nil {
			return nil, err
		}
		if len(labels) != len(drawn) {
			return nil, fmt.Errorf("%d group numbers for %d participants", len(labels), len(drawn))
		}
	}
	return p.outcomes(drawn, labels, params), nil
}

// outcomes scores every model on the drawn participants under labels.
func (p pool) outcomes(drawn, labels []int, params Parameters) []outcome {
	models := len(p.values[0])
	groups := make([]Group, slices.Max(labels)+1)
	cells := make([]cell, models*len(groups)) // [model][group]
	for i, d := range drawn {
		g := labels[i]
		if g < 0 {
			continue
		}
		w := p.weight[d]
		groups[g].Size += w
		for m, v := range p.values[d] {
			if !math.IsNaN(v) {
				c := &cells[m*len(groups)+g]
				c.weight += w
				c.sum += w * v
			}
		}
	}
	// No member of some group may have been drawn.
	kept := 0
	for g := range groups {
		if groups[g].Size > 0 {
			groups[kept] = groups[g]
			for m := range models {
				cells[m*len(groups)+kept] = cells[m*len(groups)+g]
			}
			kept++
		}
	}
	result := make([]outcome, models)
	for m := range result {
		result[m] = applyThreshold(groups[:kept], cells[m*len(groups):m*len(groups)+kept], params.Tau, params.Missing)
	}
	return result
}
