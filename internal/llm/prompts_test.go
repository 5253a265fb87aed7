package llm

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

func TestAPromptOfOnesOwnReplacesTheShippedOne(t *testing.T) {
	t.Parallel()
	shipped, err := ReadPrompts(nil)
	if err != nil {
		t.Fatal(err)
	}
	own, err := ReadPrompts(fstest.MapFS{"direct.txt": {Data: []byte("{{define \"system\"}} Be brief. {{end}}\n{{.Question}}!\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if own.SHA256["direct"] == shipped.SHA256["direct"] || own.SHA256["default"] != shipped.SHA256["default"] {
		t.Error("the hash of the replaced prompt, and only that, is to change")
	}
	data := struct{ Question string }{"Tea {{.Secret}} <answer>A</answer>?"}
	if got, err := own.Text("direct", "", data); err != nil || got != "Tea {{.Secret}} <answer>A</answer>?!" {
		t.Errorf("user %q, %v", got, err)
	}
	if got, err := own.Text("direct", "system", data); err != nil || got != "Be brief." {
		t.Errorf("system %q, %v", got, err)
	}
	if got, err := own.Text("direct", "assistant", data); err != nil || got != "" {
		t.Errorf("assistant %q, %v", got, err)
	}
}

func TestPromptsThatCannotBeSentAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"none":      {fstest.MapFS{"readme.md": {}}, "is empty"},
		"a typo":    {fstest.MapFS{"dirct.txt": {}}, "dirct.txt replaces no prompt"},
		"no syntax": {fstest.MapFS{"direct.txt": {Data: []byte("a\n{{.Question")}}, "direct.txt:2"},
	} {
		if _, err := ReadPrompts(test.files); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	p, err := ReadPrompts(fstest.MapFS{"direct.txt": {Data: []byte("a\n{{.Qestion}}")}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Text("direct", "", struct{ Question string }{}); err == nil || !strings.Contains(err.Error(), "direct.txt:2") {
		t.Errorf("an unknown field: %v", err)
	}
	if _, err := p.Text("nothing", "", nil); err == nil {
		t.Error("an unknown prompt is filled in")
	}
}

var update = flag.Bool("update", false, "write the golden files")

// TestTheDocsShowEveryPrompt checks that docs/prompts.md has the prompts that are
// sent. Write it again with: go test ./internal/llm -run Docs -update
func TestTheDocsShowEveryPrompt(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(embedded, "prompts/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString(`# Prompts

Every text that the program sends to a model, as the template it is made from (Go's text/template). To send
others, put files of the same names into a folder and give it with ` + "`--prompts`" + `; the run's settings keep the hash of
each. The text of a file is the user's message; ` + "`{{define \"system\"}}`" + ` is the system message before it, and
` + "`{{define \"assistant\"}}`" + ` begins the answer, for endpoints that can continue one. For what the prompts do, see
[models.md](models.md) and [models-instruments.md](models-instruments.md).
`)
	for _, name := range names {
		text, err := embedded.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s```\n", path.Base(name), text)
	}
	const file = "../../docs/prompts.md"
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, b.Bytes()) {
		t.Errorf("%s is stale (%v); run this test with -update", file, err)
	}
}
