package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overton/internal/dataset/export"
	"overton/internal/figure"
	"overton/internal/score"
	"overton/internal/window"
)

// writeFigures writes figures as SVG and PNG files and their numbers as CSV into a folder, which is created
// if necessary. If no folder is named it does nothing.
func writeFigures(dir string, figures []window.Tabled) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("writing figures: %w", err)
	}
	for _, f := range figures {
		for _, format := range window.FigureFormats {
			content, err := f.Content(format, 3)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, f.Name+"."+format), content, 0o600); err != nil {
				return fmt.Errorf("writing figures: %w", err)
			}
		}
	}
	return nil
}

func pobsFigures(r *pobsResult) []window.Tabled {
	figures := window.OpinionFigures(r.Results, nil)
	if c := r.TopicCorrelation; c != nil {
		figures = append(figures, window.Tabled{
			Figure: window.Figure{Name: "topics", Draw: func(w float64) *figure.Figure { return figure.TopicMap(c, w) }},
			CSV:    func(w io.Writer) error { return export.WriteMatrix(w, "pearson", c.Topics, c.Pearson) },
		})
	}
	if d := r.Distance; d != nil {
		figures = append(figures, window.Tabled{
			Figure: window.Figure{Name: "distances", Draw: func(w float64) *figure.Figure { return figure.DistanceMap(d, w) }},
			CSV:    func(w io.Writer) error { return export.WriteMatrix(w, "distance", d.Order, d.Likert) },
		})
	}
	return figures
}

func countryFigures(r *countryResult) []window.Tabled {
	var figures []window.Tabled
	for _, m := range r.Models {
		var rows []export.Ranking
		var values []figure.RankedValue
		for _, c := range m.Countries {
			row := export.Ranking{Name: c.Country, Value: r.inBase(c.similarities), CI: c.CI, Other: score.Undefined()}
			if r.Parameters.Base == "2" {
				row.CI = score.UndefinedInterval() // the interval is for the natural logarithm
			}
			rows, values = append(rows, row), append(values, figure.RankedValue(row))
		}
		name := strings.Join(slices.DeleteFunc([]string{m.Model, m.Context, m.Target}, func(s string) bool { return s == "" }), "-")
		figures = append(figures, window.Tabled{
			Figure: window.Figure{Name: "countries-" + window.FileName(name), Draw: func(w float64) *figure.Figure {
				return figure.Ranked("How similar "+m.Model+"'s answers are to those of countries", "similarity", "", values, w)
			}},
			CSV: func(w io.Writer) error { return export.WriteRankings(w, m.Model, "country", rows) },
		})
	}
	return figures
}

func surveyFigures(r *surveyResult) []window.Tabled {
	figures := r.Figures()
	for i := range r.Items {
		if r.Items[i].Asked > 0 {
			figures = append(figures, r.Items[i].Figure())
		}
	}
	return figures
}
