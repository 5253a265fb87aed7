package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// twoCamps writes a long table of votes of two camps of ten.
func twoCamps(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("participant,statement,vote\n")
	for i := range 20 {
		for j := range 10 {
			vote := "agree"
			if (i+j)%2 == 1 {
				vote = "disagree"
			}
			fmt.Fprintf(&b, "p%d,s%d,%s\n", i, j, vote)
		}
	}
	path := filepath.Join(t.TempDir(), "votes.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestClusterWritesTheWholeResultAsJSON(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"cluster", twoCamps(t), "--format", "long", "--json", "-"}, &out, &errs); code != 0 {
		t.Fatalf("exit status %d: %s", code, &errs)
	}
	var result struct {
		Program struct {
			Name string `json:"name"`
		} `json:"program"`
		Input struct {
			SHA256 string `json:"sha256"`
		} `json:"input"`
		Parameters map[string]any `json:"parameters"`
		K          int            `json:"k"`
		Groups     []struct {
			Size           int   `json:"size"`
			Representative []any `json:"representative"`
		} `json:"groups"`
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		t.Fatal(err)
	}
	if result.Program.Name != "overton" || len(result.Input.SHA256) != 64 || result.Parameters["k"] != "auto" || result.Parameters["seed"] != 1.0 {
		t.Errorf("%+v", result)
	}
	if result.K != 2 || result.Groups[0].Size != 10 || len(result.Groups[0].Representative) == 0 {
		t.Errorf("%+v", result)
	}
}

func TestClusterWritesATable(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"cluster", twoCamps(t), "--format", "long"}, &out, &errs); code != 0 {
		t.Fatalf("exit status %d: %s", code, &errs)
	}
	for _, want := range []string{"20 participants, 10 statements, 200 votes", "2 viewpoint groups", "what distinguishes Group B", "10 of 10"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}

func TestClusterExitStatuses(t *testing.T) {
	t.Parallel()
	votes := twoCamps(t)
	bad := filepath.Join(t.TempDir(), "bad.csv")
	if err := os.WriteFile(bad, []byte("participant,statement,vote\na,1,agree\nb,1,maybe\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"cluster"}, 2, "usage"},
		{[]string{"cluster", votes}, 2, "--format"},
		{[]string{"cluster", votes, "--format", "long", "--method", "magic"}, 2, "magic"},
		{[]string{"cluster", votes, "--format", "long", "--k", "none"}, 2, "--k"},
		{[]string{"cluster", votes, "--format", "long", "--kmax", "0"}, 2, "kmax 0"},
		{[]string{"cluster", votes, "--format", "polis", "--statements", "x.csv"}, 2, "--statements"},
		{[]string{"cluster", votes, "--format", "polis"}, 1, "folder"},
		{[]string{"cluster", votes + "x", "--format", "long"}, 1, "votes.csvx"},
		{[]string{"cluster", bad, "--format", "long"}, 1, `bad.csv:3: vote "maybe"`},
		{[]string{"cluster", votes, "--format", "long", "--k", "2"}, 0, ""},
	} {
		var out, errs bytes.Buffer
		if code := run(context.Background(), c.args, &out, &errs); code != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%v: exit status %d, %s", c.args, code, &errs)
		}
	}
}
