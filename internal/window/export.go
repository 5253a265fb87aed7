package window

import (
	"context"
	"errors"
	"strconv"
	"time"

	"overton/internal/dataset"
	"overton/internal/store"
	"overton/internal/study"
)

// Export puts together what an export of a study needs: its collected data,
// and the viewpoint groups of the latest result, where there is one. Formats
// and time are the caller's to set.
func Export(ctx context.Context, db *store.Store, row store.Study, st *dataset.Study) (*dataset.Export, error) {
	statements, err := db.Statements(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	groups := map[string]map[string]string{}
	var analysis *dataset.ManifestAnalysis
	switch latest, run, err := Latest(ctx, db, row); {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return nil, err
	default:
		analysis = &dataset.ManifestAnalysis{
			Method: string(latest.Parameters.Cluster.Method), Seed: latest.Parameters.Cluster.Seed, Input: latest.Input.SHA256,
			AnalysedAt: time.UnixMilli(run.CreatedAt).UTC().Format(time.RFC3339),
		}
		for _, q := range latest.Questions {
			groups[q.Question] = map[string]string{}
			for _, p := range q.Participants {
				groups[q.Question][p.ID] = strconv.Itoa(p.Group)
			}
		}
	}
	program := ThisProgram()
	return &dataset.Export{
		Study: st, Version: row.Version, Statements: statements, Groups: groups, Analysis: analysis,
		Program: program.Name + " " + program.Version,
		Records: func(each func(study.Record) error) error { return db.Records(ctx, row.ID, each) },
	}, nil
}
