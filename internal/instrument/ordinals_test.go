package instrument

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// scale makes an item of n options, then refusals.
func scale(n, refusals int) Item {
	it := Item{ID: "q", Text: "Made up?"}
	for k := range n + refusals {
		code := string(rune('A' + k))
		it.Options = append(it.Options, Option{Code: code, Label: code, Refusal: k >= n})
	}
	return it
}

func TestAHedgeStandsInTheMiddleAndDoesNotLengthenTheScale(t *testing.T) {
	t.Parallel()
	it := scale(5, 1)
	it.Options[4].Hedge = true
	if got := it.Ordinals(); !slices.Equal(got, []float64{1, 2, 3, 4, 2.5}) {
		t.Errorf("ordinals %v", got)
	}
	if it.Span() != 3 {
		t.Errorf("span %g, want 3", it.Span())
	}
}

func TestOrdinals(t *testing.T) {
	t.Parallel()
	given := scale(3, 1)
	for k, v := range []float64{1, 2, 1.5} {
		given.Options[k].Ordinal = new(v)
	}
	unordered := scale(4, 0)
	unordered.Unordered = true
	tests := []struct {
		name string
		item Item
		want []float64
		span float64
	}{
		{"in the order asked", scale(4, 1), []float64{1, 2, 3, 4}, 3},
		{"as the source gives them", given, []float64{1, 2, 1.5}, 1},
		{"unordered", unordered, []float64{1, 1, 1, 1}, 0},
		{"one answer only", scale(1, 1), []float64{1}, 0},
		{"refusals only", scale(0, 2), nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.item.Ordinals(); !slices.Equal(got, test.want) {
				t.Errorf("ordinals %v, want %v", got, test.want)
			}
			if got := test.item.Span(); got != test.span {
				t.Errorf("span %g, want %g", got, test.span)
			}
		})
	}
}

func TestOrdinalsMatchTheReferenceVectors(t *testing.T) {
	t.Parallel()
	file := os.Getenv("OVERTON_VECTORS")
	if file == "" {
		shared := os.Getenv("OVERTON_SHARED")
		if shared == "" {
			shared = filepath.Join("..", "..", "..", "shared")
		}
		file = filepath.Join(shared, "reference", "metric_vectors.json")
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("no reference vectors: %v", err)
	}
	var vectors struct {
		Metrics struct {
			Mapping struct {
				Vectors []struct {
					Name  string
					Input struct {
						Options        []string
						NRefusal       int `json:"n_refusal"`
						Hedge, Nominal bool
						Explicit       []float64
					}
					Expected struct {
						Ordinals []float64
						MaxWD    float64 `json:"max_wd"`
						Usable   bool
					}
				}
			} `json:"oqa_ordinal_mapping"`
		}
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Metrics.Mapping.Vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range vectors.Metrics.Mapping.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			n := len(v.Input.Options) - v.Input.NRefusal
			it := scale(n, v.Input.NRefusal)
			it.Unordered = v.Input.Nominal
			it.Options[n-1].Hedge = v.Input.Hedge
			for k, x := range v.Input.Explicit {
				it.Options[k].Ordinal = new(x)
			}
			if got := it.Ordinals(); !slices.Equal(got, v.Expected.Ordinals) {
				t.Errorf("ordinals %v, want %v", got, v.Expected.Ordinals)
			}
			if got := it.Span(); got != v.Expected.MaxWD || got > 0 != v.Expected.Usable {
				t.Errorf("span %g, want %g", got, v.Expected.MaxWD)
			}
		})
	}
}
