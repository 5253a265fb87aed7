package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"overton/internal/study"
)

// Errors for people who cannot enter or continue.
var (
	ErrMismatch  = errors.New("the submission belongs to another participant")
	ErrWithdrawn = errors.New("the participant withdrew")
	ErrAlready   = errors.New("the participant has already taken part")
	ErrNotOpen   = errors.New("the study is not open")
	ErrEnded     = errors.New("the submission has ended")
	ErrNotHere   = errors.New("the page is not reachable yet")
)

// Arrival is how the recruiter identifies a person and their visit. State is keyed on Submission; Participant
// connects the visits of one person.
type Arrival struct{ Participant, Submission, Study string }

// virtualPrefix begins the participant ids of virtual participants.
const virtualPrefix = "virtual-"

// Virtual says whether the arrival is a virtual participant's.
func (a Arrival) Virtual() bool { return strings.HasPrefix(a.Participant, virtualPrefix) }

// Position is where a submission is and everything that its page can show.
type Position struct {
	Token     string
	Pseudonym string
	Virtual   bool
	Outcome   study.Outcome
	Progress  study.Progress
	Step      study.Step        // the person's current step; the end once it has ended
	Texts     map[string]string // of the statements in the ballots, by id
	Started   time.Time
	Expires   time.Time
}

// submission is a submission's row within a transaction or a read.
type submission struct {
	id, studyID, participantID int64
	token, pseudonym           string
	virtual                    bool
	seed                       uint64
	outcome                    study.Outcome
	round                      int
	startedAt, expiresAt       int64
	texts                      map[string]string
}

const submissionQuery = `SELECT s.id, s.study_id, s.participant_id, s.token, p.pseudonym, s.virtual, s.seed, s.outcome, s.round, s.started_at, s.expires_at
	FROM submission s JOIN participant p ON p.id = s.participant_id WHERE s.token = ?`

func scanSubmission(row scanner) (submission, error) {
	var u submission
	var seed int64
	err := row.Scan(&u.id, &u.studyID, &u.participantID, &u.token, &u.pseudonym, &u.virtual, &seed, &u.outcome, &u.round, &u.startedAt, &u.expiresAt)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	u.seed = uint64(seed)
	return u, err
}

// Resume finds the submission that an arrival belongs to. The error is ErrNotFound if there is none yet, and
// ErrMismatch if the submission is another person's.
func (s *Store) Resume(ctx context.Context, slug string, a Arrival) (token string, err error) {
	key, err := s.Secret(ctx, "withdrawal", 32)
	if err != nil {
		return "", err
	}
	token, err = resume(func(query string, args ...any) scanner { return s.read.QueryRowContext(ctx, query, args...) }, key, slug, a)
	if err != nil {
		return "", fmt.Errorf("resuming a submission to %q: %w", slug, err)
	}
	return token, nil
}

func resume(row func(string, ...any) scanner, key []byte, slug string, a Arrival) (token string, err error) {
	var participant string
	err = row(`SELECT i.external_participant, s.token FROM identity i JOIN submission s ON s.id = i.submission_id
		WHERE i.slug = ? AND i.external_submission = ?`, slug, a.Submission).Scan(&participant, &token)
	switch {
	case err == nil && participant != a.Participant:
		return "", ErrMismatch
	case err == nil:
		return token, nil
	case !errors.Is(err, sql.ErrNoRows):
		return "", err
	}
	var withdrawn int
	if err := row(`SELECT count(*) FROM withdrawal WHERE slug = ? AND fingerprint = ?`, slug, fingerprint(key, a.Submission)).Scan(&withdrawn); err != nil {
		return "", err
	}
	if withdrawn > 0 {
		return "", ErrWithdrawn
	}
	return "", ErrNotFound
}

func fingerprint(key []byte, submission string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(submission))
	return mac.Sum(nil)
}

// Start begins a submission, with its questions reserved, and returns its token. An arrival that has already
// begun gets the same token. If all places are filled, the submission is recorded as over quota; if they are
// only taken for now, nothing is recorded and the error is study.ErrBusy.
func (s *Store) Start(ctx context.Context, st *study.Study, studyID int64, a Arrival) (tok string, err error) {
	key, err := s.Secret(ctx, "withdrawal", 32)
	if err != nil {
		return "", err
	}
	err = s.update(ctx, func(tx *tx) error {
		tok, err = resume(tx.row, key, st.Slug, a)
		switch {
		case errors.Is(err, ErrNotFound):
			tok, err = start(tx, st, studyID, a)
			return err
		case err != nil:
			return err
		}
		u, err := scanSubmission(tx.row(submissionQuery, tok))
		if err != nil || u.outcome != study.OverQuota || u.studyID != studyID {
			return err
		}
		// Turned away earlier; perhaps a place has become free.
		var answers int
		if err := tx.row(`SELECT count(*) FROM answer WHERE submission_id = ?`, u.id).Scan(&answers); err != nil || answers > 0 {
			return err
		}
		if err := open(tx, studyID); err != nil {
			return err
		}
		return reopen(tx, st, u)
	})
	if err != nil {
		return "", fmt.Errorf("starting a submission to %q: %w", st.Slug, err)
	}
	return tok, nil
}

// open is an error unless people can enter the study.
func open(tx *tx, studyID int64) error {
	var status Status
	if err := tx.row(`SELECT status FROM study WHERE id = ?`, studyID).Scan(&status); err != nil {
		return err
	}
	if status != Running {
		return ErrNotOpen
	}
	return nil
}

func start(tx *tx, st *study.Study, studyID int64, a Arrival) (string, error) {
	if err := open(tx, studyID); err != nil {
		return "", err
	}
	participantID, err := participant(tx, st, studyID, a)
	if err != nil {
		return "", err
	}
	u := submission{studyID: studyID, participantID: participantID, token: token(), virtual: a.Virtual(), seed: randomSeed(), round: 1}
	first := st.Next(study.Progress{Answers: map[study.Key]string{}})
	result, err := tx.exec(`INSERT INTO submission (study_id, participant_id, token, virtual, seed, step, step_kind, started_at, last_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		studyID, participantID, u.token, u.virtual, int64(u.seed), first.Path, first.Kind, tx.now, tx.now, tx.now+reservation(st))
	if err != nil {
		return "", err
	}
	if u.id, err = result.LastInsertId(); err != nil {
		return "", err
	}
	if _, err := tx.exec(`INSERT INTO identity (submission_id, slug, participant_id, external_participant, external_submission, external_study) VALUES (?, ?, ?, ?, ?, ?)`,
		u.id, st.Slug, participantID, a.Participant, a.Submission, a.Study); err != nil {
		return "", err
	}
	switch err := assign(tx, st, u); {
	case errors.Is(err, study.ErrFull):
		return u.token, end(tx, &u, study.OverQuota)
	case err != nil:
		return "", err
	}
	return u.token, drawSurveys(tx, st, u)
}

// participant finds or creates the person behind an arrival, and decides what happens to their earlier
// submissions.
func participant(tx *tx, st *study.Study, studyID int64, a Arrival) (int64, error) {
	rows, err := tx.rows(`SELECT s.id, s.participant_id, s.outcome FROM identity i JOIN submission s ON s.id = i.submission_id
		WHERE i.slug = ? AND i.external_participant = ?`, st.Slug, a.Participant)
	if err != nil {
		return 0, err
	}
	earlier, err := scanAll(rows, func(row scanner) (u submission, err error) {
		err = row.Scan(&u.id, &u.participantID, &u.outcome)
		return u, err
	})
	if err != nil {
		return 0, err
	}
	for _, u := range earlier {
		switch u.outcome {
		case study.Completed, study.FailedChecks, study.ScreenedOut:
			if !st.Recruitment.Resubmission {
				return 0, ErrAlready
			}
		case study.InProgress:
			if err := end(tx, &u, study.Returned); err != nil {
				return 0, err
			}
		}
	}
	if len(earlier) > 0 {
		return earlier[0].participantID, nil
	}
	result, err := tx.exec(`INSERT INTO participant (study_id, pseudonym, created_at) VALUES (?, ?, ?)`, studyID, "p"+strings.ToLower(token()[:12]), tx.now)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

func reservation(st *study.Study) int64 {
	return int64(st.Recruitment.ReservationMinutes) * time.Minute.Milliseconds()
}

// loads counts the places taken on each question by people of the same sort as u, real or virtual, without
// u's own.
func loads(tx *tx, st *study.Study, u submission) ([]study.Load, error) {
	rows, err := tx.rows(`SELECT a.question_id, sum(a.state = 'done'), sum(a.state = 'reserved' AND s.expires_at > ?)
		FROM assignment a JOIN submission s ON s.id = a.submission_id
		WHERE a.study_id = ? AND a.state != 'released' AND s.virtual = ? AND s.id != ? GROUP BY a.question_id`, tx.now, u.studyID, u.virtual, u.id)
	if err != nil {
		return nil, err
	}
	taken := map[string]study.Load{}
	counted, err := scanAll(rows, func(row scanner) (l study.Load, err error) {
		err = row.Scan(&l.Question, &l.Done, &l.Live)
		return l, err
	})
	if err != nil {
		return nil, err
	}
	for _, l := range counted {
		taken[l.Question] = l
	}
	all := make([]study.Load, 0, len(st.Questions.Questions))
	for _, q := range st.Questions.Questions {
		l := taken[q.ID]
		l.Question = q.ID
		all = append(all, l)
	}
	return all, nil
}

// assign reserves a submission's questions and draws the order of responses.
func assign(tx *tx, st *study.Study, u submission) error {
	o := st.Overton()
	if o == nil {
		return nil
	}
	all, err := loads(tx, st, u)
	if err != nil {
		return err
	}
	rows, err := tx.rows(`SELECT DISTINCT a.question_id FROM assignment a JOIN submission s ON s.id = a.submission_id
		WHERE s.participant_id = ? AND a.state = 'done'`, u.participantID)
	if err != nil {
		return err
	}
	seen, err := scanAll(rows, func(row scanner) (q string, err error) { err = row.Scan(&q); return q, err })
	if err != nil {
		return err
	}
	fresh := all[:0]
	for _, l := range all {
		if !slices.Contains(seen, l.Question) {
			fresh = append(fresh, l)
		}
	}
	chosen, err := study.ChooseQuestions(fresh, o.QuestionsPerParticipant, o.ParticipantsPerQuestion, study.Rand(u.seed, "questions"))
	if err != nil {
		return err
	}
	for i, question := range chosen {
		models := study.ChooseModels(st.Questions.Models(question), o.ResponsesPerQuestion, study.Rand(u.seed, "responses/"+question))
		list, err := json.Marshal(models)
		if err != nil {
			return err
		}
		if _, err := tx.exec(`INSERT INTO assignment (submission_id, position, study_id, question_id, state, models, votes_wanted, assigned_at) VALUES (?, ?, ?, ?, 'reserved', ?, ?, ?)`,
			u.id, i+1, u.studyID, question, string(list), study.VotesUnknown, tx.now); err != nil {
			return err
		}
	}
	return nil
}

// end closes a submission with an outcome. Only a completed one keeps its places.
func end(tx *tx, u *submission, o study.Outcome) error {
	state := "released"
	if o == study.Completed {
		state = "done"
	}
	if _, err := tx.exec(`UPDATE assignment SET state = ? WHERE submission_id = ?`, state, u.id); err != nil {
		return err
	}
	u.outcome = o
	_, err := tx.exec(`UPDATE submission SET outcome = ?, ended_at = ? WHERE id = ?`, o, tx.now, u.id)
	return err
}

// reopen undoes an end that removed no answers: the questions are assigned again.
func reopen(tx *tx, st *study.Study, u submission) error {
	if _, err := tx.exec(`DELETE FROM assignment WHERE submission_id = ?`, u.id); err != nil {
		return err
	}
	switch err := assign(tx, st, u); {
	case errors.Is(err, study.ErrFull):
		return end(tx, &u, study.OverQuota)
	case err != nil:
		return err
	}
	if err := drawSurveys(tx, st, u); err != nil {
		return err
	}
	_, err := tx.exec(`UPDATE submission SET outcome = '', ended_at = NULL, last_at = ?, expires_at = ? WHERE id = ?`, tx.now, tx.now+reservation(st), u.id)
	return err
}

// query is how progress is read, from either pool.
type query func(query string, args ...any) (*sql.Rows, error)

// progress loads how far a submission has come, and the texts of its ballots.
func progress(q query, u submission) (study.Progress, map[string]string, error) {
	p := study.Progress{Answers: map[study.Key]string{}, Surveys: map[string]study.Drawn{}, Outcome: u.outcome, Round: u.round}
	rows, err := q(`SELECT kind, scope, subject, value FROM answer WHERE submission_id = ?`, u.id)
	if err != nil {
		return p, nil, err
	}
	if _, err := scanAll(rows, func(row scanner) (struct{}, error) {
		var k study.Key
		var value string
		err := row.Scan(&k.Kind, &k.Scope, &k.Subject, &value)
		p.Answers[k] = value
		return struct{}{}, err
	}); err != nil {
		return p, nil, err
	}
	if rows, err = q(`SELECT question_id, models, votes_wanted FROM assignment WHERE submission_id = ? ORDER BY position`, u.id); err != nil {
		return p, nil, err
	}
	bySlot := map[string]int{}
	if _, err := scanAll(rows, func(row scanner) (struct{}, error) {
		var slot study.Slot
		var models string
		if err := row.Scan(&slot.Question, &models, &slot.VotesWanted); err != nil {
			return struct{}{}, err
		}
		bySlot[slot.Question] = len(p.Slots)
		err := json.Unmarshal([]byte(models), &slot.Models)
		p.Slots = append(p.Slots, slot)
		return struct{}{}, err
	}); err != nil {
		return p, nil, err
	}
	if rows, err = q(`SELECT instrument, items, repeated, reversed FROM survey_draw WHERE submission_id = ?`, u.id); err != nil {
		return p, nil, err
	}
	if _, err := scanAll(rows, func(row scanner) (struct{}, error) {
		instrument, d, err := scanDrawn(row)
		p.Surveys[instrument] = d
		return struct{}{}, err
	}); err != nil {
		return p, nil, err
	}
	if rows, err = q(`SELECT b.question_id, b.statement_id, t.state, t.text FROM ballot b JOIN statement t ON t.id = b.statement_id
		WHERE b.submission_id = ? ORDER BY b.question_id, b.position`, u.id); err != nil {
		return p, nil, err
	}
	texts := map[string]string{}
	_, err = scanAll(rows, func(row scanner) (struct{}, error) {
		var question, text string
		var id int64
		var state study.StatementState
		err := row.Scan(&question, &id, &state, &text)
		name := strconv.FormatInt(id, 10)
		texts[name] = text
		slot := &p.Slots[bySlot[question]]
		held := state == study.StatementRejected || state == study.StatementPending || state == study.StatementWithdrawn
		slot.Ballots = append(slot.Ballots, study.Ballot{Statement: name, Held: held})
		return struct{}{}, err
	})
	return p, texts, err
}

// place says where a submission is.
func place(st *study.Study, u submission, p study.Progress, texts map[string]string) Position {
	pos := Position{Token: u.token, Pseudonym: u.pseudonym, Virtual: u.virtual, Outcome: u.outcome, Progress: p, Texts: texts,
		Started: time.UnixMilli(u.startedAt), Expires: time.UnixMilli(u.expiresAt)}
	if pos.Step = st.Next(p); !going(u) {
		pos.Step = study.Step{Path: "end", Kind: study.StepEnd, Block: len(st.Flow), Slot: -1, Number: 1}
	}
	return pos
}

// going says whether a submission accepts answers: it has not ended, or it is back for a second round of
// votes.
func going(u submission) bool {
	return u.outcome == study.InProgress || u.outcome == study.Completed && u.round == 2
}

// Position reads where a submission is.
func (s *Store) Position(ctx context.Context, st *study.Study, token string) (Position, error) {
	q := func(query string, args ...any) (*sql.Rows, error) { return s.read.QueryContext(ctx, query, args...) }
	u, err := scanSubmission(s.read.QueryRowContext(ctx, submissionQuery, token))
	if err != nil {
		return Position{}, fmt.Errorf("reading a submission: %w", err)
	}
	p, texts, err := progress(q, u)
	if err != nil {
		return Position{}, fmt.Errorf("reading a submission's progress: %w", err)
	}
	return place(st, u, p, texts), nil
}

// Draft returns what was typed on a page and not sent; nil if nothing was.
func (s *Store) Draft(ctx context.Context, token, path string) (map[string]string, error) {
	var form string
	err := s.read.QueryRowContext(ctx, `SELECT d.form FROM draft d JOIN submission s ON s.id = d.submission_id WHERE s.token = ? AND d.step = ?`, token, path).Scan(&form)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a draft: %w", err)
	}
	var draft map[string]string
	if err := json.Unmarshal([]byte(form), &draft); err != nil {
		return nil, fmt.Errorf("reading a draft: %w", err)
	}
	return draft, nil
}
