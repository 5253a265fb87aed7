package window

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"overton/internal/dataset/studyfile"
	"overton/internal/dataset/votes"
	"overton/internal/score"
	"overton/internal/store"
)

// JudgeRunKind marks comparisons of a judge with people among the runs of a
// study.
const JudgeRunKind = "judge"

// Judged is a judge against the people of a study.
type Judged struct {
	Program    Program          `json:"program"`
	Input      Input            `json:"input"` // people's ratings and votes
	Study      About            `json:"study"`
	Parameters score.Parameters `json:"parameters"`
	People     Counted          `json:"people"`

	Predictions JudgeFile `json:"predictions"`
	// Analysis is the run whose viewpoint groups the scores are of, 0 where the
	// study was not analysed: then there are none.
	Analysis int64 `json:"analysis"`

	Judge     *score.Judge              `json:"judge"`
	Questions []score.QuestionAgreement `json:"questions"`
}

// JudgeFile is a file of a judge's predictions.
type JudgeFile struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Column string `json:"column"`
}

// CompareJudge reads a judge's predictions and sets them against the ratings of
// a study's people, with the groups of the latest analysis. What is wrong with
// the file comes back as dataset.Faults or dataset.Fault; ErrNobody: nobody who
// finished has rated anything.
func CompareJudge(ctx context.Context, db *store.Store, row store.Study, st *studyfile.Study, file JudgeFile, content []byte, p score.Parameters) (*Judged, error) {
	people := Auto
	latest, run, err := Latest(ctx, db, row)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return nil, err
	default:
		people = latest.Parameters.People
	}
	data, err := Collect(ctx, db, row, st, people, nil)
	if err != nil {
		return nil, err
	}
	if len(data.Ratings.Rows) == 0 {
		return nil, ErrNobody
	}
	ratings := data.Ratings
	if latest != nil {
		ratings = data.Grouped(latest)
	}
	predictions, err := votes.ReadPredictions(file.File, content, file.Column, ratings)
	if err != nil {
		return nil, err
	}
	file.SHA256 = digest(content)
	j := &Judged{Program: ThisProgram(), Input: data.input(), Study: aboutStudy(st), Parameters: p, People: data.People, Predictions: file, Analysis: run.ID}
	if j.Judge, err = score.JudgeAgreement(ratings, predictions, nil, p, nil); err != nil {
		return nil, err
	}
	j.Questions = score.AgreementByQuestion(ratings, predictions, p)
	return j, nil
}

// RecordJudged keeps a comparison in the store.
func RecordJudged(ctx context.Context, db *store.Store, row store.Study, j *Judged) error {
	text, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("recording the comparison: %w", err)
	}
	_, err = db.SaveRun(ctx, row.ID, JudgeRunKind, text)
	return err
}

// LatestJudged returns the newest comparison kept for a study;
// store.ErrNotFound where there is none.
func LatestJudged(ctx context.Context, db *store.Store, row store.Study) (*Judged, store.Run, error) {
	run, err := db.LatestRun(ctx, row.ID, JudgeRunKind)
	if err != nil {
		return nil, run, err
	}
	var j Judged
	if err := json.Unmarshal(run.Result, &j); err != nil {
		return nil, run, fmt.Errorf("reading run %d: %w", run.ID, err)
	}
	return &j, run, nil
}
