package export

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// otherReader reads a Parquet file by hyparquet, which shares nothing with the
// library that writes it. Without node or hyparquet the test skips.
func otherReader(t *testing.T, path string) (rows []map[string]any) {
	t.Helper()
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat("../../../node_modules/hyparquet-compressors")
	}
	if err != nil {
		if os.Getenv("OVERTON_NO_SKIP") == "1" {
			t.Fatal(err)
		}
		t.Skip("hyparquet is not installed: run npm ci")
	}
	var errs bytes.Buffer
	cmd := exec.Command("node", filepath.Join("testdata", "parquet.mjs"), path)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return jsonRows(t, out)
}

func jsonRows(t *testing.T, lines []byte) (rows []map[string]any) {
	t.Helper()
	for _, line := range bytes.Split(bytes.TrimSpace(lines), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var row map[string]any
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestAnotherParquetReaderFindsTheSameCells(t *testing.T) {
	dir, m := writeExport(t, collected(t))
	tables := 0
	for _, f := range m.Files {
		name, parquet := f.Name, filepath.Ext(f.Name) == ".parquet"
		if !parquet || f.Rows == 0 {
			continue
		}
		tables++
		got := otherReader(t, filepath.Join(dir, name))
		want := jsonRows(t, contents(t, filepath.Join(dir, name[:len(name)-len(".parquet")]+".jsonl")))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", name, got, want)
		}
	}
	if tables < 8 {
		t.Errorf("%d tables were read", tables)
	}

	rng := rand.New(rand.NewPCG(3, 4))
	table := table{Name: "t", Columns: []column{{Name: "n", Kind: kindInteger}, {Name: "text", Kind: kindText}, {Name: "yes", Kind: kindFlag}, {Name: "x", Kind: kindNumber}}}
	var blocks, lines bytes.Buffer
	writers := []rowWriter{newParquetWriter(&blocks, table), newJSONLWriter(&lines, table.Columns)}
	for n := range 3000 {
		text := strings.TrimLeft(nastyText(rng), "\ufeff") // JavaScript takes it for a mark and drops it
		row := []any{n - 1500, text, n%2 == 0, rng.NormFloat64()}
		for i := range row {
			if rng.IntN(10) == 0 {
				row[i] = nil
			}
		}
		for _, w := range writers {
			if err := w.write(row); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, w := range writers {
		if err := w.close(); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := os.WriteFile(path, blocks.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, want := otherReader(t, path), jsonRows(t, lines.Bytes())
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("row %d: %v, want %v", i, got[i], want[i])
		}
	}
}
