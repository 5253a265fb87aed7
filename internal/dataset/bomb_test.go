package dataset

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// cost reads a bomb and returns the bytes that reading took.
func cost(read func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func packed(t *testing.T, rows int, text string, options ...parquet.WriterOption) []byte {
	t.Helper()
	type row struct {
		A string `parquet:"a,dict"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, options...)
	for range rows {
		if _, err := w.Write([]row{{text}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestParquetCannotTakeMoreThanItsBounds(t *testing.T) {
	zeros := strings.Repeat("0", 4<<10)
	for name, c := range map[string]struct {
		content []byte
		most    uint64
	}{
		"a footer of 2 GB":                {[]byte("PAR1\x15\x00\x00\x00\xff\xff\xff\x7fPAR1"), 1 << 20},
		"a footer with a list of 2 GB":    {[]byte("PAR1\x15\x02\x19\xfc\xff\xff\xff\xff\x07\x09\x00\x00\x00PAR1"), 1 << 20},
		"one text 100,000 times":          {packed(t, 100_000, zeros, parquet.Compression(&zstd.Codec{})), 700 << 20},
		"a footer that is cut in a field": {[]byte("PAR1\x15\x01\x00\x00\x00PAR1"), 1 << 20},
	} {
		if len(c.content) > 50_000 {
			t.Errorf("%s: the bomb has %d bytes", name, len(c.content))
		}
		var err error
		if took := cost(func() { _, err = ReadTable("x.parquet", c.content) }); took > c.most {
			t.Errorf("%s: took %d MB", name, took>>20)
		}
		if err == nil {
			t.Errorf("%s: was read", name)
		}
	}
	table, err := ReadTable("x.parquet", packed(t, 3, "yes", parquet.Compression(&zstd.Codec{})))
	if err != nil || len(table.Rows) != 3 || table.Rows[2][0] != "yes" {
		t.Errorf("a small file: %v, %v", table, err)
	}
}

func TestYAMLOfCommasIsRefused(t *testing.T) {
	var faults Faults
	if _, ok := ParseYAML("study.yaml", []byte("a: ["+strings.Repeat(",", 9_000)+"]"), &faults); ok || len(faults) != 1 ||
		!strings.Contains(faults[0].Message, "commas") {
		t.Errorf("ok %v, faults %v", ok, faults)
	}
}
