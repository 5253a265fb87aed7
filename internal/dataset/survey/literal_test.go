package survey

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestVectorsPythonLiterals(t *testing.T) {
	name := os.Getenv("OVERTON_VECTORS")
	if name == "" {
		shared := os.Getenv("OVERTON_SHARED")
		if shared == "" {
			shared = filepath.Join("..", "..", "..", "..", "shared")
		}
		name = filepath.Join(shared, "reference", "metric_vectors.json")
		if _, err := os.Stat(name); err != nil {
			t.Skipf("no reference vectors: %v", err)
		}
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Metrics struct {
			Literals struct {
				Vectors []struct {
					Name     string
					Input    struct{ Kind, Text string }
					Expected struct {
						OK        bool
						Countries []string
						Values    map[string][]*float64
						Texts     []string
						Items     []any
						Keys      []float64
						Labels    []string
					}
				}
			} `json:"python_literal_parsing"`
		}
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Metrics.Literals.Vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range vectors.Metrics.Literals.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			var err error
			want := v.Expected
			switch v.Input.Kind {
			case "selections":
				var got []countryShares
				if got, err = parseSelections(v.Input.Text); err == nil && want.OK {
					var names []string
					for _, c := range got {
						names = append(names, c.Country)
						for i, share := range want.Values[c.Country] {
							if share == nil != math.IsNaN(c.Shares[i]) || share != nil && *share != c.Shares[i] {
								t.Errorf("%s: %v", c.Country, c.Shares)
							}
						}
						if len(c.Shares) != len(want.Values[c.Country]) {
							t.Errorf("%s has %d shares", c.Country, len(c.Shares))
						}
					}
					if !slices.Equal(names, want.Countries) {
						t.Errorf("countries %v, want %v", names, want.Countries)
					}
				}
			case "list":
				var got []literalItem
				if got, err = parseList(v.Input.Text); err == nil && want.OK {
					for i, item := range got {
						if item.Missing {
							if want.Items[i] != nil {
								t.Errorf("item %d is missing", i)
							}
						} else if item.Text != want.Texts[i] {
							t.Errorf("text %q, want %q", item.Text, want.Texts[i])
						}
					}
					if len(got) != len(want.Items) {
						t.Errorf("%d items, want %d", len(got), len(want.Items))
					}
				}
			case "mapping":
				var got []codeLabel
				if got, err = parseMapping(v.Input.Text); err == nil && want.OK {
					var keys []float64
					var labels []string
					for _, c := range got {
						keys, labels = append(keys, c.Code), append(labels, c.Label)
					}
					if !slices.Equal(keys, want.Keys) || !slices.Equal(labels, want.Labels) {
						t.Errorf("%v, %v; want %v, %v", keys, labels, want.Keys, want.Labels)
					}
				}
			default:
				t.Fatalf("kind %s", v.Input.Kind)
			}
			if (err == nil) != want.OK {
				t.Errorf("error %v, want ok %v", err, want.OK)
			}
		})
	}
}

func TestPythonLiteralsInDetail(t *testing.T) {
	got, err := parseList(`['It\'s', "a \"b\"", 'é\xe9\u2013\n', 1, -2.50, 1e-05, 1e22, nan, None, 'x\d',]`)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, item := range got {
		texts = append(texts, item.Text)
	}
	if want := []string{"It's", `a "b"`, "éé–\n", "1", "-2.5", "1e-05", "1e+22", "", "", `x\d`}; !reflect.DeepEqual(texts, want) {
		t.Errorf("got  %q\nwant %q", texts, want)
	}
	if !got[7].Missing || !got[8].Missing || !got[4].IsNumber || got[4].Number != -2.5 {
		t.Errorf("items %+v", got)
	}
	shares, err := parseSelections(`{'India (Current national sample)': [0.5, nan], 'Mali': []}`)
	if err != nil || shares[0].Country != "India (Current national sample)" || !math.IsNaN(shares[0].Shares[1]) || len(shares[1].Shares) != 0 {
		t.Errorf("%v, %v", shares, err)
	}
	for text, want := range map[string]string{
		"":                       "expected a value at character 1, found the end",
		"[1, 2":                  "expected , or ]",
		"['é' 2]":                `at character 6, found "2]"`,
		"{'a': 1}":               "expected a list",
		"[1] extra":              "expected the end",
		"__import__('os')":       "expected a value",
		"[open('x')]":            "expected a value",
		`['\u12']`:               "expected an escape",
		strings.Repeat("[", 100): "nested more than 50 deep",
	} {
		if _, err := parseList(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: error %v, want %q", text, err, want)
		}
	}
}

func FuzzParseLiteral(f *testing.F) {
	f.Add(`defaultdict(<class 'list'>, {"Cote d'Azur": [0.3, 1e-05]})`)
	f.Add(`[1, 'a\x41', (None, nan), {2.0: True}]`)
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = parseList(text)
		_, _ = parseSelections(text)
		_, _ = parseMapping(text)
	})
}
