package window

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
)

// RunKind is the kind under which results are recorded in the store.
const RunKind = "window"

// Queue keeps a run for later: what Compute will do with it.
func Queue(ctx context.Context, db *store.Store, row store.Study, name, note string, o Options, by store.Actor) (id int64, err error) {
	parameters, err := encode(o)
	if err != nil {
		return 0, fmt.Errorf("queueing an analysis: %w", err)
	}
	return db.QueueRun(ctx, row.ID, store.NewRun{Kind: RunKind, Name: name, Note: note, Parameters: parameters}, by)
}

// Parameters are those that a run was asked for with.
func Parameters(run store.Run) (o Options, err error) {
	if err := json.Unmarshal(run.Parameters, &o); err != nil {
		return o, fmt.Errorf("reading the parameters of run %d: %w", run.ID, err)
	}
	return o, nil
}

// Compute carries out a queued run and keeps its result. Where it fails, the
// run is still to be ended.
func Compute(ctx context.Context, db *store.Store, row store.Study, st *studyfile.Study, id int64, o Options, step func()) error {
	if err := db.StartRun(ctx, id); err != nil {
		return err
	}
	data, err := Collect(ctx, db, row, st, o.People, o.Questions)
	if err != nil {
		return err
	}
	result, err := Analyse(ctx, st, data, o, step)
	if err != nil {
		return err
	}
	text, err := encode(result)
	if err != nil {
		return fmt.Errorf("recording the result: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return db.FinishRun(ctx, id, text)
}

// Record keeps a result in the store, as a run that is done.
func Record(ctx context.Context, db *store.Store, row store.Study, r *Result) error {
	text, err := encode(r)
	if err != nil {
		return fmt.Errorf("recording the result: %w", err)
	}
	_, err = db.SaveRun(ctx, row.ID, RunKind, text)
	return err
}

// Latest returns the newest result of all questions that is kept for a study;
// store.ErrNotFound where there is none.
func Latest(ctx context.Context, db *store.Store, row store.Study) (*Result, store.Run, error) {
	run, err := db.LatestRun(ctx, row.ID, RunKind)
	if err != nil {
		return nil, run, err
	}
	r, err := ReadResult(run)
	return r, run, err
}

// ReadResult is the result of a run that is done.
func ReadResult(run store.Run) (*Result, error) {
	var r Result
	if err := json.Unmarshal(run.Result, &r); err != nil {
		return nil, fmt.Errorf("reading run %d: %w", run.ID, err)
	}
	return &r, nil
}

// Indented is the JSON of a result as it is kept, in the form of a file.
func Indented(result []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, result, "", " "); err != nil {
		return nil, fmt.Errorf("reading a result: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// encode writes JSON without escapes for HTML, on one line.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
