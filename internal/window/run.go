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

// Asked is a run as the store keeps it until it is computed.
func Asked(name, note string, o Options) (store.NewRun, error) {
	parameters, err := encode(o)
	if err != nil {
		return store.NewRun{}, fmt.Errorf("asking for an analysis: %w", err)
	}
	return store.NewRun{Kind: RunKind, Name: name, Note: note, Parameters: parameters}, nil
}

// Parameters are those that a run was queued with.
func Parameters(run store.Run) (o Options, err error) {
	if err := json.Unmarshal(run.Parameters, &o); err != nil {
		return o, fmt.Errorf("reading the parameters of run %d: %w", run.ID, err)
	}
	return o, nil
}

// Compute reads a study's data, analyses them and returns the result's JSON.
// step is called as by Analyse.
func Compute(ctx context.Context, db *store.Store, row store.Study, st *studyfile.Study, o Options, step func()) ([]byte, error) {
	data, err := Collect(ctx, db, row, st, o.People, o.Questions)
	if err != nil {
		return nil, err
	}
	result, err := Analyse(ctx, st, data, o, step)
	if err != nil {
		return nil, err
	}
	return encode(result)
}

// Record saves a result in the store, as a finished run.
func Record(ctx context.Context, db *store.Store, row store.Study, r *Result) error {
	text, err := encode(r)
	if err != nil {
		return fmt.Errorf("recording the result: %w", err)
	}
	_, err = db.SaveRun(ctx, row.ID, RunKind, text)
	return err
}

// Latest returns the newest result over all questions saved for a study; store.ErrNotFound if there is none.
func Latest(ctx context.Context, db *store.Store, row store.Study) (*Result, store.Run, error) {
	run, err := db.LatestRun(ctx, row.ID, RunKind)
	if err != nil {
		return nil, run, err
	}
	r, err := ReadResult(run)
	return r, run, err
}

// ReadResult is the result of a finished run.
func ReadResult(run store.Run) (*Result, error) {
	var r Result
	if err := json.Unmarshal(run.Result, &r); err != nil {
		return nil, fmt.Errorf("reading run %d: %w", run.ID, err)
	}
	return &r, nil
}

// Indented is the JSON of a saved result in the form of a file.
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
