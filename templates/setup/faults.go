package setup

import (
	"maps"
	"slices"

	"overton/internal/dataset"
)

// How many faults are listed, and how many rows with faults of each file.
const (
	mostFaults = 100
	mostRows   = 50
)

// faultTable is the rows of a file that have faults.
type faultTable struct {
	File    string
	Columns []string
	Rows    []dataset.FaultyRow
	Count   int // faults
}

// tables sorts faults into tables of the sent files. rest are the faults that
// are about no row of a table.
func (r Refused) tables() (tables []faultTable, rest dataset.Faults) {
	byFile := map[string]dataset.Faults{}
	for _, f := range r.Faults {
		if _, sent := r.Sent[f.File]; sent {
			byFile[f.File] = append(byFile[f.File], f)
		} else {
			rest = append(rest, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		columns, rows, apart := dataset.FaultyRows(name, r.Sent[name], byFile[name])
		rest = append(rest, apart...)
		if len(rows) > 0 {
			tables = append(tables, faultTable{name, columns, rows, len(byFile[name])})
		}
	}
	return tables, rest
}

// about says whether one of a row's faults is about a column.
func about(r dataset.FaultyRow, column string) bool {
	return slices.ContainsFunc(r.Faults, func(f dataset.Fault) bool { return f.Column == column })
}

// first cuts a list to n entries.
func first[T any](list []T, n int) []T { return list[:min(n, len(list))] }
