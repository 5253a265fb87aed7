package dataset

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"overton/internal/study"
)

func TestPolisExportCanBeReadBack(t *testing.T) {
	e := collected(t)
	e.Formats = []Format{Polis}
	e.Groups = map[string]map[string]string{"2": {"amber": "1"}}
	dir, m := writeExport(t, e)
	names := map[string]bool{}
	for _, f := range m.Files {
		names[f.Name] = true
	}
	if !names["polis/2/participants-votes.csv"] || names["votes.csv"] {
		t.Errorf("files %v", slices.Sorted(maps.Keys(names)))
	}
	for question, want := range map[string]string{"1": "0 0 -1", "2": "1 0 +1"} {
		folder := filepath.Join(dir, "polis", question)
		v, err := ReadPolis(os.DirFS(folder), 1)
		wantVote(t, v, err, want)
		if err := os.Remove(filepath.Join(folder, "participants-votes.csv")); err != nil {
			t.Fatal(err)
		}
		history, err := ReadPolis(os.DirFS(folder), 1)
		wantVote(t, history, err, want)
		if question == "2" && (v.Groups["1"] != "1" || v.Texts["0"] != "-2 degrees, no cars" || v.Matrix.Statement(0).Author != "0") {
			t.Errorf("groups %v, texts %q, %+v", v.Groups, v.Texts, v.Matrix.Statement(0))
		}
	}
}

// wantVote expects one vote, as “participant statement vote”.
func wantVote(t *testing.T, v *Votes, err error, want string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	people, _ := v.Matrix.Dims()
	for i := range people {
		columns, cast := v.Matrix.Row(i)
		for k, j := range columns {
			got = append(got, fmt.Sprintf("%s %s %+d", v.Matrix.Participant(i), v.Matrix.Statement(int(j)).ID, cast[k]))
		}
	}
	if !slices.Equal(got, []string{want}) {
		t.Errorf("votes %q, want %q", got, want)
	}
}

func TestPolisExportKeepsReVotesAndModeration(t *testing.T) {
	e := collected(t)
	e.Formats = []Format{Polis}
	on := e.StatementsOn
	e.StatementsOn = func(question string) ([]study.Statement, error) {
		list, err := on(question)
		for i := range list {
			if list[i].ID == "7" {
				list[i].State = study.StatementRejected
			}
		}
		return list, err
	}
	dir, _ := writeExport(t, e)
	v, err := ReadPolis(os.DirFS(filepath.Join(dir, "polis", "2")), 0)
	if err != nil {
		t.Fatal(err)
	}
	if !v.Matrix.Statement(0).Rejected || v.Matrix.Statement(1).Rejected {
		t.Errorf("%+v %+v", v.Matrix.Statement(0), v.Matrix.Statement(1))
	}
}
