package survey

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"overton/internal/dataset"
	"overton/internal/instrument"
)

// GlobalOpinionQA (Durmus et al. 2023) is one CSV of questions with the shares
// of answers by country. Its quirks:
//
//   - One row has no question: it is left out and counted.
//   - options are a Python list in which numbers stand among texts, printed as
//     Python prints them (4.0 stays 4.0).
//   - selections are the printed form of a defaultdict. Keys name a country
//     and a sample frame, “India (Current national sample)”; they are kept as
//     they are, each a country of its own.
//   - Lists of shares may be empty, all zero, of another length than the
//     options, or not sum to 1. The first three kinds are left out and counted.
//   - “Don't know” and the like are options as any other.

// GlobalOpinions are the questions of a file with the countries' answers.
type GlobalOpinions struct {
	Instrument instrument.Instrument // ids are the row's number from 0, as loaders count
	// Countries are the shares of each item's options by country.
	Countries []map[string][]float64

	WithoutQuestion int // rows
	Empty           int // lists of shares without entries, with a missing one, or all zero
	OtherLength     int // lists of shares of another length than the options
}

// ReadGlobalOpinionQA reads global_opinions.csv.
func ReadGlobalOpinionQA(name string, content []byte) (*GlobalOpinions, error) {
	var faults dataset.Faults
	s, ok := readFrame(name, content, []dataset.Column{"question", "selections", "options", "source?"}, &faults)
	if !ok {
		return nil, faults.OrNil()
	}
	g := &GlobalOpinions{Instrument: instrument.Instrument{Name: path.Base(filepath.ToSlash(name))}}
	lines := []int{}
	for row := range s.Rows {
		if s.Ragged(row) {
			continue
		}
		question := s.Cell(row, "question")
		if strings.TrimSpace(question) == "" {
			g.WithoutQuestion++
			continue
		}
		it := instrument.Item{ID: strconv.Itoa(row), Text: question, Source: s.Cell(row, "source")}
		labels, err := pythonTexts(s.Cell(row, "options"))
		if err != nil {
			s.Refuse(row, "options", s.Cell(row, "options"), "%s", err)
		}
		for _, label := range labels {
			it.Options = append(it.Options, instrument.Option{Code: label, Label: label})
		}
		countries, err := g.selections(s.Cell(row, "selections"), len(labels))
		if err != nil {
			s.Refuse(row, "selections", s.Cell(row, "selections"), "%s", err)
		}
		g.Instrument.Items, g.Countries = append(g.Instrument.Items, it), append(g.Countries, countries)
		lines = append(lines, s.Lines[row])
	}
	if len(faults) == 0 {
		faults = append(faults, itemFaults(g.Instrument, func(item int) (string, int) {
			if len(lines) == 0 {
				return s.File, 0
			}
			return s.File, lines[item]
		})...)
	}
	return g, faults.OrNil()
}

// selections reads a cell of shares by country.
func (g *GlobalOpinions) selections(text string, options int) (map[string][]float64, error) {
	list, err := parseSelections(text)
	if err != nil {
		return nil, err
	}
	countries := map[string][]float64{}
	for _, c := range list {
		if _, twice := countries[c.Country]; twice {
			return nil, fmt.Errorf("has %q twice; expected each country once", c.Country)
		}
		sum := 0.0
		for _, x := range c.Shares {
			if x < 0 || math.IsInf(x, 0) {
				return nil, fmt.Errorf("of %s: has the share %g; expected 0 or more", c.Country, x)
			}
			sum += x
		}
		switch {
		case !(sum > 0): // also where one is missing
			g.Empty++
		case len(c.Shares) != options:
			g.OtherLength++
		default:
			countries[c.Country] = c.Shares
		}
	}
	return countries, nil
}
