package dataset

import "testing"

func FuzzReadTable(f *testing.F) {
	f.Add([]byte("user,question_id\np1,3\n,\"a\nb\"\n"))
	f.Add([]byte(`{"user":"p1"}`))
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, content []byte) {
		table, err := ReadTable("f", content)
		if err != nil {
			return
		}
		for i, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Fatalf("row %d has %d cells for %d columns", i, len(row), len(table.Columns))
			}
		}
	})
}
