package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"overton/internal/study"
)

// Times of fewer than fewestTimed people mean little. Only the latest mostTimed people are used, so that the
// result is available quickly.
const (
	fewestTimed = 20
	mostTimed   = 300
)

// Paces are the times that people take for each kind of page: measured in the study with that slug, else in
// all studies here, else the defaults. An empty slug matches no study.
func (s *Store) Paces(ctx context.Context, slug string) (map[study.StepKind]study.Pace, error) {
	paces := study.DefaultPaces()
	elsewhere, err := s.timed(ctx, "", "all studies here, latest %d people")
	if err != nil {
		return nil, err
	}
	maps.Copy(paces, elsewhere)
	if slug != "" {
		own, err := s.timed(ctx, slug, "this study, latest %d people")
		if err != nil {
			return nil, err
		}
		maps.Copy(paces, own)
	}
	return paces, nil
}

// timed measures the medians over people who finished. Pages during which people had left the browser count
// only for the time that they were visible, if the browser reported it.
func (s *Store) timed(ctx context.Context, slug, source string) (map[study.StepKind]study.Pace, error) {
	seconds := map[study.StepKind][]float64{}
	people := map[study.StepKind]map[int64]bool{}
	_, err := collect(ctx, s.read, "measuring times", func(row scanner) (struct{}, error) {
		var kind study.StepKind
		var submission int64
		var ms float64
		err := row.Scan(&kind, &submission, &ms)
		if people[kind] == nil {
			people[kind] = map[int64]bool{}
		}
		people[kind][submission] = true
		seconds[kind] = append(seconds[kind], ms/1000)
		return struct{}{}, err
	}, `SELECT kind, submission_id, max(coalesce(active_ms, answered_at - shown_at)) * 1.0 / count(*) AS ms
		FROM revision WHERE submission_id IN (
			SELECT u.id FROM submission u JOIN study t ON t.id = u.study_id
			WHERE NOT u.virtual AND u.outcome = ? AND (? = '' OR t.slug = ?) ORDER BY u.id DESC LIMIT ?)
		AND revision = 1 AND shown_at > 0 AND kind NOT IN ('stance', 'importance')
		GROUP BY kind, submission_id, CASE kind WHEN 'survey' THEN shown_at ELSE scope END, CASE kind WHEN 'survey' THEN scope ELSE subject END
		HAVING ms > 0`, study.Completed, slug, slug, mostTimed)
	if err != nil {
		return nil, err
	}
	paces := map[study.StepKind]study.Pace{}
	for kind, all := range seconds {
		if n := len(people[kind]); n >= fewestTimed {
			slices.Sort(all)
			paces[kind] = study.Pace{Seconds: (all[(len(all)-1)/2] + all[len(all)/2]) / 2, Source: fmt.Sprintf(source, n)}
		}
	}
	return paces, nil
}
