package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overton/internal/figure"
	"overton/internal/score"
	"overton/internal/window"
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

func pobsFigures(r *pobsResult) map[string]*figure.Figure {
	neutrality, ideology := window.OpinionPoints(r.Results)
	figures := map[string]*figure.Figure{"neutrality": figure.NeutralityMap(neutrality, figure.Wide), "ideology": figure.IdeologyMap(ideology, nil, figure.Wide)}
	if r.TopicCorrelation != nil {
		figures["topics"] = figure.TopicMap(r.TopicCorrelation, figure.Wide)
	}
	if r.Distance != nil {
		figures["distances"] = figure.DistanceMap(r.Distance, figure.Wide)
	}
	return figures
}

// wide draws figures in the width of a page, by their names.
func wide(list []window.Figure) map[string]*figure.Figure {
	figures := map[string]*figure.Figure{}
	for _, f := range list {
		figures[f.Name] = f.Draw(figure.Wide)
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
		figures["countries-"+window.FileName(name)] = figure.Ranked("How alike "+m.Model+"'s answers are to those of countries", "similarity", "", rows, figure.Wide)
	}
	return figures
}

func surveyFigures(r *surveyResult) map[string]*figure.Figure {
	list := r.Figures()
	for i := range r.Items {
		if r.Items[i].Asked > 0 {
			list = append(list, r.Items[i].Figure())
		}
	}
	return wide(list)
}
