package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"time"

	"overton/internal/study"
)

// Timing is what is known about how an answer came about.
type Timing struct {
	Shown  time.Time     // when the page was sent
	Active time.Duration // time the page was visible; 0: not reported by the browser
	Trail  string        // choices made on the page before it was sent, as recorded by the page's script
}

// Submit takes the form of one page. If its answers are acceptable, it stores them, with a revision for each
// new value, and prepares whatever comes next; the position returned is where the person is now. If not, it
// returns the problems and keeps what was typed as a draft.
//
// Sending the same form again changes nothing. The error is ErrEnded once the submission has ended, and
// ErrNotHere for a page after the first incomplete one; both come with the position.
func (s *Store) Submit(ctx context.Context, st *study.Study, token, path string, form func(name string) string, t Timing) (Position, []study.Problem, error) {
	var pos Position
	var problems []study.Problem
	var refused error // returned to the caller, but no reason to roll back
	err := s.update(ctx, func(tx *tx) error {
		pos, problems, refused = Position{}, nil, nil
		u, p, err := load(tx, token)
		if err != nil {
			return err
		}
		step, reachable := st.Find(p, path)
		switch {
		case !going(u), u.round == 2 && step.Kind != study.StepVote:
			refused = ErrEnded
		case !reachable || step.Kind == study.StepEnd:
			refused = ErrNotHere
		}
		if refused != nil {
			pos = place(st, u, p, u.texts)
			return nil
		}
		answers, wrong := step.Read(form)
		if wrong != nil {
			problems = wrong
			pos = place(st, u, p, u.texts)
			return saveDraft(tx, u, step, form)
		}
		if problems, err = tooOften(tx, u, p, step, answers); err != nil {
			return err
		} else if problems != nil {
			pos = place(st, u, p, u.texts)
			return nil
		}
		late := tx.now >= u.expiresAt && u.outcome == study.InProgress
		for _, f := range step.Fields {
			if err := record(tx, st, &u, p, f.Key, answers[f.Key], t, late); err != nil {
				return err
			}
		}
		if _, err := tx.exec(`DELETE FROM draft WHERE submission_id = ? AND step = ?`, u.id, step.Path); err != nil {
			return err
		}
		if step.Kind == study.StepSurvey && u.outcome == study.InProgress {
			if err := admit(tx, st, &u, p, st.Flow[step.Block].Survey); err != nil {
				return err
			}
		}
		pos, err = advance(tx, st, &u, &p)
		return err
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return pos, nil, fmt.Errorf("submitting page %s: %w", path, err)
	}
	return pos, problems, nil
}

// tooOften lists the answers of a step that have been changed too often to be changed again.
func tooOften(tx *tx, u submission, p study.Progress, step study.Step, answers map[study.Key]string) ([]study.Problem, error) {
	var problems []study.Problem
	for _, f := range step.Fields {
		if before, had := p.Answers[f.Key]; !had || before == answers[f.Key] || step.Kind == study.StepConsent {
			continue
		}
		var n int
		if err := tx.row(`SELECT revision FROM answer WHERE submission_id = ? AND kind = ? AND scope = ? AND subject = ?`,
			u.id, f.Key.Kind, f.Key.Scope, f.Key.Subject).Scan(&n); err != nil {
			return nil, err
		}
		if n >= study.MaxRevisions {
			problems = append(problems, study.Problem{Field: f.Name, Reason: study.TooOften, Limit: study.MaxRevisions})
		}
	}
	return problems, nil
}

// load reads a submission and its progress for writing.
func load(tx *tx, token string) (submission, study.Progress, error) {
	u, err := scanSubmission(tx.row(submissionQuery, token))
	if err != nil {
		return u, study.Progress{}, err
	}
	p, texts, err := progress(tx.rows, u)
	u.texts = texts
	return u, p, err
}

// record stores one answer and does what follows from it.
func record(tx *tx, st *study.Study, u *submission, p study.Progress, key study.Key, value string, t Timing, late bool) error {
	before, had := p.Answers[key]
	if had && before == value {
		if key.Kind == study.KindConsent {
			return consent(tx, u, p, value) // declined again, after reconsidering
		}
		return nil
	}
	shown := t.Shown.UnixMilli()
	active := sql.NullInt64{Int64: t.Active.Milliseconds(), Valid: t.Active > 0}
	if _, err := tx.exec(`INSERT INTO answer (submission_id, kind, scope, subject, value, round, shown_at, answered_at, active_ms, revision)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
		ON CONFLICT DO UPDATE SET value = excluded.value, shown_at = excluded.shown_at, answered_at = excluded.answered_at, active_ms = excluded.active_ms, revision = revision + 1`,
		u.id, key.Kind, key.Scope, key.Subject, value, u.round, shown, tx.now, active); err != nil {
		return err
	}
	if _, err := tx.exec(`INSERT INTO revision (submission_id, kind, scope, subject, revision, value, shown_at, answered_at, active_ms, trail, late)
		SELECT submission_id, kind, scope, subject, revision, value, shown_at, answered_at, active_ms, ?, ? FROM answer
		WHERE submission_id = ? AND kind = ? AND scope = ? AND subject = ?`, t.Trail, late, u.id, key.Kind, key.Scope, key.Subject); err != nil {
		return err
	}
	p.Answers[key] = value
	switch key.Kind {
	case study.KindConsent:
		return consent(tx, u, p, value)
	case study.KindView:
		return publish(tx, st, u, key.Scope, value)
	case study.KindVote:
		return count(tx, key.Subject, before, value)
	}
	return nil
}

// consent acts on an answer to the consent. Taking consent back removes everything that was collected under
// it.
func consent(tx *tx, u *submission, p study.Progress, value string) error {
	if value == study.No {
		if err := retract(tx, *u, p); err != nil {
			return err
		}
		for _, table := range []string{"answer", "revision"} {
			if _, err := tx.exec(`DELETE FROM `+table+` WHERE submission_id = ? AND kind != ?`, u.id, study.KindConsent); err != nil {
				return err
			}
		}
		for _, table := range []string{"draft", "ballot"} {
			if _, err := tx.exec(`DELETE FROM `+table+` WHERE submission_id = ?`, u.id); err != nil {
				return err
			}
		}
		maps.DeleteFunc(p.Answers, func(k study.Key, _ string) bool { return k.Kind != study.KindConsent })
		return end(tx, u, study.NoConsent)
	}
	_, err := tx.exec(`UPDATE submission SET consented_at = coalesce(consented_at, ?) WHERE id = ?`, tx.now, u.id)
	return err
}

// retract hides what a submission gave to others: its statements lose text, author and moderators' notes,
// and its votes leave the tallies.
func retract(tx *tx, u submission, p study.Progress) error {
	tx.erases = true
	for k, vote := range p.Answers {
		if k.Kind == study.KindVote {
			if err := count(tx, k.Subject, vote, ""); err != nil {
				return err
			}
		}
	}
	if _, err := tx.exec(`UPDATE verdict SET note = '' WHERE statement_id IN (SELECT id FROM statement WHERE submission_id = ?)`, u.id); err != nil {
		return err
	}
	_, err := tx.exec(`UPDATE statement SET state = 'withdrawn', text = '', hints = '', submission_id = NULL, participant_id = NULL WHERE submission_id = ?`, u.id)
	return err
}

// publish makes a free response a statement for others. A statement that someone has seen is never changed: a
// new version replaces it. A rejected one stays rejected; the new version is separate.
func publish(tx *tx, st *study.Study, u *submission, question, text string) error {
	mode, err := moderationMode(tx.row, st, u.studyID)
	if err != nil {
		return err
	}
	state := study.StatementServed
	if mode == study.ModerationBefore {
		state = study.StatementPending
	}
	var id int64
	var drawn int
	err = tx.row(`SELECT id, drawn FROM statement WHERE submission_id = ? AND question_id = ? AND state IN ('pending', 'served')`, u.id, question).Scan(&id, &drawn)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return err
	case drawn == 0:
		_, err := tx.exec(`UPDATE statement SET text = ?, hints = ?, state = ?, moderated = 0 WHERE id = ?`, text, hintsOf(text), state, id)
		return err
	default:
		if _, err := tx.exec(`UPDATE statement SET state = 'replaced' WHERE id = ?`, id); err != nil {
			return err
		}
	}
	_, err = tx.exec(`INSERT INTO statement (study_id, question_id, submission_id, participant_id, virtual, text, hints, state, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		u.studyID, question, u.id, u.participantID, u.virtual, text, hintsOf(text), state, tx.now)
	return err
}

// count updates a statement's tallies: one vote out, one in. Either may be empty.
func count(tx *tx, statement, before, after string) error {
	_, err := tx.exec(`UPDATE statement SET agree = agree + (?2 = 'agree') - (?1 = 'agree'), disagree = disagree + (?2 = 'disagree') - (?1 = 'disagree'),
		neutral = neutral + (?2 = 'neutral') - (?1 = 'neutral'), skip = skip + (?2 = 'skip') - (?1 = 'skip') WHERE id = ?3`, before, after, statement)
	return err
}

// renew restores an expired reservation if nobody has taken its places; otherwise the submission ends as
// timed out, with its answers kept.
func renew(tx *tx, st *study.Study, u *submission, p study.Progress) error {
	if full, err := quotaFull(tx, st, *u, p); err != nil {
		return err
	} else if full {
		return end(tx, u, study.TimedOut)
	}
	o := st.Overton()
	if o == nil {
		return nil
	}
	all, err := loads(tx, st, *u)
	if err != nil {
		return err
	}
	for _, l := range all {
		for _, slot := range p.Slots {
			if slot.Question == l.Question && l.Done+l.Live >= o.ParticipantsPerQuestion {
				return end(tx, u, study.TimedOut)
			}
		}
	}
	return nil
}

// admit ends a submission whose answers to a survey screen it out, or whose quota is full.
func admit(tx *tx, st *study.Study, u *submission, p study.Progress, survey *study.Survey) error {
	if survey.Screens(p.Answers) {
		return end(tx, u, study.ScreenedOut)
	}
	full, err := quotaFull(tx, st, *u, p)
	if err == nil && full {
		err = end(tx, u, study.OverQuota)
	}
	return err
}

// quotaFull says whether one of a submission's quota cells is full without it.
func quotaFull(tx *tx, st *study.Study, u submission, p study.Progress) (bool, error) {
	for _, cell := range st.Cells(p.Answers) {
		var taken int
		err := tx.row(`SELECT count(*) FROM answer a JOIN submission s ON s.id = a.submission_id
			WHERE s.study_id = ? AND s.virtual = ? AND s.id != ? AND a.kind = ? AND a.scope = ? AND a.subject = ? AND a.value = ?
			AND (s.outcome = 'completed' OR s.outcome = '' AND s.expires_at > ?)`,
			u.studyID, u.virtual, u.id, cell.Key.Kind, cell.Key.Scope, cell.Key.Subject, cell.Value, tx.now).Scan(&taken)
		if err != nil || taken >= cell.Target {
			return true, err
		}
	}
	return false, nil
}

// advance prepares what the person needs next, ends the submission if nothing is missing any more, and
// records its current step.
func advance(tx *tx, st *study.Study, u *submission, p *study.Progress) (Position, error) {
	if u.outcome == study.InProgress && tx.now >= u.expiresAt {
		if err := renew(tx, st, u, *p); err != nil {
			return Position{}, err
		}
	}
	for going(*u) {
		next := st.Next(*p)
		if next.Kind == study.NeedBallot {
			if err := draw(tx, st, u, &p.Slots[next.Slot], p.Answers); err != nil {
				return Position{}, err
			}
			continue
		}
		if next.Kind == study.StepEnd && u.outcome == study.InProgress {
			o := study.Completed
			if _, failed := st.FailedChecks(p.Answers); failed {
				o = study.FailedChecks
			}
			if err := end(tx, u, o); err != nil {
				return Position{}, err
			}
		}
		break
	}
	p.Outcome = u.outcome
	pos := place(st, *u, *p, u.texts)
	u.expiresAt = tx.now + reservation(st)
	pos.Expires = time.UnixMilli(u.expiresAt)
	_, err := tx.exec(`UPDATE submission SET step = ?, step_kind = ?, last_at = ?, expires_at = ? WHERE id = ?`, pos.Step.Path, pos.Step.Kind, tx.now, u.expiresAt, u.id)
	return pos, err
}

// draw prepares the next ballot of a slot, or reduces the slot's votes if no statement is left.
func draw(tx *tx, st *study.Study, u *submission, slot *study.Slot, answers map[study.Key]string) error {
	rows, err := tx.rows(`SELECT t.id, t.agree + t.disagree + t.neutral, t.text FROM statement t
		WHERE t.study_id = ? AND t.question_id = ? AND t.state = 'served'
		AND (t.submission_id IS NULL OR t.participant_id != ? AND t.virtual = ?)
		AND NOT EXISTS (SELECT 1 FROM ballot b WHERE b.statement_id = t.id AND b.submission_id IN (SELECT id FROM submission WHERE participant_id = ?))
		ORDER BY t.id`, u.studyID, slot.Question, u.participantID, u.virtual, u.participantID)
	if err != nil {
		return err
	}
	var candidates []study.Candidate
	var texts []string
	if _, err := scanAll(rows, func(row scanner) (struct{}, error) {
		var c study.Candidate
		var text string
		err := row.Scan(&c.Statement, &c.Votes, &text)
		candidates, texts = append(candidates, c), append(texts, text)
		return struct{}{}, err
	}); err != nil {
		return err
	}
	cast := slot.Votes(answers)
	wanted := study.VotesWanted(st.Overton().VotesPerQuestion, cast, len(candidates))
	if slot.VotesWanted == study.VotesUnknown || wanted < slot.VotesWanted {
		slot.VotesWanted = wanted
		if _, err := tx.exec(`UPDATE assignment SET votes_wanted = ? WHERE submission_id = ? AND question_id = ?`, wanted, u.id, slot.Question); err != nil {
			return err
		}
	}
	if cast >= slot.VotesWanted {
		return nil
	}
	n := len(slot.Ballots) + 1
	i, probability := study.ChooseStatement(candidates, study.Mixing, study.Rand(u.seed, "ballot/"+slot.Question+"/"+strconv.Itoa(n)))
	id := candidates[i].Statement
	if _, err := tx.exec(`INSERT INTO ballot (submission_id, statement_id, question_id, position, probability, candidates, round, drawn_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		u.id, id, slot.Question, n, probability, len(candidates), u.round, tx.now); err != nil {
		return err
	}
	if _, err := tx.exec(`UPDATE statement SET drawn = drawn + 1 WHERE id = ?`, id); err != nil {
		return err
	}
	slot.Ballots = append(slot.Ballots, study.Ballot{Statement: id})
	u.texts[id] = texts[i]
	return nil
}

// Continue prepares what a submission needs next after moderation has withdrawn the statement on its current
// page.
func (s *Store) Continue(ctx context.Context, st *study.Study, token string) (Position, error) {
	return s.change(ctx, st, token, "continuing", func(tx *tx, u *submission, p *study.Progress) error { return nil })
}

// Reconsider takes a declined consent back. Questions are assigned again.
func (s *Store) Reconsider(ctx context.Context, st *study.Study, token string) (Position, error) {
	return s.change(ctx, st, token, "reconsidering the consent", func(tx *tx, u *submission, p *study.Progress) error {
		if u.outcome != study.NoConsent {
			return nil
		}
		if err := open(tx, u.studyID); err != nil {
			return err
		}
		if err := reopen(tx, st, *u); err != nil {
			return err
		}
		var err error
		*u, *p, err = load(tx, token)
		return err
	})
}

// SecondRound reopens the votes for someone who finished when there were too few statements. If there are
// none to vote on, nothing changes.
func (s *Store) SecondRound(ctx context.Context, st *study.Study, token string) (Position, error) {
	return s.change(ctx, st, token, "opening a second round", func(tx *tx, u *submission, p *study.Progress) error {
		if !st.SecondRound || u.outcome != study.Completed || u.round != 1 {
			return nil
		}
		for i := range p.Slots {
			slot := &p.Slots[i]
			if slot.Votes(p.Answers) < st.Overton().VotesPerQuestion {
				slot.VotesWanted = study.VotesUnknown
				if _, err := tx.exec(`UPDATE assignment SET votes_wanted = ? WHERE submission_id = ? AND question_id = ?`, study.VotesUnknown, u.id, slot.Question); err != nil {
					return err
				}
			}
		}
		u.round, p.Round = 2, 2
		_, err := tx.exec(`UPDATE submission SET round = 2 WHERE id = ?`, u.id)
		return err
	})
}

// SecondRoundOpen says whether a finished submission could vote on more
// statements.
func (s *Store) SecondRoundOpen(ctx context.Context, st *study.Study, token string) (bool, error) {
	if !st.SecondRound || st.Overton() == nil {
		return false, nil
	}
	var open bool
	err := s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM submission s JOIN assignment a ON a.submission_id = s.id
		JOIN statement t ON t.study_id = a.study_id AND t.question_id = a.question_id
		WHERE s.token = ? AND s.outcome = 'completed' AND s.round = 1 AND a.votes_wanted < ? AND t.state = 'served'
		AND (t.submission_id IS NULL OR t.participant_id != s.participant_id AND t.virtual = s.virtual)
		AND NOT EXISTS (SELECT 1 FROM ballot b WHERE b.statement_id = t.id AND b.submission_id = s.id))`, token, st.Overton().VotesPerQuestion).Scan(&open)
	if err != nil {
		return false, fmt.Errorf("looking for a second round: %w", err)
	}
	return open, nil
}

func (s *Store) change(ctx context.Context, st *study.Study, token, doing string, work func(*tx, *submission, *study.Progress) error) (Position, error) {
	var pos Position
	err := s.update(ctx, func(tx *tx) error {
		u, p, err := load(tx, token)
		if err == nil {
			err = work(tx, &u, &p)
		}
		if err == nil {
			pos, err = advance(tx, st, &u, &p)
		}
		return err
	})
	if err != nil {
		return Position{}, fmt.Errorf("%s: %w", doing, err)
	}
	return pos, nil
}

// SaveDraft saves what is typed on a page before it is sent.
func (s *Store) SaveDraft(ctx context.Context, st *study.Study, token, path string, form func(name string) string) error {
	err := s.update(ctx, func(tx *tx) error {
		u, p, err := load(tx, token)
		if err != nil {
			return err
		}
		step, ok := st.Find(p, path)
		if !ok || !going(u) {
			return ErrNotHere
		}
		return saveDraft(tx, u, step, form)
	})
	if err != nil {
		return fmt.Errorf("saving a draft: %w", err)
	}
	return nil
}

func saveDraft(tx *tx, u submission, step study.Step, form func(name string) string) error {
	typed := map[string]string{}
	for _, f := range step.Fields {
		if v := form(f.Name); v != "" {
			typed[f.Name] = v
		}
	}
	if len(typed) == 0 {
		return nil
	}
	text, err := json.Marshal(typed)
	if err != nil {
		return err
	}
	_, err = tx.exec(`INSERT INTO draft (submission_id, step, form, saved_at) VALUES (?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET form = excluded.form, saved_at = excluded.saved_at`, u.id, step.Path, string(text), tx.now)
	return err
}

// Withdraw removes a person's submission: answers, drafts, revisions and identity are deleted; their
// statements lose text and author, so that other people's votes still have something to refer to; their own
// votes leave the tallies.
func (s *Store) Withdraw(ctx context.Context, st *study.Study, token string) error {
	key, err := s.Secret(ctx, "withdrawal", 32)
	if err != nil {
		return err
	}
	err = s.update(ctx, func(tx *tx) error {
		u, p, err := load(tx, token)
		if err != nil {
			return err
		}
		if err := retract(tx, u, p); err != nil {
			return err
		}
		var external string
		if err := tx.row(`SELECT external_submission FROM identity WHERE submission_id = ?`, u.id).Scan(&external); err != nil {
			return err
		}
		for _, step := range []struct {
			query string
			args  []any
		}{
			{`INSERT INTO withdrawal (slug, fingerprint, study_id, withdrawn_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`, []any{st.Slug, fingerprint(key, external), u.studyID, tx.now}},
			{`DELETE FROM submission WHERE id = ?`, []any{u.id}},
			{`DELETE FROM participant WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM submission WHERE participant_id = ?1)`, []any{u.participantID}},
		} {
			if _, err := tx.exec(step.query, step.args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("withdrawing: %w", err)
	}
	return nil
}

// randomSeed draws the seed that a submission's choices follow from.
func randomSeed() uint64 { return rand.Uint64() }
