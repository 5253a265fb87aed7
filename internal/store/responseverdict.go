package store

import (
	"context"
	"crypto/sha256"
	"fmt"
)

// Sampled names one of a model's responses in a run folder.
type Sampled struct {
	Question, Model string
	Sample          int               // among the model's samples of the question, from 1
	Text            [sha256.Size]byte // SHA-256 of the response
}

// ResponseVerdict is what someone decided about a model's response.
type ResponseVerdict struct {
	Accepted bool
	Email    string // of the person who decided
	At       int64  // milliseconds since 1970
}

// JudgeResponses records a verdict on responses of a run. Earlier verdicts stay.
func (s *Store) JudgeResponses(ctx context.Context, by Actor, run string, responses []Sampled, accepted bool) error {
	err := s.update(ctx, func(tx *tx) error {
		for _, r := range responses {
			if _, err := tx.exec(`INSERT INTO response_verdict (run, question_id, model, sample, text_hash, accepted, account_id, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
				run, r.Question, r.Model, r.Sample, r.Text[:], accepted, int64(by), tx.now); err != nil {
				return err
			}
		}
		what := ResponseRejected
		if accepted {
			what = ResponseAccepted
		}
		detail := fmt.Sprintf("run %s: %d responses", run, len(responses))
		if len(responses) == 1 {
			detail = fmt.Sprintf("run %s: %s on question %s, sample %d", run, responses[0].Model, responses[0].Question, responses[0].Sample)
		}
		return note(tx, by, 0, what, detail)
	})
	if err != nil {
		return fmt.Errorf("noting a verdict on responses of run %s: %w", run, err)
	}
	return nil
}

// ResponseVerdicts are the newest verdicts on responses of a run.
func (s *Store) ResponseVerdicts(ctx context.Context, run string) (map[Sampled]ResponseVerdict, error) {
	verdicts := map[Sampled]ResponseVerdict{}
	_, err := collect(ctx, s.read, "reading verdicts", func(row scanner) (struct{}, error) {
		var r Sampled
		var v ResponseVerdict
		var hash []byte
		err := row.Scan(&r.Question, &r.Model, &r.Sample, &hash, &v.Accepted, &v.Email, &v.At)
		copy(r.Text[:], hash)
		verdicts[r] = v
		return struct{}{}, err
	}, `SELECT v.question_id, v.model, v.sample, v.text_hash, v.accepted, a.email, v.at FROM response_verdict v JOIN account a ON a.id = v.account_id WHERE v.run = ? ORDER BY v.id`, run)
	return verdicts, err
}
