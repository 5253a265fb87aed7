package score

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The vector tests read metric_vectors.json: made-up inputs with expected
// values from statsmodels, scipy and scikit-learn, to twelve digits.

// vectorsFile finds the file, or skips the test.
func vectorsFile(t *testing.T) string {
	t.Helper()
	if file := os.Getenv("OVERTON_VECTORS"); file != "" {
		return file
	}
	shared := os.Getenv("OVERTON_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	file := filepath.Join(shared, "reference", "metric_vectors.json")
	if _, err := os.Stat(file); err != nil {
		t.Skipf("no reference vectors: %v", err)
	}
	return file
}

// eachVector runs a test for each vector of a group.
func eachVector(t *testing.T, group string, test func(t *testing.T, input, expected json.RawMessage)) {
	t.Helper()
	raw, err := os.ReadFile(vectorsFile(t))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Metrics map[string]struct {
			Vectors []struct {
				Name            string
				Input, Expected json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	vectors := file.Metrics[group].Vectors
	if len(vectors) == 0 {
		t.Fatalf("no vectors in group %s", group)
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) { test(t, v.Input, v.Expected) })
	}
	t.Logf("%s: %d vectors", group, len(vectors))
}

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// equal compares with the vectors' tolerance: 1e-9 relative, 1e-12 near zero;
// undefined equals undefined only.
func equal(got, want Number) bool {
	if !got.Defined() || !want.Defined() {
		return got.Defined() == want.Defined()
	}
	return math.Abs(float64(got-want)) <= math.Max(1e-12, 1e-9*math.Abs(float64(want)))
}

func wantNumber(t *testing.T, what string, got, want Number) {
	t.Helper()
	if !equal(got, want) {
		t.Errorf("%s = %v, want %v", what, float64(got), float64(want))
	}
}

func wantInterval(t *testing.T, what string, got, want Interval) {
	t.Helper()
	wantNumber(t, what+" low", got.Low, want.Low)
	wantNumber(t, what+" high", got.High, want.High)
}

func wantNumbers(t *testing.T, what string, got, want []Number) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s has %d values, want %d", what, len(got), len(want))
		return
	}
	for i := range want {
		wantNumber(t, what, got[i], want[i])
	}
}
