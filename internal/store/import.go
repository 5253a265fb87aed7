package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"overton/internal/study"
)

// Import stores a study that was carried out elsewhere, closed, with what its participants did. Statement ids
// are only valid within the call: the stored ones are new. Every author must have a record. If there is a
// study with that slug, the error is ErrConflict.
func (s *Store) Import(ctx context.Context, n NewStudy, records []study.Record, statements []study.Statement, by Actor) (Study, error) {
	var st Study
	err := s.update(ctx, func(tx *tx) error {
		var there int
		if err := tx.row(`SELECT count(*) FROM study WHERE slug = ?`, n.Slug).Scan(&there); err != nil {
			return err
		}
		if there > 0 {
			return fmt.Errorf("there is already a study called %q; give this one another slug: %w", n.Slug, ErrConflict)
		}
		result, err := tx.exec(`INSERT INTO study (slug, version, title, status, hash, created_at, launched_at, closed_at) VALUES (?, 1, ?, 'closed', ?, ?, ?, ?)`,
			n.Slug, n.Title, n.Hash, tx.now, tx.now, tx.now)
		if err != nil {
			return err
		}
		id, err := result.LastInsertId()
		if err != nil {
			return err
		}
		for path, content := range n.Files {
			if _, err := tx.exec(`INSERT INTO study_file (study_id, path, content) VALUES (?, ?, ?)`, id, path, content); err != nil {
				return err
			}
		}
		if err := importRecords(tx, id, records, statements, map[string]int64{}, atEnd); err != nil {
			return err
		}
		if st, err = scanStudy(tx.row(`SELECT `+studyColumns+` FROM study WHERE id = ?`, id)); err != nil {
			return err
		}
		return note(tx, by, id, StudyImported, fmt.Sprintf("%d participants, %d statements", len(records), len(statements)))
	})
	if err != nil {
		return Study{}, fmt.Errorf("importing study %q: %w", n.Slug, err)
	}
	return st, nil
}

// fillBatch is how many submissions Fill adds in one transaction.
const fillBatch = 250

// Fill adds submissions to a launched study as if people had taken part, so that a study of full size can be
// measured. A statement's author comes before those who were shown it. Statements that the study already has,
// such as its seeds, are named by their stored ids and need not be given. The submissions have no recruiter
// ids, so nobody can return to them.
func (s *Store) Fill(ctx context.Context, st *study.Study, studyID int64, records []study.Record, statements []study.Statement) error {
	all, err := s.Statements(ctx, studyID)
	if err != nil {
		return err
	}
	stored, there := map[string]int64{}, map[string]bool{}
	for _, t := range all {
		if stored[t.ID], err = strconv.ParseInt(t.ID, 10, 64); err != nil {
			return err
		}
		there[t.ID] = true
	}
	written := map[string][]study.Statement{}
	for _, t := range statements {
		written[t.Author] = append(written[t.Author], t)
	}
	where := func(r study.Record) whereabouts {
		if r.Outcome != study.InProgress {
			return atEnd(r)
		}
		step := st.Next(r.Progress())
		return whereabouts{path: step.Path, kind: step.Kind, expires: r.Last.UnixMilli() + reservation(st)}
	}
	for batch := range slices.Chunk(records, fillBatch) {
		var theirs []study.Statement
		for _, r := range batch {
			theirs = append(theirs, written[r.Pseudonym]...)
		}
		err := s.update(ctx, func(tx *tx) error {
			if err := importRecords(tx, studyID, batch, theirs, stored, where); err != nil {
				return err
			}
			return tally(tx, batch, there)
		})
		if err != nil {
			return fmt.Errorf("filling a study: %w", err)
		}
	}
	return nil
}

// tally counts ballots and votes on statements that existed before.
func tally(tx *tx, records []study.Record, there map[string]bool) error {
	for _, r := range records {
		for _, b := range r.Ballots {
			if !there[b.Statement] {
				continue
			}
			if _, err := tx.exec(`UPDATE statement SET drawn = drawn + 1 WHERE id = ?`, b.Statement); err != nil {
				return err
			}
		}
		for _, a := range r.Answers {
			if a.Key.Kind != study.KindVote || !there[a.Key.Subject] {
				continue
			}
			if err := count(tx, a.Key.Subject, "", a.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// imported is the ids that a participant got.
type imported struct{ participant, submission int64 }

// whereabouts is the page that a submission is at, and until when its places are kept.
type whereabouts struct {
	path    string
	kind    study.StepKind
	expires int64
}

func atEnd(r study.Record) whereabouts {
	return whereabouts{path: "end", kind: study.StepEnd, expires: r.Last.UnixMilli()}
}

// importRecords stores submissions and the statements of their authors. stored maps a statement's id in the
// import to its stored id, and grows.
func importRecords(tx *tx, studyID int64, records []study.Record, statements []study.Statement, stored map[string]int64, where func(study.Record) whereabouts) error {
	people := map[string]imported{}
	for _, r := range records {
		who, err := importSubmission(tx, studyID, r, where(r))
		if err != nil {
			return fmt.Errorf("participant %s: %w", r.Pseudonym, err)
		}
		people[r.Pseudonym] = who
	}
	for _, st := range statements {
		var submission, participant any
		if st.Author != "" {
			who, known := people[st.Author]
			if !known {
				return fmt.Errorf("statement %s: its author %s has no record", st.ID, st.Author)
			}
			submission, participant = who.submission, who.participant
		}
		result, err := tx.exec(`INSERT INTO statement (study_id, question_id, submission_id, participant_id, virtual, text, hints, state, moderated, created_at, drawn, agree, disagree, neutral, skip)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			studyID, st.Question, submission, participant, st.Virtual, st.Text, hintsOf(st.Text), st.State, st.State != study.StatementPending, st.Created.UnixMilli(), st.Drawn, st.Agree, st.Disagree, st.Neutral, st.Skip)
		if err != nil {
			return fmt.Errorf("statement %s: %w", st.ID, err)
		}
		if stored[st.ID], err = result.LastInsertId(); err != nil {
			return err
		}
	}
	for _, r := range records {
		if err := importAnswers(tx, people[r.Pseudonym].submission, r, stored); err != nil {
			return fmt.Errorf("participant %s: %w", r.Pseudonym, err)
		}
	}
	return nil
}

func importSubmission(tx *tx, studyID int64, r study.Record, at whereabouts) (who imported, err error) {
	result, err := tx.exec(`INSERT INTO participant (study_id, pseudonym, created_at) VALUES (?, ?, ?)`, studyID, r.Pseudonym, r.Started.UnixMilli())
	if err != nil {
		return who, err
	}
	if who.participant, err = result.LastInsertId(); err != nil {
		return who, err
	}
	millis := func(t time.Time) any {
		if t.IsZero() {
			return nil
		}
		return t.UnixMilli()
	}
	result, err = tx.exec(`INSERT INTO submission (study_id, participant_id, token, virtual, seed, outcome, round, step, step_kind, started_at, consented_at, last_at, expires_at, ended_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		studyID, who.participant, token(), r.Virtual, int64(r.Seed), r.Outcome, r.Round, at.path, at.kind,
		r.Started.UnixMilli(), millis(r.Consented), r.Last.UnixMilli(), at.expires, millis(r.Ended))
	if err != nil {
		return who, err
	}
	if who.submission, err = result.LastInsertId(); err != nil {
		return who, err
	}
	ballots := map[string]int{}
	for _, b := range r.Ballots {
		ballots[b.Question]++
	}
	for n, slot := range r.Slots {
		models, err := json.Marshal(append([]string{}, slot.Models...))
		if err != nil {
			return who, err
		}
		if _, err := tx.exec(`INSERT INTO assignment (submission_id, position, study_id, question_id, state, models, votes_wanted, assigned_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			who.submission, n+1, studyID, slot.Question, slot.State, string(models), ballots[slot.Question], r.Started.UnixMilli()); err != nil {
			return who, err
		}
	}
	return who, nil
}

// importAnswers stores ballots and the answers to them, which name statements by their ids in the import, and
// all other answers unchanged.
func importAnswers(tx *tx, submission int64, r study.Record, stored map[string]int64) error {
	for _, b := range r.Ballots {
		if _, err := tx.exec(`INSERT INTO ballot (submission_id, statement_id, question_id, position, probability, candidates, round, drawn_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			submission, stored[b.Statement], b.Question, b.Position, b.Probability, b.Candidates, b.Round, b.Drawn.UnixMilli()); err != nil {
			return fmt.Errorf("vote on statement %s: %w", b.Statement, err)
		}
	}
	for _, a := range r.Answers {
		key := a.Key
		active := sql.NullInt64{Int64: a.Active.Milliseconds(), Valid: a.Active > 0}
		if key.Kind == study.KindVote {
			key.Subject = fmt.Sprint(stored[key.Subject])
		}
		if _, err := tx.exec(`INSERT INTO answer (submission_id, kind, scope, subject, value, round, shown_at, answered_at, active_ms, revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			submission, key.Kind, key.Scope, key.Subject, a.Value, a.Round, a.Shown.UnixMilli(), a.Answered.UnixMilli(), active, a.Revision); err != nil {
			return err
		}
		if _, err := tx.exec(`INSERT INTO revision (submission_id, kind, scope, subject, revision, value, shown_at, answered_at, active_ms, trail, late) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0)`,
			submission, key.Kind, key.Scope, key.Subject, a.Revision, a.Value, a.Shown.UnixMilli(), a.Answered.UnixMilli(), active); err != nil {
			return err
		}
	}
	return nil
}
