package window

import (
	"context"
	"fmt"

	"overton/internal/cluster"
	"overton/internal/score"
)

// regroupStarts is the number of starts of the block model in a resample.
const regroupStarts = 3

// Regroup finds groups again among participants drawn with replacement, with the options that found them the
// first time. It provides the uncertainty about groups for score.BootstrapParticipants. votes holds the
// matrix of every question. A participant who was drawn more than once votes once: the copies, closer to each
// other than two people ever are, would look like a group. All copies belong to the group found. A
// participant without votes, or with too few, has no group.
//
// The number of groups is chosen again unless found, the first results, says that a question has one group
// only: whether there is more than one is not tested again, which would cost ten times as much as the rest.
// The block model is fitted from fewer starts than the first time: with votes of a study's size, more starts
// hardly ever find a likelier grouping.
func Regroup(votes map[string]*cluster.Matrix, found map[string]*cluster.Result, o cluster.Options) score.Regroup {
	o.Resamples = 0
	if o.Method == cluster.Block {
		o.Starts = min(o.Starts, regroupStarts)
	}
	rows := make(map[string]map[string]int, len(votes))
	for question, m := range votes {
		rows[question] = map[string]int{}
		participants, _ := m.Dims()
		for i := range participants {
			rows[question][m.Participant(i)] = i
		}
	}
	return func(ctx context.Context, question string, drawn []string, seed uint64) ([]int, error) {
		m := votes[question]
		if m == nil {
			return nil, fmt.Errorf("there are no votes on question %s", question)
		}
		options := o
		options.Seed = seed
		if first := found[question]; first != nil && first.K == 1 {
			options.K = 1
		}
		result, err := cluster.Run(ctx, only(m, rows[question], drawn), options)
		if err != nil {
			return nil, err
		}
		group := make(map[string]int, len(result.Participants))
		for _, p := range result.Participants {
			group[p.ID] = p.Group
		}
		labels := make([]int, len(drawn))
		for i, id := range drawn {
			if g, ok := group[id]; ok {
				labels[i] = g
			} else {
				labels[i] = -1
			}
		}
		return labels, nil
	}
}

// only keeps the rows of m that were drawn.
func only(m *cluster.Matrix, rows map[string]int, drawn []string) *cluster.Matrix {
	b := cluster.NewBuilder()
	_, statements := m.Dims()
	for j := range statements {
		b.Statement(m.Statement(j))
	}
	for _, id := range drawn {
		if from, ok := rows[id]; ok {
			row := b.Participant(id)
			columns, votes := m.Row(from)
			for k, j := range columns {
				b.Cell(row, int(j), votes[k])
			}
		}
	}
	return b.Matrix()
}
