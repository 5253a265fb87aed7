package main

import (
	"context"
	"fmt"
	"io"

	"overton/internal/score"
	"overton/internal/sim"
	"overton/internal/store"
	"overton/internal/window"
)

// expectedPeople is how many people the expected results of planted opinions are computed from.
const expectedPeople = 5000

// compareSurveys compares the answers of virtual people with what was planted: unweighted, and weighted to
// the population.
func compareSurveys(ctx context.Context, w io.Writer, path string, o sim.Options, t *sim.Truth) error {
	return withStore(ctx, path, func(db *store.Store) error {
		row, st, err := window.LoadStudy(ctx, db, o.Study)
		if err != nil {
			return err
		}
		planted := sim.PlantSurveys(o.Surveyed, o.Groups, o.Seed)
		sample := make([]float64, len(t.Groups))
		for g, group := range t.Groups {
			sample[g] = group.Share
		}
		options := window.DefaultSurveyOptions()
		options.People = window.Virtual
		for _, c := range []struct {
			name    string
			shares  []float64
			margins []score.Margin
		}{{"as they came", sample, nil}, {"weighted to the population", t.Surveys.Population, planted.Margins()}} {
			if c.name != "as they came" && c.margins == nil {
				continue
			}
			options.Margins = c.margins
			found, err := window.AnalyseSurveys(ctx, db, row, st, options, nil, nil)
			if err != nil {
				return err
			}
			expected := planted.Expect(c.shares, expectedPeople)
			for _, in := range found.Instruments {
				if err := printPlanted(w, c.name, found.People.Complete, in, expected[in.Instrument]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// printPlanted prints how close an instrument's numbers are to what was planted.
func printPlanted(w io.Writer, how string, people int, in *window.InstrumentResult, planted sim.Expected) error {
	fmt.Fprintf(w, "\n%s, %d people %s", in.Instrument, people, how)
	if in.Raking != nil {
		fmt.Fprintf(w, " (effective n %.0f, weights from %.2f to %.2f)", float64(in.Raking.EffectiveN),
			float64(in.Raking.Smallest), float64(in.Raking.Largest))
	}
	fmt.Fprintln(w)
	shares, refusals := inside{}, inside{}
	for _, it := range in.Items {
		e := planted.Items[it.Item]
		if it.Asked == 0 {
			continue
		}
		for _, o := range it.Options {
			shares.count(o.Share, e.Shares[o.Option])
		}
		refusals.count(it.Refusal, e.Refusal)
	}
	if in.Opinions != nil {
		if err := printPlantedOpinions(w, in.Opinions, planted.Opinions); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "shares of answers: %s\nshares of refusals: %s\n", shares, refusals)
	return nil
}

// printPlantedOpinions prints the numbers of POBs next to what was planted.
func printPlantedOpinions(w io.Writer, p, e *score.PeopleOpinions) error {
	table := newTable(w)
	fmt.Fprint(table, "\tfound\t95 %\tplanted\t\t\n")
	for _, line := range []struct {
		name           string
		found, planted score.Estimate
	}{
		{"takes sides (NNI)", p.NNI, e.NNI}, {"consistent in topics (TCI)", p.TCI, e.TCI}, {"reliability", p.Reliability, e.Reliability},
		{"individualism − collectivism +", p.Individualism, e.Individualism},
		{"progressive − conservative +", p.Progressivism, e.Progressivism},
		{"refused %", p.RefusedPct, e.RefusedPct},
	} {
		verdict := "outside"
		if holds(line.found.CI, line.planted.Value) {
			verdict = "inside"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t\n", line.name, decimals(line.found.Value), interval(line.found.CI),
			decimals(line.planted.Value), verdict)
	}
	return table.Flush()
}

// inside counts the planted values that lie in the intervals found.
type inside struct {
	of, held int
	furthest float64
}

func (i *inside) count(found score.Estimate, planted score.Number) {
	if !planted.Defined() || !found.Value.Defined() {
		return
	}
	i.of++
	if holds(found.CI, planted) {
		i.held++
	}
	i.furthest = max(i.furthest, float64(found.Value-planted), float64(planted-found.Value))
}

func (i inside) String() string {
	return fmt.Sprintf("%d of %d in their 95 %% intervals; largest error %.3f", i.held, i.of, i.furthest)
}

func holds(ci score.Interval, v score.Number) bool {
	return ci.Defined() && ci.Low <= v && v <= ci.High
}
