package studyfile

import (
	"errors"
	"fmt"
	"overton/internal/dataset"
	"strings"
	"testing"
)

func TestFaultsAreFoundInTheirRows(t *testing.T) {
	files := with("questions.csv", "", "question_id,question,option_1,option_2\n1,\"Dogs,\nin parks?\",Yes,\n2,Fine?,A,B\n,\"x\ny\",\"a\nb\",\"a\nb\"\n3,Night?,,\n")
	_, err := Read(files)
	var faults dataset.Faults
	if !errors.As(err, &faults) {
		t.Fatal(err)
	}
	var own dataset.Faults
	for _, f := range faults {
		if f.File == "questions.csv" {
			own = append(own, f)
		}
	}
	own = append(own, dataset.Fault{File: "questions.csv", Message: "as a whole"})
	columns, rows, apart := dataset.FaultyRows("questions.csv", files["questions.csv"], own)
	var said []string
	for _, r := range rows {
		var at []string
		for _, f := range r.Faults {
			at = append(at, f.Column)
		}
		said = append(said, fmt.Sprintf("%d %q %v", r.Line, r.Cells, at))
	}
	want := `2 ["1" "Dogs,\nin parks?" "Yes" ""] [option_2]
5 ["" "x\ny" "a\nb" "a\nb"] [question_id option_2]
9 ["3" "Night?" "" ""] [question_id]`
	if got := strings.Join(said, "\n"); got != want || len(columns) != 4 || len(apart) != 1 {
		t.Errorf("columns %v, apart %v, rows\n%s", columns, apart, got)
	}
	if _, rows, apart := dataset.FaultyRows("x.csv", []byte{0xff, 0xfe}, own); len(rows) != 0 || len(apart) != len(own) {
		t.Errorf("of what is no table: %v, %v", rows, apart)
	}
}
