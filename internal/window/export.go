package window

import (
	"context"
	"errors"
	"strconv"
	"time"

	"overton/internal/dataset/export"
	"overton/internal/dataset/studyfile"
	"overton/internal/store"
	"overton/internal/study"
)

// Export hands over what an export of a study needs: its collected data as they
// are at this moment, and the viewpoint groups of the latest result, where there
// is one. Formats and time are the caller's to set; the data can be read until
// write returns.
func Export(ctx context.Context, db *store.Store, row store.Study, st *studyfile.Study, write func(*export.Data) error) error {
	return exportStudy(ctx, db, row, st, func(e *export.Data, _ *store.Snapshot) error { return write(e) })
}

// export also hands over the snapshot that the data are read from.
func exportStudy(ctx context.Context, db *store.Store, row store.Study, st *studyfile.Study, write func(*export.Data, *store.Snapshot) error) error {
	groups := map[string]map[string]string{}
	var analysis *export.ManifestAnalysis
	switch latest, run, err := Latest(ctx, db, row); {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return err
	default:
		analysis = &export.ManifestAnalysis{
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
	return db.Snapshot(ctx, func(now *store.Snapshot) error {
		return write(&export.Data{
			Study: st, Version: row.Version, Groups: groups, Analysis: analysis,
			Program:      program.Name + " " + program.Version,
			Records:      func(each func(study.Record) error) error { return now.Records(ctx, row.ID, each) },
			Statements:   func(each func(study.Statement) error) error { return now.EachStatement(ctx, row.ID, each) },
			StatementsOn: func(question string) ([]study.Statement, error) { return now.StatementsOn(ctx, row.ID, question) },
		}, now)
	})
}
