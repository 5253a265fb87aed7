// Package cluster finds the viewpoint groups of one question: it turns votes into a sparse matrix, places
// participants and statements in a plane, groups the participants, and says how certain the result is.
//
// The methods share one entry point, [Run]. [Overton], the default, does not depend on order: the same votes
// give the same bytes in any order of rows and columns and on any number of cores. The same is true of
// [Paper], its form in the benchmark's paper, and of [Block], a latent block model that also uses who wrote
// each statement. [Polis] follows the Polis system (Small et al., 2021) step by step, including its
// dependence on row order.
//
// File formats belong to package dataset, decisions about which statement to show next to package study.
// Nothing here reads a clock, a file or a global random source.
package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Method names a way to find groups.
type Method string

const (
	// Overton projects participants on two principal components and groups them
	// by k-means from several seeded starts, k by mean silhouette.
	Overton Method = "overton"
	// Paper is the method of OvertonBench (2026) as far as it is published: that of Overton, but never with a
	// single group.
	Paper Method = "paper"
	// Polis is the pipeline of the Polis system, which depends on order.
	Polis Method = "polis"
	// Block is a latent block model of votes and authorship. If the number of groups is not given, it leaves
	// out people whose votes do not depend on the statements.
	Block Method = "block"
)

// Methods lists the methods that Run knows.
func Methods() []Method { return []Method{Overton, Paper, Polis, Block} }

// Options are the parameters of one run. Their JSON form is what a result
// records under "parameters"; K = 0 is written "auto".
type Options struct {
	Method   Method `json:"method"`
	K        int    `json:"k"`         // number of groups; 0 chooses it
	KMax     int    `json:"kmax"`      // largest number of groups tried when K is 0
	MinVotes int    `json:"min_votes"` // participants with fewer votes (or fewer than there are statements) are left out
	Seed     uint64 `json:"seed"`
	Starts   int    `json:"starts"` // seeded starts of each optimisation
	// Resamples is the number of times that each kind of doubt is measured; 0 measures none, and a single
	// group can then never be found.
	Resamples int `json:"resamples"`

	// Participants, when not nil, names those to be grouped and replaces the rule of MinVotes. Polis keeps
	// such a list: a person who once had enough votes stays.
	Participants []string `json:"participants,omitempty"`
}

// DefaultOptions returns the default parameters of commands.
func DefaultOptions() Options {
	return Options{Method: Overton, KMax: 10, MinVotes: 7, Seed: 1, Starts: 10, Resamples: 20}
}

// MarshalJSON writes K = 0 as "auto".
func (o Options) MarshalJSON() ([]byte, error) {
	type plain Options
	var k any = "auto"
	if o.K > 0 {
		k = o.K
	}
	return json.Marshal(struct {
		plain
		K any `json:"k"`
	}{plain(o), k})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Options) UnmarshalJSON(b []byte) error {
	type plain Options
	in := struct {
		*plain
		K any `json:"k"`
	}{plain: (*plain)(o)}
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	switch k := in.K.(type) {
	case float64:
		o.K = int(k)
	case string:
		if k != "auto" {
			return fmt.Errorf("k %q: expected a number or \"auto\"", k)
		}
		o.K = 0
	}
	return nil
}

// maxGroups limits the number of groups, and with it time and memory.
const maxGroups = 100

// Check returns an error that names the first parameter out of range.
func (o Options) Check() error {
	switch {
	case !slices.Contains(Methods(), o.Method):
		return fmt.Errorf("method %q: expected one of %v", o.Method, Methods())
	case o.K < 0 || o.K > maxGroups:
		return fmt.Errorf("k %d: expected 1 to %d, or 0 to choose it", o.K, maxGroups)
	case o.KMax < 1 || o.KMax > maxGroups:
		return fmt.Errorf("kmax %d: expected 1 to %d", o.KMax, maxGroups)
	case o.MinVotes < 0:
		return fmt.Errorf("min votes %d: expected 0 or more", o.MinVotes)
	case o.Starts < 1 || o.Starts > 10_000:
		return fmt.Errorf("starts %d: expected 1 to 10000", o.Starts)
	case o.Resamples < 0 || o.Resamples > 10_000:
		return fmt.Errorf("resamples %d: expected 0 to 10000", o.Resamples)
	}
	return nil
}

// Run groups the participants of m. The matrix is not changed. An empty matrix
// gives an empty result, not an error; errors come only from options out of
// range and from a cancelled context.
func Run(ctx context.Context, m *Matrix, o Options) (*Result, error) {
	if err := o.Check(); err != nil {
		return nil, fmt.Errorf("clustering: %w", err)
	}
	run := map[Method]func(context.Context, *Matrix, Options) (*Result, error){
		Overton: runOverton, Paper: runOverton, Polis: runPolis, Block: runBlock,
	}[o.Method]
	res, err := run(ctx, m, o)
	if err != nil {
		return nil, fmt.Errorf("clustering: %w", err)
	}
	res.Method = o.Method
	return res, nil
}

// Number is a float64 whose JSON form is null when it is not finite.
type Number float64

// MarshalJSON writes null for NaN and infinities.
func (x Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON reads null as NaN.
func (x *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*x = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(x))
}

// Result is one window: the groups of one matrix of votes. Participants,
// left-out participants and statements are listed in id order (see
// [CompareIDs]).
type Result struct {
	Method Method `json:"method"`
	K      int    `json:"k"` // groups found; 0 when nobody could be grouped
	// Silhouette holds the mean silhouette of each k that was tried.
	Silhouette map[int]Number `json:"silhouette"`
	// SilhouetteSample is the number of participants drawn to compute mean silhouettes, 0 when all were used;
	// own silhouettes are then computed against 1000 drawn participants.
	SilhouetteSample int           `json:"silhouette_sample"`
	Separation       *Separation   `json:"separation"`
	Stability        *Stability    `json:"stability"`
	Participants     []Participant `json:"participants"`
	LeftOut          []LeftOut     `json:"left_out"`
	Groups           []Group       `json:"groups"`
	Statements       []Statement   `json:"statements"`
	Consensus        Consensus     `json:"consensus"`
	// BaseClusters are given by Polis.
	BaseClusters []BaseCluster `json:"base_clusters,omitempty"`
	// Classes are the classes of statements, given by Block.
	Classes []Class `json:"classes,omitempty"`
	// LogLikelihood is the exact integrated log likelihood of all labels, given
	// by Block.
	LogLikelihood *Number `json:"log_likelihood,omitempty"`
	// Warnings say in plain words why a reader should be cautious.
	Warnings []string `json:"warnings"`
}

// Participant is one grouped participant.
type Participant struct {
	ID    string `json:"id"`
	Group int    `json:"group"`
	X     Number `json:"x"`
	Y     Number `json:"y"`
	Votes int    `json:"votes"`
	// Silhouette is the participant's own silhouette, -1 to 1: how much closer their own group is than the
	// next one.
	Silhouette Number `json:"silhouette"`
	// Margin, 0 to 1, says how clear the choice of the group is. For projected participants it is
	// (n-o)/(n+o), with o the distance to their own group's center and n the distance to the next; it is
	// negative when another center is nearer. For Block it is the probability of their own group minus that
	// of the next, null without resamples.
	Margin Number `json:"margin"`
	// Probability, of belonging to the group, is given by Block when there are
	// resamples.
	Probability *Number `json:"probability,omitempty"`
	// Standing is given by Polis.
	Standing *Standing `json:"standing,omitempty"`
}

// LeftOut is a participant who was not grouped, and why.
type LeftOut struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Group is one viewpoint group. Groups are numbered from 0 by decreasing size, equal sizes by smallest id;
// Polis keeps the numbers of its own k-means.
type Group struct {
	Group          int              `json:"group"`
	Size           int              `json:"size"`
	Share          Number           `json:"share"` // of the grouped participants
	Center         [2]Number        `json:"center"`
	Representative []Representative `json:"representative"`
	// Votes are the group's tallies, of statements that the group voted on.
	Votes []StatementTally `json:"votes"`
}

// GroupName is the letter by which people know the group of a number: A for 0,
// Z for 25, AA for 26. Files and JSON keep the number. It is empty for -1, no
// group.
func GroupName(n int) string {
	name := ""
	for n++; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}

// Telling is Representative without statements whose text repeats that of an earlier one on the same side:
// people often write the same few words. texts is by statement id.
func (g Group) Telling(texts map[string]string) []Representative {
	said := map[[2]string]bool{}
	var telling []Representative
	for _, r := range g.Representative {
		text, known := texts[r.Statement]
		if side := [2]string{r.Direction, text}; !known || !said[side] {
			said[side] = true
			telling = append(telling, r)
		}
	}
	return telling
}

// StatementTally counts one group's votes on one statement.
type StatementTally struct {
	Statement string `json:"statement"`
	Tally
}

// Statement is one statement with the votes of all participants.
type Statement struct {
	ID string `json:"id"`
	Tally
	// Consensus is the group-aware consensus: the product over groups of
	// (agree+1)/(votes+2), Small et al. (2021).
	Consensus Number `json:"consensus"`
	// Extremity is the distance from the middle of someone whose only vote is to agree with this statement.
	Extremity Number `json:"extremity"`
	// Priority weighs the statement when the next one to show is drawn.
	Priority Number `json:"priority"`
	// Excluded marks a statement moderated out, or a meta statement, whose
	// votes do not count for the groups.
	Excluded bool `json:"excluded,omitempty"`
}
