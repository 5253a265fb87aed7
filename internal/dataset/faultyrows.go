package dataset

import (
	"slices"
	"sort"
)

// FaultyRow is a row of a table with what is wrong in it.
type FaultyRow struct {
	Line   int
	Cells  []string // one for each column
	Faults Faults
}

// FaultyRows finds the rows of a CSV file that its faults are about. apart are
// the faults of the file as a whole, and all of them where it is no table.
func FaultyRows(name string, content []byte, faults Faults) (columns []string, rows []FaultyRow, apart Faults) {
	text, ok := PlainText(name, content, new(Faults))
	if !ok {
		return nil, nil, faults
	}
	t := readCSV(name, text, new(Faults))
	if t == nil {
		return nil, nil, faults
	}
	byRow := map[int]Faults{}
	for _, f := range faults {
		row := sort.Search(len(t.Lines), func(i int) bool { return t.Lines[i] > f.Line }) - 1
		if row < 0 {
			apart = append(apart, f)
			continue
		}
		byRow[row] = append(byRow[row], f)
	}
	for row, own := range byRow {
		cells := make([]string, len(t.Columns))
		copy(cells, t.Rows[row])
		rows = append(rows, FaultyRow{t.Lines[row], cells, own})
	}
	slices.SortFunc(rows, func(a, b FaultyRow) int { return a.Line - b.Line })
	return t.Columns, rows, apart
}
