package study

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Trace is what a summary needs of one submission. It is small, so that the traces of a whole study fit in
// memory and a summary need not read all answers again.
type Trace struct {
	Pseudonym string
	Virtual   bool
	Outcome   Outcome
	Live      bool // in progress, with reservations that have not expired
	Started   time.Time
	Last      time.Time // last answer
	Ended     time.Time // zero: not yet
	Consented bool
	Stage     Stage // where the person is, or was when it ended
	Pages     []PageTime
	Questions []string
	Cells     []Cell
	Flags     []Flag
}

// PageTime is how long one page took.
type PageTime struct {
	Kind    StepKind
	Seconds float32
}

// Trace summarises a submission.
func (s *Study) Trace(r *Record) Trace {
	t := Trace{Pseudonym: r.Pseudonym, Virtual: r.Virtual, Outcome: r.Outcome, Live: r.Live, Started: r.Started, Last: r.Last, Ended: r.Ended,
		Consented: !r.Consented.IsZero(), Cells: s.Cells(r.Answered()), Flags: s.flags(r)}
	pages, at := s.Walked(r)
	for _, v := range pages {
		t.Pages = append(t.Pages, PageTime{v.Step.Kind, float32(v.Took().Seconds())})
	}
	t.Stage = at.Stage()
	for _, slot := range r.Slots {
		t.Questions = append(t.Questions, slot.Question)
	}
	return t
}

// Summary says where the people of a study, or its virtual participants, are.
type Summary struct {
	Arrived    int // pressed start
	Consented  int
	InProgress int // and their reservations are live
	Left       int // in progress, but the reservation expired
	Outcomes   map[Outcome]int
	Stages     []StageCount
	Times      []Spread // by kind of page, in the order of the flow
	Total      Spread   // from start to end, for complete submissions
	Questions  []QuestionCount
	Cells      []CellCount
	Flags      map[FlagKind]int // submissions with each flag
	Flagged    []Trace          // newest first
	Lately     Lately
}

// StageCount counts the people at one stage: how many reached it, and what became of those who got no
// further.
type StageCount struct {
	Stage
	Reached int
	Here    int // now
	Left    int // left without an outcome
	Ended   int // with an outcome other than complete
}

// Spread is how long something takes for everyone who did it.
type Spread struct {
	Kind             StepKind
	N                int
	P10, Median, P90 time.Duration
}

// QuestionCount is how many of one question's places are filled.
type QuestionCount struct {
	Question   string
	Done, Live int
}

// CellCount is how full a quota cell is.
type CellCount struct {
	Cell
	Done, Live int
}

// Lately is what happened to people within the last day.
type Lately struct {
	Arrived  int
	Outcomes map[Outcome]int
	Left     int
	Newest   time.Time // arrival; zero: never
}

// day is the period that counts as lately.
const day = 24 * time.Hour

// Summarise counts traces, all of them real or all virtual.
func (s *Study) Summarise(traces []*Trace, now time.Time) Summary {
	sum := Summary{Outcomes: map[Outcome]int{}, Flags: map[FlagKind]int{}, Lately: Lately{Outcomes: map[Outcome]int{}}}
	stageAt, questionAt, cellAt := map[Stage]int{}, map[string]int{}, map[[2]string]int{}
	for i, stage := range s.stages() {
		sum.Stages = append(sum.Stages, StageCount{Stage: stage})
		stageAt[stage] = i
	}
	for i, q := range s.Questions.Questions {
		sum.Questions = append(sum.Questions, QuestionCount{Question: q.ID})
		questionAt[q.ID] = i
	}
	for _, q := range s.Quotas {
		for _, value := range sortedKeys(q.Targets) {
			cellAt[[2]string{q.Variable, value}] = len(sum.Cells)
			sum.Cells = append(sum.Cells, CellCount{Cell: Cell{Key{KindSurvey, "", q.Variable}, value, q.Targets[value]}})
		}
	}
	seconds := map[StepKind][]float32{}
	var totals []float32
	for _, t := range traces {
		lately := now.Sub(t.Started) < day
		sum.Arrived++
		if lately {
			sum.Lately.Arrived++
		}
		if t.Started.After(sum.Lately.Newest) {
			sum.Lately.Newest = t.Started
		}
		if t.Consented {
			sum.Consented++
		}
		at := stageAt[t.Stage]
		for i := range at + 1 {
			sum.Stages[i].Reached++
		}
		done, live := 0, 0
		switch {
		case t.Outcome == Completed:
			done = 1
			totals = append(totals, float32(t.Ended.Sub(t.Started).Seconds()))
		case t.Outcome != InProgress:
			sum.Stages[at].Ended++
		case t.Live:
			live = 1
			sum.InProgress++
			sum.Stages[at].Here++
		default:
			sum.Left++
			sum.Stages[at].Left++
			if lately {
				sum.Lately.Left++
			}
		}
		if t.Outcome != InProgress {
			sum.Outcomes[t.Outcome]++
			if now.Sub(t.Ended) < day {
				sum.Lately.Outcomes[t.Outcome]++
			}
		}
		for _, q := range t.Questions {
			if i, ok := questionAt[q]; ok {
				sum.Questions[i].Done += done
				sum.Questions[i].Live += live
			}
		}
		for _, c := range t.Cells {
			if i, ok := cellAt[[2]string{c.Key.Subject, c.Value}]; ok {
				sum.Cells[i].Done += done
				sum.Cells[i].Live += live
			}
		}
		for _, p := range t.Pages {
			seconds[p.Kind] = append(seconds[p.Kind], p.Seconds)
		}
		for _, f := range t.Flags {
			sum.Flags[f.Kind]++
		}
		if len(t.Flags) > 0 {
			sum.Flagged = append(sum.Flagged, *t)
		}
	}
	for _, stage := range sum.Stages {
		if times := seconds[stage.Kind]; len(times) > 0 {
			sum.Times = append(sum.Times, spreadOf(stage.Kind, times))
			delete(seconds, stage.Kind)
		}
	}
	sum.Total = spreadOf(StepEnd, totals)
	slices.SortFunc(sum.Flagged, func(a, b Trace) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(a.Pseudonym, b.Pseudonym))
	})
	return sum
}

func spreadOf(kind StepKind, seconds []float32) Spread {
	slices.Sort(seconds)
	return Spread{Kind: kind, N: len(seconds), P10: quantile(seconds, .1), Median: quantile(seconds, .5), P90: quantile(seconds, .9)}
}

// quantile interpolates between the two nearest sorted values in seconds (Hyndman and Fan 1996, type 7). It
// is 0 if there are none.
func quantile(sorted []float32, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	x := float64(sorted[low]) + (at-float64(low))*float64(sorted[high]-sorted[low])
	return time.Duration(x * float64(time.Second))
}

// Coverage is how many votes the statements of one question have.
type Coverage struct {
	Question   string
	Statements int // that peers can see
	Pending    int // waiting for moderation
	Rejected   int
	Votes      int // cast on those that peers can see
	Fewest     int
	Median     float64
	Below      int // statements with fewer votes than wanted
}

// StatementTally counts the statements on one question that share a state and a number of votes.
type StatementTally struct {
	Question  string
	State     StatementState
	Votes, N  int
	FromSeeds int // of N
}

// votesPerStatement is how many votes a statement can expect once a question with this many seeds is filled:
// each of P people votes V times, and there are their P statements and the seeds.
func (o *Overton) votesPerStatement(seeds int) int {
	return o.VotesPerQuestion * o.ParticipantsPerQuestion / (o.ParticipantsPerQuestion + seeds)
}

// Cover computes each question's coverage from tallies in any order.
func (s *Study) Cover(tallies []StatementTally) []Coverage {
	o := s.Overton()
	if o == nil {
		return nil
	}
	all := make([]Coverage, len(s.Questions.Questions))
	at := map[string]int{}
	for i, q := range s.Questions.Questions {
		all[i].Question = q.ID
		at[q.ID] = i
	}
	seeds := make([]int, len(all))
	served := make([][]StatementTally, len(all))
	for _, t := range tallies {
		i, ok := at[t.Question]
		if !ok {
			continue
		}
		seeds[i] += t.FromSeeds
		switch t.State {
		case StatementServed:
			served[i] = append(served[i], t)
		case StatementPending:
			all[i].Pending += t.N
		case StatementRejected:
			all[i].Rejected += t.N
		}
	}
	for i := range all {
		c := &all[i]
		wanted := o.votesPerStatement(seeds[i])
		slices.SortFunc(served[i], func(a, b StatementTally) int { return cmp.Compare(a.Votes, b.Votes) })
		var votes []int // of each statement, ascending
		for _, t := range served[i] {
			for range t.N {
				votes = append(votes, t.Votes)
			}
			c.Votes += t.N * t.Votes
			if t.Votes < wanted {
				c.Below += t.N
			}
		}
		if c.Statements = len(votes); c.Statements > 0 {
			c.Fewest = votes[0]
			c.Median = float64(votes[(len(votes)-1)/2]+votes[len(votes)/2]) / 2
		}
	}
	return all
}
