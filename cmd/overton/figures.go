package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overton/internal/figure"
	"overton/internal/score"
)

// writeFigures writes figures as SVG and PNG files into a folder, made where it
// is missing; nothing for no folder.
func writeFigures(dir string, figures map[string]*figure.Figure) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("writing figures: %w", err)
	}
	for _, name := range foldedKeys(figures) {
		png, err := figures[name].PNG(3)
		if err != nil {
			return err
		}
		for ending, content := range map[string][]byte{".svg": figures[name].SVG(), ".png": png} {
			if err := os.WriteFile(filepath.Join(dir, name+ending), content, 0o644); err != nil {
				return fmt.Errorf("writing figures: %w", err)
			}
		}
	}
	return nil
}

// fileName makes a name that is fit for a file.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '-'
	}, s)
}

// opinionPoints places models on both maps.
func opinionPoints(results map[string]map[string]*score.PobsScore) (neutrality, ideology []figure.OpinionPoint) {
	for _, model := range foldedKeys(results) {
		for _, mode := range foldedKeys(results[model]) {
			s := results[model][mode]
			name := model
			if len(results[model]) > 1 {
				name += ", " + mode
			}
			neutrality = append(neutrality, figure.OpinionPoint{Name: name, X: s.NNI, Y: s.TCI, XCI: s.CI.NNI, YCI: s.CI.TCI})
			ideology = append(ideology, figure.OpinionPoint{Name: name, X: s.Axes.Individualism, Y: s.Axes.Progressivism, XCI: score.UndefinedInterval(), YCI: score.UndefinedInterval()})
		}
	}
	return neutrality, ideology
}

func pobsFigures(r *pobsResult) map[string]*figure.Figure {
	neutrality, ideology := opinionPoints(r.Results)
	figures := map[string]*figure.Figure{"neutrality": figure.NeutralityMap(neutrality, figure.Wide), "ideology": figure.IdeologyMap(ideology, nil, figure.Wide)}
	if r.TopicCorrelation != nil {
		figures["topics"] = figure.TopicMap(r.TopicCorrelation, figure.Wide)
	}
	if r.Distance != nil {
		figures["distances"] = figure.DistanceMap(r.Distance, figure.Wide)
	}
	return figures
}

// pollFigures show representativeness by group, and on how many topics the
// nearest group is the same as overall.
func pollFigures(o *score.OpinionQA) map[string]*figure.Figure {
	figures := map[string]*figure.Figure{}
	for model, m := range o.Models {
		var groups, attributes []figure.RankedValue
		for _, g := range foldedKeys(m.Group) {
			groups = append(groups, figure.RankedValue{Name: g, Value: m.Group[g], CI: m.GroupCI[g], Other: o.People.Group[g]})
		}
		for _, a := range foldedKeys(m.Topics.Attributes) {
			attributes = append(attributes, figure.RankedValue{Name: a, Value: m.Topics.Attributes[a].C, CI: score.UndefinedInterval(), Other: score.Undefined()})
		}
		figures["groups-"+fileName(model)] = figure.Ranked("Whom "+model+" represents", "mean alignment of answers", "the group with people overall", groups, figure.Wide)
		figures["consistency-"+fileName(model)] = figure.Ranked("How consistently "+model+" is nearest to one group", "share of topics", "", attributes, figure.Wide)
	}
	return figures
}

func countryFigures(r *countryResult) map[string]*figure.Figure {
	figures := map[string]*figure.Figure{}
	for _, m := range r.Models {
		var rows []figure.RankedValue
		for _, c := range m.Countries {
			row := figure.RankedValue{Name: c.Country, Value: r.inBase(c.similarities), CI: c.CI, Other: score.Undefined()}
			if r.Parameters.Base == "2" {
				row.CI = score.UndefinedInterval() // the interval is of the natural one
			}
			rows = append(rows, row)
		}
		name := strings.Join(slices.DeleteFunc([]string{m.Model, m.Context, m.Target}, func(s string) bool { return s == "" }), "-")
		figures["countries-"+fileName(name)] = figure.Ranked("How alike "+m.Model+"'s answers are to those of countries", "similarity", "", rows, figure.Wide)
	}
	return figures
}

func surveyFigures(r *surveyResult) map[string]*figure.Figure {
	figures := map[string]*figure.Figure{}
	if p := r.Opinions; p != nil {
		neutrality, ideology := opinionPoints(r.Models)
		neutrality = append(neutrality, figure.OpinionPoint{Name: "people", X: p.NNI.Value, Y: p.TCI.Value, XCI: p.NNI.CI, YCI: p.TCI.CI, People: true})
		ideology = append(ideology, figure.OpinionPoint{Name: "people", X: p.Individualism.Value, Y: p.Progressivism.Value, XCI: p.Individualism.CI, YCI: p.Progressivism.CI, People: true})
		figures["neutrality"] = figure.NeutralityMap(neutrality, figure.Wide)
		figures["ideology"] = figure.IdeologyMap(ideology, p.Places, figure.Wide)
	}
	if r.Polls != nil {
		for name, f := range pollFigures(r.Polls) {
			figures[name] = f
		}
	}
	return figures
}
