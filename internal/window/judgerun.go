package window

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"overton/internal/dataset/studyfile"
	"overton/internal/dataset/votes"
	"overton/internal/score"
	"overton/internal/store"
)

// JudgeRunKind is the kind of run that compares a judge with people.
const JudgeRunKind = "judge"

// Judged compares a judge with the people of a study.
type Judged struct {
	Program    Program          `json:"program"`
	Input      Input            `json:"input"` // people's ratings and votes
	Study      About            `json:"study"`
	Parameters score.Parameters `json:"parameters"`
	People     Counted          `json:"people"`

	Predictions JudgeFile `json:"predictions"`
	// Analysis is the run that the scores take viewpoint groups from. If the study was not analysed it is 0,
	// and there are no scores.
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

// Judging is a judge's predictions beside the ratings of a study's people.
type Judging struct {
	judged      *Judged
	ratings     score.Ratings
	predictions []float64
}

// ReadJudge reads a judge's predictions of the ratings of a study's people, with
// the groups of the latest analysis. What is wrong with the file comes back as
// dataset.Faults or dataset.Fault. ErrNobody: nobody who finished has rated
// anything. ErrUnpredicted: the file has none of the ratings.
func ReadJudge(ctx context.Context, db *store.Store, row store.Study, st *studyfile.Study, file JudgeFile,
	content []byte) (*Judging, error) {
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
	j := &Judging{ratings: data.Ratings}
	if latest != nil {
		j.ratings = data.Grouped(latest)
	}
	if j.predictions, err = votes.ReadPredictions(file.File, content, file.Column, j.ratings); err != nil {
		return nil, err
	}
	unpredicted := true
	for i, row := range j.ratings.Rows {
		unpredicted = unpredicted && (math.IsNaN(row.Value) || math.IsNaN(j.predictions[i]))
	}
	if unpredicted {
		return nil, ErrUnpredicted
	}
	file.SHA256 = digest(content)
	j.judged = &Judged{Program: ThisProgram(), Input: data.input(), Study: aboutStudy(st), People: data.People,
		Predictions: file, Analysis: run.ID}
	return j, nil
}

// ErrUnpredicted answers a file without a prediction.
var ErrUnpredicted = errors.New("the file predicts none of the ratings that people gave")

// Compare measures how well the predictions agree with people.
func (j *Judging) Compare(p score.Parameters) (*Judged, error) {
	r := *j.judged
	r.Parameters = p
	var err error
	if r.Judge, err = score.JudgeAgreement(j.ratings, j.predictions, nil, p, nil); err != nil {
		return nil, err
	}
	r.Questions = score.AgreementByQuestion(j.ratings, j.predictions, p)
	return &r, nil
}

// LatestJudged returns the newest comparison saved for a study; store.ErrNotFound if there is none.
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
