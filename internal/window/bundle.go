package window

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"overton/internal/dataset/export"
	"overton/internal/dataset/studyfile"
	"overton/internal/store"
)

// WriteBundle writes a study's bundle: its data as they are now, and every
// analysis that was run on these data. Analyses of fewer data, from before the
// last answer came, are named in the manifest and left out.
func WriteBundle(ctx context.Context, db *store.Store, row store.Study, st *studyfile.Study, w io.Writer) (m export.Manifest, err error) {
	runs, err := doneRuns(ctx, db, row)
	if err != nil {
		return m, err
	}
	err = exportStudy(ctx, db, row, st, func(e *export.Data, now *store.Snapshot) error {
		inputs := inputs{ctx: ctx, from: now, row: row, st: st, known: map[string]string{}}
		var kept []export.BundleRun
		var leftOut []export.LeftOutRun
		for _, run := range runs {
			input, err := inputs.of(run)
			switch {
			case err != nil:
				leftOut = append(leftOut, export.LeftOutRun{ID: run.ID, Kind: run.Kind, Name: run.Name, Reason: err.Error()})
			case input != run.Input:
				leftOut = append(leftOut, export.LeftOutRun{ID: run.ID, Kind: run.Kind, Name: run.Name, Reason: "was run on other data, before these were complete"})
			default:
				kept = append(kept, export.BundleRun{ID: run.ID, Kind: run.Kind, Name: run.Name, Note: run.Note,
					CreatedAt: time.UnixMilli(run.CreatedAt).UTC().Format(time.RFC3339), Result: run.Result})
			}
		}
		m, err = e.WriteBundle(w, row.Slug+"-bundle", kept, leftOut)
		return err
	})
	return m, err
}

// doneRuns reads a study's runs that are done, the oldest first.
func doneRuns(ctx context.Context, db *store.Store, row store.Study) ([]store.Run, error) {
	listed, err := db.Runs(ctx, row.ID, "")
	if err != nil {
		return nil, err
	}
	var runs []store.Run
	for _, run := range slices.Backward(listed) {
		if run.State != store.RunDone {
			continue
		}
		whole, err := db.Run(ctx, row.ID, run.ID)
		if err != nil {
			return nil, err
		}
		runs = append(runs, whole)
	}
	return runs, nil
}

// inputs finds the hash of the data that a run would take now.
type inputs struct {
	ctx   context.Context
	from  Source
	row   store.Study
	st    *studyfile.Study
	known map[string]string // by kind and what of the parameters chooses data
}

func (i *inputs) of(run store.Run) (string, error) {
	switch run.Kind {
	case RunKind:
		o, err := Parameters(run)
		if err != nil {
			return "", err
		}
		return i.once(fmt.Sprintf("%s %s %q", run.Kind, o.People, o.Questions), func() (Input, error) {
			d, err := Collect(i.ctx, i.from, i.row, i.st, o.People, o.Questions)
			if err != nil {
				return Input{}, err
			}
			return d.input(), nil
		})
	case SurveyRunKind:
		var r Surveys
		if err := json.Unmarshal(run.Result, &r); err != nil {
			return "", fmt.Errorf("reading run %d: %w", run.ID, err)
		}
		return i.once(fmt.Sprintf("%s %d", run.Kind, run.ID), func() (Input, error) {
			o := r.Parameters
			o.Bootstrap = 0 // asks for nothing of the data
			again, err := AnalyseSurveys(i.ctx, i.from, i.row, i.st, o, r.Files, nil)
			if err != nil {
				return Input{}, err
			}
			return again.Input, nil
		})
	}
	return "", fmt.Errorf("is of a kind that cannot be computed anew: %s", run.Kind)
}

func (i *inputs) once(key string, find func() (Input, error)) (string, error) {
	if known, ok := i.known[key]; ok {
		return known, nil
	}
	input, err := find()
	if err == nil {
		i.known[key] = input.SHA256
	}
	return input.SHA256, err
}
