package store

import (
	"context"

	"overton/internal/study"
)

// Counts is where a study's people are.
type Counts struct {
	Arrived    int // pressed start
	Consented  int
	InProgress int // and their reservations are live
	Left       int // in progress, but nothing was heard until the reservation expired
	Outcomes   map[study.Outcome]int
	Steps      []StepCount // where people in progress are, and where others left
	Questions  []QuestionCount
}

// StepCount is the people at one kind of page.
type StepCount struct {
	Kind             study.StepKind
	InProgress, Left int
}

// QuestionCount is how far one question is filled.
type QuestionCount struct {
	Question    string
	Done, Live  int
	Statements  int // that peers can see
	Pending     int // statements waiting for moderation
	Votes       int // cast on all of them
	FewestVotes int // on any one that peers can see
}

// Counts counts a study's real or virtual participants. questions are all of
// its questions, in their order.
func (s *Store) Counts(ctx context.Context, studyID int64, virtual bool, questions []study.Question) (Counts, error) {
	now := s.now().UnixMilli()
	c := Counts{Outcomes: map[study.Outcome]int{}}
	_, err := collect(ctx, s.read, "counting submissions", func(row scanner) (struct{}, error) {
		var outcome study.Outcome
		var kind study.StepKind
		var live bool
		var n, consented int
		if err := row.Scan(&outcome, &kind, &live, &n, &consented); err != nil {
			return struct{}{}, err
		}
		c.Arrived += n
		c.Consented += consented
		if outcome != study.InProgress {
			c.Outcomes[outcome] += n
			return struct{}{}, nil
		}
		at := -1
		for i, step := range c.Steps {
			if step.Kind == kind {
				at = i
			}
		}
		if at < 0 {
			at = len(c.Steps)
			c.Steps = append(c.Steps, StepCount{Kind: kind})
		}
		if live {
			c.InProgress += n
			c.Steps[at].InProgress += n
		} else {
			c.Left += n
			c.Steps[at].Left += n
		}
		return struct{}{}, nil
	}, `SELECT outcome, CASE WHEN outcome = '' THEN step_kind ELSE '' END, outcome = '' AND expires_at > ?, count(*), count(consented_at)
		FROM submission WHERE study_id = ? AND virtual = ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`, now, studyID, virtual)
	if err != nil {
		return c, err
	}
	at := map[string]int{}
	for i, q := range questions {
		at[q.ID] = i
		c.Questions = append(c.Questions, QuestionCount{Question: q.ID})
	}
	_, err = collect(ctx, s.read, "counting places", func(row scanner) (struct{}, error) {
		var q QuestionCount
		err := row.Scan(&q.Question, &q.Done, &q.Live)
		if i, ok := at[q.Question]; ok {
			c.Questions[i].Done, c.Questions[i].Live = q.Done, q.Live
		}
		return struct{}{}, err
	}, `SELECT a.question_id, sum(a.state = 'done'), sum(a.state = 'reserved' AND s.expires_at > ?) FROM assignment a JOIN submission s ON s.id = a.submission_id
		WHERE a.study_id = ? AND a.state != 'released' AND s.virtual = ? GROUP BY 1`, now, studyID, virtual)
	if err != nil {
		return c, err
	}
	_, err = collect(ctx, s.read, "counting statements", func(row scanner) (struct{}, error) {
		var q QuestionCount
		err := row.Scan(&q.Question, &q.Statements, &q.Pending, &q.Votes, &q.FewestVotes)
		if i, ok := at[q.Question]; ok {
			q.Done, q.Live = c.Questions[i].Done, c.Questions[i].Live
			c.Questions[i] = q
		}
		return struct{}{}, err
	}, `SELECT question_id, sum(state = 'served'), sum(state = 'pending'), sum(agree + disagree + neutral), coalesce(min(CASE WHEN state = 'served' THEN agree + disagree + neutral END), 0)
		FROM statement WHERE study_id = ? AND (virtual = ? OR submission_id IS NULL AND state != 'withdrawn') GROUP BY 1`, studyID, virtual)
	return c, err
}
