package store

import (
	"encoding/json"

	"overton/internal/study"
)

// drawSurveys draws what a submission is asked of each survey that draws.
// What was drawn before stays.
func drawSurveys(tx *tx, st *study.Study, u submission) error {
	for _, b := range st.Flow {
		if b.Survey == nil || !b.Survey.Draws() {
			continue
		}
		var there bool
		if err := tx.row(`SELECT EXISTS (SELECT 1 FROM survey_draw WHERE submission_id = ? AND instrument = ?)`, u.id, b.Survey.Instrument).Scan(&there); err != nil {
			return err
		}
		if there {
			continue
		}
		if err := drawSurvey(tx, b.Survey, u); err != nil {
			return err
		}
	}
	return nil
}

func drawSurvey(tx *tx, survey *study.Survey, u submission) error {
	rows, err := tx.rows(`SELECT d.unit, sum(s.outcome = 'completed'), sum(s.outcome = '' AND s.expires_at > ?) FROM submission s JOIN survey_unit d ON d.submission_id = s.id
		WHERE s.study_id = ? AND s.virtual = ? AND s.outcome IN ('completed', '') AND d.instrument = ? GROUP BY d.unit`, tx.now, u.studyID, u.virtual, survey.Instrument)
	if err != nil {
		return err
	}
	loads, err := scanAll(rows, func(row scanner) (l study.Load, err error) {
		err = row.Scan(&l.Question, &l.Done, &l.Live)
		return l, err
	})
	if err != nil {
		return err
	}
	var straight, reversed int
	if err := tx.row(`SELECT count(*) - coalesce(sum(d.reversed), 0), coalesce(sum(d.reversed), 0) FROM submission s JOIN survey_draw d ON d.submission_id = s.id
		WHERE s.study_id = ? AND s.virtual = ? AND (s.outcome = 'completed' OR s.outcome = '' AND s.expires_at > ?) AND d.instrument = ?`,
		u.studyID, u.virtual, tx.now, survey.Instrument).Scan(&straight, &reversed); err != nil {
		return err
	}
	d, units := survey.Draw(loads, straight, reversed, study.Rand(u.seed, "survey/"+survey.Instrument))
	items, err := json.Marshal(d.Items)
	if err != nil {
		return err
	}
	repeated, err := json.Marshal(d.Repeated)
	if err != nil {
		return err
	}
	if _, err := tx.exec(`INSERT INTO survey_draw (submission_id, instrument, items, repeated, reversed) VALUES (?, ?, ?, ?, ?)`,
		u.id, survey.Instrument, string(items), string(repeated), d.Reversed); err != nil {
		return err
	}
	for _, unit := range units {
		if _, err := tx.exec(`INSERT INTO survey_unit (submission_id, instrument, unit) VALUES (?, ?, ?)`, u.id, survey.Instrument, unit); err != nil {
			return err
		}
	}
	return nil
}

// scanDrawn reads what was drawn, after leading columns into others.
func scanDrawn(row scanner, others ...any) (instrument string, d study.Drawn, err error) {
	var items, repeated string
	if err := row.Scan(append(others, &instrument, &items, &repeated, &d.Reversed)...); err != nil {
		return "", d, err
	}
	if err := json.Unmarshal([]byte(items), &d.Items); err != nil {
		return "", d, err
	}
	return instrument, d, json.Unmarshal([]byte(repeated), &d.Repeated)
}
