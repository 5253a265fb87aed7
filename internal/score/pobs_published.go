package score

// PobsPublished is a number from the paper's Tables 1, 2 and 5 (Kour et al. 2025), to two decimals, and what
// is known about why the released answers give another.
type PobsPublished struct {
	Table     string // reliability, nni, tci or invalid
	Model     string // as in the names of the response files
	Mode      string
	Published float64
	Why       string
}

// The released files differ from those behind the tables, and the tables use
// two codings. These are the traces that can be found.
const (
	whyCoding = "in topics without sides, Table 1 fits the binary coding in direct mode and likert in the others; " +
		"one coding for all modes is used here"
	whyTwoRepetitions = "the table fits repetitions 4 and 5 alone; the other three released files are later ones"
	whyFour           = "the table fits repetitions 1 to 4; the fifth released file is coded otherwise"
	whyInvalid        = "the released files hold 83 invalid answers of 2005; the published 88 are another model's count in the same column"
)

// PobsTables are the published numbers of the models whose answers are most often available, in the order of
// the paper's tables.
func PobsTables() []PobsPublished {
	modes := []string{ModeDirect, ModeReasoning, ModeReflection}
	rows := []struct {
		model                          string
		reliability, nni, tci, invalid [3]float64
	}{
		{"DeepSeek_V3", [3]float64{.91, .90, .91}, [3]float64{.65, .62, .59}, [3]float64{.45, .48, .52}, [3]float64{0, 0, 0}},
		{"gpt_4o_2024_08_06", [3]float64{.92, .90, .89}, [3]float64{.45, .64, .62}, [3]float64{.54, .49, .50}, [3]float64{6.98, 4.39, .70}},
		{"granite_3_8b_instruct", [3]float64{.89, .86, .86}, [3]float64{.47, .49, .49}, [3]float64{.56, .57, .58}, [3]float64{.05, .10, 1.55}},
		{"llama_3_2_3b_instruct", [3]float64{.92, .89, .82}, [3]float64{.43, .44, .41}, [3]float64{.61, .59, .62}, [3]float64{1.55, 4.39, 3.49}},
		{"Qwen2.5_72B_Instruct", [3]float64{.95, .92, .89}, [3]float64{.36, .54, .51}, [3]float64{.58, .57, .61}, [3]float64{0, .05, 0}},
	}
	why := map[[3]string]string{
		{"nni", "llama_3_2_3b_instruct", ModeDirect}:        whyTwoRepetitions,
		{"tci", "llama_3_2_3b_instruct", ModeDirect}:        whyTwoRepetitions,
		{"tci", "DeepSeek_V3", ModeReasoning}:               whyFour,
		{"invalid", "llama_3_2_3b_instruct", ModeReasoning}: whyInvalid,
	}
	var all []PobsPublished
	for _, table := range []string{"reliability", "nni", "tci", "invalid"} {
		for _, row := range rows {
			values := map[string][3]float64{"reliability": row.reliability, "nni": row.nni, "tci": row.tci, "invalid": row.invalid}[table]
			for k, mode := range modes {
				reason := why[[3]string{table, row.model, mode}]
				if table == "reliability" {
					reason = whyCoding
				}
				all = append(all, PobsPublished{table, row.model, mode, values[k], reason})
			}
		}
	}
	return all
}
